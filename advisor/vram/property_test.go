package vram

import (
	"math"
	"testing"

	"pgregory.net/rapid"
)

// drawModel draws a model with a shape, or none: then the size alone counts.
func drawModel(t *rapid.T, domain string) Model {
	m := Model{Domain: domain, ParamsB: math.Pow(10, rapid.Float64Range(-2.5, 2.9).Draw(t, "log10 billions"))}
	switch domain {
	case "image", "video":
		if rapid.Bool().Draw(t, "parts known") {
			part := rapid.SampledFrom([]string{"dit", "unet"}).Draw(t, "denoiser")
			m.Components = map[string]float64{part: m.ParamsB, "text_encoder": rapid.Float64Range(0, 30).Draw(t, "encoder"), "vae": 0.1}
		}
		m.Hidden = rapid.SampledFrom([]int{0, 1536, 5120}).Draw(t, "hidden")
		m.VAEBytes = rapid.SampledFrom([]float64{0, 760}).Draw(t, "vae bytes")
	case "llm":
		if !rapid.Bool().Draw(t, "shape known") {
			return m
		}
		m.Layers, m.Hidden = rapid.IntRange(4, 120).Draw(t, "layers"), 64*rapid.IntRange(4, 200).Draw(t, "hidden/64")
		m.Heads = rapid.IntRange(1, 128).Draw(t, "heads")
		m.KVHeads = rapid.IntRange(0, m.Heads).Draw(t, "kv heads")
		m.HeadDim = rapid.SampledFrom([]int{0, 64, 128, 256}).Draw(t, "head size")
		m.Vocab, m.FFN = rapid.IntRange(1000, 300000).Draw(t, "vocabulary"), 128*rapid.IntRange(4, 400).Draw(t, "mlp/128")
		m.Tied, m.PlainMLP = rapid.Bool().Draw(t, "tied"), rapid.Bool().Draw(t, "plain")
		drawAttention(t, &m)
	}
	return m
}

func drawAttention(t *rapid.T, m *Model) {
	switch rapid.SampledFrom([]string{"", "window", "linear", "latent", "shared", "experts"}).Draw(t, "kind") {
	case "window":
		m.SlidingWindow, m.FullAttentionEvery = 1024, rapid.IntRange(1, 8).Draw(t, "every")
	case "linear":
		m.LinearAttention, m.FullAttentionEvery = true, 4
	case "latent":
		m.MLA = &MLA{KVLoraRank: 512, QKRopeHeadDim: 64}
	case "shared":
		m.KVSharedLayers = rapid.IntRange(0, m.Layers).Draw(t, "shared layers")
	case "experts":
		m.Experts, m.ExpertsPerToken, m.MoEFFN, m.SharedExperts = 64, 8, 768, 1
	}
}

