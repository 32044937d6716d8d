package advisor

import (
	"math"
	"strconv"
	"strings"
	"time"

	"gpuadvisor/advisor/cost"
)

// rentals.go answers who rents what: since when, and what it has cost so far.

// rentals lists the person's open rentals; in a group those of its members that
// were told there.
func (t *turn) rentals() {
	t.because("rentals")
	t.r.Intent = "remind"
	t.reply.Act = "answer"
	if !t.look() {
		return
	}
	list, title := t.known.Rentals, "rentals.title"
	if t.known.Group {
		list, title = t.known.RoomRentals, "rentals.group"
	}
	var open []Rental
	for _, r := range list {
		if r.Open() {
			open = append(open, r)
		}
	}
	if len(open) == 0 {
		t.text("rentals.none")
		t.backToQuestion()
		return
	}
	t.heading(title, "n", len(open))
	for i, r := range open {
		t.reply.Parts = append(t.reply.Parts, Part{Kind: "text", Text: enumerated(i+1, t.rentalLine(r))})
		if t.ownRental(r) && len(t.reply.Choices) < mostListed {
			t.reply.Choices = append(t.reply.Choices, Choice{Ref: "/release show #" + r.ID, Label: enumeratedLabel(i+1, t.rentalTitle(r), 40)})
		}
	}
	if t.c.Asked != "" {
		t.reply.Choices = nil
		t.backToQuestion()
		return
	}
	t.c.Options = refs(t.reply.Choices)
}

func (t *turn) ownRental(r Rental) bool {
	_, ok := t.rentalBy(r.ID)
	return ok
}

// rentalLine is a rental in the list.
func (t *turn) rentalLine(r Rental) string {
	lines := []string{t.rentalTitle(r)}
	if t.known.Group && r.Owner != "" {
		lines[0] += " · " + r.Owner
	}
	lines[0] += " · " + t.book.say(t.lang, "rentals.since", "at", t.stamp(r.Since), "for", t.book.hours(t.lang, One(roundHours(max(t.m.At.Sub(r.Since), time.Minute)))))
	lines = append(lines, "   "+t.book.say(t.lang, "release.panel."+r.How, "at", t.stamp(r.End), "in", t.waitOrOver(r.End)))
	if c := t.costSoFar(r); c != "" {
		lines = append(lines, "   "+c)
	}
	if left := r.Left(); len(left) > 0 {
		lines = append(lines, "   "+t.book.say(t.lang, "rentals.left", "n", len(left), "of", len(actions)))
	}
	return strings.Join(lines, "\n")
}

// sayCost says what a rental has cost, where that can be said.
func (t *turn) sayCost(r Rental) {
	if c := t.costSoFar(r); c != "" {
		t.reply.Parts = append(t.reply.Parts, Part{Kind: "text", Text: c})
	}
}

// RanFor is how long a rental has been running at an instant.
func (r Rental) RanFor(now time.Time) time.Duration {
	end := now
	for _, at := range []time.Time{r.Stopped, r.Ended} {
		if !at.IsZero() && at.Before(end) {
			end = at
		}
	}
	return max(end.Sub(r.Since), 0)
}

// costSoFar is the rent so far in words: of the person's own price, else of the
// dated prices of the card, marked as such.
func (t *turn) costSoFar(r Rental) string {
	rent, band, ok := t.book.rentSoFar(r, t.m.At)
	switch {
	case !ok:
		return t.book.say(t.lang, "rentals.cost.none")
	case band == nil:
		return t.book.say(t.lang, "rentals.cost", "sum", t.sum(rent), "price", t.moneyOf(r.Price, r.Currency))
	}
	key := "rentals.cost.band"
	if band.Stale() {
		key = "rentals.cost.stale"
	}
	return t.book.say(t.lang, key, "sum", t.sum(rent), "price", t.bandWords(band.Hour, "hour"), "date", band.Oldest.String(), "cards", max(1, r.Cards))
}

// RentSoFar is what a rental has cost until an instant. asOf is the day of the
// prices, "" for the person's own.
func (a *Advisor) RentSoFar(r Rental, now time.Time) (rent cost.Estimate, asOf string, ok bool) {
	rent, band, ok := a.book.rentSoFar(r, now)
	if band != nil {
		asOf = band.Oldest.String()
	}
	return rent, asOf, ok
}

func (b *Rulebook) rentSoFar(r Rental, now time.Time) (cost.Estimate, *cost.Band, bool) {
	ran := max(r.RanFor(now), time.Minute).Round(time.Minute).Hours() // nobody bills seconds
	hours := cost.Between(ran, ran)
	if r.Price > 0 {
		rent, err := cost.Rent(ownPrice(Budget{Amount: r.Price, Currency: r.Currency}), hours)
		return rent, nil, err == nil
	}
	if r.Card == "" {
		return cost.Estimate{}, nil, false
	}
	band, ok := b.band(r.Card, Facts{}, now)
	if !ok {
		return cost.Estimate{}, nil, false
	}
	n := float64(max(1, r.Cards))
	rent, err := cost.Rent(band.Hour, cost.Between(hours.Low*n, hours.High*n))
	return rent, &band, err == nil
}

// moneyOf writes an amount as somebody said it.
func (t *turn) moneyOf(amount float64, currency string) string {
	a, err := cost.AmountOf(math.Max(amount, 0))
	if err != nil {
		return number(amount)
	}
	return t.moneySum(cost.Money{Amount: a, Currency: cost.Currency(currency)})
}

// minuteID names an instant, to the minute.
func minuteID(at time.Time) string { return strconv.FormatInt(at.Unix()/60, 36) }
