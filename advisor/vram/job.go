package vram

// Job is what is to run, as far as anybody knows. Zero means unknown and is
// replaced by a default that the estimate lists in Assumed. Words are matched
// without regard to case; an unknown word counts as not said.
type Job struct {
	Use     string  // inference lora qlora full-finetune pretrain train rlhf, or a task of the contract (image-gen, cv-train …); empty is inference
	Method  string  // full lora qlora: how a finetune, an image-train or an rlhf job trains
	Domain  string  // llm image video cv audio; empty follows Use, then Model, then llm
	Model   Model   // zero when it is not in the catalogue
	ParamsB float64 // billions of parameters when Model is zero; a typical shape of that size is assumed

	Precision string // of the weights: bf16 fp16 fp32 fp8 int8 int4 awq gptq-int4 nf4 mxfp4 q4_k_m …
	Optimizer string // adamw adamw-bf16 adamw-fp32 adamw8bit paged8bit sgd adafactor lion muon
	Sharding  string // ddp zero1 zero2 zero3 fsdp tensor-parallel layer-split context-parallel, or tp2pp4ep8
	Offload   string // cpu, optimizer cpu, model cpu, sequential, 16 blocks, t5 cpu, vae tiling, vae slicing, 20 of 57 layers
	Stack     string // hf hf-prefill hf-old hf-mqa hf-glm hf-ds vllm llamacpp litgpt torchtune …

	Batch       int // samples on one card at once
	SeqLen      int // tokens of one sample: prompt and answer
	Input       int // tokens of the prompt that are read at once
	Concurrency int // requests at once
	W, H        int // pixels of a picture or a clip
	Frames      int // of a clip
	GPUs        int // cards that share the job; 0 is unknown

	KVBits         float64 // bits of one cached number; 0 is 16
	FlashAttention *bool   // llama.cpp pays a buffer without it

	Checkpointing       *bool   // activations computed twice instead of kept
	Accumulation        *bool   // gradients of several steps are summed
	LoRARank            int     // 0 is unknown
	Targets             string  // layers with adapters: qv, attn, mlp, attn+mlp, q_proj,v_proj …
	Trainable           float64 // parameters of the adapters, when known
	AdapterBytes        float64 // all bytes of one adapter parameter; 0 is 16
	TrainEmbeddings     bool    // embedding and head are trained beside the adapters
	FP32Embeddings      *bool   // a quantised model keeps embedding and head in 32 bits
	ChunkedLoss         bool    // chunked or fused cross entropy
	Compiled            bool    // torch.compile
	OptimizerInBackward bool    // each gradient is used up where it appears
	OffloadActivations  bool    // checkpoints go to host memory

	Resident         string // parts of a pipeline on the card: all, dit
	QuantiseAll      bool   // text encoders are quantised too
	LoadThenQuantise bool   // loaded in 16 bits, quantised on the card
	DecodeBound      bool   // known: decoding the result sets the peak
	WeightsOnly      bool   // the reading was taken after loading

	Guessed      bool  // some setting above is a default that the caller filled in: the reserve is the larger one
	WeightBytes  int64 // size of the weights on the card, when known
	MeasuredPeak int64 // bytes that one card really showed; replaces the prediction
}

// Uses that the arithmetic tells apart.
const (
	inference = "inference"
	lora      = "lora"
	qlora     = "qlora"
	full      = "full-finetune"
	pretrain  = "pretrain"
	rlhf      = "rlhf"
)

// Domains that have formulas of their own.
const (
	llm   = "llm"
	image = "image"
	video = "video"
	cv    = "cv"
	audio = "audio"
)

// purpose reads Use and Method: a domain that Use implies ("" when none) and
// one of the uses above. An unknown use has no formula: ok is false.
func (j *Job) purpose() (domain, use string, ok bool) {
	method := methods[j.Method]
	switch j.Use {
	case "", "inference", "serve", "embedding":
		return "", inference, true
	case "lora", "qlora", "full-finetune", "pretrain", "rlhf":
		return "", j.Use, true
	case "full":
		return "", full, true
	case "finetune":
		return "", orElse(method, lora), true
	case "image", "image-gen":
		return image, inference, true
	case "image-lora", "image-train":
		return image, orElse(method, lora), true
	case "video", "video-gen":
		return video, inference, true
	case "video-lora", "video-train":
		return video, orElse(method, lora), true
	case "cv-train", "learn":
		return cv, full, true
	case "train":
		return "", orElse(method, full), true
	case "speech":
		return audio, orElse(method, inference), true
	}
	return "", inference, false
}

// Kind is what a job is taken for among published figures: a domain (llm image
// video cv audio) and a task (inference lora qlora full-finetune pretrain train
// rlhf).
func (j *Job) Kind() (domain, task string) {
	implied, use, _ := j.purpose()
	if domain = j.domain(implied); domain == cv && use == full {
		use = "train"
	}
	return domain, use
}

var methods = map[string]string{"full": full, "full-finetune": full, "lora": lora, "qlora": qlora}

func orElse(s, other string) string {
	if s != "" {
		return s
	}
	return other
}
