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

// A room that is gone takes all its reminders along, and brings them back: the
// recurring ones, and those that were due of late.
func TestBellRoomGone(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		blocked := true
		chat := &mouth{wants: func(int) error {
			if blocked {
				return fmt.Errorf("send: %w", adapters.ErrGone)
			}
			return nil
		}}
		store := memory.Open(time.Now)
		b := bellOver(store, chat)
		ctx, stop := context.WithCancel(t.Context())
		done := make(chan struct{})
		go func() { b.ring(ctx); close(done) }()
		for id, r := range map[string]advisor.Reminder{
			"first": {At: time.Now()}, "old": {At: time.Now().Add(time.Hour)}, "late": {At: time.Now().Add(47 * time.Hour)},
			"daily": {At: time.Now().Add(2 * time.Hour), RRule: "FREQ=DAILY"}, "future": {At: time.Now().Add(72 * time.Hour)},
		} {
			r.ID, r.Key, r.Zone = id, mePrivate, "UTC"
			if err := store.Reminders().Add(ctx, r); err != nil {
				t.Fatal(err)
			}
		}
		time.Sleep(48 * time.Hour)
		if dead, _ := store.Reminders().Dead(ctx, 9); len(dead) != 5 || chat.tries != 1 {
			t.Errorf("after %d tries %d are dead, want all five after one", chat.tries, len(dead))
		}
		blocked = false
		b.back(ctx, adapters.Room(mePrivate))
		time.Sleep(25 * time.Hour)
		wantSaid(t, "when the room is back", chat.heard(), "late after 48h0m0s in en", "daily after 50h0m0s in en", "future after 72h0m0s in en")
		stop()
		<-done
	})
}

// A word that panics is a failed attempt like any other: the loop goes on, and
// in the end there is a dead letter.
func TestBellPoison(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		store, chat := memory.Open(time.Now), &mouth{}
		b := bellOver(store, chat)
		word := b.word
		b.word = func(d adapters.Due, lang string) advisor.Reply {
			if d.Reminder.ID == "poison" {
				panic("cannot be worded")
			}
			return word(d, lang)
		}
		ctx, stop := context.WithCancel(t.Context())
		done := make(chan struct{})
		go func() { b.ring(ctx); close(done) }()
		for i, id := range []string{"poison", "fine"} {
			r := advisor.Reminder{ID: id, Key: mePrivate, At: time.Now().Add(time.Duration(i) * time.Minute)}
			if err := store.Reminders().Add(ctx, r); err != nil {
				t.Fatal(err)
			}
		}
		time.Sleep(3 * time.Hour)
		dead, _ := store.Reminders().Dead(ctx, 9)
		if len(dead) != 1 || dead[0].Attempts != attempts || len(chat.heard()) != 1 {
			t.Errorf("dead letters %+v, said %q; want the poison after %d attempts, and the other said", dead, chat.heard(), attempts)
		}
		stop()
		<-done
	})
}

// mute is a chat that never answers.
type mute struct{ adapters.Chat }

func (mute) Send(ctx context.Context, _ advisor.Key, _ advisor.Reply) error {
	<-ctx.Done()
	return ctx.Err()
}

// A chat that hangs delays no other, and has no more claimed than it can send.
func TestBellHangs(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		store, chat := memory.Open(time.Now), &mouth{}
		b := bellOver(store, chat)
		b.chat = func(k advisor.Key) adapters.Chat {
			if chatName(k) == "discord" {
				return mute{}
			}
			return chat
		}
		b.served = func() []string { return []string{"discord", "telegram"} }
		ctx, stop := context.WithCancel(t.Context())
		done := make(chan struct{})
		go func() { b.ring(ctx); close(done) }()
		for i := range 300 {
			key := adapters.Key("discord", "bot", "room", "", fmt.Sprint(i))
			if err := store.Reminders().Add(ctx, advisor.Reminder{ID: "x", Key: key, At: time.Now()}); err != nil {
				t.Fatal(err)
			}
		}
		time.Sleep(5 * time.Second)
		for i := range 20 {
			if err := store.Reminders().Add(ctx, advisor.Reminder{ID: fmt.Sprint(i), Key: mePrivate, At: time.Now()}); err != nil {
				t.Fatal(err)
			}
		}
		time.Sleep(3*pollEvery + 2*time.Second)
		if got := chat.heard(); len(got) != 20 {
			t.Errorf("%d of 20 were said beside a chat that hangs", len(got))
		}
		if b.stalled() {
			t.Error("a chat that hangs is no stall")
		}
		stop()
		<-done
	})
}

// down is Reminders that cannot be reached.
type down struct{ adapters.Reminders }

func (down) Claim(context.Context, int, time.Duration) ([]adapters.Due, time.Duration, error) {
	return nil, 0, adapters.ErrUnavailable
}

// The loop counts as stalled when it has not looked for a while, and no more
// when it has.
func TestBellStalls(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		store := memory.Open(time.Now)
		b := bellOver(store, &mouth{})
		if b.stalled() {
			t.Error("stalled before it has begun")
		}
		for _, tt := range []struct {
			reminders adapters.Reminders
			want      bool
		}{{store.Reminders(), false}, {down{}, true}, {store.Reminders(), false}} {
			b.reminders = tt.reminders
			ctx, stop := context.WithTimeout(t.Context(), stallTime+10*time.Second)
			b.ring(ctx)
			stop()
			if got := b.stalled(); got != tt.want {
				t.Errorf("stalled over %T: %v, want %v", tt.reminders, got, tt.want)
			}
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

// A recurring one keeps its wall time when the clocks change. What falls into
// the gap moves forward by its length, for that day alone; of a time that comes
// twice it takes the first.
func TestFollowingOverClockChanges(t *testing.T) {
	newYork, err := time.LoadLocation("America/New_York")
	if err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		rrule string
		from  string // wall time
		want  []string
	}{
		{"FREQ=DAILY;BYHOUR=9;BYMINUTE=0", "2026-03-07 09:00", []string{"2026-03-08 09:00 EDT", "2026-03-09 09:00 EDT"}},
		{"FREQ=DAILY;BYHOUR=9;BYMINUTE=0", "2026-10-31 09:00", []string{"2026-11-01 09:00 EST", "2026-11-02 09:00 EST"}},
		{"FREQ=DAILY;BYHOUR=2;BYMINUTE=30", "2026-03-07 02:30", []string{"2026-03-08 03:30 EDT", "2026-03-09 02:30 EDT"}},
		{"FREQ=DAILY;BYHOUR=1;BYMINUTE=30", "2026-10-31 01:30", []string{"2026-11-01 01:30 EDT", "2026-11-02 01:30 EST"}},
		{"FREQ=MONTHLY;BYMONTHDAY=31;BYHOUR=9;BYMINUTE=0", "2026-01-31 09:00", []string{"2026-02-28 09:00 EST", "2026-03-31 09:00 EDT"}},
	} {
		at, err := time.ParseInLocation("2006-01-02 15:04", tt.from, newYork)
		if err != nil {
			t.Fatal(err)
		}
		for _, want := range tt.want {
			at = following(advisor.Reminder{At: at, Zone: "America/New_York", RRule: tt.rrule}, at)
			if got := at.In(newYork).Format("2006-01-02 15:04 MST"); got != want {
				t.Errorf("%s from %s: got %s, want %s", tt.rrule, tt.from, got, want)
			}
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
