package advisor

import (
	"cmp"
	"slices"
	"strings"
)

// pick.go chooses concrete cards for a demand: gates first (memory, what the
// work wants, where it may run), then an order in which price plays no part. A
// card that fails a gate gets no price.

// candidate is a card that passed every gate with n boards.
type candidate struct {
	card  *Card
	n     int
	fits  string // comfortable tight offload
	named bool
	link  bool // the boards can talk as the work wants
	order int  // place in the preference list of its class
}

// pickBest fills the first card of a decision: all that a counterfactual
// compares.
func (b *Rulebook) pickBest(d *decision) {
	var best candidate
	b.eachCandidate(d, func(c candidate) {
		if best.card == nil || better(c, best) < 0 {
			best = c
		}
	})
	if best.card == nil {
		return
	}
	d.best = best
	d.sizing.least = d.sizing.leastOn(best.card)
	d.ClassGiB = b.classOf(d.sizing.need(best.n), d.facts)
	d.sized = d.sizing.sized
}

// pickAll lists the cards of a decision, best first, and writes the three
// numbers for the first.
func (b *Rulebook) pickAll(d *decision) {
	if d.best.card == nil {
		d.Need = d.sizing.numbers(oneMachine)
		return
	}
	var pool []candidate
	b.eachCandidate(d, func(c candidate) { pool = append(pool, c) })
	slices.SortFunc(pool, better)
	bare := d.sizing
	bare.atLeast = 0
	d.roomier = b.classOf(bare.need(d.best.n), d.facts) < d.ClassGiB
	for _, c := range varied(pool) {
		d.Cards = append(d.Cards, Pick{
			Label: label(c.card, c.n), GPU: c.card.ID, Count: c.n, Fits: c.fits, Because: reason(c, d.best, d),
		})
	}
	d.Need = d.sizing.numbers(d.best.n)
	d.dominant = d.sizing.dominant
	d.countKind = countKind(d, d.best.n)
}

// eachCandidate visits every rentable card on which the job runs, with the
// number of boards that it takes.
func (b *Rulebook) eachCandidate(d *decision, visit func(candidate)) {
	asked, choice := askedCards(d.facts), choosing(&d.facts)
	for i := range b.Cards {
		card := &b.Cards[i]
		name := b.meant(card, named(card, &d.facts))
		if ruledOut(card, &d.facts) || name == nil && !b.offered(card, &d.facts) || refuses(card, d.sizing.wants, name != nil) != "" || d.tooSmall(card) {
			continue
		}
		want := asked
		if name != nil && name.N > 0 {
			want = name.N
		}
		n, fits := d.sizing.on(card, want)
		if n == 0 {
			continue
		}
		visit(candidate{
			card: card, n: n, fits: fits, named: name != nil && (choice || n <= max(1, want)),
			link:  n == 1 || card.NVLink != "none" || !d.sizing.mustTalk(card),
			order: b.preferred(card),
		})
	}
}

// offered reports whether a card is advised without being named: it stands in
// our order of preference, its memory is known, and most people can rent it.
func (b *Rulebook) offered(card *Card, f *Facts) bool {
	if !card.common {
		return false
	}
	domestic := card.Class == "domestic"
	return domestic == domesticOnly(f) && (domestic || card.Vendor == "NVIDIA")
}

// refuses returns the first demand of the work that a card cannot meet, or "".
// A card that was named is judged only by what it cannot do at all.
func refuses(card *Card, wants []string, named bool) string {
	for _, w := range wants {
		switch {
		case w == "rt_cores" && !card.RTCores,
			w == "fp64" && card.FP64TFLOPS < usefulFP64,
			w == "fp32" && !named && fp32(card) < usefulFP32,
			w == "bf16" && !card.BF16 && !named,
			w == "fp8" && !card.FP8 && !named,
			w == "fast" && !named && slow(card):
			return w
		}
	}
	return ""
}

// slow reports whether a board is known to be no fit for throughput. Makers of
// domestic boards publish few figures, and one that is missing tells nothing.
func slow(card *Card) bool {
	below := func(v, least float64) bool { return v < least && (v > 0 || card.Class != "domestic") }
	return !card.BF16 || below(card.BandwidthGBs, fastBandwidth) || below(card.FP16TFLOPS, fastFP16)
}

// What counts as able. FP64: GeForce boards run it at 1/64 of FP32, about
// 1 TFLOPS at most; boards made for it start above 4. Fast: at least the level
// of an RTX 3090, for jobs that are about throughput, and of a generation that
// current software still speeds up, which bf16 tells.
const (
	usefulFP32    = 30.0  // TFLOPS
	usefulFP64    = 4.0   // TFLOPS
	fastBandwidth = 600.0 // GB/s
	fastFP16      = 60.0  // TFLOPS, dense
)

