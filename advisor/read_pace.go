package advisor

import (
	"strings"

	"gpuadvisor/advisor/text"
)

// Work that is counted in pieces has a pace: so many a day, each of which takes
// so long. Together they say how many cards are kept busy; memory does not. The
// words are those of lexicon/beside.yaml.

// pace reads both halves of a pace.
func (e *ear) pace() {
	f := &e.r.Facts
	if e.cues["intent=remind"] {
		return
	}
	for i := range e.toks {
		t := &e.toks[i]
		if t.q == nil || !t.live() || t.q.Vague || t.q.Hi <= 0 {
			continue
		}
		if hours, ok := e.pieceHours(i); ok {
			say(&f.PieceHours, hours)
			continue
		}
		if e.isDaily(i) {
			say(&f.Daily, t.q.Hi)
		}
	}
}

// pieceHours is the time that one piece takes, where token i says it.
func (e *ear) pieceHours(i int) (float64, bool) {
	t := &e.toks[i]
	hours, said, after := t.q.Hi, e.s[t.start:t.end], e.after(i)
	for _, per := range []string{" per ", "/"} {
		if k := strings.Index(said, per); k >= 0 { // the unit has taken it in
			said, after = said[:k], strings.TrimLeft(said[k:], " ")
		}
	}
	if t.q.Unit != text.Hours {
		seconds := secondsOf(strings.TrimRight(said, " "))
		if t.q.Unit != text.Things || seconds == 0 {
			return 0, false
		}
		hours *= seconds / 3600
	}
	c := e.clauses[t.clause]
	before := strings.TrimRight(e.s[c.start:t.start], " 约大概差不多~")
	switch {
	case hours >= 24:
		return 0, false
	case hasAnySuffix(before, e.book.beside["each-picture"]...), hasAnyPrefix(after, e.book.beside["a-picture"]...):
		return hours, true
	}
	return hours, hasAnySuffix(before, e.book.beside["takes"]...) && containsAny(e.s[c.start:c.end], e.book.beside["each-piece"]...)
}

// isDaily reports whether token i counts what is made in a day.
func (e *ear) isDaily(i int) bool {
	t := &e.toks[i]
	if t.q.Lo < 2 || t.q.Unit != text.Sheets && t.q.Unit != text.Pieces && t.q.Unit != text.Things && t.q.Unit != text.Frames && !(t.q.Unit == text.Bare && hasAnyPrefix(e.after(i), e.book.beside["piece"]...)) {
		return false
	}
	c := e.clauses[t.clause]
	return containsAny(e.s[c.start:c.end], e.book.beside["day"]...)
}
