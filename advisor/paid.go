package advisor

import (
	"strings"

	"gpuadvisor/advisor/text"
)

// paid.go answers questions about a way of paying or delivery that are asked of
// the job: "can I use spot?", "包月呢". What the way means comes first, then what
// suits this job and why.

// aboutWays are the general answers to a way of renting (rules/costs.yaml).
var aboutWays = map[string]string{
	"spot": "compare.spot-ondemand", "month": "compare.hourly-monthly",
	"bare_metal": "compare.container-baremetal",
}

// asksHowPaid reports whether a text is about ways of renting and not about
// places.
func (t *turn) asksHowPaid() bool {
	if strings.HasPrefix(t.r.Topic, "platform.") {
		return false
	}
	e := t.book.listen(t.words(), Asked{Facts: &t.c.Facts})
	return e.billing() && !e.saysPlatform()
}

// paid answers it and leaves the dialogue where it was.
func (t *turn) paid() {
	t.merge()
	t.because("platform")
	t.reply.Act = "answer"
	way := t.wayNamed()
	if key := aboutWays[way]; key != "" && t.r.Topic != key {
		t.text(key)
	}
	t.generalComparison()
	d := t.book.decide(t.c.Facts, t.c.Settled, t.m.At)
	switch {
	case d == nil && aboutWays[way] == "":
		t.text("paid.task")
	case d != nil && d.stop:
		t.stopAdvice(d)
		return
	case d != nil:
		because, support := t.billReason(d)
		t.text("paid.job", "bill", t.book.say(t.lang, "bill."+d.Billing), "because", because, "support", support)
		t.sayWhatAllows(d, way)
		t.because(d.Because...)
	}
	if t.c.Asked != "" {
		t.reply.Act = "side:platform"
		t.backToQuestion()
	}
}

// wayNamed is the first way of renting that the message names, "" for none.
func (t *turn) wayNamed() string {
	for _, h := range t.book.costWords.Find(text.Normal(t.words()).Text) {
		for _, s := range h.Senses {
			if aboutWays[s.ID] != "" {
				return s.ID
			}
		}
	}
	return ""
}

// billReason is the rule that chose the way of paying, in words.
func (t *turn) billReason(d *decision) (because, support string) {
	for _, id := range d.Because {
		if strings.HasPrefix(id, "bill.") {
			return t.book.ruleText(id, t.lang)
		}
	}
	return "", ""
}

// sayWhatAllows names the answer that would make interruptible instances
// possible, when they were asked for and are not advised.
func (t *turn) sayWhatAllows(d *decision, way string) {
	if way != "spot" || d.Billing == "spot_or_hourly" {
		return
	}
	for _, c := range d.Changes {
		if c.If == "interruptible=yes" {
			t.reply.Parts = append(t.reply.Parts, Part{Kind: "text", Text: "• " + t.changeWords(c)})
		}
	}
}

// sentences joins a reason and its ground, each a sentence of its own.
func sentences(join, because, support string) string {
	because = strings.TrimRight(because, ".。 ")
	if because == "" || support == "" {
		return capital(because + support)
	}
	return capital(because) + join + capital(support)
}

// capital begins a sentence with a capital letter; Chinese has none.
func capital(s string) string {
	if s != "" && s[0] >= 'a' && s[0] <= 'z' {
		return strings.ToUpper(s[:1]) + s[1:]
	}
	return s
}
