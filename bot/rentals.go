package main

import (
	"encoding/json"
	"time"

	"gpuadvisor/adapters"
	"gpuadvisor/advisor"
)

// releaseCommand notes a rented machine in a file and leads to its release:
// "release 4090 AutoDL tomorrow 18:00", "release tick #ID save", "release go".
type releaseCommand struct {
	kept      `embed:""`
	answering `embed:""`
}

func (c *releaseCommand) Run(h *house) error {
	c.orElse("")
	return h.personal("release", c.kept, c.answering, h.rentalsNow)
}

// rentalsCommand lists the machines that are noted in a file.
type rentalsCommand struct {
	kept      `embed:""`
	answering `embed:""`
}

func (c *rentalsCommand) Run(h *house) error {
	c.orElse("")
	return h.personal("rentals", c.kept, c.answering, h.rentalsNow)
}

// rentalsAnswer is the JSON of release and rentals: what was said, and what is
// noted now.
type rentalsAnswer struct {
	ID      json.RawMessage `json:"id,omitempty"`
	Rentals []rentalJSON    `json:"rentals"` // the soonest end first, for 30 days also those that are over
	Reply   string          `json:"reply"`
}

type rentalJSON struct {
	ID        string         `json:"id"`
	Name      string         `json:"name"`
	Platform  *string        `json:"platform"` // null: not said, or not known
	Card      *string        `json:"card"`
	Cards     int            `json:"cards"`
	Since     time.Time      `json:"since"`
	Stopped   *time.Time     `json:"stopped"`
	How       string         `json:"how"` // hour, clock, runway
	End       time.Time      `json:"end"`
	Done      []string       `json:"done"` // of save download open backup keep
	Left      []string       `json:"left"`
	State     string         `json:"state"` // open, released, dropped
	Ended     *time.Time     `json:"ended"`
	Cost      *rentJSON      `json:"cost"` // null: no price is known
	Reminders []reminderJSON `json:"reminders"`
}

// rentJSON is the rent so far.
type rentJSON struct {
	Low      float64 `json:"low"`
	Likely   float64 `json:"likely"`
	High     float64 `json:"high"`
	Currency string  `json:"currency"`
	AsOf     *string `json:"as_of"` // day of the prices; null: the person's own price
}

func (h *house) rentalsNow(in input, d *desk, m advisor.Message, reply string) (answer, error) {
	_, a, err := h.book()
	if err != nil {
		return answer{}, err
	}
	list, err := d.profiles.rentalsOf(h.ctx, adapters.Person(m.Key))
	if err != nil {
		return answer{}, err
	}
	waiting, err := d.reminders.List(h.ctx, adapters.Person(m.Key))
	if err != nil {
		return answer{}, err
	}
	out := rentalsAnswer{ID: in.batchID(), Rentals: []rentalJSON{}, Reply: reply}
	for _, r := range list {
		one := rentalJSON{
			ID: r.ID, Name: r.Name, Platform: orNull(r.Platform), Card: orNull(r.Card), Cards: max(1, r.Cards), Since: r.Since, Stopped: timeOrNull(r.Stopped),
			How: r.How, End: r.End, Done: done(r), Left: orEmpty(r.Left()), State: r.State, Ended: timeOrNull(r.Ended), Reminders: []reminderJSON{},
		}
		if r.Open() {
			one.State = "open"
		}
		if rent, asOf, ok := a.RentSoFar(r, m.At); ok {
			one.Cost = &rentJSON{rent.Low.Float(), rent.Likely.Float(), rent.High.Float(), string(rent.Currency), orNull(asOf)}
		}
		for i, w := range waiting {
			if w.Rental == r.ID {
				one.Reminders = append(one.Reminders, asJSON(i+1, w))
			}
		}
		out.Rentals = append(out.Rentals, one)
	}
	return answer{out, reply}, nil
}

func done(r advisor.Rental) []string {
	out := []string{}
	for _, a := range advisor.Actions() {
		if r.Has(a) {
			out = append(out, a)
		}
	}
	return out
}

func timeOrNull(t time.Time) *time.Time {
	if t.IsZero() {
		return nil
	}
	return &t
}
