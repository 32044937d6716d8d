package advisor

import (
	"slices"
	"strconv"
	"strings"
	"time"
)

// The two-hour trial: seven steps on a rented machine before any larger sum is
// paid (rules/trial.yaml). The clock is that of the messages. A trial takes two
// hours, and people talk of other things meanwhile: other flows and questions
// are answered and the open step stays open, which is why the trial stands in
// the conversation by itself and not in its Flow. How an answer is read stands
// in trial_read.go, the verdict in trial_plan.go, the words in trial_say.go.

// Trial is where a trial stands. The zero Trial is none.
type Trial struct {
	Start   time.Time `json:"start"`            // when it began
	Open    time.Time `json:"open"`             // when the open step began
	Script  time.Time `json:"script,omitzero"`  // when the first script of the open step ran
	Stuck   bool      `json:"stuck,omitempty"`  // the open step met a problem
	Asks    string    `json:"asks,omitempty"`   // what is still asked of the step that ended last: minutes, overhead
	Steps   []Spent   `json:"steps,omitempty"`  // those that are over
	PeakGiB float64   `json:"peak,omitempty"`   // measured, of one card
	RAMGB   float64   `json:"ram,omitempty"`    // measured
	CV      *float64  `json:"cv,omitempty"`     // variation under full load, per cent; never changed in place
	Remind  string    `json:"remind,omitempty"` // id of the reminder of its end
}

// Spent is a step that is over.
type Spent struct {
	Is      string    `json:"is"`                // done, skipped
	Began   time.Time `json:"began"`             // for /back
	Minutes int       `json:"minutes"`           // how long it took
	Over    int       `json:"over,omitempty"`    // of them on connecting, installing and searching
	Script  bool      `json:"script,omitempty"`  // Over was measured: it ends with the first script
	Stuck   bool      `json:"stuck,omitempty"`   // there was a problem on the way
	Unclear string    `json:"unclear,omitempty"` // what nobody knows: minutes, overhead
}

// On reports whether a trial goes on.
func (r Trial) On() bool { return !r.Start.IsZero() }

// longPause is from when on an open step is not repeated below other answers.
const longPause = 24 * time.Hour

// trial answers /trial: it begins one, shows the open step, or takes an order
// about it. A text with minutes is judged at once.
func (t *turn) trial() {
	t.r.Intent = "checklist"
	t.reply.Act = "answer"
	t.because("trial")
	p := &t.book.Trial
	arg := strings.TrimSpace(t.r.Arg)
	word := strings.ToLower(arg)
	switch steps := p.readSteps(arg); {
	case len(steps) > 0:
		t.sayTrialVerdict(steps, Trial{})
		t.offerAfterTrial(p.Judge(steps))
	case slices.Contains(p.Words.Remind, word):
		t.remindOfTrial()
	case slices.Contains(p.Words.Stages, word):
		t.remindOfStages()
	case t.c.Trial.On() && !slices.Contains(p.Words.Again, word):
		t.mendTrial()
		t.c.Flow = Flow{Kind: "trial"}
		t.trialStep(true)
	default:
		t.startTrial()
	}
}

func (t *turn) startTrial() {
	t.dropTrial()
	t.c.Trial = Trial{Start: t.m.At, Open: t.m.At}
	t.c.Flow = Flow{Kind: "trial"}
	p := &t.book.Trial
	t.heading("trial.title", "n", p.Minutes)
	t.text("trial.how", "script", p.Script, "over", p.Overhead, "of", p.Minutes)
	t.trialStep(true)
}

