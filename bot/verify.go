package main

import (
	"encoding/json"
	"strings"

	"gpuadvisor/advisor"
	"gpuadvisor/advisor/fault"
)

// verifyCommand compares a print of nvidia-smi, npu-smi or rocm-smi with what
// was paid for.
type verifyCommand struct {
	PaidFor string `name:"paid-for" placeholder:"ORDER" help:"${paid_for}"`
	CUDA    string `name:"cuda" placeholder:"VERSION" help:"${cuda}"`
	File    string `short:"f" placeholder:"FILE" help:"${file}"`

	answering `embed:""`
}

func (c *verifyCommand) Run(h *house) error {
	if err := h.fromFile(c.File, &c.answering); err != nil {
		return err
	}
	if _, a, err := h.book(); err == nil && c.PaidFor != "" && !namesCard(a, c.PaidFor) {
		return misuse{complain("bad.order", clip(c.PaidFor)).In(h.lang)}
	}
	return h.answer("verify", c.answering, func(book *advisor.Rulebook, a *advisor.Advisor) responder {
		return func(in input) (answer, error) {
			ordered := struct {
				PaidFor string `json:"paid_for"`
				CUDA    string `json:"wants_cuda"`
			}{c.PaidFor, c.CUDA}
			if in.line != nil {
				if err := decode(in.line, &ordered); err != nil {
					return answer{}, err
				}
			}
			if in.Text == nil {
				return answer{}, complain("bad.no-text", "")
			}
			lang := h.replyLang(in)
			out := verificationJSON(book, lang, a.Verify(*in.Text, ordered.PaidFor, ordered.CUDA, in.aside(lang)))
			out.ID, out.Lang = in.batchID(), lang
			return answer{out, out.Reply}, nil
		}
	})
}

// namesCard reports whether an order may name a card: one that we know, or any
// other, which has a number in its name.
func namesCard(a *advisor.Advisor, order string) bool {
	return strings.ContainsAny(order, "0123456789") || len(a.Read(order).Facts.GPUNamed.Value) > 0
}

// verification is the JSON of one print. What the print does not give is null.
type verification struct {
	ID        json.RawMessage `json:"id,omitempty"`
	Lang      string          `json:"lang"`
	GPUs      []gpuJSON       `json:"gpus"`
	Driver    *string         `json:"driver"`
	CUDA      *string         `json:"cuda"`
	Processes []processJSON   `json:"processes"`
	Verdict   fault.Result    `json:"verdict"`
	Findings  []findingJSON   `json:"findings"`
	ProvesNot []saidJSON      `json:"proves_not"`
	Next      []nextJSON      `json:"next"`
	Reply     string          `json:"reply"`
}

type gpuJSON struct {
	Index  *int     `json:"index"`
	Name   *string  `json:"name"`
	GPU    *string  `json:"gpu"` // id in the catalogue
	Total  *int     `json:"mem_total_mib"`
	Used   *int     `json:"mem_used_mib"`
	Util   *float64 `json:"util_pct"`
	Temp   *float64 `json:"temp_c"`
	Power  *float64 `json:"power_w"`
	CapW   *float64 `json:"power_cap_w"`
	MIG    bool     `json:"mig"`
	Health *string  `json:"health,omitempty"`
}

type processJSON struct {
	GPU  *int    `json:"gpu"`
	Name *string `json:"name"`
	MiB  *int    `json:"mem_mib"`
}

// findingJSON is one finding; gpu is the place in gpus, null for the machine.
type findingJSON struct {
	ID   string  `json:"id"`
	GPU  *int    `json:"gpu"`
	Have *string `json:"have"`
	Want *string `json:"want"`
}

type saidJSON struct {
	ID   string `json:"id"`
	Text string `json:"text"`
}

type nextJSON struct {
	ID  string `json:"id"`
	Run string `json:"run"`
	Why string `json:"why"`
}

func verificationJSON(book *advisor.Rulebook, lang string, v advisor.Verified) verification {
	out := verification{
		GPUs: []gpuJSON{}, Driver: orNull(v.Print.Driver), CUDA: orNull(v.Print.CUDA), Processes: []processJSON{},
		Verdict: v.Verdict.Result, Findings: []findingJSON{}, ProvesNot: []saidJSON{}, Next: []nextJSON{}, Reply: show(v.Reply),
	}
	for i, g := range v.Print.GPUs {
		out.GPUs = append(out.GPUs, gpuJSON{g.Index, orNull(g.Name), orNull(v.Cards[i]), g.TotalMiB, g.UsedMiB, g.UtilPct, g.TempC, g.PowerW, g.CapW, g.MIG, orNull(g.Health)})
	}
	for _, p := range v.Print.Processes {
		out.Processes = append(out.Processes, processJSON{p.GPU, orNull(fault.Mask(p.Name)), p.MemMiB})
	}
	for _, f := range v.Verdict.Findings {
		one := findingJSON{ID: f.ID, Have: orNull(fault.Mask(f.Have)), Want: orNull(f.Want)}
		if f.GPU >= 0 {
			one.GPU = &f.GPU
		}
		out.Findings = append(out.Findings, one)
	}
	for _, id := range v.Verdict.ProvesNot {
		out.ProvesNot = append(out.ProvesNot, saidJSON{id, book.Verify.ProvesNot[id].In(lang)})
	}
	for _, id := range v.Verdict.Next {
		out.Next = append(out.Next, nextJSON{id, book.Verify.Next[id].Run, book.Verify.Next[id].Why.In(lang)})
	}
	return out
}

func orNull(s string) *string {
	if s == "" {
		return nil
	}
	return &s
}
