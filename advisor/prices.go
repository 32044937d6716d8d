package advisor

import (
	"slices"
	"strings"
	"time"

	"gpuadvisor/advisor/cost"
)

// prices.go answers "/prices 4090": what a card costs at which kind of place,
// each with its date, age, source and claimant. Nothing is ranked and no place
// is praised; what is too old or contradicts itself is shown and marked, so
// that nobody takes it for today's price.

// PriceSheet is what is known of the prices of one card.
type PriceSheet struct {
	Card  string      `json:"card"` // id
	Label string      `json:"label"`
	Bands []PriceBand `json:"bands"` // one for each kind of place, currency and way of renting
	Apart []PriceRow  `json:"apart"` // rows that are in no band, and why
}

// PriceBand is the prices of one card at one kind of place.
type PriceBand struct {
	Kind      string        `json:"kind"` // platform id; "" when the source mixes or does not tell
	Currency  cost.Currency `json:"currency"`
	Spot      bool          `json:"spot"`
	Hour      cost.Estimate `json:"hour"`  // one card; zero when none is quoted
	Month     cost.Estimate `json:"month"` // one card; zero when none is quoted
	AsOf      string        `json:"as_of"`
	AgeDays   int           `json:"age_days"`
	Age       cost.Age      `json:"age"`
	Stale     bool          `json:"stale"`
	Sources   []string      `json:"sources"`
	Claimants []string      `json:"claimants,omitempty"`
	Providers []string      `json:"providers"`
	Origin    cost.Origin   `json:"origin"` // "" bundled, imported, set
	Rows      int           `json:"rows"`
}

// PriceRow is a quoted price that is shown and never used.
type PriceRow struct {
	Count    int           `json:"count"` // cards in the machine
	Hour     cost.Estimate `json:"hour"`
	Month    cost.Estimate `json:"month"`
	Provider string        `json:"provider"`
	AsOf     string        `json:"as_of"`
	Source   string        `json:"source"`
	Why      string        `json:"why"` // inconsistent claim
}

// shownPrices is how many cards one answer has room for.
const shownPrices = 3

// PricesOf returns what is known of the prices of the cards that a text names,
// at most three, as of now.
func (a *Advisor) PricesOf(text string, now time.Time) []PriceSheet {
	var out []PriceSheet
	seen := map[string]bool{}
	for _, c := range a.book.cardsIn(text) {
		if s := a.book.priceSheet(c, now); len(s.Bands)+len(s.Apart) > 0 && len(out) < shownPrices && (c.Label == "" || !seen[c.Label]) {
			out = append(out, s)
			seen[c.Label] = true
		}
	}
	return out
}

// cardsIn finds the cards that a text names, or the one whose id it is. Of a
// plain name's cards those come first that most places rent.
func (b *Rulebook) cardsIn(text string) []*Card {
	if c := b.cards[strings.ToLower(strings.TrimSpace(text))]; c != nil {
		return []*Card{c}
	}
	var meant, loose []*Card
	named := b.Read(text, Asked{Facts: &Facts{}}).Facts.GPUNamed.Value
	for i := range named {
		for j := range b.Cards {
			c := &b.Cards[j]
			switch n := &named[i]; {
			case n.Not || !n.matches(c) || slices.Contains(meant, c):
			case b.meant(c, n) != nil:
				meant = append(meant, c)
			default:
				loose = append(loose, c)
			}
		}
	}
	if len(meant) == 0 {
		return loose
	}
	return meant
}

func (b *Rulebook) priceSheet(c *Card, now time.Time) PriceSheet {
	s := PriceSheet{Card: c.ID, Label: c.Label, Bands: []PriceBand{}, Apart: []PriceRow{}}
	for _, band := range cost.Bands(b.prices[c.ID], c.ID, now) {
		s.Bands = append(s.Bands, PriceBand{
			Kind: band.Kind, Currency: band.Currency, Spot: band.Spot, Hour: band.Hour, Month: band.Month,
			AsOf: band.Oldest.String(), AgeDays: band.Oldest.DaysAt(now), Age: band.Age, Stale: band.Stale(),
			Sources: band.Sources, Claimants: band.Claimants, Providers: band.Providers, Origin: band.Origin, Rows: band.Rows,
		})
	}
	for _, p := range b.prices[c.ID] {
		why := ""
		switch {
		case p.Inconsistent:
			why = "inconsistent"
		case p.Claim:
			why = "claim"
		default:
			continue
		}
		s.Apart = append(s.Apart, PriceRow{Count: p.Cards(), Hour: p.Hour(), Month: p.Month(), Provider: p.Provider, AsOf: p.AsOf.String(), Source: p.Source, Why: why})
	}
	return s
}

