package rules

import (
	"fmt"
	"io"
	"strconv"
	"strings"

	"gpuadvisor/advisor/cost"
)

// WritePrices writes a list as a file of rules/prices, one row a line.
func WritePrices(w io.Writer, list cost.List, comment string) error {
	var b strings.Builder
	for line := range strings.Lines(comment) {
		fmt.Fprintf(&b, "# %s\n", strings.TrimRight(line, "\n"))
	}
	fmt.Fprintf(&b, "id: %s\nsource: %s\nas_of: %s\nprices:\n", list.ID, strconv.Quote(list.Source), list.AsOf)
	for _, p := range list.Prices {
		b.WriteString("  - {" + strings.Join(priceFields(p), ", ") + "}\n")
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// priceFields are the keys of a row, in the order of cost.Price.
func priceFields(p cost.Price) []string {
	var out []string
	add := func(key, value string) {
		if value != "" {
			out = append(out, key+": "+value)
		}
	}
	text := func(key, value string) {
		if value != "" {
			add(key, strconv.Quote(value))
		}
	}
	amount := func(key string, a cost.Amount) {
		if a != 0 {
			add(key, a.String())
		}
	}
	add("card", p.Card)
	if p.Count > 1 {
		add("count", strconv.Itoa(p.Count))
	}
	if p.VRAMGB > 0 {
		add("vram_gb", strconv.FormatFloat(p.VRAMGB, 'f', -1, 64))
	}
	amount("hour_low", p.HourLow)
	amount("hour_high", p.HourHigh)
	amount("month_low", p.MonthLow)
	amount("month_high", p.MonthHigh)
	add("currency", string(p.Currency))
	text("provider", p.Provider)
	add("kind", p.Kind)
	text("region", p.Region)
	text("source", p.Source)
	text("url", p.URL)
	add("as_of", p.AsOf.String())
	text("claimant", p.Claimant)
	for _, flag := range []struct {
		key string
		on  bool
	}{{"claim", p.Claim}, {"inconsistent", p.Inconsistent}, {"spot", p.Spot}} {
		if flag.on {
			add(flag.key, "true")
		}
	}
	add("origin", string(p.Origin))
	return out
}

// PriceChange is one difference between two lists of prices.
type PriceChange struct {
	What     string // new gone changed
	Card     string
	Count    int
	Spot     bool
	Currency cost.Currency
	Provider string
	Old, New cost.Price
}

// DiffPrices compares two lists, machine by machine, in the order of the new
// one; what is gone comes last.
func DiffPrices(old, now []cost.Price) []PriceChange {
	type machine struct {
		card, provider string
		count          int
		spot           bool
		currency       cost.Currency
	}
	of := func(p cost.Price) machine { return machine{p.Card, p.Provider, p.Cards(), p.Spot, p.Currency} }
	before := map[machine]cost.Price{}
	for _, p := range old {
		before[of(p)] = p
	}
	seen := map[machine]bool{}
	var out []PriceChange
	add := func(what string, m machine, a, b cost.Price) {
		out = append(out, PriceChange{what, m.card, m.count, m.spot, m.currency, m.provider, a, b})
	}
	for _, p := range now {
		m := of(p)
		was, known := before[m]
		switch {
		case seen[m]:
		case !known:
			add("new", m, cost.Price{}, p)
		case was.HourLow != p.HourLow || was.HourHigh != p.HourHigh || was.MonthLow != p.MonthLow || was.MonthHigh != p.MonthHigh:
			add("changed", m, was, p)
		}
		seen[m] = true
	}
	for _, p := range old {
		if m := of(p); !seen[m] {
			add("gone", m, p, cost.Price{})
			seen[m] = true
		}
	}
	return out
}
