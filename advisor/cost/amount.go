package cost

import (
	"errors"
	"math"
	"math/bits"
	"strconv"
	"strings"
)

// Amount is a decimal number of currency units, kept as millionths in an
// int64. Sums of amounts are exact; a product with a quantity is the exact
// product rounded once, half away from zero, to the next millionth.
type Amount int64

const (
	// One is one yuan or one dollar.
	One Amount = 1_000_000
	// MaxAmount is the largest amount that is computed with, 10¹² units. What
	// would be larger is an Overflow.
	MaxAmount Amount = 1_000_000_000_000 * One

	places = 6 // decimal places of an Amount
)

// ParseAmount reads a plain decimal: digits, an optional sign, at most one
// point. Places after the sixth are rounded. There are no exponents and no
// thousands separators: what people type is read elsewhere, this is the form
// of files.
func ParseAmount(s string) (Amount, error) {
	digits, negative := strings.CutPrefix(s, "-")
	if !negative {
		digits = strings.TrimPrefix(s, "+")
	}
	whole, frac, _ := strings.Cut(digits, ".")
	if whole+frac == "" || !onlyDigits(whole) || !onlyDigits(frac) {
		return 0, Problem{Code: NotANumber}
	}
	if len(strings.TrimLeft(whole, "0")) > 13 {
		return 0, Problem{Code: Overflow}
	}
	up := len(frac) > places && frac[places] >= '5'
	frac = (frac + "000000")[:places]
	v, err := strconv.ParseInt(whole+frac, 10, 64)
	if err != nil {
		return 0, Problem{Code: Overflow}
	}
	if up {
		v++
	}
	if Amount(v) > MaxAmount {
		return 0, Problem{Code: Overflow}
	}
	if negative {
		v = -v
	}
	return Amount(v), nil
}

func onlyDigits(s string) bool {
	for i := range len(s) {
		if s[i] < '0' || s[i] > '9' {
			return false
		}
	}
	return true
}

// AmountOf is the amount nearest to f: the door for numbers that were read out
// of a text.
func AmountOf(f float64) (Amount, error) {
	switch {
	case math.IsNaN(f):
		return 0, Problem{Code: NotANumber}
	case math.Abs(f) > float64(MaxAmount/One):
		return 0, Problem{Code: Overflow}
	}
	return Amount(math.Round(f * float64(One))), nil
}

// Float is the float64 nearest to the amount: the door to JSON and charts,
// never to further arithmetic.
func (a Amount) Float() float64 { return float64(a) / float64(One) }

// String writes the amount exactly, with no more places than it has: "1.32".
func (a Amount) String() string {
	s := a.Round(places)
	return strings.TrimSuffix(strings.TrimRight(s, "0"), ".")
}

// Round writes the amount with n places (0 to 6), rounded half away from zero:
// Round(2) of 950.4 is "950.40".
func (a Amount) Round(n int) string {
	n = min(max(n, 0), places)
	step := uint64(1)
	for range places - n {
		step *= 10
	}
	v := (magnitude(int64(a)) + step/2) / step
	s := strconv.FormatUint(v, 10)
	if len(s) <= n {
		s = strings.Repeat("0", n+1-len(s)) + s
	}
	if n > 0 {
		s = s[:len(s)-n] + "." + s[len(s)-n:]
	}
	if a < 0 && v > 0 {
		s = "-" + s
	}
	return s
}

// MarshalText writes String.
func (a Amount) MarshalText() ([]byte, error) { return []byte(a.String()), nil }

// UnmarshalText reads what ParseAmount reads. Rule files decode through it, so
// its error says what was wanted.
func (a *Amount) UnmarshalText(b []byte) error {
	v, err := ParseAmount(string(b))
	if err != nil {
		return errors.New("a decimal number such as 1.32")
	}
	*a = v
	return nil
}

// MarshalJSON writes a JSON number with the amount's exact digits.
func (a Amount) MarshalJSON() ([]byte, error) { return a.MarshalText() }

// UnmarshalJSON reads a JSON number written without an exponent, and null as no
// change.
func (a *Amount) UnmarshalJSON(b []byte) error {
	if string(b) == "null" {
		return nil
	}
	return a.UnmarshalText(b)
}

// times is a·f, rounded once. f must be finite.
func (a Amount) times(f float64) (Amount, bool) {
	m, e := split(f)
	hi, lo := bits.Mul64(magnitude(int64(a)), m)
	v, ok := shift128(hi, lo, e)
	return signed(v, ok, (a < 0) != (f < 0))
}

// over is a/f, rounded once. f must be finite and not zero.
func (a Amount) over(f float64) (Amount, bool) {
	m, e := split(f)
	v, ok := divide128(magnitude(int64(a)), m, -e)
	return signed(v, ok, (a < 0) != (f < 0))
}

// fraction is a·num/den, rounded once; den is positive.
func (a Amount) fraction(num, den Amount) (Amount, bool) {
	d := uint64(den)
	hi, lo := bits.Mul64(magnitude(int64(a)), magnitude(int64(num)))
	lo, carry := bits.Add64(lo, d/2, 0)
	if hi += carry; hi >= d {
		return 0, false
	}
	q, _ := bits.Div64(hi, lo, d)
	return signed(q, true, (a < 0) != (num < 0))
}

// split writes |f| as m·2^e with a whole m of at most 53 bits.
func split(f float64) (m uint64, e int) {
	frac, exp := math.Frexp(math.Abs(f))
	return uint64(frac * (1 << 53)), exp - 53
}

// shift128 is hi:lo·2^e rounded half up, if that fits into 64 bits.
func shift128(hi, lo uint64, e int) (uint64, bool) {
	switch {
	case hi|lo == 0 || e < -127:
		return 0, true
	case e >= 0:
		return lo << e, hi == 0 && bits.Len64(lo)+e <= 64
	}
	s := uint(-e) // 1 to 127
	half := [2]uint64{}
	half[(s-1)/64] = 1 << ((s - 1) % 64)
	var carry uint64
	lo, carry = bits.Add64(lo, half[0], 0)
	hi, _ = bits.Add64(hi, half[1], carry)
	if s >= 64 {
		return hi >> (s - 64), true
	}
	return hi<<(64-s) | lo>>s, hi>>s == 0
}

// divide128 is a·2^e/m rounded half up, if that fits into 64 bits. m has 53
// bits, so a numerator of more than 126 bits cannot fit.
func divide128(a, m uint64, e int) (uint64, bool) {
	switch {
	case a == 0 || e < -10:
		return 0, true
	case e < 0:
		d := m << -e
		return (a + d/2) / d, true
	case bits.Len64(a)+e > 126:
		return 0, false
	}
	hi, lo := shiftLeft(a, uint(e))
	lo, carry := bits.Add64(lo, m/2, 0)
	hi += carry
	if hi >= m {
		return 0, false
	}
	q, _ := bits.Div64(hi, lo, m)
	return q, true
}

func shiftLeft(a uint64, s uint) (hi, lo uint64) {
	if s >= 64 {
		return a << (s - 64), 0
	}
	return a >> (64 - s), a << s
}

func magnitude(v int64) uint64 {
	if v < 0 {
		return -uint64(v)
	}
	return uint64(v)
}

func signed(v uint64, ok, negative bool) (Amount, bool) {
	if !ok || v > uint64(MaxAmount) {
		return 0, false
	}
	if negative {
		return -Amount(v), true
	}
	return Amount(v), true
}
