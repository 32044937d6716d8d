package main

import (
	"encoding/json"
	"strings"

	"gpuadvisor/advisor"
)

// checklistCommand shows a checklist, or counts the answers to one.
type checklistCommand struct {
	Answers string `placeholder:"yes,no,unknown" help:"${answers}"`

	answering `embed:""`
}

func (c *checklistCommand) Run(h *house) error {
	c.orElse("") // all of them
	return h.answer("checklist", c.answering, func(book *advisor.Rulebook, a *advisor.Advisor) responder {
		return func(in input) (answer, error) {
			given := struct {
				Answers []string `json:"answers"`
			}{}
			if c.Answers != "" {
				given.Answers = strings.Split(c.Answers, ",")
			}
			if in.line != nil {
				if err := decode(in.line, &given); err != nil {
					return answer{}, err
				}
			}
			if in.Text == nil {
				return answer{}, complain("bad.no-text", "")
			}
			lang := h.replyLang(in)
			if strings.TrimSpace(*in.Text) == "" {
				return allLists(book, in, lang), nil
			}
			l := book.ChecklistNamed(*in.Text)
			if l == nil {
				return answer{}, complain("no-checklist", clip(*in.Text))
			}
			return ticked(a, in, l, given.Answers, lang), nil
		}
	})
}

// listJSON is the JSON of one list. Counts are null without answers.
type listJSON struct {
	ID      json.RawMessage `json:"id,omitempty"`
	Lang    string          `json:"lang"`
	List    string          `json:"list"`
	Title   string          `json:"title"`
	Items   []itemJSON      `json:"items"`
	Passed  *int            `json:"passed"`
	Of      int             `json:"of"`
	Sources []string        `json:"sources"`
	Reply   string          `json:"reply"`
}

type itemJSON struct {
	ID     string  `json:"id"`
	Ask    string  `json:"ask"`
	Why    string  `json:"why"`
	Answer *string `json:"answer"` // yes, no, unknown
	Note   *string `json:"note,omitempty"`
}

func ticked(a *advisor.Advisor, in input, l *advisor.Checklist, answers []string, lang string) answer {
	var ticks []advisor.Tick
	for _, s := range answers[:min(len(answers), len(l.Items))] {
		ticks = append(ticks, a.Tick(s))
	}
	out := listJSON{ID: in.batchID(), Lang: lang, List: l.ID, Title: l.Title.In(lang), Of: len(l.Items), Sources: l.Sources, Reply: show(a.Ticked(l, ticks, lang))}
	for i, item := range l.Items {
		one := itemJSON{ID: item.ID, Ask: item.Ask.In(lang), Why: item.Why.In(lang)}
		if i < len(ticks) {
			one.Answer, one.Note = &ticks[i].Is, orNull(ticks[i].Note)
		}
		out.Items = append(out.Items, one)
	}
	if len(ticks) > 0 {
		n := l.Passed(ticks)
		out.Passed = &n
	}
	return answer{out, out.Reply}
}

// allLists names the lists there are.
func allLists(book *advisor.Rulebook, in input, lang string) answer {
	out := struct {
		ID    json.RawMessage `json:"id,omitempty"`
		Lang  string          `json:"lang"`
		Lists []saidJSON      `json:"lists"`
		Reply string          `json:"reply"`
	}{ID: in.batchID(), Lang: lang}
	var rows []advisor.Pair
	for _, l := range book.Checklists {
		out.Lists = append(out.Lists, saidJSON{l.ID, l.Title.In(lang)})
		rows = append(rows, advisor.Pair{Name: l.ID, Value: l.Title.In(lang)})
	}
	out.Reply = show(advisor.Reply{Parts: []advisor.Part{{Kind: "fields", Pairs: rows}}})
	return answer{out, out.Reply}
}
