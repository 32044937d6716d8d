package main

import (
	"context"
	"errors"
	"log/slog"
	"math/rand/v2"
	"sync"
	"time"

	"gpuadvisor/adapters"
	"gpuadvisor/advisor"
	"gpuadvisor/advisor/when"
)

// remind.go says reminders when they come due: claim, word, send, finish. Many
// processes may do this over one store. A reminder is claimed for a while, so
// that it comes due again when the process that had it dies; one that may have
// reached the chat before that says so. A repeat is better than a loss: who
// misses the time to release a machine goes on paying for it.

const (
	// lease is for how long a reminder is ours.
	lease = time.Minute
	// sendTime is how long sending may take. Less than that left of the
	// lease: somebody else will have it.
	sendTime = 10 * time.Second
	// claimed at once is what can be sent within a third of the lease at the
	// pace of the slowest chat (20 a minute in one group).
	claimAtOnce = 20
	// pollEvery is how long a reminder that another process has added waits
	// for us to notice.
	pollEvery = time.Second
	// After attempts, or overdue for giveUp, a reminder is given up.
	attempts = 8
	giveUp   = 24 * time.Hour
	// A failed one waits for backOff, doubled every time, at most backOffMost.
	backOff     = 5 * time.Second
	backOffMost = 10 * time.Minute
	// elsewhere is how long one waits for a process that serves its chat.
	elsewhere = 30 * time.Second
)

// bell rings reminders.
type bell struct {
	reminders adapters.Reminders
	store     adapters.Conversations          // tells the language
	profiles  *profiles                       // likewise; nil: nothing is kept
	chat      func(advisor.Key) adapters.Chat // nil: we do not serve it
	word      func(d adapters.Due, lang string) advisor.Reply
	lang      string // of whom nothing tells it
	log       *slog.Logger
}

// ring rings until ctx ends.
func (b *bell) ring(ctx context.Context) {
	for failed := 0; ctx.Err() == nil; {
		due, next, err := b.reminders.Claim(ctx, claimAtOnce, lease)
		if err != nil {
			if ctx.Err() == nil {
				b.log.Error("claim reminders", "err", err)
			}
			failed++
			pause(ctx, min(time.Duration(failed)*time.Second, 5*time.Second))
			continue
		}
		failed = 0
		b.all(ctx, due)
		if len(due) < claimAtOnce {
			pause(ctx, min(next, pollEvery)+rand.N(50*time.Millisecond))
		}
	}
}

// all rings some side by side: one chat that hangs delays no other.
func (b *bell) all(ctx context.Context, due []adapters.Due) {
	var work sync.WaitGroup
	for _, d := range due {
		work.Go(func() { b.one(ctx, d) })
	}
	work.Wait()
}

func (b *bell) one(ctx context.Context, d adapters.Due) {
	fate := adapters.Fate{Retry: elsewhere, Free: true}
	if chat := b.chat(d.Reminder.Key); chat != nil {
		if err := b.reminders.Begin(ctx, d, sendTime); err != nil {
			b.lost("begin reminder", err)
			return
		}
		err := b.send(ctx, chat, d)
		if err == nil {
			b.copy(ctx, d.Reminder)
		}
		fate = b.fate(d, err)
	}
	// What was sent is noted even while we are told to stop.
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), sendTime)
	defer cancel()
	if err := b.reminders.Finish(ctx, d, fate); err != nil {
		b.lost("finish reminder", err)
	}
}

// copy keeps what was said, for whoever wants to be told again later.
func (b *bell) copy(ctx context.Context, r advisor.Reminder) {
	if err := b.profiles.rang(ctx, r); err != nil {
		b.log.Warn("keep a copy of a reminder", "err", err)
	}
}

func (b *bell) send(ctx context.Context, chat adapters.Chat, d adapters.Due) error {
	ctx, cancel := context.WithTimeout(ctx, sendTime)
	defer cancel()
	return chat.Send(ctx, d.Reminder.Key, b.word(d, b.language(ctx, d.Reminder.Key)))
}

// language is that of the person, else of their last conversation.
func (b *bell) language(ctx context.Context, k advisor.Key) string {
	if b.profiles != nil {
		if own, err := b.profiles.get(ctx, adapters.Person(k)); err == nil && own.Lang != "" {
			return own.Lang
		}
	}
	if c, err := b.store.Load(ctx, k); err == nil && c.Lang != "" {
		return c.Lang
	}
	return b.lang
}

// wording words reminders the way the advisor does.
func wording(a *advisor.Advisor) func(adapters.Due, string) advisor.Reply {
	return func(d adapters.Due, lang string) advisor.Reply {
		return a.Due(d.Reminder, lang, d.Reminder.At.Add(d.Late), d.Reached)
	}
}

// fate is what becomes of a reminder that was sent, or was not.
func (b *bell) fate(d adapters.Due, err error) adapters.Fate {
	var asked *adapters.Wait
	switch {
	case err == nil:
		return adapters.Fate{Next: following(d.Reminder, d.Reminder.At.Add(d.Late))}
	case errors.As(err, &asked):
		return adapters.Fate{Retry: max(asked.For, time.Second), Free: true}
	}
	b.log.Warn("send reminder", "attempt", d.Attempt, "err", err)
	switch {
	case errors.Is(err, adapters.ErrGone):
		return adapters.Fate{Dead: "gone"}
	case d.Attempt >= attempts, d.Late > giveUp:
		return adapters.Fate{Dead: "undeliverable"}
	}
	wait := min(backOff<<min(d.Attempt-1, 10), backOffMost)
	return adapters.Fate{Retry: wait/2 + rand.N(wait)}
}

func (b *bell) lost(what string, err error) {
	if errors.Is(err, adapters.ErrLost) {
		b.log.Info(what, "err", err)
		return
	}
	b.log.Error(what, "err", err)
}

// following is when a recurring reminder is due again after now, by the wall
// clock of its zone; zero for one that is not recurring. What was missed in
// between stays missed.
func following(r advisor.Reminder, now time.Time) time.Time {
	zone, err := loadZone(r.Zone)
	if err != nil {
		zone = time.UTC
	}
	next, ok := r.At, r.RRule != ""
	for ok && !next.After(now) {
		next, ok = when.Next(r.RRule, next, zone)
	}
	if !ok {
		return time.Time{}
	}
	return next
}

// pause waits, or until ctx ends.
func pause(ctx context.Context, d time.Duration) {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
	case <-ctx.Done():
	}
}
