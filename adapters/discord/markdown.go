package discord

import (
	"strings"
	"unicode"

	"gpuadvisor/adapters"
)

// markdown.go writes texts so that Discord shows them as they are: nobody's
// asterisk turns bold, nobody's <@id> becomes a mention.
// https://docs.discord.com/developers/reference#message-formatting

// tame removes what no text needs and a client may stumble over: control
// characters. Newline and tab stay.
func tame(s string) string {
	s = strings.ToValidUTF8(strings.ReplaceAll(s, "\r\n", "\n"), "\uFFFD")
	return strings.Map(func(r rune) rune {
		if r != '\n' && r != '\t' && unicode.IsControl(r) {
			return -1
		}
		return r
	}, s)
}

// escape makes a text that reads as s. Addresses stay as they are, lest they
// stop being links.
func escape(s string) string {
	s = tame(s)
	var b strings.Builder
	for i := 0; i < len(s); {
		if n := link(s[i:]); n > 0 {
			b.WriteString(s[i : i+n])
			i += n
			continue
		}
		c := s[i]
		if strings.IndexByte("\\*_~`|[]<", c) >= 0 || lineMark(s, i) {
			b.WriteByte('\\')
		}
		b.WriteByte(c)
		i++
	}
	return b.String()
}

// lineMark reports whether the character at i would make its line a heading, a
// quotation or a footnote, if a line began there. It may, where text is cut.
func lineMark(s string, i int) bool {
	if i > 0 && s[i-1] != ' ' && s[i-1] != '\n' {
		return false
	}
	return s[i] == '#' || s[i] == '>' || strings.HasPrefix(s[i:], "-#")
}

// link is how long the web address is that s begins with, else 0.
func link(s string) int {
	if !strings.HasPrefix(s, "https://") && !strings.HasPrefix(s, "http://") {
		return 0
	}
	end := strings.IndexFunc(s, func(r rune) bool {
		return r > unicode.MaxASCII || unicode.IsSpace(r) || strings.ContainsRune("<>\"'`|\\*()[]", r)
	})
	if end < 0 {
		return len(s)
	}
	return end
}

// cut splits an escaped text at limit, never between a backslash and what it
// escapes.
func cut(s string, limit int) []string {
	pieces := adapters.Split(s, limit-1, adapters.UTF16)
	for i := range len(pieces) - 1 {
		p := pieces[i]
		if slashes := len(p) - len(strings.TrimRight(p, `\`)); slashes%2 == 1 {
			pieces[i], pieces[i+1] = p[:len(p)-1], `\`+pieces[i+1]
		}
	}
	return pieces
}

// fence shows code as it is. Fences inside it are broken up by a character of
// no width.
func fence(code string, limit int) []string {
	code = strings.ReplaceAll(tame(code), "```", "`\u200b`\u200b`")
	var pieces []string
	for _, p := range adapters.Split(strings.Trim(code, "\n"), limit-len("```\n\n```"), adapters.UTF16) {
		if p = strings.TrimRight(p, "\n"); p != "" {
			pieces = append(pieces, "```\n"+p+"\n```")
		}
	}
	return pieces
}

// length is what Discord may count at most.
func length(s string) int { return adapters.Length(s, adapters.UTF16) }

// short cuts a text that must fit one line of so many characters.
func short(s string, limit int) string {
	s = strings.Join(strings.Fields(tame(s)), " ")
	if length(s) <= limit {
		return s
	}
	return strings.TrimSpace(adapters.Split(s, limit-1, adapters.UTF16)[0]) + "…"
}

// width is how many columns a text takes where all characters are as wide as
// an x or twice that.
func width(s string) int {
	n := 0
	for _, r := range s {
		switch {
		case unicode.Is(unicode.M, r), unicode.Is(unicode.Cf, r):
		case unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Hangul),
			r >= 0x3000 && r <= 0x303F, r >= 0xFF01 && r <= 0xFF60, r >= 0x1F300 && r <= 0x1FAFF:
			n += 2
		default:
			n++
		}
	}
	return n
}
