package telegram

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"gpuadvisor/adapters"
	"gpuadvisor/advisor"
)

// What cannot be read is passed over, whatever it is, and what follows is not
// lost.
func TestPoison(t *testing.T) {
	f, chat, d := open(t, nil)
	f.deliver(map[string]any{"message": 5})
	f.deliver(map[string]any{"message": map[string]any{"message_id": "many"}})
	f.deliver(map[string]any{"message": map[string]any{}})
	f.deliver(map[string]any{"callback_query": []int{1}})
	f.deliver(map[string]any{"my_chat_member": map[string]any{"new_chat_member": "strange"}})
	f.deliver(map[string]any{"of_tomorrow": map[string]any{"a": 1}})
	f.deliver(map[string]any{"message_reaction": map[string]any{"new_reaction": []any{map[string]any{"type": "of tomorrow"}}}})
	f.sayWith(person, person, "forwarded", map[string]any{"forward_origin": map[string]any{"type": "of tomorrow"}})
	f.say(person, person, "after all")
	d.waits(2)
	if got, want := d.texts(), []string{"forwarded", "after all"}; !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
	if n := chat.Counts()["poison"]; n != 4 {
		t.Errorf("counted %d updates that cannot be read, want 4", n)
	}
}

// The offset stays below an update that is not dealt with, while others go on.
func TestOffset(t *testing.T) {
	t.Parallel()
	f, chat, _ := newFake(t), (*Chat)(nil), 0
	chat = f.chat(f.config())
	hold := make(chan struct{})
	var quick atomic.Int32
	serve(t, chat, func(ctx context.Context, m advisor.Message, respond adapters.Respond) {
		if m.Text == "slow" {
			<-hold
		} else {
			quick.Add(1)
		}
	})
	slow := f.sayWith(person, person, "slow", nil)
	for i := range 10 {
		f.say(int64(60+i), int64(60+i), "quick")
	}
	eventually(t, "others are served", func() bool { return quick.Load() == 10 })
	time.Sleep(2 * latest)
	for _, c := range f.called("getUpdates") {
		if c.params["offset"] > fmt.Sprint(slow) && len(c.params["offset"]) >= len(fmt.Sprint(slow)) {
			t.Fatalf("offset %s passed the update %d that is not dealt with", c.params["offset"], slow)
		}
	}
	if n := quick.Load(); n != 10 {
		t.Errorf("updates that came again were treated again: %d times, want 10", n)
	}
	close(hold)
	eventually(t, "all is confirmed", func() bool { f.mu.Lock(); defer f.mu.Unlock(); return len(f.updates) == 0 })
	if polls := len(f.called("getUpdates")); polls > 20 {
		t.Errorf("asked for updates %d times in about a second", polls)
	}
}

// Stopped in the middle of a turn, the chat does not confirm it; the next
// start gets it again.
func TestStopInTurn(t *testing.T) {
	f := newFake(t)
	began := make(chan bool)
	stop := serve(t, f.chat(f.config()), func(ctx context.Context, m advisor.Message, respond adapters.Respond) {
		if m.Text == "unfinished" {
			close(began)
			<-ctx.Done()
			return
		}
		respond(ctx, reply("done"))
	})
	f.say(person, person, "finished")
	eventually(t, "the first answer", func() bool { return strings.Contains(f.seen(person), "done") })
	f.say(person, person, "unfinished")
	<-began
	stop()
	d := &desk{t: t, answer: echo}
	serve(t, f.chat(f.config()), d.handle)
	d.waits(1)
	if got, want := d.texts(), []string{"unfinished"}; !slices.Equal(got, want) {
		t.Errorf("the next start got %q, want %q", got, want)
	}
}

// Everything that is dealt with is confirmed at the end.
func TestLastConfirmation(t *testing.T) {
	f := newFake(t)
	d := &desk{t: t, answer: echo}
	stop := serve(t, f.chat(f.config()), d.handle)
	f.say(person, person, "bye")
	eventually(t, "the answer", func() bool { return strings.Contains(f.seen(person), "bye") })
	stop()
	if len(f.updates) != 0 {
		t.Errorf("%d updates are left and will come again", len(f.updates))
	}
}

func TestPollTroubles(t *testing.T) {
	t.Parallel()
	for name, x := range map[string]fault{
		"another poller": {status: 409, body: apiError(409, "Conflict: terminated by other getUpdates request", "")},
		"too often":      {status: 429, body: apiError(429, "Too Many Requests", `"retry_after":1`)},
		"HTML":           {status: 502, body: "<html>Bad Gateway</html>"},
		"HTML with 200":  {status: 200, body: "<html>log in to the hotel network</html>"},
		"half an answer": {status: 200, body: `{"ok":true,"result":[{"upd`},
		"not an array":   {status: 200, body: `{"ok":true,"result":{"update_id":1}}`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f, chat, d := open(t, nil)
			f.say(person, person, "before")
			d.waits(1)
			x := x
			x.method, x.times = "getUpdates", 1
			f.breakWith(x)
			eventually(t, "the chat is not ready", func() bool { return !chat.Ready() })
			f.mend()
			eventually(t, "the chat is ready again", chat.Ready)
			f.say(person, person, "after")
			d.waits(2)
			if got, want := d.texts(), []string{"before", "after"}; !slices.Equal(got, want) {
				t.Errorf("got %q, want %q", got, want)
			}
		})
	}
}

