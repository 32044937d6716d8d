package advisor

import (
	"reflect"
	"slices"
	"strconv"
	"strings"
)

// steps.go holds what a person can order in the middle of a dialogue. Each
// step leaves the dialogue where it was, or says plainly that it does not.

// cancel drops the dialogue.
func (t *turn) cancel() {
	t.c = Conversation{Schema: Schema, Version: t.c.Version, Lang: t.lang, Turns: t.c.Turns, Trial: t.c.Trial}
	t.reply.Act = "cancelled"
	t.because("cancel")
	t.text("cancelled")
}

// restart drops the dialogue and asks the first question.
func (t *turn) restart() {
	t.cancel()
	t.reply = Reply{}
	t.text("restarted")
	t.ask("task", nil)
	t.reply.Act = "restarted"
}

// back returns to the state before the last answer; what the same message says
// besides ("back, make it lora") is taken in there.
func (t *turn) back() {
	if len(t.c.Past) == 0 {
		t.text("back.nothing")
		t.ask("task", nil)
		return
	}
	last := t.lastOther()
	t.c.Facts, t.c.Settled = last.Facts, last.Settled
	t.c.Answered, t.c.Shown = false, ""
	if len(t.r.Facts.Said()) > 0 {
		t.merge()
	}
	t.note("back.done")
	t.goOn()
}

// lastOther takes the newest step off the past that differs from now: a question
// aside left one that does not.
func (t *turn) lastOther() Step {
	now := Keep(Step{Facts: t.c.Facts, Settled: t.c.Settled}).step()
	for {
		last := t.c.Past[len(t.c.Past)-1].step()
		t.c.Past = t.c.Past[:len(t.c.Past)-1]
		if len(t.c.Past) == 0 || !reflect.DeepEqual(last.Facts, now.Facts) || !slices.Equal(last.Settled, now.Settled) {
			return last
		}
	}
}

// thanks ends politely and keeps the facts.
func (t *turn) thanks() {
	t.r.Intent = "offtopic"
	t.reply.Act = "help"
	t.because("thanks")
	t.text("thanks")
	if t.c.Asked != "" && !t.c.Answered {
		t.backToQuestion()
		return
	}
	t.reply.Choices = t.afterChoices()
}

// help says what there is to ask for.
func (t *turn) help() {
	if len(t.m.Text) > longestHelp && t.r.Command != "help" && t.startsWish() {
		return
	}
	t.r.Intent = "help"
	t.reply.Act = "help"
	t.because("help")
	t.heading("help.title")
	t.text("help.what")
	t.text("help.commands")
	t.text("help.triage")
	t.text("help.examples")
	if q := t.book.asks[t.c.Asked]; q != nil {
		t.note("help.open", "question", q.Ask)
	}
}

// offTopic answers what is not about renting GPUs, and leads back to the open
// question. It never gives advice.
func (t *turn) offTopic() {
	t.reply.Act = "refuse"
	if t.r.Greeting {
		t.reply.Act = "help"
		t.because("greeting")
		t.text("greeting")
		t.text("clarify.examples")
		return
	}
	if strings.TrimSpace(t.m.Text) == "" {
		t.reply.Act = "help"
		t.because("empty")
		t.text("empty")
		t.text("clarify.examples")
		return
	}
	if len(t.r.Facts.Said()) == 0 && t.c.Asked != "" && !t.r.Hostile {
		t.notUnderstood()
		return
	}
	if !t.r.Hostile && t.startsWish() {
		return
	}
	t.because("off-topic")
	t.text("offtopic")
	t.backToQuestion()
}

// longestHelp is how long a question about our abilities is at most, in bytes: whoever writes
// more tells what they want.
const longestHelp = 120

// startsWish answers a first message that wishes for something of ours in words that say no
// job yet: "something with AI for my school project". It asks what the job is.
func (t *turn) startsWish() bool {
	if t.c.Asked != "" || t.c.Answered || !t.book.hears(t.m.Text, "wish.says") || !t.book.hears(t.m.Text, "wish.wants") || t.book.listen(t.m.Text, Asked{}).hasKind("smalltalk") {
		return false
	}
	t.r.Intent = "recommend"
	t.because("wish")
	t.merge()
	t.text("wish.start")
	t.ask("task", nil)
	return true
}

