package advisor

import (
	"slices"
	"testing"
	"time"

	"pgregory.net/rapid"

	"gpuadvisor/advisor/cost"
	"gpuadvisor/advisor/vram"
)

// Edges belong to the lower class, except that a month begins at 720 hours and
// small data ends below 10 GB.
func TestDurationClass(t *testing.T) {
	for _, tt := range []struct {
		hours float64
		want  string
	}{
		{0.5, "h2"}, {2, "h2"}, {2.01, "hours"}, {24, "hours"}, {25, "days"}, {168, "days"}, {169, "weeks"}, {719, "weeks"}, {720, "months"}, {8760, "months"},
	} {
		if got := durationClass(Facts{DurationHours: Say(One(tt.hours))}); got != tt.want {
			t.Errorf("%v h: got %s, want %s", tt.hours, got, tt.want)
		}
	}
}

func TestDurationClassOfOtherFacts(t *testing.T) {
	for _, tt := range []struct {
		name  string
		facts Facts
		want  string
	}{
		{"unknown", Facts{}, "dk"},
		{"a range counts by its upper end", Facts{DurationHours: Say(Range{20, 30})}, "days"},
		{"always on wins over hours", Facts{DurationHours: Say(One(2)), AlwaysOn: Say(true)}, "always"},
		{"denied always on", Facts{DurationHours: Say(One(2)), AlwaysOn: Say(false)}, "h2"},
		{"what we assume stays unknown", Facts{DurationHours: Assume(One(2))}, "dk"},
	} {
		if got := durationClass(tt.facts); got != tt.want {
			t.Errorf("%s: got %s, want %s", tt.name, got, tt.want)
		}
	}
}

func TestGPUsClass(t *testing.T) {
	for _, tt := range []struct {
		count Count
		want  string
	}{
		{Cards(1), "one"}, {Cards(2), "few"}, {Cards(4), "few"}, {Cards(5), "eight"}, {Cards(8), "eight"}, {Cards(9), "nodes"}, {Cards(32), "nodes"},
		{Count{Word: "single", Range: One(1)}, "one"}, {Count{Word: "multi"}, "few"}, {Count{Range: Range{2, 8}}, "eight"},
	} {
		if got := gpusClass(Facts{GPUs: Say(tt.count)}); got != tt.want {
			t.Errorf("%+v: got %s, want %s", tt.count, got, tt.want)
		}
	}
	if got := gpusClass(Facts{}); got != "dk" {
		t.Errorf("no count: got %s, want dk", got)
	}
}

func TestDataClass(t *testing.T) {
	for _, tt := range []struct {
		gb   float64
		want string
	}{
		{0, "s"}, {9.99, "s"}, {10, "m"}, {100, "m"}, {101, "l"}, {1000, "l"}, {1500, "xl"}, {10000, "xl"}, {10001, "xxl"},
	} {
		if got := dataClass(Facts{DataGB: Say(tt.gb)}); got != tt.want {
			t.Errorf("%v GB: got %s, want %s", tt.gb, got, tt.want)
		}
	}
	if got := dataClass(Facts{}); got != "dk" {
		t.Errorf("no data: got %s, want dk", got)
	}
}

func TestComplianceClass(t *testing.T) {
	for _, tt := range []struct {
		name  string
		facts Facts
		want  string
	}{
		{"nobody said", Facts{}, "dk"},
		{"denied", Facts{Compliance: Say(false)}, "none"},
		{"a need of no kind", Facts{Compliance: Say(true)}, "regulated"},
		{"domestic", Facts{Compliance: Say(true), ComplianceKind: Say("xinchuang")}, "xinchuang"},
		{"secret", Facts{ComplianceKind: Say("secret")}, "secret"},
		{"our own assumption", Facts{ComplianceKind: Assume("none")}, "dk"},
	} {
		if got := complianceClass(tt.facts); got != tt.want {
			t.Errorf("%s: got %s, want %s", tt.name, got, tt.want)
		}
	}
}

func TestYesNo(t *testing.T) {
	for want, f := range map[string]Fact[bool]{"dk": {}, "yes": Say(true), "no": Say(false)} {
		if got := yesNo(f); got != want {
			t.Errorf("%+v: got %s, want %s", f, got, want)
		}
	}
	if got := yesNo(Assume(true)); got != "dk" {
		t.Errorf("assumed: got %s, want dk", got)
	}
}

