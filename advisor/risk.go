package advisor

import (
	"cmp"
	"slices"
	"time"

	"gpuadvisor/advisor/cost"
)

// risk.go collects the risk notes whose condition holds. Conditions are rows
// of inputs with their allowed values; the inputs are derived here, closed sets
// all.

var severities = []string{"stop", "high", "medium", "low"}

// risksOf returns the notes that hold for a decision, most severe first.
func (b *Rulebook) risksOf(d *decision, now time.Time) []*Risk {
	in := b.riskInputs(d, now)
	var out []*Risk
	for i := range b.Risks {
		if r := &b.Risks[i]; r.holds(in) {
			out = append(out, r)
		}
	}
	slices.SortStableFunc(out, func(x, y *Risk) int {
		return cmp.Compare(slices.Index(severities, x.Severity), slices.Index(severities, y.Severity))
	})
	if d.stop {
		out = slices.DeleteFunc(out, func(r *Risk) bool { return r.Severity != "stop" })
	}
	return out
}

// riskInputs are the values that conditions of notes look at: the variables of
// the chain, and the facts that only notes need.
func (b *Rulebook) riskInputs(d *decision, now time.Time) map[string]string {
	in, out := d.in, d.chain
	m := map[string]string{
		"task": in.Task.ID, "family": in.Task.Family, "duration": in.Duration, "gpus": in.GPUs, "data": in.Data,
		"compliance": in.Compliance, "integration": in.Integration, "resume": in.Resume, "need_count": in.NeedCount, "monthly": in.Monthly,
		"count": out.Count, "raised": noYes(out.Raised), "needed": out.Needed, "comm": out.Comm, "scale": out.Scale,
		"link": out.Link, "form": out.Form, "delivery": out.Form, "platform": out.Platform, "alternative": out.Alternative,
		"bill": out.Bill, "billing": out.Bill, "store": out.Store, "storage": out.Store,
		"transfer": transfer(d.facts), "price_age": b.ageOf(d, now), "audience": b.audienceClass(d.facts), "ops_staff": yesNo(d.facts.OpsStaff),
		"on_site": yesNo(d.facts.OnSite), "bulk": yesNo(d.facts.Bulk), "paced": noYes(paced(d.facts) > 0),
		"instances": instances(d.boards(), d.sizing.least), "headroom": "ok",
		"scene": scene(d.facts, in.Task, d.best.card),
	}
	if c := d.best.card; c != nil {
		m["card_link"], m["card_kind"] = cardLink(c.Card), cardKind(c.Card)
		m["headroom"] = headroom(float64(d.sizing.need(d.best.n)), float64(c.Usable()))
	}
	return m
}

// boards is how many cards the job will have: what was asked for or, for a
// service, the two instances that we advise.
func (d *decision) boards() int {
	asked := askedCards(d.facts)
	if asked == 0 && d.in.Task.Family == "serve" {
		return 2 * max(1, d.sizing.least)
	}
	return max(asked, d.best.n)
}

func noYes(v bool) string {
	if v {
		return "yes"
	}
	return "no"
}

// ageOf grades the price that the advice shows.
func (b *Rulebook) ageOf(d *decision, now time.Time) string {
	if d.best.card == nil {
		return string(cost.None)
	}
	band, ok := b.band(d.best.card.ID, d.facts, now)
	if !ok {
		return string(cost.None)
	}
	return priceAge(band.Age)
}

// holds reports whether any row of the condition is met.
func (r *Risk) holds(in map[string]string) bool {
	for _, row := range r.When {
		if meets(row, in) {
			return true
		}
	}
	return false
}

func meets(row map[string][]string, in map[string]string) bool {
	for name, values := range row {
		if !slices.Contains(values, in[name]) {
			return false
		}
	}
	return true
}
