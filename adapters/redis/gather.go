package redis

import (
	"context"
	"sync"

	"github.com/redis/go-redis/v9"
)

// gatherer takes commands that come at the same time to the server in one
// trip. What costs is the trip: sixteen senders that each make one take four
// times as long as one trip with sixteen commands. Nothing waits for company:
// whoever comes while a trip is under way goes with the next.
type gatherer struct {
	client redis.UniversalClient
	mu     sync.Mutex
	queue  []*passenger
	busy   int // trips under way
}

// passenger is a command on its way, and who waits for it.
type passenger struct {
	cmd  redis.Cmder
	done chan struct{}
}

const (
	tripsAtOnce = 2
	perTrip     = 128
)

// send does a command. After an error the command must not be looked at: it
// may still be under way.
func (g *gatherer) send(ctx context.Context, cmd redis.Cmder) error {
	p := &passenger{cmd, make(chan struct{})}
	g.mu.Lock()
	g.queue = append(g.queue, p)
	if g.busy < tripsAtOnce {
		g.busy++
		go g.travel()
	}
	g.mu.Unlock()
	select {
	case <-p.done:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// travel makes trips until nobody waits.
func (g *gatherer) travel() {
	for {
		g.mu.Lock()
		some := g.queue[:min(len(g.queue), perTrip)]
		g.queue = g.queue[len(some):]
		if len(some) == 0 {
			g.busy--
			g.mu.Unlock()
			return
		}
		g.mu.Unlock()
		g.trip(some)
	}
}

func (g *gatherer) trip(some []*passenger) {
	ctx := context.Background() // the client's timeouts end it
	if len(some) == 1 {
		g.client.Process(ctx, some[0].cmd)
	} else {
		g.client.Pipelined(ctx, func(on redis.Pipeliner) error {
			for _, p := range some {
				on.Process(ctx, p.cmd)
			}
			return nil
		})
	}
	for _, p := range some {
		close(p.done)
	}
}

// together is a client whose reads go with others'.
type together struct {
	redis.UniversalClient
	g *gatherer
}

// HMGet is the command of that name.
func (t together) HMGet(ctx context.Context, key string, fields ...string) *redis.SliceCmd {
	all := []any{"hmget", key}
	for _, f := range fields {
		all = append(all, f)
	}
	cmd := redis.NewSliceCmd(ctx, all...)
	if err := t.g.send(ctx, cmd); err != nil {
		cmd = redis.NewSliceCmd(ctx)
		cmd.SetErr(err)
	}
	return cmd
}

// bundler makes one call of those for reminders of one shard that come at the
// same time: what costs is the call of a script, not what it does.
type bundler struct {
	s      *Store
	what   string
	script *redis.Script // takes some arguments for each, returns a number for each
	mu     sync.Mutex
	queues map[shard][]*bundled // a shard is in it while a call is under way
}

type bundled struct {
	args []any
	done chan struct{}
	n    int64
	err  error
}

// do returns the number that the script gave for these arguments.
func (b *bundler) do(ctx context.Context, sh shard, args ...any) (int64, error) {
	if err := ctx.Err(); err != nil {
		return 0, err
	}
	one := &bundled{args: args, done: make(chan struct{})}
	b.mu.Lock()
	if b.queues == nil {
		b.queues = map[shard][]*bundled{}
	}
	_, busy := b.queues[sh]
	b.queues[sh] = append(b.queues[sh], one)
	b.mu.Unlock()
	if !busy {
		go b.work(sh)
	}
	select {
	case <-one.done:
		return one.n, one.err
	case <-ctx.Done():
		return 0, ctx.Err()
	}
}

// work makes calls until nobody waits.
func (b *bundler) work(sh shard) {
	for {
		b.mu.Lock()
		queue := b.queues[sh]
		if len(queue) == 0 {
			delete(b.queues, sh)
			b.mu.Unlock()
			return
		}
		some := queue[:min(len(queue), perTrip)]
		b.queues[sh] = queue[len(some):]
		b.mu.Unlock()
		b.call(sh, some)
	}
}

func (b *bundler) call(sh shard, some []*bundled) {
	var args []any
	for _, one := range some {
		args = append(args, one.args...)
	}
	var answers []int64
	err := b.s.do(context.Background(), b.what, func(ctx context.Context) (err error) {
		answers, err = b.s.timed(ctx, b.script, []string{sh.due(), sh.held()}, args...).Int64Slice()
		return err
	})
	for i, one := range some {
		if one.err = err; err == nil {
			one.n = answers[i]
		}
		close(one.done)
	}
}
