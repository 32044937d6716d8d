package advisor

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"gpuadvisor/advisor/fault"
	"gpuadvisor/advisor/text"
)

// Is this the card I paid for. The leaf (advisor/fault) reads the print and
// judges it; here stands what it must be told of the world, and how a verdict
// is said: the findings, what even a pass does not prove, what to run next. Of
// the print nothing is kept but names and sizes, and those only while we wait
// to hear what was ordered.

// Verified is what the advisor makes of a print.
type Verified struct {
	Print   fault.Print
	Verdict fault.Verdict
	Cards   []string // catalogue id of each device, "" when it is not known
	Reply   Reply
}

// Verify judges a print outside of any conversation. paid is the order as said
// ("2x RTX 4090 24GB"), wantsCUDA a version ("12.4"); both may be empty. Of the
// message count the language, the time and the zone.
func (a *Advisor) Verify(print, paid, wantsCUDA string, m Message) Verified {
	t := a.aside(m)
	t.paste = paste{kind: "verify", log: print, found: a.book.faults().Diagnose(print), print: fault.Read(print)}
	v := Verified{Print: t.paste.print, Verdict: t.judge(fault.ReadPaidFor(paid), wantsCUDA)}
	for _, g := range v.Print.GPUs {
		v.Cards = append(v.Cards, t.book.cardPrinted(g))
	}
	t.sayVerification(v.Verdict)
	v.Reply = t.reply
	return v
}

// verify answers /verify and a print that was pasted.
func (t *turn) verify() {
	t.r.Intent = "checklist"
	t.reply.Act = "answer"
	t.because("verify")
	paid := t.order()
	if t.paste.log == "" {
		t.text("verify.send")
		t.c.Flow = Flow{Kind: "verify", ID: paid}
		return
	}
	if t.c.Flow.waits() {
		if paid == "" {
			paid = t.c.Flow.ID
		}
		t.c.Flow = Flow{}
	}
	v := t.judge(fault.ReadPaidFor(paid), cudaWanted(t.paste.said))
	t.sayVerification(v)
	switch {
	case v.Result == fault.Faulty && t.followUp():
	case paid == "" && !t.c.Flow.asks() && t.askOrder(v):
		return
	default:
		t.resume()
	}
	t.offerReport()
}

func (t *turn) judge(paid fault.PaidFor, wantsCUDA string) fault.Verdict {
	return fault.Judge(t.paste.print, paid, wantsCUDA, t.book.knownPrints())
}

// askOrder asks what was paid for, when the print shows what to compare.
func (t *turn) askOrder(v fault.Verdict) bool {
	var seen []Seen
	for _, g := range t.paste.print.GPUs {
		if g.Name == "" || v.Result == fault.Faulty || v.Result == fault.Unreadable {
			return false
		}
		s := Seen{Name: g.Name}
		if g.TotalMiB != nil {
			s.MiB = *g.TotalMiB
		}
		seen = append(seen, s)
	}
	if len(seen) == 0 {
		return false
	}
	t.c.Flow = Flow{Kind: "order", ID: string(v.Result), Seen: seen}
	t.reply.Parts = append(t.reply.Parts, Part{Kind: "question", Text: t.book.say(t.lang, "verify.order")})
	t.offerFlow("unknown")
	return true
}

// checkOrder compares the cards that were seen with the order that is now said.
func (t *turn) checkOrder(tick Tick) {
	t.r.Intent = "checklist"
	t.reply.Act = "answer"
	t.because("verify", "verify.order")
	flow := t.c.Flow
	t.paste.said = tick.Note
	paid := t.order()
	if paid == "" {
		t.text("verify.order-open")
		t.endFlow()
		return
	}
	for _, s := range flow.Seen {
		g := fault.GPU{Name: s.Name}
		if s.MiB > 0 {
			g.TotalMiB = &s.MiB
		}
		t.paste.print.GPUs = append(t.paste.print.GPUs, g)
	}
	without := t.judge(fault.PaidFor{}, "")
	with := t.judge(fault.ReadPaidFor(paid), "")
	findings := slices.DeleteFunc(with.Findings, func(f fault.Finding) bool { return slices.Contains(without.Findings, f) })
	switch with.Result {
	case fault.Mismatch, fault.Sliced:
		t.heading("verify.heading", "verdict", t.book.Verify.Verdicts[string(with.Result)])
	default:
		t.heading("verify.matches", "order", paid)
	}
	t.sayFindings(findings)
	if with.Result == fault.Mismatch || with.Result == fault.Sliced {
		t.text("verify.claim")
	}
	t.endFlow()
}

// order is what was paid for, as the words around a print say it, in the form
// that the leaf reads: "2x RTX 4090 24GB". A short line is taken as it stands.
func (t *turn) order() string {
	said := strings.TrimSpace(t.paste.said)
	if said == "" || said == t.paste.log {
		return ""
	}
	f := t.book.Read(said, Asked{}).Facts
	if len(f.GPUNamed.Value) == 0 {
		return ""
	}
	if len(said) <= longestOrder && !strings.ContainsAny(said, "\n，。,;；?？") && !orderTalk.MatchString(said) {
		return said
	}
	n := f.GPUNamed.Value[0]
	words := t.book.spelled(n)
	if f.GPUs.Known() && f.GPUs.Value.Word == "" && f.GPUs.Value.Single() {
		words = number(f.GPUs.Value.Lo) + "x " + words
	}
	return words
}

