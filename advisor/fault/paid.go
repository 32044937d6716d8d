package fault

import (
	"regexp"
	"slices"
	"strings"
)

// PaidFor is what was ordered.
type PaidFor struct {
	Text  string  // as said
	Count int     // 0 not said
	GB    float64 // memory of one card, as on the sticker; 0 not said
}

var (
	paidBefore = regexp.MustCompile(`(?i)^\s*(\d{1,3})\s*(?:[x×*]|张|卡|块|台|片|个|张卡)\s*`)
	paidAfter  = regexp.MustCompile(`(?i)\s*(?:[x×*]\s*(\d{1,3})|(\d{1,3})\s*(?:张|卡|块|片|cards?|gpus?))\s*$`)
	paidGB     = regexp.MustCompile(`(?i)(\d{1,3})\s*(?:gi?b?|G显存)\b`)
)

// ReadPaidFor reads an order: "2x RTX 4090 24GB", "8卡 A100 80G", "H20".
func ReadPaidFor(s string) PaidFor {
	p := PaidFor{Text: strings.TrimSpace(s)}
	if m := groups(paidBefore, p.Text); m != nil {
		p.Count = number(m[0])
		p.Text = paidBefore.ReplaceAllString(p.Text, "")
	} else if m := groups(paidAfter, p.Text); m != nil {
		p.Count = number(m[0] + m[1])
		p.Text = paidAfter.ReplaceAllString(p.Text, "")
	}
	if m := groups(paidGB, p.Text); m != nil {
		p.GB = *figure(m[0])
	}
	return p
}

// cardName is a card's name taken apart, so that "RTX4090D 24G" and "NVIDIA
// GeForce RTX 4090 D" are seen to be the same. It knows how vendors build names,
// no single card.
type cardName struct {
	model []string // what tells one chip from another: 4090, A100, 910B4
	marks []string // TI SUPER D V2 LAPTOP MAXQ ADA PRO: another board with the same number
	form  string   // SXM PCIE NVL, "" not said
	cut   bool     // the frame had no room for the rest
}

// nameNoise says nothing about which card it is.
var nameNoise = map[string]bool{
	"NVIDIA": true, "GEFORCE": true, "TESLA": true, "QUADRO": true, "GRID": true, "AMD": true, "INSTINCT": true, "RADEON": true,
	"ASCEND": true, "HUAWEI": true, "GPU": true, "NPU": true, "RTX": true, "GTX": true, "GRAPHICS": true, "CARD": true,
	"GENERATION": true, "EDITION": true, "WORKSTATION": true, "SERVER": true, "BLACKWELL": true, "AC": true, "COPY": true,
	"GB": true, "G": true, "GIB": true, "DEVICE": true, "HYGON": true,
}

// nameMarks must agree, or it is another board. The soft ones count only if the
// order names them: people say "RTX 6000" and mean the Ada one.
var (
	nameMarks = map[string]bool{"TI": true, "SUPER": true, "D": true, "V2": true, "LAPTOP": true, "MOBILE": true, "MAXQ": true}
	softMarks = map[string]bool{"ADA": true, "PRO": true}
)

var (
	nameSplit  = regexp.MustCompile(`[^A-Z0-9]+`)
	nameSeries = regexp.MustCompile(`^(?:RTX|GTX|ASCEND)([A-Z]?\d.*)$`)
	nameSuffix = regexp.MustCompile(`^(\d{4})(TI|D|S|SUPER|TIS|DV2)$`)
	nameMemory = regexp.MustCompile(`^\d{1,3}(?:G|GB|GIB)$`)
	nameForm   = regexp.MustCompile(`^(?:SXM\d?|PCIE?|NVL\d*|OAM)$`)
	nameHBM    = regexp.MustCompile(`^HBM\d[A-Z]?$`)
)

func partsOf(name string) cardName {
	var c cardName
	c.cut = strings.HasSuffix(strings.TrimSpace(name), "...")
	name = strings.ToUpper(strings.TrimSuffix(strings.TrimSpace(name), "..."))
	name = strings.NewReplacer("MAX-Q", "MAXQ", "昇腾", " ", "显卡", " ", "+", " ").Replace(name)
	for _, w := range nameSplit.Split(name, -1) {
		c.word(w)
	}
	return c
}

func (c *cardName) word(w string) {
	if m := groups(nameSeries, w); m != nil {
		w = m[0]
	}
	if m := groups(nameSuffix, w); m != nil {
		w = m[0]
		switch m[1] {
		case "S":
			c.marks = append(c.marks, "SUPER")
		case "TIS":
			c.marks = append(c.marks, "TI", "SUPER")
		case "DV2":
			c.marks = append(c.marks, "D", "V2")
		default:
			c.marks = append(c.marks, m[1])
		}
	}
	switch {
	case w == "" || nameNoise[w] || nameMemory.MatchString(w):
	case nameMarks[w] || softMarks[w]:
		c.marks = append(c.marks, w)
	case nameForm.MatchString(w):
		c.form = strings.TrimRight(w, "0123456789")
		if c.form == "PCI" {
			c.form = "PCIE"
		}
	case nameHBM.MatchString(w):
		if c.form == "" {
			c.form = "SXM" // NVIDIA names the memory on SXM boards, the slot on others
		}
	default:
		c.model = append(c.model, w)
	}
}

// agrees reports whether a printed name can be the card that was ordered.
func (printed cardName) agrees(ordered cardName) bool {
	for _, w := range ordered.model {
		if !slices.ContainsFunc(printed.model, func(p string) bool { return sameModel(p, w, printed.cut) }) {
			return len(printed.model) == 0
		}
	}
	for _, w := range ordered.marks {
		if !slices.Contains(printed.marks, w) && !printed.cut {
			return false
		}
	}
	for _, w := range printed.marks {
		if nameMarks[w] && !slices.Contains(ordered.marks, w) {
			return false
		}
	}
	return printed.form == "" || ordered.form == "" || printed.form == ordered.form || printed.cut
}

// sameModel also accepts a cut word ("208" of "2080"), a family for its member
// ("910B" for "910B4"), and a print that names only the family ("910" of an A3).
func sameModel(printed, ordered string, cut bool) bool {
	if printed == ordered || cut && strings.HasPrefix(ordered, printed) {
		return true
	}
	if rest, ok := strings.CutPrefix(printed, ordered); ok && endsInLetter(ordered) {
		return strings.Trim(rest, "0123456789") == ""
	}
	rest, ok := strings.CutPrefix(ordered, printed)
	return ok && strings.Trim(printed, "0123456789") == "" && len(printed) == 3 && rest[0] > '9'
}

func endsInLetter(s string) bool { return s[len(s)-1] > '9' }
