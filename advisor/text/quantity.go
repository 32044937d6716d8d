package text

import (
	"slices"
	"strings"
	"unicode/utf8"
)

// Quantity is a number with its unit.
type Quantity struct {
	Start, End int     // bytes of the normal form, unit and "per" included
	Lo, Hi     float64 // in the unit's base; equal for a single value
	Unit       Unit
	Per        float64 // "for each such time", hours: 2 dollars an hour has 1; 0 for none
	Vague      bool    // several, 几: the value was not said
	Spelled    bool    // in words or Chinese numerals
	Article    bool    // the one of "a week"
	Scale      string  // 万, 亿, million … when it was written
	Clock      bool    // hours between two clock times
	Before     bool    // unit or sign stood before the number: $50, x8
	Backwards  bool    // a range whose greater end stood first: 5-2 days
}

// Quantities returns what is counted in the normal form s, outside the names
// that were found in it.
func Quantities(s string, names []Hit) []Quantity {
	var found []Quantity
	for i := 0; i < len(s); {
		for len(names) > 0 && names[0].End <= i {
			names = names[1:]
		}
		if len(names) > 0 && names[0].Start <= i {
			i = names[0].End
			if q, ok := timesBehind(s, i); ok {
				found = append(found, q)
				i = q.End
			}
			continue
		}
		if q, ok := quantityAt(s, i); ok {
			found = append(found, q)
			i = q.End
			continue
		}
		i = nextStart(s, i)
	}
	return found
}

// timesBehind reads a count that is joined to the name before it: A100x8, A100*8.
func timesBehind(s string, i int) (Quantity, bool) {
	if i+1 >= len(s) || s[i] != 'x' && s[i] != '*' || !isDigit(s[i+1]) {
		return Quantity{}, false
	}
	n := digitsAt(s, i+1)
	if !n.ok || n.end < len(s) && isLetter(s[n.end]) {
		return Quantity{}, false
	}
	return Quantity{Start: i, End: n.end, Lo: n.lo, Hi: n.hi, Unit: Times, Before: true}, true
}

// nextStart returns the next place where a number may begin: Latin words and
// numbers are passed as a whole, because what is in them is no quantity.
func nextStart(s string, i int) int {
	if !isWord(s[i]) {
		_, n := utf8.DecodeRuneInString(s[i:])
		return i + n
	}
	for i < len(s) && isWord(s[i]) {
		if s[i] == 'x' && i+1 < len(s) && isDigit(s[i+1]) {
			return i + 1
		}
		i++
		if i+1 < len(s) && s[i] == '.' && isDigit(s[i-1]) && isDigit(s[i+1]) {
			i++ // qwen1.5
		}
	}
	return i
}

func quantityAt(s string, i int) (Quantity, bool) {
	if end, hours, ok := clockSpanAt(s, i); ok {
		return Quantity{Start: i, End: end, Lo: hours, Hi: hours, Unit: Hours, Clock: true}, true
	}
	if q, ok := pictureSizeAt(s, i); ok {
		return q, true
	}
	if q, ok := datesAt(s, i); ok {
		return q, true
	}
	sign, start := signAt(s, i)
	n := numberAt(s, start)
	if !n.ok {
		return Quantity{}, false
	}
	q := Quantity{Start: i, End: n.end, Lo: n.lo, Hi: n.hi, Vague: n.vague, Spelled: n.spelled, Article: n.article, Scale: n.scale}
	if sign != Bare {
		q.sign(s, sign)
		return q, true
	}
	if isDigit(s[start]) && timesBefore(s, start) {
		q.Before = true
		q.Unit = Times
	}
	if !q.rangeAt(s, n) {
		q.unitAt(s, n.end)
	}
	if q.Article && q.Unit != Hours && q.Unit != Machines && !(q.Unit == GB && strings.Contains(s[i:q.End], "byte")) {
		return Quantity{}, false
	}
	q.sum(s)
	q.counted(s)
	q.perAt(s)
	return q, true
}

