package adapters_test

import (
	"errors"
	"fmt"
	"path/filepath"
	"reflect"
	"testing"
	"time"

	"github.com/alicebob/miniredis/v2"

	"gpuadvisor/adapters"
	"gpuadvisor/adapters/bolt"
	"gpuadvisor/adapters/redis"
	"gpuadvisor/advisor"
)

// TestCopy grows from a file to a Redis and shrinks back to a file.
func TestCopy(t *testing.T) {
	ctx := t.Context()
	first, last := openFile(t, "first.db"), openFile(t, "last.db")
	server, err := redis.Open(ctx, "redis://"+miniredis.RunT(t).Addr())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { server.Close() })
	want := furnish(t, first)
	for _, step := range []struct{ from, to adapters.Archive }{{first, server}, {server, last}} {
		got, err := adapters.Copy(ctx, step.from, step.to)
		if err != nil || got != want {
			t.Fatalf("Copy = %v, %v; want %v", got, err, want)
		}
		if _, err := adapters.Copy(ctx, step.from, step.to); !errors.Is(err, adapters.ErrNotEmpty) {
			t.Errorf("Copy once more: got %v, want ErrNotEmpty", err)
		}
	}
	for what, look := range map[string]func(adapters.Store) any{
		"conversation": func(s adapters.Store) any { return must(s.Conversations().Load(ctx, who(7))) },
		"sent":         func(s adapters.Store) any { return must(s.Conversations().Committed(ctx, who(7), "0")) },
		"unsent":       func(s adapters.Store) any { return must(s.Conversations().Committed(ctx, who(7), "1")) },
		"settings":     func(s adapters.Store) any { return must(s.Settings().List(ctx, adapters.Person(who(7)))) },
		"reminders":    func(s adapters.Store) any { return must(s.Reminders().List(ctx, adapters.Person(who(7)))) },
		"room":         func(s adapters.Store) any { return len(must(s.Reminders().List(ctx, adapters.Room(who(7))))) },
		"dead":         func(s adapters.Store) any { return must(s.Reminders().Dead(ctx, 1000)) },
		"of a person":  func(s adapters.Store) any { return must(s.Conversations().Of(ctx, adapters.Person(who(7)))) },
	} {
		if a, b := look(first), look(server); !reflect.DeepEqual(a, b) {
			t.Errorf("%s: %+v in the file, %+v in Redis", what, a, b)
		}
		if a, b := look(first), look(last); !reflect.DeepEqual(a, b) {
			t.Errorf("%s: %+v in the first file, %+v in the last", what, a, b)
		}
	}
	c := must(server.Conversations().Load(ctx, who(7)))
	if out, err := server.Conversations().Commit(ctx, who(7), adapters.Turn{MessageID: "2", Conversation: c}); err != nil || out.Version != 3 {
		t.Errorf("the next turn on the copy = %+v, %v; want version 3", out, err)
	}
	if due, _, err := server.Reminders().Claim(ctx, 1000, time.Minute); err != nil || len(due) != people {
		t.Errorf("%d reminders are due on the copy, %v; want %d", len(due), err, people)
	}
}

const people = 600 // more than are copied in one step

func who(n int) advisor.Key {
	return adapters.Key("chat", "bot", "}房间{", "%", fmt.Sprint("user:", n))
}

func openFile(t *testing.T, name string) *bolt.Store {
	t.Helper()
	s, err := bolt.Open(filepath.Join(t.TempDir(), name))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	return s
}

// furnish fills a store by a few large steps.
func furnish(t *testing.T, s adapters.Archive) adapters.Counts {
	t.Helper()
	now := time.Now().Truncate(time.Millisecond).UTC()
	var items []adapters.Item
	for n := range people {
		l := &adapters.Ledger{}
		for i := range int64(2) {
			_, err := l.Commit(adapters.Turn{
				MessageID: fmt.Sprint(i), Conversation: advisor.Conversation{Version: i, Asked: fmt.Sprint(n)},
				Reply: advisor.Reply{Act: fmt.Sprint(n)},
			}, now)
			if err != nil {
				t.Fatal(err)
			}
		}
		l.MarkSent("0")
		me := adapters.Person(who(n))
		reminder := func(id string, at time.Time) advisor.Reminder {
			return advisor.Reminder{ID: id, Key: who(n), At: at, Zone: "Asia/Shanghai", Target: "4090 的训练"}
		}
		items = append(items,
			adapters.Item{Key: who(n), Ledger: l},
			adapters.Item{Owner: me, Name: "profile", Record: &adapters.Record{Version: 3, Data: []byte("{\n}"), By: "消息 1"}},
			adapters.Item{Owner: me, Name: "rental/1", Record: &adapters.Record{Version: 1, Data: []byte("4090"), Until: now.Add(time.Hour)}},
			adapters.Item{Waiting: &adapters.Waiting{Reminder: reminder("due", now.Add(-time.Minute)), Due: now.Add(-time.Second), Attempts: 2, Reached: true}},
			adapters.Item{Waiting: &adapters.Waiting{Reminder: reminder("later", now.Add(time.Hour)), Due: now.Add(time.Hour)}},
		)
		if n%100 == 0 {
			items = append(items, adapters.Item{Waiting: &adapters.Waiting{
				Reminder: reminder("dead", now.Add(-time.Hour)), Due: now.Add(-time.Duration(n) * time.Second), Attempts: 8, Reason: "chat gone",
			}})
		}
	}
	if err := s.Restore(t.Context(), items); err != nil {
		t.Fatal(err)
	}
	return adapters.Counts{Conversations: people, Records: 2 * people, Reminders: 2 * people, DeadLetters: people / 100}
}

func must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}
