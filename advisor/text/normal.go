package text

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Line is a text in the form that everything else reads.
type Line struct {
	Raw  string  // as written
	Text string  // normal form
	at   []int32 // for each byte of Text, the byte of Raw that it came from; one more for the end
}

// Original returns what was written where Text[start:end] stands now.
func (l Line) Original(start, end int) string {
	return l.Raw[l.at[start]:l.at[end]]
}

// Normal brings raw into normal form. Full-width signs become half-width,
// letters lower case, traditional characters simplified, Chinese marks their
// ASCII cousins; marks that cannot be seen go. Spoken digits and numerals that
// lean on a Latin unit become digits (七B, A一百), and so does the letter O in
// a mistyped number (3O9O).
func Normal(raw string) Line {
	l := Line{Raw: raw, at: make([]int32, 0, len(raw)+1)}
	l.read()
	return l
}

// normal is the text of [Normal] alone, without the way back.
func normal(raw string) string {
	l := Line{Raw: raw}
	l.read()
	return l.Text
}

// read fills Text, and at where it is wanted.
func (l *Line) read() {
	raw := l.Raw
	var b strings.Builder
	b.Grow(len(raw))
	plain := true
	for i, r := range raw {
		n := b.Len()
		writeNormal(&b, r)
		plain = plain && r < utf8.RuneSelf
		for ; l.at != nil && n < b.Len(); n++ {
			l.at = append(l.at, int32(i))
		}
	}
	l.Text = b.String()
	if l.at != nil {
		l.at = append(l.at, int32(len(raw)))
	}
	if !plain {
		l.digitsForNumerals()
	}
	l.zerosForO()
}

func writeNormal(b *strings.Builder, r rune) {
	switch {
	case r < utf8.RuneSelf:
		writeASCII(b, byte(r))
	case r >= 0x4E00 && r <= 0x9FFF:
		if s, ok := simplified[r]; ok {
			r = s
		}
		b.WriteRune(r)
	case r >= 0xFF01 && r <= 0xFF5E: // full width
		writeASCII(b, byte(r-0xFEE0))
	case r >= '①' && r <= '⑨':
		b.WriteByte(byte('1' + r - '①'))
	default:
		if s, ok := marks[r]; ok {
			b.WriteString(s)
		} else if !unicode.In(r, unicode.Cf, unicode.Mn, unicode.Me) {
			b.WriteRune(unicode.ToLower(r))
		}
	}
}

func writeASCII(b *strings.Builder, c byte) {
	switch {
	case c >= 'A' && c <= 'Z':
		c += 'a' - 'A'
	case c < ' ' && c != '\n', c == 0x7F:
		c = ' '
	}
	b.WriteByte(c)
}

// marks are signs with an ASCII cousin. A full stop becomes a semicolon, which
// cannot be taken for a decimal point; 、 joins like a slash.
var marks = map[rune]string{
	'\u3000': " ", '\u00a0': " ", '\u2002': " ", '\u2003': " ", '\u2009': " ", '\u202f': " ",
	'。': ";", '、': "/", '…': ".", '·': " ", '•': " ",
	'“': `"`, '”': `"`, '„': `"`, '「': `"`, '」': `"`, '『': `"`, '』': `"`, '《': `"`, '》': `"`,
	'‘': "'", '’': "'", '【': "[", '】': "]", '〔': "[", '〕': "]",
	'–': "-", '—': "-", '−': "-", '‐': "-", '‑': "-", '〜': "~", '∼': "~", '→': ">",
	'×': "x", '✕': "x", '✖': "x", '￥': "¥", '½': "0.5", '≤': "<=", '≥': ">=", '≈': "~",
	'\uFE0F': "", '\u20E3': "",
}

