package advisor

import (
	"cmp"
	"slices"
	"strconv"
	"strings"
	"time"

	"gpuadvisor/advisor/when"
)

// release_said.go reads what people say in passing of a machine that is noted: "done saving
// checkpoints", 提前三小时提醒就行, "what did it cost me?", "sorry, it ends at 9pm". Said in
// so few words they are about the machine only where one is noted and nothing else is said.
// So every word must be one of those that belong there: they are phrases, release.mine.*.

// longestPassing is how long such a message is at most, in bytes.
const longestPassing = 100

// ofMine finds what a message says in passing of a machine that is noted; nil for nothing,
// and where no machine is noted.
func (t *turn) ofMine() func(*turn) {
	if len(t.m.Text) > longestPassing || t.m.Actor.Anonymous || t.c.Trial.On() || strings.HasPrefix(strings.TrimSpace(t.m.Text), "/") {
		return nil
	}
	if t.book.hears(t.m.Text, "release.mine.asks.what") && t.book.onlySays(t.m.Text, "asks", "asks.have", "asks.what") {
		return (*turn).rentals
	}
	step := t.passing()
	switch {
	case step == nil:
		return nil
	case !t.known.Looked:
		return func(t *turn) { t.look() } // once more, with the rentals before us
	case len(t.openRentals()) == 0:
		return nil
	}
	return step
}

// passing is what a message says in passing of whatever machine is noted.
func (t *turn) passing() func(*turn) {
	b, said := t.book, t.m.Text
	switch {
	case b.hears(said, "release.mine.asks.spent") && b.hears(said, "release.mine.asks.past") && b.onlySays(said, "asks", "asks.spent", "asks.past"),
		b.hears(said, "release.mine.asks.due") && b.onlySays(said, "asks", "asks.have", "asks.due"):
		return (*turn).rentals
	case len(b.doneActions(said)) > 0:
		return (*turn).tickMine
	case len(t.leadsSaid()) > 0:
		return (*turn).leadMine
	case t.moreSaid() > 0:
		return (*turn).moreMine
	case t.c.Asked == "" && t.endCorrected():
		return (*turn).endMine
	}
	return nil
}

// onlySays reports whether a text has no words but those of phrases release.mine.*, of any
// machine, and marks.
func (b *Rulebook) onlySays(said string, keys ...string) bool {
	var words []string
	for _, key := range append(keys, "words") {
		words = append(words, b.spellings("release.mine."+key)...)
	}
	slices.SortFunc(words, func(a, b string) int { return len(b) - len(a) })
	rest := " " + strings.Join(strings.Fields(strings.ReplaceAll(lowered(said), "’", "'")), " ") + " "
	for _, word := range words {
		for at := wordIn(rest, word); at >= 0; at = wordIn(rest, word) {
			rest = rest[:at] + "\x00" + rest[at+len(word):]
		}
	}
	rest = strings.Trim(strings.ReplaceAll(rest, "\x00", " "), " ,.;:!?~，。；：！？～、…")
	if rest == "" || b.withoutVendors(rest) == "" {
		return true
	}
	if len(strings.Fields(rest)) > 2 {
		return false
	}
	facts := b.Read(rest, Asked{Facts: &Facts{}}).Facts
	return len(facts.Said()) == 1 && facts.GPUNamed.Known() // the name of a card
}

// doneActions are the actions that a text says are done, and nothing else.
func (b *Rulebook) doneActions(said string) []string {
	if b.hears(said, "release.mine.all") && b.onlySays(said, "all") {
		return actions[:len(actions)-1] // the rule of the disk wants a yes of its own
	}
	var done []string
	keys := []string{"done", "things"}
	for _, a := range actions {
		if b.hears(said, "release.mine."+a+".past") || b.hears(said, "release.mine."+a) && b.hears(said, "release.mine.done") {
			done = append(done, a)
			keys = append(keys, a, a+".past")
		}
	}
	if len(done) == 0 || !b.onlySays(said, keys...) {
		return nil
	}
	return done
}

// tickMine marks what is said to be done.
func (t *turn) tickMine() {
	done := t.book.doneActions(t.m.Text)
	t.toldOfRental()
	r, ok := t.rentalMeant(t.openRentals())
	if !ok {
		t.whichRental("tick", done[0])
		return
	}
	if len(done) == 1 {
		t.tickAction(r, done[0])
		return
	}
	for _, a := range done {
		r = r.With(a, true)
	}
	t.keepRental("tick", r, false)
}

