package advisor

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"gpuadvisor/advisor/table"
)

// Certificate says what the tables can and cannot do, from enumerating every
// combination of answers: tasks × duration × cards × data × compliance ×
// integration × resume, times the count that the memory estimate may need, times
// whether a month pays. It does not say that the advice is right, that a card
// fits or that a price is current.
type Certificate struct {
	Combinations  int    `json:"combinations"`   // answers × need_count × monthly
	Uncovered     int    `json:"uncovered"`      // of them, without an answer
	DeadRows      int    `json:"dead_rows"`      // rows that no combination reaches
	ShadowedRows  int    `json:"shadowed_rows"`  // rows that can never be the first to match
	ForbiddenHits int    `json:"forbidden_hits"` // combinations that match a row of the table "forbidden"
	RulesHash     string `json:"rules_hash"`

	NoEstimate int            `json:"no_estimate"` // further combinations, checked alike: the task's own several cards, without a memory estimate
	Distinct   int            `json:"distinct"`    // different advices
	Cells      []TableCells   `json:"cells"`       // raw input space of each table
	Details    []string       `json:"details"`     // what was found, in words for the author of a rule
	Fired      map[string]int `json:"-"`           // combinations for each row

	Reached map[string][]bool `json:"-"` // per table of the chain: cells that some combination leads to
}

// TableCells is the raw input space of one table, reachable or not.
type TableCells struct {
	Table     string `json:"table"`
	Rows      int    `json:"rows"`
	Cells     int    `json:"cells"`
	Uncovered int    `json:"uncovered"`
	Overlap   int    `json:"overlap"` // cells that several rows match: there the order decides
}

// Sound reports whether the certificate has nothing to complain about.
func (c Certificate) Sound() bool {
	return c.Combinations > 0 && c.Uncovered == 0 && c.DeadRows == 0 && c.ShadowedRows == 0 && c.ForbiddenHits == 0
}

// outcome are the variables that make one advice.
var outcome = []string{"count", "link", "delivery", "platform", "alternative", "billing", "storage"}

// Certify enumerates the whole chain on all cores. A book whose tables do not
// fit together gets a certificate over nothing, with the problems as details.
func (b *Rulebook) Certify() Certificate {
	c := Certificate{RulesHash: b.Hash, Cells: []TableCells{}, Details: []string{}}
	compiled, problems := b.compile()
	if len(problems) > 0 {
		return c.refused(problems)
	}
	compiled.plan.Watch(b.Tables[forbiddenTable])
	c.chain(b, compiled.plan)
	c.fine(compiled.fine.Walk())
	for _, id := range append(slices.Clone(chainTables), taskTable) {
		c.audit(b.Tables[id])
	}
	return c
}

func (c Certificate) refused(problems []table.Problem) Certificate {
	for _, p := range problems {
		c.Details = append(c.Details, p.Error())
	}
	return c
}

// chain walks the chain and takes over what was seen.
func (c *Certificate) chain(b *Rulebook, p *table.Plan) {
	r := p.Walk(outcome...)
	c.NoEstimate = b.withoutEstimate(p)
	c.Combinations = r.Combinations - c.NoEstimate
	c.Uncovered, c.Distinct, c.Fired, c.Reached = r.Uncovered, r.Distinct, r.Fired, r.Reached
	c.DeadRows, c.ForbiddenHits = len(r.Dead), r.Hits
	for _, gap := range r.Examples {
		c.tell("no row for %s", gap)
	}
	for _, id := range r.Dead {
		c.tell("dead row %s: no combination of answers reaches it", id)
	}
	for _, row := range b.Tables[forbiddenTable].Rows {
		if n := r.Fired[row.ID]; n > 0 {
			c.tell("forbidden: %s matches %d combinations", row.ID, n)
		}
	}
}

