package main

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"gpuadvisor/advisor"
)

// platformsCommand shows the kinds of places that rent GPUs. Names of
// companies occur only as alphabetical examples of a kind.
type platformsCommand struct {
	answering `embed:""`
}

func (c *platformsCommand) Run(h *house) error {
	c.orElse("") // all of them
	return h.answer("platforms", c.answering, func(book *advisor.Rulebook, _ *advisor.Advisor) responder {
		return func(in input) (answer, error) { return h.platforms(book, in) }
	})
}

func (h *house) platforms(book *advisor.Rulebook, in input) (answer, error) {
	if in.Text == nil {
		return answer{}, complain("bad.no-text", "")
	}
	chosen := platformsIn(book, *in.Text)
	if len(chosen) == 0 {
		return answer{}, complain("no-platform", clip(*in.Text))
	}
	lang := h.replyLang(in)
	out := platformsAnswer{ID: in.batchID(), Lang: lang}
	var parts []advisor.Part
	for _, p := range chosen {
		out.Platforms = append(out.Platforms, platformFacts(p, lang))
		parts = append(parts, platformParts(p, lang)...)
	}
	parts = append(parts, advisor.Part{Kind: "note", Text: words["platforms.neutral"].In(lang)})
	out.Reply = show(advisor.Reply{Parts: parts})
	return answer{out, out.Reply}, nil
}

type platformsAnswer struct {
	ID        json.RawMessage `json:"id,omitempty"`
	Lang      string          `json:"lang"`
	Platforms []platformJSON  `json:"platforms"`
	Reply     string          `json:"reply"`
}

type platformJSON struct {
	ID       string   `json:"id"`
	Title    string   `json:"title"`
	Traits   []string `json:"traits"`
	Good     string   `json:"good"`
	Bad      string   `json:"bad"`
	Ask      []string `json:"ask"`
	Examples []string `json:"examples"` // alphabetical, no recommendation
	Sources  []string `json:"sources"`
	Checked  string   `json:"checked"`
}

func platformFacts(p *advisor.Platform, lang string) platformJSON {
	return platformJSON{
		ID: p.ID, Title: p.Title.In(lang), Traits: each(p.Traits, lang), Good: p.Good.In(lang), Bad: p.Bad.In(lang),
		Ask: each(p.Ask, lang), Examples: p.Examples, Sources: p.Sources, Checked: p.Checked,
	}
}

func each(texts []advisor.Text, lang string) []string {
	out := make([]string, len(texts))
	for i, t := range texts {
		out[i] = t.In(lang)
	}
	return out
}

func platformParts(p *advisor.Platform, lang string) []advisor.Part {
	say := func(key string) string { return words["platforms."+key].In(lang) }
	facts := []advisor.Pair{
		{Name: say("traits"), Value: strings.Join(each(p.Traits, lang), "\n")},
		{Name: say("good"), Value: p.Good.In(lang)},
		{Name: say("bad"), Value: p.Bad.In(lang)},
		{Name: say("ask"), Value: strings.Join(each(p.Ask, lang), "\n")},
		{Name: say("examples"), Value: strings.Join(p.Examples, words["list"].In(lang))},
	}
	facts = slices.DeleteFunc(facts, func(f advisor.Pair) bool { return f.Value == "" })
	return []advisor.Part{
		{Kind: "heading", Text: fmt.Sprintf("%s (%s)", p.Title.In(lang), p.ID)},
		{Kind: "fields", Pairs: facts},
	}
}

// platformsIn finds the kinds that a text names; an empty text is all of them.
func platformsIn(book *advisor.Rulebook, text string) []*advisor.Platform {
	var found []*advisor.Platform
	for i := range book.Platforms {
		p := &book.Platforms[i]
		names := append([]string{p.ID, p.Title["zh"], p.Title["en"]}, p.Names...)
		if plain(text) == "" || slices.ContainsFunc(names, func(n string) bool { return plain(n) == plain(text) }) {
			found = append(found, p)
		}
	}
	return found
}
