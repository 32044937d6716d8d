package telegram

import (
	"context"
	"encoding/json"
	"errors"
	"maps"
	"slices"
	"time"

	"github.com/go-telegram/bot"

	"gpuadvisor/adapters"
)

// poll.go asks Telegram for updates. Telegram forgets those below the offset
// that we name, so the offset stays at the first that is not dealt with, and
// until it is, the same ones come again and are known by their numbers.

const (
	// longest is how long a question for updates may stay open.
	longest = 50 * time.Second
	// batch is how many updates come at once, 100 at most.
	batch = 100
	// While some are not dealt with, or Telegram answers at once with nothing
	// new, we look for more after soonest, and ever later up to latest.
	soonest = 20 * time.Millisecond
	latest  = 500 * time.Millisecond
)

// glance is how long to wait after so many looks that found nothing new.
func glance(looks int) time.Duration { return min(soonest<<min(looks, 10), latest) }

// wanted are the updates that we ask for.
var wanted = []string{"message", "edited_message", "callback_query", "inline_query", "my_chat_member"}

// poll serves until ctx ends.
func (c *Chat) poll(ctx context.Context, handle adapters.Handler) error {
	err := c.insist(ctx, "switch the webhook off", func(ctx context.Context) error {
		_, err := c.api.DeleteWebhook(ctx, &bot.DeleteWebhookParams{})
		return err
	})
	if err != nil || ctx.Err() != nil {
		return err
	}
	c.ready.Store(true) // as far as we know; the first question may stay open for long
	defer c.ready.Store(false)
	w := window{tasks: map[int64]*task{}}
	closeIntake := c.intake.open(ctx, handle)
	err = c.askAgain(ctx, &w)
	closeIntake()
	c.confirm(&w)
	return err
}

// askAgain asks for updates until ctx ends or the token is refused.
func (c *Chat) askAgain(ctx context.Context, w *window) error {
	for failed, looks := 0, 0; ctx.Err() == nil; {
		wait := longest
		if w.settle(); w.busy() || failed > 0 { // after a failure, learn soon whether it is over
			wait = 0
		}
		asked := time.Now()
		got, err := c.web.getUpdates(ctx, w.offset(), batch, wait)
		switch {
		case ctx.Err() != nil:
		case refused(err):
			return ErrToken
		case err != nil:
			c.ready.Store(false)
			c.pause(ctx, err, failed)
			failed++
		default:
			c.ready.Store(true)
			failed = 0
			if looks++; c.admit(ctx, w, got) > 0 || wait > 0 && time.Since(asked) > latest {
				looks = 0
			}
			if looks > 0 && !w.busy() {
				sleep(ctx, glance(looks))
			}
			w.wait(ctx, glance(looks))
		}
	}
	return nil
}

// pause waits after a question that failed.
func (c *Chat) pause(ctx context.Context, err error, failed int) {
	wait := c.patience(err, failed)
	what := "telegram: no updates"
	if errors.Is(err, bot.ErrorConflict) {
		what = "telegram: another program polls with this token, or set a webhook; only one may"
	}
	c.log.Warn(what, "err", c.secrets.Error(err), "again", wait)
	sleep(ctx, wait)
}

// admit starts the updates that are not known yet, and waits for room for
// them. It returns how many there were.
func (c *Chat) admit(ctx context.Context, w *window, got []json.RawMessage) (fresh int) {
	for _, raw := range got {
		if w.knows(number(raw)) {
			continue
		}
		u, ok := c.decode(raw)
		if !ok {
			continue
		}
		t := c.take(u)
		for t == nil && ctx.Err() == nil {
			sleep(ctx, soonest)
			t = c.take(u)
		}
		if t == nil {
			return fresh
		}
		w.add(t)
		fresh++
	}
	return fresh
}

// confirm tells Telegram what is dealt with, lest it come again.
func (c *Chat) confirm(w *window) {
	w.settle()
	if w.next == 0 {
		return
	}
	ctx, cancel := context.WithTimeout(context.Background(), graceTime)
	defer cancel()
	if _, err := c.web.getUpdates(ctx, w.offset(), 1, 0); err != nil {
		c.log.Warn("telegram: the last updates are not confirmed and will come again", "err", c.secrets.Error(err))
	}
}

// window is what Telegram still keeps for us, as far as we have seen it. Only
// poll touches it.
type window struct {
	tasks map[int64]*task // by update id
	next  int64           // one more than the last that came; 0 before any
}

func (w *window) knows(id int64) bool { return w.tasks[id] != nil }

func (w *window) add(t *task) {
	w.tasks[t.update.ID] = t
	w.next = t.update.ID + 1
}

// offset is the first update that is not dealt with, or the next to come.
func (w *window) offset() int64 {
	offset := w.next
	for id := range w.tasks {
		offset = min(offset, id)
	}
	return offset
}

// settle drops what is dealt with, from the front. When the window is full of
// updates behind a committed one whose answer waits for its turn to be sent
// (a group that is over its limit), that one no longer holds up the others: it
// would be lost only if the program were killed before it is sent.
func (w *window) settle() {
	crowded := len(w.tasks) >= batch
	for _, id := range slices.Sorted(maps.Keys(w.tasks)) {
		t := w.tasks[id]
		done := t.isOver() && !t.undone
		if !done && !(crowded && t.committed.Load()) {
			return
		}
		delete(w.tasks, id)
	}
}

// busy reports whether something is not dealt with.
func (w *window) busy() bool {
	for _, t := range w.tasks {
		if !t.isOver() {
			return true
		}
	}
	return false
}

// wait waits until everything is dealt with, at most d.
func (w *window) wait(ctx context.Context, d time.Duration) {
	limit := time.NewTimer(d)
	defer limit.Stop()
	for _, t := range w.tasks {
		select {
		case <-t.over:
		case <-limit.C:
			return
		case <-ctx.Done():
			return
		}
	}
}
