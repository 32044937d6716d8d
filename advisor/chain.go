package advisor

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"gpuadvisor/advisor/table"
)

// chain.go strings the decision tables together: answers → count → link → form
// → platform → billing → storage. The same plan answers one question
// ([Rulebook.Chain]) and is enumerated over all of them ([Rulebook.Certify]),
// so what is certified is what runs.
//
// No rule is written here. Go only says what follows from what, and computes
// the inputs between two tables (derive.go).

// The tables of the chain, in its order, and the others that we need.
var chainTables = []string{"count", "link", "form", "platform", "alternative", "bill", "store"}

const (
	taskTable      = "task"      // coarse task and hints → fine task
	forbiddenTable = "forbidden" // what must never come out
)

// ChainIn are the closed answers that the tables work on. An empty or unknown
// value counts as "dk"; a nil Task as the task "other".
type ChainIn struct {
	Task        *Task
	Duration    string // h2 hours days weeks months always dk
	GPUs        string // asked for: one few eight nodes dk
	Data        string // s m l xl xxl dk
	Compliance  string // none regulated xinchuang secret dk
	Integration string // yes no dk
	Resume      string // yes no dk
	NeedCount   string // the memory estimate's count, one few eight nodes; "" without an estimate: then the task's own count and comm stand
	Monthly     string // pays never unknown; "" is unknown
}

// ChainOut is what the tables say. After a stop (platform "none") form, bill
// and store are "none" too, and Because holds the one rule that stopped.
type ChainOut struct {
	Count       string // one few eight nodes
	Link        string
	Form        string // delivery form
	Platform    string
	Alternative string // second choice; "none" when there is none
	Bill        string
	Store       string
	Raised      bool // the count that was asked for cannot hold the job

	Needed string // count that one job takes
	Comm   string // how much the cards talk: none low high
	Scale  string // size of one job: one for a farm of independent jobs

	Because []string // ids of the rows that fired, in the order of the chain
}

// chain is the compiled form of the tables: made by LinkTables, never changed.
type chain struct {
	plan  *table.Plan
	at    struct{ task, duration, gpus, data, compliance, integration, resume, needCount, monthly, count, raised, link, delivery, platform, alternative, billing, storage, needed, comm, scale int }
	fine  *table.Plan    // of the table of fine tasks
	tasks map[string]int // place of each task in Rulebook.Tasks
	book  []Task         // Rulebook.Tasks
	other uint8          // the task that stands in for an unknown one
	rows  map[string]*table.Row
}

// LinkTables compiles the tables of the book into its chain. It returns every
// problem; with any, the book is not fit for use.
func (b *Rulebook) LinkTables() []table.Problem {
	c, problems := b.compile()
	if len(problems) == 0 {
		b.chain = c
	}
	return problems
}

// compile makes the chain out of the tables as they are now.
func (b *Rulebook) compile() (*chain, []table.Problem) {
	if problems := b.tableProblems(); len(problems) > 0 {
		return nil, problems
	}
	c := &chain{plan: b.plan(), fine: b.finePlan(), rows: map[string]*table.Row{}, tasks: map[string]int{}, book: b.Tasks}
	watching := *c.plan // the advice itself does not pay for the watch
	watching.Watch(b.Tables[forbiddenTable])
	problems := slices.Concat(watching.Problems(), c.fine.Problems(), c.locate(), b.indexRows(c.rows))
	if len(problems) > 0 {
		return nil, problems
	}
	for i := range b.Tasks {
		c.tasks[b.Tasks[i].ID] = i
	}
	c.other = uint8(c.tasks["other"])
	return c, nil
}

// tableProblems checks each table by itself and against the rest of the book.
func (b *Rulebook) tableProblems() []table.Problem {
	var problems []table.Problem
	for _, id := range append(slices.Clone(chainTables), taskTable, forbiddenTable) {
		t := b.Tables[id]
		if t == nil {
			problems = append(problems, table.Problem{Table: id, Field: "id", Found: "no such table", Want: "it in tables/" + id + ".yaml"})
			continue
		}
		problems = append(problems, t.Problems()...)
		problems = append(problems, b.wordProblems(t)...)
	}
	if len(b.Tasks) == 0 {
		problems = append(problems, table.Problem{Table: taskTable, Field: "tasks", Found: "no tasks", Want: "them in tasks/"})
	} else if fine := b.Tables[taskTable]; fine != nil {
		problems = append(problems, b.fineProblems(fine)...)
	}
	return problems
}

