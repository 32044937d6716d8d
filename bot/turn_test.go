package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"gpuadvisor/adapters"
	"gpuadvisor/adapters/memory"
	"gpuadvisor/advisor"
)

// script is an advisor that says what it was told and wants what it is told.
func script(k advisor.Known, m advisor.Message) (advisor.Conversation, advisor.Reply, []advisor.Effect) {
	c := k.Conversation
	c.Turns++
	text := m.Text
	var effects []advisor.Effect
	switch {
	case m.Kind == advisor.KindDone && m.Done.OK:
		text = "kept"
	case m.Kind == advisor.KindDone:
		text = "not kept: " + m.Done.Code
	case m.Text == "crash":
		panic("as asked")
	case m.Text == "ignore":
		return k.Conversation, advisor.Reply{Act: "ignore"}, nil
	case strings.HasPrefix(m.Text, "remind"):
		effects = []advisor.Effect{{ID: m.ID + "/remind", Kind: "remind", Reminder: advisor.Reminder{ID: m.ID, Key: m.Key, At: m.At.Add(time.Hour)}}}
	}
	return c, advisor.Reply{Act: "answer", Parts: []advisor.Part{{Kind: "text", Text: text}}}, effects
}

func newDesk(store adapters.Conversations) *desk {
	return &desk{
		answer: script, store: store, sorry: words["sorry"], log: slog.New(slog.DiscardHandler),
		alarms: newAlarms(time.Now, func(advisor.Reminder) {}),
	}
}

// hear plays one message and returns what was sent: text per part.
func hear(d *desk, m advisor.Message) (sent []string) {
	d.Turn(context.Background(), m, func(_ context.Context, r advisor.Reply) error {
		for _, p := range r.Parts {
			sent = append(sent, p.Text)
		}
		return nil
	})
	return sent
}

func from(id, text string) advisor.Message {
	return advisor.Message{ID: id, Key: "me", Text: text, Lang: "en", At: time.Now(), Addressed: true}
}

func TestTurn(t *testing.T) {
	store := memory.NewConversations()
	d := newDesk(store)
	if got := hear(d, from("1", "hello")); !slices.Equal(got, []string{"hello"}) {
		t.Errorf("got %q, want the reply", got)
	}
	if got := hear(d, from("1", "hello")); got != nil {
		t.Errorf("the same message again got %q, want silence: it was answered", got)
	}
	if got := hear(d, from("2", "ignore")); got != nil {
		t.Errorf("a message for others got %q", got)
	}
	if c, _ := store.Load(t.Context(), "me"); c.Turns != 1 || c.Version != 2 {
		t.Errorf("got %d turns at version %d, want 1 at 2", c.Turns, c.Version)
	}
}

// A reply that did not get out is sent when the message comes again.
func TestTurnSendsAgain(t *testing.T) {
	d := newDesk(memory.NewConversations())
	d.Turn(t.Context(), from("1", "hello"), func(context.Context, advisor.Reply) error { return adapters.ErrUnavailable })
	if got := hear(d, from("1", "hello")); !slices.Equal(got, []string{"hello"}) {
		t.Errorf("after a failed send: got %q, want the reply", got)
	}
}

func TestTurnSurvivesACrash(t *testing.T) {
	store := memory.NewConversations()
	d := newDesk(store)
	hear(d, from("1", "hello"))
	got := hear(d, from("2", "crash"))
	if !slices.Equal(got, []string{words["sorry"]["en"]}) {
		t.Errorf("a crash said %q, want the apology", got)
	}
	if strings.Contains(strings.Join(got, ""), "as asked") {
		t.Error("the cause of a crash was shown to a person")
	}
	if c, _ := store.Load(t.Context(), "me"); c.Turns != 1 {
		t.Errorf("a crash left %d turns, want the 1 before it", c.Turns)
	}
	if got := hear(d, from("3", "again")); !slices.Equal(got, []string{"again"}) {
		t.Errorf("after a crash: got %q", got)
	}
}

// meddled is a store in which somebody else is quicker, n times.
type meddled struct {
	adapters.Conversations
	n int
}

