package vram

import "testing"

func TestOn(t *testing.T) {
	for _, c := range []struct {
		name  string
		job   Job
		card  Card
		n     int
		fits  string
		gate  string
		split string
	}{
		{"8B in 16 bits on 24 GB", Job{Model: llama8B, Precision: "bf16", SeqLen: 8192, Concurrency: 1}, rtx4090, 1, "comfortable", "", ""},
		{"8B, 40k tokens on 24 GB", Job{Model: llama8B, Precision: "bf16", SeqLen: 40000, Concurrency: 1}, rtx4090, 1, "tight", "", ""},
		{"8B, 128k tokens on 24 GB", Job{Model: llama8B, Precision: "bf16", SeqLen: 131072, Concurrency: 1}, rtx4090, 1, "", "memory", ""},
		{"70B over four 48 GB cards", Job{Model: llama70B, Precision: "bf16", SeqLen: 4096, Concurrency: 1}, l40s, 4, "comfortable", "", "tensor-parallel"},
		{"bf16 was said, the card has none", Job{Model: llama3B, Precision: "bf16", SeqLen: 2048, Concurrency: 1}, v100, 1, "", "bf16", ""},
		{"bf16 was not said: fp16 does", Job{Model: llama3B, SeqLen: 2048, Concurrency: 1}, v100, 1, "comfortable", "", ""},
		{"fp8 needs fp8", Job{Model: llama8B, Precision: "fp8", SeqLen: 2048, Concurrency: 1}, a100, 1, "", "fp8", ""},
		{"AWQ on Pascal", Job{Model: llama8B, Precision: "awq", SeqLen: 2048, Concurrency: 1}, p40, 1, "", "compute-capability", ""},
		{"16 cards without a switch talk too slowly", Job{Use: "full", Model: llama70B, Precision: "bf16", SeqLen: 512, Batch: 1, Optimizer: "adamw-bf16"}, l40s, 64, "", "link", "zero3"},
		{"memory unknown", Job{Model: llama8B}, nobody, 1, "", "memory-unknown", ""},
		{"Flux with parts in host memory", Job{Model: flux, Precision: "bf16", W: 1024, H: 1024, Batch: 1}, l40s, 1, "comfortable", "", ""},
		{"Flux on 32 GB only that way", Job{Model: flux, Precision: "fp16", W: 1024, H: 1024, Batch: 1}, v100, 1, "offload", "", ""},
	} {
		f := c.job.On(c.card, c.n)
		if f.Fits != c.fits || f.Gate != c.gate || f.Split != c.split {
			t.Errorf("%s: got fits %q, gate %q, split %q, want %q, %q, %q (total %.1f of %.1f GiB)",
				c.name, f.Fits, f.Gate, f.Split, c.fits, c.gate, c.split, gib(f.Total), gib(f.Usable))
		}
	}
}

func gib(b int64) float64 { return float64(b) / GiB }

func TestCount(t *testing.T) {
	for _, c := range []struct {
		name string
		job  Job
		card Card
		most int
		want int
	}{
		{"8B answers on one", Job{Model: llama8B, Precision: "bf16", SeqLen: 8192, Concurrency: 1}, rtx4090, 8, 1},
		{"70B in 16 bits: two of 80 GB are short once the cache is counted", Job{Model: llama70B, Precision: "bf16", SeqLen: 8192, Concurrency: 8}, a100, 8, 4},
		{"70B in 4 bits on one 48 GB card", Job{Model: llama70B, Precision: "awq", SeqLen: 4096, Concurrency: 1}, l40s, 8, 1},
		{"DeepSeek in its own fp8 on eight H200", Job{Model: deepseek, SeqLen: 8192, Concurrency: 8}, h200, 8, 8},
		{"7B fully trained on 80 GB cards", Job{Use: "full", Model: qwen7b, Precision: "bf16", Optimizer: "adamw", SeqLen: 2048, Batch: 1}, a100, 8, 4},
		{"70B fully trained on one machine", Job{Use: "full", Model: llama70B, Precision: "bf16", SeqLen: 2048, Batch: 1, Optimizer: "adamw"}, l40s, 8, 0},
		{"more cards do not cure a missing precision", Job{Model: llama8B, Precision: "fp8", SeqLen: 2048, Concurrency: 1}, a100, 8, 0},
	} {
		n, f := c.job.Count(c.card, c.most)
		if n != c.want {
			t.Errorf("%s: got %d cards (%+v), want %d", c.name, n, f, c.want)
		}
	}
}

// The server's own habit of taking the whole card is not a need.
func TestServersAreSizedByTheirCache(t *testing.T) {
	one := Job{Model: llama8B, Precision: "bf16", SeqLen: 8192, Concurrency: 1, Stack: "vllm"}.Estimate()
	if one.Total > 24*GiB {
		t.Errorf("8B for one request of 8k: got %.1f GiB, want less than 24", gib(one.Total))
	}
	many := Job{Model: llama8B, Precision: "bf16", SeqLen: 8192, Concurrency: 16, Stack: "vllm"}.Estimate()
	if got := many.Terms.KV - one.Terms.KV; got != 15*one.Terms.KV {
		t.Errorf("sixteen requests: got %d more bytes of cache, want %d", got, 15*one.Terms.KV)
	}
}

func TestUsable(t *testing.T) {
	for _, c := range []struct {
		name string
		card Card
		want int64
	}{
		{"the smallest print counts", t4, 15079 * MiB},
		{"no print: the lowest share of its class", Card{Class: "consumer", VRAMGB: 16}, whole(16 * shareConsumer * GiB)},
		{"domestic boards get the lowest of all", Card{Class: "domestic", VRAMGB: 64}, whole(64 * shareUnknown * GiB)},
		{"nothing known", nobody, 0},
		{"nonsense", Card{VRAMGB: -3, SMIMiB: []int{-1, 0}}, 0},
	} {
		if got := c.card.Usable(); got != c.want {
			t.Errorf("%s: got %d, want %d", c.name, got, c.want)
		}
	}
}

func TestClass(t *testing.T) {
	cards := []Card{nobody, h200, a100, l40s, rtx4090, t4, p40}
	for _, c := range []struct {
		gib  float64
		want float64
	}{{1, 16}, {14.7, 16}, {14.8, 24}, {23.6, 24}, {23.7, 48}, {44, 48}, {46, 80}, {100, 141}, {200, 0}} {
		if got := Class(int64(c.gib*GiB), cards); got != c.want {
			t.Errorf("%v GiB: got class %v, want %v", c.gib, got, c.want)
		}
	}
}

// A peak of one's own belongs to the number of cards it was read on; for other
// numbers the prediction is scaled.
func TestMeasuredPeakOnOtherCounts(t *testing.T) {
	j := Job{Use: "full", Model: llama70B, Precision: "bf16", SeqLen: 2048, Batch: 1, Optimizer: "adamw", GPUs: 16, Sharding: "zero3"}
	predicted := j.Plan()
	j.MeasuredPeak = 100 * GiB
	p := j.Plan()
	if _, peak, _ := p.Numbers(16); peak != 100*GiB {
		t.Errorf("on 16 cards: got %.2f GiB, want the measured 100", gib(peak))
	}
	_, was, _ := predicted.Numbers(32)
	_, at16, _ := predicted.Numbers(16)
	want := float64(was) * 100 * GiB / float64(at16)
	if _, peak, _ := p.Numbers(32); float64(peak) > want*1.01 || float64(peak) < want*0.99 {
		t.Errorf("on 32 cards: got %.2f GiB, want %.2f", gib(peak), want/GiB)
	}
}
