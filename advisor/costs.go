package advisor

import (
	"cmp"
	"regexp"
	"slices"
	"strings"
	"time"

	"gpuadvisor/advisor/cost"
	"gpuadvisor/advisor/text"
)

// The flow of a money question, quick sums and all that hangs on them:
//
//	read_cost.go    what was said of money       → CostSaid
//	offers.go       offers to be put side by side
//	sums*.go        the working out              → CostSheet
//	costwords.go    the sheet in words, one compact table, choices for more
//	costcharts.go   the same figures as the data of a picture
//
// A sum goes on over several messages ("装环境 1 小时", "包月 950 呢"): what was
// said stays in the conversation until a /cost names another card. The
// person's own price always wins over what we know.

// cost answers a question about money.
func (t *turn) cost() {
	aside := t.c.Asked != "" && t.c.Intent == "recommend"
	if aside && t.r.Facts.GPUNamed.Known() {
		defer t.keepJob(t.c.Facts) // the price of some card says nothing of the job
	}
	t.hearCost()
	if !aside {
		t.c.Intent = "cost"
	}
	t.because("cost")
	if strings.HasPrefix(t.r.Topic, "cost.") && t.costSaid().known() == 0 {
		t.reply.Act = "answer"
		t.text(t.r.Topic)
		t.costAgain(aside)
		return
	}
	if len(t.costBad) > 0 {
		t.sayBad(SheetProblem{t.costBad[0].Code, t.costBad[0].Field, t.costBad[0].As})
		return
	}
	s := t.sheet()
	card, n := t.priced()
	switch {
	case s.Problem != nil:
		t.sayBad(*s.Problem)
	case s.Compared != nil:
		t.compareOffers(s)
	case s.standsAlone() && (s.Hours == nil || card == nil && len(s.Rents) == 0):
		t.saySheet(s, aside)
	case t.unknownCard(card):
	case card == nil && len(s.Rents) == 0 && !t.c.Facts.Task.Known():
		t.text("cost.which")
		t.ask("gpu_named", nil)
	case card == nil && len(s.Rents) == 0:
		t.costOfTask(aside)
	case s.Hours == nil && t.c.Facts.Budget.IsSaid() && card != nil:
		t.budgetHours(s, card, n)
		t.costAgain(aside)
	case s.Hours == nil && t.c.Facts.PriceHour.IsSaid() && t.c.Facts.Task.Known():
		t.reply.Act = "answer"
		t.text("cost.unit")
		t.costAgain(aside)
	case s.Hours == nil && t.costSaid().asks("monthly"):
		t.reply.Act = "answer"
		t.sayPrices(s)
		t.sayMonthly(s)
		t.costAgain(aside)
	case s.Hours == nil:
		t.sayPrices(s)
		t.ask("duration_hours", nil)
	default:
		t.saySheet(s, aside)
	}
}

// keepJob gives the job back what it had before a question aside named a card,
// a count and a time of its own.
func (t *turn) keepJob(job Facts) {
	f := &t.c.Facts
	f.GPUNamed, f.GPUs, f.DurationHours, f.PriceHour = job.GPUNamed, job.GPUs, job.DurationHours, job.PriceHour
}

// sheet works out what the conversation knows.
func (t *turn) sheet() *CostSheet {
	return t.book.sheet(t.c.Facts, t.costSaid(), t.m.At, t.rate, t.currency())
}

func (t *turn) costSaid() *CostSaid {
	if t.c.Cost == nil {
		return &CostSaid{}
	}
	return t.c.Cost
}

// standsAlone reports whether the sheet says something without the length of a
// run.
func (s *CostSheet) standsAlone() bool {
	return s.Unit != nil && len(s.Unit.Costs) > 0 || s.Spot != nil || s.Upload != nil || s.Runway != nil ||
		s.Effective != nil || s.Idle != nil || s.Stopped != nil || s.Monthly != nil
}

