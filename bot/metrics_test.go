package main

import (
	"context"
	"fmt"
	"log/slog"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"gpuadvisor/adapters"
	"gpuadvisor/adapters/memory"
	"gpuadvisor/advisor"
)

// series is how many series a registry has now.
func series(t *testing.T, m *meters) (n int) {
	t.Helper()
	families, err := m.registry.Gather()
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range families {
		n += len(f.GetMetric())
	}
	return n
}

// TestMetricsAreBounded lets a million people write, each in a room of their
// own: no series is made for any of them, and none for an act that nobody has
// heard of.
func TestMetricsAreBounded(t *testing.T) {
	m := newMeters()
	turn := m.around(func(ctx context.Context, msg advisor.Message, respond adapters.Respond) {
		respond(ctx, advisor.Reply{Act: msg.Text})
	})
	say := func(user int, chat, act string) {
		id := fmt.Sprint(user)
		msg := advisor.Message{ID: id, Key: advisor.Key(chat + ":1:" + id + "::" + id), Text: act}
		turn(t.Context(), msg, func(context.Context, advisor.Reply) error { return nil })
		m.beyond(msg.Key)
	}
	say(0, "telegram", "answer")
	before := series(t, m)
	for user := range 1_000_000 {
		say(user, "telegram", "answer")
	}
	if after := series(t, m); after != before {
		t.Errorf("a million people: got %d series, want the %d of one", after, before)
	}
	for user := range 1000 {
		say(user, "telegram", fmt.Sprintf("ask:%c%c", 'a'+user%26, 'a'+user/26%26))
		say(user, "telegram", fmt.Sprint("what was typed ", user))
		say(user, fmt.Sprint("chat", user), "answer")
	}
	if after := series(t, m); after > before+actsMost+10 {
		t.Errorf("strange acts and chats: got %d series after %d", after, before)
	}
}

// A nil *meters stands around everything and counts nothing.
func TestNoMetrics(t *testing.T) {
	var m *meters
	store := memory.Open(time.Now)
	turn := m.around(func(context.Context, advisor.Message, adapters.Respond) {})
	turn(t.Context(), advisor.Message{}, nil)
	m.uses("x")
	m.reloaded(true)
	m.beyond("telegram:1:2::2")
	m.watch(nil)
	if m.chat(nil) != nil || m.conversations(store.Conversations()) == nil || m.reminders(store.Reminders()) == nil || m.thinking(nil) != nil {
		t.Error("got something else than what was there")
	}
}

// value is a metric on a page, "" when it is not there.
func value(page, metric string) string {
	found := regexp.MustCompile(`(?m)^` + regexp.QuoteMeta(metric) + ` (.*)$`).FindStringSubmatch(page)
	if found == nil {
		return ""
	}
	return found[1]
}

