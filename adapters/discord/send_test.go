package discord

import (
	"errors"
	"strings"
	"testing"

	"gpuadvisor/adapters"
	"gpuadvisor/advisor"
)

func saying(text string) advisor.Reply {
	return advisor.Reply{Act: "answer", Parts: []advisor.Part{{Kind: "text", Text: text}}}
}

// TestSend: a reminder is said in the channel where it was asked for, to the
// one who asked; else by direct message.
func TestSend(t *testing.T) {
	f := newFake(t)
	d := quick(t, f, Config{Application: fakeApp})
	room := person{id: ann, room: fakeRoom}.key()
	if err := d.Send(t.Context(), room, saying("release it")); err != nil {
		t.Fatal(err)
	}
	m := f.last(fakeRoom)
	if m.Content != "<@"+ann+"> release it" || string(m.Mentions) != `{"parse":[],"users":["`+ann+`"],"replied_user":false}` {
		t.Errorf("in the channel: %q with mentions %s, want the asker alone to be rung", m.Content, m.Mentions)
	}
	private := saying("only you")
	private.Private = true
	if err := d.Send(t.Context(), room, private); err != nil || f.last("6"+ann).Content != "only you" {
		t.Errorf("for the asker alone: %v, %+v", err, f.last("6"+ann))
	}
	f.fail("POST", "/channels/"+fakeRoom, 403, `{"code":50001,"message":"Missing Access"}`, 1)
	if err := d.Send(t.Context(), room, saying("not a member")); err != nil || !strings.HasSuffix(f.last("6"+ann).Content, "not a member") {
		t.Errorf("where we are no member: %v, %+v", err, f.last("6"+ann))
	}
	f.fail("POST", "/channels/", 403, `{"code":50007,"message":"Cannot send messages to this user"}`, 2)
	if err := d.Send(t.Context(), room, private); !errors.Is(err, adapters.ErrGone) {
		t.Errorf("no direct messages wanted: got %v, want ErrGone", err)
	}
	if n := f.count("POST", "/users/@me/channels"); n != 1 {
		t.Errorf("the private chat was opened %d times, want once", n)
	}
	other := strings.Replace(string(room), fakeApp, "99", 1)
	if err := d.Send(t.Context(), advisor.Key(other), saying("x")); !errors.Is(err, adapters.ErrGone) {
		t.Errorf("another bot's conversation: got %v, want ErrGone", err)
	}
	if err := d.Send(t.Context(), room, advisor.Reply{Act: "ignore"}); err != nil {
		t.Errorf("nothing to say: %v", err)
	}
}

// TestSendOnce: a repeat of a reminder is the message that is there already;
// the same words another time are another message.
func TestSendOnce(t *testing.T) {
	f := newFake(t)
	d := quick(t, f, Config{Application: fakeApp})
	key := person{id: ann, room: fakeRoom}.key()
	r := saying(strings.Repeat("release it. ", 400)) // two messages
	r.Once = "rental-7@18:00"
	for range 3 {
		if err := d.Send(t.Context(), key, r); err != nil {
			t.Fatal(err)
		}
	}
	n := len(f.all(fakeRoom))
	r.Once = "rental-7@18:30"
	if err := d.Send(t.Context(), key, r); err != nil {
		t.Fatal(err)
	}
	if got := len(f.all(fakeRoom)); n == 0 || got != 2*n {
		t.Errorf("three times the same are %d messages, another one makes %d", n, got)
	}
	if err := d.Send(t.Context(), key, saying("no name")); err != nil {
		t.Fatal(err)
	}
	again := len(f.all(fakeRoom))
	d.Send(t.Context(), key, saying("no name"))
	d.Send(t.Context(), key, saying("no name either"))
	if got := len(f.all(fakeRoom)); got != again+1 {
		t.Errorf("without a name the same words were sent %d times more, want once for the others", got-again)
	}
}

