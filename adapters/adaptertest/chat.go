package adaptertest

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"image"
	"image/png"
	"strings"
	"testing"
	"time"
	"unicode"

	"gpuadvisor/adapters"
	"gpuadvisor/advisor"
)

// Rig is a chat with a person in front of it.
type Rig struct {
	Chat adapters.Chat
	Key  advisor.Key       // of the person's conversation
	Say  func(text string) // the person writes
	Pick func(n int)       // the person takes the n-th choice of the last reply, from 1
	Seen func() string     // all that the person has been shown so far
	Hang func()            // the person leaves, if the chat can notice; else nil

	// What not every chat can play. Nil leaves out the cases that need it.
	Room     []Person              // two people in one room
	Throttle func(d time.Duration) // the platform refuses the next message and asks to wait so long
	Break    func(broken bool)     // the platform answers with failures only, or well again
	Secrets  []string              // that no error may show
}

// Person is somebody in a room with others.
type Person struct {
	Key  advisor.Key
	Say  func(text string) // to us
	Pick func(n int)       // takes the n-th choice of the last reply in the room, whoever's it is
}

// TestChat checks a chat against adapters.Chat. open starts one; it cleans up
// with t.Cleanup.
func TestChat(t *testing.T, open func(t *testing.T) Rig) {
	for name, test := range map[string]func(*testing.T, *session){
		"message":     message,
		"whole reply": wholeReply,
		"choice":      choice,
		"order":       order,
		"ignored":     ignored,
		"unasked":     unasked,
		"nobody":      nobody,
		"all texts":   allTexts,
		"no steering": noSteering,
		"long reply":  longReply,
		"choices":     manyChoices,
		"image":       picture,
		"cancelled":   cancelledSend,
		"patience":    patient,
		"secrets":     keepsSecrets,
		"two people":  twoPeople,
	} {
		t.Run(name, func(t *testing.T) { test(t, start(t, open(t))) })
	}
	t.Run("stops when told", func(t *testing.T) { stopsWhenTold(t, open(t)) })
	t.Run("stops when left", func(t *testing.T) { stopsWhenLeft(t, open(t)) })
}

// patience is how long a chat may take for what it does at once.
const patience = 10 * time.Second

// session is a chat being served, with a script of replies.
type session struct {
	Rig
	got     chan advisor.Message
	replies chan advisor.Reply
	sent    chan error
}

func start(t *testing.T, rig Rig) *session {
	s := &session{Rig: rig, got: make(chan advisor.Message), replies: make(chan advisor.Reply), sent: make(chan error, 100)}
	ctx, stop := context.WithCancel(context.Background())
	done := make(chan error, 1)
	go func() { done <- rig.Chat.Serve(ctx, s.handle) }()
	t.Cleanup(func() {
		stop()
		select {
		case err := <-done:
			if err != nil {
				t.Errorf("Serve: got %v after its context ended, want nil", err)
			}
		case <-time.After(patience):
			t.Errorf("Serve still runs %s after its context ended", patience)
		}
	})
	return s
}

func (s *session) handle(ctx context.Context, m advisor.Message, respond adapters.Respond) {
	select {
	case s.got <- m:
	case <-ctx.Done():
		return
	}
	select {
	case r := <-s.replies:
		if r.Act != "ignore" {
			s.sent <- respond(ctx, r)
		} else {
			s.sent <- nil
		}
	case <-ctx.Done():
	}
}

// hear waits for the next message and answers it.
func (s *session) hear(t *testing.T, answer advisor.Reply) advisor.Message {
	t.Helper()
	var m advisor.Message
	select {
	case m = <-s.got:
	case <-time.After(patience):
		t.Fatalf("no message after %s", patience)
	}
	s.replies <- answer
	select {
	case err := <-s.sent:
		if err != nil {
			t.Fatalf("respond: %v", err)
		}
	case <-time.After(patience):
		t.Fatalf("no answer shown after %s", patience)
	}
	return m
}

// sees waits until the person has seen want, spaces and line ends aside.
func (s *session) sees(t *testing.T, want string) {
	t.Helper()
	bare := squeeze(want)
	for deadline := time.Now().Add(patience); ; time.Sleep(time.Millisecond) {
		if strings.Contains(squeeze(s.Seen()), bare) {
			return
		}
		if time.Now().After(deadline) {
			t.Fatalf("the person does not see %.80q; they see %.400q", want, s.Seen())
		}
	}
}

func squeeze(s string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsSpace(r) || unicode.IsControl(r) {
			return -1
		}
		return r
	}, s)
}

func plainReply(text string) advisor.Reply {
	return advisor.Reply{Act: "answer", Parts: []advisor.Part{{Kind: "text", Text: text}}}
}

