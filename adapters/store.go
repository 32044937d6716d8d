package adapters

import (
	"cmp"
	"context"
	"errors"
	"time"

	"gpuadvisor/advisor"
)

// Store is one place that keeps everything: a file, a Redis, or the memory of
// the process. Its three ports share nothing but the place.
//
// Whatever a port does, it does wholly or not at all, and doing it again is
// safe: a call whose answer was lost may be repeated. Besides the errors that
// each method names, all return ErrUnavailable when the place cannot be
// reached now, the context's error when that ends first, ErrForeign and
// ErrNewer. No error carries a password.
type Store interface {
	Conversations() Conversations
	Settings() Settings
	Reminders() Reminders

	// Ping tells whether the place answers.
	Ping(ctx context.Context) error

	// Close lets go of the place. No other call may follow.
	Close() error
}

var (
	// ErrForeign means that another program's data lies where ours belongs.
	// It is left as it is.
	ErrForeign = errors.New("not written by gpuadvisor")
	// ErrNewer means that a newer gpuadvisor wrote this in a form that we do
	// not know. It is left as it is.
	ErrNewer = errors.New("written by a newer gpuadvisor: upgrade this one")
	// ErrTooMany means that the person has as many reminders as one may have.
	ErrTooMany = errors.New("too many reminders")
	// ErrLost means that a claimed reminder is no longer ours: its lease ran
	// out, or it was cancelled. Do not send it.
	ErrLost = errors.New("no longer claimed by us")
)

// Conversations keeps one record per person and place, for KeepConversation
// after its last turn.
type Conversations interface {
	// Load returns the conversation, or a fresh one of version 0.
	Load(ctx context.Context, key advisor.Key) (advisor.Conversation, error)

	// Commit stores a finished turn in one step: the state under the next
	// version, the message id, and the reply as not yet sent. In this order it
	// checks that
	//
	//   - the message was not committed before; otherwise nothing changes and
	//     the Outcome carries the reply of that time, if it may not have
	//     arrived yet;
	//   - turn.Conversation.Version is the stored one; otherwise nothing
	//     changes and the error is ErrConflict.
	//
	// The id comes first, so that a commit whose answer was lost reads as
	// done, not as a conflict. A store remembers at least the last KeepIDs
	// message ids.
	Commit(ctx context.Context, key advisor.Key, turn Turn) (Outcome, error)

	// Committed tells what Commit would say of a message that was committed
	// before; of any other the Outcome says no Repeat. Whoever is about to do
	// the effects of a turn asks this first, lest an old message that is
	// delivered again does them again.
	Committed(ctx context.Context, key advisor.Key, messageID string) (Outcome, error)

	// MarkSent notes that the reply to the message reached the person; its
	// text is dropped. An id that is not known any more is no error.
	MarkSent(ctx context.Context, key advisor.Key, messageID string) error

	// Of lists the conversations of a person, in no order. One that expired
	// may still be listed.
	Of(ctx context.Context, who Owner) ([]advisor.Key, error)

	// Forget removes everything under the key. The next Load is fresh.
	Forget(ctx context.Context, key advisor.Key) error
}

// KeepConversation is how long a conversation outlives its last turn, at
// least; a store may take a day longer.
const KeepConversation = 7 * 24 * time.Hour

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
	Reply   advisor.Reply // to send; of the first time when Repeat, empty when Sent
	Sent    bool          // that reply is known to have arrived
}

// Settings keeps small records by owner and name: a person's profile, their
// rentals and measurements, a room's settings and its team's prices.
type Settings interface {
	// Get returns the record, or one of version 0 when there is none.
	Get(ctx context.Context, of Owner, name string) (Record, error)

	// Put stores r.Data under the next version, which it returns. In this
	// order it checks that
	//
	//   - r.By did not write the stored record already; otherwise nothing
	//     changes and the stored version is returned;
	//   - r.Version is the stored one; otherwise nothing changes and the error
	//     is ErrConflict.
	//
	// A record without Data is removed. Removing what is not there is no
	// error.
	Put(ctx context.Context, of Owner, name string, r Record) (version int64, err error)

	// List returns all records of an owner by name. When ErrForeign is about
	// some of them, it returns the others besides.
	List(ctx context.Context, of Owner) (map[string]Record, error)

	// Forget removes all records of an owner.
	Forget(ctx context.Context, of Owner) error
}

