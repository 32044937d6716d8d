package advisor

import (
	"slices"
	"strings"

	"gpuadvisor/advisor/text"
)

// Checklists: asked for in passing, a list is shown as a whole; "/checklist
// disk" goes through it item by item, with yes, no and don't know. What nobody
// knows becomes what to ask the platform, ready to copy.

// tickList starts a list, or shows which there are.
func (t *turn) tickList() {
	t.r.Intent = "checklist"
	t.reply.Act = "answer"
	t.because("checklist")
	l := t.book.ChecklistNamed(t.r.Arg)
	if l == nil {
		t.listLists()
		return
	}
	t.c.Flow = Flow{Kind: "checklist", ID: l.ID}
	t.checklistItem()
}

// listLists names every list, each to be tapped.
func (t *turn) listLists() {
	if strings.TrimSpace(t.r.Arg) != "" {
		t.text("checklist.unknown")
	}
	t.text("checklist.which")
	t.c.Flow = Flow{} // what was open would take the number that picks a list
	for i := range t.book.Checklists {
		l := &t.book.Checklists[i]
		t.reply.Choices = append(t.reply.Choices, Choice{Ref: "/checklist " + l.ID, Label: l.Title.In(t.lang)})
	}
	t.c.Options = refs(t.reply.Choices)
}

// checklist shows the list that a text asks for, as a whole.
func (t *turn) checklist() {
	t.reply.Act = "answer"
	t.because("checklist")
	l := t.book.checklistIn(t.m.Text)
	if l == nil {
		return
	}
	t.because("checklist." + l.ID)
	t.heading("checklist.title", "title", l.Title)
	t.reply.Parts = append(t.reply.Parts, Part{Kind: "text", Text: numbered(l, t.lang, false)})
	if t.c.Asked != "" {
		t.backToQuestion()
		return
	}
	t.reply.Choices = []Choice{{Ref: "/checklist " + l.ID, Label: t.book.say(t.lang, "choice.tick")}, {Ref: "/checklist", Label: t.book.say(t.lang, "choice.lists")}}
	if l.Leads != "" {
		t.reply.Choices = append([]Choice{{Ref: "/" + l.Leads, Label: t.book.say(t.lang, "choice."+l.Leads)}}, t.reply.Choices...)
	}
	t.c.Options = refs(t.reply.Choices)
	t.c.Answered = true
}

// numbered writes the items of a list, with the reasons when they are wanted.
func numbered(l *Checklist, lang string, why bool) string {
	var lines []string
	for i, item := range l.Items {
		lines = append(lines, enumerated(i+1, item.Ask.In(lang)))
		if why {
			lines = append(lines, "   "+item.Why.In(lang))
		}
	}
	return strings.Join(lines, "\n")
}

// checklistItem shows the open item, or the result when there is none, or when
// an answer ends it all.
func (t *turn) checklistItem() {
	flow := t.c.Flow
	l := t.book.checklistByID(flow.ID)
	t.reply.Act = "answer"
	if l == nil { // the rules have changed since
		t.leaveFlow()
		return
	}
	t.because("checklist." + l.ID)
	n := len(flow.Ticks)
	if n > 0 && n <= len(l.Items) && l.Items[n-1].stops(flow.Ticks[n-1]) {
		t.heading("checklist.stop")
		t.reply.Parts = append(t.reply.Parts, Part{Kind: "text", Text: l.Items[n-1].Why.In(t.lang)})
		t.because("checklist." + l.ID + "." + l.Items[n-1].ID)
		t.endFlow()
		return
	}
	if n >= len(l.Items) {
		t.sayTicked(l, flow.Ticks)
		t.endFlow()
		return
	}
	item := l.Items[n]
	t.note("checklist.place", "title", l.Title, "n", n+1, "of", len(l.Items))
	t.reply.Parts = append(t.reply.Parts, Part{Kind: "question", Text: item.Ask.In(t.lang)}, Part{Kind: "note", Text: item.Why.In(t.lang)})
	t.offerFlow("yes", "no", "unknown")
}

// passes reports whether an answer is the good one.
func (i Item) passes(t Tick) bool {
	if i.Pass == "no" {
		return t.Is == "no"
	}
	return t.Is == "yes"
}

func (i Item) stops(t Tick) bool { return i.Gate == "stop" && t.Is != "unknown" && !i.passes(t) }

