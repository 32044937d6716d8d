package telegram

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"runtime"
	"slices"
	"sync"
	"testing"
	"time"

	"gpuadvisor/adapters"
	"gpuadvisor/advisor"
)

// measure_test.go counts and times many chats at once. Its figures:
//
//	go test ./adapters/telegram -run '^$' -bench 'Chats|Limits|Memory' -benchtime 1x
//
// With TELEGRAM_EMULATOR set, BenchmarkChatsEmulator measures against that as
// well, and prints what we take beyond a bare loop of HTTP calls.

// crowd is what many people said and were answered, by room.
type crowd struct {
	mu   sync.Mutex
	said map[int64][]time.Time
	got  map[int64][]heardAt
}

type heardAt struct {
	text string
	at   time.Time
}

// talk lets people say 0, 1, 2 … in rooms from, from+1 …, with pauses of up to
// think between.
func (c *crowd) talk(people, each int, from int64, think time.Duration, say func(room int64, text string)) {
	c.said, c.got = map[int64][]time.Time{}, map[int64][]heardAt{}
	var all sync.WaitGroup
	for room := from; room < from+int64(people); room++ {
		all.Go(func() {
			for i := range each {
				time.Sleep(time.Duration(rand.Int64N(int64(think) + 1)))
				c.mu.Lock()
				c.said[room] = append(c.said[room], time.Now())
				c.mu.Unlock()
				say(room, fmt.Sprint(i))
			}
		})
	}
	all.Wait()
}

// tally compares: how long each answer took, how many messages got none, how
// many got more than one, how many answers overtook another.
func (c *crowd) tally() (took []time.Duration, lost, doubled, disordered int) {
	for room, said := range c.said {
		next := 0
		seen := map[string]bool{}
		for _, h := range c.got[room] {
			if seen[h.text] {
				doubled++
				continue
			}
			seen[h.text] = true
			if h.text != fmt.Sprintf("heard %d.", next) {
				disordered++
			}
			next++
		}
		for i, at := range said {
			k := slices.IndexFunc(c.got[room], func(h heardAt) bool { return h.text == fmt.Sprintf("heard %d.", i) })
			if k < 0 {
				lost++
				continue
			}
			took = append(took, c.got[room][k].at.Sub(at))
		}
	}
	slices.Sort(took)
	return took, lost, doubled, disordered
}

func (c *crowd) report(b *testing.B) {
	took, lost, doubled, disordered := c.tally()
	ms := func(q int) float64 { return float64(took[min(len(took)-1, len(took)*q/100)].Microseconds()) / 1000 }
	b.ReportMetric(ms(50), "p50-ms")
	b.ReportMetric(ms(99), "p99-ms")
	b.ReportMetric(ms(100), "max-ms")
	b.ReportMetric(float64(lost), "lost")
	b.ReportMetric(float64(doubled), "doubled")
	b.ReportMetric(float64(disordered), "disordered")
}

// look takes what stands in the fake's rooms.
func (c *crowd) look(f *fake) (n int) {
	f.mu.Lock()
	defer f.mu.Unlock()
	clear(c.got)
	for _, m := range f.posted {
		c.got[m.room] = append(c.got[m.room], heardAt{m.text, m.at})
	}
	return len(f.posted)
}

// empty forgets what the fake remembers, which would look like our memory.
func (f *fake) empty() {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.posted, f.calls = nil, nil
	clear(f.shown)
}

// BenchmarkChats: 200 chats of 20 messages, no limits.
func BenchmarkChats(b *testing.B) {
	f := newFake(b)
	serve(b, f.chat(f.config()), echoing)
	for b.Loop() {
		f.empty()
		var c crowd
		c.talk(200, 20, 100_000, 500*time.Millisecond, func(room int64, text string) { f.say(room, room, text) })
		eventually(b, "all answers", func() bool { return c.look(f) >= 4000 })
		c.report(b)
	}
}

// echoing is a desk without memory.
func echoing(ctx context.Context, m advisor.Message, respond adapters.Respond) {
	respond(ctx, echo(m))
}

// troubled is a chat with limits on a fake that asks for patience now and then
// and fails now and then.
func troubled(t testing.TB, rates Rates) (*fake, *crowd) {
	f := newFake(t)
	c := f.config()
	c.Rates = &rates
	serve(t, f.chat(c), echoing)
	return f, &crowd{}
}

// unrest makes a few calls fail.
func (f *fake) unrest(rooms ...int64) {
	for i, room := range rooms {
		x := fault{method: "sendMessage", room: room, times: 1, status: 429, body: apiError(429, "Too Many Requests: retry after 1", `"retry_after":1`)}
		if i%2 == 1 {
			x.status, x.body = 502, "<html>Bad Gateway</html>"
		}
		f.breakWith(x)
	}
}

// Below limits, with a platform that asks for patience and fails, everybody
// gets every answer once and in order.
func TestLimitsLoseNothing(t *testing.T) {
	t.Parallel()
	f, c := troubled(t, Rates{Second: 300, Room: 10 * time.Millisecond})
	f.unrest(100_001, 100_002, 100_003, 100_004, 100_005)
	c.talk(30, 15, 100_000, 5*time.Millisecond, func(room int64, text string) { f.say(room, room, text) })
	eventually(t, "all answers", func() bool { return c.look(f) >= 450 })
	time.Sleep(50 * time.Millisecond) // for what comes too often
	c.look(f)
	if took, lost, doubled, disordered := c.tally(); lost+doubled+disordered > 0 {
		t.Errorf("of %d answers %d are lost, %d doubled, %d out of order", len(took), lost, doubled, disordered)
	}
}

