package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/alicebob/miniredis/v2"

	"gpuadvisor/adapters"
	"gpuadvisor/adapters/bolt"
	"gpuadvisor/adapters/memory"
	"gpuadvisor/adapters/redis"
	"gpuadvisor/advisor"
)

// script is an advisor that says what it was told and wants what it is told.
func script(k advisor.Known, m advisor.Message) (advisor.Conversation, advisor.Reply, []advisor.Effect) {
	c := k.Conversation
	text := m.Text
	if m.Kind != advisor.KindDone {
		c.Turns++
		c.Asked = text
	}
	var effects []advisor.Effect
	switch {
	case m.Kind == advisor.KindDone && m.Done.Effect.Kind == "forget":
		text = fmt.Sprint("forgotten: ", m.Done.Deleted)
		c = advisor.Conversation{Version: c.Version}
	case m.Kind == advisor.KindDone && m.Done.OK:
		text = strings.TrimSpace("kept " + m.Done.Code)
	case m.Kind == advisor.KindDone:
		text = "not kept: " + m.Done.Code
	case m.Text == "crash":
		panic("as asked")
	case m.Text == "ignore":
		return k.Conversation, advisor.Reply{Act: "ignore"}, nil
	case strings.HasPrefix(m.Text, "remind"):
		effects = []advisor.Effect{{ID: m.ID + "/remind", Kind: "remind", Reminder: advisor.Reminder{ID: m.ID, Key: m.Key, At: m.At.Add(time.Hour)}}}
	case strings.HasPrefix(m.Text, "zone "), strings.HasPrefix(m.Text, "room zone "):
		e := advisor.Effect{ID: m.ID + "/settings", Kind: "settings", Profile: k.Own, Room: strings.HasPrefix(m.Text, "room")}
		if e.Room {
			e.Profile = k.Room
		}
		e.Profile.Zone = m.Text[strings.LastIndex(m.Text, " ")+1:]
		effects = []advisor.Effect{e}
	case m.Text == "which zone":
		text = k.Profile.Zone
	case m.Text == "what did I say":
		text = k.Conversation.Asked
	case m.Text == "forget":
		effects = []advisor.Effect{{ID: m.ID + "/forget", Kind: "forget"}}
	case m.Text == "fly":
		effects = []advisor.Effect{{ID: m.ID + "/fly", Kind: "fly"}}
	}
	return c, advisor.Reply{Act: "answer", Parts: []advisor.Part{{Kind: "text", Text: text}}}, effects
}

// deskOver is a desk over a store, with that advisor.
func deskOver(store adapters.Store) *desk {
	return &desk{
		answer: script, store: store.Conversations(), profiles: &profiles{settings: store.Settings()}, reminders: store.Reminders(),
		profile: advisor.Profile{Zone: "UTC"}, lang: "en", log: slog.New(slog.DiscardHandler),
	}
}

// overEveryStore runs a test over each kind of store.
func overEveryStore(t *testing.T, test func(t *testing.T, store adapters.Store)) {
	t.Run("memory", func(t *testing.T) { test(t, memory.Open(time.Now)) })
	t.Run("bolt", func(t *testing.T) { test(t, openBolt(t, filepath.Join(t.TempDir(), "test.db"))) })
	t.Run("redis", func(t *testing.T) { test(t, openRedis(t, miniredis.RunT(t).Addr())) })
}

func openBolt(t testing.TB, file string) *bolt.Store {
	s, err := bolt.Open(file)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	return s
}

func openRedis(t testing.TB, addr string) *redis.Store {
	s, err := redis.Open(context.Background(), "redis://"+addr)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	return s
}

// hear plays one message and returns what was sent: text per part.
func hear(d *desk, m advisor.Message) (sent []string) {
	d.Turn(context.Background(), m, func(_ context.Context, r advisor.Reply) error {
		for _, p := range r.Parts {
			sent = append(sent, p.Text)
		}
		return nil
	})
	return sent
}

