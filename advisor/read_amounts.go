package advisor

import (
	"math"
	"slices"
	"strings"

	"gpuadvisor/advisor/text"
)

// context reads the length of the context, in tokens. Powers of two said in
// thousands (32k) are rounded to them.
func (e *ear) context() {
	t := e.pick(func(t *token) bool { return e.isContext(t) })
	if t == nil {
		return
	}
	t.used = true
	say(&e.r.Facts.ContextLen, tokensOf(t.q.Hi))
}

func (e *ear) isContext(t *token) bool {
	if t.q == nil || t.used || t.q.Vague || t.q.Per != 0 {
		return false
	}
	i := e.indexOf(t)
	switch t.q.Unit {
	case text.Kilo, text.Tokens, text.Bare, text.Mega:
	default:
		return false
	}
	if t.q.Hi < 128 || t.q.Hi > 2.1e7 {
		return false
	}
	if hasAnyPrefix(e.after(i), "residues", "residue", "amino", "aa", "bp", "base pairs", "atoms", "nodes", "残基", "氨基酸", "碱基", "原子", "链") {
		return false // the length of a molecule
	}
	cued := e.contextCue(i)
	switch t.q.Unit {
	case text.Bare:
		return cued && t.q.Scale == "" || cued && t.q.Hi < 1e7 || e.asked.Slot == "context_len" && t.q.Hi >= 256
	case text.Tokens:
		return cued || t.q.Hi <= 1.1e6 && (e.language() || !e.hasKind("does"))
	case text.Mega:
		return cued
	}
	return cued || e.bareContext(i)
}

// contextCue reports whether a word for the context stands beside token i.
func (e *ear) contextCue(i int) bool {
	if j := e.next(i); j >= 0 && e.toks[j].cue("context") && e.plural(j) && hasAnyPrefix(e.s[e.toks[j].start:], "prompt", "sequence") && !e.before(i, "context") {
		return false // 2 million prompts, 20M protein sequences
	}
	return e.near(i, "context") && !e.near(i, "resolution") || e.before(i, "context")
}

// bareContext reports whether a bare 4k or 32k is a context: in a text about a
// language model, and nothing else that comes in thousands.
func (e *ear) bareContext(i int) bool {
	k := e.toks[i].q.Hi / 1000
	if e.toks[i].q.Lo != e.toks[i].q.Hi || e.near(i, "resolution", "budget", "data") || !e.language() && !e.cues["context"] {
		return false
	}
	if e.countsNoun(i) {
		return false
	}
	switch k {
	case 1, 2, 4, 8, 16, 24, 32, 40, 48, 64, 100, 96, 128, 131, 160, 192, 200, 256, 512, 1000:
		return !hasAnyPrefix(e.after(i), "张", "条", "图", "视频", "分辨率", "块", "元", "刀", "video", "image", "rows", "res", "屏", "画", "step")
	}
	return false
}

// countsNoun reports whether an English plural behind token i says what is
// counted: "200k PDFs", "32k tickets".
func (e *ear) countsNoun(i int) bool {
	rest := e.after(i)
	n := 0
	for n < len(rest) && letter(rest[n]) {
		n++
	}
	if n < 4 || rest[n-1] != 's' || rest[n-2] == 's' || strings.HasPrefix(rest, "tokens") {
		return false
	}
	j := e.next(i)
	return j < 0 || e.toks[j].start > e.toks[i].end+1 || e.toks[j].cue("data") && !e.toks[j].cue("context")
}

// language reports whether the text, or the conversation, is about a language
// model.
func (e *ear) language() bool {
	f := &e.r.Facts
	if m := e.book.models[f.Model.Or(e.known.Model.Value)]; m != nil {
		return m.Domain == "llm"
	}
	if f.ParamsB.Known() || e.known.ParamsB.Known() {
		return true
	}
	switch e.known.Task.Value {
	case "inference", "finetune", "pretrain":
		return true
	case "":
		for i := range e.toks {
			t := &e.toks[i]
			if f := t.sense("field"); f != "" && f != "llm" && f != "text" && f != "learn" {
				return false
			}
		}
		return e.asked.Slot == "context_len" || e.hasKind("does")
	}
	return false
}

func (e *ear) hasKind(kind string) bool {
	for i := range e.toks {
		if e.toks[i].sense(kind) != "" {
			return true
		}
	}
	return false
}

