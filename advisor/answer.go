package advisor

import (
	"reflect"
	"slices"
	"strings"

	"gpuadvisor/advisor/cost"
	"gpuadvisor/advisor/when"
)

// turn is one message being answered. Its methods are the steps of the life of
// a message inside the advisor: hear, merge, act; each changes the turn and
// none touches the world.
type turn struct {
	book    *Rulebook
	zones   when.Zones
	rate    *cost.Rate // dated; nil: currencies stay side by side
	known   Known
	m       Message
	c       Conversation // the new one, being written
	r       Reading
	group   *Option // a group of options that was picked
	paste   paste   // the log or the print in the message
	lang    string
	reply   Reply
	effects []Effect
	costBad []saidProblem // numbers of a money question that cannot be meant
	stepped bool          // the open step of a trial is in the reply
}

// Answer takes one message and returns the new conversation, what to say, and
// what the desk must do. It is total and pure: the same input gives the same
// output, and there is an answer to everything.
func (a *Advisor) Answer(k Known, m Message) (Conversation, Reply, []Effect) {
	t := &turn{book: a.book, zones: a.zones, rate: a.rate, known: k, m: m, c: k.Conversation}
	t.c.Schema = Schema
	if m.Kind != KindDone { // the outcome of an effect belongs to the turn that wanted it
		t.c.Turns++
	}
	t.c.At = m.At
	t.paste = a.book.readPaste(m, t.c)
	if t.paste.kind == "" {
		t.m.Text = beginning(m.Text, mostHeard)
	}
	t.lang = t.language()
	t.c.Lang = t.lang
	t.book = t.book.withSet(t.currency(), k.AllPrices, k.Prices)
	switch {
	case m.Kind == KindDone:
		t.confirm()
	case t.forOthers():
		t.ignore()
	case t.late():
		t.tooLate()
	default:
		t.hear()
		t.act()
	}
	t.reply.Intent = t.intent()
	t.reply.Turn = t.c.Turns
	t.keepExchange()
	return t.c, t.reply, t.effects
}

// mostHeard is how much of a message is looked at that is no paste of a log, in
// bytes: enough for the config.json of a model. Whatever is longer is a file that
// somebody sent by mistake, or an attack.
const mostHeard = 64 << 10

// beginning is a text up to so many bytes.
func beginning(s string, most int) string {
	if len(s) <= most {
		return s
	}
	return strings.ToValidUTF8(s[:most], "")
}

func (t *turn) language() string {
	if p := t.known.Profile.Lang; p != "" {
		return p
	}
	return language(t.paste.spoken(t.m), t.c)
}

// forOthers reports whether people are talking to each other: the message
// neither addresses us nor answers a question of ours.
func (t *turn) forOthers() bool {
	return !t.m.Addressed && t.c.Asked == "" && !t.c.Answered && (t.c.Flow.Kind == "" || t.c.Flow.Kind == "trial" && t.readStep(t.m.Text).is == "")
}

// late reports whether an old message's button was tapped whose answer would now
// go to another question: "don't know", "skip" or "back" of a turn that is over,
// or an option of a slot that is not the open one.
func (t *turn) late() bool {
	if t.m.Kind != KindChoice || t.m.Turn == 0 || t.m.Turn >= t.known.Conversation.Turns || t.c.Trial.On() && t.isStepChoice() {
		return false
	}
	slot, _, option := strings.Cut(t.m.Choice, "=")
	if option {
		return slot != t.c.Asked
	}
	return slices.Contains([]string{"/dontknow", "/skip", "/back"}, t.m.Choice)
}

// tooLate shows the present question instead, and changes nothing.
func (t *turn) tooLate() {
	t.because("late")
	t.r.Intent = t.c.Intent
	if t.book.asks[t.c.Asked] == nil {
		t.reply.Act = "answer"
		t.text("late.over")
		t.reply.Choices = t.afterChoices()
		return
	}
	t.reply.Act = "ask:" + t.c.Asked
	t.backToQuestion()
}

func (t *turn) ignore() {
	t.c = t.known.Conversation
	t.r.Intent = "offtopic"
	t.reply = Reply{Act: "ignore"}
}

