package when

import "time"

// repeating makes the rule of a mention that comes back, and its first time.
func (r *resolver) repeating(m *mention, t tod, loc *time.Location, base date) answer {
	rule, ask, err := m.rule(t)
	if err != "" {
		return fail(err)
	}
	if rule.freq == hourly || rule.freq == minutely {
		unit := map[freq]time.Duration{hourly: time.Hour, minutely: time.Minute}[rule.freq]
		return answer{at: r.later(span{exact: time.Duration(rule.interval) * unit}, loc), rule: rule.String(), ask: m.ruleLeaves()}
	}
	start := r.now
	if from, ok := m.start(base); ok {
		if s := Wall(from.y, from.m, from.d, 0, 0, loc).Add(-time.Second); s.After(start) {
			start = s
		}
	}
	a := answer{rule: rule.String(), ask: ask || t.ask || m.ruleLeaves()}
	first := rule
	first.interval = 1
	var ok bool
	if a.at, ok = Next(first.String(), start, loc); !ok {
		return fail(NoTime)
	}
	for _, o := range t.opts[1:] {
		other := first
		other.hours = []int{o.h % 24}
		if at, ok := Next(other.String(), start, loc); ok && !at.Equal(a.at) {
			a.alts = append(a.alts, at)
			a.ask = true
		}
	}
	return a
}

// start is the day from which a rule holds: 从明天开始每天九点.
func (m *mention) start(base date) (date, bool) {
	switch {
	case m.day != nil:
		return base.plus(m.day.off), true
	case m.shift != nil:
		return base.monday().plus(7 * m.shift.shift), true
	case m.every.every.freq != yearly && m.date != nil && m.date.date.m != 0:
		c, err := m.fullDate(base)
		return c.d, err == ""
	case m.month != nil:
		return date{base.y, base.m, 1}.plusMonths(m.month.shift), true
	}
	return date{}, false
}

// rule writes the mention as a rule. Hour 24 is midnight of the day after.
func (m *mention) rule(t tod) (r rule, ask bool, err Code) {
	e := m.every
	r = rule{freq: e.every.freq, interval: max(e.every.interval, 1)}
	if r.freq == hourly || r.freq == minutely {
		return r, false, ""
	}
	o := t.opts[0]
	over := o.h / 24
	r.hours, r.minutes = []int{o.h % 24}, []int{o.m}
	switch r.freq {
	case daily:
		return r, false, ""
	case weekly:
		return m.weeklyRule(r, over)
	case monthly:
		return m.monthlyRule(r, over)
	case yearly:
		return m.yearlyRule(r, over)
	}
	return r, false, NoTime
}

// ruleLeaves reports words that the rule does not hold: 每小时 with a clock, 每天
// with a weekday, 每周五 with 15 号. Then the rule is one reading, and we ask.
func (m *mention) ruleLeaves() bool {
	dom := m.date != nil && m.date.date.m == 0
	switch m.every.every.freq {
	case hourly, minutely:
		return m.clock != nil || m.part != nil || m.hasDate()
	case daily:
		return m.week != nil || m.edge != nil || dom
	case weekly:
		return m.edge != nil || dom
	case monthly:
		return m.week != nil && m.week.nth == 0 || m.date != nil && !dom
	}
	return m.week != nil || m.edge != nil
}

func (m *mention) weeklyRule(r rule, over int) (rule, bool, Code) {
	for _, d := range m.weekdaysOf() {
		r.byday = append(r.byday, nthDay{day: (d + time.Weekday(over)) % 7})
	}
	if r.byday == nil {
		return r, false, NoTime // every week, but on which day?
	}
	return r, false, ""
}

func (m *mention) monthlyRule(r rule, over int) (rule, bool, Code) {
	n := m.every.date.d
	if m.date != nil && m.date.date.m == 0 {
		n = m.date.date.d
	}
	edge := m.every.edge
	if m.edge != nil {
		edge = m.edge.edge
	}
	switch {
	case n > 31:
		return r, false, InvalidDate
	case n != 0:
		r.monthday = n
	case edge != 0:
		r.monthday = edge
	case m.week != nil && m.week.nth != 0:
		r.byday = []nthDay{{m.week.nth, m.week.weekdays[0]}}
		return r, over > 0, ""
	default:
		return r, false, NoTime
	}
	if over > 0 {
		r.monthday = max(r.monthday, 0)%31 + 1
	}
	return r, over > 0 || edge > 0, ""
}

func (m *mention) yearlyRule(r rule, over int) (rule, bool, Code) {
	d := m.every.date
	if m.date != nil {
		d = m.date.date
	}
	if d.m == 0 {
		return r, false, NoTime
	}
	d.y = 2028 // a leap year: February 29 is a day of the year
	if !d.valid() {
		return r, false, InvalidDate
	}
	d = d.plus(over)
	r.month, r.monthday = int(d.m), d.d
	return r, over > 0, ""
}
