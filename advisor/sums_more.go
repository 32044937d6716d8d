package advisor

import (
	"math"
	"slices"
	"time"

	"gpuadvisor/advisor/cost"
)

// monthly compares the month with its hours, where both have a price: the
// person's own, or those of one band.
func (s *sums) monthly() error {
	hour, month, ok := s.pair()
	if !ok {
		return s.mixed()
	}
	m := MonthlySums{Period: month.Way, Hour: hour.Per, Month: month.Per, Stale: hour.Stale || month.Stale}
	var err error
	if m.Low, err = m.breakSum(hour.Per.Low, month.Per.Low); err != nil {
		return err
	}
	if m.High, err = m.breakSum(hour.Per.High, month.Per.High); err != nil {
		return err
	}
	if hour.Own != month.Own { // ranges of two origins: every pair is possible
		if m.Low, err = m.breakSum(hour.Per.High, month.Per.Low); err != nil {
			return err
		}
		if m.High, err = m.breakSum(hour.Per.Low, month.Per.High); err != nil {
			return err
		}
	}
	if err := s.overMonths(&m); err != nil {
		return err
	}
	if err := s.discounts(&m); err != nil {
		return err
	}
	s.out.Monthly = &m
	return nil
}

// pair finds an hourly and a monthly price that can be set against each other,
// or a yearly one where there is no monthly, or only the yearly is the person's.
func (s *sums) pair() (hour, long Rented, ok bool) {
	terms := []string{"month", "year"}
	if s.said.Year.Known() && !s.said.Month.Known() {
		slices.Reverse(terms)
	}
	for _, way := range terms {
		for _, m := range s.out.Rents {
			if m.Way != way {
				continue
			}
			for _, h := range s.out.Rents {
				if h.Way == "hour" && h.Per.Currency == m.Per.Currency {
					return h, m, true
				}
			}
		}
	}
	return hour, long, false
}

// mixed reports an hourly and a monthly price of the person's in two
// currencies.
func (s *sums) mixed() error {
	hour, ok := s.out.first("hour")
	for _, way := range []string{"month", "year"} {
		if long, yes := s.out.first(way); ok && yes && hour.Own && long.Own {
			return cost.Problem{Code: cost.MixedCurrency, Field: "price_" + way}
		}
	}
	return nil
}

func (m *MonthlySums) breakSum(hour, month cost.Amount) (BreakSum, error) {
	c := m.Hour.Currency
	b, err := cost.BreakEvenOf(cost.Money{Amount: hour, Currency: c}, cost.Money{Amount: month, Currency: c})
	if m.Period == "year" {
		return BreakSum{Hours: b.Hours, PerDay: b.Hours / 365, Never: b.Hours > 365*24}, err
	}
	return BreakSum{Hours: b.Hours, PerDay: b.PerDay(), Never: b.Never(), NeverIn30: b.NeverIn30()}, err
}

// overMonths puts both side by side for the hours that were said, or for one
// month of thirty days.
func (s *sums) overMonths(m *MonthlySums) error {
	days := s.out.Days
	m.HoursOn = s.run.High
	switch {
	case s.run.Given:
	case m.Period == "year":
		days, m.HoursOn = 365, cost.HoursOn(s.perDay(), 365)
	default:
		days, m.HoursOn = 30, cost.HoursOn(s.perDay(), 30)
		s.assume("thirty_days")
	}
	m.Months = cost.Months(days)
	if m.Period == "year" {
		m.Months = cost.Years(days)
	}
	var err error
	if m.ByHour, err = m.Hour.Times(cost.Exactly(m.HoursOn * s.cards.High)); err != nil {
		return err
	}
	if m.ByMonth, err = m.Month.Times(cost.Exactly(float64(m.Months) * s.cards.High)); err != nil {
		return err
	}
	switch low, high := cheaper(m.ByHour.Low, m.ByMonth.Low), cheaper(m.ByHour.High, m.ByMonth.High); {
	case low == 0 && high == 0:
		m.Verdict = "equal"
	case low <= 0 && high <= 0:
		m.Verdict = "hourly"
	case low >= 0 && high >= 0:
		m.Verdict = "monthly"
	default:
		m.Verdict = "depends"
	}
	return nil
}

// cheaper is -1 when a is, 1 when b is, and 0 when less than a hundredth lies
// between them.
func cheaper(a, b cost.Amount) int {
	switch d := a - b; {
	case d < -b/100:
		return -1
	case d > b/100:
		return 1
	}
	return 0
}

// discounts tries the share that was named, or for half a year and more those
// that one article reports.
func (s *sums) discounts(m *MonthlySums) error {
	shares, said := []float64{}, false
	switch d := s.said.Discount; {
	case d.Known() && d.Value.Single():
		shares, said = []float64{d.Value.Lo}, true
	case d.Known():
		shares, said = []float64{d.Value.Lo, d.Value.Hi}, true
	case s.out.Days >= 180 && m.Period == "month":
		shares = cost.TermDiscounts()
		s.assume("term_discount")
	}
	for _, share := range shares {
		month, err := cost.Discounted(cost.Money{Amount: m.Month.Low, Currency: m.Month.Currency}, share)
		if err != nil {
			return err
		}
		b, err := m.breakSum(m.Hour.Low, month.Amount)
		if err != nil {
			return err
		}
		m.Discounts = append(m.Discounts, Discounted{Share: share, Month: month, Hours: b.Hours, Said: said})
	}
	return nil
}

