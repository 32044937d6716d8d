package main

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"gpuadvisor/adapters"
	"gpuadvisor/advisor"
)

// rental.go keeps rentals: each is a record of its person, and one that was told
// in a group has an entry there that says whose it is. Its reminders name it by
// its id alone; what they say is made of the record at the time.

// rentalRecord begins the names of those records; that of a room holds the Owner
// who has the rental.
const rentalRecord = "rental:"

// rentalsOf are the rentals of a person that can be read, the soonest end
// first.
func (p *profiles) rentalsOf(ctx context.Context, who adapters.Owner) ([]advisor.Rental, error) {
	all, err := p.settings.List(ctx, who)
	if err != nil && !unreadable(err) {
		return nil, fmt.Errorf("list rentals: %w", err)
	}
	list, _ := rentalsAmong(all)
	return list, nil
}

// unreadable reports whether an error is about one record, which somebody else
// or a newer program wrote. Such a record is passed over and left as it is.
func unreadable(err error) bool {
	return errors.Is(err, adapters.ErrForeign) || errors.Is(err, adapters.ErrNewer)
}

// rentalsAmong are the rentals among the records of a person, the soonest end
// first, and what is wrong with those that cannot be read.
func rentalsAmong(all map[string]adapters.Record) (list []advisor.Rental, unread []error) {
	for name, r := range all {
		if !strings.HasPrefix(name, rentalRecord) {
			continue
		}
		one, err := rentalIn(r)
		if err != nil {
			unread = append(unread, fmt.Errorf("%s: %w", name, err))
			continue
		}
		list = append(list, one)
	}
	slices.SortFunc(list, endsSooner)
	return list, unread
}

func endsSooner(a, b advisor.Rental) int {
	return cmp.Or(a.End.Compare(b.End), cmp.Compare(a.ID, b.ID))
}

func rentalIn(r adapters.Record) (one advisor.Rental, err error) {
	if err := json.Unmarshal(r.Data, &one); err != nil {
		return one, fmt.Errorf("load rental: it is %w", adapters.ErrForeign)
	}
	if one.Schema > advisor.RentalSchema {
		return one, fmt.Errorf("load rental: %w", adapters.ErrNewer)
	}
	return one, nil
}

// rentalsIn are the rentals that were told in a room, whoever has them, and what
// is wrong with those that cannot be read.
func (p *profiles) rentalsIn(ctx context.Context, room adapters.Owner) (list []advisor.Rental, unread []error, err error) {
	all, err := p.settings.List(ctx, room)
	if unreadable(err) {
		unread = append(unread, err)
	} else if err != nil {
		return nil, nil, fmt.Errorf("list rentals of a room: %w", err)
	}
	for name, r := range all {
		if !strings.HasPrefix(name, rentalRecord) {
			continue
		}
		one, err := p.settings.Get(ctx, adapters.Owner(r.Data), name)
		if err != nil && !unreadable(err) {
			return nil, nil, fmt.Errorf("load rental of a room: %w", err)
		}
		if err == nil && one.Version == 0 {
			continue
		}
		var rental advisor.Rental
		if err == nil {
			rental, err = rentalIn(one)
		}
		if err != nil {
			unread = append(unread, fmt.Errorf("%s: %w", name, err))
			continue
		}
		list = append(list, rental)
	}
	slices.SortFunc(list, endsSooner)
	return list, unread, nil
}

// about is the rental that a reminder speaks of: its person's own, or that of
// somebody in the same room whom they joined; nil when it is gone.
func (p *profiles) about(ctx context.Context, r advisor.Reminder) (*advisor.Rental, error) {
	if p == nil || r.Rental == "" {
		return nil, nil
	}
	name := rentalRecord + r.Rental
	record, err := p.settings.Get(ctx, adapters.Person(r.Key), name)
	if err == nil && record.Version == 0 {
		var whose adapters.Record
		if whose, err = p.settings.Get(ctx, adapters.Room(r.Key), name); err == nil && whose.Version > 0 {
			record, err = p.settings.Get(ctx, adapters.Owner(whose.Data), name)
		}
	}
	if err != nil || record.Version == 0 {
		return nil, err
	}
	one, err := rentalIn(record)
	return &one, err
}

// keepRental stores a rental, notes it in its room, and makes its reminders what
// the plan says. It is a conflict when the one that the turn saw has changed.
func (d *desk) keepRental(ctx context.Context, m advisor.Message, k advisor.Known, e advisor.Effect, done *advisor.Done) error {
	who, name := adapters.Person(e.Rental.Key), rentalRecord+e.Rental.ID
	settings := d.profiles.settings
	now, err := settings.Get(ctx, who, name)
	if err != nil {
		return fmt.Errorf("load rental: %w", err)
	}
	if err := d.profiles.putRental(ctx, k, now, e); err != nil {
		return err
	}
	if shared(e.Rental.Key) {
		room := adapters.Room(e.Rental.Key)
		was, err := settings.Get(ctx, room, name)
		if err == nil && (string(was.Data) != string(who) || was.Until.Before(e.Rental.Until())) { // no shorter than the rental itself
			_, err = settings.Put(ctx, room, name, adapters.Record{Version: was.Version, Data: []byte(who), Until: e.Rental.Until()})
		}
		if err != nil {
			return fmt.Errorf("note rental in its room: %w", err)
		}
	}
	if !e.Plan {
		return nil
	}
	err = d.replan(ctx, m, e.Rental, done)
	if err != nil && ctx.Err() == nil { // the rental stands; what still comes due speaks of it as it is now
		d.log.ErrorContext(ctx, "change the reminders of a rental", "message", m.ID, "err", err)
		done.Code, err = "reminders", nil
	}
	return err
}

