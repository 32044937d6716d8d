package rules

import (
	"fmt"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"

	"gopkg.in/yaml.v3"
	"pgregory.net/rapid"

	"gpuadvisor/advisor"
	"gpuadvisor/advisor/table"
)

// chainTables are the tables in the order in which the advice runs through
// them; the other two stand at its beginning and beside it.
var chainTables = []string{"count", "link", "form", "platform", "alternative", "bill", "store"}

// taskMap is what the tables know of the tasks: family, count, comm.
const taskMap = `
learn_cnn     learn  one   none
cv_classify   vision one   low
cv_detect     vision one   low
nlp_small     vision one   low
repro_paper   learn  one   none
img_sd15      image  one   none
img_sdxl      image  one   none
img_flux      image  one   none
img_lora      image  one   none
vid_gen       video  one   none
drama_flow    video  one   none
asr_tts       vision one   none
embed_rag     vision one   none
llm_infer_s   llm    one   none
llm_infer_m   llm    one   none
llm_infer_l   llm    few   high
llm_infer_xl  llm    eight high
llm_serve     serve  few   none
ft_lora_s     train  one   low
ft_lora_m     train  one   low
ft_lora_l     train  one   high
ft_full_s     train  few   high
ft_full_l     train  eight high
pretrain      train  nodes high
rlhf          train  eight high
autodrive     train  few   low
render_3d     render one   none
sim_cfd       sim    one   high
other         learn  one   low`

func readTable(t testing.TB, id string) *table.Table {
	t.Helper()
	data, err := os.ReadFile("tables/" + id + ".yaml")
	if err != nil {
		t.Fatal(err)
	}
	tab := new(table.Table)
	if err := yaml.Unmarshal(data, tab); err != nil {
		t.Fatal(err)
	}
	return tab
}

// tablesBook is a rulebook of the tables alone, so that a mistake elsewhere in
// the rules does not hide one here.
func tablesBook(t testing.TB) *advisor.Rulebook {
	t.Helper()
	b := &advisor.Rulebook{Tables: map[string]*table.Table{}, Langs: []string{"zh", "en"}, Hash: "tables"}
	for _, id := range append(slices.Clone(chainTables), "task", "forbidden") {
		b.Tables[id] = readTable(t, id)
	}
	for line := range strings.Lines(strings.TrimSpace(taskMap)) {
		f := strings.Fields(line)
		b.Tasks = append(b.Tasks, advisor.Task{ID: f[0], Family: f[1], GPUs: f[2], Comm: f[3]})
	}
	link(t, b)
	return b
}

func link(t testing.TB, b *advisor.Rulebook) {
	t.Helper()
	for _, p := range b.LinkTables() {
		t.Error(p)
	}
	if t.Failed() {
		t.FailNow()
	}
}

func taskOf(t testing.TB, b *advisor.Rulebook, id string) *advisor.Task {
	t.Helper()
	for i := range b.Tasks {
		if b.Tasks[i].ID == id {
			return &b.Tasks[i]
		}
	}
	t.Fatalf("no task %s", id)
	return nil
}

// The rows of every table, in their order. Changing a rule means changing this
// file as well, in the open; testdata/tables.txt says what each column is.
func TestRowsAndTheirOrder(t *testing.T) {
	var got strings.Builder
	for _, id := range append([]string{"task"}, append(slices.Clone(chainTables), "forbidden")...) {
		got.WriteString(printTable(readTable(t, id)))
	}
	want, err := os.ReadFile("testdata/tables.txt")
	if err != nil {
		t.Fatal(err)
	}
	if got.String() != string(want) {
		t.Errorf("testdata/tables.txt differs from tables/*.yaml: %s", firstLine(got.String(), string(want)))
	}
}

// printTable writes a table as decision tables are drawn: - is any value, {a,b}
// one of several.
func printTable(t *table.Table) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s %s:", t.ID, t.Hit)
	for _, c := range t.Inputs {
		b.WriteString(" " + c.Name)
	}
	b.WriteString(" ->")
	for _, c := range t.Outputs {
		b.WriteString(" " + c.Name)
	}
	for _, r := range t.Rows {
		b.WriteString("\n" + r.ID)
		for _, c := range t.Inputs {
			b.WriteString(" | " + cell(r.When[c.Name]))
		}
		b.WriteString(" ->")
		for _, c := range t.Outputs {
			b.WriteString(" " + r.Then[c.Name])
		}
	}
	return b.String() + "\n\n"
}

