package main

import (
	"context"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"gpuadvisor/adapters"
	"gpuadvisor/adapters/memory"
	"gpuadvisor/advisor"
)

// looks are Reminders that count how often one looks what is due.
type looks struct {
	adapters.Reminders
	mu sync.Mutex
	n  int
}

func (l *looks) Claim(ctx context.Context, n int, lease time.Duration) ([]adapters.Due, time.Duration, error) {
	l.mu.Lock()
	l.n++
	l.mu.Unlock()
	return l.Reminders.Claim(ctx, n, lease)
}

func (l *looks) since() (n int) {
	l.mu.Lock()
	defer l.mu.Unlock()
	n, l.n = l.n, 0
	return n
}

// clocked is a chat that notes how late each reminder is.
type clocked struct {
	mouth
	mu   sync.Mutex
	late []time.Duration
}

func (c *clocked) lateness() []time.Duration {
	c.mu.Lock()
	defer c.mu.Unlock()
	return slices.Clone(c.late)
}

// A bell with nothing to do looks seldom, and is not late for what this process
// adds, moves or revives; what another adds it sees at its next look.
func TestBellSleeps(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		store, chat := memory.Open(time.Now), &clocked{}
		counted := &looks{Reminders: store.Reminders()}
		b := bellOver(store, chat)
		b.news = newNews()
		b.reminders = b.news.of(counted)
		b.word = func(d adapters.Due, _ string) advisor.Reply {
			chat.mu.Lock()
			defer chat.mu.Unlock()
			chat.late = append(chat.late, time.Since(d.Reminder.At))
			return advisor.Reply{Parts: []advisor.Part{{Text: d.Reminder.ID}}}
		}
		ctx, stop := context.WithCancel(t.Context())
		done := make(chan struct{})
		go func() { b.ring(ctx); close(done) }()
		defer func() { stop(); <-done }()

		time.Sleep(time.Minute)
		counted.since()
		time.Sleep(time.Minute)
		if n := counted.since(); n > 12 {
			t.Errorf("with nothing to do it looked %d times in a minute, want one in five seconds", n)
		}
		for id, tt := range map[string]struct {
			to   adapters.Reminders
			in   time.Duration
			most time.Duration
		}{
			"ours, now":          {b.reminders, 0, newsEvery + 50*time.Millisecond},
			"ours, soon":         {b.reminders, 2 * time.Second, 50 * time.Millisecond},
			"ours, in an hour":   {b.reminders, time.Hour, 50 * time.Millisecond},
			"theirs, now":        {counted, 0, pollEvery + 50*time.Millisecond},
			"theirs, in an hour": {counted, time.Hour, 50 * time.Millisecond},
		} {
			if err := tt.to.Add(ctx, advisor.Reminder{ID: id, Key: mePrivate, At: time.Now().Add(tt.in)}); err != nil {
				t.Fatal(err)
			}
			time.Sleep(2 * time.Hour)
			late := chat.lateness()
			if len(late) == 0 {
				t.Fatalf("%s: never said", id)
			}
			if got := late[len(late)-1]; got < 0 || got > tt.most {
				t.Errorf("%s: said %s late, want at most %s", id, got, tt.most)
			}
		}
	})
}

// News come with every turn; they make nobody look more than once a second.
func TestNewsAreGathered(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		store := memory.Open(time.Now)
		counted := &looks{Reminders: store.Reminders()}
		b := bellOver(store, &mouth{})
		b.news = newNews()
		b.reminders = b.news.of(counted)
		ctx, stop := context.WithCancel(t.Context())
		done := make(chan struct{})
		go func() { b.ring(ctx); close(done) }()
		defer func() { stop(); <-done }()
		for i := range 1000 {
			r := advisor.Reminder{ID: string(rune('a' + i%20)), Key: mePrivate, At: time.Now().Add(24 * time.Hour)}
			if err := b.reminders.Add(ctx, r); err != nil {
				t.Fatal(err)
			}
			time.Sleep(20 * time.Millisecond)
		}
		if n := counted.since(); n > 25 {
			t.Errorf("it looked %d times in twenty seconds of news, want about one a second", n)
		}
	})
}

// A claim that comes back, to be tried again or because it is due again, is
// news too.
func TestWhatIsNews(t *testing.T) {
	for name, tt := range map[string]struct {
		fate adapters.Fate
		want bool
	}{
		"said":      {adapters.Fate{}, false},
		"dead":      {adapters.Fate{Dead: gone}, false},
		"again":     {adapters.Fate{Retry: time.Second}, true},
		"recurring": {adapters.Fate{Next: time.Now().Add(time.Hour)}, true},
	} {
		store := memory.Open(time.Now)
		n := newNews()
		all := n.of(store.Reminders())
		if err := store.Reminders().Add(t.Context(), advisor.Reminder{ID: "a", Key: mePrivate, At: time.Now()}); err != nil {
			t.Fatal(err)
		}
		due, _, err := all.Claim(t.Context(), 1, time.Minute)
		if err != nil || len(due) != 1 {
			t.Fatalf("claimed %d, %v", len(due), err)
		}
		if err := all.Finish(t.Context(), due[0], tt.fate); err != nil {
			t.Fatal(err)
		}
		if got := len(n) == 1; got != tt.want {
			t.Errorf("%s: news is %v, want %v", name, got, tt.want)
		}
	}
}