func TestReach(t *testing.T) {
	f := newFake(t)
	d := quick(t, f, Config{Application: fakeApp})
	here, away := person{id: ann, room: fakeRoom}.key(), person{id: ann, room: "3000000000000000099"}.key()
	if direct, err := d.Reach(t.Context(), here, saying("hello")); direct || err != nil {
		t.Errorf("where we are a member: direct %v, %v", direct, err)
	}
	if direct, err := d.Reach(t.Context(), away, saying("hello")); !direct || err != nil || f.last("6"+ann).Content != "hello" {
		t.Errorf("where we are none: direct %v, %v; want a hello by direct message", direct, err)
	}
	f.fail("POST", "/channels/6", 403, `{"code":50278,"message":"no mutual guilds"}`, 1)
	if _, err := d.Reach(t.Context(), away, saying("hello again")); !errors.Is(err, adapters.ErrGone) {
		t.Errorf("neither way: got %v, want ErrGone", err)
	}
	f.breaker(true)
	if _, err := d.Reach(t.Context(), here, saying("x")); !errors.Is(err, adapters.ErrUnavailable) {
		t.Errorf("discord is down: got %v, want ErrUnavailable", err)
	}
	if _, err := d.Reach(t.Context(), "nowhere:at:all", saying("x")); !errors.Is(err, adapters.ErrGone) {
		t.Errorf("nobody: got %v, want ErrGone", err)
	}
}

// TestMentions: in a server we hear what mentions us, answer it in place, and
// nothing else.
func TestMentions(t *testing.T) {
	f := newFake(t)
	advice := &talk{}
	d := quick(t, f, Config{})
	served(t, d, advice.turn)
	p := person{f: f, id: ann, room: fakeRoom}
	p.write("/gpu")
	f.until(func() bool { return len(f.orderIn(fakeRoom)) == 1 })
	m := f.last(fakeRoom)
	if !strings.Contains(string(m.Reference), `"message_id"`) || m.Flags != 0 {
		t.Errorf("got %+v with reference %s, want an answer to the message", m, m.Reference)
	}
	got := advice.all()[0]
	if got.Text != "/gpu" || !got.Addressed || !got.Commanded || !got.Actor.Admin || got.Key != p.key() {
		t.Errorf("got %+v", got)
	}
	for _, raw := range []string{
		`{"id":"41","channel_id":"` + fakeRoom + `","guild_id":"7","content":"","author":{"id":"` + ann + `"}}`,
		`{"id":"42","channel_id":"` + fakeRoom + `","guild_id":"7","content":"<@` + fakeApp + `> x","author":{"id":"9","bot":true},"mentions":[{"id":"` + fakeApp + `"}]}`,
		`{"id":"43","channel_id":"` + fakeRoom + `","guild_id":"7","content":"<@` + fakeApp + `> x","author":{"id":"9"},"webhook_id":"1","mentions":[{"id":"` + fakeApp + `"}]}`,
		`{"id":"44","channel_id":"6` + ann + `","content":"","author":{"id":"` + ann + `"}}`,
		`{"id":"x","channel_id":"6` + ann + `","content":"hi","author":{"id":"` + ann + `"}}`,
		`{"id":45}`,
	} {
		f.gate.dispatch("MESSAGE_CREATE", []byte(raw))
	}
	p.press(m, 1)
	if n := len(advice.all()); n != 2 {
		t.Errorf("%d turns, want the mention and the press", n)
	}
}

// TestThread: an answer stays in its thread, whose conversation is its own.
func TestThread(t *testing.T) {
	f := newFake(t)
	advice := &talk{}
	d := quick(t, f, Config{})
	served(t, d, advice.turn)
	p := person{f: f, id: ann, room: fakeRoom, thread: "3000000000000000055"}
	p.write("/gpu")
	f.until(func() bool { return len(f.orderIn(p.thread)) == 1 })
	in := p.command("gpu")
	if got := advice.all(); got[0].Key != p.key() || got[1].Key != p.key() || in.Original.Channel != p.thread {
		t.Errorf("written and commanded in a thread: keys %q and %q, want %q", got[0].Key, got[1].Key, p.key())
	}
	if err := d.Send(t.Context(), p.key(), saying("time is up")); err != nil || !strings.Contains(f.last(p.thread).Content, "time is up") {
		t.Errorf("a reminder for a thread: %v", err)
	}
	f.fail("POST", "/channels/"+p.thread, 400, `{"code":160005,"message":"Thread is locked"}`, 1)
	if err := d.Send(t.Context(), p.key(), saying("it is locked")); err != nil || f.last("6"+ann) == nil {
		t.Errorf("a locked thread: %v, want a direct message", err)
	}
}
