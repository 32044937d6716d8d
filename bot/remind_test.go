package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"gpuadvisor/adapters"
	"gpuadvisor/adapters/memory"
	"gpuadvisor/advisor"
)

// mouth is a chat that speaks only when it wants to.
type mouth struct {
	adapters.Chat
	mu    sync.Mutex
	said  []string
	wants func(try int) error // nil: speaks
	tries int
}

func (c *mouth) Send(_ context.Context, to advisor.Key, r advisor.Reply) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.tries++
	if c.wants != nil {
		if err := c.wants(c.tries); err != nil {
			return err
		}
	}
	c.said = append(c.said, r.Parts[0].Text)
	return nil
}

func (c *mouth) heard() []string {
	c.mu.Lock()
	defer c.mu.Unlock()
	return slices.Clone(c.said)
}

// bellOver rings what is in a store through a chat. It words a reminder with
// its id, when it is said, and whether it may be a repeat.
func bellOver(store adapters.Store, chat adapters.Chat) *bell {
	start := time.Now()
	return &bell{
		reminders: store.Reminders(), store: store.Conversations(), profiles: &profiles{settings: store.Settings()}, lang: "en", log: slog.New(slog.DiscardHandler),
		chat: func(advisor.Key) adapters.Chat { return chat },
		word: func(d adapters.Due, lang string) advisor.Reply {
			text := fmt.Sprint(d.Reminder.ID, " after ", time.Since(start).Round(2*pollEvery), " in ", lang)
			if d.Reached {
				text += ", again"
			}
			return advisor.Reply{Parts: []advisor.Part{{Text: text}}}
		},
	}
}

// ringing runs a test while a bell rings, in a time of its own.
func ringing(t *testing.T, chat *mouth, test func(store *memory.Store, add func(id string, in time.Duration, rrule string))) {
	synctest.Test(t, func(t *testing.T) {
		store := memory.Open(time.Now)
		b := bellOver(store, chat)
		ctx, stop := context.WithCancel(t.Context())
		done := make(chan struct{})
		go func() { b.ring(ctx); close(done) }()
		test(store, func(id string, in time.Duration, rrule string) {
			r := advisor.Reminder{ID: id, Key: mePrivate, At: time.Now().Add(in), Zone: "Asia/Shanghai", RRule: rrule}
			if err := store.Reminders().Add(t.Context(), r); err != nil {
				t.Error(err)
			}
		})
		stop()
		<-done
	})
}

func TestBell(t *testing.T) {
	chat := &mouth{}
	ringing(t, chat, func(store *memory.Store, add func(string, time.Duration, string)) {
		add("past", -time.Hour, "")
		add("soon", 90*time.Second, "")
		add("later", 26*time.Hour, "")
		add("never", time.Hour, "")
		store.Reminders().Cancel(context.Background(), mePrivate, "never")
		time.Sleep(30 * time.Hour)
		wantSaid(t, "rang", chat.heard(), "past after 0s in en", "soon after 1m30s in en", "later after 26h0m0s in en")
	})
}

// The language is the one that the person set, else that of their last talk.
func TestBellLanguage(t *testing.T) {
	chat := &mouth{}
	ringing(t, chat, func(store *memory.Store, add func(string, time.Duration, string)) {
		ctx := context.Background()
		store.Conversations().Commit(ctx, mePrivate, adapters.Turn{MessageID: "1", Conversation: advisor.Conversation{Lang: "zh"}})
		add("talk", time.Minute, "")
		time.Sleep(2 * time.Minute)
		store.Settings().Put(ctx, adapters.Person(mePrivate), profileRecord, adapters.Record{Data: []byte(`{"lang":"en"}`)})
		add("set", time.Minute, "")
		time.Sleep(2 * time.Minute)
		wantSaid(t, "rang", chat.heard(), "talk after 1m0s in zh", "set after 3m0s in en")
	})
}