// me and others in a group, and me in private.
var (
	meHere    = adapters.Key("chat", "bot", "-100", "", "me")
	youHere   = adapters.Key("chat", "bot", "-100", "", "you")
	mePrivate = adapters.Key("chat", "bot", "me", "", "me")
)

func from(key advisor.Key, id, text string) advisor.Message {
	return advisor.Message{ID: id, Key: key, Text: text, Lang: "en", At: time.Now(), Addressed: true}
}

func wantSaid(t *testing.T, what string, got []string, want ...string) {
	t.Helper()
	if !slices.Equal(got, want) {
		t.Errorf("%s: got %q, want %q", what, got, want)
	}
}

func TestTurn(t *testing.T) {
	overEveryStore(t, func(t *testing.T, store adapters.Store) {
		d := deskOver(store)
		wantSaid(t, "a message", hear(d, from(meHere, "1", "hello")), "hello")
		wantSaid(t, "the same message again", hear(d, from(meHere, "1", "hello")))
		wantSaid(t, "a message for others", hear(d, from(meHere, "2", "ignore")))
		if c, _ := d.store.Load(t.Context(), meHere); c.Turns != 1 || c.Version != 2 {
			t.Errorf("got %d turns at version %d, want 1 at 2", c.Turns, c.Version)
		}
	})
}

// A reply that did not get out is sent when the message comes again.
func TestTurnSendsAgain(t *testing.T) {
	overEveryStore(t, func(t *testing.T, store adapters.Store) {
		d := deskOver(store)
		d.Turn(t.Context(), from(meHere, "1", "hello"), func(context.Context, advisor.Reply) error { return adapters.ErrUnavailable })
		wantSaid(t, "after a failed send", hear(d, from(meHere, "1", "hello")), "hello")
		wantSaid(t, "after it was sent", hear(d, from(meHere, "1", "hello")))
	})
}

func TestTurnSurvivesAPanic(t *testing.T) {
	d := deskOver(memory.Open(time.Now))
	var log bytes.Buffer
	d.log = slog.New(slog.NewTextHandler(&log, nil))
	hear(d, from(meHere, "1", "hello"))
	wantSaid(t, "a panic", hear(d, from(meHere, "2", "crash")), words["sorry"]["en"])
	if c, _ := d.store.Load(t.Context(), meHere); c.Turns != 1 {
		t.Errorf("a panic left %d turns, want the 1 before it", c.Turns)
	}
	if said := log.String(); !strings.Contains(said, "turn_test.go") || strings.Contains(said, "as asked") {
		t.Errorf("want the stack in the log, and not what was in the panic:\n%s", said)
	}
	wantSaid(t, "after a panic", hear(d, from(meHere, "3", "again")), "again")
}

// meddled is a store in which somebody else is quicker, n times.
type meddled struct {
	adapters.Conversations
	n int
}

func (s *meddled) Commit(ctx context.Context, key advisor.Key, t adapters.Turn) (adapters.Outcome, error) {
	if s.n > 0 {
		s.n--
		c, _ := s.Load(ctx, key)
		c.Intent = "theirs"
		s.Conversations.Commit(ctx, key, adapters.Turn{MessageID: fmt.Sprint("other", s.n), Conversation: c})
	}
	return s.Conversations.Commit(ctx, key, t)
}

func TestTurnPlaysAgainAfterConflict(t *testing.T) {
	overEveryStore(t, func(t *testing.T, store adapters.Store) {
		d := deskOver(store)
		quick := &meddled{d.store, 3}
		d.store = quick
		wantSaid(t, "three conflicts", hear(d, from(meHere, "1", "remind me")), "remind me", "kept")
		if c, _ := d.store.Load(t.Context(), meHere); c.Intent != "theirs" || c.Version != 4 {
			t.Errorf("got %q at version %d: the turn was not played on the newest state", c.Intent, c.Version)
		}
		if list, _ := d.reminders.List(t.Context(), adapters.Person(meHere)); len(list) != 1 {
			t.Errorf("a turn that was played 4 times keeps %d reminders, want 1", len(list))
		}
		quick.n = 1000
		wantSaid(t, "endless conflicts", hear(d, from(meHere, "2", "hello")), words["sorry"]["en"])
	})
}

