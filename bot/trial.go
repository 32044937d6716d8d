package main

import (
	"encoding/json"
	"strings"

	"gpuadvisor/advisor"
)

// trialCommand shows the two-hour trial, or judges one that is over: "create 3,
// connect 5, run 40/25 …". The dialogue with its clock is /trial in a chat.
type trialCommand struct {
	answering `embed:""`
}

func (c *trialCommand) Run(h *house) error {
	c.orElse("") // the plan
	return h.answer("trial", c.answering, func(book *advisor.Rulebook, a *advisor.Advisor) responder {
		return func(in input) (answer, error) {
			if in.Text == nil {
				return answer{}, complain("bad.no-text", "")
			}
			lang := h.replyLang(in)
			tried := a.Trial(*in.Text, in.aside(lang))
			if tried.Steps == nil && strings.TrimSpace(*in.Text) != "" {
				return answer{}, complain("no-trial", clip(*in.Text))
			}
			out := trialJSON(&book.Trial, tried, lang)
			out.ID = in.batchID()
			return answer{out, out.Reply}, nil
		}
	})
}

// trialAnswer is the JSON of a trial. Without minutes it is the plan: verdict
// and figures are null then.
type trialAnswer struct {
	ID       json.RawMessage `json:"id,omitempty"`
	Lang     string          `json:"lang"`
	Verdict  *string         `json:"verdict"` // passed, not-passed, unfit, open
	Minutes  *int            `json:"minutes"`
	Overhead *int            `json:"overhead_minutes"`     // on connecting, installing and searching
	Script   *int            `json:"first_script_minutes"` // from creating, null when nobody knows
	Missing  []string        `json:"missing"`              // steps that must be done and were not
	Unclear  []string        `json:"unclear"`              // steps whose minutes nobody knows
	Steps    []trialStepJSON `json:"steps"`
	Limits   trialLimits     `json:"limits"`
	Not      string          `json:"proves_not"`
	Sources  []string        `json:"sources"`
	Reply    string          `json:"reply"`
}

type trialStepJSON struct {
	ID       string         `json:"id"`
	Title    string         `json:"title"`
	Do       string         `json:"do"`
	Why      string         `json:"why"`
	Must     bool           `json:"must"`
	Counts   string         `json:"counts"` // all, part, none of its minutes are overhead
	Is       *string        `json:"is"`     // done, skipped
	Minutes  *int           `json:"minutes"`
	Overhead *int           `json:"overhead_minutes"`
	Commands []trialRunJSON `json:"commands"`
}

type trialRunJSON struct {
	Run string `json:"run"`
	Why string `json:"why"`
	Not string `json:"proves_not"`
}

type trialLimits struct {
	Minutes  int     `json:"minutes"`
	Overhead int     `json:"overhead_minutes"`
	Script   int     `json:"first_script_minutes"`
	CVPass   float64 `json:"cv_pass_pct"`
	CVGood   float64 `json:"cv_good_pct"`
}

func trialJSON(p *advisor.TrialPlan, tried advisor.Tried, lang string) trialAnswer {
	out := trialAnswer{
		Lang: lang, Missing: orEmpty(tried.Result.Missing), Unclear: orEmpty(tried.Result.Unclear),
		Limits: trialLimits{p.Minutes, p.Overhead, p.Script, p.CVPass, p.CVGood},
		Not:    p.ProvesNot.In(lang), Sources: p.Sources, Reply: show(tried.Reply),
	}
	if r := tried.Result; tried.Steps != nil {
		out.Verdict, out.Minutes, out.Overhead = &r.Verdict, &r.Minutes, &r.Overhead
		if r.ToScript >= 0 {
			out.Script = &r.ToScript
		}
	}
	for i, step := range p.Steps {
		one := trialStepJSON{ID: step.ID, Title: step.Title.In(lang), Do: step.Do.In(lang), Why: step.Why.In(lang), Must: step.Must, Counts: step.Counts, Commands: []trialRunJSON{}}
		for _, c := range step.Commands {
			one.Commands = append(one.Commands, trialRunJSON{c.Run, c.Why.In(lang), c.ProvesNot.In(lang)})
		}
		if i < len(tried.Steps) {
			s := tried.Steps[i]
			one.Is, one.Minutes, one.Overhead = &s.Is, &s.Minutes, &s.Over
		}
		out.Steps = append(out.Steps, one)
	}
	return out
}
