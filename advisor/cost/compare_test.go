package cost

import (
	"math"
	"testing"

	"pgregory.net/rapid"
)

// S0-25: 1.00 with two hours of set-up against 1.30 and a ready image. They cost
// the same after cheap·setup / (dear − cheap) hours.
func TestSetupFlip(t *testing.T) {
	const flip = 1.00 * 2 / (1.30 - 1.00)
	bare := Offer{ID: "bare", Per: PerHour, Price: Yuan(1), Setup: 2}
	ready := Offer{ID: "ready", Per: PerHour, Price: Yuan(1.3)}
	for run, best := range map[float64]int{1: 1, 6.6: 1, 6.7: 0, 100: 0} {
		c, err := Compare(Comparison{Offers: []Offer{bare, ready}, RunHours: run})
		if err != nil || c.Best != best {
			t.Errorf("%g h: best %d, %v; want %d", run, c.Best, err, best)
		}
		if len(c.Flips) != 1 || c.Flips[0].From != 1 || c.Flips[0].To != 0 {
			t.Fatalf("%g h: flips %v, want one from ready to bare", run, c.Flips)
		}
		near(t, "flip", c.Flips[0].Hours, flip, 1e-9)
	}
}

func TestCompare(t *testing.T) {
	hourly := Offer{ID: "hourly", Per: PerHour, Price: Yuan(1.32)}
	monthly := Offer{ID: "monthly", Per: PerMonth, Price: Yuan(950)}
	for _, c := range []struct {
		name   string
		ask    Comparison
		costs  []float64 // 0 is missing
		best   int
		saves  float64
		firsts []float64 // first flips, hours
	}{
		{
			"4090, 8 h a day for 30 days: 316.80 against 950 (S2-48)",
			Comparison{Offers: []Offer{hourly, monthly}, RunHours: 240, HoursPerDay: 8, Horizon: 1000},
			[]float64{316.8, 950}, 0, 633.2, nil,
		},
		{
			"4090 day and night: the month saves 0.40, and loses again when a second begins",
			Comparison{Offers: []Offer{hourly, monthly}, RunHours: 720, Horizon: 1500},
			[]float64{950.4, 950}, 1, 0.4, []float64{719.697, 744, 1439.394, 1464},
		},
		{
			"8 h a day: the second month begins before the first one pays",
			Comparison{Offers: []Offer{hourly, {ID: "m", Per: PerMonth, Price: Yuan(400)}}, RunHours: 240, HoursPerDay: 8, Horizon: 400},
			[]float64{316.8, 400}, 0, 83.2, nil,
		},
		{
			"a missing price is marked, not guessed (S0-76)",
			Comparison{Offers: []Offer{hourly, monthly, {ID: "bare_metal", Per: PerMonth}, {ID: "cluster", Per: PerMonth}}, RunHours: 100},
			[]float64{132, 950, 0, 0}, 0, 818, []float64{719.697},
		},
		{
			"moving costs (S4-08)",
			Comparison{Offers: []Offer{{ID: "here", Per: PerHour, Price: Yuan(2)}, {ID: "there", Per: PerHour, Price: Yuan(1.5), Setup: 4, Once: Yuan(100)}}, RunHours: 100},
			[]float64{200, 256}, 0, 56, []float64{212},
		},
		{
			"a card that delivers 70 % is no bargain at 80 % of the price (S4-38)",
			Comparison{Offers: []Offer{{ID: "full", Per: PerHour, Price: Yuan(2)}, {ID: "slow", Per: PerHour, Price: Yuan(1.6), Speed: 0.7}}, RunHours: 70},
			[]float64{140, 160}, 0, 20, nil,
		},
		{
			"days and weeks by the calendar",
			Comparison{Offers: []Offer{{ID: "h", Per: PerHour, Price: Yuan(2)}, {ID: "d", Per: PerDay, Price: Yuan(30)}, {ID: "w", Per: PerWeek, Price: Yuan(150)}}, RunHours: 30, Horizon: 400},
			[]float64{60, 60, 150}, 0, 0, []float64{15, 24, 30, 120, 168, 240},
		},
		{
			"a year is twelve months, however it is counted", // 365 days are not thirteen months of thirty
			Comparison{Offers: []Offer{hourly, monthly, {ID: "yearly", Per: PerYear, Price: Yuan(10000)}}, RunHours: 365 * 24},
			[]float64{11563.2, 11400, 10000}, 2, 1400, []float64{719.697},
		},
		{
			"a least term",
			Comparison{Offers: []Offer{hourly, {ID: "half-year", Per: PerMonth, Price: Yuan(380), Least: 6}}, RunHours: 720},
			[]float64{950.4, 2280}, 0, 1329.6, []float64{1727.27},
		},
		{
			"eight cards by the machine",
			Comparison{Offers: []Offer{{ID: "h", Per: PerHour, Price: Yuan(4.75), Cards: 8}, {ID: "m", Per: PerMonth, Price: Yuan(3500), Cards: 8}}, RunHours: 720, Horizon: 720},
			[]float64{27360, 28000}, 0, 640, nil,
		},
	} {
		got, err := Compare(c.ask)
		if err != nil {
			t.Errorf("%s: %v", c.name, err)
			continue
		}
		for i, r := range got.Rows {
			if r.Missing != (c.costs[i] == 0) || r.Cost.Amount != Yuan(c.costs[i]).Amount {
				t.Errorf("%s: %s costs %v, missing %v; want %v", c.name, r.ID, r.Cost.Amount, r.Missing, c.costs[i])
			}
		}
		if got.Best != c.best || got.Saves.Amount != Yuan(c.saves).Amount {
			t.Errorf("%s: best %d saves %v; want %d, %v", c.name, got.Best, got.Saves.Amount, c.best, c.saves)
		}
		if len(c.firsts) == 0 && len(got.Flips) > 0 {
			t.Errorf("%s: flips %v, want none", c.name, got.Flips)
		}
		for i, want := range c.firsts {
			if i >= len(got.Flips) {
				t.Errorf("%s: flips %v, want one at %v", c.name, got.Flips, want)
				break
			}
			near(t, c.name+": flip", got.Flips[i].Hours, want, 0.01)
		}
	}
}

