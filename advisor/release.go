package advisor

import (
	"slices"
	"strings"
	"time"

	"gpuadvisor/advisor/when"
)

// release.go leads to giving a machine back without losing anything: "/release
// 4090 AutoDL tomorrow 18:00" notes the rental, its panel has the five actions to
// tick, in any order, and releasing comes last or after an explicit "anyway".
// Nothing counts that the store has not acknowledged: a tick is an effect too.

// release reads an order about a rental, or the description of a new one.
func (t *turn) release() {
	t.because("release")
	t.r.Intent = "remind"
	t.besideQuestion()
	if t.m.Actor.Anonymous {
		t.text("settings.anonymous")
		return
	}
	if !t.look() {
		return
	}
	said := t.book.afterSlash("release", t.m.Text)
	if way := t.book.releasesNamed(said); way != "" && t.releaseNamed(way, said) {
		return
	}
	if way, arg := t.book.orderOf("release", said); releaseSteps[way] != nil {
		t.releaseOrder(way, arg)
		return
	}
	t.describe(said, false)
}

// releaseOrder carries out an order about a rental: the one that it names, else the only
// one. Said without the command it is none while no machine is known.
func (t *turn) releaseOrder(way, arg string) {
	id, rest, _ := strings.Cut(strings.TrimSpace(arg), " ")
	r, found := t.rentalBy(strings.TrimPrefix(id, "#"))
	if !found && strings.HasPrefix(id, "#") { // no other is meant
		t.noSuchRental(strings.TrimPrefix(id, "#"))
		return
	}
	if !found {
		rest = arg
		r, found = t.onlyRental()
	}
	if spoken := !strings.HasPrefix(strings.TrimSpace(t.m.Text), "/"); !found && spoken && len(t.openRentals()) == 0 {
		t.reply, t.r.Intent = Reply{}, t.book.Read(t.m.Text, Asked{}).Intent // "backed up" of no machine that we know
		t.byIntent()
		return
	}
	if !found {
		t.whichRental(way, rest)
		return
	}
	releaseSteps[way](t, r, strings.TrimSpace(rest))
}

// releaseNamed carries out an order about the machine that a text names. With none
// noted of that name "it is released" is read as anything else.
func (t *turn) releaseNamed(way, said string) bool {
	var named []Rental
	d := t.readRental(said)
	for _, r := range t.openRentals() {
		if d.Card != "" && d.Card == r.Card {
			named = append(named, r)
		}
	}
	switch {
	case len(named) == 1:
		releaseSteps[way](t, named[0], "")
	case len(named) > 1:
		t.whichRental(way, "")
	case way == "go":
		t.reply, t.r.Intent = Reply{}, t.book.Read(t.m.Text, Asked{}).Intent
		t.byIntent()
	default:
		return false
	}
	return true
}

// tellsEnd reports whether a message tells when a machine goes back and nothing
// else: 明天 18 点释放 4090. Whoever says so wants it noted.
func (t *turn) tellsEnd() bool {
	f := &t.r.Facts
	if in := t.r.Intent; in != "recommend" && in != "platform" && in != "" {
		return false
	}
	if f.Task.Known() || f.Model.Known() || f.ParamsB.Known() || f.DurationHours.Known() || t.c.Asked == "duration_hours" || t.m.Actor.Anonymous {
		return false
	}
	res := when.Parse(t.m.Text, t.m.At, t.zone(), t.zones)
	return res.Err == "" && res.RRule == "" && (res.Action == "release" || res.Action == "stop")
}

// releaseSteps maps what can be ordered about a rental.
var releaseSteps = map[string]func(*turn, Rental, string){
	"show":     func(t *turn, r Rental, _ string) { t.panel(r) },
	"tick":     (*turn).tickAction,
	"untick":   func(t *turn, r Rental, arg string) { t.keepRental("tick", r.With(arg, false), false) },
	"yes":      func(t *turn, r Rental, _ string) { t.keepRental("tick", r.With("keep", true), false) },
	"no":       func(t *turn, r Rental, _ string) { t.notKept(r) },
	"go":       func(t *turn, r Rental, _ string) { t.giveBack(r, false) },
	"anyway":   func(t *turn, r Rental, _ string) { t.giveBack(r, true) },
	"later":    (*turn).putOff,
	"edit":     (*turn).editRental,
	"extend":   (*turn).extendRental,
	"leads":    (*turn).leadRental,
	"at":       (*turn).endAt,
	"plan":     func(t *turn, r Rental, _ string) { t.keepRental("edit", r, true) },
	"drop":     func(t *turn, r Rental, _ string) { t.dropRental(r) },
	"billed":   func(t *turn, r Rental, _ string) { t.text("release.billed", "name", r.Name) },
	"unbilled": func(t *turn, r Rental, _ string) { t.checkBill(r) },
	"save":     func(t *turn, r Rental, _ string) { t.tickAction(r, "save") },
	"download": func(t *turn, r Rental, _ string) { t.tickAction(r, "download") },
	"open":     func(t *turn, r Rental, _ string) { t.tickAction(r, "open") },
	"backup":   func(t *turn, r Rental, _ string) { t.tickAction(r, "backup") },
	"keep":     func(t *turn, r Rental, _ string) { t.tickAction(r, "keep") },
}

