// Package adaptertest holds the conformance suites: what a chat and a store
// must do, as tests that every adapter runs. When a bug shows up in one
// adapter, its case belongs here, so that all adapters get it.
package adaptertest

import (
	"context"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"sync"
	"testing"

	"pgregory.net/rapid"

	"gpuadvisor/adapters"
	"gpuadvisor/advisor"
)

// TestConversations checks a store against adapters.Conversations. open
// returns an empty store; it cleans up with t.Cleanup.
func TestConversations(t *testing.T, open func(t *testing.T) adapters.Conversations) {
	for name, test := range map[string]func(*testing.T, adapters.Conversations){
		"fresh":        fresh,
		"round trip":   roundTrip,
		"conflict":     conflict,
		"repeat":       repeat,
		"sent":         sent,
		"committed":    committed,
		"remembers":    remembers,
		"people":       people,
		"forget":       forget,
		"texts":        texts,
		"copies":       copies,
		"cancelled":    cancelled,
		"many at once": manyAtOnce,
	} {
		t.Run(name, func(t *testing.T) { test(t, open(t)) })
	}
	t.Run("like the model", func(t *testing.T) { likeTheModel(t, open) })
}

const someone = advisor.Key("chat:bot:room::someone")

func say(id, text string, version int64) adapters.Turn {
	return adapters.Turn{
		MessageID:    id,
		Conversation: advisor.Conversation{Schema: advisor.Schema, Version: version, Lang: "zh", Asked: text, Turns: 1},
		Reply:        advisor.Reply{Act: "answer", Parts: []advisor.Part{{Kind: "text", Text: text}}},
	}
}

func load(t testing.TB, s adapters.Conversations, key advisor.Key) advisor.Conversation {
	t.Helper()
	c, err := s.Load(context.Background(), key)
	if err != nil {
		t.Fatalf("Load(%q): %v", key, err)
	}
	return c
}

func commit(t testing.TB, s adapters.Conversations, key advisor.Key, turn adapters.Turn) adapters.Outcome {
	t.Helper()
	out, err := s.Commit(context.Background(), key, turn)
	if err != nil {
		t.Fatalf("Commit(%q, message %s): %v", key, turn.MessageID, err)
	}
	return out
}

func fresh(t *testing.T, s adapters.Conversations) {
	if c := load(t, s, someone); !reflect.DeepEqual(c, advisor.Conversation{}) {
		t.Errorf("got %+v before anything was stored, want the zero conversation", c)
	}
}

func roundTrip(t *testing.T, s adapters.Conversations) {
	for i := range int64(5) {
		turn := say(fmt.Sprint(i), "hello", i)
		out := commit(t, s, someone, turn)
		if out.Version != i+1 || out.Repeat || out.Sent || !reflect.DeepEqual(out.Reply, turn.Reply) {
			t.Errorf("Commit %d = %+v, want version %d with its own reply, unsent", i, out, i+1)
		}
		want := turn.Conversation
		want.Version = i + 1
		if got := load(t, s, someone); !reflect.DeepEqual(got, want) {
			t.Errorf("Load = %+v, want %+v", got, want)
		}
	}
	if c := load(t, s, "chat:bot:room::other"); c.Version != 0 {
		t.Errorf("somebody else's conversation has version %d, want 0", c.Version)
	}
}

func conflict(t *testing.T, s adapters.Conversations) {
	commit(t, s, someone, say("1", "first", 0))
	for _, version := range []int64{0, 2, -1} {
		_, err := s.Commit(context.Background(), someone, say("2", "late", version))
		if !errors.Is(err, adapters.ErrConflict) {
			t.Errorf("Commit over version %d: got error %v, want ErrConflict", version, err)
		}
	}
	if got := load(t, s, someone); got.Asked != "first" || got.Version != 1 {
		t.Errorf("after conflicts: got %q version %d, want the first state at version 1", got.Asked, got.Version)
	}
	if out := commit(t, s, someone, say("2", "again", 1)); out.Repeat || out.Version != 2 {
		t.Errorf("playing the refused message again: got %+v, want a fresh commit of version 2", out)
	}
}

