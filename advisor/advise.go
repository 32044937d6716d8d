package advisor

import (
	"slices"
	"strings"
)

// The advice dialogue: ask only what is missing, show what can be said so far,
// and end with an answer.

// showFrom is the number of questions after which provisional advice is shown
// at the latest.
const showFrom = 3

// advise takes what was heard into the facts, then asks the next question or
// gives the advice.
func (t *turn) advise() {
	if t.nothingHeard() {
		t.notUnderstood()
		return
	}
	t.merge()
	t.c.Intent = "recommend"
	t.c.Reasked = 0
	t.sayRemarks()
	t.goOn()
}

// sayRemarks says what was left out of the message or counted as something else.
func (t *turn) sayRemarks() {
	if t.r.Odd != "" {
		t.note("read.odd", "what", t.r.Odd)
	}
	if t.r.Narrower != "" && !t.r.Facts.Precision.Known() {
		t.note("read.narrower", "what", t.r.Narrower)
	}
}

// nothingHeard reports whether the message told us nothing that we can use.
func (t *turn) nothingHeard() bool {
	return len(t.r.Facts.Said()) == 0 && t.r.Odd == "" && len(t.r.Withdraw) == 0 && t.r.Unlisted == "" && t.r.Intent == ""
}

// goOn asks the next question, with provisional advice where that is possible,
// or gives the final advice.
func (t *turn) goOn() {
	d := t.book.decide(t.c.Facts, t.c.Settled, t.m.At)
	missing := t.book.missing(t.c.Facts, t.c.Settled, d)
	if d == nil && t.c.Facts.ComplianceKind.Value == "secret" {
		d = t.book.withoutTask(t.c) // whatever the job is
	}
	if d != nil && d.stop {
		t.stopAdvice(d)
		return
	}
	if t.r.Unlisted != "" && !t.c.Facts.ParamsB.Known() && !t.c.Facts.Model.Known() {
		t.text("model.unlisted", "name", t.r.Unlisted)
		t.ask("params_b", d)
		return
	}
	if t.r.Facts.Shape.Known() {
		t.note("model.shape", "name", t.r.Unlisted, "b", t.r.Facts.ParamsB.Value)
	}
	if len(missing) == 0 && d != nil {
		t.answer(d)
		return
	}
	if d != nil && (d.sized || len(t.c.Past) >= showFrom) {
		t.provisional(d)
	}
	t.acknowledge(d)
	t.ask(missing[0], d)
}

// acknowledge reads back what the message said where nothing above did: who
// answers must see that it arrived, and as what.
func (t *turn) acknowledge(d *decision) {
	for _, p := range t.reply.Parts {
		if p.Kind == "fields" {
			return
		}
	}
	rest := t.r.Facts
	if cards := t.book.cardsNamed(rest.GPUNamed.Value); d != nil && d.sized && len(cards) > 0 {
		rest.Forget("gpu_named")
		t.sayVerdicts(cards, d)
	}
	if words := t.understood(rest); words != "" {
		t.note("noted", "facts", words)
	}
}

// answer shows the whole advice.
func (t *turn) answer(d *decision) {
	t.c.Asked, t.c.Options = "", nil
	t.c.Answered = true
	t.reply.Act = "answer"
	t.sayAdvice(d)
	t.because(d.Because...)
	t.reply.Choices = append(t.afterChoices(), t.trialChoices(d)...)
	t.c.Options = refs(t.reply.Choices)
}

// provisional shows the card that would be advised on what is known so far.
func (t *turn) provisional(d *decision) {
	if shown := d.Task + " " + firstLabel(d) + " " + gib(d.Need.Total); shown != t.c.Shown {
		t.sayProvisional(d)
		t.c.Shown = shown
	}
	t.because(d.Because...)
}

// ask puts the question for one slot, with its options.
func (t *turn) ask(slot string, d *decision) {
	q := t.book.asks[slot]
	t.c.Asked = slot
	t.reply.Act = "ask:" + slot
	t.because("ask." + slot)
	if q == nil {
		t.text("ask.other", "slot", slot)
		return
	}
	t.reply.Parts = append(t.reply.Parts, Part{Kind: "question", Text: q.Ask.In(t.lang)})
	t.offer(slot, q.Options)
}

// offer shows options as choices, and "don't know" and "why" behind them.
func (t *turn) offer(slot string, options []Option) {
	t.reply.Choices = nil
	for _, o := range options {
		if o.suits(t.c.Facts.Task.Value) {
			t.reply.Choices = append(t.reply.Choices, Choice{Ref: slot + "=" + o.ID, Label: o.Label.In(t.lang)})
		}
	}
	if slot != "task" {
		t.reply.Choices = append(t.reply.Choices, Choice{Ref: "/dontknow", Label: t.book.say(t.lang, "choice.dontknow")})
	}
	t.c.Options = refs(t.reply.Choices)
}