// hear turns the message into a Reading. A tapped choice stands for the text
// that it means; one that is a group of choices opens it.
func (t *turn) hear() {
	if t.hearPaste() {
		return
	}
	text := t.m.Text
	if ref := t.pickedCommand(text); t.m.Kind != KindChoice && ref != "" {
		text = ref
		t.m.Text = ref
	}
	if t.m.Kind == KindChoice {
		text = t.chosen(t.m.Choice)
		t.m.Text = text // what was tapped is what was said
	} else if ref := t.numbered(text); ref != "" {
		text = t.chosen(ref)
		t.m.Text = text
	}
	if t.group = t.groupOf(t.m.Choice, text); t.group != nil {
		t.r.Intent = "recommend"
		return
	}
	asked := Asked{Slot: t.c.Asked, Options: t.c.Options, Facts: &t.c.Facts}
	if t.c.Flow.asks() {
		asked.Slot, asked.Options = "", nil // the open item is not a fact
	}
	t.r = t.book.Read(text, asked)
	t.hearUnit(text, asked)
	if o := t.book.groupAt(t.r.Arg, asked); o != nil && t.r.Command == "" {
		t.group, t.r.Intent = o, "recommend"
	}
}

// groupAt is the group of options of the open question that a reading picked:
// 第二个.
func (b *Rulebook) groupAt(ref string, asked Asked) *Option {
	slot, id, ok := strings.Cut(ref, "=")
	q := b.asks[slot]
	if !ok || q == nil || slot != asked.Slot {
		return nil
	}
	if o := findOption(q.Options, id); o != nil && len(o.Sub) > 0 {
		return o
	}
	return nil
}

// longestUnitSaid is how long a message is that only gives the unit of a number,
// in bytes.
const longestUnitSaid = 40

// hearUnit takes a message such as "gigabytes, sorry" for the unit of the number
// before it, whose unit was asked for.
func (t *turn) hearUnit(text string, asked Asked) {
	number := t.c.Number
	t.c.Number = ""
	if number == "" || asked.Slot == "" || len(text) > longestUnitSaid || len(t.r.Facts.Said()) > 0 || t.r.Hostile {
		return
	}
	if r := t.book.Read(number+strings.TrimSpace(text), asked); r.Facts.Has(asked.Slot) {
		t.r = r
	}
}

// pickedCommand is the command among the shown choices whose label was typed,
// "" for none.
func (t *turn) pickedCommand(text string) string {
	if ref := t.yesOrNo(text); ref != "" {
		return ref
	}
	for _, ref := range t.c.Options {
		if name, ok := strings.CutPrefix(ref, "/"); ok && strings.EqualFold(strings.TrimSpace(text), t.book.say(t.lang, "choice."+labelOf(name))) {
			return ref
		}
	}
	return ""
}

// yesOrNo is the choice that a plain yes or no picks, where the choices are the
// answers to such a question: "/release yes #4".
func (t *turn) yesOrNo(text string) string {
	for _, ref := range t.c.Options {
		f := strings.Fields(ref)
		if len(f) < 2 || !strings.HasPrefix(ref, "/") || f[1] != "yes" && f[1] != "no" {
			continue
		}
		if tick, plain := t.plainTick(strings.TrimSpace(text)); plain && tick.Is == f[1] {
			return ref
		}
	}
	return ""
}

// labelOf is the key of the label of a command: "release tick #4 save" is labelled
// as release.save, "remind cancel #4" as remind.cancel.
func labelOf(command string) string {
	f := strings.Fields(command)
	if len(f) < 2 || f[0] != "release" && f[0] != "remind" {
		return strings.ReplaceAll(command, " ", ".")
	}
	if f[1] == "tick" && len(f) == 4 {
		return f[0] + "." + f[3]
	}
	return f[0] + "." + f[1]
}

// chosen returns the words a choice stands for: the option's means, or a
// command such as "/why".
func (t *turn) chosen(ref string) string {
	slot, id, ok := strings.Cut(ref, "=")
	if !ok {
		return ref
	}
	if q := t.book.asks[slot]; q != nil {
		if o := findOption(q.Options, id); o != nil {
			return o.Means
		}
	}
	return id
}