// orderTalk is what makes a line a sentence and not an order.
var orderTalk = regexp.MustCompile(`(?i)[我你帮租订买看是的了]|\b(?:i|we|my|is|this|rented|paid|ordered|please|check)\b`)

// spelled writes a named card with spaces between its parts, as prints do.
func (b *Rulebook) spelled(n Named) string {
	base, _, _ := strings.Cut(n.As, "-")
	name := base
	if c := b.cards[n.Card]; c != nil {
		for _, other := range c.Names {
			if text.Key(other) == text.Key(base) && strings.Count(other, " ") > strings.Count(name, " ") {
				name = other
			}
		}
	}
	if n.GB > 0 {
		name += " " + number(n.GB) + "GB"
	}
	return name
}

var (
	cudaVersion = regexp.MustCompile(`(?i)\bcuda\W{0,3}(\d{1,2}\.\d{1,2})`)
	cudaWheel   = regexp.MustCompile(`(?i)\bcu(\d{2})(\d)\b`)
)

// cudaWanted reads the CUDA version that the framework needs: "CUDA 12.4",
// "cu128".
func cudaWanted(said string) string {
	if m := cudaVersion.FindStringSubmatch(said); m != nil {
		return m[1]
	}
	if m := cudaWheel.FindStringSubmatch(said); m != nil {
		return m[1] + "." + m[2]
	}
	return ""
}

// sayVerification words a verdict.
func (t *turn) sayVerification(v fault.Verdict) {
	t.heading("verify.heading", "verdict", t.book.Verify.Verdicts[string(v.Result)])
	if line := t.printSummary(); line != "" {
		t.reply.Parts = append(t.reply.Parts, Part{Kind: "text", Text: line})
	}
	t.sayFindings(v.Findings)
	switch {
	case v.Result == fault.Faulty && t.pays() == "platform":
		t.reply.Parts = append(t.reply.Parts, Part{Kind: "fields", Pairs: []Pair{{t.book.say(t.lang, "fault.pays"), t.book.say(t.lang, "fault.pays."+t.paysKey())}}})
		t.sayPack()
	case v.Result == fault.Mismatch:
		t.text("verify.claim")
	case v.Result == fault.Sliced:
		t.text("verify.whole")
	}
	if v.Result == fault.Idle || v.Result == fault.Occupied {
		t.sayProvesNot(v.ProvesNot)
	}
	t.sayNext(v.Next)
	t.because("verify." + string(v.Result))
	for _, f := range v.Findings {
		if id := "verify." + f.ID; !slices.Contains(t.reply.Because, id) {
			t.because(id)
		}
	}
}

// printSummary is what was read, in one line: cards, driver, CUDA.
func (t *turn) printSummary() string {
	p := t.paste.print
	var words []string
	if cards := t.countedCards(p.GPUs); cards != "" {
		words = append(words, cards)
	}
	if p.Driver != "" {
		words = append(words, t.book.say(t.lang, "verify.driver", "v", p.Driver))
	}
	if p.CUDA != "" {
		words = append(words, "CUDA "+p.CUDA)
	}
	return strings.Join(words, t.book.say(t.lang, "join.facts"))
}

// countedCards writes "2 × NVIDIA A40 (46068 MiB)".
func (t *turn) countedCards(gpus []fault.GPU) string {
	var names []string
	count := map[string]int{}
	for _, g := range gpus {
		name := g.Name
		if name == "" {
			name = t.book.Verify.Devices[g.DeviceID]
		}
		if name == "" {
			name = t.book.say(t.lang, "verify.nameless")
		}
		if g.TotalMiB != nil {
			name += fmt.Sprintf(" (%d MiB)", *g.TotalMiB)
		}
		if count[name]++; count[name] == 1 {
			names = append(names, name)
		}
	}
	for i, name := range names {
		names[i] = strconv.Itoa(count[name]) + " × " + name
	}
	return t.book.list(t.lang, names)
}

// shownFindings limits what one verdict says.
const shownFindings = 8

// sayFindings says each finding once, with all the cards that have it.
func (t *turn) sayFindings(findings []fault.Finding) {
	var lines []string
	done := map[fault.Finding]bool{}
	for _, f := range findings {
		key := f
		key.GPU = -1
		if done[key] {
			continue
		}
		done[key] = true
		lines = append(lines, "• "+t.findingWords(f, findings))
	}
	rest := len(lines) - shownFindings
	if rest > 0 {
		lines = append(lines[:shownFindings], t.book.say(t.lang, "verify.rest", "n", rest))
	}
	if len(lines) > 0 {
		t.reply.Parts = append(t.reply.Parts, Part{Kind: "text", Text: strings.Join(lines, "\n")})
	}
}