// rentalBy finds a rental by its id, or by its place in the list of the open ones.
func (t *turn) rentalBy(which string) (Rental, bool) {
	if i := slices.IndexFunc(t.known.Rentals, func(r Rental) bool { return r.ID == which }); i >= 0 && which != "" {
		return t.known.Rentals[i], true
	}
	if n := int(leadingNumber(which)); n >= 1 && number(float64(n)) == which {
		if open := t.openRentals(); n <= len(open) {
			return open[n-1], true
		}
	}
	return Rental{}, false
}

// noSuchRental answers an order about a rental by an id that is none of the
// person's.
func (t *turn) noSuchRental(id string) {
	if slices.ContainsFunc(t.known.RoomRentals, func(r Rental) bool { return r.ID == id }) {
		t.text("release.notyours")
		return
	}
	t.text("release.gone")
}

func (t *turn) openRentals() []Rental {
	var open []Rental
	for _, r := range t.known.Rentals {
		if r.Open() {
			open = append(open, r)
		}
	}
	return open
}

// onlyRental is the one that is meant when there is no other.
func (t *turn) onlyRental() (Rental, bool) {
	if open := t.openRentals(); len(open) == 1 {
		return open[0], true
	}
	return Rental{}, false
}

// whichRental asks which of several is meant; with none it asks for one.
func (t *turn) whichRental(way, rest string) {
	open := t.openRentals()
	if len(open) == 0 {
		t.describe("", false)
		return
	}
	t.text("release.which")
	for _, r := range open[:min(len(open), mostListed)] {
		t.reply.Choices = append(t.reply.Choices, Choice{Ref: releaseRef(way, r, rest), Label: t.rentalTitle(r)})
	}
	t.c.Options = refs(t.reply.Choices)
}

// longestRef is what Choice.Ref promises, in bytes.
const longestRef = 40

// releaseRef is an order about a rental as a choice carries it. What follows the
// order goes along whole or not at all: half of "tomorrow 18:00" is another hour.
func releaseRef(way string, r Rental, rest string) string {
	ref := "/release " + way + " #" + r.ID
	if whole := ref + " " + rest; rest != "" && len(whole) <= longestRef {
		return whole
	}
	return ref
}

// describe takes a description, said at once or in pieces, and asks for what it
// lacks. open: it answers a question of ours.
func (t *turn) describe(said string, open bool) {
	t.because("release.describe")
	if strings.TrimSpace(said) == "" {
		if r := t.openRentals(); len(r) > 0 && !open {
			t.listOpen(r)
			return
		}
		t.askRental("", rentalRead{})
		return
	}
	d := t.readRental(said)
	t.sayOdd(d)
	if len(d.odd) > 0 {
		said = withoutFar(said) // once is enough
	}
	if !d.dated && !open {
		if r, ok := t.called(d.Rental); ok {
			t.panel(r)
			return
		}
	}
	t.noteDescribed(said, d)
}

// noteDescribed notes the rental of a description, or asks for what it leaves open.
func (t *turn) noteDescribed(said string, d rentalRead) {
	switch {
	case len(d.alt) > 0:
		t.whichHour(said, d.alt)
	case d.dated && d.How != "clock" && d.End.After(t.m.At.AddDate(1, 0, 0)):
		t.tooFar(d)
		t.askRental(said, d)
	case d.dated && !d.End.After(t.m.At):
		t.text("release.over", "at", t.stamp(d.End), "name", d.Name)
		t.c.Flow = Flow{}
	case d.dated:
		t.c.Flow = Flow{}
		t.c.Draft = Draft{ID: d.ID, Text: firstRunes(said, longestDraft), At: t.m.At, Zone: t.c.Draft.Zone}
		t.keepRental("new", d.Rental, true)
	default:
		if d.err != "" && d.err != when.NoTime {
			t.text("remind.error." + string(d.err))
		}
		t.askRental(said, d)
	}
}

