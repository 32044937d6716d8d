package fault

import (
	"regexp/syntax"
	"strings"
)

// A few hundred regular expressions on a thousand lines would take seconds.
// Every pattern has words that each of its matches contains; the scanner finds
// all such words in one pass (Aho and Corasick, 1975, "Efficient string
// matching"), and only patterns whose word was seen are tried.

// minLiteral is the shortest word that is worth looking for.
const minLiteral = 3

// required returns words one of which, in lower case, is in every match of the
// pattern, or nil when there is no such set of words long enough.
func required(pattern string) []string {
	re, err := syntax.Parse(pattern, syntax.Perl)
	if err != nil {
		return nil
	}
	words := wordsOf(re)
	if shortest(words) < minLiteral {
		return nil
	}
	return words
}

func wordsOf(re *syntax.Regexp) []string {
	switch re.Op {
	case syntax.OpLiteral:
		return []string{strings.ToLower(string(re.Rune))}
	case syntax.OpCapture, syntax.OpPlus:
		return wordsOf(re.Sub[0])
	case syntax.OpRepeat:
		if re.Min > 0 {
			return wordsOf(re.Sub[0])
		}
	case syntax.OpConcat:
		var best []string
		for _, sub := range re.Sub {
			if w := wordsOf(sub); shortest(w) > shortest(best) {
				best = w
			}
		}
		return best
	case syntax.OpAlternate:
		var all []string
		for _, sub := range re.Sub {
			w := wordsOf(sub)
			if len(w) == 0 {
				return nil
			}
			all = append(all, w...)
		}
		return all
	}
	return nil
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
	next    []int32 // state*columns + column → state
	found   [][]int // per state: patterns whose word ends here
}

func newScanner(words [][]string) *scanner {
	s := &scanner{columns: 1}
	for _, ws := range words {
		for _, w := range ws {
			s.classify(w)
		}
	}
	s.grow()
	for p, ws := range words {
		for _, w := range ws {
			s.insert(w, p)
		}
	}
	s.link()
	return s
}

func (s *scanner) classify(word string) {
	for i := range len(word) {
		c := word[i]
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

func (s *scanner) insert(word string, pattern int) {
	state := int32(0)
	for i := range len(word) {
		at := int(state)*s.columns + int(s.class[word[i]])
		if s.next[at] == 0 {
			to := s.grow()
			s.next[at] = to
		}
		state = s.next[at]
	}
	s.found[state] = append(s.found[state], pattern)
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

// each calls f with every pattern whose word occurs in the line, possibly more
// than once.
func (s *scanner) each(line string, f func(pattern int)) {
	state := int32(0)
	for i := range len(line) {
		state = s.next[int(state)*s.columns+int(s.class[line[i]])]
		for _, p := range s.found[state] {
			f(p)
		}
	}
}
