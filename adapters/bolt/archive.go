package bolt

import (
	"context"
	"encoding/binary"

	"go.etcd.io/bbolt"

	"gpuadvisor/adapters"
	"gpuadvisor/advisor"
)

var _ adapters.Archive = (*Store)(nil)

// Dump implements adapters.Archive. It sees the file as it is at one moment.
func (s *Store) Dump(ctx context.Context, f func(adapters.Item) error) error {
	return s.view(ctx, "read the store", func(tx *bbolt.Tx) error {
		if err := each(tx.Bucket(conversationsBucket), nil, func(k, v []byte) error {
			l := &adapters.Ledger{}
			if err := decode(v, l); err != nil || !s.now().Before(l.Until) {
				return err
			}
			_, key := apart(k)
			return f(adapters.Item{Key: advisor.Key(key), Ledger: l})
		}); err != nil {
			return err
		}
		if err := each(tx.Bucket(settingsBucket), nil, func(k, v []byte) error {
			var on stored
			if err := decode(v, &on); err != nil {
				return err
			}
			r := on.live(s.now())
			if r.Version == 0 {
				return nil
			}
			owner, name := apart(k)
			return f(adapters.Item{Owner: adapters.Owner(owner), Name: name, Record: &r})
		}); err != nil {
			return err
		}
		return each(tx.Bucket(remindersBucket), nil, func(_, v []byte) error {
			w := &adapters.Waiting{}
			if err := decode(v, w); err != nil || w.Old(s.now()) {
				return err
			}
			return f(adapters.Item{Waiting: w})
		})
	})
}

// apart takes apart what under put together.
func apart(key []byte) (owner, rest string) {
	n, width := binary.Uvarint(key)
	key = key[width:]
	return string(key[:n]), string(key[n:])
}

// Restore implements adapters.Archive.
func (s *Store) Restore(ctx context.Context, items []adapters.Item) error {
	return s.update(ctx, "write the store", func(tx *bbolt.Tx) error {
		for _, i := range items {
			if err := s.restore(tx, i); err != nil {
				return err
			}
		}
		return nil
	})
}

func (s *Store) restore(tx *bbolt.Tx, i adapters.Item) error {
	switch {
	case i.Ledger != nil:
		return write(tx.Bucket(conversationsBucket), conversationKey(i.Key), i.Ledger)
	case i.Record != nil:
		return write(tx.Bucket(settingsBucket), settingKey(i.Owner, i.Name), store(*i.Record))
	}
	w := *i.Waiting
	w.Token = ""
	b, key := bookOf(tx), reminderKey(w.Reminder.Key, w.Reminder.ID)
	old, err := b.get(key)
	if err != nil {
		return err
	}
	return b.put(key, old, &w)
}
