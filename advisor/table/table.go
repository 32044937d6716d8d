// Package table evaluates decision tables and proves things about them.
//
// A [Table] is ordered rows "when these inputs, then this". Conditions are
// equality and membership over closed sets of values and nothing else: whatever
// needs a comparison or a formula is computed before, into an input with a
// closed set of its own. That is what makes proof cheap. There are no numbers,
// so the whole input space can be listed, and a table that answers every cell
// of it answers everything.
//
// [Table.Problems] finds what is wrong with a table as it is written.
// [Table.Compile] turns values into small indices and rows into bit sets; asking
// a [Compiled] table is a lookup. [Compiled.Audit] lists the cells that no row
// answers and the rows that can never win.
//
// A [Plan] strings tables and derived inputs together: answers go in, each
// table writes variables, later tables read them. [Plan.Walk] enumerates every
// combination of answers and tells which rows of which table ever fire. The
// same plan gives the advice, so the certificate is about the rules that run,
// not about a model of them.
//
// The package knows nothing about GPUs. It returns ids and indices; sentences
// are data that it only carries.
package table

// Hit policies: what to do when several rows match.
const (
	First   = "first"   // the top row wins: order is part of the rules
	Map     = "map"     // exactly one row may match
	Collect = "collect" // all matching rows count; none may be enough
)

// Table is a decision table.
type Table struct {
	ID      string            `yaml:"id"`
	Title   map[string]string `yaml:"title,omitempty"` // by language
	Hit     string            `yaml:"hit" rule:"enum=first|map|collect"`
	Inputs  []Column          `yaml:"inputs"`
	Outputs []Column          `yaml:"outputs"`
	Rows    []Row             `yaml:"rows"`
	Sources []string          `yaml:"sources,omitempty"` // where the rows come from
	Checked string            `yaml:"checked,omitempty"` // YYYY-MM-DD: when somebody last compared them
}

// Column is an input or an output with its closed set of values.
type Column struct {
	Name   string   `yaml:"name"`
	Values []string `yaml:"values,flow"`
}

// Row is one rule. Because says what triggered it and Support why it is true,
// by language.
type Row struct {
	ID      string              `yaml:"id"`
	When    map[string][]string `yaml:"when,omitempty"` // an input that is not named may have any value
	Then    map[string]string   `yaml:"then"`
	Because map[string]string   `yaml:"because,omitempty"`
	Support map[string]string   `yaml:"support,omitempty"`
}

// Row finds a row by its id; nil when there is none.
func (t *Table) Row(id string) *Row {
	for i := range t.Rows {
		if t.Rows[i].ID == id {
			return &t.Rows[i]
		}
	}
	return nil
}

// Index is the place of a value in the column, or -1.
func (c Column) Index(value string) int {
	for i, v := range c.Values {
		if v == value {
			return i
		}
	}
	return -1
}
