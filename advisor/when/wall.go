package when

import "time"

// Wall returns the instant at which a clock in zone shows that time. It is the
// only place where wall time becomes an instant; time.Date is not enough,
// because it answers a time that does not exist with one that may be an hour
// early.
//
// A time in a gap (the clock is put forward over it) moves forward by the gap's
// length: 02:30 becomes 03:30. A time that comes twice (the clock is put back)
// is the first one. Values out of range carry over as in time.Date, so hour 24
// is midnight at the end of the day. A nil zone is UTC.
func Wall(y int, m time.Month, d, h, min int, zone *time.Location) time.Time {
	t, _, _ := wall(y, m, d, h, min, zone)
	return t
}

// wall also returns the second instant, if the time comes twice, and whether
// the time exists at all.
func wall(y int, m time.Month, d, h, min int, zone *time.Location) (first, second time.Time, exists bool) {
	if zone == nil {
		zone = time.UTC
	}
	want := time.Date(y, m, d, h, min, 0, 0, time.UTC) // the same figures, where they always exist
	t := time.Date(y, m, d, h, min, 0, 0, zone)
	if off := shown(t).Sub(want); off != 0 {
		if off < 0 { // before the gap, reckoned with the offset after it
			t = t.Add(-off)
		}
		return t, time.Time{}, false
	}
	start, end := t.ZoneBounds()
	if !start.IsZero() {
		if e := other(t, start.Add(-time.Second), want); e.Before(start) && shown(e).Equal(want) {
			return e, t, true
		}
	}
	if !end.IsZero() {
		if e := other(t, end, want); !e.Before(end) && shown(e).Equal(want) {
			return t, e, true
		}
	}
	return t, time.Time{}, true
}

// shown returns what the clock shows at t, as if it were UTC.
func shown(t time.Time) time.Time {
	_, offset := t.Zone()
	return t.UTC().Add(time.Duration(offset) * time.Second)
}

// other returns the instant of the figures want under the offset in force at ref.
func other(t, ref, want time.Time) time.Time {
	_, offset := ref.Zone()
	return want.Add(-time.Duration(offset) * time.Second).In(t.Location())
}

// in returns the calendar date of t in zone.
func in(t time.Time, zone *time.Location) date {
	y, m, d := t.In(zone).Date()
	return date{y, m, d}
}

// plus returns the date n days later.
func (d date) plus(n int) date {
	y, m, dd := time.Date(d.y, d.m, d.d+n, 0, 0, 0, 0, time.UTC).Date()
	return date{y, m, dd}
}

// plusMonths returns the same day n months later, or the month's last day where
// it has no such day: one month after January 31 is February 28.
func (d date) plusMonths(n int) date {
	first := date{d.y, d.m, 1}
	y, m, _ := time.Date(first.y, first.m+time.Month(n), 1, 0, 0, 0, 0, time.UTC).Date()
	return date{y, m, min(d.d, daysIn(y, m))}
}

func (d date) weekday() time.Weekday {
	return time.Date(d.y, d.m, d.d, 0, 0, 0, 0, time.UTC).Weekday()
}

// number counts days from a fixed one.
func (d date) number() int {
	return int(time.Date(d.y, d.m, d.d, 0, 0, 0, 0, time.UTC).Unix() / 86400)
}

// monday returns the first day of the date's calendar week.
func (d date) monday() date { return d.plus(-(int(d.weekday()) + 6) % 7) }

func (d date) before(e date) bool { return d.number() < e.number() }

func (d date) valid() bool {
	return d.m >= 1 && d.m <= 12 && d.d >= 1 && d.d <= daysIn(d.y, d.m)
}

func daysIn(y int, m time.Month) int {
	return time.Date(y, m+1, 0, 0, 0, 0, 0, time.UTC).Day()
}