// wordProblems finds texts that lack a language of the house.
func (b *Rulebook) wordProblems(t *table.Table) []table.Problem {
	var problems []table.Problem
	check := func(row, field string, text map[string]string) {
		for _, lang := range b.Langs {
			if len(text) > 0 && text[lang] == "" {
				problems = append(problems, table.Problem{Table: t.ID, Row: row, Field: field + "." + lang, Found: "nothing", Want: "this text in " + lang + " as well"})
			}
		}
	}
	check("", "title", t.Title)
	for _, r := range t.Rows {
		check(r.ID, "because", r.Because)
		check(r.ID, "support", r.Support)
	}
	return problems
}

// fineProblems compares the fine tasks that the table names with those that
// there are.
func (b *Rulebook) fineProblems(fine *table.Table) []table.Problem {
	var problems []table.Problem
	for _, out := range fine.Outputs {
		for _, id := range out.Values {
			if !slices.ContainsFunc(b.Tasks, func(t Task) bool { return t.ID == id }) {
				problems = append(problems, table.Problem{Table: fine.ID, Field: "outputs." + out.Name, Found: fmt.Sprintf("unknown task %q", id), Want: "a file of that name in tasks/"})
			}
		}
		for _, t := range b.Tasks {
			if out.Index(t.ID) < 0 {
				problems = append(problems, table.Problem{Table: fine.ID, Field: "outputs." + out.Name, Found: "nothing for task " + t.ID, Want: "every task of tasks/"})
			}
		}
	}
	return problems
}

// plan is the chain over all variables. Answers come first: they are crossed.
func (b *Rulebook) plan() *table.Plan {
	p := new(table.Plan)
	b.answers(p)
	p.Table(b.taskMap())
	p.Derive(column("comm", "none", "low", "high"), func(in []string) string { return commOf(in[0], in[1]) }, "own_comm", "need_count")
	p.Derive(table.Column{Name: "needed", Values: countOrder}, func(in []string) string { return neededOf(in[0], in[1]) }, "need_count", "own_count")
	p.Derive(column("cmp", "lt", "eq", "gt", dontKnow), func(in []string) string { return cmpOf(in[0], in[1]) }, "gpus", "needed")
	p.Table(b.Tables["count"])
	p.Derive(table.Column{Name: "count", Values: countOrder}, func(in []string) string { return countOf(in[0], in[1], in[2]) }, "take", "gpus", "needed")
	p.Table(b.Tables["link"])
	p.Derive(table.Column{Name: "scale", Values: countOrder}, func(in []string) string { return scaleOf(in[0], in[1], in[2]) }, "comm", "family", "count")
	p.Table(b.Tables["form"])
	p.Table(b.Tables["platform"])
	p.Table(b.Tables["alternative"])
	p.Table(b.Tables["bill"])
	p.Table(b.Tables["store"])
	suppress(p, "delivery", "form")
	suppress(p, "billing", "bill")
	suppress(p, "storage", "store")
	return p
}

// answers are the variables that people (or the estimates) set: their product
// is the space of the certificate.
func (b *Rulebook) answers(p *table.Plan) {
	ids := make([]string, len(b.Tasks))
	for i, t := range b.Tasks {
		ids[i] = t.ID
	}
	p.Answer(table.Column{Name: "task", Values: ids})
	p.Answer(table.Column{Name: "duration", Values: known(durationOrder)})
	p.Answer(table.Column{Name: "gpus", Values: known(countOrder)})
	p.Answer(table.Column{Name: "data", Values: known(dataOrder)})
	p.Answer(column("compliance", "none", "regulated", "xinchuang", "secret", dontKnow))
	p.Answer(column("integration", "yes", "no", dontKnow))
	p.Answer(column("resume", "yes", "no", dontKnow))
	p.Answer(table.Column{Name: "need_count", Values: append(slices.Clone(countOrder), fromTask)})
	p.Answer(column("monthly", "pays", "never", "unknown"))
	own := map[string]Task{}
	for _, t := range b.Tasks {
		own[t.ID] = t
	}
	// Without an estimate the task's count stands. That is a case of its own
	// only where the task's several cards do not talk as a split copy does.
	p.Only(func(in []string) bool {
		t := own[in[0]]
		return in[1] != fromTask || t.GPUs != "one" && t.Comm != "high"
	}, "task", "need_count")
}

