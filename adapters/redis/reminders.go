package redis

import (
	"cmp"
	"context"
	"crypto/rand"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/redis/go-redis/v9"

	"gpuadvisor/adapters"
	"gpuadvisor/advisor"
)

type reminders struct{ *Store }

// Beyond keepDead dead letters in a shard the oldest go.
const keepDead = 1000

// place is where a reminder lies.
type place struct {
	shard
	who  adapters.Owner
	room adapters.Owner
	mark string
}

func (s reminders) at(key advisor.Key, id string) place {
	who := adapters.Person(key)
	return place{s.shardOf(who), who, adapters.Room(key), adapters.Mark(string(key), id)}
}

func (p place) member() string  { return p.mark + string(p.who) }
func (p place) persons() string { return p.shard.person("") }

// keys are those of the scripts: person, due, room, dead.
func (p place) keys(n int) []string {
	return []string{p.shard.person(p.who), p.due(), p.shard.room(p.room), p.dead()}[:n]
}

// pieceLen is below the 64 bytes up to which Redis packs a value tightly
// (hash-max-listpack-value). What would make too many pieces stays whole.
const (
	pieceLen   = 60
	mostPieces = 30
)

func encode(r advisor.Reminder) ([]any, error) {
	data, err := json.Marshal(r)
	if err != nil {
		return nil, fmt.Errorf("encode reminder: %w", err)
	}
	if len(data) > pieceLen*mostPieces {
		return []any{data}, nil
	}
	var pieces []any
	for piece := range slices.Chunk(data, pieceLen) {
		pieces = append(pieces, piece)
	}
	return pieces, nil
}

func decode(text string) (advisor.Reminder, error) {
	var r advisor.Reminder
	if err := json.Unmarshal([]byte(text), &r); err != nil {
		return r, fmt.Errorf("a reminder is %w: %v", adapters.ErrForeign, err)
	}
	return r, nil
}

// dueMS is when a reminder is due, never early.
func dueMS(at time.Time) int64 { return at.Add(time.Millisecond - 1).UnixMilli() }

// Add implements adapters.Reminders.
func (s reminders) Add(ctx context.Context, r advisor.Reminder) error {
	pieces, err := encode(r)
	if err != nil {
		return err
	}
	p := s.at(r.Key, r.ID)
	args := append([]any{p.mark, p.member(), dueMS(r.At), adapters.MaxReminders}, pieces...)
	var said string
	err = s.do(ctx, "add reminder", func(ctx context.Context) error {
		return s.confirmed(ctx, p.due(), func(on redis.Scripter) (err error) {
			said, err = addScript.Run(ctx, on, p.keys(3), args...).Text()
			return err
		})
	})
	if err == nil && said == "many" {
		err = adapters.ErrTooMany
	}
	return err
}

// replicaWait is how long a replica may take to have what was written.
const replicaWait = 100 * time.Millisecond

// errUnconfirmed means that the primary has it and no replica said so.
var errUnconfirmed = fmt.Errorf("%w: no replica confirmed it", adapters.ErrUnavailable)

// confirmed writes on one connection and, where the primary has replicas,
// waits until one of them has it too. Then it survives that primary.
func (s *Store) confirmed(ctx context.Context, key string, write func(redis.Scripter) error) error {
	node, err := s.primaryOf(ctx, key)
	if err != nil {
		return err
	}
	conn := node.Conn()
	defer conn.Close()
	if err := write(conn); err != nil {
		return err
	}
	info, err := conn.Info(ctx, "replication").Result()
	if err != nil || !hasReplica(info) {
		return nil // no replica, or no way to know of one
	}
	if n, err := conn.Wait(ctx, 1, replicaWait).Result(); err != nil || n == 0 {
		return errUnconfirmed
	}
	return nil
}

func hasReplica(info string) bool {
	_, rest, ok := strings.Cut(info, "connected_slaves:")
	return ok && !strings.HasPrefix(rest, "0")
}

// primaryOf is the server that a key is written to.
func (s *Store) primaryOf(ctx context.Context, key string) (*redis.Client, error) {
	switch c := s.client.(type) {
	case *redis.ClusterClient:
		return c.MasterForKey(ctx, key)
	case *redis.Client:
		return c, nil
	}
	return nil, fmt.Errorf("a client of type %T", s.client)
}

