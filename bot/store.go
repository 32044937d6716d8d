package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net"
	"os"
	"path/filepath"
	"strings"
	"time"

	"gpuadvisor/adapters"
	"gpuadvisor/adapters/bolt"
)

// storeCommand moves and backs up what bots keep.
type storeCommand struct {
	Copy   copyCommand   `cmd:"" help:"${copy}"`
	Backup backupCommand `cmd:"" help:"${backup}"`
}

// copyCommand takes everything of one store to another: from a file to a Redis
// when one machine is not enough, and back. STORE_FILE and REDIS_URL stand for
// what the settings say, so that no password need be typed.
type copyCommand struct {
	From string `arg:"" help:"${from}"`
	To   string `arg:"" help:"${to}"`
}

func (c *copyCommand) Run(h *house) error {
	hide := h.config.secrets()
	if h.samePlace(c.From, c.To) {
		return misuse{h.say("bad.itself")}
	}
	from, err := h.place(c.From, true)
	if err != nil {
		return hide.Error(err)
	}
	defer from.Close()
	to, err := h.place(c.To, false)
	if err != nil {
		return hide.Error(err)
	}
	defer to.Close()
	n, err := adapters.Copy(h.ctx, from, to)
	if errors.Is(err, adapters.ErrNotEmpty) {
		return errors.New(h.say("not-empty"))
	}
	if err != nil {
		return hide.Error(err)
	}
	_, err = fmt.Fprintf(h.out, h.say("copied")+"\n", n.Conversations, n.Records, n.Reminders, n.DeadLetters)
	return err
}

// placeCalled is the file or the URL that a name for a store means.
func (h *house) placeCalled(name string) (string, error) {
	conf := h.config.filled()
	switch {
	case name == "REDIS_URL" && conf.RedisURL != "":
		return string(conf.RedisURL), nil
	case name == "STORE_FILE":
		return conf.storeFile()
	}
	return name, nil
}

// samePlace reports whether two names are seen to mean one store.
func (h *house) samePlace(a, b string) bool {
	one, err1 := h.placeCalled(a)
	other, err2 := h.placeCalled(b)
	if err1 != nil || err2 != nil || one == other {
		return err1 == nil && err2 == nil
	}
	is, err1 := os.Stat(one)
	onto, err2 := os.Stat(other)
	return err1 == nil && err2 == nil && os.SameFile(is, onto)
}

// place opens a store for moving. One that must exist holds something.
func (h *house) place(name string, mustExist bool) (adapters.Archive, error) {
	name, err := h.placeCalled(name)
	if err != nil {
		return nil, err
	}
	if mustExist && !isRedis(name) {
		switch info, err := os.Stat(name); {
		case err != nil:
			return nil, fmt.Errorf("store %s: %s", name, plainError(err))
		case info.Mode().IsRegular() && info.Size() == 0:
			return nil, fmt.Errorf("store %s: the file is empty", name)
		}
	}
	store, err := openPlace(h.ctx, name)
	if err != nil {
		return nil, err
	}
	there, err := runningBots(h.ctx, store)
	if err == nil && len(there) > 0 {
		err = fmt.Errorf(h.say("bots-run"), strings.Join(there, h.say("list")))
	}
	if err != nil {
		return nil, errors.Join(err, store.Close())
	}
	return store.(adapters.Archive), nil
}

// backupCommand copies STORE_FILE as it is at this moment. A bot that runs has
// the file to itself, so it is asked for the copy through a socket beside it,
// which only the user who runs the bot can use.
type backupCommand struct {
	To string `arg:"" help:"${backup_to}"`
}

func (c *backupCommand) Run(h *house) error {
	conf := h.config.filled()
	file, err := conf.storeFile()
	if err != nil {
		return err
	}
	is, err := os.Stat(file)
	if err != nil {
		return fmt.Errorf("store %s: %s", file, plainError(err))
	}
	if onto, err := os.Stat(c.To); err == nil && os.SameFile(is, onto) {
		return complain("bad.onto", c.To) // a running bot would go on in a file without a name
	}
	n, err := backup(file, c.To)
	if err == nil {
		_, err = fmt.Fprintf(h.out, h.say("backed-up")+"\n", n, c.To)
	}
	return err
}

// backup writes a copy of a file beside its place, looks whether it is whole,
// and puts it in its place.
func backup(file, to string) (n int64, err error) {
	out, err := os.CreateTemp(filepath.Dir(to), filepath.Base(to)+".*")
	if err != nil {
		return 0, fmt.Errorf("backup: %w", err)
	}
	defer os.Remove(out.Name()) // it is gone when all went well
	if n, err = copyFile(out, file); err == nil {
		err = out.Sync()
	}
	if err = errors.Join(err, out.Close()); err != nil {
		return 0, fmt.Errorf("backup: %w", err)
	}
	whole, err := bolt.Open(out.Name())
	if err != nil {
		return 0, fmt.Errorf("backup: %w", err)
	}
	if err := whole.Close(); err != nil {
		return 0, fmt.Errorf("backup: %w", err)
	}
	return n, os.Rename(out.Name(), to)
}

func copyFile(out io.Writer, file string) (int64, error) {
	conn, err := net.DialTimeout("unix", socket(file), time.Second)
	if err == nil {
		defer conn.Close()
		return io.Copy(out, conn)
	}
	store, err := bolt.Open(file) // no bot runs
	if err != nil {
		return 0, err
	}
	defer store.Close()
	return store.WriteTo(out)
}

// socket is where the bot that has the file is asked for a copy.
func socket(file string) string { return file + ".sock" }

// offerBackup gives a copy of the file to whoever connects to the socket. It is
// nil for a store that is not a file.
func (s *server) offerBackup() (closer, error) {
	store, ok := s.store.(*bolt.Store)
	if !ok {
		return nil, nil
	}
	file, err := s.conf.storeFile()
	if err != nil {
		return nil, err
	}
	at := socket(file)
	if err := os.Remove(at); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err // of a process that was killed; we have the file now
	}
	l, err := net.Listen("unix", at)
	if err != nil {
		return nil, err
	}
	if err := os.Chmod(at, 0o600); err != nil {
		return nil, errors.Join(err, l.Close())
	}
	go func() {
		for {
			conn, err := l.Accept()
			if err != nil {
				return
			}
			n, err := store.WriteTo(conn)
			if err = errors.Join(err, conn.Close()); err != nil {
				s.log.Warn("backup", "err", err)
				continue
			}
			s.log.Info("backup", "bytes", n)
		}
	}()
	return func(context.Context) error { return l.Close() }, nil
}
