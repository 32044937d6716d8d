package cost

import "strings"

// Rate is a dated exchange rate. Without one, yuan and dollars stay side by
// side.
type Rate struct {
	CNYPerUSD Amount
	AsOf      Date
}

// ParseRate reads "7.10@2026-11-01": CNY for one USD, and the day of that rate.
// The field of its problems is "rate".
func ParseRate(s string) (Rate, error) {
	number, day, dated := strings.Cut(s, "@")
	v, err := ParseAmount(number)
	if err != nil {
		return Rate{}, Problem{NotANumber, "rate"}
	}
	if !dated {
		return Rate{}, Problem{Missing, "rate"}
	}
	d, err := ParseDate(day)
	if err != nil {
		return Rate{}, Problem{BadDate, "rate"}
	}
	r := Rate{v, d}
	return r, r.check()
}

// String is the form that ParseRate reads.
func (r Rate) String() string { return r.CNYPerUSD.String() + "@" + r.AsOf.String() }

// check refuses an undated rate and one outside 1 to 100, which is no rate
// between these two currencies.
func (r Rate) check() error {
	if r.AsOf.IsZero() {
		return Problem{Missing, "rate"}
	}
	return within(r.CNYPerUSD.Float(), "rate", 1, 100)
}

// Convert turns m into the other currency. Errors: UnknownCurrency, Overflow,
// and those of a bad rate.
func (r Rate) Convert(m Money, to Currency) (Money, error) {
	e, err := r.ConvertAll(Fixed(m), to)
	return Money{e.Likely, e.Currency}, err
}

// ConvertAll turns an estimate into the other currency.
func (r Rate) ConvertAll(e Estimate, to Currency) (Estimate, error) {
	var l ledger
	l.check(r.check())
	if !to.Valid() || !e.Currency.Valid() {
		l.check(Problem{UnknownCurrency, "currency"})
	}
	if l.err != nil || e.Currency == to {
		l.currency = e.Currency
		return l.estimate(e)
	}
	l.currency = to
	num, den := r.CNYPerUSD, One
	if to == USD {
		num, den = den, num
	}
	change := func(a Amount) Amount {
		v, ok := a.fraction(num, den)
		if !ok {
			l.check(Problem{Code: Overflow})
		}
		return v
	}
	return l.estimate(Estimate{Low: change(e.Low), Likely: change(e.Likely), High: change(e.High)})
}
