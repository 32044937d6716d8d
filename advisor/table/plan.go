package table

import (
	"fmt"
	"slices"
)

// MaxVars bounds the variables of a plan, so that a [State] lives on the stack.
const MaxVars = 48

// State is one value (an index) for each variable of a plan.
type State [MaxVars]uint8

// Plan is a chain of decisions over variables with closed sets of values. A
// variable is an answer (crossed with all others), derived from earlier ones,
// or the output of a table. Build it with the methods below in the order in
// which things follow from each other, then look at [Plan.Problems]; after that
// it is read-only and safe for concurrent use.
type Plan struct {
	vars     []Column
	answers  []int // variables that are crossed
	steps    []step
	watched  []watch
	problems []Problem
}

// step computes some variables from earlier ones by one lookup: a table, a
// tabulated function, or a constraint.
type step struct {
	name   string
	table  *Compiled // nil for a function
	only   bool      // a constraint: None leaves the combination out
	in     []int     // variables that it reads
	stride []int
	cells  []int16   // cell → row, or None
	rows   [][]uint8 // row → values of out
	out    []int     // variables that it writes
}

// watch is a collect table that changes nothing: its matches are counted.
type watch struct {
	table *Compiled
	in    []int
}

// Problems lists what did not fit together while the plan was built.
func (p *Plan) Problems() []Problem { return p.problems }

func (p *Plan) report(step, field, found, want string) {
	p.problems = append(p.problems, Problem{Table: step, Field: field, Found: found, Want: want})
}

// Var is the place of a variable in a State, or -1.
func (p *Plan) Var(name string) int {
	return slices.IndexFunc(p.vars, func(c Column) bool { return c.Name == name })
}

// Column is the closed set of a variable, empty when there is none.
func (p *Plan) Column(name string) Column {
	if v := p.Var(name); v >= 0 {
		return p.vars[v]
	}
	return Column{Name: name}
}

// Vars lists all variables in the order in which they are known.
func (p *Plan) Vars() []Column { return slices.Clone(p.vars) }

func (p *Plan) add(step string, c Column) int {
	switch {
	case p.Var(c.Name) >= 0:
		p.report(step, c.Name, "a variable that is there already", "a name of its own")
	case len(c.Values) == 0 || len(c.Values) > maxValues:
		p.report(step, c.Name, fmt.Sprintf("%d values", len(c.Values)), fmt.Sprintf("1 to %d", maxValues))
	case len(p.vars) == MaxVars:
		p.report(step, c.Name, "one variable too many", fmt.Sprintf("at most %d", MaxVars))
	default:
		p.vars = append(p.vars, c)
		return len(p.vars) - 1
	}
	return -1
}

// Answer adds a variable that somebody answers: a walk crosses it with all
// others.
func (p *Plan) Answer(c Column) {
	if v := p.add("answer", c); v >= 0 {
		p.answers = append(p.answers, v)
	}
}

// Derive adds a variable that a function computes from earlier ones. The
// function is asked once for every combination of its inputs and must give a
// value of the column.
func (p *Plan) Derive(c Column, f func(in []string) string, from ...string) {
	s := step{name: c.Name}
	if !p.reads(&s, from) {
		return
	}
	p.eachCell(&s, func(in []string) int {
		v := c.Index(f(in))
		if v < 0 {
			p.report(c.Name, fmt.Sprint(in), quote(f(in)), oneOf(c.Values))
		}
		return v
	})
	out := p.add(c.Name, c)
	if out < 0 {
		return
	}
	s.out = []int{out}
	for v := range c.Values {
		s.rows = append(s.rows, []uint8{uint8(v)})
	}
	p.steps = append(p.steps, s)
}

// Only leaves out the combinations that cannot happen: those for which the
// function says false.
func (p *Plan) Only(f func(in []string) bool, from ...string) {
	s := step{name: "only", only: true, rows: [][]uint8{nil}}
	if !p.reads(&s, from) {
		return
	}
	p.eachCell(&s, func(in []string) int {
		if f(in) {
			return 0
		}
		return None
	})
	p.steps = append(p.steps, s)
}

