package advisor

import (
	"strings"
)

// side.go holds the short flows beside the advice: what it costs, which kind of
// platform, a checklist, a fault. Inside a dialogue they answer and lead back
// to the open question.

// cost answers "3 cards for 5 days, how much": card-hours always, money where
// a dated price or the user's own is known.
func (t *turn) cost() {
	aside := t.c.Asked != "" && t.c.Intent == "recommend"
	t.merge()
	if !aside {
		t.c.Intent = "cost"
	}
	t.because("cost")
	if strings.HasPrefix(t.r.Topic, "cost.") {
		t.reply.Act = "answer"
		t.text(t.r.Topic)
		t.costAgain(aside)
		return
	}
	f := t.c.Facts
	card, n := t.priced()
	switch {
	case card == nil && !f.Task.Known():
		t.text("cost.which")
		t.ask("gpu_named", nil)
		return
	case card == nil:
		t.costOfTask(aside)
		return
	case !f.DurationHours.Known() && f.Budget.IsSaid():
		t.budgetHours(card, n)
	case !f.DurationHours.Known() && f.PriceHour.IsSaid() && f.Task.Known():
		t.reply.Act = "answer"
		t.text("cost.unit")
	case !f.DurationHours.Known():
		t.ask("duration_hours", nil)
		return
	default:
		t.reply.Act = "answer"
		c := t.book.priceJob(f, card.ID, n, t.m.At)
		if !f.GPUs.IsSaid() {
			t.note("cost.onecard")
		}
		t.text("cost.hours", "cards", label(card, n), "hours", t.book.hours(t.lang, f.DurationHours.Value), "total", span(*c.GPUHours))
		t.reply.Parts = append(t.reply.Parts, Part{Kind: "text", Text: t.costWords(c)})
		t.note("cost.besides")
	}
	t.costAgain(aside)
}

// costAgain leads back to the advice after a side question.
func (t *turn) costAgain(aside bool) {
	if aside {
		t.reply.Act = "side:cost"
		t.backToQuestion()
		return
	}
	t.c.Asked, t.c.Options = "", nil
}

// costOfTask prices the card that would be advised for the task.
func (t *turn) costOfTask(aside bool) {
	d := t.book.decide(t.c.Facts, t.c.Settled, t.m.At)
	if d == nil || len(d.Cards) == 0 {
		t.text("cost.which")
		t.ask("gpu_named", nil)
		return
	}
	if !t.c.Facts.DurationHours.Known() {
		t.text("cost.depends", "cards", t.book.list(t.lang, firstOf(labels(d.Cards), 2)))
		t.ask("duration_hours", d)
		return
	}
	t.reply.Act = "answer"
	t.text("cost.hours", "cards", d.Cards[0].Label, "hours", t.book.hours(t.lang, t.c.Facts.DurationHours.Value), "total", span(*d.Cost.GPUHours))
	t.reply.Parts = append(t.reply.Parts, Part{Kind: "text", Text: t.costWords(d.Cost)})
	t.note("cost.besides")
	t.costAgain(aside)
}

// priced is the card a cost question is about, and how many of it.
func (t *turn) priced() (*Card, int) {
	cards := t.book.cardsNamed(t.c.Facts.GPUNamed.Value)
	if len(cards) == 0 {
		return nil, 0
	}
	return t.book.withPrice(cards, t.c.Facts, t.m.At), max(1, askedCards(t.c.Facts))
}

// budgetHours says how long a budget lasts on a card.
func (t *turn) budgetHours(card *Card, n int) {
	t.reply.Act = "answer"
	budget := t.c.Facts.Budget.Value
	low, high, currency, when := t.hourPrice(card)
	if high == 0 || currency != budget.Currency {
		t.text("cost.budget.noprice", "card", label(card, n), "budget", t.money(budget))
		return
	}
	hours := Range{budget.Amount / (high * float64(n)), budget.Amount / (low * float64(n))}
	t.text("cost.budget", "card", label(card, n), "budget", t.money(budget), "hours", span(Range{float64(int(hours.Lo)), float64(int(hours.Hi))}))
	t.note("price.from", "when", when)
}

// hourPrice is the price of one card for one hour: the user's own, or the band
// of what is known.
func (t *turn) hourPrice(card *Card) (low, high float64, currency, when string) {
	if p := t.c.Facts.PriceHour; p.IsSaid() {
		return p.Value.Amount, p.Value.Amount, p.Value.Currency, t.book.say(t.lang, "price.yours")
	}
	band, ok := t.book.band(card.ID, t.c.Facts, t.m.At)
	if !ok {
		return 0, 0, "", ""
	}
	return band.Hour.Low.Float(), band.Hour.High.Float(), string(band.Currency), band.Oldest.String()
}

