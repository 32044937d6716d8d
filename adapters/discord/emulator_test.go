package discord

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"gpuadvisor/adapters"
	"gpuadvisor/advisor"
)

// These tests talk to an emulator of Discord that checks every call against
// Discord's own description of its API. They run when DISCORD_EMULATOR names
// its script, for node, and DISCORD_SPEC the description (openapi.json).

// emulator is one that runs.
type emulator struct {
	t    testing.TB
	url  string
	key  string // public key of its HTTP interactions
	room string
}

// emulate starts an emulator, or returns nil where there is none.
func emulate(t testing.TB, flags ...string) *emulator {
	script, spec := os.Getenv("DISCORD_EMULATOR"), os.Getenv("DISCORD_SPEC")
	if script == "" || spec == "" {
		t.Log("DISCORD_EMULATOR and DISCORD_SPEC are not set: nothing to talk to")
		return nil
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	port := fmt.Sprint(l.Addr().(*net.TCPAddr).Port)
	l.Close()
	var log bytes.Buffer
	node := exec.Command("node", append([]string{script, "--spec", spec, "--port", port, "--token", fakeToken, "--ratelimit"}, flags...)...)
	node.Dir, node.Stdout, node.Stderr = filepath.Dir(script), &log, &log
	if err := node.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		node.Process.Kill()
		node.Wait()
		if t.Failed() {
			t.Logf("emulator: %s", log.String())
		}
	})
	e := &emulator{t: t, url: "http://127.0.0.1:" + port}
	for range 100 {
		if _, err := http.Get(e.url + "/_ctl/stats"); err == nil {
			break
		}
		time.Sleep(50 * time.Millisecond)
	}
	var who struct {
		Key  string `json:"public_key"`
		Room string `json:"channel_id"`
	}
	e.do("pubkey", nil, &who)
	e.key, e.room = who.Key, who.Room
	return e
}

// do asks the emulator to do something.
func (e *emulator) do(what string, body map[string]any, out any) {
	e.t.Helper()
	b, _ := json.Marshal(body)
	res, err := http.Post(e.url+"/_ctl/"+what, "application/json", bytes.NewReader(b))
	if err != nil {
		e.t.Fatalf("%s: %v", what, err)
	}
	defer res.Body.Close()
	if out == nil {
		return
	}
	if err := json.NewDecoder(res.Body).Decode(out); err != nil {
		e.t.Fatalf("%s: %v", what, err)
	}
}

// outcome is what became of an interaction.
type outcome struct {
	Error    string          `json:"error"`
	ID       string          `json:"interaction_id"`
	Answered bool            `json:"answered"`
	Type     int             `json:"response_type"`
	Message  *emulated       `json:"message"`
	More     []*emulated     `json:"followups"`
	Response json.RawMessage `json:"response"`
	HTTP     *struct {
		Status int `json:"status"`
	} `json:"http"`
	Violations []string `json:"violations"`
}

// emulated is a message as the emulator shows it.
type emulated struct {
	shownMessage
	Ephemeral bool `json:"ephemeral"`
}

func (e *emulator) act(what string, body map[string]any) outcome {
	e.t.Helper()
	var o outcome
	e.do(what, body, &o)
	if o.Error != "" || len(o.Violations) > 0 {
		e.t.Errorf("%s %v: %s %v", what, body, o.Error, o.Violations)
	}
	return o
}

func (e *emulator) press(m *emulated, label string, user string) outcome {
	e.t.Helper()
	for _, row := range m.Components {
		for _, c := range row.Components {
			if label != "" && strings.HasSuffix(c.Label, label) {
				return e.act("component", map[string]any{"message_id": m.ID, "custom_id": c.CustomID, "user_id": user})
			}
			for _, o := range c.Options {
				if o.Label == label {
					return e.act("component", map[string]any{"message_id": m.ID, "custom_id": c.CustomID, "values": []string{o.Value}, "user_id": user})
				}
			}
		}
	}
	e.t.Fatalf("no %q on %+v", label, m.Components)
	return outcome{}
}

type emulatorStats struct {
	Identifies, Resumes int
	Closes              []int
	Connected           bool
}

func (e *emulator) stats() (s emulatorStats) { e.do("stats", nil, &s); return s }