func message(t *testing.T, s *session) {
	before := time.Now().Add(-time.Second)
	s.Say("hello")
	first := s.hear(t, plainReply("one"))
	s.Say("hello")
	second := s.hear(t, plainReply("two"))
	if first.Text != "hello" || first.Key != s.Key {
		t.Errorf("got text %q for %q, want hello for %q", first.Text, first.Key, s.Key)
	}
	if first.ID == "" || first.ID == second.ID {
		t.Errorf("got message ids %q and %q, want two different ones", first.ID, second.ID)
	}
	if first.Actor.ID == "" || !first.Addressed {
		t.Errorf("got actor %+v, addressed %v; want somebody who talks to us", first.Actor, first.Addressed)
	}
	if first.At.Before(before) || first.At.After(time.Now().Add(time.Second)) {
		t.Errorf("got time %s, want about now", first.At)
	}
	if k := first.Kind; k != advisor.KindText && k != "" {
		t.Errorf("got kind %q, want text", k)
	}
}

// wholeReply: whatever a chat cannot draw, it still says.
func wholeReply(t *testing.T, s *session) {
	s.Say("all of it")
	s.hear(t, advisor.Reply{
		Act: "answer",
		Parts: []advisor.Part{
			{Kind: "heading", Text: "要点 heading"},
			{Kind: "text", Text: "a text, 一段话"},
			{Kind: "fields", Pairs: []advisor.Pair{{Name: "显存", Value: "24 GiB"}, {Name: "billing", Value: "hourly"}}},
			{Kind: "table", Rows: [][]string{{"card", "count"}, {"RTX 4090", "one"}, {"四零九零", "两张"}}},
			{Kind: "code", Text: "nvidia-smi -L\n  indented"},
			{Kind: "note", Text: "a note"},
			{Kind: "kind-of-tomorrow", Text: "something new"},
		},
		Choices: []advisor.Choice{{Ref: "a", Label: "first 一"}, {Ref: "b", Label: "second 二"}},
	})
	for _, want := range []string{"要点 heading", "a text, 一段话", "显存", "24 GiB", "billing", "hourly", "card", "count",
		"RTX 4090", "四零九零", "两张", "nvidia-smi -L", "indented", "a note", "something new", "first 一", "second 二"} {
		s.sees(t, want)
	}
}

func choice(t *testing.T, s *session) {
	s.Say("what can I choose?")
	r := plainReply("choose")
	r.Choices = []advisor.Choice{{Ref: "duration_hours=h2", Label: "一两个小时"}, {Ref: "duration_hours=days", Label: "a few days"}}
	s.hear(t, r)
	s.sees(t, "a few days")
	s.Pick(2)
	m := s.hear(t, plainReply("chosen"))
	if m.Kind != advisor.KindChoice || m.Choice != "duration_hours=days" {
		t.Errorf("got kind %q, choice %q; want the ref of the second choice", m.Kind, m.Choice)
	}
}

func order(t *testing.T, s *session) {
	const n = 20
	go func() {
		for i := range n {
			s.Say(fmt.Sprint("message ", i))
		}
	}()
	for i := range n {
		want := fmt.Sprint("message ", i)
		if m := s.hear(t, plainReply(fmt.Sprint("reply ", i, "."))); m.Text != want {
			t.Fatalf("message %d: got %q, want %q", i, m.Text, want)
		}
	}
	s.sees(t, fmt.Sprint("reply ", n-1, "."))
}

func ignored(t *testing.T, s *session) {
	s.Say("talking to somebody else")
	before := s.Seen()
	s.hear(t, advisor.Reply{Act: "ignore"})
	s.Say("now you")
	s.hear(t, plainReply("yes"))
	s.sees(t, "yes")
	if extra := strings.Replace(strings.TrimPrefix(s.Seen(), before), "yes", "", 1); strings.TrimSpace(extra) != "" {
		t.Errorf("an ignored message got %q", extra)
	}
}

func unasked(t *testing.T, s *session) {
	if !s.Chat.Capabilities().Later {
		t.Log("this chat does not speak unasked")
		return
	}
	s.Say("hello")
	s.hear(t, plainReply("hello"))
	if err := s.Chat.Send(t.Context(), s.Key, plainReply("提醒: release the 4090")); err != nil {
		t.Fatalf("Send: %v", err)
	}
	s.sees(t, "提醒: release the 4090")
}

func nobody(t *testing.T, s *session) {
	if err := s.Chat.Send(t.Context(), "nowhere:at:all", plainReply("x")); !errors.Is(err, adapters.ErrGone) {
		t.Errorf("Send to nobody: got %v, want ErrGone", err)
	}
}

