package bolt

import (
	"context"
	"time"

	"go.etcd.io/bbolt"

	"gpuadvisor/adapters"
)

type settings struct{ *Store }

// stored is the form of an adapters.Record on disk. By is bytes, because JSON
// text cannot hold whatever a platform calls its messages.
type stored struct {
	Version int64  `json:"v"`
	Data    []byte `json:"d"`
	By      []byte `json:"b,omitempty"`
	Until   int64  `json:"u,omitempty"` // Unix milliseconds
}

func store(r adapters.Record) stored {
	s := stored{Version: r.Version, Data: r.Data, By: []byte(r.By)}
	if !r.Until.IsZero() {
		s.Until = r.Until.UnixMilli()
	}
	return s
}

// live is the record as it is now, an empty one when it expired.
func (s stored) live(now time.Time) adapters.Record {
	r := adapters.Record{Version: s.Version, Data: s.Data, By: string(s.By)}
	if s.Until != 0 {
		r.Until = time.UnixMilli(s.Until).UTC()
	}
	return r.Live(now)
}

// Get implements adapters.Settings.
func (s settings) Get(ctx context.Context, of adapters.Owner, name string) (r adapters.Record, err error) {
	var on stored
	err = s.view(ctx, "get setting", func(tx *bbolt.Tx) error {
		return read(tx.Bucket(settingsBucket), settingKey(of, name), &on)
	})
	return on.live(s.now()), err
}

// Put implements adapters.Settings.
func (s settings) Put(ctx context.Context, of adapters.Owner, name string, r adapters.Record) (version int64, err error) {
	err = s.update(ctx, "put setting", func(tx *bbolt.Tx) error {
		b, key := tx.Bucket(settingsBucket), settingKey(of, name)
		var on stored
		if err := read(b, key, &on); err != nil {
			return err
		}
		old := on.live(s.now())
		next, err := old.Next(r)
		version = next.Version
		switch {
		case err != nil:
			return err
		case next.Version == 0:
			return b.Delete(key)
		case next.Version == old.Version:
			return errSame
		}
		return write(b, key, store(next))
	})
	return version, err
}

// List implements adapters.Settings.
func (s settings) List(ctx context.Context, of adapters.Owner) (map[string]adapters.Record, error) {
	all := map[string]adapters.Record{}
	err := s.view(ctx, "list settings", func(tx *bbolt.Tx) error {
		return each(tx.Bucket(settingsBucket), settingKey(of, ""), func(k, v []byte) error {
			var on stored
			if err := decode(v, &on); err != nil {
				return err
			}
			if r := on.live(s.now()); r.Version > 0 {
				all[restOf(string(of), k)] = r
			}
			return nil
		})
	})
	return all, err
}

// Forget implements adapters.Settings.
func (s settings) Forget(ctx context.Context, of adapters.Owner) error {
	return s.update(ctx, "forget settings", func(tx *bbolt.Tx) error {
		return deleteAll(tx.Bucket(settingsBucket), settingKey(of, ""))
	})
}

// deleteAll removes the keys that begin with the prefix.
func deleteAll(b *bbolt.Bucket, prefix []byte) error {
	var keys [][]byte
	if err := each(b, prefix, func(k, _ []byte) error {
		keys = append(keys, k)
		return nil
	}); err != nil {
		return err
	}
	for _, k := range keys {
		if err := b.Delete(k); err != nil {
			return err
		}
	}
	return nil
}
