package cost

import "slices"

// Where the cheapest offer changes. Costs as functions of the run are straight
// lines with steps; the work here is exact up to float64 and only finds
// lengths of run. Every amount that is shown comes from Compare.

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
		if o.Per == PerHour {
			out = append(out, (float64(o.Least)-o.Setup)*o.speed()) // its minimum is its only step
			continue
		}
		for n := 1; n <= maxPeriods; n++ {
			out = append(out, (o.Per.ends(n)*perDay/24-o.Setup)*o.speed()) // powered-on hours of n periods
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
