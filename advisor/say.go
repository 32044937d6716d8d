package advisor

import (
	"slices"
	"strings"
)

// say.go words a decision: nine blocks in a fixed order, each at most two
// lines, the price last among the decisions. One renderer makes both
// languages, so that their numbers cannot differ.

// shown limits what one answer carries; the rest is under /more.
const (
	shownRisks   = 3
	shownChanges = 3
	shownCards   = 3
)

func (t *turn) sayAdvice(d *decision) {
	t.heading("advice.title")
	var blocks []Pair
	add := func(key, value string) {
		if value != "" {
			blocks = append(blocks, Pair{t.book.say(t.lang, "block."+key), value})
		}
	}
	add("understood", t.understood(t.c.Facts))
	add("vram", t.vramBlock(d))
	add("cards", t.cardsBlock(d))
	add("count", t.countBlock(d))
	add("form", t.formBlock(d))
	add("platform", t.platformBlock(d))
	add("billing", t.billingBlock(d))
	add("risks", t.risksBlock(d, shownRisks))
	add("assumptions", t.assumptionsBlock(d))
	add("changes", t.changesBlock(d))
	add("next", t.nextBlock(d))
	t.reply.Parts = append(t.reply.Parts, Part{Kind: "fields", Pairs: blocks})
}

// sayProvisional is the short form: what we understood, the demand and the
// cards, with the assumptions that could still move them.
func (t *turn) sayProvisional(d *decision) {
	t.sayStanding(d)
	for _, r := range t.book.rejected(d) {
		if c := t.book.cards[r.GPU]; c != nil && isNamed(c, &d.facts) {
			t.sayVerdict(c, d)
		}
	}
}

// sayStanding is the short form without a word on the cards that were named.
func (t *turn) sayStanding(d *decision) {
	blocks := []Pair{
		{t.book.say(t.lang, "block.understood"), t.understood(t.c.Facts)},
		{t.book.say(t.lang, "block.sofar"), t.soFar(d)},
	}
	t.reply.Parts = append(t.reply.Parts, Part{Kind: "fields", Pairs: blocks})
}

func (t *turn) soFar(d *decision) string {
	cards := labels(d.Cards)
	if len(cards) == 0 {
		return t.book.say(t.lang, "cards.none")
	}
	line := t.book.say(t.lang, "sofar", "need", gib(d.Need.Total), "cards", t.book.list(t.lang, firstOf(cards, 2)))
	if a := t.assumedWords(d, 2); a != "" {
		line += t.book.say(t.lang, "sofar.assumed", "list", a)
	}
	return line
}

// understood reads back what the person said, so that a misreading is seen.
func (t *turn) understood(f Facts) string {
	var words []string
	for _, s := range slots {
		if f.Has(s.name) {
			if w := t.factWords(s.name, &f); w != "" {
				words = append(words, w)
			}
		}
	}
	return strings.Join(words, t.book.say(t.lang, "join.facts"))
}

// factWords says one fact: "LoRA", "50 GB of data", "3 days".
func (t *turn) factWords(slot string, f *Facts) string {
	b, lang := t.book, t.lang
	switch {
	case slot == "params_b" && f.Model.Known(),
		slot == "domestic" && f.ComplianceKind.Value == "xinchuang",
		slot == "compliance" && f.Compliance.Value && f.Has("compliance_kind"): // which says more
		return ""
	case slot == "gpu_named":
		return t.namedWords(f.GPUNamed.Value)
	}
	if key := "fact." + slot + "." + t.factValue(slot, f); b.has(key) {
		return b.say(lang, key)
	}
	if !b.has("fact." + slot) {
		return ""
	}
	return b.say(lang, "fact."+slot, "v", t.factValue(slot, f))
}

// factValue spells the value of one fact.
func (t *turn) factValue(slot string, f *Facts) string {
	b, lang := t.book, t.lang
	switch slot {
	case "model":
		return b.modelName(f.Model.Value)
	case "duration_hours":
		return b.hours(lang, f.DurationHours.Value)
	case "piece_hours":
		return b.pieceTime(lang, f.PieceHours.Value)
	case "gpus":
		return count(f.GPUs.Value)
	case "budget":
		return t.money(f.Budget.Value)
	case "price_hour":
		return t.money(f.PriceHour.Value)
	case "data_gb":
		return dataSize(f.DataGB.Value)
	case "resolution":
		return f.Resolution.Value.String()
	}
	s, ok := slotByName(slot)
	if !ok {
		return ""
	}
	switch v := s.value(f).(type) {
	case float64:
		return number(v)
	case bool:
		if v {
			return "yes"
		}
		return "no"
	case string:
		return v
	}
	return ""
}

