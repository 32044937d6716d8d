package advisor

import (
	"math"
	"regexp"
	"slices"
	"strings"

	"gpuadvisor/advisor/cost"
	"gpuadvisor/advisor/text"
)

// The short form of the cost math: "4090 x3 72h", "a100 80g 8卡 两周",
// "4090 8h/天 30天 月付4199", "h100 @ 2.49usd 10h 装环境 1h 重跑 20%".
//
// Cards, counts and the length of the run are facts that the ear reads for
// every flow. What is read here is the rest: numbers that stand beside a word
// of rules/costs.yaml (a cue), and prices. A cue stands before its number in
// one half of the world and behind it in the other ("setup 1h, 1h setup"), so
// both readings of a line are tried and the one that leaves fewer cues without
// a number wins; a tie goes to the cue in front.

// maxCostText is how much of a text is read for a sum, in bytes.
const maxCostText = 2 << 10

// dim is what kind of quantity a number is, as far as its form tells.
type dim uint8

const (
	dimNone     dim = iota
	dimHours        // a length of time, hours
	dimSeconds      // a short one, seconds
	dimShare        // 0 to 1, or a multiple
	dimMoney        // an amount, for nothing named
	dimPerHour      // an amount for each …
	dimPerDay       //
	dimPerWeek      //
	dimPerMonth     //
	dimPerYear      //
	dimPerGB        //
	dimGB           // gigabytes
	dimMbps         // Mbit/s
	dimCount        // pieces of work
	dimBare         // nothing but a figure
)

// costItem is a number or a cue of the text.
type costItem struct {
	start, end int
	clause     int
	cues       []string       // of a cue
	q          *text.Quantity // of a number
	dim        dim
	lo, hi     float64
	currency   cost.Currency
	field      string // where the number went
}

// costEar is one text being read for a sum.
type costEar struct {
	book     *Rulebook
	s        string // normal form
	line     text.Line
	items    []costItem
	currency cost.Currency // of amounts that name none
	said     CostSaid
	bad      []saidProblem
	cards    []text.Hit // names of cards
	pieces   string     // what is counted: image, clip …
	whole    float64    // the four of "四张留一张", which are no cards
	budget   Fact[Budget]
	crowded  float64 // more cards than the ear believes in: 5000 H100
}

// saidProblem is a number that cannot be meant, with the words that say it.
type saidProblem struct {
	cost.Problem
	As string
}

// readCost reads what a text says of money. currency is that of amounts which
// name none.
func (b *Rulebook) readCost(textIn string, currency cost.Currency) *costEar {
	if len(textIn) > maxCostText {
		textIn = strings.ToValidUTF8(textIn[:maxCostText], "")
	}
	e := &costEar{book: b, line: text.Normal(textIn), currency: currency}
	e.s = e.line.Text
	e.scan()
	e.settleCurrency()
	e.tooLarge()
	e.zeros()
	e.lengths()
	e.crowd()
	e.assign()
	e.below()
	return e
}

// scan finds numbers and cues, in the order of the text.
func (e *costEar) scan() {
	names := e.book.lexicon.Find(e.s)
	names = slices.DeleteFunc(names, func(h text.Hit) bool {
		return !slices.ContainsFunc(h.Senses, func(s text.Sense) bool { return s.Kind == kindLabel || s.Kind == kindModel })
	})
	for _, h := range names {
		if h.Senses[0].Kind == kindLabel {
			e.cards = append(e.cards, h)
		}
	}
	for _, q := range text.Quantities(e.s, names) {
		if q.Vague || len(e.items) > 200 {
			continue
		}
		it := costItem{start: q.Start, end: q.End, q: &q, lo: q.Lo, hi: q.Hi}
		e.measure(&it)
		if q.Backwards {
			e.bad = append(e.bad, saidProblem{cost.Problem{Code: cost.Reversed}, e.line.Original(q.Start, q.End)})
			it.field = "reversed"
		}
		e.items = append(e.items, it)
	}
	for _, h := range e.book.costWords.Find(e.s) {
		it := costItem{start: h.Start, end: h.End}
		for _, s := range h.Senses {
			it.cues = append(it.cues, s.ID)
		}
		if !e.insideName(names, h) {
			e.items = append(e.items, it)
		}
	}
	slices.SortStableFunc(e.items, func(a, b costItem) int { return a.start - b.start })
	e.cut()
}

