//go:build unix

package redis_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"gpuadvisor/adapters"
	"gpuadvisor/adapters/adaptertest"
	"gpuadvisor/adapters/redis"
	"gpuadvisor/advisor"
)

// The benchmarks compare a turn with what a program would do that keeps no
// promise: GET and SET by the same client, of the same bytes, in the same run.
// Slices of both take turns, so that whatever else the machine does hits both.
// Run them with -benchtime 20x: twenty slices of each. Of the ratios,
//
//	floor/raw        is what it costs that a turn is one step on the server:
//	                 a script with nothing in it but GET and SET;
//	script/raw       is what version, ids and outbox cost, in bytes alone;
//	commit/raw+json  is a Load and a Commit beside a GET and a SET of the same
//	                 conversation, decoded and encoded as any program must;
//	commit/raw       is a Load and a Commit beside bytes that nobody reads.

// talk is a conversation as the advisor has it after some questions, 1 KB of
// JSON, and a reply to it.
func talk() (advisor.Conversation, advisor.Reply) {
	c := advisor.Conversation{
		Schema: advisor.Schema, Lang: "zh", Intent: "recommend", Asked: "data_gb", Turns: 5, Answered: true,
		Options: []string{"data_gb=5", "data_gb=50", "data_gb=500", "data_gb=5000"}, At: time.Date(2026, 12, 1, 9, 0, 0, 0, time.UTC),
	}
	c.Facts.Task = advisor.Say("finetune")
	c.Past = append(c.Past, advisor.Keep(advisor.Step{Facts: c.Facts, Asked: "method"}))
	c.Facts.Method = advisor.Say("lora")
	c.Past = append(c.Past, advisor.Keep(advisor.Step{Facts: c.Facts, Asked: "model"}))
	c.Facts.Model = advisor.Say("qwen2.5-7b")
	c.Past = append(c.Past, advisor.Keep(advisor.Step{Facts: c.Facts, Asked: "duration_hours"}))
	c.Facts.DurationHours = advisor.Say(advisor.One(48))
	c.Past = append(c.Past, advisor.Keep(advisor.Step{Facts: c.Facts, Asked: "data_gb"}))
	r := advisor.Reply{Act: "ask:data_gb", Intent: "recommend", Because: []string{"ask.data", "card.24-gib", "platform.vertical-hourly"}}
	r.Parts = append(r.Parts, advisor.Part{Kind: "text", Text: strings.Repeat("先看显存,再看时长。", 12)})
	for _, o := range c.Options {
		r.Choices = append(r.Choices, advisor.Choice{Ref: o, Label: "约 " + o})
	}
	return c, r
}

// slice is how long each kind runs before the other's turn.
const slice = 250 * time.Millisecond

// series are the pairs that one kind has done.
type series struct {
	took []time.Duration
	in   time.Duration
}

// run lets goroutines do pairs for the length of a slice.
func (s *series) run(goroutines int, pair func(g int) error) error {
	took := make([][]time.Duration, goroutines)
	errs := make([]error, goroutines)
	start := time.Now()
	var wg sync.WaitGroup
	for g := range goroutines {
		wg.Go(func() {
			for last := time.Now(); last.Sub(start) < slice && errs[g] == nil; {
				errs[g] = pair(g)
				now := time.Now()
				took[g] = append(took[g], now.Sub(last))
				last = now
			}
		})
	}
	wg.Wait()
	s.in += time.Since(start)
	s.took = append(s.took, slices.Concat(took...)...)
	return errors.Join(errs...)
}

func (s *series) rate() float64 { return float64(len(s.took)) / s.in.Seconds() }

func (s *series) p99() time.Duration {
	slices.Sort(s.took)
	return s.took[len(s.took)*99/100]
}

// bench is a store with people in it, and the same people's state as text.
type bench struct {
	store  *redis.Store
	people int
	turn   advisor.Conversation
	reply  advisor.Reply
	text   []byte // turn in stored form
	out    []byte // reply in stored form
}

func newBench(b *testing.B, people int, args ...string) *bench {
	server := adaptertest.Redis(b, append(args, "--auto-aof-rewrite-percentage", "0")...) // that is not the turn's work
	if server == nil {
		b.Fatal("needs a redis-server on PATH")
	}
	s := &bench{store: open(b, server.URL()), people: people}
	s.turn, s.reply = talk()
	s.text, _ = adapters.EncodeConversation(s.turn)
	s.out, _ = adapters.EncodeReply(s.reply)
	return s
}

func (s *bench) someone() advisor.Key { return s.key(rand.IntN(s.people)) }

func (s *bench) key(n int) advisor.Key {
	return adapters.Key("telegram", "7012345678", "-1001234567890", "", fmt.Sprint(n))
}

// raw is GET and SET of the bytes.
func (s *bench) raw(int) error {
	ctx, key := context.Background(), "raw:"+string(s.someone())
	redis.Client(s.store).Get(ctx, key).Bytes()
	return redis.Client(s.store).Set(ctx, key, s.text, adapters.KeepConversation).Err()
}

