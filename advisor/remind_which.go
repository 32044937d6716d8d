package advisor

import (
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode"

	"gpuadvisor/advisor/when"
)

// remind_which.go reads orders that name a reminder in words: 取消第一个, "cancel the
// zebra one", 把 8 点那个改到 9 点. The words are phrases (remind.verbs.*, remind.ones,
// remind.place.*); whether one is meant only the reminders that wait can tell, so a
// text that fits none of them is read as anything else.

// orderNamed is an order with the reminder that it names.
type orderNamed struct {
	way      string // cancel, snooze, edit, sooner
	which    string // the words that name it
	rest     string // the new time, or how long
	explicit bool   // the words say that it is a reminder
	pointed  bool   // they say "the one", a place, or "it"
}

// namedOrder reads the shape of such an order. said is one line.
func (b *Rulebook) namedOrder(said string) (orderNamed, bool) {
	said = b.withoutPolite(strings.Trim(said, " \t\n，。,.!！?？"))
	low := lowered(said)
	for _, way := range []string{"cancel", "edit", "snooze", "sooner"} {
		for _, verb := range b.spellings("remind.verbs." + way) {
			at := wordIn(low, verb)
			if at < 0 || at > 0 && latin(verb[0]) {
				continue
			}
			n := orderNamed{way: way}
			if at == 0 {
				n.which, n.rest = b.splitOrder(way, strings.TrimSpace(said[len(verb):]))
			} else {
				n.which, n.rest = said[:at], strings.TrimSpace(said[at+len(verb):])
			}
			if b.fitsOrder(&n) {
				return n, true
			}
		}
	}
	return orderNamed{}, false
}

// withoutPolite is a text without the words that only ask nicely.
func (b *Rulebook) withoutPolite(said string) string {
	for {
		end, ok := b.begins(lowered(said), 0, "remind.polite")
		if !ok {
			return said
		}
		said = strings.TrimLeft(said[end:], " ，,")
	}
}

// splitOrder takes what follows a verb apart: "the zebra one to 9pm", "it back an hour",
// 第一个10分钟.
func (b *Rulebook) splitOrder(way, body string) (which, rest string) {
	if way == "cancel" {
		return body, ""
	}
	low := lowered(body)
	for at := len(low); at >= 0; {
		cut, size := -1, 0
		for _, word := range b.spellings("remind.read.to") {
			if i := lastWordIn(low[:at], word); i > cut {
				cut, size = i, len(word)
			}
		}
		if cut < 0 {
			break
		}
		which, rest = strings.TrimSpace(body[:cut]), strings.TrimSpace(body[cut+size:])
		for _, key := range []string{"remind.read.to", "remind.read.sooner"} { // "back by an hour", "forward by an hour"
			if i, ok := b.ends(lowered(which), key); ok {
				which = strings.TrimSpace(which[:i])
			}
		}
		if hour := "at " + rest; way == "edit" && !b.saysWhen(way, rest) && b.saysWhen(way, hour) { // "to 10"
			rest = hour
		}
		if b.saysWhen(way, rest) {
			return which, rest
		}
		at = cut
	}
	if spans := when.Parse(body, time.Unix(0, 0), time.UTC, nil).Spans; way == "edit" && len(spans) > 0 && b.saysWhen(way, body[spans[0][0]:]) { // "the rent reminder 9am"
		return strings.TrimSpace(body[:spans[0][0]]), body[spans[0][0]:]
	}
	if ls := when.Lengths(body); way != "edit" && len(ls) > 0 && ls[len(ls)-1].End == len(body) {
		at := ls[len(ls)-1].Start
		return strings.TrimSpace(body[:at]), body[at:]
	}
	return body, ""
}

// saysWhen reports whether a text can be the new time of a reminder.
func (b *Rulebook) saysWhen(way, rest string) bool {
	if _, ok := b.lengthOf(rest); ok || way == "sooner" {
		return ok && way != "edit"
	}
	res := when.Parse(rest, time.Unix(0, 0), time.UTC, nil)
	if res.Err != "" {
		return res.Err != when.NoTime
	}
	const beside = 4 // characters that a time may have beside it
	if len([]rune(b.about(rest, res.Spans))) > beside {
		return false
	}
	return res.Timed || !res.Confirm || len(when.Lengths(rest)) == 0 // 改成跑一周 names no time
}

// fitsOrder reports whether an order names something and has what it needs, and marks how
// plainly it speaks of a reminder.
func (b *Rulebook) fitsOrder(n *orderNamed) bool {
	const longest = 60 // characters
	low := strings.TrimSpace(lowered(n.which))
	if n.way == "cancel" && strings.Trim(n.rest, " 了吧啦掉") != "" || n.way != "cancel" && !b.saysWhen(n.way, n.rest) || len([]rune(low)) > longest {
		return false
	}
	_, one := b.ends(low, "remind.ones")
	at, explicit := b.ends(low, "remind.words.reminder")
	_, place := b.placeSaid(low)
	n.explicit = explicit && (at > 0 || n.way == "cancel")
	n.pointed = one || explicit || place || b.spoken.several.MatchString(low) || low == "" || slices.Contains(b.spellings("remind.it"), low) || slices.Contains(b.spellings("remind.all"), low)
	return low != ""
}