func (t *turn) findingWords(f fault.Finding, all []fault.Finding) string {
	var gpus []string
	for _, o := range all {
		if o.ID == f.ID && o.Have == f.Have && o.Want == f.Want && o.GPU >= 0 {
			gpus = append(gpus, t.indexOf(o.GPU))
		}
	}
	words := t.book.Verify.Findings[f.ID].In(t.lang)
	return fill(words, t.lang, []any{"have", fault.Mask(f.Have), "want", f.Want, "gpu", strings.Join(gpus, t.book.say(t.lang, "join.list"))})
}

// indexOf is the number that the tool gives a card, else its place.
func (t *turn) indexOf(i int) string {
	if i < len(t.paste.print.GPUs) && t.paste.print.GPUs[i].Index != nil {
		i = *t.paste.print.GPUs[i].Index
	}
	return strconv.Itoa(i)
}

func (t *turn) sayProvesNot(ids []string) {
	lines := []string{t.book.say(t.lang, "verify.proves-not")}
	for _, id := range ids {
		lines = append(lines, "• "+t.book.Verify.ProvesNot[id].In(t.lang))
	}
	t.reply.Parts = append(t.reply.Parts, Part{Kind: "note", Text: strings.Join(lines, "\n")})
}

// sayNext shows commands to copy, each under its reason.
func (t *turn) sayNext(ids []string) {
	for i, id := range ids {
		run := t.book.Verify.Next[id]
		key := "verify.next"
		if i > 0 {
			key = "verify.then"
		}
		t.text(key, "why", run.Why)
		t.reply.Parts = append(t.reply.Parts, Part{Kind: "code", Text: run.Run})
	}
}

// knownPrints is what the leaf must know of the catalogue.
func (b *Rulebook) knownPrints() fault.Known {
	return fault.Known{Card: b.stock, Branches: b.Verify.Branches, Devices: b.Verify.Devices}
}

// stock is what untouched cards of a printed name show; with several cards of
// that name, what any of them may show.
func (b *Rulebook) stock(name string) (fault.Stock, bool) {
	cards := b.cardsPrinted(name)
	var s fault.Stock
	for i, c := range cards {
		s.MiB = append(s.MiB, c.SMIMiB...)
		limit := c.TDPW
		if c.SMICapW > 0 {
			limit = float64(c.SMICapW)
		}
		if limit > 0 && (s.CapW == 0 || limit < s.CapW) {
			s.CapW = limit
		}
		if i == 0 || version(c.MinCUDA) < version(s.MinCUDA) {
			s.MinCUDA = c.MinCUDA
		}
	}
	return s, len(cards) > 0
}

// version makes a number of "11.8", 0 of what is none.
func version(s string) float64 {
	v, err := strconv.ParseFloat(s, 64)
	if err != nil {
		return 0
	}
	return v
}

// cardsPrinted finds the cards of a printed name. One that the frame cut off
// stands for all that begin so.
func (b *Rulebook) cardsPrinted(name string) []*Card {
	begin, cut := strings.CutSuffix(strings.TrimSpace(name), "...")
	key := printKey(begin)
	if !cut || len(key) < 3 {
		return b.printed[key]
	}
	var out []*Card
	for known, cards := range b.printed {
		if strings.HasPrefix(known, key) {
			for _, c := range cards {
				if !slices.Contains(out, c) {
					out = append(out, c)
				}
			}
		}
	}
	slices.SortFunc(out, func(x, y *Card) int { return strings.Compare(x.ID, y.ID) })
	return out
}

// cardPrinted is the catalogue id of a device, "" when several cards or none
// have its name and its memory.
func (b *Rulebook) cardPrinted(g fault.GPU) string {
	name := g.Name
	if name == "" {
		name = b.Verify.Devices[g.DeviceID]
	}
	cards := b.cardsPrinted(name)
	if len(cards) > 1 && g.TotalMiB != nil {
		cards = slices.DeleteFunc(slices.Clone(cards), func(c *Card) bool { return !slices.Contains(c.SMIMiB, *g.TotalMiB) })
	}
	if len(cards) != 1 {
		return ""
	}
	return cards[0].ID
}

// printedNames maps the names of the catalogue to their cards.
func (b *Rulebook) printedNames() map[string][]*Card {
	names := map[string][]*Card{}
	for i := range b.Cards {
		c := &b.Cards[i]
		for _, name := range append([]string{c.ID}, c.Names...) {
			if key := printKey(name); key != "" && !slices.Contains(names[key], c) {
				names[key] = append(names[key], c)
			}
		}
	}
	return names
}

// printKey is a name without its maker, in the form in which spellings agree:
// prints say "NVIDIA GeForce RTX 4090" and people "RTX 4090".
func printKey(name string) string {
	words := strings.FieldsFunc(name, func(r rune) bool { return r == ' ' || r == '\u00a0' })
	words = slices.DeleteFunc(words, func(w string) bool { return makers[strings.ToLower(w)] })
	return text.Key(strings.Join(words, " "))
}

// makers are the words of a printed name that no one types.
var makers = map[string]bool{"nvidia": true, "geforce": true, "tesla": true, "amd": true, "instinct": true, "huawei": true, "ascend": true, "昇腾": true, "graphics": true, "generation": true}
