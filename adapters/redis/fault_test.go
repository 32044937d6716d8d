//go:build unix

package redis_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/alicebob/miniredis/v2"
	goredis "github.com/redis/go-redis/v9"

	"gpuadvisor/adapters"
	"gpuadvisor/adapters/adaptertest"
	"gpuadvisor/adapters/redis"
	"gpuadvisor/advisor"
)

// crowd are people who talk to the bot at the same time. Each turn is taken
// until the store says that it is done; what it has said is remembered here.
type crowd struct {
	t      *testing.T
	store  *redis.Store
	people int
	turns  int // of each
	done   atomic.Int64
	failed atomic.Int64 // turns that ended in an error and were taken again
	slow   atomic.Int64 // the longest that a turn took, in ns
}

func (c *crowd) key(who int) advisor.Key {
	return adapters.Key("chat", "bot", "team", "", fmt.Sprint(who))
}

// talk takes all turns of all people.
func (c *crowd) talk() {
	var wg sync.WaitGroup
	for who := range c.people {
		wg.Go(func() {
			for n := range c.turns {
				start := time.Now()
				err := c.turn(c.key(who), fmt.Sprint(n))
				for took, old := int64(time.Since(start)), c.slow.Load(); took > old && !c.slow.CompareAndSwap(old, took); {
					old = c.slow.Load()
				}
				if err != nil {
					c.t.Errorf("turn %d of person %d: %v", n, who, err)
					return
				}
				c.done.Add(1)
			}
		})
	}
	wg.Wait()
}

// turn takes a turn, again as long as the store cannot be reached: as a chat
// does that delivers a message until it is taken.
func (c *crowd) turn(key advisor.Key, id string) error {
	for {
		err := c.try(key, id)
		if errors.Is(err, adapters.ErrUnavailable) {
			c.failed.Add(1)
			continue
		}
		if errors.Is(err, adapters.ErrConflict) {
			continue
		}
		return err
	}
}

func (c *crowd) try(key advisor.Key, id string) error {
	ctx, s := context.Background(), c.store.Conversations()
	conversation, err := s.Load(ctx, key)
	if err != nil {
		return err
	}
	conversation.Turns++
	out, err := s.Commit(ctx, key, adapters.Turn{MessageID: id, Conversation: conversation, Reply: advisor.Reply{Act: id}})
	if err != nil {
		return err
	}
	if out.Reply.Act != id && !out.Sent {
		return fmt.Errorf("message %s got the reply to %s", id, out.Reply.Act)
	}
	return s.MarkSent(ctx, key, id)
}

// story is how it went, for the log.
func (c *crowd) story() string {
	return fmt.Sprintf("%d turns, the slowest took %v; %d were taken again after the store's patience",
		c.done.Load(), time.Duration(c.slow.Load()).Round(10*time.Millisecond), c.failed.Load())
}

// check looks whether every turn is there once.
func (c *crowd) check() {
	c.t.Helper()
	for who := range c.people {
		got, err := c.store.Conversations().Load(context.Background(), c.key(who))
		if err != nil {
			c.t.Fatalf("Load: %v", err)
		}
		if got.Turns != c.turns || got.Version != int64(c.turns) {
			c.t.Errorf("person %d has %d turns at version %d, want %d of each", who, got.Turns, got.Version, c.turns)
		}
	}
}

// when waits until the crowd has taken so many turns.
func (c *crowd) when(turns int) {
	for c.done.Load() < int64(turns) {
		time.Sleep(time.Millisecond)
	}
}

// TestRestart kills the Redis under load and starts it again. Its file is in
// memory: with appendfsync everysec a Redis puts off writing while a sync of
// the second before is not done, so on a slow disk it acknowledges up to two
// seconds that a kill then takes with it.
func TestRestart(t *testing.T) {
	server := adaptertest.Redis(t, "--dir", inMemory(t))
	if server == nil {
		return
	}
	c := &crowd{t: t, store: open(t, server.URL()), people: 50, turns: 100}
	var talking sync.WaitGroup
	talking.Go(c.talk)
	var kept []advisor.Reminder
	for i := range 20 {
		r := advisor.Reminder{ID: fmt.Sprint(i), Key: c.key(1), At: time.Now().Add(time.Hour)}
		if err := c.store.Reminders().Add(t.Context(), r); err != nil {
			t.Errorf("Add: %v", err)
		}
		kept = append(kept, r)
	}
	for _, turns := range []int{1500, 3500} {
		c.when(turns)
		server.Kill()
		time.Sleep(300 * time.Millisecond)
		server.Start()
	}
	talking.Wait()
	c.check()
	if got, err := c.store.Reminders().List(t.Context(), adapters.Person(c.key(1))); err != nil || len(got) != len(kept) {
		t.Errorf("after two restarts %d reminders are kept, %v; want %d", len(got), err, len(kept))
	}
	t.Logf("over two restarts: %s", c.story())
}

