package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"gpuadvisor/adapters"
	"gpuadvisor/advisor"
)

// waiting.go is what the desk does about reminders that wait, and what is kept of
// those that were said: a copy as a record of the person, for some time, so that
// "snooze" still knows what it was about. The reminder itself is gone by then.

// rungRecord begins the names of those records.
const rungRecord = "said:"

// keepRung is how long after it came due a reminder can still be put off.
const keepRung = 7 * 24 * time.Hour

// wantsLook reports whether the advisor asks for what it has not before it.
func wantsLook(effects []advisor.Effect) bool {
	return len(effects) == 1 && effects[0].Kind == "look"
}

// look fetches reminders and what belongs to them, and tells how many records
// it had to pass over. Where there is no store they are none.
func (d *desk) look(ctx context.Context, m advisor.Message, k *advisor.Known) (passed int, err error) {
	k.Looked = true
	if d.reminders == nil {
		return 0, nil
	}
	var mine, ours []error
	if !m.Actor.Anonymous {
		if k.Reminders, err = d.reminders.List(ctx, adapters.Person(m.Key)); err != nil {
			return 0, fmt.Errorf("list reminders: %w", err)
		}
		if d.profiles != nil {
			all, err := d.profiles.settings.List(ctx, adapters.Person(m.Key))
			if err != nil && !unreadable(err) {
				return 0, fmt.Errorf("list rentals and what came due: %w", err)
			}
			k.Rentals, mine = rentalsAmong(all)
			if err != nil {
				mine = append(mine, err)
			}
			k.Rung = rungAmong(all, m.At)
		}
	}
	if k.Group {
		if k.RoomReminders, err = d.reminders.List(ctx, adapters.Room(m.Key)); err != nil {
			return 0, fmt.Errorf("list reminders of a room: %w", err)
		}
		if d.profiles != nil {
			if k.RoomRentals, ours, err = d.profiles.rentalsIn(ctx, adapters.Room(m.Key)); err != nil {
				return 0, err
			}
		}
	}
	d.passedOver(ctx, adapters.Person(m.Key), mine)
	d.passedOver(ctx, adapters.Room(m.Key), ours)
	return max(len(mine), len(ours)), nil // what is mine may be in the room as well
}

// passedOver logs what is wrong with records, once for each.
func (d *desk) passedOver(ctx context.Context, of adapters.Owner, unread []error) {
	for _, err := range unread {
		if _, before := d.profiles.passed.LoadOrStore(string(of)+" "+err.Error(), true); !before {
			d.log.ErrorContext(ctx, "pass over a record", "of", string(of), "err", err)
		}
	}
}

// rungAmong are the one-off reminders among the records of a person that have
// come due and can still be put off.
func rungAmong(all map[string]adapters.Record, now time.Time) (list []advisor.Reminder) {
	for name, r := range all {
		var one advisor.Reminder
		if strings.HasPrefix(name, rungRecord) && json.Unmarshal(r.Data, &one) == nil && !one.At.After(now) {
			list = append(list, one)
		}
	}
	slices.SortFunc(list, func(a, b advisor.Reminder) int { return b.At.Compare(a.At) })
	return list
}

// rang keeps a copy of a one-off reminder that was said. A rental's needs none: its
// text is in the rental.
func (p *profiles) rang(ctx context.Context, r advisor.Reminder) error {
	if p == nil || r.RRule != "" || r.Rental != "" {
		return nil
	}
	data, err := json.Marshal(r)
	if err != nil {
		return err
	}
	record := adapters.Record{Data: data, By: r.ID, Until: r.At.Add(keepRung)}
	_, err = p.settings.Put(ctx, adapters.Person(r.Key), rungRecord+r.ID, record)
	if errors.Is(err, adapters.ErrConflict) {
		return nil // said before
	}
	return err
}

// move adds a reminder in place of another. The new one comes first, so that
// none is lost in between; only whoever has as many as one may have makes room
// first. was tells whether the other was there.
func (d *desk) move(ctx context.Context, e advisor.Effect) (was bool, err error) {
	err = d.reminders.Add(ctx, e.Reminder)
	if err != nil && !errors.Is(err, adapters.ErrTooMany) {
		return false, err
	}
	was, gone := d.reminders.Cancel(ctx, e.Reminder.Key, e.From)
	if gone != nil {
		return false, gone
	}
	if err != nil {
		err = d.reminders.Add(ctx, e.Reminder)
	}
	return was, err
}

// took is the reminder that an effect has taken away, the zero Reminder for none.
func took(k advisor.Known, done advisor.Done) advisor.Reminder {
	switch e := done.Effect; {
	case !done.OK || done.Code == "gone":
	case e.Kind == "cancel":
		return e.Reminder
	case e.Kind == "move":
		if i := slices.IndexFunc(k.Reminders, func(r advisor.Reminder) bool { return r.ID == e.From && r.Key == e.Reminder.Key }); i >= 0 {
			return k.Reminders[i]
		}
	}
	return advisor.Reminder{}
}

// before is what was known before the deeds of earlier tries: whoever plays the
// turn again finds what it was about, asks for the same, and nothing is lost.
func before(deeds map[string]deed, k advisor.Known, m advisor.Message) advisor.Known {
	for _, did := range deeds {
		if did.took.ID == "" {
			continue
		}
		k.Reminders = putBack(k.Reminders, did)
		if k.Group && adapters.Room(did.took.Key) == adapters.Room(m.Key) {
			k.RoomReminders = putBack(k.RoomReminders, did)
		}
	}
	return k
}

func putBack(list []advisor.Reminder, did deed) []advisor.Reminder {
	list = slices.DeleteFunc(list, func(r advisor.Reminder) bool {
		return r.Key == did.took.Key && (r.ID == did.took.ID || r.ID == did.Effect.Reminder.ID)
	})
	list = append(list, did.took)
	slices.SortFunc(list, adapters.Sooner)
	return list
}

// while is what the person is to know of a reminder that was kept.
func (d *desk) while(err error) string {
	switch {
	case err != nil:
		return ""
	case d.volatile:
		return "while-running"
	case d.openOnly:
		return "when-open"
	}
	return ""
}
