package main

import (
	"cmp"
	"context"
	"errors"
	"log/slog"
	"math/rand/v2"
	"sync"
	"sync/atomic"
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
	// beginEarly is how long before it is sent a reminder may begin.
	beginEarly = time.Second
	// senders is how many reminders of one chat are sent side by side. More may
	// wait for them, but no more than are sent within a third of the lease.
	senders = 16
	// pollEvery is how long a reminder that another process has added, and has
	// not rung itself, waits for us to notice.
	pollEvery = 5 * time.Second
	// newsEvery is how often news make us look: some are of every turn.
	newsEvery = time.Second
	// stallTime without a look at what is due: something is wrong with us.
	stallTime = 30 * time.Second
	// After attempts, or overdue for giveUp, a reminder is given up.
	attempts = 8
	giveUp   = 24 * time.Hour
	// A failed one waits for backOff, doubled every time, at most backOffMost.
	backOff     = 5 * time.Second
	backOffMost = 10 * time.Minute
	// elsewhere is how long one waits for a process that serves its chat, and
	// crowded how long for a chat that has enough to send.
	elsewhere = 30 * time.Second
	crowded   = 2 * time.Second
)

// bell rings reminders.
type bell struct {
	reminders adapters.Reminders
	news      news                            // of what this process did to them; nil: there are none
	store     adapters.Conversations          // tells the language
	profiles  *profiles                       // likewise; nil: nothing is kept
	chat      func(advisor.Key) adapters.Chat // nil: we do not serve it
	served    func() []string                 // names of the chats that we serve; nil: of one
	word      func(d adapters.Due, lang string) advisor.Reply
	lang      string // of whom nothing tells it
	log       *slog.Logger
	lease     time.Duration // of a claim; 0: lease
	sendTime  time.Duration // of one reminder; 0: sendTime

	looked atomic.Int64 // when we last looked what is due, Unix ns
	rooms  rooms
	lanes  lanes
	copies chan advisor.Reminder // of what was said
}

// ring rings until ctx ends, and then until what is being sent is sent.
func (b *bell) ring(ctx context.Context) {
	b.lease, b.sendTime = cmp.Or(b.lease, lease), cmp.Or(b.sendTime, sendTime)
	b.copies = make(chan advisor.Reminder, manyCopies)
	var copying sync.WaitGroup
	copying.Go(func() { b.copyAll(context.WithoutCancel(ctx)) })
	defer func() {
		b.lanes.wait()
		close(b.copies)
		copying.Wait()
	}()
	if b.served != nil {
		b.lanes.expect(b.served())
	}
	b.looked.Store(time.Now().UnixNano())
	for failed := 0; ctx.Err() == nil; {
		n := b.lanes.free(ctx)
		due, next, err := b.reminders.Claim(ctx, n, b.lease)
		if err != nil {
			if ctx.Err() == nil {
				b.log.Error("claim reminders", "err", err)
			}
			failed++
			pause(ctx, min(time.Duration(failed)*time.Second, 5*time.Second))
			continue
		}
		failed = 0
		b.looked.Store(time.Now().UnixNano())
		turnedAway := false
		for _, d := range due {
			turnedAway = !b.start(ctx, d) || turnedAway
		}
		switch {
		case len(due) < n:
			b.rest(ctx, next)
		case turnedAway:
			pause(ctx, 20*time.Millisecond)
		}
	}
}

// stalled tells whether reminders have stopped ringing that once did.
func (b *bell) stalled() bool {
	looked := b.looked.Load()
	return looked != 0 && time.Since(time.Unix(0, looked)) > stallTime
}

// start sends a reminder in the lane of its chat. One for which there is no
// place comes back soon, to us or to another process.
func (b *bell) start(ctx context.Context, d adapters.Due) bool {
	if b.lanes.enter(chatName(d.Reminder.Key), func(in *lane) { b.one(ctx, in, d) }) {
		return true
	}
	b.lanes.Go(func() { b.finish(ctx, d, adapters.Fate{Retry: crowded, Free: true}) })
	return false
}

