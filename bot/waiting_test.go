package main

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"gpuadvisor/adapters"
	"gpuadvisor/advisor"
)

// thinking is a desk over a store that asks the real advisor.
func thinking(t *testing.T, store adapters.Store) *desk {
	book, err := embedded()
	if err != nil {
		t.Fatal(err)
	}
	d := deskOver(store)
	a := advisor.New(book).WithZones(loadZone)
	d.answer, d.plan = a.Answer, a.Plan
	d.profile = advisor.Profile{}
	d.zone = "Asia/Shanghai"
	return d
}

// person plays messages and returns everything that was said to each, in one text.
type person struct {
	t    *testing.T
	desk *desk
	key  advisor.Key
	at   time.Time
	n    *int // of the messages of everybody
}

func (k person) say(text string) string {
	k.t.Helper()
	*k.n++
	m := from(k.key, fmt.Sprint(*k.n), text)
	m.At = k.at
	said := ""
	k.desk.Turn(context.Background(), m, func(_ context.Context, r advisor.Reply) error {
		said = r.Plain()
		return nil
	})
	return said
}

func (k person) wants(text string, parts ...string) {
	k.t.Helper()
	said := k.say(text)
	for _, p := range parts {
		if no, ok := strings.CutPrefix(p, "!"); ok && strings.Contains(said, no) || !ok && !strings.Contains(said, p) {
			k.t.Errorf("%q: want %q in\n%s", text, p, said)
		}
	}
}

// TestRemindersWaiting takes a few reminders through their life over every store.
func TestRemindersWaiting(t *testing.T) {
	overEveryStore(t, func(t *testing.T, store adapters.Store) {
		at := time.Now().Truncate(24 * time.Hour).Add(2*24*time.Hour + 2*time.Hour) // 10:00 in China
		n := 0
		me := person{t, thinking(t, store), mePrivate, at, &n}
		me.wants("list my reminders", "No reminder is waiting")
		me.wants("remind me to submit the report today 18:00", "18:00 (UTC+8)", "in 8 hours", "Noted", "in this chat", "submit the report", "took", "UTC+8", "New York")
		me.wants("remind me to water the plants today 20:00", "Noted", "!took")
		me.wants("my reminders", "(2 of 25)", "1. ", "submit the report", "2. ", "water the plants")
		me.wants("remind snooze 1 3h", "Moved", "21:00 (UTC+8)")
		me.wants("remind snooze 1 1h", "Moved", "22:00 (UTC+8)") // the number is of the list that was shown
		me.wants("my reminders", "1. ", "water the plants", "2. ", "submit the report")
		me.wants("remind edit 1 tomorrow 09:30", "Moved", "09:30 (UTC+8)")
		me.wants("cancel reminder 2", "Cancelled: submit the report")
		me.wants("my reminders", "(1 of 25)", "09:30 (UTC+8)", "water the plants")
		me.wants("/remind pick #"+me.reminders(store)[0].ID, "water the plants", "Cancel this one")
		me.wants("cancel all reminders", "Cancelled: water the plants")
		me.wants("my reminders", "No reminder is waiting")
	})
}

// TestRemindersInConflict: a turn that is played again moves and cancels what its
// first try has moved and cancelled, and loses nothing.
func TestRemindersInConflict(t *testing.T) {
	overEveryStore(t, func(t *testing.T, store adapters.Store) {
		at := time.Now().Truncate(24 * time.Hour).Add(2*24*time.Hour + 2*time.Hour) // 10:00 in China
		n := 0
		d := thinking(t, store)
		quicker := &meddled{d.store, 0}
		d.store = quicker
		me := person{t, d, mePrivate, at, &n}
		me.wants("remind me to submit the report today 18:00", "Noted")
		quicker.n = 1
		me.wants("/remind snooze #"+me.reminders(store)[0].ID+" 1h", "Moved", "19:00 (UTC+8)", "!no longer")
		if list := me.reminders(store); len(list) != 1 || !list[0].At.Equal(at.Add(9*time.Hour)) {
			t.Fatalf("put off in a conflict: got %+v, want one at 19:00", list)
		}
		quicker.n = 2
		me.wants("/remind edit #"+me.reminders(store)[0].ID+" today 21:00", "Moved", "21:00 (UTC+8)")
		quicker.n = 1
		me.wants("/remind cancel #"+me.reminders(store)[0].ID, "Cancelled: submit the report")
		if list := me.reminders(store); len(list) != 0 {
			t.Errorf("cancelled in a conflict: got %+v, want none", list)
		}
	})
}

