package vram

import (
	"encoding/json"
	"math"
	"testing"
)

func TestCaseIsReadAsWritten(t *testing.T) {
	const line = `{"id":"x","domain":"llm","task":"qlora","model":"Qwen-7B","model_id":"qwen-7b","params_b":7.7,"arch":null,"precision":"gptq-int4",
		"optimizer":"adamw","batch":1,"seq_len":8192,"resolution":null,"frames":null,"gpus":1,"sharding":null,"offload":null,"extra":"ignored",
		"cfg":{"ckpt":true,"accum":true,"lora_r":64,"targets":"attn-o-gate-up-down-qkv","emb_trained":false,"fp32_embed":true,"stack":"hf","gen":128},"meter":"unknown","per":"gpu"}`
	var c Case
	if err := json.Unmarshal([]byte(line), &c); err != nil {
		t.Fatal(err)
	}
	find := func(id string) (Model, bool) { return qwen1_7B, id == "qwen-7b" }
	got := c.Job(find).Estimate().Reading(c.Meter, c.Per, c.GPUs)
	if math.Abs(got/23.5-1) > 0.05 { // Qwen README, profiling
		t.Errorf("got %.2f GiB, want 23.5 within 5 %%", got)
	}
}

func TestCaseFindsItsModel(t *testing.T) {
	find := func(id string) (Model, bool) { return cog, id == "cogvideox-5b" }
	for _, c := range []struct {
		name string
		c    Case
		want float64 // billions
	}{
		{"by id", Case{ModelID: "cogvideox-5b"}, cog.ParamsB},
		{"by a name in the label", Case{Model: "ConsisID (CogVideoX-5B based)"}, cog.ParamsB},
		{"by its own shape", Case{Model: "other", ParamsB: 3, Arch: &Arch{Layers: 10, Hidden: 100}}, 3},
		{"not at all", Case{Model: "other", ParamsB: 3}, 0},
	} {
		if got := c.c.Job(find).Model.ParamsB; got != c.want {
			t.Errorf("%s: got %v billion, want %v", c.name, got, c.want)
		}
	}
}

func TestResolution(t *testing.T) {
	for _, c := range []struct {
		in           string
		w, h, frames int
	}{
		{"1024x768", 1024, 768, 0}, {"49x480x720", 720, 480, 49}, {"", 0, 0, 0}, {"720p", 0, 0, 0}, {"1x2x3x4", 0, 0, 0}, {"x", 0, 0, 0},
	} {
		var j Job
		j.readResolution(c.in)
		if j.W != c.w || j.H != c.h || j.Frames != c.frames {
			t.Errorf("%q: got %dx%d, %d frames, want %dx%d, %d", c.in, j.W, j.H, j.Frames, c.w, c.h, c.frames)
		}
	}
}

func TestReading(t *testing.T) {
	e := Job{Model: llama8B, Precision: "bf16", SeqLen: 2048, Concurrency: 1, GPUs: 2, Sharding: "tensor-parallel"}.Estimate()
	one := gib(e.Peak)
	for _, c := range []struct {
		meter, per string
		want       float64
	}{
		{"nvidia-smi", "gpu", one},
		{"unknown", "gpu", one},
		{"nvidia-smi", "total", 2 * one},
		{"torch_alloc", "gpu", one - contextInference/GiB + torchResident/GiB},
		{"torch_reserved?", "gpu", (one - contextInference/GiB + torchResident/GiB) * (1 + allocatorReserve)},
	} {
		if got := e.Reading(c.meter, c.per, 2); math.Abs(got-c.want) > 0.001 {
			t.Errorf("%s per %s: got %.3f GiB, want %.3f", c.meter, c.per, got, c.want)
		}
	}
}

func TestAccuracy(t *testing.T) {
	find := func(string) (Model, bool) { return llama8B, true }
	exact := Case{ID: "a", Domain: "llm", Task: "inference", ModelID: "m", Precision: "bf16", Batch: 1, SeqLen: 2048, Meter: "nvidia-smi", Per: "gpu", GPUs: 1}
	exact.GB = exact.Job(find).Estimate().Reading("nvidia-smi", "gpu", 1)
	decimal, off := exact, exact
	decimal.GB, decimal.Unit = exact.GB*GiB/1e9, "GB"
	off.ID, off.GB = "b", exact.GB*1.25
	rows := Accuracy([]Case{exact, decimal, off, {ID: "no figure"}}, find)
	if len(rows) != 1 {
		t.Fatalf("got %d rows, want 1: %+v", len(rows), rows)
	}
	r := rows[0]
	if r.Cases != 3 || r.Median > 1e-9 || math.Abs(r.P90-0.2) > 1e-9 || r.Worst != "b" || math.Abs(r.Under-1.0/3) > 1e-9 {
		t.Errorf("got %+v, want three cases, median 0, p90 0.2, worst b, a third under", r)
	}
}