func cell(values []string) string {
	switch len(values) {
	case 0:
		return "-"
	case 1:
		return values[0]
	}
	return "{" + strings.Join(values, ",") + "}"
}

func firstLine(got, want string) string {
	g, w := strings.Split(got, "\n"), strings.Split(want, "\n")
	for i := range min(len(g), len(w)) {
		if g[i] != w[i] {
			return fmt.Sprintf("line %d: got %q, want %q", i+1, g[i], w[i])
		}
	}
	return fmt.Sprintf("got %d lines, want %d", len(g), len(w))
}

var certificate struct {
	once sync.Once
	advisor.Certificate
}

// certified is the certificate of the tables, worked out once.
func certified(t *testing.T) advisor.Certificate {
	certificate.once.Do(func() { certificate.Certificate = tablesBook(t).Certify() })
	return certificate.Certificate
}

// The certificate over the whole chain: 29 tasks × 7 durations × 5 answers on
// cards × 6 data sizes × 5 compliance × 3 integration × 3 resume = 274,050
// answers, × 4 counts that the memory estimate may need × 3 monthly =
// 3,288,600. The two tasks whose own several cards do not hold one split copy
// (llm_serve, autodrive) are checked without an estimate as well: 56,700 more.
func TestCertificate(t *testing.T) {
	c := certified(t)
	if !c.Sound() {
		t.Errorf("not sound: %s", strings.Join(c.Details, "\n"))
	}
	if got, want := [2]int{c.Combinations, c.NoEstimate}, [2]int{3288600, 56700}; got != want {
		t.Errorf("got %d combinations, want %d", got, want)
	}
	cells := map[string]int{"count": 12, "link": 12, "form": 252, "platform": 68040, "alternative": 360, "bill": 2268, "store": 6, "task": 5600}
	for _, tc := range c.Cells {
		if tc.Cells != cells[tc.Table] {
			t.Errorf("table %s: got %d cells, want %d", tc.Table, tc.Cells, cells[tc.Table])
		}
	}
	if len(c.Cells) != len(cells) {
		t.Errorf("got %d tables, want %d", len(c.Cells), len(cells))
	}
}

// commuting are the neighbours that have cases in common, but none that anybody
// could see: another row takes them all, or nobody gets into them. The order of
// all others is part of the rules.
var commuting = map[string]string{
	"platform.p4 platform.p5": "regulated data on several machines is p3's",
	"platform.p6 platform.p7": "an integrated service on several machines is p5's",
	"platform.p8 platform.p9": "a service on several machines is p7's",
	"bill.b0 bill.b1":         "bare metal is never advised for two hours",
}

// Wherever two neighbours have a case in common, swapping them gives another
// row in some case that people can get into.
func TestSwappedRowsAreNoticed(t *testing.T) {
	reached := certified(t).Reached
	pairs := 0
	for _, id := range append(slices.Clone(chainTables), "task") {
		tab := readTable(t, id)
		for i := 1; i < len(tab.Rows); i++ {
			if !tab.Overlapping(&tab.Rows[i-1], &tab.Rows[i]) {
				continue
			}
			pairs++
			pair := tab.Rows[i-1].ID + " " + tab.Rows[i].ID
			if noticed, why := changed(t, tab, swapped(tab, i), reached[id]), commuting[pair]; noticed != (why == "") {
				t.Errorf("swapping %s: got noticed %v, want %v %s", pair, noticed, why == "", why)
			}
		}
	}
	if want := 34; pairs != want {
		t.Errorf("got %d overlapping neighbours, want %d", pairs, want)
	}
}

// swapped is the table with row i and the one above it the other way round.
func swapped(tab *table.Table, i int) *table.Table {
	other := *tab
	other.Rows = slices.Clone(tab.Rows)
	other.Rows[i-1], other.Rows[i] = other.Rows[i], other.Rows[i-1]
	return &other
}

// changed reports whether some cell that is reached is answered by another row.
// The table of fine tasks is reached everywhere.
func changed(t testing.TB, a, b *table.Table, reached []bool) bool {
	t.Helper()
	ca, pa := a.Compile()
	cb, pb := b.Compile()
	if len(pa)+len(pb) > 0 {
		t.Fatalf("problems %v %v, want none", pa, pb)
	}
	for cell := range ca.Audit().Cells {
		if (reached == nil || reached[cell]) && a.Rows[ca.Cell(cell)].ID != b.Rows[cb.Cell(cell)].ID {
			return true
		}
	}
	return false
}

