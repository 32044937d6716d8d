package table

import "math/bits"

// None is what [Compiled.Row] says when no row matches.
const None = -1

// Compiled is a table ready to be asked. Inputs are given as indices into their
// columns' values, in the order of the columns. It is never changed, so it is
// safe for concurrent use.
type Compiled struct {
	*Table
	stride []int      // of each input in the number of a cell
	cells  []int16    // first and map: the row that wins each cell, or None
	words  int        // of a set of rows
	admit  [][]uint64 // per input: for each of its values, the set of rows that allow it
	out    [][]uint8  // per row: the values of the outputs
}

// Compile prepares a table without problems; otherwise it returns them.
func (t *Table) Compile() (*Compiled, []Problem) {
	if problems := t.Problems(); len(problems) > 0 {
		return nil, problems
	}
	c := &Compiled{Table: t, words: (len(t.Rows) + 63) / 64}
	c.stride = strides(t.Inputs)
	for _, col := range t.Inputs {
		c.admit = append(c.admit, c.admitted(col))
	}
	for i := range t.Rows {
		c.out = append(c.out, c.outputs(&t.Rows[i]))
	}
	if t.Hit != Collect {
		c.tabulate()
	}
	return c, nil
}

// strides numbers the cells of a space: the last column runs fastest.
func strides(columns []Column) []int {
	s := make([]int, len(columns))
	n := 1
	for i := len(columns) - 1; i >= 0; i-- {
		s[i] = n
		n *= len(columns[i].Values)
	}
	return s
}

// admitted builds, for each value of a column, the set of rows that allow it.
func (c *Compiled) admitted(col Column) []uint64 {
	sets := make([]uint64, len(col.Values)*c.words)
	for r, row := range c.Rows {
		when, named := row.When[col.Name]
		for v := range col.Values {
			if !named {
				sets[v*c.words+r/64] |= 1 << (r % 64)
			}
		}
		for _, value := range when {
			sets[col.Index(value)*c.words+r/64] |= 1 << (r % 64)
		}
	}
	return sets
}

func (c *Compiled) outputs(r *Row) []uint8 {
	out := make([]uint8, len(c.Outputs))
	for i, col := range c.Outputs {
		out[i] = uint8(col.Index(r.Then[col.Name]))
	}
	return out
}

// tabulate asks the bit sets once for every cell; from then on a cell is one
// lookup.
func (c *Compiled) tabulate() {
	c.cells = make([]int16, cells(c.Inputs))
	in := make([]uint8, len(c.Inputs))
	for cell := range c.cells {
		c.cells[cell] = int16(c.first(in))
		next(in, c.Inputs)
	}
}

// next steps to the following cell; false after the last.
func next(in []uint8, columns []Column) bool {
	for i := len(in) - 1; i >= 0; i-- {
		if in[i]++; int(in[i]) < len(columns[i].Values) {
			return true
		}
		in[i] = 0
	}
	return false
}

// matching is one word of the set of rows that match.
func (c *Compiled) matching(in []uint8, word int) uint64 {
	set := ^uint64(0)
	for i, v := range in {
		set &= c.admit[i][int(v)*c.words+word]
	}
	return set
}

func (c *Compiled) first(in []uint8) int {
	for w := range c.words {
		if set := c.matching(in, w); set != 0 {
			return w*64 + bits.TrailingZeros64(set)
		}
	}
	return None
}

// Row is the index of the row that wins, or None. It does not allocate.
func (c *Compiled) Row(in []uint8) int {
	if c.cells == nil {
		return c.first(in)
	}
	cell := 0
	for i, v := range in {
		cell += int(v) * c.stride[i]
	}
	return int(c.cells[cell])
}

// Cell is Row for a cell by its number in [Report.Reached]: the last input runs
// fastest. Collect tables have no cells.
func (c *Compiled) Cell(number int) int { return int(c.cells[number]) }

// Matches calls f with the index of each row that matches, in their order.
func (c *Compiled) Matches(in []uint8, f func(row int)) {
	for w := range c.words {
		for set := c.matching(in, w); set != 0; set &= set - 1 {
			f(w*64 + bits.TrailingZeros64(set))
		}
	}
}

// Ask is Row for values by name, for callers without hurry. An input that is
// missing or unknown matches nothing.
func (c *Compiled) Ask(values map[string]string) *Row {
	in := make([]uint8, len(c.Inputs))
	for i, col := range c.Inputs {
		v := col.Index(values[col.Name])
		if v < 0 {
			return nil
		}
		in[i] = uint8(v)
	}
	if r := c.Row(in); r != None {
		return &c.Rows[r]
	}
	return nil
}
