package telegram

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"gpuadvisor/adapters"
	"gpuadvisor/advisor"
)

var twoHours = advisor.Choice{Ref: "duration_hours=h2", Label: "2 h"}

// A dialogue is one message that changes; an advice stays where it is.
func TestEditInPlace(t *testing.T) {
	f, _, d := open(t, nil)
	d.answers(func(m advisor.Message) advisor.Reply {
		switch {
		case m.Choice == "duration_hours=h2":
			return question("how much data?", advisor.Choice{Ref: "data_gb=m", Label: "50 GB"})
		case m.Choice == "data_gb=m":
			return reply("take a 4090", advisor.Choice{Ref: "/why", Label: "why"})
		case m.Choice == "/why":
			return reply("because")
		}
		return question("how long?", twoHours)
	})
	f.say(person, person, "hello")
	for i, want := range []struct {
		messages int
		last     string
	}{{1, "how long?"}, {1, "how much data?"}, {1, "take a 4090"}, {2, "because"}} {
		eventually(t, want.last, func() bool { return strings.Contains(f.seen(person), want.last) })
		all := f.in(person)
		if len(all) != want.messages || all[len(all)-1].text != want.last {
			t.Errorf("step %d: got %d messages, the last %q; want %d and %q", i, len(all), all[len(all)-1].text, want.messages, want.last)
		}
		if i < 3 {
			f.pick(person, person, 1)
		}
	}
	if all := f.in(person); all[0].text != "take a 4090" || len(all[0].keys) != 1 {
		t.Errorf("the advice became %+v", all[0])
	}
}

// Two taps on the same button are one, and both are answered. Later, when the
// question is there again, the button works again.
func TestDoubleTap(t *testing.T) {
	f, _, d := open(t, nil)
	d.answers(func(m advisor.Message) advisor.Reply { return question("how long?", twoHours) })
	f.say(person, person, "hello")
	eventually(t, "the question", func() bool { return len(f.in(person)) == 1 })
	a, b := f.pick(person, person, 1), f.pick(person, person, 1)
	eventually(t, "both taps are answered", func() bool { return f.answered(a).answer == "silent" && f.answered(b).answer == "silent" })
	time.Sleep(twiceWithin)
	f.pick(person, person, 1)
	d.waits(3)
	eventually(t, "both edits are tried", func() bool { return len(f.called("editMessageText")) == 2 })
	time.Sleep(20 * time.Millisecond)
	if n, errs := len(f.in(person)), d.failures(); n != 1 || len(errs) > 0 || len(d.messages()) != 3 {
		t.Errorf("got %d messages, %d turns and errors %v; want one message and 3 turns", n, len(d.messages()), errs)
	}
}

// A tap tells which turn offered it, so that the advisor knows a late one.
func TestTurnOfAChoice(t *testing.T) {
	f, _, d := open(t, nil)
	d.answers(func(m advisor.Message) advisor.Reply {
		r := question("how long?", twoHours)
		r.Turn = 7
		return r
	})
	f.say(person, person, "hello")
	eventually(t, "the question", func() bool { return len(f.in(person)) == 1 })
	f.pick(person, person, 1)
	if m := d.waits(2); m.Turn != 7 {
		t.Errorf("the tap tells turn %d, want 7", m.Turn)
	}
}

// Whatever comes of a tap, it is answered: the client shows that it waits.
func TestEveryTapIsAnswered(t *testing.T) {
	f, _, d := open(t, nil)
	d.answers(func(m advisor.Message) advisor.Reply { return advisor.Reply{Act: "ignore"} })
	m := &posted{id: 999, room: person}
	foreign := f.tap(m, person, "of an earlier version")
	ignored := f.tap(m, person, "k16.1.0./why")
	eventually(t, "both are answered", func() bool { return f.answered(foreign).answer != "" && f.answered(ignored).answer != "" })
	if got := f.answered(foreign); got.answer != "alert" || got.text != "过时了" {
		t.Errorf("a button that cannot be read: got %+v", got)
	}
	late := f.tap(m, person, "q16.1.0.x=1") // the message is gone: the answer is a new one
	d.answers(echo)
	eventually(t, "an answer", func() bool { return strings.Contains(f.seen(person), "picked x=1.") })
	eventually(t, "the tap is answered", func() bool { return f.answered(late).answer == "silent" })
}