func (p *profiles) putRental(ctx context.Context, k advisor.Known, now adapters.Record, e advisor.Effect) error {
	if now.Version > 0 {
		stored, err := rentalIn(now)
		if err != nil {
			return err
		}
		if stored == e.Rental {
			return nil // an earlier try of this turn got through
		}
		seen := slices.IndexFunc(k.Rentals, func(r advisor.Rental) bool { return r.ID == e.Rental.ID })
		if seen < 0 || k.Rentals[seen] != stored {
			return adapters.ErrConflict
		}
	}
	data, err := json.Marshal(e.Rental)
	if err != nil {
		return fmt.Errorf("encode rental: %w", err)
	}
	_, err = p.settings.Put(ctx, adapters.Person(e.Rental.Key), rentalRecord+e.Rental.ID, adapters.Record{Version: now.Version, Data: data, Until: e.Rental.Until()})
	return err
}

// replan adds the reminders of a rental that are missing and then cancels those
// that are not wanted any more, so that none is lost in between. When there is
// no room the old ones go first. What waits in the end is in done, also when it
// fails on the way.
func (d *desk) replan(ctx context.Context, m advisor.Message, r advisor.Rental, done *advisor.Done) error {
	var wanted []advisor.Reminder
	if d.plan != nil {
		wanted = d.plan(r, m.At)
	}
	done.Kept, done.Refused = nil, len(wanted)
	list, err := d.remindersOf(ctx, r)
	if err != nil {
		return err
	}
	defer func() {
		slices.SortFunc(done.Kept, func(a, b advisor.Reminder) int { return a.At.Compare(b.At) })
	}()
	var missing []advisor.Reminder
	for _, w := range wanted {
		if slices.ContainsFunc(list, func(old advisor.Reminder) bool { return w.ID == old.ID }) {
			done.Kept = append(done.Kept, w)
			done.Refused--
		} else {
			missing = append(missing, w)
		}
	}
	refused, err := d.addAll(ctx, missing, done)
	if err != nil {
		return err
	}
	for _, old := range list {
		if slices.ContainsFunc(wanted, func(w advisor.Reminder) bool { return w.ID == old.ID }) {
			continue
		}
		if _, err := d.reminders.Cancel(ctx, old.Key, old.ID); err != nil {
			return err
		}
	}
	_, err = d.addAll(ctx, refused, done) // now there may be room
	return err
}

// addAll adds reminders, notes in done those that wait now, and returns those that
// there was no room for.
func (d *desk) addAll(ctx context.Context, list []advisor.Reminder, done *advisor.Done) (refused []advisor.Reminder, err error) {
	for _, r := range list {
		switch err := d.reminders.Add(ctx, r); {
		case errors.Is(err, adapters.ErrTooMany):
			refused = append(refused, r)
		case err != nil:
			return nil, err
		default:
			done.Kept = append(done.Kept, r)
			done.Refused--
		}
	}
	return refused, nil
}

// remindersOf are the reminders of a rental that wait: its person's, and in a room
// those of others who wanted to be told as well once it is over.
func (d *desk) remindersOf(ctx context.Context, r advisor.Rental) (of []advisor.Reminder, err error) {
	list, err := d.reminders.List(ctx, adapters.Person(r.Key))
	if err == nil && shared(r.Key) && !r.Open() {
		var room []advisor.Reminder
		room, err = d.reminders.List(ctx, adapters.Room(r.Key))
		list = append(list, room...)
	}
	for _, one := range list {
		if one.Rental == r.ID {
			of = append(of, one)
		}
	}
	return of, err
}

// forgetRentals removes what rooms know of the rentals of a person.
func (p *profiles) forgetRentals(ctx context.Context, who adapters.Owner) error {
	list, err := p.rentalsOf(ctx, who)
	if err != nil {
		return err
	}
	for _, r := range list {
		if !shared(r.Key) {
			continue
		}
		room := adapters.Room(r.Key)
		later, err := p.settings.Get(ctx, room, laterRecord)
		if err != nil {
			return fmt.Errorf("look where a room moved: %w", err)
		}
		for _, of := range []adapters.Owner{room, adapters.Owner(later.Data)} {
			if err := p.forgetRental(ctx, of, who, rentalRecord+r.ID); err != nil {
				return fmt.Errorf("forget rental in a room: %w", err)
			}
		}
	}
	return nil
}

// forgetRental removes what a room knows of a rental of a person. Without a room
// there is nothing to do.
func (p *profiles) forgetRental(ctx context.Context, room, who adapters.Owner, name string) error {
	if room == "" {
		return nil
	}
	record, err := p.settings.Get(ctx, room, name)
	if err == nil && string(record.Data) == string(who) {
		_, err = p.settings.Put(ctx, room, name, adapters.Record{Version: record.Version})
	}
	return err
}
