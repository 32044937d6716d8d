package when

import (
	"slices"
	"time"
)

// A piece is a run of tokens that says one thing about a time: a day, a part of
// the day, a clock, a length, a rhythm, a zone.
type piece struct {
	lo, hi int // tokens
	kind   kind
	weak   bool // a bare number or length: counts only where nothing better is said
	ask    bool
	err    Code

	off      int            // days from today
	part     int            // index in parts
	weekdays []time.Weekday // in the order said
	shift    int            // weeks, months or years from now
	shifted  bool           // the shift was said
	loose    bool           // the shift may mean another week to some people
	swapped  bool           // the date's day and month may have changed places
	date     date
	edge     int // clMonthEdge
	nth      int // first … last weekday of a month
	clock    clock
	amount   amount
	every    rhythm
	zone     zoneSaid
}

type kind uint8

const (
	noKind   kind = iota
	kDay          // off, part
	kDate         // date, zero fields not said
	kWeekday      // weekdays, shift, nth
	kWeek         // shift
	kMonth        // shift
	kYear         // shift
	kEdge         // edge of a month
	kWeekend      // shift
	kPart         // part
	kClock        // clock
	kRel          // amount from now
	kAgo          // amount before now
	kLead         // amount before the event
	kShift        // amount after the event
	kEither       // amount before the event, or ago when no event is said
	kBare         // amount, from now perhaps
	kRepeat       // every
	kZone         // zone
	kVague        // a time that nobody could fix
)

// date holds what was said of a date; zero is not said.
type date struct {
	y int
	m time.Month
	d int
}

type freq uint8

const (
	once freq = iota
	minutely
	hourly
	daily
	weekly
	monthly
	yearly
	unknownFreq
)

// rhythm is how often something comes back.
type rhythm struct {
	freq     freq
	interval int
}

// order is the order in which a place writes day and month.
type order uint8

const (
	eitherFirst order = iota
	monthsFirst
	dayFirst
)

// orderIn goes by the area of an IANA zone; Americans write the month first.
// https://en.wikipedia.org/wiki/List_of_date_formats_by_country
func orderIn(zone *time.Location) order {
	if slices.Contains(monthFirstZones, zone.String()) {
		return monthsFirst
	}
	switch region(zone) {
	case "America", "US":
		return monthsFirst
	case "Europe", "Australia", "Africa":
		return dayFirst
	}
	return eitherFirst
}

// parser walks the tokens. Every rule takes a position and returns a piece that
// begins there; the rules stand in the order in which they are tried.
type parser struct {
	text  string
	f     folded
	toks  []token
	han   bool  // the text has Chinese in it
	order order // what 3/12 means where the person lives
	iso   bool  // an ISO date with its T has been read
	event bool  // "after …", "when … ends": the time may hang on something that we do not know
	apart bool  // "a day and two hours" is two lengths
	more  bool  // a length stands somewhere that no time took up
	last  piece // the piece before
	none  token // what lies beyond the ends
}

func newParser(text string, zone *time.Location) *parser {
	p := &parser{text: text, f: fold(text), order: orderIn(zone)}
	p.toks = lex(p.f, text)
	for _, c := range p.f.r {
		p.han = p.han || isHan(c)
	}
	return p
}

func (p *parser) tok(i int) *token {
	if i < 0 || i >= len(p.toks) {
		return &p.none
	}
	return &p.toks[i]
}

func (p *parser) is(i int, c class) bool { return p.tok(i).is(c) }

// first is the first character of a token, 0 beyond the ends.
func (p *parser) first(i int) rune {
	if i < 0 || i >= len(p.toks) {
		return 0
	}
	return p.f.r[p.toks[i].lo]
}

// pieces reads the whole text. What no rule knows is stepped over.
func (p *parser) pieces() []piece {
	rules := []func(*parser, int) (piece, bool){
		refused, repeated, isoDate, numericDate, hanDate, length, namedDate, clockAt, monthEdge,
		domDate, weekdayDate, calendarShift, dayWordAt, partAt, zoneAt, bareClock,
	}
	var out []piece
	for i := 0; i < len(p.toks); {
		next := i + 1
		for _, rule := range rules {
			if found, ok := rule(p, i); ok {
				found = p.deadline(found)
				out = append(out, found)
				p.last, next = found, found.hi
				break
			}
		}
		i = next
	}
	p.doubtLeftovers(out)
	return out
}

