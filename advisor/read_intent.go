package advisor

import (
	"strings"
	"unicode"

	"gpuadvisor/advisor/text"
)

// hostile recognises injected instructions, crime and abuse. In such a text no
// fact is read.
func (e *ear) hostile() bool {
	for i := range e.toks {
		switch e.toks[i].sense("hostile") {
		case "injection", "crime", "insult":
			e.r.Hostile, e.r.Intent = true, "offtopic"
			return true
		}
	}
	if e.evades() {
		e.r.Hostile, e.r.Intent = true, "offtopic"
		return true
	}
	return false
}

// evades reports whether a clause is about getting round a check: the two words
// may stand apart, as in 绕过平台的实名认证.
func (e *ear) evades() bool {
	for i := range e.toks {
		if e.toks[i].sense("evade") == "" || e.toks[i].not {
			continue
		}
		for j := i + 1; j < len(e.toks) && e.toks[j].clause == e.toks[i].clause; j++ {
			if e.toks[j].sense("guarded") != "" {
				return true
			}
		}
	}
	return false
}

// intent decides what the person wants. Words that want one thing only come
// first (a reminder, the list, help); then questions about a trouble, a choice
// between cards, money, a place; what is left and speaks of a job is a wish
// for advice.
func (e *ear) intent() string {
	if e.r.Command == "help" {
		return "help"
	}
	said := len(e.r.Facts.Said()) > 0
	switch {
	case e.empty():
		return "offtopic"
	case e.wants("remind"):
		if e.wants("help") {
			return "help"
		}
		return "remind"
	case (e.wants("checklist") || e.namesList()) && !e.wantsCard():
		return "checklist"
	case e.wants("help") && !e.saysDetail(), e.defines() && !e.talking():
		return "help"
	case e.smallTalk(said):
		e.r.Greeting = e.greets()
		return "offtopic"
	case e.troubled():
		return "diagnose"
	case e.compares():
		return "compare"
	case e.wants("cost") && !e.wantsSize() && e.r.Facts.Budget.Value.Per != "hour", e.r.Facts.PriceHour.Known() && !e.wants("recommend"), e.hoursForMoney(), e.sums():
		return "cost"
	case e.places():
		return "platform"
	case e.wants("recommend") && (said || !e.recommendsOther()):
		return "recommend"
	case e.talking():
		return e.inTalk(said)
	case said || e.speaksOfCards():
		return "recommend"
	}
	if e.talking() {
		return ""
	}
	e.r.Greeting = e.greets()
	return "offtopic"
}

// inTalk is the intent of a text that only adds to a running dialogue.
func (e *ear) inTalk(said bool) string {
	if said || len(e.r.Withdraw) > 0 || e.r.Unclear != "" || e.r.Unlisted != "" || e.r.Command != "" {
		return ""
	}
	if e.greets() {
		e.r.Greeting = true
		return "offtopic"
	}
	if e.billing() {
		return "platform"
	}
	return ""
}

// namesList reports whether a checklist is called by its name.
func (e *ear) namesList() bool {
	for i := range e.toks {
		if t := &e.toks[i]; t.sense(kindList) != "" {
			if name := e.s[t.start:t.end]; strings.Contains(name, "清单") || strings.Contains(name, "检查") || strings.Contains(name, "checklist") || strings.Contains(name, "before") {
				return true
			}
		}
	}
	return false
}

// saysActivity reports whether something is named that is done with a card; talk
// alone is not.
func (e *ear) saysActivity() bool {
	for i := range e.toks {
		t := &e.toks[i]
		if d := t.sense("does"); d != "" && d != "converse" || t.sense("field") != "" || t.sense("task") != "" || t.sense(kindLabel) != "" {
			return true
		}
	}
	return false
}

