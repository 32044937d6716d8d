package main

import (
	"bytes"
	"encoding/json"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"gpuadvisor/adapters/terminal"
)

// play runs the program and returns what it printed and its exit status.
func play(t testing.TB, stdin string, args ...string) (out, errs string, status int) {
	t.Helper()
	var o, e bytes.Buffer
	status = run(t.Context(), args, strings.NewReader(stdin), &o, &e)
	return o.String(), e.String(), status
}

// english makes the words of the program independent of who runs the tests.
func english(t testing.TB) {
	t.Setenv("LC_ALL", "en_US.UTF-8")
	t.Setenv("DEFAULT_TZ", "")
	t.Setenv("RULES_DIR", "")
}

func TestExitStatus(t *testing.T) {
	english(t)
	batch := filepath.Join(t.TempDir(), "batch.jsonl")
	if err := os.WriteFile(batch, []byte(`{"id":1,"text":"7B LoRA"}`+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		args   []string
		stdin  string
		status int
		errs   string // part of standard error; "" is nothing at all
	}{
		{args: []string{"ask", "7B LoRA"}},
		{args: []string{"ask"}, stdin: "7B LoRA"},
		{args: []string{"ask", "--json", "7B", "LoRA"}},
		{args: []string{"ask", "7B", "LoRA", "--json"}},
		{args: []string{"--lang", "zh", "ask", "7B LoRA"}},
		{args: []string{"ask", "7B LoRA", "--lang=zh"}},
		{args: []string{"ask", "--batch", batch}},
		{args: []string{"ask", "--json", "--batch", "-"}, stdin: `{"id":1,"text":"7B LoRA"}`},
		{args: []string{"ask", "--batch", "-"}},
		{args: []string{"ask", "--batch", "-"}, stdin: "oops\n", status: 1, errs: "1 of 1 lines could not be answered"},
		{args: []string{"ask", "--batch", "nowhere.jsonl"}, status: 1, errs: "cannot open nowhere.jsonl"},
		{args: []string{"ask", "--batch", batch, "text"}, status: 2, errs: "not both"},
		{args: []string{"ask"}, status: 2, errs: `gpuadvisor ask "…"`},
		{args: []string{"ask", "--now", "noon", "7B"}, status: 2, errs: "field now"},
		{args: []string{"ask", "--tz", "Mars/Base", "7B"}, status: 2, errs: "unknown time zone Mars/Base"},
		{args: []string{"ask", "--lang", "fr", "7B"}, status: 2, errs: "--lang must be one of"},
		{args: []string{"ask", "--frobnicate", "7B"}, status: 2, errs: "unknown flag --frobnicate"},
		{args: []string{"ask", "--rules", "nowhere", "7B"}, status: 1, errs: "nowhere"},
		{args: []string{"vrma"}, status: 2, errs: "there are chat ask vram"},
		{args: []string{"想微调 7B"}, status: 2, errs: `gpuadvisor ask "想微调 7B"`},
		{args: []string{"card", "4090"}},
		{args: []string{"card", "nonsense-9000"}, status: 1, errs: `no card called "nonsense-9000"`},
		{args: []string{"platforms"}},
		{args: []string{"when", "in 2 hours"}},
		{args: []string{"ask", "--now", "noon", "--rules", "nowhere", "7B"}, status: 2, errs: "field now"},
		{args: []string{"--help"}},
		{args: []string{"chat", "--help"}},
		{args: nil, stdin: "7B LoRA\n"},
		{args: []string{"chat", "--lang", "en"}, stdin: "7B LoRA\n2 GB\n"},
	} {
		out, errs, status := play(t, tt.stdin, tt.args...)
		if status != tt.status {
			t.Errorf("%q: got exit status %d, want %d (%s)", tt.args, status, tt.status, errs)
		}
		switch {
		case tt.errs == "" && errs != "":
			t.Errorf("%q: printed an error: %s", tt.args, errs)
		case !strings.Contains(errs, tt.errs):
			t.Errorf("%q: got error %q, want something about %q", tt.args, errs, tt.errs)
		case strings.Count(errs, "\n") > 1 && tt.args[0] != "ask":
			t.Errorf("%q: the error has several lines:\n%s", tt.args, errs)
		}
		if status == 2 && out != "" {
			t.Errorf("%q: wrong usage printed on standard output: %s", tt.args, out)
		}
	}
}

// TestCheck: problems are printed and end with status 1. That the rules of the
// program have none is for the tests of rules and for .ci/run.
func TestCheck(t *testing.T) {
	english(t)
	bad := t.TempDir()
	if err := os.MkdirAll(filepath.Join(bad, "cards"), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(bad, "cards", "x.yaml"), []byte("id: x\nvarm_gb: 24\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	out, errs, status := play(t, "", "check", "--rules", bad)
	if status != 1 || errs != "" || !strings.Contains(out, "cards/x.yaml:2: varm_gb") {
		t.Errorf("status %d, %q, printed:\n%s", status, errs, out)
	}
	out, _, status = play(t, "", "check", "--json", "--rules", bad)
	var report struct {
		Files, Entries int
		Problems       []struct{ File, Field, Found, Want string }
		Certificate    struct{ Combinations *int }
	}
	if err := json.Unmarshal([]byte(out), &report); err != nil || status != 1 || report.Files != 1 || len(report.Problems) == 0 || report.Certificate.Combinations == nil {
		t.Errorf("status %d, %v in %s", status, err, out)
	}
	if _, errs, status := play(t, "", "ask", "--rules", bad, "7B"); status != 1 || strings.Count(errs, "\n") != 1 {
		t.Errorf("asking with bad rules: status %d, %q; want one sentence", status, errs)
	}
}

func TestLocale(t *testing.T) {
	for _, tt := range []struct{ all, messages, lang, want string }{
		{"", "", "", ""}, {"", "", "C", ""}, {"", "", "C.UTF-8", ""}, {"", "", "POSIX", ""},
		{"", "", "zh_CN.UTF-8", "zh"}, {"", "", "zh_TW", "zh"}, {"", "", "en_GB.UTF-8", "en"}, {"", "", "de_DE.UTF-8", "en"},
		{"zh_CN.UTF-8", "", "en_US.UTF-8", "zh"}, {"", "en_US.UTF-8", "zh_CN.UTF-8", "en"},
	} {
		env := map[string]string{"LC_ALL": tt.all, "LC_MESSAGES": tt.messages, "LANG": tt.lang}
		if got := localeLang(func(k string) string { return env[k] }); got != tt.want {
			t.Errorf("localeLang(%v) = %q, want %q", env, got, tt.want)
		}
	}
}

func TestLocalZone(t *testing.T) {
	for tz, want := range map[string]string{
		"Europe/Berlin": "Europe/Berlin", ":Asia/Tokyo": "Asia/Tokyo", "UTC": "", "Etc/UTC": "", "CET-1CEST": "", "Mars/Base": "",
	} {
		if got := localZone(func(string) string { return tz }); got != want {
			t.Errorf("TZ=%s: got zone %q, want %q", tz, got, want)
		}
	}
}

func TestGreeting(t *testing.T) {
	for lang, want := range map[string]int{"zh": 3, "en": 3, "": 7} {
		h := &house{lang: lang}
		if got := strings.Count(h.greeting(), "\n"); got != want {
			t.Errorf("the greeting in %q has %d lines, want %d:\n%s", lang, got, want, h.greeting())
		}
		for line := range strings.Lines(h.greeting()) {
			if w := terminal.Width(line); w > 80 {
				t.Errorf("a line of the greeting takes %d columns, more than a terminal has: %s", w, line)
			}
		}
	}
}

// TestWords: what we say ourselves is there in both languages.
func TestWords(t *testing.T) {
	for key, text := range words {
		if text["zh"] == "" || text["en"] == "" {
			t.Errorf("words[%q] lacks a language: %v", key, text)
		}
		if a, b := strings.Count(text["zh"], "%"), strings.Count(text["en"], "%"); a != b {
			t.Errorf("words[%q] has %d and %d places to fill", key, a, b)
		}
	}
}

func TestAskJSON(t *testing.T) {
	english(t)
	out, errs, status := play(t, "", "ask", "--json", "--now", "2026-12-02T15:30:00+08:00", "4090 用 LoRA 微调 7B,数据 2 GB")
	if status != 0 {
		t.Fatal(errs)
	}
	var got struct {
		Lang, Intent, Reply string
		Slots               map[string]any
		Missing             []string
		Question            *string
	}
	if err := json.Unmarshal([]byte(out), &got); err != nil {
		t.Fatalf("%v in %s", err, out)
	}
	if got.Lang != "zh" || got.Intent != "recommend" || got.Reply == "" {
		t.Errorf("got language %q, intent %q, reply %q", got.Lang, got.Intent, got.Reply)
	}
	for slot, want := range map[string]any{"method": "lora", "params_b": 7.0, "data_gb": 2.0, "task": "finetune"} {
		if got.Slots[slot] != want {
			t.Errorf("slot %s is %v, want %v", slot, got.Slots[slot], want)
		}
	}
	for _, slot := range got.Missing {
		if _, said := got.Slots[slot]; said || len(got.Missing) > 3 {
			t.Errorf("missing %v, though %s was said", got.Missing, slot)
		}
	}
	var fields map[string]json.RawMessage
	json.Unmarshal([]byte(out), &fields)
	for _, f := range []string{"lang", "intent", "slots", "missing", "question", "advice", "cost", "reminder", "reply"} {
		if _, ok := fields[f]; !ok {
			t.Errorf("field %s is missing in %s", f, out)
		}
	}
}

// TestAskTurns: in a group, people who talk to each other are left alone, and
// what they say fills nobody's facts.
func TestAskTurns(t *testing.T) {
	english(t)
	script := `{"id":"g","turns":[
		{"user":"ann","text":"@bot which card for LoRA on a 7B model?"},
		{"user":"bob","text":"just take an H100"},
		{"user":"bob","text":"@bot and what do I need for SDXL images?"},
		{"user":"ann","text":"2 GB of data, 8 hours"}]}`
	out, errs, status := play(t, strings.ReplaceAll(script, "\n", ""), "ask", "--batch", "-")
	if status != 0 {
		t.Fatal(errs)
	}
	var got struct {
		ID    string
		Turns []struct {
			User, Intent, Act, Reply string
			State                    map[string]any
		}
		Final map[string]json.RawMessage
	}
	if err := json.Unmarshal([]byte(out), &got); err != nil || len(got.Turns) != 4 {
		t.Fatalf("got %v, %v", out, err)
	}
	if bob := got.Turns[1]; bob.Act != "ignore" || bob.Reply != "" || len(bob.State) != 0 {
		t.Errorf("bob talking to ann: got %+v, want ignore", bob)
	}
	if bob := got.Turns[2]; bob.Act == "ignore" || bob.State["task"] != "image-gen" {
		t.Errorf("bob talking to us: got %+v", bob)
	}
	ann := got.Turns[3].State
	if ann["gpu_named"] != nil || ann["params_b"] != 7.0 || ann["data_gb"] != 2.0 {
		t.Errorf("ann's facts: got %v, want hers and only hers", ann)
	}
	if got.ID != "g" || len(got.Final) != 2 {
		t.Errorf("got id %q and final %v, want g and both people", got.ID, got.Final)
	}
}

func TestCard(t *testing.T) {
	english(t)
	for _, text := range []string{"4090", "RTX 4090", "rtx-4090", "RTX4090-24G", "四零九零"} {
		out, errs, status := play(t, "", "card", "--json", text)
		if status != 0 || !strings.Contains(out, `"label":"RTX4090-24G"`) {
			t.Errorf("card %s: status %d, %s%.200s", text, status, errs, out)
		}
	}
	zh, _, _ := play(t, "", "card", "四零九零")
	en, _, _ := play(t, "", "card", "4090")
	if !strings.Contains(zh, "显存") || !strings.Contains(en, "VRAM") {
		t.Errorf("the language does not follow the question:\n%s\n%s", zh, en)
	}
}

func TestPlatforms(t *testing.T) {
	english(t)
	out, errs, status := play(t, "", "platforms", "--json", "--lang", "zh")
	var got struct {
		Lang      string
		Platforms []platformJSON
	}
	if err := json.Unmarshal([]byte(out), &got); status != 0 || err != nil {
		t.Fatalf("%v %s", err, errs)
	}
	if got.Lang != "zh" || len(got.Platforms) < 5 {
		t.Errorf("got %d kinds in %s", len(got.Platforms), got.Lang)
	}
	for _, p := range got.Platforms {
		if n := len(p.Examples); n > 0 && n < 3 {
			t.Errorf("%s names %d examples; fewer than three is a recommendation", p.ID, n)
		}
	}
}

// TestVRAM: the numbers add up, and a person reads no ids.
func TestVRAM(t *testing.T) {
	english(t)
	for _, text := range []string{"7B LoRA", "Qwen2.5-7B inference, int4, 8k context, 10 concurrent", "70B full fine-tune", "SDXL images", "Wan2.1-14B 720p video", "yolov8m training batch 16"} {
		out, errs, status := play(t, "", "vram", "--json", text)
		var v vramAnswer
		if err := json.Unmarshal([]byte(out), &v); status != 0 || err != nil {
			t.Errorf("%s: %v %s", text, err, errs)
			continue
		}
		if v.Load <= 0 || v.Peak < v.Load || v.Reserve <= 0 || math.Abs(v.Total-v.Peak-v.Reserve) > v.Total/4 || v.Terms[v.Dominant] <= 0 {
			t.Errorf("%s: the numbers do not fit together: %s", text, out)
		}
		for _, lang := range []string{"zh", "en"} {
			if out, _, _ := play(t, "", "vram", "--lang", lang, text); strings.ContainsAny(out, "=_{") {
				t.Errorf("%s in %s shows an id:\n%s", text, lang, out)
			}
		}
	}
	if _, errs, status := play(t, "", "vram", "hello there"); status != 1 || !strings.Contains(errs, "no model") {
		t.Errorf("no model: status %d, %s", status, errs)
	}
}

// TestChatPipe: a conversation through a pipe is replies and nothing else.
func TestChatPipe(t *testing.T) {
	english(t)
	out, errs, status := play(t, "想微调一个 7B 模型\n\nLoRA\n退出\n不会读到这里\n", "chat")
	if status != 0 || errs != "" {
		t.Fatalf("status %d: %s", status, errs)
	}
	if strings.Contains(out, "> ") || strings.Contains(out, "\x1b") || strings.Contains(out, words["hello"]["en"]) {
		t.Errorf("the pipe got more than replies:\n%s", out)
	}
	if strings.TrimSpace(out) == "" {
		t.Error("no reply")
	}
}

// TestChatStore: with a file, the talk goes on where it stopped.
func TestChatStore(t *testing.T) {
	english(t)
	file := filepath.Join(t.TempDir(), "talk.db")
	first, errs, status := play(t, "I want to fine-tune a 7B model with LoRA\n", "chat", "--store", file)
	if status != 0 || first == "" {
		t.Fatalf("status %d: %s", status, errs)
	}
	again, errs, status := play(t, "2 GB of data, two days\n", "chat", "--store", file)
	if status != 0 || !strings.Contains(again, "LoRA") || !strings.Contains(again, "7B") {
		t.Errorf("status %d %s; the second run does not know the first:\n%s", status, errs, again)
	}
	if other, _, _ := play(t, "2 GB of data, two days\n", "chat", "--store", file, "--user", "other"); strings.Contains(other, "LoRA · 7B") {
		t.Errorf("another user got the first one's job:\n%s", other)
	}
	if _, errs, status := play(t, "hello\n", "chat", "--store", t.TempDir()); status != 1 || strings.Count(errs, "\n") != 1 {
		t.Errorf("a folder as store: status %d, %s", status, errs)
	}
}

// BenchmarkStart measures what a person waits for at the prompt: the built
// program from its start to its answer. The goal is 150 ms.
func BenchmarkStart(b *testing.B) {
	program := filepath.Join(b.TempDir(), "gpuadvisor")
	if out, err := exec.Command("go", "build", "-o", program, ".").CombinedOutput(); err != nil {
		b.Fatalf("%v\n%s", err, out)
	}
	for b.Loop() {
		start := time.Now()
		if out, err := exec.Command(program, "ask", "想用 LoRA 微调 7B 模型,数据 2 GB,跑两天").CombinedOutput(); err != nil {
			b.Fatalf("%v\n%s", err, out)
		}
		b.ReportMetric(float64(time.Since(start).Milliseconds()), "last-ms")
	}
}

// TestHelp: every line of the help is filled in, in both languages.
func TestHelp(t *testing.T) {
	english(t)
	for _, lang := range []string{"en_US.UTF-8", "zh_CN.UTF-8"} {
		t.Setenv("LC_ALL", lang)
		for _, args := range [][]string{{"--help"}, {"chat", "--help"}, {"ask", "--help"}, {"cost", "--help"}, {"prices", "--help"}, {"verify", "--help"}, {"diagnose", "--help"}, {"prices", "import", "--help"}, {"settings", "--help"}, {"store", "--help"}, {"store", "copy", "--help"}, {"store", "backup", "--help"}, {"serve", "--help"}} {
			if out, _, status := play(t, "", args...); status != 0 || strings.Contains(out, "${") {
				t.Errorf("%s %v: status %d\n%s", lang, args, status, out)
			}
		}
	}
}
