package cost

import (
	"math"
	"time"
)

// Young is the checkpoint interval √(2δM) of J. W. Young, CACM 17(9), 1974: δ
// is the time to write a checkpoint, M the mean time between interruptions.
func Young(write, between time.Duration) time.Duration {
	return seconds(young(write.Seconds(), between.Seconds()))
}

// Daly is the checkpoint interval of J. T. Daly, Future Generation Computer
// Systems 22, 2006, as decision table 6.3 gives it:
//
//	√(2δM)·(1 + √(δ/2M)/3 + δ/18M) − δ   for δ < 2M, else M
func Daly(write, between time.Duration) time.Duration {
	return seconds(daly(write.Seconds(), between.Seconds()))
}

func seconds(s float64) time.Duration { return time.Duration(math.Round(s * float64(time.Second))) }

func young(d, m float64) float64 { return math.Sqrt(2 * d * m) }

func daly(d, m float64) float64 {
	if d >= 2*m {
		return m
	}
	x := d / (2 * m)
	return math.Sqrt(2*d*m)*(1+math.Sqrt(x)/3+x/9) - d
}

// firstOrder is the share by which checkpoints, lost work and restarts lengthen
// a run: δ/τ + τ/2M + R/M (decision table 6.3). It holds while it is small.
func firstOrder(d, m, r, t float64) float64 { return d/t + t/(2*m) + r/m }

// exact is the same share when interruptions come at random with mean M, also
// during checkpoints and restarts: M·e^(R/M)·(e^((τ+δ)/M) − 1)/τ − 1 (Daly
// 2006). It is larger than firstOrder once that stops being small.
func exact(d, m, r, t float64) float64 {
	return m*math.Exp(r/m)*math.Expm1((t+d)/m)/t - 1
}

// Guesses for the mean time between interruptions where nobody knows it
// (decision table 6.3, our own guess): say that it is one.
const (
	GuessMarketplace = 4 * time.Hour  // machines of private hosts
	GuessCloud       = 24 * time.Hour // spare machines of a cloud
)

// Interrupted is a machine that may be taken away.
type Interrupted struct {
	OnDemand Money         // price of one card for one hour, undisturbed
	Spot     Money         // price of one card for one hour, interruptible
	Write    time.Duration // δ, time to write a checkpoint
	Between  time.Duration // M, mean time between interruptions
	Restart  time.Duration // R, time until the work goes on
	Notice   time.Duration // warning before the machine goes; 0 is unknown
}

// SpotPlan is how to use such a machine, and whether to.
type SpotPlan struct {
	Young     time.Duration `json:"young"`
	Interval  time.Duration `json:"interval"`   // Daly's: write a checkpoint so often
	Overhead  float64       `json:"overhead"`   // first order, share of the run
	Exact     float64       `json:"exact"`      // for random interruptions, share of the run
	AtLimit   bool          `json:"at_limit"`   // Overhead above OverheadLimit: interruptions eat the run
	FinalSave bool          `json:"final_save"` // a checkpoint fits into the notice
	PerHour   Money         `json:"per_hour"`   // price of an hour of useful work
	Wins      bool          `json:"wins"`       // cheaper than on demand, and not AtLimit
	NeedsOff  float64       `json:"needs_off"`  // share that spot must be cheaper to win
}

// OverheadLimit is the first-order overhead from which the formula is no longer
// trusted and the answer is no: at δ = 600 s and M = 2 h it says 41 % where
// random interruptions cost 55 %.
const OverheadLimit = 0.40

// PlanSpot computes the interval, its overhead, and whether the interruptible
// machine still wins: price·(1 + overhead) below the undisturbed price, with
// the larger of the two overheads. Time spent waiting for a new machine is not
// in it. Errors: those of bad prices and times.
func PlanSpot(in Interrupted) (SpotPlan, error) {
	if err := in.check(); err != nil {
		return SpotPlan{}, err
	}
	d, m, r := in.Write.Seconds(), in.Between.Seconds(), in.Restart.Seconds()
	t := daly(d, m)
	p := SpotPlan{
		Young:     Young(in.Write, in.Between),
		Interval:  seconds(t),
		Overhead:  firstOrder(d, m, r, t),
		Exact:     min(exact(d, m, r, t), 1e6),
		FinalSave: in.Notice >= in.Write,
	}
	p.AtLimit = p.Overhead > OverheadLimit
	worse := max(p.Overhead, p.Exact)
	p.NeedsOff = worse / (1 + worse)
	var err error
	if p.PerHour, err = in.Spot.Times(1 + worse); err != nil {
		return SpotPlan{}, err
	}
	p.Wins = !p.AtLimit && p.PerHour.Amount < in.OnDemand.Amount
	return p, nil
}

// check wants two prices in one currency, δ from a millisecond, M from a
// minute, and nothing longer than a year.
func (in Interrupted) check() error {
	const year = 366 * 24 * time.Hour
	for _, err := range [...]error{
		Fixed(in.OnDemand).check("price_hour", MinCardHour, MaxCardHour),
		Fixed(in.Spot).check("price_spot", MinCardHour, MaxCardHour),
		within(in.Write.Seconds(), "checkpoint", 1e-3, year.Seconds()),
		within(in.Between.Seconds(), "interruption", 60, year.Seconds()),
		within(in.Restart.Seconds(), "restart", 0, year.Seconds()),
		within(in.Notice.Seconds(), "notice", 0, year.Seconds()),
	} {
		if err != nil {
			return err
		}
	}
	if in.Spot.Currency != in.OnDemand.Currency {
		return Problem{MixedCurrency, "price_spot"}
	}
	return nil
}
