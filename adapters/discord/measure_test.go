package discord

import (
	"math/rand/v2"
	"net/http/httptest"
	"runtime"
	"slices"
	"strconv"
	"sync"
	"testing"
	"time"

	"gpuadvisor/advisor"
)

// BenchmarkFiftyUsers: 500 interactions of 50 people at once, through the
// gateway and with every call over a socket. p99 and max are of the time from
// the press to the answer; lost counts those that got none.
func BenchmarkFiftyUsers(b *testing.B) {
	f := newFake(b)
	served(b, quick(b, f, Config{}), (&talk{}).turn)
	var took []time.Duration
	lost := 0
	for b.Loop() {
		var mu sync.Mutex
		var people sync.WaitGroup
		for i := range 50 {
			p := person{f: f, id: strconv.Itoa(5_000_000 + i), room: fakeRoom}
			people.Go(func() {
				q := p.command("gpu")
				done := []*fakeInteraction{q}
				for range 9 {
					if q.Original == nil {
						break
					}
					done = append(done, p.press(q.Original, 1))
				}
				mu.Lock()
				defer mu.Unlock()
				for _, in := range done {
					if in.Kind == 0 {
						lost++
					}
					took = append(took, in.Took)
				}
				lost += 10 - len(done)
			})
		}
		people.Wait()
	}
	slices.Sort(took)
	ms := func(d time.Duration) float64 { return float64(d.Microseconds()) / 1000 }
	b.ReportMetric(ms(took[len(took)/2]), "p50-ms")
	b.ReportMetric(ms(took[len(took)*99/100]), "p99-ms")
	b.ReportMetric(ms(took[len(took)-1]), "max-ms")
	b.ReportMetric(float64(lost), "lost")
}

// BenchmarkMemory: what is kept after 20,000 interactions of 5,000 people, over
// what was kept after the first 10,000.
func BenchmarkMemory(b *testing.B) {
	f := newFake(b)
	d := quick(b, f, Config{PublicKey: f.publicKey()})
	served(b, d, pictureless)
	heap := func() float64 {
		d.idle()
		runtime.GC()
		var m runtime.MemStats
		runtime.ReadMemStats(&m)
		return float64(m.HeapAlloc) / 1024
	}
	id := 0
	ten := func() float64 {
		for range 10_000 {
			id++
			body := `{"id":"` + strconv.Itoa(1e9+id) + `","application_id":"` + fakeApp + `","type":2,"token":"t` + strconv.Itoa(id) +
				`","channel_id":"3","member":{"user":{"id":"` + strconv.Itoa(7e6+id%5000) + `"}},"guild_id":"2","data":{"name":"gpu"}}`
			w := httptest.NewRecorder()
			d.ServeHTTP(w, f.signed([]byte(body), time.Now()))
			if w.Code != 200 {
				b.Fatalf("interaction %d: status %d %s", id, w.Code, w.Body)
			}
		}
		return heap()
	}
	for b.Loop() {
		first := ten()
		second := ten()
		b.ReportMetric(first, "first-KB")
		b.ReportMetric(second-first, "growth-KB")
		b.ReportMetric(float64(runtime.NumGoroutine()), "goroutines")
	}
}

// BenchmarkAutocomplete is one suggestion, from request to response.
func BenchmarkAutocomplete(b *testing.B) {
	f := newFake(b)
	lots := func(option, typed, lang string) (out []advisor.Choice) {
		for i := range 40 {
			out = append(out, advisor.Choice{Ref: "qwen-" + strconv.Itoa(i), Label: "千问 " + strconv.Itoa(i)})
		}
		return out
	}
	d := quick(b, f, Config{PublicKey: f.publicKey(), Complete: lots})
	served(b, d, pictureless)
	id := 0
	for b.Loop() {
		id++
		body := `{"id":"` + strconv.Itoa(1e9+id) + `","application_id":"` + fakeApp + `","type":4,"token":"t","channel_id":"3","user":{"id":"7"},` +
			`"locale":"zh-CN","data":{"name":"gpu","options":[{"name":"model","value":"qw","focused":true}]}}`
		w := httptest.NewRecorder()
		d.ServeHTTP(w, f.signed([]byte(body), time.Now()))
		if w.Code != 200 {
			b.Fatal(w.Code)
		}
	}
}

// BenchmarkEmulator: 500 interactions of 50 people who think for a moment
// between them, answered as the emulator's clock says; see emulator_test.go.
func BenchmarkEmulator(b *testing.B) {
	e := emulate(b)
	if e == nil {
		return
	}
	e.chat(Config{}, (&talk{}).turn)
	var took []float64
	lost := 0
	for b.Loop() {
		e.do("reset", nil, nil)
		var people sync.WaitGroup
		for i := range 50 {
			people.Go(func() {
				user := strconv.Itoa(5_000_000 + i)
				var last outcome
				time.Sleep(time.Duration(rand.IntN(1000)) * time.Millisecond)
				e.do("command", map[string]any{"name": "gpu", "user_id": user}, &last)
				for range 9 {
					time.Sleep(time.Duration(rand.IntN(1000)) * time.Millisecond)
					if last.Message == nil {
						return
					}
					m := last.Message
					last = outcome{}
					data := pressData(&m.shownMessage, 1)
					data["message_id"], data["user_id"] = m.ID, user
					e.do("component", data, &last)
				}
			})
		}
		people.Wait()
		var all []struct {
			Answered bool    `json:"answered"`
			Took     float64 `json:"answered_ms"`
		}
		e.do("interactions", nil, &all)
		lost += 500 - len(all)
		for _, in := range all {
			if !in.Answered {
				lost++
			}
			took = append(took, in.Took)
		}
	}
	slices.Sort(took)
	b.ReportMetric(took[len(took)/2], "p50-ms")
	b.ReportMetric(took[len(took)*99/100], "p99-ms")
	b.ReportMetric(took[len(took)-1], "max-ms")
	b.ReportMetric(float64(lost), "lost")
	e.clean()
}