// numbered is the choice that a bare number picks when no question is open: one
// of those under an advice, a diagnosis, a list.
func (t *turn) numbered(text string) string {
	n := leadingNumber(text)
	if n < 1 || int(n) > len(t.c.Options) || number(n) != strings.TrimSpace(text) {
		return ""
	}
	ref := t.c.Options[int(n)-1]
	if !strings.HasPrefix(ref, "/") && (t.c.Flow.asks() || t.c.Asked != "" && t.c.Flow.Kind != "trial") {
		return "" // an option of what is open is read there
	}
	return ref
}

// groupOf finds the group of options that was tapped, or picked by its number
// or its label.
func (t *turn) groupOf(ref, text string) *Option {
	q := t.book.asks[t.c.Asked]
	if q == nil {
		return nil
	}
	if n := leadingNumber(text); n >= 1 && int(n) <= len(t.c.Options) && number(n) == strings.TrimSpace(text) {
		ref = t.c.Options[int(n)-1]
	}
	for i := range q.Options {
		o := &q.Options[i]
		if len(o.Sub) > 0 && (ref == t.c.Asked+"="+o.ID || strings.EqualFold(strings.TrimSpace(text), o.Label.In(t.lang))) {
			return o
		}
	}
	return nil
}

func findOption(options []Option, id string) *Option {
	for i := range options {
		if options[i].ID == id {
			return &options[i]
		}
		if o := findOption(options[i].Sub, id); o != nil {
			return o
		}
	}
	return nil
}

// intent is what the message was taken for, for the record and the JSON.
func (t *turn) intent() string {
	if t.r.Intent != "" {
		return t.r.Intent
	}
	if t.c.Intent == "platform" && len(t.r.Facts.Said()) > 0 || t.c.Intent == "cost" && t.changesJob() {
		return "recommend" // the question aside has been answered; this is about the job
	}
	if t.c.Intent != "" {
		return t.c.Intent
	}
	return "recommend"
}

// changesJob reports whether an advised job gets another answer, none that a sum
// works with.
func (t *turn) changesJob() bool {
	if !t.c.Answered || !t.c.Facts.Task.Known() {
		return false
	}
	ofJob := []string{"task", "method", "model", "params_b", "precision", "context_len", "concurrency", "resolution", "frames", "batch", "interruptible"}
	return slices.ContainsFunc(t.r.Facts.Said(), func(s string) bool { return slices.Contains(ofJob, s) })
}

// act answers what was heard: a command first, then an intent of its own, then
// the running flow.
func (t *turn) act() {
	if t.group != nil {
		t.openGroup()
		return
	}
	if t.c.Flow.Kind == "forget" && t.answersForget() {
		return
	}
	order := t.spokenOrder()
	if order == nil && t.inFlow() {
		return
	}
	defer t.reopen(t.c.Flow)
	if order != nil {
		order(t)
		return
	}
	if t.asksOfFault() && !t.asksTerm() {
		t.diagnose()
		return
	}
	if f, ok := commandSteps[t.r.Command]; ok {
		if t.r.Command == "explain" && t.follows() {
			return
		}
		f(t)
		return
	}
	switch {
	case t.r.Hostile:
		t.refuse()
	case t.r.Unclear != "" && t.r.Facts.Said() == nil:
		t.clarifyUnit()
	case t.follows():
	case t.tellsRental():
		t.describeTold()
	case t.tellsEnd():
		t.r.Intent = "remind"
		t.release()
	default:
		t.byIntent()
	}
}

