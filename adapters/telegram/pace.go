package telegram

import (
	"context"
	"slices"
	"sync"
	"time"

	"gpuadvisor/adapters"
)

// pace.go keeps us below the rates at which Telegram begins to refuse, and
// waits as long as it asks. There is one queue: answers before reminders, and
// each kind in the order in which it was drawn; whoever may not go yet is
// overtaken by those who write to other rooms.

// Rates are how much may be sent. Zero: no limit.
type Rates struct {
	Second int           // messages per second, over all
	Room   time.Duration // between two messages to the same room
	Minute int           // messages per minute to the same group
}

// telegramRates are Telegram's,
// https://core.telegram.org/bots/faq#my-bot-is-hitting-limits-how-do-i-avoid-this
var telegramRates = Rates{Second: 30, Room: time.Second, Minute: 20}

type pace struct {
	rates Rates

	mu      sync.Mutex
	tickets uint64
	queue   []*waiter // in the order in which they would go
	sent    []time.Time
	rooms   map[int64]*room
	sweepAt int // rooms
	timer   *time.Timer
}

// room is what we remember of one.
type room struct {
	next time.Time   // not before
	sent []time.Time // to a group within the last minute
}

type waiter struct {
	room   int64
	ticket uint64
	late   bool
	ready  chan struct{}
}

func newPace(r Rates) *pace { return &pace{rates: r, rooms: map[int64]*room{}, sweepAt: sweepFrom} }

// draw returns a place in the queue. All messages of one reply share theirs,
// so that another's do not come between.
func (p *pace) draw() uint64 {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.tickets++
	return p.tickets
}

// take waits until a message may be sent to a room. A reminder does not wait
// beyond the deadline of ctx: the error is then a *adapters.Wait that says how
// long it would take.
func (p *pace) take(ctx context.Context, id int64, ticket uint64, late bool) error {
	w := &waiter{id, ticket, late, make(chan struct{})}
	p.mu.Lock()
	if deadline, ok := ctx.Deadline(); ok && late {
		if at := p.earliest(id, time.Now()); at.After(deadline) {
			p.mu.Unlock()
			return &adapters.Wait{For: time.Until(at)}
		}
	}
	i, _ := slices.BinarySearchFunc(p.queue, w, before)
	p.queue = slices.Insert(p.queue, i, w)
	p.serve()
	p.mu.Unlock()
	select {
	case <-w.ready:
		return nil
	case <-ctx.Done():
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if i := slices.Index(p.queue, w); i >= 0 {
		p.queue = slices.Delete(p.queue, i, i+1)
	}
	return ctx.Err()
}

// before orders the queue.
func before(a, b *waiter) int {
	switch {
	case a.late != b.late && b.late:
		return -1
	case a.late != b.late:
		return 1
	case a.ticket < b.ticket:
		return -1
	}
	return 1 // after those of the same ticket
}

// hold keeps everything to a room back for a while: Telegram asked for it.
func (p *pace) hold(id int64, d time.Duration) {
	p.mu.Lock()
	defer p.mu.Unlock()
	r := p.room(id)
	if until := time.Now().Add(d); until.After(r.next) {
		r.next = until
	}
}

// serve lets everybody go who may, and comes back when the next one may.
func (p *pace) serve() {
	now := time.Now()
	var next time.Time
	p.queue = slices.DeleteFunc(p.queue, func(w *waiter) bool {
		at := p.earliest(w.room, now)
		if at.After(now) {
			if next.IsZero() || at.Before(next) {
				next = at
			}
			return false
		}
		p.note(w.room, now)
		close(w.ready)
		return true
	})
	p.sweep(now)
	if p.timer != nil {
		p.timer.Stop()
	}
	if !next.IsZero() {
		p.timer = time.AfterFunc(next.Sub(now), func() {
			p.mu.Lock()
			defer p.mu.Unlock()
			p.serve()
		})
	}
}

// earliest is when the next message may go to a room.
func (p *pace) earliest(id int64, now time.Time) time.Time {
	at := now
	later := func(t time.Time) {
		if t.After(at) {
			at = t
		}
	}
	later(full(p.sent, p.rates.Second, time.Second))
	if r := p.rooms[id]; r != nil {
		later(r.next)
		later(full(r.sent, p.rates.Minute, time.Minute))
	}
	return at
}

// full is when a window that holds n has room again; zero when it has now.
func full(sent []time.Time, n int, window time.Duration) time.Time {
	if n == 0 || len(sent) < n {
		return time.Time{}
	}
	return sent[len(sent)-n].Add(window)
}

// note remembers that a message goes.
func (p *pace) note(id int64, now time.Time) {
	p.sent = remember(p.sent, now, p.rates.Second)
	r := p.room(id)
	r.next = now.Add(p.rates.Room)
	if id < 0 {
		r.sent = remember(r.sent, now, p.rates.Minute)
	}
}

func remember(sent []time.Time, now time.Time, n int) []time.Time {
	if n == 0 {
		return nil
	}
	if len(sent) == n {
		copy(sent, sent[1:])
		sent = sent[:n-1]
	}
	return append(sent, now)
}

func (p *pace) room(id int64) *room {
	r := p.rooms[id]
	if r == nil {
		r = &room{}
		p.rooms[id] = r
	}
	return r
}

// sweepFrom is how many rooms are kept at least before the quiet ones are
// dropped.
const sweepFrom = 1000

// sweep drops rooms whose past no longer limits anything, whenever they have
// doubled since the last time.
func (p *pace) sweep(now time.Time) {
	if len(p.rooms) < p.sweepAt {
		return
	}
	for id, r := range p.rooms {
		quiet := len(r.sent) == 0 || r.sent[len(r.sent)-1].Add(time.Minute).Before(now)
		if quiet && r.next.Before(now) {
			delete(p.rooms, id)
		}
	}
	p.sweepAt = max(sweepFrom, 2*len(p.rooms))
}
