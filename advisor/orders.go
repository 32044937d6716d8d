package advisor

import (
	"slices"
	"strings"

	"gpuadvisor/advisor/text"
)

// orders.go reads orders that have words of their own behind a command: "/remind
// cancel 2", 提醒 列表, "snooze reminder 2 for an hour". Which words those are is
// data: a phrase "remind.words.cancel" lists what may follow the command, a phrase
// "remind.says.cancel" what says it all by itself. Both hold in every language.

// orders are the words that may follow a command, the longest names first where
// one begins like another.
var orders = map[string][]string{
	"remind":  {"all", "list", "cancel", "snooze", "edit", "join", "pick", "zone", "stamp"},
	"release": {"show", "tick", "untick", "yes", "no", "go", "anyway", "later", "edit", "extend", "leads", "at", "plan", "drop", "billed", "unbilled", "save", "download", "open", "backup", "keep"},
}

// openEnded are orders that any text may follow: there is nothing else that it could
// mean.
var openEnded = map[string]bool{"release edit": true, "release extend": true}

// spellings lists what a phrase lists, in all languages, the longest first.
func (b *Rulebook) spellings(key string) []string {
	if out, ok := b.said[key]; ok {
		return out
	}
	return b.spell(key)
}

// learnOrders spells out once what every message is compared with.
func (b *Rulebook) learnOrders() {
	b.said = map[string][]string{}
	for key := range b.Phrases {
		if strings.HasPrefix(key, "remind.") || strings.HasPrefix(key, "release.") || strings.Contains(key, ".says") || strings.Contains(key, ".words.") || strings.HasSuffix(key, ".command") {
			b.said[key] = b.spell(key)
		}
	}
}

func (b *Rulebook) spell(key string) []string {
	var out []string
	for _, t := range b.Phrases[key] {
		for w := range strings.SplitSeq(t, ",") {
			if w = strings.ToLower(strings.TrimSpace(w)); w != "" {
				out = append(out, w)
			}
		}
	}
	slices.SortFunc(out, func(a, b string) int {
		if len(a) != len(b) {
			return len(b) - len(a)
		}
		return strings.Compare(a, b)
	})
	return slices.Clip(out)
}

// afterSlash is a text without the command at its beginning: "/remind@bot list".
func (b *Rulebook) afterSlash(command, said string) string {
	said = strings.TrimSpace(said)
	for _, word := range b.spellings(command + ".command") {
		rest, ok := cutFold(said, "/"+word)
		if !ok || rest != "" && latin(word[len(word)-1]) && latin(rest[0]) {
			continue
		}
		if strings.HasPrefix(rest, "@") {
			_, rest, _ = strings.Cut(rest, " ")
		}
		return strings.TrimSpace(rest)
	}
	return said
}

// orderOf reads which order a text gives, and what follows it; "" for none.
func (b *Rulebook) orderOf(command, said string) (way, arg string) {
	said = strings.Trim(said, " \t\n，。,.!！?？")
	if slices.Contains(b.spellings(command+".command"), strings.ToLower(said)) && command == "remind" {
		return "list", "" // the bare word
	}
	for _, text := range []string{said, b.afterCommand(command, said)} { // "release it" is whole, 释放 推迟一小时 is not
		if way, arg = b.saidAlone(command, text); way != "" {
			return way, arg
		}
		said = text
	}
	for _, w := range orders[command] {
		for _, word := range append(b.spellings(command+".words."+w), w) {
			if rest, ok := cutFold(said, word); ok && (b.ordered(rest) || b.putsOff(w, rest) || openEnded[command+" "+w] && strings.HasPrefix(rest, " ")) {
				return w, strings.TrimSpace(rest)
			}
		}
	}
	return "", ""
}

