package when

import (
	"testing"
	"time"

	"pgregory.net/rapid"
)

func TestWall(t *testing.T) {
	for _, c := range []struct {
		zone string
		wall [5]int
		want string
		why  string
	}{
		{"America/New_York", [5]int{2026, 3, 8, 2, 30}, "2026-03-08T07:30:00Z", "gap: 03:30 EDT, not 01:30 as time.Date has it"},
		{"America/New_York", [5]int{2026, 3, 8, 2, 0}, "2026-03-08T07:00:00Z", "first minute of the gap"},
		{"America/New_York", [5]int{2026, 3, 8, 1, 59}, "2026-03-08T06:59:00Z", "last minute before it"},
		{"America/New_York", [5]int{2026, 3, 8, 3, 0}, "2026-03-08T07:00:00Z", "first minute after it"},
		{"America/New_York", [5]int{2026, 11, 1, 1, 30}, "2026-11-01T05:30:00Z", "overlap: the first, EDT"},
		{"America/New_York", [5]int{2026, 11, 1, 2, 0}, "2026-11-01T07:00:00Z", "after the overlap"},
		{"Europe/London", [5]int{2026, 3, 29, 1, 30}, "2026-03-29T01:30:00Z", "gap"},
		{"Europe/London", [5]int{2026, 10, 25, 1, 30}, "2026-10-25T00:30:00Z", "overlap"},
		{"Australia/Lord_Howe", [5]int{2026, 10, 4, 2, 15}, "2026-10-03T15:45:00Z", "gap of half an hour: 02:45"},
		{"Pacific/Apia", [5]int{2011, 12, 30, 10, 0}, "2011-12-30T20:00:00Z", "a whole day that was left out: the day after"},
		{"Africa/Cairo", [5]int{2026, 4, 24, 0, 30}, "2026-04-23T22:30:00Z", "gap at midnight: 01:30"},
		{"Asia/Shanghai", [5]int{2026, 12, 31, 24, 0}, "2026-12-31T16:00:00Z", "hour 24"},
		{"Asia/Shanghai", [5]int{2026, 2, 30, 9, 0}, "2026-03-02T01:00:00Z", "out of range carries over"},
	} {
		w := c.wall
		got := Wall(w[0], time.Month(w[1]), w[2], w[3], w[4], load(t, c.zone)).UTC().Format(time.RFC3339)
		if got != c.want {
			t.Errorf("%s %v: got %s, want %s (%s)", c.zone, w, got, c.want, c.why)
		}
	}
	if got := Wall(2026, 1, 1, 0, 0, nil); !got.Equal(time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)) {
		t.Errorf("nil zone: got %s, want UTC", got)
	}
}

var someZones = []string{
	"UTC", "Asia/Shanghai", "America/New_York", "America/St_Johns", "Europe/London", "Africa/Cairo", "Asia/Kolkata",
	"Australia/Lord_Howe", "Pacific/Apia", "America/Santiago", "Asia/Kathmandu",
}

// TestWallProperty: the instant shows the figures asked for, or later ones in a
// gap; and no earlier instant shows them.
func TestWallProperty(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		zone, err := time.LoadLocation(rapid.SampledFrom(someZones).Draw(t, "zone"))
		if err != nil {
			t.Fatal(err)
		}
		want := time.Unix(rapid.Int64Range(1_000_000_000, 2_500_000_000).Draw(t, "t")/60*60, 0).UTC()
		got := Wall(want.Year(), want.Month(), want.Day(), want.Hour(), want.Minute(), zone)
		if s := shown(got); s.Before(want) {
			t.Fatalf("%s in %s: got %s, which shows less", want, zone, got)
		} else if s.Equal(want) {
			for _, back := range []time.Duration{30 * time.Minute, time.Hour, 2 * time.Hour, 24 * time.Hour} {
				if e := got.Add(-back); shown(e.In(zone)).Equal(want) {
					t.Fatalf("%s in %s: got %s, but %s is earlier", want, zone, got, e)
				}
			}
		} else if e := time.Date(want.Year(), want.Month(), want.Day(), want.Hour(), want.Minute(), 0, 0, zone); shown(e).Equal(want) {
			t.Fatalf("%s in %s: got %s, but the time exists: %s", want, zone, got, e)
		}
	})
}
