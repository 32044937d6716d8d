package table_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"gpuadvisor/advisor/table"
)

// umbrella is a small table in which the order of rows matters.
func umbrella() *table.Table {
	return &table.Table{
		ID: "umbrella", Hit: table.First,
		Inputs: []table.Column{
			{Name: "sky", Values: []string{"clear", "grey", "rain"}},
			{Name: "wind", Values: []string{"calm", "storm"}},
		},
		Outputs: []table.Column{{Name: "take", Values: []string{"nothing", "umbrella", "coat"}}},
		Rows: []table.Row{
			{ID: "u1", When: map[string][]string{"wind": {"storm"}}, Then: map[string]string{"take": "coat"}},
			{ID: "u2", When: map[string][]string{"sky": {"grey", "rain"}}, Then: map[string]string{"take": "umbrella"}},
			{ID: "u3", Then: map[string]string{"take": "nothing"}},
		},
	}
}

func compile(t testing.TB, tab *table.Table) *table.Compiled {
	t.Helper()
	c, problems := tab.Compile()
	if len(problems) > 0 {
		t.Fatalf("table %s: problems %v, want none", tab.ID, problems)
	}
	return c
}

func TestFirstRowWins(t *testing.T) {
	c := compile(t, umbrella())
	for _, tt := range []struct{ sky, wind, row string }{
		{"clear", "calm", "u3"},
		{"grey", "calm", "u2"},
		{"rain", "calm", "u2"},
		{"rain", "storm", "u1"},
		{"clear", "storm", "u1"},
	} {
		row := c.Ask(map[string]string{"sky": tt.sky, "wind": tt.wind})
		if row == nil || row.ID != tt.row {
			t.Errorf("sky %s, wind %s: got %v, want row %s", tt.sky, tt.wind, row, tt.row)
		}
	}
	if row := c.Ask(map[string]string{"sky": "green", "wind": "calm"}); row != nil {
		t.Errorf("unknown value: got row %s, want none", row.ID)
	}
}

func TestCollectFindsAll(t *testing.T) {
	tab := umbrella()
	tab.Hit = table.Collect
	c := compile(t, tab)
	var got []string
	c.Matches([]uint8{2, 1}, func(r int) { got = append(got, tab.Rows[r].ID) })
	if want := []string{"u1", "u2", "u3"}; !slices.Equal(got, want) {
		t.Errorf("rain and storm: got rows %v, want %v", got, want)
	}
}

func TestAuditOfASoundTable(t *testing.T) {
	a := compile(t, umbrella()).Audit()
	if !a.Sound() || a.Cells != 6 || a.Overlap != 5 {
		t.Errorf("got %+v, want a sound table of 6 cells, 5 of them matched by several rows", a)
	}
}

func TestAuditFindsGaps(t *testing.T) {
	tab := umbrella()
	tab.Rows = tab.Rows[:2]
	a := compile(t, tab).Audit()
	if a.Uncovered != 1 || !slices.Equal(a.Examples, []string{"sky=clear wind=calm"}) {
		t.Errorf("got %d uncovered, %v; want the one cell sky=clear wind=calm", a.Uncovered, a.Examples)
	}
}

func TestAuditFindsShadowedRows(t *testing.T) {
	tab := umbrella()
	tab.Rows[0], tab.Rows[2] = tab.Rows[2], tab.Rows[0] // the row for everything comes first
	a := compile(t, tab).Audit()
	if want := []string{"u2", "u1"}; !slices.Equal(a.Shadowed, want) {
		t.Errorf("got shadowed %v, want %v", a.Shadowed, want)
	}
}

func TestAuditOfAMapWantsOneRowPerKey(t *testing.T) {
	tab := &table.Table{
		ID: "capital", Hit: table.Map,
		Inputs:  []table.Column{{Name: "country", Values: []string{"fr", "it"}}},
		Outputs: []table.Column{{Name: "city", Values: []string{"paris", "rome"}}},
		Rows: []table.Row{
			{ID: "c1", When: map[string][]string{"country": {"fr"}}, Then: map[string]string{"city": "paris"}},
			{ID: "c2", When: map[string][]string{"country": {"fr", "it"}}, Then: map[string]string{"city": "rome"}},
		},
	}
	if a := compile(t, tab).Audit(); !slices.Equal(a.Double, []string{"c2"}) || a.Sound() {
		t.Errorf("got double %v, sound %v; want c2 to share a key with c1", a.Double, a.Sound())
	}
}

