package advisor

import (
	"math"
	"strings"

	"gpuadvisor/advisor/text"
)

// money reads budgets and the user's own price of a card. An amount for each
// hour is a price unless a budget is spoken of.
func (e *ear) money() {
	for i := range e.toks {
		t := &e.toks[i]
		if t.q == nil || t.used || t.theirs || t.not || t.q.Vague {
			continue
		}
		amount, ok := e.amount(i)
		if !ok {
			continue
		}
		t.used = true
		budget := e.near(i, "budget") || e.inClause(i, "budget") && !e.near(i, "each", "rate") || e.asked.Slot == "budget"
		switch {
		case amount.Per == "hour" && !budget && (e.r.Facts.GPUNamed.Known() || e.near(i, "each")):
			if !e.r.Facts.PriceHour.Known() || e.changed {
				say(&e.r.Facts.PriceHour, amount)
			}
		case amount.Per != "total" && !budget && e.r.Facts.GPUNamed.Known(), e.near(i, "each") && !budget:
		case !e.r.Facts.Budget.Known() || e.changed:
			say(&e.r.Facts.Budget, amount)
		}
	}
}

// amount reads token i as money.
func (e *ear) amount(i int) (Budget, bool) {
	q := e.toks[i].q
	b := Budget{Amount: q.Hi, Per: e.per(i)}
	switch q.Unit {
	case text.CNY:
		b.Currency = "CNY"
	case text.USD:
		b.Currency = "USD"
	case text.Blocks:
		if !e.isYuan(i) {
			return b, false
		}
		b.Currency = "CNY"
	case text.Bare, text.Kilo:
		if !e.barePrice(i, b.Per) {
			return b, false
		}
		b.Currency = e.currency()
	default:
		return b, false
	}
	return b, b.Amount > 0
}

// currency is what an amount without one is in: the language tells.
func (e *ear) currency() string {
	if e.han() {
		return "CNY"
	}
	return "USD"
}

// isYuan tells 块 the money from 块 the measure word of boards.
func (e *ear) isYuan(i int) bool {
	if e.toks[i].q.Per != 0 {
		return true
	}
	if j := e.next(i); j >= 0 && e.toks[j].sense(kindLabel) != "" && e.countGap(i, j) {
		return false
	}
	if hasAnyPrefix(e.after(i), "卡", "显卡", "gpu", "板", "加速卡") {
		return false
	}
	q := e.toks[i].q
	if q.Lo > 32 || q.Lo != math.Trunc(q.Lo) || q.Per != 0 || e.per(i) != "total" {
		return true
	}
	return e.near(i, "budget", "each") || e.inClause(i, "budget") || e.asked.Slot == "budget"
}

// barePrice reports whether a number without currency is an amount: 0.35/hr,
// 一小时1.9, 预算 2000.
func (e *ear) barePrice(i int, per string) bool {
	q := e.toks[i].q
	if per == "hour" && q.Unit == text.Bare {
		return q.Lo != math.Trunc(q.Lo) || q.Per == 1 || e.near(i, "each", "budget")
	}
	if q.Spelled && q.Scale == "" && q.Lo < 100 || q.Before {
		return false
	}
	if per != "total" && per != "other" && e.inClause(i, "budget") {
		return true
	}
	if e.led(i, "budget") && !e.onlyLimit(i) {
		return !e.counted(i)
	}
	if j := e.next(i); j >= 0 && e.touching(i, j) && e.toks[j].cue("budget") && !e.weakBudget(j) {
		return true
	}
	return e.asked.Slot == "budget" && q.Unit == text.Kilo
}

// onlyLimit reports whether the cue before token i is a limit of anything.
func (e *ear) onlyLimit(i int) bool {
	for j := i - 1; j >= 0 && e.toks[j].clause == e.toks[i].clause; j-- {
		if e.toks[j].cue("budget") && !e.weakBudget(j) {
			return false
		}
	}
	return true
}

// weakBudget reports whether a cue is only a limit of anything: "under", 最多.
func (e *ear) weakBudget(j int) bool {
	word := e.s[e.toks[j].start:e.toks[j].end]
	return !strings.Contains(word, "budget") && !strings.Contains(word, "预算") && !strings.Contains(word, "经费") && !strings.Contains(word, "spend") && !strings.Contains(word, "花")
}