// A broken rule must show in the certificate: the list of forbidden
// combinations is no decoration. One task is enough to break a rule with.
func TestCertificateNotices(t *testing.T) {
	row := func(b *advisor.Rulebook, id string) *table.Row {
		tab, _, _ := strings.Cut(id, ".")
		return b.Tables[tab].Row(id)
	}
	without := func(id, input string) func(*advisor.Rulebook) {
		return func(b *advisor.Rulebook) { delete(row(b, id).When, input) }
	}
	gone := func(id string) func(*advisor.Rulebook) {
		return func(b *advisor.Rulebook) {
			tab, _, _ := strings.Cut(id, ".")
			b.Tables[tab].Rows = slices.DeleteFunc(b.Tables[tab].Rows, func(r table.Row) bool { return r.ID == id })
		}
	}
	says := func(id, output, value string) func(*advisor.Rulebook) {
		return func(b *advisor.Rulebook) { row(b, id).Then[output] = value }
	}
	for _, tt := range []struct {
		name  string
		task  string
		spoil func(b *advisor.Rulebook)
		want  string // in the details
	}{
		{"a marketplace although compliance is open", "learn_cnn", without("platform.p15", "compliance"), "forbidden.marketplace-first"},
		{"a marketplace for work that cannot resume", "learn_cnn", without("platform.p15", "resume"), "forbidden.marketplace-uninterruptible"},
		{"a marketplace as second choice, whoever asks", "learn_cnn", without("alternative.a1", "compliance"), "forbidden.marketplace-second"},
		{"a marketplace as second choice for a fast link", "sim_cfd", without("alternative.a2", "comm"), "forbidden.marketplace-second-fast-link"},
		{"a marketplace for a service", "llm_serve", says("platform.p8", "platform", "community_marketplace"), "forbidden.marketplace-service"},
		{"spot for a service", "llm_serve", gone("bill.b2"), "forbidden.spot-service"},
		{"spot for work that cannot resume", "learn_cnn", without("bill.b5", "resume"), "forbidden.spot-uninterruptible"},
		{"bare metal by the hour", "sim_cfd", gone("bill.b0"), "forbidden.bare-metal-hourly"},
		{"a cluster that is not on a cluster", "sim_cfd", gone("platform.p9"), "forbidden.cluster-elsewhere"},
		{"several machines without a cluster", "sim_cfd", gone("platform.p3"), "forbidden.nodes-without-cluster"},
		{"a container on bare metal", "ft_full_s", gone("form.d6"), "forbidden.bare-metal-container"},
		{"a platform for state secrets", "learn_cnn", gone("platform.p1"), "forbidden.secret-platform"},
		{"a split copy without a link", "ft_full_s", says("link.l7", "link", "pcie_ok"), "forbidden.split-without-link"},
		{"domestic cards that nobody requires", "learn_cnn", without("platform.p2", "compliance"), "forbidden.domestic-unasked"},
		{"the first choice again", "img_sdxl", says("platform.p16", "platform", "public_cloud"), "forbidden.same-twice"},
		{"a second choice after a stop", "learn_cnn", says("platform.p1", "offered", "bare_metal"), "forbidden.stop-leaks"},
		{"a case without an answer", "learn_cnn", gone("form.d8"), "no row for form"},
		{"a row in the shadow of another", "learn_cnn", without("link.l2", "comm"), "shadowed row link.l3"},
		{"a row that no answer leads to", "llm_serve", func(b *advisor.Rulebook) {
			b.Tables["bill"].Rows = slices.Insert(b.Tables["bill"].Rows, 0, table.Row{ID: "bill.x", When: map[string][]string{"form": {"vm_multi"}, "duration": {"h2"}}, Then: map[string]string{"bill": "hourly"}})
		}, "dead row bill.x"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			b := oneTaskBook(t, tt.task)
			tt.spoil(b)
			c := b.Certify()
			if !strings.Contains(strings.Join(c.Details, "\n"), tt.want) || c.Sound() {
				t.Errorf("got details %q, want %q among them", c.Details, tt.want)
			}
		})
	}
}

