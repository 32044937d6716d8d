package advisor

import (
	"slices"
	"strconv"
	"strings"
	"time"
)

// trialStep shows the open step, or what is still asked of the last one, or the
// verdict when all are over. Its commands are shown when it opens.
func (t *turn) trialStep(opens bool) {
	r, p := &t.c.Trial, &t.book.Trial
	step := t.openStep()
	t.stepped = true
	switch {
	case r.Asks != "" && len(r.Steps) > 0 && len(r.Steps) <= len(p.Steps):
		last := r.Steps[len(r.Steps)-1]
		t.reply.Parts = append(t.reply.Parts, Part{Kind: "question", Text: t.book.say(t.lang, "trial.ask."+r.Asks, "step", p.Steps[len(r.Steps)-1].Title, "n", last.Minutes)})
	case step == nil:
		t.endTrial()
		return
	default:
		t.because("trial." + step.ID)
		t.sayPlace()
		t.reply.Parts = append(t.reply.Parts, Part{Kind: "question", Text: step.Do.In(t.lang)})
		if opens {
			t.sayCommands(step, false)
		}
	}
	t.offerStep()
}

// sayPlace says which step of how many is open.
func (t *turn) sayPlace() {
	if step := t.openStep(); step != nil {
		t.note("trial.place", "n", len(t.c.Trial.Steps)+1, "of", len(t.book.Trial.Steps), "title", step.Title, "minutes", t.c.Trial.until(t.m.At))
	}
}

// sayCommands shows what is to be run, each with what a pass does not prove.
func (t *turn) sayCommands(step *TrialStep, aside bool) {
	for _, c := range step.Commands {
		if c.Aside != aside {
			continue
		}
		t.note("trial.run", "why", c.Why)
		t.reply.Parts = append(t.reply.Parts, Part{Kind: "code", Text: c.Run})
		t.note("trial.proves-not", "what", c.ProvesNot)
	}
}

// stepChoices are what can be tapped for the open step.
func (t *turn) stepChoices() []string {
	r := &t.c.Trial
	switch r.Asks {
	case "minutes":
		return []string{"skip"}
	case "overhead":
		return []string{"none", "half", "all", "skip"}
	}
	step := t.openStep()
	if step == nil {
		return nil
	}
	all := []string{"done", "stuck", "skip", "explain"}
	if step.Script && r.Script.IsZero() {
		all = append([]string{"script"}, all...)
	}
	if slices.ContainsFunc(step.Commands, func(c TrialCommand) bool { return c.Aside }) {
		all = append(all, "more")
	}
	return all
}

// offerStep shows the choices of the open step. Their refs name the step, so
// that an old message's button does nothing to another one.
func (t *turn) offerStep() {
	r := &t.c.Trial
	t.reply.Choices = nil
	for _, c := range t.stepChoices() {
		t.reply.Choices = append(t.reply.Choices, Choice{Ref: flowRef + strconv.Itoa(len(r.Steps)) + "." + c, Label: t.stepLabel(c)})
	}
	if end := t.book.Trial.Minutes; r.Asks == "" && r.Remind == "" && t.m.At.Sub(r.Start) < time.Duration(end)*time.Minute {
		t.reply.Choices = append(t.reply.Choices, Choice{Ref: "/trial remind", Label: t.book.say(t.lang, "choice.trial.remind")})
	}
	t.c.Options = refs(t.reply.Choices)
}

// stepLabel is what stands on the button of a choice.
func (t *turn) stepLabel(choice string) string {
	key := "choice.trial." + choice
	if asks := key + "." + t.c.Trial.Asks; t.c.Trial.Asks != "" && t.book.has(asks) {
		key = asks
	}
	return t.book.say(t.lang, key)
}

// endTrial gives the verdict and leads on.
func (t *turn) endTrial() {
	r := t.c.Trial
	t.dropTrial()
	t.sayTrialVerdict(r.Steps, r)
	t.endFlow()
	if t.c.Asked == "" {
		t.offerAfterTrial(t.book.Trial.Judge(r.Steps))
	}
}

// sayTrialVerdict says what came of a trial: the verdict and its reasons, the
// minutes of each step, what was measured, what it does not prove, what to do.
func (t *turn) sayTrialVerdict(steps []Spent, measured Trial) {
	p := &t.book.Trial
	got := p.Judge(steps)
	say := func(key string, pairs ...any) string { return t.book.say(t.lang, key, pairs...) }
	t.because("trial." + got.Verdict)
	t.heading("trial.verdict."+got.Verdict, "missing", t.stepTitles(got.Missing))
	if got.Overhead > p.Overhead {
		t.text("trial.over", "n", got.Overhead, "most", p.Overhead)
	}
	for i := range p.Steps {
		if step := &p.Steps[i]; slices.Contains(got.Missing, step.ID) {
			t.reply.Parts = append(t.reply.Parts, Part{Kind: "text", Text: step.Why.In(t.lang)})
			t.because("trial.missing." + step.ID)
		}
	}
	rows := [][]string{{say("trial.col.step"), say("trial.col.minutes"), say("trial.col.over"), say("trial.col.is")}}
	for i := range p.Steps {
		rows = append(rows, t.stepRow(&p.Steps[i], steps, i))
	}
	rows = append(rows, []string{say("trial.sum"), strconv.Itoa(got.Minutes), strconv.Itoa(got.Overhead), ""})
	t.reply.Parts = append(t.reply.Parts, Part{Kind: "table", Rows: rows})
	t.sayMeasured(got, measured)
	t.note("trial.proves-not", "what", p.ProvesNot)
	t.text("trial.next." + got.Verdict)
}