// prices answers /prices: of one card, or of the common ones side by side.
func (t *turn) prices() {
	t.r.Intent = "cost"
	t.reply.Act = "answer"
	t.because("prices")
	if _, ordered := t.book.cutPriceOrder(strings.TrimSpace(t.r.Arg)); ordered {
		t.text("price.set.how")
		return
	}
	if strings.TrimSpace(t.r.Arg) == "" {
		t.pricesOfAll()
		return
	}
	a := Advisor{book: t.book}
	sheets := a.PricesOf(t.r.Arg, t.m.At)
	if len(sheets) == 0 {
		t.noPrices()
		return
	}
	for _, s := range sheets {
		t.sayPriceSheet(s)
	}
	t.note("price.live")
	c := sheets[0]
	if len(c.Card) < 24 {
		t.reply.Choices = []Choice{{Ref: "/cost " + c.Card + " 24h", Label: t.book.say(t.lang, "price.choice.day", "card", c.Label)}, {Ref: "/cost " + c.Card + " monthly", Label: t.book.say(t.lang, "cost.choice.monthly")}}
		t.c.Options = refs(t.reply.Choices)
	}
}

// noPrices says that a card is unknown, or that nobody quoted it.
func (t *turn) noPrices() {
	if cards := t.book.cardsIn(t.r.Arg); len(cards) > 0 {
		t.text("price.none", "card", cards[0].Label)
		return
	}
	t.reply.Act = "clarify"
	said := strings.TrimSpace(t.r.Arg)
	if near := t.book.nearestCard(said); near != "" && len(said) <= 24 {
		t.text("cost.card.near", "said", said, "near", near)
		t.reply.Choices = []Choice{{Ref: "/prices " + near, Label: "/prices " + near}}
		return
	}
	t.text("cost.card.unknown", "said", cutRunes(said))
}

// cutRunes keeps the start of a text that is repeated to its writer.
func cutRunes(s string) string {
	const most = 40
	if r := []rune(s); len(r) > most {
		return string(r[:most]) + "…"
	}
	return s
}

// sayPriceSheet is the table of one card, then where the figures are from, and
// what is not in them.
func (t *turn) sayPriceSheet(s PriceSheet) {
	b, lang := t.book, t.lang
	t.heading("price.title", "card", s.Label, "id", s.Card)
	rows := [][]string{{b.say(lang, "price.col.kind"), b.say(lang, "price.col.hour"), b.say(lang, "price.col.month"), b.say(lang, "price.col.date")}}
	for _, p := range s.Bands {
		rows = append(rows, []string{t.kindName(p), t.bandWords(p.Hour, "hour"), t.bandWords(p.Month, "month"), t.dateWords(p)})
	}
	if len(s.Bands) > 0 {
		t.reply.Parts = append(t.reply.Parts, Part{Kind: "table", Rows: rows})
		t.sayBands(t.bandChart(s), "chart.price.kinds")
	}
	seen := map[string]bool{}
	for _, p := range s.Bands {
		line := t.originWords(p.Origin, p.AsOf, p.AgeDays, p.Stale, p.Sources, p.Claimants)
		if !seen[line] {
			t.reply.Parts = append(t.reply.Parts, Part{Kind: "note", Text: line})
			seen[line] = true
		}
	}
	for _, r := range s.Apart {
		t.note("price.apart."+r.Why, "count", number(float64(r.Count)), "price", t.apartWords(r), "when", r.AsOf, "source", r.Source)
	}
}

// apartWords writes the prices of a row that is not used.
func (t *turn) apartWords(r PriceRow) string {
	var words []string
	for _, e := range []struct {
		per string
		e   cost.Estimate
	}{{"hour", r.Hour}, {"month", r.Month}} {
		if e.e.Given() {
			words = append(words, t.bandWords(e.e, e.per))
		}
	}
	return t.book.list(t.lang, words)
}

func (t *turn) bandWords(e cost.Estimate, per string) string {
	if !e.Given() {
		return "–"
	}
	return t.book.say(t.lang, "cost.per."+string(e.Currency)+"."+per, "n", t.band(e))
}

// kindName is the kind of place, with a mark for machines that may be taken
// away.
func (t *turn) kindName(p PriceBand) string {
	name := t.book.say(t.lang, "price.kind.mixed")
	if p.Origin == cost.Set {
		name = t.book.say(t.lang, "price.kind.set")
	} else if p.Kind != "" {
		name = t.book.platformTitle(p.Kind, t.lang)
	}
	if p.Spot {
		name += t.book.say(t.lang, "price.kind.spot")
	}
	return name
}

func (t *turn) dateWords(p PriceBand) string {
	key := "price.age"
	if p.Stale {
		key = "price.age.stale"
	}
	return p.AsOf + t.book.say(t.lang, key, "age", t.ageWords(p.AgeDays))
}