func TestSendTroubles(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name  string
		fault fault
		send  error // what Send returns; nil: it arrives
	}{
		{"blocked", fault{status: 403, body: apiError(403, "Forbidden: bot was blocked by the user", "")}, adapters.ErrGone},
		{"kicked", fault{status: 403, body: apiError(403, "Forbidden: bot was kicked from the supergroup chat", "")}, adapters.ErrGone},
		{"no such chat", fault{status: 400, body: apiError(400, "Bad Request: chat not found", "")}, adapters.ErrGone},
		{"may not write", fault{status: 400, body: apiError(400, "Bad Request: not enough rights to send text messages to the chat", "")}, adapters.ErrGone},
		{"HTML", fault{status: 502, body: "<html>Bad Gateway</html>"}, adapters.ErrUnavailable},
		{"500", fault{status: 500, body: apiError(500, "Internal Server Error", "")}, adapters.ErrUnavailable},
		{"HTML with 403", fault{status: 403, body: "<html>the proxy says no</html>"}, adapters.ErrUnavailable},
		{"too many", fault{status: 429, body: apiError(429, "Too Many Requests", `"retry_after":1`)}, &adapters.Wait{}},
		{"markup", fault{status: 400, body: apiError(400, "Bad Request: can't parse entities: Unsupported start tag", "")}, nil},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			f, chat, d := open(t, nil)
			tt.fault.method, tt.fault.times = "sendMessage", 1
			f.breakWith(tt.fault)
			err := chat.Send(t.Context(), chat.key(person, 0, person), reply("a reminder"))
			var wait *adapters.Wait
			switch {
			case tt.send == nil && (err != nil || !strings.Contains(f.seen(person), "a reminder")):
				t.Errorf("Send: got %v, and the person sees %q", err, f.seen(person))
			case errors.As(tt.send, &wait):
				if !errors.As(err, &wait) || wait.For != time.Second {
					t.Errorf("Send: got %v, want a Wait of a second", err)
				}
			case !errors.Is(err, tt.send):
				t.Errorf("Send: got %v, want %v", err, tt.send)
			}
			// An answer is tried again where that helps, and comes once.
			f.breakWith(tt.fault)
			f.say(person, person, "hello")
			d.waits(1)
			if errors.Is(tt.send, adapters.ErrGone) {
				eventually(t, "the desk learns", func() bool { return len(d.failures()) == 1 })
				if err := d.failures()[0]; !errors.Is(err, adapters.ErrGone) {
					t.Errorf("respond: got %v, want ErrGone", err)
				}
				return
			}
			eventually(t, "the answer", func() bool { return strings.Contains(f.seen(person), "heard hello.") })
			if n := strings.Count(f.seen(person), "heard hello."); n != 1 {
				t.Errorf("the answer came %d times", n)
			}
		})
	}
}

// A server that hangs holds up the one whose message hangs.
func TestHangingServer(t *testing.T) {
	t.Parallel()
	f, _, d := open(t, nil)
	f.breakWith(fault{method: "sendMessage", room: person, times: 1, hang: 700 * time.Millisecond})
	f.say(person, person, "slow")
	f.say(77, 77, "quick")
	eventually(t, "the others' answer", func() bool { return strings.Contains(f.seen(77), "quick") })
	if f.seen(person) != "" {
		t.Error("the hanging message is there before the server answered")
	}
	eventually(t, "the answer", func() bool { return strings.Contains(f.seen(person), "slow") })
	if len(d.failures()) > 0 {
		t.Errorf("got errors %v", d.failures())
	}
}