// json is raw with what makes a conversation of the bytes and bytes of it.
func (s *bench) json(int) error {
	ctx, key := context.Background(), "raw:"+string(s.someone())
	c := s.turn
	if text, err := redis.Client(s.store).Get(ctx, key).Bytes(); err == nil {
		if c, err = adapters.DecodeConversation(text, 1); err != nil {
			return err
		}
	}
	text, err := adapters.EncodeConversation(c)
	if err != nil {
		return err
	}
	return redis.Client(s.store).Set(ctx, key, text, adapters.KeepConversation).Err()
}

// floor is what raw does, with a script in place of the SET.
func (s *bench) floor(int) error {
	return redis.GetSet(context.Background(), s.store, "floor:"+string(s.someone()), s.text)
}

// script is what raw does, of the same bytes, through the script: with
// versions, ids and an outbox, and without any JSON.
func (s *bench) script(int) error {
	ctx, key := context.Background(), "script:"+s.someone()
	version, err := redis.Load(ctx, s.store, key)
	if err != nil {
		return err
	}
	return redis.Commit(ctx, s.store, key, adapters.Mark(fmt.Sprint(rand.Int64())), version, s.text, s.out)
}

// commit is a turn up to its commit, sent one up to its mark.
func (s *bench) commit(int) error { return s.play(s.someone(), false) }
func (s *bench) sent(int) error   { return s.play(s.someone(), true) }

func (s *bench) play(key advisor.Key, mark bool) error {
	ctx, id := context.Background(), fmt.Sprint(rand.Int64())
	for {
		c, err := s.store.Conversations().Load(ctx, key)
		if err != nil {
			return err
		}
		turn := s.turn
		turn.Version = c.Version
		_, err = s.store.Conversations().Commit(ctx, key, adapters.Turn{MessageID: id, Conversation: turn, Reply: s.reply})
		if errors.Is(err, adapters.ErrConflict) {
			continue
		}
		if err != nil || !mark {
			return err
		}
		return s.store.Conversations().MarkSent(ctx, key, id)
	}
}

func BenchmarkTurn(b *testing.B) {
	for _, goroutines := range []int{1, 16, 64} {
		b.Run(fmt.Sprintf("goroutines=%d", goroutines), func(b *testing.B) {
			s := newBench(b, 10_000)
			s.fill(b)
			var raw, json, floor, script, commit, sent series
			for b.Loop() {
				err := errors.Join(
					raw.run(goroutines, s.raw), json.run(goroutines, s.json), floor.run(goroutines, s.floor), script.run(goroutines, s.script),
					commit.run(goroutines, s.commit), sent.run(goroutines, s.sent))
				if err != nil {
					b.Fatal(err)
				}
			}
			b.ReportMetric(raw.rate(), "raw/s")
			b.ReportMetric(commit.rate(), "commit/s")
			b.ReportMetric(floor.rate()/raw.rate(), "floor/raw")
			b.ReportMetric(script.rate()/raw.rate(), "script/raw")
			b.ReportMetric(commit.rate()/raw.rate(), "commit/raw")
			b.ReportMetric(commit.rate()/json.rate(), "commit/raw+json")
			b.ReportMetric(sent.rate()/raw.rate(), "sent/raw")
			b.ReportMetric(sent.rate()/json.rate(), "sent/raw+json")
			b.ReportMetric(float64(commit.p99())/float64(raw.p99()), "p99/raw")
			b.ReportMetric(float64(commit.p99())/float64(json.p99()), "p99/raw+json")
			b.ReportMetric(float64(commit.p99().Microseconds()), "p99-µs")
			b.ReportMetric(0, "ns/op")
		})
	}
}

// BenchmarkScale compares ten conversations with a million, on two servers
// whose slices take turns. Filling takes a minute or two and 3 GB.
func BenchmarkScale(b *testing.B) {
	const goroutines = 5 // each with people of its own, lest ten people conflict
	few, many := newBench(b, 10), newBench(b, 1_000_000)
	many.fill(b)
	var small, large series
	for b.Loop() {
		turn := func(s *bench) func(int) error {
			return func(g int) error {
				return s.play(s.key(g+goroutines*rand.IntN(s.people/goroutines)), true)
			}
		}
		if err := errors.Join(small.run(goroutines, turn(few)), large.run(goroutines, turn(many))); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(small.rate(), "ten/s")
	b.ReportMetric(large.rate(), "million/s")
	b.ReportMetric(large.rate()/small.rate(), "million/ten")
	b.ReportMetric(0, "ns/op")
}

// fill gives everybody a conversation of one turn.
func (s *bench) fill(b *testing.B) {
	var next atomic.Int64
	var wg sync.WaitGroup
	for range 64 {
		wg.Go(func() {
			for {
				n := next.Add(1) - 1
				if n >= int64(s.people) {
					return
				}
				turn := adapters.Turn{MessageID: "1", Conversation: s.turn, Reply: s.reply} // version 0
				if _, err := s.store.Conversations().Commit(context.Background(), s.key(int(n)), turn); err != nil {
					b.Error(err)
					return
				}
			}
		})
	}
	wg.Wait()
	for strings.Contains(redis.Client(s.store).Info(context.Background(), "persistence").Val(), "aof_rewrite_in_progress:1") {
		time.Sleep(100 * time.Millisecond) // it writes its file anew, which is not the turn's work
	}
}
