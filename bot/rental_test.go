package main

import (
	"bytes"
	"context"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"pgregory.net/rapid"

	"gpuadvisor/adapters"
	"gpuadvisor/adapters/memory"
	"gpuadvisor/advisor"
)

// TestRentalRead: prices, leads, lengths and names leave the time alone, wherever
// they stand.
func TestRentalRead(t *testing.T) {
	for i, c := range []struct {
		text, how, end string // end in China, or how long from now
		price          float64
	}{
		{"4090 AutoDL 明天18:00 每小时 1.9 元", "hour", "18:00", 1.9},
		{"4090 AutoDL 每小时 1.9 元 明天18:00", "hour", "18:00", 1.9},
		{"4090 AutoDL 每小时1.9元，明天18:30释放", "hour", "18:30", 1.9},
		{"明天 18:00 释放 4090，1.9 元/小时", "hour", "18:00", 1.9},
		{"4090 tomorrow 18:00 at $0.5/h on RunPod", "hour", "18:00", 0.5},
		{"4090 on RunPod, 0.5 USD an hour, tomorrow 18:00", "hour", "18:00", 0.5},
		{"2x A100 明天下午6点释放，已经开了 3 天，每小时 20 元", "hour", "18:00", 20},
		{"AutoDL 4090 保留 7 天，关机 2 天了", "clock", "120h", 0},
		{"stopped 2 days ago on AutoDL", "clock", "312h", 0},
		{"RunPod 余额 30 美元，每小时 0.5 美元", "runway", "60h", 0.5},
		{"balance 30 USD, 0.5 USD an hour, RunPod", "runway", "60h", 0.5},
		{"恒源云 昨天关机的", "clock", "216h", 0},
		{"刚关机 AutoDL 3090", "clock", "360h", 0},
	} {
		n := 100 * i
		me := person{t, thinking(t, memory.Open(time.Now)), mePrivate, inChina(), &n}
		said := me.say("/release " + c.text)
		list := me.rentals()
		if len(list) != 1 {
			t.Errorf("%q: no rental:\n%s", c.text, said)
			continue
		}
		r := list[0]
		end := r.End.In(time.FixedZone("", 8*3600)).Format("15:04")
		if strings.HasSuffix(c.end, "h") {
			end = fmt.Sprintf("%.0fh", r.End.Sub(me.at).Hours())
		}
		if r.How != c.how || end != c.end || r.Price != c.price {
			t.Errorf("%q: got %s at %s for %v, want %s at %s for %v", c.text, r.How, end, r.Price, c.how, c.end, c.price)
		}
	}
}

// TestRentalInAnotherZone: a tap on one's own zone moves the hour that was read in
// the wrong one, with all its reminders.
func TestRentalInAnotherZone(t *testing.T) {
	overEveryStore(t, func(t *testing.T, store adapters.Store) {
		n := 0
		me := person{t, thinking(t, store), mePrivate, inChina(), &n}
		me.wants("/release 4090 AutoDL tomorrow 18:00", "18:00 (UTC+8)", "took")
		me.wants("/remind zone Europe/Berlin", "18:00 (UTC+", "!18:00 (UTC+8)")
		r, waiting := me.rentals(), me.reminders(store)
		if len(r) != 1 || r[0].End.In(zoneHere(t, "Europe/Berlin")).Hour() != 18 || len(waiting) != 4 || !waiting[3].At.Equal(r[0].End) || waiting[3].Zone != "Europe/Berlin" {
			t.Errorf("got %+v with %+v", r, waiting)
		}
	})
}

// rentals are the ones that are kept of a person.
func (k person) rentals() []advisor.Rental {
	k.t.Helper()
	list, err := k.desk.profiles.rentalsOf(context.Background(), adapters.Person(k.key))
	if err != nil {
		k.t.Fatal(err)
	}
	return list
}

// inChina is ten in the morning there, in some days.
func inChina() time.Time {
	return time.Now().Truncate(24 * time.Hour).Add(3*24*time.Hour + 2*time.Hour).UTC()
}

