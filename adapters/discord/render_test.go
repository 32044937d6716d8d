package discord

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"gpuadvisor/advisor"
)

func testLook() look {
	return look{texts: words(nil), lang: "en", owner: ann, stamp: "STAMP1", embeds: true, shares: true}
}

// shown reads pages back as Discord would take them.
func shown(t interface{ Fatalf(string, ...any) }, pages []*page) (all []*shownMessage, text string) {
	for i, p := range pages {
		raw, err := json.Marshal(p)
		if err != nil {
			t.Fatalf("page %d: %v", i, err)
		}
		m := &shownMessage{}
		if err := json.Unmarshal(raw, m); err != nil {
			t.Fatalf("page %d: %v", i, err)
		}
		if problem := checkMessage(m); problem != "" {
			t.Fatalf("page %d is refused: %s", i, problem)
		}
		all = append(all, m)
		text += asSeen(m)
	}
	return all, text
}

func TestPlainReply(t *testing.T) {
	r := advisor.Reply{
		Act: "ask:gpus",
		Parts: []advisor.Part{
			{Kind: "text", Text: "Understood: *LoRA* of <@everyone> # 7B"},
			{Kind: "note", Text: "assumed: bf16\nbatch 1"},
			{Kind: "question", Text: "How many cards?"},
		},
		Choices: []advisor.Choice{{Ref: "gpus=one", Label: "one"}, {Ref: "/dontknow", Label: "don't know"}},
	}
	pages := testLook().pages(r)
	if len(pages) != 1 || len(pages[0].Embeds) != 0 {
		t.Fatalf("got %d pages, embeds %v; want one plain message", len(pages), pages[0].Embeds)
	}
	want := "Understood: \\*LoRA\\* of \\<@everyone> \\# 7B\n-# assumed: bf16\n-# batch 1\n\n**How many cards?**"
	if got := pages[0].Content; got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	all, _ := shown(t, pages)
	rows := all[0].Components
	if len(rows) != 2 || len(rows[0].Components) != 2 || rows[0].Components[0].Style != 1 || rows[0].Components[1].Style != 2 {
		t.Errorf("got rows %+v, want the option first, the way out in grey", rows)
	}
	if got := rows[1].Components[0].Label; got != "type" || len(rows[1].Components) != 1 {
		t.Errorf("under a question: got %q and %d buttons, want a way to type", got, len(rows[1].Components))
	}
}

func TestRichReply(t *testing.T) {
	r := advisor.Reply{
		Act: "answer",
		Parts: []advisor.Part{
			{Kind: "heading", Text: "Advice"},
			{Kind: "text", Text: "One card."},
			{Kind: "fields", Pairs: []advisor.Pair{{Name: "VRAM", Value: "18.8 GiB"}, {Name: "Cards", Value: "RTX4090-24G"}}},
			{Kind: "table", Rows: [][]string{{"part", "GiB"}, {"权重", "14.2"}}},
			{Kind: "fields", Pairs: []advisor.Pair{{Name: "Risks", Value: strings.Repeat("long ", 10)}, {Name: "", Value: "x"}, {Name: "y"}}},
		},
	}
	all, _ := shown(t, testLook().pages(r))
	got, _ := json.MarshalIndent(all[0].Embeds, "", " ")
	want := `[
 {
  "title": "Advice",
  "description": "One card.",
  "fields": [
   {
    "name": "VRAM",
    "value": "18.8 GiB",
    "inline": true
   },
   {
    "name": "Cards",
    "value": "RTX4090-24G",
    "inline": true
   }
  ]
 },
 {
  "description": "` + "```" + `\npart  GiB\n权重  14.2\n` + "```" + `",
  "fields": [
   {
    "name": "Risks",
    "value": "long long long long long long long long long long"
   },
   {
    "name": "` + "\u200b" + `",
    "value": "x"
   },
   {
    "name": "y",
    "value": "–"
   }
  ]
 }
]`
	if string(got) != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	l := testLook()
	l.embeds = false
	plain := l.pages(r)
	if len(plain[0].Embeds) != 0 || !strings.Contains(plain[0].Content, "**VRAM** 18.8 GiB") {
		t.Errorf("without embeds: got %q", plain[0].Content)
	}
}

func TestPicture(t *testing.T) {
	png := append([]byte("\x89PNG\r\n\x1a\n"), make([]byte, 40)...)
	pages := testLook().pages(advisor.Reply{Act: "answer", Parts: []advisor.Part{
		{Kind: "heading", Text: "Cost"}, {Kind: "image", Text: "monthly wins after 400 h", Image: png}, {Kind: "image", Text: "gone", Image: []byte("x")},
	}})
	p := pages[0]
	if len(p.files) != 1 || p.files[0].name != "1-picture.png" || p.Attachments[0].Description != "monthly wins after 400 h" {
		t.Errorf("got files %+v, attachments %+v", p.files, p.Attachments)
	}
	all, text := shown(t, pages)
	if all[0].Embeds[0].Image.URL != "attachment://1-picture.png" || !strings.Contains(text, "gone") {
		t.Errorf("got %+v, reading %q", all[0].Embeds[0], text)
	}
}

func TestInstant(t *testing.T) {
	at := time.Date(2026, 12, 3, 10, 0, 0, 0, time.UTC)
	p := testLook().pages(advisor.Reply{Parts: []advisor.Part{{Kind: "text", Text: "tomorrow 18:00", At: at}}})[0]
	if want := "tomorrow 18:00\n<t:1796292000:f> (<t:1796292000:R>)"; p.Content != want {
		t.Errorf("got %q, want %q", p.Content, want)
	}
}

