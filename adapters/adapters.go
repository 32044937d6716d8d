// Package adapters holds the ports: what the house asks of the outside world.
//
// A Chat is where people talk to us: it turns a platform's events into
// advisor.Message values, hands each to a Handler, and renders the Reply that
// comes back. A Store is where we keep what must not be lost: conversations,
// settings and reminders (store.go). One folder per chat and per store lies
// beside this file; none knows another, and none knows the rules. Read
// adapters/terminal and adapters/memory first, they are the shortest.
//
// What a port means is written down twice: in the comments here, and as a test
// in adapters/adaptertest that every implementation runs.
package adapters

import (
	"context"
	"errors"
	"fmt"
	"time"

	"gpuadvisor/advisor"
)

// Chat is a place where people talk to us.
type Chat interface {
	// Serve hands every incoming message to handle until the context ends or
	// the chat closes by itself (a terminal at end of input); both are nil.
	// Messages of one conversation are handed over in order, one at a time.
	Serve(ctx context.Context, handle Handler) error

	// Send says something that nobody asked for just now: a reminder. The
	// errors that a caller may act on are ErrGone, *Wait and ErrUnavailable.
	Send(ctx context.Context, to advisor.Key, r advisor.Reply) error

	// Capabilities tells what the chat can show.
	Capabilities() Capabilities
}

// Handler takes one message, the way an http.Handler takes a request. It calls
// respond at most once; a message that is not for us gets no response.
type Handler func(ctx context.Context, m advisor.Message, respond Respond)

// Respond shows the reply to the message that it came with. It returns after
// the platform has accepted the reply, with the errors of Chat.Send.
type Respond func(ctx context.Context, r advisor.Reply) error

// Unit is what a platform counts when it limits the length of a text.
type Unit int

const (
	Runes Unit = iota
	UTF16
	Bytes
)

// Capabilities is what a chat can show. Zero numbers mean no limit.
type Capabilities struct {
	MaxText    int  // longest text of one message, in Unit
	Unit       Unit // what MaxText counts
	MaxChoices int  // options under one message
	RefBytes   int  // longest Choice.Ref
	Fields     bool // name and value side by side
	Private    bool // replies that only the asker sees
	Forms      bool
	Edit       bool // replace an earlier message
	Files      bool
	Later      bool // may speak without being asked
}

var (
	// ErrConflict means that what is stored changed since it was loaded: load
	// it and play the turn again.
	ErrConflict = errors.New("changed meanwhile")
	// ErrUnavailable means that the chat or the store does not answer now and
	// may answer later.
	ErrUnavailable = errors.New("not reachable now")
	// ErrGone means that the person or the room cannot be reached any more:
	// blocked, left or deleted. Trying again is useless.
	ErrGone = errors.New("the chat is gone")
)

// Wait is the error of a platform that asks for patience.
type Wait struct{ For time.Duration }

func (w *Wait) Error() string { return fmt.Sprintf("asked to wait %s", w.For) }
