package cost

import (
	"math"
	"testing"
	"time"

	"pgregory.net/rapid"
)

func drawSpan(t *rapid.T, name string, low, high float64) Span {
	a := rapid.Float64Range(low, high).Draw(t, name)
	b := rapid.Float64Range(low, high).Draw(t, name)
	return Between(min(a, b), max(a, b))
}

func drawPrice(t *rapid.T) Estimate {
	a := rapid.Int64Range(int64(MinCardHour), int64(100*One)).Draw(t, "price")
	b := rapid.Int64Range(int64(MinCardHour), int64(100*One)).Draw(t, "price")
	e, err := Spread(Money{Amount(min(a, b)), CNY}, Money{Amount(max(a, b)), CNY})
	if err != nil {
		t.Fatal(err)
	}
	return e
}

// drawJob draws a job, with parts left out now and then.
func drawJob(t *rapid.T) Job {
	some := func(name string, low, high float64) Span {
		if rapid.Bool().Draw(t, name+" given") {
			return drawSpan(t, name, low, high)
		}
		return Span{}
	}
	return Job{
		Price: drawPrice(t), Run: drawSpan(t, "run", 0.1, 1000),
		Cards: Exactly(float64(rapid.IntRange(1, 64).Draw(t, "cards"))),
		Setup: some("setup", 0, 10), Download: some("download", 0, 10), Debug: some("debug", 0, 50),
		Disk:    Disk{GB: some("disk", 0, 5000), FreeGB: 50, PerGBMonth: Yuan(0.3)},
		Net:     Net{GB: some("net", 0, 5000), FreeGB: 100, PerGB: Yuan(0.8)},
		Success: some("success", 0.05, 1), Kept: some("kept", 0, 1), Delivered: some("delivered", 0.3, 1),
		Wage: Yuan(80), Human: some("human", 0, 20),
	}
}

// Whatever goes in within bounds, low ≤ likely ≤ high comes out, in the same
// currency, the lines add up, and nothing is NaN.
func TestFinishIsInOrder(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		j := drawJob(t)
		f, err := Finish(j)
		if err != nil {
			t.Fatal(err)
		}
		inOrder(t, "total", f.Total)
		var sum Amount
		for _, l := range f.Lines {
			inOrder(t, string(l.Part), l.Cost)
			sum += l.Cost.Likely
		}
		if sum != f.Total.Likely {
			t.Fatalf("lines add to %v, total %v", sum, f.Total.Likely)
		}
		for _, s := range []Span{f.Hours, f.CardHours, f.Attempts} {
			if !(s.Low <= s.Likely && s.Likely <= s.High) || math.IsInf(s.High, 0) {
				t.Fatalf("span %v", s)
			}
		}
	})
}

func inOrder(t *rapid.T, what string, e Estimate) {
	t.Helper()
	// one millionth of rounding in each factor
	if e.Low > e.Likely+2 || e.Likely > e.High+2 || e.Low < 0 || e.Currency != CNY {
		t.Fatalf("%s is %v", what, e)
	}
}

// More of anything bad never costs less.
func TestFinishIsMonotone(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		j := drawJob(t)
		more := j
		switch rapid.IntRange(0, 4).Draw(t, "what") {
		case 0:
			more.Price = Estimate{j.Price.Low + One, j.Price.Likely + One, j.Price.High + One, CNY}
		case 1:
			more.Run = j.Run.plus(Exactly(1))
		case 2:
			more.Cards = Exactly(j.Cards.Likely + 1)
		case 3:
			more.Setup = j.Setup.plus(Exactly(1))
		case 4:
			s := j.Success.Or(1)
			more.Success = Span{s.Low * 0.9, s.Likely * 0.9, s.High * 0.9, true}
		}
		a, err := Finish(j)
		if err != nil {
			t.Fatal(err)
		}
		b, err := Finish(more)
		if err != nil {
			t.Fatal(err)
		}
		if b.Total.Low+9 < a.Total.Low || b.Total.Likely+9 < a.Total.Likely || b.Total.High+9 < a.Total.High {
			t.Fatalf("%+v costs %v, but %+v costs %v", j, a.Total, more, b.Total)
		}
	})
}

