package advisor

import (
	"regexp"
	"slices"
	"strconv"
	"strings"

	"gpuadvisor/advisor/text"
)

// stepAnswer is what a message says of the open step of a trial.
type stepAnswer struct {
	is      string // done skip stuck waiting script explain toy cv memory more none half all late; "" nothing
	minutes int    // as said
	timed   bool   // and they were
	stuck   bool   // done, after a problem
	peak    float64
	ram     float64
	cv      float64
}

// readStep reads a text, or the ref of a choice, for the open step.
func (t *turn) readStep(said string) stepAnswer {
	if a, ok := t.tappedStep(said); ok {
		return a
	}
	line := text.Normal(said).Text
	if m := cvSaid.FindStringSubmatch(line); m != nil {
		if v, err := strconv.ParseFloat(m[1], 64); err == nil && v <= 100 {
			return stepAnswer{is: "cv", cv: v}
		}
	}
	a := t.book.Trial.stepWords(line)
	plain := t.plainStep(line)
	if a.is == "explain" && len([]rune(said)) <= shortAnswer {
		plain = a.is
	}
	if plain != "skip" && plain != "explain" && t.besides(said, line, a) {
		return stepAnswer{}
	}
	a.minutes, a.timed = saidMinutes(line)
	step := t.openStep()
	switch {
	case t.c.Trial.Asks != "":
		return t.readRest(line, plain, a)
	case step == nil:
		return stepAnswer{}
	case step.isToy(line):
		return stepAnswer{is: "toy"}
	}
	t.stepFigures(&a, step, said, line)
	if a.is == "" || plain == "skip" || plain == "explain" {
		a.is = plain
	}
	return a
}

// tappedStep reads a choice: one that was tapped, or its words.
func (t *turn) tappedStep(said string) (stepAnswer, bool) {
	if step, what, ok := strings.Cut(said, "."); ok && step == strconv.Itoa(len(t.c.Trial.Steps)) && t.offersStep(what) {
		return stepAnswer{is: what}, true
	}
	if t.m.Kind == KindChoice {
		if strings.HasPrefix(t.m.Choice, flowRef) {
			return stepAnswer{is: "late"}, true // of a step that is over
		}
		return stepAnswer{}, true
	}
	for _, c := range t.stepChoices() {
		if strings.EqualFold(said, t.stepLabel(c)) {
			return stepAnswer{is: c}, true
		}
	}
	return stepAnswer{}, false
}

// stepFigures reads what was measured, and whether a length of time alone ends the step.
func (t *turn) stepFigures(a *stepAnswer, step *TrialStep, said, line string) {
	noCard := len(t.r.Facts.GPUNamed.Value) == 0
	switch {
	case step.Asks == "memory":
		if a.peak = usedOfTotal(line); a.peak == 0 && noCard {
			a.peak, a.ram = t.book.Trial.memorySaid(line)
		}
		if a.peak+a.ram > 0 {
			a.is = "memory"
		}
	case a.is == "script" && !step.Script:
		a.is = "done"
	case (a.is == "" || a.is == "done") && t.book.Trial.namesMemory(line) && noCard:
		if a.peak, a.ram = t.book.Trial.memorySaid(line); a.is == "" && a.peak+a.ram > 0 {
			a.is = "figures" // of a step to come
		}
	case a.is == "" && a.timed && (len([]rune(said)) <= shortAnswer || t.book.onlyTime(said)):
		if _, prepared := lastWord(line, t.book.Trial.Words.Preparing); prepared == 0 {
			a.is = "done"
		}
	}
}

// isStepChoice reports whether a choice of a trial's step was tapped, or its
// words are no more than what a step is answered with.
func (t *turn) isStepChoice() bool {
	ref, ok := strings.CutPrefix(t.m.Choice, flowRef)
	step, _, dotted := strings.Cut(ref, ".")
	_, err := strconv.Atoi(step)
	return t.m.Kind == KindChoice && ok && dotted && err == nil
}

// shortAnswer is how long an answer is that has only a length of time, in
// characters.
const shortAnswer = 16

