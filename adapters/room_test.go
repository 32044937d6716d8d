package adapters_test

import (
	"testing"

	"gpuadvisor/adapters"
	"gpuadvisor/advisor"
)

func TestInRoom(t *testing.T) {
	for _, c := range []struct {
		key  advisor.Key
		room adapters.Owner
		want advisor.Key
	}{
		{"telegram:7:-100:3:42", "room:telegram:7:-55", "telegram:7:-55:3:42"},
		{"telegram:7:-100:3:42", "person:telegram:7:42", "telegram:7:-100:3:42"},
		{"me", "room:telegram:7:-55", "me"},
	} {
		if got := adapters.InRoom(c.key, c.room); got != c.want {
			t.Errorf("InRoom(%q, %q) = %q, want %q", c.key, c.room, got, c.want)
		}
	}
}