// Cancel implements adapters.Reminders.
func (s reminders) Cancel(ctx context.Context, key advisor.Key, id string) (was bool, err error) {
	p := s.at(key, id)
	err = s.do(ctx, "cancel reminder", func(ctx context.Context) error {
		n, err := cancelScript.Run(ctx, s.client, p.keys(3), p.mark, p.member()).Int()
		was = was || n == 1 // a first try may have done it
		return err
	})
	return was, err
}

// List implements adapters.Reminders. The reminders of a room lie where those
// who have them do, so all shards are asked.
func (s reminders) List(ctx context.Context, of adapters.Owner) (list []advisor.Reminder, err error) {
	if !of.IsRoom() {
		list, err = s.ofPerson(ctx, of, false)
	}
	for n := 0; of.IsRoom() && n < s.shards && err == nil; n++ {
		var more []advisor.Reminder
		more, err = s.inRoom(ctx, shardNumber(n), of)
		list = append(list, more...)
	}
	slices.SortFunc(list, func(a, b advisor.Reminder) int { return cmp.Or(a.At.Compare(b.At), cmp.Compare(a.ID, b.ID)) })
	return list, err
}

func (s reminders) inRoom(ctx context.Context, sh shard, where adapters.Owner) ([]advisor.Reminder, error) {
	return s.read(ctx, func(ctx context.Context) *redis.Cmd {
		return roomScript.Run(ctx, s.client, []string{sh.room(where)}, sh.person(""))
	})
}

func (s reminders) ofPerson(ctx context.Context, who adapters.Owner, withDead bool) ([]advisor.Reminder, error) {
	return s.read(ctx, func(ctx context.Context) *redis.Cmd {
		return listScript.Run(ctx, s.client, []string{s.shardOf(who).person(who)}, withDead)
	})
}

// read runs a script that returns reminders.
func (s reminders) read(ctx context.Context, run func(context.Context) *redis.Cmd) (list []advisor.Reminder, err error) {
	var texts []string
	err = s.do(ctx, "list reminders", func(ctx context.Context) (err error) {
		texts, err = run(ctx).StringSlice()
		return err
	})
	for _, text := range texts {
		r, err := decode(text)
		if err != nil {
			return nil, err
		}
		list = append(list, r)
	}
	return list, err
}

// Claim implements adapters.Reminders. It looks at all shards in one trip and
// claims from those that have something due.
func (s reminders) Claim(ctx context.Context, n int, lease time.Duration) ([]adapters.Due, time.Duration, error) {
	now, heads, err := s.heads(ctx)
	if err != nil {
		return nil, 0, err
	}
	slices.SortFunc(heads, func(a, b head) int { return cmp.Compare(a.at, b.at) })
	var due []adapters.Due
	for i := range heads {
		h := &heads[i]
		if h.at > now || len(due) >= n {
			break
		}
		more, err := s.claim(ctx, h, n-len(due), lease)
		if err != nil && len(due) == 0 {
			return nil, 0, err
		}
		if err != nil {
			break // with what we have; the rest waits for its lease
		}
		due = append(due, more...)
	}
	next := time.Minute
	for _, h := range heads {
		next = min(next, time.Duration(max(0, h.at-now))*time.Millisecond)
	}
	return due, next, nil
}

// head is a shard and when its first reminder is due, in ms.
type head struct {
	shard
	at int64
}

// heads are the shards that have any reminders, and the server's time.
func (s reminders) heads(ctx context.Context) (now int64, heads []head, err error) {
	err = s.do(ctx, "look for due reminders", func(ctx context.Context) error {
		first := make([]*redis.ZSliceCmd, s.shards)
		_, err := s.client.Pipelined(ctx, func(p redis.Pipeliner) error {
			for n := range first {
				first[n] = p.ZRangeWithScores(ctx, shardNumber(n).due(), 0, 0)
			}
			return nil
		})
		if err != nil {
			return err
		}
		now = s.serverTime(ctx).UnixMilli()
		heads = nil
		for n, cmd := range first {
			for _, z := range cmd.Val() {
				heads = append(heads, head{shardNumber(n), int64(z.Score)})
			}
		}
		return nil
	})
	return now, heads, err
}