// A chat that fails is tried again, later and later, and told that the person
// may have it already; in the end there is a dead letter.
func TestBellTriesAgain(t *testing.T) {
	chat := &mouth{wants: func(try int) error {
		if try < 3 {
			return adapters.ErrUnavailable
		}
		return nil
	}}
	ringing(t, chat, func(store *memory.Store, add func(string, time.Duration, string)) {
		add("a", 0, "")
		time.Sleep(time.Minute)
		if got := chat.heard(); len(got) != 1 || got[0][len(got[0])-5:] != "again" {
			t.Errorf("after two failures: got %q, want one that says it may be a repeat", got)
		}
		chat.wants = func(int) error { return errors.New("no luck today") }
		chat.tries = 0
		add("b", 0, "")
		time.Sleep(3 * time.Hour)
		dead, _ := store.Reminders().Dead(context.Background(), 9)
		if len(dead) != 1 || dead[0].Reason != "undeliverable" || chat.tries != attempts {
			t.Errorf("after %d tries: dead letters %+v, want one after %d", chat.tries, dead, attempts)
		}
	})
}

// A platform that asks for patience gets it, and no attempt is counted.
func TestBellWaits(t *testing.T) {
	chat := &mouth{wants: func(try int) error {
		if try <= 3*attempts {
			return &adapters.Wait{For: 40 * time.Second}
		}
		return nil
	}}
	ringing(t, chat, func(_ *memory.Store, add func(string, time.Duration, string)) {
		add("a", 0, "")
		time.Sleep(time.Hour)
		if got := chat.heard(); len(got) != 1 || got[0][len(got[0])-2:] != "en" {
			t.Errorf("got %q, want it once and not as a repeat", got)
		}
	})
}

// Whoever blocked us is not called again.
func TestBellGone(t *testing.T) {
	chat := &mouth{wants: func(int) error { return fmt.Errorf("send: %w", adapters.ErrGone) }}
	ringing(t, chat, func(store *memory.Store, add func(string, time.Duration, string)) {
		add("a", 0, "FREQ=DAILY;BYHOUR=9")
		time.Sleep(48 * time.Hour)
		dead, _ := store.Reminders().Dead(context.Background(), 9)
		if len(dead) != 1 || dead[0].Reason != "gone" || chat.tries != 1 {
			t.Errorf("after %d tries: %+v", chat.tries, dead)
		}
	})
}

// A recurring one goes on by the wall clock; what was missed is not made up.
func TestBellRecurring(t *testing.T) {
	chat := &mouth{}
	ringing(t, chat, func(_ *memory.Store, add func(string, time.Duration, string)) {
		add("a", -50*time.Hour, "FREQ=HOURLY")
		time.Sleep(150 * time.Minute)
		if got := chat.heard(); len(got) != 3 {
			t.Errorf("two days late and two hours and a half on: got %q, want one at once and two more", got)
		}
	})
}

// A chat that is served elsewhere is left to whoever serves it.
func TestBellElsewhere(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		store := memory.Open(time.Now)
		chat := &mouth{}
		here, there := bellOver(store, nil), bellOver(store, chat)
		here.chat = func(advisor.Key) adapters.Chat { return nil }
		ctx, stop := context.WithCancel(t.Context())
		var done sync.WaitGroup
		done.Go(func() { here.ring(ctx) })
		store.Reminders().Add(ctx, advisor.Reminder{ID: "a", Key: mePrivate, At: time.Now()})
		time.Sleep(5 * time.Minute)
		done.Go(func() { there.ring(ctx) })
		time.Sleep(5 * time.Minute)
		if got := chat.heard(); len(got) != 1 || got[0][len(got[0])-2:] != "en" {
			t.Errorf("got %q, want it once and not as a repeat", got)
		}
		stop()
		done.Wait()
	})
}

