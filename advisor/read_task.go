package advisor

import (
	"slices"
	"strings"

	"gpuadvisor/advisor/text"
)

// The task follows from three things: words that name it (出图, render), the
// field it lies in (the model's domain, or a word such as 检测), and what is
// done (微调, serve). Of several jobs the first named is the task; the next is
// kept as what comes after.

// method reads the method and the words that pick the fine task.
func (e *ear) method() {
	e.word("method", &e.r.Facts.Method)
	e.fullAlone()
	e.variant("")
}

// fullAlone reads "full" where it is a clause of its own in a dialogue about tuning
// whose method is not said yet: "full, 800 MB, 3 hours".
func (e *ear) fullAlone() {
	f := &e.r.Facts
	if f.Method.Known() || e.known.Method.Known() || e.known.Task.Value != "finetune" && e.known.Task.Value != "image-train" {
		return
	}
	for _, c := range e.clauses {
		word := strings.Trim(e.s[c.start:c.end], particles)
		if !strings.HasPrefix(word, "full") {
			continue
		}
		for _, s := range e.book.lexicon.Senses(word) {
			if s.Kind == "asked.method" {
				say(&f.Method, s.ID)
			}
		}
	}
}

// variant reads a word that picks the fine task, any but one.
func (e *ear) variant(but string) {
	if t := e.pick(func(t *token) bool { return t.sense("variant") != "" && t.sense("variant") != but }); t != nil {
		say(&e.r.Facts.Variant, t.sense("variant"))
	}
}

// task reads the task.
func (e *ear) task() {
	e.method()
	jobs := e.jobs()
	if len(jobs) == 0 || e.onlyMethod() || e.defines() {
		return
	}
	say(&e.r.Facts.Task, jobs[0])
	if jobs[0] != "learn" {
		e.variant("repro") // what is reproduced counts, not that it is
	}
	if len(jobs) > 1 && !e.changed {
		say(&e.r.Facts.NextTask, jobs[1])
	}
}

// onlyMethod reports whether, in a dialogue about a known task, the text only
// says how it is to be done: "改成 LoRA" does not change the task.
func (e *ear) onlyMethod() bool {
	if !e.known.Task.IsSaid() || e.cues["next"] {
		return false
	}
	for i := range e.toks {
		t := &e.toks[i]
		if d := t.sense("does"); d != "" && d != "adapter" && d != "run" || t.sense("task") != "" || t.sense("field") != "" {
			return false
		}
		if id := t.sense(kindModel); id != "" && id != e.known.Model.Value {
			return false
		}
	}
	return true
}

// jobs lists the tasks of the text in the order in which they are named.
func (e *ear) jobs() []string {
	parts := e.byField()
	var jobs []string
	for _, p := range parts {
		for _, task := range p.tasks(e) {
			if len(jobs) == 0 || jobs[len(jobs)-1] != task {
				jobs = append(jobs, task)
			}
		}
	}
	return jobs
}

// part is a stretch of tokens that speak of one field.
type part struct {
	from, to int // tokens
	field    string
	model    *Model
	task     string // named by a word
	weak     bool   // says little: a host program, a mere size
}

// byField divides the tokens where the field changes. A model's domain counts
// more than a word, and a word more than a mere size.
func (e *ear) byField() []part {
	marks := e.fieldMarks()
	if len(marks) == 0 {
		return []part{{to: len(e.toks), field: e.knownField()}}
	}
	marks[0].from = 0
	parts := marks[:1]
	for _, m := range marks[1:] {
		last := &parts[len(parts)-1]
		word := m.model == nil && m.task == ""
		lastWord := last.model == nil && last.task == ""
		if m.field == last.field || word && m.field != "llm" || lastWord && !word && !jobSplit(e, last.from, m.from) {
			if lastWord && !word {
				last.field = m.field
			}
			if last.model == nil && m.model != nil {
				last.field, last.model = m.field, m.model
			}
			if last.task == "" {
				last.task = m.task
			}
			continue
		}
		last.to = m.from
		parts = append(parts, m)
	}
	parts[len(parts)-1].to = len(e.toks)
	return parts
}