// currency is that of amounts which name none: the person's, or that of the
// language.
func (t *turn) currency() cost.Currency {
	if c := cost.Currency(t.known.Profile.Currency); c.Valid() {
		return c
	}
	if b := t.c.Facts.Budget; b.IsSaid() && b.Value.Currency == "USD" {
		return cost.USD
	}
	if t.lang == "zh" {
		return cost.CNY
	}
	return cost.USD
}

// words is what was heard: the text, or what the tapped choice stands for.
func (t *turn) words() string {
	if t.m.Kind == KindChoice {
		return t.chosen(t.m.Choice)
	}
	if len(t.c.Options) == 0 {
		return t.m.Text
	}
	if n := wholeNumber(strings.TrimSpace(t.m.Text)); n >= 1 && n <= len(t.c.Options) && strings.HasPrefix(t.c.Options[n-1], "/") {
		return t.c.Options[n-1]
	}
	return t.m.Text
}

var costOrder = regexp.MustCompile(`^\s*/(?:cost|算钱)(?:@\S+)?`)

// hearCost reads what was said of money beside the facts, sets right what the
// ear could not know, and takes both over.
func (t *turn) hearCost() {
	words := t.words()
	ordered := costOrder.MatchString(words)
	words = costOrder.ReplaceAllString(words, "")
	heard := t.book.readCost(words, t.currency())
	t.costBad = heard.bad
	old := t.costSaid()
	offers := t.book.readOffers(words, heard.currency, old.Offers)
	if t.c.Intent == "cost" && t.beginsSum(ordered, heard, offers) {
		t.c.Facts.Forget("gpus", "gpu_named", "duration_hours", "hours_per_day", "price_hour", "budget", "data_gb", "upload_mbps", "task", "model")
		old = &CostSaid{}
		offers = t.book.readOffers(words, heard.currency, nil)
	}
	t.setRight(heard)
	if free, ok := heard.hoursFree(); ok && ordered && !t.r.Facts.DurationHours.Known() {
		t.r.Facts.DurationHours = Say(free)
	}
	heard.said.Offers = offers
	t.setUpIsNoRun(offers)
	t.merge()
	now := old.with(&heard.said)
	t.c.Cost = &now
}

// beginsSum reports whether a message is a sum of its own: an order that says
// what to compute, or a text with a card and how much of it. Anything less goes
// on with the last one.
func (t *turn) beginsSum(ordered bool, e *costEar, offers []SaidOffer) bool {
	f, c := &t.r.Facts, &e.said
	price := c.Hour.Known() || c.Day.Known() || c.Week.Known() || c.Month.Known() || c.Year.Known()
	length := f.DurationHours.Known() || c.Run.Known() || f.Budget.Known()
	if ordered {
		return f.GPUNamed.Known() || price || length || len(offers) > 1 || c.Seconds.Known() || c.PerSecond.Known() || c.Balance.Known() || c.UploadMbps.Known() || c.StoppedDays.Known()
	}
	return f.GPUNamed.Known() && (price || length)
}

// setUpIsNoRun takes back a length of run that is an offer's set-up.
func (t *turn) setUpIsNoRun(offers []SaidOffer) {
	d := &t.r.Facts.DurationHours
	for _, o := range offers {
		if d.Known() && !o.Said.Run.Known() && o.Said.Setup.Known() && o.Said.Setup.Value == d.Value {
			*d = Fact[Range]{}
		}
	}
}

