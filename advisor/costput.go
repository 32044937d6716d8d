package advisor

import (
	"cmp"
	"slices"
)

// costput.go takes the numbers of a sum over: where the number of a cue goes. Most
// cues are of one kind of number; of the others its form decides, as of a disk that
// is said in GB or by its price.

// put takes a number over as what its cue says it is.
func (e *costEar) put(cue string, it *costItem) {
	it.field = cue
	e.check(it)
	if per := e.budgetPer(cue, it); per != "" {
		e.budget = Say(Budget{it.hi, string(it.currency), per})
		return
	}
	if cue == "discount" && e.hasCue("spot") && !e.hasCue("month") {
		cue = "spot-off"
	}
	c := &e.said
	if f := c.quoteOf(cue, it.dim); f != nil {
		*f = Say(it.quote())
	} else if f := c.shareOf(cue); f != nil {
		*f = Say(it.share())
	} else if f := c.hoursOf(cue); f != nil {
		*f = Say(it.hours())
	} else if f := c.spanOf(cue, it.dim); f != nil {
		*f = Say(it.span())
	}
	switch {
	case cue == "failure":
		s := it.share()
		c.Success = Say(Range{1 - s.Hi, 1 - s.Lo})
	case cue == "stopped" && it.dim != dimGB:
		c.StoppedDays = Say(Range{it.lo / 24, it.hi / 24})
	}
}

// budgetPer is what a number is the budget of: day, month or total; "" when it is
// no budget.
func (e *costEar) budgetPer(cue string, it *costItem) string {
	switch {
	case cue == "budget":
		return cmp.Or(map[dim]string{dimPerDay: "day", dimPerMonth: "month"}[it.dim], "total")
	case cue == "per-month" && e.ofBudget(it):
		return "month"
	case cue == "day" && e.ofBudget(it):
		return "day"
	}
	return ""
}

// ofBudget reports whether a budget is spoken of right before the words for the
// time that this amount is for: 预算每月 400.
func (e *costEar) ofBudget(it *costItem) bool {
	return slices.ContainsFunc(e.items, func(o costItem) bool {
		return slices.Contains(o.cues, "budget") && o.end <= it.start && it.start-o.end <= len("每个月 ")
	})
}

// quoteOf is where money goes, nil when the cue is of something else.
func (c *CostSaid) quoteOf(cue string, d dim) *Fact[Quote] {
	switch {
	case cue == "people" && d != dimHours:
		return &c.Wage
	case cue == "disk" && d == dimPerGB:
		return &c.DiskRate
	case cue == "traffic" && d == dimPerGB:
		return &c.TrafficRate
	case cue == "spot" && d != dimShare:
		return &c.Spot
	}
	switch cue {
	case "hour":
		return &c.Hour
	case "day":
		return &c.Day
	case "week":
		return &c.Week
	case "month", "per-month", "bare_metal", "cluster":
		return &c.Month
	case "year", "per-year":
		return &c.Year
	case "image":
		return &c.Image
	case "balance":
		return &c.Balance
	case "once":
		return &c.Once
	}
	return nil
}

// shareOf is where a share goes, nil when the cue is of something else.
func (c *CostSaid) shareOf(cue string) *Fact[Range] {
	switch cue {
	case "success":
		return &c.Success
	case "kept":
		return &c.Kept
	case "delivered":
		return &c.Delivered
	case "accept":
		return &c.Yield
	case "discount":
		return &c.Discount
	}
	return nil
}

// hoursOf is where a time goes that may be said in seconds, nil when the cue is
// of something else.
func (c *CostSaid) hoursOf(cue string) *Fact[Range] {
	switch cue {
	case "write":
		return &c.Write
	case "between":
		return &c.Between
	case "restart":
		return &c.Restart
	case "notice":
		return &c.Notice
	}
	return nil
}

// spanOf is where a number goes as it was said, nil when the cue is of something
// else.
func (c *CostSaid) spanOf(cue string, d dim) *Fact[Range] {
	switch cue {
	case "setup":
		return &c.Setup
	case "download":
		return &c.Download
	case "debug":
		return &c.Debug
	case "run":
		return &c.Run
	case "idle":
		return &c.Idle
	case "people":
		return &c.People
	case "reruns":
		return &c.Reruns
	case "spot", "spot-off":
		return &c.SpotOff
	case "speed":
		return &c.Speed
	case "disk":
		return &c.DiskGB
	case "traffic":
		return &c.TrafficGB
	}
	switch {
	case cue == "stopped" && d == dimGB:
		return &c.DiskGB
	case cue == "upload" && d == dimGB:
		return &c.UploadGB
	case cue == "upload":
		return &c.UploadMbps
	}
	return nil
}

func (it *costItem) span() Range  { return Range{it.lo, it.hi} }
func (it *costItem) quote() Quote { return Quote{it.lo, it.hi, it.currency} }

// hours is a length of time in hours, whether hours or seconds were said.
func (it *costItem) hours() Range {
	if it.dim == dimSeconds {
		return Range{it.lo / 3600, it.hi / 3600}
	}
	return it.span()
}

// share reads "70" beside a word for a share as 70 %.
func (it *costItem) share() Range {
	if it.dim == dimBare && it.hi > 1 {
		return Range{it.lo / 100, it.hi / 100}
	}
	return it.span()
}
