package redis

import (
	"context"
	"fmt"
	"net/url"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/redis/go-redis/v9"

	"gpuadvisor/adapters"
	"gpuadvisor/advisor"
)

var _ adapters.Mover = (*Store)(nil)

var takeScript = script("now", "take")

// page is how many keys are read in one trip.
const page = 500

// Each implements adapters.Mover. It walks over the keys of every server,
// which shows each of them once or more while nobody writes.
func (s *Store) Each(ctx context.Context, f func(adapters.Item) error) error {
	seen := map[string]bool{}
	walk := func(ctx context.Context, node *redis.Client) error {
		var cursor uint64
		for {
			var keys []string
			err := s.do(ctx, "walk over the keys", func(ctx context.Context) (err error) {
				var next uint64
				keys, next, err = node.Scan(ctx, cursor, "gb:*", page).Result()
				if err == nil {
					cursor = next
				}
				return err
			})
			if err != nil {
				return err
			}
			for _, key := range keys {
				if seen[key] {
					continue
				}
				seen[key] = true
				if err := s.give(ctx, key, f); err != nil {
					return err
				}
			}
			if cursor == 0 {
				return nil
			}
		}
	}
	switch c := s.client.(type) {
	case *redis.ClusterClient:
		var one sync.Mutex // the servers are walked side by side, f is not
		return c.ForEachMaster(ctx, func(ctx context.Context, node *redis.Client) error {
			one.Lock()
			defer one.Unlock()
			return walk(ctx, node)
		})
	case *redis.Client:
		return walk(ctx, c)
	}
	return fmt.Errorf("a client of type %T", s.client)
}

// give reads what lies under a key. Indexes are made anew by Take.
func (s *Store) give(ctx context.Context, key string, f func(adapters.Item) error) error {
	inside, kind, ok := strings.Cut(strings.TrimPrefix(key, "gb:{"), "}")
	name := untag(inside)
	switch person, reminders := strings.CutPrefix(kind, ":p:"); {
	case !ok:
		return nil
	case kind == ":c":
		return s.giveConversation(ctx, key, advisor.Key(name), f)
	case kind == ":s":
		return s.giveRecords(ctx, key, adapters.Owner(name), f)
	case reminders:
		return s.giveReminders(ctx, shard("gb:{"+inside+"}:"), adapters.Owner(person), f)
	}
	return nil
}

func untag(s string) string {
	return strings.NewReplacer("%25", "%", "%7B", "{", "%7D", "}").Replace(s)
}

// hash reads a whole hash and how many ms it has to live.
func (s *Store) hash(ctx context.Context, key string) (fields map[string]string, lives time.Duration, err error) {
	err = s.do(ctx, "read "+key, func(ctx context.Context) error {
		var all *redis.MapStringStringCmd
		var left *redis.DurationCmd
		_, err := s.client.Pipelined(ctx, func(p redis.Pipeliner) error {
			all, left = p.HGetAll(ctx, key), p.PTTL(ctx, key)
			return nil
		})
		if err == nil {
			fields, lives = all.Val(), left.Val()
		}
		return err
	})
	return fields, lives, err
}

func (s *Store) giveConversation(ctx context.Context, at string, key advisor.Key, f func(adapters.Item) error) error {
	h, lives, err := s.hash(ctx, at)
	if err != nil || len(h) == 0 {
		return err
	}
	version, err := number(h["v"])
	if err != nil {
		return err
	}
	l := &adapters.Ledger{Version: version, State: []byte(h["s"]), Until: s.serverTime(ctx).Add(max(lives, time.Second)).UTC()}
	for marks := h["u"]; len(marks) >= markLen; marks = marks[markLen:] {
		e := adapters.Entry{Mark: marks[:markLen]}
		if reply := h["o:"+e.Mark]; reply != "" {
			e.Reply = []byte(reply)
		}
		l.Turns = append(l.Turns, e)
	}
	return f(adapters.Item{Key: key, Ledger: l})
}

func (s *Store) giveRecords(ctx context.Context, at string, of adapters.Owner, f func(adapters.Item) error) error {
	h, _, err := s.hash(ctx, at)
	if err != nil {
		return err
	}
	for name, text := range h {
		part := strings.SplitN(text, " ", 4)
		if len(part) < 4 {
			return fmt.Errorf("a setting is %w", adapters.ErrForeign)
		}
		r := record(part[0], part[1], part[2], part[3]).Live(s.serverTime(ctx))
		if r.Version == 0 {
			continue
		}
		if err := f(adapters.Item{Of: of, Name: name, Record: &r}); err != nil {
			return err
		}
	}
	return nil
}

func (s *Store) giveReminders(ctx context.Context, sh shard, who adapters.Owner, f func(adapters.Item) error) error {
	h, _, err := s.hash(ctx, sh.person(who))
	if err != nil {
		return err
	}
	for field, state := range h {
		m, ok := strings.CutSuffix(field, ":")
		if !ok {
			continue
		}
		w, err := waiting(h, m, state)
		if err != nil {
			return err
		}
		in := sh.due()
		if w.Reason != "" {
			in = sh.dead()
		}
		if w.Due, err = s.score(ctx, in, m+string(who), w.Reminder.At); err != nil {
			return err
		}
		if w.Reason != "" && !w.Due.After(s.serverTime(ctx).Add(-adapters.KeepDead)) {
			continue
		}
		if err := f(adapters.Item{Waiting: w}); err != nil {
			return err
		}
	}
	return nil
}

