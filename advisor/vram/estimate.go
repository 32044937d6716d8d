package vram

import "strconv"

// Terms are the bytes of one card at the worst instant, by what they are for.
type Terms struct {
	Weights, KV, Activations, Logits, Gradients, Optimizer, Adapters, Context int64
}

// Estimate is what one card of the job needs, in bytes.
type Estimate struct {
	Load    int64 // resident before the first step, context included
	Peak    int64 // what nvidia-smi would show at the worst instant
	Reserve int64 // on top of the peak: 5 % when every setting was given, else 15 %
	Total   int64 // Peak and Reserve: what a card must be able to use

	Terms      Terms
	Dominant   string   // the largest term: weights kv activations logits gradients optimizer adapters context; "" when there is no formula
	Assumed    []string // stable ids of what nobody said: "seq_len=2048"
	Confidence string   // high medium low, none when there is no formula
	Lever      string   // one change that drops a class of memory, "" when none does
	PerCard    bool     // the figures are those of one of several cards

	domain string
	only   bool // weights only
	slop   int64
}

// Reserves on top of a peak (contract of the product).
const (
	reserveSaid    = 0.05
	reserveAssumed = 0.15
)

// Estimate predicts the memory of a job on each of its cards.
func (j Job) Estimate() Estimate {
	var s settings
	j.resolve(&s)
	var p, one parts
	s.fill(&p)
	p.split(&s, s.sharing, s.gpus, &one)
	var t tally
	one.tally(&t)
	e := Estimate{domain: s.domain, only: j.WeightsOnly, PerCard: s.gpus > 1}
	if !s.ok {
		e.Confidence = "none"
		return e
	}
	e.Terms = t.terms()
	e.Dominant = e.Terms.dominant()
	e.Load, e.Peak, e.slop = whole(t.load), whole(t.peak()), whole(t.slop)
	if m := j.MeasuredPeak; m > 0 {
		e.Peak = min(m, most)
	}
	e.Assumed = s.list()
	e.Confidence = s.confidence()
	e.Reserve = whole(float64(e.Peak) * s.margin())
	e.Total = e.Peak + e.Reserve
	e.Lever = s.lever(e.Total)
	return e
}

// margin is the share of the peak that is kept in reserve.
func (s *settings) margin() float64 {
	if s.job.MeasuredPeak > 0 || s.assumed == 0 && !s.job.Guessed {
		return reserveSaid
	}
	return reserveAssumed
}

func (t *tally) terms() Terms {
	return Terms{
		Weights: whole(t.weights), KV: whole(t.kv), Activations: whole(t.activations), Logits: whole(t.logits),
		Gradients: whole(t.gradients), Optimizer: whole(t.optimizer), Adapters: whole(t.adapters), Context: whole(t.context),
	}
}

// dominant names the largest term.
func (t *Terms) dominant() string {
	best, name := t.Weights, "weights"
	for _, x := range [...]struct {
		bytes int64
		name  string
	}{
		{t.KV, "kv"}, {t.Activations, "activations"}, {t.Logits, "logits"}, {t.Gradients, "gradients"},
		{t.Optimizer, "optimizer"}, {t.Adapters, "adapters"}, {t.Context, "context"},
	} {
		if x.bytes > best {
			best, name = x.bytes, x.name
		}
	}
	return name
}

// confidence says how far to trust an estimate: less with every guess, and
// little where the size itself is guessed.
func (s *settings) confidence() string {
	guesses := 0
	for a := s.assumed; a != 0; a &= a - 1 {
		guesses++
	}
	switch {
	case s.job.MeasuredPeak > 0 && guesses == 0:
		return "high"
	case s.assumed&(assumedSize|assumedShape) != 0 || s.domain == cv || s.domain == audio || guesses > 3:
		return "low"
	case s.domain == llm && guesses <= 1:
		return "high"
	}
	return "medium"
}

// list spells the assumptions.
func (s *settings) list() []string {
	if s.assumed == 0 {
		return nil
	}
	out := make([]string, 0, 6)
	add := func(a assumption, id string) {
		if s.assumed&a != 0 {
			out = append(out, id)
		}
	}
	num := func(key string, x float64) string { return key + "=" + strconv.FormatFloat(x, 'f', -1, 64) }
	if s.assumed&assumedSize != 0 {
		out = append(out, num("params_b", s.params/billion))
	}
	add(assumedShape, "shape=typical")
	if s.assumed&assumedPrecision != 0 {
		out = append(out, "precision="+s.precision.id)
	}
	if s.assumed&assumedTokens != 0 {
		out = append(out, num("seq_len", s.tokens))
	}
	if s.assumed&assumedBatch != 0 {
		out = append(out, num("batch", s.batch))
	}
	add(assumedConcurrency, "concurrency=1")
	if s.assumed&assumedOptimizer != 0 {
		out = append(out, "optimizer="+s.optimizer.id)
	}
	if s.checkpoint {
		add(assumedCheckpoint, "checkpointing=on")
	} else {
		add(assumedCheckpoint, "checkpointing=off")
	}
	if s.assumed&assumedRank != 0 {
		out = append(out, num("lora_rank", s.rank))
	}
	if s.assumed&assumedPicture != 0 {
		out = append(out, num("resolution", s.w)+"x"+strconv.FormatFloat(s.h, 'f', -1, 64))
	}
	if s.assumed&assumedFrames != 0 {
		out = append(out, num("frames", s.frames))
	}
	add(assumedEncoder, "text_encoder=typical")
	return out
}

// torchResident are small buffers that torch's own meter counts (fitted).
const torchResident = 0.03 * GiB

// Reading is what a meter would show, in GiB: torch_alloc and torch_reserved
// leave out the CUDA context, nvidia-smi counts it. per is "gpu" or "total"
// over gpus cards. Figures of pipelines whose meter nobody names are torch's.
func (e Estimate) Reading(meter, per string, gpus int) float64 {
	b := float64(e.Peak)
	alloc := max(b-float64(e.Terms.Context)-float64(e.slop), 0)
	switch {
	case hasPrefix(meter, "torch_alloc") && e.domain == cv:
		b = alloc / (1 + allocatorReserve)
	case hasPrefix(meter, "torch_reserved") && e.domain == cv:
		b = alloc
	case hasPrefix(meter, "torch_alloc"):
		b = alloc + torchResident
	case hasPrefix(meter, "torch_reserved"):
		b = (alloc + torchResident) * (1 + allocatorReserve)
	case hasPrefix(meter, "nvidia-smi"):
	case (e.domain == image || e.domain == video) && e.slop == 0 && e.Terms.Gradients+e.Terms.Adapters == 0 || e.only:
		b = alloc
	}
	if per == "total" && gpus > 1 {
		b *= float64(gpus)
	}
	return b / GiB
}

func hasPrefix(s, p string) bool { return len(s) >= len(p) && s[:len(p)] == p }
