package vram

import (
	"strings"
)

// Case is one published figure, or a question for one: the JSON line that the
// vram command reads. Null fields are unknown. GB, Unit, Kind, Source and
// Confidence belong to the answer; a question leaves them out.
type Case struct {
	ID         string  `json:"id" yaml:"id,omitempty"`
	Domain     string  `json:"domain" yaml:"-"`
	Task       string  `json:"task" yaml:"-"`
	Model      string  `json:"model" yaml:"name,omitempty"`
	ModelID    string  `json:"model_id" yaml:"model,omitempty"`
	ParamsB    float64 `json:"params_b" yaml:"params_b,omitempty"`
	Arch       *Arch   `json:"arch" yaml:"arch,omitempty"`
	Precision  string  `json:"precision" yaml:"precision,omitempty"`
	Optimizer  string  `json:"optimizer" yaml:"optimizer,omitempty"`
	Batch      int     `json:"batch" yaml:"batch,omitempty"`
	SeqLen     int     `json:"seq_len" yaml:"seq_len,omitempty"` // tokens
	Resolution string  `json:"resolution" yaml:"resolution,omitempty"`
	Frames     int     `json:"frames" yaml:"frames,omitempty"`
	GPUs       int     `json:"gpus" yaml:"gpus,omitempty"`
	Sharding   string  `json:"sharding" yaml:"sharding,omitempty"`
	Offload    string  `json:"offload" yaml:"offload,omitempty"`
	Config     Config  `json:"cfg" yaml:",inline"`
	Meter      string  `json:"meter" yaml:"meter,omitempty"`
	Per        string  `json:"per" yaml:"per,omitempty"` // gpu total

	GB         float64 `json:"gb" yaml:"-"`
	Unit       string  `json:"unit" yaml:"-"`          // GB GiB unknown
	GiB        float64 `json:"-" yaml:"gib,omitempty"` // the figure in our own files
	Kind       string  `json:"kind" yaml:"-"`          // measured documented-minimum recommended estimated
	Source     string  `json:"source" yaml:"-"`
	Confidence string  `json:"confidence" yaml:"-"`
}

// Arch is the shape of a model that need not be in the catalogue.
type Arch struct {
	Layers  int `json:"layers" yaml:"layers"`
	Hidden  int `json:"hidden" yaml:"hidden"`
	Heads   int `json:"heads" yaml:"heads"`
	KVHeads int `json:"kv_heads" yaml:"kv_heads"`
	HeadDim int `json:"head_dim" yaml:"head_dim"`
	Vocab   int `json:"vocab" yaml:"vocab"`
	FFN     int `json:"ffn" yaml:"ffn"`
}

// Config are the settings of a published run beyond the columns.
type Config struct {
	Input       int     `json:"input" yaml:"input,omitempty"` // tokens of the prompt
	Stack       string  `json:"stack" yaml:"stack,omitempty"`
	Checkpoint  *bool   `json:"ckpt" yaml:"ckpt,omitempty"`
	Accumulate  *bool   `json:"accum" yaml:"accum,omitempty"`
	LoRARank    int     `json:"lora_r" yaml:"lora_r,omitempty"`
	Targets     string  `json:"targets" yaml:"targets,omitempty"`
	Embeddings  bool    `json:"emb_trained" yaml:"emb_trained,omitempty"`
	FP32Embed   *bool   `json:"fp32_embed" yaml:"fp32_embed,omitempty"`
	Optimizer   string  `json:"opt" yaml:"opt,omitempty"` // more precise than the column
	InBackward  bool    `json:"opt_in_bwd" yaml:"opt_in_bwd,omitempty"`
	Compiled    bool    `json:"compile" yaml:"compile,omitempty"`
	ChunkedLoss bool    `json:"chunked_ce" yaml:"chunked_ce,omitempty"`
	ActOffload  bool    `json:"act_offload" yaml:"act_offload,omitempty"`
	LoRABytes   float64 `json:"lora_bytes" yaml:"lora_bytes,omitempty"` // of one adapter parameter, states included
	Trainable   float64 `json:"trainable" yaml:"trainable,omitempty"`   // parameters
	Flash       *bool   `json:"fa" yaml:"fa,omitempty"`
	KVBits      float64 `json:"kv_bits" yaml:"kv_bits,omitempty"`
	WeightsGiB  float64 `json:"weights_gib" yaml:"weights_gib,omitempty"`
	Resident    string  `json:"resident" yaml:"resident,omitempty"`
	Load        string  `json:"load" yaml:"load,omitempty"`
	WeightsOnly bool    `json:"weights_only" yaml:"weights_only,omitempty"`
	NF4         bool    `json:"nf4" yaml:"nf4,omitempty"`
	VAEBound    bool    `json:"vae_bound" yaml:"vae_bound,omitempty"`
	Image       int     `json:"img" yaml:"img,omitempty"` // pixels a side
}