// sayTicked says how a list went: how many of how many, what failed and why it
// matters, and what is left to ask.
func (t *turn) sayTicked(l *Checklist, ticks []Tick) {
	var failed, open, noted []string
	passed, missed := 0, false
	for i, item := range l.Items[:min(len(l.Items), len(ticks))] {
		switch tick := ticks[i]; {
		case item.passes(tick):
			passed++
		case tick.Is == "unknown":
			open = append(open, item.Ask.In(t.lang))
		default:
			failed = append(failed, "• "+item.Ask.In(t.lang)+" "+item.Why.In(t.lang))
		}
		missed = missed || item.Gate == "must" && !item.passes(ticks[i])
		if ticks[i].Note != "" {
			noted = append(noted, enumerated(i+1, ticks[i].Note))
		}
	}
	t.heading("checklist.result", "title", l.Title, "n", passed, "of", len(l.Items))
	if l.Go != nil {
		way := map[bool]string{true: "go", false: "stay"}[passed == len(l.Items)]
		t.reply.Parts = append(t.reply.Parts, Part{Kind: "text", Text: map[string]Text{"go": l.Go, "stay": l.Stay}[way].In(t.lang)})
		t.because("checklist." + l.ID + "." + way)
	}
	switch {
	case l.Go != nil:
	case missed:
		t.text("checklist.must")
	case len(failed)+len(open) == 0:
		t.text("checklist.all")
	}
	block := func(kind, key string, lines []string) {
		if len(lines) > 0 {
			t.text(key, "n", len(lines))
			t.reply.Parts = append(t.reply.Parts, Part{Kind: kind, Text: strings.Join(lines, "\n")})
		}
	}
	block("text", "checklist.failed", failed)
	if l.Go != nil {
		block("text", "checklist.open", open)
	} else {
		block("code", "checklist.ask", open)
	}
	block("text", "checklist.noted", noted)
	t.because("checklist.result")
}

func (b *Rulebook) checklistByID(id string) *Checklist {
	for i := range b.Checklists {
		if b.Checklists[i].ID == id {
			return &b.Checklists[i]
		}
	}
	return nil
}

// ChecklistNamed finds a list by its id, its title or one of its names; nil
// when the text is none of them.
func (b *Rulebook) ChecklistNamed(name string) *Checklist {
	key := text.Key(name)
	for i := range b.Checklists {
		if l := &b.Checklists[i]; key != "" && slices.ContainsFunc(l.spellings(), func(s string) bool { return text.Key(s) == key }) {
			return l
		}
	}
	return b.checklistLike(key)
}

// checklistLike finds the list with the shortest name that a word is part of:
// "disk" for the six disk questions.
func (b *Rulebook) checklistLike(key string) *Checklist {
	var best *Checklist
	short := 1 << 10
	for i := range b.Checklists {
		for _, name := range b.Checklists[i].spellings() {
			if k := text.Key(name); len(key) >= 4 && len(k) < short && strings.Contains(k, key) {
				best, short = &b.Checklists[i], len(k)
			}
		}
	}
	return best
}

func (l *Checklist) spellings() []string {
	all := append([]string{l.ID}, l.Names...)
	for _, title := range l.Title {
		all = append(all, title)
	}
	return all
}

// checklistIn finds the list that a text speaks of: the longest of the names in
// it. The one for before renting stands in for a text that names none.
func (b *Rulebook) checklistIn(said string) *Checklist {
	best, long, line := b.checklistByID("before-renting"), 0, text.Normal(said).Text
	for i := range b.Checklists {
		for _, name := range b.Checklists[i].spellings() {
			if k := text.Normal(name).Text; len(k) > long && wordIn(line, k) >= 0 {
				best, long = &b.Checklists[i], len(k)
			}
		}
	}
	return best
}

// wordIn finds a name in a text in normal form, -1 when it is not there. A Latin
// name stands alone: no "sla" in "translate".
func wordIn(line, name string) int {
	if name == "" {
		return -1
	}
	for from := 0; ; {
		i := strings.Index(line[from:], name)
		if i < 0 {
			return -1
		}
		i += from
		end := i + len(name)
		if !(i > 0 && latin(line[i-1]) && latin(name[0])) && !(end < len(line) && latin(line[end]) && latin(name[len(name)-1])) {
			return i
		}
		from = i + 1
	}
}

func latin(c byte) bool { return c >= 'a' && c <= 'z' || c >= '0' && c <= '9' }

// Ticked words the result of a list outside of any conversation; without
// answers it is the list itself, with its reasons.
func (a *Advisor) Ticked(l *Checklist, ticks []Tick, lang string) Reply {
	t := a.aside(Message{Lang: lang})
	t.because("checklist." + l.ID)
	for i, tick := range ticks[:min(len(ticks), len(l.Items))] {
		if l.Items[i].stops(tick) {
			t.heading("checklist.stop")
			t.reply.Parts = append(t.reply.Parts, Part{Kind: "text", Text: l.Items[i].Why.In(lang)})
			return t.reply
		}
	}
	if len(ticks) == 0 {
		t.heading("checklist.title", "title", l.Title)
		t.reply.Parts = append(t.reply.Parts, Part{Kind: "text", Text: numbered(l, lang, true)})
		return t.reply
	}
	for len(ticks) < len(l.Items) {
		ticks = append(ticks[:len(ticks):len(ticks)], Tick{Is: "unknown"})
	}
	t.sayTicked(l, ticks)
	return t.reply
}

// Tick reads an answer to an item, as a person writes it.
func (a *Advisor) Tick(s string) Tick {
	t := &turn{book: a.book}
	if tick, plain := t.plainTick(strings.TrimSpace(s)); plain {
		return tick
	}
	return noted(s)
}

// Passed counts the good answers.
func (l *Checklist) Passed(ticks []Tick) int {
	n := 0
	for i, item := range l.Items {
		if i < len(ticks) && item.passes(ticks[i]) {
			n++
		}
	}
	return n
}
