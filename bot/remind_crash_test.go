//go:build unix

package main

import (
	"bufio"
	"cmp"
	"context"
	"fmt"
	"log/slog"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"gpuadvisor/adapters"
	"gpuadvisor/adapters/adaptertest"
	"gpuadvisor/adapters/redis"
	"gpuadvisor/advisor"
)

// The bell in processes of their own, which are killed. A process is the test
// binary itself, started again; the chat is a file with a line for everything
// that was said.

const (
	ringSaid  = "BELL_SAID"  // the file
	ringHalt  = "BELL_HALT"  // the step after which it says "halt" and goes no further
	ringRests = "BELL_RESTS" // after that it goes on, when so much time has gone by
)

// childLease is that of the ringers, so that the tests do not take minutes.
const (
	childLease    = 3 * time.Second
	childSendTime = time.Second
)

func init() { ringAlone = ringHere }

// ringHere is the main of such a process, which TestMain calls.
func ringHere() error {
	store, err := openPlace(context.Background(), os.Getenv(ringPlace))
	if err != nil {
		return err
	}
	said, err := os.OpenFile(os.Getenv(ringSaid), os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	halt := func(step string) {
		if step != os.Getenv(ringHalt) {
			return
		}
		fmt.Println("halt")
		if d, err := time.ParseDuration(os.Getenv(ringRests)); err == nil {
			time.Sleep(d)
			return
		}
		select {}
	}
	chat := &notebook{file: said, halt: halt}
	b := &bell{
		reminders: &halting{store.Reminders(), halt}, store: store.Conversations(), lang: "en", log: slog.New(slog.DiscardHandler),
		lease: childLease, sendTime: childSendTime,
		chat: func(advisor.Key) adapters.Chat { return chat },
		word: func(d adapters.Due, _ string) advisor.Reply {
			text := d.Reminder.ID
			if d.Reached {
				text += " again"
			}
			return advisor.Reply{Parts: []advisor.Part{{Text: text}}}
		},
	}
	fmt.Println("ringing")
	b.ring(context.Background())
	return nil
}

// notebook is a chat that writes down what is said.
type notebook struct {
	adapters.Chat
	file *os.File
	halt func(string)
}

func (n *notebook) Send(_ context.Context, _ advisor.Key, r advisor.Reply) error {
	_, err := n.file.WriteString(r.Parts[0].Text + "\n")
	n.halt("send")
	return err
}

// halting is Reminders that stop after a step.
type halting struct {
	adapters.Reminders
	halt func(string)
}

func (h *halting) Claim(ctx context.Context, n int, lease time.Duration) ([]adapters.Due, time.Duration, error) {
	due, next, err := h.Reminders.Claim(ctx, n, lease)
	if len(due) > 0 {
		h.halt("claim")
	}
	return due, next, err
}

func (h *halting) Begin(ctx context.Context, d adapters.Due, atLeast time.Duration) error {
	err := h.Reminders.Begin(ctx, d, atLeast)
	h.halt("begin")
	return err
}

func (h *halting) Finish(ctx context.Context, d adapters.Due, f adapters.Fate) error {
	err := h.Reminders.Finish(ctx, d, f)
	h.halt("finish")
	return err
}

// ringers starts processes that ring what is in one place.
type ringers struct {
	t     testing.TB
	place string
	said  string
}

func (r *ringers) start(halt string, rests time.Duration) *ringer {
	r.t.Helper()
	cmd := exec.Command(os.Args[0], "-test.run=^$")
	cmd.Env = append(os.Environ(), ringPlace+"="+r.place, ringSaid+"="+r.said, ringHalt+"="+halt)
	if rests > 0 {
		cmd.Env = append(cmd.Env, ringRests+"="+rests.String())
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		r.t.Fatal(err)
	}
	cmd.Stderr = os.Stderr
	if err := cmd.Start(); err != nil {
		r.t.Fatal(err)
	}
	c := &ringer{r.t, cmd, bufio.NewScanner(out)}
	r.t.Cleanup(c.kill)
	c.until("ringing")
	return c
}

// heard is what was said, line by line.
func (r *ringers) heard() []string {
	data, _ := os.ReadFile(r.said)
	return strings.Fields(strings.ReplaceAll(string(data), " again", "+again"))
}

// wait waits until so much was said, and then a little for what is too much.
func (r *ringers) wait(n int, most time.Duration) []string {
	r.t.Helper()
	for end := time.Now().Add(most); len(r.heard()) < n && time.Now().Before(end); {
		time.Sleep(20 * time.Millisecond)
	}
	time.Sleep(200 * time.Millisecond)
	return r.heard()
}

type ringer struct {
	t   testing.TB
	cmd *exec.Cmd
	out *bufio.Scanner
}

func (c *ringer) until(word string) {
	c.t.Helper()
	for c.out.Scan() {
		if c.out.Text() == word {
			return
		}
		c.t.Errorf("a ringer says %q", c.out.Text())
	}
	c.t.Fatalf("a ringer ended before it said %q", word)
}

func (c *ringer) kill() {
	c.cmd.Process.Kill()
	c.cmd.Wait()
}

func (c *ringer) signal(s syscall.Signal) {
	c.t.Helper()
	if err := c.cmd.Process.Signal(s); err != nil {
		c.t.Fatalf("signal a ringer: %v", err)
	}
}

// addAll adds reminders to a place that nobody has open.
func addAll(t testing.TB, place string, rs ...advisor.Reminder) {
	t.Helper()
	s, err := openPlace(t.Context(), place)
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range rs {
		r.Key, r.Zone = cmp.Or(r.Key, mePrivate), "UTC"
		if err := s.Reminders().Add(t.Context(), r); err != nil {
			t.Fatal(err)
		}
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
}

// TestKilled kills a process between each two steps of a reminder (cases 1, 2,
// 3 and 21). With Redis another process that is there takes over; a file is
// opened by the next one.
func TestKilled(t *testing.T) {
	for _, tt := range []struct {
		after string
		want  []string
	}{
		{"claim", []string{"a"}},
		{"begin", []string{"a+again"}},     // it cannot know
		{"send", []string{"a", "a+again"}}, // better twice than never
		{"finish", []string{"a"}},
	} {
		t.Run("file, after "+tt.after, func(t *testing.T) {
			t.Parallel()
			r := &ringers{t, filepath.Join(t.TempDir(), "reminders.db"), filepath.Join(t.TempDir(), "said")}
			addAll(t, r.place, advisor.Reminder{ID: "a", At: time.Now()})
			c := r.start(tt.after, 0)
			c.until("halt")
			c.kill()
			r.start("", 0)
			wantSaid(t, "after a kill", r.wait(len(tt.want), childLease+3*time.Second), tt.want...)
		})
		t.Run("Redis, after "+tt.after, func(t *testing.T) {
			t.Parallel()
			server := adaptertest.Redis(t)
			if server == nil {
				return
			}
			r := &ringers{t, server.URL(), filepath.Join(t.TempDir(), "said")}
			c := r.start(tt.after, 0)
			addAll(t, r.place, advisor.Reminder{ID: "a", At: time.Now()})
			c.until("halt")
			r.start("", 0) // is there before the other dies
			c.kill()
			start := time.Now()
			wantSaid(t, "after a kill", r.wait(len(tt.want), childLease+3*time.Second), tt.want...)
			if took := time.Since(start); took > childLease+3*time.Second {
				t.Errorf("it took %v, want the lease of %v and a poll", took, childLease)
			}
		})
	}
}

// TestPausedPastItsLease stops a process after its claim until the lease is
// over and another has said the reminder: it does not say it as well (case 4).
func TestPausedPastItsLease(t *testing.T) {
	for _, step := range []string{"claim", "begin"} {
		t.Run("after "+step, func(t *testing.T) {
			t.Parallel()
			server := adaptertest.Redis(t)
			if server == nil {
				return
			}
			r := &ringers{t, server.URL(), filepath.Join(t.TempDir(), "said")}
			first := r.start(step, 100*time.Millisecond)
			addAll(t, r.place, advisor.Reminder{ID: "a", At: time.Now()})
			first.until("halt")
			first.signal(syscall.SIGSTOP)
			r.start("", 0)
			want := map[string]string{"claim": "a", "begin": "a+again"}[step]
			wantSaid(t, "while the first is stopped", r.wait(1, childLease+2*time.Second), want)
			first.signal(syscall.SIGCONT)
			time.Sleep(time.Second)
			wantSaid(t, "when it goes on", r.heard(), want)
		})
	}
}

// TestRedisAway stops the Redis while reminders come due: health is red
// meanwhile, and they are said soon after it is back (case 6).
func TestRedisAway(t *testing.T) {
	place := adaptertest.Redis(t)
	if place == nil {
		return
	}
	store, err := redis.Open(t.Context(), place.URL())
	if err != nil {
		t.Fatal(err)
	}
	defer store.Close()
	chat := &mouth{}
	s := &server{store: store, bell: bellOver(store, chat)}
	ctx, stop := context.WithCancel(t.Context())
	done := make(chan struct{})
	go func() { s.bell.ring(ctx); close(done) }()
	for i := range 20 {
		r := advisor.Reminder{ID: fmt.Sprint(i), Key: mePrivate, Zone: "UTC", At: time.Now().Add(time.Duration(i) * 150 * time.Millisecond)}
		if err := store.Reminders().Add(t.Context(), r); err != nil {
			t.Fatal(err)
		}
	}
	time.Sleep(500 * time.Millisecond)
	place.Pause()
	if h := s.health(t.Context(), 0); h.OK || h.Parts["store"] != "not reachable" {
		t.Errorf("health while Redis is stopped: %+v", h)
	}
	time.Sleep(awayFor)
	if stalled := s.health(t.Context(), 0).Parts["reminders"] == "stalled"; awayFor > stallTime && !stalled {
		t.Error("after a while the loop counts as stalled")
	}
	place.Resume()
	back := time.Now()
	for len(chat.heard()) < 20 && time.Since(back) < 10*time.Second {
		time.Sleep(20 * time.Millisecond)
	}
	if got, took := len(chat.heard()), time.Since(back); got != 20 || took > 5*time.Second {
		t.Errorf("%d of 20 were said %v after Redis came back, want all within 5 s", got, took)
	}
	time.Sleep(100 * time.Millisecond)
	if h := s.health(t.Context(), 0); !h.OK {
		t.Errorf("health afterwards: %+v", h)
	}
	stop()
	<-done
}

// awayFor is how long TestRedisAway stops the Redis; -tags slow makes it longer.
var awayFor = time.Second
