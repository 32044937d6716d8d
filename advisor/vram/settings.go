package vram

// settings is a job with every gap filled. What was filled is remembered in
// assumed, one bit each, because a plan is made far more often than its
// assumptions are printed.
type settings struct {
	job         *Job
	domain, use string
	ok          bool // there is a formula for this use
	trained     bool // anything is trained
	shape       shape
	params      float64
	precision   precision
	optimizer   optimizer
	sharing     sharing
	offload     offload
	targets     targets
	batch       float64 // sequences, pictures or clips on one card at once
	tokens      float64
	input       float64
	w, h        float64
	frames      float64
	gpus        int
	rank        float64
	checkpoint  bool
	accumulate  bool
	assumed     assumption
}

// assumption is a set of settings that nobody gave.
type assumption uint32

const (
	assumedSize assumption = 1 << iota
	assumedShape
	assumedPrecision
	assumedBatch
	assumedTokens
	assumedConcurrency
	assumedOptimizer
	assumedCheckpoint
	assumedRank
	assumedPicture
	assumedFrames
	assumedEncoder
)

// Defaults, where nobody said otherwise.
const (
	defaultContext  = 8192 // tokens of a request: question f_ctx of the rules asks for it
	defaultSequence = 2048 // tokens of a training sample
	defaultSeqSmall = 512  // the same for encoders, which read no more
	defaultRank     = 16
	defaultChunk    = 2048 // prompt tokens that a server reads at once
	defaultPicture  = 1024 // pixels a side
	defaultFrames   = 81   // five seconds at 16 per second
	defaultWidth    = 832  // of a clip
	defaultHeight   = 480
	defaultCVSide   = 640
	defaultCVBatch  = 16
)

// Sizes in billions that stand in when nothing says how big the model is.
var defaultSize = map[string]float64{llm: 7, image: 2.6, video: 5, cv: 0.026, audio: 1.5}

// resolve fills the gaps of a job.
func (j *Job) resolve(s *settings) {
	domain, use, ok := j.purpose()
	s.job, s.use, s.ok = j, use, ok
	s.domain = j.domain(domain)
	switch s.domain {
	case llm, image, video, cv, audio:
	default:
		s.ok = false
		s.domain = llm
	}
	s.trained = use != inference
	s.resolveSize()
	s.resolvePrecision()
	s.resolveSharing()
	s.resolvePicture()
	s.resolveTokens()
	if s.trained {
		s.resolveTraining()
	}
}

func (j *Job) domain(implied string) string {
	switch {
	case j.Domain != "":
		return j.Domain
	case j.Model.Domain != "":
		return j.Model.Domain
	case implied != "":
		return implied
	}
	return llm
}

func (s *settings) resolveSize() {
	j := s.job
	p := known(j.Model.ParamsB)
	if p == 0 {
		p = known(j.ParamsB)
	}
	if p == 0 {
		p = defaultSize[s.domain]
		s.assumed |= assumedSize
	}
	s.params = p * billion
	if s.domain != llm {
		return
	}
	found := false
	if s.shape, found = j.Model.shape(); !found {
		s.shape = typicalShape(p)
		s.assumed |= assumedShape
	}
}

func (s *settings) resolvePrecision() {
	p, said := readPrecision(s.job.Precision)
	if !said {
		s.assumed |= assumedPrecision
		p, _ = readPrecision("bf16")
		if native, ok := readPrecision(s.job.Model.NativeDType); ok && !s.trained {
			p = native
		}
	}
	if s.use == qlora && !p.quant && s.domain == llm {
		p, _ = readPrecision("nf4")
	}
	if s.use == lora && p.quant && s.domain == llm { // adapters over quantised weights are QLoRA by another name
		s.use = qlora
	}
	s.precision = p
}

func (s *settings) resolveSharing() {
	s.gpus = min(max(s.job.GPUs, 0), 1<<16)
	if s.gpus == 0 {
		s.gpus = 1
	}
	s.sharing = readSharing(s.job.Sharding)
	s.offload = readOffload(s.job.Offload)
}

func (s *settings) resolvePicture() {
	side := 0.0
	switch s.domain {
	case image:
		side = defaultPicture
	case video:
	case cv:
		side = defaultCVSide
		if usual := count(s.job.Model.InputSide); usual > 0 {
			side = usual
		}
	default:
		return
	}
	s.w, s.h, s.frames = count(s.job.W), count(s.job.H), count(s.job.Frames)
	if s.w == 0 || s.h == 0 {
		s.assumed |= assumedPicture
		s.w, s.h = side, side
		if s.domain == video {
			s.w, s.h = defaultWidth, defaultHeight
		}
	}
	if s.frames == 0 {
		s.frames = 1
		if s.domain == video {
			s.frames = defaultFrames
			s.assumed |= assumedFrames
		}
	}
}

func (s *settings) resolveTokens() {
	j := s.job
	s.batch = max(count(j.Batch), count(j.Concurrency))
	if s.batch == 0 {
		s.batch = 1
		if s.domain == cv {
			s.batch = defaultCVBatch
		}
		if s.domain == llm && !s.trained {
			s.assumed |= assumedConcurrency
		} else {
			s.assumed |= assumedBatch
		}
	}
	if s.domain != llm || j.WeightsOnly {
		return
	}
	if s.tokens = count(j.SeqLen); s.tokens == 0 {
		s.assumed |= assumedTokens
		s.tokens = defaultContext
		if s.trained {
			s.tokens = defaultSequence
		}
		if j.Model.Role != "" {
			s.tokens = defaultSeqSmall
		}
		if most := count(j.Model.MaxContext); most > 0 {
			s.tokens = min(s.tokens, most)
		}
	}
	if s.input = count(j.Input); s.input == 0 {
		s.input = min(s.tokens, defaultChunk)
	}
}

func (s *settings) resolveTraining() {
	j := s.job
	s.checkpoint, s.accumulate = true, true
	if j.Checkpointing != nil {
		s.checkpoint = *j.Checkpointing
	} else if s.domain != cv {
		s.assumed |= assumedCheckpoint
		s.checkpoint = s.sharing.tensor+s.sharing.pipeline == 0 // Megatron recomputes only the scores by default
	}
	if j.Accumulation != nil {
		s.accumulate = *j.Accumulation
	}
	said := false
	if s.optimizer, said = readOptimizer(j.Optimizer); !said && s.full() && s.domain != cv {
		s.assumed |= assumedOptimizer
	}
	if s.full() {
		return
	}
	s.targets = readTargets(j.Targets)
	if s.rank = count(j.LoRARank); s.rank == 0 && known(j.Trainable) == 0 {
		s.rank = defaultRank
		s.assumed |= assumedRank
	}
}

// full reports whether every weight is trained.
func (s *settings) full() bool {
	return s.use == full || s.use == pretrain || s.use == rlhf && !s.adapters()
}

// adapters reports whether the job trains adapters over frozen weights.
func (s *settings) adapters() bool {
	m := methods[s.job.Method]
	return s.use == lora || s.use == qlora || s.use == rlhf && (m == lora || m == qlora)
}
