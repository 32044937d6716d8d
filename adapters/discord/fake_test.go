package discord

import (
	"bytes"
	"cmp"
	"crypto/ed25519"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"mime"
	"mime/multipart"
	"net/http"
	"net/http/httptest"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/gorilla/websocket"

	"gpuadvisor/advisor"
)

// fake is a Discord that works, small enough to be read: it takes the calls
// that we make, refuses what Discord refuses, and has people who write, press
// and see.
type fake struct {
	t       testing.TB
	server  *httptest.Server
	key     ed25519.PublicKey
	private ed25519.PrivateKey

	mu       sync.Mutex
	ids      uint64
	channels map[string]channel
	messages map[string]*shownMessage
	order    []*shownMessage
	asked    map[string]*fakeInteraction // by token
	commands []map[string]any
	nonces   map[string]*shownMessage
	calls    []fakeCall
	faults   []*fault
	broken   bool
	screen   strings.Builder
	tokens   time.Duration // how long interaction tokens live
	files    map[string][]byte
	spent    map[string]*window
	perRoute int // requests a second and route, 0 for no limit
	invalid  int

	gate gate
}

const (
	fakeToken = "FAKE.TOKEN.secret"
	fakeApp   = "1000000000000000001"
	fakeGuild = "2000000000000000001"
	fakeRoom  = "3000000000000000001"
	ann       = "5000000000000000001"
	bob       = "5000000000000000002"
)

// fakeCall is a request that we made.
type fakeCall struct {
	method, path string
	status       int
	body         map[string]any
	at           time.Time
}

// fault makes requests fail.
type fault struct {
	method string // "" any
	path   *regexp.Regexp
	status int
	body   string
	header http.Header
	times  int
	hang   time.Duration
}

type window struct {
	left  int
	reset time.Time
}

// shownMessage is one that people see.
type shownMessage struct {
	ID         string          `json:"id"`
	Channel    string          `json:"channel_id"`
	Content    string          `json:"content"`
	Embeds     []fakeEmbed     `json:"embeds"`
	Components []fakeComponent `json:"components"`
	Flags      int             `json:"flags"`
	Author     map[string]any  `json:"author"`
	Mentions   json.RawMessage `json:"-"`
	Reference  json.RawMessage `json:"-"`
	Files      []string        `json:"-"`
	by         *fakeInteraction
	edits      int
}

type fakeEmbed struct {
	Title       string `json:"title,omitempty"`
	Description string `json:"description,omitempty"`
	Fields      []struct {
		Name   string `json:"name"`
		Value  string `json:"value"`
		Inline bool   `json:"inline,omitempty"`
	} `json:"fields,omitempty"`
	Image *struct {
		URL string `json:"url"`
	} `json:"image,omitempty"`
}

type fakeComponent struct {
	Type       int             `json:"type"`
	CustomID   string          `json:"custom_id,omitempty"`
	Label      string          `json:"label,omitempty"`
	Style      int             `json:"style,omitempty"`
	Components []fakeComponent `json:"components,omitempty"`
	Options    []struct {
		Label string `json:"label"`
		Value string `json:"value"`
	} `json:"options,omitempty"`
	MaxLength int `json:"max_length,omitempty"`
}

// fakeInteraction is one that a person began.
type fakeInteraction struct {
	ID, Token string
	Type      int
	Channel   string
	User      string
	At        time.Time
	On        *shownMessage // pressed on
	Original  *shownMessage
	Kind      int // of the first answer, 0 none yet
	Hidden    bool
	Form      *fakeForm
	Choices   []advisor.Choice
	answered  chan struct{}
	Took      time.Duration
	Status    int // over HTTP
}

type fakeForm struct {
	CustomID   string          `json:"custom_id"`
	Title      string          `json:"title"`
	Components []fakeComponent `json:"components"`
}

func newFake(t testing.TB) *fake {
	f := &fake{
		t: t, channels: map[string]channel{}, messages: map[string]*shownMessage{}, asked: map[string]*fakeInteraction{},
		nonces: map[string]*shownMessage{}, tokens: tokenLives, files: map[string][]byte{}, spent: map[string]*window{}, ids: 4000,
	}
	f.channels[fakeRoom] = channel{ID: fakeRoom}
	f.key, f.private, _ = ed25519.GenerateKey(nil)
	f.gate.f, f.gate.interval, f.gate.sessions = f, 200*time.Millisecond, map[string]*fakeSession{}
	f.gate.shards, f.gate.concurrency, f.gate.remaining = 1, 1, 1000
	f.server = httptest.NewServer(http.HandlerFunc(f.serve))
	t.Cleanup(f.server.Close)
	return f
}

