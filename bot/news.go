package main

import (
	"context"
	"math/rand/v2"
	"time"

	"gpuadvisor/adapters"
	"gpuadvisor/advisor"
)

// news.go lets a bell sleep until something is due. What this process does to
// the reminders it hears of at once; what another process does, it sees when it
// looks the next time. That one rings it by itself, so only when it dies before
// that does it matter how long we sleep.

// news is told that something may be due sooner than was thought.
type news chan struct{}

func newNews() news { return make(news, 1) }

func (n news) tell() {
	select {
	case n <- struct{}{}:
	default: // there is some already
	}
}

// of are reminders of whose changes there is news.
func (n news) of(r adapters.Reminders) adapters.Reminders { return overheard{r, n} }

type overheard struct {
	adapters.Reminders
	news news
}

func (o overheard) Add(ctx context.Context, r advisor.Reminder) error {
	defer o.news.tell() // after an error too: it may be there
	return o.Reminders.Add(ctx, r)
}

func (o overheard) Finish(ctx context.Context, d adapters.Due, f adapters.Fate) error {
	if f.Retry > 0 || !f.Next.IsZero() {
		defer o.news.tell()
	}
	return o.Reminders.Finish(ctx, d, f)
}

func (o overheard) Revive(ctx context.Context, room adapters.Owner, reason string, when func(advisor.Reminder) time.Time) (int, error) {
	n, err := o.Reminders.Revive(ctx, room, reason, when)
	if n > 0 || err != nil {
		o.news.tell()
	}
	return n, err
}

// rest waits after a look at what is due, until the next is. A little chance
// keeps many processes from looking at the same moment.
func (b *bell) rest(ctx context.Context, next time.Duration) {
	looked, chance := time.Now(), rand.N(50*time.Millisecond)
	t := time.NewTimer(min(next, pollEvery) + chance)
	defer t.Stop()
	select {
	case <-t.C:
	case <-ctx.Done():
	case <-b.news:
		pause(ctx, min(next, newsEvery)+chance-time.Since(looked))
	}
}
