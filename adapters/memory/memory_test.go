package memory_test

import (
	"testing"

	"gpuadvisor/adapters"
	"gpuadvisor/adapters/adaptertest"
	"gpuadvisor/adapters/memory"
)

func TestConversations(t *testing.T) {
	adaptertest.TestConversations(t, func(*testing.T) adapters.Conversations { return memory.NewConversations() })
}