// A chart's points are the comparison's figures.
func TestOfferAt(t *testing.T) {
	o := Offer{ID: "monthly", Per: PerMonth, Price: Yuan(950), Once: Yuan(50)}
	for run, want := range map[float64]float64{1: 1000, 240: 1000, 248: 1000, 249: 1950, 488: 1950, 489: 2900, 2920: 11450} {
		if row, err := o.At(run, 8); err != nil || row.Cost != Yuan(want) {
			t.Errorf("At(%v) = %v, %v; want %v", run, row.Cost.Amount, err, want)
		}
	}
	if _, err := o.At(-1, 8); err != (Problem{Negative, "hours"}) {
		t.Errorf("minus one hour: %v", err)
	}
}

func TestCompareCurrencies(t *testing.T) {
	ask := Comparison{RunHours: 10, Offers: []Offer{{ID: "cn", Per: PerHour, Price: Yuan(15)}, {ID: "us", Per: PerHour, Price: Dollars(2)}}}
	if _, err := Compare(ask); err != (Problem{MixedCurrency, "offers"}) {
		t.Errorf("no rate: %v, want mixed_currency", err)
	}
	ask.Rate = &Rate{7_100_000, Date{2026, 11, 1}}
	got, err := Compare(ask)
	if err != nil || got.Best != 1 || got.Rows[1].Cost != Yuan(142) || got.Saves != Yuan(8) {
		t.Errorf("with a rate: %+v, %v; want 142 CNY, saving 8", got, err)
	}
	if ask.Offers[1].Price != Dollars(2) {
		t.Error("Compare changed the offers")
	}
}

