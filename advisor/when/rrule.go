package when

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"
)

// Next returns the first occurrence of a rule after an instant, by the wall
// clock of zone: every day at nine stays at nine when the clocks change (Wall
// says what happens in a gap and in an overlap).
//
// It reads the rules that Parse writes: FREQ (MINUTELY to YEARLY), INTERVAL,
// BYDAY, BYMONTH, BYMONTHDAY, BYHOUR, BYMINUTE of RFC 5545,
// https://www.rfc-editor.org/rfc/rfc5545#section-3.3.10. A rule with anything
// else (COUNT, UNTIL, BYSETPOS …) is not guessed at: the answer is false, as it
// is when there is no such time.
//
// A day that a month lacks is the month's last day: BYMONTHDAY=31 fires on
// February 28. RFC 5545 would skip the month, and with it somebody's rent.
//
// A rule has no start of its own, so the steps of an INTERVAL count from after:
// give it the time the reminder was due, not the time it is now.
func Next(rrule string, after time.Time, zone *time.Location) (time.Time, bool) {
	if zone == nil {
		zone = time.UTC
	}
	r, ok := parseRule(rrule)
	if !ok {
		return time.Time{}, false
	}
	switch r.freq {
	case minutely, hourly:
		step := time.Minute
		if r.freq == hourly {
			step = time.Hour
		}
		return after.Add(time.Duration(r.interval) * step).UTC(), true
	}
	return r.next(after, in(after, zone), zone)
}

type rule struct {
	freq            freq
	interval        int
	byday           []nthDay
	month, monthday int
	hours, minutes  []int
}

// nthDay is a weekday, or with n the nth of the month (-1 the last).
type nthDay struct {
	n   int
	day time.Weekday
}

var freqNames = map[string]freq{"MINUTELY": minutely, "HOURLY": hourly, "DAILY": daily, "WEEKLY": weekly, "MONTHLY": monthly, "YEARLY": yearly}
var dayNames = []string{"SU", "MO", "TU", "WE", "TH", "FR", "SA"}

// maxInterval keeps the search below short.
const maxInterval = 1000

func parseRule(s string) (rule, bool) {
	r := rule{interval: 1}
	seen := map[string]bool{}
	for _, part := range strings.Split(strings.TrimPrefix(s, "RRULE:"), ";") {
		key, value, ok := strings.Cut(part, "=")
		if !ok || seen[key] || !r.set(key, value) {
			return rule{}, false
		}
		seen[key] = true
	}
	return r, r.sound()
}

func (r *rule) set(key, value string) (ok bool) {
	switch key {
	case "FREQ":
		r.freq, ok = freqNames[value]
	case "INTERVAL":
		r.interval, ok = between(value, 1, maxInterval)
	case "BYMONTH":
		r.month, ok = between(value, 1, 12)
	case "BYMONTHDAY":
		r.monthday, ok = between(value, -1, 31)
		ok = ok && r.monthday != 0
	case "BYHOUR":
		r.hours, ok = list(value, 23)
	case "BYMINUTE":
		r.minutes, ok = list(value, 59)
	case "BYDAY":
		for _, v := range strings.Split(value, ",") {
			d, fine := parseDay(v)
			if !fine {
				return false
			}
			r.byday = append(r.byday, d)
		}
		ok = true
	case "WKST":
		ok = value == "MO"
	}
	return ok
}

// sound reports whether the parts fit together.
func (r *rule) sound() bool {
	nth := slices.ContainsFunc(r.byday, func(d nthDay) bool { return d.n != 0 })
	switch r.freq {
	case minutely, hourly:
		return r.byday == nil && r.month == 0 && r.monthday == 0 && r.hours == nil && r.minutes == nil
	case daily:
		return r.byday == nil && r.month == 0 && r.monthday == 0
	case weekly:
		return !nth && r.month == 0 && r.monthday == 0
	case monthly:
		return r.month == 0 && (r.byday == nil || r.monthday == 0)
	case yearly:
		return r.byday == nil && (r.month == 0) == (r.monthday == 0)
	}
	return false
}

func between(s string, lo, hi int) (int, bool) {
	n, err := strconv.Atoi(s)
	return n, err == nil && n >= lo && n <= hi
}

func list(s string, hi int) (out []int, ok bool) {
	for _, v := range strings.Split(s, ",") {
		n, fine := between(v, 0, hi)
		if !fine {
			return nil, false
		}
		out = append(out, n)
	}
	slices.Sort(out)
	return out, true
}

