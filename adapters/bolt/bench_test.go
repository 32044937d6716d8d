package bolt_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"go.etcd.io/bbolt"

	"gpuadvisor/adapters"
	"gpuadvisor/adapters/bolt"
	"gpuadvisor/advisor"
)

// The benchmarks compare a turn with the least that a program could do: two
// updates of a file, one for the state, one for a mark, 1 KB each. Slices of
// both take turns, so that whatever else the disk does hits both. Run them
// with -benchtime 10x: ten slices of each.

const slice = 300 * time.Millisecond

type series struct {
	took []time.Duration
	in   time.Duration
}

func (s *series) run(b *testing.B, once func() error) {
	start := time.Now()
	for last := start; last.Sub(start) < slice; {
		if err := once(); err != nil {
			b.Fatal(err)
		}
		now := time.Now()
		s.took = append(s.took, now.Sub(last))
		last = now
	}
	s.in += time.Since(start)
}

func (s *series) rate() float64 { return float64(len(s.took)) / s.in.Seconds() }

func (s *series) p99() time.Duration {
	slices.Sort(s.took)
	return s.took[len(s.took)*99/100]
}

func BenchmarkTurn(b *testing.B) {
	store, err := bolt.Open(filepath.Join(b.TempDir(), "ours.db"))
	if err != nil {
		b.Fatal(err)
	}
	defer store.Close()
	raw, err := bbolt.Open(filepath.Join(b.TempDir(), "raw.db"), 0o600, &bbolt.Options{FreelistType: bbolt.FreelistMapType})
	if err != nil {
		b.Fatal(err)
	}
	defer raw.Close()
	const people = 10_000
	who := func() string { return fmt.Sprint("telegram:7012345678:-1001234567890::", rand.IntN(people)) }
	text := []byte(strings.Repeat("a", 1024))
	update := func(key string) error {
		return raw.Update(func(tx *bbolt.Tx) error {
			bucket, err := tx.CreateBucketIfNotExists([]byte("states"))
			if err != nil {
				return err
			}
			return bucket.Put([]byte(key), text)
		})
	}
	var theirs, ours series
	for b.Loop() {
		theirs.run(b, func() error {
			key := who()
			if err := update(key); err != nil {
				return err
			}
			return update(key)
		})
		ours.run(b, func() error { return turn(store, advisor.Key(who())) })
	}
	b.ReportMetric(theirs.rate(), "raw/s")
	b.ReportMetric(ours.rate(), "turns/s")
	b.ReportMetric(ours.rate()/theirs.rate(), "turns/raw")
	b.ReportMetric(float64(ours.p99())/float64(theirs.p99()), "p99/raw")
	b.ReportMetric(float64(ours.p99().Microseconds()), "p99-µs")
	b.ReportMetric(0, "ns/op")
}

// BenchmarkScale compares ten conversations with a million, and beside it what
// the file itself loses: one update of a value of the same size in a file of
// ten and of a million. Filling takes two minutes and 4 GB.
func BenchmarkScale(b *testing.B) {
	few, many := newScale(b, 10), newScale(b, 1_000_000)
	var small, large, smallRaw, largeRaw series
	for b.Loop() {
		small.run(b, few.turn)
		large.run(b, many.turn)
		smallRaw.run(b, few.raw)
		largeRaw.run(b, many.raw)
	}
	b.ReportMetric(small.rate(), "ten/s")
	b.ReportMetric(large.rate(), "million/s")
	b.ReportMetric(large.rate()/small.rate(), "million/ten")
	b.ReportMetric(largeRaw.rate()/smallRaw.rate(), "raw-million/ten")
	b.ReportMetric(0, "ns/op")
}

// scale is a store with people in it, and a bare file with as many values.
type scale struct {
	people int
	store  *bolt.Store
	bare   *bbolt.DB
	value  []byte
}

func newScale(b *testing.B, people int) *scale {
	store, err := bolt.Open(filepath.Join(b.TempDir(), "ours.db"))
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { store.Close() })
	bare, err := bbolt.Open(filepath.Join(b.TempDir(), "raw.db"), 0o600, &bbolt.Options{FreelistType: bbolt.FreelistMapType})
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { bare.Close() })
	s := &scale{people: people, store: store, bare: bare}
	ledger := &adapters.Ledger{}
	if _, err := ledger.Commit(adapters.Turn{MessageID: "0", Conversation: conversation(), Reply: reply()}, time.Now()); err != nil {
		b.Fatal(err)
	}
	s.value, _ = json.Marshal(ledger)
	for from := 0; from < people; from += 10_000 {
		var items []adapters.Item
		for n := from; n < min(people, from+10_000); n++ {
			items = append(items, adapters.Item{Key: s.key(n), Ledger: ledger})
		}
		err := errors.Join(store.Restore(b.Context(), items), bare.Update(func(tx *bbolt.Tx) error {
			for _, i := range items {
				if err := put(tx, i.Key, s.value); err != nil {
					return err
				}
			}
			return nil
		}))
		if err != nil {
			b.Fatal(err)
		}
	}
	return s
}

func put(tx *bbolt.Tx, key advisor.Key, value []byte) error {
	bucket, err := tx.CreateBucketIfNotExists([]byte("states"))
	if err != nil {
		return err
	}
	return bucket.Put([]byte(key), value)
}

func (s *scale) key(n int) advisor.Key {
	return adapters.Key("telegram", "7012345678", "-1001234567890", "", fmt.Sprintf("%07d", n))
}

func (s *scale) someone() advisor.Key { return s.key(rand.IntN(s.people)) }

func (s *scale) raw() error {
	return s.bare.Update(func(tx *bbolt.Tx) error { return put(tx, s.someone(), s.value) })
}

// turn is one up to its mark.
func (s *scale) turn() error { return turn(s.store, s.someone()) }

func turn(store *bolt.Store, key advisor.Key) error {
	ctx, id, s := context.Background(), fmt.Sprint(rand.Int64()), store.Conversations()
	c, err := s.Load(ctx, key)
	if err != nil {
		return err
	}
	next := conversation()
	next.Version = c.Version
	if _, err := s.Commit(ctx, key, adapters.Turn{MessageID: id, Conversation: next, Reply: reply()}); err != nil {
		return err
	}
	return s.MarkSent(ctx, key, id)
}

func reply() advisor.Reply { return advisor.Reply{Act: strings.Repeat("r", 700)} }

// conversation is one as the advisor has it after some questions, about 1 KB.
func conversation() advisor.Conversation {
	c := advisor.Conversation{Schema: advisor.Schema, Lang: "zh", Intent: "recommend", Asked: "data_gb", Turns: 5}
	c.Facts.Task, c.Facts.Method, c.Facts.Model = advisor.Say("finetune"), advisor.Say("lora"), advisor.Say("qwen2.5-7b")
	for _, asked := range []string{"method", "model", "duration_hours", "data_gb"} {
		c.Past = append(c.Past, advisor.Keep(advisor.Step{Facts: c.Facts, Asked: asked}))
	}
	return c
}