// whichHour asks which of several hours ends the rental that a description is about.
func (t *turn) whichHour(said string, hours []time.Time) {
	t.c.Flow = Flow{Kind: "release", ID: firstRunes(said, longestDraft)}
	t.offerTimes(hours, func(at time.Time) string { return flowRef + "@" + at.In(t.zone()).Format("2006-01-02 15:04") })
}

// called finds an open rental that a description without a time means.
func (t *turn) called(d Rental) (Rental, bool) {
	for _, r := range t.openRentals() {
		if d.Card != "" && d.Card == r.Card || d.Platform != "" && d.Platform == r.Platform || strings.EqualFold(d.Name, r.Name) {
			return r, true
		}
	}
	return Rental{}, false
}

// askRental asks what ends the rental: an hour, a deletion clock, a balance.
func (t *turn) askRental(said string, d rentalRead) {
	t.c.Flow = Flow{Kind: "release", ID: firstRunes(said, longestDraft), Seen: t.c.Flow.Seen}
	if d.Platform != "" && t.c.Flow.Seen == nil {
		t.sayRule(d.Rental)
		t.c.Flow.Seen = []Seen{{Name: d.Platform}}
	}
	if said == "" {
		t.reply.Parts = append(t.reply.Parts, Part{Kind: "question", Text: t.book.say(t.lang, "release.ask")})
	} else {
		t.reply.Parts = append(t.reply.Parts, Part{Kind: "question", Text: t.book.say(t.lang, "release.ask.end", "name", d.Name)})
	}
	t.reply.Choices = nil
	if said != "" {
		for _, c := range []string{"2h", "tonight", "tomorrow", "stopped"} {
			t.reply.Choices = append(t.reply.Choices, Choice{Ref: flowRef + t.book.say(t.lang, "release.say."+c), Label: t.book.say(t.lang, "choice.release."+c)})
		}
	}
	t.c.Options = refs(t.reply.Choices)
}

// inRelease takes a message for a piece of the description. It reports whether
// it was one.
func (t *turn) inRelease() bool {
	switch t.r.Command {
	case "cancel", "back", "skip", "dontknow", "decide":
		t.leaveFlow()
		return true
	case "":
	default:
		return false
	}
	if t.r.Intent == "help" || t.r.Hostile || t.r.Facts.Task.Known() || t.r.Facts.Model.Known() {
		return false
	}
	said := t.flowText()
	if said == "" || strings.HasPrefix(said, "/") {
		return false
	}
	if !t.look() {
		return true
	}
	if at, ok := strings.CutPrefix(said, "@"); ok { // one of two readings: in place of the time that was said
		t.settleHour(at)
		return true
	}
	t.r.Intent = "remind"
	t.reply.Act = "answer"
	t.because("release")
	before := t.readRental(t.c.Flow.ID)
	all := strings.Trim(t.c.Flow.ID+"，"+said, "，")
	if now := t.readRental(all); !now.dated && len(now.alt) == 0 && now.Rental == before.Rental && now.err == before.err && t.c.Flow.ID != "" {
		all = t.c.Flow.ID // it said nothing of the machine
		t.note("release.ask.again")
	}
	t.describe(all, true)
	return true
}

// settleHour notes the rental of the open description at the hour that was tapped.
func (t *turn) settleHour(at string) {
	t.r.Intent = "remind"
	t.reply.Act = "answer"
	t.because("release")
	d := t.readRental(t.c.Flow.ID)
	hour, err := time.ParseInLocation("2006-01-02 15:04", at, t.zone())
	if err != nil || !hour.After(t.m.At) {
		t.text("remind.error.past")
		t.askRental(t.c.Flow.ID, d)
		return
	}
	d.End = hour.UTC()
	t.c.Flow = Flow{}
	t.keepRental("new", d.Rental, true)
}

// listOpen lists the open rentals, each with a button for its panel.
func (t *turn) listOpen(open []Rental) {
	if len(open) == 1 {
		t.panel(open[0])
		return
	}
	t.whichRental("show", "")
}

