package advisor

import (
	"cmp"
	"math"
	"slices"
	"strconv"
	"strings"

	"gpuadvisor/advisor/vram"
)

// size.go turns facts into a demand for memory: from a formula where the model
// or its size is known, from published figures where there is no formula, from
// the task's default otherwise. Each default that stands in is remembered, to
// be said aloud.

// oneMachine is the most cards that a machine has, as a rule.
const oneMachine = 8

// sizing is the demand of one job on each card it runs on.
type sizing struct {
	plan     vram.Plan // the formula, when there is one
	byPlan   bool
	typical  int64 // bytes per card from documents, when there is none
	wants    []string
	shards   bool // the cards share one copy of the model
	talks    bool // and must talk fast to do it
	sized    bool
	copies   int      // instances that the users are spread over, each on its own boards
	atLeast  int64    // bytes per card below which renting makes no sense, or that another use of it takes
	ran      int64    // bytes that were measured
	ranOn    []string // ids of the cards that this was on, which hold it with or without a reserve
	pace     int      // cards that are busy all day with the pieces of a day, each by itself
	floor    int      // cards that end the job in reasonable time, said aloud
	least    int      // cards that the first choice takes
	dominant string
}

// size works out the demand of the facts, and fills d.assumed.
func (b *Rulebook) size(d *decision, task *Task) sizing {
	model := b.model(d.facts.Model.Value)
	s := sizing{wants: b.wants(d.facts, task, model), floor: 1}
	if model != nil && model.Need != nil && !d.facts.Resolution.Known() {
		s.typical, s.sized = model.Need.of(d.facts).bytes(), true
	}
	if s.typical == 0 { // published figures need no settings of ours
		b.byFormula(d, task, model, &s)
	}
	if !s.shards {
		s.pace = paced(d.facts)
	}
	if !s.byPlan && s.typical == 0 {
		s.typical = int64(task.NeedGiB * (1 << 30))
		s.sized = d.facts.Task.Value == "learn"
		d.assume("task", "v", task.Title)
	}
	if d.facts.PeakGiB.IsSaid() {
		b.takePeak(d, &s)
	} else {
		s.atLeast = max(s.atLeast, b.alsoServed(d, int64(task.Defaults.FloorGiB*(1<<30))))
	}
	if domesticOnly(&d.facts) { // a wish for a larger board than there is would leave none at all
		s.atLeast = min(s.atLeast, b.largestDomestic)
	}
	if s.byPlan && s.plan.Need(1) < s.atLeast {
		d.assume("floor", "n", gib(float64(s.atLeast)/(1<<30)))
	}
	return s
}

// byFormula works the demand out by the formula, where there is something to compute
// from.
func (b *Rulebook) byFormula(d *decision, task *Task, model *Model, s *sizing) {
	job, ok := b.job(d, task, model)
	if !ok {
		return
	}
	s.plan, s.copies = d.instances(&job)
	s.byPlan, s.sized = s.plan.OK(), s.plan.OK()
	s.shards = sharded(d.facts, task) || s.byPlan && d.facts.Task.Value == "image-train" && s.plan.Need(1) > servers[0].bytes
	s.talks = s.shards && task.Comm == "high"
	s.floor, s.atLeast = d.assumeCards(task, job)
}

// takePeak takes what was measured: as the demand where there is no formula, and
// as what the cards named are known to hold.
func (b *Rulebook) takePeak(d *decision, s *sizing) {
	s.ran = int64(d.facts.PeakGiB.Value * (1 << 30))
	if !s.byPlan {
		s.typical, s.sized = int64(d.facts.PeakGiB.Value*measuredReserve*(1<<30)), true
	}
	s.ranOn = b.idsNamed(d.facts.GPUNamed.Value)
}

// idsNamed are the ids of named cards.
func (b *Rulebook) idsNamed(named []Named) []string {
	var ids []string
	for _, c := range b.cardsNamed(named) {
		ids = append(ids, c.ID)
	}
	return ids
}

