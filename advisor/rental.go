package advisor

import (
	"slices"
	"strconv"
	"strings"
	"time"
)

// rental.go is what we keep of a machine that somebody rents, and when we speak
// about it. Platforms' own timers have failed in silence, so ours never take one
// for granted: they go on until the person says that the machine is given back.

// Rental is a machine that somebody rents. It is kept apart from the dialogue,
// outlives it, and is comparable, so that one sees whether it has changed. All
// times are UTC.
type Rental struct {
	Schema   int    `json:"schema"`
	ID       string `json:"id"`
	Key      Key    `json:"key"`             // where it was told: its reminders go there
	Owner    string `json:"owner,omitempty"` // the person's name, for the others of a group
	Name     string `json:"name,omitempty"`
	Platform string `json:"platform,omitempty"` // id of a vendor; "" for one that we do not know
	Card     string `json:"card,omitempty"`     // id of the catalogue
	Cards    int    `json:"cards,omitempty"`    // how many
	Zone     string `json:"zone,omitempty"`

	Since   time.Time `json:"since"`            // it runs since then; when it was told, unless said
	Stopped time.Time `json:"stopped,omitzero"` // it stands still since then
	How     string    `json:"how"`              // what ends it: hour (the person), clock (the platform deletes it), runway (the balance)
	End     time.Time `json:"end"`              // when that is

	KeepHours float64 `json:"keep_hours,omitempty"` // how long the platform keeps it stopped, as the person said; below zero: not at all
	Price     float64 `json:"price,omitempty"`      // per hour, as the person said
	Currency  string  `json:"currency,omitempty"`
	Balance   float64 `json:"balance,omitempty"`
	Leads     string  `json:"leads,omitempty"` // minutes before the end, "1440,120,15"; "" the usual ones

	Done  string    `json:"done,omitempty"`  // the actions that are done, space between
	State string    `json:"state,omitempty"` // "" open, released, dropped
	Ended time.Time `json:"ended,omitzero"`  // when the person said so
}

// RentalSchema is the version of the stored form of a Rental.
const RentalSchema = 1

// actions are what is done before a machine goes back, in the order in which they
// are best done. Releasing itself comes after all of them.
var actions = []string{"save", "download", "open", "backup", "keep"}

// Actions are the ids of what is done before a machine goes back, in their order.
func Actions() []string { return slices.Clone(actions) }

// Has reports whether an action is done.
func (r Rental) Has(action string) bool { return slices.Contains(strings.Fields(r.Done), action) }

// With is the rental with an action done, or not done after all.
func (r Rental) With(action string, done bool) Rental {
	var list []string
	for _, a := range actions {
		if a != action && r.Has(a) || a == action && done {
			list = append(list, a)
		}
	}
	r.Done = strings.Join(list, " ")
	return r
}

// Left are the actions that are still to be done, in their order.
func (r Rental) Left() []string {
	var left []string
	for _, a := range actions {
		if !r.Has(a) {
			left = append(left, a)
		}
	}
	return left
}

// Open reports whether the machine is still to be given back.
func (r Rental) Open() bool { return r.State == "" }

// KeepRental is for how long a rental is kept after the last time that we would
// speak of it.
const KeepRental = 30 * 24 * time.Hour

// Until is when a rental is forgotten.
func (r Rental) Until() time.Time {
	last := r.End.Add(repeatFor)
	if r.Ended.After(last) {
		last = r.Ended
	}
	return last.Add(KeepRental)
}

const (
	// repeatFor is for how long after the end we ask again; then we say that we
	// stop.
	repeatFor = 24 * time.Hour
	// usualLeads are minutes before the end.
	usualLeads = "1440,120,15"
	// cautiousLeads are those of a platform that keeps nothing at all.
	cautiousLeads = "2880,1440,360,120,15"
)

// Plan is when we are to speak of a rental, as seen now: nothing of what is past,
// nothing of a rental that is over.
func (b *Rulebook) Plan(r Rental, now time.Time) []Reminder {
	if !r.Open() {
		return nil
	}
	var list []Reminder
	add := func(at time.Time, kind string) {
		at = at.Truncate(time.Second).UTC()
		if at.After(now) && !slices.ContainsFunc(list, func(o Reminder) bool { return minuteID(o.At) == minuteID(at) }) {
			list = append(list, Reminder{ID: r.reminderID(kind, at), Key: r.Key, At: at, Zone: r.Zone, Rental: r.ID, Kind: kind})
		}
	}
	if r.How == "clock" {
		whole := r.End.Sub(r.Stopped)
		add(r.Stopped.Add(whole/2), "clock")
		add(r.Stopped.Add(whole*4/5), "clock")
		for _, last := range []time.Duration{24 * time.Hour, 2 * time.Hour, 15 * time.Minute} {
			if last < whole && (last == 24*time.Hour || len(list) == 0) {
				add(r.End.Add(-last), "clock")
			}
		}
		for _, s := range b.retention(r.Platform).Scratch {
			add(r.Stopped.Add(time.Duration(s.Hours*float64(time.Hour))/2), "scratch")
		}
	} else {
		add(r.End, "hour") // first: of two in one minute this is the one that repeats
		for lead := range strings.SplitSeq(r.leads(), ",") {
			minutes, _ := strconv.Atoi(lead)
			add(r.End.Add(-time.Duration(minutes)*time.Minute), "lead")
		}
	}
	slices.SortFunc(list, func(a, b Reminder) int { return a.At.Compare(b.At) })
	return list
}

