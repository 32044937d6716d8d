package terminal

import (
	"bufio"
	"io"
	"strings"
	"sync"
)

// longestLine is how much of one line is read; people paste logs, not books.
const longestLine = 1 << 20 // bytes

// pipe takes each line for a message. It prints no prompt.
type pipe struct {
	in  *bufio.Reader
	mu  sync.Mutex
	out io.Writer
}

func newPipe(in io.Reader, out io.Writer) *pipe {
	return &pipe{in: bufio.NewReader(in), out: out}
}

func (p *pipe) next() (string, error) {
	var line strings.Builder
	for {
		part, err := p.in.ReadSlice('\n')
		if room := longestLine - line.Len(); len(part) > room {
			line.Write(part[:room])
		} else {
			line.Write(part)
		}
		switch {
		case err == bufio.ErrBufferFull:
			continue
		case err == io.EOF && line.Len() > 0:
			return clean(line.String()), nil
		default:
			return clean(line.String()), err
		}
	}
}

// clean drops the line end, a byte order mark and broken UTF-8.
func clean(s string) string {
	s = strings.TrimPrefix(strings.TrimRight(s, "\r\n"), "\ufeff")
	return strings.ToValidUTF8(s, "\uFFFD")
}

func (p *pipe) print(text string) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	_, err := io.WriteString(p.out, text)
	return err
}

func (p *pipe) close() {}
