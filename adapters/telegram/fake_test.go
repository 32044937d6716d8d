package telegram

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"image"
	_ "image/jpeg"
	_ "image/png"
	"io"
	"log/slog"
	"mime"
	"mime/multipart"
	"net/http"
	"net/http/httptest"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"
	"unicode/utf16"

	"gpuadvisor/adapters"
	"gpuadvisor/advisor"
)

// fake is a Bot API server that holds what Telegram would: the updates that
// are not confirmed, the messages that people see, and what is wrong today. It
// refuses what Telegram refuses.
type fake struct {
	t   testing.TB
	url string

	mu       sync.Mutex
	more     *sync.Cond // an update came, or a fault did
	updates  []map[string]any
	nextID   int64
	posted   []*posted
	shown    map[int64]*strings.Builder // all that was ever seen in a room
	taps     map[string]*tap
	lists    map[string]string
	files    map[string][]byte
	faults   []*fault
	calls    []call
	webhook  string
	polls    int
	typedFor map[string]string // answers in inline mode, by query id
	members  map[int64]string  // status in groups
	closed   bool
}

type call struct {
	method string
	params map[string]string
	at     time.Time
}

type posted struct {
	id, thread, replyTo int
	room                int64
	html, text          string
	keys                [][]key
	force, photo        bool
	at                  time.Time // when it came
}

type tap struct{ answer, text string } // answer: "", "silent", "alert"

// fault is what is wrong with the next calls of a method.
type fault struct {
	method string // "" any but getUpdates; "*" any
	room   int64  // 0 any
	times  int
	status int
	body   string
	hang   time.Duration
	late   bool // the call is carried out all the same
}

const (
	fakeToken = "123456:SECRET-token_of_a_fake"
	fakeName  = "Fake_GPU_bot"
	fakeID    = 123456
)

func newFake(t testing.TB) *fake {
	f := &fake{
		t: t, nextID: 1000, shown: map[int64]*strings.Builder{}, taps: map[string]*tap{}, lists: map[string]string{},
		files: map[string][]byte{}, typedFor: map[string]string{}, members: map[int64]string{},
	}
	f.more = sync.NewCond(&f.mu)
	srv := httptest.NewServer(f)
	f.url = srv.URL
	t.Cleanup(func() {
		f.mu.Lock()
		f.closed = true
		f.more.Broadcast()
		f.mu.Unlock()
		srv.CloseClientConnections()
		srv.Close()
	})
	return f
}

// config is a chat on the fake, without limits.
func (f *fake) config() Config {
	return Config{Token: fakeToken, URL: f.url, Lang: "zh", Texts: testTexts, Rates: &Rates{}, Log: slog.New(slog.NewTextHandler(io.Discard, nil))}
}

func (f *fake) chat(c Config) *Chat {
	f.t.Helper()
	chat, err := New(c)
	if err != nil {
		f.t.Fatal(err)
	}
	chat.intake.grace = 100 * time.Millisecond
	return chat
}

var testTexts = Texts{
	Commands:    map[string]advisor.Text{"vram": {"zh": "显存", "en": "Memory of a task"}},
	NotYours:    advisor.Text{"zh": "不是你的,发 {command}", "en": "not yours, send {command}"},
	Stale:       advisor.Text{"zh": "过时了", "en": "too old"},
	SendText:    advisor.Text{"zh": "请发文字", "en": "send it as text"},
	BadFile:     advisor.Text{"zh": "只收文本文件", "en": "text files only"},
	NoFile:      advisor.Text{"zh": "取不到文件", "en": "cannot fetch the file"},
	Privately:   advisor.Text{"zh": "已私聊回复", "en": "answered in private"},
	OpenPrivate: advisor.Text{"zh": "先打开私聊", "en": "open the private chat first"},
	OpenButton:  advisor.Text{"zh": "打开", "en": "Open"},
	InlineTitle: advisor.Text{"zh": "输入模型", "en": "type a model"},
	InlineUsage: advisor.Text{"zh": "例:{name} vram 7B", "en": "try {name} vram 7B"},
}

// refusal is an error of the Bot API.
type refusal struct {
	code  int
	text  string
	extra map[string]any
}

