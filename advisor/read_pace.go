package advisor

import (
	"strings"

	"gpuadvisor/advisor/text"
)

// Work that is counted in pieces has a pace: so many a day, each of which takes
// so long. Together they say how many cards are kept busy; memory does not.

// dayWords say that a number is that of a day.
var dayWords = []string{"一天", "每天", "每日", "一日", "a day", "per day", "daily", "/day", "each day", "every day"}

// Words for one piece, and for what it costs in time. Of clips and recordings a
// length is more often their own, so there a verb has to say that it is work:
// 一条要 20 分钟.
var (
	eachPicture = []string{"每帧", "一帧", "单帧", "每张", "一张", "单张"}
	aPicture    = []string{"per frame", "a frame", "/frame", "per image", "an image", "/image", "per picture", "a picture", "per render", "一帧", "一张"}
	eachPiece   = []string{"每条", "一条", "单条", "每个", "一个", "每段", "一段", "每集", "一集", "每份", "一份", "每首", "一首", "each", "per clip", "a clip", "/clip", "per video", "a video", "/video", "per file", "one clip", "one video"}
	takesTime   = []string{"要", "要跑", "跑", "要花", "花", "耗时", "需要", "需", "要等", "takes", "take", "taking", "takes about"}
)

// pace reads both halves of a pace.
func (e *ear) pace() {
	f := &e.r.Facts
	if e.cues["intent=remind"] {
		return
	}
	for i := range e.toks {
		t := &e.toks[i]
		if t.q == nil || !t.live() || t.q.Vague || t.q.Hi <= 0 {
			continue
		}
		if hours, ok := e.pieceHours(i); ok {
			say(&f.PieceHours, hours)
			continue
		}
		if e.isDaily(i) {
			say(&f.Daily, t.q.Hi)
		}
	}
}

// pieceHours is the time that one piece takes, where token i says it.
func (e *ear) pieceHours(i int) (float64, bool) {
	t := &e.toks[i]
	hours, said, after := t.q.Hi, e.s[t.start:t.end], e.after(i)
	for _, per := range []string{" per ", "/"} {
		if k := strings.Index(said, per); k >= 0 { // the unit has taken it in
			said, after = said[:k], strings.TrimLeft(said[k:], " ")
		}
	}
	if t.q.Unit != text.Hours {
		seconds := strings.TrimRight(said, " ")
		if t.q.Unit != text.Things || !hasAnySuffix(seconds, "秒", "秒钟", "s", "sec", "secs", "second", "seconds") || hasAnySuffix(seconds, "frames", "images", "videos", "clips", "ms", "ns") {
			return 0, false
		}
		hours /= 3600
	}
	c := e.clauses[t.clause]
	before := strings.TrimRight(e.s[c.start:t.start], " 约大概差不多~")
	switch {
	case hours >= 24:
		return 0, false
	case hasAnySuffix(before, eachPicture...), hasAnyPrefix(after, aPicture...):
		return hours, true
	}
	return hours, hasAnySuffix(before, takesTime...) && containsAny(e.s[c.start:c.end], eachPiece...)
}

// isDaily reports whether token i counts what is made in a day.
func (e *ear) isDaily(i int) bool {
	t := &e.toks[i]
	if t.q.Lo < 2 || t.q.Unit != text.Sheets && t.q.Unit != text.Pieces && t.q.Unit != text.Things && t.q.Unit != text.Frames && !(t.q.Unit == text.Bare && pieceNoun(e.after(i))) {
		return false
	}
	c := e.clauses[t.clause]
	return containsAny(e.s[c.start:c.end], dayWords...)
}

// pieceNoun reports whether the words behind a bare number name pieces.
func pieceNoun(after string) bool {
	return hasAnyPrefix(after, "clip", "image", "picture", "video", "frame", "render", "file", "document", "条", "张", "个")
}
