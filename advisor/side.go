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
