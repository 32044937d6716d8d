package advisor

import (
	"cmp"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"gpuadvisor/advisor/cost"
	"gpuadvisor/advisor/text"
)

// Offers side by side: "A 1.0/h 装环境 2h; B 1.3/h, 跑 5 小时", "4090 x8 30 天:
// 按时 1.9 | 包月 950 | 裸金属 1100/月". Each part of the line is one offer; what
// it leaves open (card, count, length) holds for all. What an hourly price
// hides is in the comparison: set-up, speed, chance of success, what is paid
// once.

// ComparedSums is a comparison worked out.
type ComparedSums struct {
	cost.Compared
	Offers   []OfferSum `json:"offers"`
	RunHours float64    `json:"run_hours"` // 0: nobody said, and the rows have no cost
	Stale    bool       `json:"stale"`     // a price is too old to decide
}

// OfferSum is one offer as it was computed.
type OfferSum struct {
	Name  string     `json:"name"` // A, B, 甲 …, the way of renting, or the card
	Way   string     `json:"way"`  // hour day week month
	Label string     `json:"label,omitempty"`
	Price cost.Money `json:"price"` // one card; none given when nobody knows it
	Cards int        `json:"cards"`
	Setup float64    `json:"setup"` // hours
	Speed float64    `json:"speed"` // work per hour against the others
	Once  cost.Money `json:"once"`
	Own   bool       `json:"own"`
	AsOf  string     `json:"as_of,omitempty"`
	Stale bool       `json:"stale"`
}

var (
	offerMark  = regexp.MustCompile(`(?:^|[ ,;|:\n])(?:方案|平台|offer |option )?([a-h]|甲|乙|丙|丁|戊)(?:家|平台|方案)?(?:[ :是要每]|$)`)
	offerSplit = regexp.MustCompile(`[|;\n]| vs\.? | versus |对比|还是`)
)

// readOffers reads the offers of a text, none when it compares nothing. open
// are those that the conversation knows.
func (b *Rulebook) readOffers(textIn string, currency cost.Currency, open []SaidOffer) []SaidOffer {
	if len(textIn) > maxCostText {
		return nil
	}
	var offers []SaidOffer
	for _, part := range offerParts(text.Normal(textIn).Text, open) {
		if o, ok := b.readOffer(part, currency); ok {
			offers = append(offers, o)
		}
	}
	if len(offers) < 2 && (len(open) == 0 || len(offers) == 0) {
		return nil
	}
	b.nameOffers(offers)
	if len(open) == 0 && !slices.ContainsFunc(offers, func(o SaidOffer) bool { return o.own() }) && slices.ContainsFunc(offers, func(o SaidOffer) bool { return o.Card == "" }) {
		return nil // nothing to compare: no price, and no card to look one up for
	}
	return offers
}

// nameOffers names those that have no letter: by the way of renting where that
// tells them apart, else by the card, else by number.
func (b *Rulebook) nameOffers(offers []SaidOffer) {
	for _, called := range []func(i int) string{
		func(i int) string { return offers[i].Way },
		func(i int) string { return b.cardLabel(offers[i].Card) },
		func(i int) string { return cmp.Or(b.cardLabel(offers[i].Card), offers[i].Way) },
		func(i int) string { return strconv.Itoa(i + 1) },
	} {
		seen := map[string]bool{}
		for i := range offers {
			seen[cmp.Or(offers[i].Letter, called(i))] = true
		}
		if len(seen) < len(offers) || seen[""] {
			continue
		}
		for i := range offers {
			offers[i].Name = cmp.Or(offers[i].Letter, called(i))
		}
		return
	}
}

// own reports whether the offer names a price.
func (o SaidOffer) own() bool {
	c := o.Said
	return c.Hour.Known() || c.Day.Known() || c.Week.Known() || c.Month.Known() || c.Year.Known() || c.Spot.Known()
}

// offerPart is the text of one offer and what it is called.
type offerPart struct{ name, text string }

