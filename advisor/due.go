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
	if now.Sub(r.At) > lateBy {
		t.note("remind.late", "at", t.stamp(r.At))
	}
	if again {
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