// notUnderstood asks again once with an example, then with choices; without an
// open question it says what it is for.
func (t *turn) notUnderstood() {
	t.because("clarify")
	t.reply.Act = "clarify"
	q := t.book.asks[t.c.Asked]
	if q == nil {
		t.r.Intent = "offtopic"
		if t.c.Answered {
			t.text("clarify.after")
			t.reply.Choices = t.afterChoices()
			t.c.Options = refs(t.reply.Choices)
			return
		}
		t.text("clarify.start")
		t.text("clarify.examples")
		return
	}
	t.c.Reasked++
	if t.c.Reasked == 1 && q.Example != nil {
		t.text("clarify.again", "example", q.Example)
		t.offer(t.c.Asked, q.Options)
		return
	}
	t.text("clarify.choose")
	t.ask(t.c.Asked, nil)
}

// openGroup shows the narrower options of a group that was picked.
func (t *turn) openGroup() {
	slot := t.c.Asked
	t.reply.Act = "ask:" + slot
	t.text("ask.narrower", "group", t.group.Label)
	t.offer(slot, t.group.Sub)
	t.because("ask." + slot)
}

// clarifyUnit asks for the unit of a bare number.
func (t *turn) clarifyUnit() {
	t.because("clarify.unit")
	t.reply.Act = "clarify"
	key := "clarify.unit." + t.r.Unclear
	if !t.book.has(key) {
		key = "clarify.unit"
	}
	t.text(key, "text", strings.TrimSpace(t.m.Text))
	if n := leadingNumber(t.m.Text); n > 0 && n < 1e6 {
		t.c.Number = number(n)
	}
}

// settle takes "don't know" and "skip" for an answer: the default stands in
// and is said aloud.
func (t *turn) settle() {
	t.merge()
	slot := t.c.Asked
	if slot == "" {
		t.reply.Act = "help"
		if t.c.Answered {
			t.text("settle.answered")
			return
		}
		t.text("settle.nothing")
		return
	}
	if other := t.slotUnknown(); other != "" && other != slot {
		t.c.Settled = append(slices.Clip(t.c.Settled), other)
		t.text("settle.other")
		t.backToQuestion()
		return
	}
	t.settleSlot(slot)
	t.sayDefault(slot, t.book.decide(t.c.Facts, t.c.Settled, t.m.At))
	t.goOn()
}

// slotUnknown is what a message says is not known, where it says so: "no idea how long".
func (t *turn) slotUnknown() string {
	for _, slot := range []string{"duration_hours", "data_gb", "model"} {
		if t.book.hears(t.m.Text, "settle.names."+slot) {
			return slot
		}
	}
	return ""
}

// settleAll answers "you decide": every open question gets its default.
func (t *turn) settleAll() {
	t.merge()
	for range 8 {
		d := t.book.decide(t.c.Facts, t.c.Settled, t.m.At)
		missing := t.book.missing(t.c.Facts, t.c.Settled, d)
		if len(missing) == 0 {
			break
		}
		t.settleSlot(missing[0])
	}
	t.text("settle.all")
	t.goOn()
}

// explain answers "what is that?": it says what the question is for, and takes
// the default, because who has to ask cannot know the answer.
func (t *turn) explain() {
	q := t.book.asks[t.c.Asked]
	if q == nil {
		t.help()
		return
	}
	t.text("why.question", "why", q.Why)
	t.settle()
}

func (t *turn) settleSlot(slot string) {
	if !slices.Contains(t.c.Settled, slot) {
		t.c.Settled = append(slices.Clip(t.c.Settled), slot)
	}
	t.c.Asked, t.c.Reasked = "", 0
}

// sayDefault says which default stands in now: the one that the arithmetic took,
// else the one that the question promises.
func (t *turn) sayDefault(slot string, d *decision) {
	if d != nil {
		for _, a := range d.assumed {
			if a.key == slot || slot == "context_len" && a.key == "seq_len" || slot == "model" && a.key == "params_b" {
				t.note("settle.assumed", "default", t.book.say(t.lang, "assume."+a.key, a.pairs...))
				return
			}
		}
	}
	if q := t.book.asks[slot]; q != nil && q.Unknown != nil {
		t.note("settle.one", "default", q.Unknown)
	}
}

// missing lists the required slots that are still open, in the order of
// asking.
func (b *Rulebook) missing(f Facts, settled []string, d *decision) []string {
	required := b.Asks.Required[f.Task.Value]
	if !f.Task.Known() {
		required = beforeTask
	}
	var out []string
	for _, slot := range required {
		if b.open(slot, f, settled, d) {
			first, _, _ := strings.Cut(slot, "|")
			out = append(out, first)
		}
	}
	return out
}

// beforeTask is worth asking while the task is unknown; it stays the list when
// the task is skipped.
var beforeTask = []string{"task", "model|params_b", "duration_hours"}

// open reports whether a required slot still wants an answer. A slot may be
// written as alternatives: "model|params_b".
func (b *Rulebook) open(slot string, f Facts, settled []string, d *decision) bool {
	for alternative := range strings.SplitSeq(slot, "|") {
		always := alternative == "duration_hours" && f.AlwaysOn.IsSaid() && f.AlwaysOn.Value
		byTask := d != nil && b.tasks[d.Task] != nil && slices.Contains(b.tasks[d.Task].Settles, alternative)
		if f.Has(alternative) || always || byTask || slices.Contains(settled, alternative) {
			return false
		}
	}
	if slot == "precision" && f.Task.Value == "inference" {
		return d != nil && d.precisionMatters
	}
	return true
}