// paced is how many cards are busy all day with the pieces of a day, 0 when it
// is not said how many or how long each takes.
func paced(f Facts) int {
	if !f.Daily.Known() || !f.PieceHours.Known() {
		return 0
	}
	return int(min(math.Ceil(f.Daily.Value*f.PieceHours.Value/24-1e-9), mostBoards))
}

// alsoServed is the demand of serving the model that is tuned, when the same
// card is to do both.
func (b *Rulebook) alsoServed(d *decision, least int64) int64 {
	if d.facts.Task.Value != "finetune" || !d.facts.Concurrency.Known() {
		return least
	}
	other := &decision{facts: d.facts, quiet: true}
	other.facts.Task = Say("inference")
	other.facts.Method = Fact[string]{}
	task := b.FineTask(other.facts)
	if job, ok := b.job(other, task, b.model(d.facts.Model.Value)); ok {
		plan := job.Plan()
		return max(least, plan.Need(1))
	}
	return least
}

// instance is a machine, or a few, that hold one copy of a model.
type instance struct {
	boards int
	bytes  int64 // on each board that a job may use
}

// The instances that we advise for serving, smallest first: eight boards of
// 80, 96 and 141 GB, then two and four such machines. More users than one holds
// are spread over several, because the cache of one copy cannot be split over
// more boards than the model has heads.
var servers = []instance{{8, 78 << 30}, {8, 92 << 30}, {8, 138 << 30}, {16, 138 << 30}, {32, 138 << 30}}

const mostCopies = 64

// instances plans a job, spread over as many instances as its users take.
func (d *decision) instances(job *vram.Job) (vram.Plan, int) {
	all := job.Concurrency
	plan, copies := job.Plan(), 1
	if d.facts.Task.Value != "inference" || all <= 1 || plan.Need(servers[0].boards) <= servers[0].bytes {
		return plan, copies
	}
	server := serverFor(*job)
	for plan.Need(server.boards) > server.bytes && copies < min(all, mostCopies) {
		copies *= 2
		job.Concurrency = (all + copies - 1) / copies
		plan = job.Plan()
	}
	if copies > 1 {
		d.assume("copies", "n", copies, "each", job.Concurrency)
	}
	return plan, copies
}

// serverFor is the smallest instance that holds the model and has a fifth left
// for users.
func serverFor(job vram.Job) instance {
	job.Concurrency = 1
	plan := job.Plan()
	for _, s := range servers {
		if float64(plan.Need(s.boards)) <= 0.8*float64(s.bytes) {
			return s
		}
	}
	return servers[len(servers)-1]
}

// measuredReserve is the reserve on a measured peak: 5 %.
const measuredReserve = 1.05

// model finds a catalogue entry; a family stands in by its default member.
func (b *Rulebook) model(id string) *Model {
	m := b.models[id]
	if m != nil && m.ParamsB == 0 && m.Need == nil && b.models[m.Default] != nil {
		return b.models[m.Default]
	}
	return m
}

// of picks the figure for the use: training needs more than running.
func (n *Need) of(f Facts) Band {
	training := f.Variant.Value == "tune" || f.Task.Value == "cv-train" || f.Task.Value == "train" || f.Task.Value == "finetune" || f.Task.Value == "pretrain" || f.Method.Known()
	if training && n.Train.Min > 0 || n.Inference.Min == 0 {
		return n.Train
	}
	return n.Inference
}

func (b Band) bytes() int64 { return int64(max(b.Min, b.Comfortable) * (1 << 30)) }