func refuse(code int, text string) *refusal { return &refusal{code: code, text: text} }

func (f *fake) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if path, ok := strings.CutPrefix(r.URL.Path, "/file/bot"+fakeToken+"/"); ok {
		f.mu.Lock()
		body, ok := f.files[path]
		f.mu.Unlock()
		if !ok {
			w.WriteHeader(http.StatusNotFound)
		}
		w.Write(body)
		return
	}
	method, ok := strings.CutPrefix(r.URL.Path, "/bot"+fakeToken+"/")
	if !ok {
		answer(w, nil, refuse(401, "Unauthorized"))
		return
	}
	params, files, err := readParams(r)
	if err != nil {
		f.t.Errorf("%s: unreadable request: %v", method, err)
	}
	room, _ := strconv.ParseInt(params["chat_id"], 10, 64)
	if fault := f.strike(method, room, params); fault != nil {
		time.Sleep(fault.hang)
		if fault.late {
			f.do(method, params, files)
		}
		if fault.status != 0 {
			w.WriteHeader(fault.status)
			io.WriteString(w, fault.body)
			return
		}
	}
	result, no := f.do(method, params, files)
	answer(w, result, no)
}

func answer(w http.ResponseWriter, result any, no *refusal) {
	out := map[string]any{"ok": no == nil, "result": result}
	if no != nil {
		delete(out, "result")
		out["error_code"], out["description"] = no.code, no.text
		if no.extra != nil {
			out["parameters"] = no.extra
		}
		w.WriteHeader(no.code)
	}
	json.NewEncoder(w).Encode(out)
}

func readParams(r *http.Request) (params map[string]string, files map[string][]byte, err error) {
	params, files = map[string]string{}, map[string][]byte{}
	kind, opts, _ := mime.ParseMediaType(r.Header.Get("Content-Type"))
	if kind == "application/json" {
		var all map[string]json.RawMessage
		if err := json.NewDecoder(r.Body).Decode(&all); err != nil {
			return nil, nil, err
		}
		for k, v := range all {
			params[k] = strings.Trim(string(v), `"`)
		}
		return params, files, nil
	}
	form := multipart.NewReader(r.Body, opts["boundary"])
	for {
		p, err := form.NextPart()
		if errors.Is(err, io.EOF) || p == nil {
			return params, files, nil // the library sends an empty body for no parameters
		}
		b, err := io.ReadAll(p)
		if err != nil {
			return nil, nil, err
		}
		if p.FileName() != "" {
			files[p.FormName()] = b
		} else {
			params[p.FormName()] = string(b)
		}
	}
}

// strike takes the fault that a call meets, and notes the call.
func (f *fake) strike(method string, room int64, params map[string]string) *fault {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.calls = append(f.calls, call{method, params, time.Now()})
	for _, x := range f.faults {
		hit := x.method == method || x.method == "*" || x.method == "" && method != "getUpdates"
		if hit && x.times > 0 && (x.room == 0 || x.room == room) {
			x.times--
			return x
		}
	}
	return nil
}

// breakWith adds a fault.
func (f *fake) breakWith(x fault) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.faults = append(f.faults, &x)
	f.more.Broadcast()
}

func (f *fake) mend() {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.faults = nil
}

// apiError is the body of a refusal.
func apiError(code int, text, parameters string) string {
	if parameters != "" {
		parameters = `,"parameters":{` + parameters + `}`
	}
	return fmt.Sprintf(`{"ok":false,"error_code":%d,"description":%q%s}`, code, text, parameters)
}

