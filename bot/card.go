package main

import (
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"gpuadvisor/advisor"
)

// cardCommand shows the facts of a card.
type cardCommand struct {
	answering `embed:""`
}

func (c *cardCommand) Run(h *house) error {
	return h.answer("card", c.answering, func(book *advisor.Rulebook, a *advisor.Advisor) responder {
		return func(in input) (answer, error) { return h.card(book, a, in) }
	})
}

func (h *house) card(book *advisor.Rulebook, a *advisor.Advisor, in input) (answer, error) {
	if in.Text == nil {
		return answer{}, complain("bad.no-text", "")
	}
	cards := cardsIn(book, a, *in.Text)
	if len(cards) == 0 {
		return answer{}, complain("no-card", clip(*in.Text))
	}
	lang := h.replyLang(in)
	out := cardAnswer{ID: in.batchID(), Lang: lang}
	var parts []advisor.Part
	for _, card := range cards {
		out.Cards = append(out.Cards, cardFacts(card, lang))
		parts = append(parts, cardParts(card, lang)...)
	}
	out.Reply = show(advisor.Reply{Parts: parts})
	return answer{out, out.Reply}, nil
}

// cardAnswer is the JSON of one question for a card.
type cardAnswer struct {
	ID    json.RawMessage `json:"id,omitempty"`
	Lang  string          `json:"lang"`
	Cards []cardJSON      `json:"cards"` // several when the name does not tell which
	Reply string          `json:"reply"`
}

// cardJSON is a card in JSON; what nobody knows is null.
type cardJSON struct {
	ID                string   `json:"id"`
	Label             string   `json:"label"`
	Vendor            string   `json:"vendor"`
	Arch              string   `json:"arch"`
	Class             string   `json:"class"`
	VRAMGB            *float64 `json:"vram_gb"`
	SMIMiB            []int    `json:"smi_mib"`
	BandwidthGBs      *float64 `json:"bandwidth_gb_s"`
	FP16TFLOPS        *float64 `json:"fp16_tflops"`
	FP64TFLOPS        *float64 `json:"fp64_tflops"`
	BF16              bool     `json:"bf16"`
	FP8               bool     `json:"fp8"`
	RTCores           bool     `json:"rt_cores"`
	NVLink            string   `json:"nvlink"`
	NVLinkGBs         *float64 `json:"nvlink_gb_s"`
	TDPW              *float64 `json:"tdp_w"`
	ComputeCapability string   `json:"compute_capability,omitempty"`
	MinCUDA           string   `json:"min_cuda,omitempty"`
	Rentable          string   `json:"rentable"`
	Notes             string   `json:"notes,omitempty"`
	Good              string   `json:"good,omitempty"`
	Sources           []string `json:"sources"`
	Checked           string   `json:"checked"`
	Doubt             string   `json:"doubt,omitempty"`
}

func cardFacts(c *advisor.Card, lang string) cardJSON {
	return cardJSON{
		ID: c.ID, Label: c.Label, Vendor: c.Vendor, Arch: c.Arch, Class: c.Class,
		VRAMGB: known(c.VRAMGB), SMIMiB: c.SMIMiB, BandwidthGBs: known(c.BandwidthGBs),
		FP16TFLOPS: known(c.FP16TFLOPS), FP64TFLOPS: known(c.FP64TFLOPS),
		BF16: c.BF16, FP8: c.FP8, RTCores: c.RTCores, NVLink: c.NVLink, NVLinkGBs: known(c.NVLinkGBs), TDPW: known(c.TDPW),
		ComputeCapability: c.ComputeCapability, MinCUDA: c.MinCUDA, Rentable: c.Rentable,
		Notes: c.Notes.In(lang), Good: c.Good.In(lang), Sources: c.Sources, Checked: c.Checked, Doubt: c.Doubt.In(lang),
	}
}

// known is a figure of the catalogue, where zero means that nobody knows.
func known(v float64) *float64 {
	if v == 0 {
		return nil
	}
	return &v
}

