package main

import (
	"context"
	"fmt"
	"log/slog"
	"strings"
	"testing"
	"time"

	"gpuadvisor/adapters"
	"gpuadvisor/adapters/memory"
	"gpuadvisor/advisor"
)

// closable is a chat that may be closed.
type closable struct {
	adapters.Chat
	err   error
	tried int
	hello string
}

func (c *closable) Reach(_ context.Context, _ advisor.Key, hello advisor.Reply) (bool, error) {
	c.tried++
	c.hello = hello.Parts[0].Text
	return true, c.err
}

// A reminder that could not arrive is not promised.
func TestReachFirst(t *testing.T) {
	for _, tt := range []struct {
		name  string
		key   advisor.Key
		err   error
		kept  int
		tried int
		says  string
	}{
		{"open", meHere, nil, 2, 1, "remind you"},
		{"closed", meHere, fmt.Errorf("no: %w", adapters.ErrGone), 0, 2, "direct messages"},
		{"not now", meHere, adapters.ErrUnavailable, 2, 2, "remind you"},
		{"in private", mePrivate, adapters.ErrGone, 2, 0, "remind you"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			store, way := memory.Open(time.Now), &closable{err: tt.err}
			d := &desk{
				answer: knowing(t).Answer, store: store.Conversations(), profiles: &profiles{settings: store.Settings()}, reminders: store.Reminders(),
				lang: "en", zone: "Asia/Shanghai", log: slog.New(slog.DiscardHandler),
				paths: &paths{chat: func(advisor.Key) adapters.Chat { return way }, log: slog.New(slog.DiscardHandler)},
			}
			for i := range 2 {
				m := from(tt.key, fmt.Sprint(i), fmt.Sprintf("remind me in %d hours to release zebra", i+2))
				m.At, m.Addressed = time.Now(), true
				said := ""
				d.Turn(t.Context(), m, func(_ context.Context, r advisor.Reply) error {
					for _, p := range r.Parts {
						said += p.Text
					}
					return nil
				})
				if !strings.Contains(said, tt.says) {
					t.Errorf("said %q, want %q in it", said, tt.says)
				}
			}
			list, err := store.Reminders().List(t.Context(), adapters.Person(tt.key))
			if err != nil || len(list) != tt.kept || way.tried != tt.tried {
				t.Errorf("%d reminders kept, %v, the way tried %d times; want %d and %d", len(list), err, way.tried, tt.kept, tt.tried)
			}
			if way.tried > 0 && way.hello == "" {
				t.Error("tried without a word")
			}
		})
	}
}
