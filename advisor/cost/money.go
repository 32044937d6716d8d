package cost

import "math"

// Currency is CNY or USD; "" means that no money was given.
type Currency string

const (
	CNY Currency = "CNY"
	USD Currency = "USD"
)

// Valid reports whether c is a currency that we compute with.
func (c Currency) Valid() bool { return c == CNY || c == USD }

// Money is an amount in one currency. The zero Money is "none given": it adds
// nothing to money of any currency.
type Money struct {
	Amount   Amount   `json:"amount"`
	Currency Currency `json:"currency"`
}

// Yuan is f CNY, for literals; use AmountOf for what came from outside.
func Yuan(f float64) Money { return Money{Amount(math.Round(f * 1e6)), CNY} }

// Dollars is f USD, for literals.
func Dollars(f float64) Money { return Money{Amount(math.Round(f * 1e6)), USD} }

// Given reports whether there is a price at all.
func (m Money) Given() bool { return m != Money{} }

// Plus is the sum. Errors: MixedCurrency, Overflow.
func (m Money) Plus(o Money) (Money, error) {
	var l ledger
	l.in(m.Currency, "money")
	l.in(o.Currency, "money")
	return l.money(l.add(m.Amount, o.Amount))
}

// Minus is the difference, which may be below zero. Errors: MixedCurrency,
// Overflow.
func (m Money) Minus(o Money) (Money, error) {
	return m.Plus(Money{-o.Amount, o.Currency})
}

// Times is m·f. Errors: NotANumber, Overflow.
func (m Money) Times(f float64) (Money, error) {
	l := ledger{currency: m.Currency}
	return l.money(l.times(m.Amount, f))
}

// Over is m/f. Errors: NotANumber, Zero, Overflow.
func (m Money) Over(f float64) (Money, error) {
	l := ledger{currency: m.Currency}
	return l.money(l.over(m.Amount, f))
}

// Estimate is money as low, likely, high in one currency. The zero Estimate is
// "none given".
type Estimate struct {
	Low      Amount   `json:"low"`
	Likely   Amount   `json:"likely"`
	High     Amount   `json:"high"`
	Currency Currency `json:"currency"`
}

// Fixed is the estimate of a price that is known exactly.
func Fixed(m Money) Estimate { return Estimate{m.Amount, m.Amount, m.Amount, m.Currency} }

// Spread is the estimate from low to high with the middle as likely. Errors:
// MixedCurrency, Reversed.
func Spread(low, high Money) (Estimate, error) {
	if low.Currency != high.Currency {
		return Estimate{}, Problem{MixedCurrency, "price"}
	}
	if low.Amount > high.Amount {
		return Estimate{}, Problem{Reversed, "price"}
	}
	return Estimate{low.Amount, middle(low.Amount, high.Amount), high.Amount, low.Currency}, nil
}

// middle is the mean of two amounts, rounded away from zero.
func middle(a, b Amount) Amount {
	s := a + b // at most 2·10¹⁸, below the limit of int64
	if s < 0 {
		return (s - 1) / 2
	}
	return (s + 1) / 2
}

// Given reports whether there is a price at all.
func (e Estimate) Given() bool { return e != Estimate{} }

// Times multiplies low by low, likely by likely, high by high. The span must
// not be negative. Errors: those of a bad span, Overflow.
func (e Estimate) Times(s Span) (Estimate, error) {
	l := ledger{currency: e.Currency}
	l.check(s.within("quantity", 0, math.MaxFloat64))
	return l.estimate(l.timesAll(e, s))
}

// ledger computes with the money of one currency and keeps the first problem,
// so that a formula can be written as a formula.
type ledger struct {
	currency Currency
	err      error
}

// check remembers a problem.
func (l *ledger) check(err error) {
	if l.err == nil {
		l.err = err
	}
}

// in makes the currency of field the ledger's, or complains that it differs.
func (l *ledger) in(c Currency, field string) {
	switch {
	case c == "" || c == l.currency:
	case l.currency == "":
		l.currency = c
	default:
		l.check(Problem{MixedCurrency, field})
	}
}

func (l *ledger) add(a, b Amount) Amount {
	s := a + b
	if s > MaxAmount || s < -MaxAmount {
		l.check(Problem{Code: Overflow})
	}
	return s
}

func (l *ledger) times(a Amount, f float64) Amount {
	if math.IsNaN(f) || math.IsInf(f, 0) {
		l.check(Problem{Code: NotANumber})
		return 0
	}
	v, ok := a.times(f)
	if !ok {
		l.check(Problem{Code: Overflow})
	}
	return v
}

func (l *ledger) over(a Amount, f float64) Amount {
	switch {
	case math.IsNaN(f) || math.IsInf(f, 0):
		l.check(Problem{Code: NotANumber})
		return 0
	case f == 0:
		l.check(Problem{Code: Zero})
		return 0
	}
	v, ok := a.over(f)
	if !ok {
		l.check(Problem{Code: Overflow})
	}
	return v
}

func (l *ledger) addAll(a, b Estimate) Estimate {
	return Estimate{Low: l.add(a.Low, b.Low), Likely: l.add(a.Likely, b.Likely), High: l.add(a.High, b.High)}
}

func (l *ledger) timesAll(e Estimate, s Span) Estimate {
	return Estimate{Low: l.times(e.Low, s.Low), Likely: l.times(e.Likely, s.Likely), High: l.times(e.High, s.High)}
}

// money closes the ledger: the amount in its currency, or the first problem.
func (l *ledger) money(a Amount) (Money, error) {
	if l.err != nil {
		return Money{}, l.err
	}
	return Money{a, l.currency}, nil
}

func (l *ledger) estimate(e Estimate) (Estimate, error) {
	if l.err != nil {
		return Estimate{}, l.err
	}
	e.Currency = l.currency
	return e, nil
}
