package redis

import (
	"context"
	"sync"

	"github.com/redis/go-redis/v9"
)

// gatherer takes commands that come at the same time to the server in one
// trip. What costs is the trip: sixteen senders that each make one take four
// times as long as one trip with sixteen commands. Nothing waits for company:
// whoever comes while trips are under way goes with the next.
type gatherer struct {
	client redis.UniversalClient
	mu     sync.Mutex
	nodes  map[string]*queue // by the server that they go to
}

// queue is what waits for a trip to a server. It does not get longer because
// another server is slow.
type queue struct {
	waiting []*passenger
	busy    int // trips under way
}

// passenger is a command on its way, and who waits for it.
type passenger struct {
	cmd  redis.Cmder
	done chan struct{}
}

const (
	tripsAtOnce = 4
	perTrip     = 128
)

// send does a command for a key and returns its error. After an error of the
// context the command must not be looked at: it may still be under way.
func (g *gatherer) send(ctx context.Context, key string, cmd redis.Cmder) error {
	node := g.node(ctx, key)
	g.mu.Lock()
	q := g.nodes[node]
	if q == nil {
		q = &queue{}
		g.nodes[node] = q
	}
	if q.busy < tripsAtOnce {
		q.busy++
		g.mu.Unlock()
		g.client.Process(ctx, cmd)
		g.back(q)
		return cmd.Err()
	}
	p := &passenger{cmd, make(chan struct{})}
	q.waiting = append(q.waiting, p)
	g.mu.Unlock()
	select {
	case <-p.done:
		return cmd.Err()
	case <-ctx.Done():
		return ctx.Err()
	}
}

// node names the server that a key lies on, of a Cluster.
func (g *gatherer) node(ctx context.Context, key string) string {
	if c, ok := g.client.(*redis.ClusterClient); ok {
		if node, err := c.MasterForKey(ctx, key); err == nil {
			return node.Options().Addr
		}
	}
	return ""
}

// back ends a trip and lets the next begin.
func (g *gatherer) back(q *queue) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if len(q.waiting) > 0 {
		go g.travel(q)
	} else {
		q.busy--
	}
}

// travel makes a trip with those who wait.
func (g *gatherer) travel(q *queue) {
	g.mu.Lock()
	some := q.waiting[:min(len(q.waiting), perTrip)]
	q.waiting = q.waiting[len(some):]
	g.mu.Unlock()
	ctx := context.Background() // the client's timeouts end it
	g.client.Pipelined(ctx, func(on redis.Pipeliner) error {
		for _, p := range some {
			on.Process(ctx, p.cmd)
		}
		return nil
	})
	for _, p := range some {
		close(p.done)
	}
	g.back(q)
}

// gathered does a command together with those of others.
func (s *Store) gathered(ctx context.Context, key string, args ...any) *redis.Cmd {
	cmd := redis.NewCmd(ctx, args...)
	if err := s.gather.send(ctx, key, cmd); err != nil && ctx.Err() != nil {
		cmd = redis.NewCmd(ctx)
		cmd.SetErr(err)
	}
	return cmd
}

// gatheredFields reads fields of a hash together with what others do.
func (s *Store) gatheredFields(ctx context.Context, key string, fields ...string) ([]any, error) {
	args := []any{"hmget", key}
	for _, f := range fields {
		args = append(args, f)
	}
	return s.gathered(ctx, key, args...).Slice()
}

// gatheredScript runs a script together with what others do.
func (s *Store) gatheredScript(ctx context.Context, script *redis.Script, key string, args ...any) *redis.Cmd {
	cmd := s.gathered(ctx, key, append([]any{"evalsha", script.Hash(), 1, key}, args...)...)
	if redis.HasErrorPrefix(cmd.Err(), "NOSCRIPT") {
		return script.Eval(ctx, s.client, []string{key}, args...)
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