// waiting reads a reminder out of its person's hash; see lua/book.lua.
func waiting(h map[string]string, m, state string) (*adapters.Waiting, error) {
	part := strings.SplitN(state, " ", 5)
	if len(part) < 5 {
		return nil, fmt.Errorf("a reminder is %w", adapters.ErrForeign)
	}
	attempts, err := strconv.Atoi(part[0])
	pieces, err2 := strconv.Atoi(part[2])
	if err != nil || err2 != nil {
		return nil, fmt.Errorf("a reminder is %w", adapters.ErrForeign)
	}
	var text strings.Builder
	for i := range pieces {
		text.WriteString(h[m+strconv.Itoa(i)])
	}
	r, err := decode(text.String())
	return &adapters.Waiting{Reminder: r, Attempts: attempts, Reached: part[1] == "1", Reason: part[4]}, err
}

// score is the instant of a member of a sorted set, or another when it is not
// in there.
func (s *Store) score(ctx context.Context, set, member string, or time.Time) (at time.Time, err error) {
	err = s.do(ctx, "read "+set, func(ctx context.Context) error {
		ms, err := s.client.ZScore(ctx, set, member).Result()
		switch {
		case err == redis.Nil:
			at = or
			return nil
		case err == nil:
			at = time.UnixMilli(int64(ms)).UTC()
		}
		return err
	})
	return at, err
}

// Take implements adapters.Mover.
func (s *Store) Take(ctx context.Context, items []adapters.Item) error {
	err := s.do(ctx, "take over", func(ctx context.Context) error {
		_, err := s.client.Pipelined(ctx, func(p redis.Pipeliner) error {
			for _, i := range items {
				if err := s.take(ctx, p, i); err != nil {
					return err
				}
			}
			return nil
		})
		return err
	})
	for _, i := range items {
		if err == nil && i.Record != nil {
			err = s.takeRecord(ctx, i)
		}
	}
	return err
}

func (s *Store) take(ctx context.Context, p redis.Pipeliner, i adapters.Item) error {
	switch {
	case i.Ledger != nil:
		takeLedger(ctx, p, i.Key, i.Ledger)
	case i.Waiting != nil:
		return s.takeReminder(ctx, p, i.Waiting)
	}
	return nil
}

// takeLedger leaves the day of the last extension open, so that the next turn
// extends the life.
func takeLedger(ctx context.Context, p redis.Pipeliner, key advisor.Key, l *adapters.Ledger) {
	at, set := conversationKey(key), peopleKey(adapters.Person(key))
	values := []any{"v", l.Version, "s", string(l.State), "e", 0}
	var marks strings.Builder
	for _, t := range l.Turns {
		m := t.Mark
		if m == "" {
			m = mark(string(t.ID))
		}
		marks.WriteString(m)
		if t.Reply != nil {
			values = append(values, "o:"+m, string(t.Reply))
		}
	}
	p.Del(ctx, at)
	p.HSet(ctx, at, append(values, "u", marks.String())...)
	p.PExpireAt(ctx, at, l.Until)
	p.SAdd(ctx, set, string(key))
	p.PExpire(ctx, set, touchLife)
}

func (s *Store) takeReminder(ctx context.Context, p redis.Pipeliner, w *adapters.Waiting) error {
	pieces, err := encode(w.Reminder)
	if err != nil {
		return err
	}
	at := reminders{s}.at(w.Reminder.Key, w.Reminder.ID)
	person := at.shard.person(at.who)
	state := fmt.Sprintf("%d %s %d - %s", w.Attempts, flag(w.Reached), len(pieces), w.Reason)
	values := []any{at.mark + ":", state}
	for i, piece := range pieces {
		values = append(values, at.mark+strconv.Itoa(i), piece)
	}
	p.HSet(ctx, person, values...)
	z := redis.Z{Score: float64(dueMS(w.Due)), Member: at.member()}
	if w.Reason != "" {
		p.ZAdd(ctx, at.dead(), z)
		return nil
	}
	p.ZAdd(ctx, at.due(), z)
	p.SAdd(ctx, at.shard.room(at.room), at.member())
	return nil
}

func (s *Store) takeRecord(ctx context.Context, i adapters.Item) error {
	until := int64(0)
	if !i.Record.Until.IsZero() {
		until = i.Record.Until.UnixMilli()
	}
	text := fmt.Sprintf("%d %d %s %s", i.Record.Version, until, url.QueryEscape(i.Record.By), i.Record.Data)
	return s.do(ctx, "take over a setting", func(ctx context.Context) error {
		return s.timed(ctx, takeScript, []string{settingsKey(i.Of)}, i.Name, text, until).Err()
	})
}
