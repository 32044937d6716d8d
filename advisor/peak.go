package advisor

import (
	"fmt"
	"math"
	"strings"
)

// peak.go takes a measured peak in place of an estimate and, with the person's
// leave, has the figure kept so that the formulas can be checked against it: what
// ran, on which card, how much it took and what we had said. Whose it is, where
// and in which words it was said are no part of it. The leave is asked for once
// and is a setting; without a yes nothing is kept.

// Peak is one figure that somebody measured. Empty means not said: no default
// of ours is in it.
type Peak struct {
	Day         string  `json:"day"`                  // 2026-11-30, UTC
	Domain      string  `json:"domain"`               // llm image video cv audio
	Task        string  `json:"task"`                 // inference lora qlora full-finetune pretrain train rlhf
	Model       string  `json:"model,omitempty"`      // id of the catalogue
	ParamsB     float64 `json:"params_b,omitempty"`   // billions, of a model that is not in it
	Precision   string  `json:"precision,omitempty"`  // of the weights
	Context     int     `json:"context,omitempty"`    // tokens of one sample
	Batch       int     `json:"batch,omitempty"`      // samples, or requests, at once
	Resolution  string  `json:"resolution,omitempty"` // pixels, 1024x1024
	Frames      int     `json:"frames,omitempty"`
	Card        string  `json:"card,omitempty"`  // label
	GPUs        int     `json:"gpus"`            // that shared the job
	GiB         float64 `json:"gib"`             // on one of them
	EstimateGiB float64 `json:"estimate_gib"`    // ours, for one of them
	Loose       bool    `json:"loose,omitempty"` // a setting that decides was not said: the figure judges no formula
}

// What a person has said to our keeping of their figures: Profile.Peaks.
const (
	peaksYes   = "yes"
	peaksNo    = "no"
	peaksAsked = "asked" // and has not answered, which is no yes
)

// peak takes a measured peak in place of the estimate, or the answer to whether
// such figures may be kept.
func (t *turn) peak() {
	if tick, plain := t.plainTick(strings.TrimSpace(t.r.Arg)); plain && tick.Is != "unknown" {
		t.leave(tick.Is)
		return
	}
	if !t.r.Facts.PeakGiB.Known() {
		t.reply.Act = "clarify"
		t.text("peak.how")
		return
	}
	t.merge()
	t.c.Facts.PeakGiB.From = Measured
	t.note("peak.taken", "n", number(t.c.Facts.PeakGiB.Value))
	t.goOn()
	t.keepOrAsk()
}

// keepOrAsk has the figure kept where the person lets us. Who was never asked is
// asked, unless another question is open.
func (t *turn) keepOrAsk() {
	p, ok := t.measured()
	if !ok || !t.known.KeepsPeaks || t.m.Actor.Anonymous {
		return
	}
	switch own := t.known.Own; {
	case own.Peaks == peaksYes:
		t.keepPeak(p)
	case own.Peaks == "" && t.c.Asked == "" && !t.c.Flow.asks():
		t.because("peak.ask")
		t.note("peak.ask")
		for _, ref := range []string{"peak yes", "peak no"} {
			t.reply.Choices = append(t.reply.Choices, Choice{Ref: "/" + ref, Label: t.book.say(t.lang, "choice."+labelOf(ref))})
		}
		t.c.Options = refs(t.reply.Choices)
		t.setPeaks(peaksAsked)
	}
}

// leave takes the answer: yes or no.
func (t *turn) leave(answer string) {
	t.because("peak.leave")
	t.reply.Act = "answer"
	switch {
	case t.m.Actor.Anonymous:
		t.text("settings.anonymous")
		return
	case !t.known.KeepsPeaks:
		t.text("peak.nobody")
		return
	}
	t.setPeaks(answer)
	if p, ok := t.measured(); ok && answer == peaksYes {
		t.keepPeak(p)
	}
	t.returnTo()
	t.furtherChoices("")
}

