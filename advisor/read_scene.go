package advisor

import (
	"slices"
	"strings"
	"unicode/utf8"

	"gpuadvisor/advisor/text"
)

// token is a name or a quantity in the text, with what the words around do to
// it.
type token struct {
	start, end int
	senses     []text.Sense   // of a name; nil for a quantity
	q          *text.Quantity // of a quantity; nil for a name
	clause     int
	not        bool // ruled out: "不是 7B", "no A100"
	asked      bool // only asked for: "要不要双精度"
	weak       bool // counts only if nothing else says the slot: before a correction
	theirs     bool // somebody else's figure: "readme 写的 8 张"
	used       bool // read already
	minus      int  // bytes of the sign of a number that is less than nothing: "-3 days"
}

// clause is a part of the text between marks.
type clause struct {
	start, end int
	cues       []string // what its words cue
}

// is reports whether a name has this sense.
func (t *token) is(kind, id string) bool {
	for _, s := range t.senses {
		if s.Kind == kind && s.ID == id {
			return true
		}
	}
	return false
}

// sense returns the first sense of a kind, or "".
func (t *token) sense(kind string) string {
	for _, s := range t.senses {
		if s.Kind == kind {
			return s.ID
		}
	}
	return ""
}

func (t *token) cue(id string) bool { return t.is("cue", id) }

// unit reports whether the token is a quantity of one of these units that is
// still to be read.
func (t *token) unit(units ...text.Unit) bool {
	return t.q != nil && !t.used && slices.Contains(units, t.q.Unit)
}

// live reports whether the token's statement stands.
func (t *token) live() bool { return !t.not && !t.theirs && t.minus == 0 }

// minus is the length of the sign before a time, or before a number that is all
// there is, that is less than nothing; 0 for any other. A hyphen that joins
// things is none.
func minus(s string, q *text.Quantity) int {
	if q.Unit != text.Hours && (q.Unit != text.Bare || q.Start > 1) {
		return 0
	}
	head := s[:q.Start]
	for _, sign := range []string{"-", "负", "negative "} {
		before, ok := strings.CutSuffix(head, sign)
		if ok && (sign != "-" || before == "" || hasAnySuffix(before, " ", ",", ":", "(")) {
			return len(sign)
		}
	}
	return 0
}

// maxTokens bounds the work on a text that is all names and numbers.
const maxTokens = 800

// scene finds names and quantities, cuts the text into clauses, and marks what
// is ruled out, replaced or somebody else's.
func (e *ear) scene() {
	names := slices.DeleteFunc(e.withoutSlips(), func(h text.Hit) bool { return onlyAnswers(h.Senses) })
	quantities := text.Quantities(e.s, names)
	regulated := slices.ContainsFunc(names, func(h text.Hit) bool {
		return slices.ContainsFunc(h.Senses, isRuleSense) && !slices.ContainsFunc(h.Senses, isModelSense)
	})
	e.toks = make([]token, 0, len(names)+len(quantities))
	covered := 0
	for (len(names) > 0 || len(quantities) > 0) && len(e.toks) < maxTokens {
		if len(names) > 0 && names[0].Start < covered { // 个人 in 3个人
			names = names[1:]
			continue
		}
		if len(quantities) == 0 || len(names) > 0 && names[0].Start < quantities[0].Start {
			e.toks = append(e.toks, token{start: names[0].Start, end: names[0].End, senses: e.bySpelling(names[0], regulated)})
			names = names[1:]
			continue
		}
		q := quantities[0]
		e.toks = append(e.toks, token{start: q.Start, end: q.End, q: &q, minus: minus(e.s, &q)})
		covered = q.End
		quantities = quantities[1:]
	}
	e.cut()
	e.collectCues()
	e.mark()
}

// maxSlips is how many unknown words of a text are looked at.
const maxSlips = 200