// pieceTime writes the time of one piece in the unit that suits it.
func (b *Rulebook) pieceTime(lang string, hours float64) string {
	switch {
	case hours >= 2:
		return b.say(lang, "unit.hours", "n", number(hours))
	case hours >= 2./60:
		return b.say(lang, "unit.minutes", "n", number(hours*60))
	}
	return b.say(lang, "cost.seconds", "n", number(hours*3600))
}

// dataSize writes decimal GB, or TB from a thousand on.
func dataSize(gb float64) string {
	if gb >= 1000 {
		return number(gb/1000) + " TB"
	}
	return number(gb) + " GB"
}

func count(c Count) string {
	if c.Word != "" {
		return c.Word
	}
	return span(c.Range)
}

func namedLabels(named []Named) []string {
	var out []string
	for _, n := range named {
		if !n.Not {
			out = append(out, n.As)
		}
	}
	return out
}

// namedWords says which cards were named, and which were ruled out.
func (t *turn) namedWords(named []Named) string {
	var not, words []string
	for _, n := range named {
		if n.Not {
			not = append(not, n.As)
		}
	}
	if wanted := namedLabels(named); len(wanted) > 0 {
		words = append(words, t.book.say(t.lang, "fact.gpu_named", "v", t.book.list(t.lang, wanted)))
	}
	if len(not) > 0 {
		words = append(words, t.book.say(t.lang, "fact.gpu_named.not", "v", t.book.list(t.lang, not)))
	}
	return strings.Join(words, t.book.say(t.lang, "join.facts"))
}

func (t *turn) money(m Budget) string {
	per := m.Per
	if per == "" {
		per = "total"
	}
	return t.book.say(t.lang, "money."+m.Currency+"."+per, "n", number(m.Amount))
}

// modelName is the name of a model as its makers write it.
func (b *Rulebook) modelName(id string) string {
	if m := b.models[id]; m != nil && len(m.Names) > 0 {
		return m.Names[0]
	}
	return id
}

// gib writes a demand: one decimal is all that an estimate deserves.
func gib(v float64) string { return number(float64(int(v*10+0.5)) / 10) }

func (t *turn) vramBlock(d *decision) string {
	b, lang := t.book, t.lang
	if d.best.card == nil {
		return b.say(lang, "vram.beyond", "n", oneMachine, "total", gib(d.Need.Total))
	}
	scope := b.say(lang, "scope."+d.Scope)
	if d.Need.Load == 0 {
		return b.say(lang, "vram.typical", "total", gib(d.Need.Total), "class", number(d.ClassGiB), "scope", scope)
	}
	key := "vram.estimate"
	if d.facts.PeakGiB.IsSaid() {
		key = "vram.measured"
	}
	line := b.say(lang, key, "load", gib(d.Need.Load), "peak", gib(d.Need.Peak), "reserve", gib(d.Need.Reserve),
		"total", gib(d.Need.Total), "scope", scope)
	class := "vram.class"
	if d.roomier {
		class = "vram.class.usual"
	}
	line += b.say(lang, class, "class", number(d.ClassGiB))
	if d.dominant != "" {
		line += b.say(lang, "vram.dominant", "term", b.say(lang, "term."+d.dominant))
	}
	return line
}

func (t *turn) cardsBlock(d *decision) string {
	b, lang := t.book, t.lang
	if len(d.Cards) == 0 {
		return b.say(lang, "cards.none")
	}
	var picks []string
	for _, p := range firstOf(d.Cards, shownCards) {
		picks = append(picks, b.say(lang, "card.pick", "label", p.Label, "fits", b.say(lang, "fits."+p.Fits), "because", b.say(lang, "pick."+p.Because)+t.formatWords(d, p)))
	}
	line := strings.Join(picks, b.say(lang, "join.cards"))
	if len(d.Rejected) > 0 {
		line += "\n" + t.rejectWords(d.Rejected[0])
	}
	return line
}

