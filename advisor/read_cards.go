package advisor

import (
	"math"
	"slices"
	"strconv"
	"strings"

	"gpuadvisor/advisor/text"
)

// namedCards reads the cards, each with the memory and the count that are said
// of it. A card that is ruled out is kept as such.
func (e *ear) namedCards() {
	var list []Named
	weak := e.weakCards()
	for i := range e.toks {
		t := &e.toks[i]
		label := t.sense(kindLabel)
		if label == "" || e.countsThings(i) || t.weak && !t.not && weak {
			continue
		}
		named := e.named(i, label)
		list = addNamed(list, named)
		for _, gb := range e.otherMemories(i, named) {
			also := named
			also.As, also.GB, also.N = baseOf(named.As)+"-"+gb+"G", parse(gb), 0
			also.Card = e.cardOf(also.As)
			list = addNamed(list, also)
		}
	}
	list = e.unknownCards(list)
	if len(list) == 0 {
		return
	}
	if !slices.ContainsFunc(list, func(n Named) bool { return !n.Not }) {
		list = e.without(list)
	}
	say(&e.r.Facts.GPUNamed, list)
	switch domestic := e.domesticCards(list); {
	case domestic, e.known.Domestic.Value:
		say(&e.r.Facts.Domestic, domestic)
	case e.cardsChosen() > 0:
		e.r.Facts.Forget("domestic") // 4090 或国产卡
	}
}

// domesticCards reports whether every card that is wanted is a domestic one.
func (e *ear) domesticCards(list []Named) bool {
	wanted := 0
	for _, n := range list {
		if n.Not {
			continue
		}
		wanted++
		if !slices.ContainsFunc(e.book.Cards, func(c Card) bool {
			return c.Class == "domestic" && (c.ID == n.Card || n.Card == "" && c.board() == baseOf(n.As))
		}) {
			return false
		}
	}
	return wanted > 0
}

// weakCards reports whether a card is named that replaces the ones before a
// correction.
func (e *ear) weakCards() bool {
	return slices.ContainsFunc(e.toks, func(t token) bool { return t.sense(kindLabel) != "" && !t.weak && !t.not })
}

// without keeps the cards that the conversation knows, except those that are
// ruled out now.
func (e *ear) without(out []Named) []Named {
	list := slices.Clone(out)
	for _, old := range e.known.GPUNamed.Value {
		gone := slices.ContainsFunc(out, func(n Named) bool { return baseOf(n.As) == baseOf(old.As) })
		if !gone {
			list = append(list, old)
		}
	}
	return list
}

// addNamed adds a card once; a later mention adds its count or its memory.
func addNamed(list []Named, n Named) []Named {
	for i := range list {
		old := &list[i]
		switch {
		case old.As == n.As, old.GB != 0 && n.GB == 0 && baseOf(old.As) == n.As:
			old.N = max(old.N, n.N)
			old.Not = old.Not && n.Not
			return list
		case old.GB == 0 && n.GB != 0 && baseOf(n.As) == old.As:
			n.N = max(old.N, n.N)
			*old = n
			return list
		}
	}
	return append(list, n)
}

// countsThings guards bare numbers that look like a card: 2070 张图, 1650 images.
func (e *ear) countsThings(i int) bool {
	t := &e.toks[i]
	if c := e.s[t.start]; c < '0' || c > '9' {
		return false
	}
	if hasAnyPrefix(e.after(i), "年付", "年租", "年价") {
		return false // a card paid by the year
	}
	return hasAnyPrefix(e.after(i), "张图", "张照", "条", "images", "rows", "元", "块钱", "px", "tokens", "steps", "samples", "docs", "mb", "年", "万", "人", "users")
}

// named is the card at token i.
func (e *ear) named(i int, label string) Named {
	n := Named{As: label, Not: e.toks[i].not}
	if _, gb, ok := strings.Cut(label, "-"); ok {
		n.GB = parse(strings.TrimSuffix(gb, "G"))
	} else if gb, ok := e.memoryOf(i, label); ok {
		n.As, n.GB = label+"-"+gb+"G", parse(gb)
	}
	n.Card = e.cardOf(n.As)
	if n.Card == "" || n.GB == 0 {
		n.Card = e.cardSaid(i, n)
	}
	n.N = e.countOf(i)
	return n
}

