package advisor

import (
	"slices"
	"strconv"
	"strings"
	"time"

	"gpuadvisor/advisor/when"
)

// release_told.go reads what people tell of a machine without a command: "I rented a 4090
// on AutoDL, it ends tomorrow 8pm", 续租到周五, 充值了 50 元, "when does my machine end?".
// A wish for a card is told much the same; so the words must say that somebody has one,
// or that its time ends, and nothing may be asked. They are phrases, release.tells.*.

// longestTold is how long a message about a rental or a reminder is at most, in bytes.
const longestTold = 600

// asksSomething reports whether a text is a question.
func (t *turn) asksSomething() bool {
	said := strings.TrimSpace(t.m.Text)
	return strings.ContainsAny(said, "?？") || t.book.hears(said, "release.tells.asks")
}

// tellsRental reports whether a message tells of a machine that somebody has, and when
// its time is over or since when it stands still.
func (t *turn) tellsRental() bool {
	f, b, said := &t.r.Facts, t.book, t.m.Text
	if len(said) > longestTold {
		return false
	}
	name := b.boxNamed(said)
	if name != "" { // a training box is no training
		facts := b.Read(strings.ReplaceAll(said, name, " "), Asked{Facts: &Facts{}}).Facts
		f = &facts
	}
	if t.m.Kind == KindChoice || t.m.Actor.Anonymous || f.Task.Known() || f.Model.Known() || f.ParamsB.Known() || t.r.Command != "" || t.asksSomething() {
		return false
	}
	if !slices.Contains([]string{"", "recommend", "platform", "offtopic", "cost", "remind"}, t.r.Intent) {
		return false
	}
	have, place, box := b.hears(said, "release.tells.have"), b.vendorIn(said) != "", name != ""
	mine := have || b.hears(said, "release.read.mine")
	machine := f.GPUNamed.Known() || place || box || b.hears(said, "release.read.machine")
	ends := b.hears(said, "release.tells.ends")
	switch {
	case !machine, b.hears(said, "release.tells.wish") && !have, t.r.Intent == "remind" && !mine && !place, t.c.Asked != "" && !(mine && ends || have && b.hears(said, "release.tells.until")):
		return false
	case ends && (mine || place || box || f.GPUNamed.Known() || t.r.Intent != "remind"), have && b.hears(said, "release.tells.until"):
		res := when.Parse(said, t.m.At, t.zone(), t.zones)
		if res.Err == when.NoTime { // 我的实例快到期了: we ask when
			return ends && mine && t.c.Asked == "" && t.r.Intent != "remind" && t.r.Intent != "cost"
		}
		return res.Err != when.Past && res.RRule == ""
	case have && (b.hears(said, "release.read.just") || t.c.Asked == "" && b.saysTerm(said)):
		return len(when.Lengths(said)) > 0
	}
	_, stopped, _ := t.stoppedAt(said, when.Parse(said, t.m.At, t.zone(), t.zones))
	return stopped && (mine || place) && t.r.Intent != "remind"
}

// saysTerm reports whether a text ends with the time that a machine was rented for: "rented two
// H100s for 3 days", 租了两张 A100，租三天. What goes on after it may be a story of the past.
func (b *Rulebook) saysTerm(said string) bool {
	said = strings.TrimRight(said, " .!。！~")
	ls := when.Lengths(said)
	if len(ls) != 1 || ls[0].End != len(said) {
		return false
	}
	_, ok := b.ends(lowered(said[:ls[0].Start]), "release.tells.term")
	return ok
}

// describeTold notes the machine that a message tells of.
func (t *turn) describeTold() {
	t.r.Facts = Facts{} // of a machine that runs, none of a job to come
	t.r.Intent = "remind"
	t.release()
}

// asksRental reports whether a message asks when somebody's machine ends.
func (t *turn) asksRental() bool {
	b, said := t.book, t.m.Text
	return b.hears(said, "release.tells.when") && b.hears(said, "release.tells.ends") && b.hears(said, "release.read.mine") &&
		(t.r.Facts.GPUNamed.Known() || b.hears(said, "release.read.machine") || b.boxNamed(said) != "" || b.vendorIn(said) != "") && !t.r.Facts.Task.Known()
}