// inTrial takes the message for an answer to the open step, if it is one.
func (t *turn) inTrial() bool {
	t.mendTrial()
	if t.paste.kind != "" {
		return t.peakPasted()
	}
	switch t.r.Command {
	case "cancel":
		t.dropTrial()
		t.leaveFlow()
		return true
	case "back":
		t.trialBack()
		return true
	case "restart":
		t.begin()
		t.startTrial()
		return true
	case "skip", "dontknow", "decide":
		t.trialTakes(stepAnswer{is: "skip"})
		return true
	case "peak":
		return t.peakTyped()
	case "explain", "why":
		if t.r.Arg == "" || t.r.Command == "explain" && t.r.Arg == t.c.Asked {
			t.trialTakes(stepAnswer{is: "explain"})
			return true
		}
		return false
	case "", "thanks", "more":
	default:
		return false
	}
	a := t.readStep(t.flowText())
	if a.is == "" {
		return t.unclearStep()
	}
	t.trialTakes(a)
	return true
}

// unclearStep asks again when a message says nothing that anybody else would
// answer. A card that was named on the way is noted and no job.
func (t *turn) unclearStep() bool {
	f := &t.r.Facts
	job := f.Task.Known() || f.Model.Known() || f.ParamsB.Known() || t.c.Facts.Task.Known() && len(f.Said()) > 0
	other := t.r.Intent != "" && t.r.Intent != "offtopic" && (t.r.Intent != "recommend" || len(f.Said()) > 0) && len(f.GPUNamed.Value) == 0
	if job || other || t.r.Command != "" || t.r.Topic != "" || t.r.Hostile || t.r.Greeting || t.m.Kind == KindChoice || strings.ContainsAny(t.m.Text, "?？") || strings.TrimSpace(t.m.Text) == "" {
		return false
	}
	t.begin()
	if len(f.GPUNamed.Value) > 0 {
		t.c.Facts.Merge(*f)
		t.note("noted", "facts", t.understood(*f))
	}
	t.note("trial.unclear.step")
	t.trialStep(false)
	return true
}

// mendTrial brings a trial that other rules have kept into the form of ours.
func (t *turn) mendTrial() {
	r := &t.c.Trial
	r.Steps = firstOf(r.Steps, min(len(r.Steps), len(t.book.Trial.Steps)))
	if r.Asks != "minutes" && r.Asks != "overhead" || len(r.Steps) == 0 {
		r.Asks = ""
	}
}

// begin says that the message was about the trial.
func (t *turn) begin() {
	t.r.Intent = "checklist"
	t.reply.Act = "answer"
	t.because("trial")
}

// trialTakes does what an answer to the open step wants.
func (t *turn) trialTakes(a stepAnswer) {
	t.begin()
	r := &t.c.Trial
	step := t.openStep()
	if step != nil && step.Asks != "memory" && a.peak+a.ram > 0 {
		t.keepMemory(a.peak, a.ram)
		t.note("trial.kept", "figures", t.measuredWords(r))
	}
	switch {
	case a.is == "late":
		t.note("trial.late")
		t.trialStep(false)
	case r.Asks != "":
		t.completeStep(a)
	case step == nil:
		t.trialStep(false) // the rules have changed since
	case a.is == "done" && step.Asks == "memory" && r.PeakGiB == 0:
		t.note("trial.peak.ask")
		t.trialStep(false)
	case a.is == "done" || a.is == "skip":
		t.endStep(a)
	default:
		t.beside(a, step)
	}
}

// beside answers what does not end the step.
func (t *turn) beside(a stepAnswer, step *TrialStep) {
	r := &t.c.Trial
	switch a.is {
	case "stuck":
		r.Stuck = true
		t.reply.Parts = append(t.reply.Parts, Part{Kind: "text", Text: step.Stuck.In(t.lang)})
	case "explain":
		t.reply.Parts = append(t.reply.Parts, Part{Kind: "text", Text: step.Why.In(t.lang)})
	case "toy":
		t.text("trial.toy")
	case "waiting":
		t.note("trial.waiting")
	case "script":
		if r.Script.IsZero() {
			r.Script = t.m.At
		}
		t.note("trial.script", "n", r.until(r.Script), "most", t.book.Trial.Script)
	case "cv":
		r.CV = &a.cv
		t.sayCV(a.cv)
	case "more":
		t.sayCommands(step, true)
	case "memory":
		t.takeMemory(a.peak, a.ram)
		return
	}
	t.trialStep(false)
}