// clean checks that no call was against Discord's description.
func (e *emulator) clean() {
	e.t.Helper()
	var bad []any
	if e.do("violations", nil, &bad); len(bad) > 0 {
		e.t.Errorf("calls against the description: %v", bad)
	}
}

// chat serves one on the emulator.
func (e *emulator) chat(c Config, handle adapters.Handler) *Discord {
	c.Token, c.URL, c.Commands = fakeToken, e.url, commands()
	c.Texts, c.Log = words(c.Commands), slog.New(slog.DiscardHandler)
	c.Complete = suggest
	d, err := New(c)
	if err != nil {
		e.t.Fatal(err)
	}
	d.pace.backOff, d.pace.backOffMost = 100*time.Millisecond, 400*time.Millisecond
	d.pace.identifyEvery, d.pace.refusedWait = 100*time.Millisecond, 50*time.Millisecond
	served(e.t, d, handle)
	for range 100 { // until the commands are there
		var have struct{ Global []any }
		if e.do("commands", nil, &have); len(have.Global) > 0 {
			break
		}
		time.Sleep(20 * time.Millisecond)
	}
	return d
}

// suggest is a catalogue of two models.
func suggest(option, typed, lang string) []advisor.Choice {
	var out []advisor.Choice
	for _, c := range []advisor.Choice{{Ref: "qwen2.5-7b", Label: "Qwen2.5-7B"}, {Ref: "千问", Label: "千问 7B"}} {
		if option == "model" && strings.Contains(strings.ToLower(c.Ref+c.Label), strings.ToLower(typed)) {
			c.Label += " " + lang
			out = append(out, c)
		}
	}
	return out
}

func TestEmulatorDialogue(t *testing.T) {
	e := emulate(t)
	if e == nil {
		return
	}
	advice := &talk{}
	e.chat(Config{}, advice.turn)
	asked := e.act("command", map[string]any{"name": "gpu", "options": map[string]any{"task": "finetune", "data_gb": 20}, "locale": "zh-CN"})
	if m := advice.all()[0]; m.Text != "/gpu 中 value.task.finetune，data_gb 是 20" || m.Lang != "zh" || !m.Commanded {
		t.Errorf("/gpu came as %+v", m)
	}
	if asked.Type != 4 || !asked.Message.Ephemeral {
		t.Fatalf("/gpu in a server: got %+v, want an answer for the asker's eyes", asked)
	}
	second := e.press(asked.Message, "微调 fine-tune", "")
	if second.Type != 7 || second.Message.ID != asked.Message.ID {
		t.Errorf("an answer to a question: type %d, want the question edited", second.Type)
	}
	third := e.press(second.Message, "a week", "")
	form := e.press(third.Message, "type", "")
	if form.Type != 9 {
		t.Fatalf("type an answer: type %d, want a form", form.Type)
	}
	last := e.act("modal", map[string]any{"interaction_id": form.ID, "values": map[string]any{"text": "20 GB"}})
	if last.Type != 7 || last.Message.ID != asked.Message.ID {
		t.Errorf("the typed answer: type %d, want the same message edited", last.Type)
	}
	if got := asSeen(&last.Message.shownMessage); !strings.Contains(got, "task=finetune, duration_hours=days, 20 GB") {
		t.Errorf("the advice reads %q", got)
	}
	why := e.press(last.Message, "why", "")
	if why.Type != 4 || !why.Message.Ephemeral || why.Message.ID == last.Message.ID {
		t.Errorf("why: got %+v, want a message of its own", why)
	}
	posted := e.press(last.Message, "share", "")
	if posted.Type != 4 || posted.Message.Ephemeral || !strings.Contains(asSeen(&posted.Message.shownMessage), "18.8 GiB") {
		t.Errorf("post publicly: got %+v", posted)
	}
	started := e.press(posted.Message, "start", bob)
	if !started.Message.Ephemeral || advice.all()[len(advice.all())-1].Actor.ID != bob {
		t.Errorf("somebody else's own start: %+v", started)
	}
	e.clean()
	if s := e.stats(); s.Identifies != 1 {
		t.Errorf("identified %d times, want once", s.Identifies)
	}
}