// Ten bells ring one reminder once.
func TestBellsTogether(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		store := memory.Open(time.Now)
		chat := &mouth{}
		ctx, stop := context.WithCancel(t.Context())
		var done sync.WaitGroup
		for range 10 {
			b := bellOver(store, chat)
			done.Go(func() { b.ring(ctx) })
		}
		for i := range 20 {
			store.Reminders().Add(ctx, advisor.Reminder{ID: fmt.Sprint(i), Key: mePrivate, At: time.Now().Add(time.Minute)})
		}
		time.Sleep(2 * time.Minute)
		if got := chat.heard(); len(got) != 20 {
			t.Errorf("20 reminders rang %d times", len(got))
		}
		stop()
		done.Wait()
	})
}

func TestFollowing(t *testing.T) {
	at := time.Date(2026, 12, 1, 1, 0, 0, 0, time.UTC) // 9 in Shanghai
	for _, tt := range []struct {
		rrule string
		late  time.Duration
		want  string
	}{
		{"", 0, "0001-01-01T00:00:00Z"},
		{"FREQ=DAILY;BYHOUR=9;BYMINUTE=0", 0, "2026-12-02T01:00:00Z"},
		{"FREQ=DAILY;BYHOUR=9;BYMINUTE=0", 49 * time.Hour, "2026-12-04T01:00:00Z"},
		{"FREQ=HOURLY", 90 * time.Minute, "2026-12-01T03:00:00Z"},
		{"FREQ=SOMETIMES", 0, "0001-01-01T00:00:00Z"},
	} {
		got := following(advisor.Reminder{At: at, Zone: "Asia/Shanghai", RRule: tt.rrule}, at.Add(tt.late))
		if got.UTC().Format(time.RFC3339) != tt.want {
			t.Errorf("after %s, %s late: got %s, want %s", tt.rrule, tt.late, got, tt.want)
		}
	}
}

func TestLimits(t *testing.T) {
	now := time.Date(2026, 12, 1, 9, 0, 0, 0, time.UTC)
	l := &limits{user: 3, room: 5, now: func() time.Time { return now }}
	take := func(key advisor.Key, n int) (got []admission) {
		for range n {
			got = append(got, l.take(key))
		}
		return got
	}
	if got, want := take(meHere, 5), []admission{welcome, welcome, welcome, userFull, unheard}; !slices.Equal(got, want) {
		t.Errorf("one person: got %q, want %q", got, want)
	}
	if got, want := take(youHere, 4), []admission{welcome, welcome, roomFull, userFull}; !slices.Equal(got, want) {
		t.Errorf("another one in the same room: got %q, want %q", got, want)
	}
	if got, want := take(mePrivate, 1), []admission{unheard}; !slices.Equal(got, want) {
		t.Errorf("the first one in private: got %q, want %q", got, want)
	}
	now = now.Add(time.Minute)
	if got, want := take(mePrivate, 3), []admission{welcome, welcome, welcome}; !slices.Equal(got, want) {
		t.Errorf("a minute later: got %q, want %q", got, want)
	}
	typing := adapters.Key("telegram", "bot", "inline", "", "me")
	if got := take(typing, 30); slices.Contains(got, unheard) || slices.Contains(got, userFull) {
		t.Errorf("typing in inline mode: got %q", got)
	}
	if got, want := take(typing, 1), []admission{unheard}; !slices.Equal(got, want) {
		t.Errorf("typing without end: got %q, want %q", got, want)
	}
	said := 0
	h := l.before(func(context.Context, advisor.Message, adapters.Respond) {
		t.Error("a message over the limit was handed on")
	}, "zh")
	m := from(mePrivate, "1", "hello")
	m.Lang = ""
	for range 3 {
		h(t.Context(), m, func(_ context.Context, r advisor.Reply) error {
			said++
			if got := r.Parts[0].Text; got != words["too-fast.user"]["zh"] {
				t.Errorf("got %q", got)
			}
			return nil
		})
	}
	if said != 1 {
		t.Errorf("said %d times that it is too fast, want once", said)
	}
}