func (f *fake) url() string { return f.server.URL }

func (f *fake) publicKey() string { return hex.EncodeToString(f.key) }

// id makes a new one; f.mu is held.
func (f *fake) id() string {
	f.ids++
	return strconv.FormatUint(4_000_000_000_000_000_000+f.ids, 10)
}

// serve is the API, the gateway and the place where files are kept.
func (f *fake) serve(w http.ResponseWriter, r *http.Request) {
	if r.URL.Path == "/gateway" {
		f.gate.serve(w, r)
		return
	}
	if name, ok := strings.CutPrefix(r.URL.Path, "/files/"); ok {
		f.mu.Lock()
		b, ok := f.files[name]
		f.mu.Unlock()
		if !ok {
			http.NotFound(w, r)
		}
		w.Write(b)
		return
	}
	path, ok := strings.CutPrefix(r.URL.Path, "/api/v10")
	if !ok {
		http.Error(w, "<html>no such page</html>", http.StatusNotFound)
		return
	}
	body, files, err := readCall(r)
	f.mu.Lock()
	if !strings.HasPrefix(r.Header.Get("User-Agent"), "DiscordBot (") {
		f.t.Errorf("%s %s: user agent %q", r.Method, path, r.Header.Get("User-Agent"))
	}
	hit := f.fault(r.Method, path)
	f.mu.Unlock()
	if hit != nil && hit.hang > 0 {
		time.Sleep(hit.hang)
	}
	f.mu.Lock()
	status, out, header := 0, any(nil), http.Header{}
	switch {
	case err != nil:
		status, out = 400, refuse(50109, "The request body contains invalid JSON.")
	case hit != nil && hit.status != 0:
		status, out, header = hit.status, json.RawMessage(hit.body), hit.header
	case f.broken:
		status, out = http.StatusBadGateway, json.RawMessage("<html>bad gateway "+fakeToken+"</html>")
	case !strings.HasPrefix(path, "/interactions/") && !strings.HasPrefix(path, "/webhooks/") && r.Header.Get("Authorization") != "Bot "+fakeToken:
		status, out = 401, refuse(0, "401: Unauthorized")
	default:
		if status, out, header = f.limit(r.Method, path); status == 0 {
			status, out = f.answer(r.Method, path, body, files)
		}
	}
	if status == 401 || status == 403 || status == 429 {
		f.invalid++
	}
	f.calls = append(f.calls, fakeCall{r.Method, path, status, body.object, time.Now()})
	f.mu.Unlock()
	for k, v := range header {
		w.Header()[k] = v
	}
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	if raw, ok := out.(json.RawMessage); ok {
		w.Write(raw)
	} else if out != nil {
		json.NewEncoder(w).Encode(out)
	}
}

// callBody is what a request carries.
type callBody struct {
	raw    []byte
	object map[string]any
}

func readCall(r *http.Request) (body callBody, files []string, err error) {
	kind, params, _ := mime.ParseMediaType(r.Header.Get("Content-Type"))
	if kind != "multipart/form-data" {
		body.raw, err = io.ReadAll(r.Body)
	} else {
		parts := multipart.NewReader(r.Body, params["boundary"])
		for {
			p, e := parts.NextPart()
			if e != nil {
				break
			}
			if p.FormName() == "payload_json" {
				body.raw, err = io.ReadAll(p)
			} else {
				files = append(files, p.FileName())
			}
		}
	}
	if err == nil && len(body.raw) > 0 && body.raw[0] == '{' {
		err = json.Unmarshal(body.raw, &body.object)
	}
	return body, files, err
}

func refuse(code int, message string) any {
	return map[string]any{"code": code, "message": message}
}

// fault finds the next one that this request meets; f.mu is held.
func (f *fake) fault(method, path string) *fault {
	for _, x := range f.faults {
		if x.times > 0 && (x.method == "" || x.method == method) && x.path.MatchString(path) {
			x.times--
			return x
		}
	}
	return nil
}