// TestRental takes a machine from its description to its release over every store.
func TestRental(t *testing.T) {
	overEveryStore(t, func(t *testing.T, store adapters.Store) {
		n := 0
		me := person{t, thinking(t, store), mePrivate, inChina(), &n}
		me.wants("/release", "Which machine")
		me.wants("4090 AutoDL, 0.5 USD an hour", "AutoDL: ", "15 days", "2026-09", "When will")
		me.wants("tomorrow 18:00", "Noted: RTX4090 · AutoDL", "1 day before", "2 hours before", "15 minutes before", "18:00 (UTC+8)", "in this chat", "No more reminders")
		if r, w := me.rentals(), me.reminders(store); len(r) != 1 || len(w) != 4 || w[3].Kind != "hour" || w[0].Rental != r[0].ID || w[0].Target+w[0].Action != "" {
			t.Fatalf("got %+v with reminders %+v, want one with four that name it alone", r, w)
		}
		me.wants("/release edit tomorrow 20:00", "20:00 (UTC+8)", "18:00 (UTC+8), in 32 hours · 2 hours before")
		if w := me.reminders(store); len(w) != 4 || !w[3].At.Equal(me.rentals()[0].End) || w[1].Kind != "lead" || w[3].Kind != "hour" {
			t.Errorf("after an edit the reminders are %+v of %+v", w, me.rentals())
		}
		me.wants("It is released", "Do not release RTX4090 yet", "Save a checkpoint")
		for _, tick := range []string{"Backed up", "Checkpoint saved", "Results downloaded", "Checkpoint opened"} {
			me.wants(tick, "✓", "Release it in the console")
		}
		me.wants("It is released", "Do not release", "Confirm what the disk keeps", "!Save a checkpoint")
		me.wants("Show the disk rule", "15 days", "2026-09", "ticked")
		me.wants("Not yet", "do not release", "□ 5.")
		me.wants("Show the disk rule", "ticked")
		me.wants("Yes, read it; all I need is kept", "✓ 5.", "All five")
		if got := len(me.reminders(store)); got != 4 {
			t.Errorf("ticks changed the reminders: %d", got)
		}
		me.wants("/rentals", "RTX4090 · AutoDL", "$0.5 an hour")
		me.wants("/release go", "was released at", "billing")
		if w := me.reminders(store); len(w) != 0 {
			t.Errorf("after the release there are %+v", w)
		}
		me.wants("Still billed", "Noted: I will remind you")
		me.wants("/rentals", "No machine is noted")
		me.wants("/forget yes", "Deleted")
		if len(me.rentals()) != 0 || len(me.reminders(store)) != 0 {
			t.Error("a rental was not forgotten")
		}
	})
}

// TestRentalOfAGroup: members see who rents what, whoever joined a reminder is told
// too, and both end with the rental; /forget leaves nothing in the group.
func TestRentalOfAGroup(t *testing.T) {
	overEveryStore(t, func(t *testing.T, store adapters.Store) {
		n := 0
		d := thinking(t, store)
		me, you := person{t, d, meHere, inChina(), &n}, person{t, d, youHere, inChina(), &n}
		me.wants("/release 3090 on a private box, tomorrow 18:00", "Noted", "in this group", "could not verify", "3 days")
		you.wants("/rentals", "What this group rents (1)", "RTX3090")
		you.wants("/release show 1", "Which machine")
		you.wants("/remind list", "RTX3090", "the hour itself")
		you.wants("count me in 4", "Noted")
		joined := you.reminders(store)
		if len(joined) != 1 {
			t.Fatalf("got %+v", joined)
		}
		about, err := d.profiles.about(context.Background(), joined[0])
		if err != nil || about == nil || about.Name != "RTX3090" {
			t.Errorf("what was joined speaks of %+v, %v", about, err)
		}
		me.wants("I extended it by 60 days", "Noted")
		settings, name := store.Settings(), rentalRecord+joined[0].Rental
		entry, err := settings.Get(context.Background(), adapters.Room(meHere), name)
		if mine := me.rentals(); err != nil || len(mine) != 1 || entry.Until.Before(mine[0].Until()) {
			t.Errorf("the group knows of %+v until %v, %v", mine, entry.Until, err)
		}
		me.wants("/release anyway", "was released")
		if left := append(you.reminders(store), me.reminders(store)...); len(left) != 0 {
			t.Errorf("after the release there are %+v", left)
		}
		you.wants("/rentals", "No machine")
		me.wants("/forget yes", "Deleted")
		if left, err := store.Settings().List(context.Background(), adapters.Room(meHere)); err != nil || len(left) != 0 {
			t.Errorf("the group still has %v, %v", left, err)
		}
	})
}

