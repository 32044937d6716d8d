//go:build unix

package redis_test

import (
	"context"
	"fmt"
	"reflect"
	"strings"
	"testing"
	"time"

	goredis "github.com/redis/go-redis/v9"
	"pgregory.net/rapid"

	"gpuadvisor/adapters"
	"gpuadvisor/adapters/adaptertest"
	"gpuadvisor/adapters/redis"
	"gpuadvisor/advisor"
)

// aReminder is any reminder: whatever fields it has, all of them are filled.
func aReminder() *rapid.Generator[advisor.Reminder] {
	return rapid.Custom(func(t *rapid.T) (r advisor.Reminder) {
		v := reflect.ValueOf(&r).Elem()
		for i := range v.NumField() {
			switch f := v.Field(i); f.Kind() {
			case reflect.String:
				f.SetString(rapid.OneOf(rapid.StringN(0, 5, -1), rapid.StringN(100, 300, -1)).Draw(t, v.Type().Field(i).Name))
			case reflect.Bool:
				f.SetBool(rapid.Bool().Draw(t, v.Type().Field(i).Name))
			case reflect.Int, reflect.Int64:
				f.SetInt(rapid.Int64Range(-99, 99).Draw(t, v.Type().Field(i).Name))
			}
		}
		r.At = time.Unix(rapid.Int64Range(-1e11, 1e11).Draw(t, "second"), rapid.Int64Range(0, 999_999_999).Draw(t, "nano")).UTC()
		return r
	})
}

// TestPack packs any reminder and gets the same one back.
func TestPack(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		want := aReminder().Draw(t, "reminder")
		data, err := redis.Pack(want)
		if err != nil {
			t.Fatal(err)
		}
		if got, err := redis.Unpack(data); err != nil || !reflect.DeepEqual(got, want) {
			t.Errorf("got %+v, %v; want %+v", got, err, want)
		}
		for n := range data { // a part of it is no reminder, or a shorter one, but no panic
			redis.Unpack(data[:n])
		}
	})
}

// FuzzUnpack reads whatever may lie in a Redis.
func FuzzUnpack(f *testing.F) {
	data, _ := redis.Pack(advisor.Reminder{ID: "1", Key: "a:b:c::d", At: time.Unix(1_800_000_000, 5), Zone: "Asia/Shanghai", RRule: "FREQ=DAILY"})
	f.Add(data)
	f.Add([]byte{0, 0, 255, 255, 255, 255, 255, 255, 255, 255, 255, 1})
	f.Fuzz(func(t *testing.T, data []byte) {
		r, err := redis.Unpack(data)
		if err != nil {
			return
		}
		if again, err := redis.Pack(r); err == nil {
			if got, err := redis.Unpack(again); err != nil || !reflect.DeepEqual(got, r) {
				t.Errorf("%+v came back as %+v, %v", r, got, err)
			}
		}
	})
}