// timely are the classes of words that change a time when they touch it.
var timely = []class{
	clUnit, clShift, clLater, clWithin, clAgo, clBefore, clEarly, clLead, clHalf, clQuarter, clMonth, clYear, clDom, clNth, clMore, clFew,
	clPart, clMeridiem, clEvery, clEveryGap, clNeg, clHour, clMonthName, clWeekday, clMonthEdge, clEndOf,
}

// doubtLeftovers is the safety net: a word or number of time that no rule could
// place, right beside a time that was read, makes that time doubtful.
func (p *parser) doubtLeftovers(out []piece) {
	const placed, hanging = 1, 2
	state := make([]uint8, len(p.toks))
	for _, f := range out {
		for i := f.lo; i < f.hi; i++ {
			state[i] = placed
			if f.kind == kBare {
				state[i] = hanging
			}
		}
	}
	for i := range p.toks {
		t := &p.toks[i]
		p.event = p.event || state[i] == 0 && (t.is(clLater) || t.is(clAfter) || t.is(clBefore) || t.is(clEnds))
		p.more = p.more || state[i] == hanging
	}
	loose := func(i int, behind bool) bool {
		t := p.tok(i)
		if i < 0 || i >= len(p.toks) || state[i] == placed {
			return false
		}
		if state[i] == hanging {
			return true
		}
		if t.isNum {
			return t.num.width == 0 || behind && t.num.v < 60 && p.ends(i+1)
		}
		return slices.ContainsFunc(timely, t.is)
	}
	for i := range out {
		f := &out[i]
		if f.kind == kBare || f.kind == kVague {
			continue
		}
		after := f.hi
		for p.is(after, clLink) || p.is(after, clAt) {
			after++
		}
		before := f.lo - 1
		for p.is(before, clAt) || p.is(before, clFill) {
			before--
		}
		if p.tok(before).is(clBefore) && isLetter(p.first(before)) {
			continue // "before 6pm" has been asked about, or belongs to a lead
		}
		f.ask = f.ask || loose(after, true) || loose(before, false)
	}
}

// deadline asks about "before 6pm" and 周五之前: the hour itself may be too late.
func (p *parser) deadline(f piece) piece {
	if f.kind == kDate && f.lo < f.hi && p.tok(f.hi-1).ch == 't' {
		p.iso = true
	}
	switch f.kind {
	case kDay, kDate, kWeekday, kClock, kPart, kEdge:
	default:
		return f
	}
	if (p.is(f.lo-1, clBefore) || p.is(f.lo-1, clAfter)) && p.last.hi < f.lo && isLetter(p.first(f.lo-1)) {
		f.ask = true
	}
	if t := p.tok(f.hi); (t.is(clBefore) || t.is(clLater)) && isHan(p.first(f.hi)) {
		if _, _, ok := p.amount(f.hi + 1); !ok {
			f.ask = true
			f.hi++
		}
	}
	return f
}

// spans returns the bytes of everything that was read as time. Pieces with
// nothing but fillers between them make one span.
func (p *parser) spans(said parsed) [][2]int {
	var runs [][2]int
	used := slices.Clone(said.leads)
	for _, m := range said.mentions {
		used = append(used, m.pieces()...)
	}
	for _, f := range used {
		runs = append(runs, [2]int{f.lo, f.hi})
	}
	slices.SortFunc(runs, func(a, b [2]int) int { return a[0] - b[0] })
	runs = slices.Compact(runs) // a day that two times share
	var out [][2]int
	end := -1
	for _, run := range runs {
		if end >= 0 && p.onlyFillers(end, run[0]) {
			out[len(out)-1][1] = p.f.at[p.toks[run[1]-1].hi]
		} else {
			out = append(out, [2]int{p.f.at[p.toks[run[0]].lo], p.f.at[p.toks[run[1]-1].hi]})
		}
		end = run[1]
	}
	return out
}

func (p *parser) onlyFillers(i, j int) bool {
	for ; i < j; i++ {
		if t := p.tok(i); !t.is(clFill) && !t.is(clAt) && !t.is(clLink) && t.ch != ',' {
			return false
		}
	}
	return true
}