func TestEmulatorAutocomplete(t *testing.T) {
	e := emulate(t)
	if e == nil {
		return
	}
	e.chat(Config{}, (&talk{}).turn)
	for _, tt := range []struct{ typed, locale, want string }{{"qw", "en-GB", "Qwen2.5-7B en"}, {"千", "zh-TW", "千问 7B zh"}} {
		o := e.act("autocomplete", map[string]any{"name": "gpu", "focused": "model", "options": map[string]any{"model": tt.typed}, "locale": tt.locale})
		if o.Type != 8 || !strings.Contains(string(o.Response), tt.want) {
			t.Errorf("typing %q: got %s, want %s", tt.typed, o.Response, tt.want)
		}
	}
	e.clean()
}

func TestEmulatorHTTP(t *testing.T) {
	e := emulate(t)
	if e == nil {
		return
	}
	advice := &talk{}
	d := e.chat(Config{PublicKey: e.key}, advice.turn)
	server := httptest.NewServer(d)
	defer server.Close()
	var ping struct{ Pass bool }
	if e.do("ping", map[string]any{"url": server.URL}, &ping); !ping.Pass {
		t.Error("PING and its tampered copy: not passed")
	}
	asked := e.act("command", map[string]any{"name": "gpu", "url": server.URL})
	if asked.HTTP.Status != 200 || !asked.Message.Ephemeral {
		t.Fatalf("/gpu over HTTP: %+v", asked)
	}
	next := e.act("component", map[string]any{"message_id": asked.Message.ID, "label": "渲染 render", "url": server.URL})
	if next.Type != 7 || next.HTTP.Status != 200 {
		t.Errorf("a press over HTTP: %+v", next)
	}
	e.clean()
}

func TestEmulatorGateway(t *testing.T) {
	e := emulate(t, "--heartbeat", "400")
	if e == nil {
		return
	}
	d := e.chat(Config{}, (&talk{}).turn)
	works := func(after string) {
		t.Helper()
		for range 200 {
			if e.stats().Connected && d.stats.connected.Load() == 1 {
				break
			}
			time.Sleep(20 * time.Millisecond)
		}
		if o := e.act("command", map[string]any{"name": "gpu"}); !o.Answered {
			t.Fatalf("after %s nobody answers", after)
		}
	}
	settle := func() { time.Sleep(300 * time.Millisecond) }
	works("the start")
	forced := 1
	for _, tt := range []struct {
		name   string
		body   map[string]any
		anew   int // sessions that this costs
		resume bool
	}{
		{"op 7", map[string]any{"op": "reconnect"}, 0, true},
		{"op 9, resumable", map[string]any{"op": "invalid", "d": true}, 0, true},
		{"op 9", map[string]any{"op": "invalid", "d": false}, 1, false},
		{"a broken line", map[string]any{"op": "close"}, 0, true},
		{"close 4000", map[string]any{"op": "close", "code": 4000}, 0, true},
		{"close 4008", map[string]any{"op": "close", "code": 4008}, 0, true},
		{"close 4009", map[string]any{"op": "close", "code": 4009}, 1, false},
		{"close 1001", map[string]any{"op": "close", "code": 1001}, 0, true},
	} {
		before := e.stats()
		e.do("gateway", tt.body, nil)
		settle()
		works(tt.name)
		after := e.stats()
		forced += tt.anew
		if got := after.Identifies - before.Identifies; got != tt.anew {
			t.Errorf("%s: %d new sessions, want %d", tt.name, got, tt.anew)
		}
		if got := after.Resumes > before.Resumes; got != tt.resume {
			t.Errorf("%s: resumed %v, want %v", tt.name, got, tt.resume)
		}
	}
	e.do("gateway", map[string]any{"dropAcks": true}, nil)
	time.Sleep(1500 * time.Millisecond)
	e.do("gateway", map[string]any{"dropAcks": false}, nil)
	works("heartbeats that were not answered")
	if s := e.stats(); s.Identifies > forced+3 {
		t.Errorf("identified %d times, want at most %d", s.Identifies, forced+3)
	}
	e.clean()
}

