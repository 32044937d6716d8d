package telegram

import (
	"strings"
	"testing"

	"pgregory.net/rapid"

	"gpuadvisor/adapters"
	"gpuadvisor/advisor"
)

func TestDraw(t *testing.T) {
	r := advisor.Reply{Act: "answer", Parts: []advisor.Part{
		{Kind: "heading", Text: "建议 <A & B>"},
		{Kind: "text", Text: "一张 24 GB 的卡。"},
		{Kind: "fields", Pairs: []advisor.Pair{{Name: "显存", Value: "18.2 GiB"}, {Name: "VRAM use", Value: "76 %\nof 24 GiB"}}},
		{Kind: "table", Text: "比较", Rows: [][]string{{"卡", "显存"}, {"RTX 4090", "24 GB"}, {"四零九零", "48 GB"}}},
		{Kind: "table", Rows: [][]string{{"card", "price of an hour", "place"}, {"RTX 4090", "about 2 CNY", "Shanghai <1>"}, {"A100", "", "Beijing"}}},
		{Kind: "code", Text: "a < b\n  && c"},
		{Kind: "text", Text: " \n "},
		{Kind: "note", Text: "有假设"},
		{Kind: "question", Text: "跑多久?"},
		{Kind: "chart", Text: "a chart", Rows: [][]string{{"h", "¥"}, {"1", "2"}}},
		{Kind: "of tomorrow", Text: "new"},
	}, Choices: []advisor.Choice{{Ref: "a", Label: "几小时"}, {Ref: "b", Label: "几天"}}}
	want := strings.TrimPrefix(`
<b>建议 &lt;A &amp; B&gt;</b>

一张 24 GB 的卡。

<b>显存：</b> 18.2 GiB
<b>VRAM use:</b> 76 %
of 24 GiB

比较
<pre>卡        显存
RTX 4090  24 GB
四零九零  48 GB</pre>

<i>card</i>
<b>RTX 4090</b>
· price of an hour: about 2 CNY
· place: Shanghai &lt;1&gt;
<b>A100</b>
· place: Beijing

<pre>a &lt; b
  &amp;&amp; c</pre>

<i>有假设</i>

<b>跑多久?</b>

a chart
<pre>h  ¥
1  2</pre>

new`, "\n")
	s := draw(r, button{asker: 1})
	if len(s.pages) != 1 || s.pages[0].html != want {
		t.Errorf("got %d pages:\n%s\nwant\n%s", len(s.pages), s.pages[0].html, want)
	}
	if s.keys == nil || len(s.keys.Rows) != 1 {
		t.Errorf("got keys %+v, want one row", s.keys)
	}
	if s := draw(advisor.Reply{}, button{}); len(s.pages)+len(s.photos) > 0 || s.keys != nil {
		t.Errorf("an empty reply is drawn as %+v", s)
	}
	if s := draw(advisor.Reply{Choices: r.Choices}, button{}); len(s.pages) != 1 {
		t.Errorf("choices alone: got %+v, want a page for them to stand under", s)
	}
}

// Code that runs over several messages is code in each, and is cut between
// lines.
func TestLongCode(t *testing.T) {
	r := advisor.Reply{Parts: []advisor.Part{{Kind: "code", Text: strings.Repeat("0123456789 <&>\n", 600)}, {Kind: "text", Text: "end"}}}
	pages := draw(r, button{}).pages
	if len(pages) != 3 {
		t.Fatalf("got %d pages, want 3", len(pages))
	}
	for i, p := range pages {
		if !strings.HasPrefix(p.html, "<pre>0123456789 &lt;&amp;&gt;\n") || !strings.Contains(p.html, "&gt;</pre>") {
			t.Errorf("page %d begins %.40q and ends %.40q", i, p.html, p.html[len(p.html)-40:])
		}
	}
}

// Whatever a reply says, each page is HTML that Telegram takes, no longer than
// it allows, and all of them together say it.
func TestPagesProperties(t *testing.T) {
	words := []string{"a", "显存", "<", ">", "&", "&amp;", "</b>", "\n", "\n\n", " ", "😀", "👩‍🔬", "e\u0301", "\x1b[2J", "\"", "0123456789 "}
	kinds := []string{"heading", "text", "note", "code", "question", "fields", "table", "strange"}
	text := func(r *rapid.T) string {
		return strings.Repeat(strings.Join(rapid.SliceOfN(rapid.SampledFrom(words), 0, 20).Draw(r, "words"), ""), rapid.SampledFrom([]int{1, 1, 1, 200}).Draw(r, "times"))
	}
	rapid.Check(t, func(r *rapid.T) {
		var parts []advisor.Part
		want := map[rune]int{}
		count := func(s string) {
			for _, c := range tame(s) {
				if strings.ContainsRune("显存😀<>&", c) {
					want[c]++
				}
			}
		}
		for range rapid.IntRange(0, 5).Draw(r, "parts") {
			p := advisor.Part{Kind: rapid.SampledFrom(kinds).Draw(r, "kind"), Text: text(r)}
			count(p.Text)
			if p.Kind == "fields" {
				p.Pairs = []advisor.Pair{{Name: text(r), Value: text(r)}, {Name: "显存", Value: "1"}}
				count(p.Pairs[0].Name + p.Pairs[0].Value + "显存")
			}
			if p.Kind == "table" {
				p.Rows = [][]string{{"h"}, {text(r)}}
				count(p.Rows[1][0])
			}
			parts = append(parts, p)
		}
		got := map[rune]int{}
		for _, p := range draw(advisor.Reply{Parts: parts}, button{}).pages {
			plain, err := readHTML(p.html)
			if err != nil {
				r.Fatalf("%q: %v", p.html, err)
			}
			if n := adapters.Length(plain, adapters.UTF16); n > maxText || strings.TrimSpace(plain) == "" || plain != p.plain {
				r.Fatalf("a page of %d units, %.80q, plain %.80q", n, plain, p.plain)
			}
			for _, c := range plain {
				if strings.ContainsRune("显存😀<>&", c) {
					got[c]++
				}
			}
		}
		for c, n := range want {
			if got[c] != n {
				r.Fatalf("%q is there %d times, want %d", c, got[c], n)
			}
		}
	})
}

func BenchmarkDraw(b *testing.B) {
	r := advisor.Reply{Choices: []advisor.Choice{{Ref: "a", Label: "几小时"}, {Ref: "b", Label: "几天"}}}
	for range 20 {
		r.Parts = append(r.Parts, advisor.Part{Kind: "text", Text: strings.Repeat("一张 24 GB 的卡就够,", 8)})
	}
	for b.Loop() {
		draw(r, button{asker: 42})
	}
}
