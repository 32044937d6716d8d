package telegram

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"gpuadvisor/adapters"
	"gpuadvisor/advisor"
	"gpuadvisor/rules"
)

// emulator_test.go talks to people through an emulator of the Bot API that
// checks every call against Telegram's own description of it. It runs when
// TELEGRAM_EMULATOR is the command that starts one, such as
//
//	node tgfake.js --spec telegram-api.json
//
// and answers with the real advisor, from a desk that keeps its turns in files.

const emulatorToken = "123456:TEST"

// emulator is a running one.
type emulator struct {
	t   testing.TB
	url string
}

func startEmulator(t testing.TB) *emulator {
	command := strings.Fields(os.Getenv("TELEGRAM_EMULATOR"))
	if len(command) == 0 {
		return nil
	}
	port := freePort(t)
	args := append(command[1:], "--port", port, "--token", emulatorToken, "--username", "emul_bot", "--privacy", "--strict")
	cmd := exec.Command(command[0], args...)
	cmd.Stderr = os.Stderr
	if err := cmd.Start(); err != nil {
		t.Fatalf("start the emulator: %v", err)
	}
	t.Cleanup(func() { cmd.Process.Kill(); cmd.Wait() })
	e := &emulator{t: t, url: "http://127.0.0.1:" + port}
	eventually(t, "the emulator answers", func() bool {
		resp, err := http.Get(e.url + "/_ctl/state")
		if err == nil {
			resp.Body.Close()
		}
		return err == nil
	})
	return e
}

func freePort(t testing.TB) string {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	_, port, _ := net.SplitHostPort(l.Addr().String())
	return port
}

// ctl drives the emulator, and reads its answer into out.
func (e *emulator) ctl(name string, body map[string]any, out any) {
	e.t.Helper()
	b, _ := json.Marshal(body)
	resp, err := http.Post(e.url+"/_ctl/"+name, "application/json", bytes.NewReader(b))
	if err != nil {
		e.t.Fatalf("%s: %v", name, err)
	}
	defer resp.Body.Close()
	answer, _ := io.ReadAll(resp.Body)
	if bytes.Contains(answer, []byte(`"error":`)) {
		e.t.Errorf("%s %s: %s", name, b, answer)
	}
	if out != nil {
		if err := json.Unmarshal(answer, out); err != nil {
			e.t.Fatalf("%s: %v in %s", name, err, answer)
		}
	}
}

// shown is a message as the emulator keeps it.
type shown struct {
	ID     int    `json:"message_id"`
	Thread int    `json:"message_thread_id"`
	Text   string `json:"text"`
	From   struct {
		Bot bool `json:"is_bot"`
	} `json:"from"`
	Markup struct {
		Rows [][]key `json:"inline_keyboard"`
	} `json:"reply_markup"`
}

func (e *emulator) messages(room int64) (list []shown) {
	e.ctl("messages", map[string]any{"chat_id": room}, &list)
	return list
}

// say sends a message and waits for n messages of ours in the room.
func (e *emulator) say(room, user int64, text string, n int, extra ...map[string]any) []shown {
	e.t.Helper()
	body := map[string]any{"chat_id": room, "user_id": user, "text": text, "lang": "zh-hans"}
	for _, x := range extra {
		for k, v := range x {
			body[k] = v
		}
	}
	e.ctl("message", body, nil)
	return e.until(room, n)
}

func (e *emulator) until(room int64, n int) (list []shown) {
	e.t.Helper()
	eventually(e.t, fmt.Sprintf("%d messages in %d", n, room), func() bool { list = e.messages(room); return len(list) >= n })
	return list
}

// press taps a button, and waits until all taps are answered.
func (e *emulator) press(room, user int64, message int, data string, force bool) {
	e.t.Helper()
	e.ctl("press", map[string]any{"chat_id": room, "user_id": user, "message_id": message, "data": data, "force": force, "lang": "zh"}, nil)
	eventually(e.t, "every tap is answered", func() bool {
		var taps []struct{ Answered any }
		e.ctl("callbacks", nil, &taps)
		for _, tap := range taps {
			if tap.Answered == nil {
				return false
			}
		}
		return true
	})
}

func (e *emulator) reset() { e.ctl("reset", nil, nil) }

