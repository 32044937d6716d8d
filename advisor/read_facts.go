package advisor

import (
	"slices"
	"strings"

	"gpuadvisor/advisor/text"
)

// words reads the facts that are said in words alone.
func (e *ear) words() {
	f := &e.r.Facts
	e.word("precision", &f.Precision)
	e.word("audience", &f.Audience)
	e.word("priority", &f.Priority)
	e.flag("interruptible", &f.Interruptible)
	e.flag("serving", &f.Serving)
	e.flag("always_on", &f.AlwaysOn)
	e.flag("integration", &f.Integration)
	e.flag("ops_staff", &f.OpsStaff)
	e.flag("on_site", &f.OnSite)
	e.compliance()
}

// word reads a fact that is said in a word. Two values between which the text
// chooses ("LoRA or QLoRA?") fill nothing, and neither does a word that is
// asked about ("what is LoRA").
func (e *ear) word(slot string, f *Fact[string]) {
	if e.undecided(slot) {
		return
	}
	if t := e.pick(func(t *token) bool { return t.sense(slot) != "" && !t.asked }); t != nil {
		say(f, t.sense(slot))
	}
}

// undecided reports whether a slot's words are what the question is about.
func (e *ear) undecided(slot string) bool {
	if slot != "method" && slot != "precision" || e.changed {
		return false
	}
	values := map[string]bool{}
	last := -1
	or := false
	for i := range e.toks {
		t := &e.toks[i]
		if v := t.sense(slot); v != "" && t.live() && !t.weak {
			values[v] = true
			or = or || last >= 0 && e.orBetween(last, i)
			last = i
		}
	}
	return len(values) > 1 && (or || e.cues["intent=compare"]) || len(values) > 0 && e.defines()
}

// orBetween reports whether "or" or its like stands between two tokens of one
// clause.
func (e *ear) orBetween(i, j int) bool {
	for k := i + 1; k < j; k++ {
		if e.toks[k].cue("or") && e.toks[k].clause == e.toks[i].clause {
			return true
		}
	}
	return false
}

// defines reports whether the text asks what a word of our trade means and
// nothing else: 什么是 LoRA, "what is fp16?".
func (e *ear) defines() bool {
	if len(e.s) > 48 {
		return false
	}
	word, asks := e.bare(), false
	for _, p := range []string{"什么是", "什么叫", "啥是", "啥叫", "解释下", "解释一下", "what is a ", "what is ", "what's a ", "what's ", "what does ", "explain "} {
		if rest := strings.TrimPrefix(word, p); rest != word {
			word, asks = rest, true
			break
		}
	}
	for _, p := range []string{"是什么意思", "是什么", "是啥意思", "是啥", "什么意思", "啥意思", " mean", " stand for"} {
		if rest := strings.TrimSuffix(word, p); rest != word {
			word, asks = rest, true
			break
		}
	}
	if !asks {
		return false
	}
	return slices.ContainsFunc(e.book.lexicon.Senses(strings.TrimSpace(word)), func(s text.Sense) bool {
		return s.Kind == "method" || s.Kind == "precision" || s.Kind == "cue" || s.Kind == "does" || s.Kind == "variant" || s.Kind == "intent"
	})
}

func (e *ear) flag(slot string, f *Fact[bool]) {
	if t := e.pick(func(t *token) bool { return t.sense(slot) != "" && !t.asked }); t != nil {
		say(f, t.sense(slot) == "true")
	}
}

// strictest orders the kinds of compliance, the one that demands most first.
var strictest = []string{"secret", "xinchuang", "regulated", "none"}

// compliance reads what the data is subject to. The strictest kind that is
// said counts; a kind that is denied says that there is none.
func (e *ear) compliance() {
	rank, denied := len(strictest), false
	for i := range e.toks {
		t := &e.toks[i]
		kind := t.sense("compliance_kind")
		if kind == "" || t.theirs || t.asked || hasAnyPrefix(e.s[t.start:], "需要", "要") && hasAnyPrefix(e.after(i), "吗", "么") {
			continue
		}
		if t.not && kind != "none" {
			denied = true
			continue
		}
		rank = min(rank, slices.Index(strictest, kind))
	}
	if rank == len(strictest) && denied {
		rank--
	}
	if rank < 0 || rank == len(strictest) {
		return
	}
	say(&e.r.Facts.ComplianceKind, strictest[rank])
	say(&e.r.Facts.Compliance, strictest[rank] != "none")
}

// ofJob are the facts that belong to one job and go when another begins.
var ofJob = []string{"method", "model", "params_b", "precision", "duration_hours", "gpus", "data_gb", "concurrency", "context_len",
	"variant", "resolution", "frames", "batch", "peak_gib", "always_on", "hours_per_day", "serving"}

