package telegram

import (
	"strconv"
	"strings"
	"unicode"

	"gpuadvisor/advisor"
)

// button.go spells what a button carries. That is at most 64 bytes, and all
// that we will know when it is tapped, so it says everything:
//
//	q 5f2dk . 3 . 1z . duration_hours=h2
//	│   │     │    │    └ ref of the choice, ≤ 40 bytes
//	│   │     │    └ topic
//	│   │     └ turn that offered it
//	│   └ who was asked; negative: a chat in whose name somebody asked
//	└ q: the answer may take the place of the message; k: keep the message
//
// (without the spaces; numbers in base 36). An answer replaces the message when
// that was a question, and comes below it when it was an advice. A format to
// come would take other first letters: these are its version.

// longestRef is what Choice.Ref promises.
const longestRef = 40 // bytes

const (
	replaceMark = 'q'
	keepMark    = 'k'
)

type button struct {
	replace bool
	asker   int64
	turn    int
	thread  int
	ref     string
}

const base = 36

// data spells the button; ok is false when it does not fit.
func (b button) data() (data string, ok bool) {
	mark := keepMark
	if b.replace {
		mark = replaceMark
	}
	data = string(mark) + strings.Join([]string{
		strconv.FormatInt(b.asker, base), strconv.FormatInt(int64(b.turn), base), strconv.FormatInt(int64(b.thread), base), b.ref,
	}, ".")
	return data, len(data) <= maxData
}

// readButton reads what data spelled.
func readButton(data string) (b button, ok bool) {
	p := strings.SplitN(data, ".", 4)
	if len(p) != 4 || len(p[0]) < 2 || p[0][0] != replaceMark && p[0][0] != keepMark {
		return button{}, false
	}
	asker, err1 := strconv.ParseInt(p[0][1:], base, 64)
	turn, err2 := strconv.ParseInt(p[1], base, 32)
	thread, err3 := strconv.ParseInt(p[2], base, 32)
	return button{p[0][0] == replaceMark, asker, int(turn), int(thread), p[3]}, err1 == nil && err2 == nil && err3 == nil
}

// The library's own keyboard puts an empty copy_text into every button, which
// the Bot API takes for a kind of button in some cases. These do not.
type keyboard struct {
	Rows [][]key `json:"inline_keyboard"`
}

type key struct {
	Text string `json:"text"`
	Data string `json:"callback_data,omitempty"`
	URL  string `json:"url,omitempty"`
}

// keys lays out choices in rows of one to three, and returns those that cannot
// be buttons.
func keys(choices []advisor.Choice, b button) (k *keyboard, left []advisor.Choice) {
	var rows [][]key
	share := 0 // how many the last row may hold
	for i, c := range choices {
		b.ref = c.Ref
		data, ok := b.data()
		label := oneLine(c.Label)
		if !ok || label == "" || i >= maxButtons {
			left = append(left, c)
			continue
		}
		share = min(share, shareOf(label))
		if n := len(rows); n == 0 || len(rows[n-1]) >= share {
			rows = append(rows, nil)
			share = shareOf(label)
		}
		rows[len(rows)-1] = append(rows[len(rows)-1], key{Text: label, Data: data})
	}
	if len(rows) == 0 {
		return nil, left
	}
	return &keyboard{rows}, left
}

// shareOf is how many buttons with such a label fit side by side on a phone.
func shareOf(label string) int {
	switch w := width(label); {
	case w <= 8:
		return 3
	case w <= 16:
		return 2
	}
	return 1
}

// width is about how many columns a text takes: two for Chinese and for emoji.
func width(s string) int {
	n := 0
	for _, r := range s {
		switch {
		case unicode.Is(unicode.M, r), r == '\u200d', r == '\u200b':
		case r >= 0x1100 && (unicode.In(r, unicode.Han, unicode.Hangul, unicode.Hiragana, unicode.Katakana) ||
			r >= 0x3000 && r <= 0x303F || r >= 0xFF00 && r <= 0xFF60 || r >= 0x1F300 && r <= 0x1FAFF):
			n += 2
		default:
			n++
		}
	}
	return n
}

func oneLine(s string) string { return strings.Join(strings.Fields(tame(s)), " ") }

// tame removes control characters other than newline and tab.
func tame(s string) string {
	return strings.Map(func(r rune) rune {
		if r != '\n' && r != '\t' && unicode.IsControl(r) {
			return -1
		}
		return r
	}, strings.ToValidUTF8(s, "\uFFFD"))
}