// oneTaskBook has all tables but a single task, so that it is walked quickly.
func oneTaskBook(t testing.TB, task string) *advisor.Rulebook {
	t.Helper()
	b := tablesBook(t)
	b.Tasks = []advisor.Task{*taskOf(t, b, task)}
	fine := b.Tables["task"]
	fine.Outputs[0].Values = []string{task}
	for i := range fine.Rows {
		fine.Rows[i].Then = map[string]string{"fine": task}
	}
	link(t, b)
	return b
}

// Advices worked out by hand.
func TestChain(t *testing.T) {
	b := tablesBook(t)
	for _, tt := range []struct {
		name string
		task string
		in   advisor.ChainIn
		want string // count link form platform alternative bill store
		why  string
	}{
		{"a student's first network", "learn_cnn", advisor.ChainIn{Duration: "h2", GPUs: "one", Data: "s", NeedCount: "one"},
			"one not_needed container vertical_gpu_cloud public_cloud hourly data_disk", "count.n3 link.l1 form.d2 platform.p18 alternative.a3 bill.b1 store.t1"},
		{"the same, restartable and nothing sensitive", "learn_cnn", advisor.ChainIn{Duration: "h2", GPUs: "one", Data: "s", NeedCount: "one", Compliance: "none", Resume: "yes"},
			"one not_needed container community_marketplace vertical_gpu_cloud hourly data_disk", "count.n3 link.l1 form.d2 platform.p15 bill.b1 store.t1"},
		{"LoRA of 7B for days, no compliance need", "ft_lora_s", advisor.ChainIn{Duration: "days", Data: "m", NeedCount: "one", Compliance: "none", Resume: "yes"},
			"one not_needed container vertical_gpu_cloud community_marketplace spot_or_hourly data_disk_plus", "count.n1 link.l1 form.d8 platform.p18 alternative.a1 bill.b5 store.t2"},
		{"full fine-tune of 70B on one card", "ft_full_l", advisor.ChainIn{Duration: "weeks", GPUs: "one", Data: "l", NeedCount: "nodes"},
			"nodes nvlink_plus_rdma cluster dedicated_cluster public_cloud weekly_or_monthly data_disk_plus_object", "count.n2 link.l3 form.d1 platform.p9 bill.b8 store.t3"},
		{"eight independent render cards", "render_3d", advisor.ChainIn{Duration: "weeks", GPUs: "eight", Data: "l", NeedCount: "one"},
			"eight not_needed container vertical_gpu_cloud public_cloud weekly_or_monthly data_disk_plus_object", "count.n4 link.l4 form.d8 platform.p18 alternative.a3 bill.b8 store.t3"},
		{"eight cards that train for months", "ft_full_l", advisor.ChainIn{Duration: "months", GPUs: "eight", Data: "xl", NeedCount: "eight"},
			"eight nvlink_required_or_measure bare_metal bare_metal public_cloud monthly object_plus_parallel_fs", "count.n3 link.l7 form.d5 platform.p11 bill.b0 store.t4"},
		{"a service with a database", "llm_serve", advisor.ChainIn{Duration: "always", Data: "m", Integration: "yes", NeedCount: "one"},
			"one not_needed vm_multi public_cloud vertical_gpu_cloud monthly_plus_hourly data_disk_plus", "count.n1 link.l1 form.d3 platform.p6 bill.b10 store.t2"},
		{"a service of a model that nobody named: two instances, no fast link", "llm_serve", advisor.ChainIn{},
			"few not_needed container public_cloud vertical_gpu_cloud hourly data_disk_plus", "count.n1 link.l4 form.d4 platform.p8 bill.b11 store.t6"},
		{"a short drama", "drama_flow", advisor.ChainIn{Duration: "days", Data: "m", NeedCount: "one"},
			"one not_needed container vertical_gpu_cloud public_cloud hourly_or_daily data_disk_plus", "count.n1 link.l1 form.d8 platform.p16 bill.b6 store.t2"},
		{"125M pre-training on one card", "pretrain", advisor.ChainIn{Duration: "days", GPUs: "one", NeedCount: "one"},
			"one not_needed container vertical_gpu_cloud public_cloud hourly_or_daily data_disk_plus", "count.n3 link.l1 form.d8 platform.p18 alternative.a3 bill.b6 store.t6"},
		{"a simulation for weeks on four cards", "sim_cfd", advisor.ChainIn{Duration: "weeks", GPUs: "few", NeedCount: "one"},
			"few nvlink_required_or_measure bare_metal bare_metal vertical_gpu_cloud monthly data_disk_plus", "count.n6 link.l7 form.d7 platform.p12 bill.b0 store.t6"},
		{"a month that never pays", "embed_rag", advisor.ChainIn{Duration: "months", NeedCount: "one", Monthly: "never"},
			"one not_needed container vertical_gpu_cloud bare_metal hourly data_disk_plus", "count.n1 link.l1 form.d8 platform.p17 bill.b7 store.t6"},
		{"medical data", "cv_classify", advisor.ChainIn{Duration: "days", Compliance: "regulated", Resume: "yes", NeedCount: "one"},
			"one not_needed container public_cloud bare_metal spot_or_hourly data_disk_plus", "count.n1 link.l1 form.d8 platform.p4 bill.b5 store.t6"},
		{"domestic hardware", "ft_lora_s", advisor.ChainIn{Duration: "weeks", Compliance: "xinchuang", NeedCount: "one"},
			"one not_needed container domestic_pool public_cloud weekly_or_monthly data_disk_plus", "count.n1 link.l1 form.d8 platform.p2 bill.b8 store.t6"},
		{"state secrets", "ft_lora_s", advisor.ChainIn{Duration: "weeks", Compliance: "secret", Data: "m", NeedCount: "one"},
			"one not_needed none none none none none", "platform.p1"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			tt.in.Task = taskOf(t, b, tt.task)
			o := b.Chain(tt.in)
			if got := strings.Join([]string{o.Count, o.Link, o.Form, o.Platform, o.Alternative, o.Bill, o.Store}, " "); got != tt.want {
				t.Errorf("got  %s\nwant %s", got, tt.want)
			}
			if got := strings.Join(o.Because, " "); got != tt.why {
				t.Errorf("got because %s, want %s", got, tt.why)
			}
			if raised := slices.Contains(o.Because, "count.n2"); o.Raised != raised {
				t.Errorf("got raised %v, want %v", o.Raised, raised)
			}
		})
	}
}