// refuse answers injected instructions and crime: politely, without advice.
func (t *turn) refuse() {
	t.r.Intent = "offtopic"
	t.reply.Act = "refuse"
	t.because("refuse")
	t.text("refuse")
	t.backToQuestion()
}

// returnTo ends an answer in the middle of a dialogue with the question that is
// open.
func (t *turn) returnTo() {
	if t.c.Asked != "" {
		t.reply.Act = "ask:" + t.c.Asked
		t.backToQuestion()
	}
}

// backToQuestion repeats the open question after a detour.
func (t *turn) backToQuestion() {
	q := t.book.asks[t.c.Asked]
	if q == nil {
		return
	}
	t.reply.Parts = append(t.reply.Parts, Part{Kind: "question", Text: q.Ask.In(t.lang)})
	t.offer(t.c.Asked, q.Options)
}

// why says why the open question is asked, or which rules led to the advice
// and why they are true.
func (t *turn) why() {
	q := t.book.asks[t.c.Asked]
	var d *decision
	if q == nil || t.book.hears(t.r.Arg, "why.advice") { // 为什么是这张卡
		d = t.book.decide(t.c.Facts, t.c.Settled, t.m.At)
	}
	switch {
	case q != nil && (d == nil || d.stop || len(d.Cards) == 0):
		t.whyAsked(q)
	case q != nil:
		t.reply.Act = "ask:" + t.c.Asked
		t.sayWhy(d)
		t.backToQuestion()
	case d == nil:
		t.reply.Act = "answer"
		t.text("why.nothing")
		t.ask("task", nil)
	default:
		t.reply.Act = "answer"
		t.heading("why.title")
		t.sayWhy(d)
		t.furtherChoices("why")
	}
}

// whyAsked says why the open question is asked.
func (t *turn) whyAsked(q *Question) {
	t.reply.Act = "ask:" + t.c.Asked
	t.because("why." + t.c.Asked)
	t.text("why.question", "why", q.Why)
	t.backToQuestion()
}

// sayWhy says which rules led to the advice.
func (t *turn) sayWhy(d *decision) {
	for _, line := range t.whyLines(d) {
		t.reply.Parts = append(t.reply.Parts, Part{Kind: "text", Text: line})
	}
	t.because(d.Because...)
}

// whyLines explains each rule that fired: the trigger and why it is true.
func (t *turn) whyLines(d *decision) []string {
	lines := []string{t.vramBlock(d)}
	if len(d.Cards) > 0 {
		lines = append(lines, t.cardsBlock(d))
	}
	for _, id := range d.Because {
		if because, support := t.book.ruleText(id, t.lang); because != "" {
			lines = append(lines, "• "+sentences(t.book.say(t.lang, "join.sentence"), because, support))
		}
	}
	return lines
}

// ruleText is why a rule of a table fires and why it is true.
func (b *Rulebook) ruleText(id, lang string) (because, support string) {
	for _, table := range b.Tables {
		for _, row := range table.Rows {
			if row.ID == id {
				return Text(row.Because).In(lang), Text(row.Support).In(lang)
			}
		}
	}
	return "", ""
}

// more shows what the advice left out.
func (t *turn) more() {
	d := t.book.decide(t.c.Facts, t.c.Settled, t.m.At)
	t.reply.Act = "answer"
	if d == nil {
		t.text("more.nothing")
		t.ask("task", nil)
		return
	}
	t.heading("more.title")
	for _, r := range d.risks {
		t.reply.Parts = append(t.reply.Parts, Part{Kind: "text", Text: "• " + r.Note.In(t.lang)})
	}
	for _, r := range d.Rejected {
		t.reply.Parts = append(t.reply.Parts, Part{Kind: "text", Text: t.rejectWords(r)})
	}
	if d.lever() != "" {
		t.text("more.lever", "lever", t.book.say(t.lang, "lever."+d.lever()))
	}
	t.sayStorage(d)
	t.sayAudience(d)
	for _, c := range d.Changes[min(len(d.Changes), shownChanges):] {
		t.reply.Parts = append(t.reply.Parts, Part{Kind: "text", Text: "• " + t.changeWords(c)})
	}
	t.because(d.Because...)
	t.returnTo()
	t.furtherChoices("more")
}

func (t *turn) sayStorage(d *decision) {
	if d.chain.Store != "" && d.chain.Store != "none" {
		t.text("store." + d.chain.Store)
	}
}