// setRight corrects the facts by what the sum understands better: hours of
// set-up are not the run, and a price is no budget.
func (t *turn) setRight(e *costEar) {
	f := &t.r.Facts
	if e.said.Run.Known() && e.said.Run.Value.Hi > 0 {
		f.DurationHours = Say(e.said.Run.Value)
	} else if f.DurationHours.Known() && e.hoursClaimed(f.DurationHours.Value) {
		f.DurationHours = Fact[Range]{}
		if free, ok := e.hoursFree(); ok {
			f.DurationHours = Say(free)
		}
	}
	if e.whole > 0 && f.GPUs.Known() && f.GPUs.Value.Hi == e.whole && len(f.GPUNamed.Value) == 0 {
		f.GPUs = Fact[Count]{}
	}
	if e.crowded > 0 && !f.GPUs.Known() && !(f.Budget.Known() && f.Budget.Value.Amount == e.crowded) {
		f.GPUs = Say(Cards(int(e.crowded)))
	}
	if f.Budget.Known() && e.moneyClaimed(f.Budget.Value) {
		f.Budget = Fact[Budget]{}
	}
	if e.budget.Known() && e.budget.Value.Amount > 0 && (!f.Budget.Known() || e.budget.Value.Per != "total") {
		f.Budget = e.budget
	}
	if e.said.Hour.Known() {
		f.PriceHour = Fact[Budget]{}
		t.c.Facts.Forget("price_hour")
		if q := e.said.Hour.Value; q.Lo == q.Hi && !e.said.Machine.Value {
			f.PriceHour = Say(Budget{q.Hi, string(q.Currency), "hour"})
		}
	}
}

// addsToSum reports whether a message that asks for nothing by itself goes on
// with the sum of the last answer.
func (t *turn) addsToSum() bool {
	if t.c.Intent != "cost" || t.r.Facts.Task.Known() || t.r.Facts.Model.Known() {
		return false
	}
	if t.c.Asked == "gpu_named" || t.c.Asked == "duration_hours" {
		return len(t.r.Facts.Said()) > 0
	}
	if t.c.Asked != "" {
		return false
	}
	heard := t.book.readCost(t.words(), t.currency())
	return heard.said.known() > 0
}

// leavesSum reports whether, after a sum, a message says nothing that a sum
// could be made of.
func (t *turn) leavesSum() bool {
	if t.r.Intent != "" || t.r.Command != "" || t.c.Asked != "" || len(t.r.Facts.Said()) > 0 {
		return false
	}
	heard := t.book.readCost(t.words(), t.currency())
	return heard.said.known() == 0 && len(heard.bad) == 0 && len(heard.cards) == 0
}

// briefSum takes the shortest ways to go on with a sum: another count ("what
// about 4?") and another time ("and per month?"). It reports whether there was
// one.
func (t *turn) briefSum() bool {
	words := text.Normal(t.words()).Text
	for _, h := range t.book.lexicon.Find(words) {
		for _, s := range h.Senses {
			if s.Kind == "period" {
				t.r.Facts.DurationHours = Say(One(parse(s.ID)))
				return true
			}
		}
	}
	q := text.Quantities(words, nil)
	if len(q) != 1 || q[0].Unit != text.Bare || q[0].Lo != q[0].Hi || q[0].Lo < 1 || q[0].Lo > mostBrief || q[0].Lo != float64(int(q[0].Lo)) {
		return false
	}
	const beside = 24 // bytes that may stand beside the figure: "what about 4?", no story
	rest := strings.TrimSpace(words[:q[0].Start]) + strings.TrimSpace(words[q[0].End:])
	if len(rest) > beside || hasAnyPrefix(strings.TrimSpace(words[q[0].End:]), "am", "pm", ":", "o'clock", "点") || t.book.hears(words, "release.tells.until") {
		return false
	}
	t.r.Facts.GPUs = Say(Cards(int(q[0].Lo)))
	return true
}

// mostBrief is the greatest bare figure that is taken for a number of cards.
const mostBrief = 256

// sayBad says one number that cannot be meant.
func (t *turn) sayBad(p SheetProblem) {
	t.reply.Act = "clarify"
	t.because("cost.bad." + string(p.Code))
	field := t.book.say(t.lang, "cost.field")
	if key := "cost.field." + p.Field; t.book.has(key) {
		field = t.book.say(t.lang, key)
	}
	line := t.book.say(t.lang, "cost.bad."+string(p.Code), "field", field)
	if p.As != "" {
		line = t.book.say(t.lang, "cost.bad.as", "as", p.As) + line
	}
	t.reply.Parts = append(t.reply.Parts, Part{Kind: "text", Text: line})
	t.c.Cost = t.known.Conversation.Cost // the number is not kept
	t.c.Facts = t.known.Conversation.Facts
}

