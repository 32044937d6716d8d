package advisor

import (
	"fmt"
	"strconv"
	"time"

	"gpuadvisor/advisor/when"
)

// remind.go reads a request to be reminded. No sentence claims what the store
// has not acknowledged: the reminder is an effect, and its outcome comes back
// as a message that confirm answers.

// remind reads the time and asks the desk to keep the reminder.
func (t *turn) remind() {
	t.because("remind")
	t.keepFirst()
	t.reply.Act = "side:remind"
	if t.c.Asked == "" {
		t.reply.Act = "answer"
	}
	res := when.Parse(t.m.Text, t.m.At, t.zone(), t.zones)
	switch {
	case res.Err == when.NoTime && t.r.Arg == "cancel":
		t.text("remind.cancel")
	case res.Err != "":
		t.text("remind.error." + string(res.Err))
	case res.Confirm && len(res.Alt) > 0:
		t.text("remind.which", "a", t.stamp(res.At), "b", t.stamp(res.Alt[0]))
	default:
		t.effects = append(t.effects, Effect{ID: t.m.ID + "/remind", Kind: "remind", Reminder: Reminder{
			ID: t.m.ID, Key: t.m.Key, At: res.At, Zone: t.zone().String(), RRule: res.RRule, Action: res.Action, Target: res.Target,
		}})
		t.text("remind.read", "at", t.stamp(res.At), "in", t.book.hours(t.lang, One(roundHours(res.At.Sub(t.m.At)))))
		return // confirm leads back to the open question
	}
	t.backToQuestion()
}

// confirm words the outcome of an effect.
func (t *turn) confirm() {
	t.reply.Act = "answer"
	switch done := t.m.Done; done.Effect.Kind {
	case "settings":
		t.settingsDone()
		return
	case "forget":
		t.forgotten()
		return
	case "remind":
		t.reminded(done)
	case "report":
		t.reported(done)
	}
	t.because("confirm")
	t.backToQuestion()
}

func (t *turn) reminded(done Done) {
	key := "remind.kept"
	if !done.OK {
		key = "remind.lost"
	}
	if t.book.has(key + "." + done.Code) { // while-running, too-many
		key += "." + done.Code
	}
	t.text(key, "at", t.stamp(done.Effect.Reminder.At))
}

// Remind words a reminder that came due.
func (a *Advisor) Remind(r Reminder, lang string, now time.Time) Reply {
	t := &turn{book: a.book, zones: a.zones, lang: lang, m: Message{At: now}}
	t.reply.Act = "answer"
	t.because("remind.due")
	action := r.Action
	if action == "" || !a.book.has("remind.due."+action) {
		action = "other"
	}
	t.text("remind.due."+action, "target", r.Target)
	if action == "release" || action == "stop" {
		t.text("remind.five")
	}
	return t.reply
}

// stamp writes an instant in the person's zone, with its distance from
// Greenwich: names such as CST mean several zones.
func (t *turn) stamp(at time.Time) string {
	at = at.In(t.zone())
	return at.Format("2006-01-02 15:04") + " (" + fromUTC(at) + ")"
}

// fromUTC is "UTC+8", "UTC-3:30" or "UTC".
func fromUTC(at time.Time) string {
	_, seconds := at.Zone()
	if seconds == 0 {
		return "UTC"
	}
	sign := "+"
	if seconds < 0 {
		sign, seconds = "-", -seconds
	}
	s := "UTC" + sign + strconv.Itoa(seconds/3600)
	if minutes := seconds / 60 % 60; minutes > 0 {
		s += fmt.Sprintf(":%02d", minutes)
	}
	return s
}

// roundHours keeps of a wait what a person would say: minutes, then tenths of an
// hour, from two days on half days.
func roundHours(d time.Duration) float64 {
	switch {
	case d < time.Hour:
		return float64(int(d.Minutes()+0.5)) / 60
	case d < 48*time.Hour:
		return float64(int(d.Hours()*10+0.5)) / 10
	}
	return 12 * float64(int(d.Hours()/12+0.5))
}

// zone is the person's time zone, China's when nobody told.
func (t *turn) zone() *time.Location {
	for _, name := range []string{t.known.Profile.Zone, t.m.Zone} {
		if loc, err := t.zones(name); name != "" && err == nil {
			return loc
		}
	}
	return china
}