// counted takes the things that are counted in thousands or millions: 40k rows,
// 10 million docs, 1T tokens.
func (q *Quantity) counted(s string) {
	by := 1.0
	switch q.Unit {
	case Kilo, Mega:
	case Params:
		by = 1e9
	case Tera:
		by = 1e9
	case Bare:
		if q.Scale == "" {
			return
		}
	default:
		return
	}
	i := skipBlank(s, q.End)
	u, end, ok := unitAt(s, i)
	if !ok || u.unit != Things && u.unit != Tokens && (by > 1 || u.unit != People && u.unit != Streams && u.unit != Frames) {
		return
	}
	if (q.Unit == Params || q.Unit == Tera) && u.unit == Things && !texts[s[i:end]] {
		return
	}
	q.Unit, q.Lo, q.Hi, q.End = u.unit, q.Lo*by*u.by, q.Hi*by*u.by, end
}

// texts are things that come in billions: behind 7B they are counted, where
// "7B models" are sized.
var texts = map[string]bool{"rows": true, "samples": true, "words": true, "docs": true, "documents": true, "passages": true, "pairs": true, "records": true, "examples": true, "条": true, "字": true}

// timesBefore reports whether an x that counts stands before i: x8, "x 8", *8.
func timesBefore(s string, i int) bool {
	j := i
	for j > 0 && s[j-1] == ' ' {
		j--
	}
	if j == 0 || s[j-1] != 'x' && s[j-1] != '*' {
		return false
	}
	j--
	return j == 0 || !isWord(s[j-1]) || i == j+1 && !isDigit(s[j-1])
}

// signAt returns the currency whose sign stands at i, and where its number
// begins.
func signAt(s string, i int) (Unit, int) {
	for _, c := range currencySigns {
		if strings.HasPrefix(s[i:], c.sign) {
			j := skipBlank(s, i+len(c.sign))
			if j < len(s) && (isDigit(s[j]) || s[j] >= utf8.RuneSelf && numeralEnd(s, j) > j) {
				return c.unit, j
			}
		}
	}
	return Bare, i
}

// sign finishes an amount whose currency stood before it: $50, $2k, ¥300.
func (q *Quantity) sign(s string, u Unit) {
	q.Unit, q.Before = u, true
	if end := rangeSep(s, q.End); end > 0 {
		_, start := signAt(s, end)
		if m := numberAt(s, start); m.ok && m.lo > q.Lo {
			q.Hi, q.End = m.hi, m.end
		}
	}
	for _, w := range []string{"k", "w", "m"} {
		if strings.HasPrefix(s[q.End:], w) && unitEnds(s, q.End, q.End+1) {
			q.Lo, q.Hi, q.End = q.Lo*unitWords[w].by, q.Hi*unitWords[w].by, q.End+1
		}
	}
	if u, end, ok := unitAt(s, skipBlank(s, q.End)); ok && (u.unit == CNY || u.unit == USD || u.unit == Blocks) {
		q.End = end
	}
	q.perAt(s)
}

// unitAt takes the unit behind the number, which ends at i.
func (q *Quantity) unitAt(s string, i int) {
	j := i
	for _, filler := range []string{"ish", "-ish", "+", " ", "来", "多", "余", "几"} {
		if strings.HasPrefix(s[j:], filler) {
			j += len(filler)
		}
	}
	if q.half(s, j) {
		return
	}
	u, end, ok := unitAt(s, j)
	if !ok || u.unit == Pieces {
		if k := afterMeasure(s, j); k > j {
			if v, e, yes := unitAt(s, k); yes && v.unit != Pieces && v.unit != Sheets && v.unit != Blocks {
				u, end, ok = v, e, true
			}
		}
	}
	if !ok && j < len(s) && s[j] == '-' && (j+1 < len(s) && isLetter(s[j+1])) {
		u, end, ok = unitAt(s, j+1)
	}
	if !ok || u.unit == Times && q.Unit == Times {
		return
	}
	q.Unit, q.Lo, q.Hi, q.End = u.unit, q.Lo*u.by, q.Hi*u.by, end
	q.afterUnit(s, u)
}

// afterMeasure skips a measure word and "of": 三(个)钟头, 300 (个)g, 2 (full) days.
func afterMeasure(s string, i int) int {
	for _, w := range []string{"个", "整", "大", "台", "full ", "whole ", "straight ", "solid ", "more ", "or so ", "concurrent ", "parallel ", "simultaneous ", "active ", "daily ", "independent ", "separate ", "identical ", "dedicated ", "rented ", "cloud ", "nvidia ", "physical "} {
		if strings.HasPrefix(s[i:], w) {
			i = skipBlank(s, i+len(w))
			if rest, ok := strings.CutPrefix(s[i:], "多"); ok && w == "个" { // 3个多G
				return skipBlank(s, len(s)-len(rest))
			}
			return i
		}
	}
	return i
}