// offerParts cuts a text into offers: at their letters, else at marks and "vs".
func offerParts(s string, open []SaidOffer) []offerPart {
	marks := offerMark.FindAllStringSubmatchIndex(s, -1)
	if len(marks) >= 2 || len(marks) == 1 && knownOffer(open, name(s, marks[0])) {
		var parts []offerPart
		for i, m := range marks {
			end := len(s)
			if i+1 < len(marks) {
				end = marks[i+1][0]
			}
			parts = append(parts, offerPart{name(s, m), s[m[3]:end]})
		}
		return parts
	}
	var parts []offerPart
	for _, part := range offerSplit.Split(s, -1) {
		parts = append(parts, offerPart{"", part})
	}
	return parts
}

func name(s string, mark []int) string { return strings.ToUpper(s[mark[2]:mark[3]]) }

func knownOffer(open []SaidOffer, name string) bool {
	return slices.ContainsFunc(open, func(o SaidOffer) bool { return o.Name == name })
}

// readOffer reads one offer: it has a price, or it is a way of renting that
// may have one.
func (b *Rulebook) readOffer(p offerPart, currency cost.Currency) (SaidOffer, bool) {
	e := b.readCost(p.text, currency)
	e.plusSetup()
	o := SaidOffer{Letter: p.name, Said: &e.said}
	facts := b.Read(p.text, Asked{Facts: &Facts{}}).Facts
	if cards := b.cardsNamed(facts.GPUNamed.Value); len(cards) > 0 {
		o.Card = cards[0].ID
	}
	if facts.GPUs.IsSaid() {
		o.Cards = facts.GPUs.Value.Most()
	}
	if !o.own() {
		e.barePrice()
	}
	o.Way = e.way()
	e.said.View = nil
	return o, p.name != "" || o.own() || o.Way != "" || o.Card != ""
}

func (b *Rulebook) cardLabel(id string) string {
	if c := b.cards[id]; c != nil {
		return cmp.Or(c.Label, c.ID)
	}
	return ""
}

// way is how an offer is rented: as the words for it say, else as its price is.
func (e *costEar) way() string {
	for _, w := range []string{"bare_metal", "cluster", "spot", "year", "month", "week", "day", "hour"} {
		for i := range e.items {
			if slices.Contains(e.items[i].cues, w) {
				return w
			}
		}
	}
	c := &e.said
	switch {
	case c.Hour.Known():
		return "hour"
	case c.Month.Known():
		return "month"
	case c.Year.Known():
		return "year"
	case c.Week.Known():
		return "week"
	case c.Day.Known():
		return "day"
	}
	return ""
}

// plusSetup reads the hours behind a plus as those of the set-up: 1.00+2 h.
func (e *costEar) plusSetup() {
	for i := range e.items {
		it := &e.items[i]
		if it.q != nil && it.dim == dimHours && (it.field == "" || it.field == "run") && strings.HasSuffix(strings.TrimRight(e.s[:it.start], " "), "+") {
			it.field = "setup"
			e.said.Setup = Say(it.span())
			e.said.Run = Fact[Range]{}
		}
	}
}

// barePrice takes a figure with a point for the price of an hour: 1.00 vs 1.30.
func (e *costEar) barePrice() {
	for i := range e.items {
		it := &e.items[i]
		if it.q != nil && it.field == "" && it.dim == dimBare && strings.ContainsRune(e.s[it.start:it.end], '.') {
			e.priced(it, dimPerHour)
			return
		}
	}
}

// compare puts the offers side by side.
func (s *sums) compare() error {
	offers := s.said.Offers
	if len(offers) < 2 {
		return nil
	}
	out := ComparedSums{RunHours: s.compareHours()}
	c := cost.Comparison{RunHours: max(out.RunHours, 1), HoursPerDay: s.perDay(), Rate: s.rate}
	if out.RunHours == 0 {
		c.RunHours = 1
	}
	for _, said := range offers {
		o, err := s.offer(said)
		if err != nil {
			return err
		}
		out.Offers = append(out.Offers, o)
		out.Stale = out.Stale || o.Stale
		c.Offers = append(c.Offers, cost.Offer{ID: o.Name, Per: cost.Period(o.Way), Price: o.Price, Cards: o.Cards, Setup: o.Setup, Speed: o.Speed, Once: o.Once})
	}
	if out.RunHours > 0 {
		c.RunHours = out.RunHours
	}
	var err error
	if out.Compared, err = cost.Compare(c); err != nil {
		return err
	}
	if out.RunHours == 0 {
		out.Best, out.Saves = -1, cost.Money{}
		for i := range out.Rows {
			out.Rows[i].Cost, out.Rows[i].On, out.Rows[i].Periods = cost.Money{}, 0, 0
		}
	}
	s.out.Compared = &out
	return nil
}

