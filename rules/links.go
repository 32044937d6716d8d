package rules

import (
	"fmt"
	"maps"
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"gpuadvisor/advisor"
	"gpuadvisor/advisor/cost"
	"gpuadvisor/advisor/table"
)

// checkLinks checks what one entry says of others: ids that exist, names that
// only one entry answers to, inputs and their values.
func (l *loader) checkLinks() {
	l.checkCards()
	l.checkModels()
	l.checkTasks()
	l.checkQuestions()
	l.linkTables()
	l.checkRisks()
	l.checkPlatforms()
	l.checkRetention()
	l.checkPrices()
	l.checkPrefer()
	l.checkScoring()
	l.checkTrial()
	l.checkChecklists()
}

// checkChecklists checks that a list leads to a command that has a button.
func (l *loader) checkChecklists() {
	commands := idsOf(advisor.Commands(), func(c advisor.Command) string { return c.Name })
	l.each("checklists", func(i int, f *file) {
		leads := l.book.Checklists[i].Leads
		l.known(f, at("leads"), "command", leads, commands)
		if leads != "" && l.book.Phrases["choice."+leads] == nil {
			l.complain(f, at("leads"), quote(leads), "a command with a wording choice."+leads)
		}
	})
}

// linkTables puts the tables into the book and compiles their chain. Their
// problems get the line of their row.
func (l *loader) linkTables() {
	l.book.Tables = map[string]*table.Table{}
	byID := map[string]*file{}
	for i, f := range l.in("tables") {
		l.book.Tables[l.tables[i].ID] = &l.tables[i]
		byID[l.tables[i].ID] = f
	}
	if !l.sound("tables", "tasks") {
		return // one bad table makes complaints about the others
	}
	for _, p := range l.book.LinkTables() {
		f := byID[p.Table]
		if f == nil {
			f = &file{name: "tables/" + p.Table + ".yaml"}
		}
		where := at()
		if t := l.book.Tables[p.Table]; t != nil && p.Row != "" {
			where = at("rows", slices.IndexFunc(t.Rows, func(r table.Row) bool { return r.ID == p.Row }))
		}
		l.complain(f, append(where, p.Field), p.Found, p.Want)
	}
}

// each runs check over the files of a folder that decoded without problems,
// with the index of their entry.
func (l *loader) each(dir string, check func(i int, f *file)) {
	for i, f := range l.in(dir) {
		if len(f.problems) == 0 {
			check(i, f)
		}
	}
}

// sound reports whether nothing in these folders has been complained about.
func (l *loader) sound(dirs ...string) bool {
	return !slices.ContainsFunc(l.problems, func(p Problem) bool { return slices.Contains(dirs, path.Dir(p.File)) })
}

// known complains when found is not among the ids.
func (l *loader) known(f *file, where []any, what, found string, ids []string) {
	if found != "" && !slices.Contains(ids, found) {
		l.complain(f, where, "unknown "+what+" "+quote(found), wantOneOf(found, ids))
	}
}

// owners tells which entry answers to a name.
type owners map[string]string

func (l *loader) claimNames(seen owners, f *file, id string, list []string) {
	for i, name := range list {
		key := strings.ToLower(strings.TrimSpace(name))
		if first := seen[key]; first != "" && first != id {
			l.complain(f, at("names", i), quote(name), "a name of its own: "+first+" has this one already")
		}
		seen[key] = id
	}
}

var labelForm = regexp.MustCompile(`^[A-Za-z0-9]+-([0-9]+)G$`)

func (l *loader) checkCards() {
	seen := owners{}
	l.each("cards", func(i int, f *file) {
		c := &l.book.Cards[i]
		l.claimNames(seen, f, c.ID, c.Names)
		switch m := labelForm.FindStringSubmatch(c.Label); {
		case c.Label == "" && c.VRAMGB != 0:
			l.complain(f, at("label"), "no label", fmt.Sprintf("one such as RTX4090-%gG", c.VRAMGB))
		case c.Label == "":
		case m == nil:
			l.complain(f, at("label"), quote(c.Label), "letters and digits, then the memory: RTX4090-24G")
		case m[1] != fmt.Sprint(c.VRAMGB):
			l.complain(f, at("label"), quote(c.Label), fmt.Sprintf("the memory that vram_gb has, %g", c.VRAMGB))
		}
	})
}

func (l *loader) checkModels() {
	seen := owners{}
	ids := idsOf(l.book.Models, func(m advisor.Model) string { return m.ID })
	l.each("models", func(i int, f *file) {
		m := &l.book.Models[i]
		l.claimNames(seen, f, m.ID, m.Names)
		l.known(f, at("default"), "model", m.Default, ids)
		if m.Default == m.ID {
			l.complain(f, at("default"), "the entry itself", "another model")
		}
		if m.ParamsB == 0 && m.Need == nil && m.Default == "" {
			l.complain(f, nil, "neither params_b nor need nor default", "one of them: else nothing can be sized")
		}
	})
}

func (l *loader) checkTasks() {
	models := idsOf(l.book.Models, func(m advisor.Model) string { return m.ID })
	l.each("tasks", func(i int, f *file) {
		l.known(f, at("defaults", "model"), "model", l.book.Tasks[i].Defaults.Model, models)
	})
}

