package when

import "time"

// The rules of this file read lengths of time and what they count from: now, an
// event, or the last time (a rhythm).

// length reads 三小时后, in 2h30m, 提前一小时, 1 hour before, 两小时前, or a length that
// hangs in the air.
func length(p *parser, i int) (piece, bool) {
	if lead, ok := p.lead(i); ok {
		return lead, true
	}
	j := i
	for range 2 { // in, within, 再过
		if p.is(j, clIn) || p.is(j, clWithin) || p.is(j, clAfter) {
			j++
		}
	}
	a, k, ok := p.amount(j)
	if !ok {
		return piece{}, false
	}
	out := piece{kind: kBare, lo: i, hi: k, amount: a, weak: true}
	if j > i {
		out.kind, out.weak = kRel, false
		out.ask = p.is(i, clWithin)
	}
	out = p.direction(out)
	if out.kind == kBare && (p.isClock(out) || p.isSize(out)) {
		return piece{}, false
	}
	if out.kind == kEither && isHan(p.first(i-1)) && len(p.tok(i-1).senses) == 0 && !p.tok(i-1).isNum { // 到期两小时前
		out.kind = kLead
	}
	out.ask = out.ask || a.guess
	switch {
	case a.vague, p.first(i-1) == '第': // 第14天: from which day?
		out.kind, out.weak = kVague, out.kind == kBare
	case a.neg && out.kind != kBare:
		out.err = InvalidDuration
	case a.far && out.kind == kAgo:
		out.err = Past
	case a.far && out.kind != kBare:
		out.err = TooFar
	}
	return out, true
}

// isClock: 1800 hrs, 5 minutes to six and "at 18h" look like lengths.
func (p *parser) isClock(f piece) bool {
	if _, ok := letterClock(p, f.lo); ok {
		return true
	}
	if _, ok := pastClock(p, f.lo); ok {
		return true
	}
	return p.tok(f.lo).num.width == 4 && f.hi == f.lo+2 && p.isHour(f.hi-1) && p.tok(f.lo).num.v <= 2400
}

// isSize: a bare 3d, 50M or 125M counts dimensions, images or parameters.
func (p *parser) isSize(f piece) bool {
	t := p.tok(f.hi - 1)
	return t.ch == 'd' || t.ch == 'm' && t.upper && f.hi == f.lo+2
}

// lead reads what begins with the direction: 提前一小时, 到期前一小时, 结束后两小时.
func (p *parser) lead(i int) (piece, bool) {
	kind := kLead
	switch t := p.tok(i); {
	case t.is(clLead), t.is(clBefore) && isHan(p.first(i)):
	case t.is(clNeg) && p.last.hi == i && i > 0: // tomorrow noon minus 1 hour
	case t.is(clUnit) && p.isWord(i-1, "the") && p.isWord(i+1, "before"): // the day before the lease ends
		n, _ := t.sense(clUnit)
		s, _ := units[n].times(1)
		return piece{kind: kLead, lo: i - 1, hi: i + 2, amount: amount{span: s}}, true
	case t.is(clPart) && p.isWord(i+1, "before") && !p.is(i+2, clPart): // the night before Dec 20
		return piece{kind: kVague, lo: i, hi: i + 2}, true
	case t.is(clLater) && isHan(p.first(i)):
		kind = kShift
	default:
		return piece{}, false
	}
	a, j, ok := p.amount(i + 1)
	if !ok || p.is(j, clLater) {
		return piece{}, false
	}
	out := piece{kind: kind, lo: i, hi: j, amount: a, ask: a.guess}
	switch {
	case a.vague:
		out.kind = kVague
	case a.neg || a.far:
		out.err = InvalidDuration
	}
	return out, true
}

// direction reads what follows a length: 后, ago, before …
func (p *parser) direction(out piece) piece {
	i := out.hi
	i = skip(p, i, clAbout)
	t := p.tok(i)
	set := func(k kind, hi int) piece {
		out.kind, out.hi, out.weak = k, hi, false
		return out
	}
	switch {
	case t.is(clLater):
		return set(kRel, i+1)
	case t.is(clWithin):
		out.ask = true
		return set(kRel, i+1)
	case t.is(clAgo):
		return set(kAgo, i+1)
	case t.is(clFrom):
		if n, ok := p.tok(i + 1).sense(clDay); ok && days[n].off == 0 && days[n].part == noPart {
			return set(kRel, i+2)
		}
		return set(kShift, i+1)
	case out.kind == kRel: // "in 2 hours before" says nothing more
	case t.is(clAfter):
		return set(kShift, i+1)
	case t.is(clBefore) && isHan(p.first(i)):
		return set(kEither, i+1)
	case t.is(clEarly), t.is(clBefore):
		return set(kLead, i+1)
	case t.is(clOnce):
		return p.rhythmOf(set(kRepeat, i+1))
	}
	return out
}