func TestWideTable(t *testing.T) {
	rows := [][]string{{"card", "because"}, {"RTX4090-24G", strings.Repeat("多留余量 ", 12)}}
	_, text := shown(t, testLook().pages(advisor.Reply{Parts: []advisor.Part{{Kind: "table", Rows: rows}}}))
	if !strings.Contains(text, "• RTX4090-24G · because: 多留余量") || strings.Contains(text, "```") {
		t.Errorf("a table too wide for a phone reads %q", text)
	}
}

func TestManyChoices(t *testing.T) {
	for _, tt := range []struct{ n, rows, left int }{{0, 0, 0}, {5, 1, 0}, {6, 1, 0}, {25, 1, 0}, {26, 2, 0}, {100, 4, 0}, {103, 4, 3}} {
		r := advisor.Reply{Act: "answer", Private: true, Parts: []advisor.Part{{Kind: "text", Text: "choose"}}}
		for i := range tt.n {
			r.Choices = append(r.Choices, advisor.Choice{Ref: fmt.Sprint("slot=", i), Label: fmt.Sprint("label ", i)})
		}
		all, text := shown(t, testLook().pages(r))
		if got := len(all[0].Components); got != tt.rows {
			t.Errorf("%d choices: %d rows, want %d", tt.n, got, tt.rows)
		}
		if got := strings.Count(asSeen(&shownMessage{Content: all[0].Content}), "label"); got != tt.left {
			t.Errorf("%d choices: %d in words, want %d; %q", tt.n, got, tt.left, text)
		}
	}
}

func TestOddChoices(t *testing.T) {
	long := strings.Repeat("很长的选项", 30)
	r := advisor.Reply{Act: "answer", Choices: []advisor.Choice{
		{Ref: "a", Label: long}, {Ref: "a", Label: "twice"}, {Ref: strings.Repeat("r", 65), Label: "a long ref"}, {Ref: "b"},
	}}
	_, text := shown(t, testLook().pages(r))
	for _, want := range []string{"1. " + long, "3. a long ref"} {
		if !strings.Contains(text, want) {
			t.Errorf("%q is not said: %q", want, text)
		}
	}
}

// Whatever a reply holds, Discord takes it, and a reader finds all of it.
func TestReplyLosesNothing(t *testing.T) {
	bare := func(s string) string {
		return strings.NewReplacer(" ", "", "\n", "", "\t", "", "\u200b", "").Replace(s)
	}
	piece := rapid.StringOfN(rapid.RuneFrom([]rune("ab 显存,。24GiB\n*_`~|\\#>-[]<@!1👩\u200d🔬")), 0, 3000, -1)
	kinds := rapid.SampledFrom([]string{"heading", "text", "note", "question", "fields", "table", "new"})
	rapid.Check(t, func(rt *rapid.T) {
		r := advisor.Reply{Act: rapid.SampledFrom([]string{"answer", "ask:gpus", "clarify"}).Draw(rt, "act")}
		var said []string
		for range rapid.IntRange(0, 6).Draw(rt, "parts") {
			p := advisor.Part{Kind: kinds.Draw(rt, "kind"), Text: piece.Draw(rt, "text")}
			if p.Kind == "fields" {
				f := advisor.Pair{Name: short(piece.Draw(rt, "name"), 400), Value: piece.Draw(rt, "value")}
				p.Pairs = []advisor.Pair{f}
				said = append(said, f.Name, f.Value)
			}
			said = append(said, p.Text)
			r.Parts = append(r.Parts, p)
		}
		for i := range rapid.IntRange(0, 30).Draw(rt, "choices") {
			r.Choices = append(r.Choices, advisor.Choice{Ref: fmt.Sprint("r", i), Label: short(piece.Draw(rt, "label"), 70)})
		}
		l := testLook()
		l.embeds = rapid.Bool().Draw(rt, "embeds")
		_, text := shown(rt, l.pages(r))
		got := bare(text)
		for _, s := range said {
			if !strings.Contains(got, bare(s)) {
				rt.Fatalf("lost %q in %q", bare(s), got)
			}
		}
	})
}

func TestEscape(t *testing.T) {
	for _, tt := range []struct{ text, want string }{
		{"plain 文字", "plain 文字"},
		{"a*b_c~d|e`f", "a\\*b\\_c\\~d\\|e\\`f"},
		{"# no heading\n> no quote\n-# small", "\\# no heading\n\\> no quote\n\\-# small"},
		{"C# 2>1", "C# 2>1"},
		{"<@123> [x](http://evil.example)", "\\<@123> \\[x\\](http://evil.example)"},
		{"see https://a.example/b_c_d?e=*f now_", "see https://a.example/b_c_d?e=\\*f now\\_"},
		{"a\x1b[31m\x00b\r\nc", "a\\[31mb\nc"},
	} {
		if got := escape(tt.text); got != tt.want {
			t.Errorf("escape(%q) = %q, want %q", tt.text, got, tt.want)
		}
	}
}

func BenchmarkPages(b *testing.B) {
	r := (&talk{}).reply([]string{"a", "b", "c"}, advisor.Message{})
	l := testLook()
	for b.Loop() {
		l.pages(r)
	}
}
