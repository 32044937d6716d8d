package advisor

import (
	"math"
	"regexp"
	"slices"
	"strings"
)

// Is this platform any good. Reliability is the product of four dimensions,
// fit × stability × value × support, each from 0 to 1, and any that is below
// the gate forbids the rent whatever the product says. A dimension is scored by
// what was measured against the anchors of rules/score.yaml, or given as a
// number. What a vendor says of itself is no measurement and is left out.

// Scoring is how reliability is measured.
type Scoring struct {
	Gate       float64     `yaml:"gate" rule:"min=0,max=1"`
	Most       int         `yaml:"most"` // candidates side by side
	Dimensions []Dimension `yaml:"dimensions"`
	Claims     []string    `yaml:"claims"` // words that make a figure a vendor's own
	YesWords   []string    `yaml:"yes_words"`
	NoWords    []string    `yaml:"no_words"`
	Units      []ScoreUnit `yaml:"units"` // of time, beside a figure
	Provenance `yaml:",inline"`
}

// ScoreUnit is a unit of time.
type ScoreUnit struct {
	Names   []string `yaml:"names"`
	Minutes float64  `yaml:"minutes" rule:"min=0"` // in one of it
}

// Dimension is one factor of the product.
type Dimension struct {
	ID      string     `yaml:"id" rule:"id"`
	Names   []string   `yaml:"names"`
	Title   Text       `yaml:"title"`
	Combine string     `yaml:"combine" rule:"enum=min|count"` // the worst of its inputs, or by how many groups pass
	Lift    Text       `yaml:"lift"`                          // what would raise it
	Groups  [][]string `yaml:"groups,omitempty"`              // of inputs, for count
	ByCount []float64  `yaml:"by_count,omitempty"`            // score by the number of groups that pass
	Floor   *Floored   `yaml:"floor,omitempty"`
	Needed  []string   `yaml:"needed,omitempty"` // inputs whose 0 is the dimension's
	Inputs  []Measure  `yaml:"inputs"`
}

// Floored is the least score of a dimension when some inputs reach the gate.
type Floored struct {
	Score  float64  `yaml:"score" rule:"min=0,max=1"`
	Inputs []string `yaml:"inputs"`
}

// Measure is one thing that can be measured or looked up.
type Measure struct {
	ID      string   `yaml:"id" rule:"id"`
	Names   []string `yaml:"names"`
	Kind    string   `yaml:"kind" rule:"enum=number|yes-no|amount"`
	Unit    string   `yaml:"unit,omitempty"`
	Most    float64  `yaml:"most,omitempty" rule:"min=0"` // beyond it, or below 0, a figure is a slip and is not taken
	Title   Text     `yaml:"title"`
	Ask     Text     `yaml:"ask,omitempty"`     // asked in the dialogue when there is a text
	Anchors []Anchor `yaml:"anchors,omitempty"` // of a number, the best first
	IfYes   float64  `yaml:"if_yes,omitempty"`
	IfNo    float64  `yaml:"if_no,omitempty"`
	Assume  float64  `yaml:"assume,omitempty"` // score that stands in when nothing is said, and is said aloud
	None    *float64 `yaml:"none,omitempty"`   // figure that a plain no stands for
	Into    string   `yaml:"into,omitempty"`   // of an amount: the number that its excess over the lowest, in per cent, is
	From    string   `yaml:"from,omitempty" rule:"enum=advice"`
}

// Anchor is a figure that still earns a score.
type Anchor struct {
	At    float64 `yaml:"at"`
	Score float64 `yaml:"score" rule:"min=0,max=1"`
}

// Candidate is one platform being scored.
type Candidate struct {
	Name    string
	Given   map[string]float64 // what was read: scores by dimension, figures by input, yes 1 and no 0
	Scores  map[string]float64 // by dimension
	Decided map[string]string  // dimension → the input that decided
	Missing []string           // dimensions of which nothing is known
	Assumed []string           // inputs that were taken for granted
	Product float64            // 0 when a dimension is missing
	Weakest string             // dimension; the first of equals
	Verdict string             // rent, reject, incomplete
}

// Scored is a comparison.
type Scored struct {
	Candidates []Candidate
	Best       int      // place of the best that may be rented; -1 for none, or when there is only one
	Claims     []string // what was left out, as written
	Absurd     []string // likewise: figures that cannot be
	Reply      Reply
}

