package cost

// Unit is a piece of finished work; its values are those of the tasks' field
// unit.
type Unit string

const (
	UnitImage Unit = "image" // accepted image
	UnitClip  Unit = "clip"  // usable clip
	UnitFrame Unit = "frame" // rendered frame
	UnitKStep Unit = "kstep" // 1,000 training steps
	UnitEpoch Unit = "epoch"
	UnitMTok  Unit = "mtok" // 1,000,000 tokens
	UnitKDoc  Unit = "kdoc" // 1,000 documents
	UnitHour  Unit = "hour" // hour of sound
	UnitCase  Unit = "case" // simulated case
	UnitRun   Unit = "run"
)

// Units lists every unit.
func Units() []Unit {
	return []Unit{
		UnitImage, UnitClip, UnitFrame, UnitKStep, UnitEpoch, UnitMTok, UnitKDoc,
		UnitHour, UnitCase, UnitRun,
	}
}

// Pieces is how many of what a person times (one image, one step, one token)
// make one unit.
func (u Unit) Pieces() float64 {
	switch u {
	case UnitKStep, UnitKDoc:
		return 1000
	case UnitMTok:
		return 1e6
	}
	return 1
}

// Work is how fast a machine works, as the user measured it: either Seconds for
// one piece or PerSecond pieces.
type Work struct {
	Price     Estimate // of one card for one hour
	Cards     Span     // exactly 1 when not given
	Seconds   Span     // for one image, clip, frame, step, epoch, token …
	PerSecond Span     // tokens, documents … per second of the whole machine
	// Yield is the share of the work that counts, in (0, 1]: accepted images,
	// usable clips, goodput of a training. Exactly 1 when not given.
	Yield Span
}

// PerUnit is the cost of one unit, decision table 6.2:
//
//	price·cards·seconds·pieces / 3600 / yield
//
// so that 6 s at 1.50 per hour with one image in four accepted is 0.01 per
// image (S0-26). Errors: the first Problem among the inputs, Missing when no
// speed is given.
func PerUnit(u Unit, w Work) (Estimate, error) {
	if err := w.check(); err != nil {
		return Estimate{}, err
	}
	seconds := w.Seconds
	if !seconds.Given {
		seconds = Exactly(1).per(w.PerSecond)
	}
	n := u.Pieces() / 3600
	hours := seconds.times(w.Cards.Or(1)).times(Exactly(n)).per(w.Yield.Or(1))
	return w.Price.Times(hours)
}

func (w Work) check() error {
	if !w.Seconds.Given && !w.PerSecond.Given {
		return Problem{Missing, "seconds"}
	}
	for _, err := range [...]error{
		w.Price.check("price_hour", MinCardHour, MaxCardHour),
		w.Cards.within("cards", 1, MaxCards),
		w.Seconds.within("seconds", 1e-6, MaxHours*3600),
		w.PerSecond.within("per_second", 1e-6, 1e9),
		w.Yield.share("yield", minShare),
	} {
		if err != nil {
			return err
		}
	}
	return nil
}
