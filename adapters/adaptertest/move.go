package adaptertest

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"testing"
	"time"

	"gpuadvisor/adapters"
	"gpuadvisor/advisor"
)

// TestMove checks that everything in a store can be taken to another one, and
// from there to a third.
func TestMove(t *testing.T, open func(t *testing.T) Place) {
	place := func() (adapters.Mover, func() time.Time) {
		p := open(t)
		return p.Store.(adapters.Mover), p.Now
	}
	start, now := place()
	fill(t, start, now())
	want, from := sums(t, start), start
	for i := range 2 {
		to, _ := place()
		haul(t, from, to)
		got := sums(t, to)
		for sum, item := range want {
			if got[sum] == "" {
				t.Errorf("after step %d this is missing or changed: %s", i+1, item)
			}
		}
		for sum, item := range got {
			if want[sum] == "" {
				t.Errorf("after step %d this was not there before: %s", i+1, item)
			}
		}
		worksAfterMove(t, to)
		haul(t, from, to) // what that changed is put back
		from = to
	}
	stop := errors.New("enough")
	if err := from.Each(t.Context(), func(adapters.Item) error { return stop }); !errors.Is(err, stop) {
		t.Errorf("Each after its function failed: got %v, want that error", err)
	}
}

// fill puts some of everything into a store.
func fill(t *testing.T, s adapters.Store, now time.Time) {
	ctx := context.Background()
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	c := s.Conversations()
	for i := range 40 { // more than the ids that are remembered
		_, err := c.Commit(ctx, spell("-100", "ann"), say(fmt.Sprint("m", i), "hello <&> 你好", int64(i)))
		must(err)
		if i%2 == 0 {
			must(c.MarkSent(ctx, spell("-100", "ann"), fmt.Sprint("m", i)))
		}
	}
	_, err := c.Commit(ctx, "odd {key} %7B: 你好\n", say("m\xff", "odd", 0))
	must(err)
	p := s.Settings()
	for owner, names := range map[adapters.Owner][]string{"person:chat:bot:ann": {"profile", "a b"}, "room:chat:bot:-100": {"profile"}, "{odd} %": {"x"}} {
		for _, name := range names {
			_, err := p.Put(ctx, owner, name, adapters.Record{Data: []byte("data of \x00 " + name), By: "m1/set tings"})
			must(err)
			_, err = p.Put(ctx, owner, name, adapters.Record{Version: 1, Data: []byte("newer"), Until: now.Add(time.Hour)})
			must(err)
		}
	}
	_, err = p.Put(ctx, "person:chat:bot:bob", "profile", adapters.Record{Data: []byte("kept for ever")})
	must(err)
	r := s.Reminders()
	add := func(id string, at time.Time) {
		must(r.Add(ctx, advisor.Reminder{ID: id, Key: spell("-100", "ann"), At: at, Zone: "Asia/Shanghai", RRule: "FREQ=DAILY;BYHOUR=9", Action: "release", Target: "4090 & 你好"}))
	}
	add("dead", now.Add(-3*time.Hour))
	add("tried", now.Add(-2*time.Hour))
	due, _, err := r.Claim(ctx, 2, time.Minute)
	must(err)
	for _, d := range due {
		must(r.Begin(ctx, d, time.Second))
		fate := adapters.Fate{Retry: 90 * time.Minute}
		if d.Reminder.ID == "dead" {
			fate = adapters.Fate{Dead: "gone for good"}
		}
		must(r.Finish(ctx, d, fate))
	}
	add("claimed", now.Add(-time.Hour))
	if _, _, err = r.Claim(ctx, 1, time.Minute); err != nil {
		t.Fatal(err)
	}
	add("waits", now.Add(time.Hour+time.Microsecond))
}

// sums are the sums of all items, with a word about each.
func sums(t *testing.T, s adapters.Mover) map[[sha256.Size]byte]string {
	all := map[[sha256.Size]byte]string{}
	n := 0
	err := s.Each(t.Context(), func(i adapters.Item) error {
		n++
		all[i.Sum()] = fmt.Sprintf("%s %q %q %q %+v", i.Kind(), i.Key, i.Of, i.Name, i.Waiting)
		return nil
	})
	if err != nil {
		t.Fatalf("Each: %v", err)
	}
	if n != len(all) || n < 11 {
		t.Errorf("Each handed out %d items, %d of them different", n, len(all))
	}
	return all
}

func haul(t *testing.T, from, to adapters.Mover) {
	t.Helper()
	var batch []adapters.Item
	err := from.Each(t.Context(), func(i adapters.Item) error {
		batch = append(batch, i)
		return nil
	})
	if err == nil {
		err = to.Take(t.Context(), batch)
	}
	if err != nil {
		t.Fatalf("move: %v", err)
	}
}

// worksAfterMove uses what was moved: a message that was seen before is known,
// the next turn is taken, indexes are there, leases ran out.
func worksAfterMove(t *testing.T, s adapters.Store) {
	t.Helper()
	ctx, key := context.Background(), spell("-100", "ann")
	c := s.Conversations()
	if out, err := c.Committed(ctx, key, "m39"); err != nil || !out.Repeat || out.Sent || out.Reply.Act == "" {
		t.Errorf("a message from before the move: got %+v, %v; want it known, with its reply", out, err)
	}
	if out, err := c.Committed(ctx, key, "m38"); err != nil || !out.Repeat || !out.Sent {
		t.Errorf("a message that was answered before the move: got %+v, %v", out, err)
	}
	if err := c.MarkSent(ctx, key, "m39"); err != nil {
		t.Error(err)
	}
	if out, err := c.Committed(ctx, key, "m39"); err != nil || !out.Sent {
		t.Errorf("marked sent after the move: got %+v, %v", out, err)
	}
	if out, err := c.Commit(ctx, key, say("next", "hello", 40)); err != nil || out.Version != 41 {
		t.Errorf("next turn after the move: got %+v, %v; want version 41", out, err)
	}
	if keys, err := c.Of(ctx, "person:chat:bot:ann"); err != nil || len(keys) != 1 || keys[0] != key {
		t.Errorf("conversations of ann: got %v, %v", keys, err)
	}
	for _, of := range []adapters.Owner{"person:chat:bot:ann", "room:chat:bot:-100"} {
		if list, err := s.Reminders().List(ctx, of); err != nil || len(list) != 3 {
			t.Errorf("reminders of %s: got %v, %v, want 3", of, list, err)
		}
	}
	if dead, err := s.Reminders().Dead(ctx, 9); err != nil || len(dead) != 1 || dead[0].Reason != "gone for good" || dead[0].Attempts != 1 {
		t.Errorf("dead letters: got %+v, %v", dead, err)
	}
	if due, _, err := s.Reminders().Claim(ctx, 9, time.Minute); err != nil || len(due) != 0 {
		t.Errorf("due right after the move: got %+v, %v; the one that was claimed is so for a minute", due, err)
	}
	if r, err := s.Settings().Get(ctx, "person:chat:bot:ann", "profile"); err != nil || r.Version != 2 || string(r.Data) != "newer" {
		t.Errorf("setting after the move: got %+v, %v", r, err)
	}
}
