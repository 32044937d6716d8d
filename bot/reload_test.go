//go:build unix

package main

import (
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"gpuadvisor/advisor"
	"gpuadvisor/rules"
)

// ownRules is a folder with a copy of the rules.
func ownRules(t *testing.T) string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "rules")
	if err := os.CopyFS(dir, rules.Embedded()); err != nil {
		t.Fatal(err)
	}
	return dir
}

// replace changes a text in a file.
func replace(t *testing.T, file, old, new string) {
	t.Helper()
	data, err := os.ReadFile(file)
	if err != nil || !strings.Contains(string(data), old) {
		t.Fatalf("no %q in %s: %v", old, file, err)
	}
	if err := os.WriteFile(file, []byte(strings.ReplaceAll(string(data), old, new)), 0o600); err != nil {
		t.Fatal(err)
	}
}

// withoutCertificate lets rules be read without enumerating their tables.
func withoutCertificate(t *testing.T) {
	readRules = func(fsys fs.FS) (*advisor.Rulebook, rules.Report) {
		book, problems := rules.LoadFS(fsys)
		return book, rules.Report{Problems: problems, Certificate: advisor.Certificate{Combinations: 1}}
	}
	t.Cleanup(func() { readRules = rules.CheckedBook })
}

// TestReload changes rules under a running bot. Rules that do not hold change
// nothing, whoever asks; those that do are in use with the next message.
func TestReload(t *testing.T) {
	alone(t)
	withoutCertificate(t)
	tg := newExchange(t)
	dir := ownRules(t)
	english := filepath.Join(dir, "words", "en.yaml")
	t.Setenv("TELEGRAM_TOKEN", exchangeToken)
	t.Setenv("TELEGRAM_API_URL", tg.URL)
	t.Setenv("STORE_FILE", filepath.Join(t.TempDir(), "bot.db"))
	t.Setenv("RULES_DIR", dir)
	t.Setenv("OPERATORS", "telegram:7")
	bot := serveHere(t)
	eventually(t, "ready", func() bool { status, _ := ask(bot.listen, "/readyz"); return status == 200 })
	said := map[int64]int{}
	id := int64(0)
	says := func(user int64, text, want string) {
		t.Helper()
		id++
		tg.write(id, user, user, text)
		said[user]++
		if got := tg.until(t, user, said[user])[said[user]-1]; !strings.Contains(got, want) {
			t.Errorf("%s: got %q, want %q in it", text, got, want)
		}
	}
	const before, after = "That is for whoever runs this bot.", "You do not run this bot."
	says(42, "/admin reload", before)

	replace(t, english, "admin.operators: \""+before, "admin.operators: \""+after+" {nobody-fills-this}")
	replace(t, filepath.Join(dir, "cards", "rtx-4090.yaml"), "id: rtx-4090", "id: rtx-4091")
	says(7, "/admin reload", "rtx-4090.yaml")
	if err := syscall.Kill(os.Getpid(), syscall.SIGHUP); err != nil {
		t.Fatal(err)
	}
	eventually(t, "the log tells of the signal", func() bool { return strings.Count(bot.log.String(), "the old ones stay") >= 2 })
	says(42, "/admin reload", before)

	replace(t, english, " {nobody-fills-this}", "")
	replace(t, filepath.Join(dir, "cards", "rtx-4090.yaml"), "id: rtx-4091", "id: rtx-4090")
	const menu = "Memory that one task needs on the card"
	replace(t, english, "command.vram: \""+menu, "command.vram: \"What a task takes")
	replace(t, english, "telegram.send-text: \"I read text only.", "telegram.send-text: \"Text is all I read.")
	eventually(t, "the menu", func() bool { return tg.offers(menu) })
	says(7, "/admin", "/admin reload")
	says(7, "/admin reload", "in use")
	says(42, "/admin reload", after)
	eventually(t, "the new menu", func() bool { return tg.offers("What a task takes") })

	_, page := ask(bot.listen, "/metrics")
	if ok, refused := value(page, `gpuadvisor_reloads_total{result="ok"}`), value(page, `gpuadvisor_reloads_total{result="refused"}`); ok != "1" || refused != "2" {
		t.Errorf("got %s reloads and %s refused, want 1 and 2", ok, refused)
	}
	fsys, err := rules.Folder(dir)
	if err != nil {
		t.Fatal(err)
	}
	if book, _ := rules.LoadFS(fsys); value(page, `gpuadvisor_rules_info{hash="`+book.Hash+`"}`) != "1" || strings.Count(page, "\ngpuadvisor_rules_info{") != 1 {
		t.Errorf("the page does not tell the hash %s alone:\n%s", book.Hash, page)
	}
	if strings.Contains(strings.Join(tg.heard(7), "\n"), dir) {
		t.Errorf("an answer tells where the rules lie: %q", tg.heard(7))
	}
	if status := bot.ends(t); status != 0 {
		t.Errorf("exit status %d:\n%s", status, bot.log.String())
	}
}

// Turns go on while the rules are read again, each with one set of them.
func TestReloadUnderTurns(t *testing.T) {
	h := &house{}
	book, a, err := h.book()
	if err != nil {
		t.Fatal(err)
	}
	withoutCertificate(t)
	s := &server{known: newKnowledge(book, a, "../rules", h.thinker)}
	stop := make(chan struct{})
	var turns sync.WaitGroup
	for range 4 {
		turns.Go(func() {
			for {
				select {
				case <-stop:
					return
				default:
					d := desk{}
					s.think(&d)
					if _, r, _ := d.answer(advisor.Known{}, advisor.Message{ID: "1", Key: "k", Text: "7B LoRA", Addressed: true}); r.Act == "" {
						t.Error("got no answer")
						return
					}
					time.Sleep(time.Millisecond) // leaves the reading some time
				}
			}
		})
	}
	err = s.known.again()
	close(stop)
	turns.Wait()
	if err != nil || s.known.now.Load() == a {
		t.Errorf("got the old advisor, %v", err)
	}
	readRules = func(fs.FS) (*advisor.Rulebook, rules.Report) {
		return nil, rules.Report{Certificate: advisor.Certificate{Combinations: 1, DeadRows: 1, Details: []string{"dead row x"}}}
	}
	if err := newKnowledge(book, a, "../rules", h.thinker).again(); err == nil || !strings.Contains(err.Error(), "dead row x") {
		t.Errorf("tables that are not sound: got %v, want why", err)
	}
	if err := newKnowledge(book, a, "", h.thinker).again(); err == nil || !strings.Contains(err.Error(), "RULES_DIR") {
		t.Errorf("rules of the program: got %v, want what to set", err)
	}
}
