package bolt

import (
	"context"

	"go.etcd.io/bbolt"

	"gpuadvisor/adapters"
	"gpuadvisor/advisor"
)

type conversations struct{ *Store }

// ledger reads a conversation's record, an empty one when there is none.
func (s conversations) ledger(tx *bbolt.Tx, key advisor.Key) (*adapters.Ledger, error) {
	l := &adapters.Ledger{}
	if err := read(tx.Bucket(conversationsBucket), conversationKey(key), l); err != nil {
		return nil, err
	}
	if !s.now().Before(l.Until) {
		return &adapters.Ledger{}, nil
	}
	return l, nil
}

// Load implements adapters.Conversations.
func (s conversations) Load(ctx context.Context, key advisor.Key) (c advisor.Conversation, err error) {
	err = s.view(ctx, "load conversation", func(tx *bbolt.Tx) error {
		l, err := s.ledger(tx, key)
		if err != nil || l.Version == 0 {
			return err
		}
		c, err = adapters.DecodeConversation(l.State, l.Version)
		return err
	})
	return c, err
}

// Commit implements adapters.Conversations.
func (s conversations) Commit(ctx context.Context, key advisor.Key, t adapters.Turn) (out adapters.Outcome, err error) {
	err = s.update(ctx, "commit turn", func(tx *bbolt.Tx) error {
		l, err := s.ledger(tx, key)
		if err != nil {
			return err
		}
		if out, err = l.Commit(t, s.now()); err != nil {
			return err
		}
		if out.Repeat {
			return errSame
		}
		return write(tx.Bucket(conversationsBucket), conversationKey(key), l)
	})
	return out, err
}

// Committed implements adapters.Conversations.
func (s conversations) Committed(ctx context.Context, key advisor.Key, id string) (out adapters.Outcome, err error) {
	err = s.view(ctx, "look up message", func(tx *bbolt.Tx) error {
		l, err := s.ledger(tx, key)
		if err != nil {
			return err
		}
		out, err = l.Find(id)
		return err
	})
	return out, err
}

// MarkSent implements adapters.Conversations.
func (s conversations) MarkSent(ctx context.Context, key advisor.Key, id string) error {
	return s.update(ctx, "mark reply sent", func(tx *bbolt.Tx) error {
		l, err := s.ledger(tx, key)
		if err != nil {
			return err
		}
		if !l.MarkSent(id) {
			return errSame
		}
		return write(tx.Bucket(conversationsBucket), conversationKey(key), l)
	})
}

// Of implements adapters.Conversations.
func (s conversations) Of(ctx context.Context, who adapters.Owner) (keys []advisor.Key, err error) {
	err = s.view(ctx, "list conversations", func(tx *bbolt.Tx) error {
		return each(tx.Bucket(conversationsBucket), under(string(who), ""), func(k, _ []byte) error {
			keys = append(keys, advisor.Key(restOf(string(who), k)))
			return nil
		})
	})
	return keys, err
}

// Forget implements adapters.Conversations.
func (s conversations) Forget(ctx context.Context, key advisor.Key) error {
	return s.update(ctx, "forget conversation", func(tx *bbolt.Tx) error {
		return tx.Bucket(conversationsBucket).Delete(conversationKey(key))
	})
}
