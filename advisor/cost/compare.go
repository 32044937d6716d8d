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
	PerMonth Period = "month" // one of the calendar: twelve are 365 days, see Months
	PerYear  Period = "year"  // 8760 h of the calendar
)

// hours is the usual length of a period in hours of the calendar, 0 for
// PerHour, and -1 for an unknown period.
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
	case PerYear:
		return yearHours
	}
	return -1
}

const yearHours = 365 * 24

// ends is when the n-th period is over, in hours of the calendar. A month is
// paid until the same day of the next one: the first is over after 31 days, the
// second after 61, the twelfth after 365, each rounded up to a whole day.
func (p Period) ends(n int) float64 {
	if p == PerMonth {
		return 24 * math.Ceil(float64(n)*365/12)
	}
	return float64(n) * p.hours()
}

// count is how many periods are begun in so many hours of the calendar, at
// least one; a hair above a whole number is rounding, not another month.
func (p Period) count(calendar float64) int {
	n := max(1, int(calendar/p.hours())-1)
	if p == PerMonth {
		n = max(1, int(calendar/24*12/365)-1)
	}
	for p.ends(n) < calendar-1e-9 {
		n++
	}
	return n
}

// Months is how many months are begun in so many days of the calendar: one in
// 31, six in half a year, twelve in 365.
func Months(days float64) int { return PerMonth.count(min(days, MaxHours/24) * 24) }

// Years is how many years of 365 days are begun.
func Years(days float64) int { return PerYear.count(min(days, MaxHours/24) * 24) }

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

// At is what the offer comes to for one length of the run: a point of the
// curve that a chart draws. Errors: the first Problem.
func (o Offer) At(runHours, hoursPerDay float64) (Row, error) {
	c := Comparison{Offers: []Offer{o, o}, RunHours: runHours, HoursPerDay: hoursPerDay}
	if err := c.check(); err != nil {
		return Row{}, err
	}
	return o.finish(runHours, c.perDay())
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

// periods is how many whole days, weeks, months or years hold the hours.
func (o Offer) periods(on, perDay float64) int {
	return max(o.Least, o.Per.count(on*24/perDay))
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