func TestEmulatorFatalClose(t *testing.T) {
	e := emulate(t)
	if e == nil {
		return
	}
	e.do("gateway", map[string]any{"failIdentify": 4014}, nil)
	d, err := New(Config{Token: fakeToken, URL: e.url, Texts: words(advisor.Commands()), Log: slog.New(slog.DiscardHandler)})
	if err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithTimeout(t.Context(), 10*time.Second)
	defer stop()
	err = d.Serve(ctx, (&talk{}).turn)
	if err == nil || !strings.Contains(err.Error(), "4014") || !strings.Contains(err.Error(), "intent") {
		t.Errorf("Serve: got %v, want code 4014 and what it means", err)
	}
	if s := e.stats(); s.Identifies != 1 {
		t.Errorf("identified %d times, want once", s.Identifies)
	}
}

func TestEmulatorLate(t *testing.T) {
	e := emulate(t, "--token-ttl", "3")
	if e == nil {
		return
	}
	var late atomic.Int64
	e.chat(Config{}, func(ctx context.Context, m advisor.Message, respond adapters.Respond) {
		time.Sleep(time.Duration(late.Load()))
		respond(ctx, saying("late but there"))
	})
	late.Store(int64(2 * time.Second))
	o := e.act("command", map[string]any{"name": "gpu", "wait_ms": 3000})
	if o.Type != 5 || o.Message == nil || o.Message.Content != "late but there" || !o.Message.Ephemeral {
		t.Errorf("an answer after two seconds: %+v", o)
	}
	late.Store(int64(4 * time.Second))
	e.act("command", map[string]any{"name": "gpu", "user_id": bob})
	if m := e.await("6"+bob, "late but there"); m == nil {
		t.Error("an answer after the token: no direct message")
	}
	e.clean()
}

// await waits for a message in a room.
func (e *emulator) await(room, text string) *shownMessage {
	for range 100 {
		var all []*shownMessage
		e.do("messages", map[string]any{"channel_id": room}, &all)
		for _, m := range all {
			if strings.Contains(asSeen(m), text) {
				return m
			}
		}
		time.Sleep(50 * time.Millisecond)
	}
	return nil
}

func TestEmulatorTrouble(t *testing.T) {
	e := emulate(t)
	if e == nil {
		return
	}
	d := e.chat(Config{}, (&talk{}).turn)
	e.do("fault", map[string]any{"path": "callback", "status": 503, "body": map[string]any{"message": "no"}, "times": 2}, nil)
	if o := e.act("command", map[string]any{"name": "gpu"}); !o.Answered {
		t.Error("two 503 in the way of an answer: no answer")
	}
	key := person{id: ann, room: e.room}.key()
	hello := advisor.Reply{Act: "answer", Parts: []advisor.Part{{Kind: "text", Text: "reminder one"}}}
	e.do("fault", map[string]any{"path": "messages", "status": 429, "body": map[string]any{"retry_after": 0.5, "global": false}, "times": 1}, nil)
	if err := d.Send(t.Context(), key, hello); err != nil || e.await(e.room, "reminder one") == nil {
		t.Errorf("a 429 in the way of a reminder: %v", err)
	}
	hello.Parts[0].Text = "reminder two"
	e.do("fault", map[string]any{"path": "channels/" + e.room, "status": 403, "body": map[string]any{"code": 50001, "message": "Missing Access"}, "times": 1}, nil)
	if err := d.Send(t.Context(), key, hello); err != nil || e.await("6"+ann, "reminder two") == nil {
		t.Errorf("a room that is closed to us: %v, want a direct message", err)
	}
	e.do("fault", map[string]any{"path": "channels/6", "status": 403, "body": map[string]any{"code": 50007, "message": "Cannot send messages to this user"}, "times": 1}, nil)
	hello.Private, hello.Parts[0].Text = true, "reminder three"
	if err := d.Send(t.Context(), key, hello); !isGone(err) {
		t.Errorf("nobody takes direct messages: got %v, want ErrGone", err)
	}
	hello.Once = "three"
	for range 2 {
		if err := d.Send(t.Context(), key, hello); err != nil {
			t.Errorf("Send: %v", err)
		}
	}
	var all []*shownMessage
	e.do("messages", map[string]any{"channel_id": "6" + ann}, &all)
	if n := strings.Count(fmt.Sprint(contents(all)), "reminder three"); n != 1 {
		t.Errorf("the same reminder sent twice is there %d times, want once", n)
	}
	e.clean()
}

