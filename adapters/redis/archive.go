package redis

import (
	"context"
	"encoding/json"
	"fmt"
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/redis/go-redis/v9"

	"gpuadvisor/adapters"
	"gpuadvisor/advisor"
)

var _ adapters.Archive = (*Store)(nil)

// Dump implements adapters.Archive. It walks over all keys of ours, on one
// server after the other.
func (s *Store) Dump(ctx context.Context, f func(adapters.Item) error) error {
	now := s.serverTime(ctx)
	for _, kind := range []struct {
		pattern string
		dump    func(key string) error
	}{
		{"gb:{*}:c", func(key string) error { return s.dumpConversation(ctx, key, now, f) }},
		{"gb:{*}:s", func(key string) error { return s.dumpRecords(ctx, key, now, f) }},
		{"gb:{r??}:p:*", func(key string) error { return s.dumpReminders(ctx, key, now, f) }},
	} {
		if err := s.eachKey(ctx, kind.pattern, kind.dump); err != nil {
			return err
		}
	}
	return nil
}

// eachKey calls f once for each key that a pattern fits.
func (s *Store) eachKey(ctx context.Context, pattern string, f func(key string) error) error {
	seen := map[string]bool{} // SCAN may give a key twice
	return s.eachPrimary(ctx, func(ctx context.Context, c *redis.Client) error {
		scan := c.Scan(ctx, 0, pattern, 1000).Iterator()
		for scan.Next(ctx) {
			if key := scan.Val(); !seen[key] {
				seen[key] = true
				if err := f(key); err != nil {
					return err
				}
			}
		}
		if err := scan.Err(); err != nil {
			return s.explain(ctx, "read the store", err)
		}
		return nil
	})
}

func (s *Store) eachPrimary(ctx context.Context, f func(context.Context, *redis.Client) error) error {
	switch c := s.client.(type) {
	case *redis.ClusterClient:
		one := make(chan struct{}, 1) // it asks all at once; f is for one at a time
		return c.ForEachMaster(ctx, func(ctx context.Context, c *redis.Client) error {
			one <- struct{}{}
			defer func() { <-one }()
			return f(ctx, c)
		})
	case *redis.Client:
		return f(ctx, c)
	}
	return fmt.Errorf("a client of type %T", s.client)
}

// inTag is what tag made a part of a key of.
func inTag(key string) string {
	_, rest, _ := strings.Cut(key, "{")
	return unbraces.Replace(rest[:strings.IndexByte(rest, '}')])
}

var unbraces = strings.NewReplacer("%7B", "{", "%7D", "}", "%25", "%")

// fields reads a hash and how long it lives.
func (s *Store) fields(ctx context.Context, key string) (fields map[string]string, left time.Duration, err error) {
	err = s.do(ctx, "read the store", func(ctx context.Context) error {
		var hash *redis.MapStringStringCmd
		var life *redis.DurationCmd
		_, err := s.client.Pipelined(ctx, func(p redis.Pipeliner) error {
			hash, life = p.HGetAll(ctx, key), p.PTTL(ctx, key)
			return nil
		})
		if err == nil {
			fields, left = hash.Val(), life.Val()
		}
		return err
	})
	return fields, left, err
}

func (s *Store) dumpConversation(ctx context.Context, key string, now time.Time, f func(adapters.Item) error) error {
	fields, left, err := s.fields(ctx, key)
	if err != nil || len(fields) == 0 {
		return err
	}
	version, marks, err := readHead(fields["h"])
	if err != nil {
		return err
	}
	l := &adapters.Ledger{Version: version, State: json.RawMessage(fields["s"]), Until: now.Add(left).UTC()}
	for ; len(marks) >= adapters.MarkLen; marks = marks[adapters.MarkLen:] {
		e := adapters.Entry{Mark: marks[:adapters.MarkLen]}
		if reply, ok := fields["o:"+e.Mark]; ok {
			e.Reply = json.RawMessage(reply)
		}
		l.Turns = append(l.Turns, e)
	}
	return f(adapters.Item{Key: advisor.Key(inTag(key)), Ledger: l})
}

func (s *Store) dumpRecords(ctx context.Context, key string, now time.Time, f func(adapters.Item) error) error {
	fields, _, err := s.fields(ctx, key)
	if err != nil {
		return err
	}
	for name, text := range fields {
		parts := strings.SplitN(text, " ", 4)
		if len(parts) < 4 {
			return fmt.Errorf("a record is %w", adapters.ErrForeign)
		}
		r := record(parts[0], parts[1], parts[2], parts[3]).Live(now)
		if r.Version == 0 {
			continue
		}
		if err := f(adapters.Item{Owner: adapters.Owner(inTag(key)), Name: name, Record: &r}); err != nil {
			return err
		}
	}
	return nil
}

