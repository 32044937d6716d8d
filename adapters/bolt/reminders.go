package bolt

import (
	"context"
	"crypto/rand"
	"errors"
	"slices"
	"time"

	"go.etcd.io/bbolt"

	"gpuadvisor/adapters"
	"gpuadvisor/advisor"
)

type reminders struct{ *Store }

// book is the reminders in one transaction. It keeps the record of each and
// the three indexes in step: a reminder lies either under due or under dead,
// and under its room while it waits.
type book struct {
	records, rooms, due, dead *bbolt.Bucket
}

func bookOf(tx *bbolt.Tx) book {
	return book{tx.Bucket(remindersBucket), tx.Bucket(roomsBucket), tx.Bucket(dueBucket), tx.Bucket(deadBucket)}
}

// get returns a reminder, nil when there is none.
func (b book) get(key []byte) (*adapters.Waiting, error) {
	if b.records.Get(key) == nil {
		return nil, nil
	}
	w := &adapters.Waiting{}
	return w, read(b.records, key, w)
}

// put stores a reminder; old is what was stored before, nil when new.
func (b book) put(key []byte, old, w *adapters.Waiting) error {
	if err := b.unlink(key, old); err != nil {
		return err
	}
	if err := write(b.records, key, w); err != nil {
		return err
	}
	if w.Reason != "" {
		return b.dead.Put(timeKey(w.Due, key), nil)
	}
	if err := b.rooms.Put(roomKey(w.Reminder.Key, key), nil); err != nil {
		return err
	}
	return b.due.Put(timeKey(w.Due, key), nil)
}

// unlink takes a reminder out of the indexes.
func (b book) unlink(key []byte, w *adapters.Waiting) error {
	if w == nil {
		return nil
	}
	if w.Reason != "" {
		return b.dead.Delete(timeKey(w.Due, key))
	}
	if err := b.rooms.Delete(roomKey(w.Reminder.Key, key)); err != nil {
		return err
	}
	return b.due.Delete(timeKey(w.Due, key))
}

func (b book) remove(key []byte, w *adapters.Waiting) error {
	if err := b.unlink(key, w); err != nil {
		return err
	}
	return b.records.Delete(key)
}

// waiting are the reminders of a person, or in a room, that are not dead.
func (b book) waiting(of adapters.Owner) (list []*adapters.Waiting, err error) {
	add := func(data []byte) error {
		w := &adapters.Waiting{}
		if err := decode(data, w); err != nil {
			return err
		}
		if w.Reason == "" {
			list = append(list, w)
		}
		return nil
	}
	prefix := under(string(of), "")
	if of.IsRoom() {
		err = each(b.rooms, prefix, func(k, _ []byte) error { return add(b.records.Get(k[len(prefix):])) })
	} else {
		err = each(b.records, prefix, func(_, v []byte) error { return add(v) })
	}
	return list, err
}

// Add implements adapters.Reminders.
func (s reminders) Add(ctx context.Context, r advisor.Reminder) error {
	return s.update(ctx, "add reminder", func(tx *bbolt.Tx) error {
		b, key := bookOf(tx), reminderKey(r.Key, r.ID)
		old, err := b.get(key)
		if err != nil {
			return err
		}
		if old != nil {
			return errSame
		}
		theirs, err := b.waiting(adapters.Person(r.Key))
		if err != nil {
			return err
		}
		if len(theirs) >= adapters.MaxReminders {
			return adapters.ErrTooMany
		}
		return b.put(key, nil, &adapters.Waiting{Reminder: r, Due: r.At})
	})
}

// Cancel implements adapters.Reminders.
func (s reminders) Cancel(ctx context.Context, key advisor.Key, id string) (was bool, err error) {
	err = s.update(ctx, "cancel reminder", func(tx *bbolt.Tx) error {
		b, key := bookOf(tx), reminderKey(key, id)
		w, err := b.get(key)
		if err != nil {
			return err
		}
		if w == nil || w.Reason != "" {
			return errSame
		}
		was = true
		return b.remove(key, w)
	})
	return was, err
}

// List implements adapters.Reminders.
func (s reminders) List(ctx context.Context, of adapters.Owner) (list []advisor.Reminder, err error) {
	err = s.view(ctx, "list reminders", func(tx *bbolt.Tx) error {
		waiting, err := bookOf(tx).waiting(of)
		for _, w := range waiting {
			list = append(list, w.Reminder)
		}
		return err
	})
	slices.SortFunc(list, adapters.Sooner)
	return list, err
}

// Claim implements adapters.Reminders.
func (s reminders) Claim(ctx context.Context, n int, lease time.Duration) (due []adapters.Due, next time.Duration, err error) {
	token, now := rand.Text(), s.now()
	var keys [][]byte
	look := func(tx *bbolt.Tx) error {
		keys, next = bookOf(tx).overdue(n, now)
		return nil
	}
	if err := s.view(ctx, "look for due reminders", look); err != nil || len(keys) == 0 {
		return nil, next, err // nothing due, nothing to write
	}
	err = s.update(ctx, "claim reminders", func(tx *bbolt.Tx) error {
		b := bookOf(tx)
		keys, _ = b.overdue(n, now)
		for _, key := range keys {
			w, err := b.get(key)
			if err != nil {
				return err
			}
			if w == nil {
				w = &adapters.Waiting{}
			}
			old := *w
			due = append(due, w.Claim(token, lease, now))
			if err := b.put(key, &old, w); err != nil {
				return err
			}
		}
		_, next = b.overdue(0, now)
		return nil
	})
	return due, next, err
}

