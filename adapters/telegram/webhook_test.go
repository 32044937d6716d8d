package telegram

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"gpuadvisor/adapters"
	"gpuadvisor/advisor"
)

const testSecret = "a-secret_of-1"

func hooked(c *Config) { c.Webhook = Webhook{URL: "https://bot.example/telegram", Secret: testSecret} }

// bring posts a body to the webhook as Telegram would, and returns the status.
func bring(chat *Chat, secret, body string) int {
	r := httptest.NewRequest(http.MethodPost, "/telegram", strings.NewReader(body))
	if secret != "" {
		r.Header.Set(secretHeader, secret)
	}
	w := httptest.NewRecorder()
	chat.Webhook().ServeHTTP(w, r)
	return w.Code
}

func updateOf(id int, text string) string {
	return fmt.Sprintf(`{"update_id":%d,"message":{"message_id":1,"date":1,"chat":{"id":42,"type":"private"},"from":{"id":42},"text":%q}}`, id, text)
}

func TestWebhook(t *testing.T) {
	f, chat, d := open(t, hooked)
	eventually(t, "the webhook is set", func() bool { return len(f.called("setWebhook")) == 1 })
	set := f.called("setWebhook")[0].params
	if set["url"] != "https://bot.example/telegram" || set["secret_token"] != testSecret || !strings.Contains(set["allowed_updates"], "callback_query") {
		t.Errorf("setWebhook got %v", set)
	}
	for _, tt := range []struct {
		name, secret, body string
		want               int
	}{
		{"an update", testSecret, updateOf(1, "hello"), 200},
		{"no secret", "", updateOf(2, "hello"), 401},
		{"wrong secret", "wrong", updateOf(3, "hello"), 403},
		{"half of the secret", testSecret[:5], updateOf(3, "hello"), 403},
		{"broken JSON", testSecret, `{"update_id":4,`, 400},
		{"no JSON", testSecret, "hello", 400},
		{"nothing", testSecret, "", 400},
		{"no number", testSecret, `{"message":{}}`, 400},
		{"too large", testSecret, updateOf(5, strings.Repeat("x", largestUpdate)), 413},
		{"not readable, and never will be", testSecret, `{"update_id":6,"message":7}`, 200},
		{"not wanted", testSecret, `{"update_id":7,"poll":{}}`, 200},
	} {
		if got := bring(chat, tt.secret, tt.body); got != tt.want {
			t.Errorf("%s: got status %d, want %d", tt.name, got, tt.want)
		}
	}
	if got := d.texts(); len(got) != 1 || got[0] != "hello" {
		t.Errorf("the desk got %q, want the one good message", got)
	}
	w := httptest.NewRecorder()
	chat.Webhook().ServeHTTP(w, httptest.NewRequest(http.MethodGet, "/telegram", nil))
	if w.Code != http.StatusMethodNotAllowed {
		t.Errorf("GET: got status %d, want 405", w.Code)
	}
}

// 200 means that the turn is done: before, Telegram must keep the update.
func TestWebhookWaitsForTheTurn(t *testing.T) {
	f := newFake(t)
	c := f.config()
	hooked(&c)
	chat := f.chat(c)
	if got := bring(chat, testSecret, updateOf(1, "early")); got != 503 {
		t.Errorf("before Serve: got status %d, want 503", got)
	}
	done := false
	stop := serve(t, chat, func(ctx context.Context, m advisor.Message, respond adapters.Respond) {
		if m.Text == "unfinished" {
			<-ctx.Done()
			return
		}
		respond(ctx, reply("yes"))
		done = true
	})
	eventually(t, "the webhook is set", func() bool { return len(f.called("setWebhook")) == 1 })
	if got := bring(chat, testSecret, updateOf(1, "hello")); got != 200 || !done {
		t.Errorf("got status %d, turn done: %v; want 200 after it", got, done)
	}
	status := make(chan int)
	go func() { status <- bring(chat, testSecret, updateOf(2, "unfinished")) }()
	eventually(t, "it is inside", func() bool { return chat.intake.count.Load() == 1 })
	stop()
	if got := <-status; got != 503 {
		t.Errorf("stopped in the middle of the turn: got status %d, want 503", got)
	}
	if got := bring(chat, testSecret, updateOf(3, "late")); got != 503 {
		t.Errorf("after Serve: got status %d, want 503", got)
	}
}

func TestWebhookFull(t *testing.T) {
	_, chat, _ := open(t, hooked)
	eventually(t, "it is open", func() bool { return bring(chat, testSecret, updateOf(1, "x")) == 200 })
	chat.intake.count.Add(inside)
	if got := bring(chat, testSecret, updateOf(2, "x")); got != 503 {
		t.Errorf("full: got status %d, want 503", got)
	}
	chat.intake.count.Add(-inside)
}

// Whatever a stranger posts, with the secret or not, there is a sensible
// status and no panic.
func FuzzWebhook(f *testing.F) {
	for _, body := range []string{"", "{", `{"update_id":1}`, updateOf(2, "/vram@Fake_GPU_bot 7B"), `[1]`, `{"update_id":1e9,"callback_query":{"id":"1","from":{"id":1},"data":"q1.1.1.x"}}`} {
		f.Add(body, testSecret)
		f.Add(body, "")
	}
	chat := offline(f, hooked)
	f.Fuzz(func(t *testing.T, body, secret string) {
		r := httptest.NewRequest(http.MethodPost, "/telegram", strings.NewReader(body))
		r.Header[secretHeader] = []string{secret}
		w := httptest.NewRecorder()
		chat.Webhook().ServeHTTP(w, r)
		switch {
		case secret == testSecret && (w.Code == 200 || w.Code == 400 || w.Code == 413):
		case secret != testSecret && (w.Code == 401 || w.Code == 403):
		default:
			t.Errorf("body %q, secret %q: got status %d", body, secret, w.Code)
		}
	})
}
