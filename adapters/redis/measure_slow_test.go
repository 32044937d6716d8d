//go:build slow && unix

package redis_test

import (
	"fmt"
	"math/rand/v2"
	"os"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	goredis "github.com/redis/go-redis/v9"

	"gpuadvisor/adapters"
	"gpuadvisor/adapters/adaptertest"
	"gpuadvisor/adapters/redis"
	"gpuadvisor/advisor"
)

// typical is one of many people's only reminder, in their private chat.
func typical(n int, at time.Time) advisor.Reminder {
	user := fmt.Sprint(5_000_000_000 + n)
	return advisor.Reminder{
		ID: fmt.Sprint(700_000_000+n, "/remind"), Key: adapters.Key("telegram", "7012345678", user, "", user), At: at,
		Zone: "Asia/Shanghai", Action: "release", Target: "4090",
	}
}

// fillReminders adds the reminders from n to m, due in the hour after a day
// from now.
func fillReminders(t testing.TB, s *redis.Store, n, m int) {
	t.Helper()
	day := time.Now().Add(24 * time.Hour).Truncate(time.Minute)
	const each = 10_000
	turns := make(chan struct{}, 4)
	var wg sync.WaitGroup
	for from := n; from < m; from += each {
		turns <- struct{}{}
		wg.Go(func() {
			defer func() { <-turns }()
			var list []advisor.Reminder
			for i := from; i < min(from+each, m); i++ {
				list = append(list, typical(i, day.Add(time.Duration(i%60)*time.Minute)))
			}
			if err := redis.AddMany(t.Context(), s, list); err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
}

// usedMemory is what a Redis says that it uses.
func usedMemory(t testing.TB, s *redis.Store) (bytes int) {
	t.Helper()
	for line := range strings.Lines(redis.Client(s).Info(t.Context(), "memory").Val()) {
		if n, _ := fmt.Sscanf(line, "used_memory:%d", &bytes); n == 1 {
			return bytes
		}
	}
	t.Fatal("no used_memory")
	return 0
}

// TestManyPending measures what reminders cost that wait: the memory of each,
// and how long a claim takes with a thousand and with many of them, on two
// servers that take turns. PENDING=1000000 makes it a million, in some minutes.
// The goal is 350 MB for a million, and claims within a tenth. How far that can
// be had shows beside it: what it takes to read as many records by their keys
// and nothing more, which of a million are never in a processor's cache.
func TestManyPending(t *testing.T) {
	first, second := adaptertest.Redis(t, "--appendonly", "no"), adaptertest.Redis(t, "--appendonly", "no")
	if first == nil {
		return
	}
	few, many := open(t, first.URL()), open(t, second.URL())
	fillReminders(t, few, 0, 1_000)
	empty, filled := usedMemory(t, many), 0
	most := 200_000
	if n, err := strconv.Atoi(os.Getenv("PENDING")); err == nil {
		most = n
	}
	for _, n := range []int{1_000, 100_000, most} {
		fillReminders(t, many, filled, n)
		filled = n
		used := usedMemory(t, many) - empty
		t.Logf("%d pending: %.1f MB, %d B each", n, float64(used)/1e6, used/n)
		if n == most && used/n > 350 {
			t.Errorf("each of %d pending takes %d B, want at most 350", n, used/n)
		}
	}
	var a, b, c, d []time.Duration
	for round := range 20 {
		a = append(a, claims(t, few, round)...)
		b = append(b, claims(t, many, round)...)
		c = append(c, reads(t, few, 1_000)...)
		d = append(d, reads(t, many, filled)...)
	}
	overdue(t, many, filled)
	compare := func(what string, a, b []time.Duration) {
		slices.Sort(a)
		slices.Sort(b)
		x, y := a[len(a)/2], b[len(b)/2]
		t.Logf("%s 20 takes %v of a thousand pending and %v of %d: %v more, %+.1f %%", what, x, y, filled, y-x, 100*(float64(y)/float64(x)-1))
	}
	compare("claiming", a, b)
	compare("merely reading", c, d)
}

// reads reads records, 20 in one trip, and returns how long each trip took.
func reads(t testing.TB, s *redis.Store, pending int) (took []time.Duration) {
	t.Helper()
	for range 20 {
		start := time.Now()
		_, err := redis.Client(s).Pipelined(t.Context(), func(on goredis.Pipeliner) error {
			for range 20 {
				r := typical(rand.IntN(pending), time.Time{})
				k := redis.Keys(s, r.Key, r.ID)
				on.HGet(t.Context(), k.Bucket, k.Member)
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
		took = append(took, time.Since(start))
	}
	return took
}

// claims makes some reminders due, claims and finishes them, and returns how
// long each claim of 20 took.
func claims(t testing.TB, s *redis.Store, round int) (took []time.Duration) {
	t.Helper()
	const n = 400
	var list []advisor.Reminder
	for i := range n {
		list = append(list, typical(20_000_000+round*n+i, time.Now().Add(-time.Second)))
	}
	if err := redis.AddMany(t.Context(), s, list); err != nil {
		t.Fatal(err)
	}
	for done := 0; done < n; {
		start := time.Now()
		due, _, err := s.Reminders().Claim(t.Context(), 20, time.Minute)
		if err != nil || len(due) == 0 {
			t.Fatalf("Claim = %d, %v", len(due), err)
		}
		took = append(took, time.Since(start))
		for _, d := range due {
			if err := s.Reminders().Finish(t.Context(), d, adapters.Fate{}); err != nil {
				t.Fatal(err)
			}
		}
		done += len(due)
	}
	return took
}

// overdue lets two days go by, so that everything is overdue, and claims a part
// of it (case 7): the oldest first, at the pace of a store with little in it,
// and with no more in memory than what was asked for.
func overdue(t *testing.T, s *redis.Store, pending int) {
	t.Helper()
	later := time.Now().Add(48 * time.Hour)
	s.SetClock(func() time.Time { return later })
	defer s.SetClock(nil)
	const each, times = 100, 200
	var before, after runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&before)
	most, start := uint64(0), time.Now()
	var oldest, newest time.Time
	for range times {
		due, _, err := s.Reminders().Claim(t.Context(), each, time.Minute)
		if err != nil || len(due) != each {
			t.Fatalf("Claim = %d, %v; want %d", len(due), err, each)
		}
		for _, d := range due {
			if oldest.IsZero() || d.Reminder.At.Before(oldest) {
				oldest = d.Reminder.At
			}
			if d.Reminder.At.After(newest) {
				newest = d.Reminder.At
			}
			if err := s.Reminders().Finish(t.Context(), d, adapters.Fate{}); err != nil {
				t.Fatal(err)
			}
		}
		runtime.ReadMemStats(&after)
		most = max(most, after.HeapAlloc)
	}
	t.Logf("of %d overdue %d were said at %.0f/s; their heap grew by %.1f MB", pending, each*times, each*times/time.Since(start).Seconds(), (float64(most)-float64(before.HeapAlloc))/1e6)
	if most > before.HeapAlloc+50e6 {
		t.Errorf("the heap grew by %d B", most-before.HeapAlloc)
	}
	// A minute's worth of them is a sixtieth of all.
	if span, want := newest.Sub(oldest), time.Duration(each*times*60/pending+1)*time.Minute; span > want {
		t.Errorf("what was claimed first is %v apart, want the oldest %v", span, want)
	}
}
