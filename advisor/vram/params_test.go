package vram

import (
	"math"
	"testing"
)

// TestParams counts models whose size their makers publish.
func TestParams(t *testing.T) {
	for _, c := range []struct {
		name  string
		model Model
		want  float64 // billions
	}{
		{"Qwen2.5-7B", Model{Layers: 28, Hidden: 3584, Heads: 28, KVHeads: 4, HeadDim: 128, Vocab: 152064, FFN: 18944}, 7.616},
		{"Llama-3-8B", Model{Layers: 32, Hidden: 4096, Heads: 32, KVHeads: 8, HeadDim: 128, Vocab: 128256, FFN: 14336}, 8.030},
		{"Mixtral-8x7B", Model{Layers: 32, Hidden: 4096, Heads: 32, KVHeads: 8, HeadDim: 128, Vocab: 32000, FFN: 14336, Experts: 8, ExpertsPerToken: 2}, 46.70},
		{"DeepSeek-V3", Model{Layers: 61, Hidden: 7168, Heads: 128, KVHeads: 128, Vocab: 129280, FFN: 18432, Experts: 256, ExpertsPerToken: 8, SharedExperts: 1, MoEFFN: 2048, DenseLayers: 3,
			MLA: &MLA{KVLoraRank: 512, QKRopeHeadDim: 64, QLoraRank: 1536, QKNopeHeadDim: 128, VHeadDim: 128}}, 671},
		{"no shape", Model{ParamsB: 7}, 0},
	} {
		if got := c.model.Params(); math.Abs(got-c.want) > 0.01*c.want {
			t.Errorf("%s: got %.3f billion, want %.3f", c.name, got, c.want)
		}
	}
}
