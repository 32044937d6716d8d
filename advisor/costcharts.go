package advisor

import (
	"gpuadvisor/advisor/cost"
)

// costPoints is how many points a curve has: enough for the steps of a year of
// months, few enough to draw at once.
const costPoints = 97

// sayChart adds the picture of a sum: cost over hours by each way to pay, the
// break-even marked. It says in words what the picture shows.
func (t *turn) sayChart(s *CostSheet) {
	c, plain := t.costChart(s)
	if c != nil && (len(c.Lines) > 1 || t.costSaid().asks("picture")) {
		t.reply.Parts = append(t.reply.Parts, Part{Kind: "chart", Text: plain, Chart: c})
	}
}

// costChart is nil when there is nothing to compare: fewer than two ways.
func (t *turn) costChart(s *CostSheet) (*Chart, string) {
	hour, ok := s.first("hour")
	if !ok || s.Cards == nil {
		return nil, ""
	}
	c := &Chart{
		Kind: "lines", Title: t.book.say(t.lang, "chart.cost.title", "what", t.chartSubject(s)),
		X: t.book.say(t.lang, "chart.cost.x"), Y: t.book.say(t.lang, "chart.cost.y."+string(hour.Per.Currency)), MaxX: s.horizon(),
	}
	cards := s.Cards.Hi
	c.Lines = append(c.Lines, t.hourLine(hour, cards, c.MaxX))
	for _, r := range s.Rents {
		if s.Monthly != nil && r.Way == s.Monthly.Period && r.Per.Currency == hour.Per.Currency {
			c.Lines = append(c.Lines, t.monthLine(r, cards, c.MaxX, s))
			break
		}
	}
	c.Lines = append(c.Lines, t.spotLines(s, hour, cards, c.MaxX)...)
	t.markBreak(c, s, cards)
	t.markRun(c, s, hour, cards)
	if hour.AsOf != "" {
		c.Foot = t.book.say(t.lang, "chart.foot", "when", hour.AsOf, "age", t.ageWords(hour.AgeDays))
		if hour.Stale {
			c.Foot += t.book.say(t.lang, "chart.stale")
		}
	}
	return c, t.chartWords(c)
}

func (t *turn) chartSubject(s *CostSheet) string {
	if s.Label != "" {
		return s.Label
	}
	return t.book.say(t.lang, "cost.cards", "n", span(*s.Cards))
}

// horizon is how far the picture goes: one month where the run is no longer and
// months are compared, else a little more than the run.
func (s *CostSheet) horizon() float64 {
	run := 0.0
	if s.Hours != nil {
		run = s.Hours.Hi
	}
	switch {
	case s.Monthly != nil && s.Monthly.Period == "year" && s.oneMonth():
		return max(s.Monthly.HoursOn, 1.1*run, min(1.1*s.Monthly.High.Hours, 8760))
	case s.Monthly != nil && s.oneMonth():
		return cost.Month31
	case s.Monthly != nil:
		return 1.1 * run
	case run == 0:
		return cost.Month30
	}
	return 1.25 * run
}

// oneMonth reports whether all is over within one month, or one year when years
// are compared.
func (s *CostSheet) oneMonth() bool {
	if s.Monthly != nil && s.Monthly.Period == "year" {
		return s.Hours == nil || s.Days <= 365
	}
	return s.Hours == nil || s.Days <= 31
}

// hourLine rises with every hour.
func (t *turn) hourLine(r Rented, cards, most float64) Line {
	l := Line{Name: t.book.say(t.lang, "cost.way.hour"), X: []float64{0, most}}
	at := func(a cost.Amount) []float64 { return []float64{0, a.Float() * cards * most} }
	l.Y = at(r.Per.Likely)
	if r.Per.Low != r.Per.High {
		l.Low, l.High = at(r.Per.Low), at(r.Per.High)
	}
	return l
}