// afterCommand is a text without the bare word of a command at its beginning: 提醒 列表.
func (b *Rulebook) afterCommand(command, said string) string {
	for _, word := range b.spellings(command + ".command") {
		if rest, ok := cutFold(said, word+" "); ok {
			return strings.TrimSpace(rest)
		}
	}
	return said
}

// saidAlone reads an order of a command that is said without the command, and what
// follows it; "" for none.
func (b *Rulebook) saidAlone(command, said string) (way, arg string) {
	if end, ok := b.begins(lowered(said), 0, "order.filler"); ok { // "actually, it's released"
		said = strings.TrimLeft(said[end:], " ,，")
	}
	for _, w := range orders[command] {
		for _, phrase := range b.spellings(command + ".says." + w) {
			if rest, ok := cutFold(said, phrase); ok && b.saysAll(w, rest) {
				return w, strings.TrimSpace(rest)
			}
		}
	}
	return "", ""
}

// ordered reports whether what follows an order can belong to it: nothing, a
// number, an id. "取消订单明天提醒我" is no order to cancel.
func (b *Rulebook) ordered(rest string) bool {
	trimmed := strings.TrimLeft(rest, " 个:：")
	if trimmed == "" {
		return true
	}
	if latin(rest[0]) && !(rest[0] >= '0' && rest[0] <= '9') {
		return false // in the middle of a word
	}
	c := trimmed[0]
	return c == '#' || c >= '0' && c <= '9' || b.spoken.place.MatchString(trimmed) || slices.Contains(b.spellings("remind.all"), strings.ToLower(trimmed)) || strings.Contains(trimmed, "/") || trimmed == "UTC"
}

// saysAll reports whether an order said without its command is one, with what
// follows it. "推迟2天再租" puts off no reminder.
func (b *Rulebook) saysAll(way, rest string) bool {
	if way == "snooze" && strings.TrimSpace(rest) != "" {
		return b.putsOff(way, rest) || b.spoken.place.MatchString(rest)
	}
	return b.ordered(rest)
}

// putsOff reports whether what follows "snooze" is for how long, in words.
func (b *Rulebook) putsOff(way, rest string) bool {
	if way != "snooze" && way != "later" || rest == "" || latin(rest[0]) && !(rest[0] >= '0' && rest[0] <= '9') {
		return false
	}
	_, ok := b.lengthOf(rest)
	return ok
}

// saysOrder reports whether a text by itself gives an order of a command.
func (b *Rulebook) saysOrder(command, said string) bool {
	way, _ := b.saidAlone(command, strings.Trim(text.Normal(said).Text, " ,.!?~"))
	return way != ""
}

// releasesNamed reads "release the 4090" and "4090 已经释放了" as an order about the
// machine so named: show, go, or "" for none. Whoever says more than a name there
// describes a machine.
func (b *Rulebook) releasesNamed(said string) (way string) {
	said = strings.Trim(text.Normal(said).Text, " ,.!?~")
	for _, phrase := range b.spellings("release.says.named.go") {
		if rest, ok := strings.CutSuffix(said, phrase); ok && b.onlyName(rest) {
			return "go"
		}
	}
	for _, phrase := range b.spellings("release.says.named.show") {
		if rest, ok := cutFold(said, phrase); ok && b.onlyName(rest) {
			return "show"
		}
	}
	return ""
}

// onlyName reports whether a text names a card and says nothing else.
func (b *Rulebook) onlyName(said string) bool {
	said = strings.TrimSpace(said)
	if said == "" || len(strings.Fields(said)) > 3 || len([]rune(said)) > 20 {
		return false
	}
	facts := b.Read(said, Asked{Facts: &Facts{}}).Facts
	return len(facts.Said()) == 1 && len(facts.GPUNamed.Value) == 1
}

// cutFold is strings.CutPrefix without regard to case.
func cutFold(s, prefix string) (string, bool) {
	if len(s) >= len(prefix) && strings.EqualFold(s[:len(prefix)], prefix) {
		return s[len(prefix):], true
	}
	return s, false
}
