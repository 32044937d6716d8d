package advisor

import (
	"math"
	"regexp"
	"strconv"
	"strings"

	"gpuadvisor/advisor/fault"
)

// Whose fault is it. A log goes to the leaf (advisor/fault), which says in
// which layer the cause lies and quotes the line; here its ids become
// sentences: why, what to do first, who pays, what it is not. For the layers
// that are the platform's to mend there is a support pack, ready to paste into
// a ticket. Out of memory is a matter of size, so the log's own figures are
// handed over to the advice.

// Diagnosed is what the advisor makes of a log.
type Diagnosed struct {
	fault.Diagnosis
	Pays  string   // platform, you, open: who bears the lost hours
	Pack  []string // the lines of the support pack; empty where the platform has nothing to mend
	Reply Reply
}

// Diagnose reads a log outside of any conversation. Of the message count the
// language, the time and the zone.
func (a *Advisor) Diagnose(log string, m Message) Diagnosed {
	t := a.aside(m)
	t.paste = paste{kind: "diagnose", log: log, found: a.book.faults().Diagnose(log), print: fault.Read(log)}
	t.sayDiagnosis()
	return Diagnosed{t.paste.found, t.pays(), t.pack(), t.reply}
}

// aside is a turn outside of any conversation.
func (a *Advisor) aside(m Message) *turn {
	t := &turn{book: a.book, zones: a.zones, m: m, lang: m.Lang}
	t.c.At, t.reply.Act = m.At, "answer"
	return t
}

// diagnose answers a paste, and a fault told in words.
func (t *turn) diagnose() {
	t.r.Intent = "diagnose"
	t.reply.Act = "answer"
	if t.paste.log == "" {
		t.diagnoseWords()
		return
	}
	if t.c.Flow.waits() {
		t.c.Flow = Flow{}
	}
	t.takeSaid()
	t.sayDiagnosis()
	t.resize()
	if !t.followUp() {
		t.resume()
	}
	t.offerReport()
}

// takeSaid keeps the facts that stand around a paste. Amounts are left alone:
// in a line that is half a log they are the program's, not the person's.
func (t *turn) takeSaid() {
	t.r.Facts.Forget("data_gb", "duration_hours", "budget", "peak_gib", "failed_gb")
	if len(t.r.Facts.Said()) > 0 {
		t.merge()
	}
}

// resume repeats the question that was open before a detour; an open item of a
// flow is repeated by itself.
func (t *turn) resume() {
	if !t.c.Flow.asks() {
		t.backToQuestion()
	}
}

// asksOfFault reports whether a "what does that mean" is about a fault that is
// known by name, and not about our question.
func (t *turn) asksOfFault() bool {
	return t.r.Command == "explain" && t.book.faultNamed(t.m.Text) != nil
}

// diagnoseWords answers a fault that is only talked about. When it is about a
// card that is too small, sizing answers; when the card is idle, the data
// loading is looked at first; a fault that we know by name is explained.
func (t *turn) diagnoseWords() {
	t.merge()
	t.because("diagnose")
	f := t.book.faultNamed(t.m.Text)
	switch {
	case f != nil && (t.r.Topic == "" || t.r.Topic == "diagnose.xid"):
		t.sayFault(f)
		t.note("diagnose.by-name")
		t.because("fault." + f.ID)
		t.backToQuestion()
		return
	case strings.HasPrefix(t.r.Topic, "diagnose."):
		t.text(t.r.Topic)
	default:
		t.text("diagnose.send")
	}
	if t.r.Command == "diagnose" && len(t.r.Facts.Said()) == 0 {
		t.c.Flow = Flow{Kind: "diagnose"}
		return
	}
	t.c.Intent = "recommend"
	t.showSize()
}

// showSize shows what would be advised as things stand, where that is known.
func (t *turn) showSize() bool {
	d := t.book.decide(t.c.Facts, t.c.Settled, t.m.At)
	if d == nil || d.stop || len(d.Cards) == 0 {
		return false
	}
	t.c.Answered = true
	t.sayProvisional(d)
	t.because(d.Because...)
	return true
}