func (f *fake) do(method string, p map[string]string, files map[string][]byte) (any, *refusal) {
	f.mu.Lock()
	defer f.mu.Unlock()
	switch method {
	case "getMe":
		return map[string]any{"id": fakeID, "is_bot": true, "first_name": "Fake", "username": fakeName}, nil
	case "getUpdates":
		return f.getUpdates(p)
	case "deleteWebhook":
		f.webhook = ""
		return true, nil
	case "setWebhook":
		f.webhook = p["url"]
		return true, nil
	case "sendMessage", "sendPhoto":
		return f.send(method, p, files)
	case "editMessageText":
		return f.edit(p)
	case "answerCallbackQuery":
		t := f.taps[p["callback_query_id"]]
		if t == nil || t.answer != "" {
			return nil, refuse(400, "Bad Request: query is too old and response timeout expired or query ID is invalid")
		}
		t.answer, t.text = "silent", p["text"]
		if p["show_alert"] == "true" {
			t.answer = "alert"
		}
		return true, nil
	case "answerInlineQuery":
		f.typedFor[p["inline_query_id"]] = p["results"]
		return true, nil
	case "getMyCommands":
		list := f.lists[p["scope"]+p["language_code"]]
		if list == "" {
			list = "[]"
		}
		return json.RawMessage(list), nil
	case "setMyCommands":
		f.lists[p["scope"]+p["language_code"]] = p["commands"]
		return true, nil
	case "getFile":
		if _, ok := f.files[p["file_id"]]; !ok {
			return nil, refuse(400, "Bad Request: invalid file_id")
		}
		return map[string]any{"file_id": p["file_id"], "file_unique_id": "u", "file_path": p["file_id"]}, nil
	case "getChatMember":
		id, _ := strconv.ParseInt(p["user_id"], 10, 64)
		status := f.members[id]
		if status == "" {
			status = "member"
		}
		return map[string]any{"status": status, "user": map[string]any{"id": id, "is_bot": false, "first_name": "U"}}, nil
	}
	return nil, refuse(404, "Not Found: method not found")
}

func (f *fake) getUpdates(p map[string]string) (any, *refusal) {
	if f.webhook != "" {
		return nil, refuse(409, "Conflict: can't use getUpdates method while webhook is active")
	}
	offset, _ := strconv.ParseInt(p["offset"], 10, 64)
	limit, _ := strconv.Atoi(p["limit"])
	wait, _ := strconv.Atoi(p["timeout"])
	for len(f.updates) > 0 && f.updates[0]["update_id"].(int64) < offset {
		f.updates = f.updates[1:]
	}
	f.polls++
	turn := f.polls
	end := time.Now().Add(time.Duration(wait) * time.Second)
	for len(f.updates) == 0 && time.Now().Before(end) && !f.closed && len(f.faults) == 0 {
		timer := time.AfterFunc(time.Until(end), f.more.Broadcast)
		f.more.Wait()
		timer.Stop()
		if turn != f.polls {
			return nil, refuse(409, "Conflict: terminated by other getUpdates request")
		}
	}
	return append([]map[string]any{}, f.updates[:min(limit, len(f.updates))]...), nil
}

func (f *fake) send(method string, p map[string]string, files map[string][]byte) (any, *refusal) {
	m := &posted{id: len(f.posted) + 1, photo: method == "sendPhoto", at: time.Now()}
	m.room, _ = strconv.ParseInt(p["chat_id"], 10, 64)
	m.thread, _ = strconv.Atoi(p["message_thread_id"])
	m.html = p["text"]
	limit := maxText
	if m.photo {
		m.html, limit = p["caption"], maxCaption
		if _, _, err := image.Decode(bytes.NewReader(files["photo"])); err != nil {
			return nil, refuse(400, "Bad Request: IMAGE_PROCESS_FAILED")
		}
	}
	var reply struct {
		ID int `json:"message_id"`
	}
	json.Unmarshal([]byte(p["reply_parameters"]), &reply)
	m.replyTo = reply.ID
	if no := m.take(p, limit); no != nil {
		return nil, no
	}
	f.posted = append(f.posted, m)
	f.show(m)
	return map[string]any{"message_id": m.id, "date": time.Now().Unix(), "chat": roomOf(m.room)}, nil
}

func (f *fake) edit(p map[string]string) (any, *refusal) {
	id, _ := strconv.Atoi(p["message_id"])
	room, _ := strconv.ParseInt(p["chat_id"], 10, 64)
	for _, m := range f.posted {
		if m.id != id || m.room != room {
			continue
		}
		before := *m
		m.html = p["text"]
		if no := m.take(p, maxText); no != nil {
			*m = before
			return nil, no
		}
		if m.force {
			return nil, refuse(400, "Bad Request: inline keyboard expected")
		}
		if m.html == before.html && fmt.Sprint(m.keys) == fmt.Sprint(before.keys) {
			return nil, refuse(400, "Bad Request: message is not modified: specified new message content and reply markup are exactly the same")
		}
		f.show(m)
		return map[string]any{"message_id": m.id, "date": time.Now().Unix(), "chat": roomOf(m.room)}, nil
	}
	return nil, refuse(400, "Bad Request: message to edit not found")
}

