package vram

import (
	"math"
	"testing"
)

// What others measured, in our words, and how near the formulas come. The
// whole collection is in rules/measurements; these show one of each kind.
func TestPublished(t *testing.T) {
	no, on := false, true
	for _, c := range []struct {
		name   string
		job    Job
		meter  string
		gib    float64 // published
		within float64 // relative
		source string
	}{
		{"Qwen2.5-7B, 30k tokens of prompt, the reading transient included",
			Job{Model: qwen7b, Precision: "bf16", Batch: 1, SeqLen: 32768, Input: 30720, Stack: "hf-prefill"}, "torch_alloc", 20.1, 0.05, "Qwen2.5 speed benchmark"},
		{"Qwen-7B in a stack whose cache grows by concatenation",
			Job{Model: qwen1_7B, Precision: "bf16", Batch: 1, SeqLen: 2048, Input: 1, Stack: "hf-old"}, "", 16.99, 0.03, "Qwen README, inference"},
		{"Qwen2.5-coder 32B Q4_K_M in ollama at 16k",
			Job{Model: qwen32B, Precision: "q4_k_m", Batch: 1, SeqLen: 16384, Stack: "llamacpp", FlashAttention: &no, GPUs: 1}, "nvidia-smi", 23.82, 0.03, "ollama issue 9988"},
		{"Qwen-7B LoRA, rank 64, 1,024 tokens",
			Job{Use: "lora", Model: qwen1_7B, Precision: "bf16", Batch: 1, SeqLen: 1024, LoRARank: 64, Checkpointing: &on}, "", 21.5, 0.08, "Qwen README, profiling"},
		{"Qwen-7B QLoRA over GPTQ, 8,192 tokens",
			Job{Use: "qlora", Model: qwen1_7B, Precision: "gptq-int4", Batch: 1, SeqLen: 8192, LoRARank: 64, Checkpointing: &on}, "", 23.5, 0.05, "Qwen README, profiling"},
		{"Llama 3.2 3B full fine-tune, 8,192 tokens in flight, nothing saved",
			Job{Use: "full", Model: llama3B, Precision: "bf16", Optimizer: "adamw-bf16", Batch: 2, SeqLen: 4096, Checkpointing: &no, Accumulation: &no, Stack: "torchtune"}, "torch_alloc", 60.0, 0.03, "torchtune README"},
		{"the same with every flag on",
			Job{Use: "full", Model: llama3B, Precision: "bf16", Optimizer: "adamw8bit", Batch: 2, SeqLen: 4096, Checkpointing: &on, Accumulation: &no, Stack: "torchtune", Compiled: true, ChunkedLoss: true, OptimizerInBackward: true, OffloadActivations: true},
			"torch_alloc", 17.6, 0.05, "torchtune README"},
		{"Llama 3.1 70B full on 8 cards, sharded, states in host memory",
			Job{Use: "full", Model: llama70B, Precision: "bf16", Batch: 2, SeqLen: 2048, GPUs: 8, Sharding: "fsdp", Offload: "cpu"}, "", 13.9, 0.08, "torchtune README"},
		{"Flux, a batch of 16",
			Job{Model: flux, Precision: "bf16", Batch: 16, W: 1024, H: 1024}, "torch_alloc", 61.55, 0.05, "diffusers-torchao README"},
		{"Flux in NF4, T5 too: not a quarter of the size",
			Job{Model: flux, Precision: "nf4 (DiT + T5)", Batch: 1, W: 1024, H: 1024}, "torch_alloc", 14.95, 0.05, "diffusers documentation"},
		{"SDXL, batch 4, 16 bits",
			Job{Model: sdxl, Precision: "fp16", Batch: 4, W: 1024, H: 1024}, "", 20.2, 0.05, "HF blog on SDXL"},
		{"Wan 2.1 14B, 720p, five seconds, one card",
			Job{Model: wan, Precision: "bf16", Batch: 1, W: 1280, H: 720, Frames: 81}, "", 64.35, 0.03, "Wan2.1 table"},
		{"and eight",
			Job{Model: wan, Precision: "bf16", Batch: 1, W: 1280, H: 720, Frames: 81, GPUs: 8, Sharding: "fsdp+ulysses"}, "", 27.85, 0.05, "Wan2.1 table"},
		{"CogVideoX-5B with parts in host memory: decoding sets the peak",
			Job{Model: cog, Precision: "bf16", Batch: 1, W: 720, H: 480, Frames: 49, Offload: "model cpu"}, "", 17.7, 0.05, "diffusers documentation"},
		{"ResNet-50, 512 pictures, mixed precision",
			Job{Use: "cv-train", Model: resnet, Precision: "amp", Batch: 512}, "nvidia-smi", 28.6, 0.05, "FlagPerf"},
		{"Whisper large, eight streams",
			Job{Model: whisper, Precision: "fp16", Batch: 8}, "", 5.95, 0.05, "faster-whisper README"},
	} {
		e := c.job.Estimate()
		got := e.Reading(c.meter, "gpu", c.job.GPUs)
		if math.Abs(got/c.gib-1) > c.within {
			t.Errorf("%s (%s): got %.2f GiB, want %.2f within %.0f %%; terms %+v", c.name, c.source, got, c.gib, 100*c.within, e.Terms)
		}
	}
}