// What an earlier try has done and the last one does not want is taken back.
func TestTurnTakesBack(t *testing.T) {
	store := memory.Open(time.Now)
	d := deskOver(store)
	d.store = &meddled{d.store, 1}
	tries := 0
	d.answer = func(k advisor.Known, m advisor.Message) (advisor.Conversation, advisor.Reply, []advisor.Effect) {
		if m.Kind != advisor.KindDone {
			if tries++; tries > 1 {
				m.Text = "thought better of it"
			}
		}
		return script(k, m)
	}
	wantSaid(t, "a turn with second thoughts", hear(d, from(meHere, "1", "remind me")), "thought better of it")
	if list, _ := store.Reminders().List(t.Context(), adapters.Person(meHere)); len(list) != 0 {
		t.Errorf("it leaves reminders: %v", list)
	}
}

// A process that dies between any two steps leaves a turn that the next one
// finishes: answered, and applied once.
func TestTurnCutShort(t *testing.T) {
	overEveryStore(t, func(t *testing.T, store adapters.Store) {
		for i, dies := range []string{"before the effect", "before the commit", "after the commit", "before it is marked sent"} {
			key := adapters.Key("chat", "bot", "-100", "", fmt.Sprint("me", i))
			cut := &cutShort{Store: store, at: dies}
			func() {
				defer func() { recover() }()
				dying := deskOver(cut)
				dying.Turn(t.Context(), from(key, "1", "remind me"), func(context.Context, advisor.Reply) error { return nil })
			}()
			got := hear(deskOver(store), from(key, "1", "remind me"))
			wantSaid(t, "died "+dies+", and the message comes again", got, "remind me", "kept")
			wantSaid(t, "and once more", hear(deskOver(store), from(key, "1", "remind me")))
			if c, _ := store.Conversations().Load(t.Context(), key); c.Version != 1 {
				t.Errorf("died %s: the turn was applied %d times", dies, c.Version)
			}
			if list, _ := store.Reminders().List(t.Context(), adapters.Person(key)); len(list) != 1 {
				t.Errorf("died %s: %d reminders, want 1", dies, len(list))
			}
		}
	})
}

// cutShort is a store whose process dies at some step: no defer of the desk may
// help, so the calls after it fail, too.
type cutShort struct {
	adapters.Store
	at   string
	dead bool
}

var errDead = errors.New("the process is dead")

func (s *cutShort) step(at string, do func() error) error {
	if s.at == at || s.dead {
		s.dead = true
		return errDead
	}
	return do()
}

func (s *cutShort) Conversations() adapters.Conversations {
	return cutConversations{s.Store.Conversations(), s}
}
func (s *cutShort) Reminders() adapters.Reminders { return cutReminders{s.Store.Reminders(), s} }

type cutConversations struct {
	adapters.Conversations
	s *cutShort
}

func (c cutConversations) Commit(ctx context.Context, k advisor.Key, t adapters.Turn) (out adapters.Outcome, err error) {
	err = c.s.step("before the commit", func() error {
		out, err = c.Conversations.Commit(ctx, k, t)
		return err
	})
	return out, errors.Join(err, c.s.step("after the commit", func() error { return nil }))
}

func (c cutConversations) MarkSent(ctx context.Context, k advisor.Key, id string) error {
	return c.s.step("before it is marked sent", func() error { return c.Conversations.MarkSent(ctx, k, id) })
}

type cutReminders struct {
	adapters.Reminders
	s *cutShort
}

