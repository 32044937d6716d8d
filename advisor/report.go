package advisor

import (
	"cmp"
	"encoding/json"
	"regexp"
	"slices"
	"strings"

	"gpuadvisor/advisor/fault"
)

// report.go lets a person tell whoever runs the bot that an answer was wrong.
// What goes there is a transcript: the last things that were said and answered,
// what was understood, the advice. It carries no name, no account, no place and
// no time of day, and what looks like a secret or like somebody is masked
// before it is kept, here and in the conversation.

// Exchange is a message with the beginning of its answer.
type Exchange struct {
	Said    string   `json:"said"`
	Act     string   `json:"act"`
	Reply   string   `json:"reply,omitempty"`
	Because []string `json:"because,omitempty"` // the first rule ids
}

// Report is what is kept of a conversation that somebody reports.
type Report struct {
	Day    string         `json:"day"` // 2026-11-30, UTC
	Lang   string         `json:"lang"`
	Note   string         `json:"note,omitempty"` // what the person added
	Facts  map[string]any `json:"facts"`          // as in the JSON of ask: only what was said
	Turns  []Exchange     `json:"turns"`          // the oldest first
	Advice string         `json:"advice,omitempty"`
}

// How much of a conversation is kept for a report, in characters.
const (
	keepExchanges = 4
	longestSaid   = 200
	longestReply  = 120
	keepBecause   = 8 // rule ids
)

// report hands the transcript to the desk.
func (t *turn) report() {
	t.because("report")
	t.reply.Act = "answer"
	if len(t.c.Lately) == 0 {
		t.text("report.nothing")
		t.backToQuestion()
		return
	}
	r := Report{
		Day: t.m.At.UTC().Format("2006-01-02"), Lang: t.lang, Note: unnamed(t.r.Arg, longestSaid),
		Facts: t.c.Facts.State(), Turns: t.c.Lately, Advice: t.advised(),
	}
	text, err := json.Marshal(r)
	if err != nil { // a fact that JSON cannot spell: the words say it, too
		r.Facts = nil
		text, _ = json.Marshal(r)
	}
	t.effects = append(t.effects, Effect{ID: t.m.ID + "/report", Kind: "report", Report: string(text)})
}

// advised is the advice that stands, "" for none.
func (t *turn) advised() string {
	d := t.book.decide(t.c.Facts, t.c.Settled, t.m.At)
	if d == nil || !t.c.Answered {
		return ""
	}
	again := &turn{book: t.book, zones: t.zones, rate: t.rate, known: t.known, m: t.m, c: t.c, lang: t.lang}
	again.sayAdvice(d)
	return again.reply.Plain()
}

// reported tells what the desk made of it.
func (t *turn) reported(done Done) {
	if done.OK {
		t.text("report.kept")
		return
	}
	key := "report.lost"
	if t.book.has(key + "." + done.Code) { // not-running
		key += "." + done.Code
	}
	t.text(key)
}

// offerReport puts "report" last among the choices, where no question follows.
func (t *turn) offerReport() {
	if t.c.Asked != "" || t.c.Flow.asks() {
		return
	}
	t.reply.Choices = append(t.reply.Choices, Choice{Ref: "/report", Label: t.book.say(t.lang, "choice.report")})
	t.c.Options = refs(t.reply.Choices)
}

// unkept are commands that leave no trace in a report.
var unkept = []string{"report", "forget", "settings", "group", "price", "admin"}

// keepExchange remembers what was said just now and how it was answered.
func (t *turn) keepExchange() {
	if t.m.Kind == KindDone || t.reply.Act == "ignore" || slices.Contains(unkept, t.r.Command) {
		return
	}
	x := Exchange{Act: t.reply.Act, Because: firstOf(t.reply.Because, keepBecause)}
	if t.paste.kind != "" { // no line of a paste is kept, and the answer quotes some
		x.Said = "/" + t.paste.kind + " …"
	} else {
		reply := t.reply
		reply.Choices = nil
		x.Said, x.Reply = unnamed(cmp.Or(t.m.Text, t.m.Choice), longestSaid), unnamed(reply.Plain(), longestReply)
	}
	lately := append(slices.Clone(t.c.Lately), x)
	t.c.Lately = lately[max(0, len(lately)-keepExchanges):]
}

// Whoever may be meant by name: an account, a number, the rest of an address.
var (
	account = regexp.MustCompile(`(^|[^\w./])@\p{L}[\p{L}\p{N}_.]+|<[@#][!&]?\d+>`)
	number7 = regexp.MustCompile(`\+?\d{7,}|\b1\d{2}[ -]\d{4}[ -]\d{4}\b`)
	address = regexp.MustCompile(`(https?://[^\s/<>]+)/[^\s<>]+`)
)

// unnamed is the beginning of a text without what tells secrets or people. It
// reads a few times as much, so that no secret is cut in two before it is seen.
func unnamed(s string, longest int) string {
	s = fault.Mask(firstRunes(s, 4*longest))
	s = account.ReplaceAllString(s, "$1<user>")
	s = address.ReplaceAllString(s, "$1/…")
	s = number7.ReplaceAllString(s, "<number>")
	return firstRunes(strings.TrimSpace(s), longest)
}
