package advisor

import (
	"strconv"
	"strings"

	"gpuadvisor/advisor/vram"
)

// lookup.go holds the short commands that look something up without a
// dialogue: the memory of one task, the facts of a card.

// vram answers "/vram qwen2.5-7b lora 4k x2": the terms as a small table, what
// would drop a class, and cards that hold it. It leaves the dialogue alone.
func (t *turn) vram() {
	t.reply.Act = "answer"
	t.because("vram")
	f := t.book.Read(t.r.Arg, Asked{}).Facts
	if !f.Task.Known() {
		f.Task = Say(taskOf(f))
	}
	d := t.book.decide(f, nil, t.m.At)
	if d == nil || d.stop || !d.sizing.byPlan {
		t.text("vram.how")
		return
	}
	t.reply.Parts = append(t.reply.Parts, Part{Kind: "heading", Text: t.understood(f)})
	t.reply.Parts = append(t.reply.Parts, Part{Kind: "table", Rows: t.termRows(d)})
	t.reply.Parts = append(t.reply.Parts, Part{Kind: "text", Text: t.vramBlock(d)}, Part{Kind: "text", Text: t.cardsBlock(d)})
	if d.best.n > 1 {
		t.reply.Parts = append(t.reply.Parts, Part{Kind: "text", Text: t.countBlock(d)})
	}
	if d.lever() != "" {
		t.text("more.lever", "lever", t.book.say(t.lang, "lever."+d.lever()))
	}
	if a := t.assumedWords(d, 8); a != "" {
		t.note("assumed", "list", a)
	}
	t.because(d.Because...)
}

// Job is the memory job that some facts describe, with the defaults of its task
// for what they leave open, which are listed as "name=value". It is what an
// advice on the same facts is computed from; false means there is no formula.
func (a *Advisor) Job(f Facts) (vram.Job, []string, bool) {
	if !f.Task.Known() {
		f.Task = Say(taskOf(f))
	}
	d := &decision{facts: f}
	task := a.book.FineTask(f)
	if task == nil {
		return vram.Job{}, nil, false
	}
	job, ok := a.book.job(d, task, a.book.model(f.Model.Value))
	var assumed []string
	for _, x := range d.assumed {
		id := x.key
		if len(x.pairs) > 1 {
			id += "=" + spell(x.pairs[1], "en")
		}
		assumed = append(assumed, id)
	}
	return job, assumed, ok
}

// taskOf is the task that a bare model and method mean.
func taskOf(f Facts) string {
	if f.Method.Known() {
		return "finetune"
	}
	return "inference"
}

// termRows lists what fills the memory of one card, largest figures as they
// come in the arithmetic, zero ones left out.
func (t *turn) termRows(d *decision) [][]string {
	terms := d.sizing.plan.Terms(d.sizing.perCopy(d.best.n))
	rows := [][]string{{t.book.say(t.lang, "vram.term"), "GiB"}}
	for _, row := range []struct {
		name  string
		bytes int64
	}{
		{"weights", terms.Weights}, {"kv", terms.KV}, {"activations", terms.Activations}, {"logits", terms.Logits},
		{"gradients", terms.Gradients}, {"optimizer", terms.Optimizer}, {"adapters", terms.Adapters}, {"context", terms.Context},
	} {
		if row.bytes >= 1<<24 {
			rows = append(rows, []string{t.book.say(t.lang, "term."+row.name), strconv.FormatFloat(float64(row.bytes)/(1<<30), 'f', 2, 64)})
		}
	}
	return rows
}

// card answers "/card 4090": facts, traps, what it is good for.
func (t *turn) card() {
	t.reply.Act = "answer"
	t.because("card")
	cards := t.book.cardsNamed(t.book.Read(t.r.Arg, Asked{}).Facts.GPUNamed.Value)
	if len(cards) == 0 {
		t.text("card.which")
		return
	}
	for _, c := range firstOf(cards, shownCards) {
		t.sayCardFacts(c)
		for _, s := range []string{c.Notes.In(t.lang), c.Good.In(t.lang)} {
			if s != "" {
				t.reply.Parts = append(t.reply.Parts, Part{Kind: "text", Text: s})
			}
		}
		t.note("card.source", "sources", strings.Join(firstOf(c.Sources, 2), "; "), "checked", c.Checked)
		t.because("card." + c.ID)
	}
}

// edit shows what was understood as a list to pick from, or asks again for the
// one that was picked.
func (t *turn) edit() {
	t.because("edit")
	if slot := t.r.Arg; t.book.asks[slot] != nil {
		t.ask(slot, nil)
		return
	}
	t.reply.Act = "answer"
	t.text("edit.which")
	for _, slot := range t.c.Facts.Said() {
		if t.book.asks[slot] == nil {
			continue
		}
		if words := t.factWords(slot, &t.c.Facts); words != "" {
			t.reply.Choices = append(t.reply.Choices, Choice{Ref: "/edit " + slot, Label: words})
		}
	}
	t.c.Options = refs(t.reply.Choices)
}

func refs(choices []Choice) []string {
	out := make([]string, len(choices))
	for i, c := range choices {
		out[i] = c.Ref
	}
	return out
}