// taskMap is the part of the tasks that the chain needs, as a table.
func (b *Rulebook) taskMap() *table.Table {
	t := &table.Table{ID: "tasks", Hit: table.Map, Outputs: []table.Column{
		{Name: "family", Values: families(b.Tables["form"])}, {Name: "own_count", Values: countOrder}, column("own_comm", "none", "low", "high"),
	}}
	in := table.Column{Name: "task"}
	for _, task := range b.Tasks {
		in.Values = append(in.Values, task.ID)
		t.Rows = append(t.Rows, table.Row{
			ID: "task." + task.ID, When: map[string][]string{"task": {task.ID}},
			Then: map[string]string{"family": task.Family, "own_count": task.GPUs, "own_comm": task.Comm},
		})
	}
	t.Inputs = []table.Column{in}
	return t
}

// families are the values of the column family: the tables close that set.
func families(t *table.Table) []string {
	i := slices.IndexFunc(t.Inputs, func(c table.Column) bool { return c.Name == "family" })
	if i < 0 {
		return nil
	}
	return t.Inputs[i].Values
}

// suppress adds a variable that is another one, or none after a stop.
func suppress(p *table.Plan, name, of string) {
	values := append(slices.Clone(p.Column(of).Values), "none")
	p.Derive(table.Column{Name: name, Values: values}, func(in []string) string { return unlessStopped(in[0], in[1]) }, "platform", of)
}

func column(name string, values ...string) table.Column {
	return table.Column{Name: name, Values: values}
}

// known is an ordered input with "don't know" behind it.
func known(order []string) []string { return append(slices.Clone(order), dontKnow) }

// locate looks up the places of the variables once, and reports those that no
// table writes.
func (c *chain) locate() []table.Problem {
	var problems []table.Problem
	for name, at := range map[string]*int{
		"task": &c.at.task, "duration": &c.at.duration, "gpus": &c.at.gpus, "data": &c.at.data, "compliance": &c.at.compliance,
		"integration": &c.at.integration, "resume": &c.at.resume, "need_count": &c.at.needCount, "monthly": &c.at.monthly,
		"count": &c.at.count, "raised": &c.at.raised, "link": &c.at.link, "delivery": &c.at.delivery, "platform": &c.at.platform,
		"alternative": &c.at.alternative, "billing": &c.at.billing, "storage": &c.at.storage,
		"needed": &c.at.needed, "comm": &c.at.comm, "scale": &c.at.scale,
	} {
		if *at = c.plan.Var(name); *at < 0 {
			problems = append(problems, table.Problem{Table: "chain", Field: name, Found: "no table that decides it", Want: "an output of that name"})
		}
	}
	for i, name := range append(slices.Clone(fineInputs), "fine") {
		if c.fine.Var(name) != i {
			problems = append(problems, table.Problem{Table: taskTable, Field: name, Found: "no such column", Want: "the inputs " + strings.Join(fineInputs, ", ") + " and the output fine"})
		}
	}
	slices.SortFunc(problems, func(x, y table.Problem) int { return strings.Compare(x.Error(), y.Error()) })
	return problems
}

// indexRows finds rows by id; two rows of one id are a problem, in whatever
// tables they are.
func (b *Rulebook) indexRows(rows map[string]*table.Row) []table.Problem {
	var problems []table.Problem
	for _, id := range slices.Sorted(maps.Keys(b.Tables)) {
		t := b.Tables[id]
		for i := range t.Rows {
			r := &t.Rows[i]
			if rows[r.ID] != nil {
				problems = append(problems, table.Problem{Table: id, Row: r.ID, Field: "id", Found: "the id a second time", Want: "an id that no other table uses"})
			}
			rows[r.ID] = r
		}
	}
	return problems
}

