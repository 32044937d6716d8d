package advisor

import (
	"slices"
	"strconv"

	"gpuadvisor/advisor/text"
)

// TrialPlan is the two-hour trial as the rules have it: the steps, and what its
// clock is compared with.
type TrialPlan struct {
	Minutes    int         `yaml:"minutes" rule:"min=1,max=1440"`      // how long it is meant to take
	Overhead   int         `yaml:"overhead" rule:"min=1,max=1440"`     // more minutes than this on connecting, installing and searching: not for you
	Script     int         `yaml:"first_script" rule:"min=1,max=1440"` // minutes from creating to the first script that are good; more is slow, not failed
	CVPass     float64     `yaml:"cv_pass" rule:"min=0,max=100"`       // variation under full load that passes, per cent
	CVGood     float64     `yaml:"cv_good" rule:"min=0,max=100"`       // and that is good
	Hour       int         `yaml:"hour" rule:"min=0,max=23"`           // of the morning, for reminders that have no time of their own
	Steps      []TrialStep `yaml:"steps"`
	Words      TrialWords  `yaml:"words"`
	ProvesNot  Text        `yaml:"proves_not"` // what even a passed trial does not prove
	Stages     Stages      `yaml:"stages"`
	Provenance `yaml:",inline"`
}

// TrialStep is one step of the trial.
type TrialStep struct {
	ID       string         `yaml:"id" rule:"id"`
	Names    []string       `yaml:"names"`
	Title    Text           `yaml:"title"`
	Do       Text           `yaml:"do"`
	Why      Text           `yaml:"why"`
	Stuck    Text           `yaml:"stuck"`                             // what to do when it does not work
	Counts   string         `yaml:"counts" rule:"enum=all|part|none"`  // which of its minutes are connecting, installing or searching; part: until the first script, or as said
	Must     bool           `yaml:"must,omitempty"`                    // without it the trial is not passed
	Script   bool           `yaml:"script,omitempty"`                  // the first script runs in it
	Asks     string         `yaml:"asks,omitempty" rule:"enum=memory"` // figures that end it
	Toys     []string       `yaml:"toys,omitempty"`                    // what is no work of one's own
	Commands []TrialCommand `yaml:"commands,omitempty"`
}

// TrialCommand is something to copy.
type TrialCommand struct {
	Run       string `yaml:"run"`
	Why       Text   `yaml:"why"`
	ProvesNot Text   `yaml:"proves_not"`      // what a pass does not prove
	Aside     bool   `yaml:"aside,omitempty"` // shown on demand
}

// TrialWords are how people say how a step went, in every language.
type TrialWords struct {
	Done      []string `yaml:"done"`
	Stuck     []string `yaml:"stuck"`
	Waiting   []string `yaml:"waiting"`
	Script    []string `yaml:"script"`
	Explain   []string `yaml:"explain"`
	Asking    []string `yaml:"asking"`    // a question, whatever else is said
	Preparing []string `yaml:"preparing"` // what a length of time was spent on, when not on the step
	RAM       []string `yaml:"ram"`
	VRAM      []string `yaml:"vram"`
	Remind    []string `yaml:"remind"`
	Stages    []string `yaml:"stages"`
	Again     []string `yaml:"again"`
}

// Stages is the way from a container to a whole machine: when to look whether
// it is time, and at what.
type Stages struct {
	List string                `yaml:"list"` // the checklist to take then
	Days []int                 `yaml:"days"` // from now
	When []map[string][]string `yaml:"when"` // advices it is offered with, as in Risk
}

// count works out a step's overhead from its minutes.
func (s *TrialStep) count(p Spent) Spent {
	p.Minutes = min(max(0, p.Minutes), longestStep)
	switch s.Counts {
	case "all":
		p.Over = p.Minutes
	case "none":
		p.Over = 0
	}
	p.Over = min(max(0, p.Over), p.Minutes)
	return p
}

// Verdicts of a trial.
const (
	TrialPassed = "passed"
	TrialFailed = "not-passed" // a step without which it proves nothing is missing
	TrialUnfit  = "unfit"      // too much of it went on connecting, installing and searching
	TrialOpen   = "open"       // nobody knows how much of it did, and it may be too much
)

// TrialResult is what came out of a trial.
type TrialResult struct {
	Verdict  string
	Minutes  int      // of all steps
	Overhead int      // of them on connecting, installing and searching
	ToScript int      // minutes from creating to the first script, -1 when nobody knows
	Missing  []string // ids of the steps that had to be done and were not
	Unclear  []string // ids of steps of which nobody knows the minutes, or the overhead
}

