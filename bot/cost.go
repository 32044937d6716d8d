package main

import (
	"encoding/json"
	"errors"
	"os"

	"gpuadvisor/adapters/picture"
	"gpuadvisor/advisor"
)

// costCommand is a quick sum: what a chat answers to /cost, and the picture of
// it as a file.
type costCommand struct {
	answering `embed:""`
	PNG       string `name:"png" placeholder:"FILE" help:"${png}"`
}

func (c *costCommand) Run(h *house) error {
	var chart *advisor.Chart
	err := h.answer("cost", c.answering, func(_ *advisor.Rulebook, a *advisor.Advisor) responder {
		return func(in input) (answer, error) {
			if in.Text == nil {
				return answer{}, complain("bad.no-text", "")
			}
			out, reply := h.sum(a, in, c.PNG != "")
			if c.PNG != "" {
				chart = out.Chart
			}
			return answer{out, show(reply)}, nil
		}
	})
	if err != nil || c.PNG == "" {
		return err
	}
	return h.draw(chart, c.PNG)
}

// costAnswer is the JSON of one sum.
type costAnswer struct {
	ID     json.RawMessage    `json:"id,omitempty"`
	Lang   string             `json:"lang"`
	Act    string             `json:"act"`  // answer, ask:<slot>, clarify for a number that cannot be meant
	Cost   *advisor.Cost      `json:"cost"` // the short form: card-hours, low, likely, high
	Sheet  *advisor.CostSheet `json:"sheet"`
	Chart  *advisor.Chart     `json:"chart,omitempty"` // the data of a picture
	Reply  string             `json:"reply"`
	Choice []string           `json:"choices,omitempty"`
}

// sum answers one text as a chat answers it behind /cost.
func (h *house) sum(a *advisor.Advisor, in input, picture bool) (costAnswer, advisor.Reply) {
	lang := h.replyLang(in)
	text := "/cost " + *in.Text
	if picture {
		text += " chart"
	}
	k := advisor.Known{Profile: advisor.Profile{Lang: lang, Zone: in.TZ, Currency: h.config.DefaultCurrency}}
	var reply advisor.Reply
	k.Conversation, reply = converse(a, k, in.message("1", "", text))
	out := costAnswer{ID: in.batchID(), Lang: lang, Act: reply.Act, Cost: &advisor.Cost{}, Sheet: a.CostSheet(k), Chart: chartOf(reply), Reply: show(reply)}
	if cost := a.Cost(k.Conversation); cost != nil {
		out.Cost = cost
	}
	for _, choice := range reply.Choices {
		out.Choice = append(out.Choice, choice.Label)
	}
	return out, reply
}

// chartOf is the chart of a reply, nil for none.
func chartOf(r advisor.Reply) *advisor.Chart {
	for _, p := range r.Parts {
		if p.Kind == "chart" && p.Chart != nil {
			return p.Chart
		}
	}
	return nil
}

// draw writes a chart as a picture.
func (h *house) draw(chart *advisor.Chart, file string) error {
	if chart == nil {
		return errors.New(h.say("no-picture"))
	}
	png, err := picture.Draw(*chart)
	if err != nil {
		return errors.New(h.say("no-picture"))
	}
	if err := os.WriteFile(file, png, 0o644); err != nil {
		return errors.New(complain("cannot-write", file).In(h.lang))
	}
	return nil
}
