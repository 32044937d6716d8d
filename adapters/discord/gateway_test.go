package discord

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/gorilla/websocket"
)

// answers reports whether a person gets an answer.
func (p person) answered() bool { return p.command("gpu").Kind == 4 }

// TestConnectionEnds: whatever ends a connection, the next one is there soon,
// and resumes the session where that is possible.
func TestConnectionEnds(t *testing.T) {
	f := newFake(t)
	d := quick(t, f, Config{})
	served(t, d, (&talk{}).turn)
	p := person{f: f, id: ann}
	op := func(op int, data any) func(s *fakeSession) {
		return func(s *fakeSession) { s.conn.send(map[string]any{"op": op, "d": data}) }
	}
	closing := func(code int) func(s *fakeSession) {
		return func(s *fakeSession) {
			s.conn.WriteControl(websocket.CloseMessage, websocket.FormatCloseMessage(code, ""), time.Now().Add(time.Second))
		}
	}
	for _, tt := range []struct {
		name string
		do   func(s *fakeSession)
		anew bool // a new session is started
	}{
		{"op 7", op(opReconnect, nil), false},
		{"op 9, resumable", op(opRefused, true), false},
		{"op 9", op(opRefused, false), true},
		{"the line breaks", func(s *fakeSession) { s.conn.Close() }, false},
		{"1000", closing(1000), false},
		{"1001", closing(1001), false},
		{"4000", closing(4000), false},
		{"4008", closing(4008), false},
		{"4007", closing(4007), true},
		{"4009", closing(4009), true},
		{"rubbish", func(s *fakeSession) { s.conn.WriteMessage(websocket.TextMessage, []byte("{")); s.conn.Close() }, false},
	} {
		identified, resumed := f.gate.state()
		if tt.anew {
			f.gate.each(func(s *fakeSession) { delete(f.gate.sessions, s.id); tt.do(s) })
		} else {
			f.gate.each(tt.do)
		}
		f.until(func() bool { i, r := f.gate.state(); return i+r > identified+resumed && d.stats.connected.Load() == 1 })
		if i, r := f.gate.state(); (i > identified) != tt.anew || (r > resumed) == tt.anew {
			t.Errorf("%s: %d new sessions, %d resumed; want a new one: %v", tt.name, i-identified, r-resumed, tt.anew)
		}
		if !p.answered() {
			t.Errorf("%s: nobody answers any more", tt.name)
		}
	}
	f.gate.mu.Lock()
	defer f.gate.mu.Unlock()
	for _, code := range f.gate.closes {
		if code == 1000 || code == 1001 {
			t.Errorf("we closed with %d, which ends the session", code)
		}
	}
}

// TestNothingIsMissed: what comes while we are away is there after a resume,
// once.
func TestNothingIsMissed(t *testing.T) {
	f := newFake(t)
	advice := &talk{}
	d := quick(t, f, Config{})
	served(t, d, advice.turn)
	p := person{f: f, id: ann}
	f.gate.each(func(s *fakeSession) { s.conn.Close() })
	for i := range 5 {
		p.write(fmt.Sprint("message ", i))
	}
	f.until(func() bool { return len(advice.all()) == 5 })
	f.gate.each(func(s *fakeSession) { s.conn.send(s.kept[len(s.kept)-1]) }) // and once more
	d.idle()
	var got []string
	for _, m := range advice.all() {
		got = append(got, m.Text)
	}
	if want := "message 0 message 1 message 2 message 3 message 4"; strings.Join(got, " ") != want {
		t.Errorf("got %v, want %s", got, want)
	}
}

// TestUnansweredHeartbeats: a connection that nobody listens to is left; when
// resuming does not help, a new session is started.
func TestUnansweredHeartbeats(t *testing.T) {
	f := newFake(t)
	f.gate.interval = 50 * time.Millisecond
	d := quick(t, f, Config{})
	served(t, d, (&talk{}).turn)
	f.gate.mu.Lock()
	f.gate.dropAcks = true
	f.gate.mu.Unlock()
	f.until(func() bool { i, _ := f.gate.state(); return i >= 2 })
	f.gate.mu.Lock()
	f.gate.dropAcks = false
	f.gate.mu.Unlock()
	if i, r := f.gate.state(); i < 2 || r < 1 {
		t.Errorf("%d sessions, %d resumed; want a try to resume, then a new session", i, r)
	}
	if !(person{f: f, id: ann}).answered() {
		t.Error("nobody answers afterwards")
	}
}

func TestNobodySaysHello(t *testing.T) {
	f := newFake(t)
	f.gate.deafTo = 1
	d := quick(t, f, Config{})
	ctx, stop := context.WithCancel(t.Context())
	done := make(chan error, 1)
	go func() { done <- d.Serve(ctx, (&talk{}).turn) }()
	time.Sleep(50 * time.Millisecond)
	stop()
	select {
	case err := <-done:
		if err != nil {
			t.Errorf("Serve: %v", err)
		}
	case <-time.After(5 * time.Second):
		t.Error("Serve does not end while it waits for a hello")
	}
}

