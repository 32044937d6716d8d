package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// emulator_test.go runs the whole bot, as a process of its own, against
// emulators of Telegram and Discord that check each call against the
// platform's own description of it. It runs when TELEGRAM_EMULATOR is the
// command that starts the one, DISCORD_EMULATOR the script of the other, for
// node, and DISCORD_SPEC Discord's description.

// emulator is a running one.
type emulator struct {
	t   *testing.T
	url string
}

func startEmulator(t *testing.T, command ...string) *emulator {
	_, port, _ := net.SplitHostPort(freeAddress(t))
	cmd := exec.Command(command[0], append(command[1:], "--port", port)...)
	var log lines
	cmd.Stdout, cmd.Stderr = &log, &log
	if err := cmd.Start(); err != nil {
		t.Fatalf("start the emulator: %v", err)
	}
	t.Cleanup(func() {
		cmd.Process.Kill()
		cmd.Wait()
		if t.Failed() {
			t.Logf("emulator: %.3000s", log.String())
		}
	})
	e := &emulator{t: t, url: "http://127.0.0.1:" + port}
	eventually(t, "the emulator answers", func() bool {
		resp, err := http.Post(e.url+"/_ctl/log", "application/json", strings.NewReader("{}"))
		if err == nil {
			resp.Body.Close()
		}
		return err == nil
	})
	return e
}

// ctl drives the emulator and reads its answer into out.
func (e *emulator) ctl(name string, body map[string]any, out any) {
	e.t.Helper()
	b, _ := json.Marshal(body)
	resp, err := http.Post(e.url+"/_ctl/"+name, "application/json", bytes.NewReader(b))
	if err != nil {
		e.t.Fatalf("%s: %v", name, err)
	}
	defer resp.Body.Close()
	answer, _ := io.ReadAll(resp.Body)
	if out == nil {
		return
	}
	if err := json.Unmarshal(answer, out); err != nil {
		e.t.Fatalf("%s: %v in %.500s", name, err, answer)
	}
}

// clean checks that no call broke the description of the platform.
func (e *emulator) clean() {
	e.t.Helper()
	var bad []any
	if e.ctl("violations", nil, &bad); len(bad) > 0 {
		b, _ := json.Marshal(bad)
		e.t.Errorf("calls against the platform's description: %.2000s", b)
	}
}

const (
	emulTelegramToken = "123456:TEST"
	emulDiscordToken  = "TESTTOKEN"
)

