package when

import (
	"math"
	"time"
)

// span is a length of time: months by the calendar, the rest by the clock.
type span struct {
	months int
	exact  time.Duration
}

// amount is a length of time as said.
type amount struct {
	span
	upto   span // longer than span for "2 to 3 hours"
	ranged bool
	whole  bool // days or longer only
	neg    bool // said with a minus, or nothing at all
	far    bool // beyond what a span holds, and far beyond the limit of a reminder
	vague  bool // "a few days", "two working days": no number that we could use
	guess  bool // "a couple of", "two hours or so and more": worth a question
}

const maxYears = 20 // spans are exact up to here; the limit of a reminder is one year

// times returns v units, or far.
func (u unit) times(v float64) (span, bool) {
	hours := v * (u.exact.Hours() + float64(u.months)*31*24)
	if hours > maxYears*366*24 {
		return span{}, true
	}
	months := v * float64(u.months)
	days := (months - math.Trunc(months)) * 30 // 半个月 is 15 days
	exact := time.Duration(math.Round(v*u.exact.Seconds()))*time.Second + time.Duration(math.Round(days*24))*time.Hour
	return span{int(months), exact}, false
}

func (s span) plus(t span) span { return span{s.months + t.months, s.exact + t.exact} }

// term is one number with its unit: the 30 minutes of 2h30m.
type term struct {
	v, upto float64
	unit    int
	guess   bool
	vague   bool
}

// amount reads a length of time at i: 半小时, 两个半小时, 一个小时三十分钟, 2h30m, an
// hour and a half, 2-3 days.
func (p *parser) amount(i int) (a amount, next int, ok bool) {
	i = skip(p, skip(p, i, clAbout), clSharp)
	if p.is(i, clNeg) || p.minus(i) {
		a.neg = true
		i++
	}
	a.whole = true
	rank := len(units)
	for {
		t, j, found := p.term(i)
		if !found || t.unit >= rank {
			break
		}
		a.add(t)
		rank, next, ok = t.unit, j, true
		if a.ranged || t.vague {
			break
		}
		if i = j; p.is(i, clLink) && !p.apart && (p.tok(i).ch != ',' || !p.han) {
			i++
		}
	}
	if ok && rank == unitHour {
		next = p.bareMinutes(&a, next)
	}
	if ok && a.span == (span{}) && !a.far && !a.vague {
		a.neg = true // 零分钟后
	}
	return a, next, ok
}

func (a *amount) add(t term) {
	u := units[t.unit]
	s, far := u.times(t.v)
	e, farther := u.times(t.upto)
	a.upto = a.span.plus(e)
	a.span = a.span.plus(s)
	a.ranged = t.upto != t.v
	a.far = a.far || far || farther
	a.whole = a.whole && u.whole
	a.vague = a.vague || t.vague || u.work
	a.guess = a.guess || t.guess || a.ranged || t.v == .5 && t.unit == unitDay // 半天 is seldom 12 hours by the clock
}

// bareMinutes reads the 30 of 1h30.
func (p *parser) bareMinutes(a *amount, i int) int {
	t := p.tok(i)
	if !t.isNum || !t.glued || t.num.width != 2 || t.num.v > 59 {
		return i
	}
	if next := p.tok(i + 1); next.glued && (next.latin || next.is(clUnit) || next.ch == ':') {
		return i
	}
	a.add(term{v: t.num.v, upto: t.num.v, unit: unitMinute})
	a.whole = false
	return i + 1
}

func (p *parser) term(i int) (t term, next int, ok bool) {
	if p.is(i, clFew) {
		if u, j, ok := p.unit(skip(p, i+1, clGe), true, true); ok {
			return term{unit: u, vague: true}, j, true
		}
		return t, i, false
	}
	n, j, ok := p.quantity(i)
	if !ok {
		return t, i, false
	}
	t.v, t.upto = n.v, n.upto
	t.guess = n.guess
	if p.is(j, clFew) { // 十几天
		j, t.vague = j+1, true
	}
	ge := p.is(j, clGe)
	if ge {
		j++
	}
	if p.is(j, clMore) && (p.is(j+1, clUnit) || p.is(j+1, clMonth)) {
		j, t.guess = j+1, true
	}
	if !n.half && p.is(j, clHalf) {
		j, n.half = j+1, true
		t.v, t.upto = t.v+.5, t.upto+.5
	}
	if p.tok(j).ch == '-' { // 3-day
		j++
	}
	u, j, ok := p.unit(j, ge || n.half, n.v < 1000)
	if !ok {
		return t, i, false
	}
	t.unit = u
	if p.is(j, clMore) && p.tok(j).glued {
		j, t.guess = j+1, true
	}
	return p.trailingHalf(t, n, j)
}

// trailingHalf reads the half of 两天半 and "an hour and a half".
func (p *parser) trailingHalf(t term, n quantity, j int) (term, int, bool) {
	k := j
	if p.is(k, clLink) && isLetter(p.first(k)) {
		k = skip(p, k+1, clOne)
	}
	if p.is(k, clHalf) && !n.half && (k > j || p.tok(k).glued) && !p.is(k+1, clUnit) {
		t.v, t.upto, j = t.v+.5, t.upto+.5, k+1
	}
	return t, j, true
}

// quantity is a number before a unit.
type quantity struct {
	v, upto float64
	half    bool // a half is in it already
	guess   bool
}

