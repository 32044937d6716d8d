package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"gpuadvisor/adapters"
)

// beside.go reads what is kept while a bot runs. A file belongs to the process
// that has it open, so it is a copy of it that is read; a Redis is open to all.

// readKept lets an operator's command read what the store of the settings keeps, also
// beside a bot that has it open.
func (h *house) readKept(read func(adapters.Settings) error) error {
	return h.readBeside("", func(s adapters.Store) error { return read(s.Settings()) })
}

// readBeside reads a file, or without one the store of the settings, also beside a
// bot that has it open.
func (h *house) readBeside(file string, read func(adapters.Store) error) error {
	store, remove, err := h.besideBot(file)
	if err == nil {
		err = errors.Join(read(store), store.Close())
		remove()
	}
	return h.config.secrets().Error(err)
}

// besideBot opens the store of the settings, or a copy of a file.
func (h *house) besideBot(file string) (store adapters.Store, remove func(), err error) {
	conf := h.config.filled()
	if file != "" {
		conf.StoreFile, conf.RedisURL = file, ""
	}
	place, remove := string(conf.RedisURL), func() {}
	if place == "" {
		if place, remove, err = h.copyOfFile(conf); err != nil {
			return nil, nil, err
		}
	}
	if store, err = openPlace(h.ctx, place); err != nil {
		remove()
	}
	return store, remove, err
}

// copyOfFile makes a copy of STORE_FILE for as long as it takes to read it.
func (h *house) copyOfFile(conf config) (place string, remove func(), err error) {
	file, err := conf.storeFile()
	if err != nil {
		return "", nil, err
	}
	if _, err := os.Stat(file); err != nil {
		return "", nil, fmt.Errorf("store %s: %s", file, plainError(err))
	}
	dir, err := os.MkdirTemp("", "gpuadvisor")
	if err != nil {
		return "", nil, err
	}
	remove = func() { os.RemoveAll(dir) }
	place = filepath.Join(dir, "copy.db")
	if _, err := backup(file, place); err != nil {
		remove()
		return "", nil, err
	}
	return place, remove, nil
}