// clean checks that no call so far broke the description of the Bot API.
func (e *emulator) clean() {
	e.t.Helper()
	var violations []any
	e.ctl("violations", nil, &violations)
	if len(violations) > 0 {
		b, _ := json.Marshal(violations)
		e.t.Errorf("calls against the description of the Bot API: %.2000s", b)
	}
}

func emulatorConfig(url string) Config {
	return Config{Token: emulatorToken, URL: url, Lang: "zh", Texts: testTexts, Log: slog.New(slog.NewTextHandler(io.Discard, nil))}
}

// house is a desk with the real advisor. What is committed is in files, one
// for each conversation, so that it outlives the process.
type house struct {
	dir     string
	advisor *advisor.Advisor
	mu      sync.Mutex
}

func newHouse(t *testing.T, dir string) *house {
	book, err := rules.Load()
	if err != nil {
		t.Fatal(err)
	}
	return &house{dir: dir, advisor: advisor.New(book)}
}

func (h *house) file(k advisor.Key) string {
	return filepath.Join(h.dir, fmt.Sprintf("%x", sha256.Sum256([]byte(k))))
}

// change changes the record of a conversation.
func (h *house) change(k advisor.Key, f func(*adapters.Ledger) error) error {
	h.mu.Lock()
	defer h.mu.Unlock()
	var l adapters.Ledger
	if b, err := os.ReadFile(h.file(k)); err == nil {
		if err := json.Unmarshal(b, &l); err != nil {
			return err
		}
	}
	if err := f(&l); err != nil {
		return err
	}
	b, err := json.Marshal(l)
	if err != nil {
		return err
	}
	if err := os.WriteFile(h.file(k)+".new", b, 0o600); err != nil {
		return err
	}
	return os.Rename(h.file(k)+".new", h.file(k))
}

func (h *house) handle(ctx context.Context, m advisor.Message, respond adapters.Respond) {
	var out adapters.Outcome
	err := h.change(m.Key, func(l *adapters.Ledger) (err error) {
		if out, err = l.Find(m.ID); err != nil || out.Repeat {
			return err
		}
		var c advisor.Conversation
		if l.State != nil {
			if c, err = adapters.DecodeConversation(l.State, l.Version); err != nil {
				return err
			}
		}
		next, r, _ := h.advisor.Answer(advisor.Known{Conversation: c}, m)
		next.Version = l.Version
		out, err = l.Commit(adapters.Turn{MessageID: m.ID, Conversation: next, Reply: r}, time.Now())
		return err
	})
	if err != nil {
		panic(err)
	}
	if out.Sent || out.Reply.Act == "ignore" || respond(ctx, out.Reply) != nil {
		return
	}
	h.change(m.Key, func(l *adapters.Ledger) error { l.MarkSent(m.ID); return nil })
}

func TestEmulator(t *testing.T) {
	e := startEmulator(t)
	if e == nil {
		t.Log("TELEGRAM_EMULATOR is not set")
		return
	}
	h := newHouse(t, t.TempDir())
	run := func(name string, change func(*Config), test func(*testing.T, *Chat)) {
		t.Run(name, func(t *testing.T) {
			e.t = t
			e.reset()
			h.dir = t.TempDir()
			c := emulatorConfig(e.url)
			if change != nil {
				change(&c)
			}
			chat, err := New(c)
			if err != nil {
				t.Fatal(err)
			}
			serve(t, chat, h.handle)
			test(t, chat)
			e.clean()
		})
	}
	run("advice to the end", nil, func(t *testing.T, _ *Chat) { adviceToTheEnd(t, e) })
	run("two people in a group", nil, func(t *testing.T, _ *Chat) { twoInAGroup(t, e) })
	run("topic", nil, func(t *testing.T, _ *Chat) {
		all := e.say(-1000000000001, 51, "/gpu@emul_bot 微调 7B", 1, map[string]any{"thread": 5})
		e.press(-1000000000001, 51, all[0].ID, all[0].Markup.Rows[0][0].Data, false)
		for _, m := range e.messages(-1000000000001) {
			if m.Thread != 5 {
				t.Errorf("a message stands in topic %d, want 5", m.Thread)
			}
		}
	})
	run("buttons", nil, func(t *testing.T, _ *Chat) { lateButtons(t, e) })
	run("redelivered and poison", nil, func(t *testing.T, chat *Chat) { strangeUpdates(t, e, chat) })
	run("troubles", nil, func(t *testing.T, chat *Chat) { troubles(t, e, chat) })
	run("inline mode", nil, func(t *testing.T, _ *Chat) {
		for _, query := range []string{"", "vram Qwen2.5-7B LoRA", "显存 7B", "card 4090"} {
			e.ctl("inline", map[string]any{"query": query}, nil)
		}
		eventually(t, "all are answered", func() bool { return e.calls("answerInlineQuery") == 4 })
	})
	run("pictures and long texts", nil, func(t *testing.T, chat *Chat) { bigReplies(t, e, chat) })
	t.Run("webhook", func(t *testing.T) { e.t = t; throughWebhook(t, e, h) })
	t.Run("killed in the middle of a turn", func(t *testing.T) { e.t = t; killed(t, e) })
}

