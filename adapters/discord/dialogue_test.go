package discord

import (
	"context"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"gpuadvisor/adapters"
	"gpuadvisor/advisor"
)

// both runs a test with each door.
func both(t *testing.T, c Config, handle adapters.Handler, test func(t *testing.T, f *fake, d *Discord, ann, bob person)) {
	t.Run("gateway", func(t *testing.T) {
		f := newFake(t)
		d := quick(t, f, c)
		served(t, d, handle)
		test(t, f, d, person{f: f, id: ann, room: fakeRoom}, person{f: f, id: bob, room: fakeRoom})
	})
	t.Run("http", func(t *testing.T) {
		f := newFake(t)
		c.PublicKey = f.publicKey()
		d := quick(t, f, c)
		served(t, d, handle)
		test(t, f, d, person{f: f, id: ann, room: fakeRoom, http: d}, person{f: f, id: bob, room: fakeRoom, http: d})
	})
}

func TestDialogue(t *testing.T) {
	advice := &talk{}
	both(t, Config{}, advice.turn, func(t *testing.T, f *fake, d *Discord, ann, _ person) {
		ann.locale = "zh-TW"
		asked := ann.command("gpu")
		if asked.Kind != 4 || asked.Original.Flags&64 == 0 {
			t.Fatalf("/gpu in a server: %+v, want an answer for the asker's eyes", asked)
		}
		q := asked.Original
		if in := ann.press(q, 1); in.Kind != 7 || in.Original != q {
			t.Fatalf("a press on a question: type %d, want the question edited", in.Kind)
		}
		if in := ann.press(q, 3); in.Kind != 7 {
			t.Fatalf("a choice from a menu: type %d", in.Kind)
		}
		form := ann.pressNamed(q, "type")
		if form.Kind != 9 || form.Form.Components[0].Components[0].Label != "中 option.data_gb" {
			t.Fatalf("a way to type: %+v, want a form that names what is asked", form.Form)
		}
		if in := ann.submit(form, "20 GB"); in.Kind != 7 || in.Original != q {
			t.Fatalf("what was typed: type %d, want the question edited", in.Kind)
		}
		if got := asSeen(q); !strings.Contains(got, "task=finetune, duration_hours=days, 20 GB") || q.edits != 3 {
			t.Errorf("after %d edits it reads %q", q.edits, got)
		}
		if in := ann.pressNamed(q, "why"); in.Kind != 4 || in.Original == q || in.Original.Flags&64 == 0 {
			t.Errorf("why: %+v, want a message of its own", in)
		}
		if m := advice.all()[0]; m.Lang != "zh" || m.Key != ann.key() || m.Actor.Name != "User 1" || !m.Commanded || !m.Addressed {
			t.Errorf("/gpu came as %+v", m)
		}
	})
}

// TestRestart: a component works in the next process, and long after its own
// interaction has expired.
func TestRestart(t *testing.T) {
	f := newFake(t)
	f.tokens = 50 * time.Millisecond
	advice := &talk{}
	ctx, stop := context.WithCancel(t.Context())
	first := quick(t, f, Config{})
	done := make(chan error)
	go func() { done <- first.Serve(ctx, advice.turn) }()
	p := person{f: f, id: ann, room: fakeRoom}
	q := p.command("gpu").Original
	stop()
	<-done
	time.Sleep(60 * time.Millisecond)
	served(t, quick(t, f, Config{}), advice.turn)
	if in := p.press(q, 2); in.Kind != 7 || !strings.Contains(asSeen(q), "How long?") {
		t.Errorf("a press after the restart: type %d, reading %q", in.Kind, asSeen(q))
	}
}

func TestPostPublicly(t *testing.T) {
	advice := &talk{}
	both(t, Config{}, advice.turn, func(t *testing.T, f *fake, d *Discord, ann, bob person) {
		q := ann.command("gpu").Original
		for range 3 {
			ann.press(q, 1)
		}
		shared := ann.pressNamed(q, "share")
		m := shared.Original
		if shared.Kind != 4 || m.Flags&64 != 0 || !strings.Contains(asSeen(m), "18.8 GiB") || !strings.Contains(asSeen(m), "shared") {
			t.Fatalf("post publicly: %+v", m)
		}
		if again := ann.pressNamed(q, "share"); again.Kind != 6 {
			t.Errorf("posting it again: type %d, want it passed over", again.Kind)
		}
		own := bob.pressNamed(m, "start")
		if own.Kind != 4 || own.Original.Flags&64 == 0 || advice.all()[len(advice.all())-1].Key != bob.key() {
			t.Errorf("somebody else starts their own: %+v", own)
		}
		if dm := (person{f: f, id: "5000000000000000003", http: ann.http}); strings.Contains(asSeen(dm.command("gpu").Original), "share") {
			t.Error("a private chat offers to post publicly")
		}
	})
}

