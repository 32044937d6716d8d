// Package redis keeps everything in a Redis: one server, a primary that
// Sentinels watch, or a Cluster. It is the store of a bot that runs as several
// processes, which need nothing else in common.
//
// Everything that must happen as one step is one script (folder lua, with the
// layout in keys.go), and every script may run twice: when the answer to it
// was lost, the client asks again and the script finds that it has been done.
// A message id is looked up before the version is compared for that reason.
//
// A Redis that does not answer is asked again for some seconds, which carries
// a turn over a restart or a failover; after that the error is
// adapters.ErrUnavailable. What a primary acknowledged can still be lost when
// it dies before its replica has it. For a conversation that is accepted, the
// turn is then played on the state before; for a reminder it is not, so Add
// waits for a replica where there is one.
//
// The Redis should persist (appendonly yes) and must not evict
// (maxmemory-policy noeviction): Warnings tells. With appendfsync everysec, the
// default, a kill loses nothing as long as the disk keeps up, and up to two
// seconds when it does not; appendfsync always loses nothing and is slower.
package redis

import (
	"context"
	"crypto/tls"
	"embed"
	"errors"
	"fmt"
	"math/rand/v2"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/redis/go-redis/v9"
	"github.com/redis/go-redis/v9/logging"

	"gpuadvisor/adapters"
)

// Store is an adapters.Store.
type Store struct {
	client   redis.UniversalClient
	gather   *gatherer // of what many do at the same time
	begins   bundler
	dones    bundler
	secrets  []string
	patience time.Duration
	shards   int // of the reminders, as this Redis was set up
	clock    func() time.Time

	told atomic.Bool // scripts may not ask for the time: tell them
	mu   sync.Mutex
	seen struct{ server, local time.Time } // the server's time when last asked

	mended struct {
		at   time.Time
		next int // of all groups of buckets
	}
}

var _ adapters.Store = (*Store)(nil)

// patience is how long a call goes on asking a Redis that does not answer. A
// failover takes 3 to 5 seconds.
const patience = 6 * time.Second

// Open connects to the Redis that the URL names (see url.go) and checks that
// what it holds is ours.
func Open(ctx context.Context, url string) (*Store, error) {
	t, err := parse(url)
	if err != nil {
		return nil, err
	}
	logging.Disable() // it prints a line per failed dial, whatever we do about it
	s := &Store{client: redis.NewUniversalClient(&t.options), secrets: t.secrets, patience: patience}
	s.gather = &gatherer{client: s.client, nodes: map[string]*queue{}}
	s.begins = bundler{s: s, what: "begin sending reminders", script: beginScript}
	s.dones = bundler{s: s, what: "finish reminders", script: doneScript}
	s.mended.next = rand.IntN(1 << 20) // no two processes look at the same place
	if err := s.check(ctx); err != nil {
		return nil, errors.Join(fmt.Errorf("redis %s: %w", strings.Join(t.options.Addrs, ","), err), s.client.Close())
	}
	return s, nil
}

// Conversations implements adapters.Store.
func (s *Store) Conversations() adapters.Conversations { return conversations{s} }

// Settings implements adapters.Store.
func (s *Store) Settings() adapters.Settings { return settings{s} }

// Reminders implements adapters.Store.
func (s *Store) Reminders() adapters.Reminders { return reminders{s} }

// Ping implements adapters.Store. It asks once.
func (s *Store) Ping(ctx context.Context) error {
	if err := s.client.Ping(ctx).Err(); err != nil {
		return s.explain(ctx, "ping", err)
	}
	return nil
}

// Close implements adapters.Store.
func (s *Store) Close() error { return s.client.Close() }

// Warnings says what about this Redis could lose data, in sentences for
// whoever runs it. What it does not tell is not warned of.
func (s *Store) Warnings(ctx context.Context) []string {
	info, err := s.client.Info(ctx).Result()
	if err != nil {
		return nil
	}
	var list []string
	for line := range strings.Lines(info) {
		name, value, _ := strings.Cut(strings.TrimSpace(line), ":")
		switch {
		case name == "maxmemory_policy" && value != "noeviction":
			list = append(list, "Redis drops keys when its memory is full (maxmemory-policy "+value+"): set noeviction, or reminders can vanish")
		case name == "aof_enabled" && value == "0":
			list = append(list, "Redis does not write an append-only file: a crash loses what came after its last snapshot; set appendonly yes")
		}
	}
	return list
}

// Rights is what a user of the URL must be allowed to do, as ACL SETUSER has
// it: with our keys everything, of the server its time and how it is set up.
const Rights = "~gb:* +@read +@write +@scripting +@connection +info +time +wait +cluster|slots +cluster|shards"

//go:embed lua
var lua embed.FS

// script is the given files, one after the other.
func script(names ...string) *redis.Script {
	var all strings.Builder
	for _, n := range names {
		text, err := lua.ReadFile("lua/" + n + ".lua")
		if err != nil {
			panic(err) // it is part of the program
		}
		all.Write(text)
	}
	return redis.NewScript(all.String())
}

