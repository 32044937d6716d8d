package rules

import (
	"io/fs"
	"strings"
	"testing"
)

const brokenFault = `id: broken
names: [broken]
layer: hardware
sub: broken
tier: 1
action: swap
match:
  - 'fallen off'
  - '(unclosed'
why:
  zh: 坏了
  en: It broke.
do:
  zh: 换
  en: Swap it.
not:
  zh: 不是别的
  en: Nothing else.
examples:
  match:
    - "NVRM: the card has fallen off the bus"
    - "something else entirely: error"
  no_match:
    - "all is well"
sources: [a report]
checked: 2026-11-30
`

// check compiles the faults and lets them prove themselves; a complaint stands
// at its line.
func TestCheckReportsFaults(t *testing.T) {
	unproven := strings.NewReplacer("id: broken", "id: unproven", "'(unclosed'", "'off the bus'").Replace(brokenFault)
	r := Check(withShipped(t, map[string]string{"faults/broken.yaml": brokenFault, "faults/unproven.yaml": unproven}))
	for _, want := range []string{"faults/broken.yaml:9: match[1]: ", "faults/unproven.yaml:22: examples.match[1]: "} {
		if !strings.Contains(r.String(), want) {
			t.Errorf("got\n%swant a complaint %s", r, want)
		}
	}
}

// The scale of the score is checked like everything else.
func TestCheckReportsScoring(t *testing.T) {
	shipped, err := fs.ReadFile(Embedded(), "score.yaml")
	if err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct{ old, new, want string }{
		{"[{at: 1, score: 1}, {at: 2.5, score: 0.8}", "[{at: 1, score: 1}, {at: 0.5, score: 0.8}", "anchors from the best to the worst"},
		{"by_count: [0.4, 0.4, 0.8, 1]", "by_count: [0.4, 0.8, 1]", "one for each number of passing groups"},
		{"[sla, compensation]", "[slo, compensation]", `did you mean "sla"`},
		{"into: above", "into: abov", `did you mean "above"`},
	} {
		changed := strings.Replace(string(shipped), tt.old, tt.new, 1)
		if changed == string(shipped) {
			t.Fatalf("score.yaml has no %q", tt.old)
		}
		_, problems := LoadFS(withShipped(t, map[string]string{"score.yaml": changed}))
		if got := Problems(problems).Error(); !strings.Contains(got, tt.want) || !strings.Contains(got, "score.yaml:") {
			t.Errorf("%s: got %s, want %q", tt.new, got, tt.want)
		}
	}
}
