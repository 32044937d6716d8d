package cost

// Price is one quoted price of a machine with Count cards of one kind. Rule
// files decode into it; a row that is silent about source or date has those of
// its file. All amounts are for the whole machine.
type Price struct {
	Card      string   `yaml:"card" rule:"id"`                 // id in the catalogue
	Count     int      `yaml:"count,omitempty" rule:"min=1"`   // cards in the machine; 0 is 1
	VRAMGB    float64  `yaml:"vram_gb,omitempty" rule:"min=0"` // memory of one card as offered, GB
	HourLow   Amount   `yaml:"hour_low,omitempty"`             // per hour; 0 is not quoted
	HourHigh  Amount   `yaml:"hour_high,omitempty"`            // 0 is HourLow
	MonthLow  Amount   `yaml:"month_low,omitempty"`            // per month; 0 is not quoted
	MonthHigh Amount   `yaml:"month_high,omitempty"`           // 0 is MonthLow
	Currency  Currency `yaml:"currency" rule:"enum=CNY|USD"`   // CNY USD
	Provider  string   `yaml:"provider"`                       // the place that rents it out, or Unnamed
	Kind      string   `yaml:"kind,omitempty"`                 // platform id; "" when mixed or unknown
	Region    string   `yaml:"region,omitempty"`               // as the place names it
	Source    string   `yaml:"source,omitempty"`               // where the quote was read
	URL       string   `yaml:"url,omitempty"`                  // the live page, which decides
	AsOf      Date     `yaml:"as_of,omitempty"`                // YYYY-MM-DD or YYYY-MM

	Claimant     string `yaml:"claimant,omitempty"`                        // who says so, when it is not the price list itself
	Claim        bool   `yaml:"claim,omitempty"`                           // one seller's own statement in an advertisement: never ranks
	Inconsistent bool   `yaml:"inconsistent,omitempty"`                    // contradicts other rows of its source: never in a band
	Spot         bool   `yaml:"spot,omitempty"`                            // may be taken back at any time
	Origin       Origin `yaml:"origin,omitempty" rule:"enum=imported|set"` // how it came to us
}

// Unnamed is the Provider of a range over several places that the source does
// not name.
const Unnamed = "unnamed"

// Origin tells how a price came to us. Where several are known for a card, the
// nearest to the user wins: said, set, imported, bundled.
type Origin string

const (
	Bundled  Origin = ""         // came with the program
	Imported Origin = "imported" // from a file that the operator imported
	Set      Origin = "set"      // noted by an admin
	Said     Origin = "said"     // the user's own price, in this conversation
)

// nearness orders origins.
func (o Origin) nearness() int {
	switch o {
	case Said:
		return 3
	case Set:
		return 2
	case Imported:
		return 1
	}
	return 0
}

// List is a file of prices with one source and date.
type List struct {
	ID     string  `yaml:"id" rule:"id"`
	Source string  `yaml:"source"`
	AsOf   Date    `yaml:"as_of"`
	Prices []Price `yaml:"prices"`
}

// Rows returns the prices, each with the list's source and date where it has
// none of its own.
func (l List) Rows() []Price {
	rows := make([]Price, len(l.Prices))
	for i, p := range l.Prices {
		if p.Source == "" {
			p.Source = l.Source
		}
		if p.AsOf.IsZero() {
			p.AsOf = l.AsOf
		}
		rows[i] = p
	}
	return rows
}

// Cards is the number of cards that the price is for, at least one.
func (p Price) Cards() int { return max(1, p.Count) }

// Hour is the price of one card for one hour; not given when none is quoted.
func (p Price) Hour() Estimate { return p.perCard(p.HourLow, p.HourHigh) }

// Month is the price of one card for one month; not given when none is quoted.
func (p Price) Month() Estimate { return p.perCard(p.MonthLow, p.MonthHigh) }

func (p Price) perCard(low, high Amount) Estimate {
	if low == 0 {
		return Estimate{}
	}
	if high == 0 {
		high = low
	}
	n := Amount(p.Cards())
	lo, _ := low.fraction(One, n*One)
	hi, _ := high.fraction(One, n*One)
	return Estimate{lo, middle(lo, hi), hi, p.Currency}
}

// Problems lists everything that makes the row unusable, with the yaml names
// of the fields. A row without date or source is one of them: such prices are
// never shown.
func (p Price) Problems() []Problem {
	var out []Problem
	note := func(bad bool, code Code, field string) {
		if bad {
			out = append(out, Problem{code, field})
		}
	}
	note(p.Card == "", Missing, "card")
	note(p.Count < 0, Negative, "count")
	note(p.Count > MaxCards, Absurd, "count")
	note(p.Provider == "", Missing, "provider")
	note(p.Source == "", Missing, "source")
	note(p.AsOf.IsZero(), Missing, "as_of")
	note(p.Currency == "", Missing, "currency")
	note(p.Currency != "" && !p.Currency.Valid(), UnknownCurrency, "currency")
	note(p.HourLow == 0 && p.HourHigh == 0 && p.MonthLow == 0 && p.MonthHigh == 0, Missing, "hour_low")
	out = append(out, p.badRange("hour_low", "hour_high", p.HourLow, p.HourHigh, MinCardHour, MaxCardHour)...)
	out = append(out, p.badRange("month_low", "month_high", p.MonthLow, p.MonthHigh, MinCardMonth, MaxCardMonth)...)
	if err := within(p.VRAMGB, "vram_gb", 0, 100_000); err != nil {
		out = append(out, err.(Problem))
	}
	return out
}

// badRange checks one pair of amounts; least and most are per card.
func (p Price) badRange(lowField, highField string, low, high, least, most Amount) []Problem {
	if low == 0 && high == 0 {
		return nil
	}
	n := Amount(min(p.Cards(), MaxCards))
	var out []Problem
	for _, v := range [...]struct {
		field  string
		amount Amount
	}{{lowField, low}, {highField, high}} {
		switch {
		case v.amount < 0:
			out = append(out, Problem{Negative, v.field})
		case v.amount == 0 && v.field == lowField:
			out = append(out, Problem{Zero, v.field})
		case v.amount != 0 && (v.amount < least*n || v.amount/n > most):
			out = append(out, Problem{Absurd, v.field})
		}
	}
	if len(out) == 0 && high != 0 && low > high {
		out = append(out, Problem{Reversed, lowField})
	}
	return out
}

// Usable reports whether the price may enter a band: complete, sane, dated,
// neither a seller's claim nor inconsistent.
func (p Price) Usable() bool {
	return !p.Claim && !p.Inconsistent && len(p.Problems()) == 0
}

// BreakEvens are the hours at which a month equals the hours it replaces, for
// the low prices and for the high prices (decision table 6.1). ok is false
// when the row does not quote both.
func (p Price) BreakEvens() (low, high BreakEven, ok bool) {
	return breakEvens(p.Hour(), p.Month())
}

func breakEvens(hour, month Estimate) (low, high BreakEven, ok bool) {
	low, err1 := BreakEvenOf(hour.low(), month.low())
	high, err2 := BreakEvenOf(hour.high(), month.high())
	return low, high, err1 == nil && err2 == nil
}

func (e Estimate) low() Money    { return Money{e.Low, e.Currency} }
func (e Estimate) likely() Money { return Money{e.Likely, e.Currency} }
func (e Estimate) high() Money   { return Money{e.High, e.Currency} }