// tellsMore reports whether a message says that a machine was rented for longer, or that
// money was put in. Which machine, only the rentals can tell.
func (t *turn) tellsMore() bool {
	if t.m.Actor.Anonymous || t.asksSomething() || t.book.hears(t.m.Text, "remind.words.reminder") {
		return false
	}
	after, ok := t.afterMore()
	if !ok {
		return t.book.hears(t.m.Text, "release.tells.topup") && (t.r.Facts.Budget.Known() || t.book.readCost(t.m.Text, t.currency()).said.Balance.Known())
	}
	return len(when.Lengths(after)) > 0 || when.Parse(after, t.m.At, t.zone(), t.zones).Err != when.NoTime
}

// afterMore is a text from the word on that says "for longer": 周五续租 is a plan, 续租到
// 周五 is done.
func (t *turn) afterMore() (string, bool) {
	if after, ok := t.book.fromWord(t.m.Text, "release.tells.more"); ok {
		return after, true
	}
	after, ok := t.book.fromWord(t.m.Text, "release.tells.moved")
	if ok && when.Parse(t.m.Text, t.m.At, t.zone(), t.zones).Action == "release" { // 改到后天下午六点释放
		return after, true
	}
	return "", false
}

// extend gives the machine that a message means more time. Told of none that we know, it
// asks for it.
func (t *turn) extend() {
	if !t.look() {
		return
	}
	open := t.openRentals()
	f := &t.r.Facts
	job := f.Task.Known() || f.Model.Known() || f.ParamsB.Known()
	after, timed := t.afterMore()
	if !timed { // money
		open = slices.DeleteFunc(open, func(r Rental) bool { return r.How != "runway" })
	}
	r, ok := t.rentalMeant(open)
	switch {
	case job && !(ok && wordIn(lowered(t.m.Text), lowered(r.Name)) >= 0), len(open) == 0 && (t.c.Asked != "" || t.r.Intent == "remind" || !timed):
		t.byIntent()
	case len(open) == 0:
		t.toldOfRental()
		t.text("release.extend.none")
	case !ok && timed:
		t.toldOfRental()
		t.whichExtended(after)
	case !ok:
		t.toldOfRental()
		t.whichRental("edit", "")
	case timed:
		t.toldOfRental()
		t.extendRental(r, after)
	default:
		t.toldOfRental()
		t.topUp(r)
	}
}

// whichExtended asks which machine was given more time. The time goes along in figures:
// as it was said it may be too long for a choice.
func (t *turn) whichExtended(said string) {
	switch d, hour := t.extension(said); {
	case d > 0:
		t.whichRental("extend", inFigures(d))
	case !hour.IsZero():
		t.whichRental("at", minuteID(hour))
	default:
		t.whichRental("extend", strings.TrimSpace(said))
	}
}

// inFigures writes a length of time so that it is read as it is, and is short.
func inFigures(d time.Duration) string {
	if d%(24*time.Hour) == 0 {
		return strconv.Itoa(int(d/(24*time.Hour))) + " days"
	}
	return strconv.Itoa(int(d/time.Minute)) + " min"
}

// extension is for how long a machine was rented on, or until when; neither where that is
// not plain.
func (t *turn) extension(said string) (d time.Duration, until time.Time) {
	ls := when.Lengths(said)
	res := when.Parse(said, t.m.At, t.zone(), t.zones)
	rest := said
	if len(ls) > 0 {
		rest = cutOut(said, ls[0].Start, ls[0].End)
	}
	switch counted := len(ls) > 0 && res.Confirm && when.Parse(rest, t.m.At, t.zone(), t.zones).Err != ""; {
	case counted, len(ls) > 0 && res.Err != "":
		return ls[0].D, time.Time{}
	case res.Err == "" && res.RRule == "" && len(res.Alt) == 0:
		return 0, res.At
	}
	return 0, time.Time{}
}