// TestEmulators is one bot in both chats, over each kind of store.
func TestEmulators(t *testing.T) {
	telegram, script, spec := strings.Fields(os.Getenv("TELEGRAM_EMULATOR")), os.Getenv("DISCORD_EMULATOR"), os.Getenv("DISCORD_SPEC")
	if len(telegram) == 0 || script == "" || spec == "" {
		t.Log("TELEGRAM_EMULATOR, DISCORD_EMULATOR and DISCORD_SPEC are not set: no emulator to talk to")
		return
	}
	alone(t)
	tg := startEmulator(t, append(telegram, "--token", emulTelegramToken, "--username", "emul_bot", "--privacy", "--strict")...)
	dc := startEmulator(t, "node", script, "--spec", spec, "--token", emulDiscordToken, "--ratelimit")
	store := filepath.Join(t.TempDir(), "bot.db")
	env := []string{
		"TELEGRAM_TOKEN=" + emulTelegramToken, "TELEGRAM_API_URL=" + tg.url, "DISCORD_TOKEN=" + emulDiscordToken, "DISCORD_API_URL=" + dc.url,
		"STORE_FILE=" + store, "USER_PER_MINUTE=1000", "CHAT_PER_MINUTE=1000",
	}
	whole := t // bots outlive the parts of the test
	bot := serveThere(whole, env...)
	for name, test := range map[string]func(*testing.T){
		"telegram, advice to the end": func(t *testing.T) { tg.t = t; adviceToTheEnd(t, tg) },
		"telegram, two in a group":    func(t *testing.T) { tg.t = t; twoInAGroup(t, tg) },
		"discord, by buttons":         func(t *testing.T) { dc.t = t; byButtons(t, dc) },
		"telegram, sums":              func(t *testing.T) { tg.t = t; sumsOnTelegram(t, tg) },
		"telegram, prices of a group": func(t *testing.T) { tg.t = t; pricesOfAGroup(t, tg) },
		"discord, sums":               func(t *testing.T) { dc.t = t; sumsOnDiscord(t, dc) },
		"discord, settings":           func(t *testing.T) { dc.t = t; settingsOnDiscord(t, dc) },
		"telegram, pastes":            func(t *testing.T) { tg.t = t; pastesOnTelegram(t, tg) },
		"discord, pastes":             func(t *testing.T) { dc.t = t; pastesOnDiscord(t, dc) },
		"telegram, trial":             func(t *testing.T) { tg.t = t; trialOnTelegram(t, tg) },
		"discord, trial":              func(t *testing.T) { dc.t = t; trialOnDiscord(t, dc) },
		"telegram, release":           func(t *testing.T) { tg.t = t; releaseOnTelegram(t, tg) },
		"discord, release":            func(t *testing.T) { dc.t = t; releaseOnDiscord(t, dc) },
	} {
		t.Run(name, test)
	}
	t.Run("telegram, killed", func(t *testing.T) {
		tg.t = t
		first := tg.say(77, 77, "想微调 7B 模型", 1)
		bot.kill(t)
		tg.ctl("message", map[string]any{"chat_id": 77, "user_id": 77, "text": "LoRA", "lang": "zh-hans"}, nil) // while nobody is there
		bot = serveThere(whole, env...)
		all := tg.until(77, len(first)+1)
		if last := all[len(all)-1].Text; !strings.Contains(last, "LoRA") || !strings.Contains(last, "7B") {
			t.Errorf("after a kill the dialogue goes on with %q", last)
		}
	})
	t.Run("discord, killed", func(t *testing.T) {
		dc.t = t
		asked := dc.act("command", map[string]any{"name": "gpu", "options": map[string]any{"task": "finetune", "params_b": 7}, "locale": "en-US", "user_id": "5000000000000000777"})
		bot.kill(t)
		bot = serveThere(whole, env...)
		next := dc.tap(asked.Message, "LoRA", "5000000000000000777")
		if got := next.Message.words(); !strings.Contains(got, "LoRA") || !strings.Contains(got, "7B") {
			t.Errorf("after a kill the dialogue goes on with %q", got)
		}
	})
	t.Run("reminders, killed", func(t *testing.T) {
		remindersThere(t, tg, dc, store, func() { bot.kill(t) }, func() { bot = serveThere(whole, env...) })
	})
	tg.t, dc.t = t, t
	tg.clean()
	dc.clean()
	var stats struct{ Identifies int }
	if dc.ctl("stats", nil, &stats); stats.Identifies > 4 {
		t.Errorf("identified %d times to Discord over three starts more", stats.Identifies)
	}
}

// shown is a message on Telegram.
type shown struct {
	ID    int    `json:"message_id"`
	Text  string `json:"text"`
	Photo []struct {
		Size int `json:"file_size"`
	} `json:"photo"`
	Caption string `json:"caption"`
	Markup  struct {
		Rows [][]struct {
			Text string `json:"text"`
			Data string `json:"callback_data"`
		} `json:"inline_keyboard"`
	} `json:"reply_markup"`
}

// button is the data of a button that is labelled so, or of the first.
func (m shown) button(label string) string {
	for _, row := range m.Markup.Rows {
		for _, b := range row {
			if label == "" || strings.Contains(b.Text, label) {
				return b.Data
			}
		}
	}
	return ""
}

func (e *emulator) say(room, user int64, text string, n int) []shown {
	e.t.Helper()
	e.ctl("message", map[string]any{"chat_id": room, "user_id": user, "text": text, "lang": "zh-hans"}, nil)
	return e.until(room, n)
}

func (e *emulator) until(room int64, n int) (list []shown) {
	e.t.Helper()
	eventually(e.t, fmt.Sprintf("%d messages in %d", n, room), func() bool {
		e.ctl("messages", map[string]any{"chat_id": room}, &list)
		return len(list) >= n
	})
	return list
}

// tapOn taps a button of Telegram and waits until the talk has changed.
func (e *emulator) tapOn(room, user int64, m shown, data string) []shown {
	e.t.Helper()
	var before, now []shown
	e.ctl("messages", map[string]any{"chat_id": room}, &before)
	e.ctl("press", map[string]any{"chat_id": room, "user_id": user, "message_id": m.ID, "data": data, "lang": "zh"}, nil)
	eventually(e.t, "the tap changes something", func() bool {
		e.ctl("messages", map[string]any{"chat_id": room}, &now)
		return fmt.Sprint(now) != fmt.Sprint(before)
	})
	return now
}