// reads resolves the variables of a step and sizes its cells.
func (p *Plan) reads(s *step, from []string) bool {
	var columns []Column
	for _, name := range from {
		v := p.Var(name)
		if v < 0 {
			p.report(s.name, name, "unknown variable", oneOf(names(p.vars)))
			return false
		}
		s.in = append(s.in, v)
		columns = append(columns, p.vars[v])
	}
	if n := cells(columns); n > maxCells {
		p.report(s.name, "inputs", fmt.Sprintf("%d combinations of values", n), fmt.Sprintf("at most %d", maxCells))
		return false
	}
	s.stride = strides(columns)
	return true
}

// eachCell fills the cells of a step from the names of its inputs' values.
func (p *Plan) eachCell(s *step, f func(in []string) int) {
	columns := make([]Column, len(s.in))
	for i, v := range s.in {
		columns[i] = p.vars[v]
	}
	at, in := make([]uint8, len(s.in)), make([]string, len(s.in))
	s.cells = make([]int16, cells(columns))
	for cell := range s.cells {
		for i, v := range at {
			in[i] = columns[i].Values[v]
		}
		s.cells[cell] = int16(f(in))
		next(at, columns)
	}
}

// Table adds a first or map table: its inputs must be variables with the same
// values in the same order, its outputs become variables.
func (p *Plan) Table(t *Table) {
	c, inputs := p.compiled(t)
	if c == nil {
		return
	}
	s := step{name: t.ID, table: c, rows: c.out}
	if t.Hit == Collect {
		p.report(t.ID, "hit", quote(t.Hit), "first or map: a chain needs one answer")
		return
	}
	if !p.reads(&s, inputs) {
		return
	}
	s.cells = c.cells
	for _, out := range t.Outputs {
		v := p.add(t.ID, out)
		if v < 0 {
			return
		}
		s.out = append(s.out, v)
	}
	p.steps = append(p.steps, s)
}

// Watch adds a collect table that is only counted: forbidden combinations,
// conditions of notes. Its conditions may name any variable.
func (p *Plan) Watch(t *Table) {
	c, inputs := p.compiled(t)
	if c == nil {
		return
	}
	w := watch{table: c}
	for _, name := range inputs {
		w.in = append(w.in, p.Var(name))
	}
	p.watched = append(p.watched, w)
}

// compiled compiles a table and checks its inputs against the variables.
func (p *Plan) compiled(t *Table) (*Compiled, []string) {
	fits := true
	for _, col := range t.Inputs {
		switch v := p.Var(col.Name); {
		case v < 0:
			p.report(t.ID, "inputs", "unknown variable "+quote(col.Name), oneOf(names(p.vars)))
			fits = false
		case !slices.Equal(col.Values, p.vars[v].Values):
			p.report(t.ID, "inputs."+col.Name, fmt.Sprint(col.Values), fmt.Sprint(p.vars[v].Values))
			fits = false
		}
	}
	c, problems := t.Compile()
	p.problems = append(p.problems, problems...)
	if !fits {
		return nil, nil
	}
	return c, names(t.Inputs)
}

// Run computes every variable from the answers in s and reports which step had
// no row for them, or -1. It does not allocate.
func (p *Plan) Run(s *State) (gap int) {
	for i := range p.steps {
		st := &p.steps[i]
		row := st.cells[st.cell(s)]
		if row < 0 {
			return i
		}
		for k, v := range st.rows[row] {
			s[st.out[k]] = v
		}
	}
	return -1
}

func (st *step) cell(s *State) int {
	cell := 0
	for i, v := range st.in {
		cell += int(s[v]) * st.stride[i]
	}
	return cell
}

// Fired calls f with the row that each table answered s with, in the order of
// the tables. Run must have succeeded on s.
func (p *Plan) Fired(s *State, f func(t *Table, r *Row)) {
	for i := range p.steps {
		if st := &p.steps[i]; st.table != nil {
			f(st.table.Table, &st.table.Rows[st.cells[st.cell(s)]])
		}
	}
}

// Value is the name of a variable's value in s.
func (p *Plan) Value(s *State, v int) string { return p.vars[v].Values[s[v]] }

// Set puts a value by name; false when the variable has no such value.
func (p *Plan) Set(s *State, v int, value string) bool {
	i := p.vars[v].Index(value)
	if i < 0 {
		return false
	}
	s[v] = uint8(i)
	return true
}