// overdue are the first n reminders that are due, and how long until the next
// is, at most a minute.
func (b book) overdue(n int, now time.Time) (keys [][]byte, next time.Duration) {
	c := b.due.Cursor()
	for k, _ := c.First(); k != nil; k, _ = c.Next() {
		at, key := atTimeKey(k)
		if at.After(now) || len(keys) == n {
			return keys, min(max(0, at.Sub(now)), time.Minute)
		}
		keys = append(keys, slices.Clone(key))
	}
	return keys, time.Minute
}

// Begin implements adapters.Reminders.
func (s reminders) Begin(ctx context.Context, d adapters.Due, atLeast time.Duration) error {
	return s.held(ctx, "begin sending reminder", d, func(b book, key []byte, w *adapters.Waiting) error {
		old := *w
		if !w.Begin(d.Token, atLeast, s.now()) {
			return adapters.ErrLost
		}
		return b.put(key, &old, w)
	})
}

// Finish implements adapters.Reminders.
func (s reminders) Finish(ctx context.Context, d adapters.Due, f adapters.Fate) error {
	return s.held(ctx, "finish reminder", d, func(b book, key []byte, w *adapters.Waiting) error {
		old := *w
		if w.Finish(d, f, s.now()) {
			return b.put(key, &old, w)
		}
		return b.remove(key, &old)
	})
}

// held changes a reminder that the claim holds.
func (s reminders) held(ctx context.Context, what string, d adapters.Due, f func(book, []byte, *adapters.Waiting) error) error {
	return s.update(ctx, what, func(tx *bbolt.Tx) error {
		b, key := bookOf(tx), reminderKey(d.Reminder.Key, d.Reminder.ID)
		w, err := b.get(key)
		if err != nil {
			return err
		}
		if w == nil || !w.Held(d.Token) {
			return adapters.ErrLost
		}
		return f(b, key, w)
	})
}

// Bury implements adapters.Reminders.
func (s reminders) Bury(ctx context.Context, room adapters.Owner, reason string) (n int, err error) {
	err = s.update(ctx, "bury reminders", func(tx *bbolt.Tx) error {
		b := bookOf(tx)
		list, err := b.waiting(room)
		if n = len(list); n == 0 && err == nil {
			return errSame
		}
		for _, w := range list {
			old := *w
			w.Bury(reason, s.now())
			err = errors.Join(err, b.put(reminderKey(w.Reminder.Key, w.Reminder.ID), &old, w))
		}
		return err
	})
	return n, err
}

// Revive implements adapters.Reminders. Dead letters are few enough to look at
// all of them.
func (s reminders) Revive(ctx context.Context, room adapters.Owner, reason string, when func(advisor.Reminder) time.Time) (n int, err error) {
	err = s.update(ctx, "revive reminders", func(tx *bbolt.Tx) error {
		n = 0
		b := bookOf(tx)
		var keys [][]byte
		each(b.dead, nil, func(k, _ []byte) error {
			_, key := atTimeKey(k)
			keys = append(keys, slices.Clone(key))
			return nil
		})
		for _, key := range keys {
			w, err := b.get(key)
			if err != nil {
				return err
			}
			if w == nil || adapters.Room(w.Reminder.Key) != room {
				continue
			}
			old := *w
			if !w.Revive(reason, when) {
				continue
			}
			n++
			if err := b.put(key, &old, w); err != nil {
				return err
			}
		}
		if n == 0 {
			return errSame
		}
		return nil
	})
	return n, err
}

// Dead implements adapters.Reminders.
func (s reminders) Dead(ctx context.Context, n int) (letters []adapters.DeadLetter, err error) {
	err = s.view(ctx, "list dead letters", func(tx *bbolt.Tx) error {
		b := bookOf(tx)
		c := b.dead.Cursor()
		for k, _ := c.Last(); k != nil && len(letters) < n; k, _ = c.Prev() {
			at, key := atTimeKey(k)
			if !at.After(s.now().Add(-adapters.KeepDead)) {
				return nil
			}
			w, err := b.get(key)
			if err != nil || w == nil {
				return err
			}
			letters = append(letters, adapters.DeadLetter{Reminder: w.Reminder, Attempts: w.Attempts, Reason: w.Reason, At: at})
		}
		return nil
	})
	return letters, err
}

// Forget implements adapters.Reminders.
func (s reminders) Forget(ctx context.Context, who adapters.Owner) error {
	return s.update(ctx, "forget reminders", func(tx *bbolt.Tx) error {
		b := bookOf(tx)
		theirs := map[string]*adapters.Waiting{}
		err := each(b.records, under(string(who), ""), func(k, v []byte) error {
			w := &adapters.Waiting{}
			theirs[string(k)] = w
			return decode(v, w)
		})
		if err != nil {
			return err
		}
		for key, w := range theirs {
			if err := b.remove([]byte(key), w); err != nil {
				return err
			}
		}
		return nil
	})
}