// Record is one thing that Settings keeps.
type Record struct {
	Version int64     // 0: nothing is stored
	Data    []byte    // whatever the caller made, usually JSON
	By      string    // id of the effect that wrote it; may be empty
	Until   time.Time // gone after that instant, in milliseconds; zero: kept for ever
}

// Reminders keeps what is due, for all replicas of the bot. A reminder is
// identified by its Key and its ID. Due times and leases run by the clock of
// the store, so that a replica whose clock is wrong does no harm.
type Reminders interface {
	// Add keeps a reminder. When one with the same identity waits or died,
	// nothing changes and the error is nil. Beyond MaxReminders of one person
	// that wait the error is ErrTooMany.
	Add(ctx context.Context, r advisor.Reminder) error

	// Cancel removes a reminder, claimed or not, and tells whether it was
	// there.
	Cancel(ctx context.Context, key advisor.Key, id string) (bool, error)

	// List returns those of a person, or of everybody in a room, the soonest
	// first, without dead letters.
	List(ctx context.Context, of Owner) ([]advisor.Reminder, error)

	// Claim takes reminders that are due, at most n; of one person's the
	// longest overdue come first. They are ours for the lease; then anybody
	// may claim them again. Claiming counts as an attempt. next is how long
	// until another is due or a lease ends, at most a minute.
	Claim(ctx context.Context, n int, lease time.Duration) (due []Due, next time.Duration, err error)

	// Begin is called right before sending: it notes that the attempt has
	// reached the chat and makes sure that the reminder is still ours for
	// that long; otherwise the error is ErrLost.
	Begin(ctx context.Context, d Due, atLeast time.Duration) error

	// Finish ends a claim. When somebody else has claimed the reminder since,
	// or it was cancelled, nothing changes and the error is ErrLost.
	Finish(ctx context.Context, d Due, f Fate) error

	// Bury gives up all that wait in a room, claimed or not, as a Fate that is
	// Dead does, and tells how many.
	Bury(ctx context.Context, room Owner, reason string) (int, error)

	// Revive lets those dead letters of a room wait again that died of that
	// reason, and tells how many. when says at what time each is due now; one
	// for which that is zero stays dead.
	Revive(ctx context.Context, room Owner, reason string, when func(advisor.Reminder) time.Time) (int, error)

	// Dead lists dead letters, the latest first, at most n.
	Dead(ctx context.Context, n int) ([]DeadLetter, error)

	// Forget removes everything of a person, dead letters included.
	Forget(ctx context.Context, who Owner) error
}

// MaxReminders is how many reminders one person may have waiting.
const MaxReminders = advisor.MostReminders

// Sooner is the order in which reminders are listed: the soonest first.
func Sooner(a, b advisor.Reminder) int {
	return cmp.Or(a.At.Compare(b.At), cmp.Compare(a.ID, b.ID))
}

// KeepDead is how long a dead letter is kept.
const KeepDead = 30 * 24 * time.Hour

// Due is a claimed reminder.
type Due struct {
	Reminder advisor.Reminder
	Attempt  int           // this one, from 1
	Reached  bool          // an earlier attempt got as far as the chat: this may be a repeat
	Late     time.Duration // behind Reminder.At by the store's clock
	Token    string        // proves the claim
}

// Fate is what became of a claimed reminder. The zero Fate is "delivered":
// it is removed.
type Fate struct {
	Next  time.Time     // delivered, and due again then: a recurring one
	Retry time.Duration // > 0: not delivered, due again after so long
	Free  bool          // with Retry: the attempt does not count (asked to wait)
	Dead  string        // not deliverable: the reason, in a word
}

// DeadLetter is a reminder that could not be delivered.
type DeadLetter struct {
	Reminder advisor.Reminder
	Attempts int
	Reason   string
	At       time.Time // when it was given up
}
