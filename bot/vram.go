package main

import (
	"cmp"
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strings"

	"gpuadvisor/advisor"
	"gpuadvisor/advisor/vram"
)

// vramCommand estimates the memory of one task: a text, or in a batch also a
// vram.Case with every setting in a field of its own.
type vramCommand struct {
	answering `embed:""`
	Accuracy  bool `help:"${accuracy}"`
}

func (c *vramCommand) Run(h *house) error {
	if c.Accuracy && (c.Batch != "" || len(c.Text) > 0 || c.Now != "") {
		return misuse{h.say("bad.beside")}
	}
	if c.Accuracy {
		return h.accuracy()
	}
	return h.answer("vram", c.answering, func(book *advisor.Rulebook, a *advisor.Advisor) responder {
		find := modelFinder(book)
		return func(in input) (answer, error) {
			asked, job, assumed, err := vramJob(a, in, find)
			if err != nil {
				return answer{}, err
			}
			e := job.Estimate()
			if in.Text != nil {
				shareOut(&e, job, len(assumed))
			}
			if e.Peak <= 0 {
				return answer{}, complain("no-formula", "")
			}
			out := vramJSON(e, asked)
			out.Assumed = append(assumed, withoutNames(out.Assumed, assumed)...)
			out.ID = in.batchID()
			out.Reply = vramWords(book, h.replyLang(in), out)
			return answer{out, out.Reply}, nil
		}
	})
}

// vramJob reads what is to be estimated. A line with a text is read like a
// message, a line without one is a case.
func vramJob(a *advisor.Advisor, in input, find func(string) (vram.Model, bool)) (c vram.Case, job vram.Job, assumed []string, err error) {
	if in.Text != nil {
		job, assumed, err = jobOf(a, a.Read(*in.Text).Facts, find)
		return vram.Case{GPUs: job.GPUs, Meter: "nvidia-smi"}, job, assumed, err
	}
	line := struct {
		ID json.RawMessage `json:"id"` // of any kind; ours is in the input
		*vram.Case
	}{Case: &c}
	if err := decode(in.line, &line); err != nil {
		return c, job, nil, err
	}
	if c.Domain == "" && c.Task == "" && c.Model == "" && c.ModelID == "" && c.ParamsB == 0 {
		return c, job, nil, complain("bad.no-job", "")
	}
	return c, c.Job(find), nil, nil
}

// shareOut gives an estimate of a described job what each of its cards needs when
// they share the work as is usual for it, and the confidence that our defaults
// leave.
func shareOut(e *vram.Estimate, job vram.Job, defaults int) {
	if plan := job.Plan(); job.GPUs > 1 && plan.OK() {
		e.Load, e.Peak, e.Reserve = plan.Numbers(job.GPUs)
		e.Total, e.Terms, e.Lever = e.Peak+e.Reserve, plan.Terms(job.GPUs), plan.Lever()
	}
	if defaults > 0 && e.Confidence == "high" {
		e.Confidence = "medium"
	}
}

// withoutNames leaves out what is assumed already under the same name.
func withoutNames(list, already []string) []string {
	name := func(s string) string { s, _, _ = strings.Cut(s, "="); return s }
	var out []string
	for _, s := range list {
		if !slices.ContainsFunc(already, func(x string) bool { return name(x) == name(s) }) {
			out = append(out, s)
		}
	}
	return out
}

// jobOf is the job that a text describes. What it leaves open has the defaults
// that the advice takes, so that both come to the same numbers.
func jobOf(a *advisor.Advisor, f advisor.Facts, find func(string) (vram.Model, bool)) (vram.Job, []string, error) {
	if _, known := find(f.Model.Value); !known && !f.ParamsB.Known() {
		return vram.Job{}, nil, complain("no-model", "")
	}
	job, assumed, ok := a.Job(f)
	if !ok {
		return job, nil, complain("no-formula", "")
	}
	if f.GPUs.Known() {
		job.GPUs = f.GPUs.Value.Most()
	}
	return job, assumed, nil
}

// modelFinder looks models up by id; the name of a family stands for its
// default member.
func modelFinder(book *advisor.Rulebook) func(id string) (vram.Model, bool) {
	models := map[string]*advisor.Model{}
	for i := range book.Models {
		models[book.Models[i].ID] = &book.Models[i]
	}
	return func(id string) (vram.Model, bool) {
		m := models[id]
		if m != nil && m.ParamsB == 0 && models[m.Default] != nil {
			m = models[m.Default]
		}
		if m == nil {
			return vram.Model{}, false
		}
		return m.Model, true
	}
}

