// Package adapters holds the ports: what the house asks of the outside world.
//
// A Chat is where people talk to us: it turns a platform's events into
// advisor.Message values, hands each to a Handler, and renders the Reply that
// comes back. Conversations is where we keep what we remember of a person. One
// folder per chat and per store lies beside this file; none knows another, and
// none knows the rules. Read adapters/terminal first, it is the shortest.
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
	// ErrConflict means that the conversation changed since it was loaded:
	// load it and play the turn again.
	ErrConflict = errors.New("conversation changed meanwhile")
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

// Conversations keeps one record per person and place.
type Conversations interface {
	// Load returns the conversation, or a fresh one of version 0.
	Load(ctx context.Context, key advisor.Key) (advisor.Conversation, error)

	// Commit stores a finished turn in one step: the state under the next
	// version, the message id, and the reply as not yet sent. In this order it
	// checks that
	//
	//   - the message was not committed before; otherwise nothing changes and
	//     the Outcome carries the reply of that time;
	//   - turn.Conversation.Version is the stored one; otherwise nothing
	//     changes and the error is ErrConflict.
	//
	// A store remembers at least the last KeepIDs message ids.
	Commit(ctx context.Context, key advisor.Key, turn Turn) (Outcome, error)

	// MarkSent notes that the reply to the message reached the person. An id
	// that is not known any more is no error.
	MarkSent(ctx context.Context, key advisor.Key, messageID string) error

	// Forget removes everything under the key. The next Load is fresh.
	Forget(ctx context.Context, key advisor.Key) error
}

// KeepIDs is how many message ids a conversation remembers, so that a platform
// that delivers a message twice gets one answer.
const KeepIDs = 32

// Turn is what one message led to.
type Turn struct {
	MessageID    string
	Conversation advisor.Conversation // with the version that was loaded
	Reply        advisor.Reply
}

// Outcome is what Commit found.
type Outcome struct {
	Version int64         // stored now
	Repeat  bool          // the message had been committed before
	Reply   advisor.Reply // to send; of the first time when Repeat
	Sent    bool          // that reply is known to have arrived
}
