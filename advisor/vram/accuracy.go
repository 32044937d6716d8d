package vram

import (
	"cmp"
	"math"
	"reflect"
	"slices"
	"strings"
)

// Measured is one file of published figures and how near the formulas came
// when they were last recorded.
type Measured struct {
	ID       string              `yaml:"id" rule:"id"`
	Domain   string              `yaml:"domain" rule:"enum=llm|image|video|cv|audio"`
	Recorded map[string]Recorded `yaml:"recorded"` // by task, without the loose tables
	Tables   []Published         `yaml:"tables"`
}

// Recorded are quantiles of the relative error, rounded up. Whoever makes one
// of them worse says why in the commit that raises it.
type Recorded struct {
	Median float64 `yaml:"median"`
	P90    float64 `yaml:"p90"`
}

// Published is what one source published for one task.
type Published struct {
	Task       string `yaml:"task"`
	Source     string `yaml:"source"`
	Confidence string `yaml:"confidence" rule:"enum=high|medium"`
	Meter      string `yaml:"meter,omitempty"` // what was read: nvidia-smi torch_alloc torch_reserved; a question mark is a guess
	Loose      bool   `yaml:"loose,omitempty"` // settings that decide are not given: shown, never judged
	Same       Case   `yaml:"same,omitempty"`  // settings that the figures share
	Figures    []Case `yaml:"figures"`
}

// Cases are the figures of a file with all their settings, the loose ones
// only when asked for.
func (m Measured) Cases(loose bool) []Case {
	var out []Case
	for _, t := range m.Tables {
		if t.Loose && !loose {
			continue
		}
		for _, c := range t.Figures {
			c = c.over(t.Same)
			c.Domain, c.Task, c.Source, c.Confidence, c.Kind = m.Domain, t.Task, t.Source, t.Confidence, "measured"
			c.Meter = cmp.Or(c.Meter, t.Meter)
			out = append(out, c)
		}
	}
	return out
}

// over fills what c leaves open from base.
func (c Case) over(base Case) Case {
	fill(reflect.ValueOf(&c).Elem(), reflect.ValueOf(base))
	return c
}

func fill(into, from reflect.Value) {
	for i := range into.NumField() {
		switch f := into.Field(i); {
		case f.Kind() == reflect.Struct:
			fill(f, from.Field(i))
		case f.IsZero():
			f.Set(from.Field(i))
		}
	}
}

// Row is the accuracy of one domain and task: relative errors of the predicted
// reading against what was published.
type Row struct {
	Domain, Task  string
	Cases         int
	Median, P90   float64
	Under         float64 // share predicted more than 5 % too low
	Worst         string  // id of the case furthest off
	WorstRelative float64 // its error, signed
	Recorded      Recorded
}

// Worse reports whether a row falls behind what was recorded for it. A tenth
// of a percent is rounding.
func (r Row) Worse() bool {
	const rounding = 0.001
	return r.Median > r.Recorded.Median+rounding || r.P90 > r.Recorded.P90+rounding
}

// Judge compares the formulas with published figures, domain by domain.
func Judge(files []Measured, find func(id string) (Model, bool)) []Row {
	var out []Row
	for _, m := range files {
		rows := Accuracy(m.Cases(false), find)
		for i := range rows {
			rows[i].Recorded = m.Recorded[rows[i].Task]
		}
		out = append(out, rows...)
	}
	return out
}

// Accuracy predicts every case that carries a figure and groups the errors, in
// the order of domains and tasks.
func Accuracy(cases []Case, find func(id string) (Model, bool)) []Row {
	type key struct{ domain, task string }
	errs := map[key][]float64{}
	worst := map[key]Row{}
	for _, c := range cases {
		want := known(c.Published())
		if want == 0 {
			continue
		}
		k := key{c.Domain, c.Task}
		e := c.Job(find).Estimate().Reading(c.Meter, c.Per, c.GPUs)/want - 1
		errs[k] = append(errs[k], e)
		if w, seen := worst[k]; !seen || math.Abs(e) > math.Abs(w.WorstRelative) {
			worst[k] = Row{Domain: c.Domain, Task: c.Task, Worst: c.ID, WorstRelative: e}
		}
	}
	rows := make([]Row, 0, len(errs))
	for k, v := range errs {
		rows = append(rows, worst[k].of(v))
	}
	slices.SortFunc(rows, func(a, b Row) int {
		return cmp.Or(strings.Compare(a.Domain, b.Domain), strings.Compare(a.Task, b.Task))
	})
	return rows
}

// of fills the quantiles of a row from signed errors.
func (r Row) of(errs []float64) Row {
	r.Cases = len(errs)
	for i, e := range errs {
		if e < -0.05 {
			r.Under += 1 / float64(len(errs))
		}
		errs[i] = math.Abs(e)
	}
	slices.Sort(errs)
	at := func(q float64) float64 { return errs[min(len(errs)-1, int(q*float64(len(errs))))] }
	r.Median, r.P90 = at(0.5), at(0.9)
	return r
}

// Published is the figure of a case in GiB, 0 when it carries none. A figure
// without a unit is taken as GiB.
func (c Case) Published() float64 {
	switch {
	case c.GiB > 0:
		return c.GiB
	case c.Unit == "GB":
		return c.GB * gb / GiB
	}
	return c.GB
}