// rhythmOf turns a length into how often: 两小时一次.
func (p *parser) rhythmOf(out piece) piece {
	a := out.amount
	out.kind, out.weak = kRepeat, false
	switch {
	case a.vague, a.ranged:
		out.kind = kVague
		return out
	case a.neg, a.far:
		out.err = InvalidDuration
		return out
	}
	out.ask = out.ask || a.guess
	r := &out.every
	n := func(u time.Duration) int { return int(a.exact / u) }
	switch {
	case a.months > 0 && a.exact > 0:
		out.kind = kVague
	case a.months > 0 && a.months%12 == 0:
		*r = rhythm{yearly, a.months / 12}
	case a.months > 0:
		*r = rhythm{monthly, a.months}
	case a.exact%(7*day) == 0:
		*r = rhythm{weekly, n(7 * day)}
	case a.exact%day == 0:
		*r = rhythm{daily, n(day)}
	case a.exact%time.Hour == 0:
		*r = rhythm{hourly, n(time.Hour)}
	case a.exact%time.Minute == 0:
		*r = rhythm{minutely, n(time.Minute)}
	default:
		out.kind = kVague
	}
	if r.interval > maxInterval {
		out.err = TooFar
	}
	return out
}

// repeated reads a rhythm: 每天, every Monday, 每两天, 每周一三五, every other week,
// monthly, 每月底, Mondays.
func repeated(p *parser, i int) (piece, bool) {
	out := piece{kind: kRepeat, lo: i, every: rhythm{interval: 1}, part: noPart}
	if n, ok := p.tok(i).sense(clRepeat); ok {
		return p.repeatWord(out, freq(n)), true
	}
	gap := p.is(i, clEveryGap)
	if p.is(i, clOnce) && p.is(i+1, clOne) && p.is(i+2, clUnit) { // once a week
		out.amount, out.hi, _ = p.amount(i + 1)
		return p.rhythmOf(out), true
	}
	if p.is(i, clWeekdays) && !p.is(i+1, clLater) {
		out.ask = isHan(p.first(i))
		return p.onWeekdays(out, i), true
	}
	if !p.is(i, clEvery) && !gap {
		return piece{}, false
	}
	out, ok := p.everyWhat(out, i+1)
	if !ok {
		return piece{}, false
	}
	if gap && !(isHan(p.first(i)) && (out.every.freq == hourly || out.every.freq == minutely)) {
		out.ask = out.ask || out.every.interval > 1
		out.every.interval++ // 每隔一天 is every second day
	}
	if p.is(out.hi, clOnce) {
		out.hi++
	}
	return out, true
}

// repeatWord reads what a word such as 每天, weekly, Mondays says by itself.
func (p *parser) repeatWord(out piece, f freq) piece {
	i := out.lo
	out.every.freq, out.hi = f, i+1
	if days, j, ok := p.weekdays(i); ok {
		out.weekdays, out.hi = days, j
	}
	if p.is(i, clWeekend) {
		out.weekdays = []time.Weekday{time.Saturday, time.Sunday}
	}
	out.edge, _ = p.tok(i).sense(clMonthEdge)
	if p.isWord(i, "nightly") {
		out.part = partEvening
	}
	if f == unknownFreq {
		out.kind = kVague
	}
	if p.tok(out.hi).isNum && p.first(out.hi+1) == '次' { // 每天两次: at which hours?
		out.kind, out.hi = kVague, out.hi+2
	}
	if p.is(out.hi, clOnce) {
		out.hi++
	}
	return out
}

func (p *parser) onWeekdays(out piece, i int) piece {
	n, _ := p.tok(i).sense(clWeekdays)
	out.every.freq = weekly
	out.weekdays, out.hi = weekdaySets[n].set, i+1
	return out
}

// everyWhat reads what follows every.
func (p *parser) everyWhat(out piece, i int) (piece, bool) {
	if p.is(i, clWeekdays) {
		return p.onWeekdays(out, i), true
	}
	if p.is(i, clWeekend) {
		out.every.freq, out.hi = weekly, i+1
		out.weekdays = []time.Weekday{time.Saturday, time.Sunday}
		return out, true
	}
	if days, j, ok := p.weekdays(i); ok {
		out.every.freq, out.weekdays, out.hi = weekly, days, j
		return out, true
	}
	if n, ok := p.tok(i).sense(clNth); ok && n > 1 && p.is(i+1, clUnit) { // every third day
		u, _ := p.tok(i + 1).sense(clUnit)
		s, far := units[u].times(float64(n))
		out.amount, out.hi = amount{span: s, far: far}, i+2
		return p.rhythmOf(out), true
	}
	if d, ok := namedDate(p, i); ok && d.kind == kDate {
		out.every.freq, out.date, out.hi = yearly, d.date, d.hi
		return out, true
	}
	if d, ok := domDate(p, i); ok {
		out.every.freq, out.date.d, out.hi = monthly, d.date.d, d.hi
		return out, true
	}
	if a, j, ok := p.amount(i); ok {
		out.amount, out.hi = a, j
		return p.rhythmOf(out), true
	}
	if u, j, ok := p.unit(i, true, true); ok {
		s, _ := units[u].times(1)
		out.amount, out.hi = amount{span: s}, j
		return p.rhythmOf(out), !units[u].work
	}
	if n, ok := p.tok(i).sense(clPart); ok {
		out.every.freq, out.part, out.hi = daily, n, i+1
		return out, true
	}
	if n, ok := p.tok(i).sense(clMonthEdge); ok {
		out.every.freq, out.edge, out.hi = monthly, n, i+1
		return out, true
	}
	return out, false
}