func (t *turn) stepRow(step *TrialStep, steps []Spent, i int) []string {
	s := Spent{Is: "skipped"}
	if i < len(steps) {
		s = step.count(steps[i])
	}
	minutes, over, is := strconv.Itoa(s.Minutes), strconv.Itoa(s.Over), "trial.is."+s.Is
	if s.Unclear == "minutes" {
		minutes, over = "?", "?"
	} else if s.Unclear != "" {
		over = "?"
	}
	if s.Stuck {
		is += ".stuck"
	}
	return []string{step.Title.In(t.lang), minutes, over, t.book.say(t.lang, is)}
}

// sayMeasured says what the figures mean.
func (t *turn) sayMeasured(got TrialResult, r Trial) {
	p := &t.book.Trial
	switch {
	case got.ToScript < 0:
	case got.ToScript <= p.Script:
		t.text("trial.script.good", "n", got.ToScript, "most", p.Script)
	default:
		t.text("trial.script.slow", "n", got.ToScript, "most", p.Script)
	}
	if words := t.measuredWords(&r); words != "" {
		t.text("trial.measured", "figures", words)
	}
	if r.CV != nil {
		t.sayCV(*r.CV)
	}
	if len(got.Unclear) > 0 {
		t.note("trial.unclear", "steps", t.stepTitles(got.Unclear))
	}
}

func (t *turn) measuredWords(r *Trial) string {
	var words []string
	if r.PeakGiB > 0 {
		words = append(words, t.book.say(t.lang, "trial.peak", "n", number(r.PeakGiB)))
	}
	if r.RAMGB > 0 {
		words = append(words, t.book.say(t.lang, "trial.ram", "n", number(r.RAMGB)))
	}
	return t.book.list(t.lang, words)
}

// sayCV judges the variation under full load.
func (t *turn) sayCV(v float64) {
	p := &t.book.Trial
	key := "trial.cv.bad"
	switch {
	case v <= p.CVGood:
		key = "trial.cv.good"
	case v <= p.CVPass:
		key = "trial.cv.pass"
	}
	t.text(key, "n", number(v), "good", number(p.CVGood), "pass", number(p.CVPass))
}

func (t *turn) stepTitles(ids []string) string {
	var titles []string
	for _, step := range t.book.Trial.Steps {
		if slices.Contains(ids, step.ID) {
			titles = append(titles, step.Title.In(t.lang))
		}
	}
	return t.book.list(t.lang, titles)
}

// offerAfterTrial leads back to the advice and on to the release; after a pass
// also to the looks before a whole machine.
func (t *turn) offerAfterTrial(got TrialResult) {
	t.reply.Choices = nil
	offer := func(ref, label string) {
		t.reply.Choices = append(t.reply.Choices, Choice{Ref: ref, Label: t.book.say(t.lang, label)})
	}
	offer("/gpu", "choice.gpu")
	offer("/release", "choice.release")
	if got.Verdict == TrialPassed {
		if d := t.book.decide(t.c.Facts, t.c.Settled, t.m.At); d != nil && t.hasStages(d) {
			offer("/trial stages", "choice.trial.stages")
		}
	} else {
		offer("/trial again", "choice.trial.again")
	}
	t.c.Options = refs(t.reply.Choices)
	t.c.Answered = true
}

// hasStages reports whether an advice is for a long job that begins in a
// container and may end on a whole machine.
func (t *turn) hasStages(d *decision) bool {
	in := t.book.riskInputs(d, t.m.At)
	return !d.stop && slices.ContainsFunc(t.book.Trial.Stages.When, func(row map[string][]string) bool { return meets(row, in) })
}

// trialChoices are what an advice leads to: the trial, and the looks on the way
// to a whole machine.
func (t *turn) trialChoices(d *decision) []Choice {
	var out []Choice
	if d.next == "trial" && !t.c.Trial.On() {
		out = append(out, Choice{Ref: "/trial", Label: t.book.say(t.lang, "choice.trial")})
	}
	if t.hasStages(d) {
		out = append(out, Choice{Ref: "/trial stages", Label: t.book.say(t.lang, "choice.trial.stages")})
	}
	return out
}

// sayPlan is the trial on one page.
func (t *turn) sayPlan() {
	p := &t.book.Trial
	t.heading("trial.plan", "n", p.Minutes)
	t.text("trial.how", "script", p.Script, "over", p.Overhead, "of", p.Minutes)
	for i := range p.Steps {
		step := &p.Steps[i]
		line := enumerated(i+1, step.Title.In(t.lang)+t.book.say(t.lang, "join.because")+step.Do.In(t.lang))
		t.reply.Parts = append(t.reply.Parts, Part{Kind: "text", Text: line})
		t.sayCommands(step, false)
		t.sayCommands(step, true)
	}
	t.note("trial.proves-not", "what", p.ProvesNot)
	t.text("trial.short", "example", t.shortForm())
}

// shortForm is an example of a trial told in one line, in the reader's words.
func (t *turn) shortForm() string {
	var words []string
	for _, step := range t.book.Trial.Steps {
		name := step.Names[0]
		if i := slices.IndexFunc(step.Names, func(s string) bool { return isHan(s) == (t.lang == "zh") }); i >= 0 {
			name = step.Names[i]
		}
		minutes := " 5"
		if step.Counts == "part" {
			minutes = " 40/25"
		}
		words = append(words, name+minutes)
	}
	return strings.Join(words, ", ")
}

// dueChoices are what can be done about a reminder that came due.
func (t *turn) dueChoices(action string) []Choice {
	l := t.book.checklistByID(t.book.Trial.Stages.List)
	if action != "stages" || l == nil {
		return nil
	}
	return []Choice{{Ref: "/checklist " + l.ID, Label: l.Title.In(t.lang)}}
}
