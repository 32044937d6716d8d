package when

import (
	"slices"
	"time"
)

// resolver turns mentions into instants.
type resolver struct {
	p     *parser
	now   time.Time
	zone  *time.Location // the person's
	zones Zones
}

// answer is what one mention comes to.
type answer struct {
	at   time.Time
	alts []time.Time
	ask  bool
	rule string
	lead time.Duration
	zone *time.Location
	err  Code
}

func fail(c Code) answer { return answer{err: c} }

// settle decides what the loose lengths mean: "一小时前" is a lead if there is an
// event, else it is over; a bare "30 分钟" is from now, if there is nothing else.
func (r *resolver) settle(said *parsed) {
	for _, f := range said.either {
		if len(said.mentions) > 0 {
			f.kind = kLead
			said.leads = append(said.leads, f)
			continue
		}
		f.kind = kAgo
		if f.err == TooFar { // however long ago
			f.err = Past
		}
		said.mentions = append(said.mentions, &mention{ago: f, err: f.err, lo: f.lo, hi: f.hi})
	}
	if len(said.mentions) > 0 || len(said.leads) > 0 || len(said.bare) == 0 {
		return
	}
	f := said.bare[0]
	m := &mention{rel: f, lo: f.lo, hi: f.hi, ask: true}
	switch {
	case f.amount.neg:
		m.err = InvalidDuration
	case f.amount.far:
		m.err = TooFar
	}
	said.mentions = append(said.mentions, m)
}

// answer resolves a mention in its zone, moves it by the leads and checks that
// it lies between now and a year from now.
func (r *resolver) answer(m *mention, leads []*piece) answer {
	loc, alt, sure := r.zone, (*time.Location)(nil), true
	if m.zone != nil {
		loc, alt, sure = m.zone.zone.place(r.zone, r.zones)
	}
	a := r.in(m, loc, leads)
	if a.zone = loc; a.err != "" {
		a.zone = r.zone
		return a
	}
	a.ask = a.ask || m.ask || m.tense() || !sure || m.every != nil && r.p.more
	if alt != nil {
		a.doubt(r.in(m, alt, leads))
	}
	if here := in(r.now, r.zone); m.zone != nil && here != in(r.now, loc) && m.daysFromNow() { // whose tomorrow?
		a.doubt(r.from(m, loc, in(r.now, loc), leads))
	}
	if m.day != nil && m.day.off == 1 && r.now.In(r.zone).Hour() < smallHours { // after midnight, 明天 may be the coming morning
		early := *m
		early.day = &piece{kind: kDay, part: m.day.part}
		a.doubt(r.in(&early, loc, leads))
	}
	return a
}

// smallHours: until five in the morning people still call the day before today.
const smallHours = 5

// doubt adds another reading of the same words.
func (a *answer) doubt(b answer) {
	if b.err == "" && !b.at.Equal(a.at) {
		a.ask = true
		a.alts = append(append(a.alts, b.at), b.alts...)
	}
}

func (m *mention) daysFromNow() bool { return m.day != nil || m.week != nil || m.shift != nil }

// in resolves the mention in loc. Days are counted from the person's today, a
// bare clock from the zone's.
func (r *resolver) in(m *mention, loc *time.Location, leads []*piece) answer {
	base := in(r.now, r.zone)
	if !m.daysFromNow() {
		base = in(r.now, loc)
	}
	return r.from(m, loc, base, leads)
}

func (r *resolver) from(m *mention, loc *time.Location, base date, leads []*piece) answer {
	a := r.event(m, loc, base)
	if a.err != "" {
		return a
	}
	for i, l := range leads {
		if l.err != "" {
			return fail(l.err)
		}
		b := r.moved(a, l, m, loc)
		if i > 0 { // 提前一天和提前一小时: one reminder, so ask which
			a.ask = true
			a.alts = append(a.alts, b.at)
			break
		}
		a = b
		a.ask = a.ask || l.ask
	}
	switch {
	case a.err != "":
	case !a.at.After(r.now):
		a.err = Past
	case r.tooFar(a.at):
		a.err = TooFar
	}
	return a
}

// tooFar: reminders go one year ahead.
func (r *resolver) tooFar(t time.Time) bool {
	return t.After(r.later(span{months: 12}, r.zone))
}

// later returns now plus a span: months by the wall clock, with the month's end
// clamped, the rest exactly. It is never early: what is left of a second
// counts as a whole one.
func (r *resolver) later(s span, loc *time.Location) time.Time {
	t := r.now
	if s.months != 0 {
		t = monthsFrom(t, s.months, loc)
	}
	t = t.Add(s.exact)
	if whole := t.Truncate(time.Second); !whole.Equal(t) {
		t = whole.Add(time.Second)
	}
	return t
}