// withoutEstimate is the number of combinations in which the task's own several
// cards stand, for want of an estimate.
func (b *Rulebook) withoutEstimate(p *table.Plan) int {
	several := 0
	for _, t := range b.Tasks {
		if t.GPUs != "one" && t.Comm != "high" {
			several++
		}
	}
	per := 1
	for _, v := range []string{"duration", "gpus", "data", "compliance", "integration", "resume", "monthly"} {
		per *= len(p.Column(v).Values)
	}
	return several * per
}

// fine takes over the walk of the table of fine tasks.
func (c *Certificate) fine(r table.Report) {
	c.Uncovered += r.Uncovered
	c.DeadRows += len(r.Dead)
	for _, gap := range r.Examples {
		c.tell("no row for %s", gap)
	}
	for _, id := range r.Dead {
		c.tell("dead row %s: no combination of hints reaches it", id)
	}
	maps.Copy(c.Fired, r.Fired)
}

// audit looks at the raw input space of one table.
func (c *Certificate) audit(t *table.Table) {
	compiled, problems := t.Compile()
	if len(problems) > 0 {
		return // reported before
	}
	a := compiled.Audit()
	c.ShadowedRows += len(a.Shadowed)
	for _, id := range a.Shadowed {
		c.tell("shadowed row %s: rows above it take all its cells", id)
	}
	c.ShadowedRows += len(a.Double)
	for _, id := range a.Double {
		c.tell("row %s: another row has the same key", id)
	}
	for _, cell := range a.Examples {
		c.tell("%s: no row for the raw cell %s", t.ID, cell)
	}
	c.Cells = append(c.Cells, TableCells{Table: t.ID, Rows: len(t.Rows), Cells: a.Cells, Uncovered: a.Uncovered, Overlap: a.Overlap})
}

func (c *Certificate) tell(format string, args ...any) {
	c.Details = append(c.Details, fmt.Sprintf(format, args...))
}

// RiskCheck is what the certificate of the risk notes says of one condition
// row of one note.
type RiskCheck struct {
	Risk    string
	Row     int    // from 0
	Reached bool   // some case fulfils it
	Problem string // an input or a value that there is not; "" when fine
}

// String is the check in one line.
func (r RiskCheck) String() string {
	switch {
	case r.Problem != "":
		return fmt.Sprintf("risk %s, when[%d]: %s", r.Risk, r.Row, r.Problem)
	case !r.Reached:
		return fmt.Sprintf("risk %s, when[%d]: no case fulfils it", r.Risk, r.Row)
	}
	return fmt.Sprintf("risk %s, when[%d]: reached", r.Risk, r.Row)
}

// CertifyRisks checks every condition row of every risk note: its inputs and
// values exist, and some case fulfils it. Inputs of the chain are enumerated
// with the chain; the facts that only notes look at are enumerated per row, not
// crossed with everything.
func (b *Rulebook) CertifyRisks() []RiskCheck {
	if b.chain == nil {
		return nil
	}
	var checks []RiskCheck
	p := b.plan()
	watched := &table.Table{ID: "risks", Hit: table.Collect}
	cases := map[string]int{} // id of a watched row → its check
	for i := range b.Risks {
		for j, when := range b.Risks[i].When {
			check := RiskCheck{Risk: b.Risks[i].ID, Row: j, Problem: b.riskProblem(when)}
			if check.Problem == "" {
				for _, chain := range b.noteCases(when) {
					id := fmt.Sprintf("%d.%d", len(checks), len(watched.Rows))
					cases[id] = len(checks)
					watched.Rows = append(watched.Rows, table.Row{ID: id, When: chain})
				}
			}
			checks = append(checks, check)
		}
	}
	if len(watched.Rows) == 0 {
		return checks
	}
	watched.Inputs = used(watched.Rows, p.Vars())
	p.Watch(watched)
	fired := p.Walk().Fired
	for id, i := range cases {
		checks[i].Reached = checks[i].Reached || fired[id] > 0
	}
	return checks
}

