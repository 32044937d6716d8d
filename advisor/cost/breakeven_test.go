package cost

import (
	"math"
	"testing"
)

// Every row of decision table 6.1: the prices of seed 002, March 2026.
func TestBreakEvenOfTheSeed(t *testing.T) {
	for _, c := range []struct {
		name      string
		price     Price
		ok        bool
		low, high float64 // h*
		neverLow  bool    // in any month
		never30   bool    // in a month of 30 days
		neverHigh bool
	}{
		{"T4 16 GB (C7, S2-47)", seed("t4", 1, 0.65, 1.89, 1299, 1681), true, 1998.5, 889.4, true, true, true},
		{"RTX 3060 8 GB", seed("rtx-3060-8gb", 1, 1.02, 2.15, 280, 1681), true, 274.5, 781.9, false, false, true},
		{"RTX 3070 8 GB", seed("rtx-3070", 1, 1.58, 1.76, 0, 0), false, 0, 0, false, false, false},
		{"RTX 3090 24 GB", seed("rtx-3090", 1, 1.25, 1.86, 0, 0), false, 0, 0, false, false, false},
		{"RTX 4090 24 GB (C6, S2-48)", seed("rtx-4090", 1, 1.32, 2.68, 950, 4199), true, 719.7, 1566.8, false, false, true},
		{"A100 40 GB (S2-49)", seed("a100-40gb-pcie", 1, 4.9, 19.9, 3500, 9800), true, 714.3, 492.5, false, false, false},
		{"A100 80 GB x8 (S2-50)", seed("a100-80gb-sxm", 8, 38, 120, 28000, 86400), true, 736.8, 720.0, false, true, false},
		{"A100 40 GB x8", seed("a100-40gb-sxm", 8, 0, 0, 13500, 86400), false, 0, 0, false, false, false},
		{"RTX 4090 x8", seed("rtx-4090", 8, 0, 0, 7200, 86400), false, 0, 0, false, false, false},
	} {
		low, high, ok := c.price.BreakEvens()
		if ok != c.ok {
			t.Errorf("%s: ok %v, want %v", c.name, ok, c.ok)
			continue
		}
		if !ok {
			continue
		}
		near(t, c.name+" low", low.Hours, c.low, 0.05)
		near(t, c.name+" high", high.Hours, c.high, 0.05)
		if low.Never() != c.neverLow || low.NeverIn30() != c.never30 || high.Never() != c.neverHigh {
			t.Errorf("%s: never %v, never in 30 days %v, high never %v; want %v, %v, %v",
				c.name, low.Never(), low.NeverIn30(), high.Never(), c.neverLow, c.never30, c.neverHigh)
		}
	}
}

// What the answers of decision table 6.1 and of S2-47 to S2-51 compare.
func TestMonthAgainstHours(t *testing.T) {
	for _, c := range []struct {
		name        string
		hour, month Money
		hoursOn     float64
		byHour      Money
		saves       Money
		want        Monthly
	}{
		{"T4 day and night: 468 against 1299", Yuan(0.65), Yuan(1299), 720, Yuan(468), Yuan(-831), Never},
		{"3060, 12 h a day: 367.20 against 280 (S2-68)", Yuan(1.02), Yuan(280), HoursOn(12, 30), Yuan(367.2), Yuan(87.2), Pays},
		{"3060, 9 h a day: just not", Yuan(1.02), Yuan(280), HoursOn(9, 30), Yuan(275.4), Yuan(-4.6), Never},
		{"4090, 8 h a day: 316.80 against 950 (S2-48)", Yuan(1.32), Yuan(950), HoursOn(8, 30), Yuan(316.8), Yuan(-633.2), Never},
		{"4090 day and night: 950.40 against 950 (C6)", Yuan(1.32), Yuan(950), 720, Yuan(950.4), Yuan(0.4), Pays},
		{"A100 40 day and night: 3528 against 3500 (S2-49)", Yuan(4.9), Yuan(3500), 720, Yuan(3528), Yuan(28), Pays},
		{"A100 80 x8, 30 days: 27360 against 28000 (S2-50)", Yuan(38), Yuan(28000), 720, Yuan(27360), Yuan(-640), Never},
		{"A100 80 x8, 31 days: wins by 272", Yuan(38), Yuan(28000), 744, Yuan(28272), Yuan(272), Pays},
		{"A100 80 x8, high pair: 86400 is 120 × 720 (C5)", Yuan(120), Yuan(86400), 720, Yuan(86400), Yuan(0), Never},
	} {
		byHour, _ := c.hour.Times(c.hoursOn)
		saves, err := byHour.Minus(c.month)
		if err != nil || byHour != c.byHour || saves.Amount != c.saves.Amount {
			t.Errorf("%s: by the hour %v, saves %v, %v; want %v, %v", c.name, byHour.Amount, saves.Amount, err, c.byHour.Amount, c.saves.Amount)
		}
		b, err := BreakEvenOf(c.hour, c.month)
		if got := b.Monthly(c.hoursOn); got != c.want || err != nil {
			t.Errorf("%s: %s (h* %.1f), %v; want %s", c.name, got, b.Hours, err, c.want)
		}
	}
	b, _ := BreakEvenOf(Yuan(1.02), Yuan(280))
	near(t, "3060: hours a day", b.PerDay(), 9.2, 0.05)
	b, _ = BreakEvenOf(Yuan(1.32), Yuan(950))
	near(t, "4090: hours a day", b.PerDay(), 23.99, 0.005)
}

