package fault

import (
	"regexp"
	"slices"
	"strconv"
)

// Layer is where a fault lies, which decides who acts and who pays.
type Layer string

// The layers. HostMemory, Disk and Network are kinds of the five: see [Layer.Number].
const (
	Hardware   Layer = "hardware"    // the machine: the platform swaps it
	Driver     Layer = "driver"      // kernel driver and CUDA: the platform's in a container
	Image      Layer = "image"       // libraries, container flags
	Model      Layer = "model"       // a model or a plugin does not fit
	User       Layer = "user"        // own code or too small a machine
	Network    Layer = "network"     // names, hubs, ports
	HostMemory Layer = "host-memory" // RAM, not VRAM
	Disk       Layer = "disk"
	None       Layer = "none" // cannot tell
)

// Number returns the layer as people count them: 1 machine, 2 driver, 3 image,
// 4 model, 5 own code or size; 0 when it cannot be told.
func (l Layer) Number() int {
	switch l {
	case Hardware:
		return 1
	case Driver:
		return 2
	case Image, Network:
		return 3
	case Model:
		return 4
	case User, HostMemory, Disk:
		return 5
	}
	return 0
}

// Action is what to do first.
type Action string

// The actions.
const (
	Fix     Action = "fix"     // change the program, the image or its settings
	Restart Action = "restart" // restart the program, then the instance
	Swap    Action = "swap"    // another machine; the platform does it
	Claim   Action = "claim"   // swap, and ask for the lost hours back
	Resize  Action = "resize"  // a smaller job or a bigger machine
	Ask     Action = "ask"     // more lines are needed
)

// Fact is something that the paste shows by its numbers, not by its words. A
// signature may need one.
type Fact string

// The facts.
const (
	OOMPlain      Fact = "oom-plain"      // this process filled the card
	OOMHeld       Fact = "oom-held"       // somebody else holds much of the card
	OOMFragmented Fact = "oom-fragmented" // reserved, but in pieces
	OOMLarger     Fact = "oom-larger"     // one request is larger than the card
	CardFull      Fact = "card-full"      // a print in the paste shows a card at 95 % or more
)

// Consequence is the tier of lines that are never the cause.
const Consequence = 7

// Signature is how one fault shows itself. Patterns are RE2 and are tried on
// single lines; each needs a run of at least three letters or digits that every
// match contains.
type Signature struct {
	ID     string `yaml:"id" rule:"id"`
	Layer  Layer  `yaml:"layer" rule:"enum=hardware|driver|image|model|user|network|host-memory|disk|none"`
	Sub    string `yaml:"sub"`                                                  // the kind within the layer
	Tier   int    `yaml:"tier" rule:"min=1,max=7"`                              // see the package comment
	Action Action `yaml:"action" rule:"enum=fix|restart|swap|claim|resize|ask"` // what to do first

	Match  []string `yaml:"match,omitempty"`                                                                    // any of these makes a line evidence
	Xids   []int    `yaml:"xids,omitempty,flow"`                                                                // so does one of these numbers in the kernel log
	Unless []string `yaml:"unless,omitempty"`                                                                   // not when the same line also matches one of these
	Near   []string `yaml:"unless_near,omitempty"`                                                              // nor when the line, or two before and after, do
	With   []string `yaml:"with,omitempty"`                                                                     // counts only if some line of the paste matches one of these
	Absent []string `yaml:"without,omitempty"`                                                                  // counts only if no line of the paste does
	Needs  Fact     `yaml:"needs,omitempty" rule:"enum=oom-plain|oom-held|oom-fragmented|oom-larger|card-full"` // counts only if this holds

	// Vanishes says that the card disappears from prints: its absence there
	// does not make the event somebody else's.
	Vanishes bool `yaml:"vanishes,omitempty"`

	// Last says that the signature knows no more than the name of an exception:
	// it decides only when no other cause was seen, and is no reason beside one.
	Last bool `yaml:"last,omitempty"`

	Examples Examples `yaml:"examples"`
}

