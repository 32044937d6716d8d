package main

import (
	"context"
	"encoding/json"
	"net/http"
	"sync"
	"sync/atomic"
	"time"
)

// health.go tells whoever runs the bot whether it works.
//
//	/healthz  200 while the store answers, every chat is connected and
//	          reminders ring; 503 and which of them is down otherwise. A chat
//	          may take settleTime to connect, at first and after it was cut off.
//	/readyz   the same without that patience, and 503 from the moment that we
//	          are told to stop: nothing should be sent here any more.
//
// Both answer {"ok":…,"parts":{"store":"ok","telegram":"not connected"}}.

// settleTime is how long a chat may take to connect after the start.
const settleTime = time.Minute

// pingTime is how long the store may take to answer.
const pingTime = 2 * time.Second

// phase is where the life of a server is.
type phase struct{ stopping atomic.Bool }

func (p *phase) stop() { p.stopping.Store(true) }

// state is how a chat does.
type state struct {
	mu   sync.Mutex
	over bool
	err  error
	from time.Time // since when it has been connecting
}

func (s *state) end(err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.over, s.err = true, err
}

func (s *state) ended() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.err
}

// check says what is wrong with a chat, "" for nothing.
func (c *served) check(patience time.Duration) string {
	ready, tells := c.Chat.(interface{ Ready() bool })
	c.state.mu.Lock()
	defer c.state.mu.Unlock()
	switch {
	case c.state.over:
		return "ended"
	case !tells || ready.Ready():
		c.state.from = time.Time{}
		return ""
	case c.state.from.IsZero():
		c.state.from = time.Now()
	}
	if time.Since(c.state.from) < patience {
		return ""
	}
	return "not connected"
}

// health is the body of both answers.
type health struct {
	OK    bool              `json:"ok"`
	Parts map[string]string `json:"parts"`
}

func (s *server) health(ctx context.Context, patience time.Duration) health {
	h := health{OK: true, Parts: map[string]string{}}
	part := func(name, wrong string) {
		h.Parts[name] = "ok"
		if wrong != "" {
			h.OK, h.Parts[name] = false, wrong
		}
	}
	ctx, cancel := context.WithTimeout(ctx, pingTime)
	defer cancel()
	wrong := ""
	if err := s.store.Ping(ctx); err != nil {
		wrong = "not reachable"
	}
	part("store", wrong)
	wrong = ""
	if s.bell.stalled() {
		wrong = "stalled"
	}
	part("reminders", wrong)
	for _, c := range s.chats {
		part(c.name, c.check(patience))
	}
	return h
}

func (s *server) healthz(w http.ResponseWriter, r *http.Request) {
	s.health(r.Context(), settleTime).write(w)
}

func (s *server) readyz(w http.ResponseWriter, r *http.Request) {
	h := s.health(r.Context(), 0)
	if s.phase.stopping.Load() {
		h.OK, h.Parts["bot"] = false, "stopping"
	}
	h.write(w)
}

func (h health) write(w http.ResponseWriter) {
	w.Header().Set("Content-Type", "application/json")
	if !h.OK {
		w.WriteHeader(http.StatusServiceUnavailable)
	}
	json.NewEncoder(w).Encode(h) // to somebody who may have hung up
}