// inMemory is a folder that is not on a disk, where there is such a thing.
func inMemory(t *testing.T) string {
	dir, err := os.MkdirTemp("/dev/shm", "gpuadvisor-test")
	if err != nil {
		return t.TempDir()
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	return dir
}

// TestStopped stops the Redis under load, as a machine does that swaps.
func TestStopped(t *testing.T) {
	server := adaptertest.Redis(t)
	if server == nil {
		return
	}
	c := &crowd{t: t, store: open(t, server.URL()), people: 30, turns: 60}
	hasty := open(t, server.URL())
	hasty.SetPatience(500 * time.Millisecond)
	var talking sync.WaitGroup
	talking.Go(c.talk)
	c.when(600)
	server.Pause()
	start := time.Now()
	_, err := hasty.Conversations().Load(t.Context(), c.key(1))
	if took := time.Since(start); !errors.Is(err, adapters.ErrUnavailable) || took > 3*time.Second {
		t.Errorf("Load from a stopped Redis: got %v after %v, want ErrUnavailable after half a second", err, took)
	}
	if err := hasty.Ping(timeout(t, time.Second/2)); err == nil {
		t.Error("a stopped Redis answers a ping")
	}
	time.Sleep(stopFor - time.Since(start))
	server.Resume()
	talking.Wait()
	c.check()
	if n := c.failed.Load(); stopFor < 5*time.Second && n > 0 {
		t.Errorf("%d calls failed though Redis came back within the store's patience", n)
	}
	if err := hasty.Ping(t.Context()); err != nil {
		t.Errorf("Ping afterwards: %v", err)
	}
	t.Logf("stopped for %v: %s", stopFor, c.story())
}

// stopFor is how long TestStopped stops the Redis; -tags slow makes it longer.
var stopFor = 2 * time.Second

func timeout(t *testing.T, d time.Duration) context.Context {
	ctx, cancel := context.WithTimeout(t.Context(), d)
	t.Cleanup(cancel)
	return ctx
}

// thief is a proxy in front of a Redis that swallows answers. The command has
// been done by then, and whoever sent it cannot know.
type thief struct {
	listener net.Listener
	server   string
	steal    atomic.Int32 // answers that are still to be swallowed
	hang     atomic.Bool  // keep the connection open, rather than cut it
}

func newThief(t *testing.T, server string) *thief {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	p := &thief{listener: l, server: server}
	t.Cleanup(func() { l.Close() })
	go func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			go p.serve(c)
		}
	}()
	return p
}

func (p *thief) serve(client net.Conn) {
	defer client.Close()
	server, err := net.Dial("tcp", p.server)
	if err != nil {
		return
	}
	defer server.Close()
	go func() {
		io.Copy(server, client)
		server.Close()
	}()
	buf := make([]byte, 64<<10)
	for {
		n, err := server.Read(buf)
		if err != nil {
			return
		}
		if p.steal.Load() > 0 {
			p.steal.Add(-1)
			if p.hang.Load() {
				continue
			}
			return
		}
		if _, err := client.Write(buf[:n]); err != nil {
			return
		}
	}
}

