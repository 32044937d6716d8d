//go:build scale

package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// measured_test.go prints what the program costs whoever runs it, beside what
// we promise, and fails where it costs more.
//
//	go test -tags scale ./bot -run TestMeasured -v -count=1 -for 10m
//	go test -tags scale ./bot -run TestFreshClone -v -count=1

// promise is one figure with its bound.
func promise(t *testing.T, what string, got, most float64, unit string) {
	t.Helper()
	verdict := "ok"
	if got > most {
		verdict = "TOO MUCH"
		t.Errorf("%s: %.2f %s, at most %.1f", what, got, unit, most)
	}
	t.Logf("%-34s %8.2f %s   at most %.1f: %s", what, got, unit, most, verdict)
}

func TestMeasured(t *testing.T) {
	alone(t)
	bin := buildProgram(t)
	info, err := os.Stat(bin)
	if err != nil {
		t.Fatal(err)
	}
	promise(t, "binary, stripped", float64(info.Size())/1e6, 40, "MB")
	promise(t, "start to the first answer", milliseconds(best(10, func() { answerOnce(t, bin) })), 200, "ms")
	promise(t, "start to serving", milliseconds(best(5, func() {
		r := newReplica(t, bin, lonely(t, "http://127.0.0.1:1")...)
		eventually(t, "health", func() bool { status, _ := ask(r.listen, "/healthz"); return status == 200 })
		r.kill()
	})), 200, "ms")

	tg, dc, r := underLoad(t, bin)
	time.Sleep(2 * time.Second)
	r.look()
	before, begun := r.cpu, time.Now()
	time.Sleep(idleFor)
	r.look()
	promise(t, "idle", 100*(r.cpu-before).Seconds()/time.Since(begun).Seconds(), 0.5, "% of a core")

	stop := watch([]*replica{r})
	before, begun = r.cpu, time.Now()
	done := load(tg, dc, 200, *scaleFor)
	time.Sleep(*scaleFor / 2)
	half := r.most
	done()
	took := time.Since(begun)
	stop()
	turns := len(tg.took) + len(dc.took)
	t.Logf("%.0f turns/s for %s: %.2f ms of CPU each, p50 %s, p99 %s; %d MB at most in the first half", float64(turns)/took.Seconds(),
		took.Round(time.Second), 1000*(r.cpu-before).Seconds()/float64(turns), dc.quantile(.5), dc.quantile(.99), half>>20)
	promise(t, "resident at that load, at most", float64(r.most)/(1<<20), 80, "MB")
	if n := tg.lost + dc.lost + tg.doubled + dc.doubled + dc.refused; n > 0 {
		t.Errorf("%d messages were lost, doubled or refused", n)
	}
}

// idleFor is long enough for the collection of garbage that the runtime makes
// every two minutes of its own accord.
const idleFor = 130 * time.Second

// lonely are settings for a bot that keeps a file.
func lonely(t *testing.T, telegram string) []string {
	return []string{"TELEGRAM_TOKEN=" + scaleToken, "TELEGRAM_API_URL=" + telegram, "TELEGRAM_WEBHOOK_URL=https://bot.example.org/telegram",
		"TELEGRAM_WEBHOOK_SECRET=" + scaleSecret, "STORE_FILE=" + filepath.Join(t.TempDir(), "bot.db")}
}

// underLoad is one process with its store in a file, on both chats.
func underLoad(t *testing.T, bin string) (*tgLoad, *dcLoad, *replica) {
	one := make([]*replica, 1)
	door := newDoor(t, one)
	tg, dc := newTgLoad(t, door.server.URL), newDcLoad(t, door.server.URL)
	one[0] = newReplica(t, bin, append(lonely(t, tg.server.URL), dc.settings()...)...)
	eventually(t, "ready", one[0].ready)
	return tg, dc, one[0]
}

// answerOnce asks the program one question.
func answerOnce(t *testing.T, bin string) {
	out, err := exec.Command(bin, "--lang", "en", "ask", "LoRA 7B, 2 GB of data, two days").CombinedOutput()
	if err != nil || !strings.Contains(string(out), "RTX4090-24G") {
		t.Fatalf("no advice: %v\n%s", err, out)
	}
}

// best is the least time that something takes in n tries: what else the machine
// does only adds to it.
func best(n int, do func()) time.Duration {
	least := time.Hour
	for range n {
		begun := time.Now()
		do()
		least = min(least, time.Since(begun))
	}
	return least
}

func milliseconds(d time.Duration) float64 { return d.Seconds() * 1000 }

// TestFreshClone is a newcomer: a clone of what is committed, nothing built,
// no module there yet.
func TestFreshClone(t *testing.T) {
	dir := t.TempDir()
	clone := filepath.Join(dir, "clone")
	if out, err := exec.Command("git", "clone", "-q", "..", clone).CombinedOutput(); err != nil {
		t.Fatalf("clone: %v\n%s", err, out)
	}
	cmd := exec.Command("go", "run", "./bot", "--lang", "en", "ask", "LoRA 7B, 2 GB of data, two days")
	cmd.Dir = clone
	cmd.Env = append(os.Environ(), "GOMODCACHE="+filepath.Join(dir, "modules"), "GOCACHE="+filepath.Join(dir, "built"), "GOFLAGS=-modcacherw")
	begun := time.Now()
	out, err := cmd.CombinedOutput()
	if err != nil || !strings.Contains(string(out), "RTX4090-24G") {
		t.Fatalf("no advice: %v\n%s", err, out)
	}
	t.Logf("%.0f s of processor time", (cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()).Seconds())
	promise(t, "fresh clone to the first answer", time.Since(begun).Seconds(), 60, "s")
}
