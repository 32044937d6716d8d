package advisor

import (
	"slices"

	"gpuadvisor/advisor/text"
)

// follow.go answers what people ask once they talk about a job and that no flow
// is for: what a word means, what to do next, whether data can be lost. The
// questions and answers are data (rules/followups.yaml); some also show a part
// of the advice.

// Followup is a question that may come up beside a job, and its answer.
type Followup struct {
	ID    string   `yaml:"id"`
	ZH    []string `yaml:"zh"` // how people ask; the longest that occurs in a message counts
	EN    []string `yaml:"en"`
	Term  bool     `yaml:"term,omitempty"`                                                  // asks what a word means: the word is no fact
	Shows string   `yaml:"shows,omitempty" rule:"enum=risks|next|savings|link|storage|ask"` // part of the advice to show with it
	Say   Text     `yaml:"say"`
}

func newFollowLexicon(list []Followup) *text.Lexicon {
	x := text.NewLexicon()
	for _, f := range list {
		for _, names := range [][]string{f.ZH, f.EN} {
			for _, name := range names {
				x.Add(name, text.Sense{Kind: "followup", ID: f.ID})
			}
		}
	}
	return x
}

// besides are the facts that may be said with such a question without making it
// one about the job.
var besides = []string{"audience", "priority"}

// follows answers a message that asks such a question and nothing else. It
// reports whether it did.
func (t *turn) follows() bool {
	if t.r.Command != "" && t.r.Command != "explain" || t.r.Greeting {
		return false
	}
	f, rest := t.followup()
	job := t.c.Asked != "" || len(t.c.Facts.Said()) > 0
	switch {
	case f == nil:
		return false
	case t.r.Command == "explain" && t.c.Asked != "" && !f.Term:
		return false // the open question is explained
	case !job && !(f.Term && t.asksOnly(rest)):
		return false // only what a word means needs no job to talk about
	case !f.Term && !t.saysNothingElse(rest):
		return false
	case f.ID == "next" && t.c.Asked != "": // the next step is the open question
		t.because("followup.next")
		t.text("follow.question")
		t.backToQuestion()
		return true
	case f.Shows == "next" && (t.c.Asked != "" || t.book.decide(t.c.Facts, t.c.Settled, t.m.At) == nil):
		return false // the next step is the open question, or there is none
	}
	t.r.Facts = rest.Facts
	if !f.Term && len(rest.Facts.Said()) > 0 {
		t.merge()
	}
	t.r.Intent = "help"
	t.answerFollowup(f)
	return true
}

// asksOnly reports whether a message asks what a word means and no more. What a
// topic answers (rules/words, topic.*) is answered there, and leads to a job.
func (t *turn) asksOnly(rest Reading) bool {
	return rest.Command == "" && len(rest.Facts.Said()) == 0 && t.r.Topic == "" && rest.Intent != "recommend"
}

// followsInstead answers such a question that began like an order which found nothing to do:
// "why not use a free notebook?", 如果用自己的电脑呢. It reports whether it was one.
func (t *turn) followsInstead() bool {
	f, rest := t.followup()
	if f == nil || f.Shows == "next" || slices.ContainsFunc(rest.Facts.Said(), func(s string) bool { return !slices.Contains(besides, s) }) {
		return false
	}
	t.r.Intent, t.r.Command = "help", ""
	t.answerFollowup(f)
	return true
}

// answerFollowup says the answer, and what the advice has to it.
func (t *turn) answerFollowup(f *Followup) {
	t.reply.Act = "answer"
	t.because("followup." + f.ID)
	t.reply.Parts = append(t.reply.Parts, Part{Kind: "text", Text: f.Say.In(t.lang)})
	if d := t.book.decide(t.c.Facts, t.c.Settled, t.m.At); d != nil && !d.stop {
		t.show(f.Shows, d)
	}
	t.returnTo()
}

// asksTerm reports whether the message asks what a word means.
func (t *turn) asksTerm() bool {
	f, _ := t.followup()
	return f != nil && f.Term
}

// saysNothingElse reports whether the message has no wish that a flow of its own
// is for, and the rest of it no fact of the job.
func (t *turn) saysNothingElse(rest Reading) bool {
	for _, r := range []*Reading{&t.r, &rest} {
		switch r.Intent {
		case "", "offtopic", "help", "recommend":
		case "platform":
			if t.r.Topic == "" {
				return false
			}
		default:
			return false
		}
	}
	return rest.Command == "" && len(rest.Withdraw) == 0 && !slices.ContainsFunc(rest.Facts.Said(), func(s string) bool { return !slices.Contains(besides, s) })
}

// followup is the question whose wording is the longest in the message, and what
// the rest of the message says: the words of the question are no facts.
func (t *turn) followup() (*Followup, Reading) {
	said := text.Normal(t.words()).Text
	var best text.Hit
	for _, h := range t.book.followups.Find(said) {
		if h.End-h.Start > best.End-best.Start {
			best = h
		}
	}
	if best.End == 0 {
		return nil, Reading{}
	}
	for i := range t.book.Followups {
		if t.book.Followups[i].ID == best.Senses[0].ID {
			return &t.book.Followups[i], t.book.Read(said[:best.Start]+" "+said[best.End:], Asked{Facts: &t.c.Facts})
		}
	}
	return nil, Reading{}
}

// show adds the part of the advice that an answer points at.
func (t *turn) show(what string, d *decision) {
	line := ""
	switch what {
	case "risks":
		line = t.risksBlock(d, len(d.risks))
	case "next":
		line = t.nextBlock(d)
	case "link":
		line = t.countBlock(d)
	case "storage":
		t.sayStorage(d)
	case "ask":
		t.sayAudience(d)
	case "savings":
		t.saySavings(d)
	}
	if line != "" {
		t.reply.Parts = append(t.reply.Parts, Part{Kind: "text", Text: line})
	}
}

// saySavings lists what would make this job cheaper: one change of the job that
// takes it down a class, and interruptible instances.
func (t *turn) saySavings(d *decision) {
	if lever := d.lever(); lever != "" {
		t.text("more.lever", "lever", t.book.say(t.lang, "lever."+lever))
	}
	for _, c := range d.Changes {
		if c.If == "interruptible=yes" || c.If == "method=qlora" || c.If == "precision=int4" {
			t.reply.Parts = append(t.reply.Parts, Part{Kind: "text", Text: "• " + t.changeWords(c)})
		}
	}
}