// withoutSlips finds the names, after mending the words that nobody knows and
// that are only mistyped.
func (e *ear) withoutSlips() []text.Hit {
	names := e.book.lexicon.Find(e.s)
	if !e.mend(names) {
		return names
	}
	e.s = e.line.Text
	return e.book.lexicon.Find(e.s)
}

// mend puts the words that were meant into the line. It reports whether there
// were any.
func (e *ear) mend(names []text.Hit) bool {
	mended, shift := false, 0
	for start, seen := 0, 0; start < len(e.s) && seen < maxSlips; {
		if !letter(e.s[start]) {
			start++
			continue
		}
		end := start + 1
		for end < len(e.s) && (letter(e.s[end]) || e.s[end] >= '0' && e.s[end] <= '9') {
			end++
		}
		for len(names) > 0 && names[0].End <= start {
			names = names[1:]
		}
		if len(names) == 0 || names[0].Start >= end {
			seen++
			if word, ok := e.book.slips.Meant(e.s[start:end]); ok {
				e.line = e.line.With(start+shift, end+shift, word)
				mended, shift = true, shift+len(word)-(end-start)
			}
		}
		start = end
	}
	return mended
}

func letter(c byte) bool { return c >= 'a' && c <= 'z' }

// onlyAnswers reports whether a word says something only as an answer: 有, 能, 全
// mean nothing inside a text.
func onlyAnswers(senses []text.Sense) bool {
	return !slices.ContainsFunc(senses, func(s text.Sense) bool {
		return !strings.HasPrefix(s.Kind, "asked.") && (s.Kind != "command" || s.ID != "yes" && s.ID != "no" && s.ID != "ack")
	})
}

// bySpelling tells an acronym from a name that is spelled alike: PHI, the
// health data, from the model Phi. Capitals mean the acronym, and so does
// other talk of rules.
func (e *ear) bySpelling(h text.Hit, regulated bool) []text.Sense {
	model := slices.ContainsFunc(h.Senses, isModelSense)
	if !model || !slices.ContainsFunc(h.Senses, isRuleSense) {
		return h.Senses
	}
	said := e.line.Original(h.Start, h.End)
	drop := isRuleSense
	if said == strings.ToUpper(said) || regulated {
		drop = isModelSense
	}
	return slices.DeleteFunc(slices.Clone(h.Senses), drop)
}

func isModelSense(s text.Sense) bool { return s.Kind == kindModel || s.Kind == kindFamily }
func isRuleSense(s text.Sense) bool  { return s.Kind == "compliance_kind" }

// cut divides the text into clauses at its marks.
func (e *ear) cut() {
	start, t := 0, 0
	for i := 0; i < len(e.s); i++ {
		for t < len(e.toks) && e.toks[t].end <= i {
			t++
		}
		inside := t < len(e.toks) && e.toks[t].start <= i && e.toks[t].q != nil
		if inside || !e.clauseEnds(i) {
			continue
		}
		e.clauses = append(e.clauses, clause{start: start, end: i})
		start = i + 1
	}
	e.clauses = append(e.clauses, clause{start: start, end: len(e.s)})
	c := 0
	for i := range e.toks {
		for c+1 < len(e.clauses) && e.toks[i].start >= e.clauses[c].end {
			c++
		}
		e.toks[i].clause = c
	}
}

func (e *ear) clauseEnds(i int) bool {
	switch e.s[i] {
	case ',', ';', '?', '!', '\n':
		return true
	case '.':
		return i+1 == len(e.s) || e.s[i+1] == ' ' || e.s[i+1] == '\n'
	}
	return false
}

func (e *ear) collectCues() {
	e.cues = map[string]bool{}
	for i := range e.toks {
		for _, s := range e.toks[i].senses {
			if s.Kind == "cue" {
				e.cues[s.ID] = true
				if c := &e.clauses[e.toks[i].clause]; !slices.Contains(c.cues, s.ID) {
					c.cues = append(c.cues, s.ID)
				}
			} else if s.Kind == "intent" {
				e.cues["intent="+s.ID] = true
			}
		}
	}
}

