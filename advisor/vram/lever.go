package vram

// A lever is one change of a job that may bring it down to a smaller class of
// card. They are tried in the order of what they cost: first what costs
// nothing but time, then what costs quality.
type lever struct {
	id   string
	pull func(*Job, *settings) bool // false when it does not apply
}

var levers = []lever{
	{"checkpointing", func(j *Job, s *settings) bool {
		j.Checkpointing = &yes
		return s.trained && !s.checkpoint && s.domain != cv && s.domain != audio
	}},
	{"chunked-loss", func(j *Job, s *settings) bool {
		ok := s.trained && s.domain == llm && !j.ChunkedLoss
		j.ChunkedLoss = true
		return ok
	}},
	{"amp", func(j *Job, s *settings) bool {
		j.Precision = "amp"
		return s.domain == cv && s.precision.bits > 16
	}},
	{"vae-tiling", func(j *Job, s *settings) bool {
		j.Offload = joined(j.Offload, "vae tiling")
		return s.pipeline() && !s.offload.tiling
	}},
	{"model-offload", func(j *Job, s *settings) bool {
		j.Offload = joined(j.Offload, "model cpu")
		return s.pipeline() && !s.offload.model && !s.offload.sequential
	}},
	{"8-bit-optimizer", func(j *Job, s *settings) bool {
		j.Optimizer = "adamw8bit"
		return s.trained && s.full() && s.domain != cv && s.optimizer.states > 4
	}},
	{"smaller-batch", func(j *Job, s *settings) bool {
		j.Batch, j.Concurrency = max(int(s.batch)/2, 1), 0
		return s.batch > 1 && (s.trained || s.domain != llm)
	}},
	{"kv-int8", func(j *Job, s *settings) bool {
		ok := s.serving() && (j.KVBits == 0 || j.KVBits > 8.5)
		j.KVBits = 8.5
		return ok
	}},
	{"fp8", func(j *Job, s *settings) bool {
		j.Precision = "fp8"
		return (s.domain == image || s.domain == video) && s.precision.bits >= 16 && !s.full()
	}},
	{"int8", func(j *Job, s *settings) bool {
		j.Precision = "int8"
		return !s.trained && (s.domain == llm || s.domain == audio) && s.precision.bits >= 16
	}},
	{"qlora", func(j *Job, s *settings) bool {
		j.Use, j.Precision = qlora, "nf4"
		return s.use == lora && s.domain == llm
	}},
	{"shorter-context", func(j *Job, s *settings) bool {
		j.SeqLen = int(s.tokens) / 2
		return s.domain == llm && s.tokens > 2048
	}},
	{"fewer-requests", func(j *Job, s *settings) bool {
		j.Batch, j.Concurrency = 0, int(s.batch)/2
		return s.serving() && s.batch > 1
	}},
	{"int4", func(j *Job, s *settings) bool {
		j.Precision = "awq"
		return !s.trained && s.domain == llm && s.precision.bits > 5
	}},
	{"zero3", func(j *Job, s *settings) bool {
		j.Sharding = "zero3"
		return s.trained && s.domain == llm && s.gpus > 1 && s.sharing.zero < 3 && !s.sharing.fsdp && s.sharing.tensor+s.sharing.pipeline == 0
	}},
	{"optimizer-offload", func(j *Job, s *settings) bool {
		j.Offload = "optimizer cpu"
		return s.trained && s.full() && s.domain == llm && !s.offload.optimizer
	}},
	{"block-swap", func(j *Job, s *settings) bool {
		j.Offload = joined(j.Offload, "block swap")
		return s.trained && (s.domain == image || s.domain == video) && !s.full() && s.offload.blocks == 0
	}},
	{"smaller-picture", func(j *Job, s *settings) bool {
		j.W, j.H = int(0.7*s.w), int(0.7*s.h)
		return s.domain == image || s.domain == video || s.domain == cv
	}},
	{"fewer-frames", func(j *Job, s *settings) bool {
		j.Frames = int(s.frames) / 2
		return s.domain == video && s.frames > 2
	}},
	{"lora", func(j *Job, s *settings) bool {
		j.Use, j.Method, j.Optimizer = lora, lora, ""
		return s.trained && s.full() && s.use != pretrain && s.domain != cv
	}},
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
	for i := range levers {
		if now == 0 {
			return ""
		}
		j := *s.job
		if levers[i].pull(&j, s) && rank(j.total(s.margin())) < now {
			return levers[i].id
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
