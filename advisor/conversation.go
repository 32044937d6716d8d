package advisor

import (
	"encoding/json"
	"time"
)

// Schema is the version of the stored form of a Conversation.
const Schema = 1

// Conversation is all that we remember of one person in one place. The zero
// value is a fresh one.
type Conversation struct {
	Schema  int    `json:"schema"`
	Version int64  `json:"version"` // of the stored record, for the store
	Lang    string `json:"lang,omitempty"`
	Intent  string `json:"intent,omitempty"` // the flow it is in: recommend, cost, compare …
	Facts   Facts  `json:"facts"`

	Cost *CostSaid `json:"cost,omitempty"` // what was said of money beside the facts; never changed in place

	Asked    string    `json:"asked,omitempty"`    // slot of the open question
	Options  []string  `json:"options,omitempty"`  // refs of the choices that were shown with it
	Settled  []string  `json:"settled,omitempty"`  // asked and answered with "don't know" or "skip"
	Number   string    `json:"number,omitempty"`   // an answer whose unit was asked for: the next message may be only that
	Reasked  int       `json:"reasked,omitempty"`  // times the open question was not understood
	Answered bool      `json:"answered,omitempty"` // an advice was shown
	Shown    string    `json:"shown,omitempty"`    // the provisional advice that was shown last
	Turns    int       `json:"turns,omitempty"`
	At       time.Time `json:"at,omitzero"`      // of the last message
	Past     []Kept    `json:"past,omitempty"`   // for /back, newest last
	Draft    Draft     `json:"draft,omitzero"`   // the last request to be reminded
	Listed   []string  `json:"listed,omitempty"` // ids of the reminders in the list that was shown last
	Trial    Trial     `json:"trial,omitzero"`   // a two-hour trial that goes on below all else
	Flow     Flow      `json:"flow,omitzero"`    // a checklist, a score or a wait for a paste beside the advice

	Lately []Exchange `json:"lately,omitempty"` // for a report; never changed in place
}

// Step is a state that /back can return to.
type Step struct {
	Facts   Facts    `json:"facts"`
	Asked   string   `json:"asked,omitempty"`
	Settled []string `json:"settled,omitempty"`
}

// Kept is a Step in its JSON. Most turns only carry their past along, so it is
// not taken apart and put together again by each of them.
type Kept string

// Keep puts a step away.
func Keep(s Step) Kept {
	text, _ := json.Marshal(s) // no number in it is infinite
	return Kept(text)
}

// step takes it out again. What makes no sense is the step before anything was
// said.
func (k Kept) step() (s Step) {
	if json.Unmarshal([]byte(k), &s) != nil {
		return Step{}
	}
	return s
}

// MarshalJSON writes the step.
func (k Kept) MarshalJSON() ([]byte, error) { return []byte(k), nil }

// UnmarshalJSON reads what MarshalJSON writes.
func (k *Kept) UnmarshalJSON(b []byte) error {
	*k = Kept(b)
	return nil
}
