//go:build unix

package redis_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"github.com/alicebob/miniredis/v2"

	"gpuadvisor/adapters"
	"gpuadvisor/adapters/adaptertest"
	"gpuadvisor/adapters/redis"
	"gpuadvisor/advisor"
)

func claimAll(t *testing.T, s *redis.Store, lease time.Duration) []adapters.Due {
	t.Helper()
	due, _, err := s.Reminders().Claim(t.Context(), 99, lease)
	if err != nil {
		t.Fatalf("Claim: %v", err)
	}
	return due
}

// TestOtherClock: the clock of whoever claims does not count, be it an hour
// ahead of the server's or behind it (case 15). The server's is set here, which
// comes to the same.
func TestOtherClock(t *testing.T) {
	for _, ahead := range []time.Duration{-time.Hour, time.Hour} {
		t.Run(fmt.Sprint("server ahead by ", ahead), func(t *testing.T) {
			server := miniredis.RunT(t)
			now := time.Now().Add(ahead).Truncate(time.Second)
			server.SetTime(now)
			s := open(t, "redis://"+server.Addr()) // it asks the server, as it does in service
			key := adapters.Key("chat", "bot", "room", "", "me")
			add := func(id string, in time.Duration) {
				if err := s.Reminders().Add(t.Context(), advisor.Reminder{ID: id, Key: key, At: now.Add(in)}); err != nil {
					t.Fatal(err)
				}
			}
			add("due", -time.Second)
			add("soon", time.Minute)
			due := claimAll(t, s, 10*time.Second)
			if len(due) != 1 || due[0].Reminder.ID != "due" || due[0].Late != time.Second {
				t.Fatalf("claimed %+v, want the one that is due by the server's clock, a second late", due)
			}
			if err := s.Reminders().Begin(t.Context(), due[0], 9*time.Second); err != nil {
				t.Errorf("Begin within the lease: %v", err)
			}
			if err := s.Reminders().Begin(t.Context(), due[0], 11*time.Second); !errors.Is(err, adapters.ErrLost) {
				t.Errorf("Begin for longer than the lease: got %v, want ErrLost", err)
			}
			if again := claimAll(t, s, time.Minute); len(again) != 0 {
				t.Errorf("claimed %+v during the lease", again)
			}
			server.SetTime(now.Add(10 * time.Second))
			redis.AskTime(s)
			if again := claimAll(t, s, time.Minute); len(again) != 1 || again[0].Attempt != 2 {
				t.Errorf("claimed %+v after the lease, want a second attempt", again)
			}
		})
	}
}

// TestServerClockJumps: set back, leases last longer and nothing is said
// twice; set forward, what is due by then is early by as much (case 16).
func TestServerClockJumps(t *testing.T) {
	server := miniredis.RunT(t)
	now := time.Now().Truncate(time.Second)
	server.SetTime(now)
	s := open(t, "redis://"+server.Addr())
	key := adapters.Key("chat", "bot", "room", "", "me")
	for id, in := range map[string]time.Duration{"a": 0, "b": time.Hour} {
		if err := s.Reminders().Add(t.Context(), advisor.Reminder{ID: id, Key: key, At: now.Add(in)}); err != nil {
			t.Fatal(err)
		}
	}
	a := claimAll(t, s, time.Minute)
	if len(a) != 1 {
		t.Fatalf("claimed %+v, want a", a)
	}
	server.SetTime(now.Add(-time.Hour))
	if again := claimAll(t, s, time.Minute); len(again) != 0 {
		t.Errorf("an hour back: claimed %+v, want nothing twice", again)
	}
	if err := s.Reminders().Begin(t.Context(), a[0], 10*time.Second); err != nil {
		t.Errorf("an hour back: Begin: %v", err)
	}
	if err := s.Reminders().Finish(t.Context(), a[0], adapters.Fate{}); err != nil {
		t.Errorf("an hour back: Finish: %v", err)
	}
	server.SetTime(now.Add(2 * time.Hour))
	// The store looks ahead by a clock of its own for up to ten seconds, so it
	// may take that long to notice; the claim itself goes by the server.
	redis.AskTime(s)
	b := claimAll(t, s, time.Minute)
	if len(b) != 1 || b[0].Late != time.Hour {
		t.Fatalf("two hours ahead: claimed %+v, want b, which counts as an hour late", b)
	}
	if err := s.Reminders().Finish(t.Context(), b[0], adapters.Fate{}); err != nil {
		t.Errorf("Finish: %v", err)
	}
}

// TestNeverEarly: what is due within a millisecond is due when that is over
// (case 20).
func TestNeverEarly(t *testing.T) {
	p := inProcess(t)
	key := adapters.Key("chat", "bot", "room", "", "me")
	at := p.Now().Add(time.Second + 100*time.Microsecond)
	if err := p.Store.Reminders().Add(t.Context(), advisor.Reminder{ID: "a", Key: key, At: at}); err != nil {
		t.Fatal(err)
	}
	p.Pass(time.Second)
	if due := claimAll(t, p.Store.(*redis.Store), time.Minute); len(due) != 0 {
		t.Errorf("claimed %+v before it is due", due)
	}
	p.Pass(time.Millisecond)
	if due := claimAll(t, p.Store.(*redis.Store), time.Minute); len(due) != 1 || due[0].Late < 0 {
		t.Errorf("claimed %+v, want one that is not early", due)
	}
}