func (c cutReminders) Add(ctx context.Context, r advisor.Reminder) error {
	if err := c.s.step("before the effect", func() error { return c.Reminders.Add(ctx, r) }); err != nil {
		panic(err) // nothing is done after it
	}
	return nil
}

// No sentence claims what was not done.
func TestTurnTellsOutcome(t *testing.T) {
	d := deskOver(memory.Open(time.Now))
	wantSaid(t, "a reminder", hear(d, from(meHere, "1", "remind me")), "remind me", "kept")
	for i := range adapters.MaxReminders - 1 {
		hear(d, from(meHere, fmt.Sprint("more", i), "remind me"))
	}
	wantSaid(t, "one too many", hear(d, from(meHere, "26", "remind me")), "remind me", "not kept: too-many")
	wantSaid(t, "something that nobody can", hear(d, from(meHere, "27", "fly")), "fly", "not kept: not-running")
	d.reminders = lost{d.reminders}
	wantSaid(t, "a store that fails", hear(d, from(meHere, "28", "remind me")), "remind me", "not kept: unavailable")
	d.reminders = nil
	wantSaid(t, "nobody keeps reminders", hear(d, from(meHere, "29", "remind me")), "remind me", "not kept: not-running")
	d = deskOver(memory.Open(time.Now))
	d.volatile = true
	wantSaid(t, "kept in memory", hear(d, from(meHere, "30", "remind me")), "remind me", "kept while-running")
}

type lost struct{ adapters.Reminders }

func (lost) Add(context.Context, advisor.Reminder) error { return adapters.ErrUnavailable }

// A store that cannot be reached: one honest sentence, and nothing half-done.
func TestTurnWithoutStore(t *testing.T) {
	d := deskOver(memory.Open(time.Now))
	up := d.store
	d.store = unreachable{up}
	down := from(meHere, "2", "remind me")
	down.Lang = "zh"
	wantSaid(t, "store down", hear(d, down), words["store-down"]["zh"])
	down.ID, down.Addressed = "3", false
	wantSaid(t, "people talking to each other, store down", hear(d, down))
	d.store = up
	wantSaid(t, "sent again", hear(d, from(meHere, "2", "remind me")), "remind me", "kept")
}

// unreachable is a store behind a broken line.
type unreachable struct{ adapters.Conversations }

func (unreachable) Committed(context.Context, advisor.Key, string) (adapters.Outcome, error) {
	return adapters.Outcome{}, fmt.Errorf("look up message: redis is %w", adapters.ErrUnavailable)
}

// When we are told to stop, a turn that was not committed is left for the next
// start, without an apology.
func TestTurnStopped(t *testing.T) {
	d := deskOver(memory.Open(time.Now))
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	d.Turn(ctx, from(meHere, "1", "hello"), func(context.Context, advisor.Reply) error {
		t.Error("said something after it was told to stop")
		return nil
	})
	d.slots = make(chan struct{}, 1)
	d.slots <- struct{}{}
	d.Turn(ctx, from(meHere, "1", "hello"), func(context.Context, advisor.Reply) error {
		t.Error("said something after it was told to stop")
		return nil
	})
}

// What a person has set goes before what the room has, and that before the
// operator's; people see nothing of each other's.
func TestProfiles(t *testing.T) {
	overEveryStore(t, func(t *testing.T, store adapters.Store) {
		d := deskOver(store)
		n := 0
		say := func(key advisor.Key, text string) []string {
			n++
			return hear(d, from(key, fmt.Sprint(n), text))
		}
		wantSaid(t, "nothing set", say(meHere, "which zone"), "UTC")
		wantSaid(t, "the room's", say(youHere, "room zone Asia/Tokyo"), "room zone Asia/Tokyo", "kept")
		wantSaid(t, "mine in the room", say(meHere, "which zone"), "Asia/Tokyo")
		wantSaid(t, "mine in private", say(mePrivate, "which zone"), "UTC")
		wantSaid(t, "my own", say(mePrivate, "zone Europe/Berlin"), "zone Europe/Berlin", "kept")
		wantSaid(t, "mine in the room", say(meHere, "which zone"), "Europe/Berlin")
		wantSaid(t, "yours", say(youHere, "which zone"), "Asia/Tokyo")
		hidden := from(meHere, "anonymous", "which zone")
		hidden.Actor.Anonymous = true
		wantSaid(t, "an identity that several share", hear(d, hidden), "Asia/Tokyo")
	})
}

