package cost

import (
	"errors"
	"fmt"
	"time"
)

// Date is the day, or only the month, for which a price was quoted. The zero
// Date is "undated".
type Date struct {
	Year  int
	Month time.Month
	Day   int // 0 when only the month is known
}

// ParseDate reads YYYY-MM-DD or YYYY-MM. The error is a BadDate.
func ParseDate(s string) (Date, error) {
	for _, layout := range [...]string{time.DateOnly, "2006-01"} {
		t, err := time.Parse(layout, s)
		if err != nil || t.Year() < 2000 {
			continue
		}
		d := Date{t.Year(), t.Month(), t.Day()}
		if layout != time.DateOnly {
			d.Day = 0
		}
		return d, nil
	}
	return Date{}, Problem{Code: BadDate}
}

// DateOf is the calendar day of t in t's own zone.
func DateOf(t time.Time) Date {
	y, m, d := t.Date()
	return Date{y, m, d}
}

// IsZero reports whether there is no date.
func (d Date) IsZero() bool { return d == Date{} }

// String is YYYY-MM-DD, YYYY-MM, or "" for no date.
func (d Date) String() string {
	switch {
	case d.IsZero():
		return ""
	case d.Day == 0:
		return fmt.Sprintf("%04d-%02d", d.Year, int(d.Month))
	}
	return fmt.Sprintf("%04d-%02d-%02d", d.Year, int(d.Month), d.Day)
}

// MarshalText writes String.
func (d Date) MarshalText() ([]byte, error) { return []byte(d.String()), nil }

// UnmarshalText reads what ParseDate reads, and nothing as no date. Its error
// says what was wanted.
func (d *Date) UnmarshalText(b []byte) error {
	if len(b) == 0 {
		*d = Date{}
		return nil
	}
	v, err := ParseDate(string(b))
	if err != nil {
		return errors.New("a day as 2026-11-30 or a month as 2026-11")
	}
	*d = v
	return nil
}

// first is the earliest day that the date can mean.
func (d Date) first() time.Time {
	return time.Date(d.Year, d.Month, max(1, d.Day), 0, 0, 0, 0, time.UTC)
}

// Before reports whether d is older than o. A month counts as its first day.
func (d Date) Before(o Date) bool { return d.first().Before(o.first()) }

// DaysAt is how many days old the date is on the day of now. A month counts as
// its first day, so a price is never taken for younger than it is.
func (d Date) DaysAt(now time.Time) int {
	return int(DateOf(now).first().Sub(d.first()).Hours() / 24)
}

// Age grades how old a price is; its values are those of the tables' input
// price_age.
type Age string

const (
	Fresh  Age = "fresh"  // at most FreshDays old
	Ageing Age = "ageing" // at most AgeingDays old
	Stale  Age = "stale"  // older: shown with its date, ranks nothing
	None   Age = "none"   // undated, or dated in the future: not usable
)

// Limits of the grades, days. In 2026 the price of one H100 moved by 10 % in
// 30 days (public price tracker, 2026-08-21).
const (
	FreshDays  = 30
	AgeingDays = 60
)

// AgeOf grades a date as of now. A date of tomorrow is fresh, because it may be
// tomorrow where the price was noted; later ones are None.
func AgeOf(asOf Date, now time.Time) Age {
	if asOf.IsZero() {
		return None
	}
	switch days := asOf.DaysAt(now); {
	case days < -1:
		return None
	case days <= FreshDays:
		return Fresh
	case days <= AgeingDays:
		return Ageing
	}
	return Stale
}

// Ranks reports whether prices of this age may decide between offers.
func (a Age) Ranks() bool { return a == Fresh || a == Ageing }