// TestRentalWithoutRoom: what the store has no room for is not promised, and what
// it refused to note is not claimed.
func TestRentalWithoutRoom(t *testing.T) {
	overEveryStore(t, func(t *testing.T, store adapters.Store) {
		n := 0
		me := person{t, thinking(t, store), mePrivate, inChina(), &n}
		for i := range adapters.MaxReminders - 1 {
			me.wants(fmt.Sprintf("remind me in %d hours", i+2), "Noted")
		}
		me.wants("/release 4090 AutoDL tomorrow 18:00", "3 of the reminders could not be kept", "1 day before", "!2 hours before", "!the hour itself")
		me.wants("cancel all reminders", "Cancelled")
	})
	n := 0
	d := thinking(t, memory.Open(time.Now))
	d.profiles = &profiles{settings: refusing{d.profiles.settings}}
	me := person{t, d, mePrivate, inChina(), &n}
	me.wants("/release 4090 AutoDL tomorrow 18:00", "I could not note RTX4090", "alarm of your own", "!Noted:", "!I will remind")
}

// TestRentalOverWithoutCancelling: a machine that is noted as given back is said
// to be, even when its reminders could not be cancelled.
func TestRentalOverWithoutCancelling(t *testing.T) {
	n := 0
	d := thinking(t, memory.Open(time.Now))
	me := person{t, d, mePrivate, inChina(), &n}
	me.wants("/release 4090 AutoDL tomorrow 18:00", "Noted: RTX4090")
	d.reminders = uncancelled{d.reminders}
	me.wants("/release anyway", "was released at", "stay silent", "!could not note")
	if r := me.rentals(); len(r) != 1 || r[0].State != "released" {
		t.Errorf("got %+v, want one that is released", r)
	}
}

// TestRentalHalfDone: where the store took the machine and failed on its reminders, the
// answer says what stands, and a tap sets the rest.
func TestRentalHalfDone(t *testing.T) {
	n := 0
	d := thinking(t, memory.Open(time.Now))
	me := person{t, d, mePrivate, inChina(), &n}
	whole := d.reminders
	d.reminders = &unadded{whole, 2}
	me.wants("/release 4090 AutoDL tomorrow 18:00", "RTX4090 · AutoDL is noted with its end", "2 of its reminders could not be set", "1 day before", "2 hours before", "!could not note", "!the hour itself")
	if r := me.rentals(); len(r) != 1 {
		t.Fatalf("got %+v, want the one that was taken", r)
	}
	me.wants("Set them again", "2 of its reminders could not be set", "1 day before", "!the hour itself")
	d.reminders = whole
	me.wants("Set them again", "Noted: RTX4090", "the hour itself", "!could not")
	d.reminders = uncancelled{whole}
	me.wants("I extended it to tomorrow 20:00", "20:00 (UTC+8)", "Noted: RTX4090", "speak of the new end", "!as it was", "!could not change")
	if r := me.rentals(); len(r) != 1 || r[0].End.In(zoneHere(t, "Asia/Shanghai")).Hour() != 20 {
		t.Errorf("got %+v, want its end at 20:00", r)
	}
}

// unadded are reminders that take so many more and then fail.
type unadded struct {
	adapters.Reminders
	left int
}

func (u *unadded) Add(ctx context.Context, r advisor.Reminder) error {
	if u.left--; u.left < 0 {
		return adapters.ErrUnavailable
	}
	return u.Reminders.Add(ctx, r)
}

// uncancelled are reminders that none can be taken from.
type uncancelled struct{ adapters.Reminders }

func (uncancelled) Cancel(context.Context, advisor.Key, string) (bool, error) {
	return false, adapters.ErrUnavailable
}

// refusing are settings that keep nothing.
type refusing struct{ adapters.Settings }

func (refusing) Put(context.Context, adapters.Owner, string, adapters.Record) (int64, error) {
	return 0, adapters.ErrUnavailable
}