// onlyTime reports whether a text is a length of time and no more: "a quarter of
// an hour".
func (b *Rulebook) onlyTime(said string) bool {
	_, ok := b.lengthOf(said)
	return ok
}

// offersStep reports whether the open step has that choice.
func (t *turn) offersStep(what string) bool { return slices.Contains(t.stepChoices(), what) }

var cvSaid = regexp.MustCompile(`\bcv\b[^0-9]{0,6}([0-9]{1,3}(?:\.[0-9]+)?)`)

// besides reports whether a text is about something else than the open step.
// Billing that has stopped is no question about money.
func (t *turn) besides(said, line string, a stepAnswer) bool {
	switch t.r.Intent {
	case "cost":
		if _, asks := lastWord(line, t.book.Trial.Words.Asking); a.is == "" || asks > 0 {
			return true
		}
	case "remind", "compare", "platform", "help":
		return true
	}
	return t.r.Hostile || said == "" || len([]rune(said)) > 3*longestNote || strings.ContainsAny(said, "?？") || strings.HasSuffix(said, "吗")
}

// stepWords finds how a step went. What stands last counts: "it failed first,
// works now" is done.
func (p *TrialPlan) stepWords(line string) stepAnswer {
	fails, stuck := lastWord(line, p.Words.Stuck)
	done, end := lastWord(line, p.Words.Done)
	_, waits := lastWord(line[:stuck], p.Words.Waiting)
	switch {
	case waits > fails && end <= stuck: // not yet connected is not failed
		return stepAnswer{is: "waiting"}
	case end > 0 && done >= stuck && !inWord(line, p.Words.Waiting, end):
		return stepAnswer{is: "done", stuck: stuck > 0}
	case stuck > 0:
		return stepAnswer{is: "stuck"}
	}
	for _, w := range []struct {
		is    string
		words []string
	}{{"script", p.Words.Script}, {"waiting", p.Words.Waiting}, {"explain", p.Words.Explain}} {
		if _, end := lastWord(line, w.words); end > 0 {
			return stepAnswer{is: w.is}
		}
	}
	return stepAnswer{}
}

// lastWord finds where the last of the words begins and ends in a line, 0 and 0
// for none.
func lastWord(line string, words []string) (begin, end int) {
	for _, w := range words {
		w = text.Normal(w).Text
		for from := 0; ; {
			i := wordIn(line[from:], w)
			if i < 0 {
				break
			}
			if i += from; i+len(w) > end {
				begin, end = i, i+len(w)
			}
			from = i + 1
		}
	}
	return begin, end
}

// inWord reports whether a word such as "not yet" stands before end in its
// clause.
func inWord(line string, words []string, end int) bool {
	from := strings.LastIndexAny(line[:end], ",.;!") + 1
	_, found := lastWord(line[from:end], words)
	return found > 0
}

// saidMinutes is the length of time that a text names, in minutes.
func saidMinutes(line string) (int, bool) {
	for _, q := range text.Quantities(line, nil) {
		if q.Unit == text.Hours && !q.Vague && !q.Clock && q.Hi >= 0 && q.Hi <= longestStep/60 {
			return int(q.Hi*60 + 0.5), true
		}
	}
	return 0, false
}

// plainStep reads a bare yes or no, and the orders that count only while a
// dialogue goes on.
func (t *turn) plainStep(line string) string {
	e := t.book.listen(line, Asked{})
	word := e.bare()
	switch yes, ok := e.plainAnswer(word); {
	case ok && yes:
		return "done"
	case ok:
		return "stuck"
	}
	for _, order := range []struct{ command, is string }{{"skip", "skip"}, {"dontknow", "skip"}, {"explain", "explain"}, {"why", "explain"}, {"more", "more"}} {
		if e.wordIs(word, "command", order.command) && (order.is != "more" || t.offersStep("more")) {
			return order.is
		}
	}
	return ""
}

