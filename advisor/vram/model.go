package vram

// Model is what the arithmetic needs to know of an AI model. Zero means
// unknown; a model with no layers is sized by its parameters alone.
type Model struct {
	Domain  string  `yaml:"domain" rule:"enum=llm|image|video|cv|audio|render|simulation|tabular"` // llm image video cv audio; render simulation tabular for programs
	Role    string  `yaml:"role,omitempty" rule:"enum=embedding|encoder"`                          // embedding encoder
	ParamsB float64 `yaml:"params_b,omitempty"`                                                    // all parameters, billions
	ActiveB float64 `yaml:"active_b,omitempty"`                                                    // used for one token, billions: tells speed, never memory

	Layers     int  `yaml:"layers,omitempty"`
	Hidden     int  `yaml:"hidden,omitempty"`
	Heads      int  `yaml:"heads,omitempty"`
	KVHeads    int  `yaml:"kv_heads,omitempty"`
	HeadDim    int  `yaml:"head_dim,omitempty"`
	Vocab      int  `yaml:"vocab,omitempty"`
	FFN        int  `yaml:"ffn,omitempty"`
	MaxContext int  `yaml:"max_context,omitempty"` // tokens
	Tied       bool `yaml:"tied_embeddings,omitempty"`
	PlainMLP   bool `yaml:"plain_mlp,omitempty"` // two matrices instead of the gated three

	Experts         int `yaml:"experts,omitempty"`
	ExpertsPerToken int `yaml:"experts_per_token,omitempty"`
	SharedExperts   int `yaml:"shared_experts,omitempty"`
	MoEFFN          int `yaml:"moe_ffn,omitempty"`
	MoELayerEvery   int `yaml:"moe_layer_every,omitempty"`
	DenseLayers     int `yaml:"dense_layers,omitempty"`

	MLA                *MLA   `yaml:"mla,omitempty"`
	SlidingWindow      int    `yaml:"sliding_window,omitempty"`       // tokens
	FullAttentionEvery int    `yaml:"full_attention_every,omitempty"` // every n-th layer sees everything
	LinearAttention    bool   `yaml:"linear_attention,omitempty"`     // the other layers keep a fixed state
	KVSharedLayers     int    `yaml:"kv_shared_layers,omitempty"`     // layers that reuse another's cache
	NativeDType        string `yaml:"native_dtype,omitempty"`         // fp8, mxfp4: what it is published in

	Components map[string]float64 `yaml:"components_b,omitempty"` // dit, unet, text_encoder, vae …, billions

	InputSide   int     `yaml:"input_side,omitempty"`          // pixels a side of the picture that a vision model usually reads; 0 is 640
	ActWidths   float64 `yaml:"act_widths,omitempty"`          // hidden widths that one token of a diffusion transformer holds while denoising; 0: from the MLP width
	VAEBytes    float64 `yaml:"vae_bytes_per_pixel,omitempty"` // decoding one pixel of one frame at once, bytes; 0: the usual of its kind, for clips frame by frame
	TokenSide   int     `yaml:"token_side,omitempty"`          // pixels a side that one token stands for; 0 is 16
	TokenFrames int     `yaml:"token_frames,omitempty"`        // frames that one token stands for; 0 is 4
}

// MLA holds the widths of multi-head latent attention, which caches one latent
// vector per token instead of keys and values.
type MLA struct {
	KVLoraRank    int `yaml:"kv_lora_rank"`
	QKRopeHeadDim int `yaml:"qk_rope_head_dim"`
	QLoraRank     int `yaml:"q_lora_rank,omitempty"`
	QKNopeHeadDim int `yaml:"qk_nope_head_dim,omitempty"`
	VHeadDim      int `yaml:"v_head_dim,omitempty"`
}
