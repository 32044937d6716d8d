package main

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"gpuadvisor/adapters"
	"gpuadvisor/advisor"
)

// remindersThere has a reminder made in each chat, sees it arrive, kills the
// bot, and puts the store into the state that a kill between sending and noting
// it leaves behind. It comes again: on Telegram with a word that it may be a
// repeat, on Discord not at all, because the platform knows the message.
func remindersThere(t *testing.T, tg, dc *emulator, store string, stop func(), start func()) {
	const tgUser, dcUser = 4242, "5000000000000004242"
	tg.t, dc.t = t, t
	tg.ctl("message", map[string]any{"chat_id": tgUser, "user_id": tgUser, "text": "3 秒后提醒我释放机器", "lang": "zh-hans"}, nil)
	dc.act("command", map[string]any{"name": "remind", "options": map[string]any{"text": "in 3 seconds to release zebra"}, "locale": "en-US", "user_id": dcUser})
	onTelegram := func(text string) (n int) {
		var all []shown
		tg.ctl("messages", map[string]any{"chat_id": tgUser}, &all)
		return strings.Count(fmt.Sprint(all), text)
	}
	onDiscord := func(text string) (n int) {
		var all []posting
		dc.ctl("messages", nil, &all)
		for _, m := range all {
			n += strings.Count(m.words(), text)
		}
		return n
	}
	const tgDue, dcDue, again = "到点了", "It is time: release zebra", "可能已经发过"
	eventually(t, "the reminder arrives on Telegram", func() bool { return onTelegram(tgDue) == 1 })
	eventually(t, "the reminder arrives on Discord", func() bool { return onDiscord(dcDue) == 1 })
	time.Sleep(500 * time.Millisecond) // both are noted by now
	stop()
	for _, who := range []adapters.Owner{"person:telegram:123456:4242", ""} {
		sentNotNoted(t, store, who)
	}
	start()
	eventually(t, "it comes again on Telegram, and says so", func() bool { return onTelegram(tgDue) == 2 && onTelegram(again) == 1 })
	time.Sleep(2 * time.Second)
	if n := onDiscord(dcDue); n != 1 {
		t.Errorf("on Discord it is there %d times, want once", n)
	}
	if n := onTelegram(tgDue); n != 2 {
		t.Errorf("on Telegram it is there %d times, want the one and its repeat", n)
	}
}

// sentNotNoted makes all that rang wait again, as if the bot had been killed
// while it was being sent.
func sentNotNoted(t *testing.T, file string, who adapters.Owner) {
	t.Helper()
	s, err := openFile(file)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	var rang []advisor.Reminder
	err = s.(adapters.Archive).Dump(t.Context(), func(i adapters.Item) error {
		if i.Record != nil && strings.HasPrefix(i.Name, rungRecord) && (who == "" && strings.HasPrefix(string(i.Owner), "person:discord:") || i.Owner == who) {
			all, err := s.Settings().List(t.Context(), i.Owner)
			rang = append(rang, rungAmong(all, time.Now())...)
			return err
		}
		return nil
	})
	if err != nil || len(rang) == 0 {
		t.Fatalf("nothing rang for %q: %v", who, err)
	}
	for _, r := range rang {
		if err := s.Reminders().Add(t.Context(), r); err != nil {
			t.Fatal(err)
		}
	}
	due, _, err := s.Reminders().Claim(t.Context(), 9, time.Second)
	if err != nil || len(due) == 0 {
		t.Fatalf("Claim = %+v, %v", due, err)
	}
	for _, d := range due {
		if err := s.Reminders().Begin(t.Context(), d, 0); err != nil {
			t.Errorf("Begin: %v", err)
		}
	}
}
