package main

import (
	"encoding/json"
	"math"
	"strings"

	"gpuadvisor/advisor"
)

// scoreCommand scores the reliability of up to four platforms side by side.
type scoreCommand struct {
	Markdown bool `help:"${markdown}"`

	answering `embed:""`
}

func (c *scoreCommand) Run(h *house) error {
	return h.answer("score", c.answering, func(_ *advisor.Rulebook, a *advisor.Advisor) responder {
		return func(in input) (answer, error) {
			if in.Text == nil {
				return answer{}, complain("bad.no-text", "")
			}
			lang := h.replyLang(in)
			s := a.Score(*in.Text, in.aside(lang))
			if len(s.Candidates) == 0 {
				return answer{}, complain("no-score", clip(*in.Text))
			}
			out := scoreJSON(s)
			out.ID, out.Lang = in.batchID(), lang
			if c.Markdown {
				return answer{out, markdown(s.Reply)}, nil
			}
			return answer{out, out.Reply}, nil
		}
	})
}

// scores is the JSON of a comparison.
type scores struct {
	ID         json.RawMessage `json:"id,omitempty"`
	Lang       string          `json:"lang"`
	Candidates []candidateJSON `json:"candidates"`
	Best       *string         `json:"best"`   // name of the best that may be rented, among several
	Claims     []string        `json:"claims"` // left out: a vendor's own words
	Reply      string          `json:"reply"`
}

type candidateJSON struct {
	Name    string              `json:"name"`
	Scores  map[string]*float64 `json:"scores"` // by dimension, null where nothing is known
	Score   *float64            `json:"score"`  // the product, null when a dimension is missing
	Weakest *string             `json:"weakest"`
	Verdict string              `json:"verdict"` // rent, reject, incomplete
	Missing []string            `json:"missing"`
	Assumed []string            `json:"assumed"`
	Given   map[string]float64  `json:"given"`
}

func scoreJSON(s advisor.Scored) scores {
	out := scores{Claims: orEmpty(s.Claims), Reply: show(s.Reply)}
	for _, c := range s.Candidates {
		one := candidateJSON{Name: c.Name, Scores: map[string]*float64{}, Weakest: orNull(c.Weakest), Verdict: c.Verdict, Missing: orEmpty(c.Missing), Assumed: orEmpty(c.Assumed), Given: c.Given}
		for id, v := range c.Scores {
			v = cents(v)
			one.Scores[id] = &v
		}
		for _, id := range c.Missing {
			one.Scores[id] = nil
		}
		if len(c.Missing) == 0 {
			v := cents(c.Product)
			one.Score = &v
		}
		out.Candidates = append(out.Candidates, one)
	}
	if s.Best >= 0 {
		out.Best = &out.Candidates[s.Best].Name
	}
	return out
}

func cents(v float64) float64 { return math.Round(v*100) / 100 }

// markdown writes a reply for a page: headings, tables, lists, quotes.
func markdown(r advisor.Reply) string {
	var blocks []string
	for _, p := range r.Parts {
		switch p.Kind {
		case "heading":
			blocks = append(blocks, "## "+p.Text)
		case "table":
			blocks = append(blocks, markdownTable(p.Rows))
		case "code":
			blocks = append(blocks, "```\n"+p.Text+"\n```")
		case "note":
			blocks = append(blocks, "> "+strings.ReplaceAll(p.Text, "\n", "\n> "))
		default:
			blocks = append(blocks, p.Plain())
		}
	}
	return strings.Join(blocks, "\n\n")
}

func markdownTable(rows [][]string) string {
	var lines []string
	for i, row := range rows {
		cells := make([]string, len(row))
		for j, cell := range row {
			cells[j] = strings.ReplaceAll(cell, "|", `\|`)
		}
		lines = append(lines, "| "+strings.Join(cells, " | ")+" |")
		if i == 0 {
			lines = append(lines, "|"+strings.Repeat(" --- |", len(row)))
		}
	}
	return strings.Join(lines, "\n")
}