// TestSwallowedAnswer loses the answer to each call that writes. The call
// succeeds all the same, and what it did is done once.
func TestSwallowedAnswer(t *testing.T) {
	server := adaptertest.Redis(t)
	if server == nil {
		return
	}
	for _, hang := range []bool{false, true} {
		t.Run(fmt.Sprintf("hang=%v", hang), func(t *testing.T) {
			server.Flush()
			p := newThief(t, server.Addr)
			p.hang.Store(hang)
			s := open(t, "redis://"+p.listener.Addr().String())
			key := adapters.Key("chat", "bot", "room", "", "me")
			me := adapters.Person(key)
			ctx := t.Context()
			lose := func(what string, call func() error) {
				t.Helper()
				s.Ping(ctx) // a connection is there, its greeting is over
				p.steal.Store(1)
				if err := call(); err != nil {
					t.Errorf("%s: %v", what, err)
				}
				if p.steal.Load() != 0 {
					t.Errorf("%s: no answer was swallowed", what)
				}
			}
			turns := int64(3)
			if hang { // each takes as long as a call may
				turns = 1
			}
			for n := range turns {
				lose("Commit", func() error {
					out, err := s.Conversations().Commit(ctx, key, adapters.Turn{
						MessageID: fmt.Sprint(n), Reply: advisor.Reply{Act: fmt.Sprint(n)},
						Conversation: advisor.Conversation{Version: n, Turns: int(n) + 1},
					})
					if err == nil && (out.Version != n+1 || out.Reply.Act != fmt.Sprint(n) || out.Sent) {
						err = fmt.Errorf("got %+v, want version %d with its reply", out, n+1)
					}
					return err
				})
				lose("MarkSent", func() error { return s.Conversations().MarkSent(ctx, key, fmt.Sprint(n)) })
				lose("Put", func() error {
					v, err := s.Settings().Put(ctx, me, "profile", adapters.Record{Version: n, Data: []byte("x"), By: fmt.Sprint(n)})
					if err == nil && v != n+1 {
						err = fmt.Errorf("got version %d, want %d", v, n+1)
					}
					return err
				})
				lose("Add", func() error {
					return s.Reminders().Add(ctx, advisor.Reminder{ID: fmt.Sprint(n), Key: key, At: time.Now().Add(time.Hour)})
				})
			}
			if list, err := s.Reminders().List(ctx, me); err != nil || len(list) != int(turns) {
				t.Errorf("%d reminders, %v; want %d", len(list), err, turns)
			}
			if hang {
				return
			}
			lose("Forget", func() error { return s.Conversations().Forget(ctx, key) })
			lose("Forget settings", func() error { return s.Settings().Forget(ctx, me) })
			lose("Forget reminders", func() error { return s.Reminders().Forget(ctx, me) })
		})
	}
}

