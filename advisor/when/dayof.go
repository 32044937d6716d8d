package when

import (
	"slices"
	"time"
)

// choice is the day of a mention.
type choice struct {
	none bool // no day was said
	d    date
	same []date          // said beside d and as good: the soonest counts
	alts []date          // other readings of d
	next func(date) date // the next such day, where one may follow; nil after an explicit day
	ask  bool
}

// nearlyOver: a date without a year that passed so few days ago may be a slip
// rather than a date of next year.
const nearlyOver = 60

// dayOf finds the day that the mention names, counted from base, today.
func (m *mention) dayOf(base date) (choice, Code) {
	switch {
	case m.week != nil && m.week.nth == 0 && (m.month != nil || m.year != nil): // 下个月周五
		return choice{}, NoTime
	case m.rel != nil && m.week != nil:
		return m.weekOf(base.plus(int(m.rel.amount.exact / day)))
	case m.rel != nil:
		s := m.rel.amount.span
		return choice{d: base.plusMonths(s.months).plus(int(s.exact / day))}, ""
	case m.day != nil:
		return m.relativeDay(base)
	case m.date != nil && m.date.date.m != 0:
		return m.fullDate(base)
	case m.date != nil:
		return m.monthday(base)
	case m.edge != nil:
		return m.edgeDay(base)
	case m.week != nil && m.week.nth != 0:
		return m.nthDay(base)
	case m.week != nil:
		return m.weekday(base)
	case m.shift != nil || m.month != nil || m.year != nil: // "next week" is a week long
		for _, f := range []*piece{m.shift, m.month, m.year} {
			if f != nil && f.shift < 0 {
				return choice{}, Past
			}
		}
		return choice{}, NoTime
	}
	return choice{none: true}, ""
}

// tense reports words that hardly go together, of which the day that we find
// can follow only some: 下周 15 号, 下个月 12 月 5 日, 明天月底.
func (m *mention) tense() bool {
	shifted := m.shift != nil || m.month != nil || m.year != nil
	switch {
	case m.every != nil:
		return false // has its own check
	case m.rel != nil:
		return shifted
	case m.day != nil:
		return m.edge != nil || m.day.off != 0 && shifted
	case m.date != nil:
		return m.edge != nil || m.shift != nil || m.month != nil && m.date.date.m != 0
	case m.edge != nil:
		return m.shift != nil || m.month != nil && (m.edge.shifted || m.edge.date.m != 0)
	case m.week != nil:
		return m.shift != nil && (m.week.nth != 0 || m.week.shifted)
	}
	return false
}

func (m *mention) relativeDay(base date) (choice, Code) {
	c := choice{d: base.plus(m.day.off)}
	if m.shift != nil { // 下周的今天
		c.d = c.d.plus(7 * m.shift.shift)
	}
	if m.month != nil {
		c.d = c.d.plusMonths(m.month.shift)
	}
	if m.year != nil {
		c.d = c.d.plusMonths(12 * m.year.shift)
	}
	if m.day.loose {
		c.ask = true
		c.alts = []date{c.d.plus(1)}
	}
	return c.agree(m, base), ""
}

// agree asks when the words name a day and a weekday or date that it is not.
func (c choice) agree(m *mention, base date) choice {
	if days := m.weekdaysOf(); days != nil && !slices.Contains(days, c.d.weekday()) {
		c.ask = true
		c.alts = append(c.alts, base.plus((int(days[0]-base.weekday())+7)%7))
	}
	if m.day != nil && m.date != nil && m.date.date.d != c.d.d {
		c.ask = true
		if d := (date{base.y, base.m, m.date.date.d}); d.valid() {
			c.alts = append(c.alts, d)
		}
	}
	return c
}

// fullDate is a date with its month. Without a year it is the next one.
func (m *mention) fullDate(base date) (choice, Code) {
	d := m.date.date
	if d.y == 0 && m.year != nil {
		d.y = base.y + m.year.shift
	}
	c, code := yearOf(d, base)
	if code != "" {
		return c, code
	}
	c.ask = c.ask || m.date.ask
	if swapped := (date{d.y, time.Month(d.d), int(d.m)}); m.date.swapped {
		if s, code := yearOf(swapped, base); code == "" {
			c.alts = append(c.alts, s.d)
		}
	}
	return c.agree(m, base), ""
}

func yearOf(d, base date) (choice, Code) {
	if d.y != 0 {
		if !d.valid() {
			return choice{}, InvalidDate
		}
		return choice{d: d}, ""
	}
	d.y = base.y
	over := int(d.m) <= 12 && d.before(base)
	if over {
		d.y++
	}
	if !d.valid() {
		return choice{}, InvalidDate
	}
	return choice{d: d, ask: over && base.number()-d.number()+365 <= nearlyOver}, ""
}

