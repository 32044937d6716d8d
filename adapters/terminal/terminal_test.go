package terminal

import (
	"io"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"gpuadvisor/adapters/adaptertest"
	"gpuadvisor/advisor"
)

func TestChat(t *testing.T) {
	adaptertest.TestChat(t, func(t *testing.T) adaptertest.Rig {
		in, keyboard := io.Pipe()
		t.Cleanup(func() { keyboard.Close() })
		var screen page
		chat := New(Config{In: in, Out: &screen, Key: "terminal:me", Actor: advisor.Actor{ID: "me"}, Now: time.Now})
		say := func(text string) { io.WriteString(keyboard, text+"\n") }
		return adaptertest.Rig{
			Chat: chat, Key: "terminal:me", Say: say,
			Pick: func(n int) { say(strconv.Itoa(n)) },
			Seen: screen.String,
			Hang: func() { keyboard.Close() },
		}
	})
}

// page is a screen that may be read while it is written.
type page struct {
	mu sync.Mutex
	b  strings.Builder
}

func (p *page) Write(b []byte) (int, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.b.Write(b)
}

func (p *page) String() string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.b.String()
}

func TestPick(t *testing.T) {
	choices := []advisor.Choice{{Ref: "a", Label: "几小时"}, {Ref: "b", Label: "A few days"}, {Ref: "c", Label: "更久"}}
	for _, tt := range []struct{ line, want string }{
		{"1", "a"}, {" 2 ", "b"}, {"2.", "b"}, {"3)", "c"}, {"3、", "c"}, {"２", "b"}, {"几小时", "a"}, {"a few days", "b"},
		{"0", ""}, {"4", ""}, {"-1", ""}, {"2 cards", ""}, {"", ""}, {"1e0", ""}, {"几", ""}, {"99999999999999999999", ""},
	} {
		if got, _ := pick(tt.line, choices); got != tt.want {
			t.Errorf("pick(%q) = %q, want %q", tt.line, got, tt.want)
		}
	}
	if ref, ok := pick("1", nil); ok {
		t.Errorf("a number picked %q from no choices", ref)
	}
}

func TestLeaving(t *testing.T) {
	for _, line := range []string{"exit", "/quit", " QUIT ", "退出", "/exit"} {
		if !leaving(line) {
			t.Errorf("%q does not leave", line)
		}
	}
	for _, line := range []string{"how do I exit vim", "不退出", "/help", ""} {
		if leaving(line) {
			t.Errorf("%q leaves", line)
		}
	}
}

func TestPipeLines(t *testing.T) {
	long := strings.Repeat("长", longestLine/3+10)
	p := newPipe(strings.NewReader("\ufeff第一行\r\n\nbroken \xff utf-8\n"+long+"\nlast"), io.Discard)
	var got []string
	for {
		line, err := p.next()
		if err == io.EOF {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		got = append(got, line)
	}
	want := []string{"第一行", "", "broken \uFFFD utf-8", "", "last"}
	if len(got) != len(want) {
		t.Fatalf("got %d lines, want %d", len(got), len(want))
	}
	for i, w := range want {
		if i == 3 { // the long one is cut, not split
			if !strings.HasPrefix(long, strings.TrimRight(got[i], "\uFFFD")) || len(got[i]) < longestLine-4 {
				t.Errorf("line 3 has %d bytes, want the first %d", len(got[i]), longestLine)
			}
		} else if got[i] != w {
			t.Errorf("line %d: got %q, want %q", i, got[i], w)
		}
	}
}
