package advisor

import (
	"regexp"
	"slices"
	"strconv"
	"strings"

	"gpuadvisor/advisor/text"
)

// model reads the model and its size. The size is the figure in the name as
// said: 7 for Qwen2.5-7B. A size that stands apart picks the member of the
// family: "R1" with "32B" is the distilled 32B.
func (e *ear) model() {
	size := e.size()
	named := e.sizedModel(e.namedModel(), size)
	switch {
	case named != nil && size != nil && e.tokenField(named) == "embedding" && !e.joined(named, size):
		// a retriever beside the language model, which the size is of
	case named != nil && named.sense(kindModel) != "":
		e.catalogued(named, size)
	case named != nil && named.sense("program") != "":
		say(&e.r.Facts.Model, named.sense("program"))
	case named != nil:
		e.family(named, size)
	}
	if size != nil && !e.r.Facts.ParamsB.Known() {
		say(&e.r.Facts.ParamsB, size.q.Lo)
	}
	if !e.r.Facts.Model.Known() {
		e.unlisted(size)
	}
	e.sizeOfKnown(size)
}

// sizedModel is the family that the size is joined to, where the one named
// first has none: in "ltx or wan 5b" only wan has 5B.
func (e *ear) sizedModel(named, size *token) *token {
	if named == nil || size == nil || e.adjacent(named, size) {
		return named
	}
	if _, own := sizeIn(e.s[named.start:named.end]); own {
		return named
	}
	for i := range e.toks {
		t := &e.toks[i]
		if t.end <= size.start && t.start > named.end && t.live() && e.adjacent(t, size) && (t.sense(kindModel) != "" || t.sense(kindFamily) != "") {
			return t
		}
	}
	return named
}

// namedModel chooses the token that names the model: the first, unless it is
// only a family or a host program and a later one of the same field is more
// exact.
func (e *ear) namedModel() *token {
	named := e.pick(func(t *token) bool {
		return t.sense(kindModel) != "" || t.sense("program") != "" || t.sense(kindFamily) != ""
	})
	if named != nil && e.tokenField(named) == "embedding" && e.answersToo() {
		return e.pick(func(t *token) bool { return t.sense(kindModel) != "" && e.tokenField(t) == "llm" })
	}
	if named == nil || !e.inexact(named) {
		return named
	}
	field, host := e.tokenField(named), named.sense("host") != ""
	for i := range e.toks {
		t := &e.toks[i]
		if t.start <= named.start || !t.live() || t.sense(kindModel) == "" && t.sense("program") == "" || t.sense("host") != "" {
			continue
		}
		if host || !e.inexact(t) && (field == "" || e.tokenField(t) == field) {
			return t
		}
	}
	return named
}

// inexact reports whether a token names a family or a host program.
func (e *ear) inexact(t *token) bool {
	if t.sense("host") != "" {
		return true
	}
	if m := e.book.models[t.sense(kindModel)]; m != nil {
		return m.Default != ""
	}
	return t.sense("program") == ""
}

func (e *ear) tokenField(t *token) string {
	if m := e.book.models[t.sense(kindModel)]; m != nil {
		return fieldOf(m)
	}
	return fieldOfTask[t.sense("task")]
}

// size finds the number of parameters and brings it to billions.
func (e *ear) size() *token {
	for i := range e.toks {
		if q := e.toks[i].q; q != nil && e.isSize(i) {
			switch q.Unit {
			case text.Bare:
				q.Lo, q.Hi = q.Lo/1e9, q.Hi/1e9
			case text.Mega:
				q.Lo, q.Hi = q.Lo/1e9, q.Hi/1e9
			}
			q.Unit = text.Params
		}
	}
	t := e.pick(func(t *token) bool { return t.unit(text.Params) && !t.q.Vague && t.q.Lo > 0 && t.q.Hi <= mostParams })
	for i := range e.toks {
		if e.toks[i].unit(text.Params) {
			e.toks[i].used = true
		}
	}
	return t
}

// isSize reports whether quantity i is a number of parameters.
func (e *ear) isSize(i int) bool {
	q := e.toks[i].q
	if q.Unit != text.Params && hasAnyPrefix(e.after(i), "单元", "网格", "节点", "原子", "面", "顶点", "体素", "粒子", "cells", "elements", "nodes", "atoms", "particles", "triangles") {
		return false // the size of what is simulated
	}
	switch q.Unit {
	case text.Params:
		return true
	case text.Bare: // 70亿, 1.5 billion parameters
		if q.Scale == "" || q.Lo < 1e6 {
			return false
		}
		if big := q.Lo >= 1e8 && (strings.Contains(q.Scale, "亿") || q.Scale == "billion" || q.Scale == "trillion"); big {
			return !hasAnyPrefix(e.after(i), "条", "张", "行", "字", "元", "块", "人", "用户", "个", "token", "次", "原子", "美", "刀")
		}
		return e.ofModel(i)
	case text.Mega:
		return q.Scale == "" && e.ofModel(i)
	}
	return false
}