// BenchmarkLimits: 200 chats of 20 messages that come faster than Telegram's
// limits, all of them made twenty times wider, let answers go.
func BenchmarkLimits(b *testing.B) {
	f, c := troubled(b, Rates{Second: 20 * telegramRates.Second, Room: telegramRates.Room / 20})
	for b.Loop() {
		f.empty()
		f.unrest(100_010, 100_020, 100_030, 100_040, 100_050, 100_060, 100_070, 100_080)
		c.talk(200, 20, 100_000, 20*time.Millisecond, func(room int64, text string) { f.say(room, room, text) })
		eventually(b, "all answers", func() bool { return c.look(f) >= 4000 })
		c.report(b)
	}
}

// BenchmarkMemory: what 20,000 messages of 5,000 people leave behind, over what
// the first 10,000 left.
func BenchmarkMemory(b *testing.B) {
	f, c := troubled(b, Rates{Second: 1_000_000, Room: time.Millisecond})
	from := int64(100_000)
	heap := func() float64 {
		c.talk(5000, 2, from, 20*time.Millisecond, func(room int64, text string) { f.say(room, room, text) })
		eventually(b, "all answers", func() bool { return c.look(f) >= 10_000 })
		from += 5000
		f.empty()
		clear(c.said)
		clear(c.got)
		http.DefaultClient.CloseIdleConnections()
		runtime.GC()
		runtime.GC()
		var m runtime.MemStats
		runtime.ReadMemStats(&m)
		return float64(m.HeapAlloc) / 1024
	}
	for b.Loop() {
		first := heap()
		second := heap()
		b.ReportMetric(first, "first-KB")
		b.ReportMetric(second-first, "growth-KB")
		b.ReportMetric(float64(runtime.NumGoroutine()), "goroutines")
	}
}

// BenchmarkChatsEmulator: the same chats on the emulator, by a bare loop and by
// us; beyond is how much later our p99 is.
func BenchmarkChatsEmulator(b *testing.B) {
	e := startEmulator(b)
	if e == nil {
		return
	}
	var bare, ours crowd
	for b.Loop() {
		e.reset()
		ctx, stop := context.WithCancel(b.Context())
		var loop sync.WaitGroup
		loop.Go(func() { e.bareLoop(ctx) })
		e.converse(b, &bare)
		stop()
		loop.Wait()
		e.reset()
		c := emulatorConfig(e.url)
		c.Rates = &Rates{}
		chat, err := New(c)
		if err != nil {
			b.Fatal(err)
		}
		end := serve(b, chat, echoing)
		e.converse(b, &ours)
		end()
		base, _, _, _ := bare.tally()
		took, _, _, _ := ours.tally()
		ours.report(b)
		bareP99 := base[len(base)*99/100]
		b.ReportMetric(float64(bareP99.Microseconds())/1000, "bare-p99-ms")
		b.ReportMetric(float64((took[len(took)*99/100]-bareP99).Microseconds())/1000, "beyond-ms")
	}
	e.clean()
}

// converse lets 200 people say 20 things each to whoever serves the emulator.
func (e *emulator) converse(b *testing.B, c *crowd) {
	c.talk(200, 20, 100_000, 500*time.Millisecond, func(room int64, text string) {
		e.ctl("message", map[string]any{"chat_id": room, "user_id": room, "text": text}, nil)
	})
	eventually(b, "all answers", func() bool {
		time.Sleep(100 * time.Millisecond)
		var log []struct {
			T      int64
			Method string
			Params struct {
				Room json.Number `json:"chat_id"`
				Text string
			}
		}
		e.ctl("log", nil, &log)
		clear(c.got)
		n := 0
		for _, call := range log {
			if room, err := call.Params.Room.Int64(); call.Method == "sendMessage" && err == nil {
				c.got[room] = append(c.got[room], heardAt{call.Params.Text, time.UnixMilli(call.T)})
				n++
			}
		}
		return n >= 4000
	})
}

// bareLoop answers like echo with nothing but HTTP calls.
func (e *emulator) bareLoop(ctx context.Context) {
	client := &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: 64}}
	defer client.CloseIdleConnections()
	call := func(method string, body any, out any) error {
		text, _ := json.Marshal(body)
		req, err := http.NewRequestWithContext(ctx, http.MethodPost, e.url+"/bot"+emulatorToken+"/"+method, bytes.NewReader(text))
		if err != nil {
			return err
		}
		req.Header.Set("Content-Type", "application/json")
		resp, err := client.Do(req)
		if err != nil {
			return err
		}
		defer resp.Body.Close()
		answer, err := io.ReadAll(resp.Body)
		if err == nil && out != nil {
			err = json.Unmarshal(answer, out)
		}
		return err
	}
	var work sync.WaitGroup
	defer work.Wait()
	for offset := int64(0); ctx.Err() == nil; {
		var got struct{ Result []update }
		if call("getUpdates", map[string]any{"offset": offset, "timeout": 20, "limit": 100}, &got) != nil {
			continue
		}
		for _, u := range got.Result {
			offset = u.ID + 1
			work.Go(func() {
				call("sendMessage", map[string]any{"chat_id": u.Message.Chat.ID, "text": "heard " + u.Message.Text + "."}, nil)
			})
		}
	}
}
