package redis

import (
	"context"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/redis/go-redis/v9"

	"gpuadvisor/adapters"
	"gpuadvisor/advisor"
)

type conversations struct{ *Store }

// Load implements adapters.Conversations.
func (s conversations) Load(ctx context.Context, key advisor.Key) (c advisor.Conversation, err error) {
	var have []any
	err = s.do(ctx, "load conversation", func(ctx context.Context) (err error) {
		have, err = s.gatheredFields(ctx, conversationKey(key), "h", "s")
		return err
	})
	if err != nil || have[0] == nil {
		return c, err
	}
	version, _, err := readHead(have[0])
	if err == nil {
		state, _ := have[1].(string)
		c, err = adapters.DecodeConversation([]byte(state), version)
	}
	if err != nil {
		return c, fmt.Errorf("load conversation: %w", err)
	}
	return c, nil
}

// readHead reads "version day marks".
func readHead(v any) (version int64, marks string, err error) {
	text, _ := v.(string)
	number, rest, _ := strings.Cut(text, " ")
	_, marks, ok := strings.Cut(rest, " ")
	version, err = strconv.ParseInt(number, 10, 64)
	if err != nil || !ok {
		return 0, "", fmt.Errorf("what lies under our keys is %w", adapters.ErrForeign)
	}
	return version, marks, nil
}

// life is a day longer than promised, because it is extended once a day.
const life = adapters.KeepConversation + 24*time.Hour

// Commit implements adapters.Conversations.
func (s conversations) Commit(ctx context.Context, key advisor.Key, t adapters.Turn) (adapters.Outcome, error) {
	state, err := adapters.EncodeConversation(t.Conversation)
	if err != nil {
		return adapters.Outcome{}, err
	}
	reply, err := adapters.EncodeReply(t.Reply)
	if err != nil {
		return adapters.Outcome{}, err
	}
	if err := s.touch(ctx, key, t.Conversation.Version); err != nil {
		return adapters.Outcome{}, err
	}
	var answer any
	err = s.do(ctx, "commit turn", func(ctx context.Context) (err error) {
		answer, err = s.gatheredScript(ctx, commitScript, conversationKey(key),
			adapters.Mark(t.MessageID), t.Conversation.Version, state, reply, s.today(), life.Milliseconds(), adapters.KeepIDs).Result()
		return err
	})
	if err != nil {
		return adapters.Outcome{}, err
	}
	other, ok := answer.([]any)
	if !ok {
		return adapters.Outcome{Version: number(answer), Reply: t.Reply}, nil
	}
	if other[0] == "conflict" {
		return adapters.Outcome{Version: number(other[1])}, adapters.ErrConflict
	}
	return repeated(number(other[1]), other[2])
}

// number reads a number that a script has written.
func number(v any) int64 {
	text, _ := v.(string)
	n, _ := strconv.ParseInt(text, 10, 64)
	return n
}

// repeated is the outcome of a message that was committed before. The reply is
// nil when it has arrived.
func repeated(version int64, reply any) (adapters.Outcome, error) {
	out := adapters.Outcome{Version: version, Repeat: true, Sent: reply == nil}
	if out.Sent {
		return out, nil
	}
	text, _ := reply.(string)
	var err error
	out.Reply, err = adapters.DecodeReply([]byte(text))
	return out, err
}

// today changes once a day; by it the script knows whether to extend a life.
func (s *Store) today() int64 {
	now := time.Now
	if s.clock != nil {
		now = s.clock
	}
	return now().Unix() / (24 * 60 * 60)
}

// A person's set of conversations lies in another slot than they do, so it
// cannot change in the same step. It is added to before a conversation begins
// and again every touchEvery turns; as a conversation lives for a week without
// a turn, the set outlives all that are in it.
const (
	touchEvery = 50
	touchLife  = 500 * 24 * time.Hour // > touchEvery × life
)

func (s conversations) touch(ctx context.Context, key advisor.Key, version int64) error {
	if version%touchEvery != 0 {
		return nil
	}
	return s.do(ctx, "list conversation", func(ctx context.Context) error {
		set := peopleKey(adapters.Person(key))
		_, err := s.client.Pipelined(ctx, func(p redis.Pipeliner) error {
			p.SAdd(ctx, set, string(key))
			p.PExpire(ctx, set, touchLife)
			return nil
		})
		return err
	})
}

// Committed implements adapters.Conversations.
func (s conversations) Committed(ctx context.Context, key advisor.Key, id string) (adapters.Outcome, error) {
	mark := adapters.Mark(id)
	var have []any
	err := s.do(ctx, "look up message", func(ctx context.Context) (err error) {
		have, err = s.gatheredFields(ctx, conversationKey(key), "h", "o:"+mark)
		return err
	})
	if err != nil || have[0] == nil {
		return adapters.Outcome{}, err
	}
	version, marks, err := readHead(have[0])
	if err != nil {
		return adapters.Outcome{}, fmt.Errorf("look up message: %w", err)
	}
	for ; len(marks) >= adapters.MarkLen; marks = marks[adapters.MarkLen:] {
		if marks[:adapters.MarkLen] == mark {
			return repeated(version, have[1])
		}
	}
	return adapters.Outcome{Version: version}, nil
}

// MarkSent implements adapters.Conversations. What has arrived is no longer in
// the outbox, so there is nothing to mark.
func (s conversations) MarkSent(ctx context.Context, key advisor.Key, id string) error {
	record := conversationKey(key)
	return s.do(ctx, "mark reply sent", func(ctx context.Context) error {
		return s.gathered(ctx, record, "hdel", record, "o:"+adapters.Mark(id)).Err()
	})
}

// Of implements adapters.Conversations.
func (s conversations) Of(ctx context.Context, who adapters.Owner) ([]advisor.Key, error) {
	var keys []advisor.Key
	err := s.do(ctx, "list conversations", func(ctx context.Context) error {
		members, err := s.client.SMembers(ctx, peopleKey(who)).Result()
		keys = nil
		for _, m := range members {
			keys = append(keys, advisor.Key(m))
		}
		return err
	})
	return keys, err
}

// Forget implements adapters.Conversations.
func (s conversations) Forget(ctx context.Context, key advisor.Key) error {
	return s.do(ctx, "forget conversation", func(ctx context.Context) error {
		if err := forgetScript.Run(ctx, s.client, []string{conversationKey(key)}, "h").Err(); err != nil {
			return err
		}
		return s.client.SRem(ctx, peopleKey(adapters.Person(key)), string(key)).Err()
	})
}
