package adaptertest

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"time"

	"gpuadvisor/adapters"
	"gpuadvisor/advisor"
)

// Place is an empty store whose clock the test holds.
type Place struct {
	Store adapters.Store
	Now   func() time.Time
	Pass  func(time.Duration) // that much time goes by
}

// TestExpiry checks that a store keeps what it must and drops what it may.
func TestExpiry(t *testing.T, open func(t *testing.T) Place) {
	for name, test := range map[string]func(*testing.T, Place){
		"conversation": expireConversation,
		"record":       expireRecord,
		"dead letter":  expireDeadLetter,
	} {
		t.Run(name, func(t *testing.T) { test(t, open(t)) })
	}
}

const day = 24 * time.Hour

func expireConversation(t *testing.T, p Place) {
	s := p.Store.Conversations()
	for i := range int64(3) { // each turn gives it another week
		commit(t, s, someone, say(fmt.Sprint(i), "hello", i))
		p.Pass(adapters.KeepConversation - time.Minute)
	}
	if c := load(t, s, someone); c.Version != 3 {
		t.Errorf("a week after the last turn: got version %d, want 3", c.Version)
	}
	p.Pass(day + time.Minute)
	if c := load(t, s, someone); c.Version != 0 || c.Asked != "" {
		t.Errorf("a day over a week after the last turn: got %+v, want a fresh conversation", c)
	}
	if _, err := s.Commit(context.Background(), someone, say("3", "late", 3)); !errors.Is(err, adapters.ErrConflict) {
		t.Errorf("a turn over an expired conversation: got %v, want ErrConflict", err)
	}
	if out := commit(t, s, someone, say("0", "again", 0)); out.Repeat || out.Version != 1 {
		t.Errorf("first turn after it expired: got %+v, want a fresh version 1", out)
	}
}

func expireRecord(t *testing.T, p Place) {
	s := &shelf{t, p.Store.Settings()}
	until := p.Now().Add(time.Hour).Truncate(time.Millisecond).UTC()
	s.put(me, "rental", adapters.Record{Data: []byte("4090"), Until: until})
	s.put(me, "profile", adapters.Record{Data: []byte("zh")})
	s.put("another", "rental", adapters.Record{Data: []byte("A100"), Until: until})
	if r := s.get(me, "rental"); !r.Until.Equal(until) {
		t.Errorf("got a record until %v, want %v", r.Until, until)
	}
	p.Pass(59 * time.Minute)
	s.want(me, "rental", 1, "4090")
	p.Pass(time.Minute + time.Millisecond)
	s.want(me, "rental", 0, "")
	s.want("another", "rental", 0, "")
	if all := s.list(me); len(all) != 1 {
		t.Errorf("List = %v, want the profile alone", all)
	}
	if _, err := s.s.Put(context.Background(), me, "rental", adapters.Record{Version: 1, Data: []byte("H100")}); !errors.Is(err, adapters.ErrConflict) {
		t.Errorf("Put over an expired version: got %v, want ErrConflict", err)
	}
	s.put(me, "rental", adapters.Record{Data: []byte("H100"), Until: p.Now().Add(time.Hour)})
	s.put(me, "rental", adapters.Record{Version: 1, Data: []byte("H200"), Until: p.Now().Add(365 * day)})
	p.Pass(300 * day)
	s.want(me, "rental", 2, "H200")
	s.want(me, "profile", 1, "zh")
}

func expireDeadLetter(t *testing.T, p Place) {
	d := desk{t, p}
	d.add(d.in(time.Second, "1"), d.in(time.Second, "2"))
	p.Pass(time.Second)
	for _, due := range d.claim(2, 2) {
		d.finish(due, adapters.Fate{Dead: "blocked"})
	}
	p.Pass(adapters.KeepDead - time.Minute)
	if dead := d.dead(9); len(dead) != 2 {
		t.Errorf("after a month less a minute: got %d dead letters, want 2", len(dead))
	}
	p.Pass(2 * time.Minute)
	if dead := d.dead(9); len(dead) != 0 {
		t.Errorf("after a month and a minute: got dead letters %+v, want none", dead)
	}
}

// spell is the key of somebody's conversation in a room.
func spell(room, user string) advisor.Key { return adapters.Key("chat", "bot", room, "", user) }
