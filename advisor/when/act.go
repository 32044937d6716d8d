package when

import (
	"slices"
	"strings"
)

// actionAndTarget reads what the person wants to do and with which machine. Words
// that were read as time do not count.
func (p *parser) actionAndTarget(spans [][2]int) (action, target string, did [2]int) {
	free := func(t *token) bool {
		lo, hi := p.f.at[t.lo], p.f.at[t.hi]
		return !slices.ContainsFunc(spans, func(s [2]int) bool { return lo < s[1] && s[0] < hi })
	}
	verb := -1
	for i := range p.toks {
		t := &p.toks[i]
		if n, ok := t.sense(clAction); ok && verb < 0 && free(t) {
			verb, action = i, actions[n].id
			did = [2]int{p.f.at[t.lo], p.f.at[t.hi]}
		}
	}
	if q := p.quoted(); q != "" {
		return action, q, did
	}
	for i := range p.toks {
		if n := p.name(i, verb); n > 0 && free(&p.toks[i]) {
			return action, strings.TrimSpace(p.text[p.f.at[p.toks[i].lo]:p.f.at[p.toks[i+n-1].hi]]), did
		}
	}
	return action, "", did
}

const maxName = 40 // characters in a quoted name

// quoted returns the first name in quotation marks.
func (p *parser) quoted() string {
	for i := range p.toks {
		if p.toks[i].ch != '"' {
			continue
		}
		for j := i + 1; j < len(p.toks) && p.toks[j].lo-p.toks[i].lo <= maxName; j++ {
			if p.toks[j].ch == '"' && j > i+1 {
				return p.text[p.f.at[p.toks[i].hi]:p.f.at[p.toks[j].lo]]
			}
		}
	}
	return ""
}

// name returns how many tokens at i are a machine's name by their shape: a card
// (A100, RTX 4090, 4090D, 910B) or a name with a mark in it (gpu-01, lab_box).
func (p *parser) name(i, verb int) int {
	n := 0
	if p.is(i, clVendor) {
		n = 1
	}
	t := p.tok(i + n)
	switch {
	case t.latin && p.mixed(t) && (n == 0 || t.hi > 0):
		return p.nameTail(i, n+1)
	case t.num.width == 4 && (!p.is(i+n+1, clUnit) || p.tok(i+n+1).ch == 'd' && p.tok(i+n+1).glued), t.num.width == 3 && p.tok(i+n+1).latin && p.tok(i+n+1).glued:
		return p.nameTail(i, n+1)
	case n == 0 && isLetter(p.first(i)):
		if k := p.hyphened(i); k == 3 && p.tok(i+2).isNum || verb >= 0 && i > verb && i <= verb+3 {
			return k
		}
	}
	return 0
}

// mixed reports letters with digits in one word: a100.
func (p *parser) mixed(t *token) bool {
	return slices.ContainsFunc(p.f.r[t.lo:t.hi], isDigit)
}

// hyphened counts the tokens of train-box or lab_server, 0 for a plain word.
func (p *parser) hyphened(i int) int {
	n := 1
	for p.tok(i+n).ch == '-' && p.tok(i+n).glued && p.tok(i+n+1).glued {
		n += 2
	}
	if t := p.tok(i); n == 1 && !slices.Contains(p.f.r[t.lo:t.hi], '_') {
		return 0
	}
	return n
}

// nameTail takes what belongs to the name behind its number: Ti, D, -01.
func (p *parser) nameTail(i, n int) int {
	for {
		t := p.tok(i + n)
		word := string(p.f.r[t.lo:t.hi])
		switch {
		case t.glued && (t.latin || t.isNum && t.num.width > 0 || t.ch == 'd'):
			n++
		case t.ch == '-' && t.glued && p.tok(i+n+1).glued:
			n += 2
		case slices.Contains(tails, word) && t.hi > 0 && t.ch == 0:
			n++
		default:
			return n
		}
	}
}
