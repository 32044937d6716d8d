package advisor

import (
	"cmp"
	"maps"
	"slices"
	"strings"
	"time"

	"gpuadvisor/advisor/cost"
)

// setprice.go lets people note the prices that they really get: "/price set
// 4090 1.9/h 包月 950". Admins note them for their room, operators for everybody,
// and in a private chat everybody for themselves. Such a price goes before what
// we know of the card, and is shown with who noted it and when. The desk keeps
// and deletes; only what it has done is confirmed.

// SetPrice is a price that somebody noted, of one card. An amount of zero is
// not quoted; a high end of zero is the low one.
type SetPrice struct {
	Card      string        `json:"card"` // id
	Currency  cost.Currency `json:"currency"`
	Hour      cost.Amount   `json:"hour,omitzero"`
	HourHigh  cost.Amount   `json:"hour_high,omitzero"`
	Month     cost.Amount   `json:"month,omitzero"`
	MonthHigh cost.Amount   `json:"month_high,omitzero"`
	Spot      cost.Amount   `json:"spot,omitzero"` // per hour, may be taken back
	SpotHigh  cost.Amount   `json:"spot_high,omitzero"`
	By        string        `json:"by,omitempty"`    // who, as the chat names them; "" once they are forgotten
	ByID      string        `json:"by_id,omitempty"` // as the chat numbers them
	At        time.Time     `json:"at"`
}

// setKind marks rows of noted prices among the kinds of platform.
const setKind = "set"

// rows are the price as rows of a price list.
func (p SetPrice) rows() []cost.Price {
	row := cost.Price{
		Card: p.Card, Currency: p.Currency, Provider: cost.Unnamed, Kind: setKind, Source: setKind, AsOf: cost.DateOf(p.At),
		Claimant: p.By, Origin: cost.Set, HourLow: p.Hour, HourHigh: p.HourHigh, MonthLow: p.Month, MonthHigh: p.MonthHigh,
	}
	var out []cost.Price
	if p.Hour > 0 || p.Month > 0 {
		out = append(out, row)
	}
	if p.Spot > 0 {
		row.HourLow, row.HourHigh, row.MonthLow, row.MonthHigh, row.Spot = p.Spot, p.SpotHigh, 0, 0, true
		out = append(out, row)
	}
	return out
}

// over is p with the amounts of old that p says nothing of.
func (p SetPrice) over(old SetPrice) SetPrice {
	if p.Hour == 0 {
		p.Hour, p.HourHigh = old.Hour, old.HourHigh
	}
	if p.Month == 0 {
		p.Month, p.MonthHigh = old.Month, old.MonthHigh
	}
	if p.Spot == 0 {
		p.Spot, p.SpotHigh = old.Spot, old.SpotHigh
	}
	return p
}

// Note adds a price to a list, or takes over what is new of one that is noted
// for the same card in the same currency. The list that was given stays.
func Note(list []SetPrice, p SetPrice) []SetPrice {
	out := slices.Clone(list)
	for i := range out {
		if out[i].Card == p.Card && out[i].Currency == p.Currency {
			out[i] = p.over(out[i])
			return out
		}
	}
	return append(out, p)
}

// Unnote removes all prices of a card, and tells whether there were any.
func Unnote(list []SetPrice, card string) ([]SetPrice, bool) {
	out := slices.DeleteFunc(slices.Clone(list), func(p SetPrice) bool { return p.Card == card })
	return out, len(out) < len(list)
}

// withSet is the rulebook as one person sees it: with the currency that suits
// them, and with the prices that were noted for everybody and, before these,
// for where they are. The rulebook itself stays as it is.
func (b *Rulebook) withSet(prefer cost.Currency, all, here []SetPrice) *Rulebook {
	own := *b
	own.prefer = prefer
	if len(all)+len(here) == 0 {
		return &own
	}
	own.prices = maps.Clone(b.prices)
	add := func(p SetPrice) {
		for _, id := range b.sameLabel(p.Card) {
			for _, row := range p.rows() {
				row.Card = id
				own.prices[id] = append(slices.Clip(own.prices[id]), row)
			}
		}
	}
	for _, p := range here {
		add(p)
	}
	for _, p := range all {
		if !slices.ContainsFunc(here, func(h SetPrice) bool { return h.Card == p.Card && h.Currency == p.Currency }) {
			add(p)
		}
	}
	return &own
}

