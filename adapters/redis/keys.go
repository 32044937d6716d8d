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
//	gb:{rNN}:due       sorted set: MARK + person → when it is due or its lease
//	                   ends, in ms
//	gb:{rNN}:dead      sorted set: MARK + person → when it was given up, in ms
//	gb:{rNN}:p:PERSON  hash, that person's reminders: MARK + ":" → state (see
//	                   lua/claim.lua); MARK + "0", "1", … → the reminder in
//	                   pieces
//	gb:{rNN}:m:ROOM    set: MARK + person of those who have reminders there
//
// MARK is an adapters.Mark of a message id, or of a reminder's key and id. NN is a hash
// of the person, so that all that one person's reminders need is in one slot.

// Schema is the layout that this code writes.
const Schema = 1

// raise brings the data of the schema that is its index to the next one.
var raise = [Schema]func(context.Context, *Store) error{
	nil, // 0: there was none
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

func (s shard) due() string                      { return string(s) + "due" }
func (s shard) dead() string                     { return string(s) + "dead" }
func (s shard) person(who adapters.Owner) string { return string(s) + "p:" + string(who) }
func (s shard) room(where adapters.Owner) string { return string(s) + "m:" + string(where) }

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
