package advisor

import (
	"strings"
)

// side.go holds the short flows beside the advice: which kind of platform, a
// checklist, a fault; what it costs has files of its own (costs.go). Inside a dialogue they answer and lead back
// to the open question.

// platform says which category of platform suits, and by which traits to tell
// one: never a ranking, never a vendor first.
func (t *turn) platform() {
	aside := t.c.Asked != ""
	t.merge()
	if !aside {
		t.c.Intent = "platform"
	}
	d := t.book.decide(t.c.Facts, t.c.Settled, t.m.At)
	if d == nil {
		d = t.book.withoutTask(t.c)
	}
	t.because("platform")
	if strings.HasPrefix(t.r.Topic, "platform.") {
		t.text(t.r.Topic)
	}
	if d.stop {
		t.stopAdvice(d)
		return
	}
	t.reply.Parts = append(t.reply.Parts, Part{Kind: "text", Text: t.platformBlock(d)})
	if p := t.book.platformByID(d.Platform[0]); p != nil {
		for _, trait := range p.Traits {
			t.reply.Parts = append(t.reply.Parts, Part{Kind: "text", Text: "• " + trait.In(t.lang)})
		}
	}
	t.sayAudience(d)
	t.note("platforms.neutral")
	t.because(d.Because...)
	t.reply.Act = "answer"
	if aside {
		t.reply.Act = "side:platform"
		t.backToQuestion()
	}
}

func (b *Rulebook) platformByID(id string) *Platform {
	for i := range b.Platforms {
		if b.Platforms[i].ID == id {
			return &b.Platforms[i]
		}
	}
	return nil
}

// checklist prints the list that was asked for.
func (t *turn) checklist() {
	t.reply.Act = "answer"
	t.because("checklist")
	l := t.book.checklist(t.r.Arg)
	if l == nil {
		return
	}
	t.reply.Parts = append(t.reply.Parts, Part{Kind: "heading", Text: l.Title.In(t.lang)})
	var lines []string
	for i, item := range l.Items {
		lines = append(lines, number(float64(i+1))+". "+item.Ask.In(t.lang))
	}
	t.reply.Parts = append(t.reply.Parts, Part{Kind: "text", Text: strings.Join(lines, "\n")})
	t.backToQuestion()
}

// checklist finds a list by id; the one for before renting is the default.
func (b *Rulebook) checklist(id string) *Checklist {
	var first *Checklist
	for i := range b.Checklists {
		l := &b.Checklists[i]
		if l.ID == id {
			return l
		}
		if l.ID == "before-renting" {
			first = l
		}
	}
	return first
}

// diagnose answers a fault. When it is about a card that is too small, sizing
// answers; when the card is idle, the data loading is looked at first.
func (t *turn) diagnose() {
	t.merge()
	t.c.Intent = "recommend"
	t.reply.Act = "answer"
	t.because("diagnose")
	if strings.HasPrefix(t.r.Topic, "diagnose.") {
		t.text(t.r.Topic)
	} else {
		t.text("diagnose.send")
	}
	d := t.book.decide(t.c.Facts, t.c.Settled, t.m.At)
	if d == nil || d.stop || len(d.Cards) == 0 {
		return
	}
	t.c.Answered = true
	t.sayProvisional(d)
	t.because(d.Because...)
}

// stopAdvice is the answer for state secrets: no platform, no card, no price.
func (t *turn) stopAdvice(d *decision) {
	t.c.Asked, t.c.Options = "", nil
	t.c.Answered = true
	t.reply.Act = "answer"
	t.heading("stop.title")
	t.text("stop.text")
	t.because(d.Because...)
	t.because("stop")
}
