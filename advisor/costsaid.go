package advisor

import (
	"slices"

	"gpuadvisor/advisor/cost"
)

// CostSaid is what only the money questions need to know, beside the facts: the
// person's own prices, and everything that an hourly price hides. What was not
// said stays unknown, is left out of the sum, and is listed as left out.
type CostSaid struct {
	Hour    Fact[Quote] `json:"hour,omitzero"`  // own price, undisturbed, per hour
	Day     Fact[Quote] `json:"day,omitzero"`   // per calendar day
	Week    Fact[Quote] `json:"week,omitzero"`  // per calendar week
	Month   Fact[Quote] `json:"month,omitzero"` // per month
	Year    Fact[Quote] `json:"year,omitzero"`  // per year
	Spot    Fact[Quote] `json:"spot,omitzero"`  // interruptible, per hour
	SpotOff Fact[Range] `json:"spot_off,omitzero"`
	Machine Fact[bool]  `json:"machine,omitzero"` // the prices are for all cards together

	Cards    Fact[float64] `json:"cards,omitzero"` // when no card is named: 4×2.0/h
	Run      Fact[Range]   `json:"run,omitzero"`   // hours of one attempt
	Setup    Fact[Range]   `json:"setup,omitzero"` // hours with the cards on
	Download Fact[Range]   `json:"download,omitzero"`
	Debug    Fact[Range]   `json:"debug,omitzero"`
	Idle     Fact[Range]   `json:"idle,omitzero"`   // hours on and doing nothing
	People   Fact[Range]   `json:"people,omitzero"` // hours of those who wait
	Wage     Fact[Quote]   `json:"wage,omitzero"`   // per hour

	DiskGB      Fact[Range] `json:"disk_gb,omitzero"`
	DiskRate    Fact[Quote] `json:"disk_rate,omitzero"` // per GB and month
	StoppedDays Fact[Range] `json:"stopped_days,omitzero"`
	TrafficGB   Fact[Range] `json:"traffic_gb,omitzero"`
	TrafficRate Fact[Quote] `json:"traffic_rate,omitzero"` // per GB
	Image       Fact[Quote] `json:"image,omitzero"`        // once

	Reruns    Fact[Range] `json:"reruns,omitzero"`    // share of runs that come on top
	Success   Fact[Range] `json:"success,omitzero"`   // chance of an attempt, 0 to 1
	Kept      Fact[Range] `json:"kept,omitzero"`      // share of a failed attempt that checkpoints save
	Delivered Fact[Range] `json:"delivered,omitzero"` // share of its kind's speed
	Yield     Fact[Range] `json:"yield,omitzero"`     // share of the pieces that count
	Discount  Fact[Range] `json:"discount,omitzero"`  // off the monthly price

	Unit      Fact[string]  `json:"unit,omitzero"` // a cost.Unit
	Seconds   Fact[Range]   `json:"seconds,omitzero"`
	PerSecond Fact[Range]   `json:"per_second,omitzero"`
	Pieces    Fact[float64] `json:"pieces,omitzero"` // how many are wanted

	Write   Fact[Range] `json:"write,omitzero"`   // hours to write a checkpoint
	Between Fact[Range] `json:"between,omitzero"` // hours between interruptions
	Restart Fact[Range] `json:"restart,omitzero"` // hours until the work goes on
	Notice  Fact[Range] `json:"notice,omitzero"`  // hours of warning

	UploadGB   Fact[Range] `json:"upload_gb,omitzero"`
	UploadMbps Fact[Range] `json:"upload_mbps,omitzero"`
	Balance    Fact[Quote] `json:"balance,omitzero"`
	Once       Fact[Quote] `json:"once,omitzero"`  // paid once: moving, rebuilding
	Speed      Fact[Range] `json:"speed,omitzero"` // work per hour against the others

	Offers []SaidOffer `json:"offers,omitempty"` // to be put side by side
	View   []string    `json:"view,omitempty"`   // what is asked for beside the sum: monthly spot parts …
}

// SaidOffer is one offer of a comparison, as it was described.
type SaidOffer struct {
	Name   string    `json:"name"`             // A, B, 甲, the way of renting, or the card
	Letter string    `json:"letter,omitempty"` // A, B, 甲: when it is called so
	Way    string    `json:"way,omitempty"`    // hour day week month spot bare_metal cluster
	Card   string    `json:"card,omitempty"`   // id, when it names one
	Cards  int       `json:"cards,omitempty"`
	Said   *CostSaid `json:"said"`
}

// Quote is a price that the person gave, perhaps as a range.
type Quote struct {
	Lo       float64       `json:"lo"`
	Hi       float64       `json:"hi"`
	Currency cost.Currency `json:"currency"`
}

// asks reports whether something was asked for beside the sum.
func (c *CostSaid) asks(view string) bool {
	return slices.Contains(c.View, view)
}

// with takes over what was said now; the last statement wins. What was asked
// for belongs to its message alone. The receiver, which may be part of a stored
// conversation, stays as it is.
func (c *CostSaid) with(now *CostSaid) CostSaid {
	both := *c
	for i := range costSlots {
		costSlots[i].take(&both, now)
	}
	both.View = now.View
	both.Offers = slices.Clone(c.Offers)
	if len(now.Offers) > 1 && !slices.ContainsFunc(now.Offers, func(o SaidOffer) bool { return knownOffer(c.Offers, o.Name) }) {
		both.Offers = nil // another comparison
	}
	for _, o := range now.Offers {
		both.addOffer(o)
	}
	return both
}