// mark lets negations, corrections and quotations act on the tokens in their
// reach.
func (e *ear) mark() {
	for i := range e.toks {
		t := &e.toks[i]
		switch {
		case t.cue("theirs"):
			e.markTheirs(t.clause)
		case t.cue("instead") && !e.asking():
			e.markNot(i)
		case t.cue("not"), t.cue("lack"):
			e.markNot(i)
		case t.cue("whether"):
			e.markAsked(i)
		case t.cue("nottail"):
			e.markGone(i)
		case t.cue("toomuch"):
			e.markWeak(i, t.clause)
		case t.cue("change"), t.cue("sorry"):
			e.changed = true
			e.markWeak(i, 0)
		}
	}
	e.markExamples()
}

// asking reports whether the text puts a question, in which "instead of"
// compares and rules nothing out.
func (e *ear) asking() bool {
	return strings.ContainsRune(e.s, '?') || strings.Contains(e.s, "吗") || strings.Contains(e.s, "呢") || e.cues["asking"] || e.cues["intent=compare"]
}

// markNot rules out what follows a negation, up to the end of its clause or to
// what is set against it.
func (e *ear) markNot(i int) {
	any := false
	chinese := e.s[e.toks[i].start] >= utf8.RuneSelf
	for j := i + 1; j < len(e.toks) && e.toks[j].clause == e.toks[i].clause; j++ {
		t := &e.toks[j]
		if t.cue("not") || t.cue("change") || any && (t.cue("but") || chinese && e.gap(j-1, j) == " ") {
			return // a blank in Chinese is a mark
		}
		any = any || t.q != nil || t.sense("cue") == ""
		if t.sense(kindLabel) != "" && e.toks[i].cue("lack") {
			continue // who has no 4090 does not rule it out
		}
		t.not = true
	}
	if j := e.prev(i); chinese && !any && j >= 0 && e.endsClause(i) && e.touching(j, i) {
		e.toks[j].not = true // 双精度不需要
	}
}

// endsClause reports whether nothing but particles stands behind token i in its
// clause.
func (e *ear) endsClause(i int) bool {
	return strings.Trim(e.s[e.toks[i].end:e.clauses[e.toks[i].clause].end], particles) == ""
}

// markAsked marks what "do I need" or 要不要 asks for: the first word behind it
// that says a fact.
func (e *ear) markAsked(i int) {
	for j := i + 1; j < len(e.toks) && e.toks[j].clause == e.toks[i].clause && e.close(j-1, j); j++ {
		if t := &e.toks[j]; t.q != nil || t.sense("cue") == "" && !t.is("does", "run") {
			t.asked = true
			return
		}
	}
}

// markGone rules out what stands before the token i in its clause: "A100 不要了".
func (e *ear) markGone(i int) {
	for j := i - 1; j >= 0 && e.toks[j].clause == e.toks[i].clause; j-- {
		e.toks[j].not = true
	}
}

// markWeak weakens what stands before the token i, back to the clause from.
func (e *ear) markWeak(i, from int) {
	for j := i - 1; j >= 0 && e.toks[j].clause >= from; j-- {
		e.toks[j].weak = true
	}
}

// markTheirs marks the figures of a clause that tells what others did.
func (e *ear) markTheirs(c int) {
	for i := range e.toks {
		if t := &e.toks[i]; t.clause == c {
			t.theirs = t.theirs || t.q != nil && t.q.Unit != text.Params
			t.weak = t.weak || t.sense(kindLabel) != ""
		}
	}
}

// markExamples takes a model that only shows what kind is meant, or that
// teaches, as somebody else's when the size of the job's own model stands
// beside it: "R1-Zero style GRPO on a 3B model", "distil a 120B into a 4B".
func (e *ear) markExamples() {
	if !e.cues["like"] && !e.cues["teach"] {
		return
	}
	for i := range e.toks {
		t := &e.toks[i]
		switch {
		case t.sense(kindModel) != "":
			if !t.theirs && e.smallerBeside(i) {
				e.markExample(i)
			}
		case e.cues["teach"] && t.is("audience", "student"):
			j := e.prev(i)
			t.theirs = t.theirs || j >= 0 && e.toks[j].unit(text.Params) && e.touching(j, i) // a 4B student
		}
	}
}

