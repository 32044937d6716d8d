package fault

import (
	"regexp/syntax"
	"slices"
	"strings"
)

// A few hundred regular expressions on a thousand lines would take seconds.
// Every pattern has words that each of its matches contains; the scanner finds
// all such words in one pass (Aho and Corasick, 1975, "Efficient string
// matching"), and only patterns whose word was seen are tried.

// minLiteral is the shortest word that is worth looking for.
const minLiteral = 3

// need is what every match of a pattern contains: one of some words, in lower
// case. If lead is set the match begins with the word, so that the expression
// needs to be tried only there; edge says that it wants a word boundary before.
type need struct {
	words      []string
	lead, edge bool
}

// required returns what every match of the pattern contains; no words if there
// is nothing long enough.
func required(pattern string) need {
	re, err := syntax.Parse(pattern, syntax.Perl)
	if err != nil {
		return need{}
	}
	edge, rest := leadingEdge(re)
	front, any := leading(rest), inside(re)
	if shortest(front) > minLiteral && (!dull(front) || dull(any)) {
		return need{front, true, edge}
	}
	if shortest(any) >= minLiteral {
		return need{words: any}
	}
	return need{}
}

// dullWords stand in every second line of a log: a pattern that begins with one
// of them is better looked for by another of its words.
var dullWords = map[string]bool{
	"cuda": true, "device": true, "error": true, "fail": true, "failed": true, "file": true, "gpu": true, "import": true,
	"info": true, "line": true, "load": true, "memory": true, "model": true, "module": true, "nccl": true, "not": true,
	"python": true, "runtimeerror": true, "torch": true, "unable": true, "warning": true,
}

func dull(words []string) bool {
	return slices.ContainsFunc(words, func(w string) bool { return len(w) <= minLiteral || dullWords[strings.Trim(w, ` :=_("`)] })
}

// leadingEdge takes a word boundary off the front.
func leadingEdge(re *syntax.Regexp) (bool, *syntax.Regexp) {
	if re.Op != syntax.OpConcat || re.Sub[0].Op != syntax.OpWordBoundary {
		return false, re
	}
	rest := *re
	rest.Sub = re.Sub[1:]
	return true, &rest
}

// leading returns the words that a match can begin with, nil if it can begin
// with anything else.
func leading(re *syntax.Regexp) []string {
	switch re.Op {
	case syntax.OpLiteral:
		return []string{lower(re)}
	case syntax.OpCapture, syntax.OpConcat:
		return leading(re.Sub[0])
	case syntax.OpAlternate:
		return each(re.Sub, leading)
	}
	return nil
}

// inside returns words one of which is in every match, the longest it can find.
func inside(re *syntax.Regexp) []string {
	switch re.Op {
	case syntax.OpLiteral:
		return []string{lower(re)}
	case syntax.OpCapture, syntax.OpPlus:
		return inside(re.Sub[0])
	case syntax.OpRepeat:
		if re.Min > 0 {
			return inside(re.Sub[0])
		}
	case syntax.OpConcat:
		var best []string
		for _, sub := range re.Sub {
			if w := inside(sub); shortest(w) > shortest(best) {
				best = w
			}
		}
		return best
	case syntax.OpAlternate:
		return each(re.Sub, inside)
	}
	return nil
}

func lower(re *syntax.Regexp) string { return strings.ToLower(string(re.Rune)) }

// each joins what f finds in every alternative, nil if one has nothing.
func each(subs []*syntax.Regexp, f func(*syntax.Regexp) []string) []string {
	var all []string
	for _, sub := range subs {
		w := f(sub)
		if len(w) == 0 {
			return nil
		}
		all = append(all, w...)
	}
	return all
}

func shortest(words []string) int {
	if len(words) == 0 {
		return 0
	}
	n := len(words[0])
	for _, w := range words[1:] {
		n = min(n, len(w))
	}
	return n
}

// scanner is the automaton. A state is a row of next; class maps a byte to a
// column, upper and lower case to the same one, and every byte that occurs in no
// word to column 0.
type scanner struct {
	class   [256]uint8
	columns int
	next    []int32  // state*columns + column → state
	found   [][]word // per state: the words that end here
}

// word is an occurrence that a pattern waits for.
type word struct {
	pattern, length int
}

func newScanner(patterns []pattern) *scanner {
	s := &scanner{columns: 1}
	for _, p := range patterns {
		for _, w := range p.need.words {
			s.classify(w)
		}
	}
	s.grow()
	for n, p := range patterns {
		for _, w := range p.need.words {
			s.insert(w, n)
		}
	}
	s.link()
	return s
}

func (s *scanner) classify(text string) {
	for i := range len(text) {
		c := text[i]
		if s.class[c] != 0 {
			continue
		}
		s.class[c] = uint8(s.columns)
		if c >= 'a' && c <= 'z' {
			s.class[c-'a'+'A'] = uint8(s.columns)
		}
		s.columns++
	}
}

// grow adds a state and returns it.
func (s *scanner) grow() int32 {
	state := int32(len(s.found))
	s.found = append(s.found, nil)
	s.next = append(s.next, make([]int32, s.columns)...)
	return state
}

func (s *scanner) insert(text string, pattern int) {
	state := int32(0)
	for i := range len(text) {
		at := int(state)*s.columns + int(s.class[text[i]])
		if s.next[at] == 0 {
			to := s.grow()
			s.next[at] = to
		}
		state = s.next[at]
	}
	s.found[state] = append(s.found[state], word{pattern, len(text)})
}

// link turns the tree into an automaton: where a word breaks off, go on with
// the longest other word that the text may be in.
func (s *scanner) link() {
	fail := make([]int32, len(s.found))
	var queue []int32
	for c := range s.columns {
		if to := s.next[c]; to != 0 {
			queue = append(queue, to)
		}
	}
	for len(queue) > 0 {
		state := queue[0]
		queue = queue[1:]
		s.found[state] = append(s.found[state], s.found[fail[state]]...)
		for c := range s.columns {
			at := int(state)*s.columns + c
			back := s.next[int(fail[state])*s.columns+c]
			if to := s.next[at]; to != 0 {
				fail[to] = back
				queue = append(queue, to)
			} else {
				s.next[at] = back
			}
		}
	}
}

// words calls f for every occurrence of a word in the line: the pattern that
// waits for it and where the word begins.
func (s *scanner) words(line string, f func(pattern, at int)) {
	state := int32(0)
	for i := range len(line) {
		state = s.next[int(state)*s.columns+int(s.class[line[i]])]
		for _, w := range s.found[state] {
			f(w.pattern, i+1-w.length)
		}
	}
}
