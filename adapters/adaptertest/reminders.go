package adaptertest

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"pgregory.net/rapid"

	"gpuadvisor/adapters"
	"gpuadvisor/advisor"
)

// TestReminders checks a store against adapters.Reminders. open returns an
// empty store; it cleans up with t.Cleanup.
func TestReminders(t *testing.T, open func(t *testing.T) Place) {
	for name, test := range map[string]func(*testing.T, desk){
		"add and list":     addAndList,
		"too many":         tooMany,
		"due in order":     dueInOrder,
		"when next":        whenNext,
		"lease":            lease,
		"late but alone":   lateButAlone,
		"begin":            begin,
		"cancel":           cancel,
		"retry":            retry,
		"recurring":        recurring,
		"dead letters":     deadLetters,
		"bury and revive":  buryAndRevive,
		"forget a person":  forgetPerson,
		"whatever is said": whateverIsSaid,
		"nobody waits":     nobodyWaits,
		"many claimers":    manyClaimers,
	} {
		t.Run(name, func(t *testing.T) { test(t, desk{t, open(t)}) })
	}
	t.Run("like the model", func(t *testing.T) { remindersLikeTheModel(t, open) })
}

// desk is a Reminders whose errors end the test.
type desk struct {
	*testing.T
	Place
}

func (d desk) s() adapters.Reminders { return d.Store.Reminders() }

// in is a reminder of somebody's that is due after a while.
func (d desk) in(after time.Duration, id string) advisor.Reminder {
	return advisor.Reminder{
		ID: id, Key: spell("team", "me"), At: d.Now().Add(after).Truncate(time.Millisecond).UTC(),
		Zone: "Asia/Shanghai", Action: "release", Target: "4090",
	}
}

func (d desk) add(rs ...advisor.Reminder) {
	d.Helper()
	for _, r := range rs {
		if err := d.s().Add(context.Background(), r); err != nil {
			d.Fatalf("Add(%+v): %v", r, err)
		}
	}
}

func (d desk) list(of adapters.Owner) []advisor.Reminder {
	d.Helper()
	rs, err := d.s().List(context.Background(), of)
	if err != nil {
		d.Fatalf("List(%s): %v", of, err)
	}
	return rs
}

// wantIDs checks which reminders an owner has, in order.
func (d desk) wantIDs(of adapters.Owner, want string) {
	d.Helper()
	var ids []string
	for _, r := range d.list(of) {
		ids = append(ids, r.ID)
	}
	if got := strings.Join(ids, " "); got != want {
		d.Errorf("List(%s) has %q, want %q", of, got, want)
	}
}

const minute = time.Minute // the lease of these tests

// claim claims at most n and checks how many there are.
func (d desk) claim(n, want int) []adapters.Due {
	d.Helper()
	due, _, err := d.s().Claim(context.Background(), n, minute)
	if err != nil {
		d.Fatalf("Claim: %v", err)
	}
	if len(due) != want {
		d.Fatalf("Claim(%d) got %d reminders, want %d: %+v", n, len(due), want, due)
	}
	return due
}

func (d desk) finish(due adapters.Due, f adapters.Fate) {
	d.Helper()
	if err := d.s().Finish(context.Background(), due, f); err != nil {
		d.Fatalf("Finish(%+v, %+v): %v", due, f, err)
	}
}

func (d desk) begin(due adapters.Due) {
	d.Helper()
	if err := d.s().Begin(context.Background(), due, time.Second); err != nil {
		d.Fatalf("Begin(%+v): %v", due, err)
	}
}

// lost checks that a claim is no longer good for anything.
func (d desk) lost(what string, due adapters.Due) {
	d.Helper()
	if err := d.s().Begin(context.Background(), due, 0); !errors.Is(err, adapters.ErrLost) {
		d.Errorf("%s: Begin got %v, want ErrLost", what, err)
	}
	if err := d.s().Finish(context.Background(), due, adapters.Fate{}); !errors.Is(err, adapters.ErrLost) {
		d.Errorf("%s: Finish got %v, want ErrLost", what, err)
	}
}