// knownField is the field that the conversation is about, where what is done
// there can change.
func (e *ear) knownField() string {
	if e.cues["next"] {
		return ""
	}
	if m := e.book.models[e.known.Model.Value]; m != nil {
		switch f := fieldOf(m); f {
		case "image", "video", "cv", "text", "embedding":
			return f
		}
	}
	switch f := fieldOfTask[e.known.Task.Value]; f {
	case "image", "video", "cv":
		return f
	}
	if m := e.book.models[e.known.Model.Value]; !e.known.Task.Known() && (e.known.ParamsB.Known() || m != nil && m.Domain == "llm") {
		return "llm"
	}
	return ""
}

// jobSplit reports whether the text itself says between two tokens that there
// are two jobs. A word of another field before a model most often describes
// the same job: "做视频, wan 14b".
func jobSplit(e *ear, from, to int) bool {
	for i := from; i < to; i++ {
		if e.toks[i].cue("two") {
			return true
		}
	}
	return false
}

// fieldMarks lists the places that tell a field, in order.
func (e *ear) fieldMarks() []part {
	var marks []part
	for i := range e.toks {
		t := &e.toks[i]
		if !t.live() || t.weak && e.replaced(i) {
			continue
		}
		m := part{from: i, field: t.sense("field"), task: t.sense("task")}
		if id := t.sense(kindModel); id != "" {
			if model := e.book.models[id]; model != nil {
				m.model, m.field = model, fieldOf(model)
			}
		} else if t.sense(kindFamily) != "" && m.field == "" && m.task == "" && e.r.Facts.Model.Known() {
			if model := e.book.models[e.r.Facts.Model.Value]; model != nil {
				m.model, m.field = model, fieldOf(model)
			}
		} else if t.q != nil && t.q.Unit == text.Params {
			m.field, m.weak = "llm", !e.cues["two"]
		} else if e.r.Facts.Method.Value == "lora" && e.countsPictures(i) {
			m.field, m.weak = "image", true // adapters trained on twenty pictures
		}
		if m.field == "" && m.task != "" {
			m.field = fieldOfTask[m.task]
		}
		m.weak = m.weak || m.field == "embedding" && e.answersToo() || e.isMaterial(i) || t.sense("host") != "" || m.model == nil && (m.field == "workflow" || m.field == "learn")
		if m.field != "" || m.task != "" {
			marks = append(marks, m)
		}
	}
	return unlessWeak(marks)
}

// answersToo reports whether a language model is named that answers from what
// a retriever finds: of "bge-m3 + qwen3-14b" the second decides the card.
func (e *ear) answersToo() bool {
	if e.cues["two"] && slices.ContainsFunc(e.toks, func(t token) bool { return t.is("task", "embedding") }) {
		return false // first the one, then the other
	}
	return slices.ContainsFunc(e.toks, func(t token) bool {
		m := e.book.models[t.sense(kindModel)]
		return m != nil && t.live() && m.Domain == "llm" && fieldOf(m) == "llm"
	})
}

// countsPictures reports whether quantity i is a number of pictures.
func (e *ear) countsPictures(i int) bool {
	t, pictures := &e.toks[i], e.book.beside["pictures"]
	if t.q == nil {
		return false
	}
	return hasAnySuffix(e.s[t.start:t.end], pictures...) || hasAnyPrefix(e.after(i), pictures...) ||
		t.q.Unit == text.Sheets && hasAnySuffix(strings.TrimRight(e.s[:t.start], " 大概约有"), pictures...)
}

// isMaterial reports whether a field's word only says what the data is: "2TB of
// video", 10分钟的视频.
func (e *ear) isMaterial(i int) bool {
	t, j := &e.toks[i], e.prev(i)
	if t.sense("field") == "" || t.sense("task") != "" || t.sense(kindModel) != "" || j < 0 || e.toks[j].q == nil {
		return false
	}
	switch e.toks[j].q.Unit {
	case text.GB, text.Tera, text.Hours, text.Things, text.Lines, text.Size:
		return e.touching(j, i)
	case text.Kilo:
		return e.touching(j, i) && e.toks[i].is("field", "video") && e.toks[i].end-e.toks[i].start <= len("videos")
	}
	return false
}

// replaced reports whether a later token says the same kind of thing as the
// weak token i.
func (e *ear) replaced(i int) bool {
	for j := i + 1; j < len(e.toks); j++ {
		t := &e.toks[j]
		if t.weak || t.not {
			continue
		}
		if t.sense("does") != "" || t.sense("task") != "" || t.sense(kindModel) != "" {
			return true
		}
	}
	return false
}