func TestOthersAndOldButtons(t *testing.T) {
	advice := &talk{}
	both(t, Config{}, advice.turn, func(t *testing.T, f *fake, d *Discord, ann, bob person) {
		q := ann.command("gpu").Original
		n := len(advice.all())
		for _, tt := range []struct {
			name string
			in   *fakeInteraction
			want string
		}{
			{"somebody else's", bob.press(q, 1), "not-yours"},
			{"an old program's", ann.interaction(3, map[string]any{"custom_id": "v0/gpu/1", "component_type": 2}, q), "outdated"},
			{"no message", ann.interaction(3, map[string]any{"custom_id": press{answers, ann.id, "x", "y"}.String()}, nil), "outdated"},
			{"an unknown command", ann.command("dance"), "outdated"},
			{"somebody's form", bob.interaction(5, map[string]any{"custom_id": press{types, ann.id, "x", "gpus"}.String()}, q), "outdated"},
			{"an unknown form", ann.interaction(5, map[string]any{"custom_id": press{shares, ann.id, "x", ""}.String()}, q), "outdated"},
		} {
			if tt.in.Original == nil || !strings.HasPrefix(tt.in.Original.Content, tt.want) || tt.in.Original.Flags&64 == 0 {
				t.Errorf("%s: got %+v, want %q in private", tt.name, tt.in.Original, tt.want)
			}
		}
		if empty := ann.interaction(3, map[string]any{"custom_id": press{menu, ann.id, "x", "0"}.String(), "values": []string{}}, q); empty.Kind != 6 {
			t.Errorf("nothing taken from a menu: type %d", empty.Kind)
		}
		if got := len(advice.all()); got != n {
			t.Errorf("%d of them reached the advisor", got-n)
		}
	})
}

// TestClicks: a second click on the same choice is passed over, one on another
// choice of a question that is answered gets a word, and under an answer every
// choice works again and again.
func TestClicks(t *testing.T) {
	advice := &talk{}
	both(t, Config{}, advice.turn, func(t *testing.T, f *fake, d *Discord, ann, _ person) {
		now := stopped(d)
		q := ann.command("gpu").Original
		first, other := pressData(q, 1), pressData(q, 2)
		n := len(advice.all())
		if in := ann.interaction(3, first, q); in.Kind != 7 {
			t.Fatalf("the first click: type %d", in.Kind)
		}
		if in := ann.interaction(3, first, q); in.Kind != 6 {
			t.Errorf("the second click: type %d, want it passed over", in.Kind)
		}
		if in := ann.interaction(3, other, q); in.Kind != 4 || !strings.HasPrefix(in.Original.Content, "answered") {
			t.Errorf("another choice of an answered question: %+v", in.Original)
		}
		if got := len(advice.all()) - n; got != 1 {
			t.Errorf("three clicks were %d turns, want one", got)
		}
		advice.mu.Lock()
		advice.facts[ann.key()] = []string{"a", "b"}
		advice.mu.Unlock()
		answer := ann.interaction(5, map[string]any{"custom_id": press{types, ann.id, "x", "y"}.String(), "components": []any{map[string]any{"component": map[string]any{"value": "c"}}}}, nil).Original
		ann.pressNamed(answer, "why")
		if in := ann.pressNamed(answer, "why"); in.Kind != 6 {
			t.Errorf("why twice at once: type %d, want it passed over", in.Kind)
		}
		d.idle()
		now.pass(3 * time.Second)
		if in := ann.pressNamed(answer, "why"); in.Kind != 4 {
			t.Errorf("why again, later: type %d, want an answer", in.Kind)
		}
	})
}

// TestApology: what is no answer to the question does not take its place, and
// the choice may be tried again.
func TestApology(t *testing.T) {
	var well atomic.Bool
	handle := func(ctx context.Context, m advisor.Message, respond adapters.Respond) {
		if m.Kind == advisor.KindChoice && !well.Load() {
			respond(ctx, advisor.Reply{Act: "answer", Parts: []advisor.Part{{Kind: "text", Text: "sorry"}}})
			return
		}
		respond(ctx, question("gpus", "How many?", "one", "one", "two", "two"))
	}
	both(t, Config{}, handle, func(t *testing.T, f *fake, d *Discord, ann, _ person) {
		well.Store(false)
		now := stopped(d)
		q := ann.command("gpu").Original
		if in := ann.press(q, 1); in.Kind != 4 || q.edits != 0 {
			t.Errorf("an apology: type %d, the question was edited %d times", in.Kind, q.edits)
		}
		d.idle()
		well.Store(true)
		now.pass(3 * time.Second)
		if in := ann.press(q, 1); in.Kind != 7 {
			t.Errorf("the same choice again: type %d, want an answer in its place", in.Kind)
		}
	})
}