func (l *loader) checkQuestions() {
	slots := advisor.SlotNames()
	asked := idsOf(l.book.Questions, func(q advisor.Question) string { return q.ID })
	l.each("questions", func(i int, f *file) {
		q := &l.book.Questions[i]
		l.known(f, at("id"), "slot", q.ID, slots)
		for j, task := range q.Tasks {
			l.known(f, at("tasks", j), "task", task, sets["task"])
		}
	})
	for _, f := range l.in(".") {
		if f.name != "asks.yaml" {
			continue
		}
		for _, task := range slices.Sorted(maps.Keys(l.book.Asks.Required)) {
			if task != "cost" {
				l.known(f, at("required", task), "task", task, sets["task"])
			}
			for j, slot := range l.book.Asks.Required[task] {
				first, alternatives, _ := strings.Cut(slot, "|")
				l.known(f, at("required", task, j), "question", first, asked)
				for other := range strings.SplitSeq(alternatives, "|") {
					l.known(f, at("required", task, j), "slot", other, slots)
				}
			}
		}
		for j, slot := range l.book.Asks.Offered {
			l.known(f, at("offered", j), "question", slot, asked)
		}
	}
}

// checkRisks checks that conditions look at known inputs and their values.
func (l *loader) checkRisks() {
	l.each("risks", func(i int, f *file) { l.checkWhen(f, at(), l.book.Risks[i].When) })
}

// checkWhen checks a condition that stands below where.
func (l *loader) checkWhen(f *file, where []any, when []map[string][]string) {
	if !l.sound("tables", "tasks") {
		return // the inputs are the variables of the tables
	}
	columns := l.book.RiskInputs()
	inputs := idsOf(columns, func(c table.Column) string { return c.Name })
	path := func(more ...any) []any { return slices.Concat(where, at("when"), more) }
	for j, row := range when {
		for _, input := range slices.Sorted(maps.Keys(row)) {
			n := slices.Index(inputs, input)
			if n < 0 {
				l.complain(f, path(j, input), "unknown input "+quote(input), wantOneOf(input, inputs))
				continue
			}
			for k, v := range row[input] {
				l.known(f, path(j, input, k), "value", v, columns[n].Values)
			}
		}
	}
}

// checkPlatforms also keeps us neutral: examples are three or more, in the
// order of the alphabet.
func (l *loader) checkPlatforms() {
	l.each("platforms", func(i int, f *file) {
		p := &l.book.Platforms[i]
		l.known(f, at("id"), "platform", p.ID, sets["platform"])
		if n := len(p.Examples); n > 0 && n < 3 {
			l.complain(f, at("examples"), fmt.Sprintf("%d examples", n), "three or more, or none: one name alone is a recommendation")
		}
		for j := 1; j < len(p.Examples); j++ {
			if strings.ToLower(p.Examples[j]) < strings.ToLower(p.Examples[j-1]) {
				l.complain(f, at("examples", j), quote(p.Examples[j]), "the order of the alphabet")
			}
		}
	})
}

// priceTrouble says in words what the codes of a price mean.
var priceTrouble = map[cost.Code]string{
	cost.NotANumber: "no number", cost.Negative: "a negative number", cost.Zero: "zero", cost.Absurd: "an absurd amount",
	cost.Reversed: "low above high", cost.OutOfRange: "a share outside 0 to 1", cost.Overflow: "too large a number",
	cost.MixedCurrency: "two currencies", cost.UnknownCurrency: "an unknown currency", cost.Missing: "nothing",
	cost.BadDate: "no such date", cost.TooMany: "too many", cost.TooFew: "too few",
}

// checkRetention checks that the rules about stopped machines are of platforms that
// are recognised, one for each.
func (l *loader) checkRetention() {
	vendors := idsOf(l.book.Vendors, func(v advisor.Vendor) string { return v.ID })
	for _, f := range l.in(".") {
		if f.name != "retention.yaml" || len(f.problems) > 0 {
			continue
		}
		seen := map[string]bool{}
		for i, r := range l.book.Retentions {
			l.known(f, at(i, "id"), "platform", r.ID, vendors)
			if seen[r.ID] {
				l.complain(f, at(i, "id"), quote(r.ID)+" again", "one rule for each platform")
			}
			seen[r.ID] = true
		}
	}
}

func (l *loader) checkPrices() {
	cards := idsOf(l.book.Cards, func(c advisor.Card) string { return c.ID })
	l.each("prices", func(i int, f *file) {
		for j, p := range l.prices[i].Rows() {
			l.known(f, at("prices", j, "card"), "card", p.Card, cards)
			for _, wrong := range p.Problems() {
				l.complain(f, at("prices", j, wrong.Field), priceTrouble[wrong.Code], "a price that can be used")
			}
			l.book.Prices = append(l.book.Prices, p)
		}
	})
}

