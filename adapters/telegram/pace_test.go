package telegram

import (
	"context"
	"errors"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"gpuadvisor/adapters"
)

// gone notes when messages went.
type goes struct {
	mu   sync.Mutex
	room []int64
	at   []time.Duration
}

// sends queues n messages to each room, and waits until all went.
func sends(t *testing.T, p *pace, n int, rooms ...int64) *goes {
	start := time.Now()
	var g goes
	var all sync.WaitGroup
	for range n {
		for _, room := range rooms {
			ticket := p.draw()
			all.Go(func() {
				if err := p.take(t.Context(), room, ticket, false); err != nil {
					t.Error(err)
				}
				g.mu.Lock()
				defer g.mu.Unlock()
				g.room, g.at = append(g.room, room), append(g.at, time.Since(start))
			})
		}
	}
	all.Wait()
	return &g
}

// most is the largest number of messages in any window.
func (g *goes) most(window time.Duration) (n int) {
	at := slices.Sorted(slices.Values(g.at))
	for i := range at {
		j, _ := slices.BinarySearch(at, at[i]+window)
		n = max(n, j-i)
	}
	return n
}

func TestRates(t *testing.T) {
	many := func(from int64) (rooms []int64) {
		for i := range int64(100) {
			rooms = append(rooms, from+i)
		}
		return rooms
	}
	for _, tt := range []struct {
		name   string
		n      int
		rooms  []int64
		window time.Duration
		most   int           // in the window
		took   time.Duration // all
	}{
		{"one chat", 10, []int64{1}, time.Second, 1, 9 * time.Second},
		{"one group", 45, []int64{-1}, time.Minute, 20, 2*time.Minute + 4*time.Second},
		{"a group, within the second", 20, []int64{-1}, time.Second, 1, 19 * time.Second},
		{"many chats", 1, many(1), time.Second, 30, 3 * time.Second},
		{"many chats, twice", 2, many(1), time.Second, 30, 6 * time.Second},
	} {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				g := sends(t, newPace(telegramRates), tt.n, tt.rooms...)
				if most := g.most(tt.window); most != tt.most {
					t.Errorf("at most %d in %s, want %d", most, tt.window, tt.most)
				}
				if took := slices.Max(g.at); took != tt.took {
					t.Errorf("took %s, want %s", took, tt.took)
				}
			})
		})
	}
}

// A room that must wait holds up nobody else; within a room the order stays.
func TestOvertaking(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := newPace(telegramRates)
		p.hold(1, 10*time.Second)
		g := sends(t, p, 3, 1, 2)
		if want := []int64{2, 2, 2, 1, 1, 1}; !slices.Equal(g.room, want) {
			t.Errorf("went to rooms %v, want %v", g.room, want)
		}
		if g.at[3] != 10*time.Second {
			t.Errorf("the held room got its first after %s, want 10 s", g.at[3])
		}
	})
}

// Answers go before reminders, and the pages of one reply together.
func TestPriorities(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := newPace(telegramRates)
		p.hold(1, time.Second)
		var mu sync.Mutex
		var order []string
		var all sync.WaitGroup
		queue := func(name string, ticket uint64, late bool, pages int) {
			all.Go(func() {
				for range pages {
					p.take(t.Context(), 1, ticket, late)
					mu.Lock()
					order = append(order, name)
					mu.Unlock()
				}
			})
			synctest.Wait()
		}
		queue("reminder", p.draw(), true, 1)
		queue("first", p.draw(), false, 2)
		queue("second", p.draw(), false, 2)
		all.Wait()
		if want := []string{"first", "first", "second", "second", "reminder"}; !slices.Equal(order, want) {
			t.Errorf("went %v, want %v", order, want)
		}
	})
}

func TestGivingUp(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := newPace(telegramRates)
		p.hold(1, time.Minute)
		ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
		defer cancel()
		var wait *adapters.Wait
		if err := p.take(ctx, 1, p.draw(), true); !errors.As(err, &wait) || wait.For != time.Minute {
			t.Errorf("a reminder that cannot go in time: got %v, want a Wait of a minute at once", err)
		}
		if err := p.take(ctx, 1, p.draw(), false); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("an answer: got %v, want that its time ran out", err)
		}
		if len(p.queue) != 0 {
			t.Errorf("%d are still in the queue", len(p.queue))
		}
	})
}

// What is remembered of rooms does not grow with their number.
func TestPaceForgets(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := newPace(Rates{Room: time.Second, Minute: 20})
		for i := range int64(20 * sweepFrom) {
			if err := p.take(t.Context(), -i-1, p.draw(), false); err != nil {
				t.Fatal(err)
			}
			if i%100 == 0 {
				time.Sleep(10 * time.Second)
			}
		}
		if n := len(p.rooms); n > 2*sweepFrom {
			t.Errorf("%d rooms are remembered", n)
		}
	})
}

func BenchmarkPace(b *testing.B) {
	p := newPace(Rates{Minute: 1 << 30})
	for b.Loop() {
		p.take(context.Background(), 1, p.draw(), false)
	}
}
