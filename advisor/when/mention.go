package when

import (
	"slices"
	"time"
)

// mention is one time as said: pieces that belong together because none of them
// says the same thing twice. "明天到期,今晚八点提醒" has two.
type mention struct {
	lo, hi  int // tokens
	day     *piece
	date    *piece
	week    *piece // kWeekday or kWeekend
	shift   *piece // kWeek
	month   *piece
	year    *piece
	edge    *piece
	part    *piece
	clock   *piece
	rel     *piece
	ago     *piece
	every   *piece
	zone    *piece
	vague   []*piece
	ask     bool
	negated bool
	err     Code
}

// slot returns where the mention keeps a piece of that kind, nil for kinds that
// are no part of a mention.
func (m *mention) slot(k kind) **piece {
	switch k {
	case kDay:
		return &m.day
	case kDate:
		return &m.date
	case kWeekday, kWeekend:
		return &m.week
	case kWeek:
		return &m.shift
	case kMonth:
		return &m.month
	case kYear:
		return &m.year
	case kEdge:
		return &m.edge
	case kPart:
		return &m.part
	case kClock:
		return &m.clock
	case kRel:
		return &m.rel
	case kAgo:
		return &m.ago
	case kRepeat:
		return &m.every
	case kZone:
		return &m.zone
	}
	return nil
}

// pieces lists what the mention is made of.
func (m *mention) pieces() []*piece {
	all := slices.Clone(m.vague)
	for k := noKind; k <= kVague; k++ {
		if s := m.slot(k); s != nil && *s != nil {
			all = append(all, *s)
		}
	}
	return all
}

// take adds a piece and reports whether it fits.
func (m *mention) take(f *piece) bool {
	if f.kind == kVague {
		m.vague = append(m.vague, f)
		m.widen(f)
		return true
	}
	if !m.fits(f) {
		return false
	}
	if s := m.slot(f.kind); *s == nil || !f.weak && (*s).weak {
		*s = f
	} else {
		return true // a bare number beside a real clock
	}
	m.widen(f)
	m.ask = m.ask || f.ask
	if m.err == "" {
		m.err = f.err
	}
	return true
}

func (m *mention) widen(f *piece) {
	if m.hi == 0 {
		m.lo = f.lo
	}
	m.hi = max(m.hi, f.hi)
}

func (m *mention) fits(f *piece) bool {
	s := m.slot(f.kind)
	if *s != nil {
		return f.weak || (*s).weak
	}
	dated := m.day != nil || m.date != nil || m.edge != nil
	if e := m.every; e != nil { // "every 1st and 15th", "every Monday until Friday"
		switch f.kind {
		case kDate, kEdge:
			if e.date != (date{}) || e.edge != 0 {
				return false
			}
		case kWeekday, kWeekend:
			if e.weekdays != nil {
				return false
			}
		}
	}
	counted := m.rel != nil && !m.rel.amount.whole
	switch f.kind {
	case kRel:
		whole := f.amount.whole
		return !dated && m.ago == nil && m.every == nil && (m.week == nil || whole) && (m.clock == nil && m.part == nil && m.daypart() == noPart || whole)
	case kDay:
		return m.rel == nil && m.ago == nil && (f.part == noPart || m.part == nil || sameNight(f.part, m.part.part))
	case kDate, kEdge, kWeekday, kWeekend:
		if m.day != nil && m.day.off < 0 && f.lo > m.hi+1 { // 昨天租的，周日到期: two times
			return false
		}
		return !counted && m.ago == nil && (m.rel == nil || f.kind == kWeekday)
	case kClock:
		return !counted
	case kPart:
		return !counted && (m.daypart() == noPart || sameNight(m.daypart(), f.part))
	case kRepeat:
		return m.rel == nil && m.ago == nil
	case kAgo:
		return !dated && m.rel == nil
	}
	return true
}

// daypart returns the part of the day that the mention's day word or rhythm holds.
func (m *mention) daypart() int {
	if m.day != nil && m.day.part != noPart {
		return m.day.part
	}
	if m.every != nil {
		return m.every.part
	}
	return noPart
}

