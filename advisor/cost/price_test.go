package cost

import (
	"encoding/json"
	"reflect"
	"testing"
	"time"
)

// april is the day on which the prices of seed 002 (March 2026) are stale, and
// march one on which they are fresh.
var (
	november = time.Date(2026, 11, 30, 12, 0, 0, 0, time.UTC)
	march    = time.Date(2026, 3, 20, 12, 0, 0, 0, time.UTC)
)

// seed is a range as seed 002 gives it.
func seed(card string, count int, hourLow, hourHigh, monthLow, monthHigh float64) Price {
	a := func(f float64) Amount { return Yuan(f).Amount }
	return Price{
		Card: card, Count: count,
		HourLow: a(hourLow), HourHigh: a(hourHigh), MonthLow: a(monthLow), MonthHigh: a(monthHigh),
		Currency: CNY, Provider: Unnamed, Source: "seed article 002, March 2026", AsOf: Date{2026, time.March, 0},
	}
}

func TestPriceProblems(t *testing.T) {
	good := seed("t4", 1, 0.65, 1.89, 1299, 1681)
	if p := good.Problems(); len(p) != 0 || !good.Usable() {
		t.Fatalf("a good price has problems: %v", p)
	}
	for _, c := range []struct {
		name  string
		spoil func(*Price)
		want  []Problem
	}{
		{"no card", func(p *Price) { p.Card = "" }, []Problem{{Missing, "card"}}},
		{"no place", func(p *Price) { p.Provider = "" }, []Problem{{Missing, "provider"}}},
		{"no source, no date", func(p *Price) { p.Source, p.AsOf = "", Date{} }, []Problem{{Missing, "source"}, {Missing, "as_of"}}},
		{"no currency", func(p *Price) { p.Currency = "" }, []Problem{{Missing, "currency"}}},
		{"euro", func(p *Price) { p.Currency = "EUR" }, []Problem{{UnknownCurrency, "currency"}}},
		{"no amount", func(p *Price) { p.HourLow, p.HourHigh, p.MonthLow, p.MonthHigh = 0, 0, 0, 0 }, []Problem{{Missing, "hour_low"}}},
		{"high without low", func(p *Price) { p.HourLow = 0 }, []Problem{{Zero, "hour_low"}}},
		{"negative", func(p *Price) { p.HourLow = -One }, []Problem{{Negative, "hour_low"}}},
		{"reversed", func(p *Price) { p.MonthLow, p.MonthHigh = p.MonthHigh, p.MonthLow }, []Problem{{Reversed, "month_low"}}},
		{"placeholder price", func(p *Price) { p.HourLow = One / 1000 }, []Problem{{Absurd, "hour_low"}}},
		{"price of a car", func(p *Price) { p.HourHigh = 40_000 * One }, []Problem{{Absurd, "hour_high"}}},
		{"a month by the hour", func(p *Price) { p.MonthLow, p.MonthHigh = One/2, 0 }, []Problem{{Absurd, "month_low"}}},
		{"minus one card", func(p *Price) { p.Count = -1 }, []Problem{{Negative, "count"}}},
		{"a million cards", func(p *Price) {
			p.Count = 1_000_000
			p.HourLow, p.HourHigh = 1e6*One, 0
			p.MonthLow, p.MonthHigh = 0, 0
		}, []Problem{{Absurd, "count"}}},
		{"negative memory", func(p *Price) { p.VRAMGB = -1 }, []Problem{{Negative, "vram_gb"}}},
	} {
		p := good
		c.spoil(&p)
		if got := p.Problems(); !reflect.DeepEqual(got, c.want) || p.Usable() {
			t.Errorf("%s: problems %v, usable %v; want %v", c.name, got, p.Usable(), c.want)
		}
	}
}

