package adapters

import (
	"context"
	"crypto/sha256"
	"encoding/base64"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"time"

	"gpuadvisor/advisor"
)

// move.go is how everything gets from one store to another without loss: the
// versions, the message ids that were seen, the replies that may not have
// arrived, the attempts of a reminder, the dead letters.

// Item is one thing that a store keeps, as any other can take it over. One of
// Ledger, Record and Waiting is set.
type Item struct {
	Key    advisor.Key // of the conversation
	Ledger *Ledger

	Of     Owner // whose record
	Name   string
	Record *Record

	Waiting *Waiting // a reminder, or a dead letter
}

// Kind names what it is: conversations, settings, reminders, dead.
func (i Item) Kind() string {
	switch {
	case i.Ledger != nil:
		return "conversations"
	case i.Record != nil:
		return "settings"
	case i.Waiting != nil && i.Waiting.Reason != "":
		return "dead"
	}
	return "reminders"
}

// Sum is a digest of all that must be the same in every store: when a
// conversation expires need not be, and stores count time in different grains.
func (i Item) Sum() [sha256.Size]byte {
	switch {
	case i.Ledger != nil:
		l := Ledger{Version: i.Ledger.Version, State: i.Ledger.State}
		for _, t := range i.Ledger.Turns {
			l.Turns = append(l.Turns, Entry{Mark: t.mark(), Reply: t.Reply})
		}
		i.Ledger = &l
	case i.Waiting != nil:
		w := *i.Waiting
		w.Token, w.Due = "", w.Due.Add(time.Millisecond-1).Truncate(time.Millisecond).UTC()
		i.Waiting = &w
	}
	b, err := json.Marshal(i)
	if err != nil {
		b = fmt.Appendf(nil, "%v", err)
	}
	return sha256.Sum256(b)
}

// Mover is a Store whose contents can be moved. Nothing else may use either
// store meanwhile.
type Mover interface {
	Store
	// Each hands out all that is kept and has not expired, once, in no order,
	// until f returns an error, which it returns.
	Each(ctx context.Context, f func(Item) error) error
	// Take stores items as they are, over what is there. A claim on a
	// reminder is not taken over: its lease runs out here as it would have
	// there.
	Take(ctx context.Context, items []Item) error
}

// Mark is a short name for a message id of any length: 72 bits of a hash. Some
// stores keep marks instead of ids.
func Mark(parts ...string) string {
	var all []byte
	for _, p := range parts {
		all = append(binary.AppendUvarint(all, uint64(len(p))), p...)
	}
	sum := sha256.Sum256(all)
	return base64.RawURLEncoding.EncodeToString(sum[:9])
}