// sayDiagnosis words what the leaf found.
func (t *turn) sayDiagnosis() {
	d := t.paste.found
	t.because("diagnose")
	if !caused(d) {
		t.sayCannotTell(d)
		return
	}
	say := func(key string, pairs ...any) string { return t.book.say(t.lang, key, pairs...) }
	t.heading("fault.title", "layer", say("fault.layer."+string(d.Layer)), "action", say("fault.action."+string(d.Action)))
	rows := []Pair{{say("fault.evidence"), t.quotes(d.Evidence)}}
	f := t.book.fault(d.Because[0])
	if f != nil {
		rows = append(rows, Pair{say("fault.why"), f.Why.In(t.lang)})
	}
	if words := t.oomWords(d.OOM); words != "" {
		rows = append(rows, Pair{say("fault.figures"), words})
	}
	if f != nil {
		rows = append(rows, Pair{say("fault.do"), f.Do.In(t.lang)})
	}
	if d.Recovery != "" {
		rows = append(rows, Pair{say("fault.recovery"), d.Recovery})
	}
	rows = append(rows, Pair{say("fault.pays"), say("fault.pays." + t.paysKey())})
	if f != nil && f.Not.In(t.lang) != "" {
		rows = append(rows, Pair{say("fault.not"), f.Not.In(t.lang)})
	}
	rows = append(rows, t.otherLines(d)...)
	t.reply.Parts = append(t.reply.Parts, Part{Kind: "fields", Pairs: rows})
	t.sayCut(d)
	t.sayPack()
	for _, id := range d.Because {
		t.because("fault." + id)
	}
}

// otherLines are what was seen and did not decide.
func (t *turn) otherLines(d fault.Diagnosis) []Pair {
	var rows []Pair
	add := func(key string, quotes []fault.Quote) {
		if len(quotes) > 0 {
			rows = append(rows, Pair{t.book.say(t.lang, key), t.quotes(quotes)})
		}
	}
	add("fault.consequences", d.Consequences)
	add("fault.background", d.Background)
	return rows
}

func (t *turn) sayCut(d fault.Diagnosis) {
	if d.Cut {
		t.note("fault.cut")
	}
}

// quotes writes lines with their numbers. Their secrets are masked already.
func (t *turn) quotes(quotes []fault.Quote) string {
	lines := make([]string, len(quotes))
	for i, q := range quotes {
		lines[i] = t.book.say(t.lang, "fault.line", "n", q.Line, "text", q.Text)
	}
	return strings.Join(lines, "\n")
}

// sayCannotTell quotes the consequences for what they are and asks for the
// lines that would tell.
func (t *turn) sayCannotTell(d fault.Diagnosis) {
	t.heading("fault.open")
	if len(d.Consequences) > 0 {
		t.reply.Parts = append(t.reply.Parts, Part{Kind: "fields", Pairs: []Pair{{t.book.say(t.lang, "fault.seen"), t.quotes(d.Consequences)}}})
		if f := t.book.fault(d.Because[0]); f != nil {
			t.reply.Parts = append(t.reply.Parts, Part{Kind: "text", Text: f.Why.In(t.lang)})
		}
	}
	if len(d.Background) > 0 {
		t.reply.Parts = append(t.reply.Parts, Part{Kind: "fields", Pairs: []Pair{{t.book.say(t.lang, "fault.background"), t.quotes(d.Background)}}})
	}
	t.sayCut(d)
	lines := []string{t.book.say(t.lang, "fault.ask")}
	for _, q := range d.Ask {
		lines = append(lines, "• "+t.book.Verify.Ask[string(q)].In(t.lang))
	}
	t.reply.Parts = append(t.reply.Parts, Part{Kind: "text", Text: strings.Join(lines, "\n")})
	t.because("fault.cannot-tell")
	for _, id := range d.Because {
		t.because("fault." + id)
	}
}

// sayFault explains a fault that was named and not shown.
func (t *turn) sayFault(f *Fault) {
	say := func(key string) string { return t.book.say(t.lang, key) }
	rows := []Pair{{say("fault.layer"), say("fault.layer." + string(f.Layer))}, {say("fault.why"), f.Why.In(t.lang)}, {say("fault.do"), f.Do.In(t.lang)}}
	if f.Not.In(t.lang) != "" {
		rows = append(rows, Pair{say("fault.not"), f.Not.In(t.lang)})
	}
	t.reply.Parts = append(t.reply.Parts, Part{Kind: "fields", Pairs: rows})
}

