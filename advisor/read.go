package advisor

import (
	"slices"
	"strings"

	"gpuadvisor/advisor/text"
)

// The ear: one text to a Reading. The rule of the house is that only what the
// text says becomes a fact; a number whose meaning is not said stays unread.
//
// A text is first brought into one form, then known names and quantities are
// found in it (advisor/text), and marked with what the words around them do to
// them: ruled out ("不是 7B"), replaced ("改成 14B"), somebody else's ("the
// paper used 8"). This is the scene (read_scene.go). Each reader then takes
// what is its own, in an order in which the surer goes first, so that no
// quantity is read twice:
//
//	read_model.go    the model and its size
//	read_task.go     what is to be done
//	read_cards.go    the cards named, and read_counts.go how many
//	read_money.go    budgets and prices
//	read_amounts.go  tokens, users, pictures
//	read_memory.go   sizes: of data, of the host's RAM, of a measured peak
//	read_time.go     how long it runs
//	read_facts.go    what is said in words alone: precision, compliance …
//	read_intent.go   what the person wants of us
//	read_command.go  orders inside a dialogue: back, skip, why …
//	read_answer.go   the answer to the question that is open
//
// Words are data (rules/words/lexicon); Go knows only how they fit together.

// maxRead is how much of a text is read, in bytes. Nobody describes a job in
// more; what comes behind is a pasted log or an attack.
const maxRead = 24 << 10

// Read says what a text means, given the question that is open. It is total:
// any text has a reading.
func (b *Rulebook) Read(textIn string, asked Asked) Reading {
	var pasted Reading
	if rest := pasted.config(textIn); rest != textIn {
		r := b.Read(rest, asked)
		r.Facts.Merge(pasted.Facts)
		r.Unlisted = pasted.Unlisted
		if r.Intent == "" || r.Intent == "offtopic" {
			r.Intent = "recommend"
		}
		return r
	}
	e := b.listen(textIn, asked)
	if e.hostile() || e.command() {
		return e.r
	}
	e.answer()
	e.facts()
	e.unanswered()
	e.topics()
	e.r.Intent = e.intent()
	e.afterIntent()
	e.intentOfTopic()
	return e.r
}

// ReadOption reads an option of a question as if its words had been typed. A
// group of options has no meaning of its own: then Arg is its ref.
func (b *Rulebook) ReadOption(ref string, asked Asked) (Reading, bool) {
	slot, id, _ := strings.Cut(ref, "=")
	q := b.asks[slot]
	if q == nil {
		if strings.HasPrefix(ref, "/") {
			return b.Read(ref, asked), true
		}
		return Reading{}, false
	}
	o := findOption(q.Options, id)
	if o == nil {
		return Reading{}, false
	}
	if len(o.Sub) > 0 || o.Means == "" {
		return Reading{Arg: ref}, true
	}
	return b.Read(o.Means, Asked{Slot: slot, Facts: asked.Facts}), true
}

// ear is one text being read.
type ear struct {
	book    *Rulebook
	asked   Asked
	known   *Facts // what the conversation knows; never nil
	line    text.Line
	s       string // normal form
	toks    []token
	clauses []clause
	cues    map[string]bool // everything the whole text cues
	changed bool            // it corrects itself
	people  bool            // the number at once is one of people
	r       Reading
}

// listen prepares a text for reading.
func (b *Rulebook) listen(textIn string, asked Asked) *ear {
	if len(textIn) > maxRead {
		textIn = textIn[:maxRead]
	}
	e := &ear{book: b, asked: asked, known: asked.Facts, line: text.Normal(withoutMention(textIn))}
	if e.known == nil {
		e.known = &Facts{}
	}
	e.s = e.line.Text
	e.scene()
	return e
}

// withoutMention drops the name of the bot that is spoken to.
func withoutMention(s string) string {
	s = strings.TrimSpace(s)
	if !strings.HasPrefix(s, "@") {
		return s
	}
	if i := strings.IndexAny(s, " \t\n\u3000"); i > 0 {
		return strings.TrimSpace(s[i:])
	}
	return s
}

// facts runs the readers over the scene.
func (e *ear) facts() {
	e.model()
	if !e.cues["intent=compare"] {
		e.flag("domestic", &e.r.Facts.Domestic)
	}
	e.namedCards()
	e.money()
	e.counts()
	e.context()
	e.concurrency()
	e.picture()
	e.memory()
	e.duration()
	e.words()
	e.task()
	e.team()
	e.newJob()
	e.odd()
}

// talking reports whether a conversation about a job is going on.
func (e *ear) talking() bool {
	return e.asked.Slot != "" || len(e.known.Said()) > 0
}

// withdraw notes that a slot's old value is taken back.
func (e *ear) withdraw(slots ...string) {
	for _, s := range slots {
		if !slices.Contains(e.r.Withdraw, s) {
			e.r.Withdraw = append(e.r.Withdraw, s)
		}
	}
}

// say sets a fact to what was said.
func say[T any](f *Fact[T], v T) { *f = Say(v) }

// han reports whether the text has Chinese characters.
func (e *ear) han() bool {
	return strings.ContainsFunc(e.line.Raw, func(r rune) bool { return r >= 0x4E00 && r <= 0x9FFF })
}