// Score reads and scores up to four candidates outside of any conversation:
// "A: 0.9 0.8 0.7 0.9; B: cv 2%, drops 1, reply 20 min …". Nothing to score
// gives no candidates and a reply that says how.
func (a *Advisor) Score(said string, m Message) Scored {
	t := a.aside(m)
	s := t.scoreText(said)
	if len(s.Candidates) == 0 {
		t.text("score.how")
	}
	s.Reply = t.reply
	return s
}

// score answers /score: with figures the result, else the dialogue.
func (t *turn) score() {
	t.r.Intent = "platform"
	t.reply.Act = "answer"
	if s := t.scoreText(t.r.Arg); len(s.Candidates) > 0 {
		t.resume()
		return
	}
	t.reply.Because = nil
	t.text("score.how")
	name := []rune(strings.TrimSpace(t.r.Arg))
	t.c.Flow = Flow{Kind: "score", ID: string(name[:min(len(name), longestNote)])}
	t.scoreItem()
}

// fourScores matches four figures from 0 to 1 and nothing else.
var fourScores = regexp.MustCompile(`^\s*(?:(?:0?\.\d+|0|1|1\.0+)(?:[\s,，、/×x*]+|$)){4}$`)

// scoreOrder reads a wish for a score that is told without the command: "rate a platform",
// 评个分, or the four figures alone. arg is what it says besides.
func (t *turn) scoreOrder() (arg string, ok bool) {
	said := strings.Trim(t.m.Text, " \t\n.。!！~")
	if t.c.Asked != "" || t.c.Flow.asks() || strings.ContainsAny(said, "?？") {
		return "", false
	}
	if fourScores.MatchString(said) && strings.Contains(said, ".") {
		return said, true
	}
	for _, phrase := range t.book.spellings("score.says") {
		rest, found := cutFold(said, phrase)
		if rest = strings.TrimSpace(rest); found && (rest == "" || t.book.withoutVendors(rest) == "") {
			return rest, true
		}
	}
	return "", false
}

// scoreText scores what a text says and words the result.
func (t *turn) scoreText(said string) Scored {
	s := Scored{Best: -1}
	s.Candidates, s.Claims, s.Absurd = t.book.candidates(said)
	t.because("score")
	if len(s.Candidates) == 0 {
		t.sayAbsurd(s)
		return s
	}
	more := len(s.Candidates) > t.book.Scoring.Most
	s.Candidates = firstOf(s.Candidates, t.book.Scoring.Most)
	t.finishScores(&s)
	if more {
		t.note("score.most", "n", t.book.Scoring.Most)
	}
	return s
}

// finishScores fills in what follows from the figures and words all of it.
func (t *turn) finishScores(s *Scored) {
	t.book.relate(s.Candidates)
	for i := range s.Candidates {
		c := &s.Candidates[i]
		t.fitFromAdvice(c)
		t.book.rate(c)
		if c.Name == "" {
			c.Name = t.book.say(t.lang, "score.candidate", "n", i+1)
		}
	}
	s.Best = bestOf(s.Candidates)
	t.sayScores(*s)
}

// bestOf is the place of the highest product that may be rented.
func bestOf(cs []Candidate) int {
	best := -1
	for i, c := range cs {
		if c.Verdict == "rent" && (best < 0 || c.Product > cs[best].Product) {
			best = i
		}
	}
	if len(cs) < 2 {
		return -1
	}
	return best
}

// fitFromAdvice measures the fit by the job of the conversation: on the card
// that the candidate names, else on the one that was advised.
func (t *turn) fitFromAdvice(c *Candidate) {
	for _, d := range t.book.Scoring.Dimensions {
		for _, in := range d.Inputs {
			if in.From == "" || given(c.Given, d.ID) || given(c.Given, in.ID) {
				continue
			}
			if used := t.usedShare(c.Name); used > 0 {
				c.Given[in.ID] = math.Round(used)
			}
		}
	}
}

// usedShare is the memory that the job needs of what the card can use, in per
// cent; 0 when there is no job yet.
func (t *turn) usedShare(name string) float64 {
	d := t.book.decide(t.c.Facts, t.c.Settled, t.m.At)
	if d == nil || d.stop || len(d.Cards) == 0 {
		return 0
	}
	card := d.best.card
	if named := t.book.cardsNamed(t.book.Read(name, Asked{}).Facts.GPUNamed.Value); len(named) > 0 {
		card = named[0]
	}
	if card == nil || card.Usable() == 0 {
		return 0
	}
	return 100 * d.Need.Total / (float64(card.Usable()) / (1 << 30))
}

// holds reports whether a figure can be one of this input.
func (m *Measure) holds(v float64) bool { return v >= 0 && v <= m.Most }