// Prices that an admin notes are kept as JSON.
func TestPriceInJSON(t *testing.T) {
	want := seed("a100-80gb-sxm", 8, 38.5, 120, 28000, 86400)
	want.Origin, want.Claimant, want.AsOf = Set, "telegram:1", Date{2026, time.November, 30}
	b, err := json.Marshal(want)
	if err != nil {
		t.Fatal(err)
	}
	var got Price
	if err := json.Unmarshal(b, &got); err != nil || got != want {
		t.Errorf("%s reads back as %+v, %v", b, got, err)
	}
}

func TestPricePerCard(t *testing.T) {
	p := seed("a100-80gb-sxm", 8, 38, 120, 28000, 86400)
	if got, want := p.Hour(), (Estimate{4_750_000, 9_875_000, 15 * One, CNY}); got != want {
		t.Errorf("Hour() = %v, want %v (C4: 4.75 per card)", got, want)
	}
	if got, want := p.Month().Low, 3500*One; got != want {
		t.Errorf("Month().Low = %v, want %v", got, want)
	}
	p.HourHigh = 0
	if got := p.Hour(); got.Low != got.High {
		t.Errorf("one figure is a range: %v", got)
	}
	p.HourLow = 0
	if got := p.Hour(); got.Given() {
		t.Errorf("no figure is a price: %v", got)
	}
}

func TestListRows(t *testing.T) {
	own := Price{Card: "l4", Source: "its own", AsOf: Date{2026, 5, 1}}
	l := List{Source: "the file's", AsOf: Date{2026, 3, 0}, Prices: []Price{{Card: "t4"}, own}}
	want := []Price{{Card: "t4", Source: "the file's", AsOf: Date{2026, 3, 0}}, own}
	if got := l.Rows(); !reflect.DeepEqual(got, want) {
		t.Errorf("Rows() = %+v, want %+v", got, want)
	}
	if l.Prices[0].Source != "" {
		t.Error("Rows changed the list")
	}
}

func TestBandOf(t *testing.T) {
	later := func(p Price, d Date) Price { p.AsOf = d; return p }
	with := func(p Price, change func(*Price)) Price { change(&p); return p }
	range4090 := seed("rtx-4090", 1, 1.32, 2.68, 950, 4199)
	q := Query{Card: "rtx-4090", Currency: CNY}
	for _, c := range []struct {
		name   string
		prices []Price
		now    time.Time
		ok     bool
		hour   string // low likely high
		stale  bool
		oldest string
	}{
		{"the seed's range in its own month", []Price{range4090}, march, true, "1.32 2 2.68", false, "2026-03"},
		{"shown with a mark when stale", []Price{range4090}, november, true, "1.32 2 2.68", true, "2026-03"},
		{"nothing known", nil, november, false, "", false, ""},
		{"another card", []Price{seed("t4", 1, 0.65, 0.89, 0, 0)}, march, false, "", false, ""},
		{"undated", []Price{later(range4090, Date{})}, march, false, "", false, ""},
		{"from the future", []Price{later(range4090, Date{2027, 1, 0})}, march, false, "", false, ""},
		{"a seller's claim", []Price{with(range4090, func(p *Price) { p.Claim = true })}, march, false, "", false, ""},
		{"inconsistent (C4, C5)", []Price{with(range4090, func(p *Price) { p.Inconsistent = true })}, march, false, "", false, ""},
		{"dollars are not yuan", []Price{with(range4090, func(p *Price) { p.Currency = USD })}, march, false, "", false, ""},
		{"interruptible is another thing", []Price{with(range4090, func(p *Price) { p.Spot = true })}, march, false, "", false, ""},
		{
			"median of all ends, oldest date",
			[]Price{range4090, later(seed("rtx-4090", 1, 1.5, 1.6, 0, 0), Date{2026, 3, 18}), seed("rtx-4090", 2, 4, 4, 0, 0)},
			march, true, "1.32 1.8 2.68", false, "2026-03",
		},
		{
			"fresh rows push out stale ones",
			[]Price{range4090, later(seed("rtx-4090", 1, 2, 2.2, 0, 0), Date{2026, 11, 20})},
			november, true, "2 2.1 2.2", false, "2026-11-20",
		},
		{
			"among stale rows the newest count",
			[]Price{range4090, later(seed("rtx-4090", 1, 2, 2.2, 0, 0), Date{2026, 8, 21}), later(seed("rtx-4090", 1, 2.4, 2.4, 0, 0), Date{2026, 7, 1})},
			november, true, "2 2.3 2.4", true, "2026-07-01",
		},
		{
			"imported beats bundled",
			[]Price{range4090, with(seed("rtx-4090", 1, 3, 3, 0, 0), func(p *Price) { p.Origin = Imported }), range4090},
			march, true, "3 3 3", false, "2026-03",
		},
		{
			"the user's own price beats all",
			[]Price{
				with(seed("rtx-4090", 1, 3, 3, 0, 0), func(p *Price) { p.Origin = Imported }),
				with(seed("rtx-4090", 1, 2.3, 2.3, 0, 0), func(p *Price) { p.Origin = Said }),
				with(seed("rtx-4090", 1, 4, 4, 0, 0), func(p *Price) { p.Origin = Set }),
			},
			march, true, "2.3 2.3 2.3", false, "2026-03",
		},
	} {
		b, ok := BandOf(c.prices, q, c.now)
		hour := ""
		if ok {
			hour = b.Hour.Low.String() + " " + b.Hour.Likely.String() + " " + b.Hour.High.String()
		}
		if ok != c.ok || hour != c.hour || ok && (b.Stale() != c.stale || b.Oldest.String() != c.oldest) {
			t.Errorf("%s: %v %q stale %v of %s; want %v %q %v %s", c.name, ok, hour, b.Stale(), b.Oldest, c.ok, c.hour, c.stale, c.oldest)
		}
	}
}

