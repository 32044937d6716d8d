package text

import (
	"strconv"
	"strings"
	"unicode/utf8"
)

// number is a figure before its unit is known.
type number struct {
	lo, hi  float64
	end     int    // first byte behind it
	ok      bool   // false: there is no number here
	vague   bool   // 几, several: a number whose value was not said
	spelled bool   // in words or numerals, not digits
	article bool   // "a", "an": one, but only before a unit
	scale   string // 万, 亿, million … when it was written
}

func one(v float64, end int) number { return number{lo: v, hi: v, end: end, ok: true} }

func (n number) times(f float64) number {
	n.lo *= f
	n.hi *= f
	return n
}

// numberAt reads the number that begins at s[i].
func numberAt(s string, i int) number {
	switch c := s[i]; {
	case isDigit(c), c == '.' && i+1 < len(s) && isDigit(s[i+1]):
		return scaled(s, digitsAt(s, i))
	case isLetter(c):
		return wordsAt(s, i)
	case c >= utf8.RuneSelf:
		end := numeralEnd(s, i)
		if end == i {
			return number{}
		}
		n := numeral(s[i:end])
		n.end = end
		return n
	}
	return number{}
}

// digitsAt reads 1,234.5 and 2e5.
func digitsAt(s string, i int) number {
	j, point, comma := i, false, false
	for j < len(s) {
		switch {
		case isDigit(s[j]):
		case s[j] == '.' && !point && j+1 < len(s) && isDigit(s[j+1]):
			point = true
		case s[j] == ',' && !point && thousands(s, i, j):
			comma = true
		default:
			goto end
		}
		j++
	}
end:
	if k := j + 1; j < len(s) && s[j] == 'e' && k < len(s) && isDigit(s[k]) {
		for k < len(s) && isDigit(s[k]) {
			k++
		}
		if k-j <= 3 && (k == len(s) || !isWord(s[k])) {
			j = k
		}
	}
	figure := s[i:j]
	if comma {
		figure = strings.ReplaceAll(figure, ",", "")
	}
	v, err := strconv.ParseFloat(figure, 64)
	if err != nil || v > 1e18 {
		return number{}
	}
	return one(v, j)
}

// thousands reports whether the comma at j, in a number from i on, sets off
// three digits.
func thousands(s string, i, j int) bool {
	if j-i > 3 && s[j-4] != ',' || j+3 >= len(s) {
		return false
	}
	for k := j + 1; k <= j+3; k++ {
		if !isDigit(s[k]) {
			return false
		}
	}
	return j+4 >= len(s) || !isDigit(s[j+4])
}

// scales multiply the figure before them.
var scales = []struct {
	word string
	by   float64
}{
	{"万亿", 1e12}, {"百亿", 1e10}, {"千亿", 1e11}, {"亿", 1e8}, {"百万", 1e6}, {"千万", 1e7}, {"万", 1e4}, {"千", 1e3}, {"百", 1e2},
	{"trillion", 1e12}, {"billion", 1e9}, {"million", 1e6}, {"thousand", 1e3}, {"hundred", 1e2},
}

// scaled applies the scale words that follow a number: 3万, 1.5 billion.
func scaled(s string, n number) number {
	if !n.ok {
		return n
	}
	if j := n.end; j < len(s) && s[j] == 'w' { // 1w5
		if rest, end := oneDigit(s, j+1); rest > 0 {
			n.lo, n.end, n.scale = n.lo*1e4+rest*1e3, end, "w"
			n.hi = n.lo
			return n
		}
	}
	j := n.end
	if j < len(s) && s[j] == ' ' {
		j++
	}
	for _, sc := range scales {
		if !strings.HasPrefix(s[j:], sc.word) {
			continue
		}
		end := j + len(sc.word)
		if isLetter(sc.word[0]) && end < len(s) && isWord(s[end]) || !isLetter(sc.word[0]) && notScale(s, j) {
			continue
		}
		n = n.times(sc.by)
		n.scale, n.end = sc.word, end
		if rest, after := oneDigit(s, end); rest > 0 && sc.by >= 100 && !isLetter(sc.word[0]) { // 1万5
			n.lo, n.hi, n.end = n.lo+rest*sc.by/10, n.hi+rest*sc.by/10, after
		}
		return n
	}
	return n
}

