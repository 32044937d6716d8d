package cost

import (
	"encoding/json"
	"math"
	"math/big"
	"testing"

	"pgregory.net/rapid"
)

func TestParseAmount(t *testing.T) {
	for _, c := range []struct {
		in   string
		want Amount
		code Code
	}{
		{"1.32", 1_320_000, ""},
		{"0.65", 650_000, ""},
		{"28000", 28_000 * One, ""},
		{"+2.5", 2_500_000, ""},
		{"-0.5", -500_000, ""},
		{".5", 500_000, ""},
		{"7.", 7 * One, ""},
		{"0.0000014", 1, ""},
		{"0.0000015", 2, ""},
		{"0.9999999", One, ""},
		{"1000000000000", MaxAmount, ""},
		{"0001000000000000.0", MaxAmount, ""},
		{"1000000000000.000001", 0, Overflow},
		{"99999999999999999999", 0, Overflow},
		{"", 0, NotANumber},
		{".", 0, NotANumber},
		{"-", 0, NotANumber},
		{"1,000", 0, NotANumber},
		{"1e3", 0, NotANumber},
		{"--1", 0, NotANumber},
		{"1.2.3", 0, NotANumber},
		{"１", 0, NotANumber},
		{"NaN", 0, NotANumber},
		{"Inf", 0, NotANumber},
	} {
		got, err := ParseAmount(c.in)
		if got != c.want || codeOf(err) != c.code {
			t.Errorf("ParseAmount(%q) = %d, %v; want %d, %q", c.in, got, err, c.want, c.code)
		}
	}
}

func TestAmountOf(t *testing.T) {
	for _, c := range []struct {
		in   float64
		want Amount
		code Code
	}{
		{1.32, 1_320_000, ""},
		{0.1 + 0.2, 300_000, ""},
		{-4.9, -4_900_000, ""},
		{1e12, MaxAmount, ""},
		{1.1e12, 0, Overflow},
		{math.Inf(1), 0, Overflow},
		{math.NaN(), 0, NotANumber},
	} {
		got, err := AmountOf(c.in)
		if got != c.want || codeOf(err) != c.code {
			t.Errorf("AmountOf(%v) = %d, %v; want %d, %q", c.in, got, err, c.want, c.code)
		}
	}
}

func TestAmountWritten(t *testing.T) {
	for _, c := range []struct {
		a      Amount
		exact  string
		places int
		round  string
	}{
		{0, "0", 2, "0.00"},
		{1_320_000, "1.32", 2, "1.32"},
		{950_400_000, "950.4", 2, "950.40"},
		{2_857_143, "2.857143", 2, "2.86"},
		{2_857_143, "2.857143", 0, "3"},
		{2_857_143, "2.857143", 9, "2.857143"},
		{5_000, "0.005", 2, "0.01"},
		{-5_000, "-0.005", 2, "-0.01"},
		{-1_000, "-0.001", 2, "0.00"},
		{1, "0.000001", 3, "0.000"},
		{MaxAmount, "1000000000000", 2, "1000000000000.00"},
	} {
		if got := c.a.String(); got != c.exact {
			t.Errorf("Amount(%d).String() = %q, want %q", c.a, got, c.exact)
		}
		if got := c.a.Round(c.places); got != c.round {
			t.Errorf("Amount(%d).Round(%d) = %q, want %q", c.a, c.places, got, c.round)
		}
	}
}

func TestAmountInJSON(t *testing.T) {
	b, err := json.Marshal(map[string]any{"low": Yuan(950.4).Amount})
	if err != nil || string(b) != `{"low":950.4}` {
		t.Fatalf("json.Marshal = %s, %v; want a bare decimal", b, err)
	}
	var back struct{ Low Amount }
	if err := json.Unmarshal(b, &back); err != nil || back.Low != Yuan(950.4).Amount {
		t.Fatalf("read back %v, %v; want 950.4", back.Low, err)
	}
	if err := json.Unmarshal([]byte(`{"low":"x"}`), &back); err == nil {
		t.Error(`"x" was read as an amount`)
	}
}

// Parsing undoes writing, for every amount.
func TestAmountRoundTrip(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		a := drawAmount(t)
		if got, err := ParseAmount(a.String()); err != nil || got != a {
			t.Fatalf("ParseAmount(%q) = %d, %v; want %d", a.String(), got, err, a)
		}
	})
}

// Products and quotients are the exact ones, rounded once.
func TestAmountArithmeticIsExact(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		a := drawAmount(t)
		f := rapid.Float64Range(-1e18, 1e18).Draw(t, "f")
		exact := func(op func(z, x, y *big.Rat) *big.Rat) *big.Rat {
			return op(new(big.Rat), new(big.Rat).SetInt64(int64(a)), new(big.Rat).SetFloat64(f))
		}
		checkRounded(t, "times", exact((*big.Rat).Mul), func() (Amount, bool) { return a.times(f) })
		if f != 0 {
			checkRounded(t, "over", exact((*big.Rat).Quo), func() (Amount, bool) { return a.over(f) })
		}
		num := Amount(rapid.Int64Range(1, int64(100*One)).Draw(t, "num"))
		den := Amount(rapid.Int64Range(1, int64(100*One)).Draw(t, "den"))
		r := new(big.Rat).Mul(new(big.Rat).SetInt64(int64(a)), big.NewRat(int64(num), int64(den)))
		checkRounded(t, "fraction", r, func() (Amount, bool) { return a.fraction(num, den) })
	})
}

func checkRounded(t *rapid.T, what string, exact *big.Rat, op func() (Amount, bool)) {
	t.Helper()
	got, ok := op()
	want := roundHalfAway(exact)
	fits := want.CmpAbs(big.NewInt(int64(MaxAmount))) <= 0
	if ok != fits || ok && want.Cmp(big.NewInt(int64(got))) != 0 {
		t.Fatalf("%s = %d, %v; want %s, %v", what, got, ok, want, fits)
	}
}

func roundHalfAway(r *big.Rat) *big.Int {
	twice := new(big.Int).Mul(new(big.Int).Abs(r.Num()), big.NewInt(2))
	q := new(big.Int).Div(twice.Add(twice, r.Denom()), new(big.Int).Mul(r.Denom(), big.NewInt(2)))
	if r.Sign() < 0 {
		q.Neg(q)
	}
	return q
}

func drawAmount(t *rapid.T) Amount {
	return Amount(rapid.Int64Range(-int64(MaxAmount), int64(MaxAmount)).Draw(t, "amount"))
}

func FuzzParseAmount(f *testing.F) {
	for _, s := range []string{"1.32", "-0", "+.5", "1e9", "9999999999999.9999999", "1..2", "½"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		a, err := ParseAmount(s)
		if err != nil {
			return
		}
		if b, err := ParseAmount(a.String()); err != nil || a != b {
			t.Errorf("%q is %d, written %q, read back %d, %v", s, a, a.String(), b, err)
		}
	})
}

// codeOf is the code of a Problem, "" for no error.
func codeOf(err error) Code {
	if p, ok := err.(Problem); ok {
		return p.Code
	}
	if err != nil {
		return Code("not a Problem: " + err.Error())
	}
	return ""
}