// ofModel reports whether quantity i is said of a model: 125M GPT2, 350M 参数.
func (e *ear) ofModel(i int) bool {
	if j := e.next(i); j >= 0 && e.close(i, j) {
		if t := &e.toks[j]; t.cue("model") || t.sense(kindModel) != "" || t.sense(kindFamily) != "" || t.is("field", "llm") {
			return true
		}
	}
	j := e.prev(i)
	return j >= 0 && e.touching(j, i) && (e.toks[j].sense(kindModel) != "" || e.toks[j].sense(kindFamily) != "" || e.toks[j].cue("model"))
}

// catalogued takes a model of the catalogue.
func (e *ear) catalogued(t *token, size *token) {
	id := t.sense(kindModel)
	said := e.s[t.start:t.end]
	if e.goesOn(t, size) || size == nil && e.otherMember(t) {
		return
	}
	if v, ok := sizeIn(said); ok {
		say(&e.r.Facts.ParamsB, v)
	} else if size != nil {
		id = e.member(id, t.sense(kindFamily), size.q.Lo)
	}
	if id == "" {
		if fieldOf(e.book.models[t.sense(kindModel)]) == "text" { // a BERT of 100M is still a BERT
			say(&e.r.Facts.Model, t.sense(kindModel))
			return
		}
		id = e.fullName(t, size, strings.TrimSpace(said))
		e.r.Unlisted = id
	}
	say(&e.r.Facts.Model, id)
}

// family takes the beginning of a name, which needs a size to mean a model.
func (e *ear) family(t, size *token) {
	if size == nil {
		return
	}
	if e.goesOn(t, size) {
		return
	}
	id := e.member("", t.sense(kindFamily), size.q.Lo)
	if id == "" && e.adjacent(t, size) {
		id = e.fullName(t, size, text.Key(e.s[t.start:t.end]))
		e.r.Unlisted = id
	}
	if id != "" {
		say(&e.r.Facts.Model, id)
	}
}

// fullName is the name of a model that the catalogue does not know: the family
// and the size, with the one word that may stand between them.
func (e *ear) fullName(t, size *token, family string) string {
	if size.start > t.end {
		if between := strings.Trim(e.s[t.end:size.start], " -_"); slices.Contains(e.book.beside["member"], between) {
			family += "-" + between
		}
	}
	return family + "-" + shortSize(size.q.Lo) + "b"
}

// goesOn takes a name that goes on behind the family's, up to the size, as a
// model of its own: qwen2-vl-7b is not qwen2-7b.
func (e *ear) goesOn(t, size *token) bool {
	if size == nil || size.start <= t.end || size.start-t.end > 16 {
		return false
	}
	more := e.s[t.end:size.start]
	if more[0] != '-' && more[0] != '_' || more[len(more)-1] != '-' && more[len(more)-1] != '_' || strings.ContainsAny(more, " ,;/") {
		return false
	}
	if word := strings.Trim(more, "-_"); word == "" || slices.Contains(e.book.beside["same-model"], word) {
		return false
	}
	id := e.s[t.start:size.end]
	e.r.Unlisted = e.line.Original(t.start, size.end)
	say(&e.r.Facts.Model, strings.ReplaceAll(id, "_", "-"))
	return true
}

// otherMember takes a family's name that goes on with a word of its own as a
// model that the catalogue does not know: DeepSeek-OCR is not the family's
// usual member, and its size has to be asked.
func (e *ear) otherMember(t *token) bool {
	m := e.book.models[t.sense(kindModel)]
	if m == nil || m.Default == "" || m.Domain != "llm" || t.end >= len(e.s) || e.s[t.end] != '-' {
		return false
	}
	end := t.end + 1
	for end < len(e.s) && (alnum(e.s[end]) || e.s[end] == '-' || e.s[end] == '.') {
		end++
	}
	word, _, _ := strings.Cut(e.s[t.end+1:end], "-")
	if len(word) < 3 || !letter(word[0]) || slices.Contains(e.book.beside["same-model"], word) {
		return false
	}
	e.r.Unlisted = e.line.Original(t.start, end)
	return true
}

// joined reports whether only a blank or a hyphen stands between two tokens, in
// either order.
func (e *ear) joined(a, b *token) bool {
	if a.start > b.start {
		a, b = b, a
	}
	return a.end <= b.start && strings.Trim(e.s[a.end:b.start], " -_的") == ""
}

func (e *ear) adjacent(a, b *token) bool {
	if a.start > b.start {
		a, b = b, a
	}
	return b.start-a.end <= 4 && a.clause == b.clause
}

// member returns the model of the same family that has this size, or "". The
// model itself counts when it has that size, or none that is known.
func (e *ear) member(id, family string, size float64) string {
	if m := e.book.models[id]; m != nil {
		v, ok := modelSize(m)
		if !ok && m.Default == "" && e.kin(id, size) == "" && !farFrom(m, size) || ok && same(v, size) || same(m.ParamsB, size) {
			return id
		}
		if m.Default == "" && m.Domain != "llm" && m.Domain != "video" && m.Domain != "image" {
			return id
		}
	}
	for _, stem := range []string{id, family} {
		if kin := e.kin(stem, size); kin != "" {
			return kin
		}
	}
	if m := e.book.models[id]; m != nil && m.Default != "" {
		return e.kin(m.Default, size)
	}
	return ""
}

