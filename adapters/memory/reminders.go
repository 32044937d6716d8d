package memory

import (
	"cmp"
	"context"
	"crypto/rand"
	"maps"
	"slices"
	"time"

	"gpuadvisor/adapters"
	"gpuadvisor/advisor"
)

type reminders struct{ *Store }

type identity struct {
	key advisor.Key
	id  string
}

func of(r advisor.Reminder) identity { return identity{r.Key, r.ID} }

// Add implements adapters.Reminders.
func (s reminders) Add(ctx context.Context, r advisor.Reminder) error {
	leave, err := s.enter(ctx)
	if err != nil {
		return err
	}
	defer leave()
	if s.reminders[of(r)] != nil {
		return nil
	}
	if len(s.waiting(adapters.Person(r.Key))) >= adapters.MaxReminders {
		return adapters.ErrTooMany
	}
	s.reminders[of(r)] = &adapters.Waiting{Reminder: r, Due: r.At}
	return nil
}

// Cancel implements adapters.Reminders.
func (s reminders) Cancel(ctx context.Context, key advisor.Key, id string) (bool, error) {
	leave, err := s.enter(ctx)
	if err != nil {
		return false, err
	}
	defer leave()
	w := s.reminders[identity{key, id}]
	if w == nil || w.Reason != "" {
		return false, nil
	}
	delete(s.reminders, of(w.Reminder))
	return true, nil
}

// List implements adapters.Reminders.
func (s reminders) List(ctx context.Context, who adapters.Owner) ([]advisor.Reminder, error) {
	leave, err := s.enter(ctx)
	if err != nil {
		return nil, err
	}
	defer leave()
	var list []advisor.Reminder
	for _, w := range s.waiting(who) {
		list = append(list, w.Reminder)
	}
	slices.SortFunc(list, adapters.Sooner)
	return list, nil
}

// waiting are the reminders of a person, or in a room, that are not dead.
func (s reminders) waiting(who adapters.Owner) []*adapters.Waiting {
	return s.find(func(w *adapters.Waiting) bool {
		return w.Reason == "" && (adapters.Person(w.Reminder.Key) == who || adapters.Room(w.Reminder.Key) == who)
	})
}

func (s reminders) find(want func(*adapters.Waiting) bool) []*adapters.Waiting {
	var found []*adapters.Waiting
	for w := range maps.Values(s.reminders) {
		if want(w) {
			found = append(found, w)
		}
	}
	slices.SortFunc(found, func(a, b *adapters.Waiting) int {
		return cmp.Or(a.Due.Compare(b.Due), cmp.Compare(a.Reminder.ID, b.Reminder.ID))
	})
	return found
}

// Claim implements adapters.Reminders.
func (s reminders) Claim(ctx context.Context, n int, lease time.Duration) ([]adapters.Due, time.Duration, error) {
	leave, err := s.enter(ctx)
	if err != nil {
		return nil, 0, err
	}
	defer leave()
	now, token := s.now(), rand.Text()
	var due []adapters.Due
	for _, w := range s.find(func(w *adapters.Waiting) bool { return w.Reason == "" && !w.Due.After(now) }) {
		if len(due) == n {
			return due, 0, nil
		}
		due = append(due, w.Claim(token, lease, now))
	}
	next := time.Minute
	for _, w := range s.find(func(w *adapters.Waiting) bool { return w.Reason == "" }) {
		next = min(next, max(0, w.Due.Sub(now)))
	}
	return due, next, nil
}

// Begin implements adapters.Reminders.
func (s reminders) Begin(ctx context.Context, d adapters.Due, atLeast time.Duration) error {
	leave, err := s.enter(ctx)
	if err != nil {
		return err
	}
	defer leave()
	w := s.reminders[of(d.Reminder)]
	if w == nil || !w.Begin(d.Token, atLeast, s.now()) {
		return adapters.ErrLost
	}
	return nil
}

// Finish implements adapters.Reminders.
func (s reminders) Finish(ctx context.Context, d adapters.Due, f adapters.Fate) error {
	leave, err := s.enter(ctx)
	if err != nil {
		return err
	}
	defer leave()
	w := s.reminders[of(d.Reminder)]
	if w == nil || !w.Held(d.Token) {
		return adapters.ErrLost
	}
	if !w.Finish(d, f, s.now()) {
		delete(s.reminders, of(d.Reminder))
	}
	return nil
}

// Bury implements adapters.Reminders.
func (s reminders) Bury(ctx context.Context, room adapters.Owner, reason string) (int, error) {
	leave, err := s.enter(ctx)
	if err != nil {
		return 0, err
	}
	defer leave()
	list := s.waiting(room)
	for _, w := range list {
		w.Bury(reason, s.now())
	}
	return len(list), nil
}

// Revive implements adapters.Reminders.
func (s reminders) Revive(ctx context.Context, room adapters.Owner, reason string, when func(advisor.Reminder) time.Time) (n int, err error) {
	leave, err := s.enter(ctx)
	if err != nil {
		return 0, err
	}
	defer leave()
	for _, w := range s.reminders {
		if adapters.Room(w.Reminder.Key) == room && w.Revive(reason, when) {
			n++
		}
	}
	return n, nil
}

// Dead implements adapters.Reminders.
func (s reminders) Dead(ctx context.Context, n int) ([]adapters.DeadLetter, error) {
	leave, err := s.enter(ctx)
	if err != nil {
		return nil, err
	}
	defer leave()
	dead := s.find(func(w *adapters.Waiting) bool { return w.Reason != "" && !w.Old(s.now()) })
	slices.Reverse(dead)
	var letters []adapters.DeadLetter
	for _, w := range dead[:min(n, len(dead))] {
		letters = append(letters, adapters.DeadLetter{Reminder: w.Reminder, Attempts: w.Attempts, Reason: w.Reason, At: w.Due})
	}
	return letters, nil
}

// Forget implements adapters.Reminders.
func (s reminders) Forget(ctx context.Context, who adapters.Owner) error {
	leave, err := s.enter(ctx)
	if err != nil {
		return err
	}
	defer leave()
	maps.DeleteFunc(s.reminders, func(_ identity, w *adapters.Waiting) bool { return adapters.Person(w.Reminder.Key) == who })
	return nil
}
