package cost

// Hours in a month of 30 and of 31 days. A break-even above Month31 can never
// be reached.
const (
	Month30 = 720
	Month31 = 744
)

// Monthly says whether renting by the month pays; its values are those of the
// tables' input monthly.
type Monthly string

const (
	Pays    Monthly = "pays"
	Never   Monthly = "never"
	Unknown Monthly = "unknown"
)

// BreakEven is the number of powered-on hours at which the month's price
// equals the hours it replaces: h* = month / hour (decision table 6.1).
type BreakEven struct{ Hours float64 }

// BreakEvenOf divides the price of a month by the price of an hour, for the
// same machine. Errors: Missing, Negative, Zero, MixedCurrency.
func BreakEvenOf(hour, month Money) (BreakEven, error) {
	switch {
	case !hour.Given():
		return BreakEven{}, Problem{Missing, "price_hour"}
	case !month.Given():
		return BreakEven{}, Problem{Missing, "price_month"}
	case hour.Currency != month.Currency:
		return BreakEven{}, Problem{MixedCurrency, "price_month"}
	}
	if err := positive(hour.Amount, "price_hour"); err != nil {
		return BreakEven{}, err
	}
	if err := positive(month.Amount, "price_month"); err != nil {
		return BreakEven{}, err
	}
	return BreakEven{float64(month.Amount) / float64(hour.Amount)}, nil
}

// positive checks an amount that must be above zero.
func positive(a Amount, field string) error {
	switch {
	case a < 0:
		return Problem{Negative, field}
	case a == 0:
		return Problem{Zero, field}
	case a > MaxAmount:
		return Problem{Overflow, field}
	}
	return nil
}

// PerDay is the break-even in hours per day of a 30-day month; above 24 it
// cannot be reached.
func (b BreakEven) PerDay() float64 { return b.Hours / 30 }

// Never reports that no month is long enough: the month costs more than its
// 744 hours.
func (b BreakEven) Never() bool { return b.Hours > Month31 }

// NeverIn30 reports that a 30-day month is not long enough (risk note K12).
func (b BreakEven) NeverIn30() bool { return b.Hours > Month30 }

// Monthly compares with the hours that the machine is powered on in a month. A
// month must cost less, not the same, to pay.
func (b BreakEven) Monthly(hoursOn float64) Monthly {
	switch {
	case within(b.Hours, "", 0, MaxHours) != nil || within(hoursOn, "", 0, MaxHours) != nil:
		return Unknown
	case b.Never() || min(hoursOn, Month31) <= b.Hours:
		return Never
	}
	return Pays
}

// MonthlyOf is the tables' input monthly for a band: only fresh prices decide
// (decision table 6), and the low and the high prices must agree.
func MonthlyOf(b Band, hoursOn float64) Monthly {
	low, high, ok := b.BreakEvens()
	if !ok || b.Age != Fresh || low.Monthly(hoursOn) != high.Monthly(hoursOn) {
		return Unknown
	}
	return low.Monthly(hoursOn)
}

// HoursOn is the powered-on hours of a month of the given days.
func HoursOn(perDay float64, days int) float64 { return min(24, max(0, perDay)) * float64(days) }

// TermDiscounts are the discounts to try on a monthly price when somebody
// plans for half a year or more: the ends of the range that seed 002 reports
// for March 2026 (S2-51). Nobody has confirmed it, so it is only ever a
// what-if; the default discount is none.
func TermDiscounts() []float64 { return []float64{0.25, 0.60} }

// Discounted takes a share off a price: 950 at 0.25 is 712.50. A share of 0 is
// allowed, 1 is not. Errors: OutOfRange, Negative.
func Discounted(m Money, share float64) (Money, error) {
	if err := Exactly(share).share("discount", 0); err != nil {
		return Money{}, err
	}
	if share == 1 {
		return Money{}, Problem{OutOfRange, "discount"}
	}
	off, err := m.Times(share)
	if err != nil {
		return Money{}, err
	}
	return m.Minus(off)
}
