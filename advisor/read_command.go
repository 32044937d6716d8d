package advisor

import (
	"strings"
	"unicode"
)

// slashed maps the commands of a chat to intents, where they have one; the
// rest of the line is read as ordinary text. Those of the dialogue are commands
// by themselves, and any other keeps its name and its argument.
var slashed = map[string]string{
	"gpu": "recommend", "advise": "recommend", "cost": "cost", "platforms": "platform", "platform": "platform",
	"remind": "remind", "compare": "compare",
	"选卡": "recommend", "算钱": "cost", "平台": "platform", "提醒": "remind",
}

// spokenCommands are slash commands in other words.
var spokenCommands = map[string]string{
	"为什么": "why", "如果": "whatif", "更多": "more", "峰值": "peak", "返回": "back", "跳过": "skip", "取消": "cancel", "重来": "restart",
	"帮助": "help", "不知道": "dontknow", "显存": "vram", "显卡": "card", "价格": "prices", "定价": "price",
	"设置": "settings", "群设置": "group", "忘记我": "forget", "反馈": "report",
	"清单": "checklist", "排障": "diagnose", "验卡": "verify", "打分": "score", "试跑": "trial", "释放": "release", "实例": "rentals",
}

// command reads an order. It reports whether the text is nothing more.
func (e *ear) command() bool {
	if strings.HasPrefix(e.s, "/") {
		return e.slash()
	}
	return e.wholeCommand() || e.leadingCommand()
}

// slash reads "/name argument".
func (e *ear) slash() bool {
	name, arg := e.s[1:], ""
	if at := strings.IndexFunc(name, unicode.IsSpace); at >= 0 { // a line may hold the name alone
		name, arg = name[:at], name[at:]
	}
	name, _, _ = strings.Cut(name, "@") // /help@the_bot
	arg = strings.TrimSpace(arg)
	if spoken := spokenCommands[name]; spoken != "" {
		name = spoken
	}
	if intent := slashed[name]; intent != "" {
		*e = *e.book.listen(e.line.Raw[e.rawFrom(arg):], e.asked)
		e.asked.Slot = ""
		e.facts()
		e.r.Intent = intent
		return true
	}
	switch name {
	case "start":
		e.r.Greeting, e.r.Intent = true, "help"
		return true
	case "help":
		e.r.Command, e.r.Intent = "help", "help"
		return true
	case "why":
		if rest, ok := strings.CutPrefix(arg, "not"); ok && (rest == "" || rest[0] == ' ') {
			name, arg = "whynot", strings.TrimSpace(rest)
		}
	case "peak":
		e.peak(arg)
		return true
	case "":
		return false
	}
	e.r.Command, e.r.Arg = name, e.line.Raw[e.rawFrom(arg):]
	return true
}

// rawFrom is where the argument begins in the text as written.
func (e *ear) rawFrom(arg string) int {
	if arg == "" {
		return len(e.line.Raw)
	}
	at := strings.LastIndex(e.s, arg)
	return len(e.line.Raw) - len(e.line.Original(at, len(e.s)))
}

// peak reads a measured peak.
func (e *ear) peak(arg string) {
	e.r.Command, e.r.Arg = "peak", arg
	inner := e.book.listen(arg, Asked{Slot: "peak_gib"})
	for i := range inner.toks {
		if q := inner.toks[i].q; q != nil && !q.Vague && (q.Unit == "gb" || q.Unit == "") && q.Hi > 0 {
			e.r.Facts.PeakGiB = Fact[float64]{q.Hi, Measured}
			return
		}
	}
}

// wholeCommand reads a text that is a command and nothing else.
func (e *ear) wholeCommand() bool {
	if len(e.s) > 80 {
		return false
	}
	for _, word := range []string{strings.Trim(e.s, " .,;!?~"), e.bare()} {
		switch id := e.commandWord(word); {
		case id == "ack" && e.asked.Slot == "":
			e.order("thanks")
			return true
		case id != "" && id != "ack":
			e.order(id)
			return true
		}
	}
	return e.onlyCommands()
}

// commandWord returns the command that a word means, or "".
func (e *ear) commandWord(word string) string {
	senses := e.book.lexicon.Senses(word)
	for _, s := range senses {
		if s.Kind != "command" || s.ID == "yes" || s.ID == "no" || !e.talking() && onlyInside[s.ID] {
			continue
		}
		if s.ID != "ack" || len(senses) == 1 || e.asked.Slot == "" {
			return s.ID
		}
	}
	return ""
}