// spokenOrder finds an order about reminders or rentals that says it all by itself:
// 我的提醒, "count me in 2". nil for any other text.
func (t *turn) spokenOrder() func(*turn) {
	if t.m.Kind == KindChoice || t.r.Hostile {
		return nil
	}
	switch {
	case t.book.saysOrder("remind", t.m.Text):
		t.r.Intent, t.r.Command = "remind", ""
		return (*turn).remind
	case t.book.saysOrder("release", t.m.Text):
		t.r.Command = ""
		return (*turn).release
	case t.book.releasesNamed(t.m.Text) != "":
		t.r.Command = ""
		return (*turn).release
	case len(t.m.Text) > longestTold: // what follows reads short messages
		return nil
	}
	if step := t.ofMine(); step != nil {
		t.r.Command = ""
		return step
	}
	if arg, ok := t.scoreOrder(); ok {
		t.r.Command, t.r.Arg = "score", arg
		return (*turn).score
	}
	switch {
	case t.ordersNamed():
		return (*turn).remindNamed
	case t.tellsMore():
		return (*turn).extend
	case t.asksRental():
		t.r.Command = ""
		return (*turn).rentals
	case slices.Contains(t.book.spellings("rentals.says"), strings.ToLower(strings.Trim(t.m.Text, " .?!。？！"))):
		t.r.Command = ""
		return (*turn).rentals
	}
	return nil
}

// commandSteps maps what a person can order in the middle of anything.
var commandSteps = map[string]func(*turn){
	"cancel":   (*turn).cancel,
	"restart":  (*turn).restart,
	"back":     (*turn).back,
	"skip":     (*turn).settle,
	"dontknow": (*turn).settle,
	"decide":   (*turn).settleAll,
	"explain":  (*turn).explain,
	"edit":     (*turn).edit,
	"vram":     (*turn).vram,
	"card":     (*turn).card,
	"why":      (*turn).why,
	"whynot":   (*turn).whyNot,
	"whatif":   (*turn).whatIf,
	"more":     (*turn).more,
	"peak":     (*turn).peak,
	"thanks":   (*turn).thanks,
	"help":     (*turn).help,
	"prices":   (*turn).prices,
	"price":    (*turn).setPrice,
	"settings": (*turn).settings,
	"group":    (*turn).groupSettings,
	"forget":   (*turn).forget,
	"admin":    (*turn).admin,
	"report":   (*turn).report,

	"diagnose":  (*turn).diagnose,
	"verify":    (*turn).verify,
	"checklist": (*turn).tickList,
	"score":     (*turn).score,
	"trial":     (*turn).trial,
	"ticket":    (*turn).ticket,
	"release":   (*turn).release,
	"rentals":   (*turn).rentals,
}

func (t *turn) byIntent() {
	if t.aboutMoney() {
		t.cost()
		return
	}
	switch t.intent() {
	case "cost":
		if t.leavesSum() && !t.briefSum() {
			t.reply.Act = "clarify"
			t.because("cost.unclear")
			t.text("cost.unclear")
			return
		}
		t.cost()
	case "remind":
		t.remind()
	case "platform":
		if t.asksHowPaid() {
			t.paid()
			return
		}
		t.platform()
	case "checklist":
		t.checklist()
	case "diagnose":
		t.diagnose()
	case "compare":
		t.compare()
	case "help":
		t.help()
	case "offtopic":
		t.offTopic()
	default:
		t.advise()
	}
}

// merge takes over what was heard. The last statement wins, and what no longer
// fits it goes: a new model drops the old one's size, a new job the old job.
func (t *turn) merge() {
	heard := t.r.Facts
	if t.isNewJob(heard) {
		t.newJob()
	}
	t.remember()
	if t.c.Facts.ComplianceKind.Value == "secret" && heard.ComplianceKind.Value != "none" {
		heard.ComplianceKind = t.c.Facts.ComplianceKind // a certificate does not lift secrecy
	}
	t.c.Facts.Forget(t.r.Withdraw...)
	t.dropPeak(heard)
	t.recount(heard)
	switch {
	case heard.Model.Known() && !heard.ParamsB.Known():
		t.c.Facts.Forget("params_b")
	case heard.ParamsB.Known() && !heard.Model.Known() && t.sizeDiffers(heard.ParamsB.Value):
		t.c.Facts.Forget("model", "shape")
	case heard.Model.Known():
		t.c.Facts.Forget("shape")
	}
	if heard.Task.Known() && heard.Task.Value != "finetune" && heard.Task.Value != "image-train" && !heard.Method.Known() {
		t.c.Facts.Forget("method")
	}
	t.c.Facts.Merge(heard)
	for _, s := range heard.Said() {
		t.c.Settled = slices.DeleteFunc(t.c.Settled, func(x string) bool { return x == s })
	}
}