// costWords says what a job costs, with source and date; a stale price is
// marked and said to decide nothing.
func (t *turn) costWords(c Cost) string {
	b, lang := t.book, t.lang
	switch {
	case c.GPUHours == nil:
		return b.say(lang, "cost.unknown.duration")
	case c.Likely == nil:
		return b.say(lang, "cost.noprice", "hours", span(*c.GPUHours))
	case c.Source == "user":
		return b.say(lang, "cost.yours", "total", t.amount(*c.Low, *c.High, c.Currency), "hours", span(*c.GPUHours))
	}
	line := b.say(lang, "cost.range", "hours", span(*c.GPUHours), "total", t.amount(*c.Low, *c.High, c.Currency), "likely", t.amount(*c.Likely, *c.Likely, c.Currency), "when", c.AsOf)
	if c.Stale {
		line += b.say(lang, "cost.stale")
	}
	return line
}

// amount writes money or a range of it with its currency.
func (t *turn) amount(low, high float64, currency string) string {
	return t.book.say(t.lang, "money."+currency+".total", "n", span(Range{cents(low), cents(high)}))
}

func cents(v float64) float64 { return float64(int64(v*100+0.5)) / 100 }

// platform says which category of platform suits, and by which traits to tell
// one: never a ranking, never a vendor first.
func (t *turn) platform() {
	aside := t.c.Asked != ""
	t.merge()
	if !aside {
		t.c.Intent = "platform"
	}
	d := t.book.decide(t.c.Facts, t.c.Settled, t.m.At)
	if d == nil {
		d = t.book.withoutTask(t.c)
	}
	t.because("platform")
	if strings.HasPrefix(t.r.Topic, "platform.") {
		t.text(t.r.Topic)
	}
	if d.stop {
		t.stopAdvice(d)
		return
	}
	t.reply.Parts = append(t.reply.Parts, Part{Kind: "text", Text: t.platformBlock(d)})
	if p := t.book.platformByID(d.Platform[0]); p != nil {
		for _, trait := range p.Traits {
			t.reply.Parts = append(t.reply.Parts, Part{Kind: "text", Text: "• " + trait.In(t.lang)})
		}
	}
	t.sayAudience(d)
	t.note("platforms.neutral")
	t.because(d.Because...)
	t.reply.Act = "answer"
	if aside {
		t.reply.Act = "side:platform"
		t.backToQuestion()
	}
}

func (b *Rulebook) platformByID(id string) *Platform {
	for i := range b.Platforms {
		if b.Platforms[i].ID == id {
			return &b.Platforms[i]
		}
	}
	return nil
}

// checklist prints the list that was asked for.
func (t *turn) checklist() {
	t.reply.Act = "answer"
	t.because("checklist")
	l := t.book.checklist(t.r.Arg)
	if l == nil {
		return
	}
	t.reply.Parts = append(t.reply.Parts, Part{Kind: "heading", Text: l.Title.In(t.lang)})
	var lines []string
	for i, item := range l.Items {
		lines = append(lines, number(float64(i+1))+". "+item.Ask.In(t.lang))
	}
	t.reply.Parts = append(t.reply.Parts, Part{Kind: "text", Text: strings.Join(lines, "\n")})
	t.backToQuestion()
}

// checklist finds a list by id; the one for before renting is the default.
func (b *Rulebook) checklist(id string) *Checklist {
	var first *Checklist
	for i := range b.Checklists {
		l := &b.Checklists[i]
		if l.ID == id {
			return l
		}
		if l.ID == "before-renting" {
			first = l
		}
	}
	return first
}

// diagnose answers a fault. When it is about a card that is too small, sizing
// answers; when the card is idle, the data loading is looked at first.
func (t *turn) diagnose() {
	t.merge()
	t.c.Intent = "recommend"
	t.reply.Act = "answer"
	t.because("diagnose")
	if strings.HasPrefix(t.r.Topic, "diagnose.") {
		t.text(t.r.Topic)
	} else {
		t.text("diagnose.send")
	}
	d := t.book.decide(t.c.Facts, t.c.Settled, t.m.At)
	if d == nil || d.stop || len(d.Cards) == 0 {
		return
	}
	t.c.Answered = true
	t.sayProvisional(d)
	t.because(d.Because...)
}

// stopAdvice is the answer for state secrets: no platform, no card, no price.
func (t *turn) stopAdvice(d *decision) {
	t.c.Asked, t.c.Options = "", nil
	t.c.Answered = true
	t.reply.Act = "answer"
	t.heading("stop.title")
	t.text("stop.text")
	t.because(d.Because...)
	t.because("stop")
}