// half reads 个半 between number and unit: 三个半小时, 一个半月.
func (q *Quantity) half(s string, i int) bool {
	if !strings.HasPrefix(s[i:], "个半") {
		return false
	}
	u, end, ok := unitAt(s, i+len("个半"))
	if !ok || u.unit != Hours {
		return false
	}
	q.Unit, q.Lo, q.Hi, q.End = Hours, (q.Lo+0.5)*u.by, (q.Hi+0.5)*u.by, end
	return true
}

// afterUnit reads a half or a rest behind the unit: 三天半, a day and a half,
// 两块三.
func (q *Quantity) afterUnit(s string, u unitWord) {
	switch {
	case u.unit == Hours && strings.HasPrefix(s[q.End:], "半") && !strings.HasPrefix(s[q.End:], "半精度"):
		q.Lo, q.Hi, q.End = q.Lo+u.by/2, q.Hi+u.by/2, q.End+len("半")
	case u.unit == Hours:
		if end := skipWords(s, q.End, "and", "a", "half"); end > q.End && strings.HasSuffix(s[:end], "half") {
			q.Lo, q.Hi, q.End = q.Lo+u.by/2, q.Hi+u.by/2, end
		}
	case u.unit == Blocks || u.unit == CNY && strings.HasSuffix(s[:q.End], "元"):
		q.jiao(s)
	}
}

// jiao reads the tenths behind 块: 两块三, 3块5, 两块五毛.
func (q *Quantity) jiao(s string) {
	if q.End >= len(s) || q.Lo != q.Hi || q.Lo != float64(int(q.Lo)) {
		return
	}
	r, n := utf8.DecodeRuneInString(s[q.End:])
	d, numeral := numeralDigits[r]
	if r == '半' {
		d, numeral = 5, true
	}
	end := q.End + n
	if isDigit(s[q.End]) {
		d, numeral = float64(s[q.End]-'0'), true
		if end < len(s) && isDigit(s[end]) { // 两块35
			d, end = d+float64(s[end]-'0')/10, end+1
		}
	}
	if !numeral || d == 0 || r == '两' {
		return
	}
	rest := s[end:]
	for _, mao := range []string{"毛钱", "毛", "角"} {
		if strings.HasPrefix(rest, mao) {
			rest, end = rest[len(mao):], end+len(mao)
			break
		}
	}
	if hasTime(rest) {
		return // 两块一小时
	}
	if pricedBy(rest) { // 一块八一小时
		q.Lo, q.Hi, q.End, q.Unit = q.Lo+d/10, q.Hi+d/10, end, CNY
		return
	}
	if next, _ := utf8.DecodeRuneInString(rest); rest != "" && (isWord(rest[0]) || numeralLike(next) || strings.HasPrefix(rest, "张") || strings.HasPrefix(rest, "个")) {
		return
	}
	q.Lo, q.Hi, q.End, q.Unit = q.Lo+d/10, q.Hi+d/10, end, CNY
}

// hasTime reports whether a unit of time stands at the beginning.
func hasTime(s string) bool {
	for _, w := range []string{"小时", "个小时", "个钟", "钟头", "天", "个月", "月", "周", "年"} {
		if strings.HasPrefix(s, w) {
			return true
		}
	}
	return false
}

// pricedBy reports whether one unit of time stands at the beginning.
func pricedBy(s string) bool {
	return slices.ContainsFunc(unitTimes, func(u unitTime) bool { return strings.HasPrefix(s, u.word) })
}

func numeralLike(r rune) bool {
	_, digit := numeralDigits[r]
	_, ten := numeralTens[r]
	return digit || ten
}

