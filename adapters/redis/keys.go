package redis

import (
	"context"
	"fmt"
	"hash/fnv"
	"strconv"
	"strings"

	"gpuadvisor/adapters"
	"gpuadvisor/advisor"
)

// keys.go is the layout in Redis, all of it. What changes together lies in one
// hash slot, which the part in braces decides.
//
//	gb:meta            hash: schema; shards
//	gb:{KEY}:c         hash, one conversation: h "version day marks", that is
//	                   the day on which its life was last extended and the
//	                   MARKs of the last messages, newest last; s state;
//	                   o:MARK reply that may not have arrived. Lives for a
//	                   week after the last turn, up to a day longer.
//	gb:{PERSON}:k      set: keys of that person's conversations. Lives for
//	                   500 days after it was last touched, see touch.
//	gb:{OWNER}:s       hash: name → "version until by data" (lua/put.lua)
//	gb:{rNN}:d         sorted set: MEMBER → when it is due or its lease
//	                   ends, in ms
//	gb:{rNN}:x         sorted set: MEMBER → when it was given up, in ms
//	gb:{rNN}:b:PP      hash, the reminders of all persons whose mark begins
//	                   with PP: MEMBER, MEMBER1, … → the reminder in pieces
//	                   (pack.go, lua/book.lua)
//	gb:{rNN}:h         hash: MEMBER → state of those that were claimed, tried
//	                   or given up (lua/book.lua)
//	gb:{rNN}:g:RR      hash, the reminders in all rooms whose mark begins with
//	                   RR: ROOM + MEMBER → nothing
//
// MARK is an adapters.Mark, of a message id. MEMBER is 8 characters of the
// person's and 8 of that of the reminder's key and id; ROOM is 8 characters of
// the room's. NN is a hash of the person, so that all that one person's
// reminders need is in one slot. Buckets of several persons and rooms, and
// nothing per person, make a reminder that waits cost half as much: a key and
// a hash of its own take more memory than what is in it.

// Schema is the layout that this code writes.
const Schema = 2

// raise brings the data of the schema that is its index to the next one.
var raise = [Schema]func(context.Context, *Store) error{
	nil, // 0: there was none
	packReminders,
}

const metaKey = "gb:meta"

// tag is the part of a key that decides the slot. A brace inside would end it
// early.
func tag(s string) string { return "{" + braces.Replace(s) + "}" }

var braces = strings.NewReplacer("%", "%25", "{", "%7B", "}", "%7D")

func conversationKey(k advisor.Key) string { return "gb:" + tag(string(k)) + ":c" }

func peopleKey(who adapters.Owner) string { return "gb:" + tag(string(who)) + ":k" }

func settingsKey(of adapters.Owner) string { return "gb:" + tag(string(of)) + ":s" }

// shard is where the reminders of a person lie.
type shard string

func (s *Store) shardOf(who adapters.Owner) shard {
	h := fnv.New32a()
	h.Write([]byte(who))
	return shardNumber(int(h.Sum32() % uint32(s.shards)))
}

func shardNumber(n int) shard { return shard(fmt.Sprintf("gb:{r%02d}:", n)) }

func (s shard) due() string  { return string(s) + "d" }
func (s shard) dead() string { return string(s) + "x" }
func (s shard) held() string { return string(s) + "h" }

// buckets is what the keys of buckets begin with.
func (s shard) buckets() string { return string(s) + "b:" }

// bucket is where something with a mark lies.
func (s shard) bucket(person string) string { return s.buckets() + person[:2] }

// allRooms is what the keys of rooms begin with.
func (s shard) allRooms() string         { return string(s) + "g:" }
func (s shard) rooms(room string) string { return s.allRooms() + room[:2] }

// half is what is kept of a mark where two of them name one thing.
const half = 8

func short(parts ...string) string { return adapters.Mark(parts...)[:half] }

// manyShards is how many shards a new Redis gets: enough to spread over a
// Cluster, few enough to ask all of them every second.
const manyShards = 16

// check reads what layout is stored, brings it up to Schema or refuses it, and
// marks an empty Redis as ours.
func (s *Store) check(ctx context.Context) error {
	var have []any
	err := s.do(ctx, "open", func(ctx context.Context) (err error) {
		have, err = metaScript.Run(ctx, s.client, []string{metaKey}, Schema, manyShards).Slice()
		return err
	})
	if err != nil {
		return err
	}
	schema, err := strconv.Atoi(fmt.Sprint(have[0]))
	shards, err2 := strconv.Atoi(fmt.Sprint(have[1]))
	if err != nil || err2 != nil || schema < 1 || shards < 1 || shards > 1000 {
		return fmt.Errorf("%s is %w; it was left as it is", metaKey, adapters.ErrForeign)
	}
	if schema > Schema {
		return fmt.Errorf("the data in this Redis has layout %d and was %w (this one knows %d)", schema, adapters.ErrNewer, Schema)
	}
	s.shards = shards
	for ; schema < Schema; schema++ {
		if err := raise[schema](ctx, s); err != nil {
			return fmt.Errorf("bring the data from layout %d to %d: %w", schema, schema+1, err)
		}
		if err := s.do(ctx, "open", func(ctx context.Context) error {
			return s.client.HSet(ctx, metaKey, "schema", schema+1).Err()
		}); err != nil {
			return err
		}
	}
	return nil
}