// sayAudience adds what this kind of renter should weigh and ask.
func (t *turn) sayAudience(d *decision) {
	for i := range t.book.Audiences {
		if a := &t.book.Audiences[i]; a.ID == d.facts.Audience.Value {
			t.reply.Parts = append(t.reply.Parts, Part{Kind: "text", Text: t.book.say(t.lang, "audience.weigh", "what", a.Weigh) + "\n" + t.book.say(t.lang, "audience.ask", "what", a.Ask)})
		}
	}
}

// whyNot runs the gates on the cards that were named, in order, and names the
// first that fails, or what it would cost more.
func (t *turn) whyNot() {
	facts := t.c.Facts
	facts.Forget("gpu_named", "gpus")
	d := t.book.decide(facts, t.c.Settled, t.m.At)
	t.r.Intent = "compare"
	t.reply.Act = "answer"
	if d == nil && t.followsInstead() {
		return
	}
	if d == nil {
		t.text("why.nothing")
		t.ask("task", nil)
		return
	}
	d.sizing.ranOn = t.book.idsNamed(t.c.Facts.GPUNamed.Value) // what ran there once does
	if len(t.r.Facts.GPUNamed.Value) == 0 {
		t.r.Facts.GPUNamed = t.book.Read(t.r.Arg, Asked{}).Facts.GPUNamed
	}
	cards := t.book.cardsNamed(t.r.Facts.GPUNamed.Value)
	cards = append(cards, t.book.cardsOfMemory(t.r.Arg, len(cards))...)
	if len(cards) == 0 {
		if !t.followsInstead() {
			t.text("whynot.which")
		}
		return
	}
	t.sayVerdicts(cards, d)
	t.reply.Parts = append(t.reply.Parts, Part{Kind: "text", Text: t.vramBlock(d)})
	t.because(d.Because...)
	t.because("why-not")
	t.returnTo()
}

// sayVerdicts says of a few cards whether they hold the job.
func (t *turn) sayVerdicts(cards []*Card, d *decision) {
	for _, c := range firstOf(cards, shownCards) {
		t.sayVerdict(c, d)
	}
}

// sayVerdict says of one card whether it holds the job and, if not, at which
// gate it fails.
func (t *turn) sayVerdict(c *Card, d *decision) {
	gate, want := t.book.gate(c, d), d.boardsNamed(c)
	n, _ := d.sizing.on(c, want)
	switch {
	case gate == "memory" && n == want:
		t.text("verdict.works", "card", label(c, n))
	case gate == "memory":
		need, usable := tellApart(float64(d.sizing.need(want))/(1<<30), float64(c.Usable())/(1<<30))
		key := "verdict.memory"
		if n > want && n <= max(oneMachine, 2*d.best.n) {
			key = "verdict.boards"
		}
		t.text(key, "card", label(c, want), "need", need, "usable", usable, "boards", label(c, n))
	case gate == "" && n < d.best.n:
		t.text("verdict.fewer", "card", label(c, n), "best", label(d.best.card, d.best.n))
	case gate != "":
		t.text("verdict.fails", "card", c.Label, "gate", t.book.say(t.lang, "gate."+gate))
	case c.VRAMGB > d.ClassGiB:
		t.text("verdict.more", "card", c.Label, "class", number(d.ClassGiB))
	default:
		t.text("verdict.works", "card", c.Label)
	}
}

// boardsNamed is how many boards of a card were named with it, else how many
// the job is to have: 两张 3090 还是一张 4090.
func (d *decision) boardsNamed(c *Card) int {
	for _, n := range d.facts.GPUNamed.Value {
		if n.N > 0 && !n.Not && n.matches(c) {
			return n.N
		}
	}
	return d.wanted()
}

// tellApart writes a demand and what there is for it with as many digits as it takes
// to see that the one is more.
func tellApart(need, usable float64) (string, string) {
	if a, b := gib(need), gib(usable); a != b {
		return a, b
	}
	return strconv.FormatFloat(need, 'f', 2, 64), strconv.FormatFloat(usable, 'f', 2, 64)
}

// cardsNamed finds the catalogue entries of named cards.
func (b *Rulebook) cardsNamed(named []Named) []*Card {
	var out []*Card
	for _, n := range named {
		if n.Not {
			continue
		}
		for i := range b.Cards {
			c := &b.Cards[i]
			if b.meant(c, matching(c, &n)) != nil && !slices.ContainsFunc(out, func(o *Card) bool { return o.Label == c.Label }) {
				out = append(out, c)
			}
		}
	}
	return out
}