// A setting that changed since the turn looked is not overwritten blindly.
func TestProfileConflict(t *testing.T) {
	store := memory.Open(time.Now)
	d := deskOver(store)
	tries := 0
	d.answer = func(k advisor.Known, m advisor.Message) (advisor.Conversation, advisor.Reply, []advisor.Effect) {
		c, r, effects := script(k, m)
		if tries++; tries == 1 { // between looking and keeping, in another room
			hear(deskOver(store), from(mePrivate, "other", "zone Asia/Tokyo"))
			k.Own.Currency = "USD"
		}
		for i := range effects {
			effects[i].Profile.Currency = "USD"
		}
		return c, r, effects
	}
	wantSaid(t, "two settings at once", hear(d, from(meHere, "1", "zone Europe/Berlin")), "zone Europe/Berlin", "kept")
	own, err := d.profiles.get(t.Context(), adapters.Person(meHere))
	if err != nil || own.Profile != (advisor.Profile{Zone: "Europe/Berlin", Currency: "USD"}) || tries != 3 {
		t.Errorf("got %+v after %d tries, %v", own.Profile, tries, err)
	}
}

// Forgetting deletes everything of the person everywhere, says how much, and
// leaves others and the room alone.
func TestForget(t *testing.T) {
	overEveryStore(t, func(t *testing.T, store adapters.Store) {
		d := deskOver(store)
		hear(d, from(mePrivate, "1", "zone Europe/Berlin"))
		hear(d, from(meHere, "2", "remind me"))
		hear(d, from(youHere, "3", "remind me"))
		hear(d, from(youHere, "4", "room zone Asia/Tokyo"))
		who := adapters.Person(meHere)
		for _, of := range []adapters.Owner{who, adapters.Room(meHere), adapters.Person(youHere)} {
			for _, name := range []string{"rental/1", "measured/7b", "a name of tomorrow"} {
				if _, err := store.Settings().Put(t.Context(), of, name, adapters.Record{Data: []byte("{}")}); err != nil {
					t.Fatal(err)
				}
			}
		}
		wantSaid(t, "forget", hear(d, from(meHere, "5", "forget")), "forget", "forgotten: {2 1 4}")
		if keys, err := store.Conversations().Of(t.Context(), who); err != nil || len(keys) != 0 {
			t.Errorf("conversations are left: %v %v", keys, err)
		}
		if c, err := store.Conversations().Load(t.Context(), meHere); err != nil || c.Version != 0 {
			t.Errorf("the conversation is left: %+v %v", c, err)
		}
		if all, err := store.Settings().List(t.Context(), who); err != nil || len(all) != 0 {
			t.Errorf("settings are left: %v %v", all, err)
		}
		if list, err := store.Reminders().List(t.Context(), who); err != nil || len(list) != 0 {
			t.Errorf("reminders are left: %v %v", list, err)
		}
		for of, want := range map[adapters.Owner]int{adapters.Room(meHere): 4, adapters.Person(youHere): 3} {
			if all, err := store.Settings().List(t.Context(), of); err != nil || len(all) != want {
				t.Errorf("%s has %d records, %v; want %d", of, len(all), err, want)
			}
		}
		wantSaid(t, "you", hear(d, from(youHere, "6", "what did I say")), "room zone Asia/Tokyo")
		if list, _ := store.Reminders().List(t.Context(), adapters.Person(youHere)); len(list) != 1 {
			t.Errorf("your reminders: %v", list)
		}
		wantSaid(t, "nothing left", hear(d, from(meHere, "7", "forget")), "forget", "forgotten: {0 0 0}")
	})
}