// farFrom reports whether a language model of known size cannot be meant with
// this one: no R1 has 3B.
func farFrom(m *Model, size float64) bool {
	return m.Domain == "llm" && m.ParamsB > 0 && !same(m.ActiveB, size) && size < m.ParamsB/3
}

// kin returns the shortest id of a model with this size whose id begins like
// stem without its size.
func (e *ear) kin(stem string, size float64) string {
	if stem == "" {
		return ""
	}
	if loc := sizePattern.FindStringIndex(stem); loc != nil {
		stem = strings.TrimRight(stem[:loc[0]], "-")
	}
	key, best := text.Key(stem), ""
	for i := range e.book.Models {
		m := &e.book.Models[i]
		v, ok := modelSize(m)
		if !ok || !same(v, size) || !strings.HasPrefix(text.Key(m.ID), key) {
			continue
		}
		if best == "" || len(m.ID) < len(best) {
			best = m.ID
		}
	}
	return best
}

var sizePattern = regexp.MustCompile(`(?i)(\d+(?:\.\d+)?)b\b`)

// modelSize is the figure in a model's name.
func modelSize(m *Model) (float64, bool) {
	if m.Size != "" {
		v, err := strconv.ParseFloat(m.Size, 64)
		return v, err == nil
	}
	return sizeIn(m.ID)
}

// sizeIn returns the figure in a name, in billions. The 7 of 8x7B is not one,
// and of 30B-A3B only the first is.
func sizeIn(name string) (float64, bool) {
	loc := sizePattern.FindStringSubmatchIndex(name)
	if loc == nil || loc[0] > 0 && (name[loc[0]-1] == 'x' || name[loc[0]-1] == 'e') {
		return 0, false
	}
	v, err := strconv.ParseFloat(name[loc[2]:loc[3]], 64)
	return v, err == nil
}

func same(a, b float64) bool { return a > 0.97*b && a < 1.03*b }

func shortSize(v float64) string { return strconv.FormatFloat(v, 'g', 4, 64) }

// unlisted finds a model that the catalogue does not know: a Latin name joined
// to its size (falcon-180b), or a Chinese one before 大模型.
func (e *ear) unlisted(size *token) {
	if size != nil {
		if name := e.nameBefore(size.start); name != "" {
			id := name + "-" + strings.TrimSpace(e.s[size.start:size.end])
			e.r.Unlisted = e.line.Original(size.start-len(name)-1, size.end)
			say(&e.r.Facts.Model, id)
			return
		}
	}
	for i := range e.toks {
		if t := &e.toks[i]; t.is("field", "llm") && hasAnyPrefix(e.s[t.start:], "大模型", "模型", "大语言模型") {
			if name := e.properName(t.start); name != "" {
				e.r.Unlisted = name
				return
			}
		}
	}
}

// nameBefore returns the Latin name that is joined to position i by a hyphen.
func (e *ear) nameBefore(i int) string {
	if i == 0 || e.s[i-1] != '-' {
		return ""
	}
	j := i - 1
	for j > 0 && (alnum(e.s[j-1]) || e.s[j-1] == '-' || e.s[j-1] == '.' || e.s[j-1] == '_') {
		j--
	}
	name := e.s[j : i-1]
	if len(name) < 2 || name[0] >= '0' && name[0] <= '9' || e.knownName(j, i-1) {
		return ""
	}
	return name
}

// knownName reports whether a name of another sense than a model's covers
// [from, to).
func (e *ear) knownName(from, to int) bool {
	for i := range e.toks {
		if t := &e.toks[i]; t.q == nil && t.start < to && t.end > from && t.sense(kindFamily) == "" {
			return true
		}
	}
	return false
}

// properName returns a Chinese name of two to four characters that stands
// before position i behind a blank, a mark or a word we know.
func (e *ear) properName(i int) string {
	from := 0
	for j := range e.toks {
		if t := &e.toks[j]; t.end <= i && t.end > from {
			from = t.end
		}
	}
	name := e.s[from:i]
	if cut := strings.LastIndexAny(name, " ,;?!/:\n"); cut >= 0 {
		name = name[cut+1:]
	}
	n := 0
	for _, r := range name {
		if r < 0x4E00 || r > 0x9FFF || strings.ContainsRune("的个了把在想吧么有这那些种类型做它我你", r) {
			return ""
		}
		n++
	}
	if n < 2 || n > 4 {
		return ""
	}
	return name
}

// sizeOfKnown lets a size that is said alone move the model that the
// conversation is about to the member of that size.
func (e *ear) sizeOfKnown(size *token) {
	old := e.known.Model
	if size == nil || e.r.Facts.Model.Known() || !old.Known() || e.cues["next"] {
		return
	}
	m := e.book.models[old.Value]
	if m == nil {
		return
	}
	if v, ok := modelSize(m); ok && same(v, size.q.Lo) {
		return
	}
	switch id := e.member(old.Value, "", size.q.Lo); id {
	case "":
		e.withdraw("model")
	case old.Value:
	default:
		say(&e.r.Facts.Model, id)
	}
}