// endStep ends the open step: how long it took, and how much of that was no
// work.
func (t *turn) endStep(a stepAnswer) {
	r, p := &t.c.Trial, &t.book.Trial
	step := t.openStep()
	s := Spent{Is: map[bool]string{true: "done", false: "skipped"}[a.is == "done"], Began: r.Open, Stuck: r.Stuck || a.stuck, Minutes: minutesFrom(r.Open, t.m.At)}
	r.Asks = ""
	if a.timed {
		s.Minutes = a.minutes
	} else if s.Minutes > p.Minutes { // they were away
		s.Minutes, s.Unclear = 0, "minutes"
		if s.Is == "done" {
			r.Asks = "minutes"
		}
	}
	if s.Script = !r.Script.IsZero(); s.Script {
		s.Over = minutesFrom(r.Open, r.Script)
	}
	r.Steps = append(r.Steps[:len(r.Steps):len(r.Steps)], step.count(s))
	r.Open, r.Script, r.Stuck = t.m.At, time.Time{}, false
	t.askOverhead()
	t.trialStep(true)
}

// askOverhead asks how much of a step went on installing, where nothing tells.
func (t *turn) askOverhead() {
	r := &t.c.Trial
	last := &r.Steps[len(r.Steps)-1]
	step := &t.book.Trial.Steps[len(r.Steps)-1]
	if r.Asks == "" && last.Is == "done" && step.Counts == "part" && !last.Script && last.Minutes > 0 {
		r.Asks, last.Unclear = "overhead", "overhead"
	}
}

// completeStep takes what was still asked of the step that ended last.
func (t *turn) completeStep(a stepAnswer) {
	r := &t.c.Trial
	r.Steps = slices.Clone(r.Steps)
	last := &r.Steps[len(r.Steps)-1]
	asked := r.Asks
	share := map[string]float64{"none": 0, "half": 0.5, "all": 1}
	part, picked := share[a.is]
	switch {
	case a.is == "skip": // nobody knows
	case a.timed && asked == "minutes":
		last.Minutes, last.Unclear = a.minutes, ""
	case a.timed:
		last.Over, last.Unclear = a.minutes, ""
	case picked && asked == "overhead":
		last.Over, last.Unclear = int(part*float64(last.Minutes)+0.5), ""
	default:
		t.trialStep(false)
		return
	}
	*last = t.book.Trial.Steps[len(r.Steps)-1].count(*last)
	if r.Asks = ""; asked == "minutes" {
		t.askOverhead()
	}
	t.trialStep(true)
}

// trialBack reopens the step before; its clock runs on from its beginning.
func (t *turn) trialBack() {
	t.begin()
	r := &t.c.Trial
	n := len(r.Steps)
	if n == 0 {
		t.dropTrial()
		t.leaveFlow()
		return
	}
	last := r.Steps[n-1]
	r.Steps, r.Open, r.Stuck, r.Asks, r.Script = r.Steps[:n-1:n-1], last.Began, last.Stuck, "", time.Time{}
	if last.Script {
		r.Script = last.Began.Add(time.Duration(last.Over) * time.Minute)
	}
	t.trialStep(true)
}

// openStep is the step that is to be done, nil when none is.
func (t *turn) openStep() *TrialStep {
	if n := len(t.c.Trial.Steps); n < len(t.book.Trial.Steps) {
		return &t.book.Trial.Steps[n]
	}
	return nil
}

// until is how much of the trial was used up at an instant of the open step, in
// minutes.
func (r *Trial) until(at time.Time) int {
	n := minutesFrom(r.Open, at)
	for _, s := range r.Steps {
		n += s.Minutes
	}
	return n
}

// longestStep is the most that a step is taken to last, in minutes.
const longestStep = 24 * 60

// minutesFrom is how many minutes lie between two messages; none where the
// clocks of two chats run against each other.
func minutesFrom(from, to time.Time) int {
	return min(max(0, int(to.Sub(from).Round(time.Minute)/time.Minute)), longestStep)
}

