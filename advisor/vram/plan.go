package vram

import "math/bits"

// Plan is a job resolved once, to be judged on many cards. Its methods fill
// caches and are not for several goroutines at once; a copy is independent.
type Plan struct {
	job   *Job
	s     settings
	parts parts

	rungs    [rungs]rung // of 1, 2, 4 … cards
	host     [rungs]rung // the same with host memory to help
	hosted   parts
	hostedOK bool
	scale    float64 // measured peak over predicted; 0 is not known yet
	share    sharing // how several cards divide the job
	name     string
}

// rungs are the counts that a plan remembers: 1 to 1024 cards.
const rungs = 11

// rung is what each of some number of cards needs.
type rung struct {
	load, peak, total int64
	split             string
	terms             Terms
	done              bool
}

// Fit is how a card takes a job. All figures are bytes of one card.
type Fit struct {
	Fits     string // comfortable: at most 90 % of what is usable; tight; offload: with host memory to help; "" when a gate fails
	Gate     string // the first gate that fails: memory-unknown memory link bf16 fp8 compute-capability; "" when none does
	Load     int64
	Peak     int64
	Reserve  int64
	Total    int64
	Usable   int64
	Assumed  bool   // Usable is derived from the sticker, not from a print
	Split    string // how the cards share the job: "" for one card, else replicas, tensor-parallel, zero3, sequence or what the job said
	FastLink bool   // the cards exchange much while they work: NVLink, or measure first
}

// Plan resolves a job for judging cards. How many cards share it is then up to
// the caller; Job.GPUs only says to how many a measured peak belongs.
func (j Job) Plan() Plan {
	p := Plan{job: &j}
	p.job.resolve(&p.s)
	p.s.fill(&p.parts)
	p.share, p.name = p.s.division()
	return p
}

// division is how several cards share the job: as it said, or as is usual for
// its kind.
func (s *settings) division() (sharing, string) {
	switch {
	case s.sharing != sharing{}:
		return s.sharing, s.job.Sharding
	case s.domain == video && !s.trained:
		return sharing{clip: true}, "sequence"
	case s.domain == llm && !s.trained:
		return sharing{tensorAll: true}, "tensor-parallel"
	case s.trained && s.domain != cv && s.domain != audio:
		return sharing{zero: 3}, "zero3"
	}
	return sharing{data: true}, "replicas"
}

// OK reports whether there is a formula for this job.
func (p *Plan) OK() bool { return p.s.ok }

// Need is the demand on each of n cards, reserve included, in bytes. More
// cards never need more: whoever has too many leaves some out.
func (p *Plan) Need(n int) int64 { return p.at(n).total }

// Numbers are load, peak and reserve of each of n cards, in bytes.
func (p *Plan) Numbers(n int) (load, peak, reserve int64) {
	r := p.at(n)
	return r.load, r.peak, r.total - r.peak
}

// Terms are the bytes of each of n cards at the worst instant.
func (p *Plan) Terms(n int) Terms { return p.at(n).terms }

// Dominant names the largest term on one card, "" when there is no formula.
func (p *Plan) Dominant() string {
	if !p.s.ok {
		return ""
	}
	return p.at(1).terms.dominant()
}

// Assumed lists what nobody said, as stable ids.
func (p *Plan) Assumed() []string { return p.s.list() }

// Confidence is high, medium, low, or none when there is no formula.
func (p *Plan) Confidence() string { return p.s.confidence() }

// at returns the rung of n cards, rounded down to a power of two.
func (p *Plan) at(n int) *rung {
	i := min(max(bits.Len(uint(max(n, 1)))-1, 0), rungs-1)
	return p.climb(&p.rungs, &p.parts, i)
}

// climb computes a rung and those below that it is compared with.
func (p *Plan) climb(ladder *[rungs]rung, whole *parts, i int) *rung {
	r := &ladder[i]
	if r.done {
		return r
	}
	r.done = true
	if !p.s.ok {
		return r
	}
	if i > 0 {
		*r = *p.climb(ladder, whole, i-1)
	}
	x := p.predict(whole, 1<<i)
	x.peak = p.measured(x.peak)
	x.total = x.peak + int64(float64(x.peak)*p.s.margin())
	if i > 0 {
		x.split = p.name
	}
	if i == 0 || x.total < r.total {
		*r = x
	}
	return r
}

// predict computes one rung without regard to measurements.
func (p *Plan) predict(of *parts, n int) rung {
	var one parts
	var t tally
	of.split(&p.s, p.share, n, &one)
	one.tally(&t)
	return rung{load: whole(t.load), peak: whole(t.peak()), terms: t.terms(), done: true}
}

// measured replaces a prediction by the user's own peak. For other counts of
// cards than the measured one the prediction is scaled.
func (p *Plan) measured(peak int64) int64 {
	m := p.job.MeasuredPeak
	if m <= 0 {
		return peak
	}
	if p.scale == 0 {
		n := max(p.job.GPUs, 1)
		p.scale = float64(min(m, most)) / float64(max(p.predict(&p.parts, n).peak, 1))
	}
	return whole(float64(peak)*p.scale + 0.5)
}

