package advisor

import (
	"cmp"
	"regexp"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"gpuadvisor/advisor/when"
)

// near.go finds the words that a phrase lists (see spellings) in a text, and the
// lengths of time that stand beside them: 停了 3 天, "keeps it for 10 days". The words
// are data; what advisor/when calls a length is one.

// lowered is a text in small letters; one whose length that changes stays as it is, so
// that places in the one are places in the other.
func lowered(said string) string {
	if low := strings.ToLower(said); len(low) == len(said) {
		return low
	}
	return said
}

// hears reports whether a text has one of the words of a phrase.
func (b *Rulebook) hears(said, key string) bool {
	low := lowered(said)
	return slices.ContainsFunc(b.spellings(key), func(w string) bool { return wordIn(low, w) >= 0 })
}

// stretch is a length of time with the words that say what it is the length of.
type stretch struct {
	start, end int // bytes
	d          time.Duration
	far        bool // longer than anything here lasts
}

// without is a text without the stretch.
func (s stretch) without(said string) string { return cutOut(said, s.start, s.end) }

// cutOut is a text without a part of it.
func cutOut(said string, from, to int) string { return said[:from] + " " + said[to:] }

// lengthBehind finds a length behind a word of a phrase, with at most gap characters
// and no figure between them.
func (b *Rulebook) lengthBehind(said, key string, gap int) (stretch, bool) {
	low := lowered(said)
	for _, l := range when.Lengths(said) {
		for _, word := range b.spellings(key) {
			at := lastWordIn(low[:l.Start], word)
			if at < 0 {
				continue
			}
			between := strings.TrimSpace(low[at+len(word) : l.Start])
			if utf8.RuneCountInString(between) <= gap && !strings.ContainsAny(between, "0123456789") {
				return stretch{at, l.End, l.D, l.Far}, true
			}
		}
	}
	return stretch{}, false
}

// lengthBefore finds a length right before a word of a phrase.
func (b *Rulebook) lengthBefore(said, key string) (stretch, bool) {
	low := lowered(said)
	for _, l := range when.Lengths(said) {
		if end, ok := b.begins(low, l.End, key); ok {
			return stretch{l.Start, end, l.D, l.Far}, true
		}
	}
	return stretch{}, false
}

// withoutFar is a text without the lengths of time that no rental lasts.
func withoutFar(said string) string {
	ls := when.Lengths(said)
	for _, l := range slices.Backward(ls) {
		if l.Far || l.D > longestKept {
			said = cutOut(said, l.Start, l.End)
		}
	}
	return said
}

// fromWord is a text from the first word of a phrase on, of several the one that the
// phrase lists first.
func (b *Rulebook) fromWord(said, key string) (string, bool) {
	low := lowered(said)
	for _, word := range b.spellings(key) {
		if at := wordIn(low, word); at >= 0 {
			return said[at:], true
		}
	}
	return "", false
}

// begins reports whether a text goes on at a place with a word of a phrase, and where
// that ends. The text is in small letters.
func (b *Rulebook) begins(low string, at int, key string) (end int, ok bool) {
	for at < len(low) && low[at] == ' ' {
		at++
	}
	for _, word := range b.spellings(key) {
		if end := at + len(word); strings.HasPrefix(low[at:], word) && (end == len(low) || !latin(low[end]) || !latin(word[len(word)-1])) {
			return end, true
		}
	}
	return at, false
}

// ends reports whether a text in small letters ends with a word of a phrase, and where
// that begins.
func (b *Rulebook) ends(low, key string) (at int, ok bool) {
	low = strings.TrimRight(low, " ")
	for _, word := range b.spellings(key) {
		if at := len(low) - len(word); strings.HasSuffix(low, word) && (at == 0 || !latin(low[at-1]) || !latin(word[0])) {
			return at, true
		}
	}
	return len(low), false
}

// lastWordIn is wordIn from the end.
func lastWordIn(line, word string) int {
	for end := len(line); ; {
		at := strings.LastIndex(line[:end], word)
		if at < 0 || wordIn(line[at:], word) == 0 && (at == 0 || !latin(line[at-1]) || !latin(word[0])) {
			return at
		}
		end = at + len(word) - 1
	}
}

// lengthOf reads a text that is a length of time and nothing else: 1h, "by half an
// hour", 再半小时.
func (b *Rulebook) lengthOf(said string) (time.Duration, bool) {
	said = strings.Trim(said, " .!。！")
	if end, ok := b.begins(lowered(said), 0, "remind.read.by"); ok {
		said = strings.TrimSpace(said[end:])
	}
	ls := when.Lengths(said)
	if len(ls) != 1 || ls[0].Start != 0 || ls[0].End != len(said) || ls[0].Far {
		return 0, false
	}
	return ls[0].D, true
}