// TestForeign puts other programs' data where ours belongs.
func TestForeign(t *testing.T) {
	server := adaptertest.Redis(t)
	if server == nil {
		return
	}
	raw := goredis.NewClient(&goredis.Options{Addr: server.Addr})
	defer raw.Close()
	ctx := t.Context()
	s := open(t, server.URL())
	key := adapters.Key("chat", "bot", "room", "", "me")
	me := adapters.Person(key)
	due := adapters.Due{Reminder: advisor.Reminder{Key: key, ID: "1"}, Token: "x"}
	conversation := map[string]func() error{
		"Load":      func() error { _, err := s.Conversations().Load(ctx, key); return err },
		"Commit":    func() error { _, err := s.Conversations().Commit(ctx, key, adapters.Turn{MessageID: "1"}); return err },
		"Committed": func() error { _, err := s.Conversations().Committed(ctx, key, "1"); return err },
		"MarkSent":  func() error { return s.Conversations().MarkSent(ctx, key, "1") },
		"Forget":    func() error { return s.Conversations().Forget(ctx, key) },
	}
	settings := map[string]func() error{
		"Get": func() error { _, err := s.Settings().Get(ctx, me, "profile"); return err },
		"Put": func() error {
			_, err := s.Settings().Put(ctx, me, "profile", adapters.Record{Data: []byte("x")})
			return err
		},
		"List":   func() error { _, err := s.Settings().List(ctx, me); return err },
		"Forget": func() error { return s.Settings().Forget(ctx, me) },
	}
	reminders := map[string]func() error{
		"Add":    func() error { return s.Reminders().Add(ctx, due.Reminder) },
		"Cancel": func() error { _, err := s.Reminders().Cancel(ctx, key, "1"); return err },
		"List":   func() error { _, err := s.Reminders().List(ctx, me); return err },
		"Forget": func() error { return s.Reminders().Forget(ctx, me) },
	}
	states := map[string]func() error{
		"Add":    reminders["Add"],
		"Begin":  func() error { return s.Reminders().Begin(ctx, due, 0) },
		"Finish": func() error { return s.Reminders().Finish(ctx, due, adapters.Fate{}) },
	}
	claim := map[string]func() error{
		"Add":   reminders["Add"],
		"Claim": func() error { _, _, err := s.Reminders().Claim(ctx, 9, time.Minute); return err },
	}
	keys := redis.Keys(s, key, "1")
	for what, c := range map[string]struct {
		key   string
		put   func(key string)
		calls map[string]func() error
	}{
		"text for a conversation": {keys.Conversation, text(t, raw), conversation},
		"list for a conversation": {keys.Conversation, func(k string) { raw.RPush(ctx, k, "theirs") }, conversation},
		"hash for a conversation": {keys.Conversation, func(k string) { raw.HSet(ctx, k, "their", "field") },
			map[string]func() error{"Commit": conversation["Commit"], "Forget": conversation["Forget"]}},
		"fields for a conversation": {keys.Conversation, func(k string) { raw.HSet(ctx, k, "h", "one", "s", "theirs") }, map[string]func() error{
			"Load": conversation["Load"], "Commit": conversation["Commit"], "Committed": conversation["Committed"]}},
		"text for a state": {keys.Conversation, func(k string) { raw.HSet(ctx, k, "h", "1 1 ", "s", "theirs") },
			map[string]func() error{"Load": conversation["Load"]}},
		"text for settings":       {keys.Settings, text(t, raw), settings},
		"fields for settings":     {keys.Settings, func(k string) { raw.HSet(ctx, k, "profile", "theirs") }, settings},
		"text for reminders":      {keys.Bucket, text(t, raw), reminders},
		"text for due reminders":  {keys.Due, text(t, raw), claim},
		"text for states":         {keys.Held, text(t, raw), states},
		"text for a room":         {keys.Room, text(t, raw), map[string]func() error{"Add": reminders["Add"]}},
		"text for a person's set": {keys.People, text(t, raw), map[string]func() error{"Commit": conversation["Commit"]}},
	} {
		t.Run(what, func(t *testing.T) {
			for name, call := range c.calls {
				raw.Del(ctx, keys.Conversation, keys.Settings, keys.Bucket, keys.Due, keys.Room, keys.People, keys.Held)
				c.put(c.key)
				before := raw.Dump(ctx, c.key).Val()
				err := call()
				if !errors.Is(err, adapters.ErrForeign) {
					t.Errorf("%s: got %v, want ErrForeign", name, err)
				}
				if after := raw.Dump(ctx, c.key).Val(); before == "" || after != before {
					t.Errorf("%s changed what was not ours: %q to %q", name, before, after)
				}
			}
		})
	}
	for what, put := range map[string]func(){
		"text": func() { raw.Set(ctx, "gb:meta", "theirs", 0) },
		"hash": func() { raw.HSet(ctx, "gb:meta", "their", "field") },
		"zero": func() { raw.HSet(ctx, "gb:meta", "schema", "0", "shards", "16") },
	} {
		server.Flush()
		put()
		before := raw.Dump(ctx, "gb:meta").Val()
		if _, err := redis.Open(ctx, server.URL()); !errors.Is(err, adapters.ErrForeign) {
			t.Errorf("Open over %s: got %v, want ErrForeign", what, err)
		}
		if after := raw.Dump(ctx, "gb:meta").Val(); before == "" || after != before {
			t.Errorf("Open changed what was not ours: %q to %q", before, after)
		}
	}
}

func text(t *testing.T, raw *goredis.Client) func(string) {
	return func(key string) { raw.Set(t.Context(), key, "theirs", 0) }
}

// TestForeignRecord: beside a record that is not ours, ours can be listed.
func TestForeignRecord(t *testing.T) {
	server := miniredis.RunT(t)
	s := open(t, "redis://"+server.Addr())
	key := adapters.Key("chat", "bot", "room", "", "me")
	who := adapters.Person(key)
	if _, err := s.Settings().Put(t.Context(), who, "ours", adapters.Record{Data: []byte("x")}); err != nil {
		t.Fatal(err)
	}
	server.HSet(redis.Keys(s, key, "").Settings, "theirs", "hello")
	all, err := s.Settings().List(t.Context(), who)
	if !errors.Is(err, adapters.ErrForeign) || len(all) != 1 || string(all["ours"].Data) != "x" {
		t.Errorf("List beside a record that is not ours: %v, %v; want ours and ErrForeign", all, err)
	}
}

