package advisor

import (
	"cmp"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"gpuadvisor/advisor/when"
)

// reminders.go is about reminders that wait: list, cancel, snooze, edit, join.
// A number means a place in the list that was shown last, so that it still
// means the same when one of them has come due since; a button names its
// reminder by "#" and its id.

// toReminders carries out an order about reminders. It reports whether it was
// one: "cancel the order tomorrow at nine" is to be reminded of.
func (t *turn) toReminders(way, arg string) bool {
	if way == "stamp" {
		t.settleWhich(arg)
		return true
	}
	if !t.look() {
		return true
	}
	switch way {
	case "list":
		t.listReminders()
	case "zone":
		t.rezone(arg)
	case "pick":
		t.withReminder(way, arg, func(r Reminder, _ string) { t.pickReminder(r) })
	case "cancel":
		t.cancelReminders(arg)
	case "all":
		t.cancelReminders("all")
	case "snooze":
		t.withReminder(way, arg, t.snooze)
	case "edit":
		t.withReminder(way, arg, t.editReminder)
	case "join":
		t.withReminder(way, arg, func(r Reminder, _ string) { t.join(r) })
	}
	return true
}

// look reports whether reminders and rentals are before us; if not, it asks the
// desk for them and for playing the turn once more.
func (t *turn) look() bool {
	if !t.known.Looked {
		t.effects = []Effect{{Kind: "look"}}
	}
	return t.known.Looked
}

// shownReminders are those that a list shows here: in a group everybody's that
// are due in it, else all of the person's.
func (t *turn) shownReminders() []Reminder {
	if t.known.Group {
		return t.known.RoomReminders
	}
	return t.known.Reminders
}

func (t *turn) listReminders() {
	t.because("remind.list")
	list := t.shownReminders()
	t.c.Listed = nil
	if len(list) == 0 {
		t.text("remind.list.none")
		t.backToQuestion()
		return
	}
	key := "remind.list.title"
	if t.known.Group {
		key = "remind.list.group"
	}
	t.heading(key, "n", len(list), "of", MostReminders)
	var lines []string
	for i, r := range list {
		t.c.Listed = append(t.c.Listed, r.ID)
		lines = append(lines, enumerated(i+1, t.reminderLine(r)))
	}
	t.reply.Parts = append(t.reply.Parts, Part{Kind: "text", Text: strings.Join(lines, "\n")})
	t.text("remind.list.how")
	if t.c.Asked != "" {
		t.backToQuestion()
		return
	}
	for i, r := range list[:min(len(list), mostListed)] {
		t.reply.Choices = append(t.reply.Choices, Choice{Ref: "/remind pick #" + r.ID, Label: enumeratedLabel(i+1, t.reminderName(r), 30)})
	}
	t.c.Options = refs(t.reply.Choices)
}

const (
	// MostReminders is how many reminders one person may have waiting.
	MostReminders = 25
	// mostListed is how many of a list have a button.
	mostListed = 10
)

// reminderLine is one line of the list.
func (t *turn) reminderLine(r Reminder) string {
	line := t.book.say(t.lang, "remind.list.line", "at", t.stamp(r.At), "in", t.wait(r.At), "what", t.reminderName(r))
	if r.RRule != "" {
		line += " · " + t.book.again(t.lang, r.RRule, t.zoneOf(r.Zone), r.At)
	}
	switch mine := t.mine(r); {
	case t.known.Group && mine:
		line += " · " + t.book.say(t.lang, "remind.list.yours")
	case !t.known.Group && r.Key != t.m.Key:
		line += " · " + t.book.say(t.lang, "remind.list.elsewhere")
	}
	return line
}

// reminderName is what a reminder is about, in a few words.
func (t *turn) reminderName(r Reminder) string {
	if about, ok := t.rentalOf(r); ok {
		return t.book.say(t.lang, "remind.rental", "name", t.rentalTitle(about), "why", t.whyThen(about, r))
	}
	action := ""
	if t.book.has("remind.do." + r.Action) {
		action = t.book.say(t.lang, "remind.do."+r.Action)
	}
	name := strings.TrimSpace(joinWords(action+" ", r.Target))
	if name == "" {
		return t.book.say(t.lang, "remind.do.nothing")
	}
	return name
}

// rentalOf is the rental that a reminder speaks of.
func (t *turn) rentalOf(r Reminder) (Rental, bool) {
	for _, list := range [][]Rental{t.known.Rentals, t.known.RoomRentals} {
		if i := slices.IndexFunc(list, func(o Rental) bool { return o.ID == r.Rental }); i >= 0 && r.Rental != "" {
			return list[i], true
		}
	}
	return Rental{}, false
}

// mine reports whether a reminder is the person's own.
func (t *turn) mine(r Reminder) bool {
	return slices.ContainsFunc(t.known.Reminders, func(o Reminder) bool { return o.ID == r.ID && o.Key == r.Key })
}

