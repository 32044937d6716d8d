package redis

import (
	"cmp"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	mathrand "math/rand/v2"
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
	person string // half a mark each
	room   string
	member string
}

func (s reminders) at(key advisor.Key, id string) place {
	who := adapters.Person(key)
	person := short(string(who))
	return place{s.shardOf(who), person, short(string(adapters.Room(key))), person + short(string(key), id)}
}

// inRoom is its field in the room.
func (p place) inRoom() string { return p.room + p.member }

// keys are those of the scripts: bucket, due, room, held.
func (p place) keys() []string {
	return []string{p.bucket(p.person), p.due(), p.rooms(p.room), p.held()}
}

// pieceLen is up to where Redis packs a value tightly
// (hash-max-listpack-value). What would make too many pieces stays whole.
const (
	pieceLen   = 64
	mostPieces = 30
)

// encode is a reminder in pieces. The first byte tells how many there are.
func encode(r advisor.Reminder) ([]any, error) {
	data, err := pack(r)
	if err != nil {
		return nil, err
	}
	data = append([]byte{'1'}, data...)
	if len(data) > pieceLen*mostPieces {
		return []any{data}, nil
	}
	var pieces []any
	for piece := range slices.Chunk(data, pieceLen) {
		pieces = append(pieces, piece)
	}
	data[0] = byte('0' + len(pieces))
	return pieces, nil
}

