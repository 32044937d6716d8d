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
		{"gb:{r??}:b:*", func(key string) error { return s.dumpReminders(ctx, key, now, f) }},
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
		r, err := readRecord(text)
		if err != nil {
			return err
		}
		if r = r.Live(now); r.Version == 0 {
			continue
		}
		if err := f(adapters.Item{Owner: adapters.Owner(inTag(key)), Name: name, Record: &r}); err != nil {
			return err
		}
	}
	return nil
}

// dumpReminders reads the reminders in a bucket.
func (s *Store) dumpReminders(ctx context.Context, key string, now time.Time, f func(adapters.Item) error) error {
	fields, _, err := s.fields(ctx, key)
	if err != nil {
		return err
	}
	for member := range fields {
		if len(member) != 2*half {
			continue
		}
		w, err := s.waiting(ctx, member, fields)
		if err != nil {
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

// waiting reads a reminder out of its bucket.
func (s *Store) waiting(ctx context.Context, member string, fields map[string]string) (*adapters.Waiting, error) {
	text := fields[member]
	for n := 1; n < int(text[0])-'0'; n++ {
		text += fields[member+strconv.Itoa(n)]
	}
	w := &adapters.Waiting{}
	var err error
	if w.Reminder, err = decode(text); err != nil {
		return nil, err
	}
	p := reminders{s}.at(w.Reminder.Key, w.Reminder.ID)
	err = s.do(ctx, "read the store", func(ctx context.Context) error {
		state, err := s.client.HGet(ctx, p.held(), member).Result()
		if err != nil && err != redis.Nil {
			return err
		}
		set := p.due()
		if parts := strings.SplitN(state, " ", 4); len(parts) == 4 {
			w.Attempts, _ = strconv.Atoi(parts[0])
			w.Reached, w.Token, w.Reason = parts[1] == "1", parts[2], parts[3]
		}
		if w.Reason != "" {
			set = p.dead()
		}
		return s.findPlace(ctx, w, set, member)
	})
	return w, err
}

// findPlace reads when a reminder is due, or was given up. One that lost its place
// in the set gets it back.
func (s *Store) findPlace(ctx context.Context, w *adapters.Waiting, set, member string) error {
	score, err := s.client.ZScore(ctx, set, member).Result()
	w.Due = time.UnixMilli(int64(score)).UTC()
	if err == redis.Nil {
		w.Due, err = w.Reminder.At, nil
	}
	return err
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
	return s.restoreFrom(ctx, w, "", "")
}

// restoreFrom takes a reminder away from where it lay in layout 1, unless mark
// is empty.
func (s *Store) restoreFrom(ctx context.Context, w *adapters.Waiting, mark, member string, old ...string) error {
	pieces, err := encode(w.Reminder)
	if err != nil {
		return err
	}
	p := reminders{s}.at(w.Reminder.Key, w.Reminder.ID)
	set := p.due()
	if w.Reason != "" {
		set = p.dead()
	}
	keys := append([]string{p.bucket(p.person), p.rooms(p.room), p.held(), set}, old...)
	args := append([]any{p.member, p.inRoom(), dueMS(w.Due), w.Attempts, flag(w.Reached), w.Reason, mark, member}, pieces...)
	return s.do(ctx, "write the store", func(ctx context.Context) error {
		return restoreReminderScript.Run(ctx, s.client, keys, args...).Err()
	})
}
