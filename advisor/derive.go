package advisor

import (
	"slices"

	"gpuadvisor/advisor/cost"
	"gpuadvisor/advisor/table"
	"gpuadvisor/advisor/vram"
)

// derive.go turns facts into the closed inputs of the tables. Tables know only
// equality; whatever takes a comparison or a formula is computed here, one
// function for each input, each with a closed set of values. Edges belong to
// the lower class unless a comment says otherwise.
//
// The tables work on what was said. A default of ours stays "dk" here, because
// the tables have rows of their own for not knowing, and those are careful: a
// duration that we assumed must not open the door to a marketplace.

// The values of ordered inputs, from less to more. Not knowing is dk.
var (
	durationOrder = []string{"h2", "hours", "days", "weeks", "months", "always"}
	countOrder    = []string{"one", "few", "eight", "nodes"}
	dataOrder     = []string{"s", "m", "l", "xl", "xxl"}
	sizeOrder     = []string{"s", "m", "l", "xl"}
)

const dontKnow = "dk"

// Upper ends of the classes.
var (
	durationEnds = []float64{2, 24, 168}       // hours; up to a month (exclusive) are weeks
	countEnds    = []float64{1, 4, 8}          // cards; more are several machines
	dataEnds     = []float64{100, 1000, 10000} // decimal GB, above the first class
	sizeEnds     = []float64{10, 40, 110}      // billions of parameters
	imageEnds    = []float64{1.5, 5}           // the same, of image models: SD1.5 has 0.9, SDXL 2.6, Flux 12
)

const (
	hoursPerMonth = 720 // from here on it is months
	smallData     = 10  // decimal GB; below it is class s
	crowd         = 50  // requests at once that make an inference a service
)

// class is the place of v among upper ends that belong to their class.
func class(v float64, ends []float64) int {
	i := 0
	for i < len(ends) && v > ends[i] {
		i++
	}
	return i
}

// durationClass is h2, hours, days, weeks, months, always or dk. A range counts
// by its upper end.
func durationClass(f Facts) string {
	switch {
	case f.AlwaysOn.IsSaid() && f.AlwaysOn.Value:
		return "always"
	case !f.DurationHours.IsSaid():
		return dontKnow
	}
	return durationOf(f.DurationHours.Value.Hi)
}

func durationOf(hours float64) string {
	if hours >= hoursPerMonth {
		return "months"
	}
	return durationOrder[class(hours, durationEnds)]
}

// gpusClass is how many cards were asked for: one, few, eight, nodes or dk.
func gpusClass(f Facts) string {
	if !f.GPUs.IsSaid() {
		return dontKnow
	}
	return countClass(f.GPUs.Value.Most())
}

// countClass is the class of n cards: one, few (2–4), eight (5–8), nodes.
func countClass(n int) string { return countOrder[class(float64(n), countEnds)] }

// dataClass is s, m, l, xl, xxl or dk.
func dataClass(f Facts) string {
	if !f.DataGB.IsSaid() {
		return dontKnow
	}
	return dataOf(f.DataGB.Value)
}

func dataOf(gb float64) string {
	if gb < smallData {
		return "s"
	}
	return dataOrder[1+class(gb, dataEnds)]
}

// complianceClass is none, regulated, xinchuang, secret or dk. A requirement
// without its kind counts as regulated. Whoever wants domestic boards finds them
// where those are who must have them.
func complianceClass(f Facts) string {
	switch {
	case domesticOnly(&f) && f.ComplianceKind.Value != "secret":
		return "xinchuang"
	case f.ComplianceKind.IsSaid():
		return f.ComplianceKind.Value
	case f.Compliance.IsSaid() && f.Compliance.Value:
		return "regulated"
	case f.Compliance.IsSaid():
		return "none"
	}
	return dontKnow
}

// domesticOnly reports whether no foreign board will do.
func domesticOnly(f *Facts) bool {
	return f.ComplianceKind.Value == "xinchuang" || f.Domestic.Value
}

// yesNo is a said yes or no, or dk: the inputs resume, integration, ops_staff, on_site, bulk.
func yesNo(f Fact[bool]) string {
	switch {
	case !f.IsSaid():
		return dontKnow
	case f.Value:
		return "yes"
	}
	return "no"
}

// audienceClass is person, uni, smb, gov or dk.
func (b *Rulebook) audienceClass(f Facts) string {
	i := slices.IndexFunc(b.Audiences, func(a Audience) bool { return a.ID == f.Audience.Value })
	if !f.Audience.IsSaid() || i < 0 {
		return dontKnow
	}
	return b.Audiences[i].Class
}

// FineTask is the kind of job that the tables know (table "task"), or nil while
// not even the coarse task is known.
func (b *Rulebook) FineTask(f Facts) *Task {
	if !f.Task.Known() || b.chain == nil {
		return nil
	}
	model := b.models[f.Model.Value]
	if model != nil && b.models[model.Default] != nil && model.ParamsB == 0 {
		model = b.models[model.Default]
	}
	return b.chain.fineTask(f.Task.Value, variantOf(f, model), likelyMethod(f), sizeClass(f, model), servingClass(f))
}

// likelyMethod is the method as said, or what the way of splitting over cards
// is there for.
func likelyMethod(f Facts) string {
	if !f.Method.Known() && f.Sharded.Value {
		return "full"
	}
	return f.Method.Or(dontKnow)
}

// variantOf is the word that picks the fine task: what was said, else what
// naming the model implies, else what kind of model it is.
func variantOf(f Facts, m *Model) string {
	switch {
	case f.Variant.Known():
		return f.Variant.Value
	case m == nil:
		return "none"
	case m.Variant != "":
		return m.Variant
	case m.Role == "encoder" || m.Domain == "tabular":
		return "nlp"
	case m.Domain == "image" && m.ParamsB > 0:
		return []string{"sd15", "sdxl", "flux"}[class(m.ParamsB, imageEnds)]
	}
	return "none"
}