// What was deleted is told although the turn had to be played again.
func TestForgetInConflict(t *testing.T) {
	d := deskOver(memory.Open(time.Now))
	hear(d, from(meHere, "1", "remind me"))
	d.store = &meddled{d.store, 1}
	wantSaid(t, "forget", hear(d, from(meHere, "2", "forget")), "forget", "forgotten: {1 1 0}")
}

// A group that gets another number keeps its settings and everybody's talk.
func TestMovedRoom(t *testing.T) {
	overEveryStore(t, func(t *testing.T, store adapters.Store) {
		d := deskOver(store)
		hear(d, from(meHere, "1", "room zone Asia/Tokyo"))
		hear(d, from(meHere, "2", "a job"))
		now := adapters.InRoom(meHere, "room:chat:bot:-555")
		for range 2 { // it may be told twice
			if err := d.profiles.moved(t.Context(), adapters.Room(meHere), adapters.Room(now)); err != nil {
				t.Fatal(err)
			}
		}
		wantSaid(t, "after the move", hear(d, from(now, "3", "what did I say")), "a job")
		wantSaid(t, "and then", hear(d, from(now, "4", "what did I say")), "what did I say")
		wantSaid(t, "its settings", hear(d, from(now, "5", "which zone")), "Asia/Tokyo")
		wantSaid(t, "a newcomer", hear(d, from(adapters.InRoom(youHere, "room:chat:bot:-555"), "6", "what did I say")), "")
	})
}

func TestShared(t *testing.T) {
	for key, want := range map[advisor.Key]bool{
		meHere: true, mePrivate: false, adapters.Key("terminal", "", "", "", "me"): false,
		adapters.Key("discord", "1", "@77", "", "5"): false, adapters.Key("discord", "1", "77", "", "5"): true,
		adapters.Key("telegram", "1", "inline", "", "5"): false, "me": false,
	} {
		if got := shared(key); got != want {
			t.Errorf("shared(%s) = %v, want %v", key, got, want)
		}
	}
}

// Two bots share a Redis and both get every message, some of them twice: each
// message is one turn, and is answered.
func TestReplicas(t *testing.T) {
	server := miniredis.RunT(t)
	const messages = 60
	desks := []*desk{deskOver(openRedis(t, server.Addr())), deskOver(openRedis(t, server.Addr()))}
	var mu sync.Mutex
	answered := map[string]bool{}
	var all sync.WaitGroup
	for i := range messages {
		for n := range 3 {
			all.Go(func() {
				m := from(meHere, fmt.Sprint(i), fmt.Sprint("message ", i))
				if got := hear(desks[n%2], m); len(got) > 0 {
					mu.Lock()
					defer mu.Unlock()
					answered[got[0]] = true
				}
			})
		}
		if i%6 == 5 { // six at once are more than one person writes
			all.Wait()
		}
	}
	all.Wait()
	if c, err := desks[0].store.Load(t.Context(), meHere); err != nil || c.Version != messages || c.Turns != messages {
		t.Errorf("%d messages made %d turns, version %d, %v", messages, c.Turns, c.Version, err)
	}
	for i := range messages {
		if !answered[fmt.Sprint("message ", i)] {
			t.Errorf("message %d was not answered", i)
		}
	}
}