func (d desk) dead(n int) []adapters.DeadLetter {
	d.Helper()
	letters, err := d.s().Dead(context.Background(), n)
	if err != nil {
		d.Fatalf("Dead: %v", err)
	}
	return letters
}

func addAndList(_ *testing.T, d desk) {
	mine := adapters.Person(spell("team", "me"))
	first, second, third := d.in(time.Hour, "1"), d.in(time.Minute, "2"), d.in(2*time.Hour, "3")
	second.Key, third.RRule = spell("private", "me"), "FREQ=DAILY"
	yours := d.in(3*time.Hour, "1") // the same id is another reminder elsewhere
	yours.Key = spell("team", "you")
	d.add(first, second, third, yours)
	for range 2 {
		changed := first
		changed.At, changed.Target = changed.At.Add(time.Hour), "changed"
		d.add(changed)
	}
	if got, want := d.list(mine), []advisor.Reminder{second, first, third}; !reflect.DeepEqual(got, want) {
		d.Errorf("List of a person = %+v, want %+v", got, want)
	}
	if got, want := d.list(adapters.Room(first.Key)), []advisor.Reminder{first, third, yours}; !reflect.DeepEqual(got, want) {
		d.Errorf("List of a room = %+v, want %+v", got, want)
	}
	d.wantIDs("person:chat:bot:nobody", "")
	d.claim(9, 0)
}

func tooMany(_ *testing.T, d desk) {
	ctx := context.Background()
	for i := range adapters.MaxReminders {
		d.add(d.in(time.Hour, fmt.Sprint(i)))
	}
	if err := d.s().Add(ctx, d.in(time.Hour, "more")); !errors.Is(err, adapters.ErrTooMany) {
		d.Errorf("one more than %d: got %v, want ErrTooMany", adapters.MaxReminders, err)
	}
	d.add(d.in(time.Hour, "7")) // is there already
	other := d.in(time.Hour, "more")
	other.Key = spell("team", "you")
	d.add(other)
	if ok, err := d.s().Cancel(ctx, spell("team", "me"), "3"); !ok || err != nil {
		d.Fatalf("Cancel = %v, %v", ok, err)
	}
	d.add(d.in(time.Hour, "more"))
	if got := len(d.list(adapters.Person(spell("team", "me")))); got != adapters.MaxReminders {
		d.Errorf("got %d reminders, want %d", got, adapters.MaxReminders)
	}
}

func dueInOrder(_ *testing.T, d desk) {
	d.add(d.in(3*time.Second, "c"), d.in(time.Second, "a"), d.in(2*time.Second, "b"), d.in(time.Hour, "z"))
	d.claim(9, 0)
	d.Pass(time.Second)
	first := d.claim(9, 1)[0]
	if want := d.in(0, "a"); !reflect.DeepEqual(first.Reminder, want) || first.Attempt != 1 || first.Reached || first.Late != 0 {
		d.Errorf("Claim = %+v, want the first attempt at %+v, not late", first, want)
	}
	d.Pass(10 * time.Second)
	if due := d.claim(1, 1)[0]; due.Reminder.ID != "b" || due.Late != 9*time.Second {
		d.Errorf("Claim = %+v, want b, 9 s late", due)
	}
	if due := d.claim(9, 1)[0]; due.Reminder.ID != "c" || due.Late != 8*time.Second {
		d.Errorf("Claim = %+v, want c, 8 s late", due)
	}
	d.claim(9, 0)
}

func whenNext(_ *testing.T, d desk) {
	next := func(what string, n int, want time.Duration) {
		d.Helper()
		if _, got, err := d.s().Claim(context.Background(), n, 20*time.Second); got != want || err != nil {
			d.Errorf("%s: the next is due in %v, %v; want %v", what, got, err, want)
		}
	}
	next("nothing", 9, time.Minute)
	d.add(d.in(time.Hour, "a"))
	next("in an hour", 9, time.Minute)
	d.add(d.in(30*time.Second, "b"), d.in(30*time.Second, "c"))
	next("in half a minute", 9, 30*time.Second)
	d.Pass(35 * time.Second)
	next("one of two taken", 1, 0)
	next("both taken", 9, 20*time.Second)
	d.Pass(25 * time.Second)
	next("leases ran out", 0, 0)
}