// Tables that do not fit together are refused with a reason, never with a
// panic.
func TestTablesThatDoNotFit(t *testing.T) {
	for _, tt := range []struct {
		name  string
		spoil func(b *advisor.Rulebook)
		want  string
	}{
		{"a table is missing", func(b *advisor.Rulebook) { delete(b.Tables, "link") }, "link: id: found no such table"},
		{"another spelling of a value", func(b *advisor.Rulebook) { b.Tables["link"].Inputs[0].Values[3] = "cluster" }, `when.count: found "nodes"`},
		{"another order of values", func(b *advisor.Rulebook) { slices.Reverse(b.Tables["store"].Inputs[0].Values) }, "store: inputs.data: found [dk xxl xl l m s]"},
		{"an input that nothing computes", func(b *advisor.Rulebook) { b.Tables["store"].Inputs[0].Name = "weather" }, `unknown column "data"`},
		{"an output that nobody reads", func(b *advisor.Rulebook) { rename(b.Tables["count"], "raised", "lifted") }, "chain: raised: found no table that decides it"},
		{"a hint less for the kind of task", func(b *advisor.Rulebook) { b.Tables["task"].Inputs = b.Tables["task"].Inputs[:4] }, `unknown column "serving"`},
		{"another name for the kind of task", func(b *advisor.Rulebook) { rename(b.Tables["task"], "fine", "kind") }, "task: fine: found no such column"},
		{"a task that no table knows", func(b *advisor.Rulebook) {
			b.Tasks = append(b.Tasks, advisor.Task{ID: "mine_coins", Family: "learn", GPUs: "one", Comm: "none"})
		}, "nothing for task mine_coins"},
		{"a family that no table knows", func(b *advisor.Rulebook) { b.Tasks[0].Family = "mining" }, `then.family: found "mining"`},
		{"one id for two rows", func(b *advisor.Rulebook) { b.Tables["link"].Rows[0].ID = "count.n1" }, "link count.n1: id: found the id a second time"},
		{"a forbidden thing that there is not", func(b *advisor.Rulebook) {
			b.Tables["forbidden"].Inputs = append(b.Tables["forbidden"].Inputs, table.Column{Name: "weather", Values: []string{"fine"}})
		}, `forbidden: inputs: found unknown variable "weather"`},
		{"a language less", func(b *advisor.Rulebook) { delete(b.Tables["link"].Rows[0].Because, "en") }, "link link.l1: because.en: found nothing"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			b := tablesBook(t)
			tt.spoil(b)
			var got []string
			for _, p := range b.LinkTables() {
				got = append(got, p.Error())
			}
			if !strings.Contains(strings.Join(got, "\n"), tt.want) {
				t.Errorf("got problems %q, want %q among them", got, tt.want)
			}
			if c := b.Certify(); c.Sound() {
				t.Error("got a sound certificate")
			}
		})
	}
}