// rangeAt reads a range: 5-7 days, 3天到5天, one or two weeks, between 2 and 3.
// n is the first number.
func (q *Quantity) rangeAt(s string, n number) bool {
	if n.vague || n.lo != n.hi {
		return false
	}
	first := *q
	first.unitAt(s, n.end)
	if q.orMore(s, n, first) {
		return true
	}
	for _, from := range []int{n.end, first.End} {
		sep := rangeSep(s, from)
		if sep == 0 {
			continue
		}
		m := numberAt(s, sep)
		if !m.ok || m.vague || m.article {
			continue
		}
		second := Quantity{Start: sep, End: m.end, Lo: m.lo, Hi: m.hi, Spelled: m.spelled}
		second.unitAt(s, m.end)
		if m.hi <= n.lo && from == n.end {
			if q.backwards(s, n, m, second, s[from:sep]) {
				return true
			}
			continue
		}
		if !joinsRange(s, from, sep, first, second, from == n.end) {
			continue
		}
		lo := first.Lo
		if from == n.end && m.hi > 0 {
			lo = n.lo * second.Hi / m.hi
		}
		if lo >= second.Hi || second.Unit == Bare && from == n.end && n.spelled {
			continue
		}
		q.Lo, q.Hi, q.Unit, q.End, q.Spelled = lo, second.Hi, second.Unit, second.End, q.Spelled || second.Spelled
		return true
	}
	return false
}

// backwards reads a range of times or data with the greater end first: 5-2 天.
func (q *Quantity) backwards(s string, n, m number, second Quantity, sep string) bool {
	sep = strings.TrimSpace(sep)
	if second.Unit != Hours && second.Unit != GB || m.lo != m.hi || m.lo <= 0 || m.lo >= n.lo || n.lo > 1000 || n.lo > 10*m.lo || sep != "-" && sep != "~" && sep != "到" {
		return false
	}
	q.Lo, q.Hi, q.Unit, q.End, q.Spelled = second.Lo, n.lo*second.Lo/m.lo, second.Unit, second.End, q.Spelled || second.Spelled
	q.Backwards = true
	return true
}

// orMore reads "a week or two": one unit of time, or some more of them.
func (q *Quantity) orMore(s string, n number, first Quantity) bool {
	if !n.spelled || n.lo != 1 || first.Unit != Hours || first.Lo != first.Hi {
		return false
	}
	for _, or := range []string{"or ", "to ", "maybe "} {
		i := skipBlank(s, first.End)
		if !strings.HasPrefix(s[i:], or) {
			continue
		}
		m := numberAt(s, skipBlank(s, i+len(or)))
		if !m.ok || m.vague || m.article || m.lo != m.hi || m.lo < 2 || m.lo > 9 || m.lo != float64(int(m.lo)) {
			continue
		}
		if u, _, unit := unitAt(s, skipBlank(s, m.end)); unit && u.unit != Hours || m.end < len(s) && isWord(s[m.end]) {
			continue
		} else if unit {
			return false // "a day or two weeks" is another range
		}
		q.Unit, q.Lo, q.Hi, q.End = Hours, first.Lo, first.Hi*m.lo, m.end
		return true
	}
	return false
}

// joinsRange reports whether two quantities are the ends of one: the same unit
// on both, or on the second alone.
func joinsRange(s string, from, sep int, first, second Quantity, bare bool) bool {
	weak := strings.Contains(s[from:sep], "or") || strings.Contains(s[from:sep], "或") || strings.Contains(s[from:sep], "and")
	switch {
	case second.Unit == Things, second.Unit == Pieces, second.Unit == Times, second.Unit == Sheets && weak:
		return false
	case bare && first.Unit != Bare && first.End > from:
		return false // it has a unit of its own
	case bare:
		return second.Unit != Bare || !weak && !slices.Contains([]string{"/"}, s[from:sep])
	}
	return first.Unit == second.Unit && first.Unit != Bare && (!weak || first.Unit == Hours)
}

// rangeSep returns the end of "to", "-" or their like at i, or 0.
func rangeSep(s string, i int) int {
	i = skipBlank(s, i)
	for _, w := range []string{"-", "~", "到", "至", "或者", "或", "to ", "or ", "and "} {
		if strings.HasPrefix(s[i:], w) {
			if end := skipBlank(s, i+len(w)); end < len(s) {
				return end
			}
		}
	}
	return 0
}

// sum adds smaller times that follow: 2h30m, 1天12小时, 1 hour and 20 minutes.
func (q *Quantity) sum(s string) {
	for q.Unit == Hours && q.Lo == q.Hi && !q.Vague {
		i := skipBlank(s, q.End)
		joined := false
		for _, and := range []string{"and ", "零", "又", "加"} {
			if strings.HasPrefix(s[i:], and) {
				i, joined = i+len(and), true
			}
		}
		if q.Spelled && q.Lo == 24 && !joined {
			return // 一天8小时 is eight hours a day
		}
		if i >= len(s) {
			return
		}
		n := numberAt(s, i)
		if !n.ok || n.vague || n.lo != n.hi || n.article {
			return
		}
		rest := Quantity{Start: i, End: n.end, Lo: n.lo, Hi: n.hi}
		rest.unitAt(s, n.end)
		if rest.Unit == Mega { // the m of 2h30m
			rest.Unit, rest.Lo = Hours, n.lo/60
		}
		if rest.Unit != Hours || rest.Lo >= q.Lo {
			return
		}
		each := rest
		if each.perAt(s); each.Per >= 24 && each.Per <= q.Lo {
			return // 30天 8h/天 is eight hours on each of them
		}
		q.Lo, q.Hi, q.End = q.Lo+rest.Lo, q.Hi+rest.Lo, rest.End
	}
}

