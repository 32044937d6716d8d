package main

import (
	"context"
	"crypto/rand"
	"fmt"
	"os"
	"slices"
	"time"

	"gpuadvisor/adapters"
)

// present.go lets bots that share a Redis be seen: each keeps a record that
// lives a little longer than the time until it is written again. Whoever wants
// to move everything elsewhere looks here first. A file needs none of this, it
// has one process at a time.

// bots is whose record that is; no person and no room is called that.
const bots adapters.Owner = "bots"

const (
	showEvery = 20 * time.Second
	shownFor  = time.Minute
)

// present shows this bot until ctx ends.
func (s *server) present(ctx context.Context) {
	host, _ := os.Hostname()
	name := fmt.Sprintf("%s-%d-%s", host, os.Getpid(), rand.Text()[:6])
	settings := s.store.Settings()
	put := func(ctx context.Context, data []byte) {
		r, err := settings.Get(ctx, bots, name)
		if err == nil {
			_, err = settings.Put(ctx, bots, name, adapters.Record{Version: r.Version, Data: data, Until: time.Now().Add(shownFor)})
		}
		if err != nil && ctx.Err() == nil {
			s.log.Warn("show that this bot runs", "err", err)
		}
	}
	for ctx.Err() == nil {
		put(ctx, []byte("running"))
		pause(ctx, showEvery)
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), pingTime)
	defer cancel()
	put(ctx, nil)
}

// runningBots names the bots that have shown themselves lately.
func runningBots(ctx context.Context, store adapters.Store) (names []string, err error) {
	all, err := store.Settings().List(ctx, bots)
	for name := range all {
		names = append(names, name)
	}
	slices.Sort(names)
	return names, err
}
