package main

import (
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"gpuadvisor/adapters"
	"gpuadvisor/advisor"
)

// remindCommand makes, lists and changes reminders in a file. They are said by
// "chat --store FILE" and by a bot that has the file.
type remindCommand struct {
	kept      `embed:""`
	answering `embed:""`
}

func (c *remindCommand) Run(h *house) error {
	c.orElse("list")
	if c.Batch == "" && len(c.Text) == 1 && c.Text[0] == "dead" {
		return h.deadLetters(c.kept, c.answering)
	}
	return h.personal("remind", c.kept, c.answering, h.remindersNow)
}

// remindAnswer is the JSON of remind: what was said, and what waits now.
type remindAnswer struct {
	ID        json.RawMessage `json:"id,omitempty"`
	Reminders []reminderJSON  `json:"reminders"` // the soonest first
	Reply     string          `json:"reply"`
}

type reminderJSON struct {
	N      int       `json:"n"` // its number in the list
	ID     string    `json:"id"`
	UTC    time.Time `json:"utc"`
	Zone   string    `json:"zone"`
	RRule  string    `json:"rrule,omitempty"`
	Action string    `json:"action,omitempty"`
	Target string    `json:"target,omitempty"`
	Rental string    `json:"rental,omitempty"` // id of the rental that it is about
	Kind   string    `json:"kind,omitempty"`   // of a rental's: lead, hour, clock
}

func (h *house) remindersNow(in input, d *desk, m advisor.Message, reply string) (answer, error) {
	list, err := d.reminders.List(h.ctx, adapters.Person(m.Key))
	if err != nil {
		return answer{}, err
	}
	out := remindAnswer{ID: in.batchID(), Reminders: []reminderJSON{}, Reply: reply}
	for i, r := range list {
		out.Reminders = append(out.Reminders, asJSON(i+1, r))
	}
	return answer{out, reply}, nil
}

func asJSON(n int, r advisor.Reminder) reminderJSON {
	return reminderJSON{n, r.ID, r.At.UTC(), r.Zone, r.RRule, r.Action, r.Target, r.Rental, r.Kind}
}

// deadJSON is a reminder that could not be delivered.
type deadJSON struct {
	reminderJSON
	Chat     string    `json:"chat"` // telegram, discord, terminal
	Attempts int       `json:"attempts"`
	Reason   string    `json:"reason"` // gone, undeliverable …
	At       time.Time `json:"at"`     // when it was given up
}

// mostDead is how many dead letters are shown.
const mostDead = 1000

// deadLetters lists what could not be delivered in the store of the settings, or
// in a file, also beside a bot that has it open. Whose they were and what they said
// stays out.
func (h *house) deadLetters(k kept, how answering) error {
	var dead []adapters.DeadLetter
	err := h.readBeside(k.Store, func(s adapters.Store) (err error) {
		dead, err = s.Reminders().Dead(h.ctx, mostDead)
		return err
	})
	if err != nil {
		return err
	}
	out, lines := []deadJSON{}, []string{}
	for i, l := range dead {
		chat, _, _ := strings.Cut(string(l.Reminder.Key), ":")
		r := reminderJSON{N: i + 1, ID: l.Reminder.ID, UTC: l.Reminder.At.UTC(), Zone: l.Reminder.Zone, Kind: l.Reminder.Kind}
		out = append(out, deadJSON{r, chat, l.Attempts, l.Reason, l.At.UTC()})
		lines = append(lines, fmt.Sprintf(h.say("dead-letter"), l.At.UTC().Format(time.RFC3339), chat, l.Reminder.At.UTC().Format(time.RFC3339), l.Reason, l.Attempts))
	}
	if !how.JSON {
		if len(lines) == 0 {
			lines = []string{h.say("no-dead-letter")}
		}
		_, err := fmt.Fprintln(h.out, strings.Join(lines, "\n"))
		return err
	}
	line, err := encode(out)
	if err == nil {
		_, err = h.out.Write(line)
	}
	return err
}
