package adapters

import (
	"context"
	"crypto/sha256"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"gpuadvisor/advisor"
)

// Archive is a Store that can be read and written as a whole, so that a bot
// can move from a file to a Redis and back. No bot may run on it meanwhile.
type Archive interface {
	Store

	// Dump calls f with all that is kept and has not expired, in no order.
	Dump(ctx context.Context, f func(Item) error) error

	// Restore keeps what a Dump gave, as it was. Claims are not kept: what was
	// claimed is due when its lease would have ended.
	Restore(ctx context.Context, items []Item) error
}

// Item is one thing of an Archive: a conversation, a record of settings or a
// reminder, dead or waiting.
type Item struct {
	Key    advisor.Key // of a conversation
	Ledger *Ledger

	Owner  Owner // of a record
	Name   string
	Record *Record

	Waiting *Waiting
}

// Counts is how many things there are.
type Counts struct{ Conversations, Records, Reminders, DeadLetters int }

func (c Counts) String() string {
	return fmt.Sprintf("%d conversations, %d records, %d reminders, %d dead letters", c.Conversations, c.Records, c.Reminders, c.DeadLetters)
}

func (c *Counts) add(i Item) {
	switch {
	case i.Ledger != nil:
		c.Conversations++
	case i.Record != nil:
		c.Records++
	case i.Waiting.Reason == "":
		c.Reminders++
	default:
		c.DeadLetters++
	}
}

// ErrNotEmpty means that a copy would mix with what is there.
var ErrNotEmpty = errors.New("the store to copy to is not empty")

// Copy copies everything from one store to another, which must be empty, and
// reads it back to make sure.
func Copy(ctx context.Context, from, to Archive) (Counts, error) {
	if err := to.Dump(ctx, func(Item) error { return ErrNotEmpty }); err != nil {
		return Counts{}, err
	}
	var read, written tally
	var batch []Item
	flush := func() error {
		err := to.Restore(ctx, batch)
		batch = batch[:0]
		return err
	}
	err := from.Dump(ctx, func(i Item) error {
		if batch = append(batch, i); len(batch) == copyAtOnce {
			if err := flush(); err != nil {
				return err
			}
		}
		return read.add(i)
	})
	if err == nil {
		err = flush()
	}
	if err == nil {
		err = to.Dump(ctx, written.add)
	}
	if err == nil && read != written {
		err = fmt.Errorf("copied %v, but found %v or other content: do not use the copy", read.Counts, written.Counts)
	}
	return read.Counts, err
}

// copyAtOnce is how many things are written in one step.
const copyAtOnce = 500

// tally tells whether two stores hold the same: how many things, and the sum
// of their hashes.
type tally struct {
	Counts
	sum uint64
}

func (t *tally) add(i Item) error {
	t.Counts.add(i)
	if i.Ledger != nil { // without Until, which a server gives as what is left
		i.Ledger = &Ledger{Version: i.Ledger.Version, State: i.Ledger.State, Turns: i.Ledger.Turns}
	}
	if i.Waiting != nil {
		w := *i.Waiting
		w.Token, w.Due = "", w.Due.Add(time.Millisecond-1).Truncate(time.Millisecond).UTC() // as fine as the coarsest store counts
		i.Waiting = &w
	}
	text, err := json.Marshal(i)
	if err != nil {
		return err
	}
	hash := sha256.Sum256(text)
	t.sum += binary.BigEndian.Uint64(hash[:])
	return nil
}
