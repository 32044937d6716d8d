package when

// clock is a time of day as said.
type clock struct {
	h, m  int
	half  int  // am or pm, 0 if not said
	same  bool // the time of day it is now
	loose bool // may be meant twelve hours later: 九点, at 9
	colon bool // written 9:30: the 24-hour clock, but a past 9:30 may have meant the evening
}

// clockAt reads a time of day: 18:00, 6pm, 九点半, 差一刻九点, half past nine.
func clockAt(p *parser, i int) (piece, bool) {
	if p.is(i, clSameTime) {
		return piece{kind: kClock, lo: i, hi: i + 1, clock: clock{same: true}}, true
	}
	for _, rule := range []func(*parser, int) (piece, bool){colonClock, letterClock, meridiemClock, hanClock, lessClock, pastClock, oclock} {
		if c, ok := rule(p, i); ok {
			c.kind, c.lo = kClock, i
			return p.afterClock(c), true
		}
	}
	return piece{}, false
}

// afterClock takes 整, sharp, 左右 behind a clock and checks the figures.
func (p *parser) afterClock(c piece) piece {
	for p.is(c.hi, clSharp) || p.is(c.hi, clAbout) {
		c.hi++
	}
	t := &c.clock
	switch {
	case t.h > 24, t.m > 59, t.h == 24 && t.m > 0,
		t.half == am && t.h > 12, t.half == pm && t.h == 0:
		c.err = InvalidTime
	case t.half == am && t.h == 12:
		t.h = 0
	case t.half == pm && t.h < 12:
		t.h += 12
	}
	if t.half != 0 || t.h > 12 {
		t.loose = false
	}
	return c
}

// colonClock reads 18:00, 5:15pm, 23:59:00.000.
func colonClock(p *parser, i int) (c piece, ok bool) {
	h, m := p.tok(i), p.tok(i+2)
	dot := p.tok(i+1).ch == '.' && p.is(i-1, clAt) && m.num.width == 2 && m.glued && m.num.v < 60 && h.num.v <= 24
	if h.num.width == 0 || h.num.width > 2 || p.tok(i+1).ch != ':' && !dot || m.num.width == 0 || m.num.width > 2 {
		return c, false
	}
	if m.num.width == 1 { // 8:5 beside a day is a clock, 16:9 elsewhere is not
		c.ask = true
		if p.last.hi != i || i == 0 {
			return c, false
		}
	}
	c.clock = clock{h: int(h.num.v), m: int(m.num.v)}
	c.hi, c.ask = i+3, c.ask || dot // "at 15.30" is a time in some places
	for (p.tok(c.hi).ch == ':' || p.tok(c.hi).ch == '.') && p.tok(c.hi).glued && p.tok(c.hi+1).num.width > 1 && p.tok(c.hi+1).glued {
		c.hi += 2
	}
	if p.is(c.hi, clUnit) && p.isHour(c.hi) { // 1:30 小时: neither a time nor a length that we trust
		return piece{hi: c.hi + 1, err: NoTime}, true
	}
	if p.first(c.hi) == '分' {
		c.hi++
	}
	c.hi = p.meridiem(&c.clock, c.hi)
	c.clock.colon = !h.num.zero && c.clock.h < 12 && c.clock.half == 0
	c.clock.loose = c.clock.colon && !p.han
	return c, true
}

// letterClock reads 18h and 18h30 after "at", as they write in Europe.
func letterClock(p *parser, i int) (c piece, ok bool) {
	h, unit, m := p.tok(i), p.tok(i+1), p.tok(i+2)
	beside := p.last.hi == i && i > 0 && m.num.width == 2 && m.glued
	if !p.is(i-1, clAt) && !beside || h.num.width == 0 || h.num.width > 2 || unit.ch != 'h' || !unit.glued {
		return c, false
	}
	c.clock, c.hi = clock{h: int(h.num.v)}, i+2
	if m.num.width == 2 && m.glued {
		c.clock.m, c.hi = int(m.num.v), i+3
	}
	return c, true
}

func (p *parser) isHour(i int) bool { return p.unitIs(i, unitHour) }

func (p *parser) meridiem(c *clock, i int) int {
	n, ok := p.tok(i).sense(clMeridiem)
	if !ok {
		return i
	}
	c.half = n
	return i + 1
}

// meridiemClock reads 6pm, six thirty pm, 6.30pm, 630pm.
func meridiemClock(p *parser, i int) (c piece, ok bool) {
	h, j, ok := p.smallNumber(i)
	if !ok {
		return c, false
	}
	c.clock.h = h
	if h > 24 && p.tok(i).num.width >= 3 {
		c.clock.h, c.clock.m = h/100, h%100
	} else if k := j; p.tok(k).ch == '.' || !p.is(k, clMeridiem) {
		if p.tok(k).ch == '.' {
			k++
		}
		if m, l, ok := p.smallNumber(k); ok && p.is(l, clMeridiem) && (m > 9 || p.tok(k).num.zero) {
			c.clock.m, j = m, l
		}
	}
	c.hi = p.meridiem(&c.clock, j)
	return c, c.clock.half != 0
}

