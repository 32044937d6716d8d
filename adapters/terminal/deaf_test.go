package terminal

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"gpuadvisor/adapters"
	"gpuadvisor/advisor"
)

// full is a device on which nothing more can be written.
type full struct{}

var errFull = errors.New("no space left")

func (full) Write([]byte) (int, error) { return 0, errFull }

// TestServeStopsUnheard wants an error, and no further message taken, once a
// reply cannot be written.
func TestServeStopsUnheard(t *testing.T) {
	chat := New(Config{In: strings.NewReader("one\ntwo\n"), Out: full{}, Key: "k", Now: time.Now})
	taken := 0
	err := chat.Serve(t.Context(), func(ctx context.Context, m advisor.Message, respond adapters.Respond) {
		taken++
		if err := respond(ctx, advisor.Reply{Parts: []advisor.Part{{Kind: "text", Text: "hello"}}}); !errors.Is(err, errFull) {
			t.Errorf("respond: got %v, want %v", err, errFull)
		}
	})
	if !errors.Is(err, errFull) || taken != 1 {
		t.Errorf("got %v after %d messages, want %v after 1", err, taken, errFull)
	}
}