// insideName reports whether a cue is only part of a card's name. Models may be
// called like pieces of work: CLIP.
func (e *costEar) insideName(names []text.Hit, h text.Hit) bool {
	return slices.ContainsFunc(names, func(n text.Hit) bool {
		return n.Start < h.End && h.Start < n.End && n.Senses[0].Kind == kindLabel
	})
}

// cut numbers the clauses.
func (e *costEar) cut() {
	clause, at := 0, 0
	for i := range e.items {
		for ; at < e.items[i].start; at++ {
			if clauseMark(e.s, at) && !(i > 0 && e.items[i-1].end > at) {
				clause++
			}
		}
		e.items[i].clause = clause
	}
}

func clauseMark(s string, i int) bool {
	switch s[i] {
	case ',', ';', '?', '!', '\n', '|':
		return true
	case '.':
		return i+1 == len(s) || s[i+1] == ' '
	}
	return false
}

// measure tells what kind of quantity a number is.
func (e *costEar) measure(it *costItem) {
	q := it.q
	written := e.s[q.Start:q.End]
	switch q.Unit {
	case text.CNY, text.USD, text.Blocks:
		it.dim, it.currency = perDim(q.Per), cost.CNY
		if q.Unit == text.USD {
			it.currency = cost.USD
		}
	case text.Bare, text.Kilo:
		it.dim = dimBare
		if q.Per >= 1 {
			it.dim = perDim(q.Per)
		}
	case text.Hours:
		it.dim = dimHours
		if q.Per >= 24 {
			it.dim = dimNone // 8h/天: the ear reads it
		}
		if q.Hi > 24 && firstFigure(e.s[q.Start:q.End]) == q.Hi && (q.Per == 24 || hasAnySuffix(strings.TrimRight(e.s[:q.Start], " "), "每天", "每日", "一天", "daily", "a day")) {
			e.complain(cost.Absurd, "hours_per_day", it)
		}
	case text.Percent:
		it.dim, it.lo, it.hi = dimShare, q.Lo/100, q.Hi/100
	case text.GB:
		it.dim = dimGB
	case text.Tera:
		it.dim = dimGB
	case text.Mbps:
		it.dim = dimMbps
	case text.Machines:
		if strings.HasSuffix(written, "整机") { // "x8 整机": eight cards, priced together
			it.dim = dimCount
		}
	case text.Things, text.Sheets, text.Frames, text.Tokens, text.Pieces, text.Times:
		it.dim = dimCount
		if factor := secondsOf(written); factor > 0 {
			it.dim, it.lo, it.hi = dimSeconds, q.Lo*factor, q.Hi*factor
		}
		if strings.HasSuffix(written, "折") { // 9折 is a tenth off, 85折 are 15 %
			it.dim, it.lo, it.hi = dimShare, leftOf(q.Hi), leftOf(q.Lo)
		}
	}
	if after := strings.TrimLeft(e.s[q.End:], " "); it.dim == dimMoney || it.dim == dimBare || it.dim == dimPerMonth {
		if m := perGB.FindString(after); m != "" {
			it.dim, it.end = dimPerGB, len(e.s)-len(after)+len(m)
		} else if m := perWeek.FindString(after); m != "" {
			it.dim, it.end = dimPerWeek, len(e.s)-len(after)+len(m)
		}
	}
	if it.dim >= dimMoney && it.dim <= dimPerYear && it.currency == "" {
		it.currency = e.currency
	}
}

var (
	perGB   = regexp.MustCompile(`^(?:/ ?|per |每|a |一)(?:gb|g|gib)(?: ?(?:/|per |每|a |and |·) ?(?:month|mo|月|个月))?`)
	perWeek = regexp.MustCompile(`^(?:/周|/week|每周|一周|per week|a week)`)
	seconds = regexp.MustCompile(`^(ms|毫秒|s|secs?|seconds?|秒钟?)(?:/|$| )`)
	figures = regexp.MustCompile(`\d{16,}|\de[+]?\d+`)
	nowhere = regexp.MustCompile(`\bnan\b|\binf(?:inity)?\b|∞|无穷|无限大`)
)

// leftOf is the share that a price of n tenths, or hundredths, takes off.
func leftOf(n float64) float64 {
	if n > 10 {
		return 1 - n/100
	}
	return 1 - n/10
}