// compareHours is the length of the run that all offers are compared at.
func (s *sums) compareHours() float64 {
	for _, o := range s.said.Offers {
		if o.Said.Run.Known() {
			return o.Said.Run.Value.Hi
		}
	}
	return s.run.High
}

// offer settles one offer: its own price first, else what is known of its card.
func (s *sums) offer(o SaidOffer) (OfferSum, error) {
	c := o.Said
	out := OfferSum{Name: o.Name, Cards: cmp.Or(o.Cards, int(math.Round(s.cards.High))), Setup: c.Setup.Value.Hi, Speed: s.speed(c)}
	var err error
	if out.Once, err = moneyOf(c.Once); err != nil {
		return out, err
	}
	for _, w := range []struct {
		way string
		f   Fact[Quote]
	}{{"hour", c.Hour}, {"spot", c.Spot}, {"month", c.Month}, {"year", c.Year}, {"week", c.Week}, {"day", c.Day}} {
		if !w.f.Known() {
			continue
		}
		e, err := estimateOf(w.f)
		if err != nil {
			return out, err
		}
		if c.Machine.Value && out.Cards > 1 {
			e.Likely /= cost.Amount(out.Cards)
		}
		out.Way, out.Own, out.Price = w.way, true, cost.Money{Amount: e.Likely, Currency: e.Currency}
		break
	}
	if !out.Own {
		s.bookPrice(o, &out)
	}
	if out.Way == "spot" {
		out.Way = "hour"
	}
	out.Label = s.book.cardLabel(o.Card)
	return out, nil
}

// speed is the work per hour against the others: as it was said, less what the
// card does not deliver and what failed attempts waste.
func (s *sums) speed(c *CostSaid) float64 {
	v := 1.0
	if c.Speed.Known() && c.Speed.Value.Lo > 0 {
		v = c.Speed.Value.Lo
	}
	if c.Delivered.Known() {
		v *= c.Delivered.Value.Lo
	}
	if c.Success.Known() {
		success, kept := c.Success.Value.Lo, c.Kept.Value.Lo
		v /= kept + (1-kept)/max(success, 1e-6)
	}
	if c.Reruns.Known() {
		v *= cost.SuccessOf(c.Reruns.Value.Hi)
	}
	return v
}

// offerCurrencies is the currency that a price of the comparison names, or the
// preferred one before the other.
func (s *sums) offerCurrencies() []cost.Currency {
	for _, o := range s.said.Offers {
		for _, q := range []Fact[Quote]{o.Said.Hour, o.Said.Month, o.Said.Year, o.Said.Week, o.Said.Day, o.Said.Spot} {
			if q.Known() && s.rate == nil {
				return []cost.Currency{q.Value.Currency}
			}
		}
	}
	return s.order()
}

// bookPrice fills in what is known of the card for an offer without a price.
func (s *sums) bookPrice(o SaidOffer, out *OfferSum) {
	out.Way = map[string]string{"month": "month", "bare_metal": "month", "cluster": "month"}[o.Way]
	out.Way = cmp.Or(out.Way, "hour")
	card := s.book.cards[cmp.Or(o.Card, s.out.Card)]
	if card == nil || o.Way == "bare_metal" || o.Way == "cluster" {
		return
	}
	for _, c := range s.offerCurrencies() {
		band, ok := cost.BandOf(s.book.prices[card.ID], cost.Query{Card: card.ID, Currency: c, Spot: o.Way == "spot"}, s.now)
		e := band.Hour
		if out.Way == "month" {
			e = band.Month
		}
		if ok && e.Given() {
			out.Price = cost.Money{Amount: e.Likely, Currency: c}
			out.AsOf, out.Stale = band.Oldest.String(), band.Stale()
			return
		}
	}
}