// pays says who bears the lost hours: the machine and its driver are the
// platform's, unless the cure lies in the image; the rest is the renter's.
func (t *turn) pays() string {
	switch t.paysKey() {
	case "none":
		return "open"
	case "hardware", "driver":
		return "platform"
	}
	return "you"
}

func (t *turn) paysKey() string {
	d := t.paste.found
	if !caused(d) {
		return "none"
	}
	if d.Layer == fault.Driver && d.Action == fault.Fix {
		return "driver-fix"
	}
	return string(d.Layer)
}

// pack is what a support ticket needs, one fact a line. What we cannot know is
// left to be filled in.
func (t *turn) pack() []string {
	d := t.paste.found
	if t.pays() != "platform" {
		return []string{}
	}
	var lines []string
	add := func(key string, pairs ...any) { lines = append(lines, t.book.say(t.lang, "pack."+key, pairs...)) }
	add("instance")
	add("found", "at", t.stamp(t.m.At))
	switch m := d.Machine; {
	case m.Since == "":
		add("times")
	case m.Since == m.Until:
		add("at", "from", m.Since)
	default:
		add("since", "from", m.Since, "to", m.Until)
	}
	if cards := t.cardsInPaste(); cards != "" {
		add("card", "card", cards)
	} else {
		add("card-open")
	}
	if len(d.Machine.PCI) > 0 {
		add("pci", "pci", strings.Join(d.Machine.PCI, ", "))
	} else {
		add("pci-open")
	}
	for _, q := range firstOf(d.Evidence, 3) {
		add("line", "n", q.Line, "text", q.Text)
	}
	if d.Recovery != "" {
		add("recovery", "text", d.Recovery)
	}
	add("layer", "layer", t.book.say(t.lang, "fault.layer."+string(d.Layer)), "id", d.Because[0])
	add("please." + string(d.Layer))
	add("tried")
	return lines
}

// cardsInPaste names the cards of the print beside the log, else those that the
// person named.
func (t *turn) cardsInPaste() string {
	if seen := t.paste.print.GPUs; len(seen) > 0 {
		return t.countedCards(seen)
	}
	cards := t.book.list(t.lang, namedLabels(t.c.Facts.GPUNamed.Value))
	if n := askedCards(t.c.Facts); n > 1 && cards != "" {
		cards = strconv.Itoa(n) + " × " + cards
	}
	return cards
}

func (t *turn) sayPack() {
	if lines := t.pack(); len(lines) > 0 {
		t.note("pack.title")
		t.reply.Parts = append(t.reply.Parts, Part{Kind: "code", Text: strings.Join(lines, "\n")})
	}
}

// followUp offers what helps after a fault that the platform has to mend: a
// reminder about the ticket, and the list for a swap, data first. A question
// that was open stays open; it is not the moment to repeat it.
func (t *turn) followUp() bool {
	if t.pays() != "platform" {
		return false
	}
	t.reply.Choices = append(t.reply.Choices, t.swapChoice(), Choice{Ref: "/ticket", Label: t.book.say(t.lang, "choice.ticket")})
	t.c.Options = refs(t.reply.Choices)
	t.c.Answered = true
	return true
}

// swapChoice leads to what is to be done before a swap: data first.
func (t *turn) swapChoice() Choice {
	return Choice{Ref: "/checklist swap", Label: t.book.say(t.lang, "choice.checklist.swap")}
}

// resize hands a job that does not fit over to sizing, with the log's figures.
func (t *turn) resize() {
	d := t.paste.found
	if d.Action != fault.Resize || d.Layer != fault.User {
		return
	}
	t.c.Intent = "recommend"
	t.because("fault.resize")
	if gb := t.book.tooSmall(d.OOM, t.paste.print); gb > 0 {
		t.c.Facts.FailedGB = Say(gb)
	}
	failed := t.c.Facts.FailedGB.Value
	if t.showSize() || failed == 0 {
		return
	}
	t.text("fault.resize", "gb", number(failed), "classes", t.book.list(t.lang, t.book.classesAbove(failed)))
	t.c.Answered = true
}

