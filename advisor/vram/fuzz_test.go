package vram

import (
	"encoding/json"
	"math"
	"testing"
)

// FuzzEstimate feeds numbers that no real job has.
func FuzzEstimate(f *testing.F) {
	f.Add("lora", "", "bf16", "zero3", "cpu", "hf", "qv", 7.0, 16.0, 2048, 1, 32, 4096, 128256, 8)
	f.Add("inference", "image", "nf4 (DiT + T5)", "context-parallel", "model cpu + vae tiling", "", "", 12.0, 0.0, 1024, 4, 0, 0, 0, 1)
	f.Add("qlora", "llm", "q4_k_m", "pp2dp4tp1", "57 of 57 layers", "llamacpp", "head", math.NaN(), math.Inf(1), -1, -5, -3, math.MaxInt, math.MinInt, math.MaxInt)
	f.Add("full", "video", "fp32", "fsdp+ulysses/ring", "16 blocks cpu", "litgpt", "attn+mlp", math.MaxFloat64, -1.0, math.MaxInt, math.MaxInt, math.MaxInt, math.MaxInt, math.MaxInt, math.MinInt)
	f.Fuzz(func(t *testing.T, use, domain, precision, sharding, offload, stack, targets string, size, real float64, tokens, batch, layers, hidden, vocab, cards int) {
		j := Job{
			Use: use, Domain: domain, Precision: precision, Sharding: sharding, Offload: offload, Stack: stack, Targets: targets, ParamsB: size,
			KVBits: real, AdapterBytes: real, Trainable: real, SeqLen: tokens, Batch: batch, W: tokens, H: batch, Frames: layers, LoRARank: batch, GPUs: cards, Input: hidden, Concurrency: vocab,
			WeightBytes: int64(tokens), MeasuredPeak: int64(layers),
			Model: Model{
				Layers: layers, Hidden: hidden, Vocab: vocab, Heads: batch, KVHeads: tokens, HeadDim: cards, FFN: hidden, Experts: batch, MoELayerEvery: layers, FullAttentionEvery: cards, SlidingWindow: tokens,
				KVSharedLayers: hidden, ParamsB: real, MLA: &MLA{KVLoraRank: vocab}, Components: map[string]float64{"dit": size, "vae": real}, ActWidths: size, VAEBytes: real, TokenSide: layers, TokenFrames: batch,
			},
		}
		shaped, bare := j, j
		shaped.Model.MLA = nil
		bare.Model, bare.WeightBytes, bare.MeasuredPeak = Model{}, 0, 0
		for _, j := range []Job{j, shaped, bare} {
			e := j.Estimate()
			e.Assumed = nil
			if j.MeasuredPeak <= 0 {
				sane(t, e)
			}
			p := j.Plan()
			if n, fit := p.Count(&Card{VRAMGB: size, SMIMiB: []int{tokens}, ComputeCapability: stack}, cards); n < 0 || fit.Total < 0 || fit.Usable < 0 {
				t.Fatalf("got %d cards, %+v", n, fit)
			}
			if p.Need(cards) < 0 || p.Need(1) < p.Need(2) {
				t.Fatalf("got needs %d of one and %d of two cards", p.Need(1), p.Need(2))
			}
		}
	})
}

// FuzzCase reads lines as strangers write them.
func FuzzCase(f *testing.F) {
	f.Add([]byte(`{"id":"a","domain":"llm","task":"qlora","model":"CodeQwen (Qwen-7B based)","params_b":7.7,"arch":{"layers":32,"hidden":4096},"batch":1,"seq_len":256,"cfg":{"ckpt":true,"lora_r":null}}`))
	f.Add([]byte(`{"domain":"video","task":"lora","resolution":"49x480x720","gpus":8,"sharding":"zero2 x8"}`))
	f.Add([]byte(`{"domain":"image","task":"inference","resolution":"1024x","frames":-1,"cfg":{"weights_gib":-5,"img":99999999}}`))
	f.Fuzz(func(t *testing.T, line []byte) {
		var c Case
		if json.Unmarshal(line, &c) != nil {
			return
		}
		find := func(id string) (Model, bool) { return qwen7b, id == "qwen-7b" }
		sane(t, c.Job(find).Estimate())
		Accuracy([]Case{c}, find)
	})
}
