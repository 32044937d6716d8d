package fault

import (
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"
)

// Quote is a line of the paste, secrets masked.
type Quote struct {
	Line int // from 1
	Text string
}

// Diagnosis is what the log says. It holds no sentences: Because and Ask are
// ids whose texts stand in the rules.
type Diagnosis struct {
	Layer  Layer
	Sub    string
	Action Action
	Tier   int // of the deciding signature; 0 when nothing was recognised

	// Because names the signatures that decided, the cause first, then what
	// agrees with it. When the layer is None these are the consequences seen.
	Because      []string
	Evidence     []Quote // the cause first
	Background   []Quote // older events, or on another card
	Consequences []Quote // lines that follow from the cause and prove nothing

	OOM      *OOM   // the arithmetic, when the cause is memory
	Xids     []Xid  // every number found, in order
	Recovery string // what the driver itself wants next (Xid 154), "" if it does not say
	Rank     int    // the process that failed first, -1 when not said
	Machine  Machine
	Ask      []Question // what to ask for next
	Cut      bool       // the middle of a long paste was not read
}

// Machine is what a support ticket needs and the log gives.
type Machine struct {
	PCI   []string // bus ids in the evidence, "0000:dc:00"
	Since string   // time of the first evidence line, as printed; "" if none
	Until string   // time of the last
}

// Question is the id of something to ask for.
type Question string

// The questions.
const (
	AskBefore Question = "lines-before" // 50 lines before the first error
	AskKernel Question = "kernel-log"   // dmesg, filtered
	AskPrint  Question = "print"        // nvidia-smi
	AskRank   Question = "rank-lines"   // the lines of the rank that failed first
	AskLog    Question = "a-log"        // nothing in the message looks like a log
)

// Questions are all of them; the rules must have a text for each.
var Questions = []Question{AskBefore, AskKernel, AskPrint, AskRank, AskLog}

// Limits of what is quoted (our own).
const (
	maxEvidence = 5
	maxOthers   = 3   // background and consequences
	maxQuote    = 480 // bytes of one line
)

// Diagnose reads a log and says whose fault it is. Any text is accepted; of a
// long one the head and the tail are read.
func (b *Book) Diagnose(log string) Diagnosis {
	p := b.read(log)
	p.aside(log)
	d := Diagnosis{Layer: None, Action: Ask, Rank: p.firstRank(), Xids: p.xids, Cut: p.cut}
	d.Recovery = p.recovery()
	root := p.root(d.Rank)
	if root == nil {
		p.cannotTell(&d)
		return d
	}
	e := b.sigs[root.sig]
	d.Layer, d.Sub, d.Action, d.Tier, d.OOM = e.Layer, e.Sub, e.Action, e.Tier, root.oom
	p.explain(&d, *root)
	return d
}

// root picks the hit that decides, or nil.
func (p *paste) root(rank int) *hit {
	var best *hit
	for i := range p.hits {
		h := &p.hits[i]
		if p.tier(h) == Consequence || h.old {
			continue
		}
		if best == nil || p.beats(h, best, rank) {
			best = h
		}
	}
	return best
}

func (p *paste) tier(h *hit) int { return p.book.sigs[h.sig].Tier }

// beats reports whether h explains more than the best hit so far: one that is
// not a last resort; then lower tier; then the rank that failed first; then an
// error before a warning; then the earlier event; the lines come in order.
func (p *paste) beats(h, best *hit, rank int) bool {
	if a, b := p.book.sigs[h.sig].Last, p.book.sigs[best.sig].Last; a != b {
		return b
	}
	if a, b := p.tier(h), p.tier(best); a != b {
		return a < b
	}
	if rank >= 0 && (h.rank == rank) != (best.rank == rank) {
		return h.rank == rank
	}
	if h.soft != best.soft {
		return !h.soft
	}
	gap, ok := h.when.before(best.when)
	return ok && gap > 0
}

var (
	firstFailure = regexp.MustCompile(`(?i)root cause \(first observed failure\)`)
	rankField    = regexp.MustCompile(`^\W*rank\s*:\s*(\d{1,4})\b`)
)

// firstRank returns the rank that torchrun calls the first to fail, or -1.
func (p *paste) firstRank() int {
	for i, l := range p.lines {
		if !strings.Contains(l.text, "observed") || !firstFailure.MatchString(l.text) {
			continue
		}
		for j := i + 1; j < len(p.lines) && j < i+8; j++ {
			if m := rankField.FindStringSubmatch(p.lines[j].text); m != nil {
				return number(m[1])
			}
		}
	}
	return -1
}

func (p *paste) recovery() string {
	last := ""
	for _, x := range p.xids {
		if x.Code != 154 {
			continue
		}
		for _, l := range p.lines {
			if l.n == x.Line {
				if m := recovery.FindStringSubmatch(l.text); m != nil {
					last = m[1]
				}
			}
		}
	}
	return last
}