// TestLate: the longer it takes, the longer the way of an answer.
func TestLate(t *testing.T) {
	var after atomic.Int64
	handle := func(ctx context.Context, m advisor.Message, respond adapters.Respond) {
		time.Sleep(time.Duration(after.Load()))
		if err := respond(ctx, advisor.Reply{Act: "answer", Parts: []advisor.Part{{Kind: "text", Text: "here it is"}}}); err != nil {
			t.Errorf("respond: %v", err)
		}
	}
	both(t, Config{}, handle, func(t *testing.T, f *fake, d *Discord, ann, _ person) {
		d.pace.deferAfter = 50 * time.Millisecond
		after.Store(int64(100 * time.Millisecond))
		in := ann.command("gpu")
		f.until(func() bool { return in.Original != nil })
		if in.Kind != 5 || in.Original.Flags&64 == 0 || !strings.Contains(f.seen(), "here it is") {
			t.Errorf("a slow answer: type %d, %+v; want thinking, then an edit", in.Kind, in.Original)
		}
		f.mu.Lock()
		f.tokens = 80 * time.Millisecond
		f.mu.Unlock()
		ann.command("gpu")
		f.until(func() bool { return len(f.orderIn("6"+ann.id)) > 0 })
		if m := f.last("6" + ann.id); m == nil || m.Content != "here it is" {
			t.Errorf("after the token expired: got %+v, want a direct message", m)
		}
		if got := d.Stats(); got.Late != 1 || got.Deferred != 2 {
			t.Errorf("got %+v, want one late and two deferred", got)
		}
		alone := person{f: f, id: bob, http: ann.http}
		alone.command("gpu")
		f.until(func() bool { return len(f.orderIn(alone.channel())) > 0 })
		if m := f.last(alone.channel()); m == nil || m.Content != "here it is" {
			t.Errorf("after the token expired in a private chat: got %+v", m)
		}
	})
}

// clock is one that the test turns.
type clock struct{ now atomic.Int64 }

// stopped gives a chat a clock that stands still.
func stopped(d *Discord) *clock {
	c := &clock{}
	c.now.Store(time.Now().UnixNano())
	d.c.Now = func() time.Time { return time.Unix(0, c.now.Load()) }
	return c
}

func (c *clock) pass(d time.Duration) { c.now.Add(int64(d)) }

// idle waits until no turn is under way.
func (d *Discord) idle() {
	for busy := true; busy; time.Sleep(time.Millisecond) {
		d.turns.mu.Lock()
		busy = d.turns.total > 0
		d.turns.mu.Unlock()
	}
}

// orderIn lists the messages of a room; f.mu is held.
func (f *fake) orderIn(room string) (list []*shownMessage) {
	for _, m := range f.order {
		if m.Channel == room {
			list = append(list, m)
		}
	}
	return list
}

// until waits for something to become true.
func (f *fake) until(ok func() bool) {
	for deadline := time.Now().Add(5 * time.Second); time.Now().Before(deadline); time.Sleep(time.Millisecond) {
		f.mu.Lock()
		done := ok()
		f.mu.Unlock()
		if done {
			return
		}
	}
}

// TestFirstAnswerInDoubt: an answer whose receipt was lost is not said twice,
// and one that came too late is said elsewhere.
func TestFirstAnswerInDoubt(t *testing.T) {
	f := newFake(t)
	d := quick(t, f, Config{})
	served(t, d, (&talk{}).turn)
	ann := person{f: f, id: ann, room: fakeRoom}
	f.fail("POST", "callback", 400, `{"code":40060,"message":"Interaction has already been acknowledged."}`, 1)
	in := ann.begin(2, map[string]any{"name": "gpu"}, nil)
	f.until(func() bool { return d.stats.interactions.Load() == 1 && f.called("PATCH", "@original") > 0 })
	if n := f.count("PATCH", "@original"); n != 1 {
		t.Errorf("an answer that was taken already: %d edits, want one", n)
	}
	f.fail("POST", "callback", 404, `{"code":10062,"message":"Unknown interaction"}`, 1)
	ann.begin(2, map[string]any{"name": "gpu"}, nil)
	f.until(func() bool { return len(f.orderIn("6"+ann.id)) > 0 })
	if m := f.last("6" + ann.id); m == nil || !strings.Contains(asSeen(m), "你要用 GPU 做什么") {
		t.Errorf("an answer that was too late: got %+v, want a direct message", m)
	}
	f.fail("POST", "callback", 503, `{}`, 2)
	if in := ann.command("gpu"); in.Kind != 4 {
		t.Errorf("two failures in the way: type %d", in.Kind)
	}
	_ = in
}