// cutLeads takes several leads out of a request, the longest first: 提前1天、2小时和15分钟,
// "1 day and 2 hours before". One alone is read by advisor/when.
func (b *Rulebook) cutLeads(said string) (rest string, leads []time.Duration) {
	low := lowered(said)
	ls := when.Lengths(said)
	for i := 0; i < len(ls); {
		j := i + 1
		for j < len(ls) && b.links(low[ls[j-1].End:ls[j].Start]) {
			j++
		}
		from, ahead := b.ends(low[:ls[i].Start], "remind.read.ahead")
		to, before := b.begins(low, ls[j-1].End, "remind.read.before")
		if j-i < 2 || !ahead && !before {
			i = j
			continue
		}
		if !ahead {
			from = ls[i].Start
		}
		if !before {
			to = ls[j-1].End
		}
		for _, l := range ls[i:j] {
			if !slices.Contains(leads, l.D) {
				leads = append(leads, l.D)
			}
		}
		slices.SortFunc(leads, func(a, b time.Duration) int { return cmp.Compare(b, a) })
		return cutOut(said, from, to), leads
	}
	return said, nil
}

// links reports whether a piece of text does nothing but join two lengths.
func (b *Rulebook) links(between string) bool {
	rest := strings.Trim(between, " 、，,;；/&+")
	return strings.TrimSpace(between) != "" && (rest == "" || slices.Contains(b.spellings("remind.read.between"), rest) || slices.Contains(b.spellings("remind.read.ahead"), rest))
}

// spoken are patterns whose words are phrases.
type spoken struct {
	money   *regexp.Regexp // what would read as a time: 每小时 2.5 元, "$0.5/h"
	rate    *regexp.Regexp // 1.29 an hour
	place   *regexp.Regexp // "2", "#id", "第 2 个", with what follows
	several *regexp.Regexp // "1, 2 and 3"
	named   *regexp.Regexp // 名叫 zebra, "called zebra", 「zebra」
}

// learnPatterns compiles them once.
func (b *Rulebook) learnPatterns() {
	words := func(key string) string {
		var all []string
		for _, w := range b.spellings(key) {
			all = append(all, strings.ReplaceAll(regexp.QuoteMeta(w), " ", `\s+`))
		}
		return "(?:" + strings.Join(all, "|") + ")"
	}
	const amount, sign, stop = `[0-9]+(?:\.[0-9]+)?`, `[¥￥$]`, `(?:[^a-z]|$)`
	unit, hourly := words("release.read.money.unit"), words("release.read.money.hourly")+`\s*`+words("release.read.money.price")+`?\s*`
	each := `\s*(?:/|` + words("release.read.money.each") + `\s*)\s*(?:个)?\s*` + words("release.read.money.hour") + stop
	b.spoken.money = regexp.MustCompile(`(?i)` + strings.Join([]string{
		hourly + sign + `?\s*` + amount + `\s*` + unit,
		hourly + sign + `?\s*` + amount + `(?:\s|[,，。;；]|$)`,
		sign + `\s*` + amount + `\s*` + unit + `?` + each,
		amount + `\s*` + unit + each,
		`[0-9]+\.[0-9]+` + each, // without a currency only what cannot be a time of day
		words("release.read.money.balance") + `\s*(?:` + words("release.read.money.left") + `|:|：)?\s*` + sign + `?\s*` + amount + `\s*` + unit + `?`,
	}, "|"))
	b.spoken.place = regexp.MustCompile(`(?i)^\s*(?:` + words("remind.read.number") + `\s*)?(#\S+|[0-9]{1,3})(?:\s*` + words("remind.read.counted") + `)?(?:\s+(.*)|$)`)
	b.spoken.several = regexp.MustCompile(`(?i)^\s*[0-9]+(?:(?:[\s,，、&]|` + words("remind.read.between") + `)+[0-9]+)*\s*$`)
	b.spoken.rate = regexp.MustCompile(`(?i)(` + amount + `)` + each)
	b.spoken.named = regexp.MustCompile(`(?i)[“"「『]([^”"」』]{1,30})[”"」』]|` + words("release.read.named") + `\s*[:：]?\s*([^\s,，。;；“"「『]{1,30})`)
}
