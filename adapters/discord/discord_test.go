package discord

import (
	"context"
	"errors"
	"io"
	"log/slog"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"gpuadvisor/adapters"
	"gpuadvisor/adapters/adaptertest"
	"gpuadvisor/advisor"
)

// words are the texts of the tests: every key says its own name.
func words(commands []advisor.Command) Texts {
	t := Texts{}
	for _, key := range Keys(commands) {
		name := strings.TrimPrefix(key, "discord.")
		t[key] = advisor.Text{"zh": "中 " + name, "en": name}
		if strings.HasPrefix(key, "discord.say.") {
			t[key] = advisor.Text{"zh": name[4:] + " 是 {v}", "en": name[4:] + " is {v}"}
		}
	}
	return t
}

// commands are those of the house and, for the tests, some of every other
// sort: with a paste, for the asker's eyes, for admins, for operators.
func commands() []advisor.Command {
	return append(advisor.Commands(),
		advisor.Command{Name: "examine", ZH: []string{"化验"}, EN: []string{"examine"}, Args: "paste"},
		advisor.Command{Name: "whisper", ZH: []string{"悄悄"}, Private: true},
		advisor.Command{Name: "decree", ZH: []string{"规定"}, Args: "text", Who: "admin"},
		advisor.Command{Name: "operate", Args: "text", Who: "operator"},
	)
}

// quick makes a chat of c in a hurry, on a fake.
func quick(t testing.TB, f *fake, c Config) *Discord {
	t.Helper()
	c.Token, c.URL = fakeToken, f.url()
	if c.Commands == nil {
		c.Commands = commands()
	}
	if c.Texts == nil {
		c.Texts = words(c.Commands)
	}
	if c.Log == nil {
		c.Log = slog.New(slog.DiscardHandler)
	}
	d, err := New(c)
	if err != nil {
		t.Fatal(err)
	}
	d.pace.backOff, d.pace.backOffMost = 20*time.Millisecond, 200*time.Millisecond
	d.pace.identifyEvery, d.pace.refusedWait = 20*time.Millisecond, 10*time.Millisecond
	d.pace.shutdown = time.Second
	d.rest.pause = 5 * time.Millisecond
	return d
}

// TestChat runs the suite for every chat: in a private chat, in a server by
// mention, in a thread, and over HTTP with forms to type into.
func TestChat(t *testing.T) {
	rig := func(p person) func(t *testing.T) adaptertest.Rig {
		return func(t *testing.T) adaptertest.Rig {
			f := newFake(t)
			p.f = f
			d := quick(t, f, Config{})
			other := p
			other.id = bob
			r := adaptertest.Rig{
				Chat: d, Key: p.key(), Seen: f.seen, Say: func(text string) { p.write(text) }, Pick: f.picker(p),
				Throttle: f.throttle, Break: f.breaker, Secrets: []string{fakeToken},
			}
			if p.room != "" {
				for _, who := range []person{p, other} {
					r.Room = append(r.Room, adaptertest.Person{Key: who.key(), Say: func(text string) { who.write(text) }, Pick: f.picker(who)})
				}
			}
			return r
		}
	}
	t.Run("private", func(t *testing.T) { t.Parallel(); adaptertest.TestChat(t, rig(person{id: ann})) })
	t.Run("server", func(t *testing.T) { t.Parallel(); adaptertest.TestChat(t, rig(person{id: ann, room: fakeRoom})) })
	t.Run("thread", func(t *testing.T) {
		t.Parallel()
		adaptertest.TestChat(t, rig(person{id: ann, room: fakeRoom, thread: "3000000000000000077"}))
	})
	t.Run("http", func(t *testing.T) {
		t.Parallel()
		adaptertest.TestChat(t, func(t *testing.T) adaptertest.Rig {
			f := newFake(t)
			d := quick(t, f, Config{PublicKey: f.publicKey()})
			p := person{f: f, id: ann, http: d}
			return adaptertest.Rig{
				Chat: d, Key: p.key(), Seen: f.seen, Say: f.typist(p), Pick: f.picker(p),
				Throttle: f.throttle, Break: f.breaker, Secrets: []string{fakeToken},
			}
		})
	})
}

// picker lets a person take the n-th choice of the last reply in their room.
func (f *fake) picker(p person) func(n int) {
	return func(n int) {
		for _, m := range f.all(p.channel()) {
			if len(m.Components) > 0 && (m.Flags&64 == 0 || m.by.User == p.id) {
				p.begin(3, pressData(m, n), m)
				return
			}
		}
		f.t.Error("there is nothing to pick")
	}
}

