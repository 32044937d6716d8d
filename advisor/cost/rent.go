package cost

// CardHours is cards times hours, both possibly ranges. Errors: those of bad
// numbers, in the fields "cards" and "hours".
func CardHours(cards, hours Span) (Span, error) {
	if err := required(cards, "cards", 1, MaxCards); err != nil {
		return Span{}, err
	}
	if err := required(hours, "hours", 1e-6, MaxHours); err != nil {
		return Span{}, err
	}
	return cards.times(hours), nil
}

// required is within for a span that must be there.
func required(s Span, field string, low, high float64) error {
	if !s.Given {
		return Problem{Missing, field}
	}
	return s.within(field, low, high)
}

// Rent is the price of card-hours at a price per card-hour: what the cards
// alone cost, before everything that Finish adds. Errors: Missing and those of
// a bad price, Overflow.
func Rent(perCardHour Estimate, cardHours Span) (Estimate, error) {
	if err := perCardHour.check("price_hour", MinCardHour, MaxCardHour); err != nil {
		return Estimate{}, err
	}
	if err := required(cardHours, "hours", 0, MaxHours*MaxCards); err != nil {
		return Estimate{}, err
	}
	return perCardHour.Times(cardHours)
}

// check wants an estimate that is there, in a known currency, in order and
// within bounds.
func (e Estimate) check(field string, least, most Amount) error {
	switch {
	case !e.Given():
		return Problem{Missing, field}
	case !e.Currency.Valid():
		return Problem{UnknownCurrency, field}
	}
	for _, v := range [...]Amount{e.Low, e.Likely, e.High} {
		if err := within(v.Float(), field, least.Float(), most.Float()); err != nil {
			return err
		}
	}
	if e.Low > e.Likely || e.Likely > e.High {
		return Problem{Reversed, field}
	}
	return nil
}

// HoursFor is how many card-hours a budget buys: few at the high price, many at
// the low one. "$200, how many H100 hours?" Errors: MixedCurrency, and those
// of a bad price or budget.
func HoursFor(budget Money, perCardHour Estimate) (Span, error) {
	if err := perCardHour.check("price_hour", MinCardHour, MaxCardHour); err != nil {
		return Span{}, err
	}
	if err := positive(budget.Amount, "budget"); err != nil {
		return Span{}, err
	}
	if budget.Currency != perCardHour.Currency {
		return Span{}, Problem{MixedCurrency, "budget"}
	}
	b := float64(budget.Amount)
	return Three(b/float64(perCardHour.High), b/float64(perCardHour.Likely), b/float64(perCardHour.Low)), nil
}

// Effective is the price of what a card really delivers: 2.00 for a card that
// delivers 70 % of its kind is 2.857 (S4-38, decision table 6.2). Errors:
// those of a share outside (0, 1].
func Effective(price Money, delivered float64) (Money, error) {
	if err := Exactly(delivered).share("delivered", minShare); err != nil {
		return Money{}, err
	}
	return price.Over(delivered)
}

// minShare is the smallest share that is computed with; below it the question
// is no longer one of price.
const minShare = 0.001

// Idle is what a machine costs while it does nothing. Errors: those of bad
// numbers.
func Idle(perCardHour Money, cards int, hours float64) (Money, error) {
	n, err := CardHours(Exactly(float64(cards)), Exactly(hours))
	if err != nil {
		return Money{}, err
	}
	e, err := Rent(Fixed(perCardHour), n)
	return e.likely(), err
}

// StoppedDisk is what a disk costs while its machine is off, for the given days
// of 30 to a month. Some places charge more for it than for a running
// machine's: one documents 0.20 USD per GB and month (2026-08-20). Errors:
// those of bad numbers.
func StoppedDisk(gb float64, perGBMonth Money, days float64) (Money, error) {
	if err := within(gb, "disk_gb", 0, MaxGB); err != nil {
		return Money{}, err
	}
	if err := within(days, "days", 0, MaxHours/24); err != nil {
		return Money{}, err
	}
	if err := perGBMonth.rate("disk_rate"); err != nil {
		return Money{}, err
	}
	return perGBMonth.Times(gb * days / 30)
}

// rate checks a small price such as that of a GB or of an hour of work: it may
// be zero or not given, not negative and not absurd.
func (m Money) rate(field string) error {
	if m.Amount != 0 && !m.Currency.Valid() {
		return Problem{UnknownCurrency, field}
	}
	return within(m.Amount.Float(), field, 0, 1e6)
}

// Runway is how many hours a balance lasts when the machine burns so much per
// hour. At the end of it some places delete the data, so the reminder must
// come earlier. Errors: MixedCurrency, and those of bad numbers; a balance of
// zero lasts zero hours.
func Runway(balance, burnPerHour Money) (hours float64, err error) {
	if err := positive(burnPerHour.Amount, "burn"); err != nil {
		return 0, err
	}
	if err := within(balance.Amount.Float(), "balance", 0, MaxAmount.Float()); err != nil {
		return 0, err
	}
	if balance.Amount != 0 && balance.Currency != burnPerHour.Currency {
		return 0, Problem{MixedCurrency, "balance"}
	}
	return float64(balance.Amount) / float64(burnPerHour.Amount), nil
}

// Burn is what a running machine takes from the balance per hour: its cards
// and its disk. Errors: MixedCurrency, Overflow, and those of bad numbers.
func Burn(perCardHour Money, cards int, diskGB float64, perGBMonth Money) (Money, error) {
	run, err := Idle(perCardHour, cards, 1)
	if err != nil {
		return Money{}, err
	}
	disk, err := StoppedDisk(diskGB, perGBMonth, 1.0/24)
	if err != nil {
		return Money{}, err
	}
	return run.Plus(disk)
}