// oneDigit reads a single digit that stands for the next lower place: the 5 of
// 1万5. It returns 0 when there is none.
func oneDigit(s string, i int) (digit float64, end int) {
	if i >= len(s) || !isDigit(s[i]) || i+1 < len(s) && (isWord(s[i+1]) || s[i+1] == '.') {
		return 0, i
	}
	return float64(s[i] - '0'), i + 1
}

// notScale guards names that begin with a scale, such as 千问 and 万相.
func notScale(s string, i int) bool {
	for _, name := range []string{"千问", "万相", "百川", "千帆", "百度", "万兴", "千兆", "万兆", "百兆"} {
		if strings.HasPrefix(s[i:], name) {
			return true
		}
	}
	return false
}

var numberWords = map[string]float64{
	"zero": 0, "one": 1, "two": 2, "three": 3, "four": 4, "five": 5, "six": 6, "seven": 7, "eight": 8, "nine": 9, "ten": 10,
	"eleven": 11, "twelve": 12, "thirteen": 13, "fourteen": 14, "fifteen": 15, "sixteen": 16, "seventeen": 17, "eighteen": 18, "nineteen": 19,
	"twenty": 20, "thirty": 30, "forty": 40, "fifty": 50, "sixty": 60, "seventy": 70, "eighty": 80, "ninety": 90, "hundred": 100, "dozen": 12,
	"half": 0.5, "couple": 2, "pair": 2, "single": 1,
}

var vagueWords = map[string]bool{"few": true, "several": true, "many": true, "some": true, "dozens": true, "hundreds": true, "thousands": true, "millions": true}

// wordsAt reads English numbers: "two", "twenty four", "half a", "a couple of",
// "one and a half".
func wordsAt(s string, i int) number {
	if i > 0 && isWord(s[i-1]) {
		return number{}
	}
	w := wordAt(s, i)
	end := i + len(w)
	if w == "a" || w == "an" {
		return afterArticle(s, end)
	}
	if vagueWords[w] {
		return number{end: end, ok: true, vague: true, spelled: true}
	}
	v, ok := numberWords[w]
	if !ok {
		return number{}
	}
	n := one(v, end)
	n.spelled = true
	switch {
	case v == 0.5:
		n.end = skipWords(s, n.end, "of", "a", "an")
	case w == "couple" || w == "pair" || w == "dozen":
		n.end = skipWords(s, n.end, "of")
	case v >= 20 && v < 100 && skipBlank(s, end) < len(s):
		next := skipJoin(s, end)
		if u := numberWords[wordAt(s, next)]; u >= 1 && u <= 9 {
			n = one(v+u, next+len(wordAt(s, next)))
			n.spelled = true
		}
	}
	n = scaled(s, n)
	if half := skipWords(s, n.end, "and", "a", "half"); half > n.end && strings.HasSuffix(s[:half], "half") {
		n.lo, n.hi, n.end = n.lo+0.5, n.hi+0.5, half
	}
	return n
}

// afterArticle reads what follows "a": a number word, or a unit of which there
// is one.
func afterArticle(s string, end int) number {
	next := skipBlank(s, end)
	if next == end || next == len(s) {
		return number{}
	}
	switch w := wordAt(s, next); w {
	case "few", "couple", "half", "hundred", "dozen", "pair", "thousand", "single":
		return wordsAt(s, next)
	}
	n := one(1, end)
	n.article, n.spelled = true, true
	return n
}

// skipWords skips those of the words that follow, in their order.
func skipWords(s string, i int, words ...string) int {
	for _, w := range words {
		if j := skipBlank(s, i); j > i && wordAt(s, j) == w {
			i = j + len(w)
		}
	}
	return i
}

