package vram

// A lever is one change of a job that may bring it down to a smaller class of
// card. They are tried in the order of what they cost: first what costs
// nothing but time, then what costs quality. A lever that does not apply to a
// job is not pulled.
type lever struct {
	id      string
	applies func(*settings) bool
	pull    func(*Job, *settings)
}

var levers = []lever{
	{"checkpointing",
		func(s *settings) bool { return s.trained && !s.checkpoint && s.domain != cv && s.domain != audio },
		func(j *Job, s *settings) { j.Checkpointing = &yes }},
	{"chunked-loss",
		func(s *settings) bool { return s.trained && s.domain == llm && !s.job.ChunkedLoss },
		func(j *Job, s *settings) { j.ChunkedLoss = true }},
	{"amp",
		func(s *settings) bool { return s.domain == cv && s.precision.bits > 16 },
		func(j *Job, s *settings) { j.Precision = "amp" }},
	{"vae-tiling",
		func(s *settings) bool { return s.pipeline() && !s.offload.tiling },
		func(j *Job, s *settings) { j.Offload = joined(j.Offload, "vae tiling") }},
	{"model-offload",
		func(s *settings) bool { return s.pipeline() && !s.offload.model && !s.offload.sequential },
		func(j *Job, s *settings) { j.Offload = joined(j.Offload, "model cpu") }},
	{"8-bit-optimizer",
		func(s *settings) bool { return s.trained && s.full() && s.domain != cv && s.optimizer.states > 4 },
		func(j *Job, s *settings) { j.Optimizer = "adamw8bit" }},
	{"smaller-batch",
		func(s *settings) bool { return s.batch > 1 && (s.trained || s.domain != llm) },
		func(j *Job, s *settings) { j.Batch, j.Concurrency = max(int(s.batch)/2, 1), 0 }},
	{"kv-int8",
		func(s *settings) bool { return s.serving() && (s.job.KVBits == 0 || s.job.KVBits > 8.5) },
		func(j *Job, s *settings) { j.KVBits = 8.5 }},
	{"fp8",
		func(s *settings) bool {
			return (s.domain == image || s.domain == video) && s.precision.bits >= 16 && !(s.trained && s.full())
		},
		func(j *Job, s *settings) { j.Precision = "fp8" }},
	{"int8",
		func(s *settings) bool {
			return !s.trained && (s.domain == llm || s.domain == audio) && s.precision.bits >= 16
		},
		func(j *Job, s *settings) { j.Precision = "int8" }},
	{"qlora",
		func(s *settings) bool { return s.use == lora && s.domain == llm },
		func(j *Job, s *settings) { j.Use, j.Precision = qlora, "nf4" }},
	{"shorter-context",
		func(s *settings) bool { return s.domain == llm && s.tokens > 2048 },
		func(j *Job, s *settings) { j.SeqLen = int(s.tokens) / 2 }},
	{"fewer-requests",
		func(s *settings) bool { return s.serving() && s.batch > 1 },
		func(j *Job, s *settings) { j.Batch, j.Concurrency = 0, int(s.batch)/2 }},
	{"int4",
		func(s *settings) bool { return !s.trained && s.domain == llm && s.precision.bits > 5 },
		func(j *Job, s *settings) { j.Precision = "awq" }},
	{"zero3",
		func(s *settings) bool {
			return s.trained && s.domain == llm && s.gpus > 1 && s.sharing.zero < 3 && !s.sharing.fsdp && s.sharing.tensor+s.sharing.pipeline == 0
		},
		func(j *Job, s *settings) { j.Sharding = "zero3" }},
	{"optimizer-offload",
		func(s *settings) bool { return s.trained && s.full() && s.domain == llm && !s.offload.optimizer },
		func(j *Job, s *settings) { j.Offload = "optimizer cpu" }},
	{"block-swap",
		func(s *settings) bool {
			return s.trained && (s.domain == image || s.domain == video) && !s.full() && s.offload.blocks == 0
		},
		func(j *Job, s *settings) { j.Offload = joined(j.Offload, "block swap") }},
	{"smaller-picture",
		func(s *settings) bool { return s.domain == image || s.domain == video || s.domain == cv },
		func(j *Job, s *settings) { j.W, j.H = int(0.7*s.w), int(0.7*s.h) }},
	{"fewer-frames",
		func(s *settings) bool { return s.domain == video && s.frames > 2 },
		func(j *Job, s *settings) { j.Frames = int(s.frames) / 2 }},
	{"lora",
		func(s *settings) bool {
			return s.trained && s.full() && s.use != pretrain && s.domain != cv && s.domain != audio
		},
		func(j *Job, s *settings) { j.Use, j.Method, j.Optimizer = lora, lora, "" }},
}

var yes = true

// pipeline reports whether the job makes pictures or clips.
func (s *settings) pipeline() bool { return (s.domain == image || s.domain == video) && !s.trained }

// serving reports whether the job answers from a cache of keys and values.
func (s *settings) serving() bool {
	return s.domain == llm && !s.trained && s.job.Model.Role == ""
}

func joined(a, b string) string {
	if a == "" {
		return b
	}
	return a + " + " + b
}

// classes are sizes of cards on the market, in GB; a class holds what its
// weakest card can use.
var classes = [...]float64{4, 6, 8, 11, 12, 16, 24, 32, 40, 48, 64, 80, 96, 128, 141, 180, 192, 256, 288}

// rank is the place of a demand among the classes.
func rank(total int64) int {
	for i, c := range classes {
		if float64(total) <= c*shareUnknown*GiB {
			return i
		}
	}
	return len(classes)
}

// lever finds the cheapest change that drops a class, by trying them.
func (s *settings) lever(total int64) string {
	if s.job.MeasuredPeak > 0 {
		return ""
	}
	now := rank(total)
	if now == 0 {
		return ""
	}
	var j Job
	for i := range levers {
		if l := &levers[i]; l.applies(s) {
			j = *s.job
			if l.pull(&j, s); rank(j.total(s.margin())) < now {
				return l.id
			}
		}
	}
	return ""
}

// total is the demand of a job on each of its cards, with a given margin.
func (j *Job) total(margin float64) int64 {
	var s settings
	j.resolve(&s)
	var p, one parts
	s.fill(&p)
	p.split(&s, s.sharing, s.gpus, &one)
	var t tally
	one.tally(&t)
	return whole(t.peak() * (1 + margin))
}

// Lever is one change that drops a class of card, found by trying: a stable
// id, "" when none does.
func (p *Plan) Lever() string {
	if !p.s.ok {
		return ""
	}
	return p.s.lever(p.at(p.s.gpus).total)
}