// unknownCard says that a card is not known, and which was perhaps meant.
func (t *turn) unknownCard(card *Card) bool {
	if card != nil || t.c.Facts.Task.Known() {
		return false
	}
	words := costOrder.ReplaceAllString(t.words(), "")
	said, near := t.book.unknownName(words, t.c.Facts, t.book.readCost(words, t.currency()))
	if said == "" {
		return false
	}
	t.reply.Act = "clarify"
	t.because("cost.unknown-card")
	t.c.Facts = t.known.Conversation.Facts
	if near == "" {
		t.text("cost.card.unknown", "said", said)
		return true
	}
	t.text("cost.card.near", "said", said, "near", near)
	if again := "/cost " + strings.Replace(strings.TrimSpace(costOrder.ReplaceAllString(t.words(), "")), said, near, 1); len(again) <= 40 {
		t.reply.Choices = []Choice{{Ref: again, Label: again}}
	}
	return true
}

var cardLike = regexp.MustCompile(`(?i)^(?:rtx|gtx|nvidia|geforce)?[ -]?[a-z]{0,5}-?[0-9]{2,5}[a-z]{0,3}$`)

// unknownName finds a word that looks like the name of a card and is none, and
// the nearest name that is.
func (b *Rulebook) unknownName(s string, f Facts, heard *costEar) (said, near string) {
	if len(f.GPUNamed.Value) > 0 && !slices.ContainsFunc(f.GPUNamed.Value, func(n Named) bool { return n.Card == "" }) {
		return "", ""
	}
	taken := map[string]bool{} // figures with a unit are no names
	normal := text.Normal(s).Text
	for _, q := range text.Quantities(normal, nil) {
		if q.Unit != text.Bare && q.Unit != text.Times || q.Per != 0 {
			figure, _, _ := strings.Cut(normal[q.Start:q.End], " ")
			taken[figure] = true
		}
	}
	for _, it := range heard.items { // nor are those that say something here
		if it.q != nil && it.field != "" {
			taken[heard.s[it.q.Start:it.q.End]] = true
		}
	}
	for _, word := range strings.FieldsFunc(s, func(r rune) bool { return strings.ContainsRune(" ,，;；:：、()（）", r) }) {
		if !cardLike.MatchString(word) || taken[strings.ToLower(word)] {
			continue
		}
		if near = b.nearestCard(word); near != "" || strings.IndexFunc(word, isLatin) == 0 || len(word) == 4 {
			return word, near
		}
	}
	return "", ""
}