// TestRentalRings: an hour that passes is spoken of again after 60 and 30 minutes
// and then every 15, until the machine is given back; then nothing more comes.
func TestRentalRings(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		store := memory.Open(time.Now)
		n := 0
		d := thinking(t, store)
		say := func(text string, wants ...string) {
			person{t, d, mePrivate, time.Now(), &n}.wants(text, wants...)
		}
		chat := &mouth{}
		b := bellOver(store, chat)
		book, _ := embedded()
		b.word = wording(advisor.New(book).WithZones(loadZone))
		ctx, stop := context.WithCancel(t.Context())
		done := make(chan struct{})
		go func() { b.ring(ctx); close(done) }()
		say("/release 4090 AutoDL in 3 hours", "Noted")
		heard := 0
		count := func(want int, parts ...string) {
			t.Helper()
			all := chat.heard()
			fresh := all[heard:]
			heard = len(all)
			if len(fresh) != want || !slices.ContainsFunc(fresh, func(s string) bool { return len(parts) == 0 || strings.Contains(s, parts[0]) }) && want > 0 {
				t.Errorf("after %v heard %q, want %d with %q", time.Since(time.Date(2000, 1, 1, 0, 0, 0, 0, time.UTC)), fresh, want, parts)
			}
		}
		time.Sleep(3*time.Hour + time.Minute)
		count(3, "release RTX4090 · AutoDL now") // two hours, 15 minutes, the hour
		time.Sleep(time.Hour)
		count(1, "1 hour ago")
		time.Sleep(30 * time.Minute)
		count(1, "1.5 hours ago")
		time.Sleep(30 * time.Minute)
		count(2, "ago")
		say("/release later #"+person{t, d, mePrivate, time.Now(), &n}.rentals()[0].ID+" 2h", "Moved")
		time.Sleep(119 * time.Minute)
		count(0)
		time.Sleep(2 * time.Minute)
		count(1, "ago")
		say("/release anyway", "was released")
		time.Sleep(48 * time.Hour)
		count(0)
		stop()
		<-done
	})
}

// TestReleaseNeedsAYes taps and says whatever comes, in any order, some of it while
// the store refuses: the machine counts as released only after all five actions
// with a yes to the disk rule, or after "anyway"; and nothing is claimed that was
// not kept.
func TestReleaseNeedsAYes(t *testing.T) {
	d := thinking(t, memory.Open(time.Now))
	good := d.profiles
	bad := &profiles{settings: refusing{good.settings}}
	run := 0
	rapid.Check(t, func(rt *rapid.T) {
		run++
		n := 0
		at := inChina()
		key := adapters.Key("chat", "bot", fmt.Sprint("p", run), "", fmt.Sprint("p", run))
		say := func(text string) string {
			n++
			m := from(key, fmt.Sprint(run, ".", n), text)
			m.At = at
			said := ""
			d.Turn(context.Background(), m, func(_ context.Context, r advisor.Reply) error { said = r.Plain(); return nil })
			return said
		}
		say("/release 4090 AutoDL in 30 hours")
		list, err := good.rentalsOf(context.Background(), adapters.Person(key))
		if err != nil || len(list) != 1 {
			rt.Fatal(list, err)
		}
		id := " #" + list[0].ID
		ways := []string{"/release tick" + id + " save", "/release tick" + id + " download", "/release tick" + id + " open", "/release tick" + id + " backup", "/release tick" + id + " keep",
			"/release yes" + id, "/release no" + id, "/release go" + id, "/release anyway" + id, "/release show" + id, "/release untick" + id + " save", "1", "2", "It is released"}
		last := ""
		for range rapid.IntRange(1, 14).Draw(rt, "steps") {
			text := rapid.SampledFrom(ways).Draw(rt, "say")
			d.profiles = good
			if refuses := rapid.IntRange(0, 4).Draw(rt, "refuses") == 0; refuses {
				d.profiles = bad
			}
			before, _ := good.rentalsOf(context.Background(), adapters.Person(key))
			meant := text
			for line := range strings.Lines(last) { // a number means the choice that was shown with it
				if label, ok := strings.CutPrefix(strings.TrimSpace(line), text+". "); ok {
					meant = strings.ToLower(label)
				}
			}
			reply := say(text)
			if strings.Contains(reply, "\n1. ") {
				last = reply
			}
			after, _ := good.rentalsOf(context.Background(), adapters.Person(key))
			released := after[0].State == "released"
			if d.profiles == bad && after[0] != before[0] || strings.Contains(reply, "was released at") != (released && before[0].Open()) && before[0].Open() {
				rt.Fatalf("%q made %+v of %+v and said\n%s", text, after[0], before[0], reply)
			}
			if released && before[0].Open() && len(before[0].Left()) > 0 && !strings.Contains(meant, "anyway") {
				rt.Fatalf("%q released it with %v left", text, before[0].Left())
			}
			if after[0].Has("keep") && !before[0].Has("keep") && !strings.Contains(meant, "yes") {
				rt.Fatalf("%q confirmed the disk", text)
			}
		}
		d.profiles = good
	})
}

