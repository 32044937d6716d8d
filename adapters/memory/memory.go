// Package memory keeps conversations in the memory of the process: for the
// terminal, for tests, and as the plainest statement of what a store does.
// Everything is gone when the program ends.
package memory

import (
	"context"
	"encoding/json"
	"fmt"
	"sync"

	"gpuadvisor/adapters"
	"gpuadvisor/advisor"
)

// Conversations is an adapters.Conversations. It holds the JSON form, as every
// store does, so that a caller cannot change what is stored through a slice
// that it still holds.
type Conversations struct {
	mu   sync.Mutex
	kept map[advisor.Key]*record
}

type record struct {
	version int64
	state   []byte
	ids     []string // newest last, at most adapters.KeepIDs
	replies map[string]outgoing
}

type outgoing struct {
	reply []byte
	sent  bool
}

// NewConversations returns an empty store.
func NewConversations() *Conversations {
	return &Conversations{kept: map[advisor.Key]*record{}}
}

var _ adapters.Conversations = (*Conversations)(nil)

// Load implements adapters.Conversations.
func (s *Conversations) Load(ctx context.Context, key advisor.Key) (advisor.Conversation, error) {
	if err := ctx.Err(); err != nil {
		return advisor.Conversation{}, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	var c advisor.Conversation
	r := s.kept[key]
	if r == nil {
		return c, nil
	}
	if err := json.Unmarshal(r.state, &c); err != nil {
		return c, fmt.Errorf("load conversation: %w", err)
	}
	c.Version = r.version
	return c, nil
}

// Commit implements adapters.Conversations.
func (s *Conversations) Commit(ctx context.Context, key advisor.Key, t adapters.Turn) (adapters.Outcome, error) {
	if err := ctx.Err(); err != nil {
		return adapters.Outcome{}, err
	}
	state, err := json.Marshal(t.Conversation)
	if err != nil {
		return adapters.Outcome{}, fmt.Errorf("commit turn: %w", err)
	}
	reply, err := json.Marshal(t.Reply)
	if err != nil {
		return adapters.Outcome{}, fmt.Errorf("commit turn: %w", err)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	r := s.kept[key]
	if r == nil {
		r = &record{replies: map[string]outgoing{}}
	}
	if old, ok := r.replies[t.MessageID]; ok {
		return r.repeat(old)
	}
	if r.version != t.Conversation.Version {
		return adapters.Outcome{Version: r.version}, adapters.ErrConflict
	}
	r.version++
	r.state = state
	r.remember(t.MessageID, outgoing{reply: reply})
	s.kept[key] = r
	return adapters.Outcome{Version: r.version, Reply: t.Reply}, nil
}

func (r *record) repeat(old outgoing) (adapters.Outcome, error) {
	out := adapters.Outcome{Version: r.version, Repeat: true, Sent: old.sent}
	if err := json.Unmarshal(old.reply, &out.Reply); err != nil {
		return out, fmt.Errorf("repeat reply: %w", err)
	}
	return out, nil
}

func (r *record) remember(id string, o outgoing) {
	r.ids = append(r.ids, id)
	r.replies[id] = o
	if len(r.ids) > adapters.KeepIDs {
		delete(r.replies, r.ids[0])
		r.ids = r.ids[1:]
	}
}

// MarkSent implements adapters.Conversations.
func (s *Conversations) MarkSent(ctx context.Context, key advisor.Key, id string) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if r := s.kept[key]; r != nil {
		if o, ok := r.replies[id]; ok {
			o.sent = true
			r.replies[id] = o
		}
	}
	return nil
}

// Forget implements adapters.Conversations.
func (s *Conversations) Forget(ctx context.Context, key advisor.Key) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.kept, key)
	return nil
}