// called is count for those who hold f.mu.
func (f *fake) called(method, part string) (n int) {
	for _, c := range f.calls {
		if c.method == method && strings.Contains(c.path, part) {
			n++
		}
	}
	return n
}

// TestRefusedForm: what Discord refuses as an embed is said in plain words.
func TestRefusedForm(t *testing.T) {
	f := newFake(t)
	served(t, quick(t, f, Config{}), func(ctx context.Context, m advisor.Message, respond adapters.Respond) {
		if err := respond(ctx, (&talk{}).reply([]string{"a", "b", "c"}, m)); err != nil {
			t.Errorf("respond: %v", err)
		}
	})
	f.fail("POST", "callback", 400, `{"code":50035,"message":"Invalid Form Body"}`, 1)
	in := person{f: f, id: ann, room: fakeRoom}.command("gpu")
	m := in.Original
	if m == nil || len(m.Embeds) != 0 || len(m.Components) != 0 || !strings.Contains(asSeen(m), "18.8 GiB") || !strings.Contains(asSeen(m), "2. start over") {
		t.Errorf("got %+v, want all of it in plain words", m)
	}
}

// TestNobodyAnswers: a handler that says nothing leaves nothing behind.
func TestNobodyAnswers(t *testing.T) {
	handle := func(context.Context, advisor.Message, adapters.Respond) {}
	both(t, Config{}, handle, func(t *testing.T, f *fake, d *Discord, ann, _ person) {
		before := f.seen()
		if in := ann.command("gpu"); in.Kind != 5 {
			t.Errorf("a command: type %d", in.Kind)
		}
		f.until(func() bool { return f.called("DELETE", "@original") == 1 })
		m := &shownMessage{ID: "4000000000000000001", Components: []fakeComponent{{Type: 1, Components: []fakeComponent{{Type: 2, Label: "x", CustomID: press{answers, ann.id, "s", "x=y"}.String()}}}}}
		if in := ann.press(m, 1); in.Kind != 6 {
			t.Errorf("a press: type %d, want it left as it is", in.Kind)
		}
		if f.seen() != before || f.count("DELETE", "@original") != 1 {
			t.Errorf("something is left: %q", strings.TrimPrefix(f.seen(), before))
		}
	})
}

// TestOrder: one person's turns are played one after the other, however they
// come in, and other people's beside them.
func TestOrder(t *testing.T) {
	f := newFake(t)
	var mu sync.Mutex
	running, most := map[advisor.Key]int{}, 0
	var got []string
	served(t, quick(t, f, Config{}), func(ctx context.Context, m advisor.Message, respond adapters.Respond) {
		mu.Lock()
		running[m.Key]++
		if running[m.Key] > 1 {
			t.Error("two turns of one person at once")
		}
		most = max(most, len(running))
		if m.Actor.ID == ann {
			got = append(got, m.Text)
		}
		mu.Unlock()
		time.Sleep(5 * time.Millisecond)
		mu.Lock()
		delete(running, m.Key)
		mu.Unlock()
		respond(ctx, advisor.Reply{Act: "answer", Parts: []advisor.Part{{Kind: "text", Text: "ok " + m.Text}}})
	})
	a, b := person{f: f, id: ann}, person{f: f, id: bob}
	for range 10 {
		a.write("one")
		b.write("one")
		a.begin(2, map[string]any{"name": "help"}, nil)
	}
	f.until(func() bool { return strings.Count(f.screen.String(), "ok") == 30 })
	want := strings.TrimSpace(strings.Repeat("one /help ", 10))
	if strings.Join(got, " ") != want || most < 2 {
		t.Errorf("got %v with %d people at once, want %s", got, most, want)
	}
}