// claim claims from one shard and notes when its next is due.
func (s reminders) claim(ctx context.Context, h *head, n int, lease time.Duration) ([]adapters.Due, error) {
	token := rand.Text()[:16]
	var answer []string
	err := s.do(ctx, "claim reminders", func(ctx context.Context) (err error) {
		answer, err = s.timed(ctx, claimScript, []string{h.due()}, n, lease.Milliseconds(), token, h.shard.person("")).StringSlice()
		return err
	})
	if err != nil {
		return nil, err
	}
	now, _ := strconv.ParseInt(answer[0], 10, 64)
	h.at = now + time.Minute.Milliseconds()
	if next, err := strconv.ParseFloat(answer[1], 64); err == nil {
		h.at = int64(next)
	}
	var due []adapters.Due
	for rest := answer[2:]; len(rest) >= 3; rest = rest[3:] {
		r, err := decode(rest[0])
		if err != nil {
			return due, fmt.Errorf("claim reminders: %w", err)
		}
		attempt, _ := strconv.Atoi(rest[1])
		due = append(due, adapters.Due{
			Reminder: r, Attempt: attempt, Reached: rest[2] == "1", Token: token,
			Late: time.UnixMilli(now).Sub(r.At),
		})
	}
	return due, nil
}

// Begin implements adapters.Reminders.
func (s reminders) Begin(ctx context.Context, d adapters.Due, atLeast time.Duration) error {
	p := s.at(d.Reminder.Key, d.Reminder.ID)
	return s.held(ctx, "begin sending reminder", beginScript, p.keys(2), p.mark, p.member(), d.Token, atLeast.Milliseconds())
}

// Finish implements adapters.Reminders.
func (s reminders) Finish(ctx context.Context, d adapters.Due, f adapters.Fate) error {
	p := s.at(d.Reminder.Key, d.Reminder.ID)
	args := []any{p.mark, p.member(), d.Token}
	switch {
	case f.Dead != "":
		args = append(args, "dead", f.Dead, adapters.KeepDead.Milliseconds(), keepDead, p.persons())
	case f.Retry > 0 && f.Free:
		args = append(args, "retry", f.Retry.Milliseconds(), d.Attempt-1, flag(d.Reached))
	case f.Retry > 0:
		args = append(args, "retry", f.Retry.Milliseconds(), "", "")
	case !f.Next.IsZero():
		next := d.Reminder
		next.At = f.Next
		pieces, err := encode(next)
		if err != nil {
			return err
		}
		args = append(append(args, "next", dueMS(f.Next)), pieces...)
	default:
		args = append(args, "done")
	}
	return s.held(ctx, "finish reminder", finishScript, p.keys(4), args...)
}

func flag(b bool) string {
	if b {
		return "1"
	}
	return "0"
}

// held runs a script that returns 0 when the reminder is not ours.
func (s reminders) held(ctx context.Context, what string, script *redis.Script, keys []string, args ...any) error {
	var n int
	err := s.do(ctx, what, func(ctx context.Context) (err error) {
		n, err = s.timed(ctx, script, keys, args...).Int()
		return err
	})
	if err == nil && n == 0 {
		return adapters.ErrLost
	}
	return err
}

// Dead implements adapters.Reminders.
func (s reminders) Dead(ctx context.Context, n int) ([]adapters.DeadLetter, error) {
	var all []adapters.DeadLetter
	for i := range s.shards {
		sh := shardNumber(i)
		var answer []string
		err := s.do(ctx, "list dead letters", func(ctx context.Context) (err error) {
			answer, err = s.timed(ctx, deadScript, []string{sh.dead()}, n, adapters.KeepDead.Milliseconds(), sh.person("")).StringSlice()
			return err
		})
		if err != nil {
			return nil, err
		}
		for ; len(answer) >= 4; answer = answer[4:] {
			r, err := decode(answer[0])
			if err != nil {
				return nil, err
			}
			attempts, _ := strconv.Atoi(answer[1])
			at, _ := strconv.ParseFloat(answer[3], 64)
			all = append(all, adapters.DeadLetter{Reminder: r, Attempts: attempts, Reason: answer[2], At: time.UnixMilli(int64(at)).UTC()})
		}
	}
	slices.SortStableFunc(all, func(a, b adapters.DeadLetter) int { return b.At.Compare(a.At) })
	return all[:min(n, len(all))], nil
}

// Forget implements adapters.Reminders.
func (s reminders) Forget(ctx context.Context, who adapters.Owner) error {
	list, err := s.ofPerson(ctx, who, true)
	if err != nil {
		return err
	}
	sh := s.shardOf(who)
	keys := []string{sh.person(who), sh.due(), sh.dead()}
	for _, r := range list {
		if room := sh.room(adapters.Room(r.Key)); !slices.Contains(keys, room) {
			keys = append(keys, room)
		}
	}
	return s.do(ctx, "forget reminders", func(ctx context.Context) error {
		return eraseScript.Run(ctx, s.client, keys, string(who)).Err()
	})
}
