package advisor

import (
	"regexp"
	"strings"

	"gpuadvisor/advisor/text"
)

// Kinds of senses in the lexicon, beside the slots that words name themselves.
const (
	kindCard   = "card"   // a board: ID is the catalogue's
	kindLabel  = "label"  // the board as said: ID is its label, with the memory only if the name has it
	kindModel  = "model"  // an AI model or a program: ID is the catalogue's
	kindFamily = "family" // the beginning of a model's name
	kindTask   = "finetask"
	kindVendor = "vendor"
	kindPlace  = "place" // a platform category
	kindList   = "checklist"
)

// newLexicon collects every name of the rulebook: words first, because they
// may settle what a catalogue's name leaves open.
func newLexicon(b *Rulebook) *text.Lexicon {
	x := text.NewLexicon()
	for _, w := range b.Words {
		addWord(x, w)
	}
	for i := range b.Cards {
		addCard(x, &b.Cards[i])
	}
	spellings := spellingsOf(b.Words)
	for i := range b.Models {
		addModel(x, &b.Models[i], spellings)
	}
	addOthers(x, b)
	return x
}

func addWord(x *text.Lexicon, w Word) {
	s := text.Sense{Kind: w.Slot, ID: w.Value}
	switch w.Slot {
	case "spelling":
		s.Kind = kindFamily
	case "gpu_named":
		s.Kind = kindLabel
	}
	for _, names := range [][]string{w.ZH, w.EN} {
		for _, name := range names {
			x.Add(name, s)
		}
	}
	for _, name := range w.Not {
		x.Add(name, text.Sense{Kind: "plain", ID: w.ID})
	}
}

// addCard adds a card under its names and under its label. A name that says
// the memory stands for the whole label, any other for the label without it.
func addCard(x *text.Lexicon, c *Card) {
	base, gb := splitLabel(c)
	add := func(name string) {
		said := base
		if gb != "" && saysMemory(name, gb) {
			said = c.Label
		}
		x.Add(name, text.Sense{Kind: kindLabel, ID: said})
		x.Add(name, text.Sense{Kind: kindCard, ID: c.ID})
	}
	for _, name := range c.Names {
		add(name)
	}
	add(base)
	if rest := strings.TrimPrefix(strings.TrimPrefix(base, "RTX"), "GTX"); rest != base && rest[0] >= '0' && rest[0] <= '9' {
		add(rest)
	}
}

// splitLabel cuts RTX4090-24G into RTX4090 and 24. A card of unknown memory
// has no label; its id stands in.
func splitLabel(c *Card) (base, gb string) {
	if c.Label == "" {
		return strings.ToUpper(strings.ReplaceAll(c.ID, "-", "")), ""
	}
	base, gb, _ = strings.Cut(c.Label, "-")
	return base, strings.TrimSuffix(gb, "G")
}

// saysMemory reports whether a card's name contains its memory: "A100 80GB",
// "H20 141", but not the 40 of A40.
func saysMemory(name, gb string) bool {
	for i := 0; ; {
		j := strings.Index(name[i:], gb)
		if j < 0 {
			return false
		}
		i += j
		end := i + len(gb)
		apart := i == 0 || !alnum(name[i-1])
		if apart && (end == len(name) || name[end] == 'g' || name[end] == 'G' || name[end] == ' ') && i > 0 {
			return true
		}
		if end < len(name) && (name[end] == 'G' || name[end] == 'g') && (i == 0 || name[i-1] < '0' || name[i-1] > '9') {
			return true
		}
		i = end
	}
}

func alnum(c byte) bool {
	return c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z'
}

// addModel adds a model under its id and names, and under each name with its
// beginning spelled otherwise.
func addModel(x *text.Lexicon, m *Model, spellings []Word) {
	s := text.Sense{Kind: kindModel, ID: m.ID}
	x.Add(m.ID, s)
	for _, name := range append([]string{m.ID}, m.Names...) {
		x.Add(name, s)
		plain := text.Normal(name).Text
		for _, w := range spellings {
			rest, ok := cutBeginning(plain, w.Value)
			if !ok {
				continue
			}
			for _, other := range append(w.ZH, w.EN...) {
				x.Add(other+rest, s)
			}
		}
	}
}

// cutBeginning removes the words of beginning from name, if name goes on with
// no letter.
func cutBeginning(name, beginning string) (rest string, ok bool) {
	key := text.Key(beginning)
	for i := len(key); i <= len(name) && i <= len(key)+4; i++ {
		if text.Key(name[:i]) == key && (i == len(name) || name[i] < 'a' || name[i] > 'z') {
			return name[i:], true
		}
	}
	return "", false
}

func spellingsOf(words []Word) []Word {
	var list []Word
	for _, w := range words {
		if w.Slot == "spelling" {
			list = append(list, w)
		}
	}
	return list
}

var sizeInName = regexp.MustCompile(`(?i)\d(b|亿)`)

// addOthers adds tasks, platforms, vendors, audiences and checklists. A task's
// name that is only the size of a model is left out: sizes are read apart.
func addOthers(x *text.Lexicon, b *Rulebook) {
	for i := range b.Tasks {
		for _, name := range b.Tasks[i].Names {
			if !sizeInName.MatchString(name) && x.Senses(name) == nil {
				x.Add(name, text.Sense{Kind: kindTask, ID: b.Tasks[i].ID})
			}
		}
	}
	for i := range b.Platforms {
		for _, name := range b.Platforms[i].Names {
			x.Add(name, text.Sense{Kind: kindPlace, ID: b.Platforms[i].ID})
		}
	}
	for i := range b.Vendors {
		for _, name := range b.Vendors[i].Names {
			x.Add(name, text.Sense{Kind: kindVendor, ID: b.Vendors[i].ID})
		}
	}
	for i := range b.Audiences {
		for _, name := range b.Audiences[i].Names {
			x.Add(name, text.Sense{Kind: "audience", ID: b.Audiences[i].ID})
		}
	}
	for i := range b.Checklists {
		for _, name := range b.Checklists[i].Names {
			x.Add(name, text.Sense{Kind: kindList, ID: b.Checklists[i].ID})
		}
	}
}