// budget says whether the run fits into the budget that was said with it. Of
// prices in another currency it says nothing, unless there is a rate.
func (s *sums) budget() error {
	said := s.facts.Budget
	if !said.IsSaid() || !s.run.Given {
		return nil
	}
	amount, err := cost.AmountOf(said.Value.Amount)
	if err != nil {
		return cost.Problem{Code: cost.Overflow, Field: "budget"}
	}
	budget := cost.Money{Amount: amount, Currency: cost.Currency(said.Value.Currency)}
	r, ok := s.rentIn(budget.Currency)
	if !ok && len(s.out.Rents) > 0 {
		if r, ok = s.out.Rents[0], s.rate != nil; !ok {
			return cost.Problem{Code: cost.MixedCurrency, Field: "budget"}
		}
	}
	if !ok {
		return nil
	}
	if budget, err = s.same(budget, r.Per.Currency).Times(s.budgetTimes(said.Value.Per)); err != nil {
		return err
	}
	out := BudgetSum{Budget: budget, Cost: r.Cost, Stale: r.Stale}
	if s.out.Finished != nil && s.out.Finished.Total.Currency == r.Per.Currency {
		out.Cost = s.out.Finished.Total
	}
	switch {
	case out.Cost.High <= budget.Amount:
		out.Verdict = "fits"
	case out.Cost.Low > budget.Amount:
		out.Verdict = "short"
	default:
		out.Verdict = "depends"
	}
	if out.Left, err = budget.Minus(cost.Money{Amount: out.Cost.Likely, Currency: out.Cost.Currency}); err != nil {
		return err
	}
	if out.Cost.Likely > 0 {
		out.Hours = s.run.Likely * float64(budget.Amount) / float64(out.Cost.Likely)
	}
	s.out.Budget = &out
	return nil
}

// rentIn is the first rent of the run in a currency.
func (s *sums) rentIn(c cost.Currency) (Rented, bool) {
	for _, r := range s.out.Rents {
		if r.Per.Currency == c && r.Way != "spot" {
			return r, true
		}
	}
	return Rented{}, false
}

// budgetTimes is how often a budget is there in the run: one of 80 a day eight
// times in eight days.
func (s *sums) budgetTimes(per string) float64 {
	switch per {
	case "hour":
		return s.run.High
	case "day":
		return math.Max(1, s.out.Days)
	case "month":
		return float64(cost.Months(s.out.Days))
	}
	return 1
}

// spot says whether an interruptible machine pays, when that is asked or a
// price for one was given.
func (s *sums) spot() error {
	c := s.said
	if !c.asks("spot") && !c.Spot.Known() && !c.SpotOff.Known() && !c.Between.Known() && !c.Write.Known() {
		return nil
	}
	out := SpotSums{}
	demand, spot := cost.Money{}, cost.Money{}
	if r, ok := s.out.first("hour"); ok {
		demand = cost.Money{Amount: r.Per.Likely, Currency: r.Per.Currency}
		out.OnDemand, out.Stale = &demand, r.Stale
	}
	if r, ok := s.spotRent(demand.Currency); ok {
		spot = cost.Money{Amount: r.Per.Likely, Currency: r.Per.Currency}
		out.Stale = out.Stale || r.Stale
	} else if c.SpotOff.Known() && demand.Given() {
		var err error
		if spot, err = cost.Discounted(demand, c.SpotOff.Value.Lo); err != nil {
			return err
		}
	}
	if spot.Given() {
		out.Spot = &spot
	}
	for _, k := range s.interruptions() {
		if err := s.spotCase(&out, k, demand, spot); err != nil {
			return err
		}
	}
	s.out.Spot = &out
	return nil
}

// spotRent is the interruptible price in the currency of the other, or any.
func (s *sums) spotRent(c cost.Currency) (Rented, bool) {
	for _, r := range s.out.Rents {
		if r.Way == "spot" && (c == "" || r.Per.Currency == c || r.Own) {
			return r, true
		}
	}
	return Rented{}, false
}

// interruptions are the cases to work out: what was said, or a guess for each
// kind of place, marked as one.
func (s *sums) interruptions() []SpotCase {
	c := s.said
	write := 1.0 / 60
	if c.Write.Known() {
		write = c.Write.Value.Hi
	} else {
		s.assume("checkpoint_minute")
	}
	if c.Between.Known() {
		return []SpotCase{{Write: write, Between: c.Between.Value.Lo}}
	}
	s.assume("guess_between")
	return []SpotCase{
		{Write: write, Between: cost.GuessMarketplace.Hours(), Guess: "marketplace"},
		{Write: write, Between: cost.GuessCloud.Hours(), Guess: "cloud"},
	}
}

