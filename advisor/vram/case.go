package vram

import (
	"slices"
	"strings"
)

// Case is one published figure, or a question for one: the JSON line that the
// vram command reads. Null fields are unknown. GB, Unit, Kind, Source and
// Confidence belong to the answer; a question leaves them out.
type Case struct {
	ID         string  `json:"id"`
	Domain     string  `json:"domain"`
	Task       string  `json:"task"`
	Model      string  `json:"model"`
	ModelID    string  `json:"model_id"`
	ParamsB    float64 `json:"params_b"`
	Arch       *Arch   `json:"arch"`
	Precision  string  `json:"precision"`
	Optimizer  string  `json:"optimizer"`
	Batch      int     `json:"batch"`
	SeqLen     int     `json:"seq_len"`
	Resolution string  `json:"resolution"`
	Frames     int     `json:"frames"`
	GPUs       int     `json:"gpus"`
	Sharding   string  `json:"sharding"`
	Offload    string  `json:"offload"`
	Config     Config  `json:"cfg"`
	Meter      string  `json:"meter"`
	Per        string  `json:"per"`

	GB         float64 `json:"gb"`
	Unit       string  `json:"unit"` // GB GiB unknown
	Kind       string  `json:"kind"` // measured documented-minimum recommended estimated
	Source     string  `json:"source"`
	Confidence string  `json:"confidence"`
}

// Arch is the shape of a model that need not be in the catalogue.
type Arch struct {
	Layers  int `json:"layers"`
	Hidden  int `json:"hidden"`
	Heads   int `json:"heads"`
	KVHeads int `json:"kv_heads"`
	HeadDim int `json:"head_dim"`
	Vocab   int `json:"vocab"`
	FFN     int `json:"ffn"`
}

// Config are the settings of a published run beyond the columns.
type Config struct {
	Input       int     `json:"input"`
	Stack       string  `json:"stack"`
	Checkpoint  *bool   `json:"ckpt"`
	Accumulate  *bool   `json:"accum"`
	LoRARank    int     `json:"lora_r"`
	Targets     string  `json:"targets"`
	Embeddings  bool    `json:"emb_trained"`
	FP32Embed   *bool   `json:"fp32_embed"`
	Optimizer   string  `json:"opt"`
	InBackward  bool    `json:"opt_in_bwd"`
	Compiled    bool    `json:"compile"`
	ChunkedLoss bool    `json:"chunked_ce"`
	ActOffload  bool    `json:"act_offload"`
	LoRABytes   float64 `json:"lora_bytes"`
	Trainable   float64 `json:"trainable"`
	Flash       *bool   `json:"fa"`
	KVBits      float64 `json:"kv_bits"`
	WeightsGiB  float64 `json:"weights_gib"`
	Resident    string  `json:"resident"`
	Load        string  `json:"load"`
	WeightsOnly bool    `json:"weights_only"`
	NF4         bool    `json:"nf4"`
	VAEBound    bool    `json:"vae_bound"`
	Image       int     `json:"img"`
}

// Job turns a case into a job. find looks a model up by id; a model that is
// not in the catalogue takes its shape from the case.
func (c Case) Job(find func(id string) (Model, bool)) Job {
	j := Job{
		Use: c.Task, Domain: c.Domain, Model: c.model(find), ParamsB: c.ParamsB,
		Precision: c.Precision, Optimizer: orElse(c.Config.Optimizer, c.Optimizer), Sharding: c.Sharding, Offload: c.Offload, Stack: c.Config.Stack, Meter: c.Meter,
		Batch: c.Batch, SeqLen: c.SeqLen, Input: c.Config.Input, Frames: c.Frames, GPUs: c.GPUs, KVBits: c.Config.KVBits, FlashAttention: c.Config.Flash,
		Checkpointing: c.Config.Checkpoint, Accumulation: c.Config.Accumulate, LoRARank: c.Config.LoRARank, Targets: c.Config.Targets,
		Trainable: c.Config.Trainable, AdapterBytes: c.Config.LoRABytes, TrainEmbeddings: c.Config.Embeddings, FP32Embeddings: c.Config.FP32Embed,
		ChunkedLoss: c.Config.ChunkedLoss, Compiled: c.Config.Compiled, OptimizerInBackward: c.Config.InBackward, OffloadActivations: c.Config.ActOffload,
		Resident: c.Config.Resident, QuantiseAll: c.Config.NF4, LoadThenQuantise: c.Config.Load == "bf16-then-quantise", DecodeBound: c.Config.VAEBound,
		WeightsOnly: c.Config.WeightsOnly || c.Config.Stack == "weights-only", WeightBytes: whole(c.Config.WeightsGiB * GiB),
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

// Row is the accuracy of one domain and task: relative errors of the predicted
// reading against what was published.
type Row struct {
	Domain, Task  string
	Cases         int
	Median, P90   float64
	Under         float64 // share predicted more than 5 % too low
	Worst         string  // id of the case furthest off
	WorstRelative float64 // signed
}

// Accuracy predicts every case that carries a measured figure and groups the
// errors, in the order of domains and tasks.
func Accuracy(cases []Case, find func(id string) (Model, bool)) []Row {
	type key struct{ domain, task string }
	errs := map[key][]float64{}
	worst := map[key]Row{}
	for _, c := range cases {
		want := c.Published()
		if want <= 0 {
			continue
		}
		k := key{c.Domain, c.Task}
		e := c.Job(find).Estimate().Reading(c.Meter, c.Per, c.GPUs)/want - 1
		errs[k] = append(errs[k], e)
		if w := worst[k]; abs(e) >= abs(w.WorstRelative) {
			worst[k] = Row{Domain: c.Domain, Task: c.Task, Worst: c.ID, WorstRelative: e}
		}
	}
	rows := make([]Row, 0, len(errs))
	for k, v := range errs {
		r := worst[k]
		r.Cases = len(v)
		under := 0
		for i, e := range v {
			if e < -0.05 {
				under++
			}
			v[i] = abs(e)
		}
		slices.Sort(v)
		r.Median, r.P90, r.Under = quantile(v, 0.5), quantile(v, 0.9), float64(under)/float64(len(v))
		rows = append(rows, r)
	}
	slices.SortFunc(rows, func(a, b Row) int {
		return strings.Compare(a.Domain+" "+a.Task, b.Domain+" "+b.Task)
	})
	return rows
}

// Published is the figure of a case in GiB, 0 when it carries none. A figure
// without a unit is taken as GiB.
func (c Case) Published() float64 {
	if c.Unit == "GB" {
		return c.GB * gb / GiB
	}
	return c.GB
}

func quantile(sorted []float64, q float64) float64 {
	return sorted[min(len(sorted)-1, int(q*float64(len(sorted))))]
}

func abs(x float64) float64 {
	if x < 0 {
		return -x
	}
	return x
}
