package adapters_test

import (
	"testing"

	"gpuadvisor/adapters"
	"gpuadvisor/advisor"
)

func TestOwner(t *testing.T) {
	for _, c := range []struct {
		key    advisor.Key
		person adapters.Owner
		room   adapters.Owner
	}{
		{adapters.Key("telegram", "7", "-100", "", "42"), "person:telegram:7:42", "room:telegram:7:-100"},
		{adapters.Key("telegram", "7", "-100", "3", "42"), "person:telegram:7:42", "room:telegram:7:-100"},
		{adapters.Key("telegram", "7", "42", "", "42"), "person:telegram:7:42", "room:telegram:7:42"},
		{adapters.Key("x", "b:c", "", "", "a:b%"), "person:x:b%3Ac:a%3Ab%25", "room:x:b%3Ac:"},
		{"terminal:me", "person:terminal:me", "room:terminal:me"},
		{"", "person:", "room:"},
	} {
		if got := adapters.Person(c.key); got != c.person || got.IsRoom() {
			t.Errorf("Person(%q) = %q, want the person %q", c.key, got, c.person)
		}
		if got := adapters.Room(c.key); got != c.room || !got.IsRoom() {
			t.Errorf("Room(%q) = %q, want the room %q", c.key, got, c.room)
		}
	}
}

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