func isLatin(r rune) bool { return r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' }

// nearestCard is the shortest name of a card that a slip of one finger, or two
// in a long name, makes of this word.
func (b *Rulebook) nearestCard(word string) string {
	word = strings.ToLower(word)
	best, distance := "", 4+2*(len(word)/7) // twice the slips, one more for another first letter
	for i := range b.Cards {
		if b.Cards[i].Rentable != "common" && b.Cards[i].Rentable != "some" {
			continue
		}
		for _, name := range b.Cards[i].Names {
			key := strings.ToLower(name)
			d := 2 * slips(word, key)
			if word[0] != key[0] {
				d++
			}
			if d < distance || d == distance && best != "" && len(name) < len(best) {
				best, distance = name, d
			}
		}
	}
	return best
}

// slips is how many letters must be changed, left out, added or swapped to make
// b of a.
func slips(a, b string) int {
	if d := len(a) - len(b); d > 3 || d < -3 {
		return 9
	}
	before, row := make([]int, len(b)+1), make([]int, len(b)+1)
	last := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := 1; i <= len(a); i++ {
		before, last, row = last, row, before
		row[0] = i
		for j := 1; j <= len(b); j++ {
			same := 1
			if a[i-1] == b[j-1] {
				same = 0
			}
			row[j] = min(last[j]+1, row[j-1]+1, last[j-1]+same)
			if i > 1 && j > 1 && a[i-1] == b[j-2] && a[i-2] == b[j-1] {
				row[j] = min(row[j], before[j-2]+1)
			}
		}
	}
	return row[len(b)]
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
	facts := t.c.Facts
	pick := d.Cards[0]
	facts.GPUNamed = Assume([]Named{{Card: pick.GPU, As: t.book.cards[pick.GPU].Label}})
	facts.GPUs = Say(Cards(pick.Count))
	t.saySheet(t.book.sheet(facts, t.costSaid(), t.m.At, t.rate, t.currency()), aside)
}

// priced is the card a cost question is about, and how many of it.
func (t *turn) priced() (*Card, int) {
	card := t.book.cardAsked(t.c.Facts, t.m.At)
	if card == nil {
		return nil, 0
	}
	return card, max(1, askedCards(t.c.Facts))
}

// cardAsked is the catalogue's entry of the card that was named: of those that
// the name fits, one that most places rent, and one with a price.
func (b *Rulebook) cardAsked(f Facts, now time.Time) *Card {
	var cards []*Card
	for i := range f.GPUNamed.Value {
		n := &f.GPUNamed.Value[i]
		for j := range b.Cards {
			if c := &b.Cards[j]; !n.Not && n.matches(c) && b.meant(c, n) != nil {
				cards = append(cards, c)
			}
		}
		if len(cards) > 0 {
			return b.withPrice(cards, f, now)
		}
	}
	return nil
}

// budgetHours says how long a budget lasts on a card.
func (t *turn) budgetHours(s *CostSheet, card *Card, n int) {
	t.reply.Act = "answer"
	said := t.c.Facts.Budget.Value
	amount, err := cost.AmountOf(said.Amount)
	budget := cost.Money{Amount: amount, Currency: cost.Currency(said.Currency)}
	for _, r := range s.Rents {
		if err != nil || r.Way != "hour" || r.Per.Currency != budget.Currency {
			continue
		}
		cardHours, err := cost.HoursFor(budget, r.Per)
		if err != nil {
			break
		}
		hours := Range{float64(int(cardHours.Low / float64(n))), float64(int(cardHours.High / float64(n)))}
		t.text("cost.budget", "card", label(card, n), "budget", t.money(said), "hours", span(hours))
		t.note("price.from", "when", cmp.Or(r.AsOf, t.book.say(t.lang, "price.yours")))
		return
	}
	t.text("cost.budget.noprice", "card", label(card, n), "budget", t.money(said))
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
	key := "cost.range"
	if *c.Low == *c.High {
		key = "cost.single"
	}
	line := b.say(lang, key, "hours", span(*c.GPUHours), "total", t.amount(*c.Low, *c.High, c.Currency), "likely", t.amount(*c.Likely, *c.Likely, c.Currency), "when", c.AsOf)
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

// aboutMoney reports whether a message that is no plain money question is one
// all the same: it goes on with a sum, or puts prices side by side.
func (t *turn) aboutMoney() bool {
	switch t.r.Intent {
	case "cost", "remind", "checklist", "diagnose", "help":
		return false
	}
	if t.addsToSum() {
		return true
	}
	if t.c.Asked != "" || t.r.Facts.Task.Known() || t.c.Facts.Task.Known() {
		return false
	}
	if len(t.r.Facts.GPUNamed.Value) == 1 {
		said := t.book.readCost(t.words(), t.currency()).said
		switch {
		case t.r.Intent == "compare" && said.asks("monthly"): // "4090 包月还是按时": of one card, and of money
			return true
		case said.Spot.Known(), said.SpotOff.Known():
			t.r.Intent = "cost"
			return true
		}
	}
	priced := 0
	for _, o := range t.book.readOffers(t.words(), t.currency(), nil) {
		if o.Said.Hour.Known() || o.Said.Month.Known() || o.Said.Year.Known() {
			priced++
		}
	}
	if priced >= 2 {
		t.r.Intent = "cost"
	}
	return priced >= 2
}
