package vram

// Shapes of real models, from their published config.json, for tests.
var (
	qwen7b = Model{
		Domain: "llm", ParamsB: 7.616, Layers: 28, Hidden: 3584, Heads: 28, KVHeads: 4, HeadDim: 128, Vocab: 152064, FFN: 18944, MaxContext: 32768,
	}
	qwen1_7B = Model{
		Domain: "llm", ParamsB: 7.721, Layers: 32, Hidden: 4096, Heads: 32, KVHeads: 32, HeadDim: 128, Vocab: 151936, FFN: 11008, MaxContext: 32768,
	}
	llama3B = Model{
		Domain: "llm", ParamsB: 3.213, Layers: 28, Hidden: 3072, Heads: 24, KVHeads: 8, HeadDim: 128, Vocab: 128256, FFN: 8192, MaxContext: 131072, Tied: true,
	}
	llama8B = Model{
		Domain: "llm", ParamsB: 8.03, Layers: 32, Hidden: 4096, Heads: 32, KVHeads: 8, HeadDim: 128, Vocab: 128256, FFN: 14336, MaxContext: 131072,
	}
	llama70B = Model{
		Domain: "llm", ParamsB: 70.554, Layers: 80, Hidden: 8192, Heads: 64, KVHeads: 8, HeadDim: 128, Vocab: 128256, FFN: 28672, MaxContext: 131072,
	}
	qwen32B = Model{
		Domain: "llm", ParamsB: 32.76, Layers: 64, Hidden: 5120, Heads: 40, KVHeads: 8, HeadDim: 128, Vocab: 152064, FFN: 27648, MaxContext: 131072,
	}
	deepseek = Model{
		Domain: "llm", ParamsB: 671, Layers: 61, Hidden: 7168, Heads: 128, KVHeads: 128, HeadDim: 192, Vocab: 129280, FFN: 18432, MaxContext: 163840,
		Experts: 256, ExpertsPerToken: 8, MoEFFN: 2048, SharedExperts: 1, DenseLayers: 3, NativeDType: "fp8", MLA: &MLA{KVLoraRank: 512, QKRopeHeadDim: 64},
	}
	gemma = Model{
		Domain: "llm", ParamsB: 27.43, Layers: 62, Hidden: 5376, Heads: 32, KVHeads: 16, HeadDim: 128, Vocab: 262144, FFN: 21504, MaxContext: 131072,
		Tied: true, SlidingWindow: 1024, FullAttentionEvery: 6,
	}
	linear = Model{
		Domain: "llm", ParamsB: 80, Layers: 48, Hidden: 2048, Heads: 16, KVHeads: 2, HeadDim: 256, Vocab: 151936, FFN: 5120, MaxContext: 262144,
		Experts: 512, ExpertsPerToken: 10, MoEFFN: 512, SharedExperts: 1, LinearAttention: true, FullAttentionEvery: 4,
	}
	bge  = Model{Domain: "llm", Role: "embedding", ParamsB: 0.568, Layers: 24, Hidden: 1024, Heads: 16, HeadDim: 64, Vocab: 250002, FFN: 4096, MaxContext: 8192, Tied: true}
	flux = Model{Domain: "image", ParamsB: 11.9, Hidden: 3072, Components: map[string]float64{"dit": 11.9, "text_encoder": 4.885, "vae": 0.084}}
	sdxl = Model{Domain: "image", ParamsB: 2.567, Components: map[string]float64{"unet": 2.567, "text_encoder": 0.817, "vae": 0.084}}
	wan  = Model{Domain: "video", ParamsB: 14.3, Hidden: 5120, FFN: 13824, Components: map[string]float64{"dit": 14.3, "text_encoder": 5.68, "vae": 0.127}}
	cog  = Model{Domain: "video", ParamsB: 5.57, Hidden: 3072, ActWidths: 12, VAEBytes: 760, Components: map[string]float64{"dit": 5.57, "text_encoder": 4.76, "vae": 0.216}}
	yolo = Model{Domain: "cv", ParamsB: 0.0032}

	resnet  = Model{Domain: "cv", ParamsB: 0.0256, InputSide: 224}
	whisper = Model{Domain: "audio", ParamsB: 1.55}
)

// Cards as the catalogue has them.
var (
	t4      = Card{Vendor: "NVIDIA", Class: "datacenter", VRAMGB: 16, SMIMiB: []int{15360, 15109, 15079}, NVLink: "none", ComputeCapability: "7.5", Rentable: "common"}
	v100    = Card{Vendor: "NVIDIA", Class: "datacenter", VRAMGB: 32, SMIMiB: []int{32510}, NVLink: "nvswitch", ComputeCapability: "7.0", Rentable: "some"}
	p40     = Card{Vendor: "NVIDIA", Class: "datacenter", VRAMGB: 24, NVLink: "none", ComputeCapability: "6.1", Rentable: "rare"}
	rtx4090 = Card{Vendor: "NVIDIA", Class: "consumer", VRAMGB: 24, SMIMiB: []int{24564, 24217}, BF16: true, FP8: true, NVLink: "none", ComputeCapability: "8.9", Rentable: "common"}
	l40s    = Card{Vendor: "NVIDIA", Class: "workstation", VRAMGB: 48, SMIMiB: []int{46068}, BF16: true, FP8: true, NVLink: "none", ComputeCapability: "8.9", Rentable: "common"}
	a100    = Card{Vendor: "NVIDIA", Class: "datacenter", VRAMGB: 80, SMIMiB: []int{81920, 81251}, BF16: true, NVLink: "nvswitch", ComputeCapability: "8.0", Rentable: "common"}
	h200    = Card{Vendor: "NVIDIA", Class: "datacenter", VRAMGB: 141, SMIMiB: []int{143771}, BF16: true, FP8: true, NVLink: "nvswitch", ComputeCapability: "9.0", Rentable: "some"}
	nobody  = Card{Vendor: "Cambricon", Class: "domestic", NVLink: "none", Rentable: "rare"}
)