func given(m map[string]float64, id string) bool { _, ok := m[id]; return ok }

// relate turns amounts into their excess over the lowest of all candidates.
func (b *Rulebook) relate(cs []Candidate) {
	for _, d := range b.Scoring.Dimensions {
		for _, in := range d.Inputs {
			if in.Kind != "amount" {
				continue
			}
			low, n := math.Inf(1), 0
			for _, c := range cs {
				if v := c.Given[in.ID]; v > 0 {
					low, n = min(low, v), n+1
				}
			}
			for i := range cs {
				if v := cs[i].Given[in.ID]; n > 1 && v > 0 && !given(cs[i].Given, in.Into) {
					cs[i].Given[in.Into] = math.Round(1000*(v/low-1)) / 10
				}
			}
		}
	}
}

// rate scores the dimensions, the product and the verdict.
func (b *Rulebook) rate(c *Candidate) {
	c.Scores, c.Decided, c.Product = map[string]float64{}, map[string]string{}, 1
	low := math.Inf(1)
	for i := range b.Scoring.Dimensions {
		d := &b.Scoring.Dimensions[i]
		score, by, ok := b.rateDimension(d, c)
		if !ok {
			c.Missing = append(c.Missing, d.ID)
			continue
		}
		c.Scores[d.ID], c.Decided[d.ID] = score, by
		c.Product *= score
		if score < low {
			low, c.Weakest = score, d.ID
		}
	}
	switch {
	case low < b.Scoring.Gate:
		c.Verdict = "reject"
	case len(c.Missing) > 0:
		c.Verdict = "incomplete"
	default:
		c.Verdict = "rent"
	}
	if len(c.Missing) > 0 {
		c.Product = 0
	}
}

// rateDimension returns the score of a dimension and the input that decided it,
// "" when it was given as a number.
func (b *Rulebook) rateDimension(d *Dimension, c *Candidate) (score float64, by string, ok bool) {
	if v, ok := c.Given[d.ID]; ok {
		return v, "", true
	}
	scores := map[string]float64{}
	worst := math.Inf(1)
	for i := range d.Inputs {
		in := &d.Inputs[i]
		v, ok := c.Given[in.ID]
		if !ok || in.Kind == "amount" {
			continue
		}
		scores[in.ID] = in.score(v, b.Scoring.Gate)
		if scores[in.ID] < worst {
			worst, by = scores[in.ID], in.ID
		}
	}
	if len(scores) == 0 {
		return 0, "", false
	}
	if d.Combine == "min" {
		return worst, by, true
	}
	return d.count(scores, c, b.Scoring.Gate), by, true
}

// count scores a dimension by how many of its groups pass.
func (d *Dimension) count(scores map[string]float64, c *Candidate, gate float64) float64 {
	for _, in := range d.Inputs {
		if in.Assume > 0 && !given(scores, in.ID) {
			scores[in.ID] = in.Assume
			c.Assumed = append(c.Assumed, in.ID)
		}
	}
	for _, id := range d.Needed {
		if v, ok := scores[id]; ok && v == 0 {
			return 0
		}
	}
	passed := 0
	for _, group := range d.Groups {
		if all(group, func(id string) bool { return scores[id] >= 1 }) {
			passed++
		}
	}
	score := d.ByCount[min(passed, len(d.ByCount)-1)]
	if d.Floor != nil && all(d.Floor.Inputs, func(id string) bool { return scores[id] >= gate }) {
		score = max(score, d.Floor.Score)
	}
	return score
}

func all(ids []string, ok func(string) bool) bool {
	return !slices.ContainsFunc(ids, func(id string) bool { return !ok(id) })
}

// score is what a figure earns: the best anchor that it still reaches, and
// below the gate a straight line to the last one.
func (m *Measure) score(v, gate float64) float64 {
	if m.Kind == "yes-no" {
		if v > 0 {
			return m.IfYes
		}
		return m.IfNo
	}
	if len(m.Anchors) == 0 {
		return 0
	}
	sign := 1.0 // less is better
	if m.Anchors[0].At > m.Anchors[len(m.Anchors)-1].At {
		sign = -1
	}
	last := m.Anchors[0]
	for _, a := range m.Anchors {
		if a.Score >= gate && sign*v <= sign*a.At {
			return a.Score
		}
		if a.Score >= gate {
			last = a
			continue
		}
		if sign*v >= sign*a.At {
			return a.Score
		}
		top := min(last.Score, gate)
		return top - (top-a.Score)*(v-last.At)/(a.At-last.At)
	}
	return last.Score
}
