package discord

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"gpuadvisor/adapters"
)

func silently() *slog.Logger { return slog.New(slog.DiscardHandler) }

// headers are what Discord says about a bucket.
func headers(bucket string, limit, left int, after float64) http.Header {
	return http.Header{
		"X-Ratelimit-Bucket": {bucket}, "X-Ratelimit-Limit": {fmt.Sprint(limit)}, "X-Ratelimit-Remaining": {fmt.Sprint(left)},
		"X-Ratelimit-Reset-After": {fmt.Sprint(after)},
	}
}

func later() time.Time { return time.Now().Add(time.Hour) }

func TestBucketWaitsForItsWindow(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := newLimiter(time.Now, silently())
		began := time.Now()
		for i := range 12 { // five per second
			p, err := l.wait(t.Context(), "POST /channels/1/messages", true, later())
			if err != nil {
				t.Fatal(err)
			}
			p.done(headers("b", 5, 4-i%5, 1-time.Since(began).Seconds()+float64(int(time.Since(began).Seconds()))), 200)
		}
		if d := time.Since(began); d < 2*time.Second || d > 2100*time.Millisecond {
			t.Errorf("twelve requests at five a second took %s, want two seconds", d)
		}
	})
}

func TestFirstOfARouteGoesAlone(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := newLimiter(time.Now, silently())
		var mu sync.Mutex
		flying, most := 0, 0
		var all sync.WaitGroup
		for range 5 {
			all.Go(func() {
				p, err := l.wait(t.Context(), "POST /channels/1/messages", true, later())
				if err != nil {
					t.Error(err)
					return
				}
				mu.Lock()
				flying++
				most = max(most, flying)
				mu.Unlock()
				time.Sleep(100 * time.Millisecond)
				mu.Lock()
				flying--
				mu.Unlock()
				p.done(headers("b", 3, 0, 0.5), 200)
			})
		}
		all.Wait()
		if most > 3 {
			t.Errorf("%d requests were under way at once in a bucket of three", most)
		}
	})
}

func TestRoutesShareABucket(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := newLimiter(time.Now, silently())
		for _, route := range []string{"PATCH /webhooks/1/tok/messages/@original", "POST /webhooks/1/tok", "POST /webhooks/1/other"} {
			p, _ := l.wait(t.Context(), route, false, later())
			p.done(headers("hooks", 1, 0, 2), 200)
		}
		began := time.Now()
		p, _ := l.wait(t.Context(), "POST /webhooks/1/tok", false, later())
		p.done(nil, 0)
		if d := time.Since(began); d < 1900*time.Millisecond {
			t.Errorf("a route whose bucket another one has emptied waited %s, want two seconds", d)
		}
		if b := len(l.buckets); b > 4 {
			t.Errorf("%d buckets for one name and two webhooks", b)
		}
	})
}

func TestGlobalLimit(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := newLimiter(time.Now, silently())
		began := time.Now()
		for i := range 120 {
			p, err := l.wait(t.Context(), fmt.Sprint("POST /channels/", i, "/messages"), true, later())
			if err != nil {
				t.Fatal(err)
			}
			p.done(http.Header{}, 200)
		}
		if d := time.Since(began); d != 2*time.Second {
			t.Errorf("120 requests took %s, want two seconds at 50 a second", d)
		}
		began = time.Now()
		for i := range 120 { // answers of interactions do not count
			p, _ := l.wait(t.Context(), fmt.Sprint("POST /interactions/", i, "/callback"), false, later())
			p.done(http.Header{}, 200)
		}
		if d := time.Since(began); d != 0 {
			t.Errorf("120 answers took %s, want no wait", d)
		}
		l.hold("POST /channels/1/messages", 3*time.Second, true)
		if _, err := l.wait(t.Context(), "POST /channels/2/messages", true, time.Now().Add(time.Second)); !isWait(err, 3*time.Second) {
			t.Errorf("everything is on hold: got %v, want a wait of three seconds", err)
		}
		if _, err := l.wait(t.Context(), "POST /interactions/1/callback", false, time.Now().Add(time.Second)); err != nil {
			t.Errorf("an answer while everything is on hold: %v", err)
		}
	})
}

func isWait(err error, d time.Duration) bool {
	var w *adapters.Wait
	return errors.As(err, &w) && w.For == d
}

func TestWaitingEndsWithTheContext(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := newLimiter(time.Now, silently())
		l.hold("GET /x", time.Hour, false)
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		if _, err := l.wait(ctx, "GET /x", true, time.Now().Add(2*time.Hour)); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("got %v, want the context's end", err)
		}
		p, _ := l.wait(t.Context(), "GET /y", true, later())
		if _, err := l.wait(ctx, "GET /y", true, later()); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("behind a first request: got %v, want the context's end", err)
		}
		p.done(nil, 0)
	})
}