// TestBrokenRecord: a record that cannot be read holds up no other, and says so
// when it is alone (case 9).
func TestBrokenRecord(t *testing.T) {
	p := inProcess(t)
	s := p.Store.(*redis.Store)
	key := adapters.Key("chat", "bot", "room", "", "me")
	for _, id := range []string{"a", "broken", "c"} {
		if err := s.Reminders().Add(t.Context(), advisor.Reminder{ID: id, Key: key, At: p.Now()}); err != nil {
			t.Fatal(err)
		}
	}
	broken := redis.Keys(s, key, "broken")
	redis.Client(s).HSet(t.Context(), broken.Bucket, broken.Member, "1\xff\xff")
	due := claimAll(t, s, time.Minute)
	if len(due) != 2 {
		t.Fatalf("claimed %+v, want the two that can be read", due)
	}
	for _, d := range due {
		if err := s.Reminders().Finish(t.Context(), d, adapters.Fate{}); err != nil {
			t.Errorf("Finish: %v", err)
		}
	}
	p.Pass(time.Minute)
	if due, _, err := s.Reminders().Claim(t.Context(), 9, time.Minute); !errors.Is(err, adapters.ErrForeign) || len(due) != 0 {
		t.Errorf("Claim of the broken one = %+v, %v; want ErrForeign", due, err)
	}
}

// TestRestartInBurst kills the Redis while a thousand reminders are being
// claimed and finished, and starts it again: each is finished once (case 14).
func TestRestartInBurst(t *testing.T) {
	server := adaptertest.Redis(t, "--dir", inMemory(t))
	if server == nil {
		return
	}
	s := open(t, server.URL())
	const n = 1000
	var list []advisor.Reminder
	for i := range n {
		list = append(list, advisor.Reminder{ID: "1", Key: adapters.Key("chat", "bot", "room", "", fmt.Sprint(i)), At: time.Now()})
	}
	if err := redis.AddMany(t.Context(), s, list); err != nil {
		t.Fatal(err)
	}
	var mu sync.Mutex
	done := map[advisor.Key]int{}
	finished := func() int { mu.Lock(); defer mu.Unlock(); return len(done) }
	ctx, stop := context.WithTimeout(t.Context(), 20*time.Second)
	defer stop()
	var work sync.WaitGroup
	for range 4 {
		work.Go(func() {
			for finished() < n && ctx.Err() == nil {
				due, _, err := s.Reminders().Claim(ctx, 5, time.Second)
				if err != nil && !errors.Is(err, adapters.ErrUnavailable) && ctx.Err() == nil {
					t.Errorf("Claim: %v", err)
				}
				for _, d := range due {
					time.Sleep(time.Millisecond)
					if err := s.Reminders().Finish(ctx, d, adapters.Fate{}); err == nil {
						mu.Lock()
						done[d.Reminder.Key]++
						mu.Unlock()
					}
				}
			}
		})
	}
	for finished() < n/3 {
		time.Sleep(time.Millisecond)
	}
	server.Kill()
	time.Sleep(200 * time.Millisecond)
	server.Start()
	// A Finish whose answer was lost with the server has been done, or the
	// reminder comes again; so the store tells when it is over.
	for ctx.Err() == nil {
		if due, next, err := s.Reminders().Claim(ctx, 0, time.Second); err == nil && len(due) == 0 && next == time.Minute {
			break
		}
		time.Sleep(20 * time.Millisecond)
	}
	stop()
	work.Wait()
	if len(done) < n-20 {
		t.Errorf("%d of %d are known to be finished; want all but those on their way when it died", len(done), n)
	}
	for key, times := range done {
		if times > 1 {
			t.Errorf("%s was finished %d times", key, times)
		}
	}
	if list, err := s.Reminders().List(t.Context(), adapters.Room(list[0].Key)); err != nil || len(list) != 0 {
		t.Errorf("%d are left, %v; want none", len(list), err)
	}
}

// TestCutTail cuts the end off the append-only file, as a crash of the machine
// may: the server loads what is whole, and so do we (case 14).
func TestCutTail(t *testing.T) {
	dir := t.TempDir()
	server := adaptertest.Redis(t, "--dir", dir, "--aof-load-truncated", "yes")
	if server == nil {
		return
	}
	s := open(t, server.URL())
	const n = 100
	for i := range n {
		r := advisor.Reminder{ID: fmt.Sprint(i), Key: adapters.Key("chat", "bot", "room", "", fmt.Sprint(i%20)), At: time.Now()}
		if err := s.Reminders().Add(t.Context(), r); err != nil {
			t.Fatal(err)
		}
	}
	server.Kill()
	files, _ := filepath.Glob(filepath.Join(dir, "appendonlydir", "*.incr.aof"))
	if len(files) != 1 {
		t.Fatalf("append-only files: %q, want one", files)
	}
	info, err := os.Stat(files[0])
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Truncate(files[0], info.Size()-300); err != nil {
		t.Fatal(err)
	}
	server.Start()
	list, err := s.Reminders().List(t.Context(), adapters.Owner("room:chat:bot:room"))
	if err != nil || len(list) < n-5 || len(list) >= n {
		t.Fatalf("%d of %d are left, %v; want nearly all", len(list), n, err)
	}
	due := claimAll(t, s, time.Minute)
	for len(due) < len(list) {
		more := claimAll(t, s, time.Minute)
		if len(more) == 0 {
			break
		}
		due = append(due, more...)
	}
	if len(due) != len(list) {
		t.Errorf("%d are due, %d are listed", len(due), len(list))
	}
	for _, d := range due {
		if err := s.Reminders().Finish(t.Context(), d, adapters.Fate{}); err != nil {
			t.Errorf("Finish: %v", err)
		}
	}
	if err := redis.Mend(t.Context(), s); err != nil {
		t.Errorf("Mend: %v", err)
	}
	if due := claimAll(t, s, time.Minute); len(due) != 0 {
		t.Errorf("still due: %+v", due)
	}
}