func TestAudienceClass(t *testing.T) {
	b := &Rulebook{Audiences: []Audience{{ID: "student", Class: "person"}, {ID: "lab", Class: "uni"}, {ID: "enterprise", Class: "gov"}}}
	for _, tt := range []struct {
		audience Fact[string]
		want     string
	}{
		{Say("student"), "person"}, {Say("lab"), "uni"}, {Say("enterprise"), "gov"}, {Fact[string]{}, "dk"}, {Say("martian"), "dk"},
	} {
		if got := b.audienceClass(Facts{Audience: tt.audience}); got != tt.want {
			t.Errorf("%+v: got %s, want %s", tt.audience, got, tt.want)
		}
	}
}

func TestCmpScaleComm(t *testing.T) {
	for _, tt := range []struct{ name, got, want string }{
		{"one card asked, four needed", cmpOf("one", "few"), "lt"},
		{"eight asked, one needed", cmpOf("eight", "one"), "gt"},
		{"as needed", cmpOf("nodes", "nodes"), "eq"},
		{"not asked", cmpOf("dk", "few"), "dk"},

		{"one copy on one card", commOf("none", "one"), "none"},
		{"one copy split over eight", commOf("none", "eight"), "high"},
		{"no estimate: the task's word", commOf("low", fromTask), "low"},

		{"eight independent jobs", scaleOf("none", "render", "eight"), "one"},
		{"two instances of a service", scaleOf("none", "serve", "few"), "few"},
		{"eight cards that talk", scaleOf("low", "train", "eight"), "eight"},

		{"as asked", countOf("asked", "eight", "one"), "eight"},
		{"not asked, so as needed", countOf("asked", "dk", "few"), "few"},
		{"raised", countOf("needed", "one", "few"), "few"},

		{"stopped", unlessStopped("none", "container"), "none"},
		{"not stopped", unlessStopped("public_cloud", "container"), "container"},
	} {
		if tt.got != tt.want {
			t.Errorf("%s: got %s, want %s", tt.name, tt.got, tt.want)
		}
	}
}

func TestNoteInputs(t *testing.T) {
	data, hours := Say(300.0), Say(One(24.0))
	for _, tt := range []struct{ name, got, want string }{
		{"21 GiB on a card with 24", headroom(21, 24), "ok"},
		{"22 GiB on a card with 24", headroom(22, 24), "tight"},
		{"300 GB at 20 Mbit/s before a day's run", transfer(Facts{DataGB: data, DurationHours: hours, UploadMbps: Say(20.0)}), "dominates"},
		{"300 GB at 1 Gbit/s before a day's run", transfer(Facts{DataGB: data, DurationHours: hours, UploadMbps: Say(1000.0)}), "fine"},
		{"data of unknown size", transfer(Facts{DurationHours: hours}), "fine"},
		{"a line without speed", transfer(Facts{DataGB: data, DurationHours: hours, UploadMbps: Say(0.0)}), "fine"},
		{"no price", priceAge(""), "none"},
		{"old price", priceAge(cost.AgeOf(cost.Date{Year: 2026, Month: 3}, time.Date(2026, 11, 30, 0, 0, 0, 0, time.UTC))), "stale"},
		{"4090", cardLink(vram.Card{NVLink: "none"}), "none"},
		{"A100 SXM", cardLink(vram.Card{NVLink: "nvswitch"}), "nvlink"},
		{"A100", cardKind(vram.Card{Class: "datacenter"}), "datacentre"},
		{"910B", cardKind(vram.Card{Class: "domestic"}), "domestic"},
		{"two cards, one copy needs two", instances(2, 2), "one"},
		{"four cards, one copy needs two", instances(4, 2), "more"},
		{"one card, demand unknown", instances(1, 0), "one"},
	} {
		if tt.got != tt.want {
			t.Errorf("%s: got %s, want %s", tt.name, tt.got, tt.want)
		}
	}
}