// isLikeness reports whether the model at token i is only compared with: "like
// R1", R1 那种.
func (e *ear) isLikeness(i int) bool {
	j, k := e.prev(i), e.next(i)
	return j >= 0 && e.toks[j].cue("like") && e.touching(j, i) || k >= 0 && e.toks[k].cue("like") && e.touching(i, k)
}

// markExample takes the model at token i as an example or a teacher, if it is one.
// What teaches fine-tunes another.
func (e *ear) markExample(i int) {
	t := &e.toks[i]
	if e.isLikeness(i) {
		t.theirs = true
	} else if verb := e.teaching(i); verb != nil {
		t.theirs = true
		verb.senses = append(slices.Clip(verb.senses), text.Sense{Kind: "does", ID: "finetune"})
	}
}

// teaching is the word that says that the model at token i is distilled, nil when
// none does. In English it stands before: "R1 distill 32B" is a name.
func (e *ear) teaching(i int) *token {
	for j := range e.toks {
		if t := &e.toks[j]; t.cue("teach") && (j < i || e.s[t.start] >= utf8.RuneSelf) {
			return t
		}
	}
	return nil
}

// smallerBeside reports whether the text says a size that is smaller than that
// of the model at token i.
func (e *ear) smallerBeside(i int) bool {
	t := &e.toks[i]
	own, ok := sizeIn(e.s[t.start:t.end])
	if !ok {
		own = e.book.models[t.sense(kindModel)].ParamsB
	}
	for j := range e.toks {
		if q := &e.toks[j]; q.unit(text.Params) && (q.start >= t.end || q.end <= t.start) && q.q.Hi < 0.9*own {
			return true
		}
	}
	return false
}

// pick chooses among the tokens that say a slot: ruled-out ones do not count,
// weak ones only alone; of several the first counts, or the last in a text
// that corrects itself.
func (e *ear) pick(says func(*token) bool) *token {
	var found *token
	for i := range e.toks {
		t := &e.toks[i]
		if t.not || t.theirs || t.minus > 0 || !says(t) {
			continue
		}
		switch {
		case found == nil, found.weak && !t.weak:
			found = t
		case found.weak == t.weak && e.changed:
			found = t
		}
	}
	return found
}

// gap is the text between two tokens.
func (e *ear) gap(i, j int) string {
	if e.toks[i].end > e.toks[j].start {
		return ""
	}
	return e.s[e.toks[i].end:e.toks[j].start]
}

// fillers may stand between two things that belong together.
var fillers = []string{"各", "都", "压在", "压到", "定在", "限在", "限制在", "大致", "拢共", "提高", "增加", "提", "涨", "加", "减", "降", "升", "变", "改", "的", "大概", "大约", "约", "差不多", "有", "是", "在", "就", "也", "得", "要", "用", "开", "到", "了", "个", "量", "数", "about ", "around ", "roughly ", "approx ", "of ", "is ", "at ", "to ", "was ", "as ", "a ", "an ", "the ", "with ", "for ", "up ", "full ", "on ", "my ", "each", "set ", " ", "=", ":", "~", "(", ")", "-", "\"", "<", ">", "+"}

// close reports whether only fillers stand between two tokens.
func (e *ear) close(i, j int) bool {
	gap := e.gap(i, j)
	if len(gap) > 24 {
		return false
	}
	gap += " "
	for gap != "" {
		n := len(gap)
		for _, f := range fillers {
			gap = strings.TrimPrefix(gap, f)
		}
		if len(gap) == n {
			return false
		}
	}
	return true
}

