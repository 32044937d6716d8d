package advisor

import (
	"math"
	"strconv"
	"strings"

	"gpuadvisor/advisor/text"
)

// The dialogue behind a score, for who has no figures at hand, and the words of
// the result.

// asked lists the inputs that the dialogue asks for.
func (s *Scoring) asked() []*Measure {
	var out []*Measure
	for i := range s.Dimensions {
		for j := range s.Dimensions[i].Inputs {
			if in := &s.Dimensions[i].Inputs[j]; len(in.Ask) > 0 {
				out = append(out, in)
			}
		}
	}
	return out
}

// wantsNumber reports whether the open item is answered with a figure, so that
// a typed 1 is the figure and not the first choice.
func (t *turn) wantsNumber() bool {
	asked := t.book.Scoring.asked()
	n := len(t.c.Flow.Ticks)
	return t.c.Flow.Kind == "score" && n < len(asked) && asked[n].Kind == "number"
}

// scoreItem asks for the next input, or gives the result. What the advice knows
// is not asked.
func (t *turn) scoreItem() {
	t.reply.Act = "answer"
	t.r.Intent = "platform"
	t.because("score")
	asked := t.book.Scoring.asked()
	for len(t.c.Flow.Ticks) < len(asked) && asked[len(t.c.Flow.Ticks)].From != "" {
		used := t.usedShare(t.c.Flow.ID)
		if used == 0 {
			break
		}
		t.note("score.from-advice", "title", asked[len(t.c.Flow.Ticks)].Title, "n", number(math.Round(used)))
		t.c.Flow.tick(Tick{Is: "yes", Note: number(math.Round(used))})
	}
	n := len(t.c.Flow.Ticks)
	if n >= len(asked) {
		t.scoreTicks(asked)
		return
	}
	in := asked[n]
	t.note("score.place", "n", n+1, "of", len(asked))
	t.reply.Parts = append(t.reply.Parts, Part{Kind: "question", Text: in.Ask.In(t.lang)})
	if in.Kind == "number" {
		t.offerFlow("unknown")
		return
	}
	t.offerFlow("yes", "no", "unknown")
}

// scoreTicks scores the answers of the dialogue.
func (t *turn) scoreTicks(asked []*Measure) {
	c := Candidate{Name: t.c.Flow.ID, Given: map[string]float64{}}
	for i, tick := range t.c.Flow.Ticks {
		if v, ok := t.book.fromTick(asked[i], tick); ok {
			c.Given[asked[i].ID] = v
		}
	}
	if len(c.Given) == 0 {
		t.text("score.nothing")
		t.endFlow()
		return
	}
	t.finishScores(&Scored{Candidates: []Candidate{c}, Best: -1})
	t.endFlow()
}

// fromTick reads the answer to an input.
func (b *Rulebook) fromTick(m *Measure, tick Tick) (float64, bool) {
	if tick.Is == "unknown" {
		return 0, false
	}
	if m.Kind == "yes-no" {
		return map[bool]float64{true: 1}[tick.Is == "yes"], true
	}
	if tick.Is == "no" && m.None != nil {
		return *m.None, true
	}
	n := b.scoreNumber.FindStringSubmatch(text.Normal(tick.Note).Text)
	if n == nil {
		return 0, false
	}
	v, err := strconv.ParseFloat(strings.TrimPrefix(strings.TrimSpace(strings.TrimSuffix(n[0], n[1])), "+"), 64)
	v *= b.minutes(n[1])
	return v, err == nil && m.holds(v)
}

// scoreAnswer takes an answer to the open input, or says which one it needs and
// leaves the input open.
func (t *turn) scoreAnswer(tick Tick) {
	asked := t.book.Scoring.asked()
	if n := len(t.c.Flow.Ticks); n < len(asked) && tick.Is != "unknown" {
		in := asked[n]
		_, ok := t.book.fromTick(in, tick)
		switch {
		case in.Kind == "number" && !ok:
			t.text("score.needs-number", "most", number(in.Most)+t.book.say(t.lang, "score.unit."+in.Unit))
			t.scoreItem()
			return
		case in.Kind == "yes-no" && tick.Note != "":
			t.text("score.needs-yes")
			t.scoreItem()
			return
		}
	}
	t.c.Flow.tick(tick)
	t.scoreItem()
}