// TestNewer refuses what a newer gpuadvisor wrote.
func TestNewer(t *testing.T) {
	server := adaptertest.Redis(t)
	if server == nil {
		return
	}
	raw := goredis.NewClient(&goredis.Options{Addr: server.Addr})
	defer raw.Close()
	s := open(t, server.URL())
	key := adapters.Key("chat", "bot", "room", "", "me")
	raw.HSet(t.Context(), redis.Keys(s, key, "").Conversation, "h", "1 1 ", "s", `{"schema":99}`)
	if _, err := s.Conversations().Load(t.Context(), key); !errors.Is(err, adapters.ErrNewer) {
		t.Errorf("Load of a newer conversation: got %v, want ErrNewer", err)
	}
	raw.HSet(t.Context(), "gb:meta", "schema", "99")
	if _, err := redis.Open(t.Context(), server.URL()); !errors.Is(err, adapters.ErrNewer) {
		t.Errorf("Open of a newer layout: got %v, want ErrNewer", err)
	}
}

// TestFull asks a Redis that has no memory left.
func TestFull(t *testing.T) {
	server := adaptertest.Redis(t, "--maxmemory", "3mb")
	if server == nil {
		return
	}
	s := open(t, server.URL())
	key := adapters.Key("chat", "bot", "room", "", "me")
	long := strings.Repeat("很长", 100_000)
	for n := range int64(100) {
		start := time.Now()
		_, err := s.Conversations().Commit(t.Context(), key, adapters.Turn{
			MessageID: fmt.Sprint(n), Conversation: advisor.Conversation{Version: n}, Reply: advisor.Reply{Act: long},
		})
		if err == nil {
			continue
		}
		if !errors.Is(err, adapters.ErrUnavailable) || time.Since(start) > 3*time.Second {
			t.Errorf("Commit into a full Redis: got %v after %v, want ErrUnavailable at once", err, time.Since(start))
		}
		if c, err := s.Conversations().Load(t.Context(), key); err != nil || c.Version != n {
			t.Errorf("Load from a full Redis: version %d, %v; want %d", c.Version, err, n)
		}
		return
	}
	t.Error("the Redis did not fill up")
}

// TestNoTime runs where scripts may not ask for the time.
func TestNoTime(t *testing.T) {
	for name, rights := range map[string]string{"no TIME": "-time", "all": "+time"} {
		t.Run(name, func(t *testing.T) {
			server := adaptertest.Redis(t, "--user", "bot", "on", ">secret", "~*", "+@all", rights)
			if server == nil {
				return
			}
			s := open(t, "redis://bot:secret@"+server.Addr)
			key := adapters.Key("chat", "bot", "room", "", "me")
			r := advisor.Reminder{ID: "1", Key: key, At: time.Now().Add(-time.Second).Truncate(time.Millisecond)}
			if err := s.Reminders().Add(t.Context(), r); err != nil {
				t.Fatalf("Add: %v", err)
			}
			due, _, err := s.Reminders().Claim(t.Context(), 9, 300*time.Millisecond)
			if err != nil || len(due) != 1 || due[0].Late < time.Second || due[0].Late > time.Minute {
				t.Fatalf("Claim = %+v, %v; want one, a second late", due, err)
			}
			if again, next, err := s.Reminders().Claim(t.Context(), 9, time.Second); err != nil || len(again) != 0 || next > 302*time.Millisecond {
				t.Errorf("Claim during the lease = %+v, next in %v, %v; want none for up to 300 ms and rounding", again, next, err)
			}
			time.Sleep(400 * time.Millisecond)
			if again, _, err := s.Reminders().Claim(t.Context(), 9, time.Minute); err != nil || len(again) != 1 || again[0].Attempt != 2 {
				t.Errorf("Claim after the lease = %+v, %v; want a second attempt", again, err)
			}
			until := time.Now().Add(time.Hour)
			if _, err := s.Settings().Put(t.Context(), adapters.Person(key), "a", adapters.Record{Data: []byte("x"), Until: until}); err != nil {
				t.Errorf("Put: %v", err)
			}
			if r, err := s.Settings().Get(t.Context(), adapters.Person(key), "a"); err != nil || string(r.Data) != "x" {
				t.Errorf("Get = %+v, %v; want x", r, err)
			}
		})
	}
}

