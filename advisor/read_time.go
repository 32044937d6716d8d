package advisor

import (
	"math"
	"slices"
	"strings"

	"gpuadvisor/advisor/text"
)

// duration reads how long the job runs. Times that say something else fill
// nothing: how often (每天 6 小时), how fast (15 分钟一个 epoch), how much work
// (500 小时录音), how long ago, until when, and reminders.
func (e *ear) duration() {
	if e.cues["intent=remind"] {
		return
	}
	frequent := false
	var found *token
	for i := range e.toks {
		t := &e.toks[i]
		if word := t.sense("duration_hours"); word != "" && t.live() && found == nil && !e.inClause(i, "schedule", "deadline") {
			say(&e.r.Facts.DurationHours, One(parse(word)))
			continue
		}
		if !t.unit(text.Hours) || t.q.Vague {
			continue
		}
		if e.inClause(i, "rest") && found != nil && e.before(i, "rest") {
			e.rest(t.q.Lo)
			continue
		}
		if e.isFrequency(i) {
			frequent = true
		}
		if e.monthOf(i) {
			t.used, e.toks[e.nextQuantity(i)].used = true, true
			continue
		}
		if e.isSchedule(i) || frequent && t.q.Hi <= 24 {
			e.hoursPerDay(i)
			continue
		}
		if !t.live() || e.isOther(i) {
			continue
		}
		if found != nil && e.atMost(i) && e.atLeast(found) {
			t.used = true
			e.r.Facts.DurationHours.Value.Hi = max(t.q.Hi, e.r.Facts.DurationHours.Value.Hi)
			continue
		}
		if found == nil || found.weak && !t.weak || e.changed && found.weak == t.weak {
			found = t
			t.used = true
			say(&e.r.Facts.DurationHours, e.longer(i))
		}
	}
}

// longer adds time to the known duration where the text says so: 再加两天, "two
// more days"; else it is the time at token i itself.
func (e *ear) longer(i int) Range {
	q, known := e.toks[i].q, e.known.DurationHours
	n := e.sittings(i)
	r := Range{q.Lo * n, q.Hi * n}
	if !known.IsSaid() {
		return r
	}
	head := strings.TrimRight(e.s[:e.toks[i].start], " ")
	more := strings.Contains(e.s[e.toks[i].start:e.toks[i].end], " more ") || hasAnyPrefix(e.after(i), e.book.beside["longer"]...) || hasAnySuffix(head, e.book.beside["longer-by"]...)
	if !more || e.cues["change"] {
		return r
	}
	return Range{known.Value.Lo + r.Lo, known.Value.Hi + r.Hi}
}

// sittings is how many times over the hours at token i are run: "five sessions of
// 2 hours"; 1 where nothing says so.
func (e *ear) sittings(i int) float64 {
	j := e.prevQuantity(i)
	if j < 0 || !e.sitting(j) {
		return 1
	}
	return e.toks[j].q.Lo
}

// sitting reports whether token i counts sittings, with the length of each behind
// it: those are no requests at once.
func (e *ear) sitting(i int) bool {
	q, k := e.toks[i].q, e.nextQuantity(i)
	return k >= 0 && e.toks[k].q.Unit == text.Hours && !q.Vague && q.Lo == q.Hi && q.Lo == math.Trunc(q.Lo) && q.Lo <= 100 &&
		hasAnySuffix(e.s[:e.toks[i].end], "sessions", "runs", "sittings") && hasAnyPrefix(e.after(i), "of ", "x ", "at ")
}

// atLeast reports whether a time is only the least that is counted with: 一礼拜打底,
// "at least 3 days".
func (e *ear) atLeast(t *token) bool {
	i := e.indexOf(t)
	head := strings.TrimRight(e.s[e.clauses[t.clause].start:t.start], " 要得")
	return hasAnySuffix(head, "至少", "最少", "起码", "少说", "最短", "at least", "minimum", "minimum of", "no less than") ||
		hasAnyPrefix(e.after(i), "打底", "起步", "起", "保底", "minimum", "min ", "at least", "at the least", "or more")
}

