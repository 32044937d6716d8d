package bolt_test

import (
	"path/filepath"
	"testing"
	"time"

	"gpuadvisor/adapters"
	"gpuadvisor/adapters/adaptertest"
	"gpuadvisor/adapters/bolt"
)

func open(t *testing.T) adaptertest.Place {
	now := time.Date(2026, 12, 1, 9, 0, 0, 0, time.UTC)
	s, err := bolt.OpenAt(filepath.Join(t.TempDir(), "test.db"), func() time.Time { return now })
	if err != nil {
		t.Fatalf("open: %v", err)
	}
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Errorf("close: %v", err)
		}
	})
	return adaptertest.Place{
		Store: s,
		Now:   func() time.Time { return now },
		Pass:  func(d time.Duration) { now = now.Add(d) },
	}
}

func TestConversations(t *testing.T) {
	adaptertest.TestConversations(t, func(t *testing.T) adapters.Conversations { return open(t).Store.Conversations() })
}

func TestSettings(t *testing.T) {
	adaptertest.TestSettings(t, func(t *testing.T) adapters.Settings { return open(t).Store.Settings() })
}

func TestReminders(t *testing.T) { adaptertest.TestReminders(t, open) }

func TestExpiry(t *testing.T) { adaptertest.TestExpiry(t, open) }