// placeSaid reads an ordinal: 1 for 第一个 and "the first one", -1 for the last; 0 is none.
func (b *Rulebook) placeSaid(low string) (n int, ok bool) {
	for _, low := range []string{low, b.bare(low)} {
		for n, key := range []string{"last", "1", "2", "3", "4", "5"} {
			if slices.Contains(b.spellings("remind.place."+key), low) {
				if n == 0 {
					n = -1
				}
				return n, true
			}
		}
	}
	low = b.bare(low)
	if n, err := strconv.Atoi(low); err == nil && n > 0 && n <= MostReminders {
		return n, true
	}
	return 0, false
}

// bare is a name of a reminder without the words around it: the zebra of "the zebra
// one".
func (b *Rulebook) bare(which string) string {
	for {
		which = strings.Trim(which, " ，,.\"“”「」的了")
		low := lowered(which)
		if end, ok := b.begins(low, 0, "remind.articles"); ok && end < len(which) {
			which = which[end:]
			continue
		}
		at, ok := b.ends(low, "remind.ones")
		if !ok {
			if at, ok = b.ends(low, "remind.words.reminder"); !ok {
				return which
			}
		}
		if at == 0 {
			return which
		}
		which = which[:at]
	}
}

// ordersNamed reports whether a text may be an order about a reminder that it names. With
// a question of ours open it must say so plainly.
func (t *turn) ordersNamed() bool {
	n, ok := t.book.namedOrder(t.m.Text)
	return ok && (n.explicit || n.pointed || t.c.Asked == "" && !t.c.Flow.asks() && len(strings.Fields(n.which)) <= 4)
}

// remindNamed carries out an order about the reminders that a text names. One that fits
// none is read as anything else.
func (t *turn) remindNamed() {
	if !t.look() {
		return
	}
	n, _ := t.book.namedOrder(t.m.Text)
	found := t.remindersNamed(n)
	if it := strings.TrimSpace(lowered(n.which)); len(found) == 0 && t.c.Asked == "" && slices.Contains(t.book.spellings("remind.it"), it) {
		found = slices.Clone(t.shownReminders()) // which of them, only the person knows
	}
	switch {
	case len(found) > 0:
		t.remindOrder()
		t.orderFound(n, found)
	case n.explicit:
		t.remindOrder()
		t.text("remind.gone")
		t.listReminders()
	default:
		t.byIntent()
	}
}

// namedBehind carries out an order that follows the command and names a reminder in
// words: "/remind cancel zebra". It reports whether it was one.
func (t *turn) namedBehind(said string) bool {
	said = t.book.afterCommand("remind", said)
	n, ok := t.book.namedOrder(said)
	if !ok {
		return false
	}
	if !t.look() {
		return true
	}
	found := t.remindersNamed(n)
	if len(found) > 0 {
		t.orderFound(n, found)
	}
	return len(found) > 0
}

// orderFound carries out an order about the reminders that were found for it.
func (t *turn) orderFound(n orderNamed, found []Reminder) {
	t.because("remind." + n.way)
	switch {
	case n.way == "cancel" && (len(found) == 1 || t.allMeant(n)):
		t.dropReminders(slices.DeleteFunc(found, func(r Reminder) bool { return !t.mine(r) })...)
		if len(t.effects) == 0 {
			t.text("remind.notyours")
		}
	case len(found) > 1:
		t.whichReminder(n, found)
	case n.way == "snooze":
		t.snooze(found[0], n.rest)
	case n.way == "sooner":
		t.bringForward(found[0], n.rest)
	default:
		t.editReminder(found[0], n.rest)
	}
}

// bringForward gives a reminder an earlier time, by a length.
func (t *turn) bringForward(r Reminder, by string) {
	d, _ := t.book.lengthOf(by)
	switch at := r.At.Add(-d); {
	case !t.mine(r):
		t.text("remind.notyours")
	case !at.After(t.m.At):
		t.text("remind.error." + string(when.Past))
	case r.RRule != "":
		t.text("remind.edit.how") // by how much every time, and from when on?
	default:
		next := r
		next.ID, next.At = shortID(t.m.ID), at
		t.readAs(next)
		t.effects = append(t.effects, Effect{ID: t.m.ID + "/move", Kind: "move", Reminder: next, From: r.ID, Last: true})
	}
}

// remindOrder marks the turn as one about reminders.
func (t *turn) remindOrder() {
	t.r.Intent, t.r.Command = "remind", ""
	t.because("remind")
	t.besideQuestion()
}

func (t *turn) allMeant(n orderNamed) bool {
	return t.book.spoken.several.MatchString(strings.TrimSpace(n.which)) || slices.Contains(t.book.spellings("remind.all"), t.book.bare(lowered(n.which)))
}

