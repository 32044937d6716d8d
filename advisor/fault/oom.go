package fault

import (
	"regexp"
	"strconv"
	"strings"
)

// OOM is the arithmetic of an out-of-memory message, in MiB; nil is a figure
// that the message does not give. torch, torch_npu and ROCm builds write the
// same sentence.
type OOM struct {
	Device    string   // "GPU 0", "NPU 3"; "" when not said
	Request   *float64 // the allocation that failed
	Total     *float64
	Free      *float64
	Own       *float64 // this process
	Other     *float64 // everybody else on the card, by subtraction
	Allocated *float64 // by the framework's tensors
	Idle      *float64 // reserved by the framework, not used: pieces too small
	Kind      Fact

	lines []int // further lines that the figures stand in
}

// Bounds of the arithmetic (our own): below them an explanation is not worth
// telling.
const (
	heldMiB      = 2048 // held by others, and at least …
	heldShare    = 0.10 // … this share of the card
	unusedShare  = 0.20 // reserved but unused, of the card
	oomTextLines = 4    // chats break the sentence into this many lines at most
	oomTextLen   = 2048 // bytes of it that are read
)

const size = ` ?([\d.]+) ?(bytes|B|[KMGT]i?B)\b`

var (
	oomRequest   = regexp.MustCompile(`(?i)tried to allocate` + size)
	oomDevice    = regexp.MustCompile(`\b((?:GPU|NPU|XPU|MLU|MUSA) \d+)\b`)
	oomTotal     = regexp.MustCompile(`total capaci?ty of` + size)
	oomTotalOld  = regexp.MustCompile(`([\d.]+) ?([KMGT]i?B) total capacity`)
	oomFree      = regexp.MustCompile(`of which` + size + ` is free`)
	oomFreeOld   = regexp.MustCompile(`([\d.]+) ?(bytes|[KMGT]i?B) free`)
	oomOwn       = regexp.MustCompile(`this process has` + size + ` memory in use`)
	oomAllocated = regexp.MustCompile(`([\d.]+) ?(bytes|[KMGT]i?B) (?:is allocated by PyTorch|already allocated)`)
	oomIdle      = regexp.MustCompile(`([\d.]+) ?(bytes|[KMGT]i?B) is reserved by PyTorch but unallocated`)
	oomFigure    = regexp.MustCompile(`memory in use|total capaci?ty|allocated by PyTorch|reserved (?:by PyTorch|in total)`)
	oomReserved  = regexp.MustCompile(`([\d.]+) ?(bytes|[KMGT]i?B) reserved in total`)
)

// readOOM reads the message that begins in all[at].
func readOOM(all []line, at int) OOM {
	s, more := oomText(all, at)
	if !strings.Contains(s, oomWord) {
		return OOM{Kind: OOMPlain}
	}
	o := OOM{
		Request:   amount(oomRequest, s),
		Total:     either(amount(oomTotal, s), amount(oomTotalOld, s)),
		Free:      either(amount(oomFree, s), amount(oomFreeOld, s)),
		Own:       amount(oomOwn, s),
		Allocated: amount(oomAllocated, s),
		Idle:      amount(oomIdle, s),
		lines:     more,
	}
	if m := oomDevice.FindStringSubmatch(s); m != nil {
		o.Device = m[1]
	}
	o.subtract(amount(oomReserved, s))
	o.Kind = o.kind()
	return o
}

// oomWord is in every message with figures.
const oomWord = "ried to allocate"

// oomText puts the sentence together again and returns the further lines that
// its figures stand in.
func oomText(all []line, at int) (sentence string, more []int) {
	var text strings.Builder
	for i := at; i < len(all) && i < at+oomTextLines; i++ {
		s := all[i].text
		if i > at && strings.Contains(s, oomWord) {
			break // the next rank's message
		}
		if i > at && len(s) < oomTextLen && oomFigure.MatchString(s) {
			more = append(more, i)
		}
		if k := strings.Index(s, oomWord); len(s) > oomTextLen && k > 0 {
			s = s[k-1:]
		}
		text.WriteString(s[:min(len(s), oomTextLen)])
		text.WriteByte(' ')
	}
	sentence = text.String()
	return sentence[:min(len(sentence), oomTextLen)], more
}

// subtract finds who holds the rest of the card. The old message has no figure
// for the own process; what the framework reserved stands in, which leaves the
// CUDA context, a few hundred MiB, with the others (our estimate).
func (o *OOM) subtract(reserved *float64) {
	if o.Idle == nil && reserved != nil && o.Allocated != nil {
		o.Idle = new(*reserved - *o.Allocated)
	}
	own := either(o.Own, reserved)
	if own == nil && o.Allocated != nil {
		own = o.Allocated
		if o.Idle != nil {
			own = new(*own + *o.Idle)
		}
	}
	o.Own = own
	if o.Total != nil && o.Free != nil && own != nil {
		o.Other = new(max(0, *o.Total-*o.Free-*own))
	}
}

func (o *OOM) kind() Fact {
	switch {
	case o.Total == nil:
		return OOMPlain
	case o.Request != nil && *o.Request > *o.Total:
		return OOMLarger
	case o.Other != nil && *o.Other >= heldMiB && *o.Other >= heldShare**o.Total:
		return OOMHeld
	case o.Idle != nil && *o.Idle >= unusedShare**o.Total:
		return OOMFragmented
	}
	return OOMPlain
}

func either(a, b *float64) *float64 {
	if a != nil {
		return a
	}
	return b
}

// amount returns the size that the expression finds, in MiB.
func amount(re *regexp.Regexp, s string) *float64 {
	m := re.FindStringSubmatch(s)
	if m == nil {
		return nil
	}
	v, err := strconv.ParseFloat(m[1], 64)
	if err != nil {
		return nil
	}
	return new(v * mibPer(m[2]))
}

func mibPer(unit string) float64 {
	switch strings.ToUpper(unit)[0] {
	case 'K':
		return 1.0 / 1024
	case 'M':
		return 1
	case 'G':
		return 1024
	case 'T':
		return 1024 * 1024
	}
	return 1.0 / (1024 * 1024)
}

var memoryPair = regexp.MustCompile(`(\d{1,7}(?:\.\d+)?) ?([MG]i?B)? ?/ ?(\d{1,7}(?:\.\d+)?) ?([MG]i?B)\b`)

// downloads mark progress bars, which also count bytes up to a total.
var downloads = []string{"%|", "━", "/s", "eta "}

// cardFull reports whether a print within the paste shows a full card.
func cardFull(all []line) bool {
	const full = 0.95
	for _, l := range all {
		if !strings.Contains(l.text, "/") || !strings.ContainsAny(l.text, "MG") || containsAny(l.text, downloads) {
			continue
		}
		for _, m := range memoryPair.FindAllStringSubmatch(l.text[:min(len(l.text), window)], 4) {
			used, total := figure(m[1]), figure(m[3])
			if used == nil || total == nil || m[2] != "" && m[2] != m[4] {
				continue
			}
			if *total*mibPer(m[4]) >= 1024 && *used >= full**total && *used <= *total {
				return true
			}
		}
	}
	return false
}
