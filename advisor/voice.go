package advisor

import (
	"fmt"
	"math"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// The voice of the product: short and concrete; a number never without its
// unit; no vendor ranked or praised; what we do not know is said. Sentences
// live in rules/words/<lang>.yaml with {placeholders}; this file fills them.

// say returns the phrase with its placeholders filled from name, value pairs.
// A phrase that is missing shows its key: check and a test refuse that.
func (b *Rulebook) say(lang, key string, pairs ...any) string {
	p, ok := b.Phrases[key]
	if !ok {
		return key
	}
	return fill(p.In(lang), lang, pairs)
}

// enumerated is an entry of a list with its number, which answers it: every list is numbered
// like this.
func enumerated(n int, text string) string { return strconv.Itoa(n) + ". " + text }

// enumeratedLabel is an entry of a list on a button.
func enumeratedLabel(n int, text string, longest int) string {
	return firstRunes(strconv.Itoa(n)+" · "+text, longest)
}

// has reports whether there is such a phrase.
func (b *Rulebook) has(key string) bool { _, ok := b.Phrases[key]; return ok }

func fill(s, lang string, pairs []any) string {
	if !strings.Contains(s, "{") {
		return s
	}
	out := ""
	for {
		i := strings.IndexByte(s, '{')
		j := strings.IndexByte(s, '}')
		if i < 0 || j < i {
			return joinWords(out, s)
		}
		out = joinWords(joinWords(out, s[:i]), lookup(s[i+1:j], lang, pairs))
		s = s[j+1:]
	}
}

// joinWords puts two pieces of a sentence together as Chinese is set: a space
// between a Chinese and a Latin character or a digit, none between two Chinese
// ones. English is left as it is.
func joinWords(a, b string) string {
	if a == "" || b == "" {
		return a + b
	}
	left, right := strings.TrimSuffix(a, " "), strings.TrimPrefix(b, " ")
	last, _ := utf8.DecodeLastRuneInString(left)
	first, _ := utf8.DecodeRuneInString(right)
	spaced := len(left)+len(right) < len(a)+len(b)
	switch before, after := unicode.Is(unicode.Han, last), unicode.Is(unicode.Han, first); {
	case before && after && spaced:
		return left + right
	case (before && isWordByte(first) || after && isWordByte(last)) && !spaced:
		return a + " " + b
	}
	return a + b
}

// isWordByte reports whether r is a Latin letter or a digit.
func isWordByte(r rune) bool {
	return r < utf8.RuneSelf && (unicode.IsLetter(r) || unicode.IsDigit(r))
}

func lookup(name, lang string, pairs []any) string {
	for i := 0; i+1 < len(pairs); i += 2 {
		if pairs[i] == name {
			return spell(pairs[i+1], lang)
		}
	}
	return "{" + name + "}"
}

func spell(v any, lang string) string {
	switch v := v.(type) {
	case string:
		return v
	case float64:
		return number(v)
	case int:
		return strconv.Itoa(v)
	case Text:
		return v.In(lang)
	}
	return fmt.Sprint(v)
}

// number writes a quantity the way people do: 20.1, 1500, 0.65, never 1e+06.
func number(v float64) string {
	switch a := math.Abs(v); {
	case math.IsNaN(v) || math.IsInf(v, 0) || a >= 1e15: // no quantity of ours
		return "?"
	case a >= 100 || a == math.Trunc(a):
		return strconv.FormatFloat(math.Round(v), 'f', 0, 64)
	case a >= 10:
		return trim(strconv.FormatFloat(v, 'f', 1, 64))
	default:
		return trim(strconv.FormatFloat(v, 'f', 2, 64))
	}
}

func trim(s string) string {
	return strings.TrimSuffix(strings.TrimRight(s, "0"), ".")
}

// span writes a range: "48–72", or one number.
func span(r Range) string {
	if r.Single() {
		return number(r.Lo)
	}
	return number(r.Lo) + "–" + number(r.Hi)
}

// hours writes a length of time in the largest unit that stays readable.
func (b *Rulebook) hours(lang string, r Range) string {
	unit, per := "hours", 1.0
	switch {
	case r.Lo >= 720 && whole(r, 720):
		unit, per = "months", 720
	case r.Lo >= 168 && whole(r, 168):
		unit, per = "weeks", 168
	case r.Lo >= 24 && whole(r, 12):
		unit, per = "days", 24
	case r.Hi < 1:
		unit, per = "minutes", 1.0/60
	}
	scaled := Range{r.Lo / per, r.Hi / per}
	if scaled == One(1) {
		unit = strings.TrimSuffix(unit, "s")
	}
	return b.say(lang, "unit."+unit, "n", span(scaled))
}

func whole(r Range, per float64) bool {
	return math.Mod(r.Lo, per) == 0 && math.Mod(r.Hi, per) == 0
}

// list joins words in the manner of the language.
func (b *Rulebook) list(lang string, words []string) string {
	return strings.Join(words, b.say(lang, "join.list"))
}

// isHan reports whether a text holds any Chinese character.
func isHan(s string) bool {
	return strings.IndexFunc(s, func(r rune) bool { return unicode.Is(unicode.Han, r) }) >= 0
}

// language decides in which language to answer: an explicit wish first, then
// Chinese when there is any, then what the conversation speaks, unless the
// message is clearly an English sentence.
func language(m Message, c Conversation) string {
	switch {
	case isHan(m.Text):
		return "zh"
	case englishWords(m.Text) >= 3 || c.Lang == "" && englishWords(m.Text) >= 1:
		return "en"
	case c.Lang != "":
		return c.Lang
	case m.Lang != "":
		return m.Lang
	}
	return "en"
}

// englishWords counts words of small letters only, which card and model names
// rarely are.
func englishWords(s string) int {
	n := 0
	for _, w := range strings.FieldsFunc(s, func(r rune) bool { return !unicode.IsLetter(r) && r != '\'' && !unicode.IsDigit(r) }) {
		if len(w) >= 2 && strings.IndexFunc(w, func(r rune) bool { return r < 'a' || r > 'z' }) < 0 {
			n++
		}
	}
	return n
}