// TestLife checks how long keys live, which a real server decides.
func TestLife(t *testing.T) {
	server := adaptertest.Redis(t)
	if server == nil {
		return
	}
	raw := goredis.NewClient(&goredis.Options{Addr: server.Addr})
	defer raw.Close()
	s := open(t, server.URL())
	key := adapters.Key("chat", "bot", "room", "", "me")
	if _, err := s.Conversations().Commit(t.Context(), key, adapters.Turn{MessageID: "1"}); err != nil {
		t.Fatalf("Commit: %v", err)
	}
	put := func(name string, until time.Time) {
		t.Helper()
		if _, err := s.Settings().Put(t.Context(), adapters.Person(key), name, adapters.Record{Data: []byte("x"), Until: until}); err != nil {
			t.Fatalf("Put: %v", err)
		}
	}
	lives := func(key string, want time.Duration) {
		t.Helper()
		got := raw.PTTL(t.Context(), key).Val()
		if got != want && (got > want || got < want-time.Minute) {
			t.Errorf("%s lives for %v, want %v", key, got, want)
		}
	}
	keys := redis.Keys(s, key, "")
	lives(keys.Conversation, adapters.KeepConversation+24*time.Hour)
	lives(keys.People, 500*24*time.Hour)
	put("a", time.Now().Add(time.Hour))
	lives(keys.Settings, time.Hour)
	put("b", time.Now().Add(time.Minute))
	lives(keys.Settings, time.Hour)
	put("c", time.Now().Add(2*time.Hour))
	lives(keys.Settings, 2*time.Hour)
	put("d", time.Time{})
	lives(keys.Settings, -1)
	put("e", time.Now().Add(2*time.Hour))
	lives(keys.Settings, -1)
}

// TestWarnings tells what of a Redis could lose data.
func TestWarnings(t *testing.T) {
	if server := adaptertest.Redis(t); server != nil {
		if got := open(t, server.URL()).Warnings(t.Context()); len(got) != 0 {
			t.Errorf("a Redis that is set up well: %q, want no warnings", got)
		}
	}
	if server := adaptertest.Redis(t, "--appendonly", "no", "--maxmemory-policy", "allkeys-lru"); server != nil {
		if got := open(t, server.URL()).Warnings(t.Context()); len(got) != 2 {
			t.Errorf("a Redis that evicts and does not persist: %q, want two warnings", got)
		}
	}
}

// TestReal runs the suites on a real server.
func TestReal(t *testing.T) {
	server := adaptertest.Redis(t, append([]string{"--user", "bot", "on", ">secret"}, strings.Fields(redis.Rights)...)...)
	if server == nil {
		return
	}
	real := func(t *testing.T) adaptertest.Place {
		server.Flush()
		s := open(t, "redis://bot:secret@"+server.Addr)
		now := time.Date(2026, 12, 1, 9, 0, 0, 0, time.UTC)
		s.SetClock(func() time.Time { return now })
		return adaptertest.Place{
			Store: s,
			Now:   func() time.Time { return now },
			Pass:  func(d time.Duration) { now = now.Add(d) },
		}
	}
	t.Run("conversations", func(t *testing.T) {
		adaptertest.TestConversations(t, func(t *testing.T) adapters.Conversations { return real(t).Store.Conversations() })
	})
	t.Run("settings", func(t *testing.T) {
		adaptertest.TestSettings(t, func(t *testing.T) adapters.Settings { return real(t).Store.Settings() })
	})
	t.Run("reminders", func(t *testing.T) { adaptertest.TestReminders(t, real) })
}

