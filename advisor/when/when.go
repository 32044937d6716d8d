// Package when reads a time that somebody typed, Chinese, English or both at once,
// and says which instant it is, how it comes back, or why it cannot tell.
//
//	明天下午6点释放 4090                   tomorrow 18:00, release, 4090
//	三天后到期，提前两小时喊我备份             in three days less two hours
//	every Monday 9am                    the next one, and a rule for the rest
//	2月30日上午十点                        invalid_date
//	到时候提醒我                           no_time
//
// A wrong reminder costs a week of checkpoints, a question costs a tap. So the
// package refuses what it cannot fix (lunar dates, "in a few days", "two hours
// after the training ends") and asks (Confirm, with the other readings in Alt)
// where two careful people could disagree: 明天六点, next Friday, 3/12, CST.
//
// # How it works
//
// Four steps, each in files of its own, always forward:
//
//	fold, lex   the text in one spelling, cut into words and numbers (words.go has all words)
//	piece       runs of words that say one thing: clock.go, calendar.go, length.go, zone.go
//	mention     pieces that together make one time, and which of several times is meant
//	resolve     the instant: dayof.go finds the day, repeat.go the rule, resolve.go the hour, past
//	            and too far; wall.go and rrule.go know what clocks do. act.go reads what to do then
//
// A last check, doubtLeftovers, asks whenever a word of time beside a time was
// not understood. testdata/*.txt shows some 600 texts with what they come to.
//
// # What is taken for granted
//
// A date without a time is 09:00; 早 is 08:00, noon 12:00, 晚 and tonight 20:00. A
// clock time that is over today means tomorrow, unless a day was named: then it
// is past. 下周五 and "next Friday" are in the next calendar week, which begins on
// Monday. "in 24 hours" and 三天后 count hours; "tomorrow 9am" and "in a month" go
// by the wall clock, so the two differ where the clocks change. A month's end
// clamps (one month after January 31 is February 28). A zone that is named beats
// the person's. One year ahead is the limit.
//
// # What it will not do
//
// It never sees a clock or a file: the caller gives now, the zone, and a way to
// load zones. It returns numbers and ids, no sentences. It accepts any string.
package when

import (
	"slices"
	"time"
)

// Zones loads a time zone by its IANA name. Loading reads files, so the caller
// gives it: time.LoadLocation does.
type Zones func(name string) (*time.Location, error)

// Code says why there is no instant.
type Code string

const (
	Past            Code = "past"             // the time named is over
	InvalidDate     Code = "invalid_date"     // no such day: February 30
	InvalidTime     Code = "invalid_time"     // no such time of day: 25:00
	InvalidDuration Code = "invalid_duration" // nothing or less: in -3 hours
	NoTime          Code = "no_time"          // no time, or none that could be fixed: "next year"
	TooFar          Code = "too_far"          // more than a year ahead
)

// Result is what was read.
type Result struct {
	At     time.Time      // UTC, never before now; zero when Err is set
	RRule  string         // RFC 5545 rule of a recurring time, "" otherwise; give it to Next with Zone
	Zone   *time.Location // the zone of the words: the one named, else the person's
	Lead   time.Duration  // "提前 1 小时": how long before the event; At is event less Lead. For a recurring time RRule gives the events
	Action string         // what the person wants to do then: release, stop, backup, save, download, renew, topup, start, or ""
	Target string         // the machine or card, as said, or ""
	Did    [2]int         // bytes of the words that are Action, both 0 without one
	Timed  bool           // a time of day was said with a clock
	Dated  bool           // the words say which day, or how long from now; without that At is the next such time of day

	Confirm bool        // ambiguous: ask before keeping
	Alt     []time.Time // other readings, UTC, soonest first. For a rule: first times at another hour, so that BYHOUR would change
	Err     Code
	Spans   [][2]int // bytes of text that were read as time, in order
}

// Parse reads the time in text. now and zone are the person's; a nil zone is UTC,
// nil zones know only fixed offsets. It is total and pure: every text has a
// Result, the same one every time.
func Parse(text string, now time.Time, zone *time.Location, zones Zones) Result {
	if zone == nil {
		zone = time.UTC
	}
	p := newParser(text, zone)
	said := p.assemble(p.pieces())
	r := resolver{p: p, now: now, zone: zone, zones: zones}
	out := r.choose(said)
	out.Action, out.Target, out.Did = p.actionAndTarget(out.Spans)
	return out
}

// choose resolves every mention and answers with the one that the person means:
// the nearest to the word "remind", else the first.
func (r *resolver) choose(said parsed) Result {
	r.settle(&said)
	answers := make([]answer, len(said.mentions))
	for i, m := range said.mentions {
		answers[i] = r.answer(m, said.leads)
	}
	best := r.best(said, answers)
	a := answer{zone: r.zone, err: NoTime, lead: leadAlone(said.leads)}
	if best >= 0 {
		a = answers[best]
	}
	out := Result{Zone: a.zone, Lead: a.lead, Err: a.err, Spans: r.p.spans(said)}
	if best >= 0 {
		m := said.mentions[best]
		out.Dated, out.Timed = m.hasDay() || m.hasDate(), m.clock != nil
	}
	if a.err != "" {
		return out
	}
	for i, other := range answers {
		if i == best || other.err == Past || other.err == NoTime && said.mentions[i].justToday() {
			continue
		}
		a.ask = a.ask || other.ask || other.err != "" || !other.at.Equal(a.at)
		if other.err == "" {
			a.alts = append(append(a.alts, other.at), other.alts...)
		}
	}
	out.At, out.RRule, out.Alt = a.at.UTC(), a.rule, r.others(a)
	out.Confirm = a.ask || len(said.mentions) == maxMentions
	return out
}

// best returns the index of the answer to give, -1 when there is none at all. A
// time goes before a reason why not.
func (r *resolver) best(said parsed, answers []answer) int {
	remind := r.p.remindAt()
	rank := func(i int) int {
		rank := i
		if remind >= 0 {
			rank += r.p.distance(said.mentions[i], remind) * maxMentions
		}
		if answers[i].err != "" {
			rank += 1 << 40
		}
		return rank
	}
	best := -1
	for i := range answers {
		if best < 0 || rank(i) < rank(best) {
			best = i
		}
	}
	return best
}

// maxAlts is how many choices a person can take in.
const maxAlts = 4

// others returns the readings beside a.at: to come, once each, soonest first.
func (r *resolver) others(a answer) []time.Time {
	var out []time.Time
	for _, t := range a.alts {
		if t.After(r.now) && !t.Equal(a.at) && !r.tooFar(t) {
			out = append(out, t.UTC())
		}
	}
	slices.SortFunc(out, time.Time.Compare)
	out = slices.CompactFunc(out, time.Time.Equal)
	return out[:min(len(out), maxAlts)]
}