// explain fills in what stands around the root.
func (p *paste) explain(d *Diagnosis, root hit) {
	d.Because = []string{p.book.sigs[root.sig].ID}
	chosen := []int{root.at}
	p.again(&chosen, root)
	if at, ok := p.with[root.sig]; ok && len(p.book.sigs[root.sig].With) > 0 {
		chosen = addLine(chosen, at)
	}
	if root.oom != nil {
		for _, at := range root.oom.lines {
			chosen = addLine(chosen, at)
		}
	}
	for _, h := range p.hits {
		e := p.book.sigs[h.sig]
		switch {
		case h.sig == root.sig, e.Last:
		case h.old:
			d.Background = p.quoteInto(d.Background, h)
		case e.Tier == Consequence:
			d.Consequences = p.quoteInto(d.Consequences, h)
		case e.Layer.Number() == d.Layer.Number():
			if !slices.Contains(d.Because, e.ID) {
				d.Because = append(d.Because, e.ID)
			}
			chosen = addLine(chosen, h.at)
		}
	}
	for _, at := range chosen[:min(len(chosen), maxEvidence)] {
		d.Evidence = append(d.Evidence, p.quote(at, root))
	}
	d.Machine = p.machine(chosen, root)
}

// again adds up to two further lines of the same signature with other words:
// the same line from eight ranks is one line of evidence.
func (p *paste) again(chosen *[]int, root hit) {
	seen := map[string]bool{withoutNumbers(p.lines[root.at].text): true}
	for _, h := range p.hits {
		if h.sig != root.sig || h.old {
			continue
		}
		key := withoutNumbers(p.lines[h.at].text)
		if !seen[key] && len(*chosen) < 3 {
			seen[key] = true
			*chosen = addLine(*chosen, h.at)
		}
	}
}

func addLine(at []int, n int) []int {
	if slices.Contains(at, n) {
		return at
	}
	return append(at, n)
}

func withoutNumbers(s string) string {
	return strings.Map(func(r rune) rune {
		if r >= '0' && r <= '9' || r == ' ' {
			return -1
		}
		return r
	}, s)
}

func (p *paste) quoteInto(quotes []Quote, h hit) []Quote {
	if len(quotes) >= maxOthers {
		return quotes
	}
	q := p.quote(h.at, h)
	if slices.Contains(quotes, q) {
		return quotes
	}
	return append(quotes, q)
}

// quote writes one line for people. Of a long line it keeps the part around the
// match.
func (p *paste) quote(at int, h hit) Quote {
	l := p.lines[at]
	text := strings.TrimSpace(l.text)
	if len(text) > maxQuote {
		text = p.around(text, h.sig)
	}
	return Quote{l.n, Mask(text)}
}

func (p *paste) around(text string, sig int) string {
	at := 0
	for _, t := range p.book.sigs[sig].Match {
		if loc := regexp.MustCompile(t).FindStringIndex(text); loc != nil { // New compiled it
			at = loc[0]
			break
		}
	}
	from := runeStart(text, max(0, at-maxQuote/4))
	to := from + maxQuote
	if to >= len(text) {
		return text[from:]
	}
	for to > from && !utf8.RuneStart(text[to]) {
		to--
	}
	return text[from:to]
}

func (p *paste) machine(chosen []int, root hit) Machine {
	var m Machine
	if root.pci != "" {
		m.PCI = append(m.PCI, root.pci)
	}
	for _, at := range chosen {
		text := p.lines[at].text
		if pci := pciIn(text); pci != "" && !slices.Contains(m.PCI, pci) {
			m.PCI = append(m.PCI, pci)
		}
		if s := stampOf(text); s.known {
			if m.Since == "" {
				m.Since = s.text
			}
			m.Until = s.text
		}
	}
	return m
}

// cannotTell fills in what there is when no cause was found.
func (p *paste) cannotTell(d *Diagnosis) {
	d.Sub = "cannot-tell"
	for _, h := range p.hits {
		if h.old {
			d.Background = p.quoteInto(d.Background, h)
			continue
		}
		d.Consequences = p.quoteInto(d.Consequences, h)
		if id := p.book.sigs[h.sig].ID; !slices.Contains(d.Because, id) {
			d.Because = append(d.Because, id)
			d.Tier = Consequence
		}
	}
	d.Evidence = d.Consequences
	switch {
	case d.Rank >= 0:
		d.Ask = []Question{AskRank, AskBefore, AskKernel, AskPrint}
	case len(p.hits) > 0 || len(p.lines) > 3:
		d.Ask = []Question{AskBefore, AskKernel, AskPrint}
	default:
		d.Ask = []Question{AskLog, AskKernel, AskPrint}
	}
}