func (e *ear) indexOf(t *token) int {
	lo, hi := 0, len(e.toks)
	for lo < hi {
		mid := (lo + hi) / 2
		switch {
		case e.toks[mid].start < t.start:
			lo = mid + 1
		case &e.toks[mid] == t:
			return mid
		default:
			hi = mid
		}
	}
	return lo
}

// tokensOf rounds 32000 to 32768: people who say 32k mean the power of two.
func tokensOf(v float64) float64 {
	if math.Mod(v, 1000) != 0 {
		return v
	}
	if k := v / 1000; k <= 1024 && math.Exp2(math.Round(math.Log2(k))) == k {
		return k * 1024
	}
	return v
}

// concurrency reads how many requests come at once. People count, unless they
// are said to be a team.
func (e *ear) concurrency() {
	t := e.pick(func(t *token) bool {
		return e.isConcurrency(t) && (t.q.Unit == text.Streams || e.near(e.indexOf(t), "concurrency"))
	})
	if t == nil { // people count only when nobody says how many come at once
		t = e.pick(func(t *token) bool { return t.sense("concurrency") != "" || e.isConcurrency(t) })
	}
	if t == nil {
		return
	}
	if word := t.sense("concurrency"); word != "" {
		say(&e.r.Facts.Concurrency, parse(word))
		return
	}
	t.used, e.people = true, t.q.Unit == text.People
	say(&e.r.Facts.Concurrency, t.q.Hi)
}

// team takes people back who do the work where nobody is served: "train a
// detector, two engineers, a week".
func (e *ear) team() {
	f := &e.r.Facts
	if e.people && f.Task.Known() && !f.NextTask.Known() && slices.Contains([]string{"train", "cv-train", "pretrain", "render", "simulation", "image-train"}, f.Task.Value) {
		f.Forget("concurrency")
	}
}

func (e *ear) isConcurrency(t *token) bool {
	if t.q == nil || t.used || t.q.Vague || t.q.Hi < 1 || t.q.Lo != math.Trunc(t.q.Lo) {
		return false
	}
	i := e.indexOf(t)
	switch t.q.Unit {
	case text.Streams:
		if t.q.Per != 0 || e.ratePerSecond(i) || e.sitting(i) {
			return false
		}
		j := e.next(i)
		return j < 0 || e.toks[j].sense(kindLabel) == "" || !e.touching(i, j) // 四路4090
	case text.People:
		return t.q.Per == 0 && !e.isTeam(i) && !e.isFamily(i) && !hasAnyPrefix(e.after(i), "脸", "像", "物", "次", "/天", "每天", "一天")
	case text.Bare, text.Pieces, text.Cards, text.Things:
		if t.q.Per != 0 || t.q.Unit == text.Things || t.q.Unit == text.Cards {
			return false
		}
		if e.led(i, "concurrency") || e.mostAtOnce(i) {
			return true
		}
		if j := e.prev(i); j >= 0 && e.toks[j].cue("team") && e.close(j, i) && e.serves(j) {
			return true
		}
		j := e.next(i)
		return t.q.Scale == "" && (j >= 0 && e.toks[j].cue("concurrency") && e.touching(i, j) || e.doingAtOnce(i))
	}
	return false
}

// mostAtOnce reports whether between a word for requests at once and the number
// at token i stands only that it is the most: 并发撑死二十, "concurrency tops out
// at 20".
func (e *ear) mostAtOnce(i int) bool {
	for j := i - 1; j >= 0 && e.toks[j].clause == e.toks[i].clause && e.toks[j].q == nil; j-- {
		if e.toks[j].cue("concurrency") {
			return slices.Contains(mostWords, strings.Trim(e.s[e.toks[j].end:e.toks[i].start], " :也就会大概约是数量"))
		}
	}
	return false
}

// mostWords say that the number behind them is the greatest.
var mostWords = []string{"撑死", "顶多", "最多", "至多", "最高", "不过", "不超", "不超过", "超不过", "上限", "封顶", "峰值", "tops out at", "peaks at", "maxes out at", "is at most", "at most", "never above", "never over", "capped at", "max", "maximum", "up to", "no more than", "is no more than"}

// doingAtOnce reports whether between a number and "at once" stands only what
// they do: "6 talking at once".
func (e *ear) doingAtOnce(i int) bool {
	for j := i + 1; j < len(e.toks) && e.toks[j].clause == e.toks[i].clause && e.toks[j].q == nil; j++ {
		if e.toks[j].cue("concurrency") {
			words := strings.Fields(e.gap(i, j))
			return len(words) == 1 && strings.HasSuffix(words[0], "ing")
		}
	}
	return false
}