// perAt reads "an hour", "/day" and their like behind the quantity.
func (q *Quantity) perAt(s string) {
	switch q.Unit {
	case Cards, Sheets, Machines, Times, Params:
		return
	}
	i := skipBlank(s, q.End)
	if q.perUnit(s, i) {
		return
	}
	for _, p := range pers {
		if !strings.HasPrefix(s[i:], p.word) {
			continue
		}
		end := i + len(p.word)
		if p.hours < 1 && q.Unit != Hours && !seconds(s[q.Start:q.End]) {
			continue // what one piece takes is a time
		}
		if q.Unit == Hours && strings.HasPrefix(p.word, "每") && startsFigure(s, skipBlank(s, end)) {
			continue // 30天 每天8小时: it is of the next number
		}
		if i > q.End && q.Unit != Hours && strings.HasPrefix(p.word, "每") && startsMoney(s, skipBlank(s, end)) {
			continue // 余额 30 美元 每小时 0.5 美元: so is it of the next sum
		}
		if isLetter(s[end-1]) && end < len(s) && isWord(s[end]) || q.Unit == Bare && p.word[0] != '/' && p.word[0] != 'p' {
			continue
		}
		q.Per, q.End = p.hours, end
		return
	}
}

// startsFigure reports whether a number begins at i, in digits or numerals.
func startsFigure(s string, i int) bool {
	return i < len(s) && (isDigit(s[i]) || numeralEnd(s, i) > i)
}

// startsMoney reports whether a sum of money begins at i: 0.5 美元.
func startsMoney(s string, i int) bool {
	n := numberAt(s, i)
	if !n.ok {
		return false
	}
	u, _, ok := unitAt(s, skipBlank(s, n.end))
	return ok && (u.unit == CNY || u.unit == USD || u.unit == Blocks)
}

// seconds reports whether a quantity is written in seconds.
func seconds(written string) bool {
	if strings.HasSuffix(written, "秒") || strings.HasSuffix(written, "秒钟") {
		return true
	}
	switch strings.TrimLeft(written, "0123456789., -~") {
	case "s", "sec", "secs", "second", "seconds", "ms":
		return true
	}
	return false
}

// perUnit reads one unit of time right behind an amount: 3元一小时, 1.8一小时.
func (q *Quantity) perUnit(s string, i int) bool {
	money := q.Unit == CNY || q.Unit == USD
	if !money && !(q.Unit == Blocks && i == q.End) && !(q.Unit == Bare && q.Lo != float64(int64(q.Lo)) && q.Scale == "") {
		return false
	}
	for _, p := range unitTimes {
		if strings.HasPrefix(s[i:], p.word) && (money || p.hours == 1) {
			q.Per, q.End = p.hours, i+len(p.word)
			return true
		}
	}
	return false
}

// pictureSizeAt reads 1024x768 and 1280*720.
func pictureSizeAt(s string, i int) (Quantity, bool) {
	if !isDigit(s[i]) || i > 0 && isWord(s[i-1]) {
		return Quantity{}, false
	}
	w := digitsAt(s, i)
	j := skipBlank(s, w.end)
	if !w.ok || w.lo < 64 || j >= len(s) || s[j] != 'x' && s[j] != '*' {
		return Quantity{}, false
	}
	j = skipBlank(s, j+1)
	if j >= len(s) || !isDigit(s[j]) {
		return Quantity{}, false
	}
	h := digitsAt(s, j)
	if !h.ok || h.lo < 64 || w.lo > 20000 || h.lo > 20000 || h.end < len(s) && isLetter(s[h.end]) {
		return Quantity{}, false
	}
	return Quantity{Start: i, End: h.end, Lo: w.lo, Hi: h.lo, Unit: Size}, true
}
