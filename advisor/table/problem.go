package table

import (
	"fmt"
	"maps"
	"slices"
	"strings"
)

// Limits of a table. They are far above what a person can read.
const (
	maxValues = 250     // of one column: an index fits into a byte
	maxCells  = 1 << 20 // of a first or map table: it is tabulated whole
)

// Problem is one thing that is wrong in a table. Row is empty when it concerns
// the table as a whole.
type Problem struct {
	Table string
	Row   string // id of the row, or its place ("#3") when it has none
	Field string // when.family, then.form, inputs, hit …
	Found string
	Want  string
}

// Error is the problem in one line.
func (p Problem) Error() string {
	where := strings.TrimSuffix(p.Table+" "+p.Row, " ")
	return fmt.Sprintf("%s: %s: found %s, want %s", where, p.Field, p.Found, p.Want)
}

// Problems checks the table by itself and lists everything at once: unknown
// inputs and outputs, values outside their column, missing outputs, double ids.
// A table without problems compiles.
func (t *Table) Problems() []Problem {
	c := checker{t: t}
	c.head()
	seen := map[string]bool{}
	for i := range t.Rows {
		c.row(i, seen)
	}
	return c.problems
}

type checker struct {
	t        *Table
	problems []Problem
}

func (c *checker) report(row, field, found, want string) {
	c.problems = append(c.problems, Problem{c.t.ID, row, field, found, want})
}

func (c *checker) head() {
	t := c.t
	if t.ID == "" {
		c.report("", "id", "nothing", "a name for the table")
	}
	if t.Hit != First && t.Hit != Map && t.Hit != Collect {
		c.report("", "hit", quote(t.Hit), "first, map or collect")
	}
	if len(t.Inputs) == 0 {
		c.report("", "inputs", "nothing", "at least one input")
	}
	if len(t.Rows) == 0 {
		c.report("", "rows", "nothing", "at least one row")
	}
	names := map[string]bool{}
	c.columns("inputs", t.Inputs, names)
	c.columns("outputs", t.Outputs, names)
	if n := cells(t.Inputs); t.Hit != Collect && n > maxCells {
		c.report("", "inputs", fmt.Sprintf("%d combinations of values", n), fmt.Sprintf("at most %d: split the table", maxCells))
	}
}

func (c *checker) columns(field string, columns []Column, names map[string]bool) {
	for _, col := range columns {
		where := field + "." + col.Name
		switch {
		case col.Name == "":
			c.report("", field, "a column without a name", "a name")
		case names[col.Name]:
			c.report("", where, "the name a second time", "one column of this name")
		}
		names[col.Name] = true
		if n := len(col.Values); n == 0 || n > maxValues {
			c.report("", where, fmt.Sprintf("%d values", n), fmt.Sprintf("1 to %d", maxValues))
		}
		if v := double(col.Values); v != "" {
			c.report("", where, quote(v)+" twice", "each value once")
		}
	}
}

func (c *checker) row(i int, seen map[string]bool) {
	r := c.t.Rows[i]
	id := r.ID
	if id == "" {
		id = fmt.Sprintf("#%d", i+1)
		c.report(id, "id", "nothing", "an id, to name the row in a because")
	} else if seen[id] {
		c.report(id, "id", "the id a second time", "an id of its own")
	}
	seen[id] = true
	for _, name := range slices.Sorted(maps.Keys(r.When)) {
		c.condition(id, name, r.When[name])
	}
	for _, name := range slices.Sorted(maps.Keys(r.Then)) {
		c.value(id, "then."+name, c.t.Outputs, name, r.Then[name])
	}
	for _, out := range c.t.Outputs {
		if _, ok := r.Then[out.Name]; !ok {
			c.report(id, "then."+out.Name, "nothing", oneOf(out.Values))
		}
	}
}

func (c *checker) condition(id, name string, values []string) {
	if len(values) == 0 {
		c.report(id, "when."+name, "no value", "at least one, or not to name the input at all")
	}
	if v := double(values); v != "" {
		c.report(id, "when."+name, quote(v)+" twice", "each value once")
	}
	for _, v := range values {
		if !c.value(id, "when."+name, c.t.Inputs, name, v) {
			return
		}
	}
}

// value checks one value against its column; false when there is no such
// column, so that the caller need not repeat itself.
func (c *checker) value(id, field string, columns []Column, name, v string) bool {
	i := slices.IndexFunc(columns, func(col Column) bool { return col.Name == name })
	if i < 0 {
		c.report(id, field, "unknown column "+quote(name), oneOf(names(columns)))
		return false
	}
	if columns[i].Index(v) < 0 {
		c.report(id, field, quote(v), oneOf(columns[i].Values))
	}
	return true
}

// cells is the number of combinations of values, capped well above maxCells.
func cells(columns []Column) int {
	n := 1
	for _, c := range columns {
		n *= len(c.Values)
		if n > 1<<40 {
			return n
		}
	}
	return n
}

func names(columns []Column) []string {
	out := make([]string, len(columns))
	for i, c := range columns {
		out[i] = c.Name
	}
	return out
}

// double is a value that occurs twice, or "".
func double(values []string) string {
	for i, v := range values {
		if slices.Contains(values[:i], v) {
			return v
		}
	}
	return ""
}

func quote(s string) string { return fmt.Sprintf("%q", s) }

func oneOf(values []string) string {
	if len(values) == 0 {
		return "nothing: there are none"
	}
	return "one of " + strings.Join(values, ", ")
}