// memoryOf reads the memory behind a card's name: "A100 80GB", "H20 141",
// "4090 48G 魔改". A bare number counts if the catalogue has the card with it.
func (e *ear) memoryOf(i int, base string) (gb string, ok bool) {
	j := e.next(i)
	if j < 0 {
		return e.memoryBefore(i, base)
	}
	q := e.toks[j].q
	if q == nil || q.Vague || q.Lo != q.Hi || !e.touching(i, j) {
		return e.memoryBefore(i, base)
	}
	figure := strconv.FormatFloat(q.Lo, 'f', -1, 64)
	known := slices.Contains(e.memories(base), figure)
	switch {
	case q.Unit == text.GB && (known || q.Lo >= 4 && q.Lo <= mostOnCard && q.Lo == math.Trunc(q.Lo) && !e.near(j, "data")):
	case q.Unit == text.Bare && known && !q.Spelled:
	default:
		return e.memoryBefore(i, base)
	}
	e.toks[j].used = true
	return figure, true
}

// memoryBefore reads the memory before the name: "80G 的 A100", "48G 4090".
func (e *ear) memoryBefore(i int, base string) (gb string, ok bool) {
	j := e.prev(i)
	if j < 0 || !e.toks[j].unit(text.GB) || !e.touching(j, i) {
		return "", false
	}
	q := e.toks[j].q
	figure := strconv.FormatFloat(q.Lo, 'f', -1, 64)
	if q.Lo != q.Hi || !slices.Contains(e.memories(base), figure) {
		return "", false
	}
	e.toks[j].used = true
	return figure, true
}

// otherMemories reads further memories of the same card: "A100 40 vs 80".
func (e *ear) otherMemories(i int, n Named) []string {
	if n.GB == 0 {
		return nil
	}
	var more []string
	known := e.memories(baseOf(n.As))
	for j := i + 1; j < len(e.toks) && e.toks[j].clause == e.toks[i].clause; j++ {
		t := &e.toks[j]
		if t.q == nil {
			if t.sense(kindLabel) != "" {
				break
			}
			continue
		}
		figure := strconv.FormatFloat(t.q.Lo, 'f', -1, 64)
		if t.used || t.start-e.toks[i].end > 20 {
			continue
		}
		if (t.q.Unit == text.GB || t.q.Unit == text.Bare) && parse(figure) != n.GB && slices.Contains(known, figure) {
			t.used = true
			more = append(more, figure)
		}
	}
	return more
}

// memories lists the memories with which the catalogue has a card.
func (e *ear) memories(base string) []string {
	var list []string
	for i := range e.book.Cards {
		if b, gb := splitLabel(&e.book.Cards[i]); b == base && gb != "" {
			list = append(list, gb)
		}
	}
	return list
}

// cardOf returns the catalogue's card with a label; without memory only if all
// its boards have the same.
func (e *ear) cardOf(as string) string {
	found, memory := "", ""
	for i := range e.book.Cards {
		c := &e.book.Cards[i]
		base, gb := splitLabel(c)
		if c.Label == as {
			return c.ID
		}
		if base == as {
			if found != "" && memory != gb {
				return ""
			}
			if found == "" {
				found, memory = c.ID, gb
			}
		}
	}
	return found
}

// cardSaid returns the card whose catalogue name was typed, if it is one of
// that label.
func (e *ear) cardSaid(i int, n Named) string {
	if n.Card != "" && n.GB == 0 {
		return n.Card
	}
	for _, s := range e.toks[i].senses {
		if s.Kind != kindCard {
			continue
		}
		if c := e.book.cards[s.ID]; c != nil && (n.GB == 0 || c.Label == n.As) {
			return s.ID
		}
	}
	return n.Card
}

func baseOf(label string) string {
	base, _, _ := strings.Cut(label, "-")
	return base
}

func parse(figure string) float64 {
	v, _ := strconv.ParseFloat(figure, 64)
	return v
}

// unknownCards adds cards that only their brand gives away: GTX 1060, Tesla K80.
func (e *ear) unknownCards(list []Named) []Named {
	for _, brand := range []string{"rtx", "gtx", "tesla", "quadro", "radeon"} {
		for from := 0; ; {
			i := strings.Index(e.s[from:], brand)
			if i < 0 {
				break
			}
			i += from
			from = i + len(brand)
			rest := strings.TrimLeft(e.s[from:], " -")
			n := 0
			for n < len(rest) && alnum(rest[n]) {
				n++
			}
			at := len(e.s) - len(rest)
			if n < 2 || n > 8 || !strings.ContainsAny(rest[:n], "0123456789") || e.covered(at) {
				continue
			}
			prefix := strings.ToUpper(brand)
			if brand == "tesla" {
				prefix = ""
			}
			list = addNamed(list, Named{As: prefix + strings.ToUpper(rest[:n])})
		}
	}
	return list
}

// covered reports whether a known card stands at byte i.
func (e *ear) covered(i int) bool {
	return slices.ContainsFunc(e.toks, func(t token) bool { return t.sense(kindLabel) != "" && t.start <= i && t.end > i })
}