// peakPasted takes the peak out of a print, when that is what the step is for.
func (t *turn) peakPasted() bool {
	step := t.openStep()
	if t.paste.kind != "verify" || step == nil || step.Asks != "memory" || t.c.Trial.Asks != "" || len(t.paste.print.Troubles) > 0 {
		return false
	}
	used := 0
	for _, g := range t.paste.print.GPUs {
		if g.UsedMiB != nil {
			used = max(used, *g.UsedMiB)
		}
	}
	t.begin()
	if used < restMiB {
		t.note("trial.peak.idle", "n", used)
		t.trialStep(false)
		return true
	}
	t.takeMemory(float64(used)/1024, 0)
	return true
}

// restMiB is what a card shows at rest at most: the context of one process.
const restMiB = 600

// peakTyped takes "/peak 18.2" for the figure that the step asks for.
func (t *turn) peakTyped() bool {
	step := t.openStep()
	if step == nil || step.Asks != "memory" || t.c.Trial.Asks != "" || !t.r.Facts.PeakGiB.Known() {
		return false
	}
	t.begin()
	t.takeMemory(t.r.Facts.PeakGiB.Value, 0)
	return true
}

// takeMemory takes what was measured: the advice works with the peak from now
// on, and the step is done with it.
func (t *turn) takeMemory(peak, ram float64) {
	r := &t.c.Trial
	t.keepMemory(peak, ram)
	if r.PeakGiB == 0 {
		t.note("trial.peak.ask")
		t.trialStep(false)
		return
	}
	t.note("trial.measured", "figures", t.measuredWords(r))
	if d := t.book.decide(t.c.Facts, t.c.Settled, t.m.At); d != nil && !d.stop && len(d.Cards) > 0 {
		t.text("trial.advice", "words", t.soFar(d))
		t.because(d.Because...)
	}
	t.endStep(stepAnswer{is: "done"})
}

// keepMemory keeps what was measured, at whichever step it was said.
func (t *turn) keepMemory(peak, ram float64) {
	if ram > 0 {
		t.c.Trial.RAMGB = ram
	}
	if peak > 0 {
		t.c.Trial.PeakGiB = peak
		t.c.Facts.PeakGiB = Fact[float64]{peak, Measured}
	}
}

// resumeTrial leads back to the open step after something else was answered. A
// question of the advice goes first; nobody is held to a step a day later.
func (t *turn) resumeTrial() {
	switch flow := t.c.Flow.Kind; {
	case !t.c.Trial.On() && flow == "trial":
		t.c.Flow = Flow{}
	case !t.c.Trial.On() || flow != "" && flow != "trial" || t.stepped:
	case slices.ContainsFunc(t.effects, func(e Effect) bool { return e.Reminder.Action == "trial" }): // its outcome leads back
	case strings.HasPrefix(t.reply.Act, "ask:"), t.m.At.Sub(t.c.Trial.Open) > longPause:
		t.c.Flow = Flow{}
	case flow == "" && t.c.Asked != "":
	case len(t.reply.Choices) > 0 && !t.reply.Private:
		t.c.Flow = Flow{Kind: "trial"}
		t.sayPlace()
	default:
		act, intent := t.reply.Act, t.r.Intent
		t.c.Flow = Flow{Kind: "trial"}
		t.trialStep(false)
		t.reply.Act, t.r.Intent = act, intent
	}
}

// trialEnd is when the two hours are over.
func (t *turn) trialEnd() time.Time {
	return t.c.Trial.Start.Add(time.Duration(t.book.Trial.Minutes) * time.Minute)
}

// remindOfTrial wants a reminder for the end of the two hours.
func (t *turn) remindOfTrial() {
	at := t.trialEnd()
	if !t.c.Trial.On() || !at.After(t.m.At) {
		t.text("trial.remind.over")
		return
	}
	t.wantOne("trial", "", at, true)
}