// fp32 is the single-precision speed of a board, TFLOPS, where it can be told:
// boards with RT cores run double precision at 1/64 of it. The others are made
// for matrix work and count as slow.
func fp32(c *Card) float64 {
	if !c.RTCores {
		return 0
	}
	return 64 * c.FP64TFLOPS
}

// better orders candidates: named ones first, then those whose boards can talk,
// then fewer machines and boards, then what most places rent, then less memory
// (what is not needed is not paid for), then our order of preference.
func better(x, y candidate) int {
	return cmp.Or(
		-compareBool(x.named, y.named),
		-compareBool(x.link, y.link),
		cmp.Compare(machines(x.n), machines(y.n)),
		compareBool(x.card.VRAMGB > scarceGB, y.card.VRAMGB > scarceGB),
		cmp.Compare(x.n, y.n),
		-compareBool(x.card.Rentable == "common", y.card.Rentable == "common"),
		cmp.Compare(x.card.VRAMGB, y.card.VRAMGB),
		cmp.Compare(x.order, y.order),
		-cmp.Compare(x.card.BandwidthGBs, y.card.BandwidthGBs),
		cmp.Compare(x.card.ID, y.card.ID),
	)
}

// Boards with more memory than scarceGB are few and dear: they come after
// several common ones in the same machine.
const scarceGB = 100

// machines is how many servers n boards take; one holds up to eight.
func machines(n int) int { return (n + 7) / 8 }

func compareBool(x, y bool) int {
	switch {
	case x == y:
		return 0
	case x:
		return 1
	}
	return -1
}

// mostPicks is how many cards an advice lists.
const mostPicks = 4

// varied keeps the best candidate and then others that give a real choice: no
// label twice, at most two of one class and count.
func varied(pool []candidate) []candidate {
	var out []candidate
	same := map[[2]int]int{}
	seen := map[string]bool{}
	for _, c := range pool {
		class := [2]int{c.n, int(c.card.VRAMGB)}
		l := label(c.card, c.n)
		if seen[l] || same[class] >= 2 {
			continue
		}
		seen[l] = true
		same[class]++
		if out = append(out, c); len(out) == mostPicks {
			break
		}
	}
	return out
}

// label is the contract's name of n boards: 2xA100-80G.
func label(card *Card, n int) string {
	if n > 1 {
		return number(float64(n)) + "x" + card.Label
	}
	return card.Label
}

// reason is why a card stands where it does, as a phrase id.
func reason(c, best candidate, d *decision) string {
	switch {
	case c.named:
		return "asked"
	case c.n > best.n:
		return "more-boards"
	case c.card.VRAMGB > best.card.VRAMGB:
		return "more-room"
	}
	for _, w := range d.sizing.wants {
		if slices.Contains(ofTheCard, w) {
			return w
		}
	}
	switch {
	case d.roomier:
		return "usual"
	case c.card.VRAMGB > d.ClassGiB:
		return "common"
	}
	return "smallest"
}

// ofTheCard are the wants that tell one card from most others. RAM and disk are
// the machine's, and bf16 nearly every card has.
var ofTheCard = []string{"rt_cores", "fp64", "fp8", "fast"}

// preferred is the place of a card in our order among cards of its memory;
// unlisted ones come after.
func (b *Rulebook) preferred(card *Card) int {
	if i, ok := b.order[card.ID]; ok {
		return i
	}
	return len(b.order)
}

// named is how the person named this card, nil when they did not or ruled it
// out.
func named(card *Card, f *Facts) *Named {
	for i := range f.GPUNamed.Value {
		if n := &f.GPUNamed.Value[i]; !n.Not && n.matches(card) {
			return n
		}
	}
	return nil
}

// meant drops a name that fits a card only loosely while it fits another that
// most places rent: a plain H100 is not the NVL version.
func (b *Rulebook) meant(card *Card, n *Named) *Named {
	if n == nil || n.Card == card.ID || n.As == card.Label {
		return n
	}
	if _, listed := b.order[card.ID]; !listed && b.boards[card.board()] {
		return nil
	}
	return n
}

// ruledOut reports whether the person does not want this card.
func ruledOut(card *Card, f *Facts) bool {
	for i := range f.GPUNamed.Value {
		if n := &f.GPUNamed.Value[i]; n.Not && n.matches(card) {
			return true
		}
	}
	return false
}

// choosing reports whether the person chooses between several cards: then one
// of them is the answer, with as many boards as it takes.
func choosing(f *Facts) bool {
	wanted := 0
	for _, n := range f.GPUNamed.Value {
		if !n.Not {
			wanted++
		}
	}
	return wanted > 1
}

func isNamed(card *Card, f *Facts) bool { return named(card, f) != nil }