// secondsOf is the factor that makes seconds of a quantity written like this,
// 0 when it is no time.
func secondsOf(written string) float64 {
	m := seconds.FindStringSubmatch(strings.TrimLeft(written, "0123456789.,- ~"))
	switch {
	case m == nil:
		return 0
	case m[1] == "ms" || m[1] == "毫秒":
		return 0.001
	}
	return 1
}

func perDim(hours float64) dim {
	switch hours {
	case 0:
		return dimMoney
	case 1:
		return dimPerHour
	case 24:
		return dimPerDay
	case 168:
		return dimPerWeek
	case 720:
		return dimPerMonth
	case 8760:
		return dimPerYear
	}
	return dimNone
}

// settleCurrency lets the one currency that is named hold for the amounts that
// name none: "@2.49usd, 月付 950".
func (e *costEar) settleCurrency() {
	named := map[cost.Currency]bool{}
	for i := range e.items {
		if it := &e.items[i]; it.q != nil && (it.q.Unit == text.USD || it.q.Unit == text.CNY || it.q.Unit == text.Blocks) {
			named[it.currency] = true
		}
	}
	if len(named) == 1 {
		for c := range named {
			e.currency = c
		}
	}
	for i := range e.items {
		if it := &e.items[i]; it.q != nil && it.q.Unit != text.USD && it.q.Unit != text.CNY && it.q.Unit != text.Blocks {
			it.currency = e.currency
		}
	}
}

// tooLarge notes figures that nobody can mean; they are not read as numbers at
// all.
func (e *costEar) tooLarge() {
	if m := figures.FindString(e.s); m != "" {
		e.bad = append(e.bad, saidProblem{cost.Problem{Code: cost.Overflow}, m})
	}
	if m := nowhere.FindString(e.s); m != "" {
		e.bad = append(e.bad, saidProblem{cost.Problem{Code: cost.NotANumber}, m})
	}
}

// below notes numbers with a minus before them that nothing here has claimed:
// the length of the run, the count, a budget.
func (e *costEar) below() {
	for i := range e.items {
		it := &e.items[i]
		if it.q == nil || it.field != "" || !e.minus(it.start) {
			continue
		}
		field := ""
		switch it.dim {
		case dimHours:
			field = "hours"
		case dimMoney:
			field = "budget"
		case dimBare:
			if hasAnySuffix(e.s[:it.start-1], "x", "*", "x ", "* ") {
				field = "cards"
			}
		}
		switch it.q.Unit {
		case text.Cards, text.Times, text.Sheets:
			field = "cards"
		}
		if field != "" {
			e.complain(cost.Negative, field, it)
		}
	}
}

// lengths notes times that are shorter than a machine takes to start.
func (e *costEar) lengths() {
	for i := range e.items {
		if it := &e.items[i]; it.q != nil && it.dim == dimHours && it.hi > 0 && it.hi < 1./3600 && it.q.Per == 0 {
			e.complain(cost.Absurd, "hours", it)
		}
	}
}

// crowd reads numbers of cards that are beyond what the ear takes for one, but
// stand where one stands: 5000 H100, 200000张4090.
func (e *costEar) crowd() {
	for i := range e.items {
		it := &e.items[i]
		if it.q == nil || it.field != "" || it.q.Lo != it.q.Hi || it.q.Lo != math.Trunc(it.q.Lo) || it.q.Lo <= mostCounted || it.q.Per != 0 {
			continue
		}
		switch it.q.Unit {
		case text.Bare, text.Cards, text.Times, text.Sheets, text.Blocks, text.Pieces:
		default:
			continue
		}
		if !slices.ContainsFunc(e.cards, func(c text.Hit) bool {
			return c.Start >= it.end && strings.Trim(e.s[it.end:c.Start], " x*×of个块张片卡nvidagert") == ""
		}) {
			continue
		}
		if e.currency != "" && slices.ContainsFunc(e.items, func(o costItem) bool {
			return o.q == nil && o.end <= it.start && it.start-o.end < 4 && taking(o.cues, it.dim) != ""
		}) {
			continue // 余额 5000 H100: it is something else
		}
		it.field = "cards"
		if it.q.Lo > cost.MaxCards {
			e.complain(cost.Absurd, "cards", it)
		} else {
			e.crowded = it.q.Lo
		}
	}
}

// mostCounted is the largest number before a card's name that the ear takes for
// a count without a word for it.
const mostCounted = 1024

