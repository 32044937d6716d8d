package advisor

import (
	"slices"
	"time"
)

// decision is everything decided about one set of facts, free of language: the
// Advice of the contract and what the voice needs besides.
type decision struct {
	Advice
	facts            Facts // said, and assumed where nobody said anything
	sizing           sizing
	in               ChainIn
	chain            ChainOut
	assumed          []assumed
	risks            []*Risk // all that hold, most severe first
	sized            bool    // the demand comes from a model or a size, not from the task's default
	precisionMatters bool
	stop             bool      // no rental advice at all
	dominant         string    // largest term of the estimate
	best             candidate // the first card
	guesses          int       // how many defaults stand in
	quiet            bool      // a counterfactual: nothing is to be said about it
	roomier          bool      // the class is that which such jobs usually take, above what holds this one
	countKind        string    // how the count came about: one asked need usual raised farm
	next             string    // which next step to advise
}

// assumed is a default that stands in, with what the voice needs to say it.
type assumed struct {
	key   string
	pairs []any
}

// decide works out the advice for what is known. It returns nil while not even
// the task is known. Settled slots are those answered with "don't know".
func (b *Rulebook) decide(f Facts, settled []string, now time.Time) *decision {
	d := &decision{facts: f}
	if !b.core(d, settled, now) {
		return nil
	}
	b.pickAll(d)
	d.Provisional = b.isProvisional(f, settled, d)
	d.risks = b.risksOf(d, now)
	for _, r := range d.risks {
		d.Risks = append(d.Risks, r.ID)
	}
	if d.stop {
		return d
	}
	d.Rejected = b.rejected(d)
	d.Cost = b.costOf(d, now)
	d.Changes = b.counterfactuals(d, settled, now)
	d.Confidence = confidence(d, settled)
	return d
}

// withoutTask decides kind of platform, form and billing for somebody who asks
// about those before naming a task. It names no card: the task decides that.
func (b *Rulebook) withoutTask(c Conversation) *decision {
	if c.Intent != "platform" && c.Intent != "compare" && len(c.Facts.Said()) == 0 {
		return nil
	}
	d := &decision{facts: c.Facts}
	if !b.core(d, append(slices.Clip(c.Settled), "task"), c.At) {
		return nil
	}
	d.ClassGiB, d.best, d.Provisional, d.Confidence = 0, candidate{}, true, "none"
	return d
}

// core decides the first card, count, form, platform and billing: what a
// counterfactual compares. It is the hot path, run about fifty times for an
// answer, and reports false while nothing can be decided.
func (b *Rulebook) core(d *decision, settled []string, now time.Time) bool {
	f := &d.facts
	b.assumeTask(d)
	task := b.FineTask(*f)
	if task == nil && !slices.Contains(settled, "task") && !f.Model.Known() && !f.ParamsB.Known() {
		return false
	}
	if task == nil {
		task = b.tasks["other"]
	}
	d.Task = task.ID
	if f.ComplianceKind.Value == "secret" {
		d.stopAll(b.chainOf(d, task, now))
		return true
	}
	d.Scope = "card"
	d.sizing = b.size(d, task)
	b.pickBest(d)
	d.setChain(b.chainOf(d, task, now))
	d.precisionMatters = precisionMatters(d)
	d.next = nextStep(d)
	return true
}

// usualTask is what most people do with a model of a domain: the least that it
// asks of a card, until the task is said.
var usualTask = map[string]string{
	"llm": "inference", "image": "image-gen", "video": "video-gen", "audio": "speech", "cv": "cv-train",
	"render": "render", "simulation": "simulation", "tabular": "train",
}

// assumeTask lets the model tell the task while nobody has; the question for
// the task stays open.
func (b *Rulebook) assumeTask(d *decision) {
	f := &d.facts
	if f.Task.Known() {
		return
	}
	task := ""
	if m := b.model(f.Model.Value); m != nil {
		task = usualTask[m.Domain]
	} else if f.ParamsB.Known() {
		task = "inference"
	}
	if task != "" {
		f.Task = Assume(task)
		d.assume("activity", "v", b.Phrases["fact.task."+task])
	}
}

// stopAll suppresses everything: state secrets are not for rented machines.
func (d *decision) stopAll(c ChainOut) {
	d.stop, d.chain = true, c
	d.Platform = []string{"none"}
	d.Link, d.Delivery, d.Billing = "not_needed", "none", "none"
	d.Confidence, d.Scope = "none", "card"
	d.Because = c.Because
}

func (d *decision) setChain(c ChainOut) {
	d.chain = c
	d.Platform = []string{c.Platform}
	if c.Alternative != "" && c.Alternative != "none" && c.Alternative != c.Platform {
		d.Platform = append(d.Platform, c.Alternative)
	}
	d.Link, d.Delivery, d.Billing = c.Link, c.Form, c.Bill
	d.Because = append(d.Because, c.Because...)
}

// chainOf runs the tables on the closed inputs derived from the facts.
func (b *Rulebook) chainOf(d *decision, task *Task, now time.Time) ChainOut {
	need := ""
	if d.sized && d.best.card != nil {
		need = countClass(max(d.sizing.least, d.sizing.floor))
	}
	d.in = ChainIn{
		Task:        task,
		Duration:    durationClass(d.facts),
		GPUs:        gpusClass(d.facts),
		Data:        dataClass(d.facts),
		Compliance:  complianceClass(d.facts),
		Integration: yesNo(d.facts.Integration),
		Resume:      yesNo(d.facts.Interruptible),
		NeedCount:   need,
		Monthly:     b.monthly(d, now),
	}
	return b.Chain(d.in)
}

// precisionMatters reports whether a lower precision would let another class of
// card do: asked only when the demand is beyond the common 24 GB card.
func precisionMatters(d *decision) bool {
	if d.facts.Precision.IsSaid() || !d.sizing.byPlan {
		return false
	}
	load, _, _ := d.sizing.plan.Numbers(1)
	return load > commonCard
}

// commonCard is what the cards can use that nearly every place rents, bytes:
// those with 24 GB.
const commonCard = 22 << 30

// confidence is defined, not felt: high when the peak was measured and nothing
// was assumed; low from two "don't know" on.
func confidence(d *decision, settled []string) string {
	unknown := len(settled)
	switch {
	case d.Task == "other" && !d.sized:
		return "none"
	case d.Task == "other" || unknown >= 2:
		return "low"
	case d.facts.PeakGiB.IsSaid() && len(d.assumed) == 0:
		return "high"
	}
	return "medium"
}

// isProvisional reports whether a required answer is still open.
func (b *Rulebook) isProvisional(f Facts, settled []string, d *decision) bool {
	return len(b.missing(f, settled, d)) > 0
}

// nextStep names the step to advise: the short trial, the two-stage plan, or
// the interconnect questions.
func nextStep(d *decision) string {
	switch {
	case d.Delivery == "bare_metal" || d.Delivery == "cluster":
		return "stages"
	case d.facts.PeakGiB.IsSaid():
		return "rent"
	}
	return "trial"
}

// public is the Advice with empty lists instead of nulls.
func (d *decision) public() *Advice {
	a := d.Advice
	a.Cards = notNil(a.Cards)
	a.Rejected = notNil(a.Rejected)
	a.Risks = notNil(a.Risks)
	a.Assumptions = notNil(a.Assumptions)
	a.Changes = notNil(a.Changes)
	a.Because = notNil(a.Because)
	return &a
}

func notNil[T any](s []T) []T {
	if s == nil {
		return []T{}
	}
	return s
}