// digitsForNumerals rewrites Chinese numerals that are a digit string
// (四零九零), stand before a Latin unit (七b) or after the one letter of a
// card's name (a一百).
func (l *Line) digitsForNumerals() {
	s := l.Text
	var b strings.Builder
	var at []int32
	done := 0
	for i := 0; i < len(s); {
		if s[i] < utf8.RuneSelf {
			i++
			continue
		}
		end := numeralEnd(s, i)
		if end == i {
			_, n := utf8.DecodeRuneInString(s[i:])
			i += n
			continue
		}
		digits := ""
		if n := plainDigits(s[i:end]); n > 0 { // 四零九零(两)
			digits, end = digitString(s[i:i+n]), i+n
		} else {
			digits = spokenDigits(s, i, end)
		}
		if digits != "" {
			b.WriteString(s[done:i])
			b.WriteString(digits)
			if l.at != nil {
				at = append(at, l.at[done:i]...)
				at = append(at, slices.Repeat(l.at[i:i+1], len(digits))...)
			}
			done = end
		}
		i = end
	}
	if done == 0 {
		return
	}
	b.WriteString(s[done:])
	if l.at != nil {
		l.at = append(at, l.at[done:]...)
	}
	l.Text = b.String()
}

// spokenDigits returns the digits for the numeral s[i:end], or "" when it
// should stay as it is.
func spokenDigits(s string, i, end int) string {
	before := i > 0 && isLetter(s[i-1]) && (i == 1 || !isWord(s[i-2])) && strings.IndexByte(cardLetters, s[i-1]) >= 0
	if !before && !latinUnitAt(s, end) {
		return ""
	}
	n := numeral(s[i:end])
	if !n.ok || n.vague || n.lo != n.hi || before && n.lo < 4 {
		return ""
	}
	return shortFloat(n.lo)
}

// plainDigits returns the length of the digit string that a numeral begins with,
// or 0 when it begins with none.
func plainDigits(numeral string) int {
	for i, r := range numeral {
		if _, digit := numeralDigits[r]; digit && r != '两' && r != '俩' && r != '仨' {
			continue
		}
		if _, tens := numeralTens[r]; tens || r == '点' || digitString(numeral[:i]) == "" {
			return 0
		}
		return i
	}
	if digitString(numeral) == "" {
		return 0
	}
	return len(numeral)
}

// cardLetters start the names of cards that consist of a letter and a number.
const cardLetters = "ahvltpb"

// latinUnitAt reports whether a unit such as b, gb or tb starts at i, maybe
// after a space.
func latinUnitAt(s string, i int) bool {
	if i < len(s) && s[i] == ' ' {
		i++
	}
	j := i
	for j < len(s) && isLetter(s[j]) {
		j++
	}
	switch s[i:j] {
	case "b", "g", "gb", "t", "tb", "k", "m", "mb", "h":
		return j == len(s) || !isWord(s[j])
	}
	return false
}

// zerosForO mends numbers typed with the letter o, such as 3o9o and a1oo: four
// signs, at most one other letter in front.
func (l *Line) zerosForO() {
	s := l.Text
	if strings.IndexByte(s, 'o') < 0 {
		return
	}
	var mended []byte
	for i := 0; i < len(s); {
		if !isWord(s[i]) {
			i++
			continue
		}
		j := i
		for j < len(s) && isWord(s[j]) {
			j++
		}
		if typedZero(s[i:j]) {
			if mended == nil {
				mended = []byte(s)
			}
			for k := i; k < j; k++ {
				if s[k] == 'o' {
					mended[k] = '0'
				}
			}
		}
		i = j
	}
	if mended != nil {
		l.Text = string(mended)
	}
}

func typedZero(word string) bool {
	if len(word) != 4 {
		return false
	}
	rest := word
	if isLetter(word[0]) && word[0] != 'o' {
		rest = word[1:]
	}
	digits, os := 0, 0
	for i := range len(rest) {
		switch {
		case isDigit(rest[i]):
			digits++
		case rest[i] == 'o':
			os++
		default:
			return false
		}
	}
	return os > 0 && isDigit(rest[0]) && (digits >= 2 || len(rest) == 3 && digits >= 1)
}

func isDigit(c byte) bool  { return c >= '0' && c <= '9' }
func isLetter(c byte) bool { return c >= 'a' && c <= 'z' }
func isWord(c byte) bool   { return isDigit(c) || isLetter(c) }

// With returns the line with word in place of Text[start:end].
func (l Line) With(start, end int, word string) Line {
	from := slices.Repeat(l.at[start:start+1], len(word))
	l.Text = l.Text[:start] + word + l.Text[end:]
	l.at = slices.Concat(l.at[:start], from, l.at[end:])
	return l
}