// zeros notes lengths and counts of nothing.
func (e *costEar) zeros() {
	for i := range e.items {
		it := &e.items[i]
		switch {
		case it.q == nil || it.q.Lo != 0 || it.q.Hi != 0 || it.q.Spelled:
		case it.q.Unit == text.Hours && it.q.Per == 0:
			e.complain(cost.Zero, "hours", it)
		case it.q.Unit == text.Cards, it.q.Unit == text.Times, it.q.Unit == text.Sheets, it.q.Unit == text.Blocks && e.s[it.end-1] != '0':
			e.complain(cost.Zero, "cards", it)
		}
	}
}

// assign gives every number its place.
func (e *costEar) assign() {
	e.reversed()
	e.tenths()
	e.work()
	e.yields()
	e.beside()
	left, right := e.match(true), e.match(false)
	if len(right) > len(left) {
		left = right
	}
	for i := range e.items {
		if c, ok := left[i]; ok {
			e.put(c, &e.items[i])
		}
	}
	e.alone()
	e.asked()
}

// takes says which kinds of quantity a cue takes, the surest first.
var takes = map[string][]dim{
	"setup": {dimHours}, "download": {dimHours}, "debug": {dimHours}, "run": {dimHours}, "idle": {dimHours},
	"people": {dimHours, dimPerHour, dimMoney}, "stopped": {dimHours, dimGB},
	"reruns": {dimShare}, "success": {dimShare, dimBare}, "failure": {dimShare, dimBare}, "kept": {dimShare, dimBare},
	"delivered": {dimShare}, "accept": {dimShare}, "discount": {dimShare}, "speed": {dimShare, dimBare},
	"disk": {dimGB, dimPerGB}, "traffic": {dimGB, dimPerGB}, "image": {dimMoney},
	"year": {dimMoney, dimBare, dimPerYear}, "per-year": {dimMoney, dimBare, dimPerYear},
	"month": {dimMoney, dimBare, dimPerMonth}, "per-month": {dimMoney, dimBare, dimPerMonth}, "week": {dimMoney, dimBare, dimPerWeek}, "day": {dimMoney, dimBare, dimPerDay},
	"hour": {dimMoney, dimBare, dimPerHour}, "spot": {dimPerHour, dimMoney, dimBare, dimShare},
	"balance": {dimMoney, dimBare}, "budget": {dimMoney, dimBare, dimPerDay, dimPerMonth}, "once": {dimMoney}, "bare_metal": {dimPerMonth}, "cluster": {dimPerMonth},
	"write": {dimSeconds, dimHours}, "between": {dimHours}, "restart": {dimSeconds, dimHours}, "notice": {dimSeconds, dimHours},
	"upload": {dimMbps, dimGB},
}

func taking(cues []string, d dim) string {
	for _, c := range cues {
		if slices.Contains(takes[c], d) {
			return c
		}
	}
	return ""
}

// match gives numbers their cues: those in front first, or those behind.
// The result is the cue by the index of the number.
func (e *costEar) match(front bool) map[int]string {
	given := map[int]string{}
	used := map[slotOf]bool{}
	for i := range e.items { // what is settled is not said twice
		if it := &e.items[i]; it.field != "" {
			used[slotFor(it.field, it.dim)] = true
		}
	}
	for _, before := range []bool{front, !front} {
		for i := range e.items {
			it := &e.items[i]
			if it.q == nil || it.field != "" || it.dim == dimNone || given[i] != "" {
				continue
			}
			if cue := e.nearest(i, before); cue != "" && !used[slotFor(cue, it.dim)] {
				given[i], used[slotFor(cue, it.dim)] = cue, true
			}
		}
	}
	return given
}

// slotOf is one thing that a cue can say; it is said once.
type slotOf struct {
	cue string
	dim dim
}

// slotFor is the slot of a quantity beside a cue; money is money, whatever time
// it is for.
func slotFor(cue string, d dim) slotOf {
	if d == dimBare || d > dimMoney && d <= dimPerYear {
		d = dimMoney
	}
	return slotOf{cue, d}
}

// nearest finds the cue that takes number i in its clause, before or behind it,
// with no number of the same kind between.
func (e *costEar) nearest(i int, before bool) string {
	step := 1
	if before {
		step = -1
	}
	it := &e.items[i]
	for j := i + step; j >= 0 && j < len(e.items) && e.items[j].clause == it.clause; j += step {
		o := &e.items[j]
		if o.q != nil {
			if o.dim == it.dim && o.field == "" {
				return ""
			}
			continue
		}
		gap := e.withoutCards(min(i, j), max(i, j))
		if cue := taking(o.cues, it.dim); cue != "" {
			if len(gap) > 30 || it.dim == dimBare && len(strings.TrimSpace(gap)) > 3 {
				return ""
			}
			return cue
		}
	}
	return ""
}