// drawJob draws a job as somebody could describe it: some things said.
func drawJob(t *rapid.T) Job {
	domain := rapid.SampledFrom([]string{"llm", "llm", "llm", "image", "video", "cv", "audio"}).Draw(t, "domain")
	yes, no := true, false
	j := Job{
		Use:           rapid.SampledFrom([]string{"inference", "lora", "qlora", "full", "pretrain", "rlhf"}).Draw(t, "use"),
		Method:        rapid.SampledFrom([]string{"", "full", "lora", "qlora"}).Draw(t, "method"),
		Model:         drawModel(t, domain),
		Precision:     rapid.SampledFrom([]string{"", "fp32", "bf16", "fp8", "int8", "awq", "nf4", "q4_k_m", "int8wo (DiT only)"}).Draw(t, "precision"),
		Optimizer:     rapid.SampledFrom([]string{"", "adamw", "adamw-bf16", "adamw8bit", "paged8bit", "sgd"}).Draw(t, "optimizer"),
		Sharding:      rapid.SampledFrom([]string{"", "zero1", "zero2", "zero3", "fsdp", "ddp", "tensor-parallel", "pp2tp4", "fsdp+ulysses"}).Draw(t, "sharding"),
		Offload:       rapid.SampledFrom([]string{"", "cpu", "optimizer cpu", "model cpu", "sequential cpu + VAE tiling", "16 blocks cpu"}).Draw(t, "offload"),
		Stack:         rapid.SampledFrom([]string{"", "hf", "hf-prefill", "hf-old", "hf-mqa", "hf-ds", "vllm", "llamacpp", "litgpt", "torchtune"}).Draw(t, "stack"),
		Batch:         rapid.IntRange(1, 64).Draw(t, "batch"),
		Concurrency:   rapid.IntRange(0, 64).Draw(t, "concurrency"),
		SeqLen:        rapid.IntRange(1, 200000).Draw(t, "tokens"),
		Input:         rapid.IntRange(0, 100000).Draw(t, "prompt"),
		W:             rapid.IntRange(16, 2048).Draw(t, "width"),
		H:             rapid.IntRange(16, 2048).Draw(t, "height"),
		Frames:        rapid.IntRange(1, 200).Draw(t, "frames"),
		GPUs:          rapid.SampledFrom([]int{0, 1, 2, 4, 8, 16}).Draw(t, "cards"),
		KVBits:        rapid.SampledFrom([]float64{0, 4, 8.5, 16}).Draw(t, "cache bits"),
		LoRARank:      rapid.IntRange(0, 256).Draw(t, "rank"),
		Targets:       rapid.SampledFrom([]string{"", "qv", "attn", "attn+mlp+head"}).Draw(t, "targets"),
		Checkpointing: rapid.SampledFrom([]*bool{nil, &yes, &no}).Draw(t, "checkpointing"),
		Accumulation:  rapid.SampledFrom([]*bool{nil, &yes, &no}).Draw(t, "accumulation"),
	}
	j.ChunkedLoss, j.OptimizerInBackward = rapid.Bool().Draw(t, "chunked"), rapid.Bool().Draw(t, "in backward")
	return j
}

// atLeast fails when the changed job needs less than the first.
func atLeast(t *rapid.T, what string, j, more Job) {
	t.Helper()
	a, b := j.Estimate(), more.Estimate()
	if b.Peak < a.Peak-1 { // one byte of rounding
		t.Fatalf("%s: got %d bytes, less than %d\n%+v\n%+v", what, b.Peak, a.Peak, a.Terms, b.Terms)
	}
}

// Whoever asks for more never gets a smaller card.
func TestMoreNeverNeedsLess(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		j := drawJob(t)
		factor := rapid.IntRange(2, 8).Draw(t, "factor")
		longer := j
		longer.SeqLen *= factor
		atLeast(t, "longer context", j, longer)
		batch := j
		batch.Batch *= factor
		atLeast(t, "larger batch", j, batch)
		if j.Concurrency > 0 {
			many := j
			many.Concurrency *= factor
			atLeast(t, "more requests", j, many)
		}
		bigger := j
		bigger.Model.ParamsB *= float64(factor)
		if c := j.Model.Components; c != nil {
			bigger.Model.Components = map[string]float64{}
			for k, v := range c {
				bigger.Model.Components[k] = v
			}
			for _, k := range []string{"dit", "unet"} {
				if c[k] > 0 {
					bigger.Model.Components[k] = c[k] * float64(factor)
				}
			}
		}
		atLeast(t, "bigger model", j, bigger)
		if j.Model.Layers > 0 {
			deeper := j
			deeper.Model.Layers *= factor
			deeper.Model.ParamsB *= float64(factor)
			deeper.Model.KVSharedLayers *= factor
			atLeast(t, "deeper model", j, deeper)
		}
		picture := j
		picture.W, picture.H = j.W*factor, j.H*factor
		atLeast(t, "bigger picture", j, picture)
		frames := j
		frames.Frames *= factor
		atLeast(t, "more frames", j, frames)
	})
}

// More cards of a kind never need more of each.
func TestMoreCardsNeverNeedMoreOfEach(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		j := drawJob(t)
		if rapid.Bool().Draw(t, "measured") {
			j.MeasuredPeak = rapid.Int64Range(1, 1<<42).Draw(t, "peak")
		}
		p := j.Plan()
		last := p.Need(1)
		for n := 2; n <= 1<<12; n *= 2 {
			got := p.Need(n)
			if got > last {
				t.Fatalf("%d cards: got %d bytes of each, more than %d of each of %d", n, got, last, n/2)
			}
			last = got
		}
	})
}

