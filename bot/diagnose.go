package main

import (
	"encoding/json"
	"errors"
	"io"
	"os"

	"gpuadvisor/advisor"
	"gpuadvisor/advisor/fault"
)

// diagnoseCommand says whose fault a log is.
type diagnoseCommand struct {
	File string `short:"f" placeholder:"FILE" help:"${file}"`

	answering `embed:""`
}

func (c *diagnoseCommand) Run(h *house) error {
	if err := h.fromFile(c.File, &c.answering); err != nil {
		return err
	}
	return h.answer("diagnose", c.answering, func(_ *advisor.Rulebook, a *advisor.Advisor) responder {
		return func(in input) (answer, error) {
			if in.Text == nil {
				return answer{}, complain("bad.no-text", "")
			}
			lang := h.replyLang(in)
			out := diagnosisJSON(a.Diagnose(*in.Text, in.aside(lang)))
			out.ID, out.Lang = in.batchID(), lang
			return answer{out, out.Reply}, nil
		}
	})
}

// maxFile is how large a file is read, in bytes. Of a log the head and the tail
// count; the lines between are only counted.
const maxFile = 64 << 20

// fromFile takes the text of a command from a file.
func (h *house) fromFile(name string, c *answering) error {
	switch {
	case name == "":
		return nil
	case len(c.Text) > 0 || c.Batch != "":
		return misuse{h.say("text-and-file")}
	}
	f, err := os.Open(name)
	if err != nil {
		return errors.New(complain("cannot-open", name).In(h.lang))
	}
	defer f.Close()
	b, err := io.ReadAll(io.LimitReader(f, maxFile))
	if err != nil {
		return errors.New(complain("cannot-open", name).In(h.lang))
	}
	c.Text = []string{string(b)}
	return nil
}

// diagnosis is the JSON of one log. Quoted lines have their secrets masked.
type diagnosis struct {
	ID       json.RawMessage  `json:"id,omitempty"`
	Lang     string           `json:"lang"`
	Layer    fault.Layer      `json:"layer"`
	Number   int              `json:"layer_number"` // 1 to 5, 0 when it cannot be told
	Sub      string           `json:"sub"`
	Evidence []string         `json:"evidence"`
	Lines    []int            `json:"evidence_lines"` // where they stand, from 1
	Action   fault.Action     `json:"action"`
	Pays     string           `json:"pays"` // platform, you, open
	Because  []string         `json:"because"`
	Ask      []fault.Question `json:"ask"`
	OOM      *oomJSON         `json:"oom"`
	Xids     []int            `json:"xids"`
	Pack     []string         `json:"support_pack"`
	Reply    string           `json:"reply"`
}

// oomJSON is the arithmetic of an out-of-memory message, in GiB.
type oomJSON struct {
	Request *float64 `json:"request_gib"`
	Total   *float64 `json:"total_gib"`
	Free    *float64 `json:"free_gib"`
	Own     *float64 `json:"own_gib"`
	Other   *float64 `json:"other_gib"`
	Idle    *float64 `json:"reserved_idle_gib"`
	Kind    string   `json:"kind"`
}

func diagnosisJSON(d advisor.Diagnosed) diagnosis {
	out := diagnosis{
		Layer: d.Layer, Number: d.Layer.Number(), Sub: d.Sub, Action: d.Action, Pays: d.Pays, Because: orEmpty(d.Because),
		Evidence: []string{}, Lines: []int{}, Ask: append([]fault.Question{}, d.Ask...), Xids: []int{}, Pack: orEmpty(d.Pack), Reply: show(d.Reply),
	}
	for _, q := range d.Evidence {
		out.Evidence, out.Lines = append(out.Evidence, q.Text), append(out.Lines, q.Line)
	}
	for _, x := range d.Xids {
		out.Xids = append(out.Xids, x.Code)
	}
	if o := d.OOM; o != nil {
		out.OOM = &oomJSON{inGiB(o.Request), inGiB(o.Total), inGiB(o.Free), inGiB(o.Own), inGiB(o.Other), inGiB(o.Idle), string(o.Kind)}
	}
	return out
}

func inGiB(mib *float64) *float64 {
	if mib == nil {
		return nil
	}
	v := round3(*mib / 1024)
	return &v
}

// aside is an input as a message to no conversation.
func (in input) aside(lang string) advisor.Message {
	return advisor.Message{Lang: lang, Zone: in.TZ, At: in.at}
}
