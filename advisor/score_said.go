package advisor

import (
	"regexp"
	"slices"
	"strconv"
	"strings"

	"gpuadvisor/advisor/text"
)

// The short form of a score: "A: 0.9 0.8 0.7 0.9; B: 波动 2%, 掉线 1, 20 分钟首响,
// SLA 99.95, 有赔偿". Names of inputs and dimensions are data (rules/score.yaml);
// here is how numbers, yes and no find their name.

var (
	candidateBreak = regexp.MustCompile(`\n|;|\||\bvs\.?\s`)
	clauseBreak    = regexp.MustCompile(`[,。、!?]\s*|\.\s+`)
	nameMarks      = " .,:-\t()#*•>"
)

// candidates reads every candidate of a text, what it says only by the vendor's
// word, and the figures that cannot be.
func (b *Rulebook) candidates(said string) (cs []Candidate, claims, absurd []string) {
	if len(said) > maxScored {
		said = said[:maxScored]
	}
	line := text.Normal(strings.ToValidUTF8(said, ""))
	for _, part := range candidateBreak.Split(line.Text, -1) {
		c := Candidate{Given: map[string]float64{}}
		head, rest, colon := strings.Cut(part, ":")
		if colon && len(b.scoreItems(head)) == 0 {
			c.Name, part = asWritten(line, head), rest
		}
		var all []scoreItem
		for i, clause := range clauseBreak.Split(part, -1) {
			if b.claimed(clause) {
				claims = append(claims, asWritten(line, clause))
				continue
			}
			items := b.scoreItems(clause)
			if i == 0 && !colon && len(items) > 0 {
				c.Name = asWritten(line, clause[:items[0].at])
			}
			if !b.pair(items, c.Given) {
				absurd = append(absurd, asWritten(line, clause))
			}
			all = append(all, items...)
		}
		b.fourNumbers(all, c.Given)
		if len(c.Given) > 0 {
			cs = append(cs, c)
		}
	}
	return cs, claims, absurd
}

// asWritten is the original of a piece of a text, without the marks around it.
func asWritten(line text.Line, piece string) string {
	piece = strings.Trim(piece, nameMarks)
	at := strings.Index(line.Text, piece)
	if piece == "" || at < 0 {
		return piece
	}
	return line.Original(at, at+len(piece))
}

// maxScored is how much of a text is read for a score, in bytes.
const maxScored = 4 << 10

func (b *Rulebook) claimed(clause string) bool {
	return slices.ContainsFunc(b.Scoring.Claims, func(w string) bool { return wordIn(clause, text.Normal(w).Text) >= 0 })
}

// scoreItem is something with a meaning in a clause: the name of an input or of
// a dimension, a number, a yes or a no.
type scoreItem struct {
	at, end int
	id      string // of an input or a dimension
	yes, no bool
	value   float64
	percent bool
}

func (i scoreItem) isName() bool { return i.id != "" }

// scoreItems finds them in order, longer names before shorter ones.
func (b *Rulebook) scoreItems(clause string) []scoreItem {
	var items []scoreItem
	free := func(at, end int) bool {
		return !slices.ContainsFunc(items, func(o scoreItem) bool { return at < o.end && o.at < end })
	}
	for _, w := range b.scoreNames {
		for from := 0; from < len(clause); {
			i := wordIn(clause[from:], w.name)
			if i < 0 {
				break
			}
			at, end := from+i, from+i+len(w.name)
			if free(at, end) {
				items = append(items, scoreItem{at: at, end: end, id: w.id, yes: w.yes, no: w.no})
			}
			from = end
		}
	}
	for _, m := range b.scoreNumber.FindAllStringSubmatchIndex(clause, -1) {
		if !free(m[0], m[1]) || m[0] > 0 && latin(clause[m[0]-1]) {
			continue
		}
		unit := ""
		if m[2] >= 0 {
			unit = clause[m[2]:m[3]]
		}
		digits := strings.TrimSpace(strings.TrimSuffix(clause[m[0]:m[1]], unit))
		v, err := strconv.ParseFloat(strings.TrimPrefix(digits, "+"), 64)
		if err == nil {
			items = append(items, scoreItem{at: m[0], end: m[1], value: v * b.minutes(unit), percent: unit == "%"})
		}
	}
	slices.SortFunc(items, func(x, y scoreItem) int { return x.at - y.at })
	return items
}