// atMost reports whether the time at token i is the most that is counted with:
// 最多十天, "5 days max".
func (e *ear) atMost(i int) bool {
	head := strings.TrimRight(e.s[e.clauses[e.toks[i].clause].start:e.toks[i].start], " 也就不会超过")
	return hasAnySuffix(head, "最多", "顶多", "撑死", "至多", "最长", "不超", "at most", "up to", "max", "maximum", "no more than", "not more than") ||
		hasAnyPrefix(e.after(i), "封顶", "顶天", "到头", "max", "at most", "at the most", "tops")
}

// rest takes off a pause: 半个月，中间歇两天.
func (e *ear) rest(hours float64) {
	d := e.r.Facts.DurationHours.Value
	if hours < d.Lo {
		say(&e.r.Facts.DurationHours, Range{d.Lo - hours, d.Hi - hours})
	}
}

// isFrequency reports whether a period is followed by a number of times: 一周
// 两三次.
func (e *ear) isFrequency(i int) bool {
	j := e.nextQuantity(i)
	if j < 0 || e.toks[j].start-e.toks[i].end > 15 {
		return false
	}
	q := e.toks[j].q
	word := e.s[q.Start:q.End]
	return q.Unit == text.Things && (strings.HasSuffix(word, "次") || strings.HasSuffix(word, "times"))
}

// isSchedule reports whether the time is how long it runs each day or each
// time.
func (e *ear) isSchedule(i int) bool {
	t := &e.toks[i]
	if t.q.Per >= 24 {
		return true
	}
	if e.behindSchedule(i) || e.dayOf(i) || e.eachTime(i) {
		return true
	}
	if t.q.Clock && e.inClause(i, "schedule") {
		return true
	}
	// 一天 … 六个小时
	j := e.prev(i)
	return j >= 0 && e.toks[j].q != nil && e.toks[j].q.Unit == text.Hours && e.toks[j].q.Lo == 24 && e.toks[j].q.Spelled && t.q.Hi < 24 && e.toks[i].start-e.toks[j].end <= 15
}

// eachTime reports whether the hours are those of each of several days or
// nights: "5 nights, 9 hours each".
func (e *ear) eachTime(i int) bool {
	t := &e.toks[i]
	if t.q.Hi > 24 || !e.inHours(i) {
		return false
	}
	head := strings.TrimRight(e.s[:t.start], " ")
	if hasAnySuffix(head, "nights of", "nights at", "nights x", "evenings of", "evenings at", "evenings x", "days of", "days at") || e.nights() > 0 && strings.Contains(e.s[t.start:t.end], "x ") {
		return true
	}
	each := hasAnyPrefix(e.after(i), "each", "apiece", "a piece") || hasAnySuffix(head, "各", "各开", "各跑", "各用", "各训")
	return each && (e.nights() > 0 || e.daysBefore(i))
}

// daysBefore reports whether several days are said before token i: 三天，各6小时.
func (e *ear) daysBefore(i int) bool {
	return slices.ContainsFunc(e.toks[:i], func(t token) bool {
		return t.q != nil && t.q.Unit == text.Hours && t.q.Lo > 24 && t.q.Hi <= 24*60 || t.sense("duration_hours") != ""
	})
}

// nights is how many nights or evenings are counted, 0 for none.
func (e *ear) nights() float64 {
	for i := range e.toks {
		q := e.toks[i].q
		if q == nil || q.Vague || q.Lo != q.Hi || q.Hi > 100 || q.Unit != text.Bare && q.Unit != text.Pieces {
			continue
		}
		if hasAnyPrefix(e.after(i), "nights", "evenings", "晚", "晚上", "个晚上", "夜") {
			return q.Hi
		}
	}
	return 0
}

// behindSchedule reports whether a word such as 每天 stands before the time in
// its clause, or "daily" right behind it.
func (e *ear) behindSchedule(i int) bool {
	long := e.toks[i].q.Hi > 24 // 每天跑 … 一个月
	for j := i - 1; j >= 0 && e.toks[j].clause == e.toks[i].clause; j-- {
		if e.toks[j].cue("schedule") && (!long || e.touching(j, i)) {
			return true
		}
	}
	j := e.next(i)
	return j >= 0 && e.toks[j].cue("schedule") && e.close(i, j)
}