// keepRental asks the desk to keep a rental, and with plan to make its reminders
// anew.
func (t *turn) keepRental(why string, r Rental, plan bool) {
	e := Effect{ID: t.m.ID + "/rental", Kind: "rental", Why: why, Rental: r}
	if plan {
		e.Plan = true
	}
	t.effects = append(t.effects, e)
	if why == "new" || why == "edit" {
		t.text("release.read", "name", t.rentalTitle(r), "at", t.stamp(r.End), "in", t.wait(r.End), "how", t.book.say(t.lang, "release.how."+r.How))
	}
}

// tickAction marks an action as done. The disk wants a yes to the platform's rule.
func (t *turn) tickAction(r Rental, action string) {
	t.reply.Edit = t.m.Kind == KindChoice // one message that fills with ticks
	switch {
	case !slices.Contains(actions, action):
		t.panel(r)
	case action == "keep" && !r.Has("keep"):
		t.askKept(r)
	default:
		t.keepRental("tick", r.With(action, true), false)
	}
}

// askKept quotes the platform's rule and wants an explicit yes.
func (t *turn) askKept(r Rental) {
	t.because("release.keep")
	t.heading("release.keep.title")
	t.sayRule(r)
	t.reply.Parts = append(t.reply.Parts, Part{Kind: "question", Text: t.book.say(t.lang, "release.keep.ask", "name", r.Name)})
	t.offerRelease(r, "yes", "no", "show")
}

// notKept is the answer to a no.
func (t *turn) notKept(r Rental) {
	t.text("release.keep.no")
	t.panel(r.With("keep", false))
}

// sayRule quotes what the platform does with a stopped or released machine, with
// source and date, and what could not be verified.
func (t *turn) sayRule(r Rental) {
	rule := t.book.retention(r.Platform)
	name := t.book.platformName(r.Platform, t.lang)
	if r.KeepHours != 0 {
		key := "release.rule.said"
		if r.KeepHours < 0 {
			key = "release.rule.said.none"
		}
		t.text(key, "length", t.book.hours(t.lang, One(max(r.KeepHours, 1))))
	}
	if rule.ID == "" && r.KeepHours != 0 {
		return
	}
	if rule.ID == "" {
		if name == "" {
			name = t.book.say(t.lang, "release.platform.unknown")
		}
		t.text("release.rule.unknown", "platform", name, "days", unknownStopDays)
		return
	}
	t.because("retention." + rule.ID)
	t.text("release.rule", "platform", name, "rule", rule.Rule, "survives", rule.Survives)
	if rule.Balance && r.How == "hour" {
		t.text("release.balance")
	}
	if rule.Unverified != nil {
		t.text("release.rule.unverified", "what", rule.Unverified)
	}
	t.note("release.rule.source", "source", rule.From, "date", rule.AsOf, "mark", t.book.say(t.lang, "release.mark."+rule.Mark))
	if day, err := time.Parse(time.DateOnly, rule.Checked); err == nil && t.m.At.Sub(day) > oldRule {
		t.note("release.rule.old", "date", rule.Checked)
	}
}

// oldRule is from when on a rule is shown as last checked on its day.
const oldRule = 180 * 24 * time.Hour

// giveBack marks the machine as released. With actions left it says what is lost
// and wants an explicit "anyway".
func (t *turn) giveBack(r Rental, anyway bool) {
	t.because("release.go")
	left := r.Left()
	switch {
	case !r.Open():
		t.panel(r)
	case len(left) > 0 && !anyway:
		t.heading("release.early.title", "name", r.Name, "n", len(left))
		t.saysLeft(r)
		t.text("release.early.how")
		t.offerRelease(r, append(slices.Clone(left), "anyway", "show")...)
	default:
		r.State, r.Ended = "released", t.m.At.UTC().Truncate(time.Second)
		t.keepRental("released", r, true)
	}
}

// saysLeft lists the actions that are left and what is lost without each.
func (t *turn) saysLeft(r Rental) {
	var lines []string
	for _, a := range r.Left() {
		lines = append(lines, "• "+t.book.say(t.lang, "release.act."+a)+t.book.say(t.lang, "join.because")+t.book.say(t.lang, "release.loss."+a))
	}
	if len(lines) > 0 {
		t.reply.Parts = append(t.reply.Parts, Part{Kind: "text", Text: strings.Join(lines, "\n")})
	}
}