// matching is the name where it fits the card, else nil.
func matching(c *Card, n *Named) *Named {
	if n.matches(c) {
		return n
	}
	return nil
}

// cardsOfMemory answers "why is 24G not enough": the preferred card with that
// memory, when no card was named.
func (b *Rulebook) cardsOfMemory(arg string, named int) []*Card {
	gb := leadingNumber(arg)
	if named > 0 || gb == 0 {
		return nil
	}
	var best *Card
	for i := range b.Cards {
		c := &b.Cards[i]
		if c.VRAMGB == gb && c.Rentable == "common" && (best == nil || b.preferred(c) < b.preferred(best)) {
			best = c
		}
	}
	if best == nil {
		return nil
	}
	return []*Card{best}
}

// leadingNumber reads the first number of a text, 0 for none.
func leadingNumber(s string) float64 {
	v, any := 0.0, false
	for _, r := range s {
		if r >= '0' && r <= '9' {
			v, any = v*10+float64(r-'0'), true
		} else if any {
			break
		}
	}
	return min(v, 1e6)
}

// whatIf makes the whole decision again with the changed answers, without
// keeping them.
func (t *turn) whatIf() {
	old := t.book.decide(t.c.Facts, t.c.Settled, t.m.At)
	t.because("what-if")
	if len(t.r.Facts.Said()) == 0 {
		t.r.Facts = t.book.Read(t.r.Arg, Asked{Facts: &t.c.Facts}).Facts
	}
	if old == nil && t.c.Intent == "cost" && t.c.Asked == "" && len(t.r.Facts.Said()) > 0 {
		t.cost() // of the sum, not of an advice
		return
	}
	if len(t.r.Facts.Said()) == 0 && t.followsInstead() {
		return
	}
	if old == nil || len(t.r.Facts.Said()) == 0 {
		t.reply.Act = "clarify"
		t.text("whatif.how")
		if old == nil {
			t.text("whatif.first")
		}
		t.returnTo()
		return
	}
	kept := t.c
	t.merge()
	d := t.book.decide(t.c.Facts, t.c.Settled, t.m.At)
	t.c = kept
	t.reply.Act = "answer"
	then, weight := difference(old, d)
	if weight == 0 {
		t.text("whatif.same", "cards", t.book.list(t.lang, firstOf(labels(old.Cards), 2)))
	} else {
		t.text("whatif.changes", "then", t.thenWords(then))
		t.reply.Parts = append(t.reply.Parts, Part{Kind: "text", Text: t.vramBlock(d)}, Part{Kind: "text", Text: t.cardsBlock(d)}, Part{Kind: "text", Text: t.platformBlock(d)})
	}
	t.note("whatif.kept")
	t.because(d.Because...)
	t.returnTo()
}

// compare answers a question about named cards on this job, by the first gate
// that each fails, then leads back to the job.
func (t *turn) compare() {
	if len(t.r.Facts.Said()) > 0 {
		t.merge()
	}
	t.c.Intent = "compare"
	d := t.book.decide(t.c.Facts, t.c.Settled, t.m.At)
	cards := t.book.cardsNamed(t.c.Facts.GPUNamed.Value)
	if d == nil || d.stop || len(d.Cards) == 0 {
		for _, c := range firstOf(cards, shownCards) {
			t.sayCardFacts(c)
		}
		t.generalComparison()
		t.text("compare.task")
		t.ask("task", d)
		return
	}
	t.sayVerdicts(cards, d)
	t.generalComparison()
	t.sayStanding(d)
	t.because(d.Because...)
	t.c.Answered = true
	if missing := t.book.missing(t.c.Facts, t.c.Settled, d); len(missing) > 0 && len(cards) > 0 {
		t.ask(missing[0], d)
		return
	}
	t.reply.Act = "answer"
	t.c.Asked, t.c.Options = "", nil
}

// generalComparison answers comparisons that are not about cards: spot or on
// demand, hourly or monthly, container or bare metal.
func (t *turn) generalComparison() {
	if strings.HasPrefix(t.r.Topic, "compare.") {
		t.text(t.r.Topic)
	}
}

func (t *turn) sayCardFacts(c *Card) {
	t.text("card.facts", "card", c.Label, "vram", number(c.VRAMGB), "bandwidth", number(c.BandwidthGBs), "nvlink", t.book.say(t.lang, "nvlink."+c.NVLink))
}
