package bolt_test

import (
	"context"
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
	turn := conversation()
	s := store.Conversations()
	var theirs, ours series
	for b.Loop() {
		theirs.run(b, func() error {
			key := who()
			if err := update(key); err != nil {
				return err
			}
			return update(key)
		})
		ours.run(b, func() error {
			ctx, key, id := context.Background(), advisor.Key(who()), fmt.Sprint(rand.Int64())
			c, err := s.Load(ctx, key)
			if err != nil {
				return err
			}
			next := turn
			next.Version = c.Version
			if _, err := s.Commit(ctx, key, adapters.Turn{MessageID: id, Conversation: next, Reply: advisor.Reply{Act: strings.Repeat("r", 700)}}); err != nil {
				return err
			}
			return s.MarkSent(ctx, key, id)
		})
	}
	b.ReportMetric(theirs.rate(), "raw/s")
	b.ReportMetric(ours.rate(), "turns/s")
	b.ReportMetric(ours.rate()/theirs.rate(), "turns/raw")
	b.ReportMetric(float64(ours.p99())/float64(theirs.p99()), "p99/raw")
	b.ReportMetric(float64(ours.p99().Microseconds()), "p99-µs")
	b.ReportMetric(0, "ns/op")
}

// conversation is one as the advisor has it after some questions, about 1 KB.
func conversation() advisor.Conversation {
	c := advisor.Conversation{Schema: advisor.Schema, Lang: "zh", Intent: "recommend", Asked: "data_gb", Turns: 5}
	c.Facts.Task, c.Facts.Method, c.Facts.Model = advisor.Say("finetune"), advisor.Say("lora"), advisor.Say("qwen2.5-7b")
	for _, asked := range []string{"method", "model", "duration_hours", "data_gb"} {
		c.Past = append(c.Past, advisor.Keep(advisor.Step{Facts: c.Facts, Asked: asked}))
	}
	return c
}