// dayOf reports whether "a day" is only what the hours behind it are in:
// 一天8小时.
func (e *ear) dayOf(i int) bool {
	q, j := e.toks[i].q, e.nextQuantity(i)
	if j < 0 || e.toks[j].q.Unit != text.Hours || q.Lo != 24 || !q.Spelled {
		return false
	}
	day := e.toks[j].q.Hi < 24 || e.touching(i, j) && !e.toks[j].q.Clock // 一天几百小时录音 is what is done a day
	return day && e.toks[j].start-e.toks[i].end <= 15
}

// monthOf reports whether a month or a week is only what the days behind it
// are in: 一个月大概用20天.
func (e *ear) monthOf(i int) bool {
	q, j := e.toks[i].q, e.nextQuantity(i)
	if j < 0 || e.toks[j].q.Unit != text.Hours || q.Lo != 720 && q.Lo != 168 || !q.Spelled || e.toks[j].q.Hi >= q.Lo {
		return false
	}
	gap := e.gap(i, j)
	return len(gap) <= 18 && (strings.Contains(gap, "用") || strings.Contains(gap, "开") || strings.Contains(gap, "跑"))
}

func (e *ear) hoursPerDay(i int) {
	q := e.toks[i].q
	if (q.Per == 24 || e.saysDaily(i) || e.eachTime(i)) && q.Hi <= 24 && q.Hi > 0 {
		e.toks[i].used = true
		say(&e.r.Facts.HoursPerDay, q.Hi)
		if n := e.nights(); n > 0 && !e.r.Facts.DurationHours.Known() {
			say(&e.r.Facts.DurationHours, One(24*n))
		}
	}
}

// saysDaily reports whether the hours at token i are those of a day.
func (e *ear) saysDaily(i int) bool {
	if j := e.prev(i); j >= 0 && e.toks[j].q != nil && e.toks[j].q.Unit == text.Hours && e.toks[j].q.Lo == 24 {
		return true // 一天8小时
	}
	return e.inClause(i, "daily")
}

// isOther reports whether the time is anything but the length of the run.
func (e *ear) isOther(i int) bool {
	t := &e.toks[i]
	q := t.q
	return q.Per != 0 || e.isRate(i) || e.isAudio(i) || e.isPast(i) || e.isDeadline(i) ||
		e.behind(i, "own") || q.Hi < 0.25 && e.asked.Slot != "duration_hours" || e.ofPrice(i) || e.onlyWork(i)
}

// isRate reports whether the time is for one piece of work: 15分钟一个epoch,
// 一天十万张, 900 images an hour.
func (e *ear) isRate(i int) bool {
	t := &e.toks[i]
	if j := e.next(i); j >= 0 && e.toks[j].cue("rate") && e.toks[j].start-e.toks[i].end <= 9 {
		return true
	}
	if j := e.prev(i); j >= 0 && e.toks[j].cue("rate") && e.close(j, i) {
		return true
	}
	if j := e.nextQuantity(i); j >= 0 && (e.toks[j].q.Unit == text.Cards || e.ofCard(j)) {
		return false // 三天 一张卡
	}
	if hasAnyPrefix(e.after(i), "一个epoch", "一轮", "一张", "一步", "一条", "/epoch", "a epoch", "an epoch", "per ", "each ") {
		return true
	}
	if t.q.Lo != t.q.Hi || !t.q.Spelled && !t.q.Article {
		return false
	}
	if e.madeEach(i) {
		return true
	}
	j := e.nextQuantity(i)
	if j < 0 || e.toks[j].start-e.toks[i].end > 18 || t.q.Lo != 24 && t.q.Lo != 1 && t.q.Lo != 168 && t.q.Lo != 720 {
		return false
	}
	switch n := e.toks[j].q; n.Unit {
	case text.Things, text.Frames:
		return true
	case text.Sheets:
		return e.pictures(j) || n.Vague || n.Lo >= 20
	case text.Bare:
		return n.Lo >= 1000 && e.touching(i, j)
	}
	return false
}