func (s *meddled) Commit(ctx context.Context, key advisor.Key, t adapters.Turn) (adapters.Outcome, error) {
	if s.n > 0 {
		s.n--
		c, _ := s.Load(ctx, key)
		c.Asked = "theirs"
		s.Conversations.Commit(ctx, key, adapters.Turn{MessageID: fmt.Sprint("other", s.n), Conversation: c})
	}
	return s.Conversations.Commit(ctx, key, t)
}

func TestTurnPlaysAgainAfterConflict(t *testing.T) {
	store := &meddled{memory.NewConversations(), 3}
	d := newDesk(store)
	if got := hear(d, from("1", "remind me")); !slices.Equal(got, []string{"remind me", "kept"}) {
		t.Errorf("got %q, want one answer", got)
	}
	if c, _ := store.Load(t.Context(), "me"); c.Asked != "theirs" || c.Version != 4 {
		t.Errorf("got %q at version %d: the turn was not played on the newest state", c.Asked, c.Version)
	}
	if n := d.alarms.stop(); n != 1 {
		t.Errorf("a turn that was played 4 times keeps %d reminders, want 1", n)
	}
	store.n = 1000
	if got := hear(d, from("2", "remind me")); !slices.Equal(got, []string{words["sorry"]["en"]}) {
		t.Errorf("endless conflicts: got %q, want the apology", got)
	}
}

// No sentence claims what was not done.
func TestTurnTellsOutcome(t *testing.T) {
	d := newDesk(memory.NewConversations())
	if got := hear(d, from("1", "remind me")); !slices.Equal(got, []string{"remind me", "kept"}) {
		t.Errorf("got %q", got)
	}
	for i := range mostReminders - 1 {
		hear(d, from(fmt.Sprint("more", i), "remind me"))
	}
	if got := hear(d, from("26", "remind me")); !slices.Equal(got, []string{"remind me", "not kept: too-many"}) {
		t.Errorf("one reminder too many: got %q", got)
	}
	d.alarms = nil
	if got := hear(d, from("27", "remind me")); !slices.Equal(got, []string{"remind me", "not kept: not-running"}) {
		t.Errorf("nobody keeps reminders: got %q", got)
	}
}

func TestTurnWithoutStore(t *testing.T) {
	d := newDesk(broken{})
	if got := hear(d, from("1", "hello")); !slices.Equal(got, []string{words["sorry"]["en"]}) {
		t.Errorf("got %q, want the apology", got)
	}
}

type broken struct{ adapters.Conversations }

func (broken) Load(context.Context, advisor.Key) (advisor.Conversation, error) {
	return advisor.Conversation{}, errors.New("disk on fire")
}

func (broken) Committed(context.Context, advisor.Key, string) (adapters.Outcome, error) {
	return adapters.Outcome{}, nil
}

func (broken) MarkSent(context.Context, advisor.Key, string) error { return nil }

func TestAlarms(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		start := time.Now()
		var mu sync.Mutex
		var rang []string
		a := newAlarms(time.Now, func(r advisor.Reminder) {
			mu.Lock()
			defer mu.Unlock()
			rang = append(rang, fmt.Sprint(r.ID, " after ", time.Since(start)))
		})
		for id, after := range map[string]time.Duration{"past": -time.Hour, "soon": 90 * time.Second, "later": 26 * time.Hour, "never": time.Hour, "kept": 48 * time.Hour} {
			a.add(advisor.Reminder{ID: id, At: start.Add(after)})
		}
		a.add(advisor.Reminder{ID: "soon", At: start.Add(time.Minute)}) // the same one again
		a.cancel("never")
		a.cancel("unknown")
		time.Sleep(30 * time.Hour)
		synctest.Wait()
		mu.Lock()
		want := []string{"past after 0s", "soon after 1m30s", "later after 26h0m0s"}
		if !slices.Equal(rang, want) {
			t.Errorf("got %q, want %q", rang, want)
		}
		mu.Unlock()
		if n := a.stop(); n != 1 {
			t.Errorf("stop dropped %d, want the one that waits", n)
		}
	})
}