// TestRentalOfAMovedGroup: a group that gets another number still knows its
// machines, and forgets them there as well.
func TestRentalOfAMovedGroup(t *testing.T) {
	overEveryStore(t, func(t *testing.T, store adapters.Store) {
		n := 0
		d := thinking(t, store)
		me := person{t, d, meHere, inChina(), &n}
		me.wants("/release 3090 on a private box, tomorrow 18:00", "Noted", "in this group")
		now := adapters.Owner("room:chat:bot:-555")
		for range 2 {
			if err := d.profiles.moved(context.Background(), adapters.Room(meHere), now); err != nil {
				t.Fatal(err)
			}
		}
		me.key = adapters.InRoom(meHere, now)
		me.wants("/rentals", "RTX3090")
		person{t, d, adapters.InRoom(youHere, now), inChina(), &n}.wants("/rentals", "RTX3090")
		me.wants("/forget yes", "Deleted")
		for _, room := range []adapters.Owner{adapters.Room(meHere), now} {
			left, err := store.Settings().List(context.Background(), room)
			for name := range left {
				if strings.HasPrefix(name, rentalRecord) || err != nil {
					t.Errorf("%s still has %s, %v", room, name, err)
				}
			}
		}
	})
}

// TestRentalInPlainWords: what was done is said as people say it, a question of
// yes or no is answered with one, and a number goes on meaning the reminder that
// it meant in the list.
func TestRentalInPlainWords(t *testing.T) {
	n := 0
	me := person{t, thinking(t, memory.Open(time.Now)), mePrivate, inChina(), &n}
	me.wants("/release 4090 AutoDL tomorrow 18:00, 1.9 CNY an hour", "Noted: RTX4090")
	for _, done := range []string{"I've saved the checkpoint", "downloaded everything", "the checkpoint opens", "备份完了"} {
		me.wants(done, "✓")
	}
	me.wants("show the disk rule", "ticked")
	me.wants("no", "do not release", "□ 5.")
	me.wants("show the disk rule", "ticked")
	me.wants("yes", "✓ 5.")
	me.wants("/rentals", "¥0.03")
	me.wants("I released the machine", "was released at")
	me.wants("/release RunPod, balance 80000000 USD, 1 USD an hour", "!17", "a year ahead")
	me.wants("/cancel")
	me.wants("remind me tomorrow at 18:00 to stop the A100", "Noted")
	me.wants("my reminders", "1 of 25", "stop A100")
	me.wants("/remind edit 1 the day after tomorrow 9am", "Moved")
	me.wants("/remind snooze 1 2h", "Moved", "11:00")
	me.wants("/remind cancel 1", "Cancelled: stop A100")
	me.wants("LoRA on Qwen2.5-7B, 2 GB, two days", "24 GB", "!mentioned")
}

// TestUnreadableRental: a record that somebody else or a newer program wrote is
// passed over, said, and left as it is; the others are there as always.
func TestUnreadableRental(t *testing.T) {
	strange := map[string]string{"theirs": "hello", "newer": `{"schema":1000,"id":"newer"}`}
	overEveryStore(t, func(t *testing.T, store adapters.Store) {
		for name, key := range map[string]advisor.Key{"private": mePrivate, "room": meHere} {
			n := 0
			var log bytes.Buffer
			me := person{t, thinking(t, store), key, inChina(), &n}
			me.desk.log = slog.New(slog.NewTextHandler(&log, nil))
			me.wants("/release 4090 AutoDL tomorrow 18:00", "18:00", "!could not be read")
			who, room := adapters.Person(key), adapters.Room(key)
			for id, text := range strange {
				if _, err := store.Settings().Put(t.Context(), who, rentalRecord+id, adapters.Record{Data: []byte(text)}); err != nil {
					t.Fatal(err)
				}
				if shared(key) {
					store.Settings().Put(t.Context(), room, rentalRecord+id, adapters.Record{Data: []byte(who)})
				}
			}
			me.wants("/rentals", "4090", "could not be read and are left out above: 2")
			me.wants("/remind list", "4090", "could not be read and are left out above: 2")
			me.wants("/remind back up in 3 hours", "back up")
			want := 2
			if shared(key) {
				want = 4 // hers, and those of the room
			}
			if got := strings.Count(log.String(), "pass over a record"); got != want {
				t.Errorf("%s: logged %d times, want each record once\n%s", name, got, log.String())
			}
			for id, text := range strange {
				if r, err := store.Settings().Get(t.Context(), who, rentalRecord+id); err != nil || string(r.Data) != text {
					t.Errorf("%s is %q now, %v; want %q", id, r.Data, err, text)
				}
			}
			me.desk.forget(t.Context(), key, "me")
		}
	})
}