// Quantising never costs memory.
func TestQuantisedNeverNeedsMore(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		j := drawJob(t)
		j.Use, j.FP32Embeddings = "inference", nil
		if j.Stack == "litgpt" { // quantises on the card while loading, which needs room
			j.Stack = ""
		}
		j.Precision = "bf16"
		whole := j.Estimate().Peak
		for _, p := range []string{"fp8", "int8", "gptq-int8", "awq", "gptq-int4", "int4", "nf4", "nf4-dq", "mxfp4", "q8_0", "q4_k_m", "q2_k"} {
			j.Precision = p
			if got := j.Estimate().Peak; got > whole+1 {
				t.Fatalf("%s: got %d bytes, more than %d in bf16", p, got, whole)
			}
		}
	})
}

// Training everything takes at least what LoRA takes, and LoRA what QLoRA
// takes, while activations are recomputed; without that a 4-bit layer keeps
// more for backward than a 16-bit one.
func TestMethodsAreOrdered(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		yes := true
		j := drawJob(t)
		j.Precision, j.Optimizer, j.Stack, j.Sharding, j.Offload, j.OptimizerInBackward = "", "", "", "", "", false
		j.Targets = rapid.SampledFrom([]string{"", "qv", "attn+mlp"}).Draw(t, "targets") // an adapter on the head costs more logits than training it
		j.Checkpointing = rapid.SampledFrom([]*bool{nil, &yes}).Draw(t, "checkpointing")
		need := func(use string) int64 {
			j.Use = use
			return j.Estimate().Peak
		}
		everything, adapters, quantised := need("full"), need("lora"), need("qlora")
		if everything < adapters || adapters < quantised {
			t.Fatalf("got full %d, lora %d, qlora %d bytes, want them in this order", everything, adapters, quantised)
		}
	})
}

// The three numbers hang together, whatever is asked.
func TestNumbersHangTogether(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		j := drawJob(t)
		e := j.Estimate()
		sane(t, e)
		p := j.Plan()
		n := rapid.IntRange(-1, 5000).Draw(t, "cards")
		load, peak, reserve := p.Numbers(n)
		if load < 0 || peak <= 0 || reserve < 0 || p.Need(n) != peak+reserve {
			t.Fatalf("%d cards: got load %d, peak %d, reserve %d, need %d", n, load, peak, reserve, p.Need(n))
		}
		f := j.On(Card{VRAMGB: rapid.Float64Range(0, 300).Draw(t, "sticker"), NVLink: "none"}, n)
		if (f.Fits == "") != (f.Gate != "") {
			t.Fatalf("got fits %q and gate %q, want exactly one of them", f.Fits, f.Gate)
		}
	})
}

type failer interface{ Fatalf(string, ...any) }

func sane(t failer, e Estimate) {
	terms := [...]int64{e.Terms.Weights, e.Terms.KV, e.Terms.Activations, e.Terms.Logits, e.Terms.Gradients, e.Terms.Optimizer, e.Terms.Adapters, e.Terms.Context, e.Load, e.Peak, e.Reserve, e.Total}
	sum := 0.0
	for i, x := range terms {
		if x < 0 {
			t.Fatalf("got a negative figure in %+v", e)
		}
		if i < 8 {
			sum += float64(x)
		}
	}
	if e.Total != e.Peak+e.Reserve {
		t.Fatalf("got total %d, want peak %d + reserve %d", e.Total, e.Peak, e.Reserve)
	}
	if e.Peak < most && math.Abs(sum-float64(e.Peak)) > 16+1e-9*sum {
		t.Fatalf("terms sum to %.0f, want the peak %d: %+v", sum, e.Peak, e.Terms)
	}
	for _, meter := range []string{"", "nvidia-smi", "torch_alloc", "torch_reserved"} {
		for _, per := range []string{"gpu", "total"} {
			if r := e.Reading(meter, per, 8); !(r >= 0) || math.IsInf(r, 0) {
				t.Fatalf("%s per %s: got reading %v", meter, per, r)
			}
		}
	}
}
