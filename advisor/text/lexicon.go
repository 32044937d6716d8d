package text

import (
	"math/bits"
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
//
// Names are kept by their keys. Which lengths of keys are worth trying at a
// place follows from the first two characters there, so that a place costs a
// handful of look-ups, and building costs one entry for each name.
type Lexicon struct {
	names   map[string]int32    // key → place in entries
	entries []entry             //
	lengths map[[2]rune]lengths // first two characters → lengths of keys, bytes
	kinds   map[string]bool     // the phrase kinds
}

type entry struct{ senses, phrases []Sense }

// longestKey is how long a name's key may be, in bytes.
const longestKey = 128

// lengths is a set of lengths up to longestKey.
type lengths [longestKey/64 + 1]uint64

func (l *lengths) add(n int)      { l[n/64] |= 1 << (n % 64) }
func (l *lengths) has(n int) bool { return l[n/64]&(1<<(n%64)) != 0 }

func (l *lengths) max() int {
	for i := len(l) - 1; i >= 0; i-- {
		if l[i] != 0 {
			return i*64 + bits.Len64(l[i]) - 1
		}
	}
	return 0
}

// NewLexicon makes an empty lexicon. Senses of the phrase kinds belong to whole
// phrases: names inside such a phrase are found as well.
func NewLexicon(phraseKinds ...string) *Lexicon {
	x := &Lexicon{names: make(map[string]int32, 1<<13), entries: make([]entry, 0, 1<<13), lengths: make(map[[2]rune]lengths, 1<<11), kinds: map[string]bool{}}
	for _, k := range phraseKinds {
		x.kinds[k] = true
	}
	return x
}

// Add teaches the lexicon a name. Adding the same sense twice is harmless; a
// name of nothing but marks, or one that is too long, is ignored.
func (x *Lexicon) Add(name string, s Sense) {
	key := Key(name)
	if key == "" || len(key) > longestKey {
		return
	}
	n, known := x.names[key]
	if !known {
		n = int32(len(x.entries))
		x.names[key] = n
		x.entries = append(x.entries, entry{})
		l := x.lengths[beginning(key)]
		l.add(len(key))
		x.lengths[beginning(key)] = l
	}
	list := &x.entries[n].senses
	if x.kinds[s.Kind] {
		list = &x.entries[n].phrases
	}
	if !slices.Contains(*list, s) {
		*list = append(*list, s)
	}
}

// beginning is the first two characters of a key; the second is 0 when there is
// only one.
func beginning(key string) [2]rune {
	first, n := utf8.DecodeRuneInString(key)
	if n == len(key) {
		return [2]rune{first, 0}
	}
	second, _ := utf8.DecodeRuneInString(key[n:])
	return [2]rune{first, second}
}

// Senses returns what a name stands for when it is the whole text.
func (x *Lexicon) Senses(name string) []Sense {
	n, known := x.names[Key(name)]
	if !known {
		return nil
	}
	if len(x.entries[n].phrases) == 0 {
		return x.entries[n].senses
	}
	return slices.Concat(x.entries[n].senses, x.entries[n].phrases)
}

// Key is the form in which two spellings of a name are the same: normal form
// without what joins its parts. Between two digits a join stays, as a hyphen:
// "llama3 8b" is not "llama 38b".
func Key(name string) string {
	s := normal(name)
	if !strings.ContainsAny(s, " -_/()[]:.") {
		return s
	}
	var b strings.Builder
	b.Grow(len(s))
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

// longest returns the longest name and the longest phrase that begin at i and
// stand alone there.
func (x *Lexicon) longest(s string, i int) (name, phrase Hit) {
	var w window
	w.begin(s, i)
	one, two := x.lengths[[2]rune{w.first, 0}], x.lengths[[2]rune{w.first, w.second}]
	if w.second == 0 {
		two = lengths{}
	}
	longest := max(one.max(), two.max())
	if longest == 0 {
		return name, phrase
	}
	w.fill(longest)
	for n := w.n; n > 0; n-- {
		if !one.has(n) && !two.has(n) || w.ends[n] == 0 || !mayEnd(s, int(w.ends[n])) {
			continue
		}
		at, known := x.names[string(w.key[:n])]
		if !known {
			continue
		}
		e := &x.entries[at]
		if e.senses != nil && name.Senses == nil {
			name = Hit{i, int(w.ends[n]), e.senses}
		}
		if e.phrases != nil && phrase.Senses == nil {
			phrase = Hit{i, int(w.ends[n]), e.phrases}
		}
		if name.Senses != nil {
			break // a shorter phrase would lie inside the name
		}
	}
	return name, phrase
}

// window is the text from one place on, in the form of a key.
type window struct {
	s             string
	i, j          int // where it begins, and what is read of s
	first, second rune
	key           [longestKey]byte
	ends          [longestKey + 1]int32 // for each length of the key, the byte of s behind it; 0 inside a join
	n             int
}

// begin reads the first two characters.
func (w *window) begin(s string, i int) {
	w.s, w.i, w.j = s, i, i
	var size int
	w.first, size = utf8.DecodeRuneInString(s[i:])
	w.fill(size)
	if w.fill(size + 1); w.n > size {
		w.second = rune(w.key[size])
		if w.key[size] >= utf8.RuneSelf {
			w.fill(size + utf8.UTFMax)
			w.second, _ = utf8.DecodeRune(w.key[size:w.n])
		}
	}
}

// fill reads on until the key has n bytes, or the text cannot be one name any
// more.
func (w *window) fill(n int) {
	s := w.s
	for w.n < n && w.j < len(s) {
		k := w.j
		for k < len(s) && k-w.j < maxJoin && joinAt(s, k) {
			k++
		}
		if k > w.j {
			if k == len(s) || joinAt(s, k) || s[w.j] == ' ' && w.j == w.i+1 && isLetter(s[w.i]) {
				w.j = len(s) // "a 100 GB" is no A100
				return
			}
			if s[w.j] == ' ' && s[w.j-1] >= utf8.RuneSelf && s[k] >= utf8.RuneSelf {
				w.j = len(s) // a blank in Chinese is a mark: 两张卡 数据 has no 卡数
				return
			}
			if isDigit(s[w.j-1]) && isDigit(s[k]) {
				if w.n+1 >= longestKey {
					return
				}
				w.key[w.n] = '-'
				w.n++
			}
		}
		if s[k] == '\n' || w.n >= longestKey {
			w.j = len(s)
			return
		}
		w.key[w.n] = s[k]
		w.n++
		w.j = k + 1
		w.ends[w.n] = int32(w.j)
	}
}

// longEnough reports whether the name that ends before j is long enough to have a
// plural: "has" is none of "ha", nor "his" of "hi".
func longEnough(s string, j int) bool {
	return isDigit(s[j-1]) || j >= 3 && isLetter(s[j-2]) && isLetter(s[j-3])
}

// mayEnd reports whether a name may end before j: not inside a Latin word or a
// number, except before a plural s or a count (4090s, H100x8).
func mayEnd(s string, j int) bool {
	if j == len(s) || !isWord(s[j]) || !isWord(s[j-1]) {
		return true
	}
	switch s[j] {
	case 's':
		return (j+1 == len(s) || !isWord(s[j+1])) && longEnough(s, j)
	case 'x':
		return j+1 < len(s) && isDigit(s[j+1]) && isDigit(s[j-1])
	}
	return false
}
