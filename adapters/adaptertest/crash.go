//go:build unix

package adaptertest

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"gpuadvisor/adapters"
	"gpuadvisor/advisor"
)

// crash.go kills processes in the middle of turns. The process that is killed
// is the test binary itself, started again as a bot that does nothing but
// turns; Main makes it one.

// What a child is told, in its environment.
const (
	childPlace = "ADAPTERTEST_PLACE" // what open takes; set: this process is a child
	childSent  = "ADAPTERTEST_SENT"  // the file that stands for the chat
	childFrom  = "ADAPTERTEST_FROM"  // first message
	childTo    = "ADAPTERTEST_TO"    // last message
	childHalt  = "ADAPTERTEST_HALT"  // step after which the child waits to be killed
)

// Main is for the TestMain of a store. In a child it takes turns on the store
// that open returns for a place; otherwise it runs the tests.
func Main(m *testing.M, open func(place string) (adapters.Store, error)) {
	place := os.Getenv(childPlace)
	if place == "" {
		os.Exit(m.Run())
	}
	s, err := open(place)
	if err == nil {
		err = takeTurns(s)
	}
	if err != nil {
		fmt.Println("error:", err)
		os.Exit(1)
	}
	os.Exit(0)
}

// The steps of a turn, each of which may be the last that a process does.
var steps = []string{"load", "effects", "commit", "send", "mark"}

