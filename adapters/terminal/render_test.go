package terminal

import (
	"strings"
	"testing"

	"pgregory.net/rapid"

	"gpuadvisor/advisor"
)

func TestRender(t *testing.T) {
	reply := advisor.Reply{
		Parts: []advisor.Part{
			{Kind: "heading", Text: "建议"},
			{Kind: "text", Text: "一张 24 GB 的卡。"},
			{Kind: "fields", Pairs: []advisor.Pair{{Name: "显存", Value: "18.2 GiB"}, {Name: "VRAM use", Value: "76 %\nof 24 GiB"}}},
			{Kind: "heading", Text: "比较"},
			{Kind: "table", Rows: [][]string{{"卡", "显存", "note"}, {"RTX 4090", "24 GB", "合适"}, {"四零九零魔改", "48 GB", ""}}},
			{Kind: "code", Text: "nvidia-smi\n-L"},
			{Kind: "note", Text: "有假设"},
		},
		Choices: []advisor.Choice{{Label: "几小时"}, {Label: "几天"}},
	}
	want := strings.TrimPrefix(`
建议
一张 24 GB 的卡。
显存      18.2 GiB
VRAM use  76 %
          of 24 GiB

比较
卡            显存   note
RTX 4090      24 GB  合适
四零九零魔改  48 GB
    nvidia-smi
    -L
有假设
  1. 几小时
  2. 几天`, "\n")
	if got := Render(reply, Look{}); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	if got := Render(advisor.Reply{Act: "ignore"}, Look{}); got != "" {
		t.Errorf("an empty reply shows %q", got)
	}
}

func TestColour(t *testing.T) {
	r := advisor.Reply{Parts: []advisor.Part{{Kind: "heading", Text: "head"}, {Kind: "note", Text: "note"}, {Kind: "text", Text: "text"}}}
	want := "\x1b[1mhead\x1b[0m\n\x1b[2mnote\x1b[0m\ntext"
	if got := Render(r, Look{Colour: true}); got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	if got := Render(r, Look{}); strings.Contains(got, "\x1b") {
		t.Errorf("without colour there are escapes: %q", got)
	}
}

func TestWidth(t *testing.T) {
	for _, tt := range []struct {
		text string
		want int
	}{
		{"", 0}, {"abc", 3}, {"显存", 4}, {"RTX 四零九零", 12}, {"(全角)", 6}, {"e\u0301", 1}, {"👩‍🔬", 2}, {"ｱ", 1}, {"～", 2},
	} {
		if got := Width(tt.text); got != tt.want {
			t.Errorf("Width(%q) = %d, want %d", tt.text, got, tt.want)
		}
	}
}

func TestWrap(t *testing.T) {
	look := Look{Width: 20}
	for _, tt := range []struct{ text, margin, want string }{
		{"short", "", "short"},
		{"the quick brown fox jumps", "", "the quick brown fox\njumps"},
		{"这是一段比较长的中文句子。", "", "这是一段比较长的中文\n句子。"},
		{"这是一段十个字的中文,标点不在行首", "", "这是一段十个字的中\n文,标点不在行首"},
		{"one two three four five", "   ", "one two three\n   four five"},
		{"averyverylongwordwithoutbreaks yes", "", "averyverylongwordwithoutbreaks\nyes"},
	} {
		if got := look.wrap(tt.text, tt.margin); got != tt.want {
			t.Errorf("wrap(%q)\n got %q\nwant %q", tt.text, got, tt.want)
		}
	}
}

// Wrapping moves line ends and drops spaces, and loses nothing else.
func TestWrapLosesNothing(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		text := rapid.StringOf(rapid.RuneFrom([]rune("ab 显存,。24GiB\n——👩e\u0301"))).Draw(r, "text")
		look := Look{Width: rapid.IntRange(0, 60).Draw(r, "width")}
		bare := func(s string) string { return strings.NewReplacer(" ", "", "\n", "").Replace(s) }
		if got := look.wrap(text, "  "); bare(got) != bare(text) {
			r.Fatalf("wrap(%q) at %d lost something: %q", text, look.Width, got)
		}
	})
}

func BenchmarkRender(b *testing.B) {
	r := advisor.Reply{Choices: []advisor.Choice{{Label: "几小时"}, {Label: "几天"}}}
	for range 20 {
		r.Parts = append(r.Parts, advisor.Part{Kind: "text", Text: strings.Repeat("一张 24 GB 的卡就够,", 8)})
	}
	for b.Loop() {
		Render(r, Look{Width: 80, Colour: true})
	}
}