// Chain runs the tables on one set of answers. It is total: without linked
// tables the zero ChainOut comes back. It allocates only Because.
func (b *Rulebook) Chain(in ChainIn) ChainOut {
	c := b.chain
	if c == nil {
		return ChainOut{}
	}
	var s table.State
	c.answer(&s, in)
	if c.plan.Run(&s) >= 0 {
		return ChainOut{}
	}
	out := c.read(&s)
	out.Because = c.because(&s, out.Platform == "none")
	return out
}

// answer puts the answers into a state.
func (c *chain) answer(s *table.State, in ChainIn) {
	s[c.at.task] = c.other
	if in.Task != nil {
		if i, ok := c.tasks[in.Task.ID]; ok {
			s[c.at.task] = uint8(i)
		}
	}
	c.set(s, c.at.duration, in.Duration, dontKnow)
	c.set(s, c.at.gpus, in.GPUs, dontKnow)
	c.set(s, c.at.data, in.Data, dontKnow)
	c.set(s, c.at.compliance, in.Compliance, dontKnow)
	c.set(s, c.at.integration, in.Integration, dontKnow)
	c.set(s, c.at.resume, in.Resume, dontKnow)
	c.set(s, c.at.monthly, in.Monthly, "unknown")
	if in.NeedCount == fromTask || !c.plan.Set(s, c.at.needCount, in.NeedCount) {
		c.fromTask(s)
	}
}

// fromTask sets need_count without an estimate: to the task's own count where
// that is the same thing, see answers.
func (c *chain) fromTask(s *table.State) {
	t := &c.book[s[c.at.task]]
	if t.GPUs == "one" || t.Comm == "high" {
		c.set(s, c.at.needCount, t.GPUs, "one")
		return
	}
	c.plan.Set(s, c.at.needCount, fromTask)
}

func (c *chain) set(s *table.State, v int, value, otherwise string) {
	if !c.plan.Set(s, v, value) {
		c.plan.Set(s, v, otherwise)
	}
}

func (c *chain) read(s *table.State) ChainOut {
	v := func(at int) string { return c.plan.Value(s, at) }
	return ChainOut{
		Count: v(c.at.count), Link: v(c.at.link), Form: v(c.at.delivery), Platform: v(c.at.platform), Alternative: v(c.at.alternative),
		Bill: v(c.at.billing), Store: v(c.at.storage), Raised: v(c.at.raised) == "yes",
		Needed: v(c.at.needed), Comm: v(c.at.comm), Scale: v(c.at.scale),
	}
}

// because lists the rows that fired. Rows without a because only pass values
// on and are left out; after a stop only the row that stopped has a say.
func (c *chain) because(s *table.State, stopped bool) []string {
	ids := make([]string, 0, len(chainTables))
	c.plan.Fired(s, func(t *table.Table, r *table.Row) {
		if len(r.Because) > 0 && (!stopped || t.ID == "platform") {
			ids = append(ids, r.ID)
		}
	})
	return ids
}

// fineInputs are what picks a fine task, in the order of fineTask's arguments.
var fineInputs = []string{"task", "variant", "method", "size", "serving"}

// finePlan is the table of fine tasks over its own columns.
func (b *Rulebook) finePlan() *table.Plan {
	p, t := new(table.Plan), b.Tables[taskTable]
	for _, name := range fineInputs {
		for _, col := range t.Inputs {
			if col.Name == name {
				p.Answer(col)
			}
		}
	}
	p.Table(t)
	return p
}

// fineTask asks the table of fine tasks. What the table does not list counts as
// the first value of its column.
func (c *chain) fineTask(values ...string) *Task {
	var s table.State
	for i, value := range values {
		c.fine.Set(&s, i, value)
	}
	if c.fine.Run(&s) >= 0 {
		return nil
	}
	i, ok := c.tasks[c.fine.Value(&s, len(fineInputs))]
	if !ok {
		return nil
	}
	return &c.book[i]
}

// Rule finds a row of any table by its id, for /why; nil when there is none.
func (b *Rulebook) Rule(id string) *table.Row {
	if b.chain == nil {
		return nil
	}
	return b.chain.rows[id]
}