// calls counts the calls of a method.
func (e *emulator) calls(method string) (n int) {
	var log []struct{ Method string }
	e.ctl("log", nil, &log)
	for _, c := range log {
		if c.Method == method {
			n++
		}
	}
	return n
}

// adviceToTheEnd answers every question with its first button.
func adviceToTheEnd(t *testing.T, e *emulator) {
	e.say(42, 42, "/start", 1)
	all := e.say(42, 42, "想微调一个 7B 模型,租什么卡?", 2)
	for step := 0; ; step++ {
		last := all[len(all)-1]
		if step > 12 {
			t.Fatalf("no advice after %d steps: %s", step, last.Text)
		}
		if len(last.Markup.Rows) == 0 {
			all = e.say(42, 42, "不知道", len(all)+1)
			continue
		}
		b := last.Markup.Rows[0][0]
		if strings.Contains(b.Data, "./") { // what can be done with an advice
			break
		}
		e.press(42, 42, last.ID, b.Data, false)
		eventually(t, "the next question", func() bool {
			all = e.messages(42)
			now := all[len(all)-1]
			return now.ID != last.ID || now.Text != last.Text
		})
	}
	if text := all[len(all)-1].Text; !strings.Contains(text, "24") || !strings.Contains(text, "<b>") {
		t.Errorf("the advice is %s", text)
	}
	if len(all) > 5 {
		t.Errorf("%d messages for one dialogue, want it in place", len(all))
	}
}

func twoInAGroup(t *testing.T, e *emulator) {
	const room = -1000000000001
	ann := e.say(room, 51, "/gpu@emul_bot 微调 7B", 1)[0]
	all := e.say(room, 52, "你好 /GPU@emul_bot 推理 70B", 2)
	bob := all[1]
	e.press(room, 52, ann.ID, ann.Markup.Rows[0][0].Data, false) // not bob's
	for range 3 {                                                // in turns
		for _, p := range []struct {
			user int64
			m    *shown
		}{{51, &ann}, {52, &bob}} {
			if len(p.m.Markup.Rows) == 0 || strings.Contains(p.m.Markup.Rows[0][0].Data, "./") {
				continue
			}
			before := *p.m
			e.press(room, p.user, p.m.ID, p.m.Markup.Rows[0][0].Data, false)
			eventually(t, "the next question", func() bool {
				for _, m := range e.messages(room) {
					if m.ID == before.ID {
						*p.m = m
					}
				}
				return p.m.Text != before.Text
			})
		}
	}
	if n := len(e.messages(room)); n != 2 {
		t.Errorf("%d messages in the group, want one for each", n)
	}
	var taps []struct{ Answered struct{ Text string } }
	e.ctl("callbacks", nil, &taps)
	if !strings.Contains(taps[0].Answered.Text, "/gpu@emul_bot") || taps[1].Answered.Text != "" {
		t.Errorf("who taps another's button is told %q, the asker %q", taps[0].Answered.Text, taps[1].Answered.Text)
	}
	reply := e.say(room, 51, "13B", 3, map[string]any{"reply_to": ann.ID}) // a reply to us
	if len(reply) < 3 {
		t.Error("a reply was not answered")
	}
}

func lateButtons(t *testing.T, e *emulator) {
	first := e.say(42, 42, "微调 7B", 1)[0]
	data := first.Markup.Rows[0][0].Data
	e.press(42, 42, first.ID, data, false)
	e.press(42, 42, first.ID, data, true) // the second click of a double click
	e.press(42, 42, first.ID, "of an older version", true)
	e.say(42, 42, "跑两天", 2)
	time.Sleep(twiceWithin)
	e.press(42, 42, first.ID, data, true) // long after
	e.ctl("press", map[string]any{"chat_id": 42, "user_id": 42, "message_id": first.ID, "data": data, "force": true, "inaccessible": true}, nil)
	all := e.say(42, 42, "还在吗", 3)
	if n := len(all); n > 4 {
		t.Errorf("%d messages", n)
	}
}

