package when

import (
	"slices"
	"strings"
)

// sense is one meaning of a word: its class and what it says within the class.
type sense struct {
	class class
	n     int
}

// token is a word, a number or a single mark.
type token struct {
	senses []sense
	num    number
	isNum  bool
	ch     rune // the mark, when the token is one character that is not a numeral
	lo, hi int  // runes in the folded text
	glued  bool // nothing stands between it and the token before
	upper  bool // written in capitals
	latin  bool // an unknown Latin word
	name   string
}

type spelling struct {
	r      []rune
	senses []sense
}

// lexicon holds every spelling of words.go by its first character, longest first.
type lexicon map[rune][]spelling

var words = compile()

func compile() lexicon {
	all := map[string][]sense{}
	add := func(c class, n int, lists ...string) {
		for _, list := range lists {
			for _, w := range strings.Split(list, "|") {
				if s := (sense{c, n}); w != "" && !slices.Contains(all[w], s) {
					all[w] = append(all[w], s)
				}
			}
		}
	}
	for _, w := range rows {
		add(w.class, w.n, w.zh, w.en)
	}
	for i, w := range units {
		add(clUnit, i, w.zh, w.en)
	}
	for i, w := range parts {
		add(clPart, i, w.zh, w.en) // the first has no words
	}
	for i, w := range days {
		add(clDay, i, w.zh, w.en)
	}
	for i, w := range weekdaySets {
		add(clWeekdays, i, w.zh, w.en)
	}
	for i, w := range holidays {
		add(clHoliday, i, w.zh, w.en)
	}
	for i, w := range zones {
		add(clZone, i, w.zh, w.en)
	}
	for i, w := range actions {
		add(clAction, i, w.zh, w.en)
	}
	lex := lexicon{}
	for w, s := range all {
		r := []rune(w)
		lex[r[0]] = append(lex[r[0]], spelling{r, s})
	}
	for _, list := range lex {
		slices.SortFunc(list, func(a, b spelling) int {
			if d := len(b.r) - len(a.r); d != 0 {
				return d
			}
			return slices.Compare(a.r, b.r)
		})
	}
	return lex
}

// lex cuts a text into tokens. Latin words match as whole words only, and a
// unit may stand right behind its number: 2h30m, 6pm, 30min后.
func lex(f folded, original string) []token {
	l := lexer{f: f, original: original, toks: make([]token, 0, len(f.r)/2+1)}
	for l.i < len(f.r) {
		if f.r[l.i] == ' ' {
			l.i++
			continue
		}
		l.next()
	}
	return l.toks
}

type lexer struct {
	f        folded
	original string
	toks     []token
	i        int
}

func (l *lexer) next() {
	r, i := l.f.r, l.i
	senses, n := l.word()
	switch {
	case isHanNumeral(r[i]):
		num, j := hanNumber(r, i)
		if n >= j-i && n > 1 {
			l.emit(token{senses: senses}, n)
		} else {
			l.emit(token{num: num, isNum: true}, j-i)
		}
	case n > 0:
		l.emit(token{senses: senses}, n)
		l.weekdayRun(senses)
	case isDigit(r[i]):
		num, j := digits(r, i)
		l.emit(token{num: num, isNum: true}, j-i)
	case isLetter(r[i]):
		l.latin()
	default:
		l.emit(token{}, 1)
	}
}

func (l *lexer) emit(t token, n int) {
	t.lo, t.hi = l.i, l.i+n
	if k := len(l.toks); k > 0 {
		t.glued = l.toks[k-1].hi == t.lo
	}
	if n == 1 && !t.isNum {
		t.ch = l.f.r[l.i]
	}
	raw := l.original[l.f.at[t.lo]:l.f.at[t.hi]]
	t.upper = isLetter(l.f.r[t.lo]) && raw == strings.ToUpper(raw)
	l.toks = append(l.toks, t)
	l.i += n
}

// word finds the longest known spelling here.
func (l *lexer) word() ([]sense, int) {
	r, i := l.f.r, l.i
	for _, s := range words[r[i]] {
		j := i + len(s.r)
		if j <= len(r) && !(len(s.r) == 1 && l.inName()) && slices.Equal(r[i:j], s.r) && l.standsAlone(i, j) && !l.countsTimes(s, j) {
			return s.senses, len(s.r)
		}
	}
	return nil, 0
}

// inName reports a letter right behind four digits: the d of 4090D is no day.
func (l *lexer) inName() bool {
	k := len(l.toks)
	return k > 0 && isLetter(l.f.r[l.i]) && l.toks[k-1].num.width >= 4 && l.toks[k-1].hi == l.i
}