// fail arranges for a fault.
func (f *fake) fail(method, path string, status int, body string, times int) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.faults = append(f.faults, &fault{method: method, path: regexp.MustCompile(path), status: status, body: body, times: times})
}

// limit counts a request against its route, as Discord does.
func (f *fake) limit(method, path string) (status int, out any, h http.Header) {
	if f.perRoute == 0 || strings.HasPrefix(path, "/interactions/") {
		return 0, nil, nil
	}
	key := method + " " + path
	w := f.spent[key]
	now := time.Now()
	if w == nil || now.After(w.reset) {
		w = &window{f.perRoute, now.Add(300 * time.Millisecond)}
		f.spent[key] = w
	}
	w.left--
	after := fmt.Sprintf("%.3f", w.reset.Sub(now).Seconds())
	h = http.Header{
		"X-Ratelimit-Limit": {fmt.Sprint(f.perRoute)}, "X-Ratelimit-Remaining": {fmt.Sprint(max(w.left, 0))},
		"X-Ratelimit-Reset-After": {after}, "X-Ratelimit-Bucket": {digest(key)},
	}
	if w.left < 0 {
		return 429, json.RawMessage(`{"message":"You are being rate limited.","retry_after":` + after + `,"global":false}`), h
	}
	return 0, nil, h
}

var (
	callbackPath = regexp.MustCompile(`^/interactions/(\d+)/([^/]+)/callback$`)
	webhookPath  = regexp.MustCompile(`^/webhooks/(\d+)/([^/]+)(/messages/(@original|\d+))?$`)
	messagesPath = regexp.MustCompile(`^/channels/(\d+)/messages$`)
	channelPath  = regexp.MustCompile(`^/channels/(\d+)$`)
)

// answer does what a request asks for; f.mu is held.
func (f *fake) answer(method, path string, body callBody, files []string) (status int, out any) {
	switch {
	case path == "/applications/@me":
		return 200, map[string]any{"id": fakeApp}
	case path == "/gateway/bot":
		return 200, map[string]any{"url": f.gate.url(), "shards": f.gate.shards, "session_start_limit": map[string]any{
			"total": 1000, "remaining": f.gate.remaining, "reset_after": 300, "max_concurrency": f.gate.concurrency}}
	case path == "/applications/"+fakeApp+"/commands" && method == "GET":
		return 200, f.commands
	case path == "/applications/"+fakeApp+"/commands" && method == "PUT":
		f.commands = nil
		if err := json.Unmarshal(body.raw, &f.commands); err != nil {
			return 400, refuse(50035, "Invalid Form Body")
		}
		for _, c := range f.commands { // what Discord adds
			c["id"], c["application_id"], c["version"], c["nsfw"] = f.id(), fakeApp, f.id(), false
		}
		return 200, f.commands
	case path == "/users/@me/channels" && method == "POST":
		id := "6" + fmt.Sprint(body.object["recipient_id"])
		c := channel{ID: id, Type: 1}
		f.channels[id] = c
		return 200, c
	}
	if m := callbackPath.FindStringSubmatch(path); m != nil {
		return f.callback(m[1], m[2], body, files)
	}
	if m := webhookPath.FindStringSubmatch(path); m != nil {
		return f.webhook(method, m[2], m[4], body, files)
	}
	if m := messagesPath.FindStringSubmatch(path); m != nil && method == "POST" {
		if _, ok := f.channels[m[1]]; !ok {
			return 404, refuse(10003, "Unknown Channel")
		}
		return f.post(m[1], body, files, nil)
	}
	if m := channelPath.FindStringSubmatch(path); m != nil && method == "GET" {
		if c, ok := f.channels[m[1]]; ok {
			return 200, map[string]any{"id": c.ID, "type": c.Type, "parent_id": cmp.Or(c.Parent, "0")}
		}
		return 404, refuse(10003, "Unknown Channel")
	}
	return 404, refuse(0, "404: Not Found")
}

func (f *fake) callback(id, token string, body callBody, files []string) (int, any) {
	in := f.asked[token]
	switch {
	case in == nil || in.ID != id || time.Since(in.At) > firstAnswer:
		return 404, refuse(10062, "Unknown interaction")
	case in.Kind != 0:
		return 400, refuse(40060, "Interaction has already been acknowledged.")
	}
	if problem := f.first(in, body.raw, files); problem != "" {
		return 400, refuse(50035, problem)
	}
	return 204, nil
}

