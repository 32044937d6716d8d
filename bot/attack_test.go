package main

import (
	"context"
	"fmt"
	"reflect"
	"strings"
	"testing"
	"time"

	"gpuadvisor/adapters"
	"gpuadvisor/adapters/memory"
	"gpuadvisor/advisor"
)

// attack_test.go is somebody in a group who means no good, and writes and taps
// what others may. What a button carries is text that anybody can make up, so a
// forged tap is one more way to write an order.

// stage is a desk with the real advisor, over a store of its own.
type stage struct {
	*desk
	t     *testing.T
	store adapters.Store
	n     int
}

func newStage(t *testing.T) *stage {
	a, store := knowing(t), memory.Open(time.Now)
	d := deskOver(store)
	d.answer, d.plan, d.reports = a.Answer, a.Plan, &reports{settings: store.Settings()}
	d.reload = func(context.Context, *advisor.Done) { t.Error("somebody who runs nothing has the rules read again") }
	return &stage{desk: d, t: t, store: store}
}

// does plays a message, or a tap, of somebody in a room.
func (s *stage) does(room, user string, kind advisor.Kind, text string) string {
	s.t.Helper()
	s.n++
	m := advisor.Message{
		ID: fmt.Sprint(s.n), Key: adapters.Key("telegram", "1", room, "", user), Kind: kind, Lang: "en", At: time.Now(), Addressed: true,
		Actor: advisor.Actor{ID: user, Name: user},
	}
	if kind == advisor.KindChoice {
		m.Choice = text
	} else {
		m.Text = text
	}
	var said string
	s.Turn(s.t.Context(), m, func(_ context.Context, r advisor.Reply) error { said = r.Plain(); return nil })
	if said == "" || strings.Contains(said, words["sorry"]["en"]) {
		s.t.Errorf("%s of %s: got %q", text, user, said)
	}
	return said
}

// kept is everything that somebody, and a room, have in the store.
func (s *stage) kept(owners ...adapters.Owner) map[string]any {
	all := map[string]any{}
	for _, of := range owners {
		records, err := s.store.Settings().List(s.t.Context(), of)
		if err != nil {
			s.t.Fatal(err)
		}
		list, err := s.store.Reminders().List(s.t.Context(), of)
		if err != nil {
			s.t.Fatal(err)
		}
		all[string(of)+" records"], all[string(of)+" reminders"] = records, list
	}
	return all
}

// TestStranger: nobody changes what is another's, whoever's id they know and
// wherever they say it.
func TestStranger(t *testing.T) {
	const group = "-100500"
	s := newStage(t)
	s.does(group, "ann", "", "/release 4090 on AutoDL until in 30 hours")
	s.does(group, "ann", "", "/remind tomorrow 17:00 stop the pod")
	ann := adapters.Key("telegram", "1", group, "", "ann")
	list, err := s.store.Reminders().List(t.Context(), adapters.Person(ann))
	if err != nil {
		t.Fatal(err)
	}
	reminder, rental := "", ""
	for _, r := range list {
		if r.Rental != "" {
			rental = "#" + r.Rental
		} else {
			reminder = "#" + r.ID
		}
	}
	if reminder == "" || rental == "" {
		t.Fatalf("waiting: %+v; want a reminder and those of a rental", list)
	}
	s.does("eve", "eve", "", "/release 3090 on AutoDL until in 20 hours") // her own: she must not lose it over another's id
	eve := adapters.Person(adapters.Key("telegram", "1", "eve", "", "eve"))
	before := s.kept(adapters.Person(ann), adapters.Room(ann), everybody, eve)
	orders := []string{
		"/remind cancel " + reminder, "/remind cancel 1", "/remind cancel 2", "/remind cancel all", "/remind snooze " + reminder + " 1h", "/remind edit " + reminder + " tomorrow 9am", "cancel reminder 1",
		"/price 4090 1.5 yuan", "/price group 4090 1.5 yuan", "/price everybody 4090 1.5 yuan", "/admin reload", "/group en", "/group USD",
	}
	for _, way := range []string{"show", "tick", "untick", "yes", "no", "go", "anyway", "later", "edit", "drop", "unbilled", "save"} {
		orders = append(orders, "/release "+way+" "+rental, "/release "+way+" "+rental+" save", "/release "+way+" "+rental+" tomorrow 20:00")
	}
	for _, order := range orders {
		for _, kind := range []advisor.Kind{advisor.KindText, advisor.KindChoice} {
			for _, room := range []string{group, "-100999"} {
				said := s.does(room, "eve", kind, order)
				if got := s.kept(adapters.Person(ann), adapters.Room(ann), everybody, eve); !reflect.DeepEqual(got, before) {
					t.Fatalf("%s (%s) in %s: what is kept changed\ngot  %v\nwant %v\nanswer %q", order, kind, room, got, before, said)
				}
				if strings.Contains(said, "4090") && !strings.Contains(order, "4090") && room != group {
					t.Errorf("%s in another room tells of it: %q", order, said)
				}
			}
		}
	}
	for order, want := range map[string]string{
		"/release tick " + rental + " save": "somebody else's machine", "/release go #nobodys": "No machine of yours", "/remind cancel " + reminder: "somebody else's reminder",
	} {
		if said := s.does(group, "eve", "", order); !strings.Contains(said, want) {
			t.Errorf("%s: got %q, want %q in it", order, said, want)
		}
	}
}

// TestHugeMessages: whatever comes in a file of the longest size that is taken
// is answered. What grows with the square of it would not be, in this life.
func TestHugeMessages(t *testing.T) {
	a := knowing(t)
	units := []string{"两天", "4090 $1/h 3 days, ", "16:00 ", "RTX 4091 ", "\u202e\u200b👩‍👩‍👧", "e\u0301\u0301", "(", "1."}
	for i, command := range []string{"/cost ", "/release ", "/remind ", "/vram ", "remind me ", "", "/gpu ", "/price ", "/diagnose ", "/settings "} {
		unit := units[i%len(units)]
		m := advisor.Message{ID: "1", Key: mePrivate, Text: command + strings.Repeat(unit, 1<<20/len(unit)), Lang: "en", At: time.Now(), Addressed: true}
		_, r, _ := a.Answer(advisor.Known{Looked: true}, m)
		if got := r.Plain(); got == "" || len(got) > 8000 {
			t.Errorf("%q and a megabyte of %q: an answer of %d bytes", command, unit, len(got))
		}
	}
}

// TestReportFlood: one person cannot push out what everybody else has reported.
func TestReportFlood(t *testing.T) {
	s := newStage(t)
	report := func(user string) string {
		s.does(user, user, "", "LoRA fine-tune of a 7B model, which card?")
		return s.does(user, user, "", "/report that is wrong")
	}
	first := report("ann")
	last := ""
	for range reportsADay + 5 {
		last = report("eve")
	}
	if last == first || !strings.Contains(last, "tomorrow") {
		t.Errorf("after %d reports: %q, want that it is enough for today", reportsADay+5, last)
	}
	if again := report("bob"); again != first {
		t.Errorf("somebody else is told %q, want %q", again, first)
	}
	list, err := s.reports.list(t.Context())
	if err != nil || len(list) != reportsADay+2 {
		t.Errorf("kept %d, %v; want %d of one and one of each other", len(list), err, reportsADay)
	}
}
