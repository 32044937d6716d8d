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