// Renting twice as long costs twice as much, to the last millionth and a
// rounding; a higher price never buys more hours.
func TestRentIsLinear(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := drawPrice(t)
		h := drawSpan(t, "hours", 0.1, 10_000)
		one, err := Rent(p, h)
		if err != nil {
			t.Fatal(err)
		}
		two, err := Rent(p, h.plus(h))
		if err != nil {
			t.Fatal(err)
		}
		if d := two.Likely - 2*one.Likely; d < -1 || d > 1 {
			t.Fatalf("%v and twice %v", one.Likely, two.Likely)
		}
		few, err := HoursFor(Yuan(500), Estimate{p.Low + 1, p.Likely + 1, p.High + 1, CNY})
		if err != nil {
			t.Fatal(err)
		}
		many, err := HoursFor(Yuan(500), p)
		if err != nil || few.Likely > many.Likely {
			t.Fatalf("dearer buys %v, cheaper %v, %v", few, many, err)
		}
	})
}

// Bands keep inside the prices they are made of, in the currency asked for, and
// rank only when every row used is recent.
func TestBandStaysInside(t *testing.T) {
	now := november
	rapid.Check(t, func(t *rapid.T) {
		var prices []Price
		for range rapid.IntRange(0, 12).Draw(t, "rows") {
			lo := Amount(rapid.Int64Range(int64(MinCardHour), int64(20*One)).Draw(t, "low"))
			p := Price{
				Card: "x", HourLow: lo, HourHigh: lo + Amount(rapid.Int64Range(0, int64(One)).Draw(t, "more")),
				Currency: rapid.SampledFrom([]Currency{CNY, USD}).Draw(t, "currency"),
				Provider: "p", Source: "s", AsOf: DateOf(now.AddDate(0, 0, -rapid.IntRange(-5, 200).Draw(t, "age"))),
				Origin:       rapid.SampledFrom([]Origin{Bundled, Imported, Set}).Draw(t, "origin"),
				Claim:        rapid.IntRange(0, 5).Draw(t, "claim") == 0,
				Inconsistent: rapid.IntRange(0, 5).Draw(t, "inconsistent") == 0,
			}
			prices = append(prices, p)
		}
		b, ok := BandOf(prices, Query{Card: "x", Currency: CNY}, now)
		if !ok {
			return
		}
		least, most := MaxAmount, Amount(0)
		for _, p := range prices {
			if p.Currency == CNY && p.Usable() {
				least, most = min(least, p.HourLow), max(most, p.HourHigh)
			}
		}
		if b.Hour.Low < least || b.Hour.High > most || b.Hour.Likely < b.Hour.Low || b.Hour.Likely > b.Hour.High || b.Hour.Currency != CNY {
			t.Fatalf("band %v of prices from %v to %v", b.Hour, least, most)
		}
		if b.Age == None || b.Stale() != (b.Oldest.DaysAt(now) > AgeingDays) {
			t.Fatalf("age %s of %v", b.Age, b.Oldest)
		}
	})
}

// The order of the rows does not change a band.
func TestBandIgnoresOrder(t *testing.T) {
	rows := []Price{seed("x", 1, 1, 2, 0, 0), seed("x", 1, 1.5, 3, 100, 200), seed("x", 4, 4, 10, 0, 0), seed("x", 1, 0.9, 0, 0, 0)}
	rows[1].AsOf = Date{2026, time.November, 20}
	rows[2].AsOf = Date{2026, time.November, 10}
	q := Query{Card: "x", Currency: CNY}
	want, _ := BandOf(rows, q, november)
	rapid.Check(t, func(t *rapid.T) {
		got, _ := BandOf(rapid.Permutation(rows).Draw(t, "rows"), q, november)
		if got.Hour != want.Hour || got.Month != want.Month || got.Oldest != want.Oldest || got.Rows != want.Rows {
			t.Fatalf("%+v, want %+v", got, want)
		}
	})
}

