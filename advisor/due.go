package advisor

import (
	"strconv"
	"time"
)

// lateBy is from when on a reminder that comes late says so.
const lateBy = 5 * time.Minute

// Due words a reminder that came due, as Remind does, and says what is wrong
// with it: that it comes late, or that it may have come before. again means
// that an earlier try got as far as the chat, and nobody knows whether it
// arrived. A reply of the act "ignore" says that nothing is to be said any more.
func (a *Advisor) Due(r Reminder, lang string, now time.Time, again bool) Reply {
	reply := a.Remind(r, lang, now)
	t := &turn{book: a.book, zones: a.zones, lang: lang, m: Message{At: now, Zone: r.Zone}}
	if now.Sub(r.At) > lateBy && reply.Act != "ignore" {
		t.note("remind.late", "at", t.stamp(r.At))
	}
	if again && reply.Act != "ignore" {
		t.note("remind.again")
	}
	reply.Parts = append(reply.Parts, t.reply.Parts...)
	reply.Once = string(r.Key) + " " + r.ID + " " + strconv.FormatInt(r.At.Unix(), 10)
	return reply
}

// Remind words a reminder that came due.
func (a *Advisor) Remind(r Reminder, lang string, now time.Time) Reply {
	t := &turn{book: a.book, zones: a.zones, lang: lang, m: Message{At: now, Zone: r.Zone}}
	t.reply.Act = "answer"
	t.because("remind.due")
	if r.Rental != "" {
		t.rentalDue(r)
		return t.reply
	}
	t.dueText(r)
	if r.Action == "release" || r.Action == "stop" {
		t.text("remind.five")
	}
	if r.RRule != "" {
		t.note("remind.due.again", "again", t.book.again(lang, r.RRule, t.zoneOf(r.Zone), r.At))
	}
	t.reply.Choices = []Choice{
		{Ref: "/remind snooze #" + r.ID + " 1h", Label: t.book.say(lang, "choice.remind.later")},
		{Ref: "/remind snooze #" + r.ID + " 10m", Label: t.book.say(lang, "choice.remind.soon")},
	}
	t.reply.Choices = append(t.dueChoices(r.Action), t.reply.Choices...)
	return t.reply
}

// dueText is the first sentence.
func (t *turn) dueText(r Reminder) {
	action := r.Action
	if action == "" || !t.book.has("remind.due."+action) {
		action = "other"
	}
	switch {
	case r.Target != "":
		t.text("remind.due."+action, "target", r.Target)
	case action == "other":
		t.text("remind.due.nothing")
	default:
		t.text("remind.due."+action, "target", t.book.say(t.lang, "remind.machine"))
	}
}

// rentalDue speaks of a rental: how long it has, or since when its hour is over,
// what is left to do, and what is lost otherwise. Its text is made of what is
// known now, not of what was known when the reminder was made.
func (t *turn) rentalDue(rem Reminder) {
	if rem.About == nil || !rem.About.Open() {
		t.reply.Act = "ignore"
		return
	}
	r := *rem.About
	name := t.rentalTitle(r)
	if rem.Key != r.Key && r.Owner != "" { // somebody who wanted to be told as well
		name += " · " + r.Owner
	}
	switch {
	case rem.Kind == "scratch":
		t.text("release.due.scratch", "name", name, "path", t.scratchPath(r), "platform", t.book.platformName(r.Platform, t.lang))
	case t.m.At.Before(r.End):
		t.text("release.due."+r.How, "name", name, "at", t.stamp(r.End), "in", t.wait(r.End))
	case rem.At.Sub(r.End) < time.Minute:
		t.text("release.due.now."+r.How, "name", name)
	default:
		t.text("release.due.repeat", "name", name, "at", t.stamp(r.End), "ago", t.book.hours(t.lang, One(roundHours(t.m.At.Sub(r.End)))))
	}
	if rem.Key != r.Key {
		return
	}
	if !t.m.At.Before(r.End) {
		t.sayCost(r)
	}
	left := r.Left()
	if len(left) > 0 {
		t.text("release.due.left", "n", len(left))
		t.saysLeft(r)
	} else {
		t.text("release.ready")
	}
	if rule := t.book.retention(r.Platform); rule.ID != "" && (r.How == "clock" || len(left) > 0) {
		t.note("release.due.rule", "platform", t.book.platformName(r.Platform, t.lang), "rule", rule.Rule, "date", rule.AsOf)
	}
	if r.lastRepeat(rem, t.m.At) {
		t.text("release.due.last")
	} else if !t.m.At.Before(r.End) && rem.Kind == "hour" {
		t.note("release.due.again", "at", t.stamp(r.Repeat(rem, t.m.At)))
	}
	t.offerRelease(r, append(left, "go", "later", "drop")...)
}
