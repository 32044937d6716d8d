package adaptertest

import (
	"context"
	"errors"
	"fmt"
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
