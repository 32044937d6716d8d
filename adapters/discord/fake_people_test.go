package discord

import (
	"bytes"
	"cmp"
	"crypto/ed25519"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"time"

	"gpuadvisor/advisor"
)

// person is somebody who uses Discord; their deeds are methods.
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