// Examples prove a signature: whole pastes, of one line or several.
type Examples struct {
	Match   []string `yaml:"match"`    // the signature is what Diagnose answers
	NoMatch []string `yaml:"no_match"` // the signature is not among the reasons
}

// Problem is a mistake in a signature, in the words of the loader: which field,
// what was found and what was wanted.
type Problem struct {
	ID    string // of the signature
	Field string // its YAML name, with [index] in a list
	Found string
	Want  string
}

// Book is a set of signatures ready for use. It is read-only and may be used by
// many goroutines.
type Book struct {
	sigs     []entry
	patterns []pattern
	scan     *scanner
	xids     map[int]int // Xid number → index of the signature
}

// entry is a signature with what New compiled for it.
type entry struct {
	Signature
	unless, near []*regexp.Regexp
}

// pattern is one regular expression and the signatures that use it: several
// may share one, and it is tried once.
type pattern struct {
	text string
	re   *regexp.Regexp // anchored if need.lead
	need need
	uses []use
}

// window is how much of a very long line, on either side of the word, a
// pattern gets to see.
const window = 640

// matches reports whether the pattern matches a line in which its word begins
// at the given place.
func (p *pattern) matches(line string, at int) bool {
	if p.need.lead {
		if p.need.edge && at > 0 && isWord(line[at-1]) == isWord(line[at]) {
			return false
		}
		return p.re.MatchString(line[at:min(len(line), at+window)])
	}
	if len(line) > 2*window {
		line = line[max(0, at-window):min(len(line), at+window)]
	}
	return p.re.MatchString(line)
}

// again reports whether trying the pattern at another place of the same line
// can change anything.
func (p *pattern) again(line string, last, at int) bool {
	return p.need.lead || len(line) > 2*window && at-last > window/2
}

type use struct {
	sig  int
	kind useKind
}

type useKind int

const (
	asMatch useKind = iota
	asWith
	asAbsent
)

// New compiles the signatures. Problems name every mistake at once; a signature
// with a mistake is left out, the others work.
func New(sigs []Signature) (*Book, []Problem) {
	c := compiler{book: &Book{xids: map[int]int{}}, byText: map[string]int{}, ids: map[string]bool{}}
	for _, s := range sigs {
		c.add(s)
	}
	c.book.scan = newScanner(c.book.patterns)
	return c.book, c.problems
}

// Signature returns the signature with this id.
func (b *Book) Signature(id string) (Signature, bool) {
	for _, e := range b.sigs {
		if e.ID == id {
			return e.Signature, true
		}
	}
	return Signature{}, false
}

// Prove tries every example of every signature and returns those that fail.
func (b *Book) Prove() []Problem {
	var out []Problem
	for _, e := range b.sigs {
		for i, paste := range e.Examples.Match {
			if got := b.Diagnose(paste).Because; len(got) == 0 || got[0] != e.ID {
				out = append(out, Problem{e.ID, index("examples.match", i), "read as " + first(got), e.ID})
			}
		}
		for i, paste := range e.Examples.NoMatch {
			if slices.Contains(b.Diagnose(paste).Because, e.ID) {
				out = append(out, Problem{e.ID, index("examples.no_match", i), "matches " + e.ID, "no match"})
			}
		}
	}
	return out
}

func first(ids []string) string {
	if len(ids) == 0 {
		return "nothing"
	}
	return ids[0]
}

func index(field string, i int) string { return field + "[" + strconv.Itoa(i) + "]" }

// compiler gathers what New builds.
type compiler struct {
	book     *Book
	byText   map[string]int  // pattern text → index in book.patterns
	ids      map[string]bool // signatures seen
	problems []Problem
}