// monthLine is flat within one month, and a step for every further one that is
// begun. Hours are those of the machine being on, so that a month of eight
// hours a day is over after a third of its hours.
func (t *turn) monthLine(r Rented, cards, most float64, s *CostSheet) Line {
	perMonth := most
	if !s.oneMonth() {
		days := 365. / 12
		if r.Way == "year" {
			days = 365
		}
		perMonth = days * 24
		if s.HoursPerDay > 0 {
			perMonth = days * s.HoursPerDay
		}
	}
	l := Line{Name: t.book.say(t.lang, "cost.way."+r.Way)}
	for n := 1; float64(n-1)*perMonth < most-1e-9 && len(l.X) < costPoints; n++ {
		for _, x := range []float64{float64(n-1) * perMonth, min(most, float64(n)*perMonth)} {
			l.X = append(l.X, x)
			l.Y = append(l.Y, float64(n)*r.Per.Likely.Float()*cards)
			if r.Per.Low != r.Per.High {
				l.Low = append(l.Low, float64(n)*r.Per.Low.Float()*cards)
				l.High = append(l.High, float64(n)*r.Per.High.Float()*cards)
			}
		}
	}
	return l
}

// spotLines are the interruptible machine with what interruptions waste.
func (t *turn) spotLines(s *CostSheet, hour Rented, cards, most float64) []Line {
	if s.Spot == nil {
		return nil
	}
	var lines []Line
	for _, k := range s.Spot.Plans {
		if k.PerHour == nil || k.AtLimit || k.PerHour.Currency != hour.Per.Currency {
			continue
		}
		name := t.book.say(t.lang, "cost.way.spot")
		if k.Guess != "" {
			name = t.book.say(t.lang, "chart.spot."+k.Guess)
		}
		lines = append(lines, Line{Name: name, X: []float64{0, most}, Y: []float64{0, k.PerHour.Amount.Float() * cards * most}, Dash: true})
	}
	return lines
}

// markBreak marks where hour and month meet, at the low and at the high prices
// where these are ranges. Over several months there is no such point: each has
// its own.
func (t *turn) markBreak(c *Chart, s *CostSheet, cards float64) {
	m := s.Monthly
	if m == nil || !s.oneMonth() {
		return
	}
	mark := func(key string, b BreakSum, month cost.Amount) {
		if b.Hours > 0 && b.Hours <= c.MaxX {
			c.Marks = append(c.Marks, Mark{b.Hours, month.Float() * cards, t.book.say(t.lang, key, "hours", tenths(b.Hours))})
		}
	}
	if m.Low.Hours == m.High.Hours {
		mark("chart.break", m.Low, m.Month.Low)
		return
	}
	mark("chart.break.low", m.Low, m.Month.Low)
	mark("chart.break.high", m.High, m.Month.High)
}

// markRun marks the run that was asked about.
func (t *turn) markRun(c *Chart, s *CostSheet, hour Rented, cards float64) {
	if s.Hours == nil {
		return
	}
	x := s.Hours.Hi
	y := hour.Per.Likely.Float() * cards * x
	c.Marks = append(c.Marks, Mark{x, y, t.book.say(t.lang, "chart.run", "hours", number(x), "cost", t.figure(amountOf(y), hour.Per.Currency))})
}

func amountOf(v float64) cost.Amount {
	a, err := cost.AmountOf(v)
	if err != nil {
		return 0
	}
	return a
}

// chartWords says what the picture shows.
func (t *turn) chartWords(c *Chart) string {
	var names []string
	for _, l := range c.Lines {
		names = append(names, l.Name)
	}
	var marks []string
	for _, m := range c.Marks {
		marks = append(marks, m.Label)
	}
	line := t.book.say(t.lang, "chart.words", "lines", t.book.list(t.lang, names))
	if len(marks) > 0 {
		line += t.book.say(t.lang, "chart.marks", "marks", t.book.list(t.lang, marks))
	}
	return line
}