// putOff snoozes what we would say of a rental.
func (t *turn) putOff(r Rental, arg string) {
	if !r.Open() {
		t.panel(r)
		return
	}
	at, ok := t.snoozedTo(Reminder{At: t.m.At, Kind: "hour"}, false, arg)
	if !ok {
		return
	}
	next := Reminder{ID: r.reminderID("lead", at), Key: r.Key, At: at.UTC(), Zone: r.Zone, Rental: r.ID, Kind: "lead"}
	e := Effect{ID: t.m.ID + "/move", Kind: "remind", Reminder: next, Last: true}
	if !at.Before(r.End) && r.How != "clock" {
		next.Kind, next.ID = "hour", r.reminderID("hour", at)
		for _, o := range t.known.Reminders { // the one that repeats moves along
			if o.Rental == r.ID && o.Kind == "hour" {
				e.Kind, e.From = "move", o.ID
			}
		}
	}
	e.Reminder = next
	if e.From == next.ID {
		return
	}
	t.readAs(next)
	t.effects = append(t.effects, e)
}

// editRental gives a rental another end.
func (t *turn) editRental(r Rental, arg string) {
	d := t.readRental(arg)
	t.sayOdd(d)
	if !d.dated || !d.End.After(t.m.At) {
		t.text("release.edit.how")
		t.offerRelease(r, "show")
		return
	}
	if len(d.alt) > 0 {
		t.whichEnd(r, d.alt)
		return
	}
	r.How, r.End, r.Stopped, r.Zone = d.How, d.End, d.Stopped, d.Zone
	if d.Leads != "" {
		r.Leads = d.Leads
	}
	if d.Price > 0 {
		r.Price, r.Balance, r.Currency = d.Price, d.Balance, d.Currency
	}
	if r.How == "clock" {
		if d.KeepHours != 0 {
			r.KeepHours = d.KeepHours
		}
		keep, _ := t.book.keepFor(r)
		r.End = r.Stopped.Add(keep)
	}
	t.keepRental("edit", r, true)
}

// dropRental stops speaking of a rental without it being released.
func (t *turn) dropRental(r Rental) {
	r.State, r.Ended = "dropped", t.m.At.UTC().Truncate(time.Second)
	t.keepRental("dropped", r, true)
}

// checkBill asks again in an hour whether the billing has stopped.
func (t *turn) checkBill(r Rental) {
	next := Reminder{ID: r.ID + ".bill" + minuteID(t.m.At), Key: r.Key, At: t.m.At.UTC().Add(time.Hour).Truncate(time.Second), Zone: t.zone().String(), Target: t.book.say(t.lang, "release.bill.again", "name", r.Name)}
	t.text("release.unbilled", "name", r.Name)
	t.readAs(next)
	t.effects = append(t.effects, Effect{ID: t.m.ID + "/bill", Kind: "remind", Reminder: next, Last: true})
}

// rentalDone words what the desk made of a rental.
func (t *turn) rentalDone(done Done) {
	t.because("release.done")
	e := done.Effect
	r := e.Rental
	if !done.OK {
		t.text("release.lost."+e.Why, "name", t.rentalTitle(r))
		t.reply.Choices = nil
		return
	}
	switch e.Why {
	case "new", "edit":
		t.noted(r, done)
	case "tick":
		t.panel(r)
	case "released":
		t.text("release.released", "name", t.rentalTitle(r), "at", t.stamp(r.Ended))
		t.sayCost(r)
		t.sayLeftover(done)
		t.reply.Parts = append(t.reply.Parts, Part{Kind: "question", Text: t.book.say(t.lang, "release.check.bill")})
		t.offerRelease(r, "billed", "unbilled")
	case "dropped":
		t.text("release.dropped", "name", t.rentalTitle(r))
		t.sayLeftover(done)
	}
}

// sayLeftover tells of reminders of a rental that is over which are still listed.
func (t *turn) sayLeftover(done Done) {
	if done.Code == "reminders" {
		t.text("release.stay")
	}
}