// takeTurns plays the messages that the environment names, and says so on
// standard output.
func takeTurns(s adapters.Store) error {
	from, _ := strconv.Atoi(os.Getenv(childFrom))
	to, _ := strconv.Atoi(os.Getenv(childTo))
	sent, err := os.OpenFile(os.Getenv(childSent), os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	for n := from; n <= to; n++ {
		t := crashTurn{Store: s, id: fmt.Sprint(n), sent: sent, after: func(step string) {
			if step == os.Getenv(childHalt) {
				fmt.Println("halt")
				select {} // until we are killed
			}
		}}
		if err := t.play(context.Background()); err != nil {
			return err
		}
		fmt.Println("done", n)
	}
	return s.Close()
}

// crashTurn is one turn, as the bot takes it: the effects before the commit,
// and not again for a message that was committed.
type crashTurn struct {
	adapters.Store
	id    string
	sent  *os.File
	after func(step string)
}

const crashed = advisor.Key("chat:bot:room::crash")

func (t crashTurn) play(ctx context.Context) error {
	s := t.Conversations()
	out, err := s.Committed(ctx, crashed, t.id)
	if err != nil {
		return err
	}
	for !out.Repeat {
		c, err := s.Load(ctx, crashed)
		if err != nil {
			return err
		}
		t.after("load")
		if err := t.effects(ctx); err != nil {
			return err
		}
		t.after("effects")
		c.Turns++
		out, err = s.Commit(ctx, crashed, adapters.Turn{MessageID: t.id, Conversation: c, Reply: say(t.id, t.id, 0).Reply})
		if err == nil {
			break
		}
		if !errors.Is(err, adapters.ErrConflict) {
			return err
		}
	}
	t.after("commit")
	if out.Sent {
		return nil
	}
	if _, err := fmt.Fprintln(t.sent, saidIn(out.Reply)); err != nil {
		return err
	}
	t.after("send")
	if err := s.MarkSent(ctx, crashed, t.id); err != nil {
		return err
	}
	t.after("mark")
	return nil
}

// effects adds the message to a list that grows by one for each, and a
// reminder.
func (t crashTurn) effects(ctx context.Context) error {
	who := adapters.Person(crashed)
	for {
		r, err := t.Settings().Get(ctx, who, "list")
		if err != nil {
			return err
		}
		if !strings.Contains(string(r.Data), "+"+t.id+"+") {
			r.Data = append(r.Data, "+"+t.id+"+"...)
		}
		r.By = t.id
		if _, err = t.Settings().Put(ctx, who, "list", r); err == nil {
			break
		} else if !errors.Is(err, adapters.ErrConflict) {
			return err
		}
	}
	n, _ := strconv.Atoi(t.id)
	return t.Reminders().Add(ctx, advisor.Reminder{ID: t.id, Key: spell("room", fmt.Sprint(n/20)), At: time.Now().Add(day)})
}

// TestCrash kills a process between each two steps of a turn, and then again
// and again wherever it happens to be, and checks that every message was
// answered and none taken twice. open is the one of Main, place an empty place.
func TestCrash(t *testing.T, open func(place string) (adapters.Store, error), place func(t *testing.T) string) {
	for _, step := range steps {
		t.Run("after "+step, func(t *testing.T) {
			c := &crashes{t: t, place: place(t), sent: filepath.Join(t.TempDir(), "sent")}
			c.run(1, 1, step).kill("halt")
			c.run(1, 1, "").wait()
			repeats := 0
			if step == "send" { // it cannot be known whether it arrived: better twice than never
				repeats = 1
			}
			c.check(open, 1, repeats)
			if repeats > 0 && c.count() != 2 {
				t.Errorf("killed between send and mark: sent %d times, want 2", c.count())
			}
		})
	}
	t.Run("anywhere", func(t *testing.T) {
		const messages, kills = 120, 10
		c := &crashes{t: t, place: place(t), sent: filepath.Join(t.TempDir(), "sent")}
		next, killed := 1, 0
		for next <= messages {
			child := c.run(max(1, next-2), messages, "") // the last two are delivered again
			if killed < kills {
				target := next + rand.IntN(messages/kills)
				next = child.killAfter(target, time.Duration(rand.IntN(2000))*time.Microsecond) + 1
				killed++
				continue
			}
			child.wait()
			break
		}
		c.check(open, messages, killed)
	})
}

// crashes starts children on one place.
type crashes struct {
	t     *testing.T
	place string
	sent  string
}

type child struct {
	t   *testing.T
	cmd *exec.Cmd
	out *bufio.Scanner
}

func (c *crashes) run(from, to int, halt string) *child {
	c.t.Helper()
	cmd := exec.Command(os.Args[0], "-test.run=^$")
	cmd.Env = append(os.Environ(), childPlace+"="+c.place, childSent+"="+c.sent,
		fmt.Sprint(childFrom, "=", from), fmt.Sprint(childTo, "=", to), childHalt+"="+halt)
	out, err := cmd.StdoutPipe()
	if err != nil {
		c.t.Fatal(err)
	}
	cmd.Stderr = os.Stderr
	if err := cmd.Start(); err != nil {
		c.t.Fatal(err)
	}
	c.t.Cleanup(func() { cmd.Process.Kill() })
	return &child{c.t, cmd, bufio.NewScanner(out)}
}

// kill kills the child when it says so.
func (c *child) kill(when string) {
	c.t.Helper()
	for c.out.Scan() {
		if c.out.Text() == when {
			c.cmd.Process.Kill()
			c.cmd.Wait()
			return
		}
	}
	c.t.Fatalf("the child ended before it said %q", when)
}

// killAfter kills the child a moment after it has done a message, and returns
// the last that it said it has done.
func (c *child) killAfter(message int, moment time.Duration) (last int) {
	c.t.Helper()
	for c.out.Scan() {
		if n, ok := c.done(); ok {
			last = n
		}
		if last == message {
			time.AfterFunc(moment, func() { c.cmd.Process.Kill() })
		}
	}
	c.cmd.Wait()
	return last
}

func (c *child) done() (int, bool) {
	text := c.out.Text()
	if strings.HasPrefix(text, "error:") {
		c.t.Errorf("the child: %s", text)
	}
	number, ok := strings.CutPrefix(text, "done ")
	n, err := strconv.Atoi(number)
	return n, ok && err == nil
}

// wait lets the child do its work to the end.
func (c *child) wait() {
	c.t.Helper()
	for c.out.Scan() {
		c.done()
	}
	if err := c.cmd.Wait(); err != nil {
		c.t.Fatalf("the child: %v", err)
	}
}

// count is how many replies were sent.
func (c *crashes) count() int {
	data, _ := os.ReadFile(c.sent)
	return strings.Count(string(data), "\n")
}

// check looks at what all the turns have left.
func (c *crashes) check(open func(place string) (adapters.Store, error), messages, repeats int) {
	t := c.t
	t.Helper()
	s, err := open(c.place)
	if err != nil {
		t.Fatalf("open after the crashes: %v", err)
	}
	defer s.Close()
	if got := load(t, s.Conversations(), crashed); got.Turns != messages || got.Version != int64(messages) {
		t.Errorf("got %d turns at version %d, want %d of each", got.Turns, got.Version, messages)
	}
	record := (&shelf{t, s.Settings()}).get(adapters.Person(crashed), "list")
	sent, _ := os.ReadFile(c.sent)
	for n := 1; n <= messages; n++ {
		if got := strings.Count(string(record.Data), fmt.Sprintf("+%d+", n)); got != 1 {
			t.Errorf("the effect of message %d was done %d times, want once", n, got)
		}
		if got := strings.Count("\n"+string(sent), fmt.Sprintf("\n%d\n", n)); got == 0 {
			t.Errorf("message %d was never answered", n)
		}
	}
	if got := c.count(); got > messages+repeats {
		t.Errorf("%d replies to %d messages after %d kills, want at most one repeat for each", got, messages, repeats)
	}
	kept := 0
	for who := 0; who <= messages/20; who++ {
		list, err := s.Reminders().List(context.Background(), adapters.Person(spell("room", fmt.Sprint(who))))
		if err != nil {
			t.Fatalf("List: %v", err)
		}
		kept += len(list)
	}
	if kept != messages {
		t.Errorf("%d reminders are kept, want %d", kept, messages)
	}
}