// unlessWeak drops the marks that say little when others say more: a workflow
// program where a field is named, a size where a model is, learning where the
// field is given.
func unlessWeak(marks []part) []part {
	strong := false
	for _, m := range marks {
		strong = strong || !m.weak
	}
	if !strong {
		return marks
	}
	return slices.DeleteFunc(marks, func(m part) bool { return m.weak })
}

// fieldOf is the field that a model belongs to.
func fieldOf(m *Model) string {
	switch {
	case m.Role == "embedding":
		return "embedding"
	case m.Role == "encoder", m.Task == "finetune":
		return "text"
	case m.Task == "learn":
		return "learn"
	case m.Task != "" && fieldOfTask[m.Task] != "":
		return fieldOfTask[m.Task]
	}
	return m.Domain
}

var fieldOfTask = map[string]string{
	"image-gen": "image", "image-train": "image", "video-gen": "video", "cv-train": "cv", "render": "render",
	"simulation": "simulation", "speech": "audio", "embedding": "embedding", "learn": "learn",
}

// tasks are the tasks of one part.
func (p part) tasks(e *ear) []string {
	acts := e.acts(p.from, p.to)
	repro := e.hasLive("variant", "repro") && !e.tellsTrouble()
	if len(acts) == 0 && !repro && p.model == nil && p.task == "" && p.from == 0 && p.to == len(e.toks) && p.field == e.knownField() && (p.field != "llm" || !e.sounds()) {
		return nil // only what is known already
	}
	if m := e.r.Facts.Method; m.Known() && !acts.trains() {
		acts = append(acts, "adapter") // 全参 and QLoRA are ways of tuning
	}
	if languageField(p.field) && repro && !acts.trains() && !acts.has("infer") {
		return []string{"learn"} // a paper that is done again is learned from
	}
	return p.fieldTasks(e, acts)
}

// fieldTasks are the tasks of one part by its field.
func (p part) fieldTasks(e *ear, acts acts) []string {
	switch p.field {
	case "render", "simulation":
		return []string{p.field}
	case "audio":
		return []string{"speech"}
	case "tabular":
		return []string{"train"}
	case "workflow":
		return []string{"image-gen"}
	case "learn":
		if p.model == nil && (acts.has("finetune") || acts.has("pretrain") || acts.has("infer")) {
			return acts.languageTasks(e)
		}
		return []string{"learn"}
	case "image":
		return []string{p.imageTask(acts)}
	case "video":
		if acts.has("train") || acts.has("finetune") || acts.trains() && p.task == "" {
			return []string{"finetune"}
		}
		return []string{"video-gen"}
	case "cv":
		return []string{p.visionTask(e, acts)}
	case "embedding":
		if acts.trains() {
			return []string{"finetune"}
		}
		if (p.model == nil || e.besideRetriever()) && (acts.has("infer") || acts.has("converse") || e.r.Facts.ParamsB.Known()) {
			return []string{"inference"}
		}
		return []string{"embedding"}
	case "text":
		if p.model == nil && len(acts) == 0 || acts.has("train") && !acts.has("finetune") {
			return []string{"train"}
		}
		if acts.has("infer") && !acts.trains() {
			return []string{"inference"}
		}
		return []string{"finetune"}
	}
	return p.languageTasks(e, acts)
}

// besideRetriever reports whether a language model of its own size stands beside
// the embedding model: it is what the machine has to hold.
func (e *ear) besideRetriever() bool {
	f := &e.r.Facts
	if m := e.book.models[f.Model.Value]; m != nil && m.Role == "embedding" {
		return false
	}
	return f.ParamsB.Known() || f.Model.Known()
}

// languageField reports whether a field has no trade of its own.
func languageField(field string) bool {
	switch field {
	case "", "llm", "learn", "text":
		return true
	}
	return false
}

func (p part) imageTask(acts acts) string {
	if p.task == "image-train" || acts.has("train") || acts.has("finetune") || acts.has("pretrain") || acts.has("scratch") {
		return "image-train"
	}
	if acts.has("adapter") && p.task == "" && !acts.has("infer") && !acts.has("generate") {
		return "image-train"
	}
	return "image-gen"
}

func (p part) visionTask(e *ear, acts acts) string {
	if e.hasLive("field", "learn") && !e.hasLive("variant", "detect") {
		return "learn"
	}
	if acts.has("infer") && !acts.trains() {
		return "inference"
	}
	return "cv-train"
}