// Exact arithmetic, checked by hand.
func TestByHand(t *testing.T) {
	const tolerance = 0.002
	for _, c := range []struct {
		name string
		got  float64
		want float64 // bytes
	}{
		{"8B in 16 bits", weightsOf(Job{Model: llama8B, Precision: "bf16"}), 2 * 8.03e9},
		{"AWQ leaves the vocabulary in 16 bits", weightsOf(Job{Model: llama8B, Precision: "awq"}), (8.03e9-2*128256*4096)*4.16/8 + 2*2*128256*4096},
		{"Q4_K_M counts every weight", weightsOf(Job{Model: llama8B, Precision: "q4_k_m", Stack: "hf"}), 8.03e9 * 4.85 / 8},
		{"KV with grouped queries", kvOf(Job{Model: llama8B, SeqLen: 8192, Concurrency: 1}), 2 * 32 * 1024 * 2 * 8192},
		{"KV of eight requests", kvOf(Job{Model: llama8B, SeqLen: 8192, Concurrency: 8}), 8 * 2 * 32 * 1024 * 2 * 8192},
		{"KV in 8 bits", kvOf(Job{Model: llama8B, SeqLen: 8192, Concurrency: 1, KVBits: 8}), 32 * 1024 * 2 * 8192},
		{"KV of latent attention", kvOf(Job{Model: deepseek, SeqLen: 4096, Concurrency: 1}), 61 * 576 * 2 * 4096},
		{"KV with windows: 10 full layers of 62", kvOf(Job{Model: gemma, SeqLen: 32768, Concurrency: 1}), 2 * 2048 * 2 * (62.0/6*32768 + (62-62.0/6)*1024)},
		{"KV of linear attention: 12 layers cache, 36 keep a state", kvOf(Job{Model: linear, SeqLen: 65536, Concurrency: 1}), 2*512*2*12*65536 + 36*2048*256*2},
		{"an encoder caches nothing", kvOf(Job{Model: bge, SeqLen: 512, Batch: 32}), 0},
		{"mixed-precision AdamW: 12 bytes of states", float64(Job{Use: "full", Model: llama8B}.Estimate().Terms.Optimizer), 12 * 8.03e9},
		{"ZeRO-1 over 4", float64(Job{Use: "full", Model: llama8B, GPUs: 4, Sharding: "zero1"}.Estimate().Terms.Optimizer), 3 * 8.03e9},
		{"ZeRO-3 over 8", float64(Job{Use: "full", Model: llama70B, GPUs: 8, Sharding: "zero3"}.Estimate().Terms.Weights), 2 * 70.554e9 / 8},
		{"ZeRO-2 leaves the weights", float64(Job{Use: "full", Model: llama70B, GPUs: 8, Sharding: "zero2"}.Estimate().Terms.Weights), 2 * 70.554e9},
		{"a split over four cards divides the cache", kvOf(Job{Model: llama70B, SeqLen: 8192, Concurrency: 4, GPUs: 4, Sharding: "tensor-parallel"}), 2 * 80 * 1024 * 2 * 8192},
		{"but not beyond the key-value heads", kvOf(Job{Model: llama70B, SeqLen: 8192, Concurrency: 8, GPUs: 16, Sharding: "tensor-parallel"}), 2 * 80 * 1024 * 2 * 8192},
	} {
		if math.Abs(c.got-c.want) > tolerance*max(c.want, 1) {
			t.Errorf("%s: got %.4g bytes, want %.4g", c.name, c.got, c.want)
		}
	}
}

func weightsOf(j Job) float64 { return float64(j.Estimate().Terms.Weights) }
func kvOf(j Job) float64      { return float64(j.Estimate().Terms.KV) }