// withReminder finds the reminder that an order means and hands it over with the
// rest of the order.
func (t *turn) withReminder(way, arg string, do func(r Reminder, rest string)) {
	t.because("remind." + way)
	m := t.book.spoken.place.FindStringSubmatch(arg)
	if _, ok := t.book.lengthOf(arg); ok {
		m = nil // "1 hour" names no place
	}
	var which, rest string
	switch {
	case m != nil:
		which, rest = m[1], m[2]
	case way == "snooze" && len(t.shownReminders()) != 1 && t.lastRung() != "":
		which, rest = "#"+t.lastRung(), arg // said to the one that has just come
	case len(t.shownReminders()) == 1:
		which, rest = "#"+t.shownReminders()[0].ID, arg
	default:
		t.text("remind.number", "way", t.book.say(t.lang, "remind.way."+way))
		t.listReminders()
		return
	}
	if r, ok := t.reminderAt(which); ok {
		do(r, rest)
		return
	}
	t.text("remind.gone")
	t.choices("list")
}

// reminderAt finds "#id" or a place in the list that was shown last. Of those
// that came due it knows the person's own.
func (t *turn) reminderAt(which string) (Reminder, bool) {
	id, byID := strings.CutPrefix(which, "#")
	list := t.shownReminders()
	if !byID {
		n, _ := strconv.Atoi(which)
		ids := t.c.Listed
		if len(ids) == 0 {
			for _, r := range list {
				ids = append(ids, r.ID)
			}
		}
		if n < 1 || n > len(ids) {
			return Reminder{}, false
		}
		id = ids[n-1]
	}
	for _, known := range [][]Reminder{list, t.known.Reminders, t.known.Rung} {
		if i := slices.IndexFunc(known, func(r Reminder) bool { return r.ID == id }); i >= 0 {
			return known[i], true
		}
	}
	return Reminder{}, false
}

// justRung is how long a reminder that came is the one that "snooze" means.
const justRung = 2 * time.Hour

// lastRung is the reminder that came last, "" when none came lately.
func (t *turn) lastRung() string {
	id, last := "", t.m.At.Add(-justRung)
	for _, r := range t.known.Rung {
		if r.At.After(last) {
			id, last = r.ID, r.At
		}
	}
	return id
}

// pickReminder shows one reminder and what can be done with it.
func (t *turn) pickReminder(r Reminder) {
	t.reply.Parts = append(t.reply.Parts, Part{Kind: "text", Text: t.reminderLine(r)})
	if !t.mine(r) {
		t.reply.Choices = []Choice{{Ref: "/remind join #" + r.ID, Label: t.book.say(t.lang, "choice.remind.join")}}
	} else {
		t.reply.Choices = []Choice{
			{Ref: "/remind cancel #" + r.ID, Label: t.book.say(t.lang, "choice.remind.cancel")},
			{Ref: "/remind snooze #" + r.ID + " 1h", Label: t.book.say(t.lang, "choice.remind.later")},
			{Ref: "/remind list", Label: t.book.say(t.lang, "choice.remind.list")},
		}
		t.text("remind.pick.how")
	}
	t.c.Options = refs(t.reply.Choices)
}

// cancelReminders asks the desk to remove one, several or all.
func (t *turn) cancelReminders(arg string) {
	var list []Reminder
	arg = strings.TrimSpace(arg)
	if slices.Contains(t.book.spellings("remind.all"), strings.ToLower(arg)) {
		for _, r := range t.shownReminders() {
			if t.mine(r) {
				list = append(list, r)
			}
		}
	} else if several := figuresOf.FindAllString(arg, -1); t.book.spoken.several.MatchString(arg) && len(several) > 1 {
		for _, one := range several {
			if r, ok := t.reminderAt(one); ok && t.mine(r) {
				list = append(list, r)
			}
		}
	} else {
		t.withReminder("cancel", arg, func(r Reminder, _ string) {
			if !t.mine(r) {
				t.text("remind.notyours")
				return
			}
			t.dropReminders(r)
		})
		return
	}
	t.because("remind.cancel")
	if len(list) == 0 {
		t.text("remind.gone")
		t.choices("list")
		return
	}
	t.dropReminders(list...)
}

var figuresOf = regexp.MustCompile(`[0-9]+`)

func (t *turn) dropReminders(list ...Reminder) {
	for i, r := range list {
		t.effects = append(t.effects, Effect{ID: t.m.ID + "/" + r.ID + "/cancel", Kind: "cancel", Reminder: r, Last: i == len(list)-1})
	}
}

// cancelled words that a reminder is gone.
func (t *turn) cancelled(done Done) {
	r := done.Effect.Reminder
	switch {
	case done.OK && done.Code == "":
		t.text("remind.cancelled", "what", t.reminderName(r), "at", t.stamp(r.At))
	case done.OK: // "gone"
		t.text("remind.gone")
	default:
		t.text("remind.lost.cancel")
	}
	if done.Effect.Last {
		t.choices("list")
	}
}

