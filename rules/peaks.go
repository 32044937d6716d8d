package rules

import (
	"cmp"
	"fmt"
	"io"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"

	"gpuadvisor/advisor"
	"gpuadvisor/advisor/vram"
)

// reportedBy is the source of figures that people let a bot keep. They read them
// off nvidia-smi, as they were asked to.
const (
	reportedBy    = "measured by people who use the bot, kept with their leave"
	reportedMeter = "nvidia-smi"
)

// WritePeaks writes what people measured as files of rules/measurements, one for
// each domain under a line with its name. With several domains that line has to
// be cut at; each file proves itself as it stands. Figures whose deciding
// settings were not said stand in loose tables, which judge no formula.
func WritePeaks(w io.Writer, book *advisor.Rulebook, list []advisor.Peak) error {
	byDomain := map[string][]advisor.Peak{}
	for _, p := range list {
		byDomain[p.Domain] = append(byDomain[p.Domain], p)
	}
	var b strings.Builder
	for _, domain := range slices.Sorted(maps.Keys(byDomain)) {
		writePeaks(&b, book, domain, byDomain[domain])
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// peakTable is one table of such a file.
type peakTable struct {
	task  string
	loose bool
	list  []advisor.Peak
}

func writePeaks(b *strings.Builder, book *advisor.Rulebook, domain string, list []advisor.Peak) {
	id, n := "reported-"+domain, 0
	fmt.Fprintf(b, "# measurements/%s.yaml\nid: %s\ndomain: %s\nrecorded:%s\ntables:\n", id, id, domain, recordedOf(book, list))
	for _, t := range peakTables(list) {
		fmt.Fprintf(b, "  - task: %s\n    source: %s\n    confidence: medium\n    meter: %s\n", t.task, strconv.Quote(reportedBy), reportedMeter)
		if t.loose {
			b.WriteString("    loose: true\n")
		}
		b.WriteString("    figures:\n")
		for _, p := range t.list {
			n++
			card := cmp.Or(p.Card, "no card named")
			fmt.Fprintf(b, "      - {%s} # %s, %s, estimated %s\n", strings.Join(peakFields(fmt.Sprintf("%s-%03d", id, n), p), ", "), p.Day, card, decimal(p.EstimateGiB))
		}
	}
}

// peakTables sorts figures into tables, in their order.
func peakTables(list []advisor.Peak) []peakTable {
	var out []peakTable
	for _, p := range list {
		i := slices.IndexFunc(out, func(t peakTable) bool { return t.task == p.Task && t.loose == p.Loose })
		if i < 0 {
			i, out = len(out), append(out, peakTable{task: p.Task, loose: p.Loose})
		}
		out[i].list = append(out[i].list, p)
	}
	return out
}

// peakFields are the keys of a figure, in the order of vram.Case.
func peakFields(id string, p advisor.Peak) []string {
	c := caseOf(p)
	out := []string{"id: " + id}
	add := func(key, value string, said bool) {
		if said {
			out = append(out, key+": "+value)
		}
	}
	add("model", c.ModelID, c.ModelID != "")
	add("params_b", decimal(c.ParamsB), c.ParamsB > 0)
	add("precision", c.Precision, c.Precision != "")
	add("batch", strconv.Itoa(c.Batch), c.Batch > 0)
	add("seq_len", strconv.Itoa(c.SeqLen), c.SeqLen > 0)
	add("resolution", c.Resolution, c.Resolution != "")
	add("frames", strconv.Itoa(c.Frames), c.Frames > 0)
	add("gpus", strconv.Itoa(c.GPUs), c.GPUs > 0)
	add("per", c.Per, c.Per != "")
	return append(out, "gib: "+decimal(c.GiB))
}

// caseOf is a figure as the published ones are written.
func caseOf(p advisor.Peak) vram.Case {
	c := vram.Case{
		Domain: p.Domain, Task: p.Task, ModelID: p.Model, ParamsB: p.ParamsB, Precision: p.Precision, Batch: p.Batch, SeqLen: p.Context,
		Resolution: p.Resolution, Frames: p.Frames, GPUs: p.GPUs, GiB: p.GiB, Meter: reportedMeter, Kind: "measured",
	}
	if p.GPUs > 1 {
		c.Per = "gpu"
	}
	return c
}

// recordedOf is how near the formulas come now, rounded up.
func recordedOf(book *advisor.Rulebook, list []advisor.Peak) string {
	var cases []vram.Case
	for _, p := range list {
		if !p.Loose {
			cases = append(cases, caseOf(p))
		}
	}
	if len(cases) == 0 {
		return " {}"
	}
	out := ""
	for _, r := range vram.Accuracy(cases, modelFinder(book)) {
		out += fmt.Sprintf("\n  %s: {median: %s, p90: %s}", r.Task, decimal(math.Ceil(r.Median*1000)/1000), decimal(math.Ceil(r.P90*1000)/1000))
	}
	return out
}

func decimal(v float64) string { return strconv.FormatFloat(v, 'f', -1, 64) }
