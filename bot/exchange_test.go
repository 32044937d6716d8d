package main

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"
)

// exchange is as much of Telegram as a bot needs to be talked to. What the
// adapter makes of the whole of it is tested there.
type exchange struct {
	*httptest.Server
	mu      sync.Mutex
	updates []map[string]any
	said    []saying
	offered []string // lists of commands, as they were set
	down    string   // what every call is answered with, "" when all is well
	status  int
}

// saying is a message of the bot's.
type saying struct {
	room int64
	text string
}

const exchangeToken = "123456:AAEhBOweik6ad9rQXMENQjcrGbqCr4K-bc"

func newExchange(t testing.TB) *exchange {
	e := &exchange{}
	e.Server = httptest.NewServer(e)
	t.Cleanup(func() { e.CloseClientConnections(); e.Close() })
	return e
}

func (e *exchange) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	method, ok := strings.CutPrefix(r.URL.Path, "/bot"+exchangeToken+"/")
	e.mu.Lock()
	down, status := e.down, e.status
	e.mu.Unlock()
	if down != "" || !ok {
		w.WriteHeader(max(status, http.StatusUnauthorized))
		fmt.Fprint(w, down)
		return
	}
	var result any = true
	switch method {
	case "getMe":
		result = map[string]any{"id": 123456, "is_bot": true, "first_name": "bot", "username": "our_bot"}
	case "getMyCommands":
		result = []any{}
	case "setMyCommands":
		e.offer(r)
	case "getUpdates":
		result = e.wait(r)
	case "sendMessage", "editMessageText":
		result = e.hear(r)
	}
	json.NewEncoder(w).Encode(map[string]any{"ok": true, "result": result})
}

// wait hands out updates, some time later when there are none.
func (e *exchange) wait(r *http.Request) []map[string]any {
	var ask struct {
		Offset  int64
		Timeout int
	}
	json.NewDecoder(r.Body).Decode(&ask)
	for end := time.Now().Add(time.Duration(ask.Timeout) * time.Second); ; time.Sleep(5 * time.Millisecond) {
		e.mu.Lock()
		for len(e.updates) > 0 && e.updates[0]["update_id"].(int64) < ask.Offset {
			e.updates = e.updates[1:] // what was confirmed is gone
		}
		found := append([]map[string]any{}, e.updates...)
		e.mu.Unlock()
		if len(found) > 0 || time.Now().After(end) || r.Context().Err() != nil {
			return found
		}
	}
}

func (e *exchange) hear(r *http.Request) map[string]any {
	r.ParseMultipartForm(1 << 20)
	room, _ := strconv.ParseInt(r.FormValue("chat_id"), 10, 64)
	e.mu.Lock()
	defer e.mu.Unlock()
	e.said = append(e.said, saying{room, r.FormValue("text")})
	return map[string]any{"message_id": 1000 + len(e.said), "date": time.Now().Unix(), "chat": map[string]any{"id": room, "type": "private"}}
}

// offer takes a list of commands.
func (e *exchange) offer(r *http.Request) {
	r.ParseMultipartForm(1 << 20)
	e.mu.Lock()
	defer e.mu.Unlock()
	e.offered = append(e.offered, r.FormValue("commands"))
}

// offers tells whether a list of commands had that in it.
func (e *exchange) offers(text string) bool {
	e.mu.Lock()
	defer e.mu.Unlock()
	return slices.ContainsFunc(e.offered, func(list string) bool { return strings.Contains(list, text) })
}

// write is a message of a person's, in private or in a group.
func (e *exchange) write(id, room, user int64, text string) {
	chat := map[string]any{"id": room, "type": "private"}
	if room < 0 {
		chat["type"], chat["title"] = "supergroup", "Team"
	}
	m := map[string]any{
		"message_id": id, "date": time.Now().Unix(), "chat": chat, "text": text,
		"from": map[string]any{"id": user, "first_name": "Ann", "language_code": "en"},
	}
	if strings.HasPrefix(text, "/") {
		command, _, _ := strings.Cut(text, " ")
		m["entities"] = []any{map[string]any{"type": "bot_command", "offset": 0, "length": len(command)}}
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	e.updates = append(e.updates, map[string]any{"update_id": id, "message": m})
}

// fail answers every call with a text, until it is called with "".
func (e *exchange) fail(status int, text string) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.status, e.down = status, text
}

// heard are the bot's messages in a room, so far.
func (e *exchange) heard(room int64) (texts []string) {
	e.mu.Lock()
	defer e.mu.Unlock()
	for _, s := range e.said {
		if s.room == room {
			texts = append(texts, s.text)
		}
	}
	return texts
}

// until waits until the bot has said n things in a room.
func (e *exchange) until(t *testing.T, room int64, n int) (texts []string) {
	t.Helper()
	eventually(t, fmt.Sprintf("%d messages in %d", n, room), func() bool {
		texts = e.heard(room)
		return len(texts) >= n
	})
	return texts
}

func eventually(t *testing.T, what string, is func() bool) {
	t.Helper()
	for end := time.Now().Add(time.Minute); !is(); time.Sleep(5 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatalf("not within a minute: %s", what)
		}
	}
}