// snooze puts a reminder off: one that waits by that long, one that has come due
// until then from now. A recurring one goes on as before and comes once more.
func (t *turn) snooze(r Reminder, arg string) {
	waits := t.mine(r)
	if !waits && !slices.ContainsFunc(t.known.Rung, func(o Reminder) bool { return o.ID == r.ID }) {
		t.text("remind.notyours")
		return
	}
	at, ok := t.snoozedTo(r, waits, arg)
	if !ok {
		return
	}
	next := r
	next.ID, next.At, next.RRule = shortID(t.m.ID), at, ""
	e := Effect{ID: t.m.ID + "/move", Kind: "move", Reminder: next, From: r.ID, Last: true}
	if !waits || r.RRule != "" {
		e.Kind, e.From = "remind", ""
	}
	t.readAs(next)
	t.effects = append(t.effects, e)
}

// snoozedTo reads how long to put off, or until when; an hour when nothing is
// said.
func (t *turn) snoozedTo(r Reminder, waits bool, arg string) (time.Time, bool) {
	if strings.TrimSpace(arg) == "" {
		arg = "1h"
	}
	from := t.m.At
	if d, ok := t.book.lengthOf(arg); ok {
		about, rental := t.rentalOf(r)
		if waits && r.RRule == "" && r.At.After(from) && !(rental && !about.End.After(from)) {
			from = r.At
		}
		at := from.Add(d)
		if at.After(t.m.At.AddDate(1, 0, 0)) {
			t.text("remind.error." + string(when.TooFar))
			return at, false
		}
		return at, true
	}
	res := when.Parse(arg, t.m.At, t.zone(), t.zones)
	if res.Err != "" {
		t.text("remind.error." + string(res.Err))
		return res.At, false
	}
	return res.At, true
}

// editReminder gives a reminder another time: a clock alone on its own day, and one
// that comes back goes on coming back.
func (t *turn) editReminder(r Reminder, arg string) {
	if !t.mine(r) {
		t.text("remind.notyours")
		return
	}
	res := when.Parse(arg, t.m.At, t.zone(), t.zones)
	if res.Err == "" && res.RRule == "" && !res.Dated && r.Rental == "" {
		res = t.onItsDay(res, r)
	}
	switch {
	case strings.TrimSpace(arg) == "":
		t.text("remind.edit.how")
		return
	case res.Err != "":
		t.text("remind.error." + string(res.Err))
		return
	}
	next := r
	next.ID, next.At, next.Zone = shortID(t.m.ID), res.At, t.zoneName(res.Zone)
	if res.RRule != "" || r.RRule != "" {
		next.RRule = res.RRule
	}
	if res.Action != "" {
		next.Action, next.Target = res.Action, res.Target
	}
	t.readAs(next)
	t.effects = append(t.effects, Effect{ID: t.m.ID + "/move", Kind: "move", Reminder: next, From: r.ID, Last: true})
	if res.Confirm && len(res.Alt) > 0 {
		t.note("remind.edit.took", "at", t.stamp(res.At), "or", t.stamp(res.Alt[0]))
	}
}

// onItsDay moves a time of day that was said without a day to the day of a reminder.
// Of two readings of it the one nearer to the old time goes first.
func (t *turn) onItsDay(res when.Result, r Reminder) when.Result {
	zone := t.zone()
	old := r.At.In(zone)
	var days []time.Time
	for _, at := range append([]time.Time{res.At}, res.Alt...) {
		clock := at.In(zone)
		if day := when.Wall(old.Year(), old.Month(), old.Day(), clock.Hour(), clock.Minute(), zone); day.After(t.m.At) && !slices.ContainsFunc(days, day.Equal) {
			days = append(days, day.UTC())
		}
	}
	if len(days) == 0 { // over for today: the next such hour
		return res
	}
	slices.SortStableFunc(days, func(a, b time.Time) int { return cmp.Compare(a.Sub(old).Abs(), b.Sub(old).Abs()) })
	res.At, res.Alt, res.Confirm = days[0], days[1:], len(days) > 1
	if r.RRule != "" {
		at := res.At.In(zone)
		if res.RRule = when.Reclock(r.RRule, at.Hour(), at.Minute()); res.RRule == "" {
			res.RRule = r.RRule
		}
	}
	return res
}

// join lets somebody have a reminder of the group as well.
func (t *turn) join(r Reminder) {
	next := r
	next.ID, next.Key = shortID("j"+r.ID), t.m.Key
	switch {
	case t.mine(r), t.mine(next):
		t.text("remind.join.yours")
		return
	case t.m.Actor.Anonymous:
		t.text("settings.anonymous")
		return
	}
	t.readAs(next)
	t.effects = append(t.effects, Effect{ID: t.m.ID + "/join", Kind: "remind", Reminder: next, Last: true})
}

// choices offers further orders about reminders by their names.
func (t *turn) choices(ways ...string) {
	if t.c.Asked != "" {
		return // the open question has choices of its own
	}
	t.reply.Choices = nil
	for _, way := range ways {
		t.reply.Choices = append(t.reply.Choices, Choice{Ref: "/remind " + way, Label: t.book.say(t.lang, "choice.remind."+way)})
	}
	t.c.Options = refs(t.reply.Choices)
}