// rename gives an output another name, in its column and in all rows.
func rename(t *table.Table, from, to string) {
	for i := range t.Outputs {
		if t.Outputs[i].Name == from {
			t.Outputs[i].Name = to
		}
	}
	for _, r := range t.Rows {
		r.Then[to] = r.Then[from]
		delete(r.Then, from)
	}
}

// Nothing that comes in makes the chain fail: what it does not know counts as
// not knowing.
func TestChainIsTotal(t *testing.T) {
	b := tablesBook(t)
	for _, in := range []advisor.ChainIn{
		{}, {Task: &advisor.Task{ID: "martian"}}, {Duration: "aeons", GPUs: "dozen", Data: "huge", Compliance: "?", Integration: "?", Resume: "?", NeedCount: "?", Monthly: "?"}, {NeedCount: "task"},
	} {
		if got, want := b.Chain(in).Platform, "vertical_gpu_cloud"; got != want {
			t.Errorf("%+v: got %s, want %s", in, got, want)
		}
	}
	if got := new(advisor.Rulebook).Chain(advisor.ChainIn{}); got.Platform != "" {
		t.Errorf("without tables: got %+v, want nothing", got)
	}
}

var (
	durations   = []string{"h2", "hours", "days", "weeks", "months", "always", "dk"}
	counts      = []string{"one", "few", "eight", "nodes"}
	dataSizes   = []string{"s", "m", "l", "xl", "xxl"}
	compliances = []string{"none", "regulated", "xinchuang", "secret", "dk"}
	yesNoDK     = []string{"yes", "no", "dk"}
)

func drawIn(t *rapid.T, b *advisor.Rulebook) advisor.ChainIn {
	pick := func(name string, values []string) string { return rapid.SampledFrom(values).Draw(t, name) }
	return advisor.ChainIn{
		Task:     &b.Tasks[rapid.IntRange(0, len(b.Tasks)-1).Draw(t, "task")],
		Duration: pick("duration", durations), GPUs: pick("gpus", append(slices.Clone(counts), "dk")), Data: pick("data", append(slices.Clone(dataSizes), "dk")),
		Compliance: pick("compliance", compliances), Integration: pick("integration", yesNoDK), Resume: pick("resume", yesNoDK),
		NeedCount: pick("need", append(slices.Clone(counts), "")), Monthly: pick("monthly", []string{"pays", "never", "unknown"}),
	}
}

func names(o advisor.ChainOut, platform string) bool {
	return o.Platform == platform || o.Alternative == platform
}

// A compliance need, once said, never leads to a marketplace; nor does leaving
// it open.
func TestComplianceNeverMovesTowardsAMarketplace(t *testing.T) {
	b := tablesBook(t)
	rapid.Check(t, func(t *rapid.T) {
		in := drawIn(t, b)
		for _, kind := range compliances[1:] {
			in.Compliance = kind
			if o := b.Chain(in); names(o, "community_marketplace") {
				t.Fatalf("%+v: got %s, %s, want no marketplace", in, o.Platform, o.Alternative)
			}
		}
	})
}

func TestMoreDataIsNeverASmallerStoragePlan(t *testing.T) {
	b := tablesBook(t)
	plans := []string{"data_disk", "data_disk_plus", "data_disk_plus_object", "object_plus_parallel_fs", "data_gravity"}
	rapid.Check(t, func(t *rapid.T) {
		in, last := drawIn(t, b), -1
		for _, in.Data = range dataSizes {
			o := b.Chain(in)
			plan := slices.Index(plans, o.Store)
			if o.Platform != "none" && plan < last {
				t.Fatalf("%s of data: got %s, want at least %s", in.Data, o.Store, plans[last])
			}
			last = plan
		}
	})
}