// BenchmarkTurn is a whole turn: the real advisor over each kind of store.
func BenchmarkTurn(b *testing.B) {
	a := knowing(b)
	for name, store := range map[string]adapters.Store{
		"memory": memory.Open(time.Now), "bolt": openBolt(b, filepath.Join(b.TempDir(), "b.db")), "miniredis": openRedis(b, miniredis.RunT(b).Addr()),
	} {
		b.Run(name, func(b *testing.B) {
			d := deskOver(store)
			d.answer = a.Answer
			n := 0
			for b.Loop() {
				n++
				hear(d, from(adapters.Key("chat", "bot", "me", "", fmt.Sprint(n%100)), fmt.Sprint(n), "LoRA fine-tune of Qwen2.5-7B, 2 GB, two days"))
			}
		})
	}
}

// meeting is where all must have asked before anybody is answered.
type meeting struct {
	missing atomic.Int32
	all     chan struct{}
}

func (s *meeting) meet() error {
	if s.missing.Add(-1) == 0 {
		close(s.all)
	}
	select {
	case <-s.all:
		return nil
	case <-time.After(5 * time.Second):
		return fmt.Errorf("%d have not asked", s.missing.Load())
	}
}

type meetingConversations struct {
	adapters.Conversations
	*meeting
}

func (s meetingConversations) Load(context.Context, advisor.Key) (advisor.Conversation, error) {
	return advisor.Conversation{Version: 1}, s.meet()
}

func (s meetingConversations) Committed(context.Context, advisor.Key, string) (adapters.Outcome, error) {
	return adapters.Outcome{}, s.meet()
}

func (meetingConversations) Commit(_ context.Context, _ advisor.Key, t adapters.Turn) (adapters.Outcome, error) {
	return adapters.Outcome{Version: 2, Reply: t.Reply}, nil
}

func (meetingConversations) MarkSent(context.Context, advisor.Key, string) error { return nil }

type meetingSettings struct {
	adapters.Settings
	*meeting
}

func (s meetingSettings) Get(context.Context, adapters.Owner, string) (adapters.Record, error) {
	return adapters.Record{}, s.meet()
}

// TestOneTrip: all that a turn looks up it asks for at once. In a group that is
// whether the message is done, the conversation, what the room and the person
// have set, and the prices of the room and of everybody; in private, the room
// has no settings.
func TestOneTrip(t *testing.T) {
	for chat, looks := range map[string]int32{"room": 6, "me": 5} {
		s := &meeting{all: make(chan struct{})}
		s.missing.Store(looks)
		d := &desk{answer: script, store: meetingConversations{nil, s}, profiles: &profiles{settings: meetingSettings{nil, s}}, log: slog.New(slog.DiscardHandler)}
		m := advisor.Message{ID: "1", Key: adapters.Key("chat", "bot", chat, "", "me"), Addressed: true, Text: "hello"}
		if got := hear(d, m); !slices.Equal(got, []string{"hello"}) {
			t.Errorf("%s: said %q, want hello", chat, got)
		}
	}
}

// TestUnreadableConversation: what somebody else or a newer program put where a
// conversation belongs is left as it is, and the person is told what to do.
func TestUnreadableConversation(t *testing.T) {
	for _, c := range []struct{ field, value, says string }{
		{"h", "theirs", "store-foreign"},
		{"s", "theirs", "store-foreign"},
		{"s", `{"schema":1000}`, "store-newer"},
	} {
		server := miniredis.RunT(t)
		d := deskOver(openRedis(t, server.Addr()))
		var log bytes.Buffer
		d.log = slog.New(slog.NewTextHandler(&log, nil))
		hear(d, from(meHere, "1", "hello"))
		key := "gb:{" + string(meHere) + "}:c"
		server.HSet(key, c.field, c.value)
		for n, text := range []string{"hello", "forget"} {
			wantSaid(t, text+" over "+c.value, hear(d, from(meHere, fmt.Sprint(2+n), text)), words[c.says]["en"])
		}
		if got := server.HGet(key, c.field); got != c.value {
			t.Errorf("it is %q now, want %q", got, c.value)
		}
		if !strings.Contains(log.String(), string(meHere)) {
			t.Errorf("the log does not tell where:\n%s", log.String())
		}
	}
}