// formatWords warns of a card whose hardware lacks the number format that the
// arithmetic took.
func (t *turn) formatWords(d *decision, p Pick) string {
	if card := t.book.cards[p.GPU]; card != nil && !card.BF16 && d.precision() == "bf16" {
		return t.book.say(t.lang, "card.nobf16")
	}
	return ""
}

// precision is the one that was said, or the default that stands in.
func (d *decision) precision() string {
	if d.facts.Precision.Known() {
		return d.facts.Precision.Value
	}
	for _, a := range d.assumed {
		if a.key == "precision" {
			return spell(a.pairs[1], "")
		}
	}
	return ""
}

func (t *turn) rejectWords(r Reject) string {
	return t.book.say(t.lang, "card.reject", "label", r.Label, "because", t.book.say(t.lang, "gate."+r.Because))
}

func (t *turn) countBlock(d *decision) string {
	b, lang := t.book, t.lang
	if len(d.Cards) == 0 {
		return ""
	}
	line := b.say(lang, "count."+d.countKind, "n", d.Cards[0].Count)
	if n := d.sizing.pace; n > 0 {
		line += b.say(lang, "join.sentence") + b.say(lang, "count.pace", "daily", d.facts.Daily.Value, "each", b.pieceTime(lang, d.facts.PieceHours.Value), "n", n)
	}
	if link := b.say(lang, "link."+d.Link); d.Link != "not_needed" {
		line += b.say(lang, "join.sentence") + link
	}
	return line
}

func (t *turn) formBlock(d *decision) string {
	if d.Delivery == "none" {
		return ""
	}
	return t.book.say(t.lang, "form."+d.Delivery)
}

func (t *turn) platformBlock(d *decision) string {
	b, lang := t.book, t.lang
	if len(d.Platform) == 0 {
		return ""
	}
	title := func(id string) string { return b.platformTitle(id, lang) }
	line := title(d.Platform[0])
	if why := "platform.why." + d.Platform[0]; b.has(why) {
		line += b.say(lang, "join.because") + b.say(lang, why)
	}
	if len(d.Platform) > 1 {
		line += "\n" + b.say(lang, "platform.or", "platform", title(d.Platform[1]))
		if d.Platform[1] == "community_marketplace" {
			line += b.say(lang, "platform.community.if")
		}
	}
	return line
}

func (b *Rulebook) platformTitle(id, lang string) string {
	for i := range b.Platforms {
		if b.Platforms[i].ID == id {
			return b.Platforms[i].Title.In(lang)
		}
	}
	return id
}

func (t *turn) billingBlock(d *decision) string {
	if d.Billing == "none" {
		return ""
	}
	return t.book.say(t.lang, "bill."+d.Billing) + "\n" + t.totalWords(d)
}

// totalWords says what the job costs: all of it where its length is known, a
// month of it where it goes on, and how that compares with the budget.
func (t *turn) totalWords(d *decision) string {
	f := &d.facts
	if d.Cost.GPUHours != nil || len(d.Cards) == 0 || !f.AlwaysOn.Value && !f.HoursPerDay.IsSaid() {
		return t.costWords(d.Cost) + t.budgetWords(d)
	}
	month := *f
	month.DurationHours = Say(One(hoursOn(*f)))
	c := t.book.priceJob(month, d.Cards[0].GPU, d.Cards[0].Count, t.m.At)
	return t.book.say(t.lang, "cost.month", "hours", number(hoursOn(*f))) + t.costWords(c) + t.monthBudget(f.Budget, c)
}

// monthBudget compares a month with a budget per month in the same currency.
func (t *turn) monthBudget(budget Fact[Budget], c Cost) string {
	if !budget.IsSaid() || budget.Value.Per != "month" || c.Low == nil || c.Currency != budget.Value.Currency {
		return ""
	}
	key := "cost.month.maybe"
	switch {
	case *c.Low > budget.Value.Amount:
		key = "cost.month.over"
	case *c.High <= budget.Value.Amount:
		key = "cost.month.within"
	}
	return "\n" + t.book.say(t.lang, key, "budget", t.money(budget.Value))
}

