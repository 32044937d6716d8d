package memory

import (
	"context"
	"slices"

	"gpuadvisor/adapters"
)

var _ adapters.Mover = (*Store)(nil)

// Each implements adapters.Mover.
func (s *Store) Each(ctx context.Context, f func(adapters.Item) error) error {
	for _, item := range s.items() {
		if err := ctx.Err(); err != nil {
			return err
		}
		if err := f(item); err != nil {
			return err
		}
	}
	return nil
}

func (s *Store) items() (list []adapters.Item) {
	s.mu.Lock()
	defer s.mu.Unlock()
	now := s.now()
	for key, l := range s.conversations {
		if now.Before(l.Until) {
			copied := *l
			copied.Turns = slices.Clone(l.Turns)
			list = append(list, adapters.Item{Key: key, Ledger: &copied})
		}
	}
	for of, all := range s.settings {
		for name, r := range all {
			if r.Live(now).Version > 0 {
				list = append(list, adapters.Item{Of: of, Name: name, Record: &r})
			}
		}
	}
	for _, w := range s.reminders {
		if w.Reason == "" || w.Due.After(now.Add(-adapters.KeepDead)) {
			copied := *w
			list = append(list, adapters.Item{Waiting: &copied})
		}
	}
	return list
}

// Take implements adapters.Mover.
func (s *Store) Take(ctx context.Context, items []adapters.Item) error {
	leave, err := s.enter(ctx)
	if err != nil {
		return err
	}
	defer leave()
	for _, i := range items {
		switch {
		case i.Ledger != nil:
			s.conversations[i.Key] = i.Ledger
		case i.Record != nil:
			if s.settings[i.Of] == nil {
				s.settings[i.Of] = map[string]adapters.Record{}
			}
			s.settings[i.Of][i.Name] = *i.Record
		case i.Waiting != nil:
			i.Waiting.Token = ""
			s.reminders[of(i.Waiting.Reminder)] = i.Waiting
		}
	}
	return nil
}
