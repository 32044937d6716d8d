package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"gpuadvisor/adapters/memory"
	"gpuadvisor/advisor"
)

// TestGoodbyeInTheirLanguage ends a talk in each language while a reminder is
// waiting, under an English locale.
func TestGoodbyeInTheirLanguage(t *testing.T) {
	t.Setenv("LC_ALL", "en_GB.UTF-8")
	for _, test := range []struct{ said, want string }{
		{"提醒我 2 小时后关机\n", "程序结束了"},
		{"remind me in 2 hours to stop it\n", "The program ends"},
	} {
		var out, errs bytes.Buffer
		status := run(context.Background(), nil, strings.NewReader(test.said), &out, &errs)
		if status != 0 || !strings.Contains(out.String(), test.want) {
			t.Errorf("%q: got status %d and %q, want %q", test.said, status, out.String()+errs.String(), test.want)
		}
	}
}

// deaf is an output that takes nothing.
type deaf struct{}

func (deaf) Write([]byte) (int, error) { return 0, errors.New("no space left") }

// TestUnheardIsNoSuccess runs commands whose output cannot be written.
func TestUnheardIsNoSuccess(t *testing.T) {
	for _, args := range [][]string{{"chat"}, {"ask"}, {"card", "4090"}, {"platforms"}, {"check"}, {"check", "--json"}, {"when", "tomorrow 6pm"}, {"vram", "7B LoRA"}} {
		var errs bytes.Buffer
		if status := run(context.Background(), args, strings.NewReader("7B LoRA\n3 days\n"), deaf{}, &errs); status != 1 {
			t.Errorf("%v: got status %d and %q, want 1", args, status, errs.String())
		}
	}
}

// TestUnsentIsToldOnce: who logs a reply that could not be shown.
func TestUnsentIsToldOnce(t *testing.T) {
	stopped, stop := context.WithCancel(t.Context())
	stop()
	for _, tt := range []struct {
		what string
		ctx  context.Context
		mute bool
		want string
	}{
		{"a chat", t.Context(), false, "level=ERROR msg=\"send reply\""},
		{"a chat that tells it itself", t.Context(), true, ""},
		{"a chat that stops", stopped, false, "level=WARN msg=\"reply not sent\""},
	} {
		var log bytes.Buffer
		d := &desk{mute: tt.mute, log: slog.New(slog.NewTextHandler(&log, nil))}
		d.send(tt.ctx, advisor.Message{ID: "1"}, advisor.Reply{}, func(context.Context, advisor.Reply) error { return errors.New("no space left") })
		if got := log.String(); !strings.Contains(got, tt.want) || tt.want == "" && got != "" {
			t.Errorf("%s: got %q, want %q", tt.what, got, tt.want)
		}
	}
}

// TestBrokenRulesReadWell breaks one rule file: what check says must be a
// sentence.
func TestBrokenRulesReadWell(t *testing.T) {
	dir := t.TempDir()
	if err := os.CopyFS(dir, os.DirFS("../rules")); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "cards", "zz.yaml"), []byte("id: [unclosed\n\tx: 1"), 0o600); err != nil {
		t.Fatal(err)
	}
	var out, errs bytes.Buffer
	if status := run(context.Background(), []string{"--rules", dir, "check"}, nil, &out, &errs); status != 1 {
		t.Errorf("got status %d, want 1", status)
	}
	for _, bad := range []string{"found found", " 1 problems", dir} {
		if strings.Contains(out.String()+errs.String(), bad) {
			t.Errorf("do not want %q in %s", bad, out.String()+errs.String())
		}
	}
}

