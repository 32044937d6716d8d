package advisor

import (
	"strings"
	"time"

	"gpuadvisor/advisor/cost"
)

// money.go puts prices to a decision. A price comes after everything else, is
// shown with its source, date and age, and decides nothing once it is stale.

// costOf is what the finished job costs on the first card: card-hours always
// when the duration is known, money where a dated price is.
func (b *Rulebook) costOf(d *decision, now time.Time) Cost {
	if len(d.Cards) == 0 {
		return Cost{}
	}
	return b.priceJob(d.facts, d.Cards[0].GPU, d.Cards[0].Count, now)
}

// priceJob prices n cards for the duration of the facts. The user's own price
// per hour always wins.
func (b *Rulebook) priceJob(f Facts, card string, n int, now time.Time) Cost {
	if !f.DurationHours.Known() {
		return Cost{}
	}
	hours := f.DurationHours.Value
	cards := Range{float64(n), float64(n)}
	if f.GPUs.IsSaid() && !f.GPUs.Value.Single() && f.GPUs.Value.Hi == float64(n) {
		cards.Lo = f.GPUs.Value.Lo
	}
	total := Range{hours.Lo * cards.Lo, hours.Hi * cards.Hi}
	out := Cost{GPUHours: &total}
	if f.PriceHour.IsSaid() {
		p := f.PriceHour.Value
		out.money(total, p.Amount, p.Amount, p.Amount, p.Currency)
		out.Source = "user"
		return out
	}
	band, ok := b.band(card, f, now)
	if !ok || !band.Hour.Given() {
		return out
	}
	out.money(total, band.Hour.Low.Float(), band.Hour.Likely.Float(), band.Hour.High.Float(), string(band.Currency))
	out.AsOf, out.Stale = band.Oldest.String(), band.Stale()
	out.Source = strings.Join(band.Sources, "; ")
	return out
}

func (c *Cost) money(hours Range, low, likely, high float64, currency string) {
	mid := (hours.Lo + hours.Hi) / 2
	lo, li, hi := hours.Lo*low, mid*likely, hours.Hi*high
	c.Low, c.Likely, c.High, c.Currency = &lo, &li, &hi, currency
}

// band is the price band of a card in the currency that suits the person:
// their budget's first, then yuan, then dollars.
func (b *Rulebook) band(card string, f Facts, now time.Time) (cost.Band, bool) {
	order := []cost.Currency{cost.CNY, cost.USD}
	if f.Budget.Value.Currency == "USD" {
		order = []cost.Currency{cost.USD, cost.CNY}
	}
	for _, c := range order {
		if band, ok := cost.BandOf(b.prices[card], cost.Query{Card: card, Currency: c}, now); ok && band.Hour.Given() {
			return band, true
		}
	}
	return cost.Band{}, false
}

// monthly says whether a monthly price beats the hours the machine is on:
// pays, never, or unknown when no current price tells.
func (b *Rulebook) monthly(d *decision, now time.Time) string {
	if len(d.Cards) == 0 {
		return "unknown"
	}
	band, ok := b.band(d.Cards[0].GPU, d.facts, now)
	if !ok {
		return string(cost.Unknown)
	}
	return string(cost.MonthlyOf(band, hoursOn(d.facts)))
}

// hoursOn is how long the machine is on in a month of thirty days.
func hoursOn(f Facts) float64 {
	perDay := f.HoursPerDay.Or(8)
	if f.AlwaysOn.Value {
		perDay = 24
	}
	return perDay * 30
}