func lease(_ *testing.T, d desk) {
	d.add(d.in(0, "a"))
	mine := d.claim(9, 1)[0]
	d.claim(9, 0)
	d.Pass(minute - time.Millisecond)
	d.claim(9, 0)
	d.Pass(time.Millisecond)
	theirs := d.claim(9, 1)[0]
	if theirs.Attempt != 2 || theirs.Token == mine.Token {
		d.Errorf("claimed again: got %+v, want attempt 2 with a token of its own", theirs)
	}
	d.lost("claimed by another", mine)
	d.begin(theirs)
	d.finish(theirs, adapters.Fate{})
	d.lost("done", theirs)
	d.Pass(time.Hour)
	d.claim(9, 0)
	d.wantIDs(adapters.Person(mine.Reminder.Key), "")
	d.lost("never claimed", adapters.Due{Reminder: d.in(0, "b")})
}

// lateButAlone: when nobody else has it, what was delivered is delivered.
func lateButAlone(_ *testing.T, d desk) {
	d.add(d.in(0, "a"), d.in(time.Hour, "b"))
	due := d.claim(9, 1)[0]
	d.Pass(2 * minute)
	if err := d.s().Begin(context.Background(), due, time.Second); !errors.Is(err, adapters.ErrLost) {
		d.Errorf("Begin after the lease: got %v, want ErrLost", err)
	}
	d.finish(due, adapters.Fate{})
	d.claim(9, 0)
	d.lost("without a token", adapters.Due{Reminder: d.in(0, "b")})
}

func begin(_ *testing.T, d desk) {
	ctx := context.Background()
	d.add(d.in(0, "a"))
	first := d.claim(9, 1)[0]
	d.Pass(minute - 10*time.Second)
	if err := d.s().Begin(ctx, first, 11*time.Second); !errors.Is(err, adapters.ErrLost) {
		d.Errorf("Begin with 10 s left for 11 s: got %v, want ErrLost", err)
	}
	d.Pass(10 * time.Second)
	second := d.claim(9, 1)[0]
	if second.Reached {
		d.Error("an attempt that did not begin counts as having reached the chat")
	}
	d.begin(second)
	d.Pass(minute)
	third := d.claim(9, 1)[0]
	if !third.Reached || third.Attempt != 3 {
		d.Errorf("after an attempt that began: got %+v, want attempt 3, reached", third)
	}
	d.begin(third)
	d.finish(third, adapters.Fate{})
}

func cancel(_ *testing.T, d desk) {
	ctx := context.Background()
	key := spell("team", "me")
	d.add(d.in(time.Second, "a"), d.in(time.Second, "b"), d.in(time.Second, "c"))
	d.Pass(time.Second)
	due := d.claim(1, 1)[0]
	for _, id := range []string{"a", "b"} {
		for i, want := range []bool{true, false} {
			if ok, err := d.s().Cancel(ctx, key, id); ok != want || err != nil {
				d.Errorf("Cancel(%s) time %d = %v, %v; want %v", id, i+1, ok, err, want)
			}
		}
	}
	d.lost("cancelled", due)
	if ok, err := d.s().Cancel(ctx, spell("team", "you"), "c"); ok || err != nil {
		d.Errorf("cancelling somebody else's = %v, %v; want nothing", ok, err)
	}
	d.wantIDs(adapters.Person(key), "c")
	d.wantIDs(adapters.Room(key), "c")
	d.Pass(time.Hour)
	if due := d.claim(9, 1)[0]; due.Reminder.ID != "c" {
		d.Errorf("claimed %s, want c", due.Reminder.ID)
	}
}