// adviceToTheEnd answers every question with its first button, then asks why.
func adviceToTheEnd(t *testing.T, tg *emulator) {
	all := tg.say(42, 42, "想微调一个 7B 模型,租什么卡?", 1)
	for step := 0; all[len(all)-1].button("为什么") == ""; step++ {
		last := all[len(all)-1]
		if data := last.button(""); step < 12 && data != "" {
			all = tg.tapOn(42, 42, last, data)
			continue
		}
		if step >= 12 {
			t.Fatalf("no advice after %d steps: %s", step, last.Text)
		}
		all = tg.say(42, 42, "不知道", len(all)+1)
	}
	advice := all[len(all)-1]
	if !strings.Contains(advice.Text, "RTX4090-24G") || !strings.Contains(advice.Text, "<b>") {
		t.Errorf("the advice is %s", advice.Text)
	}
	all = tg.tapOn(42, 42, advice, advice.button("为什么"))
	why := all[len(all)-1]
	if !strings.Contains(why.Text, "显存") {
		t.Errorf("why: %s", why.Text)
	}
	all = tg.tapOn(42, 42, why, why.button("反馈"))
	if kept := all[len(all)-1].Text; !strings.Contains(kept, "已经匿名存下") {
		t.Errorf("report: %s", kept)
	}
}

// twoInAGroup talk to the bot at the same time, about different jobs; each
// gets their own answers.
func twoInAGroup(t *testing.T, tg *emulator) {
	const room = -1000000000077
	tg.say(room, 51, "/gpu@emul_bot 微调 7B", 1)
	all := tg.say(room, 52, "/gpu@emul_bot SDXL 出图 两天", 2)
	var first, second shown
	for _, m := range all {
		if m.button("LoRA") != "" {
			first = m
		} else {
			second = m
		}
	}
	if first.ID == 0 || second.ID == 0 {
		t.Fatalf("got %+v, want a question about 7B and an answer about SDXL", all)
	}
	all = tg.tapOn(room, 51, first, first.button("LoRA"))
	for _, m := range all {
		if m.ID == first.ID && (!strings.Contains(m.Text, "LoRA") || strings.Contains(m.Text, "SDXL")) {
			t.Errorf("the first one's answer: %s", m.Text)
		}
		if m.ID == second.ID && strings.Contains(m.Text, "7B") {
			t.Errorf("the second one's answer: %s", m.Text)
		}
	}
}

// interacted is what became of an interaction on Discord.
type interacted struct {
	ID         string   `json:"interaction_id"`
	Error      string   `json:"error"`
	Type       int      `json:"response_type"`
	Message    posting  `json:"message"`
	Violations []string `json:"violations"`
}

// posting is a message on Discord.
type posting struct {
	ID        string `json:"id"`
	Content   string `json:"content"`
	Ephemeral bool   `json:"ephemeral"`
	Embeds    []struct {
		Title, Description string
		Fields             []struct{ Name, Value string }
	} `json:"embeds"`
	Attachments []struct {
		Filename string
		Size     int
	} `json:"attachments"`
	Components []struct {
		Components []struct {
			ID      string `json:"custom_id"`
			Label   string `json:"label"`
			Options []struct{ Label, Value string }
		}
	} `json:"components"`
}

// words is all that a posting says.
func (p posting) words() string {
	words := []string{p.Content}
	for _, e := range p.Embeds {
		words = append(words, e.Title, e.Description)
		for _, f := range e.Fields {
			words = append(words, f.Name, f.Value)
		}
	}
	return strings.Join(words, "\n")
}

func (e *emulator) act(what string, body map[string]any) (o interacted) {
	e.t.Helper()
	e.ctl(what, body, &o)
	if o.Error != "" || len(o.Violations) > 0 {
		e.t.Errorf("%s %v: %s %v", what, body, o.Error, o.Violations)
	}
	return o
}

