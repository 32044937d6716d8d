// Package memory keeps everything in the memory of the process: for the
// terminal, for tests, and as the plainest statement of what a store does.
// Everything is gone when the program ends.
//
// What it holds is in stored form, as in every store, so that a caller cannot
// change it through a slice that it still has in hand.
package memory

import (
	"context"
	"sync"
	"time"

	"gpuadvisor/adapters"
	"gpuadvisor/advisor"
)

// Store is an adapters.Store.
type Store struct {
	now func() time.Time

	mu            sync.Mutex
	conversations map[advisor.Key]*adapters.Ledger
	settings      map[adapters.Owner]map[string]adapters.Record
	reminders     map[identity]*adapters.Waiting
}

// Open returns an empty store that goes by the given clock.
func Open(now func() time.Time) *Store {
	return &Store{
		now:           now,
		conversations: map[advisor.Key]*adapters.Ledger{},
		settings:      map[adapters.Owner]map[string]adapters.Record{},
		reminders:     map[identity]*adapters.Waiting{},
	}
}

// NewConversations returns the one port of an empty store that a dialogue
// needs.
func NewConversations() *Conversations { return &Conversations{Open(time.Now)} }

var _ adapters.Store = (*Store)(nil)

// Conversations implements adapters.Store.
func (s *Store) Conversations() adapters.Conversations { return &Conversations{s} }

// Settings implements adapters.Store.
func (s *Store) Settings() adapters.Settings { return settings{s} }

// Reminders implements adapters.Store.
func (s *Store) Reminders() adapters.Reminders { return reminders{s} }

// Ping implements adapters.Store.
func (s *Store) Ping(ctx context.Context) error { return ctx.Err() }

// Close implements adapters.Store.
func (s *Store) Close() error { return nil }

// enter locks the store for a call, unless its context has ended.
func (s *Store) enter(ctx context.Context) (leave func(), err error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	s.mu.Lock()
	return s.mu.Unlock, nil
}

// Conversations is an adapters.Conversations.
type Conversations struct{ *Store }

// at returns the record under the key, an empty one when there is none.
func (s *Conversations) at(key advisor.Key) *adapters.Ledger {
	l := s.conversations[key]
	if l == nil || !s.now().Before(l.Until) {
		return &adapters.Ledger{}
	}
	return l
}

// Load implements adapters.Conversations.
func (s *Conversations) Load(ctx context.Context, key advisor.Key) (advisor.Conversation, error) {
	leave, err := s.enter(ctx)
	if err != nil {
		return advisor.Conversation{}, err
	}
	defer leave()
	l := s.at(key)
	if l.Version == 0 {
		return advisor.Conversation{}, nil
	}
	return adapters.DecodeConversation(l.State, l.Version)
}

// Commit implements adapters.Conversations.
func (s *Conversations) Commit(ctx context.Context, key advisor.Key, t adapters.Turn) (adapters.Outcome, error) {
	leave, err := s.enter(ctx)
	if err != nil {
		return adapters.Outcome{}, err
	}
	defer leave()
	l := s.at(key)
	out, err := l.Commit(t, s.now())
	if err == nil {
		s.conversations[key] = l
	}
	return out, err
}

// Committed implements adapters.Conversations.
func (s *Conversations) Committed(ctx context.Context, key advisor.Key, id string) (adapters.Outcome, error) {
	leave, err := s.enter(ctx)
	if err != nil {
		return adapters.Outcome{}, err
	}
	defer leave()
	return s.at(key).Find(id)
}

// MarkSent implements adapters.Conversations.
func (s *Conversations) MarkSent(ctx context.Context, key advisor.Key, id string) error {
	leave, err := s.enter(ctx)
	if err != nil {
		return err
	}
	defer leave()
	s.at(key).MarkSent(id)
	return nil
}

// Of implements adapters.Conversations.
func (s *Conversations) Of(ctx context.Context, who adapters.Owner) ([]advisor.Key, error) {
	leave, err := s.enter(ctx)
	if err != nil {
		return nil, err
	}
	defer leave()
	var keys []advisor.Key
	for k := range s.conversations {
		if adapters.Person(k) == who {
			keys = append(keys, k)
		}
	}
	return keys, nil
}

// Forget implements adapters.Conversations.
func (s *Conversations) Forget(ctx context.Context, key advisor.Key) error {
	leave, err := s.enter(ctx)
	if err != nil {
		return err
	}
	defer leave()
	delete(s.conversations, key)
	return nil
}