func allTexts(t *testing.T, s *session) {
	for _, text := range Texts {
		s.Say("next")
		s.hear(t, plainReply(text))
		if !strings.Contains(text, "\x1b") { // what may be dropped of it: see noSteering
			s.sees(t, text)
		}
	}
}

// noSteering: text of a person must not work as an instruction to the screen.
func noSteering(t *testing.T, s *session) {
	s.Say("hello")
	before := s.Seen()
	s.hear(t, plainReply("\x1b]0;title\a\x1b[2Jshown\u009b31m"))
	s.sees(t, "shown")
	for _, bad := range []string{"\x1b", "\a", "\u009b"} {
		if strings.Contains(strings.TrimPrefix(s.Seen(), before), bad) {
			t.Errorf("the control character %q reached the person", bad)
		}
	}
}

// longReply: a reply longer than any message arrives whole, code and all, and
// its choices work.
func longReply(t *testing.T, s *session) {
	var code, text strings.Builder
	for i := range 400 {
		fmt.Fprintf(&code, "line %d: if a < b && b > c { print(\"显存 😀\") }\n", i)
		fmt.Fprintf(&text, "Paragraph %d, 第 %d 段: 两张卡 & <more> 👩‍🔬.\n\n", i, i)
	}
	s.Say("tell me everything")
	r := plainReply(text.String())
	r.Parts = append(r.Parts, advisor.Part{Kind: "code", Text: code.String()}, advisor.Part{Kind: "note", Text: "the end"})
	r.Choices = []advisor.Choice{{Ref: "/why", Label: "why"}}
	s.hear(t, r)
	s.sees(t, "the end")
	seen := squeeze(s.Seen())
	for i := range 400 {
		for _, want := range []string{
			fmt.Sprintf("Paragraph %d, 第 %d 段: 两张卡 & <more> 👩‍🔬.", i, i),
			fmt.Sprintf("line %d: if a < b && b > c { print(\"显存 😀\") }", i),
		} {
			if !strings.Contains(seen, squeeze(want)) {
				t.Fatalf("the person does not see %q", want)
			}
		}
	}
	s.Pick(1)
	if m := s.hear(t, plainReply("because")); m.Choice != "/why" {
		t.Errorf("got choice %q under a long reply, want /why", m.Choice)
	}
}

// manyChoices: refs of the full length, labels of every kind, the last one
// works too.
func manyChoices(t *testing.T, s *session) {
	const n = 12
	r := plainReply("choose")
	for i := range n {
		label := []string{"short", "不知道", "一个很长很长的选项,要占满整整一行才放得下", "<b> & 😀"}[i%4]
		ref := fmt.Sprintf("slot=%0*d", longestRef-len("slot="), i)
		r.Choices = append(r.Choices, advisor.Choice{Ref: ref, Label: fmt.Sprint(label, " ", i)})
	}
	s.Say("what can I choose?")
	s.hear(t, r)
	for _, c := range r.Choices {
		s.sees(t, c.Label)
	}
	s.Pick(n)
	if m := s.hear(t, plainReply("chosen")); m.Choice != r.Choices[n-1].Ref {
		t.Errorf("got choice %q, want %q", m.Choice, r.Choices[n-1].Ref)
	}
}

// longestRef is what Choice.Ref promises.
const longestRef = 40 // bytes

// picture: the words of a picture are seen, whether or not the picture is; one
// that is broken or has no data is not lost either.
func picture(t *testing.T, s *session) {
	var dot bytes.Buffer
	if err := png.Encode(&dot, image.NewGray(image.Rect(0, 0, 16, 16))); err != nil {
		t.Fatal(err)
	}
	s.Say("show me")
	s.hear(t, advisor.Reply{Act: "answer", Parts: []advisor.Part{
		{Kind: "image", Text: "图: 18 of 24 GiB are used", Image: dot.Bytes()},
		{Kind: "image", Text: "a broken picture", Image: []byte("not a picture")},
		{Kind: "image", Text: "no picture at all"},
		{Kind: "text", Text: "and a text"},
	}})
	for _, want := range []string{"图: 18 of 24 GiB are used", "a broken picture", "no picture at all", "and a text"} {
		s.sees(t, want)
	}
}

// cancelledSend: who gives up before sending sends nothing.
func cancelledSend(t *testing.T, s *session) {
	s.Say("hello")
	s.hear(t, plainReply("hello"))
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := s.Chat.Send(ctx, s.Key, plainReply("too late")); !errors.Is(err, context.Canceled) {
		t.Errorf("Send after its context ended: got %v, want context.Canceled", err)
	}
	s.Say("again")
	s.hear(t, plainReply("after that"))
	s.sees(t, "after that")
	if strings.Contains(s.Seen(), "too late") {
		t.Error("a message was sent after its context had ended")
	}
}