func strangeUpdates(t *testing.T, e *emulator, chat *Chat) {
	e.ctl("update", map[string]any{"message_reaction": map[string]any{"chat": map[string]any{"id": 42, "type": "private"}, "message_id": 1, "date": 1,
		"new_reaction": []any{map[string]any{"type": "of tomorrow"}}}}, nil)
	e.ctl("update", map[string]any{"message": "strange"}, nil)
	e.ctl("update", map[string]any{"message": map[string]any{"message_id": 7, "date": time.Now().Unix(), "text": "微调 7B", "from": map[string]any{"id": 42, "is_bot": false, "first_name": "U"},
		"chat": map[string]any{"id": 42, "type": "private"}, "forward_origin": map[string]any{"type": "of tomorrow"}}}, nil)
	e.until(42, 1)
	var sent struct {
		Update int `json:"update_id"`
	}
	e.ctl("message", map[string]any{"chat_id": 42, "user_id": 42, "text": "LoRA"}, &sent)
	e.until(42, 2)
	again := map[string]any{"update_id": sent.Update, "message": map[string]any{"message_id": 8, "date": time.Now().Unix(), "text": "LoRA", "from": map[string]any{"id": 42, "is_bot": false, "first_name": "U"},
		"chat": map[string]any{"id": 42, "type": "private"}}}
	for range 3 {
		e.ctl("redeliver", map[string]any{"update": again}, nil)
	}
	all := e.say(42, 42, "还在吗", 3)
	if len(all) != 3 {
		t.Errorf("%d answers, want one for each message", len(all))
	}
	if chat.Counts()["poison"] != 1 {
		t.Errorf("counted %d updates that cannot be read, want 1", chat.Counts()["poison"])
	}
}

func troubles(t *testing.T, e *emulator, chat *Chat) {
	start := time.Now()
	e.ctl("fault", map[string]any{"method": "sendMessage", "error_code": 429, "description": "Too Many Requests: retry after 1", "parameters": map[string]any{"retry_after": 1}}, nil)
	e.say(42, 42, "微调 7B", 1)
	if took := time.Since(start); took < time.Second {
		t.Errorf("did not wait as asked: %s", took)
	}
	e.ctl("fault", map[string]any{"method": "sendMessage", "status": 502, "raw": "<html>Bad Gateway</html>"}, nil)
	e.say(43, 43, "微调 7B", 1)
	e.ctl("fault", map[string]any{"method": "getUpdates", "status": 502, "raw": "<html>Bad Gateway</html>", "times": 2}, nil)
	e.say(44, 44, "微调 7B", 1)
	e.ctl("fault", map[string]any{"method": "sendMessage", "chat_id": 45, "hang_ms": 1500}, nil)
	e.ctl("message", map[string]any{"chat_id": 45, "user_id": 45, "text": "微调 7B"}, nil)
	e.say(46, 46, "微调 7B", 1)
	if len(e.messages(45)) != 0 {
		t.Error("the hanging message held up another")
	}
	e.until(45, 1)
	e.ctl("fault", map[string]any{"method": "sendMessage", "chat_id": 47, "error_code": 403, "description": "Forbidden: bot was blocked by the user"}, nil)
	e.ctl("message", map[string]any{"chat_id": 47, "user_id": 47, "text": "微调 7B"}, nil)
	e.say(48, 48, "微调 7B", 1)
	e.ctl("fault", map[string]any{"method": "sendMessage", "chat_id": -77, "error_code": 400, "description": "Bad Request: group chat was upgraded to a supergroup chat",
		"parameters": map[string]any{"migrate_to_chat_id": -1000000000078}}, nil)
	e.ctl("message", map[string]any{"chat_id": -77, "user_id": 51, "text": "/gpu@emul_bot 微调 7B"}, nil)
	e.until(-1000000000078, 1)
	for _, user := range []int64{42, 43, 44, 45, 46, 48} {
		if n := len(e.messages(user)); n != 1 {
			t.Errorf("%d answers for %d, want one", n, user)
		}
	}
}