// smallNumber reads a whole number that a clock could show.
func (p *parser) smallNumber(i int) (int, int, bool) {
	t := p.tok(i)
	if t.isNum {
		return int(min(t.num.positional(), 9999)), i + 1, true
	}
	n, j, ok := p.numberWord(i)
	return int(n.v), j, ok
}

// hanClock reads 9点, 九点半, 九点一刻, 九点零五分, 18时30分, 九点差五分.
func hanClock(p *parser, i int) (c piece, ok bool) {
	t := p.tok(i)
	if !t.isNum || !p.is(i+1, clHour) || !isHan(p.first(i+1)) || p.is(i+2, clPoints) || p.is(i-1, clPoints) {
		return c, false
	}
	c.clock.h = int(min(t.num.positional(), 99))
	c.clock.loose = !t.num.zero && p.first(i+1) == '点' || t.num.v == 0
	c.ask = t.num.upto != t.num.v && t.num.width == 0 && c.clock.h > 24 // 两三点
	if c.ask {
		c.clock.h = int(t.num.v)
	}
	c.hi = i + 2
	switch {
	case p.is(c.hi, clSharp):
	case p.is(c.hi, clMore): // 九点多
		c.ask = true
		c.hi++
	default:
		p.hanMinutes(&c)
	}
	return c, true
}

// hanMinutes reads what follows 九点.
func (p *parser) hanMinutes(c *piece) {
	i := c.hi
	if p.is(i, clHalf) && p.first(i) == '半' && !p.is(i+1, clUnit) && p.tok(i).hi-p.tok(i).lo == 1 {
		c.clock.m, c.hi = 30, i+1
		return
	}
	less := p.is(i, clLess)
	if less || p.is(i, clPast) && p.first(i) == '过' {
		i++
	}
	m, j, ok := p.minutes(i, i > c.hi)
	if !ok {
		return
	}
	c.clock.m, c.hi = m, j
	if less {
		c.clock.m = 60 - m
		c.clock.h = (c.clock.h + 23) % 24
	}
}

// minutes reads 15, 零五, 十五分, 一刻. A single bare digit is no minute: in 9点3台
// it counts machines. With must, 分 or 刻 has to follow.
func (p *parser) minutes(i int, must bool) (int, int, bool) {
	t := p.tok(i)
	if !t.isNum {
		return 0, i, false
	}
	v := int(min(t.num.positional(), 99))
	if p.first(i+1) == '刻' {
		return 15 * v, i + 2, v >= 1 && v <= 3
	}
	if p.is(i+1, clUnit) && p.first(i+1) == '分' && p.tok(i+1).hi-p.tok(i+1).lo == 1 {
		j := i + 2
		if p.tok(j).isNum && p.first(j+1) == '秒' {
			j += 2
		}
		return v, j, true
	}
	two := t.num.width == 2 || t.num.width == 0 && (t.num.zero || v >= 10)
	if must || !two || v == 0 && t.num.width == 0 || p.is(i+1, clUnit) || p.is(i+1, clCounted) || p.is(i+1, clHour) || p.is(i+1, clGe) || p.tok(i+1).ch == ':' {
		return 0, i, false
	}
	return v, i + 1, true
}

// lessClock reads 差五分九点.
func lessClock(p *parser, i int) (c piece, ok bool) {
	if !p.is(i, clLess) {
		return c, false
	}
	m, j, ok := p.minutes(i+1, true)
	if !ok {
		return c, false
	}
	c, ok = hanClock(p, j)
	if !ok || c.clock.m != 0 {
		return c, false
	}
	c.clock.m = 60 - m
	c.clock.h = (c.clock.h + 23) % 24
	return c, true
}

// pastClock reads half past nine, a quarter to ten, twenty past six, 5 minutes
// to 6, and half nine, which we ask about.
func pastClock(p *parser, i int) (c piece, ok bool) {
	m, j := 0, skip(p, i, clOne)
	switch {
	case p.is(j, clHalf):
		m, j = 30, j+1
	case p.is(j, clQuarter) && isLetter(p.first(j)):
		m, j = 15, j+1
	default:
		if m, j, ok = p.smallNumber(j); !ok || m < 1 || m > 59 {
			return c, false
		}
		if p.unitIs(j, unitMinute) {
			j++
		}
	}
	to := p.isWord(j, "to") || p.isWord(j, "til") || p.isWord(j, "till")
	switch {
	case to, p.is(j, clPast) && p.first(j) == 'p':
		j++
	case m == 30 && p.is(j-1, clHalf) && p.is(i-1, clAt):
		c.ask = true // "half nine": 9:30 to some, 8:30 to others
	default:
		return c, false
	}
	if n, part := p.tok(j).sense(clPart); part && (n == partNoon || n == partMidnight) {
		return p.pastTwelve(m, to, n, j+1), true
	}
	h, k, ok := p.smallNumber(j)
	if !ok || h < 1 || h > 12 || p.is(k, clUnit) || p.is(k, clCounted) || p.is(k, clThing) {
		return c, false
	}
	c.clock = clock{h: h, m: m, loose: true}
	if to {
		c.clock.m, c.clock.h = 60-m, (h+11)%12
		if c.clock.h == 0 {
			c.clock.h = 12
		}
	}
	c.hi = p.meridiem(&c.clock, skip(p, k, clHour))
	return c, true
}