// TestLayout1 opens a Redis that the layout before has written, with a
// reminder that waits, one that was tried, a dead one and a long one.
func TestLayout1(t *testing.T) {
	server := adaptertest.Redis(t)
	if server == nil {
		return
	}
	raw := goredis.NewClient(&goredis.Options{Addr: server.Addr})
	defer raw.Close()
	ctx := t.Context()
	raw.HSet(ctx, "gb:meta", "schema", "1", "shards", "16")
	at := time.Now().Add(-time.Minute).Truncate(time.Second).UTC()
	key := adapters.Key("chat", "bot", "room", "", "me")
	who, long := adapters.Person(key), strings.Repeat("很长", 300)
	const shard = "gb:{r03}:" // wherever: layout 1 need not have hashed as we do
	put := func(id, state, target string, set string, ms int64) {
		mark := adapters.Mark(string(key), id)
		text := fmt.Sprintf(`{"id":%q,"key":%q,"at":%q,"zone":"Asia/Shanghai","action":"release","target":%q}`, id, key, at.Format(time.RFC3339), target)
		raw.HSet(ctx, shard+"p:"+string(who), mark+":", state, mark+"0", text[:50], mark+"1", text[50:])
		raw.ZAdd(ctx, shard+set, goredis.Z{Score: float64(ms), Member: mark + string(who)})
		raw.SAdd(ctx, shard+"m:"+string(adapters.Room(key)), mark+string(who))
	}
	put("waits", "0 0 2 - ", "4090", "due", at.Add(time.Hour).UnixMilli())
	put("tried", "3 1 2 sometoken ", long, "due", at.UnixMilli())
	put("dead", "1 1 2 - gone", "", "dead", at.UnixMilli())
	s := open(t, server.URL())
	for range 2 {
		if due, _, err := s.Reminders().Claim(ctx, 9, time.Minute); err != nil || len(due) > 1 {
			t.Errorf("Claim = %+v, %v", due, err)
		} else if len(due) == 1 && (due[0].Reminder.Target != long || due[0].Attempt != 4 || !due[0].Reached) {
			t.Errorf("claimed %+v, want the fourth attempt, after one that reached the chat", due[0])
		}
		for _, of := range []adapters.Owner{who, adapters.Room(key)} {
			if list, err := s.Reminders().List(ctx, of); err != nil || len(list) != 2 || !list[0].At.Equal(at) || list[0].Zone != "Asia/Shanghai" {
				t.Errorf("List(%s) = %+v, %v; want two", of, list, err)
			}
		}
		if dead, err := s.Reminders().Dead(ctx, 9); err != nil || len(dead) != 1 || dead[0].Reason != "gone" || !dead[0].At.Equal(at) {
			t.Errorf("Dead = %+v, %v; want one", dead, err)
		}
		s = open(t, server.URL())
	}
	if left := raw.Keys(ctx, "gb:{r??}:[pm]*").Val(); len(left) != 0 {
		t.Errorf("the old layout is still there: %q", left)
	}
	if left := raw.Exists(ctx, shard+"due", shard+"dead").Val(); left != 0 {
		t.Errorf("%d old sets are still there", left)
	}
}

// TestMend takes away by hand what belongs together: case 8.
func TestMend(t *testing.T) {
	p := inProcess(t)
	s, ctx := p.Store.(*redis.Store), t.Context()
	raw := redis.Client(s)
	key := adapters.Key("chat", "bot", "room", "", "me")
	add := func(id string) redis.KeySet {
		if err := s.Reminders().Add(ctx, advisor.Reminder{ID: id, Key: key, At: p.Now().Add(time.Minute)}); err != nil {
			t.Fatal(err)
		}
		return redis.Keys(s, key, id)
	}
	lost, gone, claimed, fine := add("member"), add("record"), add("state"), add("fine")
	raw.ZRem(ctx, lost.Due, lost.Member)
	raw.HDel(ctx, gone.Bucket, gone.Member)
	if err := redis.Mend(ctx, s); err != nil {
		t.Errorf("Mend: %v", err)
	}
	p.Pass(time.Minute)
	due, _, err := s.Reminders().Claim(ctx, 9, time.Minute)
	if err != nil || len(due) != 3 {
		t.Fatalf("Claim = %+v, %v; want the three whose record is there", due, err)
	}
	if n := raw.ZCard(ctx, fine.Due).Val(); n != 3 {
		t.Errorf("%d are due, want 3: the one without a record is dropped", n)
	}
	raw.HDel(ctx, claimed.Held, claimed.Member) // whoever holds it cannot know
	p.Pass(time.Minute)
	again, _, err := s.Reminders().Claim(ctx, 9, time.Minute)
	if err != nil || len(again) != 3 {
		t.Fatalf("Claim after the lease = %+v, %v; want three", again, err)
	}
	for _, d := range again {
		if err := s.Reminders().Finish(ctx, d, adapters.Fate{}); err != nil {
			t.Errorf("Finish: %v", err)
		}
	}
	if list, err := s.Reminders().List(ctx, adapters.Room(key)); err != nil || len(list) != 0 {
		t.Errorf("List = %+v, %v; want none", list, err)
	}
	if n := raw.Exists(ctx, fine.Due, fine.Bucket, fine.Held, fine.Room).Val(); n != 0 {
		t.Errorf("%d keys are left of nothing", n)
	}
	// The store mends by itself while nothing is due.
	one := add("later")
	raw.ZRem(ctx, one.Due, one.Member)
	redis.MendNext(s, one.Bucket)
	s.Reminders().Claim(ctx, 9, time.Minute)
	if err := raw.ZScore(context.Background(), one.Due, one.Member).Err(); err != nil {
		t.Errorf("its place did not come back: %v", err)
	}
}