// onlyCommands reads a text that says the same command more than once: "算了，
// 不租了". To begin again is more than to stop.
func (e *ear) onlyCommands() bool {
	id, at, said := "", 0, 0
	for i := range e.toks {
		t := &e.toks[i]
		s := t.sense("command")
		gap := strings.Trim(e.s[at:t.start], particles)
		ack := gap != "" && id == "" && e.wordIs(gap, "command", "ack") // "cool, thanks"
		if s == "" || s == "yes" || s == "no" || s == "ack" || gap != "" && !ack {
			return false
		}
		said++
		if ack {
			said++
		}
		if id == "" || id == "cancel" && s == "restart" { // 算了，从头来
			id = s
		}
		at = t.end
	}
	if id == "" || !e.talking() && onlyInside[id] || said < 2 || strings.Trim(e.s[at:], particles) != "" {
		return false
	}
	e.order(id)
	return true
}

// order takes a command that is all there is.
func (e *ear) order(id string) {
	e.r.Command = id
	if id == "help" {
		e.r.Intent = "help"
	}
}

// onlyInside are commands that mean something only when a dialogue goes on.
var onlyInside = map[string]bool{"why": true, "whynot": true, "whatif": true, "more": true, "peak": true, "explain": true, "skip": true, "dontknow": true, "decide": true, "ack": true}

// leadingCommand reads a text that begins with a command and goes on: a first
// clause of its own ("上一步，改成 LoRA"), or words that take an argument ("why
// not a 4090", "如果是 14B 呢"). It reports whether nothing is left to read.
func (e *ear) leadingCommand() bool {
	first := strings.Trim(e.s[:e.clauses[0].end], particles)
	if len(e.clauses) > 1 && first != "" {
		for _, s := range e.book.lexicon.Senses(first) {
			if s.Kind == "command" && firstClause[s.ID] && (e.talking() || !onlyInside[s.ID]) {
				e.r.Command = s.ID
			}
		}
	}
	if !e.talking() || e.r.Command != "" {
		return e.talking() && e.doubt()
	}
	for i := range e.toks {
		t := &e.toks[i]
		if t.q != nil || t.start > 12 && len(e.s) > 60 {
			break
		}
		switch id := t.sense("command"); id {
		case "whatif", "whynot", "why":
			if e.cues["intent=diagnose"] || id == "why" && e.cues["intent=cost"] || t.start > 6 && (id != "why" || len(e.s) > 60) || e.isFixed(t, id) {
				continue
			}
			e.r.Command, e.r.Arg = id, strings.Trim(e.line.Original(t.end, len(e.s)), particles+"'，。？！")
			return true
		}
	}
	return e.doubt()
}

// isFixed reports whether a command word is only part of a question of another
// kind: "不能用 …" as a statement is not "why not".
func (e *ear) isFixed(t *token, id string) bool {
	return id == "whynot" && hasAnyPrefix(e.s[t.start:], "不能用", "不可以用") && !strings.ContainsAny(e.s, "?吗呢")
}

// firstClause are the commands that may be the first clause of a longer text.
var firstClause = map[string]bool{"back": true, "skip": true, "restart": true, "dontknow": true, "decide": true}

// doubt reads "don't know" in the middle of a text, and a question about a
// term: both only count when the text says no fact; that is checked later.
func (e *ear) doubt() bool {
	for i := range e.toks {
		switch e.toks[i].sense("command") {
		case "decide":
			e.r.Command = "decide"
			return false
		case "dontknow":
			if e.r.Command == "" || e.r.Command == "explain" {
				e.r.Command = "dontknow"
			}
		case "explain":
			if e.r.Command == "" {
				e.r.Command, e.r.Arg = "explain", e.term(i)
			}
		}
	}
	return false
}

// term is the slot that a question about a word is after: "上下文是啥".
func (e *ear) term(i int) string {
	slots := map[string]string{"context": "context_len", "concurrency": "concurrency", "batch": "batch", "vram": "peak_gib", "data": "data_gb", "upload": "upload_mbps", "ram": "host_ram_gb", "resolution": "resolution", "peak": "peak_gib"}
	for j := range e.toks {
		t := &e.toks[j]
		for _, s := range t.senses {
			switch {
			case s.Kind == "cue" && slots[s.ID] != "":
				return slots[s.ID]
			case s.Kind == "precision", s.Kind == "method", s.Kind == "interruptible":
				return s.Kind
			}
		}
	}
	return e.asked.Slot
}
