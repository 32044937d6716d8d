package when

import "time"

// The rules of this file read days: dates, weekdays, months and their ends.

// isoDate reads 2026-12-31, 2026/12/31, 2026.12.31 and 20261231.
func isoDate(p *parser, i int) (piece, bool) {
	y := p.tok(i).num
	if y.width == 8 && y.v >= 19000000 && y.v < 22000000 && !p.tok(i+1).latin && !p.is(i+1, clUnit) {
		n := int(y.v)
		return piece{kind: kDate, lo: i, hi: i + 1, date: said(n/10000, n/100%100, n%100)}, true
	}
	sep := p.tok(i + 1).ch
	if y.width > 4 && y.width < 8 && !y.zero && sep == '-' && p.shortNumber(i+2) && p.tok(i+3).ch == '-' && p.shortNumber(i+4) { // 12000-01-01
		return piece{kind: kDate, lo: i, hi: i + 5, err: TooFar}, true
	}
	if y.width != 4 || sep != '-' && sep != '/' && sep != '.' || !p.tok(i+1).glued {
		return piece{}, false
	}
	m, d := p.tok(i+2), p.tok(i+4)
	if m.num.width == 0 || m.num.width > 2 || !m.glued {
		return piece{}, false
	}
	if p.tok(i+3).ch != sep || d.num.width == 0 || d.num.width > 2 || !d.glued {
		return piece{kind: kVague, lo: i, hi: i + 3}, sep != '.' && y.v >= 1900 && y.v < 2200
	}
	out := piece{kind: kDate, lo: i, hi: i + 5, date: said(int(y.v), int(m.num.v), int(d.num.v))}
	if t := p.tok(i + 5); t.ch == 't' && t.glued {
		out.hi++
	}
	return out, true
}

// shortNumber reports one or two digits that belong to the token before.
func (p *parser) shortNumber(i int) bool {
	t := p.tok(i)
	return t.glued && (t.num.width == 1 || t.num.width == 2)
}

// said keeps the figures of a date; a zero that was said is as wrong as a 99.
func said(y, m, d int) date {
	if m == 0 {
		m = 99
	}
	if d == 0 {
		d = 99
	}
	return date{y, time.Month(m), d}
}

// numericDate reads 12/3, 3/12/2026 and, before a clock, 12-25 and 12.25.
func numericDate(p *parser, i int) (piece, bool) {
	a, sep, b := p.tok(i), p.tok(i+1), p.tok(i+2)
	short := func(t *token) bool { return t.num.width == 1 || t.num.width == 2 }
	if !short(a) || !short(b) || !sep.glued || !b.glued || a.glued && !isHan(p.first(i-1)) {
		return piece{}, false
	}
	out := piece{kind: kDate, lo: i, hi: i + 3}
	year := 0
	if y := p.tok(i + 4); p.tok(i+3).ch == sep.ch && y.glued && (y.num.width == 4 || y.num.width == 2) {
		year, out.hi = int(y.num.v), i+5
		if y.num.width == 2 {
			year += 2000
		}
	}
	if !p.sparesNumber(out.hi) || p.is(out.hi, clHour) {
		return piece{}, false
	}
	switch sep.ch {
	case '/':
	case '-', '.': // also a range, a difference, a decimal: a clock behind it tells
		_, clocked := clockAt(p, out.hi)
		sure := (clocked || p.is(out.hi, clPart)) && (a.num.width == 2 || b.num.width == 2 || p.han)
		if year == 0 && !sure && !(sep.ch == '-' && a.num.width == 2 && b.num.width == 2 && p.ends(out.hi)) {
			return piece{}, false
		}
		out.ask = !sure
	default:
		return piece{}, false
	}
	return p.ordered(out, year, int(a.num.v), int(b.num.v)), true
}

// ordered tells the month from the day. Chinese and Americans write the month
// first, most others the day; who else writes 3/12 is asked.
func (p *parser) ordered(out piece, year, first, second int) piece {
	monthFirst := p.han || p.order != dayFirst
	switch {
	case second > 12:
		monthFirst = true
	case first > 12:
		monthFirst = false
	case first != second && !p.han && p.order != monthsFirst:
		out.ask, out.swapped = true, true
	}
	if !monthFirst {
		first, second = second, first
	}
	out.date = said(year, first, second)
	return out
}

