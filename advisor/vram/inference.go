package vram

// Coefficients of inference. See the package comment for what "fitted" means.
const (
	contextInference = 0.5 * GiB // CUDA context and cuBLAS workspace; vLLM logs 0.16 to 1.8 GiB, gpu_poor counts 0.65

	contextLeast = 0.9 * GiB // the same where a README names the least memory that worked (ChatGLM2)

	// A prompt that is read at once holds two bytes for 4 hidden and 3 MLP
	// widths per token at its peak: fitted on the Qwen2.5 speed benchmark, all
	// sizes, prompts up to 30k tokens.
	prefillHidden = 4
	prefillFFN    = 3

	lastLogits = 6 // bytes of one logit of the newest token: 16-bit output and its 32-bit copy
	allLogits  = 2 // bytes of one logit where the model returns them for the whole prompt (GLM-4 README)

	// llama.cpp: the compute buffer holds one micro-batch of logits, and
	// without flash attention the scores of the micro-batch against the whole
	// context, on each card (ollama issue 9988).
	microBatch      = 512
	computeSlack    = 1.05
	contextLlamaCPP = 0.28 * GiB
	offCardLog      = 0.955
	offCard         = 0.97 // share of a GGUF on the card: the token embedding stays with the CPU

	// bitsandbytes quantises on the card while loading: the largest matrix is
	// there in 16 bits and once more as a copy (litgpt quantize.md: NF4, NF4
	// with double quantisation and int8 are each 1.2 GB above their weights).
	quantiseCopy = 4
)

// inference fills the parts of a language model that answers.
func (s *settings) inference(p *parts) {
	p.context = contextInference
	p.weights = s.storedWeights(2)
	p.repeated = 2 * s.shape.embedding()
	if s.job.WeightsOnly {
		return
	}
	bits := known(s.job.KVBits)
	if bits == 0 {
		bits = kvBits
	}
	sh := &s.shape
	if s.job.Model.Role == "" { // encoders and embedding models cache nothing
		p.kv = sh.kv(s.tokens, s.batch, min(bits, 64))
		if sh.latent == 0 {
			p.kvDivisor = max(sh.kvHeads, 1)
		}
	}
	p.logits = s.batch * sh.vocab * lastLogits
	p.kept = s.reading()
	switch s.job.Stack {
	case "llamacpp", "ollama", "llama.cpp":
		s.llamaCPP(p)
	case "llamacpp-wkv": // a log that counts weights and cache only
		p.weights *= offCardLog
		p.kept, p.logits, p.context = 0, 0, 0
	case "load": // a log of the loader
		p.context = 0
	case "hf-old": // the cache grows by concatenation: old and new exist together
		p.kv *= 2
	case "hf-mqa": // logits of the whole prompt; figures are the least memory that worked
		p.context = contextLeast
		fallthrough
	case "hf-glm":
		p.logits = s.batch * sh.vocab * (allLogits*s.input + lastLogits)
	case "litgpt":
		s.litgpt(p)
	}
}

// reading is the transient of reading prompts: of all of them at once in
// Hugging Face's generate, of one chunk in servers.
func (s *settings) reading() float64 {
	per := 2 * (prefillHidden*s.shape.hidden + prefillFFN*s.shape.ffn)
	switch s.job.Stack {
	case "hf": // that benchmark reads its meter after the prompt
		return 0
	case "hf-prefill", "hf-old", "hf-mqa", "hf-glm", "litgpt":
		return s.batch * s.input * per
	}
	if s.job.Model.Role != "" {
		return s.batch * s.tokens * per
	}
	return min(s.batch*s.input, defaultChunk) * per
}

func (s *settings) llamaCPP(p *parts) {
	if s.job.WeightBytes == 0 {
		p.weights *= offCard
	}
	if s.offload.kept > 0 {
		p.weights *= s.offload.kept
		p.kv *= s.offload.kept
	}
	scores := s.shape.heads * s.tokens * microBatch * 4
	if fa := s.job.FlashAttention; fa == nil || *fa {
		scores = 0
	}
	p.kept, p.logits = 0, 0
	p.once = microBatch*s.shape.vocab*4*computeSlack + scores
	if s.job.GPUs == 0 { // an unknown number of cards, each with its buffer
		p.once += scores
	}
	p.context = contextLlamaCPP
}

func (s *settings) litgpt(p *parts) {
	if s.shape.tied { // stores the head separately
		p.weights += s.shape.embedding() * s.precision.bits / 8
	}
	if s.precision.quant {
		p.weights = max(p.weights-s.shape.embedding()*(2-s.precision.bits/8), 0) // the head is quantised as well
		p.once = quantiseCopy * max(s.shape.embedding(), s.shape.hidden*s.shape.ffn)
	}
}