func TestVariantAndSize(t *testing.T) {
	image := func(b float64) *Model { return &Model{Model: vram.Model{Domain: "image", ParamsB: b}} }
	for _, tt := range []struct{ name, got, want string }{
		{"said", variantOf(Facts{Variant: Say("rlhf")}, &Model{Variant: "nlp"}), "rlhf"},
		{"implied by the model", variantOf(Facts{}, &Model{Variant: "detect"}), "detect"},
		{"an encoder", variantOf(Facts{}, &Model{Model: vram.Model{Domain: "llm", Role: "encoder"}}), "nlp"},
		{"tabular", variantOf(Facts{}, &Model{Model: vram.Model{Domain: "tabular"}}), "nlp"},
		{"an image model of 0.9B", variantOf(Facts{}, image(0.86)), "sd15"},
		{"an image model of 2.6B", variantOf(Facts{}, image(2.567)), "sdxl"},
		{"an image model of 20B", variantOf(Facts{}, image(20.4)), "flux"},
		{"nothing known", variantOf(Facts{}, nil), "none"},
		{"size as said wins", sizeClass(Facts{ParamsB: Say(7.0)}, &Model{Model: vram.Model{ParamsB: 14}}), "s"},
		{"ten is still small", sizeClass(Facts{ParamsB: Say(10.0)}, nil), "s"},
		{"32B", sizeClass(Facts{ParamsB: Say(32.0)}, nil), "m"},
		{"110B", sizeClass(Facts{ParamsB: Say(110.0)}, nil), "l"},
		{"671B", sizeClass(Facts{}, &Model{Model: vram.Model{ParamsB: 671}}), "xl"},
		{"no size", sizeClass(Facts{}, &Model{}), "dk"},
		{"fifty at once", servingClass(Facts{Concurrency: Say(50.0)}), "yes"},
		{"forty-nine at once", servingClass(Facts{Concurrency: Say(49.0)}), "no"},
		{"goes live", servingClass(Facts{Serving: Say(true)}), "yes"},
	} {
		if tt.got != tt.want {
			t.Errorf("%s: got %s, want %s", tt.name, tt.got, tt.want)
		}
	}
}

// Whatever the numbers, the classes stay inside their closed sets, and more is
// never a lower class.
func TestClassesAreClosedAndOrdered(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		a, b := rapid.Float64Range(-1, 1e7).Draw(t, "a"), rapid.Float64Range(-1, 1e7).Draw(t, "b")
		lo, hi := min(a, b), max(a, b)
		for name, of := range map[string]struct {
			class func(float64) string
			order []string
		}{
			"duration": {durationOf, durationOrder},
			"data":     {dataOf, dataOrder},
			"count":    {func(v float64) string { return countClass(int(v)) }, countOrder},
			"size":     {func(v float64) string { return sizeClass(Facts{ParamsB: Say(v)}, nil) }, sizeOrder},
		} {
			l, h := slices.Index(of.order, of.class(lo)), slices.Index(of.order, of.class(hi))
			if l < 0 || h < 0 || l > h {
				t.Fatalf("%s: %v is class %d and %v is class %d of %v, want them inside and in order", name, lo, l, hi, h, of.order)
			}
		}
	})
}

// The order in which people answer does not matter: the inputs of the tables
// depend on the facts only.
func TestOrderOfAnswersDoesNotMatter(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		answers := []Facts{
			{Task: Say(rapid.SampledFrom([]string{"finetune", "render", "pretrain"}).Draw(t, "task"))},
			{DurationHours: Say(One(rapid.Float64Range(0.1, 3000).Draw(t, "hours")))},
			{GPUs: Say(Cards(rapid.IntRange(1, 64).Draw(t, "gpus")))},
			{DataGB: Say(rapid.Float64Range(0, 20000).Draw(t, "gb"))},
			{Interruptible: Say(rapid.Bool().Draw(t, "interruptible"))},
			{ComplianceKind: Say(rapid.SampledFrom([]string{"none", "regulated", "xinchuang", "secret"}).Draw(t, "compliance"))},
			{Integration: Say(rapid.Bool().Draw(t, "integration"))},
			{Method: Say("full")}, {ParamsB: Say(rapid.Float64Range(0.1, 700).Draw(t, "params"))},
		}
		inputs := func(order []Facts) [8]string {
			var f Facts
			for _, a := range order {
				f.Merge(a)
			}
			return [8]string{durationClass(f), gpusClass(f), dataClass(f), complianceClass(f), yesNo(f.Interruptible), yesNo(f.Integration), sizeClass(f, nil), variantOf(f, nil)}
		}
		want, got := inputs(answers), inputs(rapid.Permutation(answers).Draw(t, "order"))
		if got != want {
			t.Fatalf("got %v, want %v", got, want)
		}
	})
}