func TestInvalidRequests(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var log strings.Builder
		l := newLimiter(time.Now, slog.New(slog.NewTextHandler(&log, nil)))
		one := func(status int, h http.Header) {
			p, err := l.wait(t.Context(), "GET /x", false, later())
			if err != nil {
				t.Fatal(err)
			}
			p.done(h, status)
		}
		for range invalidAlarm - 1 {
			one(403, http.Header{})
		}
		one(429, http.Header{"X-Ratelimit-Scope": {"shared"}})
		one(404, http.Header{})
		if n := l.invalidRequests(); n != invalidAlarm-1 || log.Len() > 0 {
			t.Errorf("got %d invalid requests and the log %q, want %d and no alarm", n, log.String(), invalidAlarm-1)
		}
		one(401, http.Header{})
		if !strings.Contains(log.String(), "bans") {
			t.Errorf("after %d there is no alarm: %q", invalidAlarm, log.String())
		}
		time.Sleep(invalidWindow + time.Minute)
		if n := l.invalidRequests(); n != 0 {
			t.Errorf("eleven minutes later %d still count", n)
		}
		for range invalidLimit * 9 / 10 {
			one(403, http.Header{})
		}
		if _, err := l.wait(t.Context(), "GET /x", false, later()); !errors.Is(err, adapters.ErrUnavailable) {
			t.Errorf("close to a ban: got %v, want to pause", err)
		}
	})
}

func TestBucketsAreForgotten(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := newLimiter(time.Now, silently())
		for i := range 20_000 {
			p, _ := l.wait(t.Context(), fmt.Sprint("PATCH /webhooks/1/token", i, "/messages/@original"), false, later())
			p.done(headers("hooks", 5, 4, 1), 200)
			time.Sleep(10 * time.Millisecond)
		}
		if n, m := len(l.buckets), len(l.names); n > keptBuckets+1 || m > 2*keptBuckets {
			t.Errorf("after 20,000 interactions %d buckets and %d routes are kept", n, m)
		}
	})
}

// TestNoLimitIsBroken: many at once against a server that limits.
func TestNoLimitIsBroken(t *testing.T) {
	f := newFake(t)
	f.perRoute = 5
	d := quick(t, f, Config{})
	d.application.Store(fakeApp)
	var all sync.WaitGroup
	for i := range 20 {
		all.Go(func() {
			p := emptyPage()
			p.Content = "x"
			if err := d.post(t.Context(), fakeRoom, []*page{p}, fmt.Sprint(i), ""); err != nil {
				t.Errorf("message %d: %v", i, err)
			}
		})
	}
	all.Wait()
	n := len(f.all(fakeRoom))
	f.mu.Lock()
	defer f.mu.Unlock()
	if n != 20 || f.invalid > 0 {
		t.Errorf("%d of 20 messages arrived, %d requests were refused", n, f.invalid)
	}
}

func TestTries(t *testing.T) {
	for _, tt := range []struct {
		name   string
		status []int // what the server answers, one after the other; then 200
		tries  int
		want   error // nil: it gets through
	}{
		{"well", nil, 1, nil},
		{"a bad gateway", []int{502}, 2, nil},
		{"three failures", []int{500, 503, 504}, 4, nil},
		{"four failures", []int{500, 503, 504, 502}, 4, adapters.ErrUnavailable},
		{"asked to wait", []int{429, 429}, 3, nil},
		{"bad form", []int{400}, 1, &apiError{}},
		{"wrong token", []int{401}, 1, adapters.ErrUnavailable},
		{"not allowed", []int{403}, 1, adapters.ErrGone},
		{"not there", []int{404}, 1, adapters.ErrGone},
	} {
		tries := 0
		server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if b, _ := io.ReadAll(r.Body); string(b) != `"hello"` {
				t.Errorf("%s: try %d carries %q", tt.name, tries, b)
			}
			tries++
			if tries <= len(tt.status) {
				w.Header().Set("Retry-After", "0.01")
				w.WriteHeader(tt.status[tries-1])
				fmt.Fprint(w, "<html>")
			}
		}))
		r := &rest{base: server.URL, token: "t", client: server.Client(), limits: newLimiter(time.Now, silently()), log: silently(), pause: time.Millisecond}
		err := r.do(t.Context(), call{method: "POST", path: "/x", body: "hello"}, nil)
		var refusal *apiError
		switch {
		case tt.want == nil && err != nil, tt.want != nil && !errors.Is(err, tt.want) && !errors.As(err, &refusal), tries != tt.tries:
			t.Errorf("%s: got %v after %d tries, want %v after %d", tt.name, err, tries, tt.want, tt.tries)
		}
		server.Close()
	}
}
