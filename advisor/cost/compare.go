package cost

import (
	"math"
	"slices"
)

// Period is what one price pays for; its values are those of a budget's "per".
type Period string

const (
	PerHour  Period = "hour"  // powered-on time
	PerDay   Period = "day"   // 24 h of the calendar
	PerWeek  Period = "week"  // 168 h of the calendar
	PerMonth Period = "month" // 720 h of the calendar
)

// hours is the length of a period in hours of the calendar, 0 for PerHour, and
// -1 for an unknown period.
func (p Period) hours() float64 {
	switch p {
	case PerHour:
		return 0
	case PerDay:
		return 24
	case PerWeek:
		return 168
	case PerMonth:
		return Month30
	}
	return -1
}

// Offer is one way to rent for a job.
type Offer struct {
	ID    string // echoed back: hourly, monthly, bare_metal, cluster, a place …
	Per   Period
	Price Money   // of one card for one period; none given is allowed and stays marked
	Cards int     // 0 is 1
	Setup float64 // hours before the work starts, paid
	Speed float64 // work per hour against the others; 0 is 1, 0.7 delivers 70 %
	Once  Money   // paid once: moving the data, rebuilding the environment, an image
	Least int     // least number of periods that must be taken
}

// MaxOffers is how many offers fit side by side on a phone.
const MaxOffers = 4

// Comparison is a question to Compare.
type Comparison struct {
	Offers      []Offer
	RunHours    float64 // hours of work at speed 1
	HoursPerDay float64 // powered on; 0 is 24. Days, weeks and months pay for the idle rest too
	Horizon     float64 // how far to look for flips, run hours; 0 is a year or four times the run
	Rate        *Rate   // needed when the offers are in two currencies; the first one's counts
}

// Compared is the answer.
type Compared struct {
	Rows  []Row  `json:"rows"`  // in the order of the offers
	Best  int    `json:"best"`  // index of the cheapest, the first of equals; -1 when no price is known
	Saves Money  `json:"saves"` // against the next cheapest; none given with fewer than two prices
	Flips []Flip `json:"flips"` // by run hours, at most MaxFlips
}

// Row is what one offer comes to.
type Row struct {
	ID      string  `json:"id"`
	Cost    Money   `json:"cost"`    // none given when the price is missing
	Missing bool    `json:"missing"` // no price: not compared
	On      float64 `json:"on"`      // hours powered on, set-up included
	Periods int     `json:"periods"` // days, weeks or months taken; 0 by the hour
}

// Flip is a length of run just beyond which another offer is the cheapest.
type Flip struct {
	Hours float64 `json:"hours"`
	From  int     `json:"from"` // index of the offer
	To    int     `json:"to"`
}

// MaxFlips bounds the list: a monthly price flips again in every month.
const MaxFlips = 8

// Compare says what each offer costs until the job is finished, which is the
// cheapest, and at which lengths of the run that changes. An hourly offer costs
//
//	price·cards·(setup + run/speed) + once
//
// the others pay whole periods of the calendar. With 1.00 per hour and 2 h of
// set-up against 1.30 and none, the flip is at 6.7 h (S0-25). Errors: TooFew,
// TooMany, MixedCurrency without a rate, and the first Problem of the offers.
func Compare(c Comparison) (Compared, error) {
	if err := c.check(); err != nil {
		return Compared{}, err
	}
	offers, err := c.oneCurrency()
	if err != nil {
		return Compared{}, err
	}
	out := Compared{Best: -1}
	for i, o := range offers {
		row, err := o.finish(c.RunHours, c.perDay())
		if err != nil {
			return Compared{}, err
		}
		out.Rows = append(out.Rows, row)
		if !row.Missing && (out.Best < 0 || row.Cost.Amount < out.Rows[out.Best].Cost.Amount) {
			out.Best = i
		}
	}
	out.Saves = out.saves()
	out.Flips = flips(offers, c.perDay(), c.horizon())
	return out, nil
}

func (c Comparison) perDay() float64 {
	if c.HoursPerDay == 0 {
		return 24
	}
	return c.HoursPerDay
}

func (c Comparison) horizon() float64 {
	if c.Horizon == 0 {
		return min(MaxHours, max(8760, 4*c.RunHours))
	}
	return c.Horizon
}

