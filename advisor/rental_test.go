package advisor

import (
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"gpuadvisor/advisor/cost"
)

// planned writes a plan as kinds with the time before the end.
func planned(r Rental, list []Reminder) string {
	var out []string
	for _, p := range list {
		out = append(out, p.Kind+" "+r.End.Sub(p.At).String())
	}
	return strings.Join(out, ", ")
}

func TestPlan(t *testing.T) {
	book := &Rulebook{Retentions: []Retention{{ID: "ten", StopDays: 10, Scratch: []Scratch{{"/tmp", 24}}}}}
	now := time.Date(2026, 3, 7, 10, 0, 0, 0, time.UTC)
	in := func(d time.Duration) time.Time { return now.Add(d) }
	for name, c := range map[string]struct {
		r    Rental
		want string
	}{
		"all leads":        {Rental{How: "hour", End: in(48 * time.Hour)}, "lead 24h0m0s, lead 2h0m0s, lead 15m0s, hour 0s"},
		"those ahead":      {Rental{How: "hour", End: in(90 * time.Minute)}, "lead 15m0s, hour 0s"},
		"the hour alone":   {Rental{How: "hour", End: in(10 * time.Minute)}, "hour 0s"},
		"own leads":        {Rental{How: "hour", End: in(48 * time.Hour), Leads: "180,30"}, "lead 3h0m0s, lead 30m0s, hour 0s"},
		"half a minute":    {Rental{How: "hour", End: in(48 * time.Hour), Leads: "30,0"}, "lead 30m0s, hour 0s"},
		"nothing is kept":  {Rental{How: "hour", End: in(72 * time.Hour), KeepHours: -1}, "lead 48h0m0s, lead 24h0m0s, lead 6h0m0s, lead 2h0m0s, lead 15m0s, hour 0s"},
		"a balance":        {Rental{How: "runway", End: in(3 * time.Hour)}, "lead 2h0m0s, lead 15m0s, hour 0s"},
		"15 days":          {Rental{How: "clock", Stopped: now, End: in(15 * 24 * time.Hour)}, "clock 180h0m0s, clock 72h0m0s, clock 24h0m0s"},
		"half is over":     {Rental{How: "clock", Stopped: in(-8 * 24 * time.Hour), End: in(7 * 24 * time.Hour)}, "clock 72h0m0s, clock 24h0m0s"},
		"the last hours":   {Rental{How: "clock", Stopped: in(-357 * time.Hour), End: in(3 * time.Hour)}, "clock 2h0m0s"},
		"the last minutes": {Rental{How: "clock", Stopped: in(-359 * time.Hour), End: in(time.Hour)}, "clock 15m0s"},
		"scratch":          {Rental{Platform: "ten", How: "clock", Stopped: now, End: in(240 * time.Hour)}, "scratch 228h0m0s, clock 120h0m0s, clock 48h0m0s, clock 24h0m0s"},
		"over":             {Rental{How: "hour", End: in(48 * time.Hour), State: "released"}, ""},
		"given up":         {Rental{How: "hour", End: in(48 * time.Hour), State: "dropped"}, ""},
	} {
		c.r.ID = "r"
		if got := planned(c.r, book.Plan(c.r, now)); got != c.want {
			t.Errorf("%s:\n got %s\nwant %s", name, got, c.want)
		}
	}
}