// hanDate reads 2026年12月31日, 12月31号, 明年3月5日 and 12月31 before a clock. A
// month without a day is too little.
func hanDate(p *parser, i int) (piece, bool) {
	out := piece{kind: kDate, lo: i}
	j := i
	if y := p.tok(j); y.isNum && p.first(j+1) == '年' && p.tok(j+2).isNum {
		out.date.y = int(min(y.num.positional(), 9999))
		if out.date.y < 100 && out.date.y > 19 {
			out.date.y += 2000
		}
		j += 2
	}
	m := p.tok(j)
	if !m.isNum || !p.is(j+1, clMonth) {
		return piece{}, false
	}
	month := int(min(m.num.positional(), 99))
	d := p.tok(j + 2)
	switch {
	case d.isNum && p.is(j+3, clDom):
		out.hi = j + 4
	case d.isNum && p.sparesNumber(j+3) && !p.is(j+3, clHour) && !p.is(j+3, clHalf):
		out.hi = j + 3
		out.ask = d.num.width == 0 // 八月十五 may be lunar
	default:
		return piece{kind: kVague, lo: i, hi: j + 2}, !p.is(j+2, clMonthEdge)
	}
	out.date = said(out.date.y, month, int(min(d.num.positional(), 99)))
	return out, true
}

// namedDate reads Dec 31, December 31st, 2026, 31 Dec and the 31st of December.
func namedDate(p *parser, i int) (piece, bool) {
	m, ok := p.tok(i).sense(clMonthName)
	d, j := 0, i+1
	if ok {
		if p.tok(j).ch == '.' { // Jan. 5th
			j++
		}
		if d, j, ok = p.monthday(skipWord(p, j, "the")); !ok {
			return p.bareMonth(i)
		}
	} else {
		if d, j, ok = p.monthday(i); !ok {
			return piece{}, false
		}
		j = skipWord(p, j, "of")
		if m, ok = p.tok(j).sense(clMonthName); !ok {
			return piece{}, false
		}
		j++
	}
	out := piece{kind: kDate, lo: i, date: said(0, m, d)}
	k := j
	if p.tok(k).ch == ',' {
		k++
	}
	if y := p.tok(k).num; y.width == 4 && y.v >= 1900 && y.v < 2200 && p.tok(k+1).ch != ':' {
		out.date.y, j = int(y.v), k+1
	}
	out.hi = j
	return out, true
}

// bareMonth: "in December" is a time, but not one that we could fix. May and
// March are words of their own.
func (p *parser) bareMonth(i int) (piece, bool) {
	before := p.is(i-1, clIn) || p.is(i-1, clShift) || p.is(i-1, clBefore) || p.is(i-1, clAfter)
	return piece{kind: kVague, lo: i, hi: i + 1}, before
}

func skipWord(p *parser, i int, w string) int {
	if p.isWord(i, w) {
		return i + 1
	}
	return i
}

// monthday reads 31, 31st, first.
func (p *parser) monthday(i int) (int, int, bool) {
	t := p.tok(i)
	if t.num.width > 0 && t.num.width <= 2 {
		j := i + 1
		if p.is(j, clOrd) && p.tok(j).glued {
			return int(t.num.v), j + 1, true
		}
		return int(t.num.v), j, p.sparesClock(j)
	}
	if n, ok := t.sense(clNth); ok && n > 0 && !isHan(p.first(i)) {
		return n, i + 1, true
	}
	return 0, i, false
}

// sparesClock reports whether the number before is not the hour of a clock.
func (p *parser) sparesClock(i int) bool {
	t := p.tok(i)
	return !(t.ch == ':' && t.glued) && !t.is(clMeridiem) && !t.is(clHour)
}

// domDate reads 15号, the 15th, the first of next month. 1号机 is a machine.
func domDate(p *parser, i int) (piece, bool) {
	out := piece{kind: kDate, lo: i}
	t := p.tok(i)
	switch {
	case t.isNum && p.is(i+1, clDom) && p.tok(i+1).glued:
		v := int(min(t.num.positional(), 99))
		if p.is(i+2, clThing) {
			if v <= 10 {
				return piece{}, false
			}
			out.ask = true
		}
		out.hi, out.date.d = i+2, v
	case t.num.width > 0 && t.num.width <= 2 && p.is(i+1, clOrd) && p.tok(i+1).glued:
		out.hi, out.date.d = i+2, int(t.num.v)
	case t.is(clNth) && !isHan(p.first(i)):
		n, _ := t.sense(clNth)
		of := p.isWord(i+1, "of") && !p.is(i+2, clDay)
		if n < 0 || !of && !isDigit(p.first(i)) {
			return piece{}, false
		}
		out.hi, out.date.d = i+1, n
	default:
		return piece{}, false
	}
	if p.is(out.hi, clWeekday) { // 1st Monday
		return piece{}, false
	}
	if out.date.d == 0 {
		out.date.d = 99
	}
	return out, true
}