func skipBlank(s string, i int) int {
	for i < len(s) && s[i] == ' ' {
		i++
	}
	return i
}

// skipJoin skips blanks or one hyphen.
func skipJoin(s string, i int) int {
	if i < len(s) && s[i] == '-' {
		return i + 1
	}
	return skipBlank(s, i)
}

// Chinese numerals.

var numeralDigits = map[rune]float64{
	'零': 0, '〇': 0, '一': 1, '二': 2, '两': 2, '俩': 2, '仨': 3, '三': 3, '四': 4, '五': 5, '六': 6, '七': 7, '八': 8, '九': 9,
	'壹': 1, '贰': 2, '叁': 3, '肆': 4, '伍': 5, '陆': 6, '柒': 7, '捌': 8, '玖': 9,
}

var numeralTens = map[rune]float64{'十': 10, '拾': 10, '百': 100, '佰': 100, '千': 1000, '仟': 1000, '万': 1e4, '亿': 1e8}

// numeralEnd returns the end of the Chinese numeral that begins at i, or i.
func numeralEnd(s string, i int) int {
	first, n := utf8.DecodeRuneInString(s[i:])
	second, _ := utf8.DecodeRuneInString(s[i+n:])
	if !startsNumeral(first, second) {
		return i
	}
	j := i
	var last rune
	for j < len(s) {
		r, n := utf8.DecodeRuneInString(s[j:])
		if !continuesNumeral(s, last, r, j+n) {
			break
		}
		last = r
		j += n
	}
	return j
}

func startsNumeral(first, second rune) bool {
	_, digit := numeralDigits[first]
	switch {
	case digit, first == '十', first == '半', first == '几', first == '拾':
		return true
	case first == '百' || first == '千': // 百来张, 千亿, but not 千问
		return second == '来' || second == '多' || second == '余' || second == '亿' || second == '万' || second == '把' || second == '卡'
	case first == '万': // 万卡, 万亿, but not 万相
		return second == '卡' || second == '亿'
	case first == '数':
		return second == '十' || second == '百' || second == '千' || second == '万'
	}
	return false
}

func continuesNumeral(s string, last, r rune, after int) bool {
	_, digit := numeralDigits[r]
	_, lastTen := numeralTens[last]
	_, lastDigit := numeralDigits[last]
	switch {
	case last == 0:
		return true
	case last == '半':
		return false
	case r == '俩' || r == '仨':
		return false
	case digit:
		return last != '几' && last != '来' && last != '多' && last != '余'
	case r == '点':
		return lastDigit && decimalsAt(s, after)
	case r == '几':
		return lastTen
	case r == '多' || r == '来' || r == '余' || r == '把':
		return lastTen
	}
	_, ten := numeralTens[r]
	return ten && (!notScale(s, after-utf8.RuneLen(r)) || r == '百' && lastDigit) // 八百兆
}

// decimalsAt reports whether 点 is a decimal point: digits follow, and they do
// not make minutes (九点三十).
func decimalsAt(s string, i int) bool {
	any := false
	for i < len(s) {
		r, n := utf8.DecodeRuneInString(s[i:])
		if _, digit := numeralDigits[r]; !digit {
			return any && r != '十'
		}
		any = true
		i += n
	}
	return any
}

// digitString returns the digits of a numeral that is spoken digit by digit
// (四零九零), or "".
func digitString(s string) string {
	var b strings.Builder
	zero := false
	for _, r := range s {
		v, ok := numeralDigits[r]
		if !ok || r == '两' || r == '俩' || r == '仨' {
			return ""
		}
		zero = zero || v == 0
		b.WriteByte(byte('0' + int(v)))
	}
	if b.Len() < 3 || !zero || b.String()[0] == '0' {
		return ""
	}
	return b.String()
}

// numeral reads a whole Chinese numeral. Two digits side by side are a range:
// 两三, 十七八, 二三十.
func numeral(s string) number {
	p := numeralParser{}
	for _, r := range s {
		if !p.take(r) {
			return number{}
		}
	}
	return p.finish()
}