// wants collects what the work asks of a card beyond memory.
func (b *Rulebook) wants(f Facts, task *Task, model *Model) []string {
	out := slices.Clone(task.Wants)
	if model != nil {
		out = append(out, model.Wants...)
	}
	if f.Precision.Value == "fp64" {
		out = append(out, "fp64")
	}
	if aboutThroughput(&f) {
		out = append(out, "fast")
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// From how many cards, or how much data, on a training is about throughput.
const (
	heavyCards  = 4
	heavyDataGB = 500
)

// aboutThroughput reports whether the work is heavy enough that a card which
// merely holds it would be the wrong one.
func aboutThroughput(f *Facts) bool {
	switch f.Task.Value {
	case "cv-train", "train", "pretrain":
		return f.Bulk.Value || askedCards(*f) >= heavyCards || f.DataGB.IsSaid() && f.DataGB.Value >= heavyDataGB
	case "image-gen", "video-gen":
		return f.Bulk.Value || f.Serving.Value
	}
	return f.Bulk.Value
}

// job fills a memory job from facts and the task's defaults. It reports false
// when there is nothing to compute from.
func (b *Rulebook) job(d *decision, task *Task, model *Model) (vram.Job, bool) {
	f := &d.facts
	if f.Task.Value == "learn" { // practice is sized by its kind: nobody trains the whole model named
		return vram.Job{}, false
	}
	def := task.Defaults
	if model != nil {
		def.Frames = cmp.Or(model.Frames, def.Frames)
		def.Resolution = cmp.Or(model.Resolution, def.Resolution)
	}
	j := vram.Job{Use: f.Task.Or(task.Task), Method: f.Method.Or(def.Method)}
	if task.ID == "rlhf" && (!f.Method.Known() || f.Method.Value == "full") {
		j.Use = "rlhf" // with adapters the frozen base serves as reference: no copies
	}
	if !b.jobModel(d, &j, def, model) {
		return j, false
	}
	if f.Method.Known() || def.Method == "" {
		j.Method = f.Method.Value
	} else {
		d.assume("method", "v", b.Phrases["fact.method."+def.Method])
	}
	clips := j.Model.Domain == "video"
	if clips {
		def.ContextLen = 0 // a clip is measured in pixels and frames
	}
	d.fillPrecision(&j, def, model)
	d.fillSizes(&j, def)
	if clips {
		d.assumeClip(j)
	}
	d.fillSavings(&j, def)
	j.Guessed = d.guesses > 0
	if j.ParamsB > 0 && !d.quiet { // no guess of the job's settings, but said all the same
		d.assumed = append(d.assumed, assumed{"shape", nil})
	}
	if d.facts.PeakGiB.IsSaid() { // what was measured needs no settings
		j.MeasuredPeak, j.Guessed = int64(d.facts.PeakGiB.Value*(1<<30)), false
		j.GPUs = b.measuredOn(d, task)
		d.assumed, d.guesses = nil, 0
	}
	return j, true
}

// jobModel fills in what is loaded: the shape or the size that was said, else what
// the task assumes. It reports false when there is neither.
func (b *Rulebook) jobModel(d *decision, j *vram.Job, def Defaults, model *Model) bool {
	f := &d.facts
	switch {
	case f.Shape.Known():
		j.Model = f.Shape.Value
	case model != nil && model.ParamsB > 0:
		j.Model = model.Model
	case f.ParamsB.Known():
		j.ParamsB = f.ParamsB.Value
	case b.models[def.Model] != nil:
		j.Model = b.models[def.Model].Model
		d.assume("model", "v", b.modelName(def.Model))
	case def.ParamsB > 0:
		j.ParamsB = def.ParamsB
		d.assume("params_b", "v", def.ParamsB)
	default:
		return false
	}
	return true
}

// fillSavings fills in what saves memory in such a task as a rule.
func (d *decision) fillSavings(j *vram.Job, def Defaults) {
	if def.Checkpointing && j.Use != "inference" {
		on := true
		j.Checkpointing = &on
		d.assume("checkpointing")
	}
	if def.Offload != "" {
		j.Offload = def.Offload
		d.assume("offload")
	}
}

// measuredOn is how many boards shared the job when its peak was measured: those
// that were asked for, else those that were advised without the measurement.
func (b *Rulebook) measuredOn(d *decision, task *Task) int {
	if !sharded(d.facts, task) {
		return 1
	}
	if n := askedCards(d.facts); n > 0 {
		return n
	}
	before := &decision{facts: d.facts, quiet: true}
	before.facts.Forget("peak_gib")
	before.sizing = b.size(before, task)
	b.pickBest(before)
	return before.sizing.perCopy(before.best.n)
}

func (d *decision) fillPrecision(j *vram.Job, def Defaults, model *Model) {
	f := &d.facts
	switch {
	case f.Precision.Known():
		j.Precision = f.Precision.Value
	case f.Quantised.Value && def.Quantised != "":
		j.Precision = def.Quantised
		d.assume("precision", "v", def.Quantised)
	case model != nil && model.NativeDType != "" && f.Task.Value == "inference":
		j.Precision = model.NativeDType
		d.assume("precision", "v", model.NativeDType)
	case def.Precision != "":
		j.Precision = def.Precision
		d.assume("precision", "v", def.Precision)
	}
}

func (d *decision) fillSizes(j *vram.Job, def Defaults) {
	f := &d.facts
	pick := func(said Fact[float64], def int, key string) int {
		if said.Known() {
			return int(said.Value)
		}
		if def > 0 {
			d.assume(key, "v", def)
		}
		return def
	}
	tokens := def.ContextLen
	if def.SharedContext > 0 && f.Concurrency.Or(1) >= many {
		tokens = def.SharedContext
	}
	j.SeqLen = pick(f.ContextLen, tokens, contextKey(f.Task.Value))
	j.Batch = pick(f.Batch, def.Batch, "batch")
	j.Frames = pick(f.Frames, def.Frames, "frames")
	if f.Task.Value == "inference" || def.Concurrency > 0 {
		j.Concurrency = pick(f.Concurrency, def.Concurrency, "concurrency")
	}
	switch {
	case f.Resolution.Known():
		j.W, j.H = f.Resolution.Value.W, f.Resolution.Value.H
		if w, _ := pixels(def.Resolution); !f.Batch.Known() && w > 0 && j.Batch > 1 {
			j.Batch = max(1, j.Batch*w/max(w, j.W)) // larger pictures go in smaller batches
		}
	case def.Resolution != "":
		j.W, j.H = pixels(def.Resolution)
		d.assume("resolution", "v", def.Resolution)
	}
}

// assumeClip says the size of clip that the formula takes where neither the
// person nor the task says one.
func (d *decision) assumeClip(j vram.Job) {
	plan := j.Plan()
	for _, a := range plan.Assumed() {
		if key, v, _ := strings.Cut(a, "="); key == "resolution" || key == "frames" {
			d.assume(key, "v", v)
		}
	}
}

// many is from how many users on they hold far less than their full context on
// average.
const many = 8

// contextKey names the token count as the task calls it.
func contextKey(task string) string {
	if task == "inference" {
		return "context_len"
	}
	return "seq_len"
}

// pixels reads "1024x768".
func pixels(s string) (w, h int) {
	a, b, _ := strings.Cut(s, "x")
	w, _ = strconv.Atoi(a)
	h, _ = strconv.Atoi(b)
	return w, h
}

func (d *decision) assume(key string, pairs ...any) {
	d.guesses++
	if d.quiet {
		return
	}
	d.assumed = append(d.assumed, assumed{key, pairs})
}

// assumeCards is how many cards, with at least how many bytes, a job of this
// size takes to end in reasonable time, when nobody said how many; memory alone
// would let fewer do.
func (d *decision) assumeCards(task *Task, j vram.Job) (cards int, bytes int64) {
	if d.facts.GPUs.IsSaid() {
		return 1, 0
	}
	size := max(j.Model.ParamsB, j.ParamsB)
	steps := task.Defaults.GPUs
	if j.Model.ParamsB > 0 && len(task.Defaults.Continued) > 0 {
		steps = task.Defaults.Continued
	}
	for _, step := range steps {
		if step.UpToB == 0 || size <= step.UpToB {
			if step.GPUs > 1 {
				d.assume("gpus", "n", step.GPUs)
			}
			return step.GPUs, int64(step.GiB * (1 << 30))
		}
	}
	return 1, 0
}

// sharded reports whether several cards share one copy of the model, instead
// of each working on its own.
func sharded(f Facts, task *Task) bool {
	switch f.Task.Value {
	case "inference", "finetune", "pretrain", "train":
		return true
	}
	return task.Comm == "high"
}

// on returns the number of boards of a card that hold the job, 0 when none
// does, and how well. Asked is how many the person wants, 0 when unsaid.
func (s *sizing) on(c *Card, asked int) (int, string) {
	want := max(1, asked, s.floor, s.pace)
	if c.VRAMGB == 0 {
		return 0, ""
	}
	for n := max(want, s.copies); n <= max(mostBoards, want); n = nextSize(n) {
		if fits := s.fits(c, n); fits != "" {
			return n, fits
		}
		if !s.shards {
			break
		}
	}
	return 0, ""
}

// fits judges n boards of a card.
func (s *sizing) fits(c *Card, n int) string {
	need, usable := s.need(n), c.Usable()
	switch {
	case need > usable && !s.held(c):
		return ""
	case float64(need) <= 0.9*float64(usable):
		return "comfortable"
	}
	return "tight"
}

// held reports whether a card has held the job, as was measured.
func (s *sizing) held(c *Card) bool {
	return s.ran > 0 && s.ran <= c.Usable() && slices.Contains(s.ranOn, c.ID)
}

// mostBoards bounds the search; beyond it no single advice is honest.
const mostBoards = 1024

// nextSize is the usual size of a machine or cluster above n boards: the next
// power of two.
func nextSize(n int) int {
	size := 1
	for size <= n {
		size *= 2
	}
	return size
}

// need is the demand on each of n boards, reserve included, in bytes.
func (s *sizing) need(n int) int64 {
	if s.byPlan {
		return max(s.atLeast, s.plan.Need(s.perCopy(n)))
	}
	return max(s.atLeast, s.typical)
}

// perCopy is how many of n boards share one copy of the job.
func (s *sizing) perCopy(n int) int {
	if !s.shards {
		return 1
	}
	return max(1, n/max(1, s.copies))
}

// mustTalk reports whether the boards of a card have to exchange much: the work
// does by its nature, or one copy is split over them.
func (s *sizing) mustTalk(c *Card) bool {
	return s.talks || s.shards && s.leastOn(c) > 1
}

// leastOn is how many boards of a card one copy of the job takes, whatever was
// asked for.
func (s *sizing) leastOn(c *Card) int {
	if !s.shards {
		return 1
	}
	for n := 1; n <= mostBoards; n = nextSize(n) {
		if s.fits(c, n*max(1, s.copies)) != "" {
			return n
		}
	}
	return mostBoards
}

// numbers are the three numbers on each of n boards, GiB.
func (s *sizing) numbers(n int) NeedNumbers {
	g := func(b int64) float64 { return float64(b) / (1 << 30) }
	if !s.byPlan {
		return NeedNumbers{Peak: g(s.typical), Total: g(s.typical)}
	}
	n = s.perCopy(n)
	load, peak, reserve := s.plan.Numbers(n)
	s.dominant = s.plan.Dominant()
	return NeedNumbers{Load: g(load), Peak: g(peak), Reserve: g(reserve), Total: g(peak + reserve)}
}

// lever is the one change that brings the job down a class, or "".
func (d *decision) lever() string {
	if !d.sizing.byPlan {
		return ""
	}
	return d.sizing.plan.Lever()
}