// first takes the first answer of an interaction.
func (f *fake) first(in *fakeInteraction, raw []byte, files []string) (problem string) {
	var r struct {
		Type int             `json:"type"`
		Data json.RawMessage `json:"data"`
	}
	if json.Unmarshal(raw, &r) != nil {
		return "not an answer"
	}
	switch r.Type {
	case 4, 7:
		m, problem := f.read(r.Data, files, false)
		if problem != "" {
			return problem
		}
		if r.Type == 7 {
			if in.On == nil {
				return "nothing to update"
			}
			f.replace(in.On, m)
			in.Original = in.On
		} else {
			m.by = in
			in.Original = f.show(in.Channel, m)
		}
	case 5:
		var d struct{ Flags int }
		json.Unmarshal(r.Data, &d)
		in.Hidden = d.Flags&64 != 0
	case 6:
		in.Original = in.On
	case 8:
		var d struct {
			Choices []struct{ Name, Value string } `json:"choices"`
		}
		json.Unmarshal(r.Data, &d)
		if len(d.Choices) > 25 {
			return "too many choices"
		}
		for _, c := range d.Choices {
			in.Choices = append(in.Choices, advisor.Choice{Ref: c.Value, Label: c.Name})
		}
	case 9:
		in.Form = &fakeForm{}
		json.Unmarshal(r.Data, in.Form)
		if in.Type == 5 || in.Form.CustomID == "" || in.Form.Title == "" || length(in.Form.Title) > 45 || len(in.Form.Components) == 0 {
			return "bad form"
		}
	default:
		return "unknown type"
	}
	in.Kind, in.Took = r.Type, time.Since(in.At)
	close(in.answered)
	return ""
}

func (f *fake) webhook(method, token, which string, body callBody, files []string) (int, any) {
	in := f.asked[token]
	switch {
	case in == nil || in.Kind == 0:
		return 404, refuse(10015, "Unknown Webhook")
	case time.Since(in.At) > f.tokens:
		return 401, refuse(50027, "Invalid Webhook Token")
	}
	if method == "DELETE" {
		return 204, nil
	}
	m, problem := f.read(body.raw, files, method == "PATCH")
	if problem != "" {
		return 400, refuse(50035, problem)
	}
	m.by = in
	if method == "POST" {
		return 200, f.show(in.Channel, m)
	}
	if in.Original == nil { // "thinking" becomes a message
		if in.Hidden {
			m.Flags |= 64
		}
		in.Original = f.show(in.Channel, m)
		return 200, in.Original
	}
	f.replace(in.Original, m)
	return 200, in.Original
}

func (f *fake) post(room string, body callBody, files []string, by *fakeInteraction) (int, any) {
	var nonce struct {
		Nonce     string          `json:"nonce"`
		Enforce   bool            `json:"enforce_nonce"`
		Mentions  json.RawMessage `json:"allowed_mentions"`
		Reference json.RawMessage `json:"message_reference"`
	}
	json.Unmarshal(body.raw, &nonce)
	if m := f.nonces[nonce.Nonce]; m != nil && nonce.Enforce {
		return 200, m
	}
	m, problem := f.read(body.raw, files, false)
	if problem != "" || len(nonce.Nonce) > 25 {
		return 400, refuse(50035, problem)
	}
	m.Mentions, m.Reference = nonce.Mentions, nonce.Reference
	f.show(room, m)
	if nonce.Nonce != "" {
		f.nonces[nonce.Nonce] = m
	}
	return 200, m
}

// read checks a message as Discord would.
func (f *fake) read(raw []byte, files []string, edit bool) (m *shownMessage, problem string) {
	m = &shownMessage{Files: files}
	if err := json.Unmarshal(raw, m); err != nil {
		return nil, err.Error()
	}
	var with struct {
		Mentions *struct{ Parse []string } `json:"allowed_mentions"`
	}
	json.Unmarshal(raw, &with)
	if with.Mentions == nil || len(with.Mentions.Parse) > 0 {
		return nil, "allowed_mentions is not empty"
	}
	if !edit && m.Content == "" && len(m.Embeds) == 0 && len(m.Components) == 0 && len(files) == 0 {
		return nil, "Cannot send an empty message"
	}
	return m, checkMessage(m)
}