func (t *turn) setPeaks(to string) {
	next := t.known.Own
	next.Peaks = to
	t.effects = append(t.effects, Effect{ID: t.m.ID + "/peaks", Kind: "settings", Profile: next, Why: "peaks-" + to})
}

func (t *turn) keepPeak(p Peak) {
	t.effects = append(t.effects, Effect{ID: t.m.ID + "/peak", Kind: "peak", Peak: p})
}

// peaksSet words what became of the answer. That somebody was asked is between
// us and the store.
func (t *turn) peaksSet(done Done) {
	switch asked := done.Effect.Why == "peaks-"+peaksAsked; {
	case asked:
	case !done.OK:
		t.text("settings.lost")
	default:
		t.text("peak.set." + done.Effect.Profile.Peaks)
	}
}

// peakKept tells that a figure was kept.
func (t *turn) peakKept(done Done) {
	if !done.OK {
		t.note("peak.lost")
		return
	}
	t.note("peak.kept", "what", t.peakWords(done.Effect.Peak))
}

// peakWords is a figure as it is kept, all of it.
func (t *turn) peakWords(p Peak) string {
	model := p.Model
	if model == "" {
		model = number(p.ParamsB) + "B"
	}
	words := []string{model, p.Task}
	for _, w := range []string{p.Precision, p.Resolution, p.Card} {
		if w != "" {
			words = append(words, w)
		}
	}
	for _, n := range []struct {
		key string
		n   int
	}{{"context", p.Context}, {"batch", p.Batch}, {"frames", p.Frames}, {"gpus", p.GPUs}} {
		if n.n > 0 {
			words = append(words, t.book.say(t.lang, "peak."+n.key, "n", n.n))
		}
	}
	return strings.Join(append(words, number(p.GiB)+" GiB", t.book.say(t.lang, "peak.estimate", "n", gib(p.EstimateGiB)), p.Day), " · ")
}

// measured is the figure of the dialogue as it would be kept: what was said of
// the job, and what the formula makes of it. It reports false when nothing was
// measured, or no formula is there to be checked.
func (t *turn) measured() (Peak, bool) {
	f := &t.c.Facts
	if f.PeakGiB.From != Measured || !f.Task.Known() || !f.Model.Known() && !f.ParamsB.Known() {
		return Peak{}, false
	}
	task := t.book.FineTask(*f)
	d := &decision{facts: *f, quiet: true}
	d.facts.Forget("peak_gib")
	job, ok := t.book.job(d, task, t.book.model(f.Model.Value))
	plan := job.Plan()
	if !ok || !plan.OK() {
		return Peak{}, false
	}
	p := Peak{Day: t.m.At.UTC().Format("2006-01-02"), GiB: f.PeakGiB.Value, GPUs: t.book.measuredOn(&decision{facts: *f}, task), Loose: d.guesses > 0}
	p.Domain, p.Task = job.Kind()
	_, peak, _ := plan.Numbers(p.GPUs)
	p.EstimateGiB = math.Round(float64(peak)/(1<<30)*100) / 100
	t.book.saidOf(&p, f)
	return p, true
}

// saidOf fills in what was said of the job.
func (b *Rulebook) saidOf(p *Peak, f *Facts) {
	if m := b.model(f.Model.Value); m != nil {
		p.Model = m.ID
	} else {
		p.ParamsB = f.ParamsB.Value
	}
	p.Precision = f.Precision.Value
	p.Context, p.Frames = int(f.ContextLen.Value), int(f.Frames.Value)
	p.Batch = int(max(f.Batch.Value, f.Concurrency.Value))
	if r := f.Resolution.Value; r.W > 0 {
		p.Resolution = fmt.Sprintf("%dx%d", r.W, r.H)
	}
	if cards := b.cardsNamed(f.GPUNamed.Value); len(cards) == 1 {
		p.Card = cards[0].Label
	}
}