func TestBandNamesItsSources(t *testing.T) {
	a, b := seed("l4", 1, 1, 2, 0, 0), seed("l4", 1, 1, 2, 0, 0)
	a.Source, a.Provider, a.Claimant = "page B", "beta", "beta"
	b.Source, b.Provider = "page A", "alpha"
	band, _ := BandOf([]Price{a, b, a}, Query{Card: "l4", Currency: CNY}, march)
	if want := []string{"page A", "page B"}; !reflect.DeepEqual(band.Sources, want) {
		t.Errorf("sources %q, want %q", band.Sources, want)
	}
	if want := []string{"alpha", "beta"}; !reflect.DeepEqual(band.Providers, want) {
		t.Errorf("providers %q, want %q", band.Providers, want)
	}
	if want := []string{"beta"}; !reflect.DeepEqual(band.Claimants, want) {
		t.Errorf("claimants %q, want %q", band.Claimants, want)
	}
	if band.Rows != 3 {
		t.Errorf("%d rows, want 3", band.Rows)
	}
}

func TestBandsByKind(t *testing.T) {
	row := func(kind string, c Currency, spot bool) Price {
		p := seed("h100-sxm", 1, 2, 3, 0, 0)
		p.Kind, p.Currency, p.Spot = kind, c, spot
		return p
	}
	prices := []Price{
		row("vertical_gpu_cloud", USD, false), row("public_cloud", USD, false), row("public_cloud", USD, true),
		row("", CNY, false), row("vertical_gpu_cloud", USD, false), seed("t4", 1, 1, 1, 0, 0),
	}
	var got []Query
	for _, b := range Bands(prices, "h100-sxm", march) {
		got = append(got, b.Query)
	}
	want := []Query{
		{"h100-sxm", CNY, "", false},
		{"h100-sxm", USD, "public_cloud", false},
		{"h100-sxm", USD, "vertical_gpu_cloud", false},
		{"h100-sxm", USD, "public_cloud", true},
	}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("Bands: %v, want %v", got, want)
	}
}