// noted confirms a rental: each reminder that was kept with its time, where they
// come, and how to call them off. What was not kept is said first.
func (t *turn) noted(r Rental, done Done) {
	half := done.Code == "reminders"
	switch {
	case half && done.Refused > 0:
		t.text("release.half", "name", t.rentalTitle(r), "at", t.stamp(r.End), "n", done.Refused)
	case half:
		t.text("release.half.old")
	case done.Refused > 0:
		t.text("release.refused", "n", done.Refused)
	}
	switch {
	case len(done.Kept) == 0 && half: // that was said
	case len(done.Kept) == 0:
		t.text("release.noted.none", "name", t.rentalTitle(r))
	default:
		lines := []string{t.book.say(t.lang, "release.noted", "name", t.rentalTitle(r))}
		for _, k := range done.Kept {
			lines = append(lines, "• "+t.book.say(t.lang, "release.noted.line", "at", t.stamp(k.At), "in", t.wait(k.At), "why", t.whyThen(r, k)))
		}
		t.reply.Parts = append(t.reply.Parts, Part{Kind: "text", Text: strings.Join(lines, "\n")})
		t.text("release.where." + t.where(done.Code))
	}
	if r.How == "runway" {
		t.text("release.runway", "balance", t.moneyOf(r.Balance, r.Currency), "price", t.moneyOf(r.Price, r.Currency))
	}
	if done.Effect.Why == "new" || r.How != "hour" { // at another hour the rule is the same
		t.sayRule(r)
	}
	ways := append(r.Left()[:min(2, len(r.Left()))], "show", "drop")
	if half {
		ways = append([]string{"plan"}, ways...)
	}
	t.offerRelease(r, ways...)
	t.askZone()
	t.c.Options = refs(t.reply.Choices)
}

// whyThen says what a reminder of a rental is for.
func (t *turn) whyThen(r Rental, k Reminder) string {
	left := r.End.Sub(k.At)
	switch {
	case k.Kind == "scratch":
		return t.book.say(t.lang, "release.why.scratch", "path", t.scratchPath(r))
	case k.Kind == "clock" && left > 24*time.Hour:
		whole := r.End.Sub(r.Stopped)
		return t.book.say(t.lang, "release.why.clock", "share", int(100*(whole-left).Hours()/whole.Hours()), "left", t.book.hours(t.lang, One(roundHours(left))))
	case left >= time.Minute: // the end itself is planned to the second
		return t.book.say(t.lang, "release.why.lead."+r.How, "left", t.book.hours(t.lang, One(roundHours(left))))
	}
	return t.book.say(t.lang, "release.why.hour."+r.How)
}

func (t *turn) scratchPath(r Rental) string {
	for _, s := range t.book.retention(r.Platform).Scratch {
		return s.Path
	}
	return ""
}

// panel shows a rental: when it ends, what is done and what is left.
func (t *turn) panel(r Rental) {
	t.because("release.panel")
	t.heading("release.panel.title", "name", t.rentalTitle(r))
	if !r.Open() {
		t.text("release.panel."+r.State, "at", t.stamp(r.Ended))
		t.offerRelease(r, "billed", "unbilled")
		return
	}
	t.text("release.panel."+r.How, "at", t.stamp(r.End), "in", t.waitOrOver(r.End))
	var lines []string
	for i, a := range actions {
		mark := "□"
		if r.Has(a) {
			mark = "✓"
		}
		lines = append(lines, mark+" "+enumerated(i+1, t.book.say(t.lang, "release.act."+a)))
	}
	lines = append(lines, "□ "+enumerated(len(actions)+1, t.book.say(t.lang, "release.act.release")))
	t.reply.Parts = append(t.reply.Parts, Part{Kind: "text", Text: strings.Join(lines, "\n")})
	if len(r.Left()) == 0 {
		t.text("release.ready")
	}
	t.reply.Edit = t.m.Kind == KindChoice
	t.offerRelease(r, append(r.Left(), "go", "later", "drop")...)
}

// waitOrOver is how long until an instant, or how long ago it was.
func (t *turn) waitOrOver(at time.Time) string {
	if at.After(t.m.At) {
		return t.book.say(t.lang, "release.in", "in", t.wait(at))
	}
	return t.book.say(t.lang, "release.ago", "ago", t.book.hours(t.lang, One(roundHours(max(t.m.At.Sub(at), time.Minute)))))
}

// offerRelease offers orders about a rental.
func (t *turn) offerRelease(r Rental, ways ...string) {
	t.reply.Choices = nil
	for _, w := range ways {
		ref := "/release " + w + " #" + r.ID
		label := "choice.release." + w
		if slices.Contains(actions, w) {
			ref = "/release tick #" + r.ID + " " + w
		}
		if w == "later" {
			ref += " 1h"
		}
		t.reply.Choices = append(t.reply.Choices, Choice{Ref: ref, Label: t.book.say(t.lang, label)})
	}
	t.c.Options = refs(t.reply.Choices)
}

// rentalTitle is how a rental is called: its name and its platform.
func (t *turn) rentalTitle(r Rental) string {
	if name := t.book.platformName(r.Platform, t.lang); name != "" && name != r.Name {
		return r.Name + " · " + name
	}
	return r.Name
}
