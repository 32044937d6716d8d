package advisor

import (
	"encoding/json"
	"math"
	"strings"

	"gpuadvisor/advisor/vram"
)

// read_config.go reads a pasted config.json, as model hubs publish it, for a
// model that the catalogue does not know: its shape is all that the arithmetic
// needs.

// hubConfig holds the keys that describe a transformer. Some makers nest those
// of the language part under text_config.
type hubConfig struct {
	Name          string     `json:"_name_or_path"`
	Type          string     `json:"model_type"`
	Hidden        int        `json:"hidden_size"`
	Layers        int        `json:"num_hidden_layers"`
	Heads         int        `json:"num_attention_heads"`
	KVHeads       int        `json:"num_key_value_heads"`
	HeadDim       int        `json:"head_dim"`
	FFN           int        `json:"intermediate_size"`
	Vocab         int        `json:"vocab_size"`
	Context       int        `json:"max_position_embeddings"`
	Tied          bool       `json:"tie_word_embeddings"`
	Experts       int        `json:"num_experts"`
	LocalExperts  int        `json:"num_local_experts"`
	RoutedExperts int        `json:"n_routed_experts"`
	PerToken      int        `json:"num_experts_per_tok"`
	Shared        int        `json:"n_shared_experts"`
	MoEFFN        int        `json:"moe_intermediate_size"`
	DenseFirst    int        `json:"first_k_dense_replace"`
	KVLoraRank    int        `json:"kv_lora_rank"`
	QKRope        int        `json:"qk_rope_head_dim"`
	QLoraRank     int        `json:"q_lora_rank"`
	QKNope        int        `json:"qk_nope_head_dim"`
	VHead         int        `json:"v_head_dim"`
	TextConfig    *hubConfig `json:"text_config"`
}

// The bounds of a shape that anybody trains; a config beyond them is a slip or
// a joke, and is not read.
const (
	mostLayers = 1000
	mostWidth  = 1 << 20
)

// configIn finds a config.json in a text. It reports false when there is none
// that describes a transformer.
func configIn(s string) (hubConfig, bool) {
	from, to := strings.IndexByte(s, '{'), strings.LastIndexByte(s, '}')
	if from < 0 || to < from || !strings.Contains(s, "hidden_size") {
		return hubConfig{}, false
	}
	var c hubConfig
	if json.Unmarshal([]byte(s[from:to+1]), &c) != nil {
		return hubConfig{}, false
	}
	if c.TextConfig != nil && c.Hidden == 0 {
		name := c.Name
		c = *c.TextConfig
		c.Name = name
	}
	sound := c.Layers > 0 && c.Layers <= mostLayers && c.Heads > 0 && c.Heads <= mostLayers*10
	for _, w := range []int{c.Hidden, c.Vocab} {
		sound = sound && w > 0 && w <= mostWidth
	}
	for _, w := range []int{c.KVHeads, c.HeadDim, c.FFN, c.Experts, c.LocalExperts, c.RoutedExperts, c.PerToken, c.Shared, c.MoEFFN, c.DenseFirst, c.KVLoraRank, c.QKRope, c.QLoraRank, c.QKNope, c.VHead} {
		sound = sound && w >= 0 && w <= mostWidth
	}
	return c, sound
}

// model is the shape that a config describes.
func (c *hubConfig) model() vram.Model {
	m := vram.Model{
		Domain: "llm", Layers: c.Layers, Hidden: c.Hidden, Heads: c.Heads, KVHeads: c.KVHeads, HeadDim: c.HeadDim,
		FFN: c.FFN, Vocab: c.Vocab, MaxContext: c.Context, Tied: c.Tied,
		Experts: max(c.Experts, c.LocalExperts, c.RoutedExperts), ExpertsPerToken: c.PerToken, SharedExperts: c.Shared,
		MoEFFN: c.MoEFFN, DenseLayers: c.DenseFirst,
	}
	if c.KVLoraRank > 0 {
		m.MLA = &vram.MLA{KVLoraRank: c.KVLoraRank, QKRopeHeadDim: c.QKRope, QLoraRank: c.QLoraRank, QKNopeHeadDim: c.QKNope, VHeadDim: c.VHead}
	}
	m.ParamsB = math.Round(m.Params()*1000) / 1000
	return m
}

// name is what the config calls the model; a path is not shown.
func (c *hubConfig) name() string {
	name := c.Name
	if i := strings.LastIndexAny(name, `/\`); i >= 0 {
		name = name[i+1:]
	}
	if name == "" {
		name = c.Type
	}
	return name
}

// config reads a pasted config.json into facts. Whatever is written around it
// is read as usual by the caller, who gets the text without the config.
func (e *Reading) config(s string) (rest string) {
	c, ok := configIn(s)
	if !ok {
		return s
	}
	m := c.model()
	e.Facts.Shape = Say(m)
	e.Facts.ParamsB = Say(m.ParamsB)
	if n := c.name(); n != "" {
		e.Unlisted = n
	}
	return s[:strings.IndexByte(s, '{')] + s[strings.LastIndexByte(s, '}')+1:]
}