var (
	metaScript    = script("meta")
	commitScript  = script("commit")
	forgetScript  = script("forget")
	putScript     = script("now", "record", "put")
	recordsScript = script("now", "record", "records")
	clearScript   = script("record", "clear")
	addScript     = script("now", "book", "add")
	cancelScript  = script("now", "book", "cancel")
	listScript    = script("now", "book", "list")
	roomScript    = script("now", "book", "room")
	claimScript   = script("now", "book", "claim")
	beginScript   = script("now", "book", "begin")
	doneScript    = script("now", "book", "done")
	finishScript  = script("now", "book", "finish")
	deadScript    = script("now", "book", "dead")
	eraseScript   = script("now", "book", "erase")
	reviveScript  = script("now", "book", "revive")
	mendScript    = script("now", "book", "mend")

	restoreRecordScript   = script("now", "record", "restore_record")
	restoreReminderScript = script("now", "book", "restore_reminder")
)

// do makes a call. While Redis cannot be reached it makes it again, until the
// store's patience or the context ends; so a call must be one that may be made
// twice. what names the call in errors.
func (s *Store) do(ctx context.Context, what string, call func(context.Context) error) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	start := time.Now()
	err := call(ctx) // within the client's own timeouts
	if err == nil {
		return nil
	}
	within, cancel := context.WithDeadline(ctx, start.Add(s.patience))
	defer cancel()
	for pause := 20 * time.Millisecond; transient(err); pause = min(2*pause, 500*time.Millisecond) {
		if c, ok := s.client.(*redis.ClusterClient); ok {
			c.ReloadState(ctx) // it asks for the new primaries once a minute otherwise
		}
		select {
		case <-within.Done():
			return s.explain(ctx, what, err)
		case <-time.After(pause):
		}
		if err = call(within); err == nil {
			return nil
		}
	}
	return s.explain(ctx, what, err)
}

// timed runs a script whose first argument is the time: empty when it can ask
// the server itself.
func (s *Store) timed(ctx context.Context, script *redis.Script, keys []string, args ...any) *redis.Cmd {
	args = append([]any{s.tell(ctx)}, args...)
	cmd := script.Run(ctx, s.client, keys, args...)
	if redis.HasErrorPrefix(cmd.Err(), "NOTIME") && !s.told.Swap(true) {
		args[0] = s.tell(ctx)
		return script.Run(ctx, s.client, keys, args...)
	}
	return cmd
}

// tell is the time to give to a script, in ms.
func (s *Store) tell(ctx context.Context) string {
	if s.clock == nil && !s.told.Load() {
		return ""
	}
	return strconv.FormatInt(s.serverTime(ctx).UnixMilli(), 10)
}

// askEvery is how often the server is asked for its time. In between the
// distance to it counts, by a clock that nobody sets.
const askEvery = 10 * time.Second

// serverTime is the server's time, nearly: for looking whether anything may be
// due, and for scripts that cannot ask.
func (s *Store) serverTime(ctx context.Context) time.Time {
	if s.clock != nil {
		return s.clock()
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.seen.local.IsZero() || time.Since(s.seen.local) > askEvery {
		if t, err := s.client.Time(ctx).Result(); err == nil {
			s.seen.server, s.seen.local = t, time.Now()
		}
	}
	if s.seen.local.IsZero() {
		return time.Now() // not even that is allowed
	}
	return s.seen.server.Add(time.Since(s.seen.local))
}

// failure is an error of a call. It holds no other error, only its text
// without secrets: what the client says may repeat what it sent.
type failure struct {
	text string
	kind error
}

func (f *failure) Error() string { return f.text }
func (f *failure) Unwrap() error { return f.kind }

// explain says what an error means, for the caller and for whoever runs this.
func (s *Store) explain(ctx context.Context, what string, err error) error {
	if ctx.Err() != nil {
		return fmt.Errorf("%s: %w", what, ctx.Err())
	}
	text := s.clean(err.Error())
	switch {
	case says(err, "FOREIGN", "WRONGTYPE"):
		return fmt.Errorf("%s: what lies under our keys was %w; it was left as it is", what, adapters.ErrForeign)
	case transient(err), says(err, "OOM", "MISCONF"):
		return &failure{fmt.Sprintf("%s: redis is %v (%s)", what, adapters.ErrUnavailable, text), adapters.ErrUnavailable}
	case says(err, "NOAUTH", "WRONGPASS"):
		text += "; check user and password of the URL"
	case says(err, "NOPERM"):
		text += "; the user of the URL needs " + Rights
	}
	return &failure{what + ": " + text, nil}
}

// clean takes secrets out of a text.
func (s *Store) clean(text string) string {
	for _, secret := range s.secrets {
		text = strings.ReplaceAll(text, secret, "…")
	}
	return text
}

// says tells whether the server's answer has one of the words in it. A script
// hands errors on with a text of its own around them, which depends on the
// version of Redis.
func says(err error, words ...string) bool {
	if _, ok := errors.AsType[redis.Error](err); !ok {
		return false
	}
	for _, w := range words {
		if strings.Contains(err.Error(), w) {
			return true
		}
	}
	return false
}

// transient tells whether asking again may help.
func transient(err error) bool {
	if _, ok := errors.AsType[redis.Error](err); ok {
		return says(err, "LOADING", "READONLY", "CLUSTERDOWN", "MASTERDOWN", "TRYAGAIN", "NOREPLICAS", "MOVED ", "ASK ", "max number of clients", "BUSY ", "UNBLOCKED")
	}
	if _, ok := errors.AsType[*tls.CertificateVerificationError](err); ok {
		return false
	}
	return !errors.Is(err, redis.ErrClosed)
}
