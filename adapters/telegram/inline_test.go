package telegram

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"gpuadvisor/advisor"
)

func TestInline(t *testing.T) {
	f, chat, d := open(t, nil)
	d.answers(func(m advisor.Message) advisor.Reply {
		switch {
		case strings.Contains(m.Text, "long"):
			return reply(strings.Repeat("a <line>\n", 2000), twoHours)
		case strings.Contains(m.Text, "nothing"):
			return advisor.Reply{Act: "ignore"}
		}
		r := reply("7B: 24 GiB & more", twoHours)
		r.Parts = append([]advisor.Part{{Kind: "heading", Text: "显存 <" + m.Text + ">"}}, r.Parts...)
		return r
	})
	for i, tt := range []struct{ query, text, title string }{
		{"vram Qwen2.5-7B LoRA", "/vram Qwen2.5-7B LoRA", "显存 </vram Qwen2.5-7B LoRA>"},
		{"显存 7B", "/vram 7B", "显存 </vram 7B>"},
		{"Card 4090", "/card 4090", "显存 </card 4090>"},
		{"Qwen2.5-7B", "/vram Qwen2.5-7B", "显存 </vram Qwen2.5-7B>"},
		{"vram long", "/vram long", "a <line>"},
		{"vram nothing", "/vram nothing", ""},
		{"", "", "输入模型"},
		{"vram", "", "输入模型"},
		{"  ", "", "输入模型"},
	} {
		before := len(d.messages())
		id := fmt.Sprint("i", i)
		f.deliver(map[string]any{"inline_query": map[string]any{"id": id, "from": user(person), "query": tt.query, "offset": ""}})
		eventually(t, tt.query, func() bool { f.mu.Lock(); defer f.mu.Unlock(); return f.typedFor[id] != "" })
		if got := strings.Join(d.texts()[before:], "|"); got != tt.text {
			t.Errorf("%q: the desk got %q, want %q", tt.query, got, tt.text)
		}
		var results []struct {
			Type, ID, Title, Description string
			Content                      struct {
				Text string `json:"message_text"`
				Mode string `json:"parse_mode"`
			} `json:"input_message_content"`
			Markup any `json:"reply_markup"`
		}
		if err := json.Unmarshal([]byte(f.typedFor[id]), &results); err != nil {
			t.Fatalf("%q: %v in %s", tt.query, err, f.typedFor[id])
		}
		if tt.title == "" {
			if len(results) != 0 {
				t.Errorf("%q: got %+v, want nothing", tt.query, results)
			}
			continue
		}
		if len(results) != 1 {
			t.Fatalf("%q: got %d results, want one", tt.query, len(results))
		}
		r := results[0]
		plain, err := readHTML(r.Content.Text)
		if r.Title != tt.title || r.Type != "article" || err != nil || len(plain) > maxText || plain == "" || r.Markup != nil || r.Content.Mode != "HTML" {
			t.Errorf("%q: got %.300s (%v), want title %q", tt.query, f.typedFor[id], err, tt.title)
		}
	}
	m := d.messages()[0]
	if m.Key != chat.inlineKey(person) || m.Actor.ID != fmt.Sprint(person) || m.Lang != "zh" {
		t.Errorf("got %+v", m)
	}
	for _, c := range f.called("answerInlineQuery") {
		if c.params["is_personal"] != "true" {
			t.Errorf("an answer is not personal: %v", c.params)
		}
	}
}

// BenchmarkInline is what a query costs on our side, without the network.
func BenchmarkInline(b *testing.B) {
	chat := offline(b, nil)
	q := update{ID: 1, Inline: &inlineQuery{ID: "1", Query: "vram Qwen2.5-7B LoRA"}}
	q.Inline.From.ID = person
	for b.Loop() {
		<-chat.take(q).over
	}
}

// BenchmarkMessage is what a message and its answer cost on our side.
func BenchmarkMessage(b *testing.B) {
	chat := offline(b, nil)
	var u update
	if err := json.Unmarshal([]byte(updateOf(1, "微调 7B")), &u); err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		<-chat.take(u).over
	}
}
