//go:build scale

package main

import (
	"bytes"
	"crypto/ed25519"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"mime"
	"mime/multipart"
	"net/http"
	"net/http/httptest"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"
)

// scale_chats_test.go has the two chat platforms of the load: small servers
// that take what the bot sends, and people who write, wait for the answer, and
// write again. They keep the rules that matter under load: Telegram brings an
// update again until it gets a 2xx and refuses more than 30 messages a second;
// Discord brings an interaction once, signed, and waits three seconds.

// lines4 is what a person writes, again and again: a dialogue with a state.
var lines4 = []string{"LoRA fine-tune of a 7B model, which card?", "2 GB of data", "two days", "what if it may be interrupted?"}

// tally is what became of the messages.
type tally struct {
	mu       sync.Mutex
	sent     int
	took     []time.Duration // of the answered
	lost     int             // taken by us, never answered
	doubled  int             // answers that nobody waits for
	again    int             // answered with "please send it again"
	refused  int             // Discord: failed at once, people tap again
	repeated int             // Telegram: brought again
	slowed   int             // Telegram: 429
	answered []delivery      // to compare with the store
}

// delivery is a message of somebody, as it is stored.
type delivery struct{ key, id string }

// waiting is a message that somebody waits for an answer to.
type waiting struct {
	delivery
	at   time.Time
	done chan bool // true: answered
}

// room is a private chat.
type scaleRoom struct {
	mu   sync.Mutex
	open *waiting
}

// begin opens a wait, end closes it with an answer. end is false when nobody
// waited.
func (r *scaleRoom) begin(w *waiting) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.open = w
}

func (r *scaleRoom) end() *waiting {
	r.mu.Lock()
	defer r.mu.Unlock()
	w := r.open
	r.open = nil
	return w
}

func (s *tally) add(n *int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	*n++
}

// answer takes an answer of the bot in a room.
func (s *tally) answer(r *scaleRoom, text string) {
	w := r.end()
	s.mu.Lock()
	defer s.mu.Unlock()
	if w == nil {
		s.doubled++
		return
	}
	s.took = append(s.took, time.Since(w.at))
	if strings.Contains(text, words["store-down"]["en"]) || strings.Contains(text, words["sorry"]["en"]) {
		s.again++
	} else {
		s.answered = append(s.answered, w.delivery)
	}
	close(w.done)
}

// patience is how long a person waits before we call the answer lost.
const scalePatience = 60 * time.Second

// wait waits for the answer.
func (s *tally) wait(r *scaleRoom, w *waiting) {
	select {
	case <-w.done:
	case <-time.After(scalePatience):
		if r.end() != nil {
			s.add(&s.lost)
		}
	}
}

// quantile is of what the answered took.
func (s *tally) quantile(q float64) time.Duration {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.took) == 0 {
		return 0
	}
	slices.Sort(s.took)
	return s.took[min(len(s.took)-1, int(q*float64(len(s.took))))].Round(time.Millisecond / 10)
}

// --- Telegram ----------------------------------------------------------------

const (
	scaleToken  = "123456:SCALE-token_of_a_load"
	scaleSecret = "scale-secret"
)

// tgLoad is Telegram under load.
type tgLoad struct {
	tally
	server *httptest.Server
	door   string // where updates go
	client *http.Client

	mu     sync.Mutex
	rooms  map[int64]*scaleRoom
	update int64
	second []time.Time // when the last messages were sent
}

func newTgLoad(t *testing.T, door string) *tgLoad {
	l := &tgLoad{door: door, rooms: map[int64]*scaleRoom{}, update: 1000, client: manyConnections()}
	l.server = httptest.NewServer(l)
	t.Cleanup(l.server.Close)
	return l
}

func manyConnections() *http.Client {
	return &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: 200}, Timeout: scalePatience}
}

