package vram

import "testing"

var benchJobs = map[string]Job{
	"answer": {Model: llama70B, SeqLen: 8192, Concurrency: 4},
	"lora":   {Use: "lora", Model: qwen7b, Precision: "bf16", SeqLen: 4096, Batch: 2},
	"full":   {Use: "full", Model: llama70B},
	"size":   {Use: "qlora", ParamsB: 13},
	"flux":   {Model: flux},
	"clip":   {Model: wan},
}

func BenchmarkEstimate(b *testing.B) {
	for name, j := range benchJobs {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				j.Estimate()
			}
		})
	}
}

func BenchmarkOn(b *testing.B) {
	for name, j := range benchJobs {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				j.On(a100, 2)
			}
		})
	}
}

// What choosing cards costs: one plan, judged on ninety cards.
func BenchmarkPlanOnNinetyCards(b *testing.B) {
	cards := make([]Card, 0, 90)
	for len(cards) < 90 {
		cards = append(cards, t4, v100, rtx4090, l40s, a100, h200)
	}
	for name, j := range benchJobs {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				p := j.Plan()
				for i := range cards {
					p.Count(&cards[i], 8)
				}
			}
		})
	}
}