// take reads text and buttons as Telegram does.
func (m *posted) take(p map[string]string, limit int) *refusal {
	m.text = m.html
	if p["parse_mode"] == "HTML" {
		var err error
		if m.text, err = readHTML(m.html); err != nil {
			return refuse(400, "Bad Request: can't parse entities: "+err.Error())
		}
	}
	if strings.TrimSpace(m.text) == "" && !m.photo {
		return refuse(400, "Bad Request: message text is empty")
	}
	if len(utf16.Encode([]rune(m.text))) > limit {
		return refuse(400, "Bad Request: message is too long")
	}
	m.keys, m.force = nil, false
	if p["reply_markup"] == "" {
		return nil
	}
	var markup struct {
		Rows  *[][]map[string]any `json:"inline_keyboard"`
		Force bool                `json:"force_reply"`
	}
	if err := json.Unmarshal([]byte(p["reply_markup"]), &markup); err != nil || markup.Rows == nil && !markup.Force {
		return refuse(400, "Bad Request: object expected as reply markup")
	}
	if m.force = markup.Force; m.force {
		return nil
	}
	for _, row := range *markup.Rows {
		var out []key
		for _, b := range row {
			data, _ := b["callback_data"].(string)
			url, _ := b["url"].(string)
			label, _ := b["text"].(string)
			if len(b) != 2 || label == "" || len(data) > 64 || (data == "") == (url == "") {
				return refuse(400, "Bad Request: BUTTON_DATA_INVALID")
			}
			out = append(out, key{label, data, url})
		}
		m.keys = append(m.keys, out)
	}
	return nil
}

func (f *fake) show(m *posted) {
	b := f.shown[m.room]
	if b == nil {
		b = &strings.Builder{}
		f.shown[m.room] = b
	}
	b.WriteString(m.text + "\n")
	for _, row := range m.keys {
		for _, k := range row {
			b.WriteString("[" + k.Text + "]\n")
		}
	}
}

var htmlPiece = regexp.MustCompile(`(?s)<(/?)([a-z]+)>|&(amp|lt|gt|quot);|.`)

// readHTML returns the text that people see, or why Telegram would refuse it.
func readHTML(s string) (string, error) {
	var text strings.Builder
	var open []string
	for _, m := range htmlPiece.FindAllStringSubmatch(s, -1) {
		switch {
		case m[2] != "":
			if !strings.Contains(" b i u s code pre blockquote ", " "+m[2]+" ") {
				return "", fmt.Errorf("unsupported start tag %q", m[2])
			}
			if m[1] == "" {
				open = append(open, m[2])
			} else if len(open) == 0 || open[len(open)-1] != m[2] {
				return "", fmt.Errorf("unmatched end tag %q", m[2])
			} else {
				open = open[:len(open)-1]
			}
		case m[3] != "":
			text.WriteString(map[string]string{"amp": "&", "lt": "<", "gt": ">", "quot": `"`}[m[3]])
		case m[0] == "<" || m[0] == "&":
			return "", fmt.Errorf("%q must be escaped", m[0])
		default:
			text.WriteString(m[0])
		}
	}
	if len(open) > 0 {
		return "", fmt.Errorf("can't find end tag for %q", open[0])
	}
	return text.String(), nil
}

func roomOf(id int64) map[string]any {
	switch {
	case id > 0:
		return map[string]any{"id": id, "type": "private", "first_name": "U"}
	case id < -1e12:
		return map[string]any{"id": id, "type": "supergroup", "title": "G"}
	}
	return map[string]any{"id": id, "type": "group", "title": "G"}
}

// deliver queues an update.
func (f *fake) deliver(u map[string]any) (id int64) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if u["update_id"] == nil {
		f.nextID++
		u["update_id"] = f.nextID
	}
	f.updates = append(f.updates, u)
	f.more.Broadcast()
	return u["update_id"].(int64)
}

