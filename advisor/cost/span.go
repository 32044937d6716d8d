package cost

import "math"

// Span is a quantity as low, likely, high: hours, GB, seconds, a share between
// 0 and 1. The zero Span is "not given", which is not the same as Exactly(0):
// a part of a cost that was not given is left out and named as left out.
type Span struct {
	Low    float64 `json:"low"`
	Likely float64 `json:"likely"`
	High   float64 `json:"high"`
	Given  bool    `json:"given"`
}

// Exactly is a quantity that is known.
func Exactly(v float64) Span { return Span{v, v, v, true} }

// Between is a quantity from low to high with the middle as likely.
func Between(low, high float64) Span { return Span{low, low + (high-low)/2, high, true} }

// Three is a quantity whose likely value is known.
func Three(low, likely, high float64) Span { return Span{low, likely, high, true} }

// Or returns the span, or exactly v when none was given.
func (s Span) Or(v float64) Span {
	if s.Given {
		return s
	}
	return Exactly(v)
}

// Single reports whether the span is one value.
func (s Span) Single() bool { return s.Low == s.High }

// plus adds low to low, likely to likely, high to high.
func (s Span) plus(o Span) Span {
	return Span{s.Low + o.Low, s.Likely + o.Likely, s.High + o.High, s.Given || o.Given}
}

// times multiplies low by low, likely by likely, high by high.
func (s Span) times(o Span) Span {
	return Span{s.Low * o.Low, s.Likely * o.Likely, s.High * o.High, s.Given && o.Given}
}

// per divides by a quantity of which more is better: the low result takes the
// high divisor.
func (s Span) per(o Span) Span {
	return Span{s.Low / o.High, s.Likely / o.Likely, s.High / o.Low, s.Given && o.Given}
}

// above is what exceeds a free allowance.
func (s Span) above(free float64) Span {
	return Span{max(0, s.Low-free), max(0, s.Likely-free), max(0, s.High-free), s.Given}
}

// within checks a span that was given: finite, in order, from low to high.
func (s Span) within(field string, low, high float64) error {
	if !s.Given {
		return nil
	}
	for _, v := range [...]float64{s.Low, s.Likely, s.High} {
		if err := within(v, field, low, high); err != nil {
			return err
		}
	}
	if s.Low > s.Likely || s.Likely > s.High {
		return Problem{Reversed, field}
	}
	return nil
}

// share checks a span that was given: each value in (0, 1], or with zero
// allowed in [0, 1].
func (s Span) share(field string, least float64) error {
	err := s.within(field, least, 1)
	if p, ok := err.(Problem); ok && p.Code == Absurd {
		return Problem{OutOfRange, field}
	}
	return err
}

// within checks one number. Below low is Negative, Zero or Absurd, above high
// is Absurd.
func within(v float64, field string, low, high float64) error {
	switch {
	case math.IsNaN(v) || math.IsInf(v, 0):
		return Problem{NotANumber, field}
	case v < 0:
		return Problem{Negative, field}
	case v == 0 && low > 0:
		return Problem{Zero, field}
	case v < low || v > high:
		return Problem{Absurd, field}
	}
	return nil
}

// Bounds of what is computed with; beyond them a number is a slip of the
// finger, and saying so helps more than a result.
const (
	MaxHours = 10 * 366 * 24 // ten years, hours
	MaxCards = 100_000
	MaxGB    = 1e9 // one exabyte

	// MinCardHour and MaxCardHour bound the price of one card for one hour, in
	// either currency. Catalogues of interruptible machines carry placeholder
	// prices below the lower one.
	MinCardHour  = One / 50
	MaxCardHour  = 1000 * One
	MinCardMonth = 1 * One
	MaxCardMonth = MaxCardHour * Month31
)
