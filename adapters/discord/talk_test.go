package discord

import (
	"context"
	"encoding/json"
	"os"
	"slices"
	"strings"
	"sync"

	"gpuadvisor/adapters"
	"gpuadvisor/advisor"
)

// talk is a small advisor with a memory: three questions and an answer. With a
// file its memory survives the process.
type talk struct {
	file string

	mu    sync.Mutex
	facts map[advisor.Key][]string
	heard []advisor.Message
}

func (t *talk) load() {
	if t.facts == nil {
		t.facts = map[advisor.Key][]string{}
		if b, err := os.ReadFile(t.file); err == nil {
			json.Unmarshal(b, &t.facts)
		}
	}
}

// step remembers what was said and returns all that is known. A command starts
// over.
func (t *talk) step(m advisor.Message) []string {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.load()
	t.heard = append(t.heard, m)
	said := m.Text
	if m.Kind == advisor.KindChoice {
		said = m.Choice
	}
	if strings.HasPrefix(said, "/gpu") || strings.HasPrefix(said, "/start") {
		t.facts[m.Key] = nil
	} else {
		t.facts[m.Key] = append(t.facts[m.Key], said)
	}
	if t.file != "" {
		b, _ := json.Marshal(t.facts)
		os.WriteFile(t.file, b, 0o600)
	}
	return slices.Clone(t.facts[m.Key])
}

// turn is an adapters.Handler.
func (t *talk) turn(ctx context.Context, m advisor.Message, respond adapters.Respond) {
	respond(ctx, t.reply(t.step(m), m))
}

func (t *talk) reply(facts []string, m advisor.Message) advisor.Reply {
	if m.Choice == "/why" {
		return advisor.Reply{Act: "answer", Parts: []advisor.Part{{Kind: "text", Text: "because of " + strings.Join(facts, ", ")}}}
	}
	switch len(facts) {
	case 0:
		return question("task", "你要用 GPU 做什么？", "finetune", "微调 fine-tune", "inference", "推理 inference", "render", "渲染 render")
	case 1:
		return question("duration_hours", "How long?", "h2", "2 hours", "hours", "a day", "days", "a week", "weeks", "a month", "months", "longer", "always", "always on")
	case 2:
		return question("data_gb", "How much data?", "/dontknow", "don't know")
	}
	return advisor.Reply{
		Act: "answer",
		Parts: []advisor.Part{
			{Kind: "heading", Text: "建议 advice"},
			{Kind: "text", Text: "known: " + strings.Join(facts, ", ")},
			{Kind: "fields", Pairs: []advisor.Pair{{Name: "显存", Value: "18.8 GiB"}, {Name: "cards", Value: strings.Repeat("RTX4090-24G (comfortable); ", 60)}}},
			{Kind: "table", Rows: [][]string{{"part", "GiB"}, {"权重", "14.2"}, {"KV", "1.1"}}},
			{Kind: "note", Text: "prices of 2026-03"},
		},
		Choices: []advisor.Choice{{Ref: "/why", Label: "why"}, {Ref: "/restart", Label: "start over"}},
	}
}

// question asks for a slot; options are id, label pairs.
func question(slot, text string, options ...string) advisor.Reply {
	r := advisor.Reply{Act: "ask:" + slot, Parts: []advisor.Part{{Kind: "question", Text: text}}}
	for i := 0; i+1 < len(options); i += 2 {
		ref := slot + "=" + options[i]
		if strings.HasPrefix(options[i], "/") {
			ref = options[i]
		}
		r.Choices = append(r.Choices, advisor.Choice{Ref: ref, Label: options[i+1]})
	}
	return r
}

// all is everything that was heard.
func (t *talk) all() []advisor.Message {
	t.mu.Lock()
	defer t.mu.Unlock()
	return slices.Clone(t.heard)
}
