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
		out.rent(ownPrice(f.PriceHour.Value), total)
		out.Source = "user"
		return out
	}
	band, ok := b.band(card, f, now)
	if !ok {
		return out
	}
	out.rent(band.Hour, total)
	out.AsOf, out.Stale = band.Oldest.String(), band.Stale()
	out.Source = strings.Join(band.Sources, "; ")
	return out
}

// ownPrice is the price that the person named, per card and hour.
func ownPrice(p Budget) cost.Estimate {
	amount, err := cost.AmountOf(p.Amount)
	if err != nil || amount < 0 {
		return cost.Estimate{}
	}
	return cost.Fixed(cost.Money{Amount: amount, Currency: cost.Currency(p.Currency)})
}

// rent fills in the money; a price that cannot be computed with leaves it out.
func (c *Cost) rent(perHour cost.Estimate, hours Range) {
	money, err := cost.Rent(perHour, cost.Between(hours.Lo, hours.Hi))
	if err != nil || !money.Given() {
		return
	}
	low, likely, high := money.Low.Float(), money.Likely.Float(), money.High.Float()
	c.Low, c.Likely, c.High, c.Currency = &low, &likely, &high, string(money.Currency)
}

// band is the price band of a card in the currency that suits the person:
// their budget's first, then the preferred one, then the other. What is older than
// a year comes last.
func (b *Rulebook) band(card string, f Facts, now time.Time) (cost.Band, bool) {
	order := []cost.Currency{cost.CNY, cost.USD}
	if f.Budget.Value.Currency == "USD" || f.Budget.Value.Currency == "" && b.prefer == cost.USD {
		order = []cost.Currency{cost.USD, cost.CNY}
	}
	best, found := cost.Band{}, false
	for _, c := range order {
		band, ok := cost.BandOf(b.prices[card], cost.Query{Card: card, Currency: c}, now)
		if !ok || !band.Hour.Given() {
			continue
		}
		if band.Oldest.DaysAt(now) <= tooOld {
			return band, true
		}
		if !found {
			best, found = band, true
		}
	}
	return best, found
}

// withPrice prefers, among cards that answer to the same name, one with a price.
func (b *Rulebook) withPrice(cards []*Card, f Facts, now time.Time) *Card {
	for _, c := range cards {
		if _, ok := b.band(c.ID, f, now); ok {
			return c
		}
	}
	return cards[0]
}

// monthly says whether a monthly price beats the hours the machine is on:
// pays, never, or unknown when no current price tells.
func (b *Rulebook) monthly(d *decision, now time.Time) string {
	if d.best.card == nil || !b.current(d.best.card.ID, now) {
		return string(cost.Unknown)
	}
	band, ok := b.band(d.best.card.ID, d.facts, now)
	if !ok {
		return string(cost.Unknown)
	}
	return string(cost.MonthlyOf(band, hoursOn(d.facts)))
}

// current reports whether any price of a card is young enough to rank.
func (b *Rulebook) current(card string, now time.Time) bool {
	for _, p := range b.prices[card] {
		if cost.AgeOf(p.AsOf, now).Ranks() {
			return true
		}
	}
	return false
}

// hoursOn is how long the machine is on in a month of thirty days.
func hoursOn(f Facts) float64 {
	perDay := f.HoursPerDay.Or(8)
	if f.AlwaysOn.Value {
		perDay = 24
	}
	return perDay * 30
}
