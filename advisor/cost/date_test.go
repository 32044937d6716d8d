package cost

import (
	"testing"
	"time"
)

func TestParseDate(t *testing.T) {
	for in, want := range map[string]Date{
		"2026-03":    {2026, time.March, 0},
		"2026-11-30": {2026, time.November, 30},
		"2024-02-29": {2024, time.February, 29},
	} {
		got, err := ParseDate(in)
		if got != want || err != nil || got.String() != in {
			t.Errorf("ParseDate(%q) = %v, %v; want %v", in, got, err, want)
		}
	}
	for _, in := range []string{"", "2026", "2026-13", "2026-02-30", "26-03", "2026/03", "1999-01", "2026-3", "March 2026"} {
		if got, err := ParseDate(in); codeOf(err) != BadDate || !got.IsZero() {
			t.Errorf("ParseDate(%q) = %v, %v; want bad_date", in, got, err)
		}
	}
}

// Fresh to 30 days, ageing to 60, stale beyond (decision table 6, K11). A month
// counts from its first day.
func TestAgeOf(t *testing.T) {
	now := time.Date(2026, 11, 30, 23, 59, 0, 0, time.FixedZone("CST", 8*3600))
	for _, c := range []struct {
		asOf  string
		days  int
		want  Age
		ranks bool
	}{
		{"2026-11-30", 0, Fresh, true},
		{"2026-10-31", 30, Fresh, true},
		{"2026-10-30", 31, Ageing, true},
		{"2026-10-01", 60, Ageing, true},
		{"2026-09-30", 61, Stale, false},
		{"2026-11", 29, Fresh, true},
		{"2026-10", 60, Ageing, true},
		{"2026-09", 90, Stale, false},
		{"2026-03", 274, Stale, false}, // the seed's prices
		{"2026-12-01", -1, Fresh, true},
		{"2026-12-02", -2, None, false},
		{"", 0, None, false},
	} {
		var d Date
		if err := d.UnmarshalText([]byte(c.asOf)); err != nil {
			t.Fatalf("%q: %v", c.asOf, err)
		}
		if got := AgeOf(d, now); got != c.want || got.Ranks() != c.ranks {
			t.Errorf("AgeOf(%q) = %s, ranks %v; want %s, %v", c.asOf, got, got.Ranks(), c.want, c.ranks)
		}
		if !d.IsZero() && d.DaysAt(now) != c.days {
			t.Errorf("%q is %d days old, want %d", c.asOf, d.DaysAt(now), c.days)
		}
	}
}