// Judge says what came of the steps, in the order of the plan; those that are
// not there were not done.
func (p *TrialPlan) Judge(steps []Spent) TrialResult {
	r := TrialResult{Verdict: TrialPassed, ToScript: -1}
	before, known, worst := 0, true, 0
	for i := range p.Steps {
		step, s := &p.Steps[i], Spent{Is: "skipped"}
		if i < len(steps) {
			s = step.count(steps[i])
		}
		r.Minutes += s.Minutes
		r.Overhead += s.Over
		if step.Must && s.Is != "done" {
			r.Missing = append(r.Missing, step.ID)
		}
		if s.Unclear != "" {
			r.Unclear = append(r.Unclear, step.ID)
		}
		known = known && s.Unclear == ""
		switch {
		case s.Unclear == "overhead":
			worst += s.Minutes
		case s.Unclear != "" && step.Counts != "none":
			worst += p.Minutes
		default:
			worst += s.Over
		}
		if step.Script && s.Is == "done" && known {
			r.ToScript = before + s.Over
		}
		before += s.Minutes
	}
	switch {
	case r.Overhead > p.Overhead:
		r.Verdict = TrialUnfit
	case len(r.Missing) > 0:
		r.Verdict = TrialFailed
	case worst > p.Overhead:
		r.Verdict = TrialOpen
	}
	return r
}

// Tried is a trial that was told in one line.
type Tried struct {
	Steps  []Spent // none when nothing was told
	Result TrialResult
	Reply  Reply
}

// Trial judges a trial outside of any conversation: "create 3, connect 5, run
// 40/25, watch 5, save 10, stop 5, restore 12", minutes each, behind the stroke
// those on installing and searching. Without minutes the reply is the plan. Of
// the message count the language and the time.
func (a *Advisor) Trial(said string, m Message) Tried {
	t := a.aside(m)
	steps := t.book.Trial.readSteps(said)
	t.because("trial")
	if len(steps) == 0 {
		t.sayPlan()
		return Tried{Reply: t.reply}
	}
	t.sayTrialVerdict(steps, Trial{})
	return Tried{steps, t.book.Trial.Judge(steps), t.reply}
}

// readSteps reads the short form; nil when no step is named with its minutes.
func (p *TrialPlan) readSteps(said string) []Spent {
	const longest = 1000 // bytes
	line := text.Normal(said[:min(len(said), longest)]).Text
	steps := make([]Spent, len(p.Steps))
	any := false
	at := 0
	for i := range p.Steps {
		steps[i] = Spent{Is: "skipped"}
		begin, end := p.Steps[i].named(line[at:])
		if begin < 0 {
			continue
		}
		at += end
		minutes, over, n := shortMinutes(line[at:])
		if n == 0 {
			continue
		}
		any, at = true, at+n
		steps[i] = p.Steps[i].count(Spent{Is: "done", Minutes: minutes, Over: max(over, 0)})
		if over < 0 && p.Steps[i].Counts == "part" {
			steps[i].Unclear = "overhead"
		}
	}
	if !any {
		return nil
	}
	return steps
}

// named finds the first mention of the step, the longest of its names there.
func (s *TrialStep) named(line string) (begin, end int) {
	begin = -1
	for _, name := range s.Names {
		name = text.Normal(name).Text
		at := wordIn(line, name)
		if at >= 0 && (begin < 0 || at < begin || at == begin && at+len(name) > end) {
			begin, end = at, at+len(name)
		}
	}
	return begin, end
}

// shortMinutes reads "=40/25", with or without the stroke; over is -1 without.
// n is how many bytes that took.
func shortMinutes(s string) (minutes, over, n int) {
	number := func() int {
		from := n
		for n < len(s) && s[n] >= '0' && s[n] <= '9' {
			n++
		}
		v, err := strconv.Atoi(s[from:n])
		if err != nil || v > longestStep {
			return longestStep
		}
		return v
	}
	digit := func() bool { return n < len(s) && s[n] >= '0' && s[n] <= '9' }
	for n < len(s) && slices.Contains([]byte(" =:"), s[n]) {
		n++
	}
	if !digit() {
		return 0, 0, 0
	}
	minutes, over = number(), -1
	if n+1 < len(s) && s[n] == '/' && s[n+1] >= '0' && s[n+1] <= '9' {
		n++
		over = number()
	}
	return minutes, over, n
}