// monthEdge reads 月底, 下个月底, 3月底, end of March, end of next month, 年底.
func monthEdge(p *parser, i int) (piece, bool) {
	if p.is(i, clYearEnd) {
		return piece{kind: kDate, lo: i, hi: i + 1, date: date{0, 12, 31}, ask: true}, true
	}
	if p.is(i, clEndOf) {
		return p.endOf(i)
	}
	if edge, ok := p.dayOfEvery(i); ok {
		return edge, true
	}
	out := piece{kind: kEdge, lo: i}
	j := i
	t := p.tok(i)
	if n, ok := t.sense(clShift); ok {
		out.shift, out.shifted = n, true
		j++
	} else if k := skip(p, i+1, clMonth); t.isNum && p.is(k, clMonthEdge) && isHan(p.first(k)) && p.tok(k).glued {
		out.date = said(0, int(min(t.num.positional(), 99)), 0)
		j = k
	}
	n, ok := p.tok(j).sense(clMonthEdge)
	out.edge, out.hi = n, j+1
	out.ask = n > 0 // 月初 and 月中 are some days long
	return out, ok
}

// dayOfEvery reads the day of "every month on the last day" and "on the first day
// monthly": beside a month that comes back it is a day of that month.
func (p *parser) dayOfEvery(i int) (piece, bool) {
	n, ok := p.tok(i).sense(clNth)
	if !ok || n != 1 && n != -1 || isHan(p.first(i)) || !p.unitIs(i+1, unitDay) {
		return piece{}, false
	}
	f, after := p.tok(i + 2).sense(clRepeat)
	beside := p.last.kind == kRepeat && p.last.every.freq == monthly && p.last.edge == 0
	return piece{kind: kEdge, lo: i, hi: i + 2, edge: n}, beside || after && freq(f) == monthly
}

// endOf reads what follows "end of": a month's name, "next month".
func (p *parser) endOf(i int) (piece, bool) {
	out := piece{kind: kEdge, lo: i, edge: -1}
	if m, ok := p.tok(i + 1).sense(clMonthName); ok {
		out.date, out.hi = date{m: time.Month(m)}, i+2
		return out, true
	}
	n, ok := p.tok(i + 1).sense(clShift)
	out.shift, out.shifted, out.hi = n, true, i+3
	return out, ok && p.unitIs(i+2, unitMonth)
}

func (p *parser) unitIs(i, unit int) bool {
	u, ok := p.tok(i).sense(clUnit)
	return ok && u == unit
}

// weekdayDate reads 周五, 下周五, next Fri, Mon and Wed, 周一到周五, the last Friday.
func weekdayDate(p *parser, i int) (piece, bool) {
	out := piece{kind: kWeekday, lo: i}
	j := i
	if n, ok := p.tok(j).sense(clNth); ok && p.is(j+1, clWeekday) && p.monthly(i, j+2) {
		out.nth = n
		month, ok := p.tok(j + 3).sense(clMonthName)
		if ok {
			out.weekdays, _, _ = p.weekdays(j + 1)
			out.date.m, out.hi = time.Month(month), j+4
			return out, true
		}
		days, k, ok := p.weekdays(j + 1)
		for p.isWord(k, "of") || p.isWord(k, "the") || p.isWord(k, "in") || p.unitIs(k, unitMonth) {
			k++
		}
		out.weekdays, out.hi = days, k
		return out, ok
	}
	if k := i + 1; p.is(i, clWeekday) && p.isWord(k, "week") && !p.is(k+1, clLater) && (p.ends(k+1) || p.is(k+1, clAt)) {
		out.weekdays, out.hi = []time.Weekday{p.weekdayAt(i)}, k+1 // "Friday week": the one after
		out.shift, out.shifted, out.loose, out.ask = 1, true, true, true
		return out, true
	}
	if n, ok := p.tok(j).sense(clShift); ok {
		out.shift, out.shifted = n, true
		out.loose = isLetter(p.first(j)) || p.tok(j).hi-p.tok(j).lo > 1 && n == 1
		j++
	}
	days, k, ok := p.weekdays(j)
	if ok {
		out.weekdays, out.hi = days, k
		if p.is(j+1, clTo) && len(days) > 1 && !out.shifted { // 周一到周五: every one of them, surely?
			out.kind, out.every, out.ask = kRepeat, rhythm{weekly, 1}, true
		}
		return out, true
	}
	if p.is(j, clWeekend) {
		out.kind, out.hi = kWeekend, j+1
		return out, true
	}
	if p.is(j, clWeekdays) {
		out.kind, out.hi = kVague, j+1
		return out, out.shifted
	}
	return piece{}, false
}