func (b *bell) one(ctx context.Context, in *lane, d adapters.Due) {
	chat := b.chat(d.Reminder.Key)
	if chat == nil {
		b.finish(ctx, d, adapters.Fate{Retry: elsewhere, Free: true})
		return
	}
	// While the chat is quick, all that wait for their turn begin in one trip to
	// the store. While it is slow, each begins when it is its turn: what began
	// and was not sent may be said to be a repeat later.
	begin := func() error { return b.reminders.Begin(ctx, d, b.sendTime+beginEarly) }
	var begun, sent error
	var at time.Time
	if b.lanes.quick(in) {
		at, begun = time.Now(), begin()
	}
	lang := ""
	if begun == nil {
		lang = b.language(ctx, d.Reminder.Key)
		d.Reminder.About, sent = b.profiles.about(ctx, d.Reminder)
	}
	if begun == nil && sent == nil {
		b.lanes.send(in, func() {
			for begun == nil && time.Since(at) > beginEarly { // whatever held us up
				at, begun = time.Now(), begin()
			}
			if begun == nil {
				sent = b.send(ctx, chat, d, lang)
			}
		})
	}
	if begun != nil {
		b.lost("begin reminder", begun)
		if ctx.Err() != nil {
			b.finish(ctx, d, adapters.Fate{Retry: time.Millisecond, Free: true}) // for whoever goes on
		}
		return
	}
	b.finish(ctx, d, b.fate(d, sent))
	if sent == nil {
		b.copies <- d.Reminder
	}
}

func (b *bell) finish(ctx context.Context, d adapters.Due, fate adapters.Fate) {
	// What was sent is noted even while we are told to stop.
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), sendTime)
	defer cancel()
	if err := b.reminders.Finish(ctx, d, fate); err != nil {
		b.lost("finish reminder", err)
	}
	if fate.Dead == gone {
		b.gone(ctx, adapters.Room(d.Reminder.Key))
	}
}

// manyCopies is how many copies may wait to be made.
const manyCopies = 10_000

// copyAll keeps copies of what was said, for whoever wants to be told again
// later. It makes one after the other: no reminder is late because of a copy of
// another.
func (b *bell) copyAll(ctx context.Context) {
	for r := range b.copies {
		ctx, cancel := context.WithTimeout(ctx, sendTime)
		if err := b.profiles.rang(ctx, r); err != nil {
			b.log.Warn("keep a copy of a reminder", "err", err)
		}
		cancel()
	}
}

func (b *bell) send(ctx context.Context, chat adapters.Chat, d adapters.Due, lang string) error {
	ctx, cancel := outlive(ctx, b.sendTime)
	defer cancel()
	var reply advisor.Reply
	if err := guard(func() { reply = b.word(d, lang) }); err != nil {
		return err
	}
	if reply.Act == "ignore" { // of a machine that is given back there is nothing to say
		return nil
	}
	return chat.Send(ctx, d.Reminder.Key, reply)
}

// lastWords is how long a reminder that is being sent may still take when we
// are told to stop: one that is cut off may have arrived, and comes again.
const lastWords = 3 * time.Second

// outlive is a context that ends after a while, or lastWords after ctx.
func outlive(ctx context.Context, most time.Duration) (context.Context, context.CancelFunc) {
	longer, cancel := context.WithTimeout(context.WithoutCancel(ctx), most)
	stop := context.AfterFunc(ctx, func() { time.AfterFunc(lastWords, cancel) })
	return longer, func() { stop(); cancel() }
}

// language is that of the person, else of their last conversation. It looks
// for both at the same time: each takes a trip to the store.
func (b *bell) language(ctx context.Context, k advisor.Key) string {
	last := make(chan string, 1)
	go func() {
		c, _ := b.store.Load(ctx, k)
		last <- c.Lang
	}()
	var own stored
	if b.profiles != nil {
		own, _ = b.profiles.get(ctx, adapters.Person(k))
	}
	return cmp.Or(own.Lang, <-last, b.lang)
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
		return adapters.Fate{Dead: gone}
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
// clock of its zone, or that of a machine that should be given back by now; zero
// for one that is not recurring. What was missed in between stays missed.
func following(r advisor.Reminder, now time.Time) time.Time {
	if r.About != nil {
		return r.About.Repeat(r, now)
	}
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
