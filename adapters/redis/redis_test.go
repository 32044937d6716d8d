package redis_test

import (
	"testing"
	"time"

	"github.com/alicebob/miniredis/v2"

	"gpuadvisor/adapters"
	"gpuadvisor/adapters/adaptertest"
	"gpuadvisor/adapters/redis"
)

// inProcess opens a store in a Redis that runs in this process and whose clock
// the test holds.
func inProcess(t *testing.T) adaptertest.Place {
	server := miniredis.RunT(t)
	now := time.Date(2026, 12, 1, 9, 0, 0, 0, time.UTC)
	server.SetTime(now)
	s := open(t, "redis://"+server.Addr())
	s.SetClock(func() time.Time { return now })
	return adaptertest.Place{
		Store: s,
		Now:   func() time.Time { return now },
		Pass: func(d time.Duration) {
			now = now.Add(d)
			server.SetTime(now)
			server.FastForward(d)
		},
	}
}

func open(t testing.TB, url string) *redis.Store {
	t.Helper()
	s, err := redis.Open(t.Context(), url)
	if err != nil {
		t.Fatalf("Open: %v", err)
	}
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Errorf("Close: %v", err)
		}
	})
	return s
}

func TestConversations(t *testing.T) {
	adaptertest.TestConversations(t, func(t *testing.T) adapters.Conversations { return inProcess(t).Store.Conversations() })
}

func TestSettings(t *testing.T) {
	adaptertest.TestSettings(t, func(t *testing.T) adapters.Settings { return inProcess(t).Store.Settings() })
}

func TestReminders(t *testing.T) { adaptertest.TestReminders(t, inProcess) }

func TestExpiry(t *testing.T) { adaptertest.TestExpiry(t, inProcess) }
