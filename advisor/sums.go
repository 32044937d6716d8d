package advisor

import (
	"errors"
	"math"
	"slices"
	"time"

	"gpuadvisor/advisor/cost"
)

// How a cost sheet is worked out: who and how long, what the cards cost at each
// price, and the finished job. Months, interruptions and the smaller sums are
// in sums_more.go, offers side by side in offers.go. The arithmetic itself lies
// in advisor/cost; what is decided here is which numbers go into it.

// sums is a sheet being worked out.
type sums struct {
	book   *Rulebook
	facts  Facts
	said   *CostSaid
	now    time.Time
	rate   *cost.Rate
	prefer cost.Currency

	card  *Card
	cards cost.Span
	run   cost.Span // hours powered on
	off   Range     // the discount that holds for the prices
	out   CostSheet
}

// sheet works out what was said. It never fails: a number that cannot be meant
// is the sheet's Problem.
func (b *Rulebook) sheet(f Facts, said *CostSaid, now time.Time, rate *cost.Rate, prefer cost.Currency) *CostSheet {
	s := &sums{book: b, facts: f, said: said, now: now, rate: rate, prefer: prefer}
	s.out.Rents, s.out.Assumed = []Rented{}, []string{}
	s.who()
	s.howLong()
	for _, step := range []func() error{s.cardHours, s.rents, s.finish, s.budget, s.monthly, s.unit, s.spot, s.upload, s.runway, s.effective, s.stopped, s.compare} {
		if err := step(); err != nil {
			s.problem(err)
			break
		}
	}
	return &s.out
}

func (s *sums) problem(err error) {
	var p cost.Problem
	if !errors.As(err, &p) {
		p = cost.Problem{Code: cost.NotANumber}
	}
	s.out.Problem = &SheetProblem{Code: p.Code, Field: p.Field}
}

func (s *sums) assume(what string) {
	if !slices.Contains(s.out.Assumed, what) {
		s.out.Assumed = append(s.out.Assumed, what)
	}
}

// who settles the card and how many.
func (s *sums) who() {
	s.card = s.book.cardAsked(s.facts, s.now)
	n := float64(max(1, askedCards(s.facts)))
	s.cards = cost.Exactly(n)
	switch {
	case s.facts.GPUs.IsSaid():
		if c := s.facts.GPUs.Value; c.Word == "" && c.Hi == n && c.Lo >= 1 {
			s.cards = cost.Between(c.Lo, c.Hi)
		}
	case s.said.Cards.Known():
		s.cards = cost.Exactly(s.said.Cards.Value)
	case askedCards(s.facts) == 0 && s.card != nil:
		s.assume("one_card")
	}
	s.out.Cards = rangeOf(s.cards)
	if s.card != nil {
		s.out.Card, s.out.Label = s.card.ID, label(s.card, int(math.Round(s.cards.High)))
	}
}

// howLong settles the hours that the machine is on: the days of the calendar
// times the hours of each, when these are said.
func (s *sums) howLong() {
	d := s.facts.DurationHours
	if !d.Known() {
		return
	}
	hours := d.Value
	s.out.Days = hours.Hi / 24
	if s.perDay() < 24 && hours.Lo >= 24 {
		hours = Range{hours.Lo * s.perDay() / 24, hours.Hi * s.perDay() / 24}
		s.out.HoursPerDay = s.perDay()
	}
	s.run = cost.Between(hours.Lo, hours.Hi)
	s.out.Hours = &hours
}

// perDay is how long it is on each day; 24 when nobody said.
func (s *sums) perDay() float64 {
	switch {
	case s.facts.HoursPerDay.IsSaid() && s.facts.HoursPerDay.Value > 0:
		return min(24, s.facts.HoursPerDay.Value)
	}
	return 24
}

func (s *sums) cardHours() error {
	if !s.run.Given {
		return nil
	}
	n, err := cost.CardHours(s.cards, s.run)
	if err != nil {
		return err
	}
	s.out.GPUHours = rangeOf(n)
	return nil
}

func rangeOf(s cost.Span) *Range { return &Range{s.Low, s.High} }

func spanOf(f Fact[Range]) cost.Span {
	if !f.Known() {
		return cost.Span{}
	}
	return cost.Between(f.Value.Lo, f.Value.Hi)
}

