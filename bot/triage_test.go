package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

const (
	xid79 = "[ 812.004512] NVRM: Xid (PCI:0000:41:00): 79, pid=99, GPU has fallen off the bus.\nexport HF_TOKEN=hf_abcdefghijklmnopqrstuvwx"
	twoA  = "index, name, memory.total [MiB], memory.used [MiB], utilization.gpu [%], temperature.gpu\n0, NVIDIA A40, 46068 MiB, 1 MiB, 0 %, 31\n1, NVIDIA A40, 46068 MiB, 1 MiB, 0 %, [N/A]"
)

// batchOf answers lines of JSON and returns the answers.
func batchOf(t *testing.T, command string, lines ...map[string]any) []map[string]any {
	t.Helper()
	var in strings.Builder
	for _, l := range lines {
		b, err := json.Marshal(l)
		if err != nil {
			t.Fatal(err)
		}
		in.Write(append(b, '\n'))
	}
	out, _, _ := play(t, in.String(), command, "--json", "--batch", "-")
	var answers []map[string]any
	for line := range strings.Lines(out) {
		var a map[string]any
		if err := json.Unmarshal([]byte(line), &a); err != nil {
			t.Fatalf("%s: %v in %s", command, err, line)
		}
		answers = append(answers, a)
	}
	if len(answers) != len(lines) {
		t.Fatalf("%s: got %d answers to %d lines", command, len(answers), len(lines))
	}
	return answers
}

func TestDiagnoseJSON(t *testing.T) {
	english(t)
	got := batchOf(t, "diagnose", map[string]any{"id": "a", "text": xid79, "lang": "en"}, map[string]any{"id": "b", "text": "all is well"}, map[string]any{"id": "c"})
	a := got[0]
	if a["id"] != "a" || a["layer"] != "hardware" || a["action"] != "swap" || a["pays"] != "platform" || a["sub"] == "" {
		t.Errorf("got %v", a)
	}
	if evidence := a["evidence"].([]any); len(evidence) != 1 || !strings.Contains(evidence[0].(string), "fallen off the bus") {
		t.Errorf("evidence: got %v", evidence)
	}
	if pack := a["support_pack"].([]any); len(pack) < 8 {
		t.Errorf("support pack: got %v", pack)
	}
	if all, _ := json.Marshal(a); strings.Contains(string(all), "abcdefghijklmnop") {
		t.Errorf("the answer shows a token: %s", all)
	}
	if b := got[1]; b["layer"] != "none" || b["action"] != "ask" || len(b["support_pack"].([]any)) != 0 || len(b["ask"].([]any)) == 0 {
		t.Errorf("nothing to diagnose: got %v", b)
	}
	if got[2]["bad"] == nil {
		t.Errorf("no text: got %v", got[2])
	}
}

func TestVerifyJSON(t *testing.T) {
	english(t)
	got := batchOf(t, "verify",
		map[string]any{"id": 1, "text": twoA, "lang": "en"},
		map[string]any{"id": 2, "text": twoA, "paid_for": "4x A40", "lang": "en"},
		map[string]any{"id": 3, "text": "nothing"},
		map[string]any{"id": 4, "text": "NVIDIA-SMI 535.104.05 Driver Version: 535.104.05 CUDA Version: 12.2\n" + twoA, "wants_cuda": "12.8"})
	a := got[0]
	gpus := a["gpus"].([]any)
	first, second := gpus[0].(map[string]any), gpus[1].(map[string]any)
	if len(gpus) != 2 || first["gpu"] != "a40" || first["mem_total_mib"] != 46068.0 || first["temp_c"] != 31.0 || second["temp_c"] != nil || first["power_w"] != nil || a["driver"] != nil {
		t.Errorf("what the print does not give is null: got %v, driver %v", gpus, a["driver"])
	}
	if a["verdict"] != "idle" || len(a["proves_not"].([]any)) == 0 || len(a["next"].([]any)) == 0 {
		t.Errorf("got %v", a)
	}
	if b := got[1]; b["verdict"] != "mismatch" || b["findings"].([]any)[0].(map[string]any)["id"] != "fewer-cards" {
		t.Errorf("two of four cards: got %v", b)
	}
	if c := got[2]; c["verdict"] != "unreadable" || len(c["gpus"].([]any)) != 0 {
		t.Errorf("nothing to read: got %v", c)
	}
	if d, _ := json.Marshal(got[3]["findings"]); !strings.Contains(string(d), "cuda-too-old") {
		t.Errorf("CUDA wanted: got %s", d)
	}
}