// bandChart is the picture of one card's bands, in the currency of the first.
func (t *turn) bandChart(s PriceSheet) *Chart {
	var bars []Bar
	currency := cost.Currency("")
	for _, p := range s.Bands {
		if !p.Hour.Given() || currency != "" && p.Currency != currency {
			continue
		}
		currency = p.Currency
		bars = append(bars, Bar{Name: t.kindName(p), Lo: p.Hour.Low.Float(), Mid: p.Hour.Likely.Float(), Hi: p.Hour.High.Float(), Note: p.AsOf + t.book.say(t.lang, "price.age", "age", t.ageWords(p.AgeDays)), Weak: p.Stale})
	}
	return t.bandsPicture(t.book.say(t.lang, "chart.price.title", "card", s.Label), currency, bars)
}

// sayBands adds the picture of bands when there are several to compare.
func (t *turn) sayBands(c *Chart, key string) {
	if c != nil && len(c.Bands) > 1 {
		t.reply.Parts = append(t.reply.Parts, Part{Kind: "chart", Text: t.book.say(t.lang, key, "x", c.X), Chart: c})
	}
}

// bandsPicture is nil without a bar.
func (t *turn) bandsPicture(title string, currency cost.Currency, bars []Bar) *Chart {
	if len(bars) == 0 {
		return nil
	}
	c := &Chart{Kind: "bands", Title: title, X: t.book.say(t.lang, "chart.price.x."+string(currency)), Bands: bars}
	c.Foot = t.book.say(t.lang, "price.live")
	if slices.ContainsFunc(bars, func(b Bar) bool { return b.Weak }) {
		c.Foot = t.book.say(t.lang, "chart.price.grey") + c.Foot
	}
	return c
}

// manyPrices is how many cards the overview shows, and tooOld the age in days
// beyond which a price is left to /prices of its card.
const (
	manyPrices = 16
	tooOld     = 366
)

// pricesOfAll is the overview: common cards that somebody quotes, small memory
// first, yuan and dollars side by side, each with its date. The picture has the
// preferred currency, or the one in which more is known.
func (t *turn) pricesOfAll() {
	b, lang := t.book, t.lang
	rows := [][]string{{b.say(lang, "price.col.card"), b.say(lang, "chart.price.x.CNY"), b.say(lang, "chart.price.x.USD")}}
	bars := map[cost.Currency][]Bar{}
	for _, c := range b.pricedCards(t.m.At) {
		row := []string{c.Label}
		for _, currency := range []cost.Currency{cost.CNY, cost.USD} {
			band, ok := cost.BandOf(b.prices[c.ID], cost.Query{Card: c.ID, Currency: currency}, t.m.At)
			if !ok || !band.Hour.Given() || band.Oldest.DaysAt(t.m.At) > tooOld {
				row = append(row, "–")
				continue
			}
			p := PriceBand{AsOf: band.Oldest.String(), AgeDays: band.Oldest.DaysAt(t.m.At), Stale: band.Stale()}
			row = append(row, t.band(band.Hour)+" · "+t.dateWords(p))
			bars[currency] = append(bars[currency], Bar{Name: c.Label, Lo: band.Hour.Low.Float(), Mid: band.Hour.Likely.Float(), Hi: band.Hour.High.Float(), Note: p.AsOf, Weak: p.Stale})
		}
		rows = append(rows, row)
	}
	currency, other := t.currency(), cost.USD
	if currency == cost.USD {
		other = cost.CNY
	}
	if len(bars[currency]) < len(bars[other])/2 {
		currency = other
	}
	t.heading("price.all")
	t.reply.Parts = append(t.reply.Parts, Part{Kind: "table", Rows: rows})
	t.sayBands(t.bandsPicture(b.say(lang, "price.all"), currency, bars[currency]), "chart.price.cards")
	t.note("price.one")
	t.note("price.live")
}

// pricedCards are common cards with an hourly price, one for each label, small
// memory first.
func (b *Rulebook) pricedCards(now time.Time) []*Card {
	var cards []*Card
	seen := map[string]bool{}
	for i := range b.Cards {
		c := &b.Cards[i]
		if c.Rentable != "common" || c.Label == "" || seen[c.Label] || !slices.ContainsFunc(b.prices[c.ID], func(p cost.Price) bool {
			return p.Usable() && p.Hour().Given() && p.AsOf.DaysAt(now) <= tooOld
		}) {
			continue
		}
		seen[c.Label] = true
		cards = append(cards, c)
	}
	slices.SortStableFunc(cards, func(a, z *Card) int { return int(a.VRAMGB - z.VRAMGB) })
	return firstOf(cards, manyPrices)
}