// FuzzFinish gives every number that a stranger can: a result is in order, a
// problem has a known code, and nothing panics.
func FuzzFinish(f *testing.F) {
	f.Add(2.0, 10.0, 1.0, 0.8, 0.5, 100.0, 4.0, 0.7)
	f.Add(-1.0, math.Inf(1), math.NaN(), 0.0, 2.0, 1e300, 0.0, 1e-300)
	f.Fuzz(func(t *testing.T, price, run, setup, success, kept, gb, cards, delivered float64) {
		a, err := AmountOf(price)
		if err != nil {
			return
		}
		got, err := Finish(Job{
			Price: Fixed(Money{a, USD}), Cards: Exactly(cards), Run: Between(run, 2*run), Setup: Exactly(setup),
			Success: Between(success, success), Kept: Exactly(kept), Delivered: Exactly(delivered),
			Disk: Disk{GB: Exactly(gb), PerGBMonth: Money{a, USD}}, Net: Net{GB: Exactly(gb), PerGB: Money{a, USD}},
			Wage: Money{a, USD}, Human: Exactly(setup),
		})
		known(t, err)
		if err == nil && (got.Total.Low > got.Total.High+9 || got.Total.Low < 0 || math.IsNaN(got.Hours.High) || math.IsInf(got.Hours.High, 0)) {
			t.Errorf("total %v, hours %v", got.Total, got.Hours)
		}
		_, err = PerUnit(UnitMTok, Work{Price: Fixed(Money{a, USD}), PerSecond: Exactly(run), Yield: Exactly(success)})
		known(t, err)
		_, err = HoursFor(Money{a, USD}, Fixed(Money{a, USD}))
		known(t, err)
		_, err = Effective(Money{a, USD}, success)
		known(t, err)
		_, err = PlanSpot(Interrupted{Money{a, USD}, Money{a, USD}, time.Duration(run), time.Duration(gb), time.Duration(setup), 0})
		known(t, err)
	})
}

// FuzzCompare does the same for offers, whose flips must come in order.
func FuzzCompare(f *testing.F) {
	f.Add(1.0, 2.0, 1.3, 0.0, 10.0, 24.0, 0.7, 3, 100.0)
	f.Add(950.0, 0.0, 1.32, 0.0, 720.0, 8.0, 1.0, 6, 0.0)
	f.Fuzz(func(t *testing.T, month, setup, hour, once, run, perDay, speed float64, least int, day float64) {
		m, err1 := AmountOf(month)
		h, err2 := AmountOf(hour)
		o, err3 := AmountOf(once)
		d, err4 := AmountOf(day)
		if err1 != nil || err2 != nil || err3 != nil || err4 != nil {
			return
		}
		got, err := Compare(Comparison{
			RunHours: run, HoursPerDay: perDay,
			Offers: []Offer{
				{ID: "m", Per: PerMonth, Price: Money{m, CNY}, Least: least},
				{ID: "h", Per: PerHour, Price: Money{h, CNY}, Setup: setup, Speed: speed, Once: Money{o, CNY}},
				{ID: "d", Per: PerDay, Price: Money{d, CNY}},
			},
		})
		known(t, err)
		last := 0.0
		for _, flip := range got.Flips {
			if !(flip.Hours >= last) || flip.From == flip.To || math.IsInf(flip.Hours, 0) {
				t.Fatalf("flips %v", got.Flips)
			}
			last = flip.Hours
		}
	})
}

// known fails unless err is nil or a Problem with a listed code.
func known(t *testing.T, err error) {
	t.Helper()
	if err == nil {
		return
	}
	for _, c := range Codes() {
		if codeOf(err) == c {
			return
		}
	}
	t.Errorf("error %v is no known problem", err)
}