// moneyOf is a quote as money, its middle when it is a range.
func moneyOf(f Fact[Quote]) (cost.Money, error) {
	e, err := estimateOf(f)
	return cost.Money{Amount: e.Likely, Currency: e.Currency}, err
}

func estimateOf(f Fact[Quote]) (cost.Estimate, error) {
	if !f.Known() {
		return cost.Estimate{}, nil
	}
	lo, err := cost.AmountOf(f.Value.Lo)
	if err != nil {
		return cost.Estimate{}, err
	}
	hi, err := cost.AmountOf(f.Value.Hi)
	if err != nil {
		return cost.Estimate{}, err
	}
	return cost.Spread(cost.Money{Amount: lo, Currency: f.Value.Currency}, cost.Money{Amount: hi, Currency: f.Value.Currency})
}

// perCard turns a price for all cards into that of one.
func (s *sums) perCard(e cost.Estimate) cost.Estimate {
	if !s.said.Machine.Value || !e.Given() || s.cards.High <= 1 {
		return e
	}
	n := cost.Amount(math.Round(s.cards.High))
	return cost.Estimate{Low: e.Low / n, Likely: e.Likely / n, High: e.High / n, Currency: e.Currency}
}

// own is the person's own price for a period, of one card.
func (s *sums) own(way string) (cost.Estimate, error) {
	f := map[string]Fact[Quote]{"hour": s.said.Hour, "day": s.said.Day, "week": s.said.Week, "month": s.said.Month, "year": s.said.Year, "spot": s.said.Spot}[way]
	if way == "hour" && !f.Known() && s.facts.PriceHour.IsSaid() {
		p := s.facts.PriceHour.Value
		f = Say(Quote{p.Amount, p.Amount, cost.Currency(p.Currency)})
	}
	if f.Known() && f.Value.Hi == 0 {
		return cost.Estimate{}, cost.Problem{Code: cost.Zero, Field: "price_" + way}
	}
	e, err := estimateOf(f)
	return s.perCard(e), err
}

// ways are the ways to pay, in the order in which they are shown.
var ways = []struct {
	way string
	per cost.Period
}{{"hour", cost.PerHour}, {"day", cost.PerDay}, {"week", cost.PerWeek}, {"month", cost.PerMonth}, {"year", cost.PerYear}, {"spot", cost.PerHour}}

// rents prices the run: at the person's own prices, or else at what is known of
// the card, yuan and dollars side by side.
func (s *sums) rents() error {
	if err := s.atPrices(); err != nil {
		return err
	}
	if d := s.said.Discount; d.Known() {
		if _, _, ok := s.pair(); !ok { // against a month, it is a what-if on the month
			s.off, s.out.Rents = d.Value, []Rented{}
			return s.atPrices()
		}
	}
	return nil
}

func (s *sums) atPrices() error {
	own := false
	for _, w := range ways {
		e, err := s.own(w.way)
		if err != nil {
			return err
		}
		if !e.Given() {
			continue
		}
		own = own || w.way != "month" && w.way != "year" && w.way != "spot"
		if err := s.rent(Rented{Way: w.way, Per: e, Own: true}, w.per); err != nil {
			return err
		}
	}
	if own || s.card == nil {
		return nil
	}
	for _, c := range s.order() {
		for _, spot := range []bool{false, true} {
			if err := s.known(c, spot); err != nil {
				return err
			}
		}
	}
	return nil
}

// order is the currencies, the preferred one first.
func (s *sums) order() []cost.Currency {
	if s.prefer == cost.USD {
		return []cost.Currency{cost.USD, cost.CNY}
	}
	return []cost.Currency{cost.CNY, cost.USD}
}

// known adds the rent at what is known of the card in one currency.
func (s *sums) known(c cost.Currency, spot bool) error {
	band, ok := cost.BandOf(s.book.prices[s.card.ID], cost.Query{Card: s.card.ID, Currency: c, Spot: spot}, s.now)
	if !ok {
		return nil
	}
	way := "hour"
	if spot {
		way = "spot"
	}
	if band.Hour.Given() && !(spot && s.said.Spot.Known()) {
		if err := s.rent(s.fromBand(band, way, band.Hour), cost.PerHour); err != nil {
			return err
		}
	}
	if band.Month.Given() && !spot && !s.said.Month.Known() && s.wantsMonth() {
		return s.rent(s.fromBand(band, "month", band.Month), cost.PerMonth)
	}
	return nil
}