// touching reports whether nothing but a blank, 的 or an opening bracket stands
// between two tokens.
func (e *ear) touching(i, j int) bool {
	switch strings.TrimSpace(e.gap(i, j)) {
	case "", "的", "(", "-", "x", "*", "of":
		return true
	}
	return false
}

// reach is how far a cue works, in bytes.
const reach = 27

// near reports whether a token with this cue stands close to token i in its
// clause, before or behind it, with no other quantity between.
func (e *ear) near(i int, cues ...string) bool {
	return e.before(i, cues...) || e.behind(i, cues...)
}

func (e *ear) before(i int, cues ...string) bool {
	for j := i - 1; j >= 0 && e.toks[j].clause == e.toks[i].clause; j-- {
		if e.toks[j].q != nil || e.toks[i].start-e.toks[j].end > reach {
			return false
		}
		for _, c := range cues {
			if e.toks[j].cue(c) {
				return true
			}
		}
	}
	return false
}

func (e *ear) behind(i int, cues ...string) bool {
	for j := i + 1; j < len(e.toks) && e.toks[j].clause == e.toks[i].clause; j++ {
		if e.toks[j].q != nil && e.toks[j].start >= e.toks[i].end || e.toks[j].start-e.toks[i].end > reach {
			return false
		}
		for _, c := range cues {
			if e.toks[j].cue(c) {
				return true
			}
		}
	}
	return false
}

// inClause reports whether a cue stands anywhere in the clause of token i.
func (e *ear) inClause(i int, cues ...string) bool {
	for _, cue := range cues {
		if slices.Contains(e.clauses[e.toks[i].clause].cues, cue) {
			return true
		}
	}
	return false
}

// led reports whether a cue leads to token i: right before it, or with a word of
// change between, as in 并发改成 50.
func (e *ear) led(i int, cue string) bool {
	for j := e.prev(i); j >= 0 && e.toks[j].q == nil && e.close(j, i); j = e.prev(j) {
		if e.toks[j].cue(cue) {
			return true
		}
		if !e.toks[j].cue("change") && !e.toks[j].cue("but") {
			return false
		}
		i = j
	}
	return false
}

// after is the text right behind token i, without blanks.
func (e *ear) after(i int) string {
	return strings.TrimLeft(e.s[e.toks[i].end:], " ")
}

// next returns the index of the first token that begins behind token i, in the
// same clause, or -1.
func (e *ear) next(i int) int {
	for j := i + 1; j < len(e.toks) && e.toks[j].clause == e.toks[i].clause; j++ {
		if e.toks[j].start >= e.toks[i].end {
			return j
		}
	}
	return -1
}

// nextQuantity returns the index of the next quantity in the clause, or -1.
func (e *ear) nextQuantity(i int) int {
	for j := i + 1; j < len(e.toks) && e.toks[j].clause == e.toks[i].clause; j++ {
		if e.toks[j].q != nil && e.toks[j].start >= e.toks[i].end {
			return j
		}
	}
	return -1
}

// prevQuantity returns the index of the last quantity before token i in its
// clause, or -1.
func (e *ear) prevQuantity(i int) int {
	for j := i - 1; j >= 0 && e.toks[j].clause == e.toks[i].clause; j-- {
		if e.toks[j].q != nil && e.toks[j].end <= e.toks[i].start {
			return j
		}
	}
	return -1
}

// prev returns the index of the last token that ends before token i, in the
// same clause, or -1.
func (e *ear) prev(i int) int {
	for j := i - 1; j >= 0 && e.toks[j].clause == e.toks[i].clause; j-- {
		if e.toks[j].end <= e.toks[i].start {
			return j
		}
	}
	return -1
}

func hasAnySuffix(s string, list ...string) bool {
	return slices.ContainsFunc(list, func(p string) bool { return strings.HasSuffix(s, p) })
}

func hasAnyPrefix(s string, list ...string) bool {
	for _, p := range list {
		if strings.HasPrefix(s, p) {
			return true
		}
	}
	return false
}