// recommendsOther reports whether a recommendation is asked for and nothing of
// ours is named, only something else: 推荐个好看的动漫.
func (e *ear) recommendsOther() bool {
	rest := len(strings.Trim(e.s, particles))
	for i := range e.toks {
		t := &e.toks[i]
		if !t.is("intent", "recommend") && !t.cue("rent") && !t.cue("but") && !t.cue("or") {
			return false
		}
		rest -= t.end - t.start
	}
	return rest > 9
}

// saysDetail reports whether more than a task is said.
func (e *ear) saysDetail() bool {
	f := &e.r.Facts
	return f.Model.Known() || f.ParamsB.Known() || f.GPUNamed.Known() || f.DurationHours.Known() || f.DataGB.Known() || f.Budget.Known() || f.Method.Known()
}

func (e *ear) wants(intent string) bool {
	for i := range e.toks {
		if t := &e.toks[i]; !t.not && t.is("intent", intent) {
			return true
		}
	}
	return false
}

// empty reports whether nothing is written but marks and emoji.
func (e *ear) empty() bool {
	return strings.IndexFunc(e.s, func(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) }) < 0
}

func (e *ear) greets() bool { return e.hasKind("greeting") }

// smallTalk reports whether the text is about something else. A job that is
// described beside it makes it ours again.
func (e *ear) smallTalk(said bool) bool {
	if !e.hasKind("smalltalk") {
		return false
	}
	f := &e.r.Facts
	return (!f.Task.Known() || !e.saysActivity()) && !f.Model.Known() && !f.DurationHours.Known() && !f.ParamsB.Known() && !f.Method.Known() && !e.wants("remind")
}

// troubled reports whether the text tells of a fault, not of a plan: a card
// that is wanted for a job that went wrong elsewhere is a recommendation.
func (e *ear) troubled() bool {
	if !e.tellsTrouble() && !e.hardlyUsed() || e.asksMeaning() {
		return false
	}
	return !e.asksHowMany() && !e.elsewhere()
}

// elsewhere reports whether the trouble is that of a free notebook, which is why
// somebody with a job wants to rent.
func (e *ear) elsewhere() bool {
	f := &e.r.Facts
	return containsAny(e.s, "colab", "kaggle") && f.Task.Known() && (f.Budget.Known() || f.DurationHours.Known() || f.Model.Known())
}

// tellsTrouble reports whether a word for a fault is said of what happened, not
// of what is to be avoided.
func (e *ear) tellsTrouble() bool {
	for i := range e.toks {
		if t := &e.toks[i]; !t.not && t.is("intent", "diagnose") && !e.avoided(i) {
			return true
		}
	}
	return false
}

// avoided reports whether a trouble is only what must not come: "a card that
// won't oom", 别爆显存, 怕爆显存, 会爆显存吗.
func (e *ear) avoided(i int) bool {
	head := strings.TrimRight(e.s[:e.toks[i].start], " 炸爆撑") // 炸显存 is found at its 显存
	if e.toks[i].is("topic", "diagnose.oom") && e.wondered(i, head) {
		return true
	}
	return hasAnySuffix(head, " won't", " wont", " will not", " doesn't", " doesnt", " does not", " not", " never", "without", "avoid", " avoids", "no more", " never ever",
		"不", "不会", "不至于", "别", "别再", "不再", "避免", "防止", "怕", "怕会", "以免", "省得", "免得")
}

// wondered reports whether the trouble at token i, behind head, is asked about
// before it came: "will it oom?"
func (e *ear) wondered(i int, head string) bool {
	said := strings.Trim(e.s[e.clauses[e.toks[i].clause].start:], " ")
	return strings.HasSuffix(head, "会") && strings.ContainsAny(said, "吗么?") ||
		strings.HasSuffix(said, "?") && hasAnyPrefix(said, "will ", "would ", "could ", "might ", "is it going to ", "am i going to ")
}