// TestRepeat goes on after the hour at 60, 90, 105, 120 … minutes, for a day.
func TestRepeat(t *testing.T) {
	end := time.Date(2026, 3, 7, 10, 0, 0, 0, time.UTC)
	r := Rental{ID: "r", How: "hour", End: end}
	said := Reminder{Kind: "hour", At: end}
	var got []time.Duration
	for next := r.Repeat(said, said.At); !next.IsZero(); next = r.Repeat(said, said.At) {
		got = append(got, next.Sub(end))
		said.At = next
	}
	want := []time.Duration{60 * time.Minute, 90 * time.Minute, 105 * time.Minute, 120 * time.Minute}
	if !slices.Equal(got[:4], want) || got[len(got)-1] > repeatFor || len(got) != 2+(24*60-90)/15 {
		t.Errorf("got %v, %d of them, the last after %v", got[:4], len(got), got[len(got)-1])
	}
	late := Reminder{Kind: "hour", At: end}
	if next := r.Repeat(late, end.Add(100*time.Minute)); next.Sub(end) != 105*time.Minute {
		t.Errorf("said late it comes again after %v, want 1h45m0s", next.Sub(end))
	}
	for _, over := range []Rental{{How: "hour", End: end, State: "released"}, {How: "hour", End: end, State: "dropped"}} {
		if !over.Repeat(said, end).IsZero() {
			t.Errorf("%+v goes on", over)
		}
	}
}

// TestTicks: actions are kept in their order, whatever the order of ticking, and
// ticking twice is ticking once.
func TestTicks(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		r, want := Rental{}, map[string]bool{}
		for range rapid.IntRange(0, 12).Draw(t, "ticks") {
			a, done := rapid.SampledFrom(actions).Draw(t, "action"), rapid.Bool().Draw(t, "done")
			r, want[a] = r.With(a, done), done
		}
		for i, a := range actions {
			if r.Has(a) != want[a] || slices.Contains(r.Left(), a) == want[a] {
				t.Fatalf("%s: %q, want %v", a, r.Done, want)
			}
			if i > 0 && want[a] && want[actions[0]] && strings.Index(r.Done, a) < strings.Index(r.Done, actions[0]) {
				t.Fatalf("out of order: %q", r.Done)
			}
		}
	})
}

func TestRanFor(t *testing.T) {
	since := time.Date(2026, 3, 7, 10, 0, 0, 0, time.UTC)
	at := func(h int) time.Time { return since.Add(time.Duration(h) * time.Hour) }
	for _, c := range []struct {
		r    Rental
		now  int
		want int
	}{
		{Rental{Since: since}, 5, 5},
		{Rental{Since: since, Stopped: at(3)}, 5, 3},
		{Rental{Since: since, Ended: at(4)}, 9, 4},
		{Rental{Since: since, Stopped: at(3), Ended: at(8)}, 9, 3},
		{Rental{Since: at(7)}, 5, 0},
	} {
		if got := c.r.RanFor(at(c.now)); got != time.Duration(c.want)*time.Hour {
			t.Errorf("%+v after %d h: ran %v, want %d h", c.r, c.now, got, c.want)
		}
	}
	rent, band, ok := (&Rulebook{}).rentSoFar(Rental{Since: since, Price: 1.9, Currency: "CNY"}, at(10))
	if want, _ := cost.AmountOf(19); !ok || band != nil || rent.Likely != want {
		t.Errorf("ten hours at 1.90 are %+v", rent)
	}
}

// TestRefsFit: what comes back from a button is short enough for every chat, for
// the longest message id that one has.
func TestRefsFit(t *testing.T) {
	id := rentalID("discord/1234567890123456789/1234567890123456789")
	at := time.Date(2126, 3, 7, 10, 0, 0, 0, time.UTC)
	for _, ref := range []string{
		"/release unbilled #" + id, "/release tick #" + id + " download", "/release untick #" + id + " save", "/release later #" + id + " 1h",
		"/remind snooze #" + Rental{ID: id}.reminderID("hour", at) + " 1h", "/remind snooze #" + shortID("12345678901234567890123") + " 10m", "/remind cancel #" + Rental{ID: id}.reminderID("clock", at),
	} {
		if len(ref) > longestRef {
			t.Errorf("%q has %d bytes, want at most %d", ref, len(ref), longestRef)
		}
	}
	for rest, want := range map[string]string{"": "", "save": " save", "18:00": " 18:00", "tomorrow 18:00": "", "明天 18:00": ""} {
		if got := releaseRef("edit", Rental{ID: id}, rest); got != "/release edit #"+id+want {
			t.Errorf("the ref of an edit to %q is %q, want %q after the id", rest, got, want)
		}
	}
}