func checkMessage(m *shownMessage) string {
	if length(m.Content) > 2000 || len(m.Embeds) > 10 || len(m.Components) > 5 {
		return fmt.Sprintf("content %d, embeds %d, rows %d", length(m.Content), len(m.Embeds), len(m.Components))
	}
	total := 0
	for _, e := range m.Embeds {
		if length(e.Title) > 256 || length(e.Description) > 4096 || len(e.Fields) > 25 {
			return fmt.Sprintf("embed: title %d, description %d, fields %d", length(e.Title), length(e.Description), len(e.Fields))
		}
		total += length(e.Title) + length(e.Description)
		for _, x := range e.Fields {
			if x.Name == "" || x.Value == "" || length(x.Name) > 256 || length(x.Value) > 1024 {
				return fmt.Sprintf("field: name %d, value %d", length(x.Name), length(x.Value))
			}
			total += length(x.Name) + length(x.Value)
		}
	}
	if total > 6000 {
		return fmt.Sprintf("embeds have %d characters", total)
	}
	ids := map[string]bool{}
	for _, row := range m.Components {
		if row.Type != 1 || len(row.Components) == 0 || len(row.Components) > 5 {
			return "bad row"
		}
		for _, c := range row.Components {
			if c.CustomID == "" || ids[c.CustomID] || length(c.CustomID) > 100 {
				return fmt.Sprintf("custom_id %q", c.CustomID)
			}
			ids[c.CustomID] = true
			switch {
			case c.Type == 2 && (c.Label == "" || length(c.Label) > 80):
				return "bad label"
			case c.Type == 3 && (len(row.Components) > 1 || len(c.Options) == 0 || len(c.Options) > 25):
				return "bad menu"
			}
			values := map[string]bool{}
			for _, o := range c.Options {
				if o.Label == "" || length(o.Label) > 100 || o.Value == "" || length(o.Value) > 100 || values[o.Value] {
					return "bad option"
				}
				values[o.Value] = true
			}
		}
	}
	return ""
}

// show puts a message where people see it; f.mu is held.
func (f *fake) show(room string, m *shownMessage) *shownMessage {
	m.ID, m.Channel, m.Author = f.id(), room, map[string]any{"id": fakeApp, "bot": true}
	f.messages[m.ID] = m
	f.order = append(f.order, m)
	f.screen.WriteString(asSeen(m) + "\n")
	return m
}

func (f *fake) replace(m, by *shownMessage) {
	m.Content, m.Embeds, m.Components = by.Content, by.Embeds, by.Components
	m.Files = append(m.Files, by.Files...)
	m.edits++
	f.screen.WriteString(asSeen(m) + "\n")
}

// asSeen is what a person reads: marks are gone, escaped characters are there.
func asSeen(m *shownMessage) string {
	var b strings.Builder
	b.WriteString(unmarked(m.Content) + "\n")
	for _, e := range m.Embeds {
		b.WriteString(unmarked(e.Title) + "\n" + unmarked(e.Description) + "\n")
		for _, x := range e.Fields {
			b.WriteString(unmarked(x.Name) + " " + unmarked(x.Value) + "\n")
		}
	}
	for _, row := range m.Components {
		for _, c := range row.Components {
			b.WriteString(c.Label + "\n")
			for _, o := range c.Options {
				b.WriteString(o.Label + "\n")
			}
		}
	}
	return b.String()
}

// unmarked reads Discord's markdown as far as we write it.
func unmarked(s string) string {
	var b strings.Builder
	for len(s) > 0 {
		switch {
		case strings.HasPrefix(s, "```\n"):
			code, rest, _ := strings.Cut(s[4:], "\n```")
			b.WriteString(code)
			s = rest
		case s[0] == '\\' && len(s) > 1:
			b.WriteByte(s[1])
			s = s[2:]
		case strings.HasPrefix(s, "**"):
			s = s[2:]
		case strings.HasPrefix(s, "-# "):
			s = s[3:]
		default:
			b.WriteByte(s[0])
			s = s[1:]
		}
	}
	return b.String()
}

// seen is everything that was on the screen.
func (f *fake) seen() string {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.screen.String()
}

