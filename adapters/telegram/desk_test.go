package telegram

import (
	"context"
	"sync"
	"testing"
	"time"

	"gpuadvisor/adapters"
	"gpuadvisor/advisor"
)

// desk answers messages and remembers them, the way the house's desk would.
type desk struct {
	t testing.TB

	mu     sync.Mutex
	answer func(advisor.Message) advisor.Reply
	got    []advisor.Message
	errs   []error
}

func (d *desk) handle(ctx context.Context, m advisor.Message, respond adapters.Respond) {
	d.mu.Lock()
	d.got = append(d.got, m)
	answer := d.answer
	d.mu.Unlock()
	r := answer(m)
	if r.Act == "ignore" {
		return
	}
	if err := respond(ctx, r); err != nil {
		d.mu.Lock()
		d.errs = append(d.errs, err)
		d.mu.Unlock()
	}
}

// answers is how the desk answers from now on; a chat may be asking already.
func (d *desk) answers(with func(advisor.Message) advisor.Reply) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.answer = with
}

func echo(m advisor.Message) advisor.Reply {
	if m.Kind == advisor.KindChoice {
		return reply("picked " + m.Choice + ".")
	}
	return reply("heard " + m.Text + ".")
}

func reply(text string, choices ...advisor.Choice) advisor.Reply {
	return advisor.Reply{Act: "answer", Parts: []advisor.Part{{Kind: "text", Text: text}}, Choices: choices}
}

func question(text string, choices ...advisor.Choice) advisor.Reply {
	r := reply(text, choices...)
	r.Act = "ask:duration_hours"
	return r
}

// messages are those that came so far.
func (d *desk) messages() []advisor.Message {
	d.mu.Lock()
	defer d.mu.Unlock()
	return append([]advisor.Message{}, d.got...)
}

// texts are what they said, in order.
func (d *desk) texts() (list []string) {
	for _, m := range d.messages() {
		list = append(list, m.Text+m.Choice)
	}
	return list
}

// waits until n messages came, and returns the last.
func (d *desk) waits(n int) advisor.Message {
	d.t.Helper()
	eventually(d.t, "enough messages at the desk", func() bool { return len(d.messages()) >= n })
	return d.messages()[n-1]
}

func (d *desk) failures() []error {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.errs
}

// serve runs a chat until the test ends or stop is called, and checks that it
// stops well.
func serve(t testing.TB, chat *Chat, handle adapters.Handler) (stop func()) {
	t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan error, 1)
	go func() { done <- chat.Serve(ctx, handle) }()
	stop = sync.OnceFunc(func() {
		cancel()
		select {
		case err := <-done:
			if err != nil {
				t.Errorf("Serve: %v", err)
			}
		case <-time.After(10 * time.Second):
			t.Error("Serve does not end")
		}
	})
	t.Cleanup(stop)
	return stop
}

// open starts a chat with a desk on a new fake.
func open(t *testing.T, change func(*Config)) (*fake, *Chat, *desk) {
	t.Helper()
	f := newFake(t)
	c := f.config()
	if change != nil {
		change(&c)
	}
	chat, d := f.chat(c), &desk{t: t, answer: echo}
	serve(t, chat, d.handle)
	return f, chat, d
}