func TestEstimateTellsItsStory(t *testing.T) {
	on := true
	t.Run("nothing said", func(t *testing.T) {
		e := Job{Use: "lora", Model: llama8B}.Estimate()
		want := []string{"precision=bf16", "seq_len=2048", "batch=1", "checkpointing=on", "lora_rank=16"}
		if !equal(e.Assumed, want) {
			t.Errorf("assumed: got %q, want %q", e.Assumed, want)
		}
		if r := float64(e.Reserve) / float64(e.Peak); math.Abs(r-0.15) > 1e-6 {
			t.Errorf("reserve with assumptions: got %.3f of the peak, want 0.15", r)
		}
		if e.Dominant != "weights" || e.Total != e.Peak+e.Reserve || e.Load >= e.Peak {
			t.Errorf("got %+v, want weights dominant and load below peak", e)
		}
	})
	t.Run("everything said", func(t *testing.T) {
		e := Job{Use: "lora", Model: llama8B, Precision: "bf16", SeqLen: 2048, Batch: 1, Checkpointing: &on, LoRARank: 16}.Estimate()
		if len(e.Assumed) != 0 || e.Confidence != "high" {
			t.Errorf("got assumed %q, confidence %s, want none and high", e.Assumed, e.Confidence)
		}
		if r := float64(e.Reserve) / float64(e.Peak); math.Abs(r-0.05) > 1e-6 {
			t.Errorf("reserve: got %.3f of the peak, want 0.05", r)
		}
	})
	t.Run("defaults that the caller filled in count as assumed", func(t *testing.T) {
		e := Job{Model: llama8B, Precision: "bf16", SeqLen: 8192, Concurrency: 1, Guessed: true}.Estimate()
		if r := float64(e.Reserve) / float64(e.Peak); math.Abs(r-0.15) > 1e-6 {
			t.Errorf("reserve: got %.3f of the peak, want 0.15", r)
		}
	})
	t.Run("size only", func(t *testing.T) {
		e := Job{ParamsB: 13, Precision: "int4", SeqLen: 4096, Concurrency: 1}.Estimate()
		if e.Confidence != "low" || !equal(e.Assumed, []string{"shape=typical"}) {
			t.Errorf("got %s, %q, want low, shape=typical", e.Confidence, e.Assumed)
		}
	})
	t.Run("a measured peak replaces the prediction", func(t *testing.T) {
		e := Job{Model: llama8B, Precision: "bf16", SeqLen: 8192, Concurrency: 1, MeasuredPeak: 21 * GiB}.Estimate()
		if e.Peak != 21*GiB || e.Confidence != "high" {
			t.Errorf("got peak %d, confidence %s, want %d, high", e.Peak, e.Confidence, int64(21*GiB))
		}
	})
	t.Run("long prompts are about the cache", func(t *testing.T) {
		if e := (Job{Model: llama8B, SeqLen: 131072, Concurrency: 8}).Estimate(); e.Dominant != "kv" {
			t.Errorf("dominant: got %s, want kv", e.Dominant)
		}
	})
	t.Run("a big vocabulary is about logits", func(t *testing.T) {
		if e := (Job{Use: "qlora", Model: qwen1_7B, SeqLen: 8192, Batch: 1}).Estimate(); e.Dominant != "logits" {
			t.Errorf("dominant: got %s, want logits", e.Dominant)
		}
	})
	t.Run("no formula", func(t *testing.T) {
		e := Job{Use: "render"}.Estimate()
		if e.Peak != 0 || e.Confidence != "none" || e.Dominant != "" {
			t.Errorf("got %+v, want nothing, confidence none", e)
		}
	})
}

// A lever is only named when pulling it really drops a class.
func TestLever(t *testing.T) {
	on, off := true, false
	for _, c := range []struct {
		name string
		job  Job
		want string
	}{
		{"LoRA without checkpointing", Job{Use: "lora", Model: llama8B, Precision: "bf16", SeqLen: 4096, Batch: 1, Checkpointing: &off}, "checkpointing"},
		{"long samples, big vocabulary", Job{Use: "qlora", Model: qwen1_7B, SeqLen: 8192, Batch: 2, Checkpointing: &on}, "chunked-loss"},
		{"a 70B answer in 16 bits", Job{Model: llama70B, Precision: "bf16", SeqLen: 4096, Concurrency: 1}, "int8"},
		{"many requests", Job{Model: llama8B, Precision: "awq", SeqLen: 32768, Concurrency: 8}, "kv-int8"},
		{"a full fine-tune", Job{Use: "full", Model: llama3B, SeqLen: 2048, Batch: 1}, "8-bit-optimizer"},
		{"Flux on one card", Job{Model: flux, Precision: "bf16", W: 1024, H: 1024, Batch: 1}, "model-offload"},
		{"the smallest class already", Job{Use: "cv-train", Model: yolo, Batch: 1, W: 320, H: 320}, ""},
	} {
		if got := c.job.Estimate().Lever; got != c.want {
			t.Errorf("%s: got %q, want %q", c.name, got, c.want)
		}
	}
}

func equal(a, b []string) bool {
	if len(a) != len(b) {
		return false
	}
	for i := range a {
		if a[i] != b[i] {
			return false
		}
	}
	return true
}
