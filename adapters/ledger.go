package adapters

import (
	"crypto/sha256"
	"encoding/base64"
	"encoding/binary"
	"encoding/json"
	"time"

	"gpuadvisor/advisor"
)

// ledger.go decides what the ports of a Store promise, without the place: for
// stores that read a record, change it and write it back in a transaction of
// their own (memory, bolt). Redis decides the same in its scripts.

// Ledger is the record of a conversation.
type Ledger struct {
	Version int64           `json:"v"`
	State   json.RawMessage `json:"s"`
	Turns   []Entry         `json:"t"` // newest last, at most KeepIDs
	Until   time.Time       `json:"e"` // dropped after that instant
}

// Entry is a committed message with its reply, which is dropped when it is
// known to have arrived.
type Entry struct {
	Mark  string          `json:"m"` // of its id
	Reply json.RawMessage `json:"r,omitempty"`
}

// Mark is a short name for something of any length and any bytes: MarkLen
// characters for 72 bits of a hash, which two things that meet do not share.
func Mark(parts ...string) string {
	var all []byte
	for _, p := range parts {
		all = append(binary.AppendUvarint(all, uint64(len(p))), p...)
	}
	sum := sha256.Sum256(all)
	return base64.RawURLEncoding.EncodeToString(sum[:9])
}

// MarkLen is the length of a Mark.
const MarkLen = 12

// Find returns the Outcome of a message that was committed before.
func (l *Ledger) Find(id string) (Outcome, error) {
	mark := Mark(id)
	for _, t := range l.Turns {
		if t.Mark == mark {
			return l.repeat(t)
		}
	}
	return Outcome{Version: l.Version}, nil
}

func (l *Ledger) repeat(t Entry) (Outcome, error) {
	out := Outcome{Version: l.Version, Repeat: true, Sent: t.Reply == nil}
	if out.Sent {
		return out, nil
	}
	var err error
	out.Reply, err = DecodeReply(t.Reply)
	return out, err
}

// Commit does what Conversations.Commit says, for a turn that ends now.
func (l *Ledger) Commit(t Turn, now time.Time) (Outcome, error) {
	if out, err := l.Find(t.MessageID); out.Repeat || err != nil {
		return out, err
	}
	if l.Version != t.Conversation.Version {
		return Outcome{Version: l.Version}, ErrConflict
	}
	state, err := EncodeConversation(t.Conversation)
	if err != nil {
		return Outcome{}, err
	}
	reply, err := EncodeReply(t.Reply)
	if err != nil {
		return Outcome{}, err
	}
	l.Version++
	l.State = state
	l.Turns = append(l.Turns, Entry{Mark: Mark(t.MessageID), Reply: reply})
	l.Turns = l.Turns[max(0, len(l.Turns)-KeepIDs):]
	l.Until = now.Add(KeepConversation)
	return Outcome{Version: l.Version, Reply: t.Reply}, nil
}

// MarkSent does what Conversations.MarkSent says, and tells whether that
// changed anything.
func (l *Ledger) MarkSent(id string) bool {
	mark := Mark(id)
	for i, t := range l.Turns {
		if t.Mark == mark && t.Reply != nil {
			l.Turns[i].Reply = nil
			return true
		}
	}
	return false
}

// Live returns the record as it is now: an expired one is empty.
func (r Record) Live(now time.Time) Record {
	if r.Version == 0 || !r.Until.IsZero() && !now.Before(r.Until) {
		return Record{}
	}
	return r
}

// Next does what Settings.Put says over a record that is live: it returns the
// one to store, without Data when it is to be removed.
func (r Record) Next(with Record) (Record, error) {
	switch {
	case len(with.Data) == 0 && r.Version == 0:
		return Record{}, nil
	case len(with.Data) > 0 && with.By != "" && with.By == r.By:
		return r, nil
	case with.Version != r.Version:
		return r, ErrConflict
	case len(with.Data) == 0:
		return Record{}, nil
	}
	with.Version++
	with.Until = with.Until.Truncate(time.Millisecond).UTC()
	return with, nil
}

// Waiting is the record of a reminder.
type Waiting struct {
	Reminder advisor.Reminder `json:"r"`
	Due      time.Time        `json:"d"` // when it is due, or when its lease ends; when it died
	Attempts int              `json:"n,omitempty"`
	Reached  bool             `json:"x,omitempty"` // some attempt got as far as the chat
	Token    string           `json:"k,omitempty"` // of the claim that holds it
	Reason   string           `json:"y,omitempty"` // of a dead letter
}

// Claim gives the reminder to the owner of the token.
func (w *Waiting) Claim(token string, lease time.Duration, now time.Time) Due {
	w.Attempts++
	w.Token = token
	w.Due = now.Add(lease)
	return Due{Reminder: w.Reminder, Attempt: w.Attempts, Reached: w.Reached, Late: now.Sub(w.Reminder.At), Token: token}
}

// Old tells whether it is a dead letter that is no longer kept.
func (w *Waiting) Old(now time.Time) bool {
	return w.Reason != "" && !w.Due.After(now.Add(-KeepDead))
}

// Held tells whether the claim with that token holds the reminder. A lease
// that ran out holds as long as nobody else has claimed it.
func (w *Waiting) Held(token string) bool {
	return token != "" && w.Token == token && w.Reason == ""
}

// Begin does what Reminders.Begin says, and tells whether the reminder may be
// sent.
func (w *Waiting) Begin(token string, atLeast time.Duration, now time.Time) bool {
	if !w.Held(token) || now.Add(atLeast).After(w.Due) {
		return false
	}
	w.Reached = true
	return true
}

// Finish does what Reminders.Finish says of a claim that is still ours; keep
// is false when the reminder is done with.
func (w *Waiting) Finish(d Due, f Fate, now time.Time) (keep bool) {
	w.Token = ""
	switch {
	case f.Dead != "":
		w.Reason, w.Due = f.Dead, now
	case f.Retry > 0:
		w.Due = now.Add(f.Retry)
		if f.Free {
			w.Attempts, w.Reached = d.Attempt-1, d.Reached
		}
	case !f.Next.IsZero():
		w.Reminder.At, w.Due = f.Next, f.Next
		w.Attempts, w.Reached = 0, false
	default:
		return false
	}
	return true
}

// Bury does what Reminders.Bury says.
func (w *Waiting) Bury(reason string, now time.Time) { w.Token, w.Reason, w.Due = "", reason, now }

// Revive does what Reminders.Revive says, and tells whether the reminder waits
// again.
func (w *Waiting) Revive(reason string, when func(advisor.Reminder) time.Time) bool {
	if w.Reason != reason {
		return false
	}
	at := when(w.Reminder)
	if at.IsZero() {
		return false
	}
	w.Reminder.At = at
	*w = Waiting{Reminder: w.Reminder, Due: at}
	return true
}