func parseDay(s string) (nthDay, bool) {
	if len(s) < 2 {
		return nthDay{}, false
	}
	i := slices.Index(dayNames, s[len(s)-2:])
	d := nthDay{day: time.Weekday(i)}
	if n := s[:len(s)-2]; n != "" {
		var ok bool
		if d.n, ok = between(n, -1, 5); !ok || d.n == 0 {
			return d, false
		}
	}
	return d, i >= 0
}

// next walks the days from the one before anchor (a gap may have moved its
// time over midnight) until one has a time after the instant.
func (r *rule) next(after time.Time, anchor date, zone *time.Location) (time.Time, bool) {
	r.fill(after, anchor, zone)
	d := anchor.plus(-1)
	for range 366*r.longest() + 8 {
		if r.falls(d, anchor) {
			for _, h := range r.hours {
				for _, m := range r.minutes {
					if t := Wall(d.y, d.m, d.d, h, m, zone); t.After(after) {
						return t.UTC(), true
					}
				}
			}
		}
		d = d.plus(1)
	}
	return time.Time{}, false
}

// longest is the span of a search, in years.
func (r *rule) longest() int {
	switch r.freq {
	case yearly:
		return r.interval + 1
	case monthly:
		return r.interval/12 + 2 + 3*len(r.byday) // a fifth Monday may be months away
	}
	return r.interval/50 + 1
}

// fill takes what the rule leaves open from the occurrence it follows.
func (r *rule) fill(after time.Time, anchor date, zone *time.Location) {
	local := after.In(zone)
	if r.hours == nil {
		r.hours = []int{local.Hour()}
	}
	if r.minutes == nil {
		r.minutes = []int{local.Minute()}
	}
	switch {
	case r.freq == weekly && r.byday == nil:
		r.byday = []nthDay{{day: anchor.weekday()}}
	case r.freq == monthly && r.byday == nil && r.monthday == 0:
		r.monthday = anchor.d
	case r.freq == yearly && r.month == 0:
		r.month, r.monthday = int(anchor.m), anchor.d
	}
}

// falls reports whether the rule has an occurrence on d.
func (r *rule) falls(d, anchor date) bool {
	switch r.freq {
	case daily:
		return (d.number()-anchor.number())%r.interval == 0
	case weekly:
		return (d.monday().number()-anchor.monday().number())/7%r.interval == 0 && r.named(d)
	case monthly:
		months := (d.y-anchor.y)*12 + int(d.m-anchor.m)
		return months%r.interval == 0 && (r.monthday != 0 && r.onMonthday(d) || r.byday != nil && r.named(d))
	case yearly:
		return (d.y-anchor.y)%r.interval == 0 && int(d.m) == r.month && r.onMonthday(d)
	}
	return false
}

func (r *rule) onMonthday(d date) bool {
	last := daysIn(d.y, d.m)
	if r.monthday < 0 {
		return d.d == last
	}
	return d.d == min(r.monthday, last)
}

func (r *rule) named(d date) bool {
	return slices.ContainsFunc(r.byday, func(b nthDay) bool {
		switch {
		case b.day != d.weekday():
			return false
		case b.n > 0:
			return (d.d-1)/7+1 == b.n
		case b.n < 0:
			return d.d+7 > daysIn(d.y, d.m)
		}
		return true
	})
}

// Reclock returns a rule at another time of day, "" for a rule that has none (every
// three hours) or cannot be read.
func Reclock(rrule string, hour, minute int) string {
	r, ok := parseRule(rrule)
	if !ok || r.freq == minutely || r.freq == hourly {
		return ""
	}
	r.hours, r.minutes = []int{hour}, []int{minute}
	return r.String()
}

// String writes the rule as RFC 5545 does, in the order that people expect.
func (r *rule) String() string {
	var b strings.Builder
	for name, f := range freqNames {
		if f == r.freq {
			b.WriteString("FREQ=" + name)
		}
	}
	if r.interval > 1 {
		fmt.Fprintf(&b, ";INTERVAL=%d", r.interval)
	}
	if r.month != 0 {
		fmt.Fprintf(&b, ";BYMONTH=%d", r.month)
	}
	for i, d := range r.byday {
		b.WriteString([]string{";BYDAY=", ","}[min(i, 1)])
		if d.n != 0 {
			b.WriteString(strconv.Itoa(d.n))
		}
		b.WriteString(dayNames[d.day])
	}
	if r.monthday != 0 {
		fmt.Fprintf(&b, ";BYMONTHDAY=%d", r.monthday)
	}
	if r.hours != nil {
		fmt.Fprintf(&b, ";BYHOUR=%d;BYMINUTE=%d", r.hours[0], r.minutes[0])
	}
	return b.String()
}
