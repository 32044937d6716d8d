package advisor

import (
	"math"
	"slices"
	"strings"

	"gpuadvisor/advisor/text"
)

// answer takes the text as an answer to the open question where it could not
// be read without it: the number or the label of an option, a bare number, yes
// or no.
func (e *ear) answer() {
	if e.asked.Slot == "" {
		return
	}
	if ref := e.option(); ref != "" {
		if r, ok := e.book.ReadOption(ref, e.asked); ok {
			e.r = r
			return
		}
	}
	if q := e.bareNumber(); q != nil {
		e.numberFor(e.asked.Slot, q)
		return
	}
	e.shortAnswer()
	e.yesOrNo()
}

// shortAnswer reads a word that means a fact only when it is asked for.
func (e *ear) shortAnswer() {
	kind := "asked." + e.asked.Slot
	word := e.bare()
	for _, s := range e.book.lexicon.Senses(word) {
		if s.Kind != kind {
			continue
		}
		f := &e.r.Facts
		switch e.asked.Slot {
		case "method":
			say(&f.Method, s.ID)
		case "precision":
			say(&f.Precision, s.ID)
		case "audience":
			say(&f.Audience, s.ID)
		case "priority":
			say(&f.Priority, s.ID)
		case "gpus":
			c := Count{Word: s.ID}
			if s.ID == "single" {
				c.Range = One(1)
			}
			say(&f.GPUs, c)
		}
		return
	}
}

// option returns the ref of the option that the text picks, or "".
func (e *ear) option() string {
	options := e.asked.Options
	if len(options) == 0 {
		return ""
	}
	if ref := e.optionByLabel(); ref != "" {
		return ref
	}
	word := strings.Trim(e.s, " .;,!()[]#")
	marked := false
	for _, p := range []string{"我选", "就选", "选择", "选", "第", "option ", "choice ", "number ", "no. ", "no."} {
		if rest := strings.TrimPrefix(word, p); rest != word {
			word, marked = strings.TrimSpace(rest), true
		}
	}
	for _, p := range []string{"个选项", "个吧", "个", "号", "项", "吧"} {
		if rest := strings.TrimSuffix(word, p); rest != word {
			word = rest
			marked = marked || p != "个" && p != "吧"
		}
	}
	n := wholeNumber(word)
	if n < 1 || n > len(options) || !marked && countedSlot(e.asked.Slot) {
		return ""
	}
	return options[n-1]
}

// countedSlot reports whether the answer to a slot is itself a small number,
// so that a bare one is the value and not the place of an option.
func countedSlot(slot string) bool {
	return slot == "gpus" || slot == "concurrency" || slot == "batch" || slot == "frames" || slot == "hours_per_day"
}

// wholeNumber reads a text that is nothing but a whole number; -1 otherwise.
func wholeNumber(s string) int {
	qs := text.Quantities(s, nil)
	if len(qs) != 1 || qs[0].Start != 0 || qs[0].End != len(s) || qs[0].Unit != text.Bare || qs[0].Vague || qs[0].Lo != qs[0].Hi || qs[0].Lo != math.Trunc(qs[0].Lo) || qs[0].Lo > 1e6 {
		return -1
	}
	return int(qs[0].Lo)
}

// optionByLabel returns the option whose label is typed.
func (e *ear) optionByLabel() string {
	q := e.book.asks[e.asked.Slot]
	key := text.Key(e.s)
	if q == nil || key == "" || len(key) > 80 {
		return ""
	}
	for _, ref := range e.asked.Options {
		_, id, _ := strings.Cut(ref, "=")
		if o := findOption(q.Options, id); o != nil {
			for _, label := range o.Label {
				if text.Key(label) == key {
					return ref
				}
			}
		}
	}
	return ""
}

// bareNumber returns the one number of a text that says nothing else.
func (e *ear) bareNumber() *text.Quantity {
	var found *text.Quantity
	for i := range e.toks {
		t := &e.toks[i]
		if t.q == nil {
			if t.sense("cue") == "" {
				return nil
			}
			continue
		}
		if found != nil || t.q.Unit != text.Bare && t.q.Unit != text.Pieces || t.q.Vague || t.q.Per != 0 || t.minus > 0 {
			return nil
		}
		found = t.q
	}
	if found == nil || !e.onlyFillers() {
		return nil
	}
	return found
}