// repeat: the id is looked up before the version is compared, so that a retry
// of a commit that did arrive is not taken for a conflict.
func repeat(t *testing.T, s adapters.Conversations) {
	first := commit(t, s, someone, say("1", "first", 0))
	commit(t, s, someone, say("2", "second", 1))
	for _, version := range []int64{0, 1, 2} {
		out := commit(t, s, someone, say("1", "different", version))
		if !out.Repeat || !reflect.DeepEqual(out.Reply, first.Reply) {
			t.Errorf("message 1 again over version %d: got %+v, want the reply of the first time", version, out)
		}
	}
	if got := load(t, s, someone); got.Asked != "second" || got.Version != 2 {
		t.Errorf("repeats changed the state to %q version %d", got.Asked, got.Version)
	}
}

func sent(t *testing.T, s adapters.Conversations) {
	ctx := context.Background()
	commit(t, s, someone, say("1", "first", 0))
	if out := commit(t, s, someone, say("1", "first", 0)); out.Sent {
		t.Error("a reply counts as sent before MarkSent")
	}
	for range 2 {
		if err := s.MarkSent(ctx, someone, "1"); err != nil {
			t.Fatalf("MarkSent: %v", err)
		}
	}
	if out := commit(t, s, someone, say("1", "first", 0)); !out.Sent || !reflect.DeepEqual(out.Reply, advisor.Reply{}) {
		t.Errorf("after MarkSent: got %+v, want it sent and its text dropped", out)
	}
	if err := s.MarkSent(ctx, someone, "never"); err != nil {
		t.Errorf("MarkSent of an unknown message: got %v, want no error", err)
	}
	if err := s.MarkSent(ctx, "nobody", "1"); err != nil {
		t.Errorf("MarkSent of an unknown conversation: got %v, want no error", err)
	}
}

// committed: a message can be looked up without committing anything.
func committed(t *testing.T, s adapters.Conversations) {
	ask := func(id string, want adapters.Outcome) {
		t.Helper()
		got, err := s.Committed(context.Background(), someone, id)
		if err != nil || !reflect.DeepEqual(got, want) {
			t.Errorf("Committed(%s) = %+v, %v, want %+v", id, got, err, want)
		}
	}
	ask("1", adapters.Outcome{})
	turn := say("1", "first", 0)
	commit(t, s, someone, turn)
	ask("1", adapters.Outcome{Version: 1, Repeat: true, Reply: turn.Reply})
	ask("2", adapters.Outcome{Version: 1})
	if err := s.MarkSent(context.Background(), someone, "1"); err != nil {
		t.Fatalf("MarkSent: %v", err)
	}
	ask("1", adapters.Outcome{Version: 1, Repeat: true, Sent: true})
}

// people: what somebody said in several rooms can be found by who they are.
func people(t *testing.T, s adapters.Conversations) {
	ctx := context.Background()
	var mine []advisor.Key
	for _, room := range []string{"private", "team", "a:b"} {
		for _, user := range []string{"me", "you"} {
			key := adapters.Key("chat", "bot", room, "", user)
			for i := range int64(3) {
				commit(t, s, key, say(fmt.Sprint(i), room, i))
			}
			if user == "me" {
				mine = append(mine, key)
			}
		}
	}
	me := adapters.Person(mine[0])
	slices.Sort(mine)
	for range 2 {
		got, err := s.Of(ctx, me)
		slices.Sort(got)
		if err != nil || !slices.Equal(got, mine) {
			t.Errorf("Of(%s) = %q, %v, want %q", me, got, err, mine)
		}
		if len(mine) > 0 {
			if err := s.Forget(ctx, mine[0]); err != nil {
				t.Fatalf("Forget: %v", err)
			}
			mine = mine[1:]
		}
	}
	if got, err := s.Of(ctx, "person:chat:bot:nobody"); err != nil || len(got) != 0 {
		t.Errorf("Of somebody unknown = %q, %v, want none", got, err)
	}
}

func remembers(t *testing.T, s adapters.Conversations) {
	for i := range adapters.KeepIDs {
		commit(t, s, someone, say(fmt.Sprint(i), fmt.Sprint(i), int64(i)))
	}
	for i := range adapters.KeepIDs {
		out := commit(t, s, someone, say(fmt.Sprint(i), "again", 0))
		if !out.Repeat || saidIn(out.Reply) != fmt.Sprint(i) {
			t.Errorf("message %d of the last %d: got %+v, want its first reply", i, adapters.KeepIDs, out)
		}
	}
	const many = 4 * adapters.KeepIDs // the oldest make room
	for i := adapters.KeepIDs; i < many; i++ {
		commit(t, s, someone, say(fmt.Sprint(i), fmt.Sprint(i), int64(i)))
	}
	for i := many - adapters.KeepIDs; i < many; i++ {
		if out := commit(t, s, someone, say(fmt.Sprint(i), "again", 0)); !out.Repeat || saidIn(out.Reply) != fmt.Sprint(i) {
			t.Errorf("message %d of %d: got %+v, want its first reply", i, many, out)
		}
	}
}