// leadsSaid is how long before its end somebody wants to hear of a machine, where a message
// says nothing else: 提前三小时提醒就行.
func (t *turn) leadsSaid() []time.Duration {
	said := t.m.Text
	ls := when.Lengths(said)
	if len(ls) == 0 || !t.book.hears(said, "remind.read.before") && !t.book.hears(said, "remind.read.ahead") && !t.book.hears(said, "release.mine.before") || !t.book.hears(said, "release.mine.lead") {
		return nil
	}
	var leads []time.Duration
	for _, l := range slices.Backward(ls) {
		if l.Far || l.D <= 0 {
			return nil
		}
		leads = append(leads, l.D)
		said = cutOut(said, l.Start, l.End)
	}
	if !t.book.onlySays(said, "lead", "before") {
		return nil
	}
	slices.SortFunc(leads, func(a, b time.Duration) int { return cmp.Compare(b, a) })
	return slices.Compact(leads)
}

// leadMine changes how long before its end we speak of a machine.
func (t *turn) leadMine() {
	var minutes []string
	for _, lead := range t.leadsSaid() {
		minutes = append(minutes, strconv.Itoa(int(lead/time.Minute)))
	}
	t.toldOfRental()
	r, ok := t.rentalMeant(t.openRentals())
	if !ok {
		t.whichRental("leads", strings.Join(minutes, ","))
		return
	}
	t.leadRental(r, strings.Join(minutes, ","))
}

// leadRental gives a machine other leads, minutes with commas between.
func (t *turn) leadRental(r Rental, minutes string) {
	if !r.Open() || r.How == "clock" || minutes == "" || strings.Trim(minutes, "0123456789,") != "" {
		t.panel(r)
		return
	}
	r.Leads = minutes
	t.keepRental("edit", r, true)
}

// moreSaid is how much longer a machine is wanted, where a message says nothing else: "give me
// 2 more hours", 再多用半天.
func (t *turn) moreSaid() time.Duration {
	said := t.m.Text
	ls := when.Lengths(said)
	if len(ls) != 1 || ls[0].Far {
		// "2 more hours" is no length to advisor/when: the word stands in the middle
		for _, word := range t.book.spellings("release.mine.further") {
			said = cutWord(said, word)
		}
		said = strings.Join(strings.Fields(said), " ")
		ls = when.Lengths(said)
	}
	if len(ls) != 1 || ls[0].Far || t.asksSomething() || !t.book.hears(t.m.Text, "release.mine.further") || !t.book.onlySays(cutOut(said, ls[0].Start, ls[0].End), "more", "further") {
		return 0
	}
	return ls[0].D
}

// moreMine moves the end of a machine by what is wanted more.
func (t *turn) moreMine() {
	longer := t.moreSaid()
	t.toldOfRental()
	r, ok := t.rentalMeant(t.openRentals())
	if !ok {
		t.whichRental("extend", inFigures(longer))
		return
	}
	t.extendRental(r, inFigures(longer))
}

// endCorrected reports whether a message gives another end and says nothing else: "sorry, it
// ends tomorrow at 9pm", 不对，是明晚九点到期.
func (t *turn) endCorrected() bool {
	b, said := t.book, t.m.Text
	if t.asksSomething() || !b.hears(said, "release.tells.ends") && !b.hears(said, "release.mine.until") {
		return false
	}
	res := when.Parse(said, t.m.At, t.zone(), t.zones)
	if res.Err != "" || res.RRule != "" || len(res.Spans) == 0 {
		return false
	}
	for _, s := range slices.Backward(res.Spans) {
		said = cutOut(said, s[0], s[1])
	}
	for _, word := range b.spellings("release.tells.ends") {
		said = cutWord(lowered(said), word)
	}
	return b.onlySays(said, "until", "corrects")
}

// endMine moves the end of a machine to the hour that is said.
func (t *turn) endMine() {
	t.toldOfRental()
	r, ok := t.rentalMeant(t.openRentals())
	if !ok {
		t.whichExtended(t.m.Text)
		return
	}
	t.editRental(r, t.m.Text)
}