// hardlyUsed reports whether a text says that the card is used to a few per
// cent: "the gpu sits at 3%".
func (e *ear) hardlyUsed() bool {
	for i := range e.toks {
		t := &e.toks[i]
		if t.q == nil || t.q.Unit != text.Percent || t.q.Vague || t.q.Hi > 60 || strings.HasSuffix(e.s[:t.end], "倍") {
			continue
		}
		if e.before(i, "card") && containsAny(e.s[max(0, t.start-24):t.start], " at ", " is ", " only ", " sits ", " around ", " shows ", "只有", "才", "就", "一直", "在", "占用") &&
			!containsAny(e.s, "cheaper", "discount", "off", "便宜", "折", "贵", "faster", "slower", "快", "less", "more") {
			return true
		}
	}
	return false
}

// asksMeaning reports whether the only trouble in a text is that a word of ours
// is not understood: 裸金属是啥意思.
func (e *ear) asksMeaning() bool {
	ours := false
	for i := range e.toks {
		t := &e.toks[i]
		if t.is("intent", "diagnose") && !strings.Contains(e.s[t.start:t.end], "意思") {
			return false
		}
		ours = ours || t.sense("topic") != "" || t.sense(kindPlace) != "" || t.is("intent", "billing")
	}
	return ours
}

// asksHowMany reports whether the text asks for a number of cards or for one to
// rent: then the trouble is only the reason.
func (e *ear) asksHowMany() bool {
	return e.cues["howmany"] || e.r.Facts.Budget.Known() && e.cues["rent"]
}

// compares reports whether a choice is asked for: between cards, or between
// ways of renting.
func (e *ear) compares() bool {
	cards := e.cardsChosen()
	switch {
	case cards >= 2:
		return e.wants("compare") || e.between() && !e.cues["either"]
	case cards == 1 && e.wants("compare") && e.counts2():
		return true
	case e.wants("form") && e.betweenWays():
		return true
	case e.ways() >= 2:
		return !e.wants("cost") && !e.wants("platform") && (e.wants("compare") || e.betweenWays())
	}
	if e.wants("compare") && !e.described() && (e.undecided("method") || e.undecided("precision")) {
		return true
	}
	return e.wants("compare") && !e.wants("cost") && !e.saysPlatform() && !e.talking() && e.billing()
}

// counts2 reports whether two different numbers of cards are named.
func (e *ear) counts2() bool {
	seen := map[float64]bool{}
	for i := range e.toks {
		if c, strength := e.cardCount(i); strength > 0 {
			seen[float64(c.Most())] = true
		}
	}
	return len(seen) > 1
}

func (e *ear) cardsChosen() int {
	n := 0
	for _, c := range e.r.Facts.GPUNamed.Value {
		if !c.Not {
			n++
		}
	}
	return n
}

// between reports whether "or" or its like stands between two named cards.
func (e *ear) between() bool {
	last := -1
	or := false
	for i := range e.toks {
		t := &e.toks[i]
		switch {
		case t.sense(kindLabel) != "" && !t.not:
			if last >= 0 && or {
				return true
			}
			last, or = i, false
		case t.cue("or") || t.cue("instead"):
			or = or || last >= 0
		case t.is("command", "whatif"):
			return false
		}
	}
	gap := e.s
	return last >= 0 && (strings.Contains(gap, "哪") || strings.Contains(gap, "which") || strings.Contains(gap, "要 a") || strings.Contains(gap, "好"))
}

// ways counts the ways of renting that are named: monthly, bare metal …
func (e *ear) ways() int {
	seen := map[string]bool{}
	for i := range e.toks {
		if t := &e.toks[i]; t.is("intent", "billing") || t.is("intent", "form") {
			seen[e.s[t.start:t.end]] = true
		}
	}
	return len(seen)
}

func (e *ear) betweenWays() bool {
	return strings.Contains(e.s, "还是") || strings.Contains(e.s, " or ") || strings.Contains(e.s, " vs")
}

func (e *ear) billing() bool { return e.ways() > 0 }

// wantsCard reports whether a card is what is asked for.
func (e *ear) wantsCard() bool {
	return e.wants("recommend") && e.r.Facts.Task.Known()
}