// dumpReminders reads the reminders of a person.
func (s *Store) dumpReminders(ctx context.Context, key string, now time.Time, f func(adapters.Item) error) error {
	fields, _, err := s.fields(ctx, key)
	if err != nil {
		return err
	}
	for name, state := range fields {
		mark, ok := strings.CutSuffix(name, ":")
		if !ok {
			continue
		}
		w, err := waiting(mark, state, fields)
		if err != nil {
			return err
		}
		p := reminders{s}.at(w.Reminder.Key, w.Reminder.ID)
		set := p.due()
		if w.Reason != "" {
			set = p.dead()
		}
		if err := s.do(ctx, "read the store", func(ctx context.Context) error {
			score, err := s.client.ZScore(ctx, set, p.member()).Result()
			w.Due = time.UnixMilli(int64(score)).UTC()
			if err == redis.Nil { // it lost its place: it gets it back
				w.Due, err = w.Reminder.At, nil
			}
			return err
		}); err != nil {
			return err
		}
		if w.Old(now) {
			continue
		}
		if err := f(adapters.Item{Waiting: w}); err != nil {
			return err
		}
	}
	return nil
}

// waiting reads a reminder from its person's hash, see lua/book.lua.
func waiting(mark, state string, fields map[string]string) (*adapters.Waiting, error) {
	parts := strings.SplitN(state, " ", 5)
	if len(parts) < 5 {
		return nil, fmt.Errorf("a reminder is %w", adapters.ErrForeign)
	}
	w := &adapters.Waiting{Reached: parts[1] == "1", Token: parts[3], Reason: parts[4]}
	w.Attempts, _ = strconv.Atoi(parts[0])
	pieces, _ := strconv.Atoi(parts[2])
	var text strings.Builder
	for n := range pieces {
		text.WriteString(fields[mark+strconv.Itoa(n)])
	}
	var err error
	w.Reminder, err = decode(text.String())
	return w, err
}

// Restore implements adapters.Archive.
func (s *Store) Restore(ctx context.Context, items []adapters.Item) error {
	for _, i := range items {
		var err error
		switch {
		case i.Ledger != nil:
			err = s.restoreConversation(ctx, i.Key, i.Ledger)
		case i.Record != nil:
			err = s.restoreRecord(ctx, i.Owner, i.Name, i.Record)
		default:
			err = s.restoreReminder(ctx, i.Waiting)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

func (s *Store) restoreConversation(ctx context.Context, key advisor.Key, l *adapters.Ledger) error {
	fields := []any{"s", string(l.State)}
	marks := ""
	for _, t := range l.Turns {
		marks += t.Mark
		if t.Reply != nil {
			fields = append(fields, "o:"+t.Mark, string(t.Reply))
		}
	}
	fields = append(fields, "h", fmt.Sprint(l.Version, " ", 0, " ", marks)) // of no day: the next turn extends its life
	if err := (conversations{s}).touch(ctx, key, 0); err != nil {
		return err
	}
	return s.do(ctx, "write the store", func(ctx context.Context) error {
		_, err := s.client.TxPipelined(ctx, func(p redis.Pipeliner) error {
			p.HSet(ctx, conversationKey(key), fields...)
			p.PExpireAt(ctx, conversationKey(key), l.Until)
			return nil
		})
		return err
	})
}

func (s *Store) restoreRecord(ctx context.Context, of adapters.Owner, name string, r *adapters.Record) error {
	text := fmt.Sprintf("%d %d %s %s", r.Version, untilMS(*r), url.QueryEscape(r.By), r.Data)
	return s.do(ctx, "write the store", func(ctx context.Context) error {
		return s.timed(ctx, restoreRecordScript, []string{settingsKey(of)}, name, untilMS(*r), text).Err()
	})
}

func (s *Store) restoreReminder(ctx context.Context, w *adapters.Waiting) error {
	pieces, err := encode(w.Reminder)
	if err != nil {
		return err
	}
	p := reminders{s}.at(w.Reminder.Key, w.Reminder.ID)
	set := p.due()
	if w.Reason != "" {
		set = p.dead()
	}
	args := append([]any{p.mark, p.member(), dueMS(w.Due), w.Attempts, flag(w.Reached), w.Reason}, pieces...)
	return s.do(ctx, "write the store", func(ctx context.Context) error {
		return restoreReminderScript.Run(ctx, s.client, []string{p.shard.person(p.who), p.shard.room(p.room), set}, args...).Err()
	})
}
