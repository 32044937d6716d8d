package advisor

import (
	"slices"
	"strings"

	"gpuadvisor/advisor/cost"
)

// CostSheet is a money question worked out: numbers and ids, no sentence. What
// was not asked for, or lacks a number, is nil. It is what the voice words and
// what `cost --json` prints.
type CostSheet struct {
	Card  string `json:"card,omitempty"`  // id
	Label string `json:"label,omitempty"` // with the count
	Cards *Range `json:"cards,omitempty"`
	Hours *Range `json:"hours,omitempty"` // powered on, one attempt

	HoursPerDay float64 `json:"hours_per_day,omitempty"`
	Days        float64 `json:"days,omitempty"` // of the calendar
	GPUHours    *Range  `json:"gpu_hours"`      // card-hours of the run

	Rents     []Rented       `json:"rents"`               // what the run costs, one for each price
	Finished  *cost.Finished `json:"finished,omitempty"`  // with everything that was said to come on top
	Budget    *BudgetSum     `json:"budget,omitempty"`    // whether it is enough
	Monthly   *MonthlySums   `json:"monthly,omitempty"`   // by the hour or by the month
	Unit      *UnitSum       `json:"unit,omitempty"`      // one image, clip …
	Spot      *SpotSums      `json:"spot,omitempty"`      // interruptible or not
	Upload    *UploadSum     `json:"upload,omitempty"`    // sending the data against the run
	Runway    *RunwaySum     `json:"runway,omitempty"`    // how long the balance lasts
	Effective *EffectiveSum  `json:"effective,omitempty"` // of a card that delivers a part
	Idle      *cost.Estimate `json:"idle,omitempty"`      // on and doing nothing
	Stopped   *cost.Money    `json:"stopped,omitempty"`   // the disk of a machine that is off
	Compared  *ComparedSums  `json:"compared,omitempty"`  // offers side by side
	Rate      string         `json:"rate,omitempty"`      // 7.10@2026-11-01, when amounts were converted

	Assumed []string      `json:"assumed"` // what stands in for what nobody said: one_card thirty_days …
	Problem *SheetProblem `json:"problem"` // the first number that cannot be meant
}

// SheetProblem is a number that cannot be computed with.
type SheetProblem struct {
	Code  cost.Code `json:"code"`
	Field string    `json:"field"`
	As    string    `json:"as,omitempty"` // as it was written
}

// Rented is the rent of the cards at one price.
type Rented struct {
	Way       string        `json:"way"`  // hour day week month year spot
	Per       cost.Estimate `json:"per"`  // of one card for one such period
	Cost      cost.Estimate `json:"cost"` // of the run; none without a length
	Own       bool          `json:"own"`  // the person's own price
	AsOf      string        `json:"as_of,omitempty"`
	AgeDays   int           `json:"age_days,omitempty"`
	Age       cost.Age      `json:"age,omitempty"`
	Stale     bool          `json:"stale"`
	Sources   []string      `json:"sources,omitempty"`
	Claimants []string      `json:"claimants,omitempty"`
	Origin    cost.Origin   `json:"origin,omitempty"`
	From      cost.Currency `json:"from,omitempty"` // converted from this currency
	Off       *Range        `json:"off,omitempty"`  // the share that a discount has taken off Per
}

// BudgetSum says whether the run fits into the budget, at the first price in its
// currency.
type BudgetSum struct {
	Budget  cost.Money    `json:"budget"`  // for the whole run
	Cost    cost.Estimate `json:"cost"`    // with everything that was said to come on top
	Verdict string        `json:"verdict"` // fits short depends
	Left    cost.Money    `json:"left"`    // below zero: what is missing; at the likely cost
	Hours   float64       `json:"hours"`   // that the budget is enough for, all cards on, at the likely price
	Stale   bool          `json:"stale"`
}

// MonthlySums compares a month, or a year, with the hours that it replaces.
type MonthlySums struct {
	Period    string        `json:"period"`   // month year
	Hour      cost.Estimate `json:"hour"`     // one card
	Month     cost.Estimate `json:"month"`    // one card, for one period
	Low       BreakSum      `json:"low"`      // at the low prices
	High      BreakSum      `json:"high"`     // at the high prices
	HoursOn   float64       `json:"hours_on"` // in the periods that are paid
	Months    int           `json:"months"`   // years when the period is one
	ByHour    cost.Estimate `json:"by_hour"`  // all cards, for those hours
	ByMonth   cost.Estimate `json:"by_month"` // all cards, for those months
	Verdict   string        `json:"verdict"`  // hourly monthly equal depends
	Discounts []Discounted  `json:"discounts,omitempty"`
	Stale     bool          `json:"stale"`
}