// madeEach reports whether a time says in what so many things are made: "2,000
// product photos a day".
func (e *ear) madeEach(i int) bool {
	if !e.toks[i].q.Article {
		return false
	}
	j := e.prevQuantity(i)
	if j < 0 || e.toks[j].q.Vague || e.toks[i].start-e.toks[j].end > 32 {
		return false
	}
	switch e.toks[j].q.Unit {
	case text.Bare, text.Kilo, text.Things, text.Frames:
	default:
		return false
	}
	between := strings.Fields(e.gap(j, i))
	if len(between) == 0 {
		return true
	}
	return !slices.ContainsFunc(between, func(w string) bool { return slices.Contains(betweenRates, w) }) && !strings.ContainsAny(e.gap(j, i), ",;:/()+")
}

// betweenRates are words that keep a number and a time from being one rate: "40k rows
// and a week", "8 cards for a month".
var betweenRates = []string{"and", "in", "for", "within", "over", "about", "around", "roughly", "is", "takes", "take", "need", "needs", "during", "or", "by", "plus", "only", "like", "maybe", "at", "with", "x", "of", "to", "on"}

// ofMaterial reports whether the time is that of recordings which a word behind
// it names: "300 hours of Cantonese", 八百小时的粤语数据. "Of training" and "of
// H100" are no material.
func (e *ear) ofMaterial(i int) bool {
	rest := e.after(i)
	of := strings.HasPrefix(rest, "of ")
	hours := e.inHours(i)
	if hours && e.aboutAudio() && e.speechBehind(i) {
		return true
	}
	j := e.next(i)
	if j >= 0 {
		n := &e.toks[j]
		switch {
		case n.q != nil && (n.q.Unit != text.Bare || e.beforeCard(j)), n.sense(kindLabel) != "", n.sense("does") != "", n.sense("task") != "", n.sense(kindModel) != "", n.sense("gpus") != "", n.cue("card") && !n.cue("data"), n.cue("rent"):
			return false
		case n.cue("audio") || n.cue("data"):
			gap := strings.TrimPrefix(strings.TrimSpace(e.gap(i, j)), "的")
			return of || hours && len(gap) <= 18 && strings.TrimFunc(gap, chineseLetter) == "" && !strings.Contains(e.gap(i, j), " ")
		}
	}
	if !of || !hours {
		return false
	}
	for _, w := range []string{"of gpu", "of compute", "of use", "of usage", "of runtime", "of run time", "of rent", "of work", "of processing", "of continuous", "of uninterrupted", "of wall", "of machine", "of time", "of uptime", "of it", "of that", "of each", "of the day", "of a day", "of access", "of total"} {
		if strings.HasPrefix(rest, w) {
			return false
		}
	}
	return true
}

// beforeCard reports whether a card stands right behind token j.
func (e *ear) beforeCard(j int) bool {
	k := e.next(j)
	return k >= 0 && e.toks[k].sense(kindLabel) != "" && e.touching(j, k)
}

// speechBehind reports whether a language stands right behind the time:
// 四十小时四川话.
func (e *ear) speechBehind(i int) bool {
	word := e.s[e.toks[i].end:]
	if end := strings.IndexFunc(word, func(r rune) bool { return !chineseLetter(r) }); end >= 0 {
		word = word[:end]
	}
	word = strings.TrimPrefix(word, "的")
	return len(word) <= 18 && strings.ContainsAny(word, "话语音腔")
}

// inHours reports whether the time was said in hours or minutes.
func (e *ear) inHours(i int) bool {
	return containsAny(e.s[e.toks[i].start:e.toks[i].end], "小时", "钟头", "分钟", "hour", "hr", "min") || strings.HasSuffix(e.s[e.toks[i].start:e.toks[i].end], "h")
}

func chineseLetter(r rune) bool { return r >= 0x4E00 && r <= 0x9FFF }

// aboutAudio reports whether the text or the conversation is about sound.
func (e *ear) aboutAudio() bool {
	if e.known.Task.Value == "speech" {
		return true
	}
	for i := range e.toks {
		t := &e.toks[i]
		if m := e.book.models[t.sense(kindModel)]; m != nil && fieldOf(m) == "audio" || t.sense("field") == "audio" || t.sense("task") == "speech" {
			return true
		}
	}
	return false
}