// wantsMonth reports whether the month is worth a line: it is asked about, or
// the run is long.
func (s *sums) wantsMonth() bool {
	return s.said.asks("monthly") || s.facts.HoursPerDay.IsSaid() || s.out.Days >= 14
}

func (s *sums) fromBand(b cost.Band, way string, per cost.Estimate) Rented {
	return Rented{
		Way: way, Per: per, AsOf: b.Oldest.String(), AgeDays: b.Oldest.DaysAt(s.now), Age: b.Age, Stale: b.Stale(),
		Sources: b.Sources, Claimants: b.Claimants, Origin: b.Origin,
	}
}

// rent prices the run at one price and keeps the result, in the preferred
// currency when there is a rate.
func (s *sums) rent(r Rented, per cost.Period) error {
	if s.rate != nil && r.Per.Currency != s.prefer {
		converted, err := s.rate.ConvertAll(r.Per, s.prefer)
		if err != nil {
			return err
		}
		r.From, r.Per = r.Per.Currency, converted
		s.out.Rate = s.rate.String()
	}
	if s.off.Hi != 0 && r.Way != "spot" {
		if err := s.takeOff(&r); err != nil {
			return err
		}
	}
	if s.run.Given {
		total, err := s.total(r.Per, per)
		if err != nil {
			return err
		}
		r.Cost = total
	} else if _, err := cost.Rent(r.Per, cost.Exactly(0)); err != nil && per == cost.PerHour {
		return err
	}
	s.out.Rents = append(s.out.Rents, r)
	return nil
}

// takeOff takes the discount that was said off a price.
func (s *sums) takeOff(r *Rented) error {
	for _, v := range []struct {
		to    *cost.Amount
		share float64
	}{{&r.Per.Low, s.off.Hi}, {&r.Per.Likely, (s.off.Lo + s.off.Hi) / 2}, {&r.Per.High, s.off.Lo}} {
		m, err := cost.Discounted(cost.Money{Amount: *v.to, Currency: r.Per.Currency}, v.share)
		if err != nil {
			return err
		}
		*v.to = m.Amount
	}
	off := s.off
	r.Off = &off
	return nil
}

// total is the rent of the run. Days, weeks and months of the calendar are paid
// whole.
func (s *sums) total(per cost.Estimate, period cost.Period) (cost.Estimate, error) {
	if period == cost.PerHour {
		n, err := cost.CardHours(s.cards, s.run)
		if err != nil {
			return cost.Estimate{}, err
		}
		return cost.Rent(per, n)
	}
	if period == cost.PerMonth {
		n := float64(cost.Months(s.out.Days))
		return per.Times(cost.Span{Low: n * s.cards.Low, Likely: n * s.cards.Likely, High: n * s.cards.High, Given: true})
	}
	at := func(a cost.Amount, cards, hours float64) (cost.Money, error) {
		o := cost.Offer{Per: period, Price: cost.Money{Amount: a, Currency: per.Currency}, Cards: int(cards)}
		row, err := o.At(hours, s.perDay())
		return row.Cost, err
	}
	low, err := at(per.Low, s.cards.Low, s.run.Low)
	if err != nil {
		return cost.Estimate{}, err
	}
	likely, err := at(per.Likely, math.Round(s.cards.Likely), s.run.Likely)
	if err != nil {
		return cost.Estimate{}, err
	}
	high, err := at(per.High, s.cards.High, s.run.High)
	if err != nil {
		return cost.Estimate{}, err
	}
	return cost.Estimate{Low: low.Amount, Likely: max(low.Amount, min(likely.Amount, high.Amount)), High: high.Amount, Currency: per.Currency}, nil
}

// finish prices the finished job when anything is known that comes on top.
func (s *sums) finish() error {
	hour, ok := s.out.first("hour")
	if !ok || !s.run.Given {
		return nil
	}
	c := s.said
	extra := c.Setup.Known() || c.Download.Known() || c.Debug.Known() || c.Reruns.Known() || c.Success.Known() ||
		c.DiskGB.Known() && c.DiskRate.Known() || c.TrafficGB.Known() && c.TrafficRate.Known() || c.Image.Known() ||
		c.People.Known() && c.Wage.Known() || c.Delivered.Known()
	if !extra && !c.asks("parts") {
		return nil
	}
	job, err := s.job(hour.Per)
	if err != nil {
		return err
	}
	f, err := cost.Finish(job)
	if err != nil {
		return err
	}
	s.out.Finished = &f
	return nil
}

