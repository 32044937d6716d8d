package advisor

import (
	"strings"

	"gpuadvisor/advisor/fault"
)

// A flow is a dialogue beside the advice: a checklist that is ticked off, the
// measurements behind a score, the wait for a paste. It leaves the advice and
// its open question where they are and leads back to them at the end.

// Flow is where such a dialogue stands. The zero Flow is none.
type Flow struct {
	Kind  string `json:"kind"`         // checklist, score, diagnose, verify, order, trial, release, forget
	ID    string `json:"id,omitempty"` // the list; the order, once it is said; the verdict so far
	Ticks []Tick `json:"ticks,omitempty"`
	Seen  []Seen `json:"seen,omitempty"` // the cards of a print whose order is not known yet
}

// Tick is the answer to one item.
type Tick struct {
	Is   string `json:"is"`             // yes no unknown
	Note string `json:"note,omitempty"` // what they wrote, secrets masked
}

// Seen is a card as a print showed it.
type Seen struct {
	Name string `json:"name"`
	MiB  int    `json:"mib,omitempty"`
}

// longestNote is how much of an answer is kept, in characters.
const longestNote = 60

// waits reports whether the next message is to be taken for a paste.
func (f Flow) waits() bool { return f.Kind == "diagnose" || f.Kind == "verify" }

// asks reports whether an item or a question of the flow is open.
func (f Flow) asks() bool {
	return f.Kind == "checklist" || f.Kind == "score" || f.Kind == "order" || f.Kind == "trial" || f.Kind == "release"
}

// tick adds an answer without touching what the old conversation holds.
func (f *Flow) tick(t Tick) {
	f.Ticks = append(f.Ticks[:len(f.Ticks):len(f.Ticks)], t)
}

// inFlow takes the message for an answer to the open item. It reports whether
// it was one: whatever else a person says in the middle is answered as always,
// and the item stays open.
func (t *turn) inFlow() bool {
	if t.c.Trial.On() && (t.c.Flow.Kind == "trial" || t.c.Flow.Kind == "" && t.isStepChoice()) {
		return t.inTrial()
	}
	if t.c.Flow.Kind == "trial" { // none goes on
		t.c.Flow = Flow{}
	}
	if !t.c.Flow.asks() || t.paste.kind != "" {
		return false
	}
	if t.c.Flow.Kind == "release" {
		return t.inRelease()
	}
	switch t.r.Command {
	case "cancel":
		t.leaveFlow()
		return true
	case "back":
		return t.flowBack()
	case "skip", "dontknow", "decide", "explain":
		t.flowStep(Tick{Is: "unknown"})
		return true
	case "":
	default:
		return false
	}
	text := t.flowText()
	tick, plain := t.plainTick(text)
	if !plain && t.elsewhere(text) {
		return false
	}
	if !plain {
		tick = noted(text)
	}
	t.flowStep(tick)
	return true
}

// flowText is what was answered: the words of the option that was tapped or
// picked by its number, or the text.
func (t *turn) flowText() string {
	text := strings.TrimSpace(t.m.Text)
	if t.m.Kind == KindChoice {
		text = t.m.Choice
	} else if n := leadingNumber(text); !t.wantsNumber() && n >= 1 && int(n) <= len(t.c.Options) && number(n) == text {
		text = t.c.Options[int(n)-1]
	}
	if rest, ok := strings.CutPrefix(text, flowRef); ok {
		return rest
	}
	return text
}

// flowRef begins the ref of a choice that answers an item.
const flowRef = "flow="

// elsewhere reports whether a text is about something else than the open item:
// another intent, a job, or more than an answer has.
func (t *turn) elsewhere(text string) bool {
	switch t.r.Intent {
	case "cost", "remind", "compare", "platform", "help":
		return true
	}
	f := &t.r.Facts
	return t.r.Hostile || f.Task.Known() || f.Model.Known() || text == "" || len([]rune(text)) > 3*longestNote ||
		strings.HasSuffix(text, "?") || strings.HasSuffix(text, "？") || strings.HasSuffix(text, "吗")
}

// plainTick reads a yes, a no, or a don't know, and nothing else.
func (t *turn) plainTick(text string) (Tick, bool) {
	switch text {
	case "yes", "no", "unknown":
		return Tick{Is: text}, true
	}
	e := t.book.listen(text, Asked{})
	if word := e.bare(); e.wordIs(word, "command", "dontknow") || e.wordIs(word, "command", "skip") {
		return Tick{Is: "unknown"}, true
	}
	yes, ok := e.plainAnswer(e.bare())
	return Tick{Is: map[bool]string{true: "yes", false: "no"}[yes]}, ok
}

// noted is an answer in words: it is known, and this is what it is.
func noted(text string) Tick {
	note := []rune(strings.Join(strings.Fields(fault.Mask(text)), " "))
	return Tick{Is: "yes", Note: string(note[:min(len(note), longestNote)])}
}

// flowStep answers the open item and shows the next, or the end.
func (t *turn) flowStep(tick Tick) {
	t.reply.Edit = t.m.Kind == KindChoice
	switch t.c.Flow.Kind {
	case "checklist":
		t.c.Flow.tick(tick)
		t.r.Intent = "checklist"
		t.checklistItem()
	case "score":
		t.scoreAnswer(tick)
	case "order":
		t.checkOrder(tick)
	}
}

// reopen shows the open item again when the message was about something else.
func (t *turn) reopen(before Flow) {
	defer t.resumeTrial()
	if !before.asks() || t.c.Flow.Kind != before.Kind || t.c.Flow.ID != before.ID || len(t.c.Flow.Ticks) != len(before.Ticks) {
		return
	}
	act, intent := t.reply.Act, t.r.Intent
	switch before.Kind {
	case "checklist":
		t.checklistItem()
	case "score":
		t.scoreItem()
	case "release":
		t.askRental(before.ID, t.readRental(before.ID))
	case "order":
		t.reply.Parts = append(t.reply.Parts, Part{Kind: "question", Text: t.book.say(t.lang, "verify.order")})
		t.offerFlow("unknown")
	}
	t.reply.Act, t.r.Intent = act, intent
}

// flowBack reopens the item before.
func (t *turn) flowBack() bool {
	n := len(t.c.Flow.Ticks)
	if n == 0 {
		t.leaveFlow()
		return true
	}
	t.c.Flow.Ticks = t.c.Flow.Ticks[: n-1 : n-1]
	switch t.c.Flow.Kind {
	case "checklist":
		t.r.Intent = "checklist"
		t.checklistItem()
	case "score":
		t.scoreItem()
	}
	return true
}

// leaveFlow ends the flow where it is.
func (t *turn) leaveFlow() {
	t.because("flow.left")
	t.reply.Act = "answer"
	t.text("flow.left")
	t.endFlow()
}

// endFlow forgets the flow and leads back to the question that was open before.
func (t *turn) endFlow() {
	t.c.Flow = Flow{}
	if t.c.Trial.On() {
		t.c.Flow = Flow{Kind: "trial"}
		t.trialStep(false)
		return
	}
	if t.c.Asked == "" {
		t.c.Options = nil
		return
	}
	t.backToQuestion()
}

// offerFlow shows the choices of an open item.
func (t *turn) offerFlow(labels ...string) {
	t.reply.Choices = nil
	for _, l := range labels {
		t.reply.Choices = append(t.reply.Choices, Choice{Ref: flowRef + l, Label: t.book.say(t.lang, "choice."+l)})
	}
	t.c.Options = refs(t.reply.Choices)
}
