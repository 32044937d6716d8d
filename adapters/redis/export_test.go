package redis

import (
	"context"
	"errors"
	"fmt"
	"github.com/redis/go-redis/v9"
	"slices"
	"strings"
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
type KeySet struct{ Conversation, People, Settings, Bucket, Due, Room, Held, Member string }

// Keys are the keys that a store uses for a conversation and a reminder of it.
func Keys(s *Store, key advisor.Key, id string) KeySet {
	who := adapters.Person(key)
	p := reminders{s}.at(key, id)
	return KeySet{conversationKey(key), peopleKey(who), settingsKey(who), p.bucket(p.person), p.due(), p.rooms(p.room), p.held(), p.member}
}

// Client is the client of a store.
func Client(s *Store) redis.UniversalClient { return s.client }

// Commit runs the commit script on bytes that are ready.
func Commit(ctx context.Context, s *Store, key advisor.Key, mark string, version int64, state, reply []byte) error {
	return s.gatheredScript(ctx, commitScript, conversationKey(key),
		mark, version, state, reply, s.today(), life.Milliseconds(), adapters.KeepIDs).Err()
}

// Load reads what Commit has written, and returns its version.
func Load(ctx context.Context, s *Store, key advisor.Key) (int64, error) {
	have, err := s.gatheredFields(ctx, conversationKey(key), "h", "s")
	if err != nil || have[0] == nil {
		return 0, err
	}
	version, _, err := readHead(have[0])
	return version, err
}

// GetSet is the least that a step on the server can be: a script that reads
// the bytes and writes others, with the calls of others as Load and Commit are.
func GetSet(ctx context.Context, s *Store, key string, text []byte) error {
	if err := s.gathered(ctx, key, "get", key).Err(); err != nil && !errors.Is(err, redis.Nil) {
		return err
	}
	return s.gatheredScript(ctx, getSetScript, key, text, adapters.KeepConversation.Milliseconds()).Err()
}

var getSetScript = redis.NewScript(`redis.call('GET', KEYS[1]) return redis.call('SET', KEYS[1], ARGV[1], 'PX', ARGV[2])`)

// Mend looks through all buckets of all shards.
func Mend(ctx context.Context, s *Store) (err error) {
	for n := range s.shards {
		for from := 0; from < buckets; from += 256 {
			err = errors.Join(err, reminders{s}.mend(ctx, shardNumber(n), from, 256))
		}
	}
	return err
}

// MendNext makes the store look next through the group that a bucket is in.
func MendNext(s *Store, bucket string) {
	var shard int
	fmt.Sscanf(bucket, "gb:{r%d}", &shard)
	name := bucket[len(bucket)-2:]
	group := (strings.IndexByte(alphabet, name[0])*64 + strings.IndexByte(alphabet, name[1])) / mendAtOnce
	s.mended.next, s.mended.at = group*s.shards+shard-1, time.Time{}
}

// Pack and Unpack are a reminder's form.
func Pack(r advisor.Reminder) ([]byte, error)      { return pack(r) }
func Unpack(data []byte) (advisor.Reminder, error) { return unpack(data) }

// AddMany adds reminders quickly: many in one trip, and waiting for no replica.
func AddMany(ctx context.Context, s *Store, list []advisor.Reminder) error {
	addScript.Load(ctx, s.client)
	for some := range slices.Chunk(list, 100) {
		_, err := s.client.Pipelined(ctx, func(on redis.Pipeliner) error {
			for _, r := range some {
				pieces, err := encode(r)
				if err != nil {
					return err
				}
				p := reminders{s}.at(r.Key, r.ID)
				args := append([]any{p.member, p.inRoom(), dueMS(r.At), adapters.MaxReminders}, pieces...)
				addScript.EvalSha(ctx, on, p.keys(), args...)
			}
			return nil
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// AskTime makes the store ask for the server's time again.
func AskTime(s *Store) { s.seen.local = time.Time{} }
