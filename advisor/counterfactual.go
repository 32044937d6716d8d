package advisor

import (
	"cmp"
	"slices"
	"strings"
	"time"
)

// counterfactual.go answers "what would change this?": every single answer is
// changed to every other value, the whole decision is made again, and the
// changes that move card, platform, form or billing are kept. The search is
// exhaustive over the closed answers, so nothing is sampled or guessed.

// variant is one changed answer. Near ones are more plausible and come first.
type variant struct {
	slot, value string
	far         int
	set         func(*Facts)
}

// variants lists the other values of each answer of f.
func variants(f Facts) []variant {
	var out []variant
	add := func(slot, value string, far int, set func(*Facts)) {
		out = append(out, variant{slot, value, far, set})
	}
	addTraining(f, add)
	addServing(f, add)
	addDurations(f, add)
	addCounts(f, add)
	for i, gb := range []float64{5, 50, 500, 5000, 20000} {
		if class := dataOf(gb); class != dataClass(f) {
			add("data_gb", number(gb), 2+i, func(f *Facts) { f.DataGB = Say(gb) })
		}
	}
	if !f.Interruptible.Value {
		add("interruptible", "yes", 1, func(f *Facts) { f.Interruptible = Say(true) })
	} else {
		add("interruptible", "no", 1, func(f *Facts) { f.Interruptible = Say(false) })
	}
	if !f.Integration.Value {
		add("integration", "yes", 2, func(f *Facts) { f.Integration = Say(true) })
	}
	for i, k := range []string{"regulated", "xinchuang"} {
		if f.ComplianceKind.Value != k {
			add("compliance_kind", k, 2+i, func(f *Facts) { f.ComplianceKind, f.Compliance = Say(k), Say(true) })
		}
	}
	return out
}

func addTraining(f Facts, add func(string, string, int, func(*Facts))) {
	t := f.Task.Value
	if t != "finetune" && t != "image-train" {
		return
	}
	for i, m := range []string{"qlora", "lora", "full"} {
		if m != f.Method.Value {
			add("method", m, 1+i%2, func(f *Facts) { f.Method = Say(m) })
		}
	}
	for i, n := range []float64{2048, 8192} {
		if t == "finetune" && f.ContextLen.Or(512) < n {
			add("context_len", number(n), 1+i, func(f *Facts) { f.ContextLen = Say(n) })
		}
	}
}

func addServing(f Facts, add func(string, string, int, func(*Facts))) {
	if f.Task.Value != "inference" {
		return
	}
	for i, p := range []string{"int4", "int8", "fp16"} {
		if p != f.Precision.Value {
			add("precision", p, 1+i%2, func(f *Facts) { f.Precision = Say(p) })
		}
	}
	for i, n := range []float64{8, 50, 200} {
		if f.Concurrency.Or(1) < n {
			add("concurrency", number(n), 2+i, func(f *Facts) { f.Concurrency = Say(n) })
		}
	}
	for i, n := range []float64{32768, 131072} {
		if f.ContextLen.Or(8192) < n {
			add("context_len", number(n), 2+i, func(f *Facts) { f.ContextLen = Say(n) })
		}
	}
}

func addDurations(f Facts, add func(string, string, int, func(*Facts))) {
	now := slices.Index(durationOrder, durationClass(f))
	for i, h := range []float64{2, 12, 72, 336, 1440} {
		if i != now {
			add("duration_hours", number(h), 1+distance(i, now), func(f *Facts) { f.DurationHours, f.AlwaysOn = Say(One(h)), Fact[bool]{} })
		}
	}
	if !f.AlwaysOn.Value {
		add("always_on", "yes", 1+distance(5, now), func(f *Facts) { f.AlwaysOn = Say(true) })
	}
}

func addCounts(f Facts, add func(string, string, int, func(*Facts))) {
	now := slices.Index(countOrder, gpusClass(f))
	for i, n := range []int{1, 4, 8, 16} {
		if i != now {
			add("gpus", number(float64(n)), 1+distance(i, now), func(f *Facts) {
				f.GPUs = Say(Cards(n))
				f.withoutCounts()
			})
		}
	}
}

func distance(a, b int) int {
	if b < 0 {
		return 1
	}
	return max(a-b, b-a)
}

// counterfactuals returns the changes worth telling, most plausible first and
// at most one per answer.
func (b *Rulebook) counterfactuals(d *decision, settled []string, now time.Time) []Change {
	type found struct {
		Change
		far, weight int
	}
	var all []found
	said := d.facts.saidOnly()
	for _, v := range variants(said) {
		other := &decision{facts: said, quiet: true}
		v.set(&other.facts)
		if slices.Contains(measuredWith, v.slot) {
			other.facts.Forget("peak_gib") // it was measured with the old answer
		}
		if !b.core(other, settled, now) {
			continue
		}
		then, weight := difference(d, other)
		if v.slot == "gpus" && weight == 4 && (other.best.card == d.best.card || other.best.n > askedCards(other.facts)) {
			continue // more of the same card is what was asked for, not news, and what one card does not hold is none
		}
		if weight > 0 {
			all = append(all, found{Change{v.slot + "=" + v.value, then}, v.far, weight})
		}
	}
	slices.SortStableFunc(all, func(x, y found) int { return cmp.Or(cmp.Compare(x.far, y.far), cmp.Compare(y.weight, x.weight)) })
	var out []Change
	told := map[string]bool{}
	for _, c := range all {
		slot, _, _ := strings.Cut(c.If, "=")
		if !told[slot] {
			told[slot] = true
			out = append(out, c.Change)
		}
	}
	return out
}

// difference says what another decision has instead: the heaviest difference
// first. A weight of 0 is no difference that matters.
func difference(d, other *decision) (string, int) {
	switch {
	case other == nil:
		return "", 0
	case other.stop != d.stop:
		return "platform=none", 4
	case other.best.card == nil || d.best.card == nil:
		return "", 0
	case label(other.best.card, other.best.n) != label(d.best.card, d.best.n):
		return label(other.best.card, other.best.n), 4
	case other.Platform[0] != d.Platform[0]:
		return "platform=" + other.Platform[0], 3
	case other.Delivery != d.Delivery:
		return "delivery=" + other.Delivery, 2
	case other.Billing != d.Billing:
		return "billing=" + other.Billing, 1
	}
	return "", 0
}

// firstLabel is the first card's label, "" when there is none.
func firstLabel(d *decision) string {
	if len(d.Cards) == 0 {
		return ""
	}
	return d.Cards[0].Label
}

// saidOnly is the facts without our own defaults.
func (f Facts) saidOnly() Facts {
	for _, s := range slots {
		if *s.from(&f) == Assumed {
			f.Forget(s.name)
		}
	}
	return f
}
