package main

import (
	"encoding/json"
	"fmt"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"gpuadvisor/adapters"
	"gpuadvisor/adapters/memory"
	"gpuadvisor/advisor"
)

// reportOf is an effect that reports a day.
func reportOf(id, day string) advisor.Effect {
	text, _ := json.Marshal(advisor.Report{Day: day, Lang: "zh"})
	return advisor.Effect{ID: id, Kind: "report", Report: string(text)}
}

// Each report is kept once, also when its answer was lost and when two people
// report at the same time; the latest comes first.
func TestReports(t *testing.T) {
	overEveryStore(t, func(t *testing.T, store adapters.Store) {
		r := &reports{settings: store.Settings()}
		for _, day := range []string{"1", "2", "2", "3", "3"} {
			if err := r.keep(t.Context(), reportOf("e"+day, day), time.Now()); err != nil {
				t.Fatal(err)
			}
		}
		var both sync.WaitGroup
		for i := range 4 {
			both.Go(func() {
				if err := r.keep(t.Context(), reportOf(fmt.Sprint("both", i), "4"), time.Now()); err != nil {
					t.Error(err)
				}
			})
		}
		both.Wait()
		list, err := r.list(t.Context())
		days := ""
		for _, x := range list {
			days += x.Day
		}
		if err != nil || days != "4444321" {
			t.Errorf("kept %q, %v; want each once, the latest first", days, err)
		}
		if err := r.keep(t.Context(), reportOf("old", "0"), time.Now().Add(-keepReport-time.Hour)); err != nil {
			t.Fatal(err)
		}
		if list, err := r.list(t.Context()); err != nil || len(list) != 7 {
			t.Errorf("%d reports and %v, want the expired one gone", len(list), err)
		}
	})
}

// The oldest make room.
func TestReportsMakeRoom(t *testing.T) {
	r := &reports{settings: memory.Open(time.Now).Settings()}
	for i := range keepReports + 5 {
		if err := r.keep(t.Context(), reportOf(fmt.Sprint(i), fmt.Sprint(i)), time.Now()); err != nil {
			t.Fatal(err)
		}
	}
	list, err := r.list(t.Context())
	if n := len(list); err != nil || n != keepReports || list[0].Day != fmt.Sprint(keepReports+4) || list[n-1].Day != "5" {
		t.Errorf("%d reports from %v, %v", n, list[:1], err)
	}
}

// From a message to the operator's list, beside a bot that runs; what was
// reported stays when its author is forgotten.
func TestReportCommand(t *testing.T) {
	alone(t)
	english(t)
	tg := newExchange(t)
	file := filepath.Join(t.TempDir(), "bot.db")
	t.Setenv("STORE_FILE", file)
	if _, errs, status := play(t, "", "reports"); status != 1 || !strings.Contains(errs, "no such file") {
		t.Errorf("without a store: status %d, %s", status, errs)
	}
	t.Setenv("TELEGRAM_TOKEN", exchangeToken)
	t.Setenv("TELEGRAM_API_URL", tg.URL)
	bot := serveHere(t)
	eventually(t, "ready", func() bool { status, _ := ask(bot.listen, "/readyz"); return status == 200 })
	const who = 77001
	if out, errs, status := play(t, "", "reports"); status != 0 || !strings.Contains(out, "nobody") {
		t.Errorf("nothing yet: status %d, %s%s", status, out, errs)
	}
	for _, dead := range [][]string{{"remind", "dead"}, {"remind", "dead", "--store", file}} {
		if out, errs, status := play(t, "", dead...); status != 0 || !strings.Contains(out, words["no-dead-letter"]["en"]) {
			t.Errorf("%q: status %d, %s%s", dead, status, out, errs)
		}
	}
	for i, text := range []string{"LoRA fine-tune of Qwen2.5-7B, 20 GB, three days, token hf_abcdefghijklmnop", "/report too small", "/forget yes"} {
		tg.write(int64(i+1), who, who, text)
		tg.until(t, who, i+1)
	}
	out, errs, status := play(t, "", "reports")
	for _, want := range []string{"too small", "Qwen2.5-7B", "RTX4090-24G", "```"} {
		if !strings.Contains(out, want) {
			t.Errorf("no %q in %s%s", want, out, errs)
		}
	}
	if status != 0 || strings.Contains(out, "hf_abc") || strings.Contains(out, "77001") {
		t.Errorf("status %d, %s", status, out)
	}
	out, _, status = play(t, "", "reports", "--json")
	var r advisor.Report
	if err := json.Unmarshal([]byte(out), &r); err != nil || status != 0 || r.Note != "too small" || r.Facts["model"] != "qwen2.5-7b" {
		t.Errorf("as JSON: status %d, %v in %s", status, err, out)
	}
	bot.ends(t)
}