// decode reads the pieces, one after the other.
func decode(text string) (advisor.Reminder, error) {
	if text == "" {
		return advisor.Reminder{}, fmt.Errorf("a reminder is %w: empty", adapters.ErrForeign)
	}
	r, err := unpack([]byte(text[1:]))
	if errors.Is(err, adapters.ErrNewer) {
		return r, fmt.Errorf("a reminder was %w", err)
	}
	if err != nil {
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
	args := append([]any{p.member, p.inRoom(), dueMS(r.At), adapters.MaxReminders}, pieces...)
	var said string
	err = s.do(ctx, "add reminder", func(ctx context.Context) error {
		return s.confirmed(ctx, p.due(), func(on redis.Scripter) (err error) {
			said, err = addScript.Run(ctx, on, p.keys(), args...).Text()
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
		n, err := cancelScript.Run(ctx, s.client, p.keys(), p.member, p.inRoom()).Int()
		was = was || n == 1 // a first try may have done it
		return err
	})
	return was, err
}

// List implements adapters.Reminders. The reminders of a room lie where those
// who have them do, so all shards are asked.
func (s reminders) List(ctx context.Context, of adapters.Owner) (list []advisor.Reminder, err error) {
	if of.IsRoom() {
		list, err = s.inRoom(ctx, of, "")
	} else {
		list, err = s.ofPerson(ctx, of, false)
	}
	slices.SortFunc(list, adapters.Sooner)
	return list, err
}

// inRoom are the reminders in a room that wait, or that died of a reason.
func (s reminders) inRoom(ctx context.Context, where adapters.Owner, reason string) (list []advisor.Reminder, err error) {
	room := short(string(where))
	for n := 0; n < s.shards && err == nil; n++ {
		sh := shardNumber(n)
		var more []advisor.Reminder
		more, err = s.read(ctx, func(ctx context.Context) *redis.Cmd {
			return roomScript.Run(ctx, s.client, []string{sh.rooms(room), sh.held()}, room, sh.buckets(), reason)
		})
		list = append(list, more...)
	}
	// A mark may be shared, if hardly ever.
	return slices.DeleteFunc(list, func(r advisor.Reminder) bool { return adapters.Room(r.Key) != where }), err
}

func (s reminders) ofPerson(ctx context.Context, who adapters.Owner, withDead bool) ([]advisor.Reminder, error) {
	sh, person := s.shardOf(who), short(string(who))
	list, err := s.read(ctx, func(ctx context.Context) *redis.Cmd {
		return listScript.Run(ctx, s.client, []string{sh.bucket(person), sh.held()}, person, withDead)
	})
	return slices.DeleteFunc(list, func(r advisor.Reminder) bool { return adapters.Person(r.Key) != who }), err
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
	// Of shards that are due at the same time each process begins with another.
	mathrand.Shuffle(len(heads), func(i, k int) { heads[i], heads[k] = heads[k], heads[i] })
	slices.SortFunc(heads, func(a, b head) int { return cmp.Compare(a.at, b.at) })
	var due []adapters.Due
	for i := range heads {
		h := &heads[i]
		if h.at > now || len(due) >= n {
			break
		}
		more, err := s.claim(ctx, h, n-len(due), lease)
		due = append(due, more...)
		if err != nil && len(due) == 0 {
			return nil, 0, err
		}
		if err != nil {
			break // with what we have; what cannot be read waits for its lease
		}
	}
	next := time.Minute
	for _, h := range heads {
		next = min(next, time.Duration(max(0, h.at-now))*time.Millisecond)
	}
	if len(due) == 0 {
		s.mendSome(ctx)
	}
	return due, next, nil
}

// At a look that finds nothing due, but not more than once a second, mendAtOnce
// buckets are looked through: all of them in little over an hour, and in some
// five where the bot has nothing to do and looks seldom.
const (
	mendEvery  = time.Second
	mendAtOnce = 16
)

// mendSome mends the next buckets. What goes wrong will go wrong again where
// it matters.
func (s reminders) mendSome(ctx context.Context) {
	s.mu.Lock()
	wait := time.Since(s.mended.at) < mendEvery
	if !wait {
		s.mended.at = time.Now()
		s.mended.next++
	}
	n := s.mended.next
	s.mu.Unlock()
	if !wait {
		s.mend(ctx, shardNumber(n%s.shards), n/s.shards*mendAtOnce%buckets, mendAtOnce)
	}
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
		answer, err = s.timed(ctx, claimScript, []string{h.due(), h.held()}, n, lease.Milliseconds(), token, h.buckets()).StringSlice()
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
		r, wrong := decode(rest[0])
		if wrong != nil { // it holds up no other
			err = fmt.Errorf("claim reminders: %w", wrong)
			continue
		}
		attempt, _ := strconv.Atoi(rest[1])
		due = append(due, adapters.Due{
			Reminder: r, Attempt: attempt, Reached: rest[2] == "1", Token: token,
			Late: time.UnixMilli(now).Sub(r.At),
		})
	}
	return due, err
}

// Begin implements adapters.Reminders.
func (s reminders) Begin(ctx context.Context, d adapters.Due, atLeast time.Duration) error {
	p := s.at(d.Reminder.Key, d.Reminder.ID)
	return held(s.begins.do(ctx, p.shard, p.member, d.Token, atLeast.Milliseconds()))
}

// Finish implements adapters.Reminders.
func (s reminders) Finish(ctx context.Context, d adapters.Due, f adapters.Fate) error {
	p := s.at(d.Reminder.Key, d.Reminder.ID)
	args := []any{p.member, d.Token}
	switch {
	case f.Dead != "":
		args = append(args, "dead", f.Dead, adapters.KeepDead.Milliseconds(), keepDead, p.buckets())
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
		return held(s.dones.do(ctx, p.shard, p.member, p.inRoom(), d.Token, p.buckets(), p.allRooms()))
	}
	var n int64
	err := s.do(ctx, "finish reminder", func(ctx context.Context) (err error) {
		n, err = s.timed(ctx, finishScript, []string{p.bucket(p.person), p.due(), p.held(), p.dead()}, args...).Int64()
		return err
	})
	return held(n, err)
}

// held is the error of a script that returns 0 when the reminder is not ours.
func held(n int64, err error) error {
	if err == nil && n == 0 {
		return adapters.ErrLost
	}
	return err
}

func flag(b bool) string {
	if b {
		return "1"
	}
	return "0"
}

// Dead implements adapters.Reminders.
func (s reminders) Dead(ctx context.Context, n int) ([]adapters.DeadLetter, error) {
	var all []adapters.DeadLetter
	for i := range s.shards {
		sh := shardNumber(i)
		var answer []string
		err := s.do(ctx, "list dead letters", func(ctx context.Context) (err error) {
			answer, err = s.timed(ctx, deadScript, []string{sh.dead(), sh.held()}, n, adapters.KeepDead.Milliseconds(), sh.buckets()).StringSlice()
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
	sh, person := s.shardOf(who), short(string(who))
	keys, args := []string{sh.bucket(person), sh.due(), sh.dead(), sh.held()}, []any{person}
	for _, r := range list {
		room := short(string(adapters.Room(r.Key)))
		if !slices.Contains(args[1:], any(room)) {
			keys, args = append(keys, sh.rooms(room)), append(args, room)
		}
	}
	return s.do(ctx, "forget reminders", func(ctx context.Context) error {
		return eraseScript.Run(ctx, s.client, keys, args...).Err()
	})
}

// Bury implements adapters.Reminders.
func (s reminders) Bury(ctx context.Context, room adapters.Owner, reason string) (n int, err error) {
	list, err := s.inRoom(ctx, room, "")
	for _, r := range list {
		switch err := s.Finish(ctx, adapters.Due{Reminder: r, Token: "*"}, adapters.Fate{Dead: reason}); {
		case err == nil:
			n++
		case !errors.Is(err, adapters.ErrLost):
			return n, err
		}
	}
	return n, err
}

// Revive implements adapters.Reminders.
func (s reminders) Revive(ctx context.Context, room adapters.Owner, reason string, when func(advisor.Reminder) time.Time) (n int, err error) {
	list, err := s.inRoom(ctx, room, reason)
	for _, r := range list {
		if r.At = when(r); r.At.IsZero() {
			continue
		}
		pieces, err := encode(r)
		if err != nil {
			return n, err
		}
		p := s.at(r.Key, r.ID)
		args := append([]any{p.member, reason, dueMS(r.At)}, pieces...)
		err = s.do(ctx, "revive reminder", func(ctx context.Context) error {
			was, err := reviveScript.Run(ctx, s.client, []string{p.bucket(p.person), p.due(), p.held(), p.dead()}, args...).Int()
			n += was
			return err
		})
		if err != nil {
			return n, err
		}
	}
	return n, err
}

// mend gives those reminders in some buckets of a shard their places back that
// have lost them, which is nothing that we do.
func (s reminders) mend(ctx context.Context, sh shard, from, n int) error {
	keys := []string{sh.due(), sh.dead()}
	for i := from; i < from+n; i++ {
		keys = append(keys, sh.bucket(string([]byte{alphabet[i/64%64], alphabet[i%64]})))
	}
	list, err := s.read(ctx, func(ctx context.Context) *redis.Cmd { return mendScript.Run(ctx, s.client, keys) })
	for _, r := range list {
		p := s.at(r.Key, r.ID)
		err = errors.Join(err, s.do(ctx, "mend reminder", func(ctx context.Context) error {
			return s.client.ZAddNX(ctx, p.due(), redis.Z{Score: float64(dueMS(r.At)), Member: p.member}).Err()
		}))
	}
	return err
}

// alphabet is what marks are made of; two of its letters name a bucket.
const alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_"

const buckets = len(alphabet) * len(alphabet)