// whichReminder asks which of several is meant.
func (t *turn) whichReminder(n orderNamed, found []Reminder) {
	t.text("remind.which.one")
	t.reply.Choices = nil
	for _, r := range found[:min(len(found), mostListed)] {
		ref := "/remind " + n.way + " #" + r.ID
		if whole := ref + " " + n.rest; n.rest != "" && len(whole) <= longestRef {
			ref = whole
		}
		t.reply.Choices = append(t.reply.Choices, Choice{Ref: ref, Label: firstRunes(t.stamp(r.At)+" · "+t.reminderName(r), 40)})
	}
	t.c.Options = refs(t.reply.Choices)
}

// remindersNamed are the reminders that the words of an order fit.
func (t *turn) remindersNamed(n orderNamed) []Reminder {
	list := t.shownReminders()
	low := strings.TrimSpace(lowered(n.which))
	if slices.Contains(t.book.spellings("remind.all"), t.book.bare(low)) {
		return slices.Clone(list)
	}
	if place, ok := t.book.placeSaid(low); ok {
		return t.atPlace(list, place)
	}
	if t.book.spoken.several.MatchString(low) && n.way == "cancel" { // 取消 2 和 3
		var found []Reminder
		for _, one := range figuresOf.FindAllString(low, -1) {
			place, _ := strconv.Atoi(one)
			found = append(found, t.atPlace(list, place)...)
		}
		return found
	}
	if slices.Contains(t.book.spellings("remind.it"), low) || t.book.bare(low) == "" {
		return t.pointedAt(list, n.way)
	}
	var found []Reminder
	for _, r := range append(slices.Clone(list), t.lately(n.way)...) {
		if t.fits(r, t.book.bare(n.which)) {
			found = append(found, r)
		}
	}
	return found
}

// lately are the reminders that came: one of them can still be put off.
func (t *turn) lately(way string) []Reminder {
	if way != "snooze" {
		return nil
	}
	return t.known.Rung
}

// atPlace is the reminder at a place of the list that was shown last; -1 is its end, or
// without a list the reminder that was made last.
func (t *turn) atPlace(list []Reminder, place int) []Reminder {
	if place < 0 && len(t.c.Listed) == 0 && t.c.Draft.ID != "" {
		if r, ok := t.reminderAt("#" + t.c.Draft.ID); ok {
			return []Reminder{r}
		}
	}
	if place < 0 {
		if place = len(t.c.Listed); place == 0 {
			place = len(list)
		}
	}
	if r, ok := t.reminderAt(strconv.Itoa(place)); ok {
		return []Reminder{r}
	}
	return nil
}

// pointedAt is what "it" means: the only one, the one that has just come, or the one that
// was made last.
func (t *turn) pointedAt(list []Reminder, way string) []Reminder {
	if len(list) == 1 {
		return list
	}
	for _, id := range []string{t.lastRung(), t.c.Draft.ID} {
		if r, ok := t.reminderAt("#" + id); ok && id != "" && (id != t.lastRung() || way == "snooze") {
			return []Reminder{r}
		}
	}
	return nil
}

// fits reports whether words name a reminder: by what it is about, by its time, or by
// both.
func (t *turn) fits(r Reminder, which string) bool {
	which = strings.NewReplacer("'s", "", "’s", "").Replace(which) // tomorrow's
	res := when.Parse(which, t.m.At, t.zone(), t.zones)
	words := which
	if res.Err == "" && res.RRule == "" {
		if !t.fitsTime(r, res) {
			return false
		}
		words = t.book.about(which, res.Spans)
	}
	words = lowered(t.book.bare(words))
	if words == "" {
		return res.Err == ""
	}
	if res.Action != "" && res.Action == r.Action && words == lowered(which[res.Did[0]:res.Did[1]]) {
		return true // 备份的那个, in whatever language its name stands
	}
	name := lowered(t.reminderName(r) + " " + r.Target + " " + r.Action)
	for _, word := range strings.FieldsFunc(words, func(c rune) bool { return unicode.IsSpace(c) || unicode.IsPunct(c) && c != '-' }) {
		if slices.Contains(t.book.spellings("remind.articles"), word) {
			continue
		}
		if wordIn(name, word) < 0 {
			return false
		}
	}
	return true
}

// fitsTime reports whether a reminder comes at a time that was said, on its day or, when
// the words name none, on any.
func (t *turn) fitsTime(r Reminder, res when.Result) bool {
	zone := t.zoneOf(r.Zone)
	for _, at := range append([]time.Time{res.At}, res.Alt...) {
		a, b := at.In(zone), r.At.In(zone)
		clock := a.Hour() == b.Hour() && a.Minute() == b.Minute()
		day := a.YearDay() == b.YearDay() && a.Year() == b.Year()
		if clock && (day || !res.Dated) || day && res.Dated && !res.Timed {
			return true
		}
	}
	return false
}