// pastTwelve is ten to midnight, half past noon.
func (p *parser) pastTwelve(m int, to bool, part, hi int) piece {
	c := piece{hi: hi, clock: clock{h: parts[part].def % 24, m: m}}
	if to {
		c.clock.h, c.clock.m = parts[part].def-1, 60-m
	}
	return c
}

func (p *parser) isWord(i int, w string) bool {
	t := p.tok(i)
	return t.hi-t.lo == len(w) && t.hi > 0 && string(p.f.r[t.lo:t.hi]) == w
}

// oclock reads 9 o'clock, nine o'clock pm.
func oclock(p *parser, i int) (c piece, ok bool) {
	h, j, ok := p.smallNumber(i)
	if !ok || !p.is(j, clHour) || !isLetter(p.first(j)) {
		return c, false
	}
	c.clock = clock{h: h, loose: true}
	c.hi = p.meridiem(&c.clock, j+1)
	return c, true
}

// bareClock reads a number as an hour where the words around it say so: at 9,
// 9 tomorrow morning, tomorrow 9, at 1830, at nine thirty.
func bareClock(p *parser, i int) (piece, bool) {
	h, j, ok := p.smallNumber(i)
	t := p.tok(i)
	at := p.is(i-1, clAt)
	if !ok || t.glued && i > 0 && !at && !isHan(p.first(i-1)) || p.is(i-1, clThing) {
		return piece{}, false
	}
	if c, ok := p.fourDigits(i, h); ok {
		return c, true
	}
	c := piece{kind: kClock, lo: i, hi: j, clock: clock{h: h, loose: !t.num.zero}}
	if m, k, ok := p.smallNumber(j); ok && at && h <= 12 && m > 9 && m < 60 && p.ends(k) {
		c.clock.m, c.hi = m, k
		return p.afterClock(c), true
	}
	if !p.sparesNumber(j) {
		return piece{}, false
	}
	ends := p.ends(j)
	switch {
	case at:
	case p.is(i-1, clBefore), p.is(i-1, clAfter), p.is(j, clPart), p.besideDay(i) && ends:
		c.weak = true
	case p.is(j, clDay): // "9 tomorrow", or the last of "stop pods 8 and 9 tomorrow"
		c.weak, c.ask = true, true
	default:
		return piece{}, false
	}
	if h > 24 && !(at && p.last.kind == kDay && ends) { // "tomorrow at 25" is a slip, "at 25 epochs" is none
		return piece{}, false
	}
	return p.afterClock(c), true
}

// besideDay reports whether a day or a part of it stands right before i.
func (p *parser) besideDay(i int) bool {
	switch p.last.kind {
	case kDay, kWeekday, kPart, kDate:
		return p.last.hi == i
	}
	return false
}

// fourDigits reads at 1830, 0930, 1800 hrs. Cards have four digits too (4090),
// so a word or a zero has to say that it is a time, and mostly we ask.
func (p *parser) fourDigits(i, n int) (piece, bool) {
	t := p.tok(i)
	hours := p.isHour(i + 1)
	if t.num.width != 4 || n/100 > 24 || n%100 > 59 || !p.is(i-1, clAt) && !t.num.zero && !hours {
		return piece{}, false
	}
	c := piece{kind: kClock, lo: i, hi: i + 1, clock: clock{h: n / 100, m: n % 100}, ask: !t.num.zero}
	if hours {
		c.hi, c.weak = i+2, true
	}
	return p.afterClock(c), true
}

// sparesNumber reports whether the token after a number leaves it a bare one.
func (p *parser) sparesNumber(i int) bool {
	t := p.tok(i)
	if t.glued && (t.latin || t.isNum || t.ch == '.' || t.ch == '/' || t.ch == ':' || t.ch == '-' || t.ch == '%') {
		return false
	}
	return !t.is(clUnit) && !t.is(clCounted) && !t.is(clThing) && !t.is(clGe) && !t.is(clMonthName) && !t.is(clNumber)
}

// ends reports whether nothing that a number could count follows.
func (p *parser) ends(i int) bool {
	t := p.tok(i)
	return i >= len(p.toks) || t.is(clLink) || t.is(clAction) || t.is(clRemind) || t.is(clPart) || t.is(clDay) || t.is(clWeekday) || t.is(clEvery) || t.is(clRepeat) || t.is(clAbout) || t.is(clZone) || t.is(clSharp) ||
		t.ch == ';' || t.ch == '.' || t.ch == '!' || t.ch == '?' || t.ch == ')'
}
