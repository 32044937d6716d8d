package advisor

import (
	"slices"
	"strings"

	"gpuadvisor/advisor/text"
)

// topics reads what a text says about how heavy the work is, on which memory
// it failed, and which general question it asks (rules/words/lexicon/topic.yaml).
func (e *ear) topics() {
	f := &e.r.Facts
	e.flag("quantised", &f.Quantised)
	e.flag("bulk", &f.Bulk)
	e.flag("sharded", &f.Sharded)
	e.pace()
	if e.perDay() {
		say(&f.Bulk, true)
	}
	if f.Task.Value == "speech" && e.tunes() {
		say(&f.Variant, "tune")
	}
	if e.r.Command == "" && e.asked.Slot != "" && len(f.Said()) == 0 && containsAny(e.s, "是啥", "啥意思", "什么意思", "什么是", "是什么", "啥叫", "不懂", "what is", "what's", "what does", "meaning of", "don't understand", "do not understand", "no clue what") {
		e.r.Command = "explain"
	}
	e.least()
	topic := e.topic()
	if topic == "diagnose.oom" {
		e.failed()
	}
	e.r.Topic = topic
}

// topic is the first general question that the text raises, or "".
func (e *ear) topic() string {
	for i := range e.toks {
		if t := &e.toks[i]; t.sense("topic") != "" && (t.sense("topic") != "diagnose.oom" || !e.avoided(i)) {
			return t.sense("topic")
		}
	}
	return ""
}

// intentOfTopic lets a general question decide what the person wants when
// nothing about a job does.
func (e *ear) intentOfTopic() {
	intent, _, _ := strings.Cut(e.r.Topic, ".")
	aboutJob := e.r.Facts.Task.Known() || e.r.Facts.Model.Known()
	switch {
	case intent == "" || e.r.Hostile:
	case intent == "compare":
		e.r.Intent = intent
	case e.r.Intent == "" || e.r.Intent == "offtopic" || e.r.Intent == "recommend" && !aboutJob:
		e.r.Intent = intent
	}
}

// From how many pictures or documents, and from how many clips, a day on
// throughput decides.
const (
	manyADay      = 1000
	manyClipsADay = 50
)

// counted are the units of what is made: pictures, clips, pieces, or no unit.
var counted = []text.Unit{text.Bare, text.Cards, text.Sheets, text.Pieces, text.Things, text.Kilo}

// perDay reports whether a great number is to be made every day: "一天十万张",
// "50,000 images a day".
func (e *ear) perDay() bool {
	if !containsAny(e.s, "一天", "每天", "每日", "a day", "per day", "daily", "/day") {
		return false
	}
	from := float64(manyADay)
	if e.r.Facts.Task.Value == "video-gen" {
		from = manyClipsADay
	}
	for i := range e.toks {
		if q := e.toks[i].q; q != nil && slices.Contains(counted, q.Unit) && q.Hi >= from {
			return true
		}
	}
	return false
}

// tunes reports whether a model is to be trained, not only run.
func (e *ear) tunes() bool {
	for i := range e.toks {
		if d := e.toks[i].sense("does"); e.toks[i].live() && (d == "finetune" || d == "train" || d == "adapter") {
			return true
		}
	}
	return false
}

// failed reads on how much memory it ran out: the smallest amount that is said,
// or that of the card that is named.
func (e *ear) failed() {
	least := 0.0
	take := func(gb float64) {
		if gb > 0 && gb <= 300 && (least == 0 || gb < least) {
			least = gb
		}
	}
	for i := range e.toks {
		if q := e.toks[i].q; q != nil && q.Unit == text.GB && !e.near(i, "data") {
			take(q.Lo)
		}
	}
	if least == 0 {
		for _, n := range e.r.Facts.GPUNamed.Value {
			if c := e.book.cards[n.Card]; c != nil && !n.Not {
				take(c.VRAMGB)
			}
		}
	}
	if least > 0 {
		say(&e.r.Facts.FailedGB, least)
	}
}

// least reads how much memory a card must have: "要 48G 以上的", "at least 40GB
// of vram".
func (e *ear) least() {
	for i := range e.toks {
		t := &e.toks[i]
		if t.q == nil || t.q.Unit != text.GB || t.q.Lo < 8 || t.q.Lo > 300 {
			continue
		}
		before, after := e.s[max(0, t.start-24):t.start], e.s[t.end:min(len(e.s), t.end+24)]
		if e.sceneNeeds(i, before, after) {
			say(&e.r.Facts.LeastGB, t.q.Lo)
			return
		}
		if e.near(i, "data") {
			continue
		}
		atLeast := containsAny(before, "至少", "最少", "不低于", "大于", "at least", "minimum", "more than") || hasAnyPrefix(strings.TrimSpace(after), "以上", "起步", "或以上", "or more", "and up", "+ ")
		ofCard := containsAny(before, "显存", "卡", "vram", "gpu", "card") || containsAny(after, "显存", "卡", "vram", "gpu", "card") || strings.HasPrefix(strings.TrimSpace(after), "以上的")
		if atLeast && ofCard && !containsAny(before+after, "内存", " ram", "数据", "data", "磁盘", "disk") {
			say(&e.r.Facts.LeastGB, t.q.Lo)
			return
		}
	}
}

// sceneNeeds reports whether the size is the VRAM that a scene takes, not that of
// a card: it is about so much, or needed, and no card has it.
func (e *ear) sceneNeeds(i int, before, after string) bool {
	if e.r.Facts.Task.Or(e.known.Task.Value) != "render" || !e.near(i, "vram") || e.ofCards(i) && !containsAny(after[:min(len(after), 8)], "vram", "显存") {
		return false
	}
	if hasAnyPrefix(strings.TrimSpace(after), "卡", "的卡", "显卡", "card", "gpu", "够", "行", "enough", "ok") || containsAny(after, "够", "enough", "行吗", "行不", "可以吗") {
		return false
	}
	return containsAny(before, "大概", "大约", "约", "差不多", "接近", "将近", "需要", "要", "得", "吃", "占", "用到", "about", "around", "roughly", "nearly", "almost", "~", "up to", "need", "uses", "use ", "takes", "take ", "eats", "over ", "hold ", "holds ", "fit ", "fits ", "装下", "装得下", "放得下", "塞得下")
}

func containsAny(s string, words ...string) bool {
	return slices.ContainsFunc(words, func(w string) bool { return strings.Contains(s, w) })
}
