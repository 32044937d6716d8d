// Package terminal is the chat of one person at a keyboard, and the reference
// for every other chat: the shortest adapter that keeps all promises of
// adapters.Chat.
//
// On a terminal it edits lines, remembers them while it runs, takes a pasted
// block as one message and keeps reminders above the line being typed. Through
// a pipe it takes every line for a message and prints nothing but replies, so
// that a conversation can be scripted and compared.
//
// A number picks the choice with that number in the last reply. Ctrl-C drops
// what is typed, on an empty line it ends the program as Ctrl-D does. Nothing
// is written to a file: what people type about their work is theirs.
package terminal

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strconv"
	"strings"
	"sync"
	"time"

	"gpuadvisor/adapters"
	"gpuadvisor/advisor"
)

// Config says how a terminal talks.
type Config struct {
	In    io.Reader // edited on the screen when both ends are a terminal
	Out   io.Writer
	Key   advisor.Key   // whose conversation it is
	Actor advisor.Actor // who types
	Lang  string        // "zh", "en" or "" when unknown
	Zone  string        // IANA name
	Plain bool          // no colour: NO_COLOR is set
	Dumb  bool          // no line editing: TERM is dumb or empty
	Now   func() time.Time
}

// Terminal is an adapters.Chat.
type Terminal struct {
	c      Config
	run    string // names this run, so that ids are new in every one
	input  input
	screen *os.File // nil for a pipe

	mu      sync.Mutex
	choices []advisor.Choice // that a number picks
	said    int              // messages so far, for their ids
}

var _ adapters.Chat = (*Terminal)(nil)

// input is where lines come from. next returns io.EOF at the end, and
// errInterrupt when the person wants to leave or drop the line.
type input interface {
	next() (string, error)
	print(text string) error // above the line being typed
	close()
}

var errInterrupt = errors.New("interrupted")

// New returns the chat of c.
func New(c Config) *Terminal {
	if IsTerminal(c.In) && IsTerminal(c.Out) && !c.Dumb {
		in, out := c.In.(*os.File), c.Out.(*os.File)
		return &Terminal{c: c, run: runName(c), input: newEditor(in, out), screen: out}
	}
	return &Terminal{c: c, run: runName(c), input: newPipe(c.In, c.Out)}
}

func runName(c Config) string { return strconv.FormatInt(c.Now().UnixNano(), 36) }

// Interactive reports whether a person edits lines here.
func (t *Terminal) Interactive() bool { return t.screen != nil }

// look is how to draw on the screen as wide as it is now.
func (t *Terminal) look() Look {
	if t.screen == nil {
		return Look{}
	}
	return Look{Width: columns(t.screen), Colour: !t.c.Plain}
}

// Capabilities implements adapters.Chat.
func (t *Terminal) Capabilities() adapters.Capabilities {
	return adapters.Capabilities{Fields: true, Private: true, Later: true}
}

// Serve implements adapters.Chat. It returns nil at end of input, when the
// person leaves, and when ctx ends; where nothing can be written, it stops to
// listen.
func (t *Terminal) Serve(ctx context.Context, handle adapters.Handler) error {
	defer t.input.close()
	var unheard error
	for {
		line, err := t.read(ctx)
		switch {
		case errors.Is(err, io.EOF), errors.Is(err, errInterrupt), ctx.Err() != nil:
			return nil
		case err != nil:
			return fmt.Errorf("read line: %w", err)
		case leaving(line):
			return nil
		case strings.TrimSpace(line) == "":
			continue
		}
		handle(ctx, t.message(line), func(_ context.Context, r advisor.Reply) error {
			unheard = t.show(r, r.Choices)
			return unheard
		})
		if unheard != nil {
			return fmt.Errorf("write reply: %w", unheard)
		}
	}
}

// read waits for a line, or for the end of ctx. The goroutine that still waits
// for a key then ends with the program.
func (t *Terminal) read(ctx context.Context) (string, error) {
	type result struct {
		line string
		err  error
	}
	got := make(chan result, 1)
	go func() {
		line, err := t.input.next()
		got <- result{line, err}
	}()
	select {
	case r := <-got:
		return r.line, r.err
	case <-ctx.Done():
		return "", ctx.Err()
	}
}

// leaving reports whether the line says goodbye to the program.
func leaving(line string) bool {
	switch strings.ToLower(strings.Trim(line, " /\t\r\n")) {
	case "exit", "quit", "bye", "退出", "再见":
		return true
	}
	return false
}

func (t *Terminal) message(line string) advisor.Message {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.said++
	m := advisor.Message{
		ID:        t.run + "." + strconv.Itoa(t.said),
		Key:       t.c.Key,
		Actor:     t.c.Actor,
		Kind:      advisor.KindText,
		Text:      line,
		Lang:      t.c.Lang,
		Zone:      t.c.Zone,
		At:        t.c.Now(),
		Addressed: true,
	}
	if ref, ok := pick(line, t.choices); ok {
		m.Kind, m.Choice = advisor.KindChoice, ref
	}
	return m
}

// pick finds the choice that a line means: its number ("2", "2.", "2)",
// "２") or its label.
func pick(line string, choices []advisor.Choice) (ref string, ok bool) {
	s := strings.TrimRight(strings.Map(narrow, strings.TrimSpace(line)), ".)、。）．")
	if n, err := strconv.Atoi(s); err == nil && 1 <= n && n <= len(choices) {
		return choices[n-1].Ref, true
	}
	for _, c := range choices {
		if strings.EqualFold(s, c.Label) {
			return c.Ref, true
		}
	}
	return "", false
}

// narrow turns a full-width digit into an ordinary one.
func narrow(r rune) rune {
	if '０' <= r && r <= '９' {
		return r - '０' + '0'
	}
	return r
}

// Send implements adapters.Chat: it speaks unasked, above the line that is
// being typed.
func (t *Terminal) Send(ctx context.Context, to advisor.Key, r advisor.Reply) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	if to != t.c.Key {
		return adapters.ErrGone
	}
	t.mu.Lock()
	open := t.choices // a reminder does not close the open question
	t.mu.Unlock()
	if len(r.Choices) > 0 {
		open = r.Choices
	}
	return t.show(r, open)
}

func (t *Terminal) show(r advisor.Reply, open []advisor.Choice) error {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.choices = open
	if text := Render(r, t.look()); text != "" {
		return t.input.print(text + "\n\n") // an empty line ends a reply
	}
	return nil
}

// Say prints a line that is not part of the conversation: a greeting, a
// goodbye.
func (t *Terminal) Say(text string) { t.input.print(text + "\n") }