func (c Comparison) check() error {
	switch n := len(c.Offers); {
	case n < 2:
		return Problem{TooFew, "offers"}
	case n > MaxOffers:
		return Problem{TooMany, "offers"}
	}
	for _, err := range [...]error{
		within(c.RunHours, "hours", 1e-6, MaxHours),
		within(c.perDay(), "hours_per_day", 0.01, 24),
		within(c.horizon(), "horizon", 1e-6, MaxHours),
	} {
		if err != nil {
			return err
		}
	}
	for _, o := range c.Offers {
		if err := o.check(); err != nil {
			return err
		}
	}
	return nil
}

func (o Offer) check() error {
	length := o.Per.hours()
	if length < 0 {
		return Problem{Missing, "per"}
	}
	if o.Price.Given() {
		most := MaxCardHour * Amount(max(1, length))
		if err := Fixed(o.Price).check("price", MinCardHour, most); err != nil {
			return err
		}
	}
	for _, err := range [...]error{
		within(float64(o.Cards), "cards", 0, MaxCards),
		within(o.Setup, "setup", 0, MaxHours),
		within(o.speed(), "speed", minShare, 1/minShare),
		o.Once.rate("once"),
		within(float64(o.Least), "least", 0, 1000),
	} {
		if err != nil {
			return err
		}
	}
	return nil
}

func (o Offer) cards() float64 { return float64(max(1, o.Cards)) }

func (o Offer) speed() float64 {
	if o.Speed == 0 {
		return 1
	}
	return o.Speed
}

// oneCurrency turns all prices into that of the first.
func (c Comparison) oneCurrency() ([]Offer, error) {
	offers := slices.Clone(c.Offers)
	var to Currency
	for i := range offers {
		for _, m := range [...]*Money{&offers[i].Price, &offers[i].Once} {
			if to == "" {
				to = m.Currency
			}
			if !m.Given() || m.Currency == to {
				continue
			}
			if c.Rate == nil {
				return nil, Problem{MixedCurrency, "offers"}
			}
			var err error
			if *m, err = c.Rate.Convert(*m, to); err != nil {
				return nil, err
			}
		}
	}
	return offers, nil
}

// finish is the cost of one offer for a run.
func (o Offer) finish(run, perDay float64) (Row, error) {
	row := Row{ID: o.ID, On: o.Setup + run/o.speed(), Missing: !o.Price.Given()}
	if row.Missing {
		return row, nil
	}
	quantity := row.On
	if length := o.Per.hours(); length > 0 {
		row.Periods = o.periods(row.On, perDay)
		quantity = float64(row.Periods)
	} else {
		quantity = max(quantity, float64(o.Least))
	}
	l := ledger{currency: o.Price.Currency}
	l.in(o.Once.Currency, "once")
	total := l.add(l.times(o.Price.Amount, quantity*o.cards()), o.Once.Amount)
	var err error
	row.Cost, err = l.money(total)
	return row, err
}

// periods is how many whole days, weeks or months hold the hours; a hair above
// a whole number is rounding, not another month.
func (o Offer) periods(on, perDay float64) int {
	calendar := on * 24 / perDay
	return max(1, o.Least, int(math.Ceil(calendar/o.Per.hours()-1e-9)))
}

// saves is the distance from the cheapest to the next.
func (c Compared) saves() Money {
	next := -1
	for i, r := range c.Rows {
		if r.Missing || i == c.Best {
			continue
		}
		if next < 0 || r.Cost.Amount < c.Rows[next].Cost.Amount {
			next = i
		}
	}
	if next < 0 {
		return Money{}
	}
	m, _ := c.Rows[next].Cost.Minus(c.Rows[c.Best].Cost) // same currency, and no larger than either
	return m
}

// line is an offer's cost between two steps: at + slope·run, in micro-units.
type line struct {
	offer     int
	at, slope float64
}

// flips walks along the run from zero to the horizon. Between two steps (a
// period more, a minimum reached) all costs are straight lines, so the cheapest
// changes only at steps and where lines cross.
func flips(offers []Offer, perDay, horizon float64) []Flip {
	var out []Flip
	cheapest := -1
	note := func(hours float64, to int) {
		if cheapest >= 0 && to != cheapest {
			out = append(out, Flip{hours, cheapest, to})
		}
		cheapest = to
	}
	steps := stepsOf(offers, perDay, horizon)
	lines := make([]line, 0, MaxOffers)
	for i := 0; i+1 < len(steps) && len(out) < MaxFlips; i++ {
		from, to := steps[i], steps[i+1]
		lines = appendLines(lines[:0], offers, perDay, (from+to)/2)
		if len(lines) < 2 {
			return nil
		}
		for x, at := from, lowest(lines, from, cheapest); at >= 0; x, at = crossing(lines, cheapest, x, to) {
			note(x, at)
		}
	}
	return out[:min(len(out), MaxFlips)]
}