func contents(all []*shownMessage) (out []string) {
	for _, m := range all {
		out = append(out, m.Content)
	}
	return out
}

func TestEmulatorTwoPeople(t *testing.T) {
	e := emulate(t)
	if e == nil {
		return
	}
	advice := &talk{}
	e.chat(Config{}, advice.turn)
	e.do("message", map[string]any{"content": "<@" + fakeApp + "> /gpu", "user_id": ann}, nil)
	public := e.await(e.room, "你要用 GPU 做什么")
	if public == nil {
		t.Fatal("a mention got no answer")
	}
	mine := e.act("command", map[string]any{"name": "gpu", "user_id": bob})
	o := e.press(&emulated{shownMessage: *public}, "渲染 render", bob)
	if !o.Message.Ephemeral || !strings.Contains(o.Message.Content, "not-yours") {
		t.Errorf("somebody else's button: %+v, want a private notice", o.Message)
	}
	if o := e.press(&emulated{shownMessage: *public}, "渲染 render", ann); o.Type != 7 {
		t.Errorf("one's own button: type %d", o.Type)
	}
	if o := e.press(mine.Message, "推理 inference", bob); o.Type != 7 {
		t.Errorf("the other's own button: type %d", o.Type)
	}
	said := map[string]string{}
	for _, m := range advice.all() {
		if m.Kind == advisor.KindChoice {
			said[m.Actor.ID] = m.Choice
		}
	}
	if said[ann] != "task=render" || said[bob] != "task=inference" {
		t.Errorf("got %v", said)
	}
	e.clean()
}

// TestEmulatorKilled: the process is killed in the middle of a dialogue, and
// the next one goes on.
func TestEmulatorKilled(t *testing.T) {
	e := emulate(t)
	if e == nil {
		return
	}
	memory := filepath.Join(t.TempDir(), "talk.json")
	bot := e.child(memory)
	asked := e.act("command", map[string]any{"name": "gpu"})
	second := e.press(asked.Message, "微调 fine-tune", "")
	bot.Process.Kill()
	bot.Wait()
	before := e.stats().Identifies
	e.child(memory)
	for range 100 {
		if e.stats().Identifies > before {
			break
		}
		time.Sleep(50 * time.Millisecond)
	}
	third := e.press(second.Message, "a week", "")
	last := e.press(third.Message, "don't know", "")
	if got := asSeen(&last.Message.shownMessage); !strings.Contains(got, "task=finetune, duration_hours=days, /dontknow") {
		t.Errorf("after the restart the advice reads %q", got)
	}
	var puts int
	var log []struct{ Method, Path string }
	e.do("log", nil, &log)
	for _, c := range log {
		if c.Method == "PUT" && strings.HasSuffix(c.Path, "/commands") {
			puts++
		}
	}
	if puts != 1 {
		t.Errorf("the commands were registered %d times, want once: they did not change", puts)
	}
	e.clean()
}

// childMark makes this test program a bot: see TestMain.
const childMark = "DISCORD_TEST_CHILD"

func (e *emulator) child(memory string) *exec.Cmd {
	bot := exec.Command(os.Args[0])
	bot.Env = append(os.Environ(), childMark+"="+e.url, "DISCORD_TEST_MEMORY="+memory)
	bot.Stderr = os.Stderr
	if err := bot.Start(); err != nil {
		e.t.Fatal(err)
	}
	e.t.Cleanup(func() { bot.Process.Kill(); bot.Wait() })
	for range 200 {
		var have struct{ Global []any }
		if e.do("commands", nil, &have); len(have.Global) > 0 && e.stats().Connected {
			break
		}
		time.Sleep(20 * time.Millisecond)
	}
	return bot
}

func TestMain(m *testing.M) {
	url := os.Getenv(childMark)
	if url == "" {
		os.Exit(m.Run())
	}
	d, err := New(Config{Token: fakeToken, URL: url, Commands: commands(), Texts: words(commands())})
	if err == nil {
		d.pace.identifyEvery = 100 * time.Millisecond
		err = d.Serve(context.Background(), (&talk{file: os.Getenv("DISCORD_TEST_MEMORY")}).turn)
	}
	fmt.Fprintln(os.Stderr, err)
	os.Exit(1)
}