// sameLabel are the ids of the cards that are sold under the label of one; the
// first is what prices are noted for.
func (b *Rulebook) sameLabel(id string) []string {
	c := b.cards[id]
	if c == nil || c.Label == "" {
		return []string{id}
	}
	var ids []string
	for i := range b.Cards {
		if b.Cards[i].Label == c.Label {
			ids = append(ids, b.Cards[i].ID)
		}
	}
	return ids
}

// priceMarks stand between the words of an order about prices.
const priceMarks = " ,，：:"

// setPrice notes a price, takes it away, or shows what is noted here.
func (t *turn) setPrice() {
	t.because("price.set")
	t.reply.Act = "answer"
	arg := strings.TrimSpace(t.r.Arg)
	remove := t.book.priceWord("remove", arg)
	arg, _ = t.book.cutPriceOrder(arg)
	all := t.book.priceWord("all", arg)
	cards := t.book.cardsIn(arg)
	switch {
	case arg == "":
		t.notedPrices()
	case !t.maySetPrice(all):
	case len(cards) == 0:
		t.r.Arg = strings.Fields(arg)[0]
		t.noPrices()
		t.reply.Choices = nil
	case remove:
		t.wantPrice("unprice", all, SetPrice{Card: t.book.sameLabel(cards[0].ID)[0]})
	default:
		t.notePrice(cards[0], arg, all)
	}
}

// maySetPrice tells whoever may not note prices here.
func (t *turn) maySetPrice(all bool) bool {
	switch a := t.m.Actor; {
	case all && !a.Operator:
		t.text("price.set.operators")
	case !all && t.known.Group && !a.Admin && !a.Operator:
		t.text("price.set.admins")
	case !t.known.Group && a.Anonymous:
		t.text("settings.anonymous")
	default:
		return true
	}
	return false
}

// priceWord reports whether a word that means a thing here stands in the text.
func (b *Rulebook) priceWord(value, s string) bool {
	words := strings.FieldsFunc(s, func(r rune) bool { return strings.ContainsRune(priceMarks+"。\n", r) })
	return slices.ContainsFunc(words, func(w string) bool {
		return slices.Contains(b.spellings("price.words."+value), strings.ToLower(w))
	})
}

// cutPriceOrder is a text without the word at its beginning that orders to set or
// to remove a price; ordered tells whether there is one.
func (b *Rulebook) cutPriceOrder(s string) (rest string, ordered bool) {
	for _, word := range slices.Concat(b.spellings("price.words.set"), b.spellings("price.words.remove")) {
		rest, ok := cutFold(s, word)
		if bare := strings.TrimLeft(rest, priceMarks); ok && (rest == "" || bare != rest) {
			return bare, true
		}
	}
	return s, false
}

// notePrice reads a price and hands it to the desk.
func (t *turn) notePrice(c *Card, arg string, all bool) {
	e := t.book.readCost(arg, t.currency())
	e.plainPrice()
	if len(e.bad) > 0 {
		t.sayBad(SheetProblem{e.bad[0].Code, e.bad[0].Field, e.bad[0].As})
		return
	}
	p := SetPrice{Card: t.book.sameLabel(c.ID)[0], By: t.m.Actor.Name, ByID: t.m.Actor.ID, At: t.m.At}
	n := cost.Amount(1)
	if f := t.book.Read(arg, Asked{Facts: &Facts{}}).Facts; e.said.Machine.Value && f.GPUs.IsSaid() {
		n = cost.Amount(max(1, f.GPUs.Value.Most()))
	}
	for _, q := range []struct {
		f         Fact[Quote]
		low, high *cost.Amount
	}{{e.said.Hour, &p.Hour, &p.HourHigh}, {e.said.Month, &p.Month, &p.MonthHigh}, {e.said.Spot, &p.Spot, &p.SpotHigh}} {
		if err := t.takeQuote(&p, q.f, n, q.low, q.high); err != nil {
			t.sayBad(*err)
			return
		}
	}
	if p.Currency == "" {
		t.text("price.set.what", "card", c.Label)
		return
	}
	for _, row := range p.rows() {
		if bad := row.Problems(); len(bad) > 0 {
			t.sayBad(SheetProblem{bad[0].Code, "price", ""})
			return
		}
	}
	t.wantPrice("price", all, p)
}

