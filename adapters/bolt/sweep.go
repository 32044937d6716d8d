package bolt

import (
	"bytes"
	"context"
	"time"

	"go.etcd.io/bbolt"

	"gpuadvisor/adapters"
)

// sweep.go takes off the disk what has expired. It walks over the file a
// little at a time, so that a turn never waits long for it.

// Every sweepEvery up to sweepAtOnce records are looked at: a day for a
// million.
const (
	sweepEvery  = time.Minute
	sweepAtOnce = 1000
)

func (s *Store) keepSweeping(ctx context.Context) {
	tick := time.NewTicker(sweepEvery)
	defer tick.Stop()
	var conversations, settings []byte
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
		// An error here is one that the next turn meets and reports.
		conversations, _ = s.sweep(ctx, conversationsBucket, conversations, s.deadConversation)
		settings, _ = s.sweep(ctx, settingsBucket, settings, s.deadRecord)
		_ = s.sweepDead(ctx)
	}
}

// sweep looks at records from a key on, removes those that are dead, and
// returns where to go on.
func (s *Store) sweep(ctx context.Context, bucket, from []byte, dead func(value []byte) bool) (next []byte, err error) {
	var keys [][]byte
	err = s.view(ctx, "sweep", func(tx *bbolt.Tx) error {
		c := tx.Bucket(bucket).Cursor()
		k, v := c.Seek(from)
		for range sweepAtOnce {
			if k == nil {
				return nil
			}
			if dead(v) {
				keys = append(keys, bytes.Clone(k))
			}
			k, v = c.Next()
		}
		next = bytes.Clone(k)
		return nil
	})
	if err != nil || len(keys) == 0 {
		return next, err
	}
	return next, s.update(ctx, "sweep", func(tx *bbolt.Tx) error {
		b := tx.Bucket(bucket)
		for _, k := range keys {
			if !dead(b.Get(k)) {
				continue // written again meanwhile
			}
			if err := b.Delete(k); err != nil {
				return err
			}
		}
		return nil
	})
}

func (s *Store) deadConversation(value []byte) bool {
	var l struct {
		Until time.Time `json:"e"`
	}
	return decode(value, &l) == nil && !s.now().Before(l.Until)
}

func (s *Store) deadRecord(value []byte) bool {
	var on stored
	return decode(value, &on) == nil && on.live(s.now()).Version == 0
}

// sweepDead removes dead letters that are too old to keep.
func (s *Store) sweepDead(ctx context.Context) error {
	old := s.now().Add(-adapters.KeepDead)
	first := func(tx *bbolt.Tx) []byte {
		k, _ := tx.Bucket(deadBucket).Cursor().First()
		if k == nil {
			return nil
		}
		if at, _ := atTimeKey(k); at.After(old) {
			return nil
		}
		return k
	}
	some := false
	if err := s.view(ctx, "sweep", func(tx *bbolt.Tx) error {
		some = first(tx) != nil
		return nil
	}); err != nil || !some {
		return err
	}
	return s.update(ctx, "sweep", func(tx *bbolt.Tx) error {
		b := bookOf(tx)
		for range sweepAtOnce {
			k := first(tx)
			if k == nil {
				return nil
			}
			_, key := atTimeKey(bytes.Clone(k))
			w, err := b.get(key)
			if err != nil {
				return err
			}
			if err := b.remove(key, w); err != nil {
				return err
			}
			if err := tx.Bucket(deadBucket).Delete(k); err != nil { // also when its record is missing
				return err
			}
		}
		return nil
	})
}