// isAudio reports whether the time is the length of recordings.
func (e *ear) isAudio(i int) bool {
	if e.ofMaterial(i) {
		return true
	}
	if j := e.next(i); j >= 0 && e.toks[j].cue("audio") && e.close(i, j) {
		return true
	}
	if hasAnyPrefix(e.after(i), "of ") && e.behind(i, "audio", "data") {
		return true
	}
	if e.audioInAll(i) {
		return true
	}
	j := e.prev(i)
	if j < 0 || !e.close(j, i) || e.toks[j].is("does", "run") {
		return false
	}
	t := &e.toks[j]
	return t.cue("audio") || t.sense("field") == "audio" && e.toks[i].q.Hi < 1 || t.cue("data") && e.toks[i].q.Hi != 24 && e.inHours(i) && e.aboutAudio()
}

// audioInAll reports whether the hours are how much recording there is in all,
// where another time says how long the work may take: 会议录音，一共两百小时，三天内弄完.
func (e *ear) audioInAll(i int) bool {
	if !e.inHours(i) || e.toks[i].q.Hi < 10 || !e.aboutAudio() {
		return false
	}
	head := e.s[e.clauses[e.toks[i].clause].start:e.toks[i].start]
	if !containsAny(head, "共", "总计", "合计", "加起来", "total", "altogether", "in all") && !hasAnyPrefix(e.after(i), "in total", "total", "altogether", "in all", "all told") {
		return false
	}
	for j := range e.toks {
		if q := e.toks[j].q; j != i && q != nil && q.Unit == text.Hours && q.Per == 0 && !q.Vague && e.toks[j].clause > e.toks[i].clause {
			return true
		}
	}
	return false
}

// isPast reports whether the time lies behind, or ahead as a point: "after 3
// hrs", 三天后, 已经跑了两天.
func (e *ear) isPast(i int) bool {
	if j := e.prev(i); j >= 0 && e.toks[j].cue("past") && e.close(j, i) {
		return true
	}
	if e.before(i, "done") {
		return true
	}
	if strings.HasSuffix(e.s[:e.toks[i].start], "了") && !e.led(i, "change") {
		return true // 传了一天, but not 改成了一天
	}
	rest := e.after(i)
	return hasAnyPrefix(rest, "后", "之后", "以后", "前", "之前", "以前", "ago", "later", "就挂", "就崩", "就断", "就报", "就爆", "from now", "old")
}

func (e *ear) isDeadline(i int) bool {
	if j := e.prev(i); j >= 0 && e.toks[j].cue("deadline") {
		return true
	}
	j := e.next(i)
	if j < 0 || !e.toks[j].cue("deadline") || !e.close(i, j) {
		return false
	}
	adjective := strings.HasSuffix(e.s[:e.toks[i].end], "day") || strings.HasSuffix(e.s[:e.toks[i].end], "hour") || strings.HasSuffix(e.s[:e.toks[i].end], "week")
	return !adjective || e.toks[i].q.Lo == 1 // "2 day deadline" is how long there is
}

// ofPrice reports whether the time only says what a price is for: 包月, "a
// month at $300".
func (e *ear) ofPrice(i int) bool {
	q := e.toks[i].q
	j := e.next(i)
	if j < 0 || e.toks[j].q == nil || !q.Spelled || !e.touching(i, j) || e.toks[j].q.Unit != text.CNY && e.toks[j].q.Unit != text.USD && e.toks[j].q.Unit != text.Blocks {
		return false
	}
	if e.toks[j].q.Vague && (q.Lo == 24 || q.Lo == 720) { // 一天几块钱, not 跑一天几块钱; 一个星期几十块钱 is what a week may cost in all
		return !hasAnySuffix(strings.TrimRight(e.s[:e.toks[i].start], " "), "跑", "训", "训练", "租", "用", "要")
	}
	return q.Lo == 1
}

// onlyWork reports whether the hours are card-hours or the length of one film:
// "576 GPU hours", 一部两小时的片子.
func (e *ear) onlyWork(i int) bool {
	return hasAnyPrefix(e.after(i), "的视频", "的片子", "的音频", "的录音", "的电影", "视频素材", "long video", "video clip")
}
