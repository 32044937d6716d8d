package table

import (
	"math/bits"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"
)

// maxOutcomes bounds the outcomes that a walk tells apart: one bit for each.
const maxOutcomes = 1 << 26

// Report is what a walk over every combination of answers has seen.
type Report struct {
	Combinations int            // without those that cannot happen
	Uncovered    int            // combinations for which some table has no row
	Examples     []string       // a few of them, with the table
	Fired        map[string]int // combinations per row id, of tables and of watched tables; all rows are in it
	Dead         []string       // ids of rows of tables that never fired
	Hits         int            // matches of watched tables
	Distinct     int            // different outcomes; 0 when none were asked for

	Reached map[string][]bool // per table: which of its cells some combination leads to
}

// Walk runs every combination of answers, on all cores, and counts. The named
// variables make an outcome; different ones are counted in Distinct.
func (p *Plan) Walk(outcome ...string) Report {
	w := p.walkers(outcome)
	var jobs atomic.Int64
	var all sync.WaitGroup
	for i := range w {
		all.Go(func() { w[i].work(&jobs) })
	}
	all.Wait()
	return p.sum(w)
}

// chunk is how many combinations a walker takes at a time.
const chunk = 1 << 13

// walker is one core's share of a walk.
type walker struct {
	p       *Plan
	total   int
	seen    int
	gaps    int
	samples []string
	cells   [][]uint32 // per step: how often each cell was reached
	hits    [][]int    // per watched table: matches of each row
	outcome []int      // variables
	stride  []int
	found   []uint64 // set of outcomes
}

func (p *Plan) walkers(outcome []string) []walker {
	w := make([]walker, runtime.GOMAXPROCS(0))
	for i := range w {
		w[i] = walker{p: p, total: p.Combinations()}
		for _, s := range p.steps {
			w[i].cells = append(w[i].cells, make([]uint32, len(s.cells)))
		}
		for _, t := range p.watched {
			w[i].hits = append(w[i].hits, make([]int, len(t.table.Rows)))
		}
		w[i].distinguish(outcome)
	}
	return w
}

// Combinations is the size of the space of answers, those included that Only
// leaves out.
func (p *Plan) Combinations() int {
	n := 1
	for _, v := range p.answers {
		n *= len(p.vars[v].Values)
	}
	return n
}

func (w *walker) distinguish(outcome []string) {
	var columns []Column
	for _, name := range outcome {
		if v := w.p.Var(name); v >= 0 {
			w.outcome = append(w.outcome, v)
			columns = append(columns, w.p.vars[v])
		}
	}
	if n := cells(columns); len(columns) > 0 && n <= maxOutcomes {
		w.stride = strides(columns)
		w.found = make([]uint64, n/64+1)
	}
}

func (w *walker) work(jobs *atomic.Int64) {
	for {
		from := int(jobs.Add(1)-1) * chunk
		if from >= w.total {
			return
		}
		w.stretch(from, min(from+chunk, w.total))
	}
}

// stretch runs the combinations with these numbers.
func (w *walker) stretch(from, to int) {
	var s State
	w.p.locate(&s, from)
	for range to - from {
		w.visit(&s)
		w.p.advance(&s)
	}
}

// locate puts the answers of the combination with this number into s: the last
// answer runs fastest.
func (p *Plan) locate(s *State, number int) {
	for i := len(p.answers) - 1; i >= 0; i-- {
		v := p.answers[i]
		n := len(p.vars[v].Values)
		s[v] = uint8(number % n)
		number /= n
	}
}

func (p *Plan) advance(s *State) {
	for i := len(p.answers) - 1; i >= 0; i-- {
		v := p.answers[i]
		if s[v]++; int(s[v]) < len(p.vars[v].Values) {
			return
		}
		s[v] = 0
	}
}

func (w *walker) visit(s *State) {
	if gap := w.p.Run(s); gap >= 0 {
		w.gap(s, gap)
		return
	}
	w.seen++
	for i := range w.p.steps {
		if st := &w.p.steps[i]; st.table != nil {
			w.cells[i][st.cell(s)]++
		}
	}
	for i := range w.p.watched {
		w.watch(s, i)
	}
	if w.found != nil {
		n := 0
		for i, v := range w.outcome {
			n += int(s[v]) * w.stride[i]
		}
		w.found[n/64] |= 1 << (n % 64)
	}
}

func (w *walker) gap(s *State, step int) {
	st := &w.p.steps[step]
	if st.only {
		return
	}
	w.seen++
	w.gaps++
	if len(w.samples) < maxExamples {
		text := st.name + ":"
		for _, v := range st.in {
			text += " " + w.p.vars[v].Name + "=" + w.p.Value(s, v)
		}
		w.samples = append(w.samples, text)
	}
}

func (w *walker) watch(s *State, i int) {
	t := w.p.watched[i]
	var in [MaxVars]uint8
	for k, v := range t.in {
		in[k] = s[v]
	}
	hits := w.hits[i]
	for word := range t.table.words {
		for set := t.table.matching(in[:len(t.in)], word); set != 0; set &= set - 1 {
			hits[word*64+bits.TrailingZeros64(set)]++
		}
	}
}

// sum adds up what the walkers saw.
func (p *Plan) sum(walkers []walker) Report {
	r := Report{Fired: map[string]int{}, Reached: map[string][]bool{}}
	for _, w := range walkers {
		r.Combinations += w.seen
		r.Uncovered += w.gaps
		r.Examples = append(r.Examples, w.samples...)
	}
	slices.Sort(r.Examples)
	r.Examples = slices.Compact(r.Examples)
	r.Examples = r.Examples[:min(len(r.Examples), maxExamples)]
	for i := range p.steps {
		p.sumStep(&r, walkers, i)
	}
	for i, t := range p.watched {
		for row, rule := range t.table.Rows {
			for _, w := range walkers {
				r.Fired[rule.ID] += w.hits[i][row]
				r.Hits += w.hits[i][row]
			}
		}
	}
	r.Distinct = distinct(walkers)
	return r
}

func (p *Plan) sumStep(r *Report, walkers []walker, i int) {
	st := &p.steps[i]
	if st.table == nil {
		return
	}
	fired, reached := make([]int, len(st.table.Rows)), make([]bool, len(st.cells))
	for cell, row := range st.cells {
		for _, w := range walkers {
			if n := w.cells[i][cell]; n > 0 {
				fired[row] += int(n)
				reached[cell] = true
			}
		}
	}
	r.Reached[st.table.ID] = reached
	for row, n := range fired {
		id := st.table.Rows[row].ID
		r.Fired[id] += n
		if n == 0 {
			r.Dead = append(r.Dead, id)
		}
	}
}

func distinct(walkers []walker) int {
	n := 0
	for i := range walkers[0].found {
		var set uint64
		for _, w := range walkers {
			set |= w.found[i]
		}
		n += bits.OnesCount64(set)
	}
	return n
}