// tap takes a button, or an option of a menu, by its label; "" is the first
// one.
func (e *emulator) tap(m posting, label, user string) interacted {
	e.t.Helper()
	for _, row := range m.Components {
		for _, c := range row.Components {
			body := map[string]any{"message_id": m.ID, "custom_id": c.ID, "user_id": user}
			if len(c.Options) == 0 && (label == "" || c.Label == label) {
				return e.act("component", body)
			}
			for _, o := range c.Options {
				if label == "" || o.Label == label {
					body["values"] = []string{o.Value}
					return e.act("component", body)
				}
			}
		}
	}
	e.t.Fatalf("no %q on %+v", label, m.Components)
	return interacted{}
}

// has reports whether something can be taken by that label.
func (p posting) has(label string) bool {
	for _, row := range p.Components {
		for _, c := range row.Components {
			if c.Label == label {
				return true
			}
			for _, o := range c.Options {
				if o.Label == label {
					return true
				}
			}
		}
	}
	return false
}

// byButtons is a whole dialogue on Discord without a word typed.
func byButtons(t *testing.T, dc *emulator) {
	const user = "5000000000000000042"
	eventually(t, "the commands are there", func() bool {
		var have struct{ Global []any }
		dc.ctl("commands", nil, &have)
		return len(have.Global) > 10
	})
	now := dc.act("command", map[string]any{"name": "gpu", "options": map[string]any{"task": "finetune", "params_b": 7}, "locale": "en-US", "user_id": user})
	if !now.Message.Ephemeral {
		t.Errorf("/gpu in a server: %+v, want it for the asker's eyes only", now)
	}
	for step := 0; !now.Message.has("Why"); step++ {
		if step > 12 {
			t.Fatalf("no advice after %d steps: %s", step, now.Message.words())
		}
		now = dc.tap(now.Message, "", user)
	}
	if got := now.Message.words(); !strings.Contains(got, "RTX4090-24G") && !strings.Contains(got, "A100") {
		t.Errorf("the advice is %s", got)
	}
	if why := dc.tap(now.Message, "Why", user); !strings.Contains(why.Message.words(), "Why this advice") {
		t.Errorf("why: %s", why.Message.words())
	}
	var done struct {
		Type    int `json:"response_type"`
		Choices []struct{ Name, Value string }
	}
	start := time.Now()
	dc.ctl("autocomplete", map[string]any{"name": "gpu", "focused": "model", "options": map[string]any{"model": "qwen2.5"}}, &done)
	if done.Type != 8 || time.Since(start) > 3*time.Second {
		t.Errorf("autocomplete: %+v after %s", done, time.Since(start))
	}
}

// settingsOnDiscord are private, hold for the next talk, and can be forgotten.
func settingsOnDiscord(t *testing.T, dc *emulator) {
	const user = "5000000000000000043"
	eventually(t, "the commands are there", func() bool {
		var have struct{ Global []any }
		dc.ctl("commands", nil, &have)
		return len(have.Global) > 10
	})
	kept := dc.act("command", map[string]any{"name": "settings", "options": map[string]any{"text": "zh Asia/Tokyo"}, "locale": "en-US", "user_id": user})
	if got := kept.Message.words(); !kept.Message.Ephemeral || !strings.Contains(got, "Asia/Tokyo") || !strings.Contains(got, "中文") {
		t.Errorf("settings: %+v", kept.Message)
	}
	help := dc.act("command", map[string]any{"name": "help", "locale": "en-US", "user_id": user})
	if got := help.Message.words(); !strings.Contains(got, "我能做什么") {
		t.Errorf("help in the language that was set: %s", got)
	}
	asked := dc.act("command", map[string]any{"name": "forget", "locale": "en-US", "user_id": user})
	if gone := dc.tap(asked.Message, "全部删掉", user); !strings.Contains(gone.Message.words(), "已删除") {
		t.Errorf("forget: %s", gone.Message.words())
	}
	help = dc.act("command", map[string]any{"name": "help", "locale": "en-US", "user_id": user})
	if got := help.Message.words(); !strings.Contains(got, "What I can do") {
		t.Errorf("help after forgetting: %s", got)
	}
}

