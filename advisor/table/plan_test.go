package table_test

import (
	"slices"
	"strings"
	"testing"

	"gpuadvisor/advisor/table"
)

// walkPlan decides what to wear: two answers, a derived one, two tables.
func walkPlan() *table.Plan {
	p := new(table.Plan)
	p.Answer(table.Column{Name: "clouds", Values: []string{"none", "some", "many"}})
	p.Answer(table.Column{Name: "wind", Values: []string{"calm", "storm"}})
	p.Derive(table.Column{Name: "sky", Values: []string{"clear", "grey", "rain"}}, func(in []string) string {
		return map[string]string{"none": "clear", "some": "grey", "many": "rain"}[in[0]]
	}, "clouds")
	p.Table(umbrella())
	p.Table(&table.Table{
		ID: "shoes", Hit: table.Map,
		Inputs:  []table.Column{{Name: "take", Values: []string{"nothing", "umbrella", "coat"}}},
		Outputs: []table.Column{{Name: "shoes", Values: []string{"sandals", "boots"}}},
		Rows: []table.Row{
			{ID: "s1", When: map[string][]string{"take": {"nothing"}}, Then: map[string]string{"shoes": "sandals"}},
			{ID: "s2", When: map[string][]string{"take": {"umbrella", "coat"}}, Then: map[string]string{"shoes": "boots"}},
		},
	})
	return p
}

func sound(t testing.TB, p *table.Plan) {
	t.Helper()
	if problems := p.Problems(); len(problems) > 0 {
		t.Fatalf("plan has problems %v, want none", problems)
	}
}

func TestRun(t *testing.T) {
	p := walkPlan()
	sound(t, p)
	var s table.State
	p.Set(&s, p.Var("clouds"), "many")
	p.Set(&s, p.Var("wind"), "storm")
	if gap := p.Run(&s); gap != -1 {
		t.Fatalf("got a gap at step %d, want none", gap)
	}
	if got := p.Value(&s, p.Var("shoes")); got != "boots" {
		t.Errorf("got shoes %s, want boots", got)
	}
	var fired []string
	p.Fired(&s, func(tab *table.Table, r *table.Row) { fired = append(fired, tab.ID+"."+r.ID) })
	if want := []string{"umbrella.u1", "shoes.s2"}; !slices.Equal(fired, want) {
		t.Errorf("got rows %v, want %v", fired, want)
	}
	if p.Set(&s, p.Var("wind"), "hurricane") {
		t.Error("set a value that the variable does not have")
	}
}

func TestWalkCountsEverything(t *testing.T) {
	p := walkPlan()
	p.Watch(&table.Table{ID: "never", Hit: table.Collect,
		Inputs: []table.Column{p.Column("wind"), p.Column("shoes")},
		Rows:   []table.Row{{ID: "n1", When: map[string][]string{"wind": {"storm"}, "shoes": {"sandals"}}}, {ID: "n2", When: map[string][]string{"shoes": {"sandals"}}}},
	})
	sound(t, p)
	r := p.Walk("take", "shoes")
	if r.Combinations != 6 || r.Uncovered != 0 || len(r.Dead) != 0 || r.Distinct != 3 || r.Hits != 1 {
		t.Errorf("got %+v, want 6 combinations, 3 outcomes, 1 match of the watched table", r)
	}
	for id, want := range map[string]int{"u1": 3, "u2": 2, "u3": 1, "s1": 1, "s2": 5, "n1": 0, "n2": 1} {
		if got, ok := r.Fired[id]; got != want || !ok {
			t.Errorf("row %s fired %d times (known: %v), want %d", id, got, ok, want)
		}
	}
	if got := r.Reached["umbrella"]; len(got) != 6 || slices.Contains(got, false) {
		t.Errorf("got reached cells %v, want all 6", got)
	}
}

// A constraint leaves combinations out; a row that only they would reach is
// dead, though nothing shadows it.
func TestWalkFindsDeadRows(t *testing.T) {
	p := new(table.Plan)
	p.Answer(table.Column{Name: "sky", Values: []string{"clear", "grey", "rain"}})
	p.Answer(table.Column{Name: "wind", Values: []string{"calm", "storm"}})
	p.Only(func(in []string) bool { return in[0] != "storm" }, "wind")
	p.Table(umbrella())
	sound(t, p)
	r := p.Walk()
	if r.Combinations != 3 || !slices.Equal(r.Dead, []string{"u1"}) {
		t.Errorf("got %d combinations, dead %v; want 3 and u1", r.Combinations, r.Dead)
	}
}

func TestWalkFindsGaps(t *testing.T) {
	tab := umbrella()
	tab.Rows = tab.Rows[:2]
	p := new(table.Plan)
	p.Answer(tab.Inputs[0])
	p.Answer(tab.Inputs[1])
	p.Table(tab)
	sound(t, p)
	r := p.Walk()
	if r.Uncovered != 1 || r.Combinations != 6 || !slices.Equal(r.Examples, []string{"umbrella: sky=clear wind=calm"}) {
		t.Errorf("got %d of %d uncovered, %v; want the one cell of a calm clear day", r.Uncovered, r.Combinations, r.Examples)
	}
}

func TestPlanProblems(t *testing.T) {
	p := new(table.Plan)
	p.Answer(table.Column{Name: "sky", Values: []string{"clear", "grey"}}) // umbrella knows rain
	p.Answer(table.Column{Name: "sky", Values: []string{"clear"}})
	p.Derive(table.Column{Name: "mood", Values: []string{"good"}}, func([]string) string { return "bad" }, "sky")
	p.Derive(table.Column{Name: "tide", Values: []string{"low"}}, func([]string) string { return "low" }, "moon")
	p.Table(umbrella())
	var got []string
	for _, problem := range p.Problems() {
		got = append(got, problem.Table+" "+problem.Field)
	}
	want := []string{"answer sky", "mood [clear]", "mood [grey]", "tide moon", "umbrella inputs.sky", "umbrella inputs"}
	if !slices.Equal(got, want) {
		t.Errorf("got problems\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

func TestRunDoesNotAllocate(t *testing.T) {
	p := walkPlan()
	sound(t, p)
	var s table.State
	if n := testing.AllocsPerRun(100, func() { p.Run(&s) }); n != 0 {
		t.Errorf("got %v allocations, want 0", n)
	}
}

func BenchmarkRun(b *testing.B) {
	p := walkPlan()
	sound(b, p)
	var s table.State
	for b.Loop() {
		p.Run(&s)
	}
}