// sizeClass is s, m, l, xl or dk, by the figure in the name.
func sizeClass(f Facts, m *Model) string {
	switch {
	case f.ParamsB.Known():
		return sizeOrder[class(f.ParamsB.Value, sizeEnds)]
	case m != nil && m.ParamsB > 0:
		return sizeOrder[class(m.ParamsB, sizeEnds)]
	}
	return dontKnow
}

// servingClass is yes for a service that others depend on: it is said, or many
// come at once, or a company cannot have it stop.
func servingClass(f Facts) string {
	company := f.Audience.Value == "smb" || f.Audience.Value == "enterprise"
	if f.Serving.Value || f.Concurrency.Known() && f.Concurrency.Value >= crowd || company && f.Interruptible.IsSaid() && !f.Interruptible.Value {
		return "yes"
	}
	return "no"
}

// The inputs that follow from other inputs. The certificate tabulates them, so
// they must be total over their closed sets.

// commOf is how much the cards talk: what the task says, but high when one copy
// of the model has to be split. Without an estimate (fromTask) nobody knows of
// a split, so the task's word stands.
func commOf(own, needCount string) string {
	if needCount == fromTask || needCount == "one" {
		return own
	}
	return "high"
}

// fromTask is the value of need_count without a memory estimate.
const fromTask = "task"

// neededOf is the count that one job takes: the estimate's, else the task's.
func neededOf(needCount, own string) string {
	if needCount == fromTask {
		return own
	}
	return needCount
}

// cmpOf compares the count that was asked for with the one that is needed.
func cmpOf(asked, needed string) string {
	a, n := slices.Index(countOrder, asked), slices.Index(countOrder, needed)
	switch {
	case a < 0:
		return dontKnow
	case a < n:
		return "lt"
	case a > n:
		return "gt"
	}
	return "eq"
}

// countOf is the count that the table decided to take. Not knowing what was
// asked, only the needed one is there to take.
func countOf(take, asked, needed string) string {
	if take == "asked" && asked != dontKnow {
		return asked
	}
	return needed
}

// scaleOf is the size of one job: independent jobs are a farm of single cards,
// each of which can be a cheap instance of its own. The cards of a service
// belong together even when they do not talk.
func scaleOf(comm, family, count string) string {
	if comm == "none" && family != "serve" {
		return "one"
	}
	return count
}

// unlessStopped suppresses what follows from a platform when none is advised.
func unlessStopped(platform, then string) string {
	if platform == "none" {
		return "none"
	}
	return then
}

// The inputs that only risk notes look at.

// headroom is tight when the need fills more than 90 % of the usable memory of
// a card; both in GiB.
func headroom(need, usable float64) string {
	if need > 0.9*usable {
		return "tight"
	}
	return "ok"
}

// defaultMbps is the line we assume for uploads, Mbit/s.
const defaultMbps = 100

// transfer is dominates when uploading the data takes longer than the run, fine
// otherwise and while either is unknown.
func transfer(f Facts) string {
	if !f.DataGB.Known() || !f.DurationHours.Known() || f.AlwaysOn.Value {
		return string(cost.TransferFine)
	}
	upload, err := cost.UploadHours(f.DataGB.Value, f.UploadMbps.Or(defaultMbps), cost.Efficiency)
	if err != nil {
		return string(cost.TransferFine)
	}
	return string(cost.TransferOf(upload, f.DurationHours.Value.Hi))
}

// priceAge is fresh, ageing, stale or none (no price at all).
func priceAge(age cost.Age) string {
	if age == "" {
		return string(cost.None)
	}
	return string(age)
}

// cardLink is nvlink or none.
func cardLink(c vram.Card) string {
	if c.NVLink == "bridge" || c.NVLink == "nvswitch" {
		return "nvlink"
	}
	return "none"
}

// cardKind is consumer, workstation, datacentre or domestic.
func cardKind(c vram.Card) string {
	switch c.Class {
	case "consumer", "workstation", "domestic":
		return c.Class
	}
	return "datacentre"
}

// scene is exceeds when the files of a picture are more than a card has memory,
// fits otherwise and while either is unknown.
func scene(f Facts, task *Task, c *Card) string {
	if task.Family == "render" && c != nil && f.DataGB.IsSaid() && f.DataGB.Value > c.VRAMGB {
		return "exceeds"
	}
	return "fits"
}

// instances is more when the cards hold at least two copies of the job.
func instances(cards, perCopy int) string {
	if cards >= 2*max(1, perCopy) {
		return "more"
	}
	return "one"
}

// noteInputs are the closed sets of the inputs that only risk notes look at.
var noteInputs = []table.Column{
	{Name: "headroom", Values: []string{"ok", "tight"}},
	{Name: "transfer", Values: []string{"fine", "dominates"}},
	{Name: "price_age", Values: []string{"fresh", "ageing", "stale", "none"}},
	{Name: "card_link", Values: []string{"nvlink", "none"}},
	{Name: "card_kind", Values: []string{"consumer", "workstation", "datacentre", "domestic"}},
	{Name: "instances", Values: []string{"one", "more"}},
	{Name: "scene", Values: []string{"fits", "exceeds"}},
	{Name: "audience", Values: []string{"person", "uni", "smb", "gov", dontKnow}},
	{Name: "ops_staff", Values: []string{"yes", "no", dontKnow}},
	{Name: "on_site", Values: []string{"yes", "no", dontKnow}},
	{Name: "paced", Values: []string{"yes", "no"}},
	{Name: "bulk", Values: []string{"yes", "no", dontKnow}},
}