// stepsOf are the run hours at which some offer's cost stops being a straight
// line, from 0 to the horizon, or to where an offer has taken maxPeriods.
func stepsOf(offers []Offer, perDay, horizon float64) []float64 {
	out := []float64{0}
	for _, o := range offers {
		length := o.Per.hours() * perDay / 24 // powered-on hours of a period
		if o.Per == PerHour {
			out = append(out, (float64(o.Least)-o.Setup)*o.speed()) // its minimum is its only step
			continue
		}
		for n := 1; n <= maxPeriods; n++ {
			out = append(out, (float64(n)*length-o.Setup)*o.speed())
		}
		horizon = min(horizon, max(0, out[len(out)-1]))
	}
	out = append(out, horizon)
	out = slices.DeleteFunc(out, func(run float64) bool { return run < 0 || run > horizon })
	slices.Sort(out)
	return slices.Compact(out)
}

// maxPeriods bounds the work for offers by the day: nobody takes 1,000 of them.
const maxPeriods = 1000

// appendLines appends the costs around a run length that is no step.
func appendLines(out []line, offers []Offer, perDay, run float64) []line {
	for i, o := range offers {
		if !o.Price.Given() {
			continue
		}
		price := float64(o.Price.Amount) * o.cards()
		l := line{offer: i, at: float64(o.Once.Amount)}
		on := o.Setup + run/o.speed()
		switch {
		case o.Per != PerHour:
			l.at += price * float64(o.periods(on, perDay))
		case on < float64(o.Least):
			l.at += price * float64(o.Least)
		default:
			l.at += price * o.Setup
			l.slope = price / o.speed()
		}
		out = append(out, l)
	}
	return out
}

func (l line) cost(run float64) float64 { return l.at + l.slope*run }

// lowest is the offer with the least cost just after run. The one that was the
// cheapest stays so among equals: a tie is no reason to move.
func lowest(lines []line, run float64, before int) int {
	best := lines[0]
	for _, l := range lines[1:] {
		switch d := l.cost(run) - best.cost(run); {
		case d < -hair*best.cost(run):
			best = l
		case d <= hair*best.cost(run) && best.offer != before && (l.offer == before || l.slope < best.slope):
			best = l
		}
	}
	return best.offer
}

// hair is the relative difference below which two costs are equal.
const hair = 1e-12

// crossing is the next run length in (from, to) at which another line goes
// below that of the cheapest offer, and whose it is; -1 when there is none.
func crossing(lines []line, cheapest int, from, to float64) (at float64, offer int) {
	i := slices.IndexFunc(lines, func(l line) bool { return l.offer == cheapest })
	at, offer = to, -1
	for _, l := range lines {
		if l.slope >= lines[i].slope {
			continue
		}
		x := max(from, (l.at-lines[i].at)/(lines[i].slope-l.slope))
		if x < at {
			at, offer = x, l.offer
		}
	}
	return at, offer
}

// SetupFlip is the run length from which the offer that is cheaper per hour but
// needs longer to set up costs less: the closed form behind S0-25,
//
//	(cheap·setup − dear·setup') / (dear − cheap)
//
// Errors: MixedCurrency, and those of bad numbers; Reversed when the first is
// not the cheaper one, so that there is no such length.
func SetupFlip(cheap Money, cheapSetup float64, dear Money, dearSetup float64) (float64, error) {
	for _, err := range [...]error{
		positive(cheap.Amount, "price_hour"),
		positive(dear.Amount, "price_hour"),
		within(cheapSetup, "setup", 0, MaxHours),
		within(dearSetup, "setup", 0, MaxHours),
	} {
		if err != nil {
			return 0, err
		}
	}
	if cheap.Currency != dear.Currency {
		return 0, Problem{MixedCurrency, "price_hour"}
	}
	if cheap.Amount >= dear.Amount {
		return 0, Problem{Reversed, "price_hour"}
	}
	a, b := float64(cheap.Amount), float64(dear.Amount)
	return max(0, (a*cheapSetup-b*dearSetup)/(b-a)), nil
}