func retry(_ *testing.T, d desk) {
	d.add(d.in(0, "a"))
	due := d.claim(9, 1)[0]
	d.begin(due)
	d.finish(due, adapters.Fate{Retry: 5 * time.Second, Free: true})
	d.lost("given back", due)
	d.Pass(5*time.Second - time.Millisecond)
	d.claim(9, 0)
	d.Pass(time.Millisecond)
	due = d.claim(9, 1)[0]
	if due.Attempt != 1 || due.Reached || due.Late != 5*time.Second {
		d.Errorf("after a free retry: got %+v, want attempt 1, not reached, 5 s late", due)
	}
	d.begin(due)
	d.finish(due, adapters.Fate{Retry: 5 * time.Second})
	d.Pass(5 * time.Second)
	if due = d.claim(9, 1)[0]; due.Attempt != 2 || !due.Reached {
		d.Errorf("after a retry: got %+v, want attempt 2, reached", due)
	}
}

func recurring(_ *testing.T, d desk) {
	r := d.in(time.Second, "a")
	r.RRule = "FREQ=DAILY"
	d.add(r)
	d.Pass(time.Second)
	due := d.claim(9, 1)[0]
	d.begin(due)
	next := r
	next.At = r.At.Add(day)
	d.finish(due, adapters.Fate{Next: next.At})
	d.lost("moved on", due)
	if got := d.list(adapters.Person(r.Key)); !reflect.DeepEqual(got, []advisor.Reminder{next}) {
		d.Errorf("List = %+v, want %+v", got, next)
	}
	d.claim(9, 0)
	d.Pass(day)
	if due := d.claim(9, 1)[0]; due.Attempt != 1 || due.Reached || due.Late != 0 || !due.Reminder.At.Equal(next.At) {
		d.Errorf("the next occurrence = %+v, want a first attempt at %v", due, next.At)
	}
}

func deadLetters(_ *testing.T, d desk) {
	mine := adapters.Person(spell("team", "me"))
	want := []adapters.DeadLetter{}
	for i := range 5 {
		r := d.in(0, fmt.Sprint(i))
		d.add(r)
		due := d.claim(9, 1)[0]
		d.finish(due, adapters.Fate{Dead: "被拉黑 blocked"})
		d.lost("dead", due)
		want = append(want, adapters.DeadLetter{Reminder: r, Attempts: 1, Reason: "被拉黑 blocked", At: d.Now().UTC()})
		d.Pass(time.Second)
	}
	slices.Reverse(want)
	if got := d.dead(9); !reflect.DeepEqual(got, want) {
		d.Errorf("Dead = %+v, want %+v", got, want)
	}
	if got := d.dead(2); !reflect.DeepEqual(got, want[:2]) {
		d.Errorf("Dead(2) = %+v, want the latest two", got)
	}
	d.add(d.in(0, "3")) // stays dead
	d.Pass(time.Hour)
	d.claim(9, 0)
	d.wantIDs(mine, "")
	d.wantIDs(adapters.Room(spell("team", "me")), "")
	for i := range adapters.MaxReminders { // the dead take no room
		d.add(d.in(time.Hour, fmt.Sprint("new ", i)))
	}
	if ok, err := d.s().Cancel(context.Background(), spell("team", "me"), "2"); ok || err != nil {
		d.Errorf("cancelling the dead = %v, %v; want nothing", ok, err)
	}
	if err := d.s().Forget(context.Background(), mine); err != nil {
		d.Fatalf("Forget: %v", err)
	}
	if got := d.dead(9); len(got) != 0 {
		d.Errorf("Dead after Forget = %+v, want none", got)
	}
}

