package text

// Slips knows words that people mistype, and finds the word that was meant: two
// letters changed places (qlroa), one was doubled or slipped in (lorra), one was
// left out (mistal). The first letter has to be right, which it nearly always
// is, and the end of a word is its grammar; no letter may be another: that would
// take too many words for ours.
type Slips struct {
	words   map[string]bool
	right   map[string]bool   // near to one of the words, and right as they are
	without map[string]string // a long word less one letter → the word
}

// How long a word must be for a slip in it to be seen. In short words another
// word is too near.
const (
	shortestSlip = 4 // changed places, or doubled
	shortestLess = 6 // a letter too few or too many
	longestSlip  = 16
)

// NewSlips makes an index of the words that are letters only and long enough,
// and of numbers and units. Those of right are no slips: words that are near to
// one of ours.
func NewSlips(words, right []string) *Slips {
	s := &Slips{words: make(map[string]bool, 2*len(words)), right: make(map[string]bool, len(right)), without: make(map[string]string, 8*len(words))}
	add := func(w string) {
		if len(w) >= shortestSlip && len(w) <= longestSlip && onlyLetters(w) {
			s.words[w] = true
		}
	}
	for _, w := range words {
		add(w)
	}
	for w := range unitWords {
		add(w)
	}
	for w := range numberWords {
		add(w)
	}
	for w := range vagueWords {
		add(w)
	}
	for w := range s.words {
		for i := 1; i+1 < len(w) && len(w) >= shortestLess; i++ {
			less := w[:i] + w[i+1:]
			if old, ok := s.without[less]; !ok || w < old { // of two the same one each time
				s.without[less] = w
			}
		}
	}
	for _, w := range right {
		s.right[w] = true
	}
	return s
}

func onlyLetters(w string) bool {
	for i := range len(w) {
		if !isLetter(w[i]) {
			return false
		}
	}
	return true
}

// Meant returns the word for which w is a slip.
func (s *Slips) Meant(w string) (string, bool) {
	if len(w) < shortestSlip || len(w) > longestSlip || s.words[w] || s.right[w] || !onlyLetters(w) {
		return "", false
	}
	var room [longestSlip]byte
	b := room[:copy(room[:], w)]
	for i := 1; i+1 < len(b); i++ {
		b[i], b[i+1] = b[i+1], b[i]
		if s.words[string(b)] {
			return string(b), true
		}
		b[i], b[i+1] = b[i+1], b[i]
	}
	for i := 1; i < len(b); i++ {
		if w[i] != w[i-1] && (len(w) <= shortestLess || i+1 == len(w)) {
			continue
		}
		less := append(room[:i], w[i+1:]...)
		if s.words[string(less)] {
			return string(less), true
		}
		copy(room[:], w)
	}
	meant, ok := s.without[w]
	return meant, ok
}