// withoutCards is the text between two items but for names of cards: 包月4090要950.
func (e *costEar) withoutCards(i, j int) string {
	gap := e.between(i, j)
	for _, c := range e.cards {
		if c.Start >= e.items[i].end && c.End <= e.items[j].start {
			gap = strings.Replace(gap, e.s[c.Start:c.End], "", 1)
		}
	}
	return gap
}

// between is the text between two items.
func (e *costEar) between(i, j int) string {
	if e.items[i].end >= e.items[j].start {
		return ""
	}
	return e.s[e.items[i].end:e.items[j].start]
}

// check notes what no number here can be: below zero.
func (e *costEar) check(it *costItem) {
	if e.minus(it.start) {
		e.complain(cost.Negative, it.field, it)
	}
}

func (e *costEar) complain(code cost.Code, field string, it *costItem) {
	start := it.start
	if code == cost.Negative && start > 0 {
		start--
	}
	e.bad = append(e.bad, saidProblem{cost.Problem{Code: code, Field: field}, strings.TrimSpace(e.line.Original(start, it.end))})
}

// minus reports whether a sign stands before byte i that is no hyphen.
func (e *costEar) minus(i int) bool {
	head := strings.TrimRight(e.s[:i], " $")
	if hasAnySuffix(head, "负", "minus", "negative") {
		return true
	}
	if i == 0 || e.s[i-1] != '-' {
		return false
	}
	for j := range e.items {
		if o := &e.items[j]; o.q != nil && o.end == i-1 { // 3天-1天
			return false
		}
	}
	return i == 1 || e.s[i-2] >= 0x80 || strings.IndexByte(" @,:=$x*\n", e.s[i-2]) >= 0
}

// reversed notes ranges whose ends are in the wrong order: 2.3-1.9元/h.
func (e *costEar) reversed() {
	for i := 1; i < len(e.items); i++ {
		a, b := &e.items[i-1], &e.items[i]
		if a.q == nil || b.q == nil || e.minus(b.start) {
			continue
		}
		switch strings.TrimSpace(e.between(i-1, i)) {
		case "-", "~", "到", "至", "to":
		default:
			continue
		}
		if a.dim == b.dim && a.q.Lo > b.q.Lo || a.dim == dimBare && a.q.Lo > firstFigure(e.s[b.start:b.end]) {
			e.bad = append(e.bad, saidProblem{cost.Problem{Code: cost.Reversed}, e.line.Original(a.start, b.end)})
			a.field, b.field = "reversed", "reversed"
		}
	}
}

// firstFigure is the figure that a text begins with, as written.
func firstFigure(s string) float64 {
	return parse(s[:len(s)-len(strings.TrimLeft(s, "0123456789."))])
}

// tenths reads prices in tenths, as Chinese shops write them: 打9折.
func (e *costEar) tenths() {
	for i := range e.items {
		if it := &e.items[i]; it.q != nil && it.dim == dimShare && strings.HasSuffix(e.s[it.start:it.end], "折") {
			e.put("discount", it)
		}
	}
}

// work reads how fast the machine works: 6 s/image, 一张图4秒, 15分钟一个epoch,
// 900 imgs an hour, 每秒 100 token.
func (e *costEar) work() {
	for i := range e.items {
		it := &e.items[i]
		if it.q == nil || it.field != "" {
			continue
		}
		switch {
		case it.dim == dimSeconds || it.dim == dimHours && it.q.Per < 1: // "/epoch" counts as a second there
			if unit := e.unitBeside(i); unit != "" {
				h := it.hours()
				it.field = "seconds"
				e.said.Unit, e.said.Seconds = Say(unit), Say(Range{h.Lo * 3600, h.Hi * 3600})
				e.check(it)
			}
		case it.dim == dimCount:
			e.rate(i)
		}
	}
	if e.pieces != "" && e.pieces != string(cost.UnitMTok) && !e.said.Seconds.Known() && !e.said.PerSecond.Known() { // 100 images …, each takes 12 seconds
		e.firstOf(dimSeconds, "seconds", func(it *costItem) {
			e.said.Unit, e.said.Seconds = Say(e.pieces), Say(it.span())
		})
	}
}