// standsAlone reports whether r[i:j] is no piece of a longer Latin word.
func (l *lexer) standsAlone(i, j int) bool {
	r := l.f.r
	if !isLetter(r[j-1]) && !isDigit(r[j-1]) {
		return true
	}
	afterDigit := i > 0 && isDigit(r[i-1]) && isLetter(r[i])
	if i > 0 && !afterDigit && (isLetter(r[i]) || isDigit(r[i])) && (isLetter(r[i-1]) || isDigit(r[i-1])) {
		return false
	}
	if j == len(r) {
		return true
	}
	return !isLetter(r[j]) && (afterDigit || !isDigit(r[j]) || splitsBeforeDigits(r[i:j]))
}

// splitsBeforeDigits: words that people write right before a number (Dec31, UTC8).
func splitsBeforeDigits(w []rune) bool {
	for _, s := range words[w[0]] {
		if slices.Equal(s.r, w) {
			c := s.senses[0].class
			return c == clMonthName || c == clUTC
		}
	}
	return false
}

// countsTimes: in 每周一次 and 每周三次 the numeral counts times, it names no day.
func (l *lexer) countsTimes(s spelling, j int) bool {
	return s.senses[0].class == clWeekday && isHanNumeral(s.r[len(s.r)-1]) && j < len(l.f.r) && l.f.r[j] == '次'
}

// latin takes an unknown Latin word with its digits (a100, gpu-01), a zone of
// the form Area/City, or the t between an ISO date and its time.
func (l *lexer) latin() {
	r, i := l.f.r, l.i
	glued := i > 0 && isDigit(r[i-1])
	if glued && r[i] == 't' && i+1 < len(r) && isDigit(r[i+1]) || glued && r[i] == 'z' && (i+1 == len(r) || !isLetter(r[i+1])) {
		l.emit(token{}, 1)
		return
	}
	if n := l.zoneName(); n > 0 {
		name := l.original[l.f.at[i]:l.f.at[i+n]]
		l.emit(token{senses: []sense{{clIANA, 0}}, name: name}, n)
		return
	}
	j := i
	for j < len(r) && (isLetter(r[j]) || !glued && (isDigit(r[j]) || r[j] == '_')) {
		j++
	}
	l.emit(token{latin: true}, j-i)
}

func (l *lexer) zoneName() int {
	r := l.f.r[l.i:]
	j, slashes := 0, 0
	for j < len(r) && (isLetter(r[j]) || r[j] == '_' || slashes > 0 && (r[j] == '-' || r[j] == '+' || isDigit(r[j])) || r[j] == '/' && j+1 < len(r) && isLetter(r[j+1])) {
		if r[j] == '/' {
			if slashes == 0 && !slices.Contains(areas, string(r[:j])) {
				return 0
			}
			slashes++
		}
		j++
	}
	if slashes == 0 {
		return 0
	}
	return j
}

var weekdayChars = map[rune]int{'一': 1, '二': 2, '三': 3, '四': 4, '五': 5, '六': 6, '日': 0, '天': 0}

// weekdayRun takes the further days of 每周一三五 and 每周一、三、五. A numeral that
// begins an hour stays: 每周一三五九点 is three days at nine.
func (l *lexer) weekdayRun(senses []sense) {
	k := len(l.toks)
	if senses[0].class != clWeekday || k < 2 || !l.toks[k-2].is(clEvery) || !isHan(l.f.r[l.i-1]) {
		return
	}
	for {
		j := l.i
		if j < len(l.f.r) && strings.ContainsRune("、,和及与", l.f.r[j]) {
			j++
		}
		if j >= len(l.f.r) {
			return
		}
		n, ok := weekdayChars[l.f.r[j]]
		if !ok || l.beginsHour(j) {
			return
		}
		l.i = j
		l.emit(token{senses: []sense{{clWeekday, n}}}, 1)
	}
}

// beginsHour reports whether the numeral at j is an hour or counts something.
func (l *lexer) beginsHour(j int) bool {
	r := l.f.r
	if !isHanNumeral(r[j]) {
		return false
	}
	if n, k := hanNumber(r, j); k-j > 1 && n.positional() <= 24 && k < len(r) && (r[k] == '点' || r[k] == '时') {
		return r[j+1] == '十'
	}
	return j+1 < len(r) && strings.ContainsRune("点时号分个台张次小", r[j+1])
}

func isHan(c rune) bool { return c >= 0x4E00 && c <= 0x9FFF }

func (t *token) is(c class) bool {
	_, ok := t.sense(c)
	return ok
}

func (t *token) sense(c class) (int, bool) {
	for _, s := range t.senses {
		if s.class == c {
			return s.n, true
		}
	}
	return 0, false
}