// toldOfRental marks the turn as one about a rental.
func (t *turn) toldOfRental() {
	t.because("release")
	t.r.Intent, t.r.Command = "remind", ""
	if t.c.Flow.Kind == "release" { // whatever machine it was about
		t.c.Flow = Flow{}
	}
	t.besideQuestion()
}

// rentalMeant is the open rental that a message names, else the only one.
func (t *turn) rentalMeant(open []Rental) (Rental, bool) {
	said := lowered(t.m.Text)
	d := t.readRental(t.m.Text)
	var named []Rental
	for _, r := range open {
		if d.Card != "" && d.Card == r.Card || d.Platform != "" && d.Platform == r.Platform || r.Name != "" && wordIn(said, lowered(r.Name)) >= 0 {
			named = append(named, r)
		}
	}
	if len(named) == 0 && d.Card == "" && d.Platform == "" {
		named = open
	}
	if len(named) != 1 {
		return Rental{}, false
	}
	return named[0], true
}

// extendRental moves the end of a rental: to an hour that is said, or by a length from
// where it ends now.
func (t *turn) extendRental(r Rental, said string) {
	if !r.Open() {
		t.panel(r)
		return
	}
	longer, until := t.extension(said)
	if longer == 0 {
		if !until.IsZero() && until.Before(r.End) && r.How != "clock" {
			t.note("release.extend.earlier", "at", t.stamp(r.End))
		}
		t.editRental(r, said)
		return
	}
	from := r.End
	if r.How == "clock" { // it runs again
		from = t.m.At.UTC().Truncate(time.Minute)
	}
	if r.How != "runway" {
		r.How, r.Stopped = "hour", time.Time{}
	}
	t.endRental(r, from.Add(longer))
}

// topUp counts money that was put in: the balance lasts as much longer.
func (t *turn) topUp(r Rental) {
	budget := t.r.Facts.Budget.Value
	if m := t.book.readCost(t.m.Text, t.currency()).said.Balance; budget.Amount == 0 && m.Known() {
		budget = Budget{Amount: m.Value.Lo, Currency: string(m.Value.Currency)}
	}
	if r.Price <= 0 || budget.Amount <= 0 || budget.Currency != r.Currency {
		t.text("release.extend.money")
		t.offerRelease(r, "show")
		return
	}
	r.Balance = max(r.End.Sub(t.m.At).Hours(), 0)*r.Price + budget.Amount
	t.endRental(r, t.m.At.UTC().Truncate(time.Minute).Add(duration(r.Balance/r.Price)))
}

// endRental notes a new end, if it is one that we can remind of.
func (t *turn) endRental(r Rental, end time.Time) {
	switch {
	case end.After(t.m.At.AddDate(1, 0, 0)):
		t.tooFar(rentalRead{Rental: r})
	case !end.After(t.m.At):
		t.text("release.edit.how")
		t.offerRelease(r, "show")
	default:
		r.End = end
		t.keepRental("edit", r, true)
	}
}

// whichEnd asks which of several hours is meant.
func (t *turn) whichEnd(r Rental, at []time.Time) {
	t.offerTimes(at, func(one time.Time) string { return releaseRef("at", r, minuteID(one)) })
}

// endAt gives a rental the hour that was tapped.
func (t *turn) endAt(r Rental, arg string) {
	minutes, err := strconv.ParseInt(arg, 36, 64)
	at := time.Unix(60*minutes, 0).UTC()
	if err != nil || !r.Open() {
		t.panel(r)
		return
	}
	r.How, r.Stopped = "hour", time.Time{}
	t.endRental(r, at)
}

// sayOdd says what a description says that cannot be, and what was made of it.
func (t *turn) sayOdd(d rentalRead) {
	for _, what := range d.odd {
		t.note("release.odd." + what)
	}
}

// tooFar says that an end is further away than we remind.
func (t *turn) tooFar(d rentalRead) {
	if d.How == "runway" {
		t.text("release.odd.runway", "balance", t.moneyOf(d.Balance, d.Currency), "price", t.moneyOf(d.Price, d.Currency))
		return
	}
	t.text("remind.error." + string(when.TooFar))
}