// buryAndRevive: a room that is gone takes all its reminders with it, and
// brings those back that it is asked for.
func buryAndRevive(_ *testing.T, d desk) {
	ctx := context.Background()
	room, mine := adapters.Room(spell("team", "me")), adapters.Person(spell("team", "me"))
	other := d.in(time.Hour, "other")
	other.Key = spell("private", "me")
	yours := d.in(2*time.Hour, "yours")
	yours.Key = spell("team", "you")
	d.add(d.in(0, "past"), d.in(time.Second, "claimed"), d.in(time.Hour, "soon"), other, yours)
	d.finish(d.claim(1, 1)[0], adapters.Fate{Dead: "undeliverable"})
	d.Pass(time.Second)
	due := d.claim(1, 1)[0]
	for _, want := range []int{3, 0} {
		if n, err := d.s().Bury(ctx, room, "gone"); n != want || err != nil {
			d.Errorf("Bury = %d, %v; want %d", n, err, want)
		}
	}
	d.lost("buried", due)
	d.wantIDs(mine, "other")
	d.wantIDs(room, "")
	d.Pass(3 * time.Hour)
	d.finish(d.claim(9, 1)[0], adapters.Fate{}) // the one in the other room
	if got := d.dead(9); len(got) != 4 || got[0].Reason != "gone" || got[0].Attempts > 1 {
		d.Errorf("Dead = %+v, want four, three of them gone", got)
	}
	later := d.Now().Add(time.Hour).Truncate(time.Millisecond).UTC()
	when := func(r advisor.Reminder) time.Time {
		switch r.ID {
		case "soon":
			return r.At
		case "yours":
			return later
		}
		return time.Time{}
	}
	for _, want := range []int{2, 0} {
		if n, err := d.s().Revive(ctx, room, "gone", when); n != want || err != nil {
			d.Errorf("Revive = %d, %v; want %d", n, err, want)
		}
	}
	d.wantIDs(room, "soon yours")
	if got := d.claim(9, 1)[0]; got.Reminder.ID != "soon" || got.Attempt != 1 || got.Reached || got.Late < time.Hour {
		d.Errorf("claimed %+v, want the first attempt at the one that was missed", got)
	}
	d.Pass(time.Hour)
	if got := d.claim(9, 2); !slices.ContainsFunc(got, func(one adapters.Due) bool { return one.Reminder.At.Equal(later) && one.Late == 0 }) {
		d.Errorf("claimed %+v, want the other at its new time", got)
	}
	if got := d.dead(9); len(got) != 2 {
		d.Errorf("Dead = %+v, want the two that nobody asked for", got)
	}
}

func forgetPerson(_ *testing.T, d desk) {
	d.add(d.in(0, "a"), d.in(time.Hour, "b"))
	other := d.in(0, "a")
	other.Key = spell("team", "you")
	elsewhere := d.in(0, "c")
	elsewhere.Key = spell("private", "me")
	d.add(other, elsewhere)
	due := d.claim(1, 1)[0]
	for range 2 {
		if err := d.s().Forget(context.Background(), adapters.Person(spell("team", "me"))); err != nil {
			d.Fatalf("Forget: %v", err)
		}
	}
	if adapters.Person(due.Reminder.Key) == adapters.Person(spell("team", "me")) {
		d.lost("forgotten", due)
	}
	d.wantIDs(adapters.Person(spell("team", "me")), "")
	d.wantIDs(adapters.Room(spell("team", "me")), "a")
	d.Pass(2 * time.Hour)
	if due := d.claim(9, 1)[0]; !reflect.DeepEqual(due.Reminder, other) {
		d.Errorf("claimed %+v, want what is left: %+v", due.Reminder, other)
	}
	d.add(d.in(time.Hour, "a"))
	d.wantIDs(adapters.Person(spell("team", "me")), "a")
}

func whateverIsSaid(_ *testing.T, d desk) {
	var want []advisor.Reminder
	for i, text := range Texts {
		r := d.in(time.Duration(i)*time.Second, fmt.Sprintf("消息:%d", i))
		r.Key, r.Target, r.Action = spell("}房间{", "👩‍🔬:\n"), text, "other"
		want = append(want, r)
	}
	d.add(want...)
	if got := d.list(adapters.Person(want[0].Key)); !reflect.DeepEqual(got, want) {
		d.Errorf("List = %.500v, want %.500v", got, want)
	}
	d.Pass(time.Hour)
	for i, due := range d.claim(len(want), len(want)) {
		if !reflect.DeepEqual(due.Reminder, want[i]) {
			d.Errorf("reminder %d came back as %.200v, want %.200v", i, due.Reminder, want[i])
		}
		d.finish(due, adapters.Fate{})
	}
}