// sameNight: 今晚 goes with 晚上, 夜里 and 凌晨, 明早 with 早上, as one time.
func sameNight(a, b int) bool {
	night := func(p int) bool { return p == partDawn || p >= partEvening && p <= partMidnight }
	morning := func(p int) bool { return p >= partDawn && p <= partForenoon || p == partEarly }
	return a == b || night(a) && night(b) || morning(a) && morning(b)
}

// partOf returns the part of the day that counts, noPart if none was said. In
// 今晚凌晨两点 the evening counts: it tells the night.
func (m *mention) partOf() int {
	if p := m.daypart(); p != noPart && (m.part == nil || m.part.part == partDawn) {
		return p
	}
	if m.part != nil {
		return m.part.part
	}
	return noPart
}

func (m *mention) hasDay() bool {
	return m.day != nil || m.date != nil || m.week != nil || m.edge != nil || m.rel != nil || m.every != nil
}

func (m *mention) hasDate() bool {
	return m.day != nil || m.date != nil || m.week != nil || m.edge != nil || m.shift != nil || m.month != nil || m.year != nil
}

// justToday: "今天租的卡，明天六点提醒" has one time, not two.
func (m *mention) justToday() bool {
	return m.day != nil && m.day.off == 0 && m.day.part == noPart && m.clock == nil && m.part == nil
}

// inherit takes the day from the mention before: 明天九点或者十点.
func (m *mention) inherit(before *mention) {
	if m.hasDay() || m.vague != nil || m.ago != nil || m.clock == nil && m.part == nil || before.negated || before.rel != nil || before.every != nil {
		return
	}
	m.day, m.date, m.week, m.shift, m.month, m.year, m.edge = before.day, before.date, before.week, before.shift, before.month, before.year, before.edge
	if m.part == nil && m.day == nil {
		m.part = before.part
	}
}

// parsed is a text taken apart: the times in it, what moves them, and lengths
// that nothing ties to a time.
type parsed struct {
	mentions []*mention
	leads    []*piece
	either   []*piece
	bare     []*piece
}

// maxMentions bounds the work for a text that is all times; beyond it we only
// know that we have to ask.
const maxMentions = 8

func (p *parser) assemble(pieces []piece) parsed {
	var out parsed
	var m *mention
	for i := range pieces {
		f := &pieces[i]
		switch f.kind {
		case kLead, kShift:
			out.leads = append(out.leads, f)
		case kEither:
			out.either = append(out.either, f)
		case kBare:
			out.bare = append(out.bare, f)
		default:
			if m == nil || m.negated && f.lo > m.hi || !m.take(f) {
				if len(out.mentions) == maxMentions {
					continue
				}
				m = &mention{negated: p.is(f.lo-1, clNot)}
				m.take(f)
				out.mentions = append(out.mentions, m)
			}
		}
	}
	for i := 1; i < len(out.mentions); i++ {
		out.mentions[i].inherit(out.mentions[i-1])
	}
	out.mentions = slices.DeleteFunc(out.mentions, func(m *mention) bool { return m.negated })
	return out
}

// remindAt returns the token at which the person asks to be reminded, -1 if none.
func (p *parser) remindAt() int {
	return slices.IndexFunc(p.toks, func(t token) bool { return t.is(clRemind) })
}

// distance is how far a mention stands from a token. Another clause is far.
func (p *parser) distance(m *mention, i int) int {
	lo, hi := m.hi, i
	if i < m.lo {
		lo, hi = i, m.lo
	}
	const clause = 100
	far := max(hi-lo, 0)
	for k := lo; k < hi; k++ {
		if c := p.tok(k).ch; c == ',' || c == ';' || c == '.' {
			far += clause
		}
	}
	return far
}

// weekdaysOf lists the weekdays that a mention names.
func (m *mention) weekdaysOf() []time.Weekday {
	switch {
	case m.every != nil && m.every.weekdays != nil:
		return m.every.weekdays
	case m.week != nil && m.week.kind == kWeekend:
		return []time.Weekday{time.Saturday, time.Sunday}
	case m.week != nil:
		return m.week.weekdays
	}
	return nil
}