// BreakSum is one break-even.
type BreakSum struct {
	Hours     float64 `json:"hours"`
	PerDay    float64 `json:"per_day"`     // of 30 days, or of 365
	Never     bool    `json:"never"`       // more than 744 h, or 8760
	NeverIn30 bool    `json:"never_in_30"` // more than 720 h
}

// Discounted is a what-if on the monthly price.
type Discounted struct {
	Share float64    `json:"share"`
	Month cost.Money `json:"month"` // one card, the low price
	Hours float64    `json:"hours"` // break-even at the low price
	Said  bool       `json:"said"`  // named by the person; the others are guesses
}

// UnitSum is the cost of one piece of work.
type UnitSum struct {
	Unit    string          `json:"unit"`
	Seconds *Range          `json:"seconds,omitempty"`
	Yield   *Range          `json:"yield,omitempty"`
	Costs   []cost.Estimate `json:"costs"` // one for each price
	Pieces  float64         `json:"pieces,omitempty"`
	Hours   *Range          `json:"hours,omitempty"` // for that many pieces
	Total   *cost.Estimate  `json:"total,omitempty"` // for that many pieces, at the first price
}

// SpotSums says whether an interruptible machine pays.
type SpotSums struct {
	OnDemand *cost.Money `json:"on_demand,omitempty"` // one card
	Spot     *cost.Money `json:"spot,omitempty"`      // one card
	Plans    []SpotCase  `json:"plans"`
	Stale    bool        `json:"stale"`
}

// SpotCase is a plan for one guess of how often it is interrupted, in hours.
type SpotCase struct {
	Write    float64 `json:"write"`
	Between  float64 `json:"between"`
	Guess    string  `json:"guess,omitempty"` // marketplace cloud, when nobody said
	Young    float64 `json:"young"`
	Interval float64 `json:"interval"` // Daly's
	Overhead float64 `json:"overhead"` // share of the run, first order
	Exact    float64 `json:"exact"`    // the same when interruptions come at random
	AtLimit  bool    `json:"at_limit"`
	Final    *bool   `json:"final_save,omitempty"` // a checkpoint fits into the notice
	// PerHour is the price of an hour of work that counts; none without prices.
	PerHour  *cost.Money    `json:"per_hour,omitempty"`
	Wins     *bool          `json:"wins,omitempty"`
	NeedsOff float64        `json:"needs_off"` // share that it must be cheaper
	Run      *cost.Estimate `json:"run,omitempty"`
}

// UploadSum compares the upload with the run.
type UploadSum struct {
	GB       float64       `json:"gb"`
	Mbps     float64       `json:"mbps"`
	Hours    float64       `json:"hours"`      // at the assumed efficiency
	FullRate float64       `json:"full_hours"` // at the full rate of the line
	Transfer cost.Transfer `json:"transfer,omitempty"`
}

// RunwaySum is how long a balance lasts.
type RunwaySum struct {
	Balance cost.Money `json:"balance"`
	Burn    cost.Money `json:"burn"`  // per hour, at the high price
	Hours   Range      `json:"hours"` // at the high price and at the low one
}

// EffectiveSum is the price of what a card delivers.
type EffectiveSum struct {
	Price     cost.Money `json:"price"`
	Delivered float64    `json:"delivered"`
	Effective cost.Money `json:"effective"`
	Factor    float64    `json:"factor"`
}

// first returns the first rent of a way.
func (s *CostSheet) first(way string) (Rented, bool) {
	i := slices.IndexFunc(s.Rents, func(r Rented) bool { return r.Way == way })
	if i < 0 {
		return Rented{}, false
	}
	return s.Rents[i], true
}

// short is the sheet in the contract's short form: card-hours of the run, and
// the finished job where it was priced, else the rent.
func (s *CostSheet) short() *Cost {
	c := &Cost{GPUHours: s.GPUHours}
	r, ok := s.first("hour")
	if !ok {
		r, ok = s.first("month")
	}
	if !ok || s.Hours == nil {
		return c
	}
	e := r.Cost
	if s.Finished != nil {
		e = s.Finished.Total
	}
	low, likely, high := e.Low.Float(), e.Likely.Float(), e.High.Float()
	c.Low, c.Likely, c.High, c.Currency = &low, &likely, &high, string(e.Currency)
	c.AsOf, c.Stale, c.Source = r.AsOf, r.Stale, strings.Join(r.Sources, "; ")
	if r.Own {
		c.Source = "user"
	}
	return c
}