// Plan is Rulebook.Plan.
func (a *Advisor) Plan(r Rental, now time.Time) []Reminder { return a.book.Plan(r, now) }

// reminderID names a reminder of a rental by what it is for and when it is due.
func (r Rental) reminderID(kind string, at time.Time) string {
	return r.ID + "." + kind[:1] + minuteID(at)
}

func (r Rental) leads() string {
	switch {
	case r.Leads != "":
		return r.Leads
	case r.KeepHours < 0:
		return cautiousLeads
	}
	return usualLeads
}

// Repeat is when to speak again of a rental whose hour has come: after 60
// minutes, after 30 more, then every 15, until it is given back, put off or
// given up; zero when we are not to. Until then a day is the limit.
func (r Rental) Repeat(said Reminder, now time.Time) time.Time {
	if !r.Open() || said.Kind != "hour" || !now.Before(r.End.Add(repeatFor)) {
		return time.Time{}
	}
	next := said.At
	for !next.After(now) {
		switch behind := next.Sub(r.End); {
		case behind < time.Hour:
			next = next.Add(time.Hour)
		case behind < 90*time.Minute:
			next = next.Add(30 * time.Minute)
		default:
			next = next.Add(15 * time.Minute)
		}
	}
	return next
}

// lastRepeat reports whether a repeat is the last one.
func (r Rental) lastRepeat(said Reminder, now time.Time) bool {
	return said.Kind == "hour" && now.Sub(r.End) > repeatFor-15*time.Minute
}

// Retention is what a platform does with the data of a machine that is stopped
// or given back. A rule is somebody's word at a date, never a promise.
type Retention struct {
	ID         string    `yaml:"id" rule:"id"`                                  // of the vendor
	StopDays   float64   `yaml:"stop_days,omitempty"`                           // stopped for so many days in a row, it is deleted; 0: no such rule is known
	Scratch    []Scratch `yaml:"scratch,omitempty"`                             // folders that go earlier
	Balance    bool      `yaml:"balance,omitempty"`                             // an empty balance deletes
	Mark       string    `yaml:"mark" rule:"enum=official|repeated|unverified"` // official documents; others' word for it; nobody's
	AsOf       string    `yaml:"as_of"`                                         // when the source said so: 2026-08-20 or 2026-06
	Rule       Text      `yaml:"rule"`                                          // what stopping and releasing do
	Survives   Text      `yaml:"survives"`                                      // what outlives a release
	Unverified Text      `yaml:"unverified,omitempty"`                          // what we could not find out
	From       Text      `yaml:"from"`                                          // the source, as it is shown
	Provenance `yaml:",inline"`
}

// Scratch is a folder that is emptied so many hours after a stop.
type Scratch struct {
	Path  string  `yaml:"path"`
	Hours float64 `yaml:"hours"`
}

// unknownStopDays is what we count with where no rule is known.
const unknownStopDays = 3

// retention is the rule of a platform; the zero Retention when none is known.
func (b *Rulebook) retention(platform string) Retention {
	for _, r := range b.Retentions {
		if r.ID == platform && platform != "" {
			return r
		}
	}
	return Retention{}
}

// platformName is how a platform is called: its first name, in English the first one
// that is not in Chinese.
func (b *Rulebook) platformName(id, lang string) string {
	for i := range b.Vendors {
		if b.Vendors[i].ID != id || id == "" {
			continue
		}
		for _, name := range b.Vendors[i].Names {
			if lang == "zh" || !isHan(name) {
				return name
			}
		}
		return b.Vendors[i].Names[0]
	}
	return ""
}

// keepFor is how long a stopped machine is kept, and whether that is known.
func (b *Rulebook) keepFor(r Rental) (d time.Duration, known bool) {
	switch rule := b.retention(r.Platform); {
	case r.KeepHours > 0:
		return duration(r.KeepHours), true
	case rule.StopDays > 0:
		return duration(24 * rule.StopDays), true
	}
	return duration(24 * unknownStopDays), false
}
