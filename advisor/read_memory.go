package advisor

import (
	"slices"
	"strings"

	"gpuadvisor/advisor/text"
)

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
			} else if strings.HasSuffix(e.s[:t.end], "兆") && e.near(i, "data") && e.dataBeside(i) {
				t.used = true // 八百兆语料 are megabytes
				say(&e.r.Facts.DataGB, t.q.Hi/1000)
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
	case t.q.Unit == text.GB && (e.near(i, "vram") || e.ofCards(i) && !strings.HasPrefix(e.after(i), "of data") && !e.oddSizeOfData(i)):
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

// oddSizeOfData reports whether a size in which no card comes stands right before
// a word for data: "A100, 200GB dataset" without the comma.
func (e *ear) oddSizeOfData(i int) bool {
	j := e.next(i)
	return !cardMemory(e.toks[i].q.Lo) && j >= 0 && e.toks[j].cue("data") && e.touching(i, j)
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
		if t.sense(kindLabel) != "" && e.close(j, i) && e.toks[i].q.Lo <= mostOnCard || t.is("gpus", "single") && e.touching(j, i) {
			return true
		}
		if t.cue("card") && e.touching(j, i) && !t.cue("data") {
			return true
		}
	}
	return false
}

// mostOnCard is the largest memory of a card, GB; a size beyond it is no card's.
const mostOnCard = 288

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
	if e.replacesData(i) {
		return true
	}
	for j := i - 1; j >= 0 && e.toks[j].clause == e.toks[i].clause; j-- {
		switch t := &e.toks[j]; {
		case t.q != nil || t.cue("vram") || t.cue("ram") || t.cue("peak") || t.cue("card") && !t.cue("data"):
			return false
		case t.cue("data"):
			return true
		}
	}
	return false
}

// replacesData reports whether the size takes the place of another before it
// that was said of the data: 从 200G 涨到 350G.
func (e *ear) replacesData(i int) bool {
	j := e.prevQuantity(i)
	if j < 0 || e.toks[j].q.Unit != text.GB && e.toks[j].q.Unit != text.Tera || !e.before(i, "change") {
		return false
	}
	return e.dataBeside(j)
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
	if e.trainedOn(i) && !cardMemory(t.q.Lo) || e.inAll(i) {
		return true
	}
	return e.standsAlone(i) && (!cardMemory(t.q.Lo) || e.talking() && !e.cues["vram"] || e.listed(i))
}

// inAll reports whether the size is how much of the pictures, clips or texts there
// is altogether: "60 clips, 11GB total", 照片（加起来 150 个 G）.
func (e *ear) inAll(i int) bool {
	c := e.clauses[e.toks[i].clause]
	if !containsAny(e.s[c.start:e.toks[i].start], "加起来", "总共", "一共", "共计", "合计", "总计", "拢共", "altogether", "in all", "all told", "total") && !hasAnyPrefix(e.after(i), "total", "in total", "altogether", "all told", "in all") {
		return false
	}
	if e.inClause(i, "vram", "ram", "card", "peak") || e.cues["vram"] {
		return false
	}
	return e.toks[i].clause > 0 && (slices.Contains(e.clauses[e.toks[i].clause-1].cues, "data") || e.thingsBefore(i)) || e.inClause(i, "data")
}

// thingsBefore reports whether things are counted in the clause before token i.
func (e *ear) thingsBefore(i int) bool {
	return slices.ContainsFunc(e.toks[:i], func(t token) bool {
		return t.clause == e.toks[i].clause-1 && t.q != nil && (t.q.Unit == text.Things || t.q.Unit == text.Sheets)
	})
}

// trainedOn reports whether the size is what is trained on: "train resnet50 on
// 100GB".
func (e *ear) trainedOn(i int) bool {
	if !strings.HasSuffix(e.s[:e.toks[i].start], " on ") && !strings.HasSuffix(e.s[:e.toks[i].start], " over ") {
		return false
	}
	if rest := e.s[e.toks[i].end:e.clauses[e.toks[i].clause].end]; strings.TrimSpace(rest) != "" && !strings.HasPrefix(rest, " for ") && !strings.HasPrefix(rest, " in ") && !strings.HasPrefix(rest, " with ") && !strings.HasPrefix(rest, " using ") {
		return false
	}
	for j := i - 1; j >= 0 && e.toks[j].clause == e.toks[i].clause; j-- {
		switch e.toks[j].sense("does") {
		case "train", "finetune", "pretrain", "scratch", "adapter":
			return true
		}
	}
	return false
}

// listed reports whether a size that a card could have is an item of a list in
// which nothing but the data is missing: beside a duration or another card, or
// right behind a word for data ("COCO, 20GB").
func (e *ear) listed(i int) bool {
	c := e.toks[i].clause
	if strings.TrimSpace(e.s[e.clauses[c].start:e.clauses[c].end]) != strings.TrimSpace(e.s[e.toks[i].start:e.toks[i].end]) || e.cues["vram"] || e.cues["rent"] {
		return false
	}
	if c > 0 && slices.Contains(e.clauses[c-1].cues, "data") {
		return true
	}
	if e.r.Facts.GPUNamed.Known() {
		return true
	}
	return !commonMemory(e.toks[i].q.Lo) && slices.ContainsFunc(e.toks, func(t token) bool {
		return t.q != nil && t.q.Unit == text.Hours && t.q.Per == 0 && !t.q.Vague
	})
}

// commonMemory reports whether most people who say this size mean a card.
func commonMemory(gb float64) bool {
	switch gb {
	case 16, 24, 32, 40, 48, 80, 96:
		return true
	}
	return false
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
		if j >= 0 && e.toks[j].q == nil && !e.toks[j].cue("change") && e.toks[j].sense("does") == "" && e.toks[j].sense("method") == "" && e.toks[j].sense("gpus") == "" && e.toks[j].sense("precision") == "" {
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
	return strings.Trim(s, " 大概约差不多就也有到总共才~一个应该是其实改成换为涨") == "" || s == "about" || s == "roughly" || s == "~" || s == "and"
}

// cardMemory reports whether a size is one that cards come in.
func cardMemory(gb float64) bool {
	switch gb {
	case 6, 8, 10, 11, 12, 16, 20, 22, 24, 32, 40, 44, 48, 64, 80, 84, 94, 96, 128, 141, 144, 180, 192, 256, 288:
		return true
	}
	return false
}