// A larger demand never takes fewer cards, and a count that was asked for is
// never lowered.
func TestMoreNeedIsNeverFewerCards(t *testing.T) {
	b := tablesBook(t)
	rapid.Check(t, func(t *rapid.T) {
		in, last := drawIn(t, b), -1
		for _, in.NeedCount = range counts {
			o := b.Chain(in)
			n := slices.Index(counts, o.Count)
			if n < last || n < slices.Index(counts, in.NeedCount) || n < slices.Index(counts, in.GPUs) {
				t.Fatalf("%+v: got %s cards, want at least what is needed and asked", in, o.Count)
			}
			last = n
		}
	})
}

// One job across several machines is always offered a cluster or bare metal,
// unless no platform is advised or the cards must be domestic.
func TestSeveralMachinesAreOfferedACluster(t *testing.T) {
	b := tablesBook(t)
	rapid.Check(t, func(t *rapid.T) {
		o := b.Chain(drawIn(t, b))
		if o.Scale == "nodes" && !names(o, "none") && o.Platform != "domestic_pool" && !names(o, "dedicated_cluster") && !names(o, "bare_metal") {
			t.Fatalf("got %s, %s, want a cluster or bare metal", o.Platform, o.Alternative)
		}
	})
}

func TestChainAllocatesOnlyItsReasons(t *testing.T) {
	b := tablesBook(t)
	in := advisor.ChainIn{Task: &b.Tasks[3], Duration: "weeks", GPUs: "eight", Data: "l", NeedCount: "few"}
	if n := testing.AllocsPerRun(100, func() { b.Chain(in) }); n > 1 {
		t.Errorf("got %v allocations, want at most 1", n)
	}
}

// What picks the kind of job.
func TestFineTask(t *testing.T) {
	b := tablesBook(t)
	size := func(v float64) advisor.Facts { return advisor.Facts{ParamsB: advisor.Say(v)} }
	with := func(task string, facts ...advisor.Facts) advisor.Facts {
		f := advisor.Facts{Task: advisor.Say(task)}
		for _, other := range facts {
			f.Merge(other)
		}
		return f
	}
	full := advisor.Facts{Method: advisor.Say("full")}
	lora := advisor.Facts{Method: advisor.Say("lora")}
	variant := func(v string) advisor.Facts { return advisor.Facts{Variant: advisor.Say(v)} }
	for _, tt := range []struct {
		facts advisor.Facts
		want  string
	}{
		{with("inference"), "llm_infer_s"},
		{with("inference", size(10)), "llm_infer_s"},
		{with("inference", size(14)), "llm_infer_m"},
		{with("inference", size(72)), "llm_infer_l"},
		{with("inference", size(671)), "llm_infer_xl"},
		{with("inference", size(7), advisor.Facts{Serving: advisor.Say(true)}), "llm_serve"},
		{with("inference", size(7), advisor.Facts{Concurrency: advisor.Say(200.0)}), "llm_serve"},
		{with("finetune"), "ft_lora_s"},
		{with("finetune", lora, size(14)), "ft_lora_m"},
		{with("finetune", lora, size(405)), "ft_lora_l"},
		{with("finetune", full), "ft_full_s"},
		{with("finetune", full, size(7)), "ft_full_s"},
		{with("finetune", full, size(14)), "ft_full_l"},
		{with("finetune", full, size(7), variant("rlhf")), "rlhf"},
		{with("pretrain", size(0.125)), "pretrain"},
		{with("cv-train"), "cv_classify"},
		{with("cv-train", variant("detect")), "cv_detect"},
		{with("cv-train", variant("driving")), "autodrive"},
		{with("train", variant("nlp")), "nlp_small"},
		{with("train"), "other"},
		{with("learn"), "learn_cnn"},
		{with("learn", variant("repro")), "repro_paper"},
		{with("image-gen"), "img_sdxl"},
		{with("image-gen", variant("sd15")), "img_sd15"},
		{with("image-gen", variant("flux")), "img_flux"},
		{with("image-train", lora), "img_lora"},
		{with("video-gen"), "vid_gen"},
		{with("video-gen", variant("drama")), "drama_flow"},
		{with("render"), "render_3d"},
		{with("simulation"), "sim_cfd"},
		{with("speech"), "asr_tts"},
		{with("embedding"), "embed_rag"},
		{with("other"), "other"},
	} {
		got := b.FineTask(tt.facts)
		if got == nil || got.ID != tt.want {
			t.Errorf("%v: got task %v, want %s", tt.facts.Said(), got, tt.want)
		}
	}
	if got := b.FineTask(size(7)); got != nil {
		t.Errorf("without a task: got %s, want none yet", got.ID)
	}
}