// Every mistake is reported, with row and field, and all of them at once.
func TestProblems(t *testing.T) {
	tab := umbrella()
	tab.Hit = "any"
	tab.Inputs[1].Values = []string{"calm", "storm", "calm"}
	tab.Rows[0].ID = ""
	tab.Rows[1].When = map[string][]string{"sky": {"gray"}, "moon": {"full"}, "wind": {}}
	tab.Rows[2] = table.Row{ID: "u3", Then: map[string]string{"tako": "coat"}}
	tab.Rows = append(tab.Rows, table.Row{ID: "u3", Then: map[string]string{"take": "boots"}})
	var got []string
	for _, p := range tab.Problems() {
		got = append(got, p.Row+" "+p.Field+": "+p.Found)
	}
	want := []string{
		` hit: "any"`,
		` inputs.wind: "calm" twice`,
		`#1 id: nothing`,
		`u2 when.moon: unknown column "moon"`,
		`u2 when.sky: "gray"`,
		`u2 when.wind: no value`,
		`u3 then.tako: unknown column "tako"`,
		`u3 then.take: nothing`,
		`u3 id: the id a second time`,
		`u3 then.take: "boots"`,
	}
	if !slices.Equal(got, want) {
		t.Errorf("got problems\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
	if c, problems := tab.Compile(); c != nil || len(problems) != len(want) {
		t.Errorf("compiled %v with %d problems, want nil and %d", c, len(problems), len(want))
	}
}

func TestProblemsOfAnEmptyTable(t *testing.T) {
	got := len(new(table.Table).Problems())
	if want := 4; got != want { // id, hit, inputs, rows
		t.Errorf("got %d problems, want %d", got, want)
	}
}

func TestTooManyCells(t *testing.T) {
	values := make([]string, 200)
	for i := range values {
		values[i] = fmt.Sprint(i)
	}
	tab := umbrella()
	for i := range 4 {
		tab.Inputs = append(tab.Inputs, table.Column{Name: fmt.Sprint("wide", i), Values: values})
	}
	problems := tab.Problems()
	if len(problems) != 1 || problems[0].Field != "inputs" {
		t.Errorf("got %v, want one problem about the size of the space", problems)
	}
}

// naive answers a table by reading its rows from the top.
func naive(tab *table.Table, values map[string]string) []string {
	var ids []string
	for _, r := range tab.Rows {
		ok := true
		for name, allowed := range r.When {
			ok = ok && slices.Contains(allowed, values[name])
		}
		if ok {
			ids = append(ids, r.ID)
		}
	}
	return ids
}

// randomTable draws a table, with more rows than fit into one word at times.
func randomTable(t *rapid.T) *table.Table {
	tab := &table.Table{ID: "random", Hit: table.First, Outputs: []table.Column{{Name: "out", Values: []string{"x", "y"}}}}
	for i := range rapid.IntRange(1, 4).Draw(t, "inputs") {
		col := table.Column{Name: fmt.Sprint("in", i)}
		for v := range rapid.IntRange(1, 5).Draw(t, "values") {
			col.Values = append(col.Values, fmt.Sprint("v", v))
		}
		tab.Inputs = append(tab.Inputs, col)
	}
	for r := range rapid.IntRange(1, 90).Draw(t, "rows") {
		row := table.Row{ID: fmt.Sprint("r", r), When: map[string][]string{}, Then: map[string]string{"out": rapid.SampledFrom([]string{"x", "y"}).Draw(t, "then")}}
		for _, col := range tab.Inputs {
			if n := rapid.IntRange(0, len(col.Values)).Draw(t, "width"); n > 0 {
				row.When[col.Name] = rapid.Permutation(col.Values).Draw(t, "when")[:n]
			}
		}
		tab.Rows = append(tab.Rows, row)
	}
	return tab
}

// The compiled table says in every cell what reading from the top says, and
// the audit agrees with counting.
func TestCompiledIsTheTable(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		tab := randomTable(t)
		c, problems := tab.Compile()
		if len(problems) > 0 {
			t.Fatalf("problems %v, want none", problems)
		}
		gaps, overlap, first := 0, 0, map[string]bool{}
		eachCell(tab.Inputs, nil, func(in []uint8, values map[string]string) {
			want := naive(tab, values)
			var got []string
			c.Matches(in, func(r int) { got = append(got, tab.Rows[r].ID) })
			if !slices.Equal(got, want) {
				t.Fatalf("%v: got rows %v, want %v", values, got, want)
			}
			row := c.Row(in)
			switch {
			case len(want) == 0 && row != table.None, len(want) > 0 && (row == table.None || tab.Rows[row].ID != want[0]):
				t.Fatalf("%v: got row %d, want %v", values, row, want)
			case len(want) == 0:
				gaps++
			default:
				first[want[0]] = true
			}
			if len(want) > 1 {
				overlap++
			}
		})
		a := c.Audit()
		if a.Uncovered != gaps || a.Overlap != overlap || len(a.Shadowed) != len(tab.Rows)-len(first) {
			t.Fatalf("audit %+v, want %d gaps, %d overlaps, %d rows that are first somewhere", a, gaps, overlap, len(first))
		}
	})
}

// eachCell lists the cells of a space with their values by name.
func eachCell(columns []table.Column, in []uint8, f func([]uint8, map[string]string)) {
	if len(in) < len(columns) {
		for v := range columns[len(in)].Values {
			eachCell(columns, append(slices.Clone(in), uint8(v)), f)
		}
		return
	}
	values := map[string]string{}
	for i, v := range in {
		values[columns[i].Name] = columns[i].Values[v]
	}
	f(in, values)
}

func TestOverlapping(t *testing.T) {
	tab := umbrella()
	dry := &table.Row{ID: "dry", When: map[string][]string{"sky": {"clear"}}}
	for _, tt := range []struct {
		a, b *table.Row
		want bool
	}{
		{tab.Row("u1"), tab.Row("u2"), true},
		{tab.Row("u2"), dry, false},
		{tab.Row("u3"), dry, true},
	} {
		if got := tab.Overlapping(tt.a, tt.b); got != tt.want {
			t.Errorf("rows %s and %s: got overlapping %v, want %v", tt.a.ID, tt.b.ID, got, tt.want)
		}
	}
}

func BenchmarkRow(b *testing.B) {
	c := compile(b, umbrella())
	in := []uint8{1, 0}
	for b.Loop() {
		c.Row(in)
	}
}
