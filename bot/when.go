package main

import (
	"encoding/json"
	"fmt"
	"time"

	"gpuadvisor/advisor"
	"gpuadvisor/advisor/when"
)

// whenCommand reads a time expression.
type whenCommand struct {
	answering `embed:""`
}

func (c *whenCommand) Run(h *house) error {
	return h.answer("when", c.answering, func(book *advisor.Rulebook, _ *advisor.Advisor) responder {
		return func(in input) (answer, error) {
			if in.Text == nil {
				return answer{}, complain("bad.no-text", "")
			}
			read := readTime(in, *in.Text)
			return answer{read, read.words(book, h.replyLang(in), in)}, nil
		}
	})
}

// whenAnswer is the JSON of a time that was read. An Error is a good answer:
// it says why there is no time.
type whenAnswer struct {
	ID          json.RawMessage `json:"id,omitempty"`
	UTC         *time.Time      `json:"utc"`
	RRule       string          `json:"rrule,omitempty"`
	LeadMinutes *int            `json:"lead_minutes,omitempty"`
	Action      string          `json:"action,omitempty"`
	Target      string          `json:"target,omitempty"`
	Confirm     bool            `json:"confirm"`
	Alt         []time.Time     `json:"alt"`
	Error       *string         `json:"error"`

	zone *time.Location // of the words
}

// readTime reads a text at the time and in the zone of its input.
func readTime(in input, text string) *whenAnswer {
	zone, err := loadZone(in.TZ)
	if err != nil {
		zone = time.UTC
	}
	r := when.Parse(text, in.at, zone, loadZone)
	out := &whenAnswer{ID: in.batchID(), zone: r.Zone, RRule: r.RRule, Action: r.Action, Target: r.Target, Confirm: r.Confirm, Alt: []time.Time{}}
	for _, at := range r.Alt {
		out.Alt = append(out.Alt, at.UTC())
	}
	if r.Lead > 0 {
		minutes := int(r.Lead / time.Minute)
		out.LeadMinutes = &minutes
	}
	if r.Err != "" {
		code := string(r.Err)
		out.Error = &code
		return out
	}
	at := r.At.UTC()
	out.UTC = &at
	return out
}

// words says what was read: the instant in the person's zone and in UTC, or
// why there is none.
func (w *whenAnswer) words(book *advisor.Rulebook, lang string, in input) string {
	if w.Error != nil {
		if said, ok := book.Phrases["remind.error."+*w.Error]; ok {
			return said.In(lang)
		}
		return *w.Error
	}
	local := func(t time.Time) string { return t.In(in.at.Location()).Format("2006-01-02 15:04 -07:00") }
	said := fmt.Sprintf("%s (%s)", local(*w.UTC), w.UTC.Format("2006-01-02 15:04 UTC"))
	if w.RRule != "" {
		zone := in.at.Location()
		if w.zone != nil {
			zone = w.zone
		}
		said += "\n" + book.Recurring(lang, w.RRule, zone, *w.UTC)
	}
	for _, alt := range w.Alt {
		said += "\n" + fmt.Sprintf(words["when.or"].In(lang), local(alt))
	}
	return said
}
