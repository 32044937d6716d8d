package redis

import (
	"context"
	"github.com/redis/go-redis/v9"
	"time"

	"gpuadvisor/adapters"
	"gpuadvisor/advisor"
)

// SetClock makes the store go by a clock of the test's instead of the
// server's. How long keys live is still up to the server.
func (s *Store) SetClock(now func() time.Time) { s.clock = now }

// SetPatience says how long a Redis that does not answer is asked again.
func (s *Store) SetPatience(d time.Duration) { s.patience = d }

// KeySet are the keys of one person's things.
type KeySet struct{ Conversation, People, Settings, Person, Due, Room string }

// Keys are the keys that a store uses for a conversation and a reminder of it.
func Keys(s *Store, key advisor.Key, id string) KeySet {
	who := adapters.Person(key)
	p := reminders{s}.at(key, id)
	return KeySet{conversationKey(key), peopleKey(who), settingsKey(who), p.shard.person(who), p.due(), p.shard.room(p.room)}
}

// Client is the client of a store.
func Client(s *Store) redis.UniversalClient { return s.client }

// Commit runs the commit script on bytes that are ready.
func Commit(ctx context.Context, s *Store, key advisor.Key, mark string, version int64, state, reply []byte) error {
	return commitScript.Run(ctx, s.client, []string{conversationKey(key)},
		mark, version, state, reply, s.today(), life.Milliseconds(), adapters.KeepIDs).Err()
}

// Load reads what Commit has written, and returns its version.
func Load(ctx context.Context, s *Store, key advisor.Key) (int64, error) {
	have, err := s.client.HMGet(ctx, conversationKey(key), "h", "s").Result()
	if err != nil || have[0] == nil {
		return 0, err
	}
	version, _, err := readHead(have[0])
	return version, err
}