// checkPrefer checks that the cards of our order of preference exist and have
// the memory under which they stand.
func (l *loader) checkPrefer() {
	for _, f := range l.in(".") {
		if f.name != "prefer.yaml" {
			continue
		}
		cards := idsOf(l.book.Cards, func(c advisor.Card) string { return c.ID })
		for i, p := range l.book.Prefer {
			for j, id := range p.Cards {
				l.known(f, at(i, "cards", j), "card", id, cards)
				if n := slices.Index(cards, id); n >= 0 && l.book.Cards[n].VRAMGB != p.GiB {
					l.complain(f, at(i, "cards", j), fmt.Sprintf("%s with %g GB", id, l.book.Cards[n].VRAMGB), fmt.Sprintf("cards of %g GB", p.GiB))
				}
			}
		}
	}
}

// checkScoring checks that a dimension speaks of inputs that there are, that
// every input can be scored, and that its anchors go one way.
func (l *loader) checkScoring() {
	for _, f := range l.in(".") {
		if f.name != "score.yaml" || len(f.problems) > 0 {
			continue
		}
		var all []string
		for _, d := range l.book.Scoring.Dimensions {
			all = append(all, idsOf(d.Inputs, func(m advisor.Measure) string { return m.ID })...)
		}
		for i, d := range l.book.Scoring.Dimensions {
			for j, group := range d.Groups {
				for k, id := range group {
					l.known(f, at("dimensions", i, "groups", j, k), "input", id, all)
				}
			}
			for j, id := range d.Needed {
				l.known(f, at("dimensions", i, "needed", j), "input", id, all)
			}
			if d.Combine == "count" && len(d.ByCount) != len(d.Groups)+1 {
				l.complain(f, at("dimensions", i, "by_count"), fmt.Sprintf("%d scores", len(d.ByCount)), fmt.Sprintf("one for each number of passing groups, none included: %d", len(d.Groups)+1))
			}
			for j, m := range d.Inputs {
				l.known(f, at("dimensions", i, "inputs", j, "into"), "input", m.Into, all)
				if m.Kind != "yes-no" && m.Most <= 0 {
					l.complain(f, at("dimensions", i, "inputs", j), m.ID+" without most", "most: the largest figure that can be")
				}
				l.checkAnchors(f, at("dimensions", i, "inputs", j, "anchors"), m)
			}
		}
	}
}

func (l *loader) checkAnchors(f *file, where []any, m advisor.Measure) {
	if m.Kind == "number" && len(m.Anchors) < 2 {
		l.complain(f, where, fmt.Sprintf("%d anchors", len(m.Anchors)), "two or more for a number")
	}
	for i := 2; i < len(m.Anchors); i++ {
		a, b, c := m.Anchors[i-2], m.Anchors[i-1], m.Anchors[i]
		if (b.At-a.At)*(c.At-b.At) <= 0 || c.Score >= b.Score {
			l.complain(f, append(where, i), fmt.Sprintf("%g for %g", c.At, c.Score), "anchors from the best to the worst")
		}
	}
}

// checkTrial checks that the trial ends somewhere, that its lines are in order,
// and that it looks at things that there are.
func (l *loader) checkTrial() {
	for _, f := range l.in(".") {
		if f.name != "trial.yaml" || len(f.problems) > 0 {
			continue
		}
		p := &l.book.Trial
		if p.Overhead > p.Minutes {
			l.complain(f, at("overhead"), fmt.Sprintf("%d of %d minutes", p.Overhead, p.Minutes), "no more than the trial has")
		}
		if p.CVGood > p.CVPass {
			l.complain(f, at("cv_good"), fmt.Sprintf("%g above %g", p.CVGood, p.CVPass), "no more than cv_pass")
		}
		l.checkSteps(f)
		l.known(f, at("stages", "list"), "checklist", p.Stages.List, idsOf(l.book.Checklists, func(c advisor.Checklist) string { return c.ID }))
		for i, day := range p.Stages.Days {
			if day < 1 || day > 300 || i > 0 && day <= p.Stages.Days[i-1] {
				l.complain(f, at("stages", "days", i), strconv.Itoa(day), "days from now, one after the other, at most 300")
			}
		}
		l.checkWhen(f, at("stages"), p.Stages.When)
	}
}

func (l *loader) checkSteps(f *file) {
	must, script, seen := 0, 0, owners{}
	for i, s := range l.book.Trial.Steps {
		for j, name := range append([]string{s.ID}, s.Names...) {
			key := strings.ToLower(strings.TrimSpace(name))
			if first := seen[key]; first != "" && first != s.ID {
				l.complain(f, at("steps", i, "names", max(0, j-1)), quote(name), "a name of its own: "+first+" has this one already")
			}
			seen[key] = s.ID
		}
		if s.Must {
			must++
		}
		if s.Script {
			script++
		}
	}
	if must == 0 {
		l.complain(f, at("steps"), "no step with must", "one at least: else everything passes")
	}
	if script > 1 {
		l.complain(f, at("steps"), fmt.Sprintf("%d steps with script", script), "one: the first script runs once")
	}
}

func idsOf[T any](list []T, id func(T) string) []string {
	ids := make([]string, len(list))
	for i, e := range list {
		ids[i] = id(e)
	}
	return ids
}
