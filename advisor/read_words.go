package advisor

import (
	"regexp"
	"slices"
	"strings"

	"gpuadvisor/advisor/text"
)

// Kinds of senses in the lexicon, beside the slots that words name themselves.
const (
	kindCard   = "card"   // a board: ID is the catalogue's
	kindLabel  = "label"  // the board as said: ID is its label, with the memory only if the name has it
	kindModel  = "model"  // an AI model or a program: ID is the catalogue's
	kindFamily = "family" // the beginning of a model's name
	kindVendor = "vendor"
	kindPlace  = "place" // a platform category
	kindList   = "checklist"
)

// newLexicon collects every name of the rulebook: words first, because they
// may settle what a catalogue's name leaves open.
func newLexicon(b *Rulebook) *text.Lexicon {
	x := text.NewLexicon("topic", "intent", "quantised", "bulk", "sharded", "greeting", "smalltalk")
	for _, w := range b.Words {
		if w.Slot != "right" && w.Slot != "beside" {
			addWord(x, w)
		}
	}
	for i := range b.Cards {
		addCard(x, &b.Cards[i], b.Cards[i].Names)
	}
	for i := range b.Cards { // second: a plain 4090 is the card that has that name, not its refit
		addCard(x, &b.Cards[i], baseNames(&b.Cards[i]))
	}
	hosts := map[string]bool{}
	for _, w := range b.Words {
		hosts[w.Value] = hosts[w.Value] || w.Slot == "host"
	}
	for i := range b.Models {
		id := b.Models[i].ID
		for _, name := range append([]string{id}, b.Models[i].Names...) {
			x.Add(name, text.Sense{Kind: kindModel, ID: id})
			if hosts[id] {
				x.Add(name, text.Sense{Kind: "host", ID: id})
			}
		}
	}
	addSpellings(x, b)
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

// addCard adds a card under some names. A name that says the memory stands for
// the whole label, any other for the label without it.
func addCard(x *text.Lexicon, c *Card, names []string) {
	base, gb := splitLabel(c)
	for _, name := range names {
		said := base
		if gb != "" && saysMemory(name, gb) {
			said = c.Label
		}
		x.Add(name, text.Sense{Kind: kindLabel, ID: said})
		x.Add(name, text.Sense{Kind: kindCard, ID: c.ID})
	}
}

// baseNames are the label without its memory, and that without RTX or GTX.
func baseNames(c *Card) []string {
	base, _ := splitLabel(c)
	names := []string{base}
	if rest := strings.TrimPrefix(strings.TrimPrefix(base, "RTX"), "GTX"); rest != base && rest[0] >= '0' && rest[0] <= '9' {
		names = append(names, rest)
	}
	return names
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

// addSpellings adds each name of a model once more with its beginning spelled
// otherwise. A name that some model has of its own stays that model's.
func addSpellings(x *text.Lexicon, b *Rulebook) {
	spellings := spellingsOf(b.Words)
	for i := range b.Models {
		m := &b.Models[i]
		for _, name := range append([]string{m.ID}, m.Names...) {
			plain := text.Normal(name).Text
			for _, w := range spellings {
				rest, ok := cutBeginning(plain, w.key)
				if !ok {
					continue
				}
				for _, other := range w.others {
					if !slices.ContainsFunc(x.Senses(other+rest), func(s text.Sense) bool { return s.Kind == kindModel }) {
						x.Add(other+rest, text.Sense{Kind: kindModel, ID: m.ID})
					}
				}
			}
		}
	}
}

// cutBeginning removes from a name in normal form the beginning of that key, if
// the name goes on with no letter.
func cutBeginning(name, key string) (rest string, ok bool) {
	if key == "" || name == "" || name[0] != key[0] {
		return "", false // most names: this runs for each of them and each spelling
	}
	for i := len(key); i <= len(name) && i <= len(key)+4; i++ {
		if text.Key(name[:i]) == key && (i == len(name) || name[i] < 'a' || name[i] > 'z') {
			return name[i:], true
		}
	}
	return "", false
}

// spelling is the beginning of model names and how else people write it.
type spelling struct {
	key    string
	others []string
}

func spellingsOf(words []Word) []spelling {
	var list []spelling
	for _, w := range words {
		if w.Slot == "spelling" {
			list = append(list, spelling{text.Key(w.Value), append(w.ZH[:len(w.ZH):len(w.ZH)], w.EN...)})
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
			if !sizeInName.MatchString(name) && x.Senses(name) == nil && !namesModel(x, name) {
				for _, s := range append(methodsIn(x, name), taskSense(&b.Tasks[i])) {
					x.Add(name, s)
				}
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

// namesModel reports whether a model is named inside a longer name: SDXL出图
// must still say SDXL.
func namesModel(x *text.Lexicon, name string) bool {
	for _, h := range x.Find(text.Normal(name).Text) {
		if slices.ContainsFunc(h.Senses, isModelSense) {
			return true
		}
	}
	return false
}

// methodsIn lists the methods that a longer name says: 人物LoRA still says LoRA.
func methodsIn(x *text.Lexicon, name string) []text.Sense {
	var methods []text.Sense
	for _, h := range x.Find(text.Normal(name).Text) {
		for _, s := range h.Senses {
			if s.Kind == "method" {
				methods = append(methods, s)
			}
		}
	}
	return methods
}

// taskSense is what naming a fine task says: for language models what is done,
// for the rest the task itself.
func taskSense(t *Task) text.Sense {
	switch t.Task {
	case "finetune", "pretrain", "train":
		return text.Sense{Kind: "does", ID: t.Task}
	case "inference":
		return text.Sense{Kind: "does", ID: "infer"}
	case "learn":
		return text.Sense{Kind: "field", ID: "learn"}
	case "":
		return text.Sense{Kind: "plain", ID: t.ID}
	}
	return text.Sense{Kind: "task", ID: t.Task}
}

// wordsBeside collects the words that are looked for only beside a number or a
// name, which are in the lexicon as slot "beside", by their value.
func wordsBeside(words []Word) map[string][]string {
	beside := map[string][]string{}
	for _, w := range words {
		if w.Slot == "beside" {
			beside[w.Value] = append(append(beside[w.Value], w.ZH...), w.EN...)
		}
	}
	return beside
}

// mistyped are the slots whose words we know even when they are mistyped.
var mistyped = []string{"method", "does", "task", "field", "program", "spelling", "intent", "audience", "cue", "model", "command", "precision", "variant", "priority"}

// newSlips collects the words that people mistype: what they do, with which
// model, and what they ask for. Other words that are near to one of them are in
// the lexicon as slot "right".
func newSlips(b *Rulebook) *text.Slips {
	var words, right []string
	for _, w := range b.Words {
		switch {
		case w.Slot == "right":
			right = append(right, w.EN...)
		case slices.Contains(mistyped, w.Slot):
			words = append(words, w.EN...)
		case w.Slot == "interruptible" || w.Slot == "compliance_kind":
			for _, name := range w.EN {
				words = append(words, longWords(name)...)
			}
		}
	}
	for i := range b.Models {
		words = append(append(words, b.Models[i].ID), b.Models[i].Names...)
	}
	return text.NewSlips(words, right)
}

// longWords are the words of a phrase that are long enough to be no others when
// they are mistyped.
func longWords(phrase string) []string {
	return slices.DeleteFunc(strings.Fields(phrase), func(w string) bool { return len(w) < 8 })
}