func bigReplies(t *testing.T, e *emulator, chat *Chat) {
	r := advisor.Reply{Act: "answer", Choices: []advisor.Choice{{Ref: strings.Repeat("x", longestRef), Label: "一个选项 <&> 😀"}}}
	for _, kind := range []string{"heading", "text", "code", "note", "question"} {
		r.Parts = append(r.Parts, advisor.Part{Kind: kind, Text: strings.Repeat("很长的一段话 <b> & 👩‍🔬。\n", 300)})
	}
	r.Parts = append(r.Parts, advisor.Part{Kind: "table", Rows: [][]string{{"卡", "显存"}, {"RTX 4090", "24 GB"}}},
		advisor.Part{Kind: "image", Text: "a picture", Image: []byte("\x89PNG\r\n\x1a\n and so on")})
	if err := chat.Send(t.Context(), chat.key(42, 0, 42), r); err != nil {
		t.Error(err)
	}
}

func throughWebhook(t *testing.T, e *emulator, h *house) {
	e.reset()
	h.dir = t.TempDir()
	srv := httptest.NewUnstartedServer(nil)
	c := emulatorConfig(e.url)
	c.Webhook = Webhook{URL: "http://" + srv.Listener.Addr().String() + "/telegram", Secret: testSecret}
	chat, err := New(c)
	if err != nil {
		t.Fatal(err)
	}
	srv.Config.Handler = chat.Webhook()
	srv.Start()
	defer srv.Close()
	serve(t, chat, h.handle)
	e.say(42, 42, "微调 7B", 1)
	for secret, want := range map[string]int{"": 401, "wrong": 403} {
		if got := bring(chat, secret, updateOf(5, "微调 7B")); got != want {
			t.Errorf("secret %q: got status %d, want %d", secret, got, want)
		}
	}
	e.ctl("update", map[string]any{"message": "strange"}, nil) // must not stop what follows
	e.ctl("fault", map[string]any{"method": "sendMessage", "error_code": 429, "description": "Too Many Requests: retry after 1", "parameters": map[string]any{"retry_after": 1}}, nil)
	all := e.say(42, 42, "LoRA", 2)
	if len(all) != 2 {
		t.Errorf("%d answers, want 2", len(all))
	}
	e.clean()
}

// TestEmulatorChild is the bot of killed, in a process of its own.
func TestEmulatorChild(t *testing.T) {
	dir := os.Getenv("TELEGRAM_CHILD_DIR")
	if dir == "" {
		return
	}
	chat, err := New(emulatorConfig(os.Getenv("TELEGRAM_CHILD_URL")))
	if err != nil {
		t.Fatal(err)
	}
	chat.Serve(context.Background(), newHouse(t, dir).handle)
}

// killed: the turn is committed and the answer is on its way when the process
// dies. The next one sends it, and does not take the turn again.
func killed(t *testing.T, e *emulator) {
	e.reset()
	dir := t.TempDir()
	begin := func() *exec.Cmd {
		cmd := exec.Command(os.Args[0], "-test.run=^TestEmulatorChild$")
		cmd.Env = append(os.Environ(), "TELEGRAM_CHILD_DIR="+dir, "TELEGRAM_CHILD_URL="+e.url)
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		return cmd
	}
	e.ctl("fault", map[string]any{"method": "sendMessage", "hang_ms": 20000, "status": 502, "raw": "<html>"}, nil)
	first := begin()
	e.ctl("message", map[string]any{"chat_id": 42, "user_id": 42, "text": "微调 7B"}, nil)
	eventually(t, "the answer is on its way", func() bool { return e.calls("sendMessage") == 1 })
	first.Process.Kill()
	first.Wait()
	second := begin()
	defer func() { second.Process.Kill(); second.Wait() }()
	e.until(42, 1)
	all := e.say(42, 42, "LoRA", 2)
	if len(all) != 2 {
		t.Errorf("%d answers, want one for each message", len(all))
	}
	files, _ := filepath.Glob(filepath.Join(dir, "*"))
	b, err := os.ReadFile(files[0])
	var l adapters.Ledger
	if err != nil || json.Unmarshal(b, &l) != nil || l.Version != 2 {
		t.Errorf("%d files, the first at version %d; want one at 2", len(files), l.Version)
	}
	e.clean()
}