// namesMemory reports whether a line says that a figure is of VRAM or RAM.
func (p *TrialPlan) namesMemory(line string) bool {
	_, vram := lastWord(line, p.Words.VRAM)
	_, ram := lastWord(line, p.Words.RAM)
	return vram+ram > 0
}

func (s *TrialStep) isToy(line string) bool {
	_, end := lastWord(line, s.Toys)
	return end > 0
}

// readRest reads an answer to what is still asked of the last step: minutes,
// with or without the word.
func (t *turn) readRest(line, plain string, a stepAnswer) stepAnswer {
	if !a.timed {
		if n := leadingNumber(line); number(n) == strings.TrimSpace(line) && n <= longestStep {
			a.minutes, a.timed = int(n), true
		}
	}
	if a.timed {
		a.is = "done"
		return a
	}
	switch {
	case plain == "skip":
		return stepAnswer{is: "skip"}
	case t.c.Trial.Asks == "overhead" && plain == "stuck":
		return stepAnswer{is: "none"} // "no": nothing of it
	}
	return stepAnswer{}
}

// usedOfTotal is the largest reading in lines such as "0, …, 18637 MiB, 24564
// MiB", as the query prints them, in GiB; 0 when there is none.
func usedOfTotal(line string) float64 {
	most := 0.0
	for _, m := range usedAndTotal.FindAllStringSubmatch(line, -1) {
		used, _ := strconv.ParseFloat(m[1], 64)
		total, _ := strconv.ParseFloat(m[2], 64)
		if used >= restMiB && used <= total {
			most = max(most, used/1024)
		}
	}
	return most
}

var usedAndTotal = regexp.MustCompile(`\b([0-9]{1,7}) ?mib *[,/] *([0-9]{1,7}) ?mib`)

// memoryItem is a figure in a line about memory.
type memoryItem struct {
	at    int
	ram   bool
	named bool
	value float64
}

// memorySaid reads "VRAM 18.2, RAM 30", in GiB and GB. A number without a name
// is the card's, a second one the host's; large bare ones are MiB.
func (p *TrialPlan) memorySaid(line string) (peak, ram float64) {
	items := memoryItems(line)
	p.nameMemory(line, items)
	for i, it := range items {
		switch {
		case it.ram, !it.named && i > 0 && peak > 0:
			ram = it.value
		case peak == 0:
			peak = it.value
		}
	}
	return peak, ram
}

// memoryItems are the figures of a line that can be of memory.
func memoryItems(line string) (items []memoryItem) {
	for _, q := range text.Quantities(line, nil) {
		v := q.Hi
		switch {
		case q.Vague || q.Unit != text.GB && q.Unit != text.Bare && q.Unit != text.Times:
			continue
		case q.Unit == text.Bare && v >= 600:
			v /= 1024
		}
		if v > 0 && v < 1e4 {
			items = append(items, memoryItem{at: q.Start, value: v})
		}
	}
	return items
}

// nameMemory tells which figures are of the card and which of the host, by the names
// before them, or behind them where the first figure goes before every name.
func (p *TrialPlan) nameMemory(line string, items []memoryItem) {
	first, named := firstWord(line, append(p.Words.RAM[:len(p.Words.RAM):len(p.Words.RAM)], p.Words.VRAM...))
	for i := range items {
		from, to := 0, items[i].at
		if i > 0 {
			from = items[i-1].at
		}
		if named > 0 && items[0].at < first {
			if from, to = items[i].at, len(line); i+1 < len(items) {
				to = items[i+1].at
			}
		}
		_, vram := firstWord(line[from:to], p.Words.VRAM)
		_, ram := firstWord(line[from:to], p.Words.RAM)
		items[i].ram, items[i].named = ram > 0 && vram == 0, ram+vram > 0
	}
}

// firstWord finds the first of the words in a line, the longest there; 0 and 0
// for none.
func firstWord(line string, words []string) (begin, end int) {
	for _, w := range words {
		w = text.Normal(w).Text
		i := wordIn(line, w)
		if i >= 0 && (end == 0 || i < begin || i == begin && i+len(w) > end) {
			begin, end = i, i+len(w)
		}
	}
	return begin, end
}