func monthsFrom(t time.Time, months int, loc *time.Location) time.Time {
	local := t.In(loc)
	d := in(t, loc).plusMonths(months)
	return Wall(d.y, d.m, d.d, local.Hour(), local.Minute(), loc).Add(time.Duration(local.Second())*time.Second + time.Duration(local.Nanosecond()))
}

// moved applies a lead or a shift to an event. A rule keeps the times of the
// events; its first reminder has to be ahead of now.
func (r *resolver) moved(a answer, l *piece, m *mention, loc *time.Location) answer {
	sign := -1
	if l.kind == kShift {
		sign = 1
	}
	s := span{sign * l.amount.months, time.Duration(sign) * l.amount.exact}
	move := func(t time.Time) time.Time {
		if s.months != 0 {
			t = monthsFrom(t, s.months, loc)
		}
		return t.Add(s.exact)
	}
	event := a.at
	a.at = move(event)
	for n := 0; a.rule != "" && !a.at.After(r.now) && n < 100; n++ {
		next, ok := Next(a.rule, event, loc)
		if !ok {
			break
		}
		event, a.at = next, move(next)
	}
	for i, t := range a.alts {
		a.alts[i] = move(t)
	}
	if l.kind == kLead {
		a.lead = event.Sub(a.at)
	} else if a.rule != "" { // 每天九点之后两小时: the rule would need another hour
		a.ask = true
	}
	return a
}

// leadAlone is the lead of a text without an event: the caller asks for the event.
func leadAlone(leads []*piece) time.Duration {
	if len(leads) == 0 || leads[0].kind != kLead || leads[0].err != "" {
		return 0
	}
	return leads[0].amount.exact + time.Duration(leads[0].amount.months)*30*day
}

// event resolves what the mention itself says.
func (r *resolver) event(m *mention, loc *time.Location, base date) answer {
	switch {
	case m.err != "":
		return fail(m.err)
	case m.vague != nil:
		return fail(NoTime)
	case m.ago != nil:
		return fail(Past)
	}
	t, err := m.timeOfDay()
	if err != "" {
		return fail(err)
	}
	if m.clock != nil && m.clock.clock.same { // 明天这个时候
		local := r.now.In(loc)
		t = tod{opts: []hm{{local.Hour(), local.Minute()}}, said: true}
	}
	if m.every != nil {
		return r.repeating(m, t, loc, base)
	}
	if m.rel != nil && m.week == nil && (!m.rel.amount.whole || !t.said) {
		return r.counted(m, loc)
	}
	c, err := m.dayOf(base)
	switch {
	case err != "":
		return fail(err)
	case c.none && t.said:
		return r.bareTime(t, loc, base)
	case c.none:
		return fail(NoTime)
	}
	return r.onDays(c, t, loc)
}

// counted is now plus a length.
func (r *resolver) counted(m *mention, loc *time.Location) answer {
	s := m.rel.amount
	a := answer{at: r.later(s.span, loc)}
	if s.ranged {
		a.alts = []time.Time{r.later(s.upto, loc)}
	}
	return a
}

// tod is the time of day of a mention: its readings, the likely one first.
// Hours from 24 belong to the next day.
type tod struct {
	opts  []hm
	ask   bool // ask even if only one reading is left
	guess bool // no clock was said
	said  bool // a clock or a part of the day was said
	colon bool // 9:30 as written: if it is over, 21:30 may be meant
	part  int
}

type hm struct{ h, m int }

// defaultHour is the hour of a date without a time.
const defaultHour = 9

func (m *mention) timeOfDay() (tod, Code) {
	p := m.partOf()
	switch {
	case m.clock == nil && p == noPart:
		return tod{opts: []hm{{defaultHour, 0}}, guess: true, part: noPart}, ""
	case m.clock == nil && parts[p].def == 24:
		return tod{opts: []hm{{0, 0}, {24, 0}}, said: true, part: p}, ""
	case m.clock == nil:
		return tod{opts: []hm{{parts[p].def, 0}}, guess: true, ask: parts[p].ask, said: true, part: p}, ""
	}
	c := m.clock.clock
	t := tod{said: true, part: p, ask: m.clock.ask}
	if m.date != nil && m.date.date.y != 0 && c.colon {
		c.loose = false // 2026-12-31 9:30 is the 24-hour clock
	}
	if p != noPart {
		return t.within(c, p)
	}
	t.opts = []hm{{c.h, c.m}}
	t.colon = c.colon && !c.loose
	switch {
	case !c.loose:
	case c.h == 0:
		t.opts = append(t.opts, hm{24, c.m})
	default:
		t.opts = append(t.opts, hm{c.h + 12, c.m})
		t.ask = true
	}
	return t, ""
}