// TestComplaintsAreOneCleanLine types what would steer a terminal; a complaint
// quotes it without that.
func TestComplaintsAreOneCleanLine(t *testing.T) {
	const evil = "\x1b[31mzz\x07\nsecond\u202e\x00"
	for _, args := range [][]string{
		{"card", evil}, {evil}, {"ask", "--tz", evil, "hi"}, {"ask", "--batch", evil}, {"--rules", evil, "ask", "x"}, {"ask", "--" + evil},
		{"score", evil}, {"checklist", evil}, {"platforms", evil}, {"ask", "--lang", evil, "x"},
	} {
		var out, errs bytes.Buffer
		run(context.Background(), args, strings.NewReader(""), &out, &errs)
		said := out.String() + errs.String()
		if strings.ContainsAny(said, "\x1b\x07\x00\u202e") || strings.Count(errs.String(), "\n") != 1 {
			t.Errorf("%q: got %q, want one clean line", args, said)
		}
	}
}

// TestVRAMAgreesWithAsk sizes a job by both commands: they are computed from the
// same defaults.
func TestVRAMAgreesWithAsk(t *testing.T) {
	for _, text := range []string{"Qwen2.5-7B LoRA", "7B QLoRA 4k context", "Qwen2.5-7B int4 inference 8k context 10 concurrent", "SDXL images", "Qwen2.5-7B LoRA 2 cards"} {
		var sized vramAnswer
		var advised asked
		for _, q := range []struct {
			command string
			into    any
		}{{"vram", &sized}, {"ask", &advised}} {
			out, errs, status := play(t, "", q.command, "--json", text)
			if err := json.Unmarshal([]byte(out), q.into); status != 0 || err != nil {
				t.Fatalf("%s %q: status %d, %v %s", q.command, text, status, err, errs)
			}
		}
		need := advised.Advice.Need
		if math.Abs(sized.Load-need.Load) > 0.01 || math.Abs(sized.Peak-need.Peak) > 0.01 || math.Abs(sized.Total-need.Total) > 0.01 {
			t.Errorf("%s: vram says load %.2f, peak %.2f, total %.2f GiB, ask %+v", text, sized.Load, sized.Peak, sized.Total, need)
		}
	}
}

// TestForgetIsAsked: "delete it all?" is answered by the number, the word or the
// button of its choice, whatever else is open, and never by anything said later.
func TestForgetIsAsked(t *testing.T) {
	for _, open := range []string{"my reminders", "LoRA on a 7B", "/score", "/checklist disk", "/trial", "/release 4090 AutoDL"} {
		for _, yes := range []string{"1", "yes", "yes, delete it", "Delete it all"} {
			n := 0
			me := person{t, thinking(t, memory.Open(time.Now)), mePrivate, inChina(), &n}
			me.say(open)
			me.wants("/forget", "cannot be undone", "1. Delete it all", "2. Keep it")
			me.wants(yes, "Deleted")
		}
		for _, no := range []string{"2", "no", "never mind", "Keep it"} {
			n := 0
			me := person{t, thinking(t, memory.Open(time.Now)), mePrivate, inChina(), &n}
			me.say(open)
			me.wants("/forget", "2. Keep it")
			me.wants(no, "Nothing was deleted")
			me.wants("1", "!Deleted")
		}
		n := 0
		me := person{t, thinking(t, memory.Open(time.Now)), mePrivate, inChina(), &n}
		me.say(open)
		me.say("/forget")
		me.say("what does a 4090 cost?")
		me.wants("yes", "!Deleted")
	}
}

// TestListsAreTapped: a list of checklists is picked from by its number, whatever
// was open before.
func TestListsAreTapped(t *testing.T) {
	for _, open := range []string{"/score", "LoRA on a 7B", "/trial"} {
		n := 0
		me := person{t, thinking(t, memory.Open(time.Now)), mePrivate, inChina(), &n}
		me.say(open)
		me.wants("/checklist", "1. ")
		me.wants("1", "1 of ")
	}
}