func (p *parser) weekdayAt(i int) time.Weekday {
	n, _ := p.tok(i).sense(clWeekday)
	return time.Weekday(n)
}

// monthly reports whether the words around "first Monday" speak of months.
func (p *parser) monthly(i, j int) bool {
	if p.last.kind == kRepeat && p.last.every.freq == monthly || p.last.kind == kMonth {
		return true
	}
	if isHan(p.first(i)) && p.is(i, clNth) {
		return false
	}
	if !p.isWord(j, "of") && !p.isWord(j, "in") {
		return false
	}
	for k := j + 1; k < j+4; k++ {
		if p.unitIs(k, unitMonth) || p.is(k, clMonthName) || p.is(k, clRepeat) {
			return true
		}
	}
	return false
}

// weekdays reads one or several weekdays: 周一、周三; Mon, Wed and Fri; 周一到周五.
func (p *parser) weekdays(i int) (list []time.Weekday, next int, ok bool) {
	n, ok := p.tok(i).sense(clWeekday)
	if !ok {
		return nil, i, false
	}
	list, next = []time.Weekday{time.Weekday(n)}, i+1
	for len(list) < 7 {
		j := next
		to := p.is(j, clTo)
		for p.is(j, clLink) || p.is(j, clOr) || p.is(j, clTo) || p.tok(j).ch == '/' {
			j++
		}
		n, ok := p.tok(j).sense(clWeekday)
		if !ok {
			break
		}
		next = j + 1
		if !to {
			list = append(list, time.Weekday(n))
			continue
		}
		for d := list[len(list)-1]; d != time.Weekday(n) && len(list) < 7; {
			d = (d + 1) % 7
			list = append(list, d)
		}
	}
	return list, next, true
}

// calendarShift reads 下周, next month, 明年 where the day itself stands elsewhere.
func calendarShift(p *parser, i int) (piece, bool) {
	if n, ok := p.tok(i).sense(clYearShift); ok {
		return piece{kind: kYear, lo: i, hi: i + 1, shift: n}, true
	}
	if n, ok := p.tok(i).sense(clWeekAfter); ok {
		return piece{kind: kWeek, lo: i, hi: i + 1, shift: n}, true
	}
	n, ok := p.tok(i).sense(clShift)
	if !ok {
		return piece{}, false
	}
	out := piece{lo: i, hi: i + 2, shift: n}
	switch {
	case p.unitIs(i+1, unitWeek):
		out.kind = kWeek
	case p.unitIs(i+1, unitMonth), p.is(i+1, clMonth):
		out.kind = kMonth
	case p.unitIs(i+1, unitYear):
		out.kind = kYear
	default:
		return piece{}, false
	}
	if n == coming {
		out.kind = kVague
	}
	return out, true
}

func dayWordAt(p *parser, i int) (piece, bool) {
	n, ok := p.tok(i).sense(clDay)
	if !ok {
		return piece{}, false
	}
	d := days[n]
	return piece{kind: kDay, lo: i, hi: i + 1, off: d.off, part: d.part, loose: d.unsure}, true
}

// partAt reads a part of the day. 早 and 晚 alone are parts only beside a day or
// a clock: 周五晚, 早8点.
func partAt(p *parser, i int) (piece, bool) {
	n, ok := p.tok(i).sense(clPart)
	if !ok {
		return piece{}, false
	}
	if t := p.tok(i); t.hi-t.lo == 1 {
		_, clocked := clockAt(p, i+1)
		beside := p.last.hi == i && i > 0 && (p.last.kind == kDay || p.last.kind == kWeekday || p.last.kind == kDate || p.last.kind == kRepeat)
		if !clocked && !beside {
			return piece{}, false
		}
	}
	return piece{kind: kPart, lo: i, hi: i + 1, part: n}, true
}

// refused reads the dates that nobody can fix without a lunar calendar or a
// table of moving feasts, and the fixed holidays.
func refused(p *parser, i int) (piece, bool) {
	if p.is(i, clRefuse) {
		return piece{kind: kVague, lo: i, hi: i + 1}, true
	}
	n, ok := p.tok(i).sense(clHoliday)
	if !ok {
		return piece{}, false
	}
	h := holidays[n]
	return piece{kind: kDate, lo: i, hi: i + 1, date: date{0, h.month, h.day}}, true
}