// unitBeside is the piece of work that the time at item i is for: a word for it
// stands in the quantity, right behind it or right before it.
func (e *costEar) unitBeside(i int) string {
	for _, j := range []int{i + 1, i - 1, i + 2, i - 2} {
		if j < 0 || j >= len(e.items) {
			continue
		}
		unit := e.unitOf(j)
		if unit == "" || e.items[j].clause != e.items[i].clause {
			continue
		}
		if e.countsMany(j) {
			continue
		}
		if joinsUnit(e.between(min(i, j), max(i, j)), j > i) && !e.isPronoun(j) {
			return unit
		}
	}
	return ""
}

// isPronoun reports whether item j is no iteration but a word for something else: the "it" of
// "make it 30 minutes", not that of 3s/it.
func (e *costEar) isPronoun(j int) bool {
	it := &e.items[j]
	return hasAnyPrefix(e.s[it.start:it.end], "it") && it.end-it.start <= len("its") && !hasAnySuffix(strings.TrimRight(e.s[:it.start], " "), "/", "per")
}

// countsMany reports whether item j is, or is in, a number of pieces that is
// not one: the 张 of 2张.
func (e *costEar) countsMany(j int) bool {
	it := &e.items[j]
	return slices.ContainsFunc(e.items, func(o costItem) bool {
		return o.q != nil && o.dim == dimCount && o.start < it.end && it.start < o.end && (o.q.Lo != 1 || o.q.Hi != 1)
	})
}

// unitOf is the piece of work that an item names, or counts.
func (e *costEar) unitOf(j int) string {
	it := &e.items[j]
	for _, c := range it.cues {
		if unit, ok := strings.CutPrefix(c, "unit-"); ok {
			return unit
		}
	}
	if it.q == nil || it.dim != dimCount {
		return ""
	}
	for k := range e.items {
		if o := &e.items[k]; k != j && o.q == nil && o.start < it.end && it.start < o.end {
			for _, c := range o.cues {
				if unit, ok := strings.CutPrefix(c, "unit-"); ok {
					return unit
				}
			}
		}
	}
	return ""
}

// joinsUnit reports whether a time and a piece of work belong together across
// this gap.
func joinsUnit(gap string, behind bool) bool {
	gap = strings.TrimSpace(gap)
	if behind {
		return slices.Contains([]string{"", "/", "per", "a", "an", "each", "for each", "for one", "每", "一", "一个", "出一", "出", "1"}, gap)
	}
	return slices.Contains([]string{"", "要", "需要", "用", "大概", "约", "takes", "take", "needs", "in", "=", ":", "花", "耗时"}, gap)
}

// rate reads pieces for a time.
func (e *costEar) rate(i int) {
	it := &e.items[i]
	unit := e.unitOf(i)
	if unit == "" && i+1 < len(e.items) && e.items[i+1].q == nil && strings.TrimSpace(e.between(i, i+1)) == "" {
		unit = e.unitOf(i + 1)
	}
	if unit == "" {
		return
	}
	per := it.q.Per
	if written := e.s[it.start:it.end]; per > 0 && per < 0.01 && !strings.HasSuffix(written, "/s") {
		per = 0 // "1000张图 每张" is no rate
	}
	if per == 0 {
		per = e.timeBeside(i)
	}
	if per == 0 {
		const prompt = 1e5 // so many tokens are a text, no work to be done
		if it.q.Lo > 1 && !e.said.Pieces.Known() && (unit != string(cost.UnitMTok) || it.q.Hi > prompt) {
			e.said.Pieces, e.pieces = Say(it.q.Hi), unit
		}
		return
	}
	it.field = "per_second"
	e.said.Unit, e.said.PerSecond = Say(unit), Say(Range{it.lo / per / 3600, it.hi / per / 3600})
}

var (
	rateBehind = regexp.MustCompile(`^ ?[a-z]* ?(?:/|per |每|a |an )(s|sec|second|秒|min|minute|分钟|h|hr|hour|小时|day|天)(?:[^a-z]|$)`)
	rateBefore = regexp.MustCompile(`(?:每|一|1 ?|每一|per )(秒|分钟|个小时|小时|个钟头|天)(?:能|可以|可|大概|约)?(?:出|跑|生成|处理|做|画)? ?$`)
)