func TestChecklistJSON(t *testing.T) {
	english(t)
	got := batchOf(t, "checklist",
		map[string]any{"id": 1, "text": "disk", "lang": "zh"},
		map[string]any{"id": 2, "text": "磁盘六问", "answers": []string{"yes", "15 天", "不知道", "no", "yes", "yes"}},
		map[string]any{"id": 3, "text": ""},
		map[string]any{"id": 4, "text": "no such list"})
	if a := got[0]; len(a["items"].([]any)) != 6 || a["passed"] != nil || a["list"] != "disk" {
		t.Errorf("got %v", a)
	}
	if b := got[1]; b["passed"] != 4.0 || b["items"].([]any)[1].(map[string]any)["note"] != "15 天" {
		t.Errorf("got %v", b)
	}
	if len(got[2]["lists"].([]any)) < 12 || got[3]["bad"] == nil {
		t.Errorf("got %v, %v", got[2], got[3])
	}
}

func TestScoreJSON(t *testing.T) {
	english(t)
	got := batchOf(t, "score", map[string]any{"id": 1, "text": "A: 0.9 0.8 0.7 0.9; B: 1 1 1 0.3"}, map[string]any{"id": 2, "text": "which is best?"})
	a := got[0]["candidates"].([]any)[0].(map[string]any)
	if a["score"] != 0.45 || a["verdict"] != "rent" || a["weakest"] != "value" || got[0]["best"] != "A" {
		t.Errorf("got %v", got[0])
	}
	if got[1]["bad"] == nil {
		t.Errorf("nothing to score: got %v", got[1])
	}
	out, _, _ := play(t, "", "score", "--markdown", "0.9 0.8 0.7 0.9")
	for _, want := range []string{"## Reliability", "| --- | --- |", "| product | 0.45 |", "> How to read it"} {
		if !strings.Contains(out, want) {
			t.Errorf("the Markdown lacks %q:\n%s", want, out)
		}
	}
}

// The four commands take a text, a file or standard input.
func TestTriageSources(t *testing.T) {
	english(t)
	log := filepath.Join(t.TempDir(), "train.log")
	if err := os.WriteFile(log, []byte(strings.Repeat("step 1 loss 0.5\n", 200000)+xid79), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		args   []string
		stdin  string
		says   string
		status int
	}{
		{[]string{"diagnose", "-f", log}, "", "line 200001: [ 812.004512]", 0},
		{[]string{"diagnose"}, xid79, "Layer 1", 0},
		{[]string{"diagnose", xid79}, "", "Layer 1", 0},
		{[]string{"diagnose", "-f", log, "text"}, "", "--file", 2},
		{[]string{"diagnose", "-f", "nowhere.log"}, "", "cannot open", 1},
		{[]string{"diagnose"}, "", "nothing was asked", 2},
		{[]string{"verify", "--paid-for", "4x A40"}, twoA, "you ordered 4", 0},
		{[]string{"verify", "--lang", "zh"}, twoA, "整卡", 0},
		{[]string{"checklist"}, "", "before-renting", 0},
		{[]string{"checklist", "disk"}, "", "Six disk questions", 0},
		{[]string{"checklist", "disk", "--answers", "yes,yes,yes,yes,yes,no"}, "", "5 of 6", 0},
		{[]string{"checklist", "nowhere"}, "", "no checklist", 1},
		{[]string{"score", "1,1,1,0.3"}, "", "do not rent", 0},
		{[]string{"score", "hello"}, "", "nothing to score", 1},
	} {
		out, errs, status := play(t, tt.stdin, tt.args...)
		if status != tt.status || !strings.Contains(out+errs, tt.says) {
			t.Errorf("%q: got status %d and %s%s, want %d and %q", tt.args[:min(2, len(tt.args))], status, out[:min(len(out), 400)], errs, tt.status, tt.says)
		}
	}
}