// TestFatalClose: where trying again is useless we stop, and say what to do.
func TestFatalClose(t *testing.T) {
	for code, want := range map[int]string{4004: "token", 4010: "shard", 4011: "more shards", 4012: "newer gpuadvisor", 4013: "intents", 4014: "Privileged Gateway Intents"} {
		f := newFake(t)
		f.gate.refuse = code
		err := quick(t, f, Config{Shards: 2}).Serve(t.Context(), (&talk{}).turn)
		if err == nil || !strings.Contains(err.Error(), fmt.Sprint(code)) || !strings.Contains(err.Error(), want) {
			t.Errorf("%d: Serve: got %v, want the code and %q", code, err, want)
		}
		if i, _ := f.gate.state(); i > 2 {
			t.Errorf("%d: %d shards identified %d times", code, 2, i)
		}
	}
}

// TestFatalLater: the same for a bot that was running.
func TestFatalLater(t *testing.T) {
	f := newFake(t)
	d := quick(t, f, Config{})
	done := make(chan error, 1)
	go func() { done <- d.Serve(t.Context(), (&talk{}).turn) }()
	f.until(d.Ready)
	f.gate.each(func(s *fakeSession) {
		s.conn.WriteControl(websocket.CloseMessage, websocket.FormatCloseMessage(4004, ""), time.Now().Add(time.Second))
	})
	select {
	case err := <-done:
		if err == nil || !strings.Contains(err.Error(), "4004") {
			t.Errorf("Serve: got %v, want code 4004", err)
		}
	case <-time.After(5 * time.Second):
		t.Error("Serve goes on after its token was reset")
	}
}

// TestShards: each shard has a connection; only as many identify at once as
// Discord allows, the others wait their turn.
func TestShards(t *testing.T) {
	f := newFake(t)
	f.gate.shards, f.gate.concurrency = 6, 2
	d := quick(t, f, Config{})
	d.pace.identifyEvery = 100 * time.Millisecond
	served(t, d, (&talk{}).turn)
	f.until(func() bool { return d.stats.connected.Load() == 6 })
	if got := d.stats.connected.Load(); got != 6 {
		t.Fatalf("%d shards are connected, want 6", got)
	}
	f.gate.mu.Lock()
	defer f.gate.mu.Unlock()
	last := map[int]time.Time{}
	seen := map[[2]int]bool{}
	for i, s := range f.gate.shardsSeen {
		at, room := f.gate.identified[i], s[0]%2
		if d := at.Sub(last[room]); d < 90*time.Millisecond {
			t.Errorf("shard %v identified %s after the one before it", s, d)
		}
		last[room] = at
		seen[s] = true
	}
	if len(seen) != 6 || !seen[[2]int{5, 6}] || f.gate.intents != int(intents) {
		t.Errorf("shards %v, intents %d", f.gate.shardsSeen, f.gate.intents)
	}
}

// TestSessionsAreRationed: a session that is refused again and again is asked
// for with pauses, and not at all when Discord allows no more today.
func TestSessionsAreRationed(t *testing.T) {
	f := newFake(t)
	f.gate.refuseSession = 3
	d := quick(t, f, Config{})
	served(t, d, (&talk{}).turn)
	f.gate.mu.Lock()
	at := f.gate.identified
	f.gate.mu.Unlock()
	if len(at) != 4 || at[3].Sub(at[2]) < d.pace.refusedWait {
		t.Errorf("identified at %v, want three pauses of %s at least", at, d.pace.refusedWait)
	}
	f = newFake(t)
	f.gate.remaining = 0
	d = quick(t, f, Config{})
	ctx, stop := context.WithTimeout(t.Context(), 100*time.Millisecond)
	defer stop()
	if err := d.Serve(ctx, (&talk{}).turn); err != nil {
		t.Errorf("Serve: %v", err)
	}
	if i, _ := f.gate.state(); i != 0 {
		t.Errorf("identified %d times though none is left", i)
	}
}

func TestOwnRation(t *testing.T) {
	var log safeBuilder
	f := newFake(t)
	g := &gateway{d: quick(t, f, Config{Log: logTo(&log)})}
	for range identifyMost {
		if wait := g.ownLimit(); wait != 0 {
			t.Fatalf("after %d sessions we wait %s", len(g.identified), wait)
		}
		g.count()
	}
	if wait := g.ownLimit(); wait < 23*time.Hour {
		t.Errorf("after %d sessions in a minute we wait %s, want a day", identifyMost, wait)
	}
	if n := strings.Count(log.String(), "again and again"); n < 10 {
		t.Errorf("%d alarms for %d sessions", n, identifyMost)
	}
	g.identified[0] = time.Now().Add(-25 * time.Hour)
	if wait := g.ownLimit(); wait != 0 {
		t.Errorf("a day after the first we still wait %s", wait)
	}
}

func TestPauses(t *testing.T) {
	g := &gateway{d: &Discord{pace: pace{backOff: time.Second, backOffMost: time.Minute, refusedWait: time.Second}}}
	for failures, want := range map[int][2]time.Duration{0: {0, 250 * time.Millisecond}, 1: {500 * time.Millisecond, 1500 * time.Millisecond}, 3: {2 * time.Second, 6 * time.Second}, 50: {30 * time.Second, 90 * time.Second}} {
		for range 100 {
			if got := g.pause(failures, nil); got < want[0] || got > want[1] {
				t.Errorf("after %d failures we wait %s, want %v", failures, got, want)
			}
		}
	}
	if got := g.pause(0, errSessionRefused); got < time.Second || got > 5250*time.Millisecond {
		t.Errorf("after a refused session we wait %s, want one to five seconds", got)
	}
}