func cardParts(c *advisor.Card, lang string) []advisor.Part {
	say := func(key string) string { return words["card."+key].In(lang) }
	name := c.ID
	if len(c.Names) > 0 {
		name = c.Names[0]
	}
	facts := []advisor.Pair{
		{Name: say("memory"), Value: figure(c.VRAMGB, "GB", lang) + smi(c.SMIMiB, lang)},
		{Name: say("bandwidth"), Value: figure(c.BandwidthGBs, "GB/s", lang)},
		{Name: "FP16", Value: figure(c.FP16TFLOPS, "TFLOPS", lang)},
		{Name: "FP64", Value: figure(c.FP64TFLOPS, "TFLOPS", lang)},
		{Name: say("formats"), Value: formats(c, lang)},
		{Name: "NVLink", Value: nvlink(c, lang)},
		{Name: say("power"), Value: figure(c.TDPW, "W", lang)},
		{Name: say("cuda"), Value: c.MinCUDA},
		{Name: say("rentable"), Value: words["rentable."+c.Rentable].In(lang)},
		{Name: say("good"), Value: c.Good.In(lang)},
		{Name: say("notes"), Value: c.Notes.In(lang)},
		{Name: say("sources"), Value: fmt.Sprintf(say("checked"), len(c.Sources), c.ID, c.Checked)},
	}
	facts = slices.DeleteFunc(facts, func(p advisor.Pair) bool { return p.Value == "" })
	head := fmt.Sprintf("%s · %s %s · %s", name, c.Vendor, c.Arch, words["class."+c.Class].In(lang))
	parts := []advisor.Part{{Kind: "heading", Text: head}, {Kind: "fields", Pairs: facts}}
	if doubt := c.Doubt.In(lang); doubt != "" {
		parts = append(parts, advisor.Part{Kind: "note", Text: fmt.Sprintf(say("doubt"), doubt)})
	}
	return parts
}

func figure(v float64, unit, lang string) string {
	if v == 0 {
		return words["unknown"].In(lang)
	}
	return strconv.FormatFloat(v, 'f', -1, 64) + " " + unit
}

func smi(mib []int, lang string) string {
	if len(mib) == 0 {
		return ""
	}
	all := make([]string, len(mib))
	for i, m := range mib {
		all[i] = strconv.Itoa(m)
	}
	return fmt.Sprintf(words["card.smi"].In(lang), strings.Join(all, " / "))
}

func formats(c *advisor.Card, lang string) string {
	yes, no := words["yes"].In(lang), words["no"].In(lang)
	tell := func(name string, has bool) string {
		if has {
			return name + " " + yes
		}
		return name + " " + no
	}
	sep := words["list"].In(lang)
	return tell("BF16", c.BF16) + sep + tell("FP8", c.FP8) + sep + tell("RT", c.RTCores)
}

func nvlink(c *advisor.Card, lang string) string {
	kind := words["nvlink."+c.NVLink].In(lang)
	if c.NVLinkGBs == 0 || c.NVLink == "none" {
		return kind
	}
	return kind + " " + figure(c.NVLinkGBs, "GB/s", lang)
}

// cardsIn finds the cards that a text names: an id, a label, a name, or
// whatever spelling the advisor reads.
func cardsIn(book *advisor.Rulebook, a *advisor.Advisor, text string) []*advisor.Card {
	want := plain(text)
	var exact []*advisor.Card
	for i := range book.Cards {
		c := &book.Cards[i]
		if plain(c.ID) == want || plain(c.Label) == want || slices.ContainsFunc(c.Names, func(n string) bool { return plain(n) == want }) {
			exact = append(exact, c)
		}
	}
	if len(exact) > 0 {
		return exact
	}
	named := a.Read(text).Facts.GPUNamed.Value
	var read []*advisor.Card
	for i := range book.Cards {
		c := &book.Cards[i]
		if slices.ContainsFunc(named, func(n advisor.Named) bool { return n.Card != "" && n.Card == c.ID || plain(n.As) == plain(c.Label) }) {
			read = append(read, c)
		}
	}
	return read
}

// plain drops what people write in different ways: case, spaces, hyphens.
func plain(s string) string {
	return strings.NewReplacer(" ", "", "-", "", "_", "").Replace(strings.ToLower(strings.TrimSpace(s)))
}

// clip keeps the start of a text that is repeated in a complaint.
func clip(s string) string {
	r := []rune(strings.Join(strings.Fields(s), " "))
	if len(r) > 40 {
		return string(r[:40]) + "…"
	}
	return string(r)
}