// TestSnoozeInWords: a reminder is put off in words, and the job's length is not
// taken for it.
func TestSnoozeInWords(t *testing.T) {
	for _, c := range []struct{ snooze, moved string }{
		{"snooze for half an hour", "18:30"}, {"snooze by a quarter of an hour", "18:15"}, {"推迟半小时", "18:30"}, {"推迟一刻钟", "18:15"}, {"snooze 2 hours", "20:00"}, {"snooze 1 2h", "20:00"},
	} {
		n := 0
		me := person{t, thinking(t, memory.Open(time.Now)), mePrivate, inChina(), &n}
		me.say("LoRA on a 7B, one month")
		me.wants("remind me tomorrow at 18:00 to stop the A100", "")
		me.wants(c.snooze, c.moved, "!30 min", "!30 分钟")
		me.wants("cancel them all", "")
		me.wants("/remind", "!A100")
	}
	n := 0
	me := person{t, thinking(t, memory.Open(time.Now)), mePrivate, inChina(), &n}
	me.wants("推迟2天再租", "!提醒")
}

// TestTrialHearsAQuarter: minutes in words are minutes, and a trial is stopped by
// saying so.
func TestTrialHearsAQuarter(t *testing.T) {
	for _, c := range [][]string{{"a quarter of an hour", "15 min so far"}, {"一刻钟", "15"}, {"it took three quarters of an hour, done", "45 min so far"}} {
		n := 0
		me := person{t, thinking(t, memory.Open(time.Now)), mePrivate, inChina(), &n}
		me.say("/trial")
		me.wants(c[0], c[1])
	}
	for _, stop := range []string{"stop the trial", "停止试跑", "不试了"} {
		n := 0
		me := person{t, thinking(t, memory.Open(time.Now)), mePrivate, inChina(), &n}
		me.say("/trial")
		me.say(stop)
		me.wants("done", "!2 of 7", "!2 / 7")
	}
}

// TestReleaseByName: the machine that is noted is meant by the name of its card.
func TestReleaseByName(t *testing.T) {
	for _, c := range []struct{ show, gone string }{{"release the 4090", "the 4090 is released"}, {"释放4090", "4090 已经释放了"}, {"I want to release my RTX 4090", "RTX 4090 has been terminated"}} {
		n := 0
		me := person{t, thinking(t, memory.Open(time.Now)), mePrivate, inChina(), &n}
		me.wants(c.gone, "!□")
		me.wants("/release 4090 AutoDL tomorrow 20:00", "RTX4090")
		me.wants("/release A100 tomorrow 21:00", "A100")
		me.wants(c.show, "□ 5.", "RTX4090", "!mentioned")
		me.wants(c.gone, "RTX4090")
		me.wants("/release anyway 1", "RTX4090")
		me.wants("/rentals", "A100", "!RTX4090")
	}
}

// TestStagesAreNotedOnce: the looks before a container becomes a whole machine are
// noted once, however often they are tapped.
func TestStagesAreNotedOnce(t *testing.T) {
	n := 0
	me := person{t, thinking(t, memory.Open(time.Now)), mePrivate, inChina(), &n}
	me.say("/trial stages")
	once := me.say("my reminders")
	me.wants("/trial stages", "noted already")
	if again := me.say("my reminders"); again != once || !strings.Contains(once, "2 of 25") {
		t.Errorf("got\n%s\nafter the second tap, want\n%s", again, once)
	}
}

// TestBalanceWithoutCommas: a balance and a price per hour stand side by side, with
// or without a comma, and what has been spent is asked in words.
func TestBalanceWithoutCommas(t *testing.T) {
	for _, said := range []string{"RunPod 余额 30 美元 每小时 0.5 美元", "RunPod 余额 30 美元，每小时 0.5 美元", "RunPod, balance 30 USD, 0.5 USD an hour"} {
		n := 0
		me := person{t, thinking(t, memory.Open(time.Now)), mePrivate, inChina(), &n}
		me.wants("/release "+said, "0.5", "RunPod", "22:00")
		me.wants("how much has it cost so far?", "RunPod", "!1 cards")
		me.wants("到现在花了多少钱？", "RunPod")
	}
}