// measuredWith are the settings that a measured peak belongs to: a job with
// another of them has another peak.
var measuredWith = []string{"task", "method", "model", "params_b", "precision", "gpus", "concurrency", "context_len", "resolution", "frames", "batch", "quantised", "shape"}

// dropPeak forgets a measured peak when what it was measured with changes, and
// says so.
func (t *turn) dropPeak(heard Facts) {
	f := &t.c.Facts
	if !f.PeakGiB.Known() || heard.PeakGiB.Known() {
		return
	}
	next := *f
	next.Merge(heard)
	for _, name := range measuredWith {
		s, _ := slotByName(name)
		if heard.Has(name) && !reflect.DeepEqual(s.value(f), s.value(&next)) || slices.Contains(t.r.Withdraw, name) {
			t.note("peak.dropped", "n", number(f.PeakGiB.Value))
			f.Forget("peak_gib")
			return
		}
	}
}

// recount lets a new number of cards replace the one that was said with a card.
func (t *turn) recount(heard Facts) {
	if heard.GPUs.Known() && !heard.GPUNamed.Known() {
		t.c.Facts.withoutCounts()
	}
}

// withoutCounts drops the numbers that were said with named cards.
func (f *Facts) withoutCounts() {
	f.GPUNamed.Value = slices.Clone(f.GPUNamed.Value)
	for i := range f.GPUNamed.Value {
		f.GPUNamed.Value[i].N = 0
	}
}

// keepFirst takes over the facts of a message that asks for something else, when
// there is no job yet that they could disturb.
func (t *turn) keepFirst() {
	if len(t.c.Facts.Said()) == 0 && t.c.Asked == "" {
		t.c.Facts.Merge(t.r.Facts)
	}
}

// isNewJob reports whether a finished dialogue starts over with another task.
func (t *turn) isNewJob(heard Facts) bool {
	old := t.c.Facts.Task
	another := heard.Model.Known() || heard.ParamsB.Known() || taskField(old.Value) != taskField(heard.Task.Value)
	return t.c.Answered && old.Known() && heard.Task.Known() && old.Value != heard.Task.Value && another &&
		len(heard.Said()) > 1
}

// newJob forgets the job and keeps the person: who they are and what their
// data demands.
func (t *turn) newJob() {
	var kept Facts
	kept.Audience, kept.Compliance, kept.ComplianceKind = t.c.Facts.Audience, t.c.Facts.Compliance, t.c.Facts.ComplianceKind
	t.c = Conversation{Schema: Schema, Version: t.c.Version, Lang: t.lang, Turns: t.c.Turns, Facts: kept, Trial: t.c.Trial}
}

// sizeDiffers reports whether the known model has another size than b billions.
func (t *turn) sizeDiffers(b float64) bool {
	m := t.book.models[t.c.Facts.Model.Value]
	return m != nil && m.ParamsB > 0 && (b < 0.8*m.ParamsB || b > 1.25*m.ParamsB)
}

// keepSteps is how far /back can go.
const keepSteps = 12

// remember keeps the present state for /back.
func (t *turn) remember() {
	t.c.Past = append(slices.Clip(t.c.Past), Keep(Step{t.c.Facts, t.c.Asked, t.c.Settled}))
	if len(t.c.Past) > keepSteps {
		t.c.Past = t.c.Past[len(t.c.Past)-keepSteps:]
	}
}

// heading, text and note add a part to the reply.
func (t *turn) text(key string, pairs ...any) {
	t.reply.Parts = append(t.reply.Parts, Part{Kind: "text", Text: t.book.say(t.lang, key, pairs...)})
}

func (t *turn) note(key string, pairs ...any) {
	t.reply.Parts = append(t.reply.Parts, Part{Kind: "note", Text: t.book.say(t.lang, key, pairs...)})
}

func (t *turn) heading(key string, pairs ...any) {
	t.reply.Parts = append(t.reply.Parts, Part{Kind: "heading", Text: t.book.say(t.lang, key, pairs...)})
}

func (t *turn) because(ids ...string) { t.reply.Because = append(t.reply.Because, ids...) }
