package cost

// Part is one line of a finished job's cost. Besides the run there are the six
// that an hourly price hides (S0-23): installing (setup), downloading, disk and
// network (disk, traffic, image), debugging, reruns, and people who wait.
type Part string

const (
	PartRun      Part = "run"      // the cards while they do the work, once
	PartSetup    Part = "setup"    // the cards while the environment is installed
	PartDownload Part = "download" // the cards while data and models arrive
	PartDebug    Part = "debug"    // the cards while somebody looks for the mistake
	PartDisk     Part = "disk"     // storage beyond the free part
	PartTraffic  Part = "traffic"  // transfer beyond the free part
	PartImage    Part = "image"    // one-off fees
	PartReruns   Part = "reruns"   // what failed attempts add
	PartPeople   Part = "people"   // working time of those who wait
)

// Parts lists all parts in the order in which they are shown.
func Parts() []Part {
	return []Part{
		PartRun, PartSetup, PartDownload, PartDebug, PartDisk, PartTraffic,
		PartImage, PartReruns, PartPeople,
	}
}

// Job is what a finished job takes. Only price, cards and run are needed; what
// is not given is left out of the sum and listed as left out.
type Job struct {
	Price Estimate // of one card for one hour
	Cards Span     // exactly 1 when not given
	Run   Span     // hours of one complete attempt, on cards that deliver in full

	Setup    Span // hours with the cards on, once
	Download Span // hours with the cards on, once
	Debug    Span // hours with the cards on, once

	Disk Disk
	Net  Net
	// Image is a one-off fee for an image or a licence.
	Image Money

	// Success is the chance that an attempt ends well, in (0, 1]. From "20 %
	// reruns", use SuccessOf.
	Success Span
	// Kept is the share of a failed attempt that its checkpoints save, in [0, 1].
	Kept Span
	// Delivered is the share of its kind's speed that the card delivers, in
	// (0, 1]; the run takes longer by its inverse.
	Delivered Span

	Wage  Money // of the people who wait, per hour
	Human Span  // their hours per attempt
}

// Disk is storage that is paid for beside the cards (S4-22).
type Disk struct {
	GB         Span
	FreeGB     float64 // included in the price of the machine
	PerGBMonth Money
	Hours      Span // how long it exists; the job's own hours when not given
}

// Net is transfer that is paid for (S4-23).
type Net struct {
	GB     Span
	FreeGB float64
	PerGB  Money
}

// Line is the cost of one part. A part that was not given is not counted, and
// the reader must be told so.
type Line struct {
	Part    Part     `json:"part"`
	Cost    Estimate `json:"cost"`
	Counted bool     `json:"counted"`
}

// Finished is the cost of a finished job, expected over failures.
type Finished struct {
	Lines     []Line   `json:"lines"` // one for every part, in the order of Parts
	Total     Estimate `json:"total"`
	CardHours Span     `json:"card_hours"` // including set-up and reruns
	Hours     Span     `json:"hours"`      // with the cards on, including set-up and reruns
	Attempts  Span     `json:"attempts"`   // runs' worth of work paid for, at least 1
}

// SuccessOf is the chance of success under which failures add the given share
// of reruns: 20 % more runs are a chance of 1/1.2.
func SuccessOf(reruns float64) float64 { return 1 / (1 + reruns) }

// attempts is how many complete runs are paid for on average, when an attempt
// succeeds with chance s and a failed one is saved to the share k: failures
// number (1-s)/s and lose 1-k each. It equals (1 − k(1−s))/s of decision table
// 6.2.
func attempts(s, k float64) float64 { return k + (1-k)/s }