// vramAnswer is the JSON of one estimate, in GiB.
type vramAnswer struct {
	ID         json.RawMessage    `json:"id,omitempty"`
	Load       float64            `json:"load_gib"`
	Peak       float64            `json:"peak_gib"` // what the asked meter would read
	Reserve    float64            `json:"reserve_gib"`
	Total      float64            `json:"total_gib"` // peak as nvidia-smi reads it, and the reserve
	Per        string             `json:"per"`       // gpu or total
	Terms      map[string]float64 `json:"terms"`
	Dominant   string             `json:"dominant"`
	Assumed    []string           `json:"assumed"`
	Confidence string             `json:"confidence"`
	Lever      *string            `json:"lever"` // null when no single change drops a class
	Reply      string             `json:"reply"`
}

func vramJSON(e vram.Estimate, c vram.Case) vramAnswer {
	cards, per := 1.0, "gpu"
	if c.Per == "total" {
		cards, per = float64(max(c.GPUs, 1)), "total"
	}
	gib := func(bytes int64) float64 { return round3(cards * float64(bytes) / vram.GiB) }
	out := vramAnswer{
		Load: gib(e.Load), Peak: round3(e.Reading(c.Meter, c.Per, c.GPUs)), Reserve: gib(e.Reserve), Total: gib(e.Total), Per: per,
		Terms: map[string]float64{
			"weights": gib(e.Terms.Weights), "kv": gib(e.Terms.KV), "activations": gib(e.Terms.Activations), "logits": gib(e.Terms.Logits),
			"gradients": gib(e.Terms.Gradients), "optimizer": gib(e.Terms.Optimizer), "adapters": gib(e.Terms.Adapters), "context": gib(e.Terms.Context),
		},
		Dominant: e.Dominant, Assumed: orEmpty(e.Assumed), Confidence: e.Confidence,
	}
	if e.Lever != "" {
		out.Lever = &e.Lever
	}
	return out
}

func round3(v float64) float64 { return math.Round(v*1000) / 1000 }

// vramWords says an estimate to a person: the three numbers, the terms that
// count, what was assumed, one way down.
func vramWords(book *advisor.Rulebook, lang string, v vramAnswer) string {
	say := func(key string) string { return words["vram."+key].In(lang) }
	where := say("per-" + v.Per)
	fields := []advisor.Pair{
		{Name: say("load"), Value: fmt.Sprintf("%.1f GiB", v.Load)},
		{Name: say("peak"), Value: fmt.Sprintf("%.1f GiB", v.Peak)},
		{Name: say("reserve"), Value: fmt.Sprintf("%.1f GiB", v.Reserve)},
		{Name: say("total"), Value: fmt.Sprintf("%.1f GiB", v.Total)},
	}
	rows := [][]string{{say("term"), "GiB"}}
	for _, term := range []string{"weights", "kv", "activations", "logits", "gradients", "optimizer", "adapters", "context"} {
		if v.Terms[term] >= 0.05 {
			rows = append(rows, []string{phrase(book, lang, "term."+term, term), fmt.Sprintf("%.1f", v.Terms[term])})
		}
	}
	parts := []advisor.Part{{Kind: "heading", Text: where}, {Kind: "fields", Pairs: fields}, {Kind: "table", Rows: rows}}
	if len(v.Assumed) > 0 {
		parts = append(parts, advisor.Part{Kind: "note", Text: say("assumed") + strings.Join(assumptions(book, lang, v.Assumed), words["list"].In(lang))})
	}
	if v.Lever != nil {
		parts = append(parts, advisor.Part{Kind: "text", Text: say("lever") + phrase(book, lang, "lever."+*v.Lever, *v.Lever)})
	}
	return show(advisor.Reply{Parts: parts})
}

// assumptions words "seq_len=2048" with the phrase "assume.seq_len".
func assumptions(book *advisor.Rulebook, lang string, assumed []string) []string {
	out := make([]string, len(assumed))
	for i, a := range assumed {
		key, value, _ := strings.Cut(a, "=")
		out[i] = strings.NewReplacer("{v}", value, "{n}", value).Replace(phrase(book, lang, "assume."+key, a))
	}
	return out
}

// phrase is a wording of the rules, or other where they have none.
func phrase(book *advisor.Rulebook, lang, key, other string) string {
	return cmp.Or(book.Phrases[key].In(lang), other)
}