// ratePerSecond reports whether requests are counted by the second.
func (e *ear) ratePerSecond(i int) bool {
	head := strings.TrimRight(e.s[max(0, e.toks[i].start-12):e.toks[i].start], " ")
	return strings.HasSuffix(head, "每秒") || strings.HasSuffix(head, "一秒") || hasAnyPrefix(e.after(i), "/s", "per second", "a second", "每秒", "/秒")
}

// isTeam reports whether people are the size of a team, not users at once:
// 5人团队, "team of 12", 公司200人.
func (e *ear) isTeam(i int) bool {
	if j := e.next(i); j >= 0 && e.toks[j].cue("team") && e.close(i, j) {
		return !hasAnyPrefix(e.after(j), "用", "使用", "内部用", "访问")
	}
	j := e.prev(i)
	return j >= 0 && e.toks[j].cue("team") && e.close(j, i) && !e.serves(j) && !hasAnyPrefix(e.after(i), "用", "一起用", "在用", "使用", "同时", "访问")
}

// isFamily reports whether people only say who somebody lives with: "got 3 kids".
func (e *ear) isFamily(i int) bool {
	head := strings.TrimRight(e.s[:e.toks[i].start], " ")
	return hasAnySuffix(e.s[:e.toks[i].end], "kids") && !e.inClause(i, "concurrency") &&
		(hasAnySuffix(head, " got", " have", " raising", "wife and", "husband and", "partner and", "dad of", "mom of", "mum of", "father of", "mother of", "parent of") || hasAnyPrefix(head+"|", "got|", "have|"))
}

// serves reports whether something is run for the people at token i: "for a team
// of 8", "to our team of 20".
func (e *ear) serves(i int) bool {
	head := strings.TrimRight(e.s[:e.toks[i].start], " ")
	for _, w := range []string{" a", " an", " our", " my", " the", " one", " small", " whole"} {
		head = strings.TrimSuffix(head, w)
	}
	return hasAnySuffix(head, " for", " to", "给", "给我们", "给咱们", "供", "供我们", "让", "让我们", "为我们")
}

// Figures beyond these are no facts of a job: billions of parameters, hours, cards.
const (
	mostParams  = 20000
	longestTime = 20 * 8760
	mostCards   = 100000
	mostTokens  = 2.1e7
)

// odd notes the first figure that cannot be meant, so that it is not dropped in
// silence: 0B, 1e308 days, a context of 10^12.
func (e *ear) odd() {
	for i := range e.toks {
		t := &e.toks[i]
		if t.minus > 0 {
			e.r.Odd = e.line.Original(t.start-t.minus, t.end)
			return
		}
		if t.q == nil || t.q.Vague || !t.live() {
			if t.sense("narrower") != "" && t.live() && e.r.Narrower == "" {
				e.r.Narrower = e.line.Original(t.start, t.end)
				say(&e.r.Facts.Quantised, true)
			}
			continue
		}
		bad := false
		switch q := t.q; q.Unit {
		case text.Params:
			bad = q.Lo <= 0 || q.Hi > mostParams
		case text.Hours:
			bad = q.Hi <= 0 || q.Hi > longestTime
		case text.Cards:
			bad = q.Hi <= 0 || q.Hi > mostCards
		case text.Sheets:
			bad = q.Hi > mostCards && e.isCardCount(i)
		case text.Bare, text.Kilo, text.Mega, text.Tokens:
			bad = q.Hi > mostTokens && e.contextCue(i)
		}
		if bad {
			e.r.Odd = e.line.Original(t.start, t.end)
			return
		}
	}
	e.tooLong()
}

// tooLong notes a number that is too great to be read as one.
func (e *ear) tooLong() {
	for i := 0; i < len(e.s); i++ {
		if e.s[i] < '0' || e.s[i] > '9' || i > 0 && (alnum(e.s[i-1]) || e.s[i-1] == '.') {
			continue
		}
		j := i
		for j < len(e.s) && (e.s[j] >= '0' && e.s[j] <= '9' || e.s[j] == '^') {
			j++
		}
		power := j < len(e.s) && e.s[j] == 'e' && j-i < 3 && j+2 < len(e.s) && e.s[j+1] >= '1' && e.s[j+1] <= '9' && e.s[j+2] >= '0' && e.s[j+2] <= '9'
		for power && j < len(e.s) && alnum(e.s[j]) {
			j++
		}
		if power || j-i > 18 || strings.HasPrefix(e.s[i:j], "10^") && j-i > 4 {
			e.r.Odd = e.line.Original(i, min(j, i+24))
			return
		}
		i = j
	}
}

