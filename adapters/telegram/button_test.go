package telegram

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"gpuadvisor/advisor"
)

func TestButtons(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		want := button{
			replace: rapid.Bool().Draw(r, "replace"), asker: rapid.Int64().Draw(r, "asker"),
			turn: int(rapid.Int32Min(0).Draw(r, "turn")), thread: int(rapid.Int32Min(0).Draw(r, "thread")), ref: rapid.String().Draw(r, "ref"),
		}
		data, fits := want.data()
		if fits != (len(data) <= maxData) {
			r.Fatalf("%q has %d bytes; fits: %v", data, len(data), fits)
		}
		if got, ok := readButton(data); !ok || got != want {
			r.Fatalf("%q is read as %+v, %v; want %+v", data, got, ok, want)
		}
	})
}

// The largest that occurs: user ids have at most 52 significant bits, topics
// are message numbers, and an anonymous admin's id is the group's.
func TestButtonsFit(t *testing.T) {
	ref := strings.Repeat("x", longestRef)
	for _, b := range []button{
		{asker: 9_999_999_999, turn: 1000, thread: math.MaxInt32, ref: ref},
		{asker: -1_009_999_999_999, turn: 1000, thread: 9_999_999, ref: ref},
		{asker: 1 << 52, turn: 1000, ref: ref},
	} {
		if data, ok := b.data(); !ok {
			t.Errorf("%+v does not fit: %d bytes", b, len(data))
		}
	}
}

func TestForeignData(t *testing.T) {
	for _, data := range []string{"", "q", "q1", "q1.2", "q1.2.3", "x1.2.3.ref", "1.2.3.ref", "q.2.3.ref", "q!.2.3.ref", "q1.!.3.ref", "q1.2.zzzzzzzz.ref", "{\"a\":1}", "qzzzzzzzzzzzzzzz.1.1.x"} {
		if b, ok := readButton(data); ok {
			t.Errorf("%q is read as %+v", data, b)
		}
	}
}

func TestRowsOfButtons(t *testing.T) {
	for _, tt := range []struct{ labels, want string }{
		{"a b c d", "a b c|d"},
		{"几小时 几天 几周 更久", "几小时 几天 几周|更久"},
		{"一两个小时内 不到一整天 好几天", "一两个小时内 不到一整天|好几天"},
		{"yes no a-label-that-fills-the-row maybe", "yes no|a-label-that-fills-the-row|maybe"},
		{"short middle-sized also-middle", "short middle-sized|also-middle"},
	} {
		var choices []advisor.Choice
		for i, label := range strings.Fields(tt.labels) {
			choices = append(choices, advisor.Choice{Ref: fmt.Sprint(i), Label: label})
		}
		k, left := keys(choices, button{})
		var rows []string
		for _, row := range k.Rows {
			var labels []string
			for _, b := range row {
				labels = append(labels, b.Text)
			}
			rows = append(rows, strings.Join(labels, " "))
		}
		if got := strings.Join(rows, "|"); got != tt.want || len(left) > 0 {
			t.Errorf("%q is laid out as %q with %d left, want %q", tt.labels, got, len(left), tt.want)
		}
	}
	k, left := keys([]advisor.Choice{{Ref: strings.Repeat("x", 60), Label: "too long"}, {Ref: "b", Label: " \x00 "}}, button{asker: 1})
	if k != nil || len(left) != 2 {
		t.Errorf("got buttons %+v, and %d choices left; want none and both", k, len(left))
	}
}

// A choice that cannot be a button is listed by the number that picks it.
func TestChoicesWithoutButtons(t *testing.T) {
	r := reply("choose", advisor.Choice{Ref: "a", Label: "fits"}, advisor.Choice{Ref: strings.Repeat("x", 60), Label: "does <not>"})
	s := draw(r, button{asker: 1})
	if want := "choose\n\n2. does &lt;not&gt;"; len(s.pages) != 1 || s.pages[0].html != want || len(s.keys.Rows) != 1 {
		t.Errorf("got %+v, want %q and one button", s, want)
	}
}
