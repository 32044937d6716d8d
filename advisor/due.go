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
// arrived.
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