// saidIn is the text of a reply that say made.
func saidIn(r advisor.Reply) string {
	if len(r.Parts) == 0 {
		return ""
	}
	return r.Parts[0].Text
}

func forget(t *testing.T, s adapters.Conversations) {
	ctx := context.Background()
	commit(t, s, someone, say("1", "first", 0))
	commit(t, s, "other", say("1", "theirs", 0))
	for range 2 {
		if err := s.Forget(ctx, someone); err != nil {
			t.Fatalf("Forget: %v", err)
		}
	}
	if c := load(t, s, someone); !reflect.DeepEqual(c, advisor.Conversation{}) {
		t.Errorf("after Forget: got %+v, want the zero conversation", c)
	}
	if c := load(t, s, "other"); c.Asked != "theirs" {
		t.Errorf("forgetting one person changed another: got %q", c.Asked)
	}
	if _, err := s.Commit(ctx, someone, say("2", "late", 1)); !errors.Is(err, adapters.ErrConflict) {
		t.Errorf("a turn loaded before Forget: got error %v, want ErrConflict", err)
	}
	if out := commit(t, s, someone, say("1", "fresh", 0)); out.Repeat {
		t.Error("a message id survived Forget")
	}
}

// Texts are what people and chats send: a store and a chat must carry them all.
var Texts = []string{
	"想微调一个 7B 模型,租什么卡?",
	"👩‍🔬 emoji 🧑🏽‍💻 and é e\u0301",
	"```\nRuntimeError: CUDA out of memory.\n```",
	"a:b:c {tag} %s \\n \"quoted\" <b>not html</b> & *not* _markup_",
	"line\nbreaks\r\nand\ttabs",
	"\u200bzero\u200d width \u202eright to left\u202c",
	"\x1b[31mred\x1b[0m\a",
	strings.Repeat("很长的一段话。", 5000),
}

func texts(t *testing.T, s adapters.Conversations) {
	for i, text := range Texts {
		key := advisor.Key(fmt.Sprint("chat:bot:}房间{:👩‍🔬:", i))
		turn := say("消息:"+text[:1], text, 0)
		commit(t, s, key, turn)
		if got := load(t, s, key); got.Asked != text {
			t.Errorf("text %d came back as %.60q, want %.60q", i, got.Asked, text)
		}
		if out := commit(t, s, key, turn); !reflect.DeepEqual(out.Reply, turn.Reply) {
			t.Errorf("reply %d came back as %.60v", i, out.Reply)
		}
	}
}

// copies: a caller may go on using what it stored and what it loaded.
func copies(t *testing.T, s adapters.Conversations) {
	turn := say("1", "first", 0)
	turn.Conversation.Settled = []string{"model"}
	commit(t, s, someone, turn)
	turn.Conversation.Settled[0] = "changed"
	turn.Reply.Parts[0].Text = "changed"
	load(t, s, someone).Settled[0] = "changed too"
	if got := load(t, s, someone).Settled[0]; got != "model" {
		t.Errorf("a stored slice changed to %q through a caller's hands", got)
	}
	if got := commit(t, s, someone, say("1", "", 0)).Reply.Parts[0].Text; got != "first" {
		t.Errorf("a stored reply changed to %q through a caller's hands", got)
	}
}

func cancelled(t *testing.T, s adapters.Conversations) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := s.Load(ctx, someone); !errors.Is(err, context.Canceled) {
		t.Errorf("Load with a cancelled context: got %v, want context.Canceled", err)
	}
	if _, err := s.Commit(ctx, someone, say("1", "x", 0)); !errors.Is(err, context.Canceled) {
		t.Errorf("Commit with a cancelled context: got %v, want context.Canceled", err)
	}
	if err := s.MarkSent(ctx, someone, "1"); !errors.Is(err, context.Canceled) {
		t.Errorf("MarkSent with a cancelled context: got %v, want context.Canceled", err)
	}
	if err := s.Forget(ctx, someone); !errors.Is(err, context.Canceled) {
		t.Errorf("Forget with a cancelled context: got %v, want context.Canceled", err)
	}
	if c := load(t, s, someone); c.Version != 0 {
		t.Error("a cancelled commit was stored")
	}
}