// addOffer adds an offer, or what is new of one that is known.
func (c *CostSaid) addOffer(now SaidOffer) {
	for i := range c.Offers {
		old := &c.Offers[i]
		if old.Name != now.Name {
			continue
		}
		both := old.Said.with(now.Said)
		old.Said = &both
		if now.Card != "" {
			old.Card = now.Card
		}
		if now.Cards > 0 {
			old.Cards = now.Cards
		}
		return
	}
	c.Offers = append(c.Offers, now)
}

// known counts what was said.
func (c *CostSaid) known() int {
	n := 0
	for i := range costSlots {
		if costSlots[i].known(c) {
			n++
		}
	}
	return n
}

// costSlot is untyped access to one thing said.
type costSlot struct {
	name  string // of the cue that it is read with, or of the field
	known func(*CostSaid) bool
	take  func(dst, src *CostSaid)
}

func costOf[T any](name string, field func(*CostSaid) *Fact[T]) costSlot {
	return costSlot{
		name:  name,
		known: func(c *CostSaid) bool { return field(c).Known() },
		take: func(dst, src *CostSaid) {
			if f := field(src); f.Known() {
				*field(dst) = *f
			}
		},
	}
}

// costSlots lists everything that can be said.
var costSlots = []costSlot{
	costOf("hour", func(c *CostSaid) *Fact[Quote] { return &c.Hour }),
	costOf("day", func(c *CostSaid) *Fact[Quote] { return &c.Day }),
	costOf("week", func(c *CostSaid) *Fact[Quote] { return &c.Week }),
	costOf("month", func(c *CostSaid) *Fact[Quote] { return &c.Month }),
	costOf("year", func(c *CostSaid) *Fact[Quote] { return &c.Year }),
	costOf("spot", func(c *CostSaid) *Fact[Quote] { return &c.Spot }),
	costOf("spot_off", func(c *CostSaid) *Fact[Range] { return &c.SpotOff }),
	costOf("machine", func(c *CostSaid) *Fact[bool] { return &c.Machine }),
	costOf("cards", func(c *CostSaid) *Fact[float64] { return &c.Cards }),
	costOf("run", func(c *CostSaid) *Fact[Range] { return &c.Run }),
	costOf("setup", func(c *CostSaid) *Fact[Range] { return &c.Setup }),
	costOf("download", func(c *CostSaid) *Fact[Range] { return &c.Download }),
	costOf("debug", func(c *CostSaid) *Fact[Range] { return &c.Debug }),
	costOf("idle", func(c *CostSaid) *Fact[Range] { return &c.Idle }),
	costOf("people", func(c *CostSaid) *Fact[Range] { return &c.People }),
	costOf("wage", func(c *CostSaid) *Fact[Quote] { return &c.Wage }),
	costOf("disk_gb", func(c *CostSaid) *Fact[Range] { return &c.DiskGB }),
	costOf("disk_rate", func(c *CostSaid) *Fact[Quote] { return &c.DiskRate }),
	costOf("stopped", func(c *CostSaid) *Fact[Range] { return &c.StoppedDays }),
	costOf("traffic_gb", func(c *CostSaid) *Fact[Range] { return &c.TrafficGB }),
	costOf("traffic_rate", func(c *CostSaid) *Fact[Quote] { return &c.TrafficRate }),
	costOf("image", func(c *CostSaid) *Fact[Quote] { return &c.Image }),
	costOf("reruns", func(c *CostSaid) *Fact[Range] { return &c.Reruns }),
	costOf("success", func(c *CostSaid) *Fact[Range] { return &c.Success }),
	costOf("kept", func(c *CostSaid) *Fact[Range] { return &c.Kept }),
	costOf("delivered", func(c *CostSaid) *Fact[Range] { return &c.Delivered }),
	costOf("yield", func(c *CostSaid) *Fact[Range] { return &c.Yield }),
	costOf("discount", func(c *CostSaid) *Fact[Range] { return &c.Discount }),
	costOf("unit", func(c *CostSaid) *Fact[string] { return &c.Unit }),
	costOf("seconds", func(c *CostSaid) *Fact[Range] { return &c.Seconds }),
	costOf("per_second", func(c *CostSaid) *Fact[Range] { return &c.PerSecond }),
	costOf("pieces", func(c *CostSaid) *Fact[float64] { return &c.Pieces }),
	costOf("write", func(c *CostSaid) *Fact[Range] { return &c.Write }),
	costOf("between", func(c *CostSaid) *Fact[Range] { return &c.Between }),
	costOf("restart", func(c *CostSaid) *Fact[Range] { return &c.Restart }),
	costOf("notice", func(c *CostSaid) *Fact[Range] { return &c.Notice }),
	costOf("upload_gb", func(c *CostSaid) *Fact[Range] { return &c.UploadGB }),
	costOf("upload_mbps", func(c *CostSaid) *Fact[Range] { return &c.UploadMbps }),
	costOf("balance", func(c *CostSaid) *Fact[Quote] { return &c.Balance }),
	costOf("once", func(c *CostSaid) *Fact[Quote] { return &c.Once }),
	costOf("speed", func(c *CostSaid) *Fact[Range] { return &c.Speed }),
}