// tooSmall is how much memory of one card did not do, in GB of the sticker: the
// card's own, or what the process held and asked for when that is more; 0 when
// neither the message nor a print beside it tells.
func (b *Rulebook) tooSmall(o *fault.OOM, p fault.Print) float64 {
	switch {
	case o != nil && o.Total != nil:
	case len(p.GPUs) > 0 && p.GPUs[0].TotalMiB != nil:
		return b.sticker(float64(*p.GPUs[0].TotalMiB) / 1024)
	default:
		return 0
	}
	gb := b.sticker(*o.Total / 1024)
	if o.Kind == fault.OOMPlain && o.Own != nil && o.Request != nil {
		gb = max(gb, math.Floor((*o.Own+*o.Request)/1024))
	}
	return gb
}

// sticker is the size on the smallest card that shows as many GiB, in GB.
func (b *Rulebook) sticker(gib float64) float64 {
	gb := 0.0
	for i := range b.Cards {
		if size := b.Cards[i].VRAMGB; size >= gib && (gb == 0 || size < gb) {
			gb = size
		}
	}
	if gb == 0 {
		return math.Ceil(gib)
	}
	return gb
}

// classesAbove lists the next sizes of cards that are commonly for rent: "32 GB".
func (b *Rulebook) classesAbove(gb float64) []string {
	var out []string
	for size := gb; len(out) < 2; {
		next := 0.0
		for i := range b.Cards {
			if c := &b.Cards[i]; c.Rentable == "common" && c.VRAMGB > size && (next == 0 || c.VRAMGB < next) {
				next = c.VRAMGB
			}
		}
		if next == 0 {
			break
		}
		out, size = append(out, number(next)+" GB"), next
	}
	return out
}

// trifle is what is not worth a figure, in MiB.
const trifle = 100

// oomWords writes the arithmetic of an out-of-memory message, in GiB.
func (t *turn) oomWords(o *fault.OOM) string {
	if o == nil {
		return ""
	}
	var words []string
	for _, f := range []struct {
		key string
		mib *float64
	}{{"request", o.Request}, {"total", o.Total}, {"free", o.Free}, {"own", o.Own}, {"other", o.Other}, {"idle", o.Idle}} {
		if f.mib != nil && (*f.mib >= trifle || f.mib == o.Free) {
			words = append(words, t.book.say(t.lang, "oom."+f.key, "n", number(math.Round(*f.mib/1024*100)/100)))
		}
	}
	return strings.Join(words, t.book.say(t.lang, "join.facts"))
}

// fault returns the fault with this id, or nil.
func (b *Rulebook) fault(id string) *Fault {
	for i := range b.Faults {
		if b.Faults[i].ID == id {
			return &b.Faults[i]
		}
	}
	return nil
}

var xidWord = regexp.MustCompile(`(?i)\bxid\W{0,3}(\d{1,3})\b`)

// faultNamed finds a fault that is spoken of: an Xid by its number, anything
// else by a name of its own, the longest first.
func (b *Rulebook) faultNamed(text string) *Fault {
	if m := xidWord.FindStringSubmatch(text); m != nil {
		n, _ := strconv.Atoi(m[1])
		for i := range b.Faults {
			for _, x := range b.Faults[i].Xids {
				if x == n {
					return &b.Faults[i]
				}
			}
		}
	}
	var best *Fault
	long, lower := 5, strings.ToLower(text) // shorter names are words of everyday
	for i := range b.Faults {
		for _, name := range b.Faults[i].Names {
			if len(name) > long && strings.Contains(lower, strings.ToLower(name)) {
				best, long = &b.Faults[i], len(name)
			}
		}
	}
	return best
}

// CompileFaults makes the book that reads logs. A fault with a mistake is left
// out of it and reported.
func (b *Rulebook) CompileFaults() (*fault.Book, []fault.Problem) {
	signatures := make([]fault.Signature, len(b.Faults))
	for i := range b.Faults {
		signatures[i] = b.Faults[i].Signature
	}
	return fault.New(signatures)
}