// picture reads resolution, frames and batch.
func (e *ear) picture() {
	for i := range e.toks {
		t := &e.toks[i]
		if t.q == nil || t.used || !t.live() || t.q.Vague {
			continue
		}
		f := &e.r.Facts
		switch t.q.Unit {
		case text.Size:
			t.used = true
			say(&f.Resolution, Size{int(t.q.Lo), int(t.q.Hi)})
		case text.Lines:
			t.used = true
			if size, ok := picture(t.q.Lo); ok {
				say(&f.Resolution, size)
			}
		case text.Kilo:
			if size, ok := kiloPicture(t.q.Lo); ok && (e.near(i, "resolution") || e.aboutPictures()) {
				t.used = true
				say(&f.Resolution, size)
			}
		case text.Frames:
			if t.q.Per == 0 && t.q.Lo >= 1 {
				t.used = true
				say(&f.Frames, t.q.Hi)
			}
		case text.Bare:
			e.bareSetting(i)
		}
	}
}

// aboutPictures reports whether the text or the conversation is about pictures.
func (e *ear) aboutPictures() bool {
	pictures := func(field string) bool {
		return field == "image" || field == "video" || field == "cv" || field == "render"
	}
	if pictures(fieldOfTask[e.known.Task.Value]) {
		return true
	}
	for i := range e.toks {
		t := &e.toks[i]
		if m := e.book.models[t.sense(kindModel)]; m != nil && pictures(fieldOf(m)) || pictures(t.sense("field")) || pictures(fieldOfTask[t.sense("task")]) {
			return true
		}
	}
	return false
}

// bareSetting reads "batch 8" and "imgsz 1280".
func (e *ear) bareSetting(i int) {
	t := &e.toks[i]
	if e.isEdge(i) {
		t.used = true
		say(&e.r.Facts.Resolution, Size{int(t.q.Lo), int(t.q.Lo)})
		return
	}
	j := e.prev(i)
	if j < 0 || t.q.Lo != t.q.Hi || !e.close(j, i) {
		return
	}
	switch {
	case e.toks[j].cue("batch") && t.q.Lo >= 1 && t.q.Lo <= 65536:
		t.used = true
		say(&e.r.Facts.Batch, t.q.Lo)
	case e.toks[j].cue("resolution") && t.q.Lo >= 128 && t.q.Lo <= 8192 && math.Mod(t.q.Lo, 8) == 0:
		t.used = true
		say(&e.r.Facts.Resolution, Size{int(t.q.Lo), int(t.q.Lo)})
	}
}

// isEdge reports whether a bare figure is the edge of a square picture that a
// preposition names: "yolo11m at 1280", "SDXL LoRA @1024".
func (e *ear) isEdge(i int) bool {
	t := &e.toks[i]
	before, after := strings.TrimRight(e.s[:t.start], " "), e.after(i)
	if !strings.HasSuffix(before, " at") && !strings.HasSuffix(before, "@") || after != "" && letter(after[0]) && !hasAnyPrefix(after, "for", "on", "with", "and", "in ", "using") {
		return false // at 1024 steps
	}
	return t.q.Lo == t.q.Hi && t.q.Scale == "" && t.q.Lo >= 224 && t.q.Lo <= 2048 && math.Mod(t.q.Lo, 32) == 0 && e.aboutPictures()
}

// picture is the size of a picture that is called by its height.
func picture(height float64) (Size, bool) {
	widths := map[float64]int{240: 426, 360: 640, 480: 854, 540: 960, 576: 1024, 720: 1280, 1080: 1920, 1440: 2560, 2160: 3840}
	if w, ok := widths[height]; ok {
		return Size{w, int(height)}, true
	}
	if height >= 128 && height <= 8192 && math.Mod(height, 8) == 0 {
		return Size{int(height), int(height)}, true
	}
	return Size{}, false
}

func kiloPicture(v float64) (Size, bool) {
	switch v {
	case 2000:
		return Size{2560, 1440}, true
	case 4000:
		return Size{3840, 2160}, true
	case 8000:
		return Size{7680, 4320}, true
	}
	return Size{}, false
}