// counted reports whether something is counted by the number at token i.
func (e *ear) counted(i int) bool {
	return hasAnyPrefix(e.after(i), "个", "张", "条", "人", "天", "小时", "gb", "hour", "day")
}

// per is the time for which an amount is meant.
func (e *ear) per(i int) string {
	hours := e.toks[i].q.Per
	if hours == 0 {
		hours = e.perBeside(i)
	}
	switch hours {
	case 1:
		return "hour"
	case 24:
		return "day"
	case 720:
		return "month"
	case 0:
		return "total"
	}
	return "other"
}

// perBeside reads "每小时 15 块", "一小时1.9" and "一个月3000": one unit of
// time before the amount.
func (e *ear) perBeside(i int) float64 {
	from := e.clauses[e.toks[i].clause].start
	head := strings.TrimRight(e.s[max(from, e.toks[i].start-30):e.toks[i].start], " 要只大概约才:")
	for _, w := range []string{" of", " is", "最多", "不超过", "控制在", "预算", "budget", "费用", "花", "总", " my"} {
		head = strings.TrimRight(strings.TrimSuffix(head, w), " ")
	}
	for _, p := range []struct {
		word  string
		hours float64
	}{{"每小时", 1}, {"每个小时", 1}, {"每卡每小时", 1}, {"每张卡每小时", 1}, {"每卡时", 1}, {"per hour", 1}, {"hourly", 1}, {"每天", 24}, {"每日", 24}, {"每月", 720}, {"每个月", 720}, {"monthly", 720}, {"包月", 720}} {
		if strings.HasSuffix(head, p.word) {
			return p.hours
		}
	}
	j := e.prev(i)
	if j > 0 && e.toks[j].cue("budget") && e.close(j, i) && e.toks[j-1].unit(text.Hours) && e.touching(j-1, j) {
		if q := e.toks[j-1].q; q.Spelled && (q.Lo == 1 || q.Lo == 24 || q.Lo == 720) && q.Lo == q.Hi { // 一天预算80
			e.toks[j-1].used = true
			return q.Lo
		}
	}
	if j < 0 || !e.toks[j].unit(text.Hours) || !e.touching(j, i) {
		return 0
	}
	switch t := e.toks[j].q; {
	case t.Lo != t.Hi || !t.Spelled:
		return 0
	case e.before(j, "budget") && (t.Lo == 24 || t.Lo == 720): // 预算一个月两千
		e.toks[j].used = true
		return t.Lo
	case t.Lo == 1 || t.Lo == 24 || t.Lo == 720:
		unit := e.toks[i].q.Unit
		if unit == text.Bare && e.toks[i].q.Lo == math.Trunc(e.toks[i].q.Lo) {
			return 0
		}
		e.toks[j].used = true
		return t.Lo
	}
	return 0
}

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
	return e.near(i, "context") && !e.near(i, "resolution") || e.before(i, "context")
}

// bareContext reports whether a bare 4k or 32k is a context: in a text about a
// language model, and nothing else that comes in thousands.
func (e *ear) bareContext(i int) bool {
	k := e.toks[i].q.Hi / 1000
	if e.toks[i].q.Lo != e.toks[i].q.Hi || e.near(i, "resolution", "budget", "data") || !e.language() && !e.cues["context"] {
		return false
	}
	switch k {
	case 1, 2, 4, 8, 16, 24, 32, 40, 48, 64, 100, 96, 128, 131, 160, 192, 200, 256, 512, 1000:
		return !hasAnyPrefix(e.after(i), "张", "条", "图", "视频", "分辨率", "块", "元", "刀", "video", "image", "rows", "res", "屏", "画", "step")
	}
	return false
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
	t.used = true
	say(&e.r.Facts.Concurrency, t.q.Hi)
}

func (e *ear) isConcurrency(t *token) bool {
	if t.q == nil || t.used || t.q.Vague || t.q.Hi < 1 || t.q.Lo != math.Trunc(t.q.Lo) {
		return false
	}
	i := e.indexOf(t)
	switch t.q.Unit {
	case text.Streams:
		if t.q.Per != 0 || e.ratePerSecond(i) {
			return false
		}
		j := e.next(i)
		return j < 0 || e.toks[j].sense(kindLabel) == "" || !e.touching(i, j) // 四路4090
	case text.People:
		return t.q.Per == 0 && !e.isTeam(i) && !hasAnyPrefix(e.after(i), "脸", "像", "物", "次", "/天", "每天", "一天")
	case text.Bare, text.Pieces, text.Cards, text.Things:
		if t.q.Per != 0 || t.q.Unit == text.Things || t.q.Unit == text.Cards {
			return false
		}
		if e.led(i, "concurrency") {
			return true
		}
		j := e.next(i)
		return j >= 0 && e.touching(i, j) && e.toks[j].cue("concurrency") && t.q.Scale == ""
	}
	return false
}

