package rules

import (
	"strings"
	"testing"
	"testing/fstest"
)

// A change of a formula that makes a domain worse than it was recorded fails
// here. When it is worth it, raise the record in rules/measurements and say
// why in the commit.
func TestFormulasAgainstMeasurements(t *testing.T) {
	book, err := Load()
	if err != nil {
		t.Fatal(err)
	}
	rows, problems := Accuracy(book, Embedded())
	if len(problems) > 0 {
		t.Fatal(Problems(problems))
	}
	if len(rows) == 0 {
		t.Fatal("got no measurements, want some")
	}
	for _, r := range rows {
		t.Logf("%-6s %-14s %3d figures: median %.3f, p90 %.3f, %.0f %% under; furthest off is %s, %+.2f", r.Domain, r.Task, r.Cases, r.Median, r.P90, 100*r.Under, r.Worst, r.WorstRelative)
		if r.Worse() {
			t.Errorf("%s %s: got median %.4f and p90 %.4f, want at most the recorded %.4f and %.4f; furthest off is %s (%+.2f)",
				r.Domain, r.Task, r.Median, r.P90, r.Recorded.Median, r.Recorded.P90, r.Worst, r.WorstRelative)
		}
	}
}

func TestMeasurementsReportWhatIsWrong(t *testing.T) {
	const good = "id: audio\ndomain: audio\nrecorded: {inference: {median: 0.1, p90: 0.2}}\ntables:\n  - task: inference\n    source: a page\n    confidence: high\n    figures:\n"
	for _, c := range []struct{ name, data, want string }{
		{"fine", good + "      - {id: a, gib: 4}\n", ""},
		{"another name", strings.Replace(good, "id: audio", "id: other", 1) + "      - {id: a, gib: 4}\n", "the name of the file"},
		{"no figure", good + "      - {id: a}\n", "no gib"},
		{"twice", good + "      - {id: a, gib: 4}\n      - {id: a, gib: 5}\n", "a second time"},
		{"a slip", good + "      - {id: a, gib: 4, bach: 1}\n", `did you mean "batch"?`},
	} {
		_, problems := Measurements(fstest.MapFS{"measurements/audio.yaml": {Data: []byte(c.data)}})
		got := Problems(problems).Error()
		if c.want == "" && got != "" || !strings.Contains(got, c.want) {
			t.Errorf("%s: got %q, want %q", c.name, got, c.want)
		}
	}
}