// manyAtOnce: of turns that start from the same version one gets through.
func manyAtOnce(t *testing.T, s adapters.Conversations) {
	const writers, each = 8, 20
	var wg sync.WaitGroup
	for w := range writers {
		wg.Go(func() {
			for i := range each {
				for {
					c, err := s.Load(context.Background(), someone)
					if err != nil {
						t.Errorf("Load: %v", err)
						return
					}
					c.Turns++
					_, err = s.Commit(context.Background(), someone, adapters.Turn{MessageID: fmt.Sprint(w, ".", i), Conversation: c})
					if err == nil {
						break
					}
					if !errors.Is(err, adapters.ErrConflict) {
						t.Errorf("Commit: %v", err)
						return
					}
				}
			}
		})
	}
	wg.Wait()
	if c := load(t, s, someone); c.Turns != writers*each || c.Version != writers*each {
		t.Errorf("got %d turns at version %d, want %d of each: a turn was lost or doubled", c.Turns, c.Version, writers*each)
	}
}

// likeTheModel plays random calls against the store and against a map.
func likeTheModel(t *testing.T, open func(t *testing.T) adapters.Conversations) {
	type kept struct {
		version int64
		text    string
		replies map[string]string
		sent    map[string]bool
	}
	s := open(t)
	run := 0
	rapid.Check(t, func(r *rapid.T) {
		run++ // keys of their own for each run, one store for all
		model := map[advisor.Key]*kept{}
		key := rapid.Custom(func(r *rapid.T) advisor.Key {
			return advisor.Key(fmt.Sprint(run, ":", rapid.IntRange(0, 2).Draw(r, "person")))
		})
		id := rapid.Custom(func(r *rapid.T) string { return fmt.Sprint(rapid.IntRange(0, 20).Draw(r, "message")) })
		of := func(k advisor.Key) *kept {
			if model[k] == nil {
				model[k] = &kept{replies: map[string]string{}, sent: map[string]bool{}}
			}
			return model[k]
		}
		r.Repeat(map[string]func(*rapid.T){
			"commit": func(r *rapid.T) {
				k, m := key.Draw(r, "key"), id.Draw(r, "id")
				want := of(k)
				version := want.version + int64(rapid.SampledFrom([]int{0, 0, 0, -1, 1}).Draw(r, "off"))
				text := rapid.StringN(0, 20, 60).Draw(r, "text")
				out, err := s.Commit(context.Background(), k, say(m, text, version))
				old, repeated := want.replies[m]
				switch {
				case repeated:
					if want.sent[m] {
						old = ""
					}
					if err != nil || !out.Repeat || saidIn(out.Reply) != old || out.Sent != want.sent[m] {
						r.Fatalf("repeat of %s: got %+v, %v; want reply %q, sent %v", m, out, err, old, want.sent[m])
					}
				case version != want.version:
					if !errors.Is(err, adapters.ErrConflict) {
						r.Fatalf("commit over %d at %d: got %v, want ErrConflict", version, want.version, err)
					}
				default:
					want.version, want.text, want.replies[m] = version+1, text, text
					if err != nil || out.Repeat || out.Version != want.version {
						r.Fatalf("commit: got %+v, %v; want version %d", out, err, want.version)
					}
				}
			},
			"mark sent": func(r *rapid.T) {
				k, m := key.Draw(r, "key"), id.Draw(r, "id")
				if _, ok := of(k).replies[m]; ok {
					of(k).sent[m] = true
				}
				if err := s.MarkSent(context.Background(), k, m); err != nil {
					r.Fatalf("MarkSent: %v", err)
				}
			},
			"forget": func(r *rapid.T) {
				k := key.Draw(r, "key")
				delete(model, k)
				if err := s.Forget(context.Background(), k); err != nil {
					r.Fatalf("Forget: %v", err)
				}
			},
			"": func(r *rapid.T) {
				for k, want := range model {
					c, err := s.Load(context.Background(), k)
					if err != nil || c.Version != want.version || c.Asked != want.text {
						r.Fatalf("Load(%s) = version %d %q, %v; want version %d %q", k, c.Version, c.Asked, err, want.version, want.text)
					}
				}
			},
		})
	})
}
