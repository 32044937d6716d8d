package advisor

import "strings"

// admin.go is what an operator may ask of the running bot: /admin reload reads
// rules and prices again. The desk does it, and only for an operator.

// admin answers /admin.
func (t *turn) admin() {
	t.because("admin")
	t.reply.Act, t.reply.Private = "answer", true
	switch {
	case !t.m.Actor.Operator:
		t.text("admin.operators")
	case strings.EqualFold(strings.TrimSpace(t.r.Arg), "reload"):
		t.effects = append(t.effects, Effect{ID: t.m.ID + "/reload", Kind: "reload"})
	default:
		t.text("admin.how")
	}
}

// reloaded tells how it went.
func (t *turn) reloaded() {
	t.because("admin")
	t.reply.Private = true
	switch d := t.m.Done; {
	case d.OK:
		t.text("admin.reloaded", "hash", d.Code)
	case d.Code == "unsound":
		t.text("admin.unsound")
		for _, p := range d.Problems {
			t.text("admin.problem", "problem", p)
		}
		if d.More > 0 {
			t.text("admin.more", "n", d.More)
		}
	case d.Code == "embedded":
		t.text("admin.embedded")
	default:
		t.text("admin.unreadable")
	}
}