// trialOnTelegram begins a trial, wants to be reminded, ends a step by a tap and
// one in words.
func trialOnTelegram(t *testing.T, tg *emulator) {
	last := func(all []shown) shown { return all[len(all)-1] }
	began := last(tg.say(68, 68, "/trial", 1))
	kept := last(tg.tapOn(68, 68, began, began.button("到点提醒我")))
	if !strings.Contains(kept.Text, "记好了") || kept.button("做完了") == "" {
		t.Errorf("a reminder of the end: %+v", kept)
	}
	second := last(tg.tapOn(68, 68, kept, kept.button("做完了")))
	if !strings.Contains(second.Text, "第 2 / 7 步") || !strings.Contains(second.Text, "torch.cuda.synchronize()") || !strings.Contains(second.Text, "<pre>") {
		t.Errorf("the second step: %s", second.Text)
	}
	var all []shown
	tg.ctl("messages", map[string]any{"chat_id": 68}, &all)
	if third := last(tg.say(68, 68, "连上了，5 分钟", len(all)+1)); !strings.Contains(third.Text, "第 3 / 7 步") {
		t.Errorf("the third step: %s", third.Text)
	}
}

// trialOnDiscord does the same there, and tells a whole trial at once.
func trialOnDiscord(t *testing.T, dc *emulator) {
	const user = "5000000000000000061"
	eventually(t, "the commands are there", func() bool {
		var have struct{ Global []any }
		dc.ctl("commands", nil, &have)
		return len(have.Global) > 10
	})
	began := dc.act("command", map[string]any{"name": "trial", "locale": "en-US", "user_id": user})
	second := dc.tap(began.Message, "Done", user)
	if got := second.Message.words(); !strings.Contains(got, "step 2 of 7") || !strings.Contains(got, "torch.cuda.synchronize()") {
		t.Errorf("the second step: %s", got)
	}
	told := dc.act("command", map[string]any{"name": "trial", "options": map[string]any{"text": "create 3, connect 5, run 40/25, restore 12"}, "locale": "en-US", "user_id": user})
	if got := told.Message.words(); !strings.Contains(got, "Trial passed") {
		t.Errorf("a trial in one line: %s", got)
	}
}

const (
	fallen = "NVRM: Xid (PCI:0000:41:00): 79, pid=99, GPU has fallen off the bus."
	listed = "GPU 0: NVIDIA GeForce RTX 4090 (UUID: GPU-5e6f7a8b-1234-5678-9abc-def012345678)"
)

// pastesOnTelegram: a log below a command, a log alone, the print of a tool in
// a group.
func pastesOnTelegram(t *testing.T, tg *emulator) {
	const room = -1000000000078
	for i, tt := range []struct {
		room       int64
		text, want string
	}{
		{61, "/diagnose\n" + fallen, "Xid"},
		{61, "跑着跑着就断了\n" + fallen, "Xid"},
		{room, "/verify@emul_bot 4090\n" + listed, "4090"},
	} {
		n := i + 1
		if tt.room == room {
			n = 1
		}
		all := tg.say(tt.room, 61, tt.text, n)
		if got := all[len(all)-1].Text; !strings.Contains(got, tt.want) {
			t.Errorf("%q: %s", tt.text, got)
		}
	}
}

// pastesOnDiscord: through the form of a command and of the menu of a message,
// and as an option.
func pastesOnDiscord(t *testing.T, dc *emulator) {
	const user = "5000000000000000044"
	eventually(t, "the commands are there", func() bool {
		var have struct{ Global []any }
		dc.ctl("commands", nil, &have)
		return len(have.Global) > 10
	})
	for _, tt := range []struct {
		command, text, want string
		option              bool
	}{
		{"diagnose", fallen, "Xid", false},
		{"Diagnose", fallen, "Xid", false}, // of a message without words
		{"verify", listed, "4090", false},
		{"verify", listed, "4090", true},
	} {
		body := map[string]any{"name": tt.command, "locale": "en-US", "user_id": user}
		if tt.option {
			body["options"] = map[string]any{"text": tt.text}
		}
		got := dc.act("command", body)
		if !tt.option {
			if got.Type != 9 {
				t.Fatalf("%s: type %d, want a form", tt.command, got.Type)
			}
			got = dc.act("modal", map[string]any{"interaction_id": got.ID, "values": map[string]any{"text": tt.text}, "user_id": user, "locale": "en-US"})
		}
		if said := got.Message.words(); !strings.Contains(said, tt.want) || !got.Message.Ephemeral {
			t.Errorf("%s: %+v", tt.command, said)
		}
	}
}
