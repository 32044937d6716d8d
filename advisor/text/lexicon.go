package text

import (
	"slices"
	"strings"
	"unicode/utf8"
)

// Sense is one meaning of a name: what kind of thing it stands for, and which
// one. Names with several senses keep them all, in the order of adding.
type Sense struct {
	Kind string // "card", "model", or a slot such as "method"
	ID   string
}

// Hit is a known name found in a text.
type Hit struct {
	Start, End int // bytes of the normal form
	Senses     []Sense
}

// Lexicon finds known names in a text, longest match first. It is built once
// and safe for concurrent use after that.
type Lexicon struct {
	next    map[uint64]uint32 // node<<8 | byte → node
	senses  map[uint32][]Sense
	phrases map[uint32][]Sense // senses of the phrase kinds
	kinds   map[string]bool    // the phrase kinds
	nodes   uint32
}

// NewLexicon makes an empty lexicon. Senses of the phrase kinds belong to whole
// phrases: names inside such a phrase are found as well.
func NewLexicon(phraseKinds ...string) *Lexicon {
	x := &Lexicon{next: map[uint64]uint32{}, senses: map[uint32][]Sense{}, phrases: map[uint32][]Sense{}, kinds: map[string]bool{}}
	for _, k := range phraseKinds {
		x.kinds[k] = true
	}
	return x
}

// Add teaches the lexicon a name. Adding the same sense twice is harmless; a
// name of nothing but marks is ignored.
func (x *Lexicon) Add(name string, s Sense) {
	key := Key(name)
	if key == "" {
		return
	}
	node := uint32(0)
	for i := range len(key) {
		edge := uint64(node)<<8 | uint64(key[i])
		to, ok := x.next[edge]
		if !ok {
			x.nodes++
			to = x.nodes
			x.next[edge] = to
		}
		node = to
	}
	list := x.senses
	if x.kinds[s.Kind] {
		list = x.phrases
	}
	for _, known := range list[node] {
		if known == s {
			return
		}
	}
	list[node] = append(list[node], s)
}

// Senses returns what a name stands for when it is the whole text.
func (x *Lexicon) Senses(name string) []Sense {
	node := uint32(0)
	key := Key(name)
	for i := range len(key) {
		to, ok := x.next[uint64(node)<<8|uint64(key[i])]
		if !ok {
			return nil
		}
		node = to
	}
	if len(x.phrases[node]) == 0 {
		return x.senses[node]
	}
	return slices.Concat(x.senses[node], x.phrases[node])
}

// Key is the form in which two spellings of a name are the same: normal form
// without what joins its parts. Between two digits a join stays, as a hyphen:
// "llama3 8b" is not "llama 38b".
func Key(name string) string {
	s := Normal(name).Text
	var b strings.Builder
	for i := 0; i < len(s); {
		if !joinAt(s, i) {
			b.WriteByte(s[i])
			i++
			continue
		}
		j := i
		for j < len(s) && joinAt(s, j) {
			j++
		}
		if i > 0 && j < len(s) && isDigit(s[i-1]) && isDigit(s[j]) {
			b.WriteByte('-')
		}
		i = j
	}
	return b.String()
}

// joinAt reports whether s[i] only joins the parts of a name. A point between
// two digits does not.
func joinAt(s string, i int) bool {
	switch s[i] {
	case ' ', '-', '_', '/', '(', ')', '[', ']', ':':
		return true
	case '.':
		return i == 0 || i+1 == len(s) || !isDigit(s[i-1]) || !isDigit(s[i+1])
	}
	return false
}

// maxJoin is how many joining signs may stand between two parts of a name.
const maxJoin = 2

// Find returns the names in the normal form s: at each place the longest, and
// none inside another. The senses of a phrase go to the first name in it.
func (x *Lexicon) Find(s string) []Hit {
	var hits []Hit
	var phrase Hit // that is being passed
	for i := 0; i < len(s); {
		if phrase.Senses != nil && i >= phrase.End {
			hits = append(hits, phrase)
			phrase.Senses = nil
		}
		if mayStart(s, i) {
			name, over := x.longest(s, i)
			if over.Senses != nil && i >= phrase.End && over.End >= name.End {
				phrase = over
			}
			if name.Senses != nil {
				if phrase.Senses != nil {
					name.Senses = slices.Concat(name.Senses, phrase.Senses)
					phrase.Senses = nil
				}
				hits = append(hits, name)
				i = name.End
				continue
			}
		}
		_, n := utf8.DecodeRuneInString(s[i:])
		i += n
	}
	if phrase.Senses != nil {
		hits = append(hits, phrase)
	}
	return hits
}

// mayStart reports whether a name may begin at i: not inside a Latin word or a
// number, except behind a count (8xA100, 8A100).
func mayStart(s string, i int) bool {
	if joinAt(s, i) || s[i] == '\n' {
		return false
	}
	if i == 0 || !isWord(s[i]) || !isWord(s[i-1]) {
		return true
	}
	if s[i-1] == 'x' && i > 1 && isDigit(s[i-2]) {
		return numberBefore(s, i-1)
	}
	return isDigit(s[i-1]) && isLetter(s[i]) && numberBefore(s, i) && len(wordAt(s, i)) >= 4 && isDigit(s[i+1])
}

// numberBefore reports whether s[:i] ends in a number of at most two digits
// that is not part of a word.
func numberBefore(s string, i int) bool {
	j := i
	for j > 0 && isDigit(s[j-1]) {
		j--
	}
	return j < i && i-j <= 2 && (j == 0 || !isWord(s[j-1]) && s[j-1] != '.')
}

// wordAt is the run of letters and digits that starts at i.
func wordAt(s string, i int) string {
	j := i
	for j < len(s) && isWord(s[j]) {
		j++
	}
	return s[i:j]
}

// longest follows the names from i and returns the longest name and the longest
// phrase that stand alone there.
func (x *Lexicon) longest(s string, i int) (name, phrase Hit) {
	node := uint32(0)
	for j := i; j < len(s); {
		k := j
		for k < len(s) && k-j < maxJoin && joinAt(s, k) {
			k++
		}
		if k > j {
			if k == len(s) || joinAt(s, k) || s[j] == ' ' && j == i+1 && isLetter(s[i]) {
				break // "a 100 GB" is no A100
			}
			if isDigit(s[j-1]) && isDigit(s[k]) {
				var ok bool
				if node, ok = x.next[uint64(node)<<8|'-']; !ok {
					break
				}
			}
		}
		to, ok := x.next[uint64(node)<<8|uint64(s[k])]
		if !ok {
			break
		}
		node, j = to, k+1
		senses, phrases := x.senses[node], x.phrases[node]
		if senses == nil && phrases == nil || !mayEnd(s, j) {
			continue
		}
		if senses != nil {
			name = Hit{i, j, senses}
		}
		if phrases != nil {
			phrase = Hit{i, j, phrases}
		}
	}
	return name, phrase
}

// mayEnd reports whether a name may end before j: not inside a Latin word or a
// number, except before a plural s or a count (4090s, H100x8).
func mayEnd(s string, j int) bool {
	if j == len(s) || !isWord(s[j]) || !isWord(s[j-1]) {
		return true
	}
	switch s[j] {
	case 's':
		return j+1 == len(s) || !isWord(s[j+1])
	case 'x':
		return j+1 < len(s) && isDigit(s[j+1]) && isDigit(s[j-1])
	}
	return false
}