var timeWords = map[string]float64{
	"s": 1. / 3600, "sec": 1. / 3600, "second": 1. / 3600, "秒": 1. / 3600,
	"min": 1. / 60, "minute": 1. / 60, "分钟": 1. / 60,
	"h": 1, "hr": 1, "hour": 1, "小时": 1, "个小时": 1, "个钟头": 1, "day": 24, "天": 24,
}

// timeBeside is the time that a number of pieces is for, in hours, 0 for none.
func (e *costEar) timeBeside(i int) float64 {
	it := &e.items[i]
	if m := rateBehind.FindStringSubmatch(e.s[it.end:]); m != nil {
		return timeWords[m[1]]
	}
	if m := rateBefore.FindStringSubmatch(e.s[:it.start]); m != nil {
		if i > 0 && e.items[i-1].q != nil && e.items[i-1].dim == dimHours {
			e.items[i-1].field = "per" // the hour of "一小时出 900 张"
		}
		return timeWords[m[1]]
	}
	return 0
}

var (
	ofMany  = regexp.MustCompile(`(\d+) ?(?:of|out of|in|/) ?(?:every )?(\d+)`)
	oneFrom = regexp.MustCompile(`([0-9一两三四五六七八九十]+)(?:张|条|段|个)? ?(?:里|中|当中)? ?(?:选|挑|留|取|用|出|能用) ?(?:其中)?([0-9一两三四五六七八九]+)`)
)

// lasting begins what makes a number a length of time: "H100 用两天" is no two of
// a hundred.
var lasting = regexp.MustCompile(`^ ?(?:[个多几半]{0,2} ?(?:小时|钟头|月|星期|礼拜)|[多几半]?(?:天|周|日|年|分钟|秒)|h\b|d\b)`)

// yields reads "1 of 4 usable" and "四张留一张".
func (e *costEar) yields() {
	if m := ofMany.FindStringSubmatchIndex(e.s); m != nil && e.cueNear("accept", m[1]) {
		e.setYield(e.s[m[2]:m[3]], e.s[m[4]:m[5]], m[0], m[1])
		return
	}
	if m := oneFrom.FindStringSubmatchIndex(e.s); m != nil && !(m[0] > 0 && latin(e.s[m[0]-1])) && !lasting.MatchString(e.s[m[1]:]) {
		e.setYield(e.s[m[4]:m[5]], e.s[m[2]:m[3]], m[0], m[1])
	}
}

func (e *costEar) setYield(part, whole string, start, end int) {
	a, b := smallNumber(part), smallNumber(whole)
	if a < 1 || b <= a || b > 1000 {
		return
	}
	e.said.Yield, e.whole = Say(One(a/b)), b
	for i := range e.items {
		if it := &e.items[i]; it.q != nil && it.start < end && it.end > start && it.field == "" {
			it.field = "yield"
		}
	}
}

func (e *costEar) hasCue(cue string) bool {
	return slices.ContainsFunc(e.items, func(it costItem) bool { return slices.Contains(it.cues, cue) })
}

// cueNear reports whether a cue begins close behind byte i.
func (e *costEar) cueNear(cue string, i int) bool {
	return slices.ContainsFunc(e.items, func(it costItem) bool {
		return slices.Contains(it.cues, cue) && it.start >= i && it.start-i <= 16
	})
}

func smallNumber(s string) float64 {
	if i := strings.Index(" 一二三四五六七八九十", s); i > 0 && len(s) == 3 {
		return float64(i+2) / 3
	}
	if s == "两" {
		return 2
	}
	return parse(s)
}

// beside reads prices by what stands right before them: "@ 2.49", "一小时1.9",
// "a month at $300".
func (e *costEar) beside() {
	for i := range e.items {
		it := &e.items[i]
		if it.q == nil || it.field != "" || it.dim != dimMoney && it.dim != dimBare {
			continue
		}
		head := strings.TrimRight(e.s[:it.start], " -")
		switch {
		case strings.HasSuffix(head, "@"):
			e.priced(it, dimPerHour)
		case i > 0 && e.isOneTime(i-1) && strings.Trim(e.between(i-1, i), " 要是at:约") == "" && (it.dim == dimMoney || it.lo != math.Trunc(it.lo)):
			e.items[i-1].field = "per"
			e.priced(it, perDim(e.items[i-1].q.Lo))
		case strings.HasSuffix(head, "每小时"), strings.HasSuffix(head, "每卡时"), strings.HasSuffix(head, "每卡每小时"):
			e.priced(it, dimPerHour)
		}
	}
}

