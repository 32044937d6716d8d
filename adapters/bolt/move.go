package bolt

import (
	"context"
	"encoding/binary"
	"fmt"

	"go.etcd.io/bbolt"

	"gpuadvisor/adapters"
	"gpuadvisor/advisor"
)

var _ adapters.Mover = (*Store)(nil)

// Each implements adapters.Mover. It shows the file as it is when Each begins.
func (s *Store) Each(ctx context.Context, f func(adapters.Item) error) error {
	return s.view(ctx, "read all", func(tx *bbolt.Tx) error {
		give := func(i adapters.Item) error {
			if err := ctx.Err(); err != nil {
				return err
			}
			return f(i)
		}
		if err := s.eachConversation(tx, give); err != nil {
			return err
		}
		if err := s.eachRecord(tx, give); err != nil {
			return err
		}
		return s.eachReminder(tx, give)
	})
}

func (s *Store) eachConversation(tx *bbolt.Tx, f func(adapters.Item) error) error {
	return tx.Bucket(conversationsBucket).ForEach(func(k, v []byte) error {
		l := &adapters.Ledger{}
		_, key, err := apart(k)
		if err == nil {
			err = decode(v, l)
		}
		if err != nil || !s.now().Before(l.Until) {
			return err
		}
		return f(adapters.Item{Key: advisor.Key(key), Ledger: l})
	})
}

func (s *Store) eachRecord(tx *bbolt.Tx, f func(adapters.Item) error) error {
	return tx.Bucket(settingsBucket).ForEach(func(k, v []byte) error {
		var on stored
		owner, name, err := apart(k)
		if err == nil {
			err = decode(v, &on)
		}
		r := on.live(s.now())
		if err != nil || r.Version == 0 {
			return err
		}
		return f(adapters.Item{Of: adapters.Owner(owner), Name: name, Record: &r})
	})
}

func (s *Store) eachReminder(tx *bbolt.Tx, f func(adapters.Item) error) error {
	return tx.Bucket(remindersBucket).ForEach(func(_, v []byte) error {
		w := &adapters.Waiting{}
		if err := decode(v, w); err != nil {
			return err
		}
		if w.Reason != "" && !w.Due.After(s.now().Add(-adapters.KeepDead)) {
			return nil
		}
		return f(adapters.Item{Waiting: w})
	})
}

// apart takes apart what under has put together.
func apart(key []byte) (owner, rest string, err error) {
	n, size := binary.Uvarint(key)
	if size <= 0 || n > uint64(len(key)-size) {
		return "", "", fmt.Errorf("a key is %w", adapters.ErrForeign)
	}
	return string(key[size : size+int(n)]), string(key[size+int(n):]), nil
}

// Take implements adapters.Mover.
func (s *Store) Take(ctx context.Context, items []adapters.Item) error {
	return s.update(ctx, "take over", func(tx *bbolt.Tx) error {
		for _, i := range items {
			if err := take(tx, i); err != nil {
				return err
			}
		}
		return nil
	})
}

func take(tx *bbolt.Tx, i adapters.Item) error {
	switch {
	case i.Ledger != nil:
		return write(tx.Bucket(conversationsBucket), conversationKey(i.Key), i.Ledger)
	case i.Record != nil:
		return write(tx.Bucket(settingsBucket), settingKey(i.Of, i.Name), store(*i.Record))
	case i.Waiting != nil:
		w := *i.Waiting
		w.Token = ""
		b, key := bookOf(tx), reminderKey(w.Reminder.Key, w.Reminder.ID)
		old, err := b.get(key)
		if err != nil {
			return err
		}
		return b.put(key, old, &w)
	}
	return nil
}