// within places a clock in a part of the day.
func (t tod) within(c clock, p int) (tod, Code) {
	night := p == partEvening || p == partNight || p == partLate
	switch {
	case p == partMidnight && (c.h == 0 || c.h == 12 || c.h == 24):
		t.opts = []hm{{0, c.m}, {24, c.m}}
		return t, ""
	case c.half != 0 && night && c.h < 6: // tonight 2am
		t.opts = []hm{{c.h, c.m}, {c.h + 24, c.m}}
		return t, ""
	case c.half != 0:
		_, ok := parts[p].place(c.h)
		t.opts, t.ask = []hm{{c.h, c.m}}, t.ask || !ok
		return t, ""
	}
	reading, ok := parts[p].place(c.h)
	if !ok {
		return t, InvalidTime
	}
	h := c.h + reading.add
	t.opts = []hm{{h, c.m}}
	if reading.unsure && reading.add == 24 {
		t.opts = []hm{{c.h, c.m}, {h, c.m}}
	} else if reading.unsure {
		t.ask = true
	}
	return t, ""
}

func (p *part) place(h int) (reading, bool) {
	for _, r := range p.readings {
		if h >= r.lo && h <= r.hi {
			return r, true
		}
	}
	return reading{}, false
}

// end is the hour at which a part of the day is over.
func (p *part) end() int {
	end := 0
	for _, r := range p.readings {
		if !r.unsure && r.add < 24 {
			end = max(end, r.hi+r.add)
		}
	}
	return end
}

// onDay is a time of day on one day: the readings that are still to come.
func (r *resolver) onDay(d date, t tod, loc *time.Location) answer {
	var a answer
	for _, o := range t.opts {
		first, second, exists := wall(d.y, d.m, d.d, o.h, o.m, loc)
		if !first.After(r.now) {
			continue
		}
		if a.at.IsZero() {
			a.at, a.ask = first, t.ask || !exists || !second.IsZero()
		} else {
			a.ask = true
			a.alts = append(a.alts, first)
		}
		if !second.IsZero() {
			a.alts = append(a.alts, second)
		}
	}
	if !a.at.IsZero() {
		return a
	}
	if t.guess && d == in(r.now, loc) {
		return r.restOf(d, t, loc)
	}
	return fail(Past)
}

// restOf: at 21:00, 今晚 cannot be 20:00. The next full hour will do if it is
// still the same part of the day; we ask.
func (r *resolver) restOf(d date, t tod, loc *time.Location) answer {
	if t.part == noPart {
		return fail(NoTime)
	}
	soon := Wall(d.y, d.m, d.d, r.now.In(loc).Hour()+1, 0, loc)
	if soon.Sub(r.now) < 30*time.Minute {
		soon = soon.Add(time.Hour)
	}
	if last := Wall(d.y, d.m, d.d, parts[t.part].end(), 0, loc); !soon.Before(last) {
		return fail(Past)
	}
	return answer{at: soon, ask: true}
}

// bareTime is a time of day without a day: the next one.
func (r *resolver) bareTime(t tod, loc *time.Location, today date) answer {
	var a answer
	var all []time.Time
	for _, o := range t.opts {
		for n := range 3 {
			d := today.plus(n - 1)
			first, second, exists := wall(d.y, d.m, d.d, o.h, o.m, loc)
			if first.After(r.now) {
				all = append(all, first)
				a.ask = a.ask || !exists || !second.IsZero()
				break
			}
		}
	}
	slices.SortFunc(all, time.Time.Compare)
	all = slices.CompactFunc(all, time.Time.Equal)
	if len(all) == 0 {
		return fail(Past)
	}
	a.at, a.alts = all[0], all[1:]
	a.ask = a.ask || t.ask || len(all) > 1
	if o := t.opts[0]; t.colon && o.h < 12 {
		if evening := Wall(today.y, today.m, today.d, o.h+12, o.m, loc); evening.After(r.now) && evening.Before(a.at) {
			a.ask = true
			a.alts = append(a.alts, evening)
		}
	}
	return a
}

// onDays tries the day, then where the words allow it the next such day.
func (r *resolver) onDays(c choice, t tod, loc *time.Location) answer {
	a := r.onDay(c.d, t, loc)
	if (a.err == Past || a.err == NoTime) && c.next != nil {
		a = r.onDay(c.next(c.d), t, loc)
		a.ask = true
	}
	for _, d := range c.same { // Monday and Wednesday: the sooner
		if b := r.onDay(d, t, loc); b.err == "" && (a.err != "" || b.at.Before(a.at)) {
			a, b = b, a
			a.doubt(b)
		} else {
			a.doubt(b)
		}
	}
	for _, d := range c.alts {
		if a.err == "" {
			ask := a.ask
			a.doubt(r.onDay(d, t, loc))
			a.ask = ask
		}
	}
	a.ask = a.ask || c.ask || t.guess && r.p.event // "tomorrow after the run" is hardly 09:00
	return a
}
