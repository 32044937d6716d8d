package cost

// Code says what is wrong with a number, in a word that never changes: the
// phrases that explain it are keyed by it.
type Code string

const (
	NotANumber      Code = "not_a_number"     // not readable as a number, NaN or infinite
	Negative        Code = "negative"         // below zero
	Zero            Code = "zero"             // zero where only a positive number makes sense
	Absurd          Code = "absurd"           // far outside what anybody rents or pays
	Reversed        Code = "reversed_range"   // low above high, or likely outside them
	OutOfRange      Code = "out_of_range"     // a share outside 0 to 1
	Overflow        Code = "overflow"         // the result is larger than money gets here
	MixedCurrency   Code = "mixed_currency"   // two currencies and no dated rate
	UnknownCurrency Code = "unknown_currency" // neither CNY nor USD
	Missing         Code = "missing"          // needed and not given
	BadDate         Code = "bad_date"         // not YYYY-MM or YYYY-MM-DD, or no such day
	TooMany         Code = "too_many"         // more offers than fit side by side
	TooFew          Code = "too_few"          // nothing to compare
)

// Codes lists every code, so that a test can ask whether each has its phrase.
func Codes() []Code {
	return []Code{
		NotANumber, Negative, Zero, Absurd, Reversed, OutOfRange, Overflow,
		MixedCurrency, UnknownCurrency, Missing, BadDate, TooMany, TooFew,
	}
}

// Problem is the only error of this package: what is wrong, and with which
// field. Fields are spelled as in the rule files ("hour_low") or, for what a
// person types, as the quantity ("hours", "cards", "success"). Problems are
// comparable, so errors.Is works with a literal.
type Problem struct {
	Code  Code
	Field string // "" when the whole is meant
}

// Error is for logs; people get the phrase of the code.
func (p Problem) Error() string {
	if p.Field == "" {
		return "cost: " + string(p.Code)
	}
	return "cost: " + p.Field + ": " + string(p.Code)
}
