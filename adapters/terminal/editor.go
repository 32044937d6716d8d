package terminal

import (
	"errors"
	"fmt"
	"os"
	"strings"
	"sync"

	"github.com/reeflective/readline"
	"golang.org/x/term"
)

// prompt starts the line that a person types.
const prompt = "> "

// editor edits lines on a terminal, with a history that lasts as long as the
// program.
type editor struct {
	in, out *os.File
	shell   *readline.Shell
	before  *term.State // of the terminal, to be put back however we leave

	mu     sync.Mutex
	typing bool // the prompt stands on the screen
}

func newEditor(in, out *os.File) *editor {
	e := &editor{in: in, out: out, shell: readline.NewShell()}
	e.before, _ = term.GetState(int(in.Fd()))
	e.shell.Prompt.Primary(func() string { return prompt })
	e.shell.Config.Set("enable-bracketed-paste", true)
	// Terminals that never answer the question for the cursor position would
	// hang us; our prompt starts at the left edge, so there is no need to ask.
	e.shell.Config.Set("cursor-position-probe", false)
	e.shell.PasteTransformer = func(s string) string { return strings.TrimRight(s, "\r\n") }
	return e
}

func (e *editor) next() (string, error) {
	e.setTyping(true)
	line, err := e.shell.Readline()
	e.setTyping(false)
	if errors.Is(err, readline.ErrInterrupt) {
		if line != "" {
			return "", nil // the typed line is dropped, the talk goes on
		}
		return "", errInterrupt
	}
	return clean(line), err
}

func (e *editor) setTyping(now bool) {
	e.mu.Lock()
	e.typing = now
	e.mu.Unlock()
}

func (e *editor) print(text string) error {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.typing {
		_, err := e.shell.PrintTransientf("%s", strings.TrimSuffix(text, "\n"))
		return err
	}
	_, err := fmt.Fprint(e.out, text)
	return err
}

// leaveLine ends the line being typed and undoes what the editor told the
// terminal: bracketed paste and the shape of the cursor.
const leaveLine = "\x1b[?2004l\x1b[0 q\r\n"

func (e *editor) close() {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.typing { // told to stop in the middle of a line
		fmt.Fprint(e.out, leaveLine)
	}
	if e.before != nil {
		term.Restore(int(e.in.Fd()), e.before)
	}
}

// IsTerminal reports whether a reader or writer is a terminal; /dev/null is
// none.
func IsTerminal(end any) bool {
	f, ok := end.(*os.File)
	return ok && term.IsTerminal(int(f.Fd()))
}

// widest is where lines are broken at the latest, for reading's sake.
const widest = 100 // columns

func columns(f *os.File) int {
	w, _, err := term.GetSize(int(f.Fd()))
	if err != nil || w < 20 {
		return 0
	}
	return min(w, widest)
}