// patient: a platform that asks to wait gets its answer once, later; a reminder
// may come back as a Wait instead.
func patient(t *testing.T, s *session) {
	if s.Throttle == nil {
		t.Log("this chat never asks to wait")
		return
	}
	s.Say("hello")
	s.Throttle(time.Second)
	s.hear(t, plainReply("worth waiting for"))
	s.sees(t, "worth waiting for")
	s.Throttle(time.Second)
	err := s.Chat.Send(t.Context(), s.Key, plainReply("a reminder"))
	var wait *adapters.Wait
	switch {
	case err == nil:
		s.sees(t, "a reminder")
	case !errors.As(err, &wait) || wait.For <= 0 || wait.For > 2*time.Second:
		t.Errorf("Send: got %v, want a *Wait of about a second", err)
	}
	if n := strings.Count(s.Seen(), "worth waiting for"); n != 1 {
		t.Errorf("the answer was shown %d times, want once", n)
	}
}

func keepsSecrets(t *testing.T, s *session) {
	if s.Break == nil {
		t.Log("this chat cannot fail")
		return
	}
	s.Say("hello")
	s.hear(t, plainReply("hello"))
	s.Break(true)
	ctx, cancel := context.WithTimeout(t.Context(), time.Second)
	defer cancel()
	err := s.Chat.Send(ctx, s.Key, plainReply("x"))
	s.Break(false)
	if !errors.Is(err, adapters.ErrUnavailable) {
		t.Errorf("Send to a broken platform: got %v, want ErrUnavailable", err)
	}
	for _, secret := range s.Secrets {
		if text := fmt.Sprintf("%v %+v %#v", err, err, err); strings.Contains(text, secret) {
			t.Errorf("the error shows a secret: %s", text)
		}
	}
	s.Say("still there?")
	s.hear(t, plainReply("yes, well again"))
	s.sees(t, "yes, well again")
}

// twoPeople: in one room everybody has their own conversation, and their own
// choices.
func twoPeople(t *testing.T, s *session) {
	if len(s.Room) < 2 {
		t.Log("this chat has no rooms")
		return
	}
	ann, bob := s.Room[0], s.Room[1]
	question := plainReply("how long?")
	question.Act = "ask:duration_hours"
	question.Choices = []advisor.Choice{{Ref: "duration_hours=h2", Label: "two hours"}, {Ref: "duration_hours=days", Label: "days"}}
	ann.Say("ann asks")
	a := s.hear(t, question)
	bob.Say("bob asks")
	b := s.hear(t, plainReply("hello bob"))
	for _, tt := range []struct {
		m    advisor.Message
		text string
		who  Person
	}{{a, "ann asks", ann}, {b, "bob asks", bob}} {
		if tt.m.Key != tt.who.Key || tt.m.Text != tt.text || !tt.m.Addressed {
			t.Errorf("got text %q for %q, addressed %v; want %q for %q", tt.m.Text, tt.m.Key, tt.m.Addressed, tt.text, tt.who.Key)
		}
	}
	if a.Key == b.Key || a.Actor.ID == b.Actor.ID {
		t.Errorf("two people share the key %q or the name %q", a.Key, a.Actor.ID)
	}
	if adapters.Room(a.Key) != adapters.Room(b.Key) || adapters.Person(a.Key) == adapters.Person(b.Key) {
		t.Errorf("got keys %q and %q, want one room and two persons", a.Key, b.Key)
	}
	ann.Say("ann asks again")
	s.hear(t, question)
	bob.Pick(1) // not bob's to answer
	ann.Pick(2)
	m := s.hear(t, plainReply("days it is"))
	if m.Key != ann.Key || m.Choice != "duration_hours=days" {
		t.Errorf("got choice %q for %q, want that of the one who was asked", m.Choice, m.Key)
	}
}

func stopsWhenTold(t *testing.T, rig Rig) {
	ctx, stop := context.WithCancel(context.Background())
	stop()
	serveEnds(t, rig, ctx)
}

func stopsWhenLeft(t *testing.T, rig Rig) {
	if rig.Hang == nil {
		t.Log("nobody can leave this chat")
		return
	}
	rig.Hang()
	serveEnds(t, rig, t.Context())
}

func serveEnds(t *testing.T, rig Rig, ctx context.Context) {
	t.Helper()
	done := make(chan error, 1)
	go func() {
		done <- rig.Chat.Serve(ctx, func(context.Context, advisor.Message, adapters.Respond) {})
	}()
	select {
	case err := <-done:
		if err != nil {
			t.Errorf("Serve: got %v, want nil", err)
		}
	case <-time.After(patience):
		t.Errorf("Serve still runs after %s", patience)
	}
}
