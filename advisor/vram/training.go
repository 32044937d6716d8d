package vram

import "strings"

// Coefficients of training a transformer.
const (
	contextTraining  = 1.2 * GiB // context, trainer and NCCL; Unsloth counts 1.4 GB
	allocatorReserve = 0.04      // kept beyond use: PEFT's runs report reserved and allocated

	// Share of the textbook list of activations that is really kept: less when
	// only query and value carry adapters (fitted: PEFT benchmark, torchtune).
	keptFew = 0.85
	keptAll = 1.0
	fused   = 0.85 // torch.compile (torchtune: 60.0 to 51.0 GiB)

	// Bytes of one logit: 16-bit output, its shifted copy, 32-bit copy,
	// softmax (fitted: Qwen LoRA sweep). A 32-bit head needs no cast copy.
	logitBytes        = 12
	logitBytesFP32    = 8
	logitBytesChunked = 1.75 // chunked or fused loss (torchtune: 51.0 to 42.9 GiB on a 3B model)
	logitBytesHead    = 6    // more where the head itself carries an adapter

	mostAdapters  = 0.7 // of the model's parameters; beyond that nobody calls it an adapter
	adapterBytes  = 16  // 32-bit adapter, gradient, two moments (PEFT)
	embeddingMore = 12  // per parameter of a trained embedding beside its 2 bytes

	droppedInput = 2 // a 4-bit matmul keeps its input for backward
	droppedMask  = 3 // with adapters on every layer each keeps its own dropped-out copy and a mask

	// With the optimizer in backward one gradient is alive at a time; a tied
	// vocabulary matrix keeps its own from the first step of backward to the
	// last. Stepping it takes 32-bit scratch, more where torchao unpacks 8-bit
	// moments (torchtune, cumulative flags on a 3B model).
	stepScratch     = 4
	stepScratch8bit = 12

	// DeepSpeed's step holds 32-bit gradients and Adam's scratch of one
	// sub-group: fitted on Qwen-1.8B full fine-tuning, flat at 43.5 GB up to
	// 2,048 tokens, where the model states are 29 GB.
	stepBytes    = 8
	subGroup     = 1e9 // parameters: DeepSpeed's default for stage 3
	stepBuckets  = 3 * gb
	stage3Live   = 4 * gb // live parameters and those kept for reuse, 1e9 of each in 16 bits, at their defaults
	stage2Bucket = 2 * gb // reduce buckets at their defaults
)

// targets are the layers that carry adapters.
type targets struct {
	query, key, value, output, mlp, head bool
}

// readTargets reads qv, attn, mlp, "attn+mlp", or lists of layer names. Nothing
// readable means every linear layer.
func readTargets(s string) targets {
	var t targets
	s = strings.ToLower(s)
	has := func(w string) bool { return strings.Contains(s, w) }
	switch {
	case s == "qv":
		t.query, t.value = true, true
	case strings.HasPrefix(s, "attn"):
		t.query, t.key, t.value, t.output = true, true, true, true
	default:
		t.query = has("query") || has("q_proj")
		t.key = has("key") || has("k_proj")
		t.value = has("value") || has("v_proj")
		t.output = has("projection") || has("o_proj")
	}
	t.mlp = has("mlp") || has("gate") || has("up_proj")
	t.head = strings.Contains("+"+s+"+", "+head+") || has("lm_head")
	if t == (targets{}) {
		return targets{query: true, key: true, value: true, output: true, mlp: true}
	}
	return t
}

// adapterParams counts the parameters of the adapters.
func (s *settings) adapterParams() float64 {
	if n := known(s.job.Trainable); n > 0 {
		return n
	}
	sh, t, per := &s.shape, s.targets, 0.0
	for _, x := range [...]struct {
		on   bool
		size float64
	}{
		{t.query, sh.hidden + sh.qwidth},
		{t.key, sh.hidden + sh.kvwidth},
		{t.value, sh.hidden + sh.kvwidth},
		{t.output, sh.qwidth + sh.hidden},
		{t.mlp, sh.matrices * (sh.hidden + sh.expertFFN)},
	} {
		if x.on {
			per += x.size
		}
	}
	n := sh.layers * per
	if t.head {
		n += sh.hidden + sh.vocab
	}
	return min(s.rank*n, mostAdapters*s.params)
}

// tokenLayer is the bytes that one token leaves in one layer between forward
// and backward.
func (s *settings) tokenLayer() float64 {
	sh := &s.shape
	wide, mlp := 8.0, 4.0
	if sh.matrices < 3 {
		wide, mlp = 4, 2
	}
	kappa := keptFew
	if s.full() || s.targets.mlp {
		kappa = keptAll
	}
	x := 2 * kappa * (wide*sh.hidden + 3*sh.qwidth + 4*sh.kvwidth + mlp*sh.ffn)
	switch {
	case s.use != qlora || s.checkpoint:
	case s.targets.mlp:
		x += droppedMask * (4*sh.hidden + sh.ffn)
	default:
		x += droppedInput * (3*sh.hidden + sh.ffn)
	}
	if s.precision.bits >= 32 {
		x *= 2
	}
	if s.job.Compiled {
		x *= fused
	}
	return x
}

