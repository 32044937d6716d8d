package rules

import (
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"gpuadvisor/advisor"
)

// TestWalk answers every question in every prepared way, in both languages, and
// checks what must always hold: the dialogue ends, no question is asked twice,
// every turn has a reply and a reason, every advice its assumptions, and no
// rental platform is named.
//
// One dialogue is one goroutine and shares only the rules with another, so the
// race detector, which makes all this ten times slower, is shown every other
// choice.
func TestWalk(t *testing.T) {
	book := mustLoad(t)
	for _, lang := range book.Langs {
		t.Run(lang, func(t *testing.T) {
			t.Parallel()
			w := &walker{
				t: t, advisor: advisor.New(book).WithZones(time.LoadLocation), lang: lang, vendors: vendorNames(book),
				seen: map[string]bool{}, sound: map[string]bool{},
			}
			w.walk(advisor.Known{Profile: advisor.Profile{Lang: lang}}, opening[lang], nil)
			if want := 100; w.advices < want && !raced {
				t.Errorf("got %d distinct advices, want at least %d", w.advices, want)
			}
			t.Logf("%d turns, %d distinct advices", w.turns, w.advices)
		})
	}
}

var opening = map[string]string{"zh": "租个显卡", "en": "I need a gpu"}

// shipped is the book of the tests that only read: one for all of them.
var shipped = sync.OnceValues(Load)

func mustLoad(t testing.TB) *advisor.Rulebook {
	t.Helper()
	book, err := shipped()
	if err != nil {
		t.Fatal(err)
	}
	return book
}

type walker struct {
	t       *testing.T
	advisor *advisor.Advisor
	vendors []string // names of platforms, in lower case
	lang    string
	turns   int
	advices int
	seen    map[string]bool // distinct advices
	sound   map[string]bool // lines of replies that were found good
}

// vendorNames are the names that an advice must not have. Those of three
// letters stand inside of other words.
func vendorNames(b *advisor.Rulebook) (names []string) {
	for _, v := range b.Vendors {
		for _, name := range v.Names {
			if len(name) > 3 {
				names = append(names, strings.ToLower(name))
			}
		}
	}
	return names
}

var walkDay = time.Date(2026, 12, 2, 10, 0, 0, 0, time.UTC)

// walk sends one message and then tries every choice of the reply.
func (w *walker) walk(k advisor.Known, text string, path []string) {
	w.turns++
	path = append(path[:len(path):len(path)], text)
	c, reply, _ := w.advisor.Answer(k, advisor.Message{ID: fmt.Sprint(w.turns), Key: "w", Kind: kindOf(text), Text: text, Choice: text, At: walkDay, Addressed: true})
	w.checkReply(reply, path)
	if w.t.Failed() && w.turns > 3000 {
		return // enough to see what is wrong
	}
	if len(path) > 12 {
		w.t.Fatalf("the dialogue does not end: %q", path)
	}
	if !strings.HasPrefix(reply.Act, "ask:") {
		w.checkEnd(c, reply, path)
		return
	}
	for i, choice := range reply.Choices {
		if choice.Ref == "/why" || raced && i%2 == 1 {
			continue
		}
		w.walk(advisor.Known{Conversation: c, Profile: k.Profile}, choice.Ref, path)
	}
}

func kindOf(text string) advisor.Kind {
	if strings.Contains(text, "=") || strings.HasPrefix(text, "/") {
		return advisor.KindChoice
	}
	return advisor.KindText
}

func (w *walker) checkReply(r advisor.Reply, path []string) {
	w.t.Helper()
	said := r.Plain()
	if said == "" || r.Act == "" || len(r.Because) == 0 {
		w.t.Fatalf("%q: got an empty reply, act %q, because %q", path, r.Act, r.Because)
	}
	for line := range strings.SplitSeq(said, "\n") {
		if !w.sound[line] {
			w.sound[line] = w.checkLine(line, path)
		}
	}
}

// checkLine checks one line of a reply. Replies share most of their lines.
func (w *walker) checkLine(said string, path []string) (sound bool) {
	w.t.Helper()
	wrong := func(format string, args ...any) {
		w.t.Helper()
		sound = false
		w.t.Errorf("%q: "+format, append([]any{path}, args...)...)
	}
	sound = true
	if i := strings.IndexByte(said, '{'); i >= 0 {
		wrong("a placeholder is not filled: %s", said[i:min(len(said), i+40)])
	}
	for _, key := range []string{"fact.", "pick.", "gate.", "assume.", "link.", "form.", "bill.", "short.", "why.", "cost."} {
		if strings.Contains(said, key) {
			wrong("a phrase is missing: %s", around(said, key))
		}
	}
	if w.lang == "en" && hasHan(withoutTerms(said)) {
		wrong("Chinese in an English reply: %s", said)
	}
	lower := strings.ToLower(said)
	for _, name := range w.vendors {
		if strings.Contains(lower, name) {
			wrong("the advice names the platform %q", name)
		}
	}
	return sound
}

// withoutTerms drops the Chinese terms that an English reply may quote.
func withoutTerms(s string) string { return strings.ReplaceAll(s, "等保", "") }

func hasHan(s string) bool {
	return strings.IndexFunc(s, func(r rune) bool { return r >= 0x4e00 && r <= 0x9fff }) >= 0
}

func around(s, key string) string {
	i := strings.Index(s, key)
	return s[i:min(len(s), i+40)]
}

// checkEnd checks the advice a path ends with.
func (w *walker) checkEnd(c advisor.Conversation, r advisor.Reply, path []string) {
	w.t.Helper()
	if r.Act != "answer" {
		w.t.Errorf("%q: got act %q at the end, want answer", path, r.Act)
		return
	}
	a := w.advisor.Advice(advisor.Known{Conversation: c})
	if a == nil {
		w.t.Errorf("%q: got no advice", path)
		return
	}
	if key := fmt.Sprint(a.Task, a.Cards, a.Platform, a.Delivery, a.Billing); !w.seen[key] {
		w.seen[key] = true
		w.advices++
	}
	stopped := a.Platform[0] == "none"
	switch {
	case len(a.Because) == 0:
		w.t.Errorf("%q: the advice has no reason", path)
	case !stopped && len(a.Cards) == 0:
		w.t.Errorf("%q: the advice has no card", path)
	case !stopped && len(a.Changes) == 0:
		w.t.Errorf("%q: nothing would change the advice", path)
	case !stopped && len(a.Assumptions) == 0:
		w.t.Errorf("%q: the advice stands on no assumption", path)
	}
	for _, p := range a.Cards {
		if p.Label == "" || p.Count < 1 || p.Because == "" {
			w.t.Errorf("%q: got card %+v", path, p)
		}
	}
}
