package table

import (
	"math/bits"
	"slices"
	"strings"
)

// maxExamples is how many uncovered cells an audit writes out.
const maxExamples = 5

// Audit is what the raw input space of one table shows: every combination of
// the values of its columns, whether anybody can get there or not.
type Audit struct {
	Table     string
	Cells     int      // combinations
	Uncovered int      // cells that no row answers; always 0 for collect
	Examples  []string // a few of them: "form=vm duration=h2"
	Shadowed  []string // ids of rows that can never be the first to match
	Overlap   int      // cells that more than one row matches
	Double    []string // map only: ids of rows that share a cell with a row above
}

// Sound reports whether the table answers everything, once, with all its rows.
func (a Audit) Sound() bool {
	return a.Uncovered == 0 && len(a.Shadowed) == 0 && len(a.Double) == 0
}

// Audit enumerates the table's own input space. A collect table has no first
// row and may leave cells alone, so nothing of it is enumerated.
func (c *Compiled) Audit() Audit {
	a := Audit{Table: c.ID, Cells: cells(c.Inputs)}
	if c.Hit == Collect {
		return a
	}
	first, double := make([]bool, len(c.Rows)), make([]bool, len(c.Rows))
	in := make([]uint8, len(c.Inputs))
	for more := true; more; more = next(in, c.Inputs) {
		c.look(in, &a, first, double)
	}
	for r, row := range c.Rows {
		if !first[r] {
			a.Shadowed = append(a.Shadowed, row.ID)
		}
		if double[r] && c.Hit == Map {
			a.Double = append(a.Double, row.ID)
		}
	}
	return a
}

// look takes one cell into the audit.
func (c *Compiled) look(in []uint8, a *Audit, first, double []bool) {
	winner, matched := c.first(in), 0
	for w := range c.words {
		matched += bits.OnesCount64(c.matching(in, w))
	}
	switch {
	case matched == 0:
		a.Uncovered++
		if len(a.Examples) < maxExamples {
			a.Examples = append(a.Examples, describe(in, c.Inputs))
		}
		return
	case matched > 1:
		a.Overlap++
		if c.Hit == Map {
			c.Matches(in, func(r int) { double[r] = double[r] || r != winner })
		}
	}
	first[winner] = true
}

// describe writes a cell as a person would: "family=sim duration=h2".
func describe(in []uint8, columns []Column) string {
	parts := make([]string, len(in))
	for i, v := range in {
		parts[i] = columns[i].Name + "=" + columns[i].Values[v]
	}
	return strings.Join(parts, " ")
}

// Overlapping reports whether two rows of the table have a cell in common.
func (t *Table) Overlapping(a, b *Row) bool {
	for _, col := range t.Inputs {
		va, named := a.When[col.Name]
		vb, also := b.When[col.Name]
		if named && also && !slices.ContainsFunc(va, func(v string) bool { return slices.Contains(vb, v) }) {
			return false
		}
	}
	return true
}