func TestCompareProblems(t *testing.T) {
	o := Offer{ID: "o", Per: PerHour, Price: Yuan(2)}
	with := func(change func(*Offer)) []Offer { p := o; change(&p); return []Offer{o, p} }
	for _, c := range []struct {
		name string
		ask  Comparison
		want Problem
	}{
		{"one offer", Comparison{Offers: []Offer{o}, RunHours: 1}, Problem{TooFew, "offers"}},
		{"five offers", Comparison{Offers: []Offer{o, o, o, o, o}, RunHours: 1}, Problem{TooMany, "offers"}},
		{"no hours", Comparison{Offers: []Offer{o, o}}, Problem{Zero, "hours"}},
		{"25 hours a day", Comparison{Offers: []Offer{o, o}, RunHours: 1, HoursPerDay: 25}, Problem{Absurd, "hours_per_day"}},
		{"per what", Comparison{Offers: with(func(p *Offer) { p.Per = "decade" }), RunHours: 1}, Problem{Missing, "per"}},
		{"negative price", Comparison{Offers: with(func(p *Offer) { p.Price = Yuan(-1) }), RunHours: 1}, Problem{Negative, "price"}},
		{"absurd price", Comparison{Offers: with(func(p *Offer) { p.Price = Yuan(5000) }), RunHours: 1}, Problem{Absurd, "price"}},
		{"negative cards", Comparison{Offers: with(func(p *Offer) { p.Cards = -1 }), RunHours: 1}, Problem{Negative, "cards"}},
		{"negative set-up", Comparison{Offers: with(func(p *Offer) { p.Setup = -1 }), RunHours: 1}, Problem{Negative, "setup"}},
		{"NaN speed", Comparison{Offers: with(func(p *Offer) { p.Speed = math.NaN() }), RunHours: 1}, Problem{NotANumber, "speed"}},
		{"a fee below zero", Comparison{Offers: with(func(p *Offer) { p.Once = Yuan(-1) }), RunHours: 1}, Problem{Negative, "once"}},
	} {
		if got, err := Compare(c.ask); err != c.want || got.Rows != nil {
			t.Errorf("%s: %v, %v; want %v", c.name, got, err, c.want)
		}
	}
	got, err := Compare(Comparison{Offers: []Offer{{ID: "a", Per: PerHour}, {ID: "b", Per: PerMonth}}, RunHours: 1})
	if err != nil || got.Best != -1 || got.Flips != nil || got.Saves.Given() {
		t.Errorf("no prices at all: %+v, %v; want nothing compared", got, err)
	}
}

// Between two flips the same offer is the cheapest: walk the run in small steps
// and compare with the list.
func TestFlipsMatchAWalk(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		ask := Comparison{RunHours: 1, HoursPerDay: rapid.SampledFrom([]float64{0, 8, 24}).Draw(t, "per day"), Horizon: 1200}
		for range rapid.IntRange(2, MaxOffers).Draw(t, "offers") {
			ask.Offers = append(ask.Offers, drawOffer(t))
		}
		got, err := Compare(ask)
		if err != nil {
			t.Fatal(err)
		}
		for run := 0.37; run < 1200; run += 11.3 {
			ask.RunHours = run
			now, err := Compare(ask)
			if err != nil {
				t.Fatal(err)
			}
			want, past := -1, false
			for _, f := range got.Flips {
				if math.Abs(f.Hours-run) < 1e-6 {
					past = true // exactly at a flip both are right
				}
				if f.Hours <= run {
					want = f.To
				} else if want < 0 {
					want = f.From
				}
			}
			if len(got.Flips) == MaxFlips && run > got.Flips[MaxFlips-1].Hours || past || want < 0 {
				continue
			}
			if d := now.Rows[want].Cost.Amount - now.Rows[now.Best].Cost.Amount; d > 2 {
				t.Fatalf("at %v h %d costs %v, but %d costs %v; flips %v", run, want, now.Rows[want].Cost.Amount, now.Best, now.Rows[now.Best].Cost.Amount, got.Flips)
			}
		}
	})
}

func drawOffer(t *rapid.T) Offer {
	o := Offer{
		ID:    "o",
		Per:   rapid.SampledFrom([]Period{PerHour, PerDay, PerWeek, PerMonth}).Draw(t, "per"),
		Cards: rapid.IntRange(0, 8).Draw(t, "cards"),
		Setup: rapid.Float64Range(0, 50).Draw(t, "setup"),
		Speed: rapid.Float64Range(0.5, 2).Draw(t, "speed"),
		Least: rapid.IntRange(0, 3).Draw(t, "least"),
	}
	hours := max(1, o.Per.hours())
	o.Price = Yuan(math.Round(100*hours*rapid.Float64Range(0.5, 3).Draw(t, "price")) / 100)
	if rapid.Bool().Draw(t, "moves") {
		o.Once = Yuan(float64(rapid.IntRange(0, 300).Draw(t, "once")))
	}
	return o
}

// A month is paid until the same day of the next: 31 days are one, a year is
// twelve, whether it is said as 365 days or as twelve months of 30.
func TestMonths(t *testing.T) {
	for days, want := range map[float64]int{0: 1, 0.5: 1, 30: 1, 31: 1, 31.5: 2, 60: 2, 61: 2, 62: 3, 90: 3, 91: 3, 180: 6, 183: 6, 360: 12, 365: 12, 366: 13, 730: 24, 1e9: 121} {
		if got := Months(days); got != want {
			t.Errorf("%v days: got %d months, want %d", days, got, want)
		}
	}
	for days, want := range map[float64]int{1: 1, 365: 1, 366: 2, 730: 2, 731: 3} {
		if got := Years(days); got != want {
			t.Errorf("%v days: got %d years, want %d", days, got, want)
		}
	}
}