// Job turns a case into a job. find looks a model up by id; a model that is
// not in the catalogue takes its shape from the case.
func (c Case) Job(find func(id string) (Model, bool)) Job {
	j := Job{
		Use: c.Task, Domain: c.Domain, Model: c.model(find), ParamsB: c.ParamsB,
		Precision: c.Precision, Optimizer: orElse(c.Config.Optimizer, c.Optimizer), Sharding: c.Sharding, Offload: c.Offload, Stack: c.Config.Stack,
		Batch: c.Batch, SeqLen: c.SeqLen, Input: c.Config.Input, Frames: c.Frames, GPUs: c.GPUs, KVBits: c.Config.KVBits, FlashAttention: c.Config.Flash,
		Checkpointing: c.Config.Checkpoint, Accumulation: c.Config.Accumulate, LoRARank: c.Config.LoRARank, Targets: c.Config.Targets,
		Trainable: c.Config.Trainable, AdapterBytes: c.Config.LoRABytes, TrainEmbeddings: c.Config.Embeddings, FP32Embeddings: c.Config.FP32Embed,
		ChunkedLoss: c.Config.ChunkedLoss, Compiled: c.Config.Compiled, OptimizerInBackward: c.Config.InBackward, OffloadActivations: c.Config.ActOffload,
		Resident: c.Config.Resident, QuantiseAll: c.Config.NF4, LoadThenQuantise: c.Config.Load == "bf16-then-quantise", DecodeBound: c.Config.VAEBound,
		WeightsOnly: c.Config.WeightsOnly || c.Config.Stack == "weights-only" || c.Config.Stack == "load" && c.SeqLen == 0, WeightBytes: whole(c.Config.WeightsGiB * GiB),
	}
	if c.Task == "full-finetune" || c.Task == "pretrain" {
		j.LoRARank, j.Trainable = 0, 0
	}
	j.readResolution(c.Resolution)
	if j.W == 0 && c.Config.Image > 0 {
		j.W, j.H = c.Config.Image, c.Config.Image
	}
	return j
}

// model finds the model of a case: by id, by a name that stands in its label,
// or by the shape that the case brings along.
func (c Case) model(find func(id string) (Model, bool)) Model {
	if m, ok := find(c.ModelID); ok && c.ModelID != "" {
		return m
	}
	for _, word := range strings.FieldsFunc(strings.ToLower(c.Model), func(r rune) bool { return strings.ContainsRune(" ()/,", r) }) {
		if m, ok := find(word); ok {
			return m
		}
	}
	if c.Arch == nil {
		return Model{}
	}
	a := c.Arch
	return Model{
		Domain: c.Domain, ParamsB: c.ParamsB, Layers: a.Layers, Hidden: a.Hidden, Heads: a.Heads, KVHeads: a.KVHeads, HeadDim: a.HeadDim, Vocab: a.Vocab, FFN: a.FFN,
	}
}

// readResolution reads 1024x1024, and 49x480x720 with frames in front.
func (j *Job) readResolution(s string) {
	var n [3]int
	k := 0
	for part := range strings.SplitSeq(s, "x") {
		if k == len(n) {
			return
		}
		n[k] = int(number(part))
		k++
	}
	switch k {
	case 2:
		j.W, j.H = n[0], n[1]
	case 3:
		j.H, j.W = n[1], n[2]
		if j.Frames == 0 {
			j.Frames = n[0]
		}
	}
}
