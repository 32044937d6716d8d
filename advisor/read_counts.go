package advisor

import (
	"math"
	"slices"
	"strconv"
	"strings"

	"gpuadvisor/advisor/text"
)

// counts reads how many cards. Counts that are said of different cards, as in
// "2x3090 or 1x4090", are alternatives and fill nothing.
func (e *ear) counts() {
	machines := e.machines()
	var found *Count
	rank := 0
	for i := range e.toks {
		t := &e.toks[i]
		if !t.live() || t.used && t.q != nil {
			continue
		}
		c, strength := e.cardCount(i)
		if strength == 0 {
			continue
		}
		strength *= 2
		if t.weak {
			strength--
		}
		if t.q != nil {
			t.used = true
			c = e.oneMore(i, c)
		}
		if strength > rank || strength == rank && e.changed {
			found, rank = &c, strength
		}
	}
	if e.replacesOwn() {
		return
	}
	if found == nil {
		found = e.countOfOnly()
	}
	if found == nil || rank <= 4 && e.alternatives() {
		return
	}
	all := withMachines(*found, machines)
	say(&e.r.Facts.GPUs, all)
	if list := e.r.Facts.GPUNamed.Value; len(list) == 1 && list[0].N > 0 && list[0].N < all.Most() {
		list[0].N = all.Most() // 四台 8 卡 H800
	}
}

// replacesOwn reports whether the cards of the text are those that somebody has
// and that are to be replaced: 手头有张2080Ti … 租个啥.
func (e *ear) replacesOwn() bool {
	if !e.cues["own"] || !e.cues["howmany"] {
		return false
	}
	own := false
	for i := range e.toks {
		t := &e.toks[i]
		switch {
		case t.unit(text.Cards) && !e.before(i, "own"), t.sense("gpus") != "":
			return false
		case t.sense(kindLabel) == "" || t.not:
		case e.nearOwn(i):
			own = true
		default:
			return false
		}
	}
	return own
}

// nearOwn reports whether the card at token i is said to be somebody's own.
func (e *ear) nearOwn(i int) bool {
	if j := e.prev(i); j >= 0 && e.toks[j].q != nil && e.touching(j, i) {
		i = j
	}
	return e.near(i, "own")
}

// oneMore adds cards to the known ones where the text says so: 再加一张.
func (e *ear) oneMore(i int, c Count) Count {
	head := strings.TrimRight(e.s[:e.toks[i].start], " ")
	if !e.talking() || !slices.ContainsFunc([]string{"再加", "多加", "再来", "再多", "add", "plus", "another"}, func(w string) bool { return strings.HasSuffix(head, w) }) {
		return c
	}
	have := 1
	if k := e.known.GPUs; k.IsSaid() {
		have = max(1, k.Value.Most())
	} else if named := e.known.GPUNamed.Value; len(named) == 1 {
		have = max(1, named[0].N)
	}
	return Cards(have + c.Most())
}

// countOfOnly is the count that was said with the only card: 双4090.
func (e *ear) countOfOnly() *Count {
	var only *Count
	for _, n := range e.r.Facts.GPUNamed.Value {
		if n.Not {
			continue
		}
		if only != nil || n.N == 0 {
			return nil
		}
		c := Cards(n.N)
		only = &c
	}
	return only
}

// cardCount reads token i as a number of cards; strength orders the ways of
// saying it: 0 is none, 3 surely, 2 as said of a card.
func (e *ear) cardCount(i int) (Count, int) {
	t := &e.toks[i]
	if word := t.sense("gpus"); word != "" {
		if n, err := strconv.Atoi(word); err == nil {
			return Cards(n), e.strengthAt(i)
		}
		c := Count{Word: word}
		if word == "multi" {
			return c, 1 // any number says more
		}
		c.Range = One(1)
		return c, e.strengthAt(i)
	}
	q := t.q
	if q == nil || q.Vague || q.Lo < 1 || q.Hi > 100000 || q.Per != 0 || q.Lo != math.Trunc(q.Lo) {
		return Count{}, 0
	}
	c := Count{Range: Range{q.Lo, q.Hi}}
	switch q.Unit {
	case text.Cards:
		return c, e.strengthAt(i)
	case text.Sheets, text.Blocks, text.Pieces:
		if e.isCardCount(i) {
			return c, e.strengthAt(i)
		}
	case text.Times, text.Bare, text.Streams:
		if e.ofCard(i) || e.before(i, "count") || e.ofSizedCards(i) {
			return c, e.strengthAt(i)
		}
		if q.Unit == text.Times && q.Before && q.Hi <= 64 && e.endsClause(i) && e.language() {
			return c, 1 // "qwen2.5-7b lora 4k x2"
		}
	}
	return Count{}, 0
}