func TestTokenRefused(t *testing.T) {
	for name, method := range map[string]string{"at the start": "getMe", "later": "getUpdates"} {
		for _, code := range []int{401, 404} {
			f := newFake(t)
			f.breakWith(fault{method: method, times: 1, status: code, body: apiError(code, "Unauthorized", "")})
			err := f.chat(f.config()).Serve(t.Context(), (&desk{t: t, answer: echo}).handle)
			if !errors.Is(err, ErrToken) || strings.Contains(err.Error(), "SECRET") {
				t.Errorf("%s, %d: got %v, want ErrToken", name, code, err)
			}
		}
	}
}

// A start while Telegram is down succeeds later.
func TestSlowStart(t *testing.T) {
	t.Parallel()
	f := newFake(t)
	f.breakWith(fault{method: "*", times: 2, status: 502, body: "<html>"})
	d := &desk{t: t, answer: echo}
	f.say(person, person, "patience")
	serve(t, f.chat(f.config()), d.handle)
	d.waits(1)
}

// Polling switches a webhook off that an earlier setting left behind.
func TestSwitchesTheWebhookOff(t *testing.T) {
	f := newFake(t)
	f.webhook = "https://old.example"
	d := &desk{t: t, answer: echo}
	serve(t, f.chat(f.config()), d.handle)
	f.say(person, person, "hello")
	d.waits(1)
}

// A room over its limit holds up its own answers, and nobody else's, even when
// more is waiting than Telegram hands out at once.
func TestCrowd(t *testing.T) {
	t.Parallel()
	f := newFake(t)
	c := f.config()
	c.Rates = &Rates{Minute: 5}
	var quick atomic.Int32
	serve(t, f.chat(c), func(ctx context.Context, m advisor.Message, respond adapters.Respond) {
		if m.Text == "quick" {
			quick.Add(1)
		}
		respond(ctx, reply("yes"))
	})
	for i := range batch + 50 {
		f.say(group, int64(1000+i), "/gpu@"+fakeName)
	}
	for i := range 20 {
		f.say(int64(60+i), int64(60+i), "quick")
	}
	eventually(t, "others are served", func() bool { return quick.Load() == 20 })
	if n := len(f.in(group)); n != 5 {
		t.Errorf("%d answers in the group, want the 5 of a minute", n)
	}
}

// Messages of one conversation stay in order, those of many go side by side.
func TestOrderAndConcurrency(t *testing.T) {
	f := newFake(t)
	var now, most atomic.Int32
	d := &desk{t: t, answer: echo}
	serve(t, f.chat(f.config()), func(ctx context.Context, m advisor.Message, respond adapters.Respond) {
		n := now.Add(1)
		for old := most.Load(); n > old && !most.CompareAndSwap(old, n); old = most.Load() {
		}
		time.Sleep(time.Millisecond)
		now.Add(-1)
		d.handle(ctx, m, respond)
	})
	const people, each = 30, 20
	for i := range each {
		for p := range people {
			f.say(int64(100+p), int64(100+p), fmt.Sprint(i))
		}
	}
	d.waits(people * each)
	next := map[advisor.Key]int{}
	for _, m := range d.messages() {
		if m.Text != fmt.Sprint(next[m.Key]) {
			t.Fatalf("%s: got message %s, want %d", m.Key, m.Text, next[m.Key])
		}
		next[m.Key]++
	}
	if n := most.Load(); n < 2 || n > atOnce {
		t.Errorf("%d at once, want more than one and at most %d", n, atOnce)
	}
}

// A panic over one update ends neither the program nor the conversation, and
// what it quotes is not logged.
func TestPanicAtTheDoor(t *testing.T) {
	f := newFake(t)
	d := &desk{t: t, answer: echo}
	var log bytes.Buffer
	c := f.config()
	c.Log = slog.New(slog.NewTextHandler(&log, nil))
	stop := serve(t, f.chat(c), func(ctx context.Context, m advisor.Message, respond adapters.Respond) {
		if m.Text == "bad" {
			panic("over " + m.Text)
		}
		d.handle(ctx, m, respond)
	})
	f.say(person, person, "bad")
	f.say(person, person, "good")
	d.waits(1)
	stop()
	if s := log.String(); strings.Contains(s, "over bad") || !strings.Contains(s, "recovered at the door") {
		t.Errorf("logged: %s", s)
	}
}