func user(id int64) map[string]any {
	return map[string]any{"id": id, "is_bot": false, "first_name": fmt.Sprint("U", id), "language_code": "zh-hans"}
}

var commandPiece = regexp.MustCompile(`(^|\s)(/[A-Za-z0-9_]{1,32}(@[A-Za-z0-9_]+)?|@[A-Za-z0-9_]+)`)

// written is a message as Telegram would deliver it; extra changes it.
func (f *fake) written(room, from int64, text string, extra map[string]any) map[string]any {
	f.mu.Lock()
	f.nextID++
	m := map[string]any{"message_id": 100000 + f.nextID, "date": time.Now().Unix(), "chat": roomOf(room), "from": user(from), "text": text}
	f.mu.Unlock()
	var entities []map[string]any
	for _, at := range commandPiece.FindAllStringSubmatchIndex(text, -1) {
		kind := "bot_command"
		if text[at[4]] == '@' {
			kind = "mention"
		}
		entities = append(entities, map[string]any{"type": kind, "offset": units16(text[:at[4]]), "length": units16(text[at[4]:at[5]])})
	}
	if entities != nil {
		m["entities"] = entities
	}
	for k, v := range extra {
		if m[k] = v; v == nil {
			delete(m, k)
		}
	}
	return m
}

func units16(s string) int { return len(utf16.Encode([]rune(s))) }

// say delivers a message.
func (f *fake) say(room, from int64, text string) { f.sayWith(room, from, text, nil) }

func (f *fake) sayWith(room, from int64, text string, extra map[string]any) (update int64) {
	return f.deliver(map[string]any{"message": f.written(room, from, text, extra)})
}

// pick taps the n-th button of the last message in a room that has any.
func (f *fake) pick(room, from int64, n int) (query string) {
	f.mu.Lock()
	var last *posted
	for _, m := range f.posted {
		if m.room == room && len(m.keys) > 0 {
			last = m
		}
	}
	f.mu.Unlock()
	if last == nil {
		f.t.Errorf("nothing to tap in room %d", room)
		return ""
	}
	var all []key
	for _, row := range last.keys {
		all = append(all, row...)
	}
	return f.tap(last, from, all[n-1].Data)
}

// tap taps a button of a message.
func (f *fake) tap(m *posted, from int64, data string) (query string) {
	f.mu.Lock()
	query = fmt.Sprint("q", len(f.taps)+1)
	f.taps[query] = &tap{}
	message := map[string]any{"message_id": m.id, "date": time.Now().Unix(), "chat": roomOf(m.room)}
	if m.thread != 0 {
		message["message_thread_id"], message["is_topic_message"] = m.thread, true
	}
	f.mu.Unlock()
	f.deliver(map[string]any{"callback_query": map[string]any{"id": query, "from": user(from), "message": message, "chat_instance": "c", "data": data}})
	return query
}

// seen is all that was ever shown in a room.
func (f *fake) seen(room int64) string {
	f.mu.Lock()
	defer f.mu.Unlock()
	if b := f.shown[room]; b != nil {
		return b.String()
	}
	return ""
}

// in returns the messages that stand in a room now.
func (f *fake) in(room int64) (list []posted) {
	f.mu.Lock()
	defer f.mu.Unlock()
	for _, m := range f.posted {
		if m.room == room {
			list = append(list, *m)
		}
	}
	return list
}

// called returns the calls of a method.
func (f *fake) called(method string) (list []call) {
	f.mu.Lock()
	defer f.mu.Unlock()
	for _, c := range f.calls {
		if c.method == method {
			list = append(list, c)
		}
	}
	return list
}

func (f *fake) answered(query string) tap {
	f.mu.Lock()
	defer f.mu.Unlock()
	return *f.taps[query]
}

// eventually waits until ok.
func eventually(t testing.TB, what string, ok func() bool) {
	t.Helper()
	for end := time.Now().Add(10 * time.Second); !ok(); time.Sleep(2 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatalf("not after 10 s: %s", what)
		}
	}
}

var _ adapters.Chat = (*Chat)(nil)