// monthday is a day without a month: in the month said, else the next one.
func (m *mention) monthday(base date) (choice, Code) {
	n := m.date.date.d
	if n > 31 {
		return choice{}, InvalidDate
	}
	months := 0
	if m.month != nil {
		months = m.month.shift
	}
	if m.year != nil && m.month == nil { // 明年15号: of which month?
		return choice{}, NoTime
	}
	first := date{base.y, base.m, 1}.plusMonths(months)
	d := date{first.y, first.m, n}
	if m.month != nil {
		if !d.valid() {
			return choice{}, InvalidDate
		}
		return choice{d: d, ask: m.date.ask}, ""
	}
	c := choice{d: d, ask: m.date.ask || !d.valid()}
	if !d.valid() || d.before(base) {
		c.d = nextWith(d)
	}
	c.next = nextWith
	return c.agree(m, base), ""
}

// nextWith returns the same day of the next month that has it.
func nextWith(d date) date {
	for n := 1; ; n++ {
		first := date{d.y, d.m, 1}.plusMonths(n)
		if e := (date{first.y, first.m, d.d}); e.valid() {
			return e
		}
	}
}

// edgeDay is the last day of a month, or its first, or the 15th.
func (m *mention) edgeDay(base date) (choice, Code) {
	e := m.edge
	month := date{base.y, base.m, 1}
	explicit := e.shifted || m.month != nil || e.date.m != 0
	switch {
	case e.date.m > 12:
		return choice{}, InvalidDate
	case m.year != nil && e.date.m == 0: // 明年月底
		return choice{}, NoTime
	case e.date.m != 0:
		month.m = e.date.m
		if m.year != nil {
			month.y += m.year.shift
		} else if month.m < base.m {
			month.y++
		}
	case m.month != nil:
		month = month.plusMonths(m.month.shift)
	case e.shifted:
		month = month.plusMonths(e.shift % coming)
	}
	c := choice{d: edgeOf(month, e.edge), ask: e.ask}
	if !explicit {
		c.next = func(d date) date { return edgeOf(date{d.y, d.m, 1}.plusMonths(1), e.edge) }
		if c.d.before(base) {
			c.d = c.next(c.d)
		}
	}
	return c, ""
}

func edgeOf(month date, edge int) date {
	if edge > 0 {
		return date{month.y, month.m, edge}
	}
	return date{month.y, month.m, daysIn(month.y, month.m)}
}

// nthDay is the first Monday or last Friday of a month.
func (m *mention) nthDay(base date) (choice, Code) {
	month := date{base.y, base.m, 1}
	explicit := true
	switch named := m.week.date.m; {
	case m.month != nil:
		month = month.plusMonths(m.month.shift)
	case named != 0:
		if month.m = named; named < base.m {
			month.y++
		}
	default:
		explicit = false
	}
	find := func(month date) date {
		r := rule{byday: []nthDay{{m.week.nth, m.week.weekdays[0]}}}
		d := month
		for !r.named(d) && d.m == month.m {
			d = d.plus(1)
		}
		return d
	}
	c := choice{d: find(month)}
	if c.d.m != month.m { // a fifth Monday that is not there
		return c, InvalidDate
	}
	if !explicit {
		c.next = func(d date) date { return find(date{d.y, d.m, 1}.plusMonths(1)) }
		if c.d.before(base) {
			c.d = c.next(c.d)
		}
	}
	return c, ""
}

// weekday is a day of this week, of another, or the next of its name.
func (m *mention) weekday(base date) (choice, Code) {
	w := m.week
	shift, shifted := w.shift, w.shifted
	if m.shift != nil {
		shift, shifted = m.shift.shift, true
	}
	days := m.weekdaysOf()
	var found []choice
	for _, n := range days {
		found = append(found, weekdayIn(n, shift, shifted, w.loose && m.shift == nil, base))
	}
	slices.SortStableFunc(found, func(a, b choice) int { return a.d.number() - b.d.number() })
	c := found[0]
	for _, other := range found[1:] {
		c.same, c.alts = append(c.same, other.d), append(c.alts, other.alts...)
		c.ask = true
	}
	return c, ""
}

// weekdayIn finds one weekday. Weeks begin on Monday; to somebody whose week
// begins on Sunday, a Sunday makes all of it doubtful.
func weekdayIn(n time.Weekday, shift int, shifted, loose bool, base date) choice {
	inWeek := base.monday().plus((int(n) + 6) % 7)
	ahead := base.plus((int(n-base.weekday()) + 7) % 7)
	week := func(d date) date { return d.plus(7) }
	switch {
	case !shifted:
		return choice{d: ahead, next: week}
	case shift == coming:
		if ahead == base {
			ahead = ahead.plus(7)
		}
		return choice{d: ahead}
	case shift == 0 && loose && inWeek.before(base): // "this Monday" on a Wednesday
		return choice{d: ahead, ask: true}
	}
	c := choice{d: inWeek.plus(7 * shift)}
	if shift == 1 && loose && ahead != c.d && base.before(ahead) { // "next Friday" on a Wednesday
		c.alts, c.ask = []date{ahead}, true
	}
	if shift == 1 && base.weekday() == time.Sunday {
		c.alts, c.ask = append(c.alts, c.d.plus(7)), true
	}
	return c
}

// weekOf is a weekday in the week of a day: 两周后的周五.
func (m *mention) weekOf(d date) (choice, Code) {
	c := weekdayIn(m.weekdaysOf()[0], 0, true, false, d)
	c.ask = true
	return c, ""
}
