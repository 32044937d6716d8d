package telegram

import (
	"context"
	"encoding/json"
	"fmt"
	"runtime"
	"runtime/debug"
	"strconv"
	"sync"
	"sync/atomic"
	"time"

	"gpuadvisor/adapters"
	"gpuadvisor/advisor"
)

// intake.go takes updates from either door. Its promises:
//
//   - updates of one conversation are treated one at a time, in the order in
//     which they came; those of different ones side by side, atOnce at most,
//     not counting answers that wait to be sent;
//   - the door learns when an update is dealt with: its turn committed and
//     its answer sent, or given up for good. Only then may Telegram forget it;
//   - no update can stop the house, whatever it holds.

const (
	// atOnce is how many updates are treated side by side.
	atOnce = 64
	// inside is how many updates may be inside, treated or waiting. Beyond it
	// the doors let Telegram keep them.
	inside = 1000
	// graceTime is how long updates inside may take after we are told to stop.
	// What is not done then comes again at the next start.
	graceTime = 5 * time.Second
)

// intake is what happens between the door and the desk.
type intake struct {
	slots chan struct{}
	grace time.Duration
	count atomic.Int64 // inside
	work  sync.WaitGroup

	mu     sync.Mutex
	lanes  map[advisor.Key]*task // the last one of each conversation
	ctx    context.Context       // of those inside; nil: closed
	handle adapters.Handler
}

// task is one update inside.
type task struct {
	update    update
	lane      advisor.Key
	before    *task         // of the same conversation
	over      chan struct{} // closed when it left
	committed atomic.Bool   // its turn is committed; the answer is being sent
	leave     func()        // gives its place at work to another; safe to call twice
	undone    bool          // left because we stop; read after over
}

func newIntake() *intake {
	return &intake{slots: make(chan struct{}, atOnce), grace: graceTime, lanes: map[advisor.Key]*task{}}
}

// open lets updates in until close. Those inside outlive ctx by grace.
func (in *intake) open(ctx context.Context, handle adapters.Handler) (close func()) {
	work, cancel := context.WithCancel(context.WithoutCancel(ctx))
	in.mu.Lock()
	in.ctx, in.handle = work, handle
	in.mu.Unlock()
	return func() {
		in.mu.Lock()
		in.ctx = nil
		in.mu.Unlock()
		timer := time.AfterFunc(in.grace, cancel)
		in.work.Wait()
		timer.Stop()
		cancel()
	}
}

// take starts an update. It is nil when the house is closed or full.
func (c *Chat) take(u update) *task {
	in := c.intake
	in.mu.Lock()
	defer in.mu.Unlock()
	if in.ctx == nil || in.count.Load() >= inside {
		return nil
	}
	c.counts.updates.Add(1)
	t := &task{update: u, lane: c.lane(u), over: make(chan struct{})}
	t.before = in.lanes[t.lane]
	in.lanes[t.lane] = t
	in.count.Add(1)
	ctx, handle := in.ctx, in.handle
	in.work.Go(func() { c.run(ctx, t, handle) })
	return t
}

func (c *Chat) run(ctx context.Context, t *task, handle adapters.Handler) {
	in := c.intake
	defer func() {
		in.mu.Lock()
		if in.lanes[t.lane] == t {
			delete(in.lanes, t.lane)
		}
		in.mu.Unlock()
		in.count.Add(-1)
		close(t.over)
	}()
	if t.before != nil {
		<-t.before.over
		t.before = nil // or the whole lane stays in memory
	}
	in.slots <- struct{}{}
	t.leave = sync.OnceFunc(func() { <-in.slots })
	defer t.leave()
	if ctx.Err() == nil {
		c.guard(t, func() { c.treat(ctx, t, handle) })
	}
	t.undone = ctx.Err() != nil
}

// guard keeps a panic over an update of a stranger from ending the program.
// The desk has its own; this one is for the door. What was said in a panic is
// not logged, unless it came from Go itself: it may quote a person.
func (c *Chat) guard(t *task, f func()) {
	defer func() {
		if p := recover(); p != nil {
			c.counts.poison.Add(1)
			what := fmt.Sprintf("a %T", p)
			if err, ok := p.(runtime.Error); ok {
				what = c.secrets.Hide(err.Error())
			}
			c.log.Error("telegram: recovered at the door", "update", t.update.ID, "panic", what, "stack", string(debug.Stack()))
		}
	}()
	f()
}

// isOver reports whether the update has left.
func (t *task) isOver() bool {
	select {
	case <-t.over:
		return true
	default:
		return false
	}
}

// lane is what orders an update: the conversation that it belongs to.
func (c *Chat) lane(u update) advisor.Key {
	switch {
	case u.Message != nil:
		return c.keyOf(u.Message)
	case u.Edited != nil:
		return c.keyOf(u.Edited)
	case u.Press != nil && u.Press.Message != nil:
		if b, ok := readButton(u.Press.Data); ok {
			return c.key(u.Press.Message.Chat.ID, b.thread, b.asker)
		}
		return c.key(u.Press.Message.Chat.ID, 0, u.Press.From.ID)
	case u.Inline != nil:
		return c.inlineKey(u.Inline.From.ID)
	}
	return advisor.Key("update:" + strconv.FormatInt(u.ID, 10))
}

// treat deals with one update.
func (c *Chat) treat(ctx context.Context, t *task, handle adapters.Handler) {
	handle = c.noting(t, handle)
	switch u := t.update; {
	case u.Message != nil:
		c.hear(ctx, u.ID, u.Message, handle)
	case u.Edited != nil:
		c.hearAgain(ctx, u.ID, u.Edited, handle)
	case u.Press != nil:
		c.tapped(ctx, u.ID, u.Press, handle)
	case u.Inline != nil:
		c.typed(ctx, u.ID, u.Inline, handle)
	case u.Member != nil:
		c.joined(u.Member)
	}
}

// noting marks the turn committed when the desk wants its reply sent: that is
// the order of things at the desk.
func (c *Chat) noting(t *task, handle adapters.Handler) adapters.Handler {
	return func(ctx context.Context, m advisor.Message, respond adapters.Respond) {
		handle(ctx, m, func(ctx context.Context, r advisor.Reply) error {
			t.committed.Store(true)
			t.leave()
			return respond(ctx, r)
		})
	}
}

// decode reads an update. One that we cannot read is counted, and has nothing
// but its number; ok is false when it has none.
func (c *Chat) decode(raw json.RawMessage) (u update, ok bool) {
	if err := json.Unmarshal(raw, &u); err != nil || u.ID == 0 {
		u = update{ID: number(raw)}
		c.counts.poison.Add(1)
		c.log.Warn("telegram: passed over an update that cannot be read", "update", u.ID)
	}
	return u, u.ID != 0
}

// number is the update_id of an update, 0 for none.
func number(raw json.RawMessage) int64 {
	var u struct {
		ID int64 `json:"update_id"`
	}
	json.Unmarshal(raw, &u) // whatever else is wrong with it
	return u.ID
}