func (k person) reminders(store adapters.Store) []advisor.Reminder {
	list, err := store.Reminders().List(context.Background(), adapters.Person(k.key))
	if err != nil {
		k.t.Fatal(err)
	}
	return list
}

// TestRemindersOfAGroup: members see all that is due in the group and what of it
// is theirs, cancel their own alone, and may be told as well. What somebody keeps
// in private stays there.
func TestRemindersOfAGroup(t *testing.T) {
	overEveryStore(t, func(t *testing.T, store adapters.Store) {
		at, n := time.Now().Add(48*time.Hour), 0
		d := thinking(t, store)
		me, you, alone := person{t, d, meHere, at, &n}, person{t, d, youHere, at, &n}, person{t, d, mePrivate, at, &n}
		alone.wants("remind me of the secret in 3 hours", "Noted")
		me.wants("remind me to release the 4090 in 2 hours", "Noted", "in this group", "!took") // nobody's zone is asked in public
		you.wants("/remind list", "Reminders of this group (1)", "release 4090", "!yours", "!secret")
		you.wants("/remind cancel 1", "somebody else's")
		you.wants("count me in 1", "Noted", "release 4090")
		you.wants("count me in 1", "yours already")
		you.wants("/remind list", "(2)", "yours")
		you.wants("cancel all reminders", "Cancelled")
		me.wants("/remind list", "(1)", "yours")
		alone.wants("my reminders", "(2 of 25)", "secret", "comes in another chat")
	})
}

// TestReminderLimit: nothing is promised that the store refused, and moving one
// needs no room.
func TestReminderLimit(t *testing.T) {
	overEveryStore(t, func(t *testing.T, store adapters.Store) {
		at, n := time.Now().Add(48*time.Hour), 0
		me := person{t, thinking(t, store), mePrivate, at, &n}
		for i := range adapters.MaxReminders {
			me.wants(fmt.Sprintf("remind me in %d hours", i+2), "Noted")
		}
		me.wants("remind me in 1 hour", "Not kept", "25 reminders", "!Noted", "list my reminders")
		me.wants("my reminders", "(25 of 25)")
		me.wants("remind snooze 3 30m", "Moved")
		if got := len(me.reminders(store)); got != adapters.MaxReminders {
			t.Errorf("got %d reminders, want %d", got, adapters.MaxReminders)
		}
	})
}

// TestZoneAfterwards: a tap on another zone is kept and moves the reminder that was
// read in the wrong one.
func TestZoneAfterwards(t *testing.T) {
	overEveryStore(t, func(t *testing.T, store adapters.Store) {
		n := 0
		me := person{t, thinking(t, store), mePrivate, time.Now().Truncate(24 * time.Hour).Add(48 * time.Hour), &n} // midnight UTC
		me.wants("remind me to look today 22:00", "22:00 (UTC+8)")
		me.wants("/remind zone Europe/Berlin", "22:00 (UTC+", "!UTC+8", "Moved")
		got := me.reminders(store)
		if len(got) != 1 || got[0].Zone != "Europe/Berlin" || got[0].At.In(zoneHere(t, "Europe/Berlin")).Hour() != 22 {
			t.Errorf("got %+v, want one reminder at 22:00 in Berlin", got)
		}
		me.wants("remind me to look again today 23:00", "23:00", "!took", "!UTC+8")
	})
}

func zoneHere(t *testing.T, name string) *time.Location {
	zone, err := loadZone(name)
	if err != nil {
		t.Fatal(err)
	}
	return zone
}

// TestPutOffWhatWasSaid: the buttons under a reminder that came know what it was
// about, over every store.
func TestPutOffWhatWasSaid(t *testing.T) {
	overEveryStore(t, func(t *testing.T, store adapters.Store) {
		n := 0
		now := time.Now()
		me := person{t, thinking(t, store), mePrivate, now, &n}
		said := advisor.Reminder{ID: "7", Key: mePrivate, At: now.Add(-time.Minute), Zone: "Asia/Shanghai", Target: "the oven"}
		if err := me.desk.profiles.rang(context.Background(), said); err != nil {
			t.Fatal(err)
		}
		me.wants("/remind snooze #7 1h", "Noted", "the oven")
		if got := me.reminders(store); len(got) != 1 || got[0].Target != "the oven" || got[0].At.Sub(now).Round(time.Minute) != time.Hour {
			t.Errorf("got %+v, want the oven in an hour", got)
		}
		me.wants("/remind snooze #8 1h", "no such reminder")
	})
}