// sayAbsurd names the figures that were left out.
func (t *turn) sayAbsurd(s Scored) {
	if len(s.Absurd) > 0 {
		t.text("score.absurd", "list", t.book.list(t.lang, s.Absurd))
	}
}

func (t *turn) sayScores(s Scored) {
	t.heading("score.title")
	t.reply.Parts = append(t.reply.Parts, Part{Kind: "table", Rows: t.scoreRows(s.Candidates)})
	for _, c := range s.Candidates {
		t.sayCandidate(c)
		t.because("score." + c.Verdict)
	}
	if s.Best >= 0 {
		t.text("score.best", "name", s.Candidates[s.Best].Name, "n", number(s.Candidates[s.Best].Product))
	} else if len(s.Candidates) > 1 {
		t.text("score.no-best")
	}
	t.sayAbsurd(s)
	if len(s.Claims) > 0 {
		t.text("score.claims", "list", t.book.list(t.lang, s.Claims))
	}
	t.note("score.read")
	t.note("score.own")
}

// scoreRows puts the candidates side by side.
func (t *turn) scoreRows(cs []Candidate) [][]string {
	say := func(key string) string { return t.book.say(t.lang, key) }
	head, product, verdict := []string{""}, []string{say("score.product")}, []string{say("score.verdict")}
	for _, c := range cs {
		head = append(head, c.Name)
		product = append(product, scoreOr(c.Product, len(c.Missing) == 0))
		verdict = append(verdict, say("score.verdict."+c.Verdict))
	}
	rows := [][]string{head}
	for _, d := range t.book.Scoring.Dimensions {
		row := []string{d.Title.In(t.lang)}
		for _, c := range cs {
			v, ok := c.Scores[d.ID]
			row = append(row, scoreOr(v, ok))
		}
		rows = append(rows, row)
	}
	return append(rows, product, verdict)
}

func scoreOr(v float64, ok bool) string {
	if !ok {
		return "?"
	}
	return number(math.Round(v*100) / 100)
}

// sayCandidate says what holds a candidate back and what would lift it.
func (t *turn) sayCandidate(c Candidate) {
	if c.Weakest != "" {
		d := t.book.dimension(c.Weakest)
		t.text("score."+c.Verdict, "name", c.Name, "dim", d.Title, "n", scoreOr(c.Scores[d.ID], true), "gate", number(t.book.Scoring.Gate), "by", t.decidedBy(c, d.ID))
		if c.Scores[d.ID] < 1 {
			t.text("score.lift", "lift", d.Lift)
		}
	}
	if len(c.Missing) > 0 {
		var titles []string
		for _, id := range c.Missing {
			titles = append(titles, t.book.dimension(id).Title.In(t.lang))
		}
		t.text("score.missing", "name", c.Name, "list", t.book.list(t.lang, titles))
	}
	if len(c.Assumed) > 0 {
		var titles []string
		for _, id := range c.Assumed {
			titles = append(titles, t.book.measure(id).Title.In(t.lang))
		}
		t.note("score.assumed", "list", t.book.list(t.lang, titles))
	}
}

// decidedBy names the figure behind a score: " (drops in 30 days: 3)".
func (t *turn) decidedBy(c Candidate, dim string) string {
	in := t.book.measure(c.Decided[dim])
	switch {
	case in == nil:
		return ""
	case in.Kind == "yes-no":
		word := "choice.no"
		if c.Given[in.ID] > 0 {
			word = "choice.yes"
		}
		return t.book.say(t.lang, "score.by", "title", in.Title, "v", t.book.say(t.lang, word))
	}
	return t.book.say(t.lang, "score.by", "title", in.Title, "v", number(c.Given[in.ID])+t.book.say(t.lang, "score.unit."+in.Unit))
}
