package advisor_test

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"gpuadvisor/advisor"
)

// Whether a measured peak is kept, asked about, or neither, and what of it.
func TestWhatIsKeptOfAPeak(t *testing.T) {
	a := advisor.New(book())
	const job = "run Qwen2.5-7B inference on one 4090, bf16, 8 concurrent users, 8k context, two days"
	for _, c := range []struct {
		name, job string
		known     advisor.Known
		actor     advisor.Actor
		effects   []string // kinds, and for settings what they are about
		peak      advisor.Peak
	}{
		{name: "never asked", job: job, known: advisor.Known{KeepsPeaks: true}, effects: []string{"settings peaks-asked"}},
		{name: "asked before, no answer", job: job, known: advisor.Known{KeepsPeaks: true, Own: advisor.Profile{Peaks: "asked"}}},
		{name: "a no", job: job, known: advisor.Known{KeepsPeaks: true, Own: advisor.Profile{Peaks: "no"}}},
		{name: "nobody keeps them", job: job, known: advisor.Known{Own: advisor.Profile{Peaks: "yes"}}},
		{name: "under a shared name", job: job, known: advisor.Known{KeepsPeaks: true, Own: advisor.Profile{Peaks: "yes"}}, actor: advisor.Actor{Anonymous: true}},
		{name: "another question is open", job: "LoRA on Qwen2.5-7B", known: advisor.Known{KeepsPeaks: true}},
		{
			name: "a yes", job: job, known: advisor.Known{KeepsPeaks: true, Own: advisor.Profile{Peaks: "yes"}}, effects: []string{"peak "},
			peak: advisor.Peak{Day: "2026-11-30", Domain: "llm", Task: "inference", Model: "qwen2.5-7b", Precision: "bf16", Context: 8192, Batch: 8, Card: "RTX4090-24G", GPUs: 1, GiB: 21.3},
		},
		{
			name: "a model that only they know", job: "LoRA on our SecretNet-13B, 13B parameters, 10 GB of data, two days", known: advisor.Known{KeepsPeaks: true, Own: advisor.Profile{Peaks: "yes"}},
			effects: []string{"peak "}, peak: advisor.Peak{Day: "2026-11-30", Domain: "llm", Task: "lora", ParamsB: 13, GPUs: 1, GiB: 21.3, Loose: true},
		},
		{name: "a job without a formula", job: "render with Blender, one 4090, 20 GB of scenes, two days", known: advisor.Known{KeepsPeaks: true, Own: advisor.Profile{Peaks: "yes"}}},
	} {
		t.Run(c.name, func(t *testing.T) {
			k, effects := c.known, []advisor.Effect(nil)
			for i, text := range []string{c.job, "/peak 21.3"} {
				k.Conversation, _, effects = a.Answer(k, advisor.Message{ID: fmt.Sprint("m", i), Kind: advisor.KindText, Text: text, Addressed: true, Actor: c.actor, At: time.Date(2026, 11, 30, 9, 17, 0, 0, time.UTC)})
			}
			var kinds []string
			for _, e := range effects {
				kinds = append(kinds, e.Kind+" "+e.Why)
			}
			if !slices.Equal(kinds, c.effects) {
				t.Fatalf("effects %q, want %q", kinds, c.effects)
			}
			if c.peak.GiB == 0 {
				return
			}
			got := effects[0].Peak
			if got.EstimateGiB <= 0 {
				t.Error("no estimate beside the figure")
			}
			if got.EstimateGiB = 0; got != c.peak {
				t.Errorf("kept %+v, want %+v", got, c.peak)
			}
		})
	}
}
