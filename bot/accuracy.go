package main

import (
	"fmt"
	"strconv"

	"gpuadvisor/advisor"
	"gpuadvisor/rules"
)

// accuracy prints how near the memory formulas come to published figures: the
// table behind every claim that we make about them.
func (h *house) accuracy() error {
	book, _, err := h.book()
	if err != nil {
		return err
	}
	rows, problems := rules.Accuracy(book, rules.Embedded())
	if len(problems) > 0 {
		return rules.Problems(problems)
	}
	head := []string{h.say("accuracy.domain"), h.say("accuracy.cases"), h.say("accuracy.median"), "p90", h.say("accuracy.under")}
	table := [][]string{head}
	for _, r := range rows {
		table = append(table, []string{r.Domain + " " + r.Task, strconv.Itoa(r.Cases), percent(r.Median), percent(r.P90), percent(r.Under)})
	}
	_, err = fmt.Fprint(h.out, show(advisor.Reply{Parts: []advisor.Part{{Kind: "table", Rows: table}, {Kind: "note", Text: h.say("accuracy.note")}}}), "\n")
	return err
}

func percent(v float64) string { return strconv.FormatFloat(100*v, 'f', 1, 64) + " %" }
