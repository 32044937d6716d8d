package cost

import (
	"errors"
	"math"
	"testing"
)

func TestMoneyInOneCurrency(t *testing.T) {
	if got, err := Yuan(950).Plus(Yuan(0.4)); err != nil || got != Yuan(950.4) {
		t.Errorf("950 + 0.4 = %v, %v", got, err)
	}
	if got, err := Yuan(1).Minus(Yuan(2.5)); err != nil || got != Yuan(-1.5) {
		t.Errorf("1 - 2.5 = %v, %v", got, err)
	}
	if got, err := (Money{}).Plus(Dollars(2)); err != nil || got != Dollars(2) {
		t.Errorf("none + $2 = %v, %v", got, err)
	}
	if _, err := Yuan(1).Plus(Dollars(1)); !errors.Is(err, Problem{MixedCurrency, "money"}) {
		t.Errorf("¥1 + $1: %v, want mixed_currency", err)
	}
	if _, err := (Money{MaxAmount, CNY}).Plus(Yuan(1)); codeOf(err) != Overflow {
		t.Errorf("max + 1: %v, want overflow", err)
	}
}

func TestMoneyTimesAndOver(t *testing.T) {
	for _, c := range []struct {
		name string
		got  func() (Money, error)
		want Money
		code Code
	}{
		{"24×30 hours of 1.32 (C6)", func() (Money, error) { return Yuan(1.32).Times(720) }, Yuan(950.40), ""},
		{"24×30 hours of 0.65 (C7)", func() (Money, error) { return Yuan(0.65).Times(720) }, Yuan(468), ""},
		{"ten times 0.1 is 1", func() (Money, error) { return Yuan(0.1).Times(10) }, Yuan(1), ""},
		{"NaN hours", func() (Money, error) { return Yuan(1).Times(math.NaN()) }, Money{}, NotANumber},
		{"endless hours", func() (Money, error) { return Yuan(1).Times(math.Inf(1)) }, Money{}, NotANumber},
		{"too much", func() (Money, error) { return Yuan(1e9).Times(1e9) }, Money{}, Overflow},
		{"over nothing", func() (Money, error) { return Yuan(1).Over(0) }, Money{}, Zero},
		{"over NaN", func() (Money, error) { return Yuan(1).Over(math.NaN()) }, Money{}, NotANumber},
		{"over a hair", func() (Money, error) { return Yuan(1).Over(1e-300) }, Money{}, Overflow},
	} {
		got, err := c.got()
		if got != c.want || codeOf(err) != c.code {
			t.Errorf("%s: %v, %v; want %v, %q", c.name, got, err, c.want, c.code)
		}
	}
}

func TestSpread(t *testing.T) {
	got, err := Spread(Yuan(1.32), Yuan(2.68))
	if want := (Estimate{1_320_000, 2_000_000, 2_680_000, CNY}); got != want || err != nil {
		t.Errorf("Spread = %v, %v; want %v", got, err, want)
	}
	if _, err := Spread(Yuan(2), Yuan(1)); codeOf(err) != Reversed {
		t.Errorf("2 to 1: %v, want reversed_range", err)
	}
	if _, err := Spread(Yuan(1), Dollars(2)); codeOf(err) != MixedCurrency {
		t.Errorf("¥1 to $2: %v, want mixed_currency", err)
	}
}

func TestRate(t *testing.T) {
	rate, err := ParseRate("7.10@2026-11-01")
	if err != nil || rate.String() != "7.1@2026-11-01" {
		t.Fatalf("ParseRate = %v, %v", rate, err)
	}
	for _, c := range []struct {
		from, want Money
	}{
		{Dollars(2.49), Yuan(17.679)},
		{Yuan(17.679), Dollars(2.49)},
		{Yuan(5), Yuan(5)},
		{Dollars(1e11), Yuan(7.1e11)},
	} {
		if got, err := rate.Convert(c.from, c.want.Currency); err != nil || got != c.want {
			t.Errorf("Convert(%v) = %v, %v; want %v", c.from, got, err, c.want)
		}
	}
	for in, code := range map[string]Code{
		"":                 NotANumber,
		"7.1":              Missing,
		"7.1@":             BadDate,
		"7.1@yesterday":    BadDate,
		"0@2026-11-01":     Zero,
		"-7@2026-11-01":    Negative,
		"0.14@2026-11-01":  Absurd,
		"710@2026-11-01":   Absurd,
		"7.1.1@2026-11-01": NotANumber,
	} {
		if _, err := ParseRate(in); codeOf(err) != code {
			t.Errorf("ParseRate(%q): %v, want %q", in, err, code)
		}
	}
	if _, err := rate.Convert(Dollars(1), "EUR"); codeOf(err) != UnknownCurrency {
		t.Errorf("to EUR: %v, want unknown_currency", err)
	}
	if _, err := rate.Convert(Dollars(1e12), CNY); codeOf(err) != Overflow {
		t.Errorf("a trillion dollars: %v, want overflow", err)
	}
	if _, err := (Rate{CNYPerUSD: 7 * One}).Convert(Dollars(1), CNY); codeOf(err) != Missing {
		t.Errorf("undated rate: %v, want missing", err)
	}
}

// Every code is listed once, so that the phrases can be checked against it.
func TestCodes(t *testing.T) {
	seen := map[Code]bool{}
	for _, c := range Codes() {
		if c == "" || seen[c] {
			t.Errorf("code %q is empty or twice", c)
		}
		seen[c] = true
	}
	if got, want := (Problem{Negative, "hours"}).Error(), "cost: hours: negative"; got != want {
		t.Errorf("Error() = %q, want %q", got, want)
	}
}