// onlyFillers reports whether only words that colour an answer stand outside
// the tokens: "大概 20 吧", "maybe 8".
func (e *ear) onlyFillers() bool {
	at := 0
	for i := 0; i <= len(e.toks); i++ {
		end := len(e.s)
		if i < len(e.toks) {
			end = e.toks[i].start
		}
		if at < end && !filling(e.s[at:end]) {
			return false
		}
		if i < len(e.toks) {
			at = max(at, e.toks[i].end)
		}
	}
	return true
}

func filling(s string) bool {
	s = strings.Trim(s, particles) + " "
	for s != "" {
		n := len(s)
		for _, f := range slices.Concat(fillers, []string{"maybe ", "like ", "say ", "probably ", "左右", "上下", "可能", "估计", "应该", "吧", "max ", "it's ", "i think "}) {
			s = strings.TrimPrefix(s, f)
		}
		if len(s) == n {
			return false
		}
	}
	return true
}

// numberFor gives a bare number to a slot, or notes that its unit is not
// clear.
func (e *ear) numberFor(slot string, q *text.Quantity) {
	f := &e.r.Facts
	whole := q.Lo == math.Trunc(q.Lo) && q.Lo >= 1
	switch {
	case slot == "gpus" && whole && q.Hi <= 10000:
		say(&f.GPUs, Count{Range: Range{q.Lo, q.Hi}})
	case slot == "concurrency" && whole:
		say(&f.Concurrency, q.Hi)
	case slot == "context_len" && q.Hi >= 256:
		say(&f.ContextLen, tokensOf(q.Hi))
	case slot == "params_b" && q.Lo > 0 && q.Lo <= 5000:
		say(&f.ParamsB, q.Lo)
	case slot == "batch" && whole:
		say(&f.Batch, q.Lo)
	case slot == "frames" && whole:
		say(&f.Frames, q.Lo)
	case slot == "hours_per_day" && q.Lo > 0 && q.Hi <= 24:
		say(&f.HoursPerDay, q.Hi)
	case slot == "host_ram_gb" && q.Lo >= 1:
		say(&f.HostRAMGB, q.Lo)
	case slot == "upload_mbps" && q.Lo > 0:
		say(&f.UploadMbps, q.Lo)
	case slot == "peak_gib" && q.Lo > 0 && q.Lo < 1000:
		f.PeakGiB = Fact[float64]{q.Hi, Measured}
	case slot == "resolution" && q.Lo >= 64 && q.Lo <= 8192:
		if size, ok := picture(q.Lo); ok {
			say(&f.Resolution, size)
		}
	case slot == "precision":
		if p := map[float64]string{4: "int4", 8: "int8", 16: "fp16", 32: "fp32", 64: "fp64"}[q.Lo]; p != "" {
			say(&f.Precision, p)
		}
	case slot == "model":
		e.r.Unclear = "params_b"
	case slot == "duration_hours", slot == "data_gb", slot == "budget", slot == "context_len", slot == "price_hour", slot == "params_b", slot == "resolution":
		e.r.Unclear = slot
	}
}

// yesOrNo reads a plain yes or no for questions that have such an answer. No
// to any other question means that there is nothing to say.
func (e *ear) yesOrNo() {
	yes, ok := e.plainAnswer(e.bare())
	if !ok && len(e.clauses) > 1 {
		yes, ok = e.plainAnswer(strings.Trim(e.s[:e.clauses[0].end], particles))
	}
	if !ok {
		return
	}
	f := &e.r.Facts
	switch e.asked.Slot {
	case "interruptible":
		say(&f.Interruptible, yes)
	case "integration":
		say(&f.Integration, yes)
	case "ops_staff":
		say(&f.OpsStaff, yes)
	case "always_on":
		say(&f.AlwaysOn, yes)
	case "compliance", "compliance_kind":
		if yes {
			say(&f.Compliance, true)
			return
		}
		say(&f.Compliance, false)
		say(&f.ComplianceKind, "none")
	default:
		if !yes && len(e.clauses) == 1 {
			e.r.Command = "skip"
		}
	}
}

