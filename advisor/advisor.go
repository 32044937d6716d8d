package advisor

import (
	"time"

	"gpuadvisor/advisor/cost"
	"gpuadvisor/advisor/when"
)

// Advisor answers messages out of a rulebook. It is safe for concurrent use:
// the rulebook is never changed.
type Advisor struct {
	book  *Rulebook
	zones when.Zones
	rate  *cost.Rate
}

// New makes an advisor of a linked rulebook. It knows no time zone but UTC+8
// until WithZones gives it more.
func New(book *Rulebook) *Advisor { return &Advisor{book: book, zones: onlyUTC} }

// WithZones returns an advisor that finds time zones with the given function.
// Loading zones reads files, so whoever has them hands it in:
// time.LoadLocation.
func (a *Advisor) WithZones(zones when.Zones) *Advisor { return &Advisor{a.book, zones, a.rate} }

// WithRate returns an advisor that turns dollars into yuan and back at a dated
// rate, which it names; without one they stay side by side.
func (a *Advisor) WithRate(rate cost.Rate) *Advisor { return &Advisor{a.book, a.zones, &rate} }

func onlyUTC(name string) (*time.Location, error) {
	if name == "Asia/Shanghai" {
		return china, nil
	}
	return time.UTC, nil
}

// china is the zone of whoever told us none.
var china = time.FixedZone("Asia/Shanghai", 8*3600)

// Book returns the rulebook, for reading only.
func (a *Advisor) Book() *Rulebook { return a.book }

// Read tells what a text says, out of any conversation.
func (a *Advisor) Read(text string) Reading { return a.book.Read(text, Asked{Facts: &Facts{}}) }

// Advice is the advice for a conversation as it stands, or nil when nothing can
// be said yet. Assumptions are worded in the conversation's language.
func (a *Advisor) Advice(k Known) *Advice {
	c, t := k.Conversation, a.turnOf(k)
	d := t.book.decide(c.Facts, c.Settled, c.At)
	if d == nil {
		d = t.book.withoutTask(c)
	}
	if d == nil {
		return nil
	}
	d.Assumptions = t.assumptions(d, len(d.assumed))
	return d.public()
}

// Missing lists at most three slots that are still worth asking, most useful
// first.
func (a *Advisor) Missing(c Conversation) []string {
	d := a.book.decide(c.Facts, c.Settled, c.At)
	return firstOf(a.book.missing(c.Facts, c.Settled, d), 3)
}

// Cost is what the conversation's job costs: on the card that was named when
// the question was about money, else on the one that would be advised.
func (a *Advisor) Cost(c Conversation) *Cost {
	if c.Intent == "cost" {
		if s := a.CostSheet(Known{Conversation: c}); s.Card != "" || len(s.Rents) > 0 {
			return s.short()
		}
	}
	d := a.turnOf(Known{Conversation: c}).book.decide(c.Facts, c.Settled, c.At)
	if d == nil {
		return nil
	}
	return &d.Cost
}

// CostSheet is the money question of a conversation, worked out.
func (a *Advisor) CostSheet(k Known) *CostSheet {
	return a.turnOf(k).sheet()
}

// turnOf looks at a conversation as it stands.
func (a *Advisor) turnOf(k Known) *turn {
	t := &turn{book: a.book, rate: a.rate, known: k, c: k.Conversation, lang: k.Conversation.Lang, m: Message{At: k.Conversation.At}}
	t.book = a.book.withSet(t.currency(), k.AllPrices, k.Prices)
	return t
}