// last is the newest message in a room that a person sees, "" for any room.
func (f *fake) last(room string) *shownMessage {
	f.mu.Lock()
	defer f.mu.Unlock()
	for _, m := range slices.Backward(f.order) {
		if room == "" || m.Channel == room {
			return m
		}
	}
	return nil
}

// count tells how many requests were made.
func (f *fake) count(method, path string) int {
	f.mu.Lock()
	defer f.mu.Unlock()
	n, re := 0, regexp.MustCompile(path)
	for _, c := range f.calls {
		if c.method == method && re.MatchString(c.path) {
			n++
		}
	}
	return n
}

// a person acts.
type person struct {
	f      *fake
	id     string
	room   string // "" a private chat
	locale string
	thread string
	http   http.Handler // where interactions are posted; nil: the gateway
}

func (p person) channel() string {
	switch {
	case p.thread != "":
		return p.thread
	case p.room == "":
		return "6" + p.id
	}
	return p.room
}

func (p person) key() advisor.Key {
	return address{app: fakeApp, room: cmp.Or(p.room, "6"+p.id), thread: p.thread, user: p.id, private: p.room == ""}.key()
}

// interaction begins one and waits for its first answer.
func (p person) interaction(kind int, data map[string]any, on *shownMessage) *fakeInteraction {
	in := p.begin(kind, data, on)
	select {
	case <-in.answered:
	case <-time.After(firstAnswer + time.Second):
	}
	return in
}

// begin begins an interaction.
func (p person) begin(kind int, data map[string]any, on *shownMessage) *fakeInteraction {
	f := p.f
	f.mu.Lock()
	id := f.id()
	in := &fakeInteraction{
		ID: id, Token: "secret-token-" + id, Type: kind, Channel: p.channel(), User: p.id, At: time.Now(), On: on, answered: make(chan struct{}),
	}
	f.asked[in.Token] = in
	payload := map[string]any{
		"id": id, "application_id": fakeApp, "type": kind, "data": data, "token": in.Token, "version": 1, "channel_id": p.channel(),
		"locale": cmp.Or(p.locale, "en-US"), "app_permissions": "2147483647",
	}
	who := map[string]any{"id": p.id, "username": "user" + p.id[len(p.id)-1:], "global_name": "User " + p.id[len(p.id)-1:]}
	if p.room == "" {
		payload["user"], payload["context"] = who, 1
		payload["channel"] = map[string]any{"id": p.channel(), "type": 1}
		f.channels[p.channel()] = channel{ID: p.channel(), Type: 1}
	} else {
		payload["member"] = map[string]any{"user": who, "permissions": "2048"}
		payload["guild_id"], payload["context"] = fakeGuild, 0
		payload["channel"] = map[string]any{"id": p.channel(), "type": 0}
		if p.thread != "" {
			payload["channel"] = map[string]any{"id": p.thread, "type": 11, "parent_id": p.room}
		}
	}
	if on != nil {
		payload["message"] = on
	}
	raw, _ := json.Marshal(payload)
	f.mu.Unlock()
	if p.http != nil {
		go p.postSigned(in, raw)
	} else {
		f.gate.dispatch("INTERACTION_CREATE", raw)
	}
	return in
}

// postSigned delivers an interaction over HTTP.
func (p person) postSigned(in *fakeInteraction, raw []byte) {
	w := httptest.NewRecorder()
	p.http.ServeHTTP(w, p.f.signed(raw, time.Now()))
	p.f.mu.Lock()
	defer p.f.mu.Unlock()
	in.Status = w.Code
	if w.Code == http.StatusOK {
		if problem := p.f.first(in, w.Body.Bytes(), nil); problem != "" {
			p.f.t.Errorf("answer over HTTP: %s", problem)
		}
	}
}

func (f *fake) signed(raw []byte, at time.Time) *http.Request {
	stamp := strconv.FormatInt(at.Unix(), 10)
	r := httptest.NewRequest(http.MethodPost, "/discord/interactions", bytes.NewReader(raw))
	r.Header.Set("X-Signature-Timestamp", stamp)
	r.Header.Set("X-Signature-Ed25519", hex.EncodeToString(ed25519.Sign(f.private, append([]byte(stamp), raw...))))
	return r
}