// Every row says what triggered it and why it is true, in every language, or
// nothing at all (a row that only passes a value on).
func TestRowsExplainThemselves(t *testing.T) {
	b := tablesBook(t)
	for _, id := range chainTables {
		for _, r := range b.Tables[id].Rows {
			if len(r.Because) == 0 && id == "alternative" {
				continue
			}
			for field, text := range map[string]map[string]string{"because": r.Because, "support": r.Support} {
				if text["zh"] == "" || text["en"] == "" {
					t.Errorf("%s: %s has %d languages, want zh and en", r.ID, field, len(text))
				}
				if hasHan(text["en"]) || !hasHan(text["zh"]) {
					t.Errorf("%s: %s mixes its languages up: %q", r.ID, field, text)
				}
			}
			if b.Rule(r.ID) == nil {
				t.Errorf("%s: not found by its id", r.ID)
			}
		}
	}
}

// The certificate of the risk notes tells a note that can hold from one that
// cannot, and from one that asks for what there is not.
func TestCertifyRisks(t *testing.T) {
	b := oneTaskBook(t, "sim_cfd")
	row := func(pairs ...string) map[string][]string {
		m := map[string][]string{}
		for i := 0; i < len(pairs); i += 2 {
			m[pairs[i]] = strings.Split(pairs[i+1], ",")
		}
		return m
	}
	b.Risks = []advisor.Risk{{ID: "K0", When: []map[string][]string{
		row(),
		row("link", "nvlink_required_or_measure,nvlink_plus_rdma", "card_link", "none"),
		row("family", "sim", "instances", "one"),
		row("bill", "monthly", "monthly", "never"),
		row("compliance", "secret", "form", "none"),
		row("compliance", "secret", "form", "container"),
		row("take", "asked"),
		row("price_age", "none", "monthly", "pays"),
		row("platform", "community"),
		row("moon", "full"),
	}}}
	want := []string{"reached", "reached", "reached", "reached", "form has no value", "no case", "unknown input", "no case", "platform has no value", "unknown input"}
	for i, check := range b.CertifyRisks() {
		if !strings.Contains(check.String(), want[i]) {
			t.Errorf("row %d: got %q, want %q", i, check, want[i])
		}
	}
}

// The rules as they ship: the tasks are those of the task map, so that the
// certificate above is theirs, and every condition of every risk note can come
// true.
func TestShippedRulesAreCertified(t *testing.T) {
	b := mustLoad(t)
	var tasks []string
	for _, task := range b.Tasks {
		tasks = append(tasks, strings.Join([]string{task.ID, task.Family, task.GPUs, task.Comm}, " "))
	}
	var want []string
	for line := range strings.Lines(strings.TrimSpace(taskMap)) {
		want = append(want, strings.Join(strings.Fields(line), " "))
	}
	slices.Sort(tasks)
	slices.Sort(want)
	if !slices.Equal(tasks, want) {
		t.Errorf("got tasks\n%s\nwant\n%s", strings.Join(tasks, "\n"), strings.Join(want, "\n"))
	}
	for _, check := range b.CertifyRisks() {
		if !check.Reached {
			t.Error(check)
		}
	}
}

func BenchmarkChain(b *testing.B) {
	book := tablesBook(b)
	in := advisor.ChainIn{Task: taskOf(b, book, "ft_full_l"), Duration: "months", GPUs: "eight", Data: "l", Compliance: "dk", Integration: "no", Resume: "yes", NeedCount: "eight", Monthly: "unknown"}
	b.ReportAllocs()
	for b.Loop() {
		book.Chain(in)
	}
}

func BenchmarkLinkTables(b *testing.B) {
	book := tablesBook(b)
	for b.Loop() {
		book.LinkTables()
	}
}

func BenchmarkCertify(b *testing.B) {
	book := tablesBook(b)
	b.ReportAllocs()
	for b.Loop() {
		book.Certify()
	}
}