// ratePerSecond reports whether requests are counted by the second.
func (e *ear) ratePerSecond(i int) bool {
	head := strings.TrimRight(e.s[max(0, e.toks[i].start-12):e.toks[i].start], " ")
	return strings.HasSuffix(head, "每秒") || strings.HasSuffix(head, "一秒") || hasAnyPrefix(e.after(i), "/s", "per second", "a second", "每秒", "/秒")
}

// isTeam reports whether people are the size of a team, not users at once.
func (e *ear) isTeam(i int) bool {
	if hasAnyPrefix(e.after(i), "团队", "小组", "的团队", "的公司", "小团队", "公司", "team", "startup", "company", "lab", "的小") {
		return true
	}
	head := e.s[max(0, e.toks[i].start-16):e.toks[i].start]
	head = strings.TrimRight(head, " 大概约有就了共一才是")
	for _, w := range []string{"team of", "团队", "公司", "组里", "班里", "we are", "we're", "company of"} {
		if strings.HasSuffix(head, w) {
			return true
		}
	}
	return false
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

// memory reads sizes in GB: of the data, the host's RAM, a measured peak. A
// size that is said of a card, or of nothing, fills no fact.
func (e *ear) memory() {
	for i := range e.toks {
		t := &e.toks[i]
		if t.q == nil || t.used || t.q.Vague || !t.live() {
			continue
		}
		switch t.q.Unit {
		case text.GB, text.Tera:
			e.sizeOf(i)
		case text.Bare:
			if e.talking() && e.before(i, "peak") && t.q.Lo > 1 && t.q.Hi < 300 && !e.r.Facts.PeakGiB.Known() {
				t.used = true
				e.r.Facts.PeakGiB = Fact[float64]{t.q.Hi, Measured}
			}
		case text.Mega:
			if e.near(i, "upload") {
				t.used = true
				say(&e.r.Facts.UploadMbps, t.q.Lo/1e6)
			}
			if !t.used && e.near(i, "data") && e.dataBeside(i) {
				t.used = true
				say(&e.r.Facts.DataGB, t.q.Hi/1e9)
			}
		case text.Mbps:
			if e.inClause(i, "upload") || e.asked.Slot == "upload_mbps" {
				t.used = true
				say(&e.r.Facts.UploadMbps, t.q.Lo)
			}
		}
	}
}

// sizeOf decides what the size at token i is of.
func (e *ear) sizeOf(i int) {
	t := &e.toks[i]
	f := &e.r.Facts
	switch {
	case t.q.Per != 0:
	case t.q.Unit == text.GB && e.isPeak(i):
		t.used = true
		f.PeakGiB = Fact[float64]{t.q.Hi, Measured}
	case t.q.Unit == text.GB && (e.near(i, "vram") || e.ofCards(i)):
		t.used = true
	case t.q.Unit == text.GB && e.near(i, "ram") && !e.dataOf(i):
		t.used = true
		say(&f.HostRAMGB, t.q.Hi)
	case e.isData(i):
		t.used = true
		if !f.DataGB.Known() || e.changed {
			say(&f.DataGB, t.q.Hi)
		}
	}
}

// isPeak reports whether the size is a reading of a run: "峰值 21.3G".
func (e *ear) isPeak(i int) bool {
	if e.asked.Slot == "peak_gib" {
		return true
	}
	return e.near(i, "peak") && !e.dataOf(i)
}

// ofCards reports whether the size describes cards: 24G卡, 两张80G的,
// "I need 96 gigs".
func (e *ear) ofCards(i int) bool {
	if hasAnyPrefix(e.after(i), "卡", "显卡", "的卡", "的显卡", "gpu", "card", "显存", "vram", "上跑", "上微调", "上训", "上能", "上跑得", "的够", "够不够", "够吗", "够不", "版", "魔改", "的机器") {
		return true
	}
	if j := e.prev(i); j >= 0 {
		t := &e.toks[j]
		if t.q != nil && (t.q.Unit == text.Cards || t.q.Unit == text.Sheets || t.q.Unit == text.Blocks || t.q.Unit == text.Times || t.q.Unit == text.Machines) && e.touching(j, i) {
			return true
		}
		if t.sense(kindLabel) != "" && e.close(j, i) || t.is("gpus", "single") && e.touching(j, i) {
			return true
		}
		if t.cue("card") && e.touching(j, i) && !t.cue("data") {
			return true
		}
	}
	return false
}

// dataOf reports whether "of data", "of images" … or a word for data stands
// right behind or before the size.
func (e *ear) dataOf(i int) bool {
	if hasAnyPrefix(e.after(i), "of ram", "of vram", "of memory", "of gpu", "of system", "of video") {
		return false
	}
	return strings.HasPrefix(e.after(i), "of ") || e.dataBeside(i)
}

// dataBeside reports whether a word for data is the nearest name to the size.
func (e *ear) dataBeside(i int) bool {
	if j := e.next(i); j >= 0 && e.toks[j].cue("data") && e.close(i, j) {
		return true
	}
	for j := i - 1; j >= 0 && e.toks[j].clause == e.toks[i].clause; j-- {
		switch t := &e.toks[j]; {
		case t.q != nil || t.cue("vram") || t.cue("ram") || t.cue("card") && !t.cue("data"):
			return false
		case t.cue("data"):
			return true
		}
	}
	return false
}

// isData reports whether the size is that of the data.
func (e *ear) isData(i int) bool {
	t := &e.toks[i]
	if e.asked.Slot == "data_gb" || e.dataOf(i) {
		return true
	}
	if hasAnyPrefix(e.after(i), "参数", "模型", "的模型", "token") {
		return false
	}
	if t.q.Unit == text.GB && t.q.Lo >= 300 && strings.Contains(e.s[t.start:t.end], "b") {
		return true // no card or host is meant
	}
	if t.q.Unit == text.Tera || t.q.Lo >= 400 && t.q.Unit == text.GB {
		return e.near(i, "data") || e.standsAlone(i) || e.inClause(i, "data")
	}
	if e.inClause(i, "data") && !e.inClause(i, "vram", "ram") && e.near(i, "data") {
		return true
	}
	return e.standsAlone(i) && (!cardMemory(t.q.Lo) || e.talking() && !e.cues["vram"])
}

// standsAlone reports whether the size is an item of its own in a list of
// answers: "一天，1G", "7B lora 3G 单卡".
func (e *ear) standsAlone(i int) bool {
	c := e.clauses[e.toks[i].clause]
	head, tail := e.s[c.start:e.toks[i].start], e.s[e.toks[i].end:c.end]
	if !blankEdge(head, false) || !blankEdge(tail, true) {
		return false
	}
	if e.cues["vram"] && !e.talking() {
		return false
	}
	if len(strings.TrimSpace(head))+len(strings.TrimSpace(tail)) == 0 {
		return true
	}
	for _, j := range []int{e.prev(i), e.next(i)} {
		if j >= 0 && e.toks[j].q == nil && e.toks[j].sense("does") == "" && e.toks[j].sense("method") == "" && e.toks[j].sense("gpus") == "" && e.toks[j].sense("precision") == "" {
			return false
		}
	}
	return true
}

// blankEdge reports whether only fillers stand between the size and the next
// blank on that side.
func blankEdge(s string, tail bool) bool {
	if tail {
		s, _, _ = strings.Cut(strings.TrimLeft(s, ""), " ")
		return strings.Trim(s, " 的左右吧样子呢啊~.多") == ""
	}
	if k := strings.LastIndex(s, " "); k >= 0 {
		s = s[k+1:]
	}
	return strings.Trim(s, " 大概约差不多就也有不到总共才~一个") == "" || s == "about" || s == "roughly" || s == "~" || s == "and"
}

// cardMemory reports whether a size is one that cards come in.
func cardMemory(gb float64) bool {
	switch gb {
	case 6, 8, 10, 11, 12, 16, 20, 22, 24, 32, 40, 44, 48, 64, 80, 84, 94, 96, 128, 141, 144, 180, 192, 256, 288:
		return true
	}
	return false
}