// matches compares a card with a name: the same board, and the same memory
// where the person gave one. A refit is meant only when its memory is said.
func (n *Named) matches(card *Card) bool {
	if n.Card == card.ID || n.As == card.Label {
		return true
	}
	return n.GB == 0 && !card.Refit && n.As != "" && n.As == card.board()
}

// tooSmall reports whether a card is known to be too small: the person ran out
// of memory on one like it, or wants more.
func (d *decision) tooSmall(card *Card) bool {
	return d.facts.FailedGB.Known() && card.VRAMGB <= d.facts.FailedGB.Value ||
		d.facts.LeastGB.Known() && card.VRAMGB < d.facts.LeastGB.Value
}

// board is the label without its memory.
func (c *Card) board() string { return beforeMemory(c.Label) }

// askedCards is how many boards the person wants, 0 when they did not say.
func askedCards(f Facts) int {
	if f.GPUs.IsSaid() {
		if f.GPUs.Value.Word == "multi" {
			return 2
		}
		return f.GPUs.Value.Most()
	}
	return 0
}

// countKind names how the number of boards came about.
func countKind(d *decision, n int) string {
	asked := askedCards(d.facts)
	switch {
	case asked > 0 && n > asked:
		return "raised"
	case n > 1 && !d.sizing.shards:
		return "farm"
	case asked > 0:
		return "asked"
	case n > 1 && n > d.sizing.least*max(1, d.sizing.copies):
		return "usual"
	case n > 1:
		return "need"
	}
	return "one"
}

// rejected names cards that do not hold the job: those that were named first,
// then the next smaller class, each with the first gate that it fails.
func (b *Rulebook) rejected(d *decision) []Reject {
	var out []Reject
	for i := range b.Cards {
		card := &b.Cards[i]
		if b.meant(card, named(card, &d.facts)) == nil || slices.ContainsFunc(d.Cards, func(p Pick) bool { return p.GPU == card.ID }) {
			continue
		}
		if why := b.gate(card, d); why != "" && !slices.ContainsFunc(out, func(r Reject) bool { return r.Label == card.Label }) {
			out = append(out, Reject{Label: card.Label, GPU: card.ID, Because: why})
		}
	}
	if smaller := b.nextSmaller(d); len(out) == 0 && smaller != nil {
		why := d.tooLittle(smaller)
		if why == "" {
			why = "memory" // on fewer boards than it would take
		}
		out = append(out, Reject{Label: smaller.Label, GPU: smaller.ID, Because: why})
	}
	return out
}

// gate returns the first gate that a card fails for this job, or "".
func (b *Rulebook) gate(card *Card, d *decision) string {
	if why := refuses(card, d.sizing.wants, true); why != "" {
		return why
	}
	if card.VRAMGB == 0 {
		return "unknown"
	}
	if domestic := card.Class == "domestic"; domesticOnly(&d.facts) && !domestic {
		return "domestic"
	}
	return d.tooLittle(card)
}

// tooLittle is "memory" for a card that does not hold the job on as many boards
// as are wanted, "floor" for one that does where the work usually takes a larger
// one, else "".
func (d *decision) tooLittle(card *Card) string {
	want := d.wanted()
	if n, _ := d.sizing.on(card, want); n > 0 && n <= want {
		return ""
	}
	slow := d.sizing
	slow.atLeast = 0
	if n, _ := slow.on(card, want); n > 0 && n <= want {
		return "floor"
	}
	return "memory"
}

// wanted is on how many boards the job is to run at the least.
func (d *decision) wanted() int {
	return max(1, askedCards(d.facts), d.sizing.floor, d.sizing.pace, d.sizing.copies)
}

// nextSmaller is the preferred card of the class just below the one advised.
func (b *Rulebook) nextSmaller(d *decision) *Card {
	var best *Card
	for i := range b.Cards {
		c := &b.Cards[i]
		if c.VRAMGB >= d.ClassGiB || !b.offered(c, &d.facts) || refuses(c, d.sizing.wants, false) != "" {
			continue
		}
		if best == nil || c.VRAMGB > best.VRAMGB || c.VRAMGB == best.VRAMGB && b.preferred(c) < b.preferred(best) {
			best = c
		}
	}
	return best
}

// classOf is the smallest memory of a rentable card that holds the bytes.
func (b *Rulebook) classOf(need int64, f Facts) float64 {
	best := 0.0
	for i := range b.Cards {
		c := &b.Cards[i]
		if b.offered(c, &f) && c.Usable() >= need && (best == 0 || c.VRAMGB < best) {
			best = c.VRAMGB
		}
	}
	return best
}

// beforeMemory cuts "-24G" off a label.
func beforeMemory(label string) string {
	if i := strings.LastIndexByte(label, '-'); i >= 0 && strings.HasSuffix(label, "G") {
		return label[:i]
	}
	return label
}