// Finish computes the expected cost of the finished job, decision table 6.2:
//
//	once  = price·cards·(setup + download + debug) + image
//	a     = price·cards·run/delivered + wage·human
//	total = once + a·(1 − kept·(1 − success))/success + disk + traffic
//
// Low takes the favourable end of every input, high the unfavourable one, so
// the truth lies between them if every input does. Errors: the first Problem
// among the inputs; Overflow.
func Finish(j Job) (Finished, error) {
	if err := j.check(); err != nil {
		return Finished{}, err
	}
	cards := j.Cards.Or(1)
	run := j.Run.per(j.Delivered.Or(1))
	s, k := j.Success.Or(1), j.Kept.Or(0)
	tries := Three(attempts(s.High, k.High), attempts(s.Likely, k.Likely), attempts(s.Low, k.Low))
	once := j.Setup.plus(j.Download).plus(j.Debug)
	hours := once.plus(run.times(tries))

	f := Finished{Hours: hours, CardHours: hours.times(cards), Attempts: tries}
	l := ledger{}
	l.in(j.Price.Currency, "price_hour")
	onCards := func(h Span) Estimate { return l.timesAll(j.Price, h.times(cards)) }
	people := l.rated(j.Wage, j.Human, "wage")
	attempt := l.addAll(onCards(run), people)

	f.add(PartRun, onCards(run), true)
	f.add(PartSetup, onCards(j.Setup), j.Setup.Given)
	f.add(PartDownload, onCards(j.Download), j.Download.Given)
	f.add(PartDebug, onCards(j.Debug), j.Debug.Given)
	f.add(PartDisk, l.disk(j.Disk, hours), j.Disk.GB.Given && j.Disk.PerGBMonth.Given())
	f.add(PartTraffic, l.rated(j.Net.PerGB, j.Net.GB.above(j.Net.FreeGB), "traffic_rate"), j.Net.GB.Given && j.Net.PerGB.Given())
	f.add(PartImage, l.once(j.Image), j.Image.Given())
	f.add(PartReruns, l.timesAll(attempt, tries.minusOne()), j.Success.Given)
	f.add(PartPeople, people, j.Wage.Given() && j.Human.Given)
	return f.close(&l)
}

// add appends a line.
func (f *Finished) add(p Part, e Estimate, counted bool) {
	f.Lines = append(f.Lines, Line{p, e, counted})
}

// close sums the lines and gives everything its currency.
func (f *Finished) close(l *ledger) (Finished, error) {
	var total Estimate
	for i := range f.Lines {
		total = l.addAll(total, f.Lines[i].Cost)
		f.Lines[i].Cost.Currency = l.currency
	}
	var err error
	if f.Total, err = l.estimate(total); err != nil {
		return Finished{}, err
	}
	return *f, nil
}

// rated is a price per unit times units, zero when either is not given.
func (l *ledger) rated(per Money, units Span, field string) Estimate {
	if !per.Given() || !units.Given {
		return Estimate{}
	}
	l.in(per.Currency, field)
	return l.timesAll(Fixed(per), units)
}

func (l *ledger) disk(d Disk, jobHours Span) Estimate {
	hours := jobHours
	if d.Hours.Given {
		hours = d.Hours
	}
	months := Span{hours.Low / Month30, hours.Likely / Month30, hours.High / Month30, true}
	return l.rated(d.PerGBMonth, d.GB.above(d.FreeGB).times(months), "disk_rate")
}

func (l *ledger) once(m Money) Estimate {
	if !m.Given() {
		return Estimate{}
	}
	l.in(m.Currency, "image")
	return Fixed(m)
}

// minusOne takes the first attempt off.
func (s Span) minusOne() Span {
	return Span{max(0, s.Low-1), max(0, s.Likely-1), max(0, s.High-1), s.Given}
}

// check is the list of what a job must be.
func (j Job) check() error {
	for _, err := range [...]error{
		j.Price.check("price_hour", MinCardHour, MaxCardHour),
		j.Cards.within("cards", 1, MaxCards),
		required(j.Run, "hours", 1e-6, MaxHours),
		j.Setup.within("setup", 0, MaxHours),
		j.Download.within("download", 0, MaxHours),
		j.Debug.within("debug", 0, MaxHours),
		j.Disk.GB.within("disk_gb", 0, MaxGB),
		within(j.Disk.FreeGB, "disk_free_gb", 0, MaxGB),
		j.Disk.PerGBMonth.rate("disk_rate"),
		j.Disk.Hours.within("disk_hours", 0, MaxHours),
		j.Net.GB.within("traffic_gb", 0, MaxGB),
		within(j.Net.FreeGB, "traffic_free_gb", 0, MaxGB),
		j.Net.PerGB.rate("traffic_rate"),
		j.Image.rate("image"),
		j.Success.share("success", minShare),
		j.Kept.share("kept", 0),
		j.Delivered.share("delivered", minShare),
		j.Wage.rate("wage"),
		j.Human.within("human", 0, MaxHours),
	} {
		if err != nil {
			return err
		}
	}
	return nil
}