// TestReplica: a reminder is confirmed by a replica where there is one.
func TestReplica(t *testing.T) {
	primary := adaptertest.Redis(t, "--repl-diskless-sync-delay", "0")
	if primary == nil {
		return
	}
	replica := adaptertest.Redis(t, "--replicaof", "127.0.0.1 "+primary.Port)
	s := open(t, primary.URL())
	raw := goredis.NewClient(&goredis.Options{Addr: primary.Addr})
	defer raw.Close()
	for !strings.Contains(raw.Info(t.Context(), "replication").Val(), "state=online") {
		time.Sleep(10 * time.Millisecond)
	}
	key := adapters.Key("chat", "bot", "room", "", "me")
	add := func(id string) error {
		return s.Reminders().Add(t.Context(), advisor.Reminder{ID: id, Key: key, At: time.Now().Add(time.Hour)})
	}
	if err := add("1"); err != nil {
		t.Errorf("Add with a replica: %v", err)
	}
	s.SetPatience(time.Second)
	replica.Pause()
	if err := add("2"); !errors.Is(err, adapters.ErrUnavailable) {
		t.Errorf("Add while the replica does not answer: got %v, want ErrUnavailable", err)
	}
	replica.Resume()
	if err := add("2"); err != nil {
		t.Errorf("Add again: %v", err)
	}
	if list, err := s.Reminders().List(t.Context(), adapters.Person(key)); err != nil || len(list) != 2 {
		t.Errorf("%d reminders, %v; want 2", len(list), err)
	}
}

// TestSecrets drives errors through the store and looks for the password.
func TestSecrets(t *testing.T) {
	const secret = "Tr0ub4dor&3/?#%@:x"
	var errs []error
	try := func(url string) {
		ctx, cancel := context.WithTimeout(t.Context(), 300*time.Millisecond)
		defer cancel()
		s, err := redis.Open(ctx, url)
		errs = append(errs, err)
		if err == nil {
			s.Close()
		}
	}
	escaped := "Tr0ub4dor%263%2F%3F%23%25%40%3Ax"
	for _, url := range []string{
		"redis://:%s@127.0.0.1:1", "redis://bot:%s@127.0.0.1:1,127.0.0.1:2", "rediss://bot:%s@127.0.0.1:1",
		"redis://bot:%s@127.0.0.1:1?master=x", "redis://127.0.0.1:1?master=x&sentinel_password=%s",
		"redis://bot:%s@host:port", "redis://bot:%s@", "http://bot:%s@host", "redis://bot:%s@127.0.0.1:1/x", "redis://bot:%s@127.0.0.1:1?x=y",
		"redis://bot:%s@127.0.0.1:1?%%zz", "rediss://bot:%s@127.0.0.1:1?ca=/nowhere", "redis://bot:%s@127.0.0.1:1,127.0.0.1:2/3",
	} {
		try(fmt.Sprintf(url, secret))
		try(fmt.Sprintf(url, escaped))
	}
	// A server that repeats what it was sent, as some do with commands that
	// they do not know.
	parrot := parrot(t)
	try("redis://bot:" + escaped + "@" + parrot)
	if server := adaptertest.Redis(t, "--requirepass", "another"); server != nil {
		try("redis://:" + escaped + "@" + server.Addr)
		try("redis://bot:" + escaped + "@" + server.Addr)
		try("redis://" + server.Addr)
	}
	for _, err := range errs {
		if err == nil {
			t.Error("no error where one was due")
			continue
		}
		for _, form := range []string{fmt.Sprint(err), fmt.Sprintf("%+v %#v", err, err)} {
			for _, s := range []string{secret, escaped, "Tr0ub4dor"} {
				if strings.Contains(form, s) {
					t.Errorf("the error shows the password: %s", form)
				}
			}
		}
	}
	if os.Getenv("SHOW_ERRORS") != "" {
		for _, err := range errs {
			t.Log(err)
		}
	}
}

func parrot(t *testing.T) string {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { l.Close() })
	go func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			go func() {
				defer c.Close()
				buf := make([]byte, 4096)
				for {
					n, err := c.Read(buf)
					if err != nil {
						return
					}
					said := strings.NewReplacer("\r", " ", "\n", " ").Replace(string(buf[:n]))
					for range strings.Count(said, "*") {
						fmt.Fprintf(c, "-ERR unknown command, with args beginning with: %s\r\n", said)
					}
				}
			}()
		}
	}()
	return l.Addr().String()
}