func (c *compiler) add(s Signature) {
	before := len(c.problems)
	c.check(s)
	sig := len(c.book.sigs)
	e := entry{Signature: s}
	e.unless = c.compile(s.ID, "unless", s.Unless)
	e.near = c.compile(s.ID, "unless_near", s.Near)
	var uses []int
	uses = append(uses, c.use(s.ID, "match", s.Match, use{sig, asMatch})...)
	uses = append(uses, c.use(s.ID, "with", s.With, use{sig, asWith})...)
	uses = append(uses, c.use(s.ID, "without", s.Absent, use{sig, asAbsent})...)
	if len(c.problems) > before {
		for _, p := range uses { // take the marks of a broken signature back
			u := c.book.patterns[p].uses
			c.book.patterns[p].uses = u[:len(u)-1]
		}
		return
	}
	c.book.sigs = append(c.book.sigs, e)
	for _, code := range s.Xids {
		c.book.xids[code] = sig
	}
}

var (
	layers  = []Layer{Hardware, Driver, Image, Model, User, Network, HostMemory, Disk, None}
	actions = []Action{Fix, Restart, Swap, Claim, Resize, Ask}
	facts   = []Fact{"", OOMPlain, OOMHeld, OOMFragmented, OOMLarger, CardFull}
)

func (c *compiler) check(s Signature) {
	c.want(s.ID != "", s, "id", "", "a name")
	c.want(!c.ids[s.ID], s, "id", s.ID, "an id used once")
	c.ids[s.ID] = true
	c.want(slices.Contains(layers, s.Layer), s, "layer", string(s.Layer), oneOf(layers))
	c.want(slices.Contains(actions, s.Action), s, "action", string(s.Action), oneOf(actions))
	c.want(slices.Contains(facts, s.Needs), s, "needs", string(s.Needs), oneOf(facts[1:]))
	c.want(s.Tier >= 1 && s.Tier <= Consequence, s, "tier", strconv.Itoa(s.Tier), "1 to 7")
	c.want((s.Tier == Consequence) == (s.Layer == None), s, "tier", strconv.Itoa(s.Tier), "7 for layer none and only for it")
	c.want(len(s.Match)+len(s.Xids) > 0, s, "match", "nothing", "a pattern or an Xid number")
	for i, code := range s.Xids {
		_, taken := c.book.xids[code]
		c.want(!taken, s, index("xids", i), strconv.Itoa(code), "a number that no other signature has")
	}
}

func (c *compiler) want(ok bool, s Signature, field, found, want string) {
	if !ok {
		c.problems = append(c.problems, Problem{s.ID, field, found, want})
	}
}

func oneOf[T ~string](values []T) string {
	out := "one of"
	for _, v := range values {
		out += " " + string(v)
	}
	return out
}

func (c *compiler) compile(id, field string, texts []string) []*regexp.Regexp {
	var out []*regexp.Regexp
	for i, t := range texts {
		re, err := regexp.Compile(t)
		if err != nil {
			c.problems = append(c.problems, Problem{id, index(field, i), t, "a regular expression: " + err.Error()})
			continue
		}
		out = append(out, re)
	}
	return out
}

// use enters patterns that the scanner looks for and returns their indexes.
func (c *compiler) use(id, field string, texts []string, u use) []int {
	var out []int
	for i, t := range texts {
		n, known := c.byText[t]
		if !known {
			p, problem := newPattern(t)
			if problem != "" {
				c.problems = append(c.problems, Problem{id, index(field, i), t, problem})
				continue
			}
			n = len(c.book.patterns)
			c.book.patterns = append(c.book.patterns, p)
			c.byText[t] = n
		}
		c.book.patterns[n].uses = append(c.book.patterns[n].uses, u)
		out = append(out, n)
	}
	return out
}

// newPattern compiles a pattern that the scanner can look for, or says what is
// wanted of it.
func newPattern(text string) (p pattern, problem string) {
	p = pattern{text: text, need: required(text)}
	re, err := regexp.Compile(text)
	if err != nil {
		return p, "a regular expression: " + err.Error()
	}
	if len(p.need.words) == 0 {
		return p, "a pattern with at least three letters that every match contains"
	}
	if p.need.lead {
		re = regexp.MustCompile("^(?:" + text + ")") // compiles, as text does
	}
	p.re = re
	return p, ""
}