func (p *parser) quantity(i int) (q quantity, next int, ok bool) {
	if p.is(i, clOne) && (p.is(i+1, clHalf) || p.is(i+1, clQuarter)) {
		i++
	}
	switch {
	case p.is(i, clHalf):
		q = quantity{v: .5, upto: .5, half: true}
		return q, skip(p, i+1, clOne), true
	case p.is(i, clCouple):
		return quantity{v: 2, upto: 2, guess: true}, i + 1, true
	case p.is(i, clQuarter) && isLetter(p.first(i)):
		return quantity{v: .25, upto: .25, half: true}, skip(p, i+1, clOne), true
	case p.is(i, clOne):
		return quantity{v: 1, upto: 1}, i + 1, true
	}
	n, j, ok := p.number(i)
	if !ok {
		return q, i, false
	}
	q = quantity{v: n.v, upto: n.upto, guess: n.upto != n.v}
	if p.is(j, clQuarter) && isLetter(p.first(j)) { // three quarters of an hour
		q.v, q.upto, q.half = q.v/4, q.upto/4, true
		return q, skip(p, j+1, clOne), true
	}
	if k := skip(p, j+1, clOne); p.is(j, clLink) && isLetter(p.first(j)) && p.is(k, clHalf) { // two and a half hours
		q.v, q.upto, q.half = q.v+.5, q.upto+.5, true
		return q, k + 1, true
	}
	if p.is(j, clTo) || p.is(j, clOr) {
		if m, k, ok := p.number(j + 1); ok && m.v > n.v {
			if _, _, ok := p.unit(skip(p, k, clGe), true, true); ok {
				q.upto, q.guess = m.v, true
				return q, k, true
			}
		}
	}
	return q, j, true
}

// lastYear is the last number that 年 makes a year of rather than a length: 8000年后.
const lastYear = 2200

// unit reads a unit at i. 月 is one only behind 个 or 半 (三月 is March), 日 only
// before 后 or 内, 年 only after a number that is no year; a single Latin
// letter only right behind digits.
func (p *parser) unit(i int, counted, small bool) (int, int, bool) {
	t := p.tok(i)
	if t.is(clMonth) && counted && p.first(i) == '月' {
		return unitMonth, i + 1, true
	}
	u, ok := t.sense(clUnit)
	if !ok {
		return 0, i, false
	}
	switch {
	case p.first(i) == '日':
		after := p.tok(i + 1)
		ok = after.is(clLater) || after.is(clWithin) || after.is(clBefore)
	case u == unitYear && isHan(p.first(i)) && p.tok(i-1).num.v > lastYear && p.tok(i-1).num.v == p.tok(i-1).num.upto:
	case u == unitYear && isHan(p.first(i)), t.hi-t.lo == 1 && isLetter(p.first(i)) && u == unitDay:
		ok = small
	}
	if t.hi-t.lo == 1 && isLetter(p.first(i)) && !(p.tok(i-1).num.width > 0 && (t.glued || u != 0 && !p.tok(i+1).glued)) {
		ok = false
	}
	return u, i + 1, ok
}

// number reads digits with decimals, a Chinese numeral (with 点 for the decimal
// point before a unit) or English number words.
func (p *parser) number(i int) (number, int, bool) {
	t := p.tok(i)
	if !t.isNum {
		return p.numberWord(i)
	}
	n := t.num
	next := p.tok(i + 2)
	if !next.isNum || n.upto != n.v {
		return n, i + 1, true
	}
	if p.tok(i+1).ch == '.' && p.tok(i+1).glued && next.glued && next.num.width > 0 && next.num.width < 10 {
		n.v += next.num.v / math.Pow10(next.num.width)
		n.upto, n.width = n.v, 0
		return n, i + 3, true
	}
	if n.width == 0 && p.first(i+1) == '点' && next.num.width == 0 && next.num.v < 10 {
		if u, _, ok := p.unit(skip(p, i+3, clGe), false, true); ok && u >= unitHour {
			n.v += next.num.v / 10
			n.upto = n.v
			return n, i + 3, true
		}
	}
	return n, i + 1, true
}

// numberWord reads twenty, twenty-five, one hundred and twenty.
func (p *parser) numberWord(i int) (number, int, bool) {
	v, ok := p.tok(i).sense(clNumber)
	if !ok {
		return number{}, i, false
	}
	j := i + 1
	if v < 10 && p.isNumber(j, 100) {
		v, j = v*100, j+1
	}
	if v >= 100 {
		if k := skip(p, j, clLink); p.is(k, clNumber) {
			if rest, l, ok := p.numberWord(k); ok && rest.v < 100 {
				return number{v: float64(v) + rest.v, upto: float64(v) + rest.v}, l, true
			}
		}
	}
	if v >= 20 && v < 100 {
		k := j
		if p.tok(k).ch == '-' {
			k++
		}
		if ones, ok := p.tok(k).sense(clNumber); ok && ones > 0 && ones < 10 {
			v, j = v+ones, k+1
		}
	}
	return number{v: float64(v), upto: float64(v)}, j, true
}

func (p *parser) isNumber(i, n int) bool {
	v, ok := p.tok(i).sense(clNumber)
	return ok && v == n
}

// minus reports a minus sign right before a number and not between two.
func (p *parser) minus(i int) bool {
	t := p.tok(i)
	return t.ch == '-' && p.tok(i+1).isNum && p.tok(i+1).glued && (i == 0 || !t.glued || !p.tok(i-1).isNum)
}

// skip steps over one token of the class, if it is there.
func skip(p *parser, i int, c class) int {
	if p.is(i, c) {
		return i + 1
	}
	return i
}
