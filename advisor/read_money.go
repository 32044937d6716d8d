package advisor

import (
	"math"
	"slices"
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
		case amount.Per == "hour" && !budget && (e.r.Facts.GPUNamed.Known() || e.near(i, "each") || e.asked.Slot == "price_hour" || e.onlySum()):
			if !e.r.Facts.PriceHour.Known() || e.changed {
				say(&e.r.Facts.PriceHour, amount)
			}
		case amount.Per != "total" && !budget && e.r.Facts.GPUNamed.Known(), e.near(i, "each") && !budget:
		case !e.r.Facts.Budget.Known() || e.changed:
			say(&e.r.Facts.Budget, amount)
		}
	}
}

// onlySum reports whether a text gives nothing but what a sum takes: cards and
// hours beside the price, and no job that a budget would be for.
func (e *ear) onlySum() bool {
	cards, hours := false, false
	for i := range e.toks {
		cards = cards || e.toks[i].sense("gpus") != ""
		if q := e.toks[i].q; q != nil {
			cards = cards || q.Unit == text.Cards || q.Unit == text.Sheets || q.Unit == text.Times || q.Unit == text.Streams
			hours = hours || q.Unit == text.Hours && q.Per == 0
		}
	}
	return cards && hours && !e.saysJob()
}

// saysJob reports whether anything is said or known of what the cards are for.
func (e *ear) saysJob() bool {
	return e.known.Task.Known() || slices.ContainsFunc(e.toks, func(t token) bool {
		return t.sense("does") != "" || t.sense("task") != "" || t.sense("field") != "" || t.sense(kindModel) != "" || t.sense("method") != ""
	})
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
	limit := per == "day" || per == "month"
	if q.Before || q.Spelled && q.Scale == "" && q.Lo < 100 && !(limit && e.led(i, "budget")) {
		return false
	}
	if per != "total" && per != "other" && e.inClause(i, "budget") {
		return true
	}
	if e.led(i, "change") && q.Scale != "" && e.known.Budget.IsSaid() && e.cues["budget"] {
		return !e.counted(i) // 预算不是问题，加到两万
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
	head := e.s[e.clauses[e.toks[i].clause].start:e.toks[i].start]
	inAll := containsAny(head, "总共", "一共", "全部", "拢共") && e.endsClause(i) || hasAnyPrefix(e.after(i), "all in", "all told")
	return !inAll || e.toks[i].q.Lo < 50 || e.inClause(i, "concurrency", "context", "data", "vram")
}

// weakBudget reports whether a cue is only a limit of anything: "under", 最多.
func (e *ear) weakBudget(j int) bool {
	word := e.s[e.toks[j].start:e.toks[j].end]
	return !strings.Contains(word, "budget") && !strings.Contains(word, "预算") && !strings.Contains(word, "经费") && !strings.Contains(word, "spend") && !strings.Contains(word, "花") && !containsAny(word, "一口价", "卡钱", "手头", "cap it")
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
	for _, w := range []string{" of", " is", "最多", "不超过", "不要超过", "不能超过", "别超过", "不超", "别超", "不能超", "控制在", "预算", "budget", "费用", "花", "总", " my"} {
		head = strings.TrimRight(strings.TrimSuffix(head, w), " ")
	}
	if head == "月" || hasAnySuffix(head, " 月", ",月", "均月") { // 月预算5000
		return 720
	}
	for _, p := range []struct {
		word  string
		hours float64
	}{{"每小时", 1}, {"每个小时", 1}, {"每卡每小时", 1}, {"每张卡每小时", 1}, {"每卡时", 1}, {"per hour", 1}, {"hourly", 1}, {"每天", 24}, {"每日", 24}, {"每月", 720}, {"每个月", 720}, {"monthly", 720}, {"包月", 720}} {
		if strings.HasSuffix(head, p.word) {
			return p.hours
		}
	}
	if k := e.next(i); k >= 0 && e.toks[k].unit(text.Hours) && e.toks[k].q.Article && e.touching(i, k) && e.led(i, "budget") { // under 70 a day
		e.toks[k].used = true
		return e.toks[k].q.Lo
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