// TestMetrics reads what a bot counts after a small talk, a reminder that came
// due before it started, and messages beyond the limit.
func TestMetrics(t *testing.T) {
	alone(t)
	tg := newExchange(t)
	file := filepath.Join(t.TempDir(), "bot.db")
	store := openBolt(t, file)
	key := adapters.Key("telegram", "123456", "42", "", "42")
	for i, chat := range []string{"42", "43"} {
		r := advisor.Reminder{ID: fmt.Sprint(i), Key: adapters.Key("telegram", "123456", chat, "", chat), At: time.Now().Add(-time.Minute), Zone: "UTC", Action: "release"}
		if err := store.Reminders().Add(t.Context(), r); err != nil {
			t.Fatal(err)
		}
	}
	store.Close()
	t.Setenv("TELEGRAM_TOKEN", exchangeToken)
	t.Setenv("TELEGRAM_API_URL", tg.URL)
	t.Setenv("STORE_FILE", file)
	t.Setenv("USER_PER_MINUTE", "2")
	bot := serveHere(t)
	eventually(t, "ready", func() bool { status, _ := ask(bot.listen, "/readyz"); return status == 200 })
	tg.until(t, 42, 1)
	for id := range int64(4) {
		tg.write(id+1, 42, 42, "LoRA fine-tune of Qwen2.5-7B, secret-project-zebra, 2 GB of data, two days")
	}
	tg.until(t, 42, 4) // a reminder, two answers, one sentence about the limit
	var page string
	counted := func(metric, want string) {
		t.Helper()
		eventually(t, metric+" is "+want, func() bool {
			_, page = ask(bot.listen, "/metrics")
			return value(page, metric) == want
		})
	}
	counted(`gpuadvisor_turns_total{act="answer",chat="telegram"}`, "2")
	counted(`gpuadvisor_sends_total{chat="telegram",kind="reply",result="ok"}`, "2")
	counted(`gpuadvisor_sends_total{chat="telegram",kind="reminder",result="ok"}`, "2")
	counted(`gpuadvisor_reminders_total{fate="delivered"}`, "2")
	counted(`gpuadvisor_reminder_lag_seconds_count`, "2")
	counted(`gpuadvisor_limited_total{chat="telegram"}`, "2")
	counted(`gpuadvisor_turn_seconds_count{chat="telegram"}`, "2")
	counted(`gpuadvisor_chat_up{chat="telegram"}`, "1")
	counted(`gpuadvisor_turns_at_once`, fmt.Sprint(turnsAtOnce))
	counted(`gpuadvisor_turns_open`, "0")
	counted(`gpuadvisor_conflicts_total`, "0")
	counted(`gpuadvisor_store_errors_total{port="conversations"}`, "0")
	for _, secret := range []string{"zebra", "123456", "42:", string(key)} {
		if strings.Contains(page, secret) {
			t.Errorf("the page of metrics holds %q", secret)
		}
	}
	if status := bot.ends(t); status != 0 {
		t.Errorf("exit status %d", status)
	}
}

// broken is a store in which nothing can be noted as sent.
type broken struct{ adapters.Conversations }

func (b broken) MarkSent(context.Context, advisor.Key, string) error {
	return adapters.ErrUnavailable
}

// TestRequestIDs follows messages through the log: all lines of one have one
// id, the same when it comes again, another for another message.
func TestRequestIDs(t *testing.T) {
	var out lines
	conf := defaults()
	conf.LogFormat, conf.LogLevel = "json", "debug"
	log := newLog(&out, &conf)
	m := newMeters()
	d := &desk{store: m.conversations(broken{memory.Open(time.Now).Conversations()}), log: log,
		answer: func(k advisor.Known, msg advisor.Message) (advisor.Conversation, advisor.Reply, []advisor.Effect) {
			return k.Conversation, advisor.Reply{Act: "answer"}, nil
		}}
	ids := func(msg advisor.Message) (found []string) {
		before := len(out.String())
		ctx := traced(t.Context(), msg)
		d.Turn(ctx, msg, func(ctx context.Context, _ advisor.Reply) error {
			log.WarnContext(ctx, "the chat says something")
			return nil
		})
		log.With("more", 1).WithGroup("g").WarnContext(ctx, "a log made of it")
		for _, id := range regexp.MustCompile(`"request":"([0-9a-f]+)"`).FindAllStringSubmatch(out.String()[before:], -1) {
			found = append(found, id[1])
		}
		if lines := strings.Count(out.String()[before:], "\n"); len(found) != lines || lines != 3 {
			t.Errorf("got %d ids on %d lines, want one on each of three:\n%s", len(found), lines, out.String()[before:])
		}
		return found
	}
	first, again, other := ids(advisor.Message{ID: "1", Key: "k"}), ids(advisor.Message{ID: "1", Key: "k"}), ids(advisor.Message{ID: "2", Key: "k"})
	if first[0] != first[1] || first[0] != first[2] || first[0] != again[0] || first[0] == other[0] {
		t.Errorf("got %v, %v for it again, %v for another", first, again, other)
	}
	log.Log(t.Context(), slog.LevelWarn, "no turn")
	if tail := out.String()[strings.LastIndex(strings.TrimSpace(out.String()), "\n"):]; strings.Contains(tail, "request") {
		t.Errorf("a line of no turn has an id: %s", tail)
	}
}
