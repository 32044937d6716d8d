package redis

import (
	"context"
	"encoding/json"
	"fmt"
	"strconv"
	"strings"

	"gpuadvisor/adapters"
)

// raise.go brings what older versions have written to the present layout.
//
// In layout 1 every person had a hash of reminders and every room a set:
//
//	gb:{rNN}:due       sorted set: MARK + person → when it is due
//	gb:{rNN}:dead      sorted set: MARK + person → when it was given up
//	gb:{rNN}:p:PERSON  hash: MARK + ":" → "attempts reached pieces token
//	                   reason"; MARK + "0", "1", … → the reminder as JSON
//	gb:{rNN}:m:ROOM    set: MARK + person

// packReminders takes layout 1 to 2. Each reminder moves in one step, so
// processes that do this at the same time, or that die of it, do no harm.
func packReminders(ctx context.Context, s *Store) error {
	err := s.eachKey(ctx, "gb:{r??}:p:*", func(key string) error { return s.packPerson(ctx, key) })
	if err != nil {
		return err
	}
	return s.eachKey(ctx, "gb:{r??}:m:*", func(key string) error { return s.client.Del(ctx, key).Err() })
}

func (s *Store) packPerson(ctx context.Context, key string) error {
	fields, _, err := s.fields(ctx, key)
	if err != nil {
		return err
	}
	shard, person, _ := strings.Cut(key, "p:")
	for name, state := range fields {
		mark, ok := strings.CutSuffix(name, ":")
		if !ok {
			continue
		}
		w, err := waitingOf1(mark, state, fields)
		if err != nil {
			return err
		}
		set := shard + "due"
		if w.Reason != "" {
			set = shard + "dead"
		}
		err = s.do(ctx, "read the store", func(ctx context.Context) error { return s.findPlace(ctx, w, set, mark+person) })
		if err != nil {
			return err
		}
		if err := s.restoreFrom(ctx, w, mark, mark+person, key, set); err != nil {
			return err
		}
	}
	return nil
}

// waitingOf1 reads a reminder of layout 1.
func waitingOf1(mark, state string, fields map[string]string) (*adapters.Waiting, error) {
	parts := strings.SplitN(state, " ", 5)
	if len(parts) < 5 {
		return nil, fmt.Errorf("a reminder is %w", adapters.ErrForeign)
	}
	w := &adapters.Waiting{Reached: parts[1] == "1", Reason: parts[4]}
	w.Attempts, _ = strconv.Atoi(parts[0])
	pieces, _ := strconv.Atoi(parts[2])
	var text strings.Builder
	for n := range pieces {
		text.WriteString(fields[mark+strconv.Itoa(n)])
	}
	if err := json.Unmarshal([]byte(text.String()), &w.Reminder); err != nil {
		return nil, fmt.Errorf("a reminder is %w: %v", adapters.ErrForeign, err)
	}
	return w, nil
}