// takeQuote puts a quote into the price.
func (t *turn) takeQuote(p *SetPrice, f Fact[Quote], n cost.Amount, low, high *cost.Amount) *SheetProblem {
	if !f.Known() {
		return nil
	}
	e, err := estimateOf(f)
	switch {
	case err != nil || e.Low == 0:
		return &SheetProblem{Code: cost.Zero, Field: "price"}
	case p.Currency != "" && p.Currency != e.Currency:
		return &SheetProblem{Code: cost.MixedCurrency, Field: "price"}
	}
	p.Currency, *low = e.Currency, e.Low/n
	if e.High > e.Low {
		*high = e.High / n
	}
	return nil
}

// plainPrice takes the only amount of a text for the price of an hour: "4090
// 1.9", "4090 ¥2".
func (e *costEar) plainPrice() {
	if e.said.known() > 0 {
		return
	}
	for i := range e.items {
		if it := &e.items[i]; it.q != nil && it.field == "" && (it.dim == dimMoney || it.dim == dimBare) {
			e.priced(it, dimPerHour)
			return
		}
	}
}

func (t *turn) wantPrice(kind string, all bool, p SetPrice) {
	t.effects = append(t.effects, Effect{ID: t.m.ID + "/" + kind, Kind: kind, Price: p, Room: t.known.Group && !all, All: all})
}

// priceDone words what the desk made of it.
func (t *turn) priceDone() {
	t.because("price.set")
	e := t.m.Done.Effect
	c := t.book.cards[e.Price.Card]
	switch code := t.m.Done.Code; {
	case c == nil:
	case !t.m.Done.OK && code == "too-many":
		t.text("price.set.many")
	case !t.m.Done.OK:
		t.text("settings.lost")
	case code == "nothing":
		t.text("price.set.nothing", "card", c.Label)
	case e.Kind == "unprice":
		t.text("price.set.gone", "card", c.Label)
	default:
		t.text("price.set.kept", "card", c.Label, "price", t.setWords(e.Price), "where", t.book.say(t.lang, "price.set.where."+e.where()))
		t.note("price.set.undo", "card", strings.ToLower(cmp.Or(c.Label, c.ID)))
	}
}

// where is whose prices an effect is about.
func (e Effect) where() string {
	switch {
	case e.All:
		return "all"
	case e.Room:
		return "room"
	}
	return "own"
}

// notedPrices shows what is noted here, and how to note more.
func (t *turn) notedPrices() {
	list := slices.Concat(t.known.Prices, t.known.AllPrices)
	if len(list) == 0 {
		t.text("price.set.none")
	} else {
		rows := [][]string{{t.book.say(t.lang, "price.col.card"), t.book.say(t.lang, "cost.col.price"), t.book.say(t.lang, "price.col.who")}}
		for _, p := range list {
			if c := t.book.cards[p.Card]; c != nil {
				rows = append(rows, []string{c.Label, t.setWords(p), t.byWords(p.By) + " · " + cost.DateOf(p.At).String()})
			}
		}
		t.reply.Parts = append(t.reply.Parts, Part{Kind: "table", Rows: rows})
	}
	t.text("price.set.how")
}

// setWords writes the amounts of a noted price.
func (t *turn) setWords(p SetPrice) string {
	var words []string
	for _, q := range []struct {
		low, high cost.Amount
		per, mark string
	}{{p.Hour, p.HourHigh, "hour", ""}, {p.Month, p.MonthHigh, "month", ""}, {p.Spot, p.SpotHigh, "hour", "price.kind.spot"}} {
		if q.low == 0 {
			continue
		}
		w := t.bandWords(cost.Estimate{Low: q.low, Likely: q.low, High: max(q.low, q.high), Currency: p.Currency}, q.per)
		if q.mark != "" {
			w += t.book.say(t.lang, q.mark)
		}
		words = append(words, w)
	}
	return t.book.list(t.lang, words)
}

// byWords is who noted a price.
func (t *turn) byWords(who string) string {
	if who == "" {
		return t.book.say(t.lang, "price.set.somebody")
	}
	return cutRunes(who)
}