// wantsSize reports whether "how much" asks for memory or data, not money.
func (e *ear) wantsSize() bool {
	return e.wants("recommend") && e.r.Facts.Budget.Known()
}

// hoursForMoney reports whether it is asked how long a budget lasts: 100 刀能用
// 几个小时 A100.
func (e *ear) hoursForMoney() bool {
	f := &e.r.Facts
	if !f.Budget.Known() || f.Task.Known() || !f.GPUNamed.Known() {
		return false
	}
	for i := range e.toks {
		if q := e.toks[i].q; q != nil && q.Unit == text.Hours && q.Vague {
			return true
		}
	}
	return strings.Contains(e.s, "多久") || strings.Contains(e.s, "多长时间") || strings.Contains(e.s, "几天") || strings.Contains(e.s, "how long") || strings.Contains(e.s, "多少小时") || strings.Contains(e.s, "多少天")
}

// sums reports whether a total is asked for, of cards and hours alone.
func (e *ear) sums() bool {
	f := &e.r.Facts
	return containsAny(e.s, "total", "altogether", "总共", "一共", "总计", "合计") && f.DurationHours.Known() && (f.GPUs.Known() || f.GPUNamed.Known()) && !e.saysJob()
}

// places reports whether it is asked where to rent.
func (e *ear) places() bool {
	return e.saysPlatform() && (!e.described() || e.cues["whichplace"] || e.betweenPlaces() || e.hasKind(kindVendor) && e.cues["or"])
}

// betweenPlaces reports whether "or" stands between two kinds of places: "a
// marketplace or a hyperscaler", 社区平台还是大厂云.
func (e *ear) betweenPlaces() bool {
	last, or := "", false
	for i := range e.toks {
		t := &e.toks[i]
		place := t.sense(kindPlace)
		switch {
		case place != "" && last != "" && last != place && or:
			return true
		case place != "":
			last, or = place, false
		case t.cue("or"):
			or = last != ""
		}
	}
	return false
}

func (e *ear) saysPlatform() bool {
	return e.betweenPlaces() || e.wants("platform") || e.cues["whichplace"] || e.looksAround() || e.hasKind(kindVendor) && (e.asking() || e.cues["or"] || len(e.clauses) == 1) || e.cues["where"] && e.cues["rent"] ||
		e.hasKind(kindPlace) && (e.wants("compare") || e.asking() && e.ways() == 0)
}

// looksAround reports whether a text asks where to look, whoever looks: "where
// should a student without a card go?"
func (e *ear) looksAround() bool {
	s := strings.TrimRight(e.s, " ?!.")
	return e.cues["where"] && !e.talking() && (strings.HasSuffix(s, " look") || strings.HasSuffix(s, " go") || strings.HasSuffix(s, " start") || strings.HasSuffix(s, " turn"))
}

// described reports whether so much of a job is said that advice on the whole
// is wanted.
func (e *ear) described() bool {
	f := &e.r.Facts
	return f.Task.Known() && (f.Model.Known() || f.ParamsB.Known()) || f.DurationHours.Known() && f.Task.Known()
}

// speaksOfCards reports whether the text is about renting at all.
func (e *ear) speaksOfCards() bool {
	if e.hasKind(kindLabel) {
		return true
	}
	for i := range e.toks {
		t := &e.toks[i]
		if t.cue("card") || t.cue("rent") && len(e.toks) > 1 || t.cue("vram") || t.cue("context") || t.cue("concurrency") {
			return true
		}
		if t.q != nil {
			switch t.q.Unit {
			case text.GB, text.Cards, text.Hours, text.People, text.Streams, text.Params:
				return true
			}
		}
		if t.sense("does") != "" || t.sense("field") != "" || t.sense("precision") != "" || t.sense("method") != "" || t.sense(kindModel) != "" || t.sense("intent") == "billing" {
			return true
		}
	}
	return false
}