// job is the finished job as it was described.
func (s *sums) job(price cost.Estimate) (cost.Job, error) {
	c := s.said
	var errs [5]error
	money := func(i int, f Fact[Quote]) cost.Money {
		m, err := moneyOf(f)
		errs[i] = err
		return s.same(m, price.Currency)
	}
	job := cost.Job{
		Price: price, Cards: s.cards, Run: s.run,
		Setup: spanOf(c.Setup), Download: spanOf(c.Download), Debug: spanOf(c.Debug),
		Disk:    cost.Disk{GB: spanOf(c.DiskGB), PerGBMonth: money(0, c.DiskRate)},
		Net:     cost.Net{GB: spanOf(c.TrafficGB), PerGB: money(1, c.TrafficRate)},
		Image:   money(2, c.Image),
		Success: s.success(), Kept: spanOf(c.Kept), Delivered: spanOf(c.Delivered),
		Wage: money(3, c.Wage), Human: spanOf(c.People),
	}
	return job, errors.Join(errs[:]...)
}

// same converts money into a currency when there is a rate.
func (s *sums) same(m cost.Money, to cost.Currency) cost.Money {
	if s.rate == nil || !m.Given() || m.Currency == to {
		return m
	}
	if converted, err := s.rate.Convert(m, to); err == nil {
		s.out.Rate = s.rate.String()
		return converted
	}
	return m
}

// success is the chance that an attempt ends well. One figure is the likely
// one: in the best case the first attempt succeeds, in the worst twice as much
// is run again.
func (s *sums) success() cost.Span {
	c := s.said
	switch {
	case c.Reruns.Known():
		r := c.Reruns.Value
		if !r.Single() {
			return cost.Three(cost.SuccessOf(r.Hi), cost.SuccessOf((r.Lo+r.Hi)/2), cost.SuccessOf(r.Lo))
		}
		if r.Lo > 0 {
			s.assume("reruns_spread")
		}
		return cost.Three(cost.SuccessOf(2*r.Lo), cost.SuccessOf(r.Lo), 1)
	case c.Success.Known():
		v := c.Success.Value
		if !v.Single() || v.Lo <= 0 || v.Lo > 1 {
			return cost.Between(v.Lo, v.Hi)
		}
		if v.Lo < 1 {
			s.assume("reruns_spread")
		}
		return cost.Three(cost.SuccessOf(2*(1/v.Lo-1)), v.Lo, 1)
	}
	return cost.Span{}
}

// unit prices one piece of work.
func (s *sums) unit() error {
	c := s.said
	if !c.Seconds.Known() && !c.PerSecond.Known() {
		return nil
	}
	u := UnitSum{Unit: c.Unit.Value, Pieces: c.Pieces.Value, Costs: []cost.Estimate{}}
	work := cost.Work{Cards: s.cards, Seconds: spanOf(c.Seconds), PerSecond: spanOf(c.PerSecond), Yield: spanOf(c.Yield)}
	if c.Seconds.Known() {
		u.Seconds = &c.Seconds.Value
	}
	if c.Yield.Known() {
		u.Yield = &c.Yield.Value
	}
	for _, r := range s.out.Rents {
		if r.Way != "hour" {
			continue
		}
		work.Price = r.Per
		e, err := cost.PerUnit(cost.Unit(u.Unit), work)
		if err != nil {
			return err
		}
		u.Costs = append(u.Costs, e)
	}
	if u.Pieces > 0 && c.Seconds.Known() {
		y := c.Yield.Or(One(1))
		u.Hours = &Range{u.Pieces * c.Seconds.Value.Lo / 3600 / y.Hi, u.Pieces * c.Seconds.Value.Hi / 3600 / y.Lo}
	}
	if u.Pieces > 0 && len(u.Costs) > 0 {
		total, err := u.Costs[0].Times(cost.Exactly(u.Pieces / cost.Unit(u.Unit).Pieces()))
		if err != nil {
			return err
		}
		u.Total = &total
	}
	s.out.Unit = &u
	return nil
}