// ofSizedCards reports whether token i counts cards that are called by their
// memory: "two 24gb cards", "4x 80GB GPUs".
func (e *ear) ofSizedCards(i int) bool {
	j := e.next(i)
	return j >= 0 && e.toks[j].unit(text.GB) && e.touching(i, j) && e.toks[i].q.Hi <= 64 &&
		hasAnyPrefix(e.after(j), "card", "gpu", "board", "卡", "显卡", "nvidia", "vram card", "的卡", "的显卡")
}

// strengthAt is 2 for a count that belongs to one of several cards and 3 for
// any other.
func (e *ear) strengthAt(i int) int {
	if e.cardsChosen() > 1 && e.ofCard(i) {
		return 2
	}
	return 3
}

// ofCard reports whether token i counts the card beside it.
func (e *ear) ofCard(i int) bool {
	before := e.prev(i)
	if before >= 0 && e.toks[before].q != nil && e.toks[before].q.Unit == text.GB {
		before = e.prev(before)
	}
	for _, j := range []int{e.next(i), before} {
		if j >= 0 && e.toks[j].sense(kindLabel) != "" && e.countOf(j) > 0 {
			if q := e.toks[i].q; q == nil || float64(e.countOf(j)) == q.Lo {
				return true
			}
		}
		if j >= 0 && e.toks[j].sense(kindLabel) != "" && e.toks[i].q == nil && e.touching(min(i, j), max(i, j)) {
			return true
		}
	}
	return false
}

// countOf reads how many of the card at token i are said with it: 两张4090,
// 2x3090, H100 x 8, 3090单卡.
func (e *ear) countOf(i int) int {
	if n := e.countWord(i); n > 0 {
		return n
	}
	j := e.prev(i)
	if j >= 0 && e.toks[j].q != nil && e.toks[j].q.Unit == text.GB && e.toks[j].used && e.touching(j, i) {
		i, j = j, e.prev(j) // before the memory: 两张80G的A100
	}
	if n := e.countBefore(j, i); n > 0 {
		return n
	}
	switch head := e.s[:e.toks[i].start]; {
	case strings.HasSuffix(head, "单"):
		return 1
	case strings.HasSuffix(head, "双"), strings.HasSuffix(head, "双路"):
		return 2
	}
	j = e.next(i)
	if j >= 0 && e.toks[j].q != nil && e.toks[j].q.Unit == text.GB && e.toks[j].used && e.touching(i, j) {
		i, j = j, e.next(j) // behind the memory: A800 80G x4
	}
	if j >= 0 && e.toks[j].q != nil && e.touching(i, j) && !e.toks[j].theirs {
		q := e.toks[j].q
		if n := wholeCount(q); n > 0 && (q.Unit == text.Times && q.Before || q.Unit == text.Sheets || q.Unit == text.Cards || q.Unit == text.Blocks && n <= 16 && q.Per == 0) && !e.pictures(j) {
			return n
		}
	}
	return 0
}

// countBefore reads token j as the count of what stands at token i behind it.
func (e *ear) countBefore(j, i int) int {
	if j < 0 || e.toks[j].q == nil || e.toks[j].theirs {
		return 0
	}
	q := e.toks[j].q
	n := wholeCount(q)
	switch q.Unit {
	case text.Cards, text.Sheets, text.Blocks, text.Times, text.Streams:
		if e.countGap(j, i) && q.Per == 0 {
			return n
		}
	case text.Bare, text.Pieces:
		plain := !q.Before && q.Scale == "" && q.Per == 0 && n <= 1024 && !e.toks[j].used
		if plain && e.touching(j, i) && (e.plural(i) || q.Spelled || q.Unit == text.Pieces || n <= 16) {
			return n
		}
	}
	return 0
}

// countWord reads a count that is said in a word beside the card: 双卡3090, dual
// 4090, 3090单卡.
func (e *ear) countWord(i int) int {
	for _, j := range []int{e.prev(i), e.next(i)} {
		if j < 0 || e.toks[j].sense("gpus") == "" || !e.touching(min(i, j), max(i, j)) {
			continue
		}
		if e.toks[j].is("gpus", "single") {
			return 1
		}
		n, _ := strconv.Atoi(e.toks[j].sense("gpus"))
		return n
	}
	return 0
}