// budgetWords says how far a budget goes on the first card, and when the job
// costs more than that.
func (t *turn) budgetWords(d *decision) string {
	budget := d.facts.Budget
	if !budget.IsSaid() || len(d.Cards) == 0 || budget.Value.Per != "total" && budget.Value.Per != "" {
		return ""
	}
	low, high, currency, _ := t.hourPrice(d.best.card)
	if high == 0 || currency != budget.Value.Currency {
		return ""
	}
	n := float64(d.Cards[0].Count)
	lasts := Range{float64(int(budget.Value.Amount / (high * n))), float64(int(budget.Value.Amount / (low * n)))}
	words := "\n" + t.book.say(t.lang, "cost.budget", "budget", t.money(budget.Value), "card", d.Cards[0].Label, "hours", span(lasts))
	if d.Cost.Low != nil && *d.Cost.Low > budget.Value.Amount {
		words += t.book.say(t.lang, "cost.budget.over")
	}
	return words
}

func (t *turn) risksBlock(d *decision, most int) string {
	var lines []string
	for _, r := range firstOf(d.risks, most) {
		lines = append(lines, "• "+r.Note.In(t.lang))
	}
	if rest := len(d.risks) - len(lines); rest > 0 {
		lines = append(lines, t.book.say(t.lang, "more.rest", "n", rest))
	}
	return strings.Join(lines, "\n")
}

func (t *turn) assumptionsBlock(d *decision) string {
	b, lang := t.book, t.lang
	line := b.say(lang, "confidence."+d.Confidence)
	if a := t.assumedWords(d, 8); a != "" {
		line += "\n" + b.say(lang, "assumed", "list", a)
	}
	return line
}

// assumedWords says the defaults that stand in, most important first.
func (t *turn) assumedWords(d *decision, most int) string {
	return t.book.list(t.lang, t.assumptions(d, most))
}

func (t *turn) assumptions(d *decision, most int) []string {
	var words []string
	for _, a := range firstOf(d.assumed, most) {
		words = append(words, t.book.say(t.lang, "assume."+a.key, a.pairs...))
	}
	return words
}

func (t *turn) changesBlock(d *decision) string {
	var lines []string
	for _, c := range firstOf(d.Changes, shownChanges) {
		lines = append(lines, "• "+t.changeWords(c))
	}
	return strings.Join(lines, "\n")
}

func (t *turn) changeWords(c Change) string {
	b, lang := t.book, t.lang
	return b.say(lang, "change", "if", t.ifWords(c.If), "then", t.thenWords(c.Then))
}

// ifWords says a changed answer: "method=full" → "全量微调".
func (t *turn) ifWords(s string) string {
	slot, value, _ := strings.Cut(s, "=")
	for _, key := range []string{"if." + slot + "." + value, "fact." + slot + "." + value} {
		if t.book.has(key) {
			return t.book.say(t.lang, key)
		}
	}
	if slot == "data_gb" {
		value = dataSize(leadingNumber(value))
	}
	if key := "if." + slot; t.book.has(key) {
		return t.book.say(t.lang, key, "v", value)
	}
	return t.book.say(t.lang, "fact."+slot, "v", value)
}

// thenWords says what differs: a card label, or "platform=…", "billing=…".
func (t *turn) thenWords(s string) string {
	what, value, ok := strings.Cut(s, "=")
	switch {
	case !ok:
		return s
	case what == "platform":
		return t.book.platformTitle(value, t.lang)
	}
	return t.book.say(t.lang, "short."+what+"."+value)
}

func (t *turn) nextBlock(d *decision) string {
	return t.book.say(t.lang, "next."+d.next)
}

// afterChoices are the follow-ups under an advice.
func (t *turn) afterChoices() []Choice {
	var out []Choice
	for _, c := range []string{"why", "more", "edit", "restart"} {
		out = append(out, Choice{Ref: "/" + c, Label: t.book.say(t.lang, "choice."+c)})
	}
	return out
}

// furtherChoices are those under what one of them led to.
func (t *turn) furtherChoices(this string) {
	if t.c.Asked != "" {
		return
	}
	t.reply.Choices = slices.DeleteFunc(t.afterChoices(), func(c Choice) bool { return c.Ref == "/"+this })
	t.offerReport()
}

func labels(picks []Pick) []string {
	out := make([]string, len(picks))
	for i, p := range picks {
		out[i] = p.Label
	}
	return out
}

func firstOf[T any](s []T, n int) []T { return s[:min(n, len(s))] }