// training fills the parts of a language model that learns.
func (s *settings) training(p *parts) {
	sh, j := &s.shape, s.job
	p.context = contextTraining
	p.reserve = allocatorReserve
	p.together = s.accumulate
	p.repeated = 2 * sh.embedding()
	wide := 2.0
	if s.use == qlora && s.wideEmbeddings() {
		wide = 4
	}
	p.gatherLayer, p.gatherHead = 4*sh.layerParams(), 2*sh.embedding()
	if s.precision.quant {
		p.gatherLayer *= s.precision.bits / 16
	}
	p.weights = s.storedWeights(wide)
	if j.Stack == "litgpt" && sh.tied { // stores the head separately
		p.weights += sh.embedding() * s.precision.bits / 8
	}
	if s.full() {
		s.states(p)
	} else {
		s.adapted(p)
	}
	s.forward(p, wide)
	s.rollout(p)
}

// wideEmbeddings reports whether k-bit preparation leaves embedding and head
// in 32 bits, as PEFT's does.
func (s *settings) wideEmbeddings() bool {
	if w := s.job.FP32Embeddings; w != nil {
		return *w
	}
	switch s.job.Stack {
	case "litgpt", "torchtune", "unsloth", "llama-factory":
		return false
	}
	return !s.sharing.fsdp // which wants one type for all that it shards
}

// states fills gradients and optimizer of a full fine-tune.
func (s *settings) states(p *parts) {
	g, o := s.optimizer.gradients, s.optimizer.states
	switch {
	case s.job.Stack == "litgpt" && s.optimizer.id == "adamw": // pure 16-bit
		o = 4
	case s.precision.bits >= 32 && s.optimizer.id == "adamw": // no master copy beside 32-bit weights
		g, o = 4, 8
	}
	p.gradients, p.optimizer = g*s.params, o*s.params
	if s.job.OptimizerInBackward {
		s.stepInBackward(p)
	}
	if s.deepSpeed() {
		p.step = stepBytes * s.params
	}
	if s.offload.optimizer {
		p.optimizer, p.step = 0, 0
	}
}

func (s *settings) stepInBackward(p *parts) {
	p.gradients, p.together = 0, true
	if !s.shape.tied {
		return
	}
	p.gradients = 2 * s.shape.embedding()
	scratch := float64(stepScratch)
	switch s.optimizer.id {
	case "adamw8bit":
		scratch = stepScratch8bit
	case "paged8bit": // bitsandbytes steps in one kernel
		scratch = 0
	}
	p.step = scratch * s.shape.embedding()
}

func (s *settings) deepSpeed() bool { return s.job.Stack == "hf-ds" }

// adapted fills the adapters of LoRA and QLoRA.
func (s *settings) adapted(p *parts) {
	per := known(s.job.AdapterBytes)
	if per == 0 {
		per = adapterBytes
		if s.job.Stack == "litgpt" {
			per = adapterBytes / 2
		}
	}
	p.adapters = s.adapterParams() * per
	if s.job.TrainEmbeddings {
		p.adapters += embeddingMore * s.shape.vocabulary()
	}
}

// forward fills what the forward pass leaves for the backward pass.
func (s *settings) forward(p *parts, wide float64) {
	sh, j := &s.shape, s.job
	tokens := s.batch * s.tokens
	layer := tokens * s.tokenLayer()
	per := float64(logitBytes)
	switch {
	case j.ChunkedLoss:
		per = logitBytesChunked
	case wide == 4:
		per = logitBytesFP32
	}
	if s.targets.head {
		per += logitBytesHead
	}
	p.logits = tokens * sh.vocab * per
	if j.Model.Role != "" { // encoders and embedding models have no head
		p.logits = 0
	}
	p.sequential = s.checkpoint
	if !s.checkpoint {
		p.kept = layer * sh.layers
	} else {
		p.layer = layer
		if !j.OffloadActivations {
			p.kept = tokens * 2 * sh.hidden * sh.layers
		}
	}
	if s.precision.quant {
		p.once = 2 * sh.hidden * sh.ffn // one matrix in 16 bits
		if j.Stack == "litgpt" {        // which quantises the head as well
			p.once = max(p.once, 2*sh.embedding())
		}
		if s.job.WeightBytes == 0 { // quantising never costs
			p.weights = min(p.weights, max(2*s.params-p.once, 0))
			p.once = min(p.once, 2*s.params)
		}
	}
}

// rollout adds the copies that reinforcement learning keeps beside the policy:
// the reference and the copy that generates; with adapters the reference is
// the frozen model itself.
func (s *settings) rollout(p *parts) {
	if s.use != rlhf {
		return
	}
	copies := 2.0
	if s.adapters() {
		copies = 1
	}
	p.weights += copies * 2 * s.params
	p.kv = s.shape.kv(s.tokens, s.batch, kvBits)
}
