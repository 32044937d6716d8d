package discord

import (
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
			if e == io.EOF {
				break
			}
			if e != nil { // a body that has no end
				return body, files, e
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
		f.gate.mu.Lock()
		defer f.gate.mu.Unlock()
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