// plainAnswer reads a word that means yes or no.
func (e *ear) plainAnswer(word string) (yes, ok bool) {
	yes = e.wordIs(word, "command", "yes")
	return yes, yes || e.wordIs(word, "command", "no")
}

// wordIs reports whether the whole word has a sense.
func (e *ear) wordIs(word, kind, id string) bool {
	for _, s := range e.book.lexicon.Senses(word) {
		if s.Kind == kind && s.ID == id {
			return true
		}
	}
	return false
}

// particles may stand around a word without changing it.
const particles = " .,;!?~吧呗啊呀哦呢了的嗯哈哎诶呐嘛"

// bare is the text without what only colours it.
func (e *ear) bare() string {
	w := strings.Trim(e.s, particles)
	for _, p := range []string{"please ", "pls ", "ok ", "ok, ", "好的,", "好,", "嗯,", "那就", "那", "就", "请", "麻烦", "我们", "我", "well ", "so "} {
		w = strings.TrimSpace(strings.TrimPrefix(w, p))
	}
	for _, p := range []string{" please", " pls", " thanks", "谢谢", "一下", "把"} {
		w = strings.TrimSpace(strings.TrimSuffix(w, p))
	}
	return strings.Trim(w, particles)
}

// unanswered looks once more at a text that did not fill the open slot.
func (e *ear) unanswered() {
	slot := e.asked.Slot
	if slot == "" || e.r.Facts.Has(slot) || e.r.Command != "" || e.r.Unclear != "" || e.r.Arg != "" {
		return
	}
	switch slot {
	case "duration_hours":
		if days := strings.TrimSuffix(strings.Trim(e.s, particles), "d"); days != strings.Trim(e.s, particles) {
			if n := wholeNumber(strings.TrimSpace(days)); n > 0 {
				say(&e.r.Facts.DurationHours, One(float64(n)*24))
			}
		}
	case "gpus", "concurrency":
		if q := e.onlyNumber(); q != nil && len(e.s) <= 32 {
			e.numberFor(slot, q)
		}
	case "model":
		if len(e.r.Facts.Said()) == 0 && e.r.Unlisted == "" {
			e.r.Unlisted = e.nameOnly()
		}
	}
}

// onlyNumber returns the one number of a text that counts nothing else: "one is
// plenty", 差不多就两个吧.
func (e *ear) onlyNumber() *text.Quantity {
	var found *text.Quantity
	for i := range e.toks {
		t := &e.toks[i]
		if t.q == nil {
			continue
		}
		if found != nil || t.used || t.not || t.minus > 0 || t.q.Unit != text.Bare && t.q.Unit != text.Pieces || t.q.Vague || t.q.Scale != "" || t.q.Hi > 64 {
			return nil
		}
		found = t.q
	}
	return found
}

// nameOnly returns a short text that could be the name of a model, as written.
func (e *ear) nameOnly() string {
	raw := strings.Trim(e.line.Raw, particles+"。，！？\n")
	n := len([]rune(raw))
	if n < 2 || n > 24 || strings.ContainsAny(raw, "。，,;!?\n") || repeated(raw) {
		return ""
	}
	for i := range e.toks {
		if t := &e.toks[i]; t.q == nil && t.sense(kindFamily) == "" && !t.cue("model") {
			return ""
		}
	}
	letters := strings.IndexFunc(raw, func(r rune) bool { return r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' })
	if letters < 0 && (n > 6 || strings.ContainsAny(raw, "的了吗吧么啊嗯哦哈呃呢我你他这那什不没有好就是在个代码")) {
		return ""
	}
	return raw
}

// repeated reports whether a text is made of hardly any different characters.
func repeated(s string) bool {
	seen := map[rune]bool{}
	n := 0
	for _, r := range s {
		seen[r] = true
		n++
	}
	return n >= 5 && len(seen) <= 2
}