// newJob withdraws the facts of the old job when the text begins another: it
// says so, or its task lies in another field.
func (e *ear) newJob() {
	old, now := e.known.Task, e.r.Facts.Task
	if !old.IsSaid() || !now.Known() || now.Value == old.Value {
		return
	}
	if !e.cues["next"] && taskField(old.Value) == taskField(now.Value) {
		return
	}
	for _, slot := range ofJob {
		if e.known.Has(slot) && !e.r.Facts.Has(slot) {
			e.withdraw(slot)
		}
	}
}

// taskField puts the tasks for language models into one field; "train" may be
// of any.
func taskField(task string) string {
	if f := fieldOfTask[task]; f != "" {
		return f
	}
	return "llm"
}

// afterIntent settles what depends on everything else.
func (e *ear) afterIntent() {
	f := &e.r.Facts
	if e.r.Intent == "offtopic" {
		f.Forget("task")
	}
	if e.r.Intent == "help" {
		*f = Facts{} // the bot in "how does this bot work" is no job
	}
	if e.r.Command == "explain" && len(f.Said()) <= 1 {
		*f = Facts{} // "fp16 是啥" says nothing of the job
	}
	if f.PeakGiB.Known() && e.talking() && e.r.Command == "" {
		e.r.Command = "peak"
	}
	e.period()
	if e.r.Command == "" && e.wonders() {
		e.r.Command, e.r.Arg = "whatif", e.behindWhether()
	}
	if f.Model.Known() && !f.ParamsB.Known() && e.known.ParamsB.IsSaid() && f.Model.Value != e.known.Model.Value {
		e.withdraw("params_b")
	}
	for _, slot := range []string{"method", "precision", "duration_hours", "model", "budget"} {
		if e.deniedKnown(slot) {
			e.withdraw(slot)
		}
	}
}

// period reads for how long a price is asked when nothing else says how long:
// 包年多少钱, "per month?".
func (e *ear) period() {
	f := &e.r.Facts
	ofCard := f.GPUNamed.Known() || f.GPUs.Known() || e.known.GPUNamed.Known() || e.known.Task.IsSaid()
	if e.r.Intent != "cost" || !ofCard || f.DurationHours.Known() || f.HoursPerDay.Known() || f.PriceHour.Known() {
		return
	}
	if t := e.pick(func(t *token) bool { return t.sense("period") != "" }); t != nil {
		say(&f.DurationHours, One(parse(t.sense("period"))))
	}
}

// wonders reports whether a change of the known job is only thought about: 要不要
// 租两张, "should I take int4?". It is no answer to the open question either.
func (e *ear) wonders() bool {
	if !e.known.Task.IsSaid() || !e.cues["whether"] || len(e.s) > 60 || len(e.clauses) > 2 {
		return false
	}
	if e.r.Intent != "" && e.r.Intent != "recommend" || e.r.Facts.GPUNamed.Known() || e.r.Facts.Task.Known() && e.r.Facts.Task.Value != e.known.Task.Value {
		return false
	}
	if len(e.r.Facts.Said()) == 0 {
		return slices.ContainsFunc(e.toks, func(t token) bool { return t.asked && (t.sense("method") != "" || t.sense("precision") != "") })
	}
	return e.asked.Slot == "" || !e.r.Facts.Has(e.asked.Slot) || strings.HasSuffix(strings.TrimRight(e.s, " "), "?") || strings.Contains(e.s, "吗")
}

// behindWhether is what stands behind 要不要 or "should I", as written.
func (e *ear) behindWhether() string {
	for i := range e.toks {
		if e.toks[i].cue("whether") {
			return strings.Trim(e.line.Original(e.toks[i].end, len(e.s)), particles+"？。")
		}
	}
	return e.line.Raw
}

// deniedKnown reports whether the text rules out the known value of a slot and
// gives no other.
func (e *ear) deniedKnown(slot string) bool {
	if e.r.Facts.Has(slot) || !e.known.Has(slot) {
		return false
	}
	for i := range e.toks {
		t := &e.toks[i]
		if !t.not {
			continue
		}
		switch slot {
		case "budget":
			if word := e.s[t.start:t.end]; t.cue("budget") && (strings.Contains(word, "预算") || strings.Contains(word, "budget")) {
				return true
			}
		case "method":
			if t.sense("method") == e.known.Method.Value {
				return true
			}
		case "precision":
			if t.sense("precision") == e.known.Precision.Value {
				return true
			}
		case "model":
			if t.sense(kindModel) == e.known.Model.Value {
				return true
			}
		case "duration_hours":
			if t.q != nil && t.q.Unit == "hours" && t.q.Hi == e.known.DurationHours.Value.Hi {
				return true
			}
		}
	}
	return false
}