// command uses a slash command with options given as name, value pairs.
func (p person) command(name string, options ...any) *fakeInteraction {
	return p.interaction(2, map[string]any{"name": name, "type": 1, "options": optionList(options)}, nil)
}

func optionList(pairs []any) []map[string]any {
	list := []map[string]any{}
	for i := 0; i+1 < len(pairs); i += 2 {
		list = append(list, map[string]any{"name": pairs[i], "value": pairs[i+1], "type": 3})
	}
	return list
}

// press uses the n-th choice, from 1, of a message.
func (p person) press(m *shownMessage, n int) *fakeInteraction {
	return p.interaction(3, pressData(m, n), m)
}

func pressData(m *shownMessage, n int) map[string]any {
	for _, row := range m.Components {
		for _, c := range row.Components {
			if c.Type == 2 {
				if n--; n == 0 {
					return map[string]any{"custom_id": c.CustomID, "component_type": 2}
				}
			}
			for _, o := range c.Options {
				if n--; n == 0 {
					return map[string]any{"custom_id": c.CustomID, "component_type": 3, "values": []string{o.Value}}
				}
			}
		}
	}
	panic(fmt.Sprintf("no such choice on %+v", m.Components))
}

// pressNamed uses the button whose label ends so.
func (p person) pressNamed(m *shownMessage, label string) *fakeInteraction {
	n := 0
	for _, row := range m.Components {
		for _, c := range row.Components {
			if n++; strings.HasSuffix(c.Label, label) {
				return p.press(m, n)
			}
		}
	}
	p.f.t.Fatalf("no button %q on %+v", label, m.Components)
	return nil
}

// submit fills in a form.
func (p person) submit(opened *fakeInteraction, text string) *fakeInteraction {
	field := opened.Form.Components[0].Components[0]
	return p.interaction(5, map[string]any{"custom_id": opened.Form.CustomID, "components": []any{
		map[string]any{"type": 1, "components": []any{map[string]any{"type": 4, "custom_id": field.CustomID, "value": text}}},
	}}, opened.On)
}

// write writes a message: to us in a private chat, mentioning us in a room.
func (p person) write(text string, files ...attachment) {
	f := p.f
	f.mu.Lock()
	m := map[string]any{
		"id": f.id(), "channel_id": p.channel(), "content": text, "type": 0, "mentions": []any{}, "attachments": files,
		"author": map[string]any{"id": p.id, "username": "user"}, "embeds": []any{}, "components": []any{map[string]any{"type": 99, "x": []int{1}}},
	}
	if p.room != "" {
		m["guild_id"], m["content"] = fakeGuild, "<@"+fakeApp+"> "+text
		m["mentions"] = []any{map[string]any{"id": fakeApp}}
		m["member"] = map[string]any{"permissions": "8"}
	} else {
		f.channels[p.channel()] = channel{ID: p.channel(), Type: 1}
	}
	if p.thread != "" {
		f.channels[p.thread] = channel{ID: p.thread, Type: 11, Parent: p.room}
	}
	raw, _ := json.Marshal(m)
	f.mu.Unlock()
	f.gate.dispatch("MESSAGE_CREATE", raw)
}

// gate is the gateway.
type gate struct {
	f                              *fake
	mu                             sync.Mutex
	interval                       time.Duration
	sessions                       map[string]*fakeSession
	identified                     []time.Time
	shardsSeen                     [][2]int
	intents                        int
	resumes                        int
	closes                         []int // codes that we closed with
	dropAcks                       bool
	refuse                         int // close code for whoever identifies
	refuseSession                  int // so many identifies are answered with op 9
	shards, concurrency, remaining int
	deafTo                         int // so many connections get no hello
}

type fakeSession struct {
	id    string
	shard [2]int
	seq   int64
	kept  []payload
	conn  *fakeConn
}

type fakeConn struct {
	mu sync.Mutex
	*websocket.Conn
}

func (c *fakeConn) send(v any) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.WriteJSON(v)
}

func (g *gate) url() string { return "ws" + strings.TrimPrefix(g.f.server.URL, "http") + "/gateway" }

var upgrader = websocket.Upgrader{}