// countGap reports whether only the card's brand or memory stands between a
// count and the card.
func (e *ear) countGap(j, i int) bool {
	gap := strings.TrimSpace(e.gap(j, i))
	for _, w := range []string{"nvidia", "英伟达", "geforce", "rtx", "tesla", "的", "公版", "涡轮", "华为", "昇腾", "显卡", "卡", "x", "*", "of", "x ", "new", "used"} {
		gap = strings.TrimSpace(strings.TrimPrefix(gap, w))
	}
	return gap == ""
}

func (e *ear) plural(i int) bool {
	end := e.toks[i].end
	return end < len(e.s) && e.s[end] == 's'
}

// wholeCount returns a single whole number, or 0.
func wholeCount(q *text.Quantity) int {
	if q.Vague || q.Lo != q.Hi || q.Lo < 1 || q.Lo > 100000 || q.Lo != math.Trunc(q.Lo) {
		return 0
	}
	return int(q.Lo)
}

// isCardCount tells cards from pictures, money and other things that share
// their measure words.
func (e *ear) isCardCount(i int) bool {
	q := e.toks[i].q
	if e.ofCard(i) {
		return true
	}
	rest := e.after(i)
	if hasAnyPrefix(rest, "卡", "显卡", "gpu") {
		return true
	}
	switch q.Unit {
	case text.Sheets:
		return !e.pictures(i) && q.Lo <= 64 && !e.inClause(i, "schedule")
	case text.Blocks:
		if j := e.prev(i); j >= 0 && e.toks[j].sense(kindLabel) != "" && e.close(j, i) && q.Lo <= 16 {
			return true
		}
		return e.asked.Slot == "gpus" && q.Lo <= 64
	case text.Pieces:
		j := e.next(i)
		return j >= 0 && e.toks[j].sense(kindLabel) != "" && e.touching(i, j) || e.asked.Slot == "gpus" && len(strings.TrimSpace(e.s)) < 24
	}
	return false
}

// pictures reports whether the sheets of token i are pictures.
func (e *ear) pictures(i int) bool {
	rest := e.s[e.toks[i].end:e.clauses[e.toks[i].clause].end]
	if j := e.next(i); j >= 0 && e.toks[j].sense(kindLabel) != "" && e.countGap(i, j) {
		return false
	}
	if len(rest) > 24 {
		rest = rest[:24]
	}
	if head := strings.TrimRight(e.s[e.clauses[e.toks[i].clause].start:e.toks[i].start], " :大概约共一有"); hasAnySuffix(head, "图", "图片", "照片", "海报", "插画", "样本", "素材", "截图", "影像", "单帧", "静帧") {
		return true // 效果图 20张
	}
	for _, w := range []string{"图", "照片", "海报", "image", "photo", "样本", "脸"} {
		if k := strings.Index(rest, w); k >= 0 && !strings.Contains(rest[:k], "卡") {
			return true
		}
	}
	return e.toks[i].q.Lo >= 200 || e.toks[i].q.Scale != ""
}

// alternatives reports whether counts are said of different cards, or of a later
// one alone: "an A6000 or 2x 4090".
func (e *ear) alternatives() bool {
	counts := map[int]bool{}
	named := 0
	for _, n := range e.r.Facts.GPUNamed.Value {
		if n.Not {
			continue
		}
		if named++; named == 1 && n.N == 0 && e.cues["or"] {
			counts[1] = true
		}
		if n.N > 0 {
			counts[n.N] = true
		}
	}
	return named > 1 && len(counts) > 1
}

// machines reads the number of hosts; 1 when none is said.
func (e *ear) machines() float64 {
	n := 1.0
	for i := range e.toks {
		t := &e.toks[i]
		if !t.unit(text.Machines) || !t.live() || t.q.Vague || t.q.Lo != t.q.Hi {
			continue
		}
		t.used = true
		if e.before(i, "done", "own") {
			continue // what they have is not what they rent
		}
		if t.q.Lo > 1 || !e.eachMachine(i) {
			n = t.q.Lo
		}
	}
	return n
}

// eachMachine reports whether token i, one machine, only says what each of them
// holds: 八台机器，一台八张卡.
func (e *ear) eachMachine(i int) bool {
	j := e.nextQuantity(i)
	return j >= 0 && e.close(i, j) && (e.toks[j].q.Unit == text.Cards || e.toks[j].q.Unit == text.Sheets || e.toks[j].q.Unit == text.Blocks)
}

// withMachines multiplies the cards of one host by the hosts. More than eight
// cards are those of all hosts together: 4机32卡.
func withMachines(c Count, hosts float64) Count {
	if hosts <= 1 || c.Word != "" || c.Hi > 8 {
		return c
	}
	return Count{Range: Range{c.Lo * hosts, c.Hi * hosts}}
}