// scoreNumbers finds a figure with its unit; compiled once.
func (b *Rulebook) scoreNumbers() *regexp.Regexp {
	units := []string{"%"}
	for _, u := range b.Scoring.Units {
		for _, name := range u.Names {
			if name = regexp.QuoteMeta(text.Normal(name).Text); latin(name[0]) {
				name += `\b`
			}
			units = append(units, name)
		}
	}
	slices.SortFunc(units, func(x, y string) int { return len(y) - len(x) })
	return regexp.MustCompile(`[-+]?\d+(?:\.\d+)?(?:e\d+)?\s*(` + strings.Join(units, "|") + `)?`)
}

// minutes brings a length of time to minutes; other units stay.
func (b *Rulebook) minutes(unit string) float64 {
	for _, u := range b.Scoring.Units {
		if slices.ContainsFunc(u.Names, func(name string) bool { return text.Normal(name).Text == unit }) {
			return u.Minutes
		}
	}
	return 1
}

// scoreWord is a spelling with its meaning.
type scoreWord struct {
	name, id string
	yes, no  bool
}

// scoreWords lists every spelling, longer ones first.
func (b *Rulebook) scoreWords() []scoreWord {
	var out []scoreWord
	add := func(names []string, w scoreWord) {
		for _, n := range names {
			w.name = text.Normal(n).Text
			out = append(out, w)
		}
	}
	for _, d := range b.Scoring.Dimensions {
		add(d.Names, scoreWord{id: d.ID})
		for _, in := range d.Inputs {
			add(in.Names, scoreWord{id: in.ID})
		}
	}
	add(b.Scoring.YesWords, scoreWord{yes: true})
	add(b.Scoring.NoWords, scoreWord{no: true})
	slices.SortStableFunc(out, func(x, y scoreWord) int { return len(y.name) - len(x.name) })
	return out
}

// pair gives each name its value. A value stands behind its name in one habit
// and before it in the other ("cv 2%", "20 分钟首响"); the reading of the clause
// that leaves fewer names without one wins, and a tie goes to the value behind.
// It reports whether every figure can be; one that cannot is left out.
func (b *Rulebook) pair(items []scoreItem, into map[string]float64) (sound bool) {
	sound = true
	behind, before := b.paired(items, 1), b.paired(items, -1)
	if len(before) > len(behind) {
		behind = before
	}
	for id, v := range behind {
		if in := b.measure(id); in != nil && in.Kind != "yes-no" && !in.holds(v) || in == nil && !(v >= 0 && v <= 1) {
			sound = false
			continue
		}
		into[id] = v
	}
	for _, it := range items {
		if in := b.measure(it.id); in != nil && in.Kind == "yes-no" && !given(into, in.ID) {
			into[in.ID] = 1 // named without more: it is there
		}
	}
	return sound
}

func (b *Rulebook) paired(items []scoreItem, side int) map[string]float64 {
	out, used := map[string]float64{}, map[int]bool{}
	for _, way := range []int{side, -side} {
		for i, it := range items {
			j := i + way
			if !it.isName() || given(out, it.id) || j < 0 || j >= len(items) || items[j].isName() || used[j] {
				continue
			}
			if v, ok := b.valueFor(it.id, items[j]); ok {
				out[it.id] = v
				used[j] = true
			}
		}
	}
	return out
}

// valueFor reads a value as its name wants it: a score from 0 to 1 for a
// dimension, a figure, or yes and no.
func (b *Rulebook) valueFor(id string, v scoreItem) (float64, bool) {
	word := v.yes || v.no
	in := b.measure(id)
	switch {
	case in == nil: // a dimension
		if v.percent {
			v.value /= 100
		}
		return v.value, !word
	case in.Kind == "yes-no":
		return map[bool]float64{true: 1}[v.yes], word
	case word:
		if v.no && in.None != nil {
			return *in.None, true
		}
		return 0, false
	}
	return v.value, true
}

// fourNumbers reads what is nothing but a score for each dimension.
func (b *Rulebook) fourNumbers(items []scoreItem, into map[string]float64) {
	dims := b.Scoring.Dimensions
	if len(items) != len(dims) {
		return
	}
	for _, it := range items {
		if it.isName() || it.yes || it.no || it.value < 0 || it.value > 1 {
			return
		}
	}
	for i, d := range dims {
		into[d.ID] = items[i].value
	}
}

func (b *Rulebook) measure(id string) *Measure {
	for i := range b.Scoring.Dimensions {
		for j := range b.Scoring.Dimensions[i].Inputs {
			if in := &b.Scoring.Dimensions[i].Inputs[j]; in.ID == id {
				return in
			}
		}
	}
	return nil
}

func (b *Rulebook) dimension(id string) *Dimension {
	for i := range b.Scoring.Dimensions {
		if d := &b.Scoring.Dimensions[i]; d.ID == id {
			return d
		}
	}
	return nil
}