// all lists what stands in a room, the newest first.
func (f *fake) all(room string) (list []*shownMessage) {
	f.mu.Lock()
	defer f.mu.Unlock()
	for i := len(f.order) - 1; i >= 0; i-- {
		if f.order[i].Channel == room {
			list = append(list, f.order[i])
		}
	}
	return list
}

// typist lets a person say something through a form, one thing after the
// other.
func (f *fake) typist(p person) func(text string) {
	form := &fakeInteraction{Form: &fakeForm{
		CustomID:   press{does: types, owner: p.id}.String(),
		Components: []fakeComponent{{Type: 1, Components: []fakeComponent{{Type: 4, CustomID: "text"}}}},
	}}
	return func(text string) {
		d := p.http.(*Discord)
		for !d.serving() {
			time.Sleep(time.Millisecond)
		}
		before := d.stats.interactions.Load()
		data := map[string]any{"custom_id": form.Form.CustomID, "components": []any{
			map[string]any{"components": []any{map[string]any{"value": text}}},
		}}
		p.begin(5, data, nil)
		for d.stats.interactions.Load() == before { // the next one comes later
			time.Sleep(100 * time.Microsecond)
		}
	}
}

func (f *fake) throttle(d time.Duration) {
	body := `{"message":"You are being rate limited.","retry_after":` + seconds2(d) + `,"global":false}`
	f.fail("", "^/(channels|webhooks)/", http.StatusTooManyRequests, body, 1)
}

func seconds2(d time.Duration) string { return strings.TrimSuffix(d.String(), "s") }

func (f *fake) breaker(broken bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.broken = broken
}

// served starts a chat with a handler; it ends with the test.
func served(t testing.TB, d *Discord, handle adapters.Handler) {
	t.Helper()
	ctx, stop := context.WithCancel(context.Background())
	done := make(chan error, 1)
	go func() { done <- d.Serve(ctx, handle) }()
	t.Cleanup(func() {
		stop()
		select {
		case err := <-done:
			if err != nil {
				t.Errorf("Serve: %v", err)
			}
		case <-time.After(10 * time.Second):
			t.Error("Serve does not end")
		}
	})
	for deadline := time.Now().Add(5 * time.Second); !d.Ready(); time.Sleep(time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatal("not ready after five seconds")
		}
	}
}

func isGone(err error) bool { return errors.Is(err, adapters.ErrGone) }

// pictured answers with a picture.
func pictured(ctx context.Context, m advisor.Message, respond adapters.Respond) {
	png := append([]byte("\x89PNG\r\n\x1a\n"), make([]byte, 40)...)
	respond(ctx, advisor.Reply{Act: "answer", Parts: []advisor.Part{{Kind: "image", Text: "a picture", Image: png}}})
}

// safeBuilder is a log that may be read while it is written.
type safeBuilder struct {
	mu sync.Mutex
	b  strings.Builder
}

func (s *safeBuilder) Write(b []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.b.Write(b)
}

func (s *safeBuilder) String() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.b.String()
}

func logTo(w io.Writer) *slog.Logger {
	return slog.New(slog.NewTextHandler(w, &slog.HandlerOptions{Level: slog.LevelDebug}))
}

func pictureless(ctx context.Context, m advisor.Message, respond adapters.Respond) {
	respond(ctx, question("gpus", "How many?", "one", "one", "two", "two"))
}

func TestLanguageOfAReply(t *testing.T) {
	for _, tt := range []struct {
		part advisor.Part
		want string
	}{
		{advisor.Part{Text: "一张 A100"}, "zh"}, {advisor.Part{Text: "one A100"}, "en"}, {advisor.Part{Text: "A100-80G"}, "??"}, {advisor.Part{}, "??"},
		{advisor.Part{Kind: "fields", Pairs: []advisor.Pair{{Name: "显存", Value: "24 GiB"}}}, "zh"},
		{advisor.Part{Kind: "table", Rows: [][]string{{"card", "count"}}}, "en"},
	} {
		if got := langOf(advisor.Reply{Parts: []advisor.Part{tt.part}}, "??"); got != tt.want {
			t.Errorf("%+v is in %q, want %q", tt.part, got, tt.want)
		}
	}
}
