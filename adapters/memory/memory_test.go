package memory_test

import (
	"testing"
	"time"

	"gpuadvisor/adapters"
	"gpuadvisor/adapters/adaptertest"
	"gpuadvisor/adapters/memory"
)

func open(*testing.T) adaptertest.Place {
	now := time.Date(2026, 12, 1, 9, 0, 0, 0, time.UTC)
	return adaptertest.Place{
		Store: memory.Open(func() time.Time { return now }),
		Now:   func() time.Time { return now },
		Pass:  func(d time.Duration) { now = now.Add(d) },
	}
}

func TestConversations(t *testing.T) {
	adaptertest.TestConversations(t, func(*testing.T) adapters.Conversations { return memory.NewConversations() })
}

func TestSettings(t *testing.T) {
	adaptertest.TestSettings(t, func(t *testing.T) adapters.Settings { return open(t).Store.Settings() })
}

func TestReminders(t *testing.T) { adaptertest.TestReminders(t, open) }

func TestExpiry(t *testing.T) { adaptertest.TestExpiry(t, open) }
