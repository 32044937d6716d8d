package adapters_test

import (
	"strings"
	"testing"
	"unicode/utf16"
	"unicode/utf8"

	"pgregory.net/rapid"

	"gpuadvisor/adapters"
)

func TestSplit(t *testing.T) {
	for _, tt := range []struct {
		name, text string
		limit      int
		unit       adapters.Unit
		want       []string
	}{
		{"nothing", "", 10, adapters.Runes, nil},
		{"no limit", "one two", 0, adapters.Runes, []string{"one two"}},
		{"fits", "one two", 7, adapters.Runes, []string{"one two"}},
		{"paragraphs", "one two\n\nthree\nfour", 15, adapters.Runes, []string{"one two\n\n", "three\nfour"}},
		{"lines", "one\ntwo\nthree", 9, adapters.Runes, []string{"one\ntwo\n", "three"}},
		{"sentences", "One. Two three four", 12, adapters.Runes, []string{"One. ", "Two three ", "four"}},
		{"Chinese sentences", "一张卡。两张卡就够了", 8, adapters.Runes, []string{"一张卡。", "两张卡就够了"}},
		{"words", "alpha beta gamma", 12, adapters.Runes, []string{"alpha beta ", "gamma"}},
		{"characters", "abcdefgh", 3, adapters.Runes, []string{"abc", "def", "gh"}},
		{"a border too early is left", "a\n\nbbbbbbbbbbbbb cc", 15, adapters.Runes, []string{"a\n\nbbbbbbbbbbbb", "b cc"}},
		{"UTF-16 pairs", "a😀b😀", 3, adapters.UTF16, []string{"a😀", "b😀"}},
		{"pairs that do not fit", "ab😀", 3, adapters.UTF16, []string{"ab", "😀"}},
		{"bytes", "显存显存", 7, adapters.Bytes, []string{"显存", "显存"}},
		{"accents stay", "xxe\u0301y", 3, adapters.Runes, []string{"xx", "e\u0301y"}},
		{"composed emoji stay", "xx👩‍🔬y", 4, adapters.Runes, []string{"xx", "👩‍🔬y"}},
		{"skin tones stay", "xx👍🏽", 3, adapters.Runes, []string{"xx", "👍🏽"}},
		{"entities stay", "aaaa&amp;bb", 6, adapters.Bytes, []string{"aaaa", "&amp;b", "b"}},
		{"no entity after all", "a & b; c", 4, adapters.Bytes, []string{"a & ", "b; c"}},
		{"larger than the limit", "👩‍🔬👩‍🔬", 1, adapters.Runes, []string{"👩‍🔬", "👩‍🔬"}},
		{"line ends of Windows", "aa\r\nbb", 3, adapters.Runes, []string{"aa", "\r\n", "bb"}},
	} {
		got := adapters.Split(tt.text, tt.limit, tt.unit)
		if strings.Join(got, "|") != strings.Join(tt.want, "|") {
			t.Errorf("%s: Split(%q, %d) = %q, want %q", tt.name, tt.text, tt.limit, got, tt.want)
		}
	}
}

func TestLength(t *testing.T) {
	const text = "a显😀"
	for unit, want := range map[adapters.Unit]int{adapters.Runes: 3, adapters.UTF16: 4, adapters.Bytes: 8} {
		if got := adapters.Length(text, unit); got != want {
			t.Errorf("Length(%q, %d) = %d, want %d", text, unit, got, want)
		}
	}
	if got, want := adapters.Length("👩‍🔬\xff", adapters.UTF16), len(utf16.Encode([]rune("👩‍🔬\xff"))); got != want {
		t.Errorf("Length = %d, want %d as unicode/utf16 counts", got, want)
	}
}

// Texts of the kinds that are hard to cut.
var pieces = []string{"a", "bc ", "显存", "。", "，", "\n", "\n\n", "😀", "👩‍🔬", "👍🏽", "e\u0301", "🇨🇳", "&amp;", "&#x1F600;", "&", ";", "\r\n", "\xff", ". "}

func TestSplitKeepsItsPromises(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		text := strings.Join(rapid.SliceOf(rapid.SampledFrom(pieces)).Draw(r, "text"), "")
		checkSplit(r, text, rapid.IntRange(1, 40).Draw(r, "limit"), adapters.Unit(rapid.IntRange(0, 2).Draw(r, "unit")))
	})
}

func FuzzSplit(f *testing.F) {
	f.Add(strings.Join(pieces, ""), 5, 0)
	f.Add(strings.Repeat("一段话。\n\n", 40), 33, 1)
	f.Add("&amp;&lt;&#1;&", 2, 2)
	f.Fuzz(func(t *testing.T, text string, limit, unit int) {
		checkSplit(t, text, limit, adapters.Unit(unit&1+unit>>1&1))
	})
}

func checkSplit(t interface{ Fatalf(string, ...any) }, text string, limit int, unit adapters.Unit) {
	got := adapters.Split(text, limit, unit)
	if joined := strings.Join(got, ""); joined != text {
		t.Fatalf("joined pieces are %q, want %q", joined, text)
	}
	for i, piece := range got {
		switch {
		case piece == "":
			t.Fatalf("piece %d of %q is empty", i, text)
		case utf8.ValidString(text) && !utf8.ValidString(piece):
			t.Fatalf("piece %d of %q ends inside a character: %q", i, text, piece)
		case limit > 0 && adapters.Length(piece, unit) > limit && len(adapters.Split(piece, 1, unit)) > 1:
			t.Fatalf("piece %d of %q has %d units, want at most %d: %q", i, text, adapters.Length(piece, unit), limit, piece)
		}
	}
}

func BenchmarkSplit(b *testing.B) {
	text := strings.Repeat("很长的一段话,里面有 numbers 24 GiB。", 2000)
	b.SetBytes(int64(len(text)))
	for b.Loop() {
		adapters.Split(text, 4096, adapters.UTF16)
	}
}