// ServeHTTP is the Bot API.
func (l *tgLoad) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	method := r.URL.Path[strings.LastIndex(r.URL.Path, "/")+1:]
	form := formOf(r)
	result := any(true)
	switch method {
	case "getMe":
		result = map[string]any{"id": 123456, "is_bot": true, "first_name": "Load", "username": "load_bot"}
	case "getMyCommands":
		result = []any{}
	case "sendMessage":
		room, _ := strconv.ParseInt(form["chat_id"], 10, 64)
		if !l.mayTake() {
			l.add(&l.slowed)
			w.WriteHeader(http.StatusTooManyRequests)
			io.WriteString(w, `{"ok":false,"error_code":429,"description":"Too Many Requests: retry after 1","parameters":{"retry_after":1}}`)
			return
		}
		l.answer(l.room(room), form["text"])
		result = map[string]any{"message_id": time.Now().UnixNano() % 1e9, "date": time.Now().Unix(), "chat": map[string]any{"id": room, "type": "private"}}
	}
	json.NewEncoder(w).Encode(map[string]any{"ok": true, "result": result})
}

// formOf reads a call of the library: multipart, or nothing.
func formOf(r *http.Request) map[string]string {
	out := map[string]string{}
	_, opts, _ := mime.ParseMediaType(r.Header.Get("Content-Type"))
	if opts["boundary"] == "" {
		return out
	}
	form := multipart.NewReader(r.Body, opts["boundary"])
	for {
		p, err := form.NextPart()
		if errors.Is(err, io.EOF) || p == nil {
			return out
		}
		b, _ := io.ReadAll(p)
		out[p.FormName()] = string(b)
	}
}

// perSecond is what Telegram takes of one bot.
// https://core.telegram.org/bots/faq#my-bot-is-hitting-limits-how-do-i-avoid-this
const perSecond = 30

func (l *tgLoad) mayTake() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	now := time.Now()
	for len(l.second) > 0 && now.Sub(l.second[0]) > time.Second {
		l.second = l.second[1:]
	}
	if len(l.second) >= perSecond {
		return false
	}
	l.second = append(l.second, now)
	return true
}

func (l *tgLoad) room(id int64) *scaleRoom {
	l.mu.Lock()
	defer l.mu.Unlock()
	r := l.rooms[id]
	if r == nil {
		r = &scaleRoom{}
		l.rooms[id] = r
	}
	return r
}

// say lets a person write, and waits for the answer.
func (l *tgLoad) say(person int64, text string) {
	l.mu.Lock()
	l.update++
	id := l.update
	l.mu.Unlock()
	room := l.room(person)
	key := fmt.Sprintf("telegram:123456:%d::%d", person, person)
	w := &waiting{delivery{key, strconv.FormatInt(id, 10)}, time.Now(), make(chan bool)}
	room.begin(w)
	l.add(&l.sent)
	body, _ := json.Marshal(map[string]any{"update_id": id, "message": map[string]any{
		"message_id": id, "date": time.Now().Unix(), "text": text, "chat": map[string]any{"id": person, "type": "private", "first_name": "P"},
		"from": map[string]any{"id": person, "is_bot": false, "first_name": "P", "language_code": "en"},
	}})
	go l.bring(body)
	l.wait(room, w)
}

// bring brings an update until it is taken: again after a second, then after
// twice as long each time.
func (l *tgLoad) bring(body []byte) {
	for pause := time.Second; pause < scalePatience; pause *= 2 {
		r, _ := http.NewRequest(http.MethodPost, l.door+"/telegram", bytes.NewReader(body))
		r.Header.Set("X-Telegram-Bot-Api-Secret-Token", scaleSecret)
		resp, err := l.client.Do(r)
		if err == nil {
			io.Copy(io.Discard, resp.Body)
			resp.Body.Close()
			if resp.StatusCode/100 == 2 {
				return
			}
		}
		l.add(&l.repeated)
		time.Sleep(pause)
	}
}

// --- Discord -----------------------------------------------------------------

const scaleApp = "1000000000000000001"

// dcLoad is Discord under load.
type dcLoad struct {
	tally
	server *httptest.Server
	door   string
	client *http.Client
	public string
	key    ed25519.PrivateKey

	mu    sync.Mutex
	rooms map[string]*scaleRoom // by interaction token
	id    uint64
}