// A reply that Telegram takes, but returns in a form that the library cannot
// read, is not sent again.
func TestAcceptedAlthoughUnreadable(t *testing.T) {
	f, chat, _ := open(t, nil)
	f.breakWith(fault{method: "sendMessage", times: 1, status: 200, late: true,
		body: `{"ok":true,"result":{"message_id":1,"date":1,"chat":{"id":42},"forward_origin":{"type":"of tomorrow"}}}`})
	if err := chat.Send(t.Context(), chat.key(person, 0, person), reply("once")); err != nil {
		t.Errorf("Send: %v", err)
	}
	if n := len(f.called("sendMessage")); n != 1 {
		t.Errorf("sent %d times", n)
	}
}

// Send reaches people to whom we have nothing to answer, before any Serve.
func TestSendAlone(t *testing.T) {
	f := newFake(t)
	chat := f.chat(f.config())
	if err := chat.Send(t.Context(), chat.key(person, 0, person), reply("release it", advisor.Choice{Ref: "/snooze", Label: "later"})); err != nil {
		t.Fatal(err)
	}
	if got := f.in(person); len(got) != 1 || got[0].replyTo != 0 || len(got[0].keys) != 1 {
		t.Errorf("got %+v, want one message with a button", got)
	}
	for _, key := range []advisor.Key{"", "telegram", "telegram:1:2::3", "discord:123456:42::42", "telegram:123456:inline::42", "telegram:123456:x::42", "telegram:123456:0::42"} {
		if err := chat.Send(t.Context(), key, reply("x")); !errors.Is(err, adapters.ErrGone) {
			t.Errorf("Send to %q: got %v, want ErrGone", key, err)
		}
	}
	ctx, cancel := context.WithTimeout(t.Context(), time.Millisecond)
	defer cancel()
	<-ctx.Done()
	if err := chat.Send(ctx, chat.key(person, 0, person), reply("x")); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("Send out of time: got %v", err)
	}
}

// A reply that is too long for one message replaces the question by its
// beginning, and goes on below.
func TestLongEdit(t *testing.T) {
	f, _, d := open(t, nil)
	d.answers(func(m advisor.Message) advisor.Reply {
		if m.Kind == advisor.KindChoice {
			return reply(strings.Repeat("一行。\n\n", 2000), advisor.Choice{Ref: "/why", Label: "why"})
		}
		return question("how long?", twoHours)
	})
	f.say(person, person, "hello")
	eventually(t, "the question", func() bool { return len(f.in(person)) == 1 })
	f.pick(person, person, 1)
	eventually(t, "all pages", func() bool { all := f.in(person); return len(all) == 3 && len(all[2].keys) == 1 })
	for i, m := range f.in(person) {
		if !strings.HasPrefix(m.text, "一行。") || (len(m.keys) > 0) != (i == 2) {
			t.Errorf("page %d begins %.20q and has %d rows of buttons", i, m.text, len(m.keys))
		}
	}
}

func TestNewRefuses(t *testing.T) {
	good := (&fake{url: "http://x"}).config()
	for name, change := range map[string]func(*Config){
		"no token":      func(c *Config) { c.Token = "" },
		"half a token":  func(c *Config) { c.Token = "123456" },
		"no secret":     func(c *Config) { c.Webhook = Webhook{URL: "https://x"} },
		"bad secret":    func(c *Config) { c.Webhook = Webhook{URL: "https://x", Secret: "with space"} },
		"bad URL":       func(c *Config) { c.Webhook = Webhook{URL: "x", Secret: "s"} },
		"missing texts": func(c *Config) { c.Texts.Stale = advisor.Text{"zh": "x"} },
	} {
		c := good
		change(&c)
		if _, err := New(c); err == nil {
			t.Errorf("%s: no error", name)
		} else if strings.Contains(fmt.Sprint(err), "SECRET") {
			t.Errorf("%s: the error shows the token: %v", name, err)
		}
	}
	if _, err := New(good); err != nil {
		t.Errorf("a good one: %v", err)
	}
}