// languageTasks are the tasks for a language model, or for no field at all.
func (p part) languageTasks(e *ear, acts acts) []string {
	if tasks := acts.languageTasks(e); len(tasks) > 0 {
		if tasks[0] == "run" && p.toLearn(e) {
			return []string{"learn"}
		}
		if p.field == "llm" || tasks[0] != "run" {
			return acts.settle(tasks, p.field)
		}
	}
	switch {
	case p.field == "llm" && e.sounds():
		return []string{"inference"}
	case p.task == "train": // a program for it
		return []string{"train"}
	}
	return nil
}

// toLearn reports whether a language model so small that it serves nobody is run
// to learn from.
func (p part) toLearn(e *ear) bool {
	return p.model != nil && p.model.ParamsB > 0 && p.model.ParamsB < 0.2 && e.hasLive("field", "learn")
}

// sounds reports whether a language model that is named without an activity is
// meant to answer: nobody chooses a quantisation, a context or users for
// anything else.
func (e *ear) sounds() bool {
	f := &e.r.Facts
	if e.talking() && !e.cues["next"] && (e.known.Task.Known() || !e.known.ParamsB.Known() && !e.known.Model.Known()) || f.Batch.Known() {
		return false
	}
	return f.Precision.Known() && f.Precision.Value != "fp64" || f.Concurrency.Known() || f.ContextLen.Known() ||
		e.cues["quant"] || e.cues["whole"] || f.Serving.Known()
}

// acts are the activities of a part, in order.
type acts []string

// acts collects what is done between two tokens.
func (e *ear) acts(from, to int) acts {
	var list acts
	for i := from; i < to; i++ {
		t := &e.toks[i]
		d := t.sense("does")
		if d == "" || !t.live() || t.weak && e.replaced(i) {
			continue
		}
		list = append(list, d)
	}
	return list
}

func (a acts) has(what string) bool {
	for _, d := range a {
		if d == what {
			return true
		}
	}
	return false
}

// trains reports whether weights are changed.
func (a acts) trains() bool {
	return a.has("finetune") || a.has("adapter") || a.has("pretrain") || a.has("scratch") || a.has("train")
}

// languageTasks orders the activities as tasks. "Train" says nothing more
// where fine-tuning or pre-training is named as well, and "run" or "chat"
// nothing where anything else is.
func (a acts) languageTasks(e *ear) []string {
	var tasks []string
	add := func(task string) {
		for _, t := range tasks {
			if t == task {
				return
			}
		}
		tasks = append(tasks, task)
	}
	for _, d := range a {
		switch d {
		case "finetune", "adapter":
			add("finetune")
		case "pretrain", "scratch":
			add("pretrain")
		case "infer":
			add("inference")
		case "train":
			switch {
			case a.has("finetune"), a.has("adapter"), a.has("pretrain"), a.has("scratch"):
			case e.r.Facts.Method.Known():
				add("finetune")
			case e.manyTokens():
				add("pretrain")
			case e.hasWeights():
				add("finetune")
			default:
				add("train")
			}
		}
	}
	if len(tasks) == 0 && a.has("converse") {
		add("inference")
	}
	if len(tasks) == 0 && (a.has("run") || a.has("generate")) {
		add("run")
	}
	return tasks
}

// hasWeights reports whether the language model that is trained is one that
// others have published: training it goes on from their weights.
func (e *ear) hasWeights() bool {
	m := e.book.models[e.r.Facts.Model.Value]
	if m == nil {
		return e.r.Unlisted != "" && e.r.Facts.ParamsB.Known()
	}
	return m.Domain == "llm" && m.Role == "" && m.Default == "" && m.ParamsB >= 1
}

// manyTokens reports whether so many tokens are trained on that it can only be
// pre-training.
func (e *ear) manyTokens() bool {
	for i := range e.toks {
		if q := e.toks[i].q; q != nil && q.Unit == text.Tokens && q.Hi >= 2e10 {
			return true
		}
	}
	return false
}

// settle makes a task of "run": a language model that runs answers.
func (a acts) settle(tasks []string, field string) []string {
	if tasks[0] == "run" && field == "llm" {
		return []string{"inference"}
	}
	return tasks
}

// hasLive reports whether a sense is said and stands.
func (e *ear) hasLive(kind, id string) bool {
	for i := range e.toks {
		if t := &e.toks[i]; t.live() && t.is(kind, id) {
			return true
		}
	}
	return false
}