func (g *gate) serve(w http.ResponseWriter, r *http.Request) {
	raw, err := upgrader.Upgrade(w, r, nil)
	if err != nil {
		return
	}
	defer raw.Close()
	c := &fakeConn{Conn: raw}
	g.mu.Lock()
	silent := g.deafTo > 0
	g.deafTo--
	g.mu.Unlock()
	if !silent {
		c.send(map[string]any{"op": opHello, "d": map[string]any{"heartbeat_interval": g.interval.Milliseconds()}})
	}
	var s *fakeSession
	for {
		var p payload
		if err := raw.ReadJSON(&p); err != nil {
			if e, ok := err.(*websocket.CloseError); ok {
				g.mu.Lock()
				g.closes = append(g.closes, e.Code)
				if s != nil && (e.Code == 1000 || e.Code == 1001) {
					delete(g.sessions, s.id)
				}
				g.mu.Unlock()
			}
			return
		}
		switch p.Op {
		case opHeartbeat:
			g.mu.Lock()
			drop := g.dropAcks
			g.mu.Unlock()
			if !drop {
				c.send(map[string]any{"op": opAck})
			}
		case opIdentify:
			if s = g.identify(c, p.Data); s == nil {
				return
			}
		case opResume:
			if s = g.resume(c, p.Data); s == nil {
				c.send(map[string]any{"op": opRefused, "d": false})
			}
		}
	}
}

func (g *gate) identify(c *fakeConn, data json.RawMessage) *fakeSession {
	var d struct {
		Token   string
		Intents int
		Shard   [2]int
	}
	json.Unmarshal(data, &d)
	g.mu.Lock()
	defer g.mu.Unlock()
	g.identified = append(g.identified, time.Now())
	g.shardsSeen = append(g.shardsSeen, d.Shard)
	g.intents = d.Intents
	g.remaining--
	code := g.refuse
	if d.Token != fakeToken {
		code = 4004
	}
	if code != 0 {
		c.WriteControl(websocket.CloseMessage, websocket.FormatCloseMessage(code, ""), time.Now().Add(time.Second))
		return nil
	}
	if g.refuseSession > 0 {
		g.refuseSession--
		c.send(map[string]any{"op": opRefused, "d": false})
		return &fakeSession{}
	}
	s := &fakeSession{id: fmt.Sprint("session", len(g.identified)), conn: c, shard: d.Shard}
	for id, old := range g.sessions {
		if old.shard == s.shard {
			delete(g.sessions, id)
		}
	}
	g.sessions[s.id] = s
	raw, _ := json.Marshal(map[string]any{"session_id": s.id, "resume_gateway_url": g.url(), "application": map[string]any{"id": fakeApp}})
	s.send("READY", raw)
	return s
}

func (g *gate) resume(c *fakeConn, data json.RawMessage) *fakeSession {
	var d struct {
		Session string `json:"session_id"`
		Seq     int64  `json:"seq"`
	}
	json.Unmarshal(data, &d)
	g.mu.Lock()
	defer g.mu.Unlock()
	g.resumes++
	s := g.sessions[d.Session]
	if s == nil {
		return nil
	}
	s.conn = c
	for _, p := range s.kept {
		if p.Seq > d.Seq {
			c.send(p)
		}
	}
	s.send("RESUMED", []byte("{}"))
	return s
}

// send gives an event to the session; g.mu is held.
func (s *fakeSession) send(kind string, data []byte) {
	s.seq++
	p := payload{Op: opEvent, Seq: s.seq, Type: kind, Data: data}
	s.kept = append(s.kept, p)
	s.kept = s.kept[max(0, len(s.kept)-500):]
	s.conn.send(p)
}

// dispatch gives an event to whoever is there, waiting for somebody.
func (g *gate) dispatch(kind string, data []byte) {
	for range 1000 {
		g.mu.Lock()
		for _, s := range g.sessions {
			s.send(kind, data)
			g.mu.Unlock()
			return
		}
		g.mu.Unlock()
		time.Sleep(5 * time.Millisecond)
	}
	g.f.t.Errorf("nobody is connected to take %s", kind)
}

// each does something with every connection.
func (g *gate) each(do func(s *fakeSession)) {
	g.mu.Lock()
	defer g.mu.Unlock()
	for _, s := range g.sessions {
		do(s)
	}
}

func (g *gate) state() (identified, resumed int) {
	g.mu.Lock()
	defer g.mu.Unlock()
	return len(g.identified), g.resumes
}
