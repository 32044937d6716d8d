package adapters

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// split.go cuts long texts for platforms that limit the length of a message.
// Its promises:
//
//   - the pieces, joined, are the text;
//   - no piece is empty, and none is longer than the limit, unless a single
//     character (or HTML entity) already is;
//   - a cut is made between paragraphs where possible, else between lines,
//     sentences, words, characters, in this order; never inside a character,
//     so never inside a UTF-16 pair, between a letter and its accents, inside
//     an emoji that is made of several, or inside an entity such as "&amp;".

// Split cuts text into pieces of at most limit units. A limit of 0 or less
// means none. An empty text has no pieces. Bytes that are not UTF-8 count and
// travel as they are.
func Split(text string, limit int, unit Unit) []string {
	var pieces []string
	for text != "" {
		n := len(text)
		if limit > 0 {
			n = cut(text, limit, unit)
		}
		pieces = append(pieces, text[:n])
		text = text[n:]
	}
	return pieces
}

// Length is how long a text is in unit.
func Length(text string, unit Unit) int {
	switch unit {
	case Bytes:
		return len(text)
	case UTF16:
		n := 0
		for _, r := range text {
			n += units(r, 0, unit)
		}
		return n
	}
	return utf8.RuneCountInString(text)
}

// units is the length of one rune that takes size bytes.
func units(r rune, size int, unit Unit) int {
	switch {
	case unit == Bytes:
		return size
	case unit == UTF16 && r > 0xFFFF:
		return 2
	}
	return 1
}

// border is how good a place is for a cut; larger is better.
type border int

const (
	nowhere border = iota
	character
	word
	sentence
	line
	paragraph
	borders // how many there are
)

// cut returns how many bytes of text make the first piece: up to the last
// border of the best kind that leaves the piece at least a third full.
func cut(text string, limit int, unit Unit) int {
	var last, late [borders]int // last border of each kind: any, and in the last two thirds
	used, first := 0, 0
	var before [2]rune
	for i := 0; i < len(text); {
		r, size := utf8.DecodeRuneInString(text[i:])
		if i > 0 {
			if b := borderAt(text, i, before, r); b > nowhere {
				last[b] = i
				if used*3 >= limit {
					late[b] = i
				}
				if first == 0 {
					first = i
				}
			}
			if used+units(r, size, unit) > limit && first > 0 {
				return best(last, late)
			}
		}
		used += units(r, size, unit)
		before = [2]rune{before[1], r}
		i += size
	}
	return len(text)
}

func best(last, late [borders]int) int {
	for _, found := range [][borders]int{late, last} {
		for b := paragraph; b >= character; b-- {
			if found[b] > 0 {
				return found[b]
			}
		}
	}
	return 0 // not reached: the caller has seen a border
}

// borderAt tells what lies at byte i, between the runes before and r.
func borderAt(text string, i int, before [2]rune, r rune) border {
	switch {
	case joins(before[1], r), insideEntity(text, i), before[1] == '\r' && r == '\n':
		return nowhere
	case before[1] == '\n' && r == '\n':
		return character // the cut comes after the empty line
	case before == [2]rune{'\n', '\n'}:
		return paragraph
	case before[1] == '\n':
		return line
	case strings.ContainsRune("。！？；", before[1]), unicode.IsSpace(before[1]) && strings.ContainsRune(".!?;", before[0]):
		return sentence
	case unicode.IsSpace(before[1]), strings.ContainsRune("，、：", before[1]):
		return word
	}
	return character
}

// joins reports whether r belongs to the character that a begins: an accent,
// a variation, or one more piece of a composed emoji.
func joins(a, r rune) bool {
	const zeroWidthJoiner = '\u200d'
	switch {
	case a == zeroWidthJoiner, r == zeroWidthJoiner, unicode.Is(unicode.M, r):
		return true
	case r >= 0x1F3FB && r <= 0x1F3FF: // a skin tone
		return true
	}
	return flag(a) && flag(r)
}

// flag reports whether r is half of a flag. A row of flags is kept whole.
func flag(r rune) bool { return r >= 0x1F1E6 && r <= 0x1F1FF }

// longestEntity is how far we look for the end of one: "&#x10FFFF;".
const longestEntity = 10 // bytes

// insideEntity reports whether byte i lies inside "&name;" or "&#123;".
func insideEntity(text string, i int) bool {
	start := strings.LastIndexByte(text[max(0, i-longestEntity):i], '&')
	if start < 0 {
		return false
	}
	start += max(0, i-longestEntity)
	rest := text[start+1 : min(len(text), start+longestEntity)]
	end := strings.IndexByte(rest, ';')
	if end < 1 || start+1+end < i {
		return false
	}
	for k := range end {
		if c := rest[k]; c != '#' && (c < '0' || c > '9') && (c|0x20 < 'a' || c|0x20 > 'z') {
			return false
		}
	}
	return true
}