func nobodyWaits(_ *testing.T, d desk) {
	ctx, stop := context.WithCancel(context.Background())
	stop()
	s, r := d.s(), d.in(0, "a")
	_, cancel := s.Cancel(ctx, r.Key, r.ID)
	_, list := s.List(ctx, me)
	_, _, claim := s.Claim(ctx, 9, minute)
	_, dead := s.Dead(ctx, 9)
	for call, err := range map[string]error{
		"Add": s.Add(ctx, r), "Cancel": cancel, "List": list, "Claim": claim, "Dead": dead, "Forget": s.Forget(ctx, me),
		"Begin": s.Begin(ctx, adapters.Due{Reminder: r}, 0), "Finish": s.Finish(ctx, adapters.Due{Reminder: r}, adapters.Fate{}),
	} {
		if !errors.Is(err, context.Canceled) {
			d.Errorf("%s with a cancelled context: got %v, want context.Canceled", call, err)
		}
	}
	d.claim(9, 0)
}

// manyClaimers: each of many due reminders goes to one claimer.
func manyClaimers(_ *testing.T, d desk) {
	const people, each, claimers = 40, 5, 8
	for p := range people {
		for i := range each {
			r := d.in(0, fmt.Sprint(i))
			r.Key = spell("team", fmt.Sprint("user ", p))
			d.add(r)
		}
	}
	var mu sync.Mutex
	got := map[string]int{}
	var wg sync.WaitGroup
	for range claimers {
		wg.Go(func() {
			for {
				due, _, err := d.s().Claim(context.Background(), 7, minute)
				if err != nil {
					d.Errorf("Claim: %v", err)
				}
				if len(due) > 7 {
					d.Errorf("Claim(7) took %d", len(due))
				}
				if len(due) == 0 {
					return
				}
				for _, one := range due {
					mu.Lock()
					got[fmt.Sprint(one.Reminder.Key, one.Reminder.ID)]++
					mu.Unlock()
					if err := d.s().Finish(context.Background(), one, adapters.Fate{}); err != nil {
						d.Errorf("Finish: %v", err)
					}
				}
			}
		})
	}
	wg.Wait()
	for id, n := range got {
		if n != 1 {
			d.Errorf("%s was claimed %d times, want once", id, n)
		}
	}
	if len(got) != people*each {
		d.Errorf("%d reminders were claimed, want %d", len(got), people*each)
	}
}

// modelled is what the model knows of one reminder.
type modelled struct {
	r        advisor.Reminder
	due      time.Time
	attempts int
	reached  bool
	token    string
	dead     bool
}