// remindOfStages wants the looks before a container becomes a whole machine.
func (t *turn) remindOfStages() {
	if !t.look() {
		return
	}
	if i := slices.IndexFunc(t.known.Reminders, func(r Reminder) bool { return r.Action == "stages" && r.Key == t.m.Key && r.At.After(t.m.At) }); i >= 0 {
		t.text("trial.stages.noted", "at", t.stamp(t.known.Reminders[i].At)) // tapped twice
		t.choices("list")
		return
	}
	days := t.book.Trial.Stages.Days
	for i, day := range days {
		t.wantOne("stages", t.book.say(t.lang, "trial.day", "n", day), t.morning(day), i == len(days)-1)
	}
}

// ticket wants a reminder of an open ticket, the next morning.
func (t *turn) ticket() {
	t.r.Intent = "remind"
	t.reply.Act = "answer"
	t.because("ticket")
	at := t.morning(0)
	if at.Sub(t.m.At) < soonest {
		at = t.morning(1)
	}
	t.wantOne("ticket", "", at, true)
}

// soonest is how long a platform has to answer a ticket before we remind of it.
const soonest = 6 * time.Hour

// morning is the hour for things without one of their own, so many days from
// now, in the person's zone.
func (t *turn) morning(days int) time.Time {
	now := t.m.At.In(t.zone())
	return time.Date(now.Year(), now.Month(), now.Day()+days, t.book.Trial.Hour, 0, 0, 0, now.Location())
}

// wantOne asks the desk for a reminder that no text asked for; last marks the
// last of several.
func (t *turn) wantOne(action, target string, at time.Time, last bool) {
	n := strconv.Itoa(len(t.effects))
	t.effects = append(t.effects, Effect{ID: t.m.ID + "/" + n + "/" + action, Kind: "remind", Last: last, Reminder: Reminder{
		ID: shortID(t.m.ID + "." + n), Key: t.m.Key, At: at, Zone: t.zone().String(), Action: action, Target: target,
	}})
}

// leadOn offers what comes after a reminder that was wanted by a tap: whoever
// waits for a ticket saves the data meanwhile.
func (t *turn) leadOn(done Done) {
	if done.Effect.Reminder.Action == "ticket" {
		t.reply.Choices = append([]Choice{t.swapChoice()}, t.reply.Choices...)
		t.c.Options = refs(t.reply.Choices)
	}
}

// dropTrial ends the trial where it is, and calls off its reminder.
func (t *turn) dropTrial() {
	end := t.trialEnd()
	if id := t.c.Trial.Remind; id != "" && end.After(t.m.At) {
		t.effects = append(t.effects, Effect{ID: t.m.ID + "/trial-off", Kind: "cancel", Reminder: Reminder{ID: id, Key: t.m.Key, At: end, Action: "trial"}})
	}
	t.c.Trial = Trial{}
}

// trialCalledOff says so when the reminder of a trial's end is called off.
func (t *turn) trialCalledOff(done Done) bool {
	if done.Effect.Reminder.Action != "trial" {
		return false
	}
	t.because("confirm", "remind.trial")
	if done.OK {
		t.note("trial.remind.off")
	}
	return true
}

// trialReminded words what became of the reminder for the end of a trial, and
// leads back to the open step. It reports whether it was that one.
func (t *turn) trialReminded(done Done) bool {
	r := done.Effect.Reminder
	if r.Action != "trial" {
		return false
	}
	t.because("confirm", "remind.trial")
	switch lost := "remind.lost." + done.Code; {
	case done.OK:
		t.c.Trial.Remind = r.ID
		t.text("remind.kept.trial", "at", t.stamp(r.At))
		if done.Code == "while-running" {
			t.note("remind.kept.trial.while-running")
		}
	case t.book.has(lost): // too-many
		t.text(lost, "at", t.stamp(r.At))
	default:
		t.text("remind.lost.trial", "at", t.stamp(r.At))
	}
	if t.c.Trial.On() && t.c.Flow.Kind == "trial" {
		t.trialStep(false)
	}
	return true
}