func (s *sums) spotCase(out *SpotSums, k SpotCase, demand, spot cost.Money) error {
	in := cost.Interrupted{
		OnDemand: demand, Spot: spot, Write: duration(k.Write), Between: duration(k.Between),
		Restart: duration(s.said.Restart.Value.Hi), Notice: duration(s.said.Notice.Value.Lo),
	}
	priced := demand.Given() && spot.Given()
	if !priced { // the interval needs no price
		in.OnDemand, in.Spot = cost.Dollars(1), cost.Dollars(1)
	}
	p, err := cost.PlanSpot(in)
	if err != nil {
		return err
	}
	k.Young, k.Interval, k.AtLimit, k.NeedsOff = p.Young.Hours(), p.Interval.Hours(), p.AtLimit, p.NeedsOff
	k.Overhead, k.Exact = p.Overhead, p.Exact
	if s.said.Notice.Known() {
		k.Final = &p.FinalSave
	}
	if priced {
		k.PerHour, k.Wins = &p.PerHour, &p.Wins
		if s.run.Given {
			run, err := cost.Rent(cost.Fixed(p.PerHour), cost.Span{Low: s.run.Low * s.cards.Low, Likely: s.run.Likely * s.cards.Likely, High: s.run.High * s.cards.High, Given: true})
			if err != nil {
				return err
			}
			k.Run = &run
		}
	}
	out.Plans = append(out.Plans, k)
	return nil
}

// duration is hours as a time.Duration, kept inside what one holds.
func duration(hours float64) time.Duration {
	return time.Duration(math.Round(min(max(hours, -1e5), 2e6) * float64(time.Hour)))
}

// upload compares sending the data with the run.
func (s *sums) upload() error {
	gb, mbps := s.said.UploadGB, s.said.UploadMbps
	if !gb.Known() && s.facts.DataGB.IsSaid() {
		gb = Say(One(s.facts.DataGB.Value))
	}
	if !mbps.Known() && s.facts.UploadMbps.IsSaid() {
		mbps = Say(One(s.facts.UploadMbps.Value))
	}
	if !gb.Known() || !mbps.Known() {
		return nil
	}
	u := UploadSum{GB: gb.Value.Hi, Mbps: mbps.Value.Lo}
	var err error
	if u.Hours, err = cost.UploadHours(u.GB, u.Mbps, cost.Efficiency); err != nil {
		return err
	}
	if u.FullRate, err = cost.UploadHours(u.GB, u.Mbps, 1); err != nil {
		return err
	}
	if s.run.Given {
		u.Transfer = cost.TransferOf(u.Hours, s.run.High)
	}
	s.out.Upload = &u
	return nil
}

// runway is how long a balance lasts with the cards and the disk running.
func (s *sums) runway() error {
	hour, ok := s.out.first("hour")
	if !ok || !s.said.Balance.Known() {
		return nil
	}
	balance, err := moneyOf(s.said.Balance)
	if err != nil {
		return err
	}
	balance = s.same(balance, hour.Per.Currency)
	disk, err := moneyOf(s.said.DiskRate)
	if err != nil {
		return err
	}
	out := RunwaySum{Balance: balance}
	hours := func(a cost.Amount) (float64, error) {
		burn, err := cost.Burn(cost.Money{Amount: a, Currency: hour.Per.Currency}, int(s.cards.High), s.said.DiskGB.Value.Hi, s.same(disk, hour.Per.Currency))
		if err != nil {
			return 0, err
		}
		out.Burn = burn
		return cost.Runway(balance, burn)
	}
	if out.Hours.Hi, err = hours(hour.Per.Low); err != nil {
		return err
	}
	if out.Hours.Lo, err = hours(hour.Per.High); err != nil {
		return err
	}
	s.out.Runway = &out
	return nil
}

// effective is the price of what a card really delivers.
func (s *sums) effective() error {
	hour, ok := s.out.first("hour")
	if !ok || !s.said.Delivered.Known() {
		return nil
	}
	price := cost.Money{Amount: hour.Per.Likely, Currency: hour.Per.Currency}
	share := s.said.Delivered.Value.Lo
	eff, err := cost.Effective(price, share)
	if err != nil {
		return err
	}
	s.out.Effective = &EffectiveSum{Price: price, Delivered: share, Effective: eff, Factor: 1 / share}
	return nil
}

// stopped is what goes on costing while nothing runs: cards that are left on,
// and the disk of a machine that is off.
func (s *sums) stopped() error {
	c := s.said
	if hour, ok := s.out.first("hour"); ok && c.Idle.Known() {
		n, err := cost.CardHours(s.cards, spanOf(c.Idle))
		if err != nil {
			return err
		}
		idle, err := cost.Rent(hour.Per, n)
		if err != nil {
			return err
		}
		s.out.Idle = &idle
	}
	if !c.StoppedDays.Known() || !c.DiskGB.Known() || !c.DiskRate.Known() {
		return nil
	}
	rate, err := moneyOf(c.DiskRate)
	if err != nil {
		return err
	}
	disk, err := cost.StoppedDisk(c.DiskGB.Value.Hi, rate, c.StoppedDays.Value.Hi)
	if err != nil {
		return err
	}
	s.out.Stopped = &disk
	return nil
}