// remindersLikeTheModel plays random calls against the store and a map.
func remindersLikeTheModel(t *testing.T, open func(t *testing.T) Place) {
	d := desk{t, open(t)}
	run := 0
	rapid.Check(t, func(r *rapid.T) {
		run++
		ctx := context.Background()
		defer func(run int) { // the next run starts with nothing due, however this one ends
			for who := range 2 {
				if err := d.s().Forget(ctx, adapters.Person(spell("team", fmt.Sprint(run, ".", who)))); err != nil {
					t.Errorf("Forget: %v", err)
				}
			}
		}(run)
		model := map[string]*modelled{}
		var claims []adapters.Due
		of := func(d adapters.Due) *modelled { return model[fmt.Sprint(d.Reminder.Key, d.Reminder.ID)] }
		draw := func(r *rapid.T) advisor.Reminder {
			one := d.in(time.Duration(rapid.IntRange(-100, 100).Draw(r, "due"))*time.Second, fmt.Sprint(rapid.IntRange(0, 9).Draw(r, "id")))
			one.Key = spell("team", fmt.Sprint(run, ".", rapid.IntRange(0, 1).Draw(r, "who")))
			return one
		}
		r.Repeat(map[string]func(*rapid.T){
			"add": func(r *rapid.T) {
				one := draw(r)
				id := fmt.Sprint(one.Key, one.ID)
				if model[id] == nil {
					model[id] = &modelled{r: one, due: one.At}
				}
				if err := d.s().Add(ctx, one); err != nil {
					r.Fatalf("Add: %v", err)
				}
			},
			"cancel": func(r *rapid.T) {
				one := draw(r)
				id := fmt.Sprint(one.Key, one.ID)
				want := model[id] != nil && !model[id].dead
				if got, err := d.s().Cancel(ctx, one.Key, one.ID); got != want || err != nil {
					r.Fatalf("Cancel = %v, %v; want %v", got, err, want)
				}
				if want {
					delete(model, id)
				}
			},
			"pass": func(r *rapid.T) { d.Pass(time.Duration(rapid.IntRange(1, 100).Draw(r, "seconds")) * time.Second) },
			"claim": func(r *rapid.T) {
				n := rapid.IntRange(0, 5).Draw(r, "n")
				waiting := 0
				for _, m := range model {
					if !m.dead && !m.due.After(d.Now()) {
						waiting++
					}
				}
				due, _, err := d.s().Claim(ctx, n, minute)
				if err != nil || len(due) != min(n, waiting) {
					r.Fatalf("Claim(%d) got %d, %v; want %d", n, len(due), err, min(n, waiting))
				}
				for _, one := range due {
					m := of(one)
					if m == nil || m.dead || m.due.After(d.Now()) {
						r.Fatalf("claimed %+v, which is not due: %+v", one, m)
					}
					m.attempts++
					m.token, m.due = one.Token, d.Now().Add(minute)
					want := adapters.Due{Reminder: m.r, Attempt: m.attempts, Reached: m.reached, Late: d.Now().Sub(m.r.At), Token: one.Token}
					if !reflect.DeepEqual(one, want) {
						r.Fatalf("claimed %+v, want %+v", one, want)
					}
				}
				claims = append(claims, due...)
			},
			"begin": func(r *rapid.T) {
				if len(claims) == 0 {
					r.Skip()
				}
				one := rapid.SampledFrom(claims).Draw(r, "claim")
				m := of(one)
				ok := m != nil && !m.dead && m.token == one.Token && !d.Now().Add(10*time.Second).After(m.due)
				if err := d.s().Begin(ctx, one, 10*time.Second); (err == nil) != ok {
					r.Fatalf("Begin of %+v (%+v at %v): got %v, want ok %v", one, m, d.Now(), err, ok)
				}
				if ok {
					m.reached = true
				}
			},
			"finish": func(r *rapid.T) {
				if len(claims) == 0 {
					r.Skip()
				}
				one := rapid.SampledFrom(claims).Draw(r, "claim")
				fate := rapid.SampledFrom([]adapters.Fate{
					{}, {Dead: "gone"}, {Next: d.Now().Add(time.Hour).Truncate(time.Millisecond).UTC()},
					{Retry: 7 * time.Second}, {Retry: 7 * time.Second, Free: true},
				}).Draw(r, "fate")
				m := of(one)
				ok := m != nil && !m.dead && m.token == one.Token
				if err := d.s().Finish(ctx, one, fate); (err == nil) != ok {
					r.Fatalf("Finish of %+v (%+v): got %v, want ok %v", one, m, err, ok)
				}
				if !ok {
					return
				}
				m.token = ""
				switch {
				case fate.Dead != "":
					m.dead = true
				case fate.Free:
					m.due, m.attempts, m.reached = d.Now().Add(fate.Retry), one.Attempt-1, one.Reached
				case fate.Retry > 0:
					m.due = d.Now().Add(fate.Retry)
				case !fate.Next.IsZero():
					m.r.At, m.due, m.attempts, m.reached = fate.Next, fate.Next, 0, false
				default:
					delete(model, fmt.Sprint(one.Reminder.Key, one.Reminder.ID))
				}
			},
			"list": func(r *rapid.T) {
				key := draw(r).Key
				var want []advisor.Reminder
				for _, m := range model {
					if m.r.Key == key && !m.dead {
						want = append(want, m.r)
					}
				}
				slices.SortFunc(want, func(a, b advisor.Reminder) int { return cmp.Or(a.At.Compare(b.At), cmp.Compare(a.ID, b.ID)) })
				got, err := d.s().List(ctx, adapters.Person(key))
				if err != nil || len(got) != len(want) || len(want) > 0 && !reflect.DeepEqual(got, want) {
					r.Fatalf("List(%s) = %+v, %v; want %+v", key, got, err, want)
				}
			},
		})
	})
}