// hosting is the same job with host memory to help, "" when that is not done:
// a pipeline keeps one part on the card, a full fine-tune sends its optimizer
// away. Answering from host memory is so slow that we do not count it.
func (p *Plan) hosting(n int) (*rung, bool) {
	s := &p.s
	if s.job.Offload != "" || s.job.MeasuredPeak > 0 {
		return nil, false
	}
	pipeline := (s.domain == image || s.domain == video) && !s.trained
	states := s.domain == llm && s.trained && s.full()
	if !pipeline && !states {
		return nil, false
	}
	if !p.hostedOK {
		p.hostedOK = true
		s.offload = offload{model: pipeline, optimizer: states}
		s.fill(&p.hosted)
		s.offload = offload{}
	}
	i := min(max(bits.Len(uint(max(n, 1)))-1, 0), rungs-1)
	s.offload = offload{model: pipeline, optimizer: states}
	r := p.climb(&p.host, &p.hosted, i)
	s.offload = offload{}
	return r, true
}

// On judges n cards of a kind.
func (p *Plan) On(c *Card, n int) Fit {
	r := p.at(n)
	f := Fit{Load: r.load, Peak: r.peak, Reserve: r.total - r.peak, Total: r.total, Usable: c.Usable(), Assumed: len(c.SMIMiB) == 0}
	if n > 1 {
		f.Split = r.split
		f.FastLink = r.split != "" && r.split != "replicas"
	}
	if f.Gate = p.gate(c, n, &f); f.Gate != "" {
		return f
	}
	switch room := float64(f.Usable); {
	case float64(f.Total) <= comfort*room:
		f.Fits = "comfortable"
	case f.Total <= f.Usable:
		f.Fits = "tight"
	default:
		f.Fits = "offload"
	}
	return f
}

// comfort is the share of usable memory up to which a card holds a job well.
const comfort = 0.9

// gate returns the first gate that n cards fail.
func (p *Plan) gate(c *Card, n int, f *Fit) string {
	switch {
	case !p.s.ok || f.Usable == 0:
		return "memory-unknown"
	case f.Total > f.Usable:
		r, ok := p.hosting(n)
		if !ok || r.total > f.Usable {
			return "memory"
		}
		f.Load, f.Peak, f.Reserve = r.load, r.peak, r.total-r.peak
	}
	said := &p.s.precision
	switch {
	case n > oneMachine && f.FastLink && c.NVLink != "nvswitch":
		return "link"
	case p.s.assumed&assumedPrecision == 0 && said.id == "bf16" && !c.BF16:
		return "bf16"
	case said.id == "fp8" && p.s.domain == llm && !c.FP8:
		return "fp8"
	case c.Vendor == "NVIDIA" && !c.able(p.least()):
		return "compute-capability"
	}
	return ""
}

// oneMachine is how many cards talk without a network between them.
const oneMachine = 8

// least is the oldest NVIDIA generation whose kernels the job needs, in tenths
// of a compute capability: AWQ and bitsandbytes int8 want Turing (7.5), 4-bit
// and MXFP4 formats of vLLM and Transformers Turing or newer too, vLLM Volta.
// Sources: vLLM and bitsandbytes installation pages.
func (p *Plan) least() int {
	switch p.s.precision.id {
	case "awq", "awq-int4", "mxfp4", "int8":
		return 75
	case "nf4", "nf4-dq", "fp4":
		return 60
	}
	if p.job.Stack == "vllm" || p.job.Stack == "sglang" {
		return 70
	}
	return 0
}

// Count returns the smallest usual number of cards, 1, 2, 4, 8 … up to most,
// that holds the job without host memory; failing that, with it; else 0 and
// the fit of one card.
func (p *Plan) Count(c *Card, most int) (n int, fit Fit) {
	helped, found := Fit{}, 0
	for n := 1; n <= max(most, 1) && n <= 1<<(rungs-1); n *= 2 {
		f := p.On(c, n)
		switch {
		case f.Fits == "offload" && found == 0:
			helped, found = f, n
		case f.Fits == "comfortable" || f.Fits == "tight":
			return n, f
		}
		if f.Gate != "" && f.Gate != "memory" {
			break // more cards do not cure that
		}
	}
	if found > 0 {
		return found, helped
	}
	return 0, p.On(c, 1)
}

// On judges n cards of a kind. To judge many cards, make one Plan.
func (j Job) On(c Card, n int) Fit {
	p := j.Plan()
	return p.On(&c, n)
}

// Count returns the smallest usual number of cards that holds the job, see
// Plan.Count.
func (j Job) Count(c Card, most int) (n int, fit Fit) {
	p := j.Plan()
	return p.Count(&c, most)
}