func newDcLoad(t *testing.T, door string) *dcLoad {
	l := &dcLoad{door: door, rooms: map[string]*scaleRoom{}, client: manyConnections(), id: 4_000_000_000_000_000_000}
	public, private, err := ed25519.GenerateKey(nil)
	if err != nil {
		t.Fatal(err)
	}
	l.public, l.key = hex.EncodeToString(public), private
	l.server = httptest.NewServer(l)
	t.Cleanup(l.server.Close)
	return l
}

// ServeHTTP is the API: what is shown after a "thinking", and pages that follow.
func (l *dcLoad) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, _ := io.ReadAll(r.Body)
	w.Header().Set("Content-Type", "application/json")
	path := strings.TrimPrefix(r.URL.Path, "/api/v10")
	switch {
	case path == "/applications/@me":
		io.WriteString(w, `{"id":"`+scaleApp+`"}`)
	case strings.HasSuffix(path, "/commands"):
		io.WriteString(w, "[]")
	case strings.HasPrefix(path, "/webhooks/"): // an edit of the answer, or a further one
		token := strings.Split(path, "/")[3]
		l.mu.Lock()
		room := l.rooms[token]
		l.mu.Unlock()
		if room != nil && r.Method != http.MethodDelete {
			l.answer(room, string(body))
		}
		io.WriteString(w, `{"id":"1","channel_id":"1"}`)
	default:
		io.WriteString(w, "{}")
	}
}

// firstAnswerTime is how long Discord waits.
// https://docs.discord.com/developers/interactions/receiving-and-responding
const firstAnswerTime = 3 * time.Second

// say lets a person use /gpu, and waits for the answer. An interaction that
// fails is not brought again: people see that, and tap again.
func (l *dcLoad) say(person int64, text string) {
	l.mu.Lock()
	l.id++
	id := strconv.FormatUint(l.id, 10)
	token := "token" + id
	room := &scaleRoom{}
	l.rooms[token] = room
	l.mu.Unlock()
	user := strconv.FormatInt(5_000_000_000_000_000_000+person, 10)
	channel := strconv.FormatInt(6_000_000_000_000_000_000+person, 10)
	w := &waiting{delivery{"discord:" + scaleApp + ":@" + channel + "::" + user, id}, time.Now(), make(chan bool)}
	room.begin(w)
	l.add(&l.sent)
	body, _ := json.Marshal(map[string]any{
		"id": id, "application_id": scaleApp, "type": 2, "token": token, "version": 1, "channel_id": channel, "locale": "en-US", "context": 1,
		"user": map[string]any{"id": user, "username": "p"}, "channel": map[string]any{"id": channel, "type": 1}, "app_permissions": "2147483647",
		"data": map[string]any{"name": "gpu", "type": 1, "options": []any{map[string]any{"name": "text", "type": 3, "value": text}}},
	})
	if !l.post(body, room) {
		if room.end() != nil {
			l.add(&l.refused)
			return
		}
	}
	l.wait(room, w)
	l.mu.Lock()
	delete(l.rooms, token)
	l.mu.Unlock()
}

// post delivers an interaction. false: Discord calls it failed.
func (l *dcLoad) post(body []byte, room *scaleRoom) bool {
	stamp := strconv.FormatInt(time.Now().Unix(), 10)
	r, _ := http.NewRequest(http.MethodPost, l.door+interactionsPath, bytes.NewReader(body))
	r.Header.Set("X-Signature-Timestamp", stamp)
	r.Header.Set("X-Signature-Ed25519", hex.EncodeToString(ed25519.Sign(l.key, append([]byte(stamp), body...))))
	begun := time.Now()
	resp, err := l.client.Do(r)
	if err != nil {
		return false
	}
	defer resp.Body.Close()
	raw, err := io.ReadAll(resp.Body)
	if err != nil || resp.StatusCode/100 != 2 || time.Since(begun) > firstAnswerTime {
		return false
	}
	var answer struct {
		Type int `json:"type"`
	}
	json.Unmarshal(raw, &answer)
	if answer.Type != 5 { // 5 is a "thinking": the answer comes by an edit
		l.answer(room, string(raw))
	}
	return true
}