func TestTooManyAtOnce(t *testing.T) {
	hold := make(chan struct{})
	f := newFake(t)
	d := quick(t, f, Config{})
	served(t, d, func(ctx context.Context, m advisor.Message, respond adapters.Respond) { <-hold })
	d.pace.deferAfter = time.Hour
	p := person{f: f, id: ann, room: fakeRoom}
	for range turnsEach + 1 {
		p.begin(2, map[string]any{"name": "help"}, nil)
	}
	in := p.command("help")
	if in.Original == nil || !strings.HasPrefix(in.Original.Content, "busy") || d.Stats().Dropped != 1 {
		t.Errorf("one too many: got %+v, %d dropped; want a word", in.Original, d.Stats().Dropped)
	}
	close(hold)
}

func TestAutocomplete(t *testing.T) {
	lots := func(option, typed, lang string) (out []advisor.Choice) {
		if option == "card" {
			for range 40 {
				out = append(out, advisor.Choice{Ref: "RTX4090-24G", Label: strings.Repeat("长", 200)})
			}
			return append(out[:1:1], append([]advisor.Choice{{Ref: strings.Repeat("x", 200), Label: "too long a value"}}, out...)...)
		}
		return suggest(option, typed, lang)
	}
	both(t, Config{Complete: lots}, (&talk{}).turn, func(t *testing.T, f *fake, d *Discord, ann, _ person) {
		complete := func(option, typed, locale string) []advisor.Choice {
			ann.locale = locale
			return ann.interaction(4, map[string]any{"name": "gpu", "options": []any{
				map[string]any{"name": "gpus", "value": 2, "type": 4},
				map[string]any{"name": option, "value": typed, "type": 3, "focused": true},
			}}, nil).Choices
		}
		if got := complete("model", "QW", "en-US"); len(got) != 1 || got[0] != (advisor.Choice{Ref: "qwen2.5-7b", Label: "Qwen2.5-7B en"}) {
			t.Errorf("typing QW: %+v", got)
		}
		if got := complete("model", "千", "zh-CN"); len(got) != 1 || got[0].Label != "千问 7B zh" {
			t.Errorf("typing 千: %+v", got)
		}
		if got := complete("card", "4090", "zh-CN"); len(got) != 25 || length(got[0].Label) > 100 {
			t.Errorf("too many of them: %d, the first %d long", len(got), length(got[0].Label))
		}
		if got := complete("model", "nothing like it", "zh-CN"); len(got) != 0 {
			t.Errorf("nothing fits: %+v", got)
		}
	})
}

func TestAllowedServers(t *testing.T) {
	advice := &talk{}
	both(t, Config{Guilds: []string{"77"}}, advice.turn, func(t *testing.T, f *fake, d *Discord, ann, _ person) {
		n := len(advice.all())
		if in := ann.command("gpu"); !strings.HasPrefix(in.Original.Content, "not-here") || in.Original.Flags&64 == 0 {
			t.Errorf("in another server: %+v", in.Original)
		}
		if ann.http == nil {
			ann.write("hello")
		}
		private := ann
		private.room = ""
		if in := private.command("gpu"); in.Kind != 4 || len(advice.all()) != n+1 {
			t.Errorf("in private: %+v, %d turns", in, len(advice.all())-n)
		}
	})
}

func TestPrivateCommand(t *testing.T) {
	handle := func(ctx context.Context, m advisor.Message, respond adapters.Respond) {
		respond(ctx, advisor.Reply{Act: "answer", Private: true, Parts: []advisor.Part{{Kind: "text", Text: "between us"}}})
	}
	f := newFake(t)
	served(t, quick(t, f, Config{}), handle)
	p := person{f: f, id: ann, room: fakeRoom}
	in := p.command("whisper")
	if in.Original.Flags&64 == 0 || len(in.Original.Components) > 0 {
		t.Errorf("/whisper: %+v, want it in private and nothing to share", in.Original)
	}
	p.write("tell me")
	f.until(func() bool { return len(f.orderIn("6"+ann)) > 0 && len(f.orderIn(fakeRoom)) > 1 })
	if dm, notice := f.last("6"+ann), f.last(fakeRoom); dm.Content != "between us" || notice.Content != "dm.sent" {
		t.Errorf("asked in public: %q by direct message, %q in the room", dm.Content, notice.Content)
	}
	f.fail("POST", "/channels/6", 403, `{"code":50007,"message":"Cannot send messages to this user"}`, 1)
	p.write("tell me again")
	f.until(func() bool { return strings.Contains(f.screen.String(), "dm.closed") })
	if got := f.last(fakeRoom).Content; got != "dm.closed" {
		t.Errorf("no direct messages wanted: the room reads %q", got)
	}
}