type numeralParser struct {
	lo, hi   float64 // sum so far
	secLo    float64 // below 万
	secHi    float64
	digits   []float64 // not yet placed
	unit     float64   // the last of 十 百 千 万
	zero     bool      // 零 since then
	decimals int       // digits behind 点, plus one
	frac     float64
	half     bool
	vague    bool
	scale    string
}

func (p *numeralParser) take(r rune) bool {
	if v, ok := numeralDigits[r]; ok {
		switch {
		case p.decimals > 0:
			p.frac += v * pow10(-p.decimals)
			p.decimals++
		case v == 0 && len(p.digits) == 0:
			p.zero = true
		default:
			p.digits = append(p.digits, v)
		}
		return true
	}
	switch r {
	case '半':
		p.half = true
		return true
	case '几', '数':
		if r == '几' && p.unit == 10 && p.secLo >= 20 && len(p.digits) == 0 {
			return true // 六十几 is told like 六十多
		}
		p.vague = true
		p.digits = append(p.digits, 1)
		return true
	case '多', '来', '余', '把':
		return true
	case '点':
		p.decimals = 1
		return true
	}
	u, ok := numeralTens[r]
	switch {
	case r == '万' && p.empty(): // 万卡, 万亿
		p.lo, p.hi, p.unit, p.scale = u, u, u, string(r)
		return true
	case r == '亿' && p.unit == 1e4 && len(p.digits) == 0 && p.secLo == 0 && p.lo > 0: // 三万亿
		p.lo, p.hi, p.unit, p.scale = p.lo*u, p.hi*u, u, string(r)
		return true
	}
	return ok && p.place(u, r)
}

// empty reports whether nothing was taken yet.
func (p *numeralParser) empty() bool {
	return p.lo == 0 && p.secLo == 0 && len(p.digits) == 0 && !p.zero && !p.half && !p.vague
}

func (p *numeralParser) place(u float64, r rune) bool {
	lo, hi := 1.0, 1.0
	switch len(p.digits) {
	case 0:
		if p.secLo != 0 && u < 1e4 || u >= 1e4 && p.secLo == 0 && p.lo == 0 {
			return false
		}
	case 1:
		lo, hi = p.digits[0], p.digits[0]
	case 2:
		lo, hi = p.digits[0], p.digits[1]
	default:
		return false
	}
	if u >= 1e4 {
		if len(p.digits) == 0 {
			lo, hi = 0, 0
		}
		lo, hi = lo+p.frac, hi+p.frac
		p.lo, p.hi = p.lo+(p.secLo+lo)*u, p.hi+(p.secHi+hi)*u
		p.secLo, p.secHi = 0, 0
		p.scale = string(r)
	} else {
		p.secLo, p.secHi = p.secLo+lo*u, p.secHi+hi*u
	}
	p.digits, p.unit, p.zero, p.decimals, p.frac = nil, u, false, 0, 0
	return true
}

func (p *numeralParser) finish() number {
	n := number{ok: true, spelled: true, vague: p.vague, scale: p.scale}
	n.lo, n.hi = p.lo+p.secLo, p.hi+p.secHi
	switch len(p.digits) {
	case 0:
	case 1:
		d := p.digits[0]
		if p.unit >= 100 && !p.zero { // 一百五, 两千三, 一万二
			d *= p.unit / 10
		}
		n.lo, n.hi = n.lo+d, n.hi+d
	case 2:
		if p.digits[1] <= p.digits[0] {
			return number{}
		}
		n.lo, n.hi = n.lo+p.digits[0], n.hi+p.digits[1]
	default:
		return number{}
	}
	n.lo, n.hi = n.lo+p.frac, n.hi+p.frac
	if p.half {
		n.lo, n.hi = n.lo+0.5, n.hi+0.5
	}
	return n
}

func pow10(n int) float64 {
	v := 1.0
	for ; n < 0; n++ {
		v /= 10
	}
	return v
}

func shortFloat(v float64) string { return strconv.FormatFloat(v, 'f', -1, 64) }