// used are the columns that some row looks at; at least one, for rows that look
// at nothing.
func used(rows []table.Row, columns []table.Column) []table.Column {
	out := slices.DeleteFunc(slices.Clone(columns), func(c table.Column) bool {
		return !slices.ContainsFunc(rows, func(r table.Row) bool { return r.When[c.Name] != nil })
	})
	if len(out) == 0 {
		return columns[:1]
	}
	return out
}

// finals are the inputs that notes see as they are after a stop.
var finals = map[string]string{"form": "delivery", "bill": "billing", "store": "storage"}

// inner are variables of the chain that nobody outside it knows.
var inner = []string{"own_count", "own_comm", "need_count", "cmp", "take", "offered"}

// RiskInputs lists what the conditions of risk notes may look at, with the
// closed set of each: the variables of the chain and the facts of derive.go.
func (b *Rulebook) RiskInputs() []table.Column {
	var inputs []table.Column
	if b.chain != nil {
		inputs = slices.DeleteFunc(b.chain.plan.Vars(), func(c table.Column) bool { return slices.Contains(inner, c.Name) })
	}
	return append(inputs, noteInputs...)
}

// riskProblem finds an input or a value that there is not.
func (b *Rulebook) riskProblem(when map[string][]string) string {
	inputs := b.RiskInputs()
	for _, name := range slices.Sorted(maps.Keys(when)) {
		i := slices.IndexFunc(inputs, func(c table.Column) bool { return c.Name == name })
		if i < 0 {
			return fmt.Sprintf("unknown input %q", name)
		}
		for _, v := range when[name] {
			if inputs[i].Index(v) < 0 {
				return fmt.Sprintf("%s has no value %q, only %s", name, v, strings.Join(inputs[i].Values, ", "))
			}
		}
	}
	return ""
}

// noteCases are the conditions on the chain under which a row can hold: one
// for each choice of its own facts that can happen at all.
func (b *Rulebook) noteCases(when map[string][]string) []map[string][]string {
	chain, own := map[string][]string{}, []table.Column{}
	for name, values := range when {
		if final, ok := finals[name]; ok {
			name = final
		}
		if b.chain.plan.Var(name) >= 0 {
			chain[name] = values
		} else {
			own = append(own, table.Column{Name: name, Values: values})
		}
	}
	var cases []map[string][]string
	eachChoice(own, map[string]string{}, func(facts map[string]string) {
		if c := b.possible(facts, chain); c != nil {
			cases = append(cases, c)
		}
	})
	return cases
}

// eachChoice calls f with every choice of one value per column.
func eachChoice(columns []table.Column, chosen map[string]string, f func(map[string]string)) {
	if len(columns) == 0 {
		f(chosen)
		return
	}
	for _, v := range columns[0].Values {
		chosen[columns[0].Name] = v
		eachChoice(columns[1:], chosen, f)
	}
	delete(chosen, columns[0].Name)
}

// possible narrows the conditions on the chain to what goes together with the
// facts, or returns nil when they cannot be true at once.
func (b *Rulebook) possible(facts map[string]string, chain map[string][]string) map[string][]string {
	if !b.someCard(facts["card_kind"], facts["card_link"]) {
		return nil
	}
	out := maps.Clone(chain)
	// A month is only compared with the hours on a price that still ranks.
	if age := facts["price_age"]; age == "stale" || age == "none" {
		narrow(out, "monthly", "unknown")
	}
	for _, values := range out {
		if len(values) == 0 {
			return nil
		}
	}
	return out
}

func narrow(when map[string][]string, name string, values ...string) {
	if had, ok := when[name]; ok {
		values = slices.DeleteFunc(values, func(v string) bool { return !slices.Contains(had, v) })
	}
	when[name] = values
}

// someCard reports whether the catalogue has a card of this kind and link.
func (b *Rulebook) someCard(kind, link string) bool {
	if kind == "" && link == "" || len(b.Cards) == 0 {
		return true
	}
	return slices.ContainsFunc(b.Cards, func(c Card) bool {
		return (kind == "" || cardKind(c.Card) == kind) && (link == "" || cardLink(c.Card) == link)
	})
}