// isOneTime reports whether item i is one hour, day, week or month, in words.
func (e *costEar) isOneTime(i int) bool {
	it := &e.items[i]
	return it.q != nil && it.field == "" && it.dim == dimHours && it.q.Spelled && it.q.Lo == it.q.Hi && perDim(it.q.Lo) != dimNone && it.q.Lo > 0
}

// priced takes an amount for a price of the given period.
func (e *costEar) priced(it *costItem, d dim) {
	it.dim = d
	e.put(map[dim]string{dimPerHour: "hour", dimPerDay: "day", dimPerWeek: "week", dimPerMonth: "month", dimPerYear: "year"}[d], it)
}

// alone takes the prices that no cue claims, and what is left of the rest.
func (e *costEar) alone() {
	for i := range e.items {
		it := &e.items[i]
		if it.q == nil || it.field != "" {
			continue
		}
		switch it.dim {
		case dimPerHour, dimPerDay, dimPerWeek, dimPerMonth, dimPerYear:
			e.extra(it)
		case dimMbps:
			e.put("upload", it)
		case dimCount:
			if (it.q.Unit == text.Times || it.q.Unit == text.Machines) && it.q.Lo == math.Trunc(it.q.Lo) && it.q.Lo >= 1 {
				e.said.Cards = Say(it.q.Lo) // 4×2.0/h, x8 整机
			}
		}
	}
	if e.said.UploadMbps.Known() && !e.said.UploadGB.Known() {
		e.firstOf(dimGB, "upload", func(it *costItem) { e.said.UploadGB = Say(it.span()) })
	}
}

// extra is a price of its own period, unless that is known already.
func (e *costEar) extra(it *costItem) {
	c := &e.said
	known := map[dim]bool{dimPerHour: c.Hour.Known(), dimPerDay: c.Day.Known(), dimPerWeek: c.Week.Known(), dimPerMonth: c.Month.Known(), dimPerYear: c.Year.Known()}
	if !known[it.dim] {
		e.priced(it, it.dim)
	}
}

func (e *costEar) firstOf(d dim, field string, take func(*costItem)) {
	for i := range e.items {
		if it := &e.items[i]; it.q != nil && it.field == "" && it.dim == d {
			it.field = field
			take(it)
			return
		}
	}
}

// views are the cues that ask for something by themselves.
var views = map[string]string{
	"month": "monthly", "year": "monthly", "breakeven": "monthly", "spot": "spot", "parts": "parts", "compare": "compare", "picture": "picture",
	"delivered": "effective", "upload": "upload", "balance": "runway",
}

// asked collects what is asked for beside the sum.
func (e *costEar) asked() {
	for i := range e.items {
		for _, c := range e.items[i].cues {
			if c == "machine" || e.items[i].field == "machine" {
				e.said.Machine = Say(true)
			}
			if c == "breakeven" && e.hasCue("spot") {
				continue // it is spot that may be worth it
			}
			if v := views[c]; v != "" && !e.said.asks(v) {
				e.said.View = append(e.said.View, v)
			}
		}
	}
}

// hoursClaimed are the lengths of time that are not the run: the ear may have
// taken one of them for it.
func (e *costEar) hoursClaimed(v Range) bool {
	return slices.ContainsFunc(e.items, func(it costItem) bool {
		return it.q != nil && (it.dim == dimHours) && it.field != "" && it.field != "run" && it.lo == v.Lo && it.hi == v.Hi
	})
}

// hoursFree is the first length of time that nothing claims.
func (e *costEar) hoursFree() (Range, bool) {
	for i := range e.items {
		if it := &e.items[i]; it.q != nil && it.dim == dimHours && it.field == "" && it.hi > 0 {
			return it.span(), true
		}
	}
	return Range{}, false
}

// moneyClaimed reports whether an amount was read as something else than a
// budget.
func (e *costEar) moneyClaimed(b Budget) bool {
	return slices.ContainsFunc(e.items, func(it costItem) bool {
		return it.q != nil && it.field != "" && it.currency != "" && it.hi == b.Amount
	})
}

// newCostLexicon collects the words of money questions.
func newCostLexicon(words []Word) *text.Lexicon {
	x := text.NewLexicon()
	for _, w := range words {
		addWord(x, w)
	}
	return x
}