// S2-51: 25 % and 60 % off a month of 950 are 712.50 and 380, h* 540 and 288.
func TestTermDiscount(t *testing.T) {
	want := []struct {
		month Money
		star  float64
	}{{Yuan(712.5), 540}, {Yuan(380), 288}}
	for i, share := range TermDiscounts() {
		month, err := Discounted(Yuan(950), share)
		if err != nil || month != want[i].month {
			t.Errorf("950 at %g off = %v, %v; want %v", share, month, err, want[i].month)
		}
		b, _ := BreakEvenOf(Yuan(1.32), month)
		near(t, "h*", b.Hours, want[i].star, 0.5)
	}
	// S2-52: up to 65 % for universities; the same what-if.
	if got, err := Discounted(Yuan(1000), 0.65); got != Yuan(350) || err != nil {
		t.Errorf("1000 at 65 %% off = %v, %v; want 350", got, err)
	}
	if got, err := Discounted(Yuan(950), 0); got != Yuan(950) || err != nil {
		t.Errorf("no discount: %v, %v", got, err)
	}
	for share, code := range map[float64]Code{1: OutOfRange, 1.5: OutOfRange, 60: OutOfRange, -0.1: Negative} {
		if _, err := Discounted(Yuan(950), share); codeOf(err) != code {
			t.Errorf("a discount of %g: %v, want %q", share, err, code)
		}
	}
}

// Only fresh prices decide, and low and high must agree.
func TestMonthlyOf(t *testing.T) {
	band := func(p Price, age Age) Band { return Band{Hour: p.Hour(), Month: p.Month(), Age: age} }
	t4 := seed("t4", 1, 0.65, 1.89, 1299, 1681)
	cheap := seed("x", 1, 10, 20, 1000, 2000) // h* 100 at both ends
	mixed := seed("rtx-3060-8gb", 1, 1.02, 2.15, 280, 1681)
	for _, c := range []struct {
		name    string
		band    Band
		hoursOn float64
		want    Monthly
	}{
		{"never, at any hours", band(t4, Fresh), 744, Never},
		{"pays", band(cheap, Fresh), 240, Pays},
		{"at the break-even exactly it does not", band(cheap, Fresh), 100, Never},
		{"too few hours", band(cheap, Fresh), 60, Never},
		{"low pays, high never", band(mixed, Fresh), 720, Unknown},
		{"both no at few hours", band(mixed, Fresh), 100, Never},
		{"ageing", band(t4, Ageing), 744, Unknown},
		{"stale", band(t4, Stale), 744, Unknown},
		{"no monthly price", band(seed("x", 1, 1, 2, 0, 0), Fresh), 744, Unknown},
		{"nothing", Band{}, 744, Unknown},
		{"hours that are none", band(cheap, Fresh), math.NaN(), Unknown},
	} {
		if got := MonthlyOf(c.band, c.hoursOn); got != c.want {
			t.Errorf("%s: %s, want %s", c.name, got, c.want)
		}
	}
}

func TestBreakEvenProblems(t *testing.T) {
	for _, c := range []struct {
		name        string
		hour, month Money
		want        Problem
	}{
		{"no hour", Money{}, Yuan(1), Problem{Missing, "price_hour"}},
		{"no month", Yuan(1), Money{}, Problem{Missing, "price_month"}},
		{"two currencies", Yuan(1), Dollars(100), Problem{MixedCurrency, "price_month"}},
		{"zero hour", Money{0, CNY}, Yuan(1), Problem{Zero, "price_hour"}},
		{"negative month", Yuan(1), Yuan(-1), Problem{Negative, "price_month"}},
	} {
		if _, err := BreakEvenOf(c.hour, c.month); err != c.want {
			t.Errorf("%s: %v, want %v", c.name, err, c.want)
		}
	}
}

// near fails unless got is within eps of want.
func near(t *testing.T, what string, got, want, eps float64) {
	t.Helper()
	if !(math.Abs(got-want) <= eps) {
		t.Errorf("%s: got %v, want %v", what, got, want)
	}
}
