package main

import (
	"strings"
	"testing"
)

// emulator_release_test.go gives a machine back by buttons alone, in both chats: it is
// noted, its hour comes, the actions are ticked in any order, releasing comes last, the
// disk wants a yes to the platform's rule, and in the end the bill is looked at.

// taps are the buttons of a whole release in the order in which they are tapped, each
// with words that the answer must have.
type taps []struct{ button, want string }

// releaseTaps are the same steps in the words of a chat.
var releaseTaps = map[string]taps{
	"zh": {
		{"备份好了", "✓ 4."},
		{"结果下载好了", "✓ 2."},
		{"已经释放了", "先别释放"},
		{"检查点打开过了", "✓ 3."},
		{"检查点存好了", "✓ 1."},
		{"已经释放了", "确认磁盘保留"},
		{"看磁盘保留规则", "连续关机 15 天自动释放"},
		{"还没有", "那先别释放"},
		{"看磁盘保留规则", "要留的数据都在会留下的地方"},
		{"是，看过了，要留的都在", "五个动作都做完了"},
		{"已经释放了", "计费停了吗"},
		{"计费停了", "到此结束"},
	},
	"en": {
		{"Checkpoint opened", "✓ 3."},
		{"It is released", "Do not release"},
		{"Checkpoint saved", "✓ 1."},
		{"Results downloaded", "✓ 2."},
		{"Backed up", "✓ 4."},
		{"Show the disk rule", "15 days stopped in a row"},
		{"Not yet", "do not release"},
		{"Show the disk rule", "have you read the rule above"},
		{"Yes, read it; all I need is kept", "All five actions are done"},
		{"It is released", "has billing stopped"},
		{"Billing has stopped", "That was RTX4090"},
	},
}

// releaseOnTelegram gives a machine back there.
func releaseOnTelegram(t *testing.T, tg *emulator) {
	const me = 4711
	all := tg.say(me, me, "/release 4090 AutoDL 4 秒后", 1)
	if noted := all[len(all)-1]; !strings.Contains(noted.Text, "记好了") || noted.button("不用提醒了") == "" {
		t.Fatalf("the machine is noted with %+v", noted)
	}
	eventually(t, "its hour comes", func() bool {
		tg.ctl("messages", map[string]any{"chat_id": me}, &all)
		return strings.Contains(all[len(all)-1].Text, "到点了：现在释放")
	})
	for _, step := range releaseTaps["zh"] {
		with := lastWith(all, step.button)
		if with.ID == 0 {
			t.Fatalf("no button %q; the last message is %+v", step.button, all[len(all)-1])
		}
		if all = tg.tapOn(me, me, with, with.button(step.button)); !said(all, with.ID, step.want) {
			t.Fatalf("after %q nothing says %q: %+v", step.button, step.want, all[len(all)-1])
		}
	}
	tg.ctl("messages", map[string]any{"chat_id": me}, &all)
	n := len(all)
	if list := tg.say(me, me, "提醒 列表", n+1); !strings.Contains(list[len(list)-1].Text, "没有在等的提醒") {
		t.Errorf("afterwards there still waits %s", list[len(list)-1].Text)
	}
}

// lastWith is the newest message that has a button.
func lastWith(all []shown, label string) (with shown) {
	for _, m := range all {
		if m.button(label) != "" {
			with = m
		}
	}
	return with
}

// said reports whether the message that was tapped, or one behind it, has the words.
func said(all []shown, from int, want string) bool {
	for _, m := range all {
		if m.ID >= from && strings.Contains(m.Text, want) {
			return true
		}
	}
	return false
}

// releaseOnDiscord does the same there.
func releaseOnDiscord(t *testing.T, dc *emulator) {
	const user = "5000000000000004711"
	eventually(t, "the commands are there", func() bool {
		var have struct{ Global []any }
		dc.ctl("commands", nil, &have)
		return len(have.Global) > 10
	})
	noted := dc.act("command", map[string]any{"name": "release", "options": map[string]any{"text": "4090 AutoDL in 4 seconds"}, "locale": "en-US", "user_id": user})
	if !strings.Contains(noted.Message.words(), "Noted: RTX4090") || !noted.Message.has("No more reminders") {
		t.Fatalf("the machine is noted with %+v", noted.Message)
	}
	var due posting
	eventually(t, "its hour comes", func() bool {
		var all []posting
		dc.ctl("messages", nil, &all)
		for _, m := range all {
			if strings.Contains(m.words(), "It is time: release RTX4090") {
				due = m
			}
		}
		return due.ID != ""
	})
	now := due
	for _, step := range releaseTaps["en"] {
		if !now.has(step.button) {
			t.Fatalf("no button %q on %+v", step.button, now)
		}
		answer := dc.tap(now, step.button, user).Message
		if !strings.Contains(answer.words(), step.want) {
			t.Fatalf("after %q: %s, want %q", step.button, answer.words(), step.want)
		}
		now = answer
	}
	left := dc.act("command", map[string]any{"name": "rentals", "locale": "en-US", "user_id": user})
	if got := left.Message.words(); strings.Contains(got, "RTX4090 · AutoDL") && strings.Contains(got, "To be released") {
		t.Errorf("afterwards it is still rented: %s", got)
	}
}
