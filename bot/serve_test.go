package main

import (
	"bytes"
	"context"
	"crypto/ed25519"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/alicebob/miniredis/v2"

	"gpuadvisor/adapters"
	"gpuadvisor/adapters/memory"
	"gpuadvisor/advisor"
)

// TestMain lets the test program be the bot: tests that kill one start it as a
// process of its own.
func TestMain(m *testing.M) {
	if args := os.Getenv("GPUADVISOR_BE_THE_BOT"); args != "" {
		ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
		defer stop()
		os.Exit(run(ctx, strings.Fields(args), os.Stdin, os.Stdout, os.Stderr))
	}
	if ringAlone != nil && os.Getenv(ringPlace) != "" {
		if err := ringAlone(); err != nil {
			fmt.Println("error:", err)
			os.Exit(1)
		}
		return
	}
	os.Exit(m.Run())
}

// ringPlace names a store whose reminders this process is to ring and nothing
// else; ringAlone does.
const ringPlace = "BELL_PLACE"

var ringAlone func() error

// lines is a log that may be read while it is written.
type lines struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (l *lines) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.Write(p)
}

func (l *lines) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.String()
}

// freeAddress is one that nobody listens at now.
func freeAddress(t testing.TB) string {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	return l.Addr().String()
}

// alone makes the environment that of the test and nobody else's.
func alone(t testing.TB) {
	english(t)
	for _, key := range keys() {
		t.Setenv(variable(key), "")
		t.Setenv(variable(key)+"_FILE", "")
	}
}

// here is a bot that runs in this process.
type here struct {
	log    lines
	listen string
	stop   context.CancelFunc
	status chan int
}

// serveHere starts the bot that the environment describes.
func serveHere(t *testing.T) *here {
	r := &here{listen: freeAddress(t), status: make(chan int, 1)}
	t.Setenv("LISTEN", r.listen)
	ctx, cancel := context.WithCancel(context.Background())
	r.stop = cancel
	go func() { r.status <- run(ctx, []string{"serve"}, strings.NewReader(""), io.Discard, &r.log) }()
	t.Cleanup(func() { cancel() })
	return r
}

// ends stops the bot and returns its exit status.
func (r *here) ends(t *testing.T) int {
	t.Helper()
	r.stop()
	select {
	case status := <-r.status:
		return status
	case <-time.After(stopTime + 2*time.Second):
		t.Fatalf("still there %s after it was told to stop:\n%s", stopTime, r.log.String())
		return 0
	}
}

// ask asks for a page of the bot's and returns its status and body.
func ask(at, path string) (int, string) {
	resp, err := http.Get("http://" + at + path)
	if err != nil {
		return 0, err.Error()
	}
	defer resp.Body.Close()
	body, _ := io.ReadAll(resp.Body)
	return resp.StatusCode, string(body)
}

func TestServeNeedsAToken(t *testing.T) {
	alone(t)
	out, errs, status := play(t, "", "serve")
	if status != 2 || out != "" || !strings.Contains(errs, "TELEGRAM_TOKEN") || !strings.Contains(errs, "DISCORD_TOKEN") || strings.Count(errs, "\n") != 1 {
		t.Errorf("status %d, %q, %q; want 2 and what to set, in one sentence", status, out, errs)
	}
}

// TestServe is a day of a small bot: a talk to its end, a reminder, settings,
// health, and a clean stop. Nothing that people write gets into the log, nor
// the token.
func TestServe(t *testing.T) {
	alone(t)
	tg := newExchange(t)
	store := filepath.Join(t.TempDir(), "state", "bot.db")
	t.Setenv("TELEGRAM_TOKEN", exchangeToken)
	t.Setenv("TELEGRAM_API_URL", tg.URL)
	t.Setenv("STORE_FILE", store)
	t.Setenv("LOG_LEVEL", "debug")
	t.Setenv("OPERATORS", "telegram:7")
	bot := serveHere(t)
	eventually(t, "ready", func() bool { status, _ := ask(bot.listen, "/readyz"); return status == 200 })
	tg.write(1, 42, 42, "LoRA fine-tune of Qwen2.5-7B, secret-project-zebra, 2 GB of data, two days")
	if got := tg.until(t, 42, 1)[0]; !strings.Contains(got, "24") {
		t.Errorf("got %q, want advice", got)
	}
	tg.write(2, 42, 42, "remind me in 1 minute to release zebra")
	got := tg.until(t, 42, 2)[1]
	if !strings.Contains(got, "I will remind you") || strings.Contains(got, "while this program runs") {
		t.Errorf("a reminder: got %q", got)
	}
	tg.write(3, 42, 42, "/settings zh Asia/Tokyo")
	if got := tg.until(t, 42, 3)[2]; !strings.Contains(got, "Asia/Tokyo") || !strings.Contains(got, "中文") {
		t.Errorf("settings: got %q", got)
	}
	if status, body := ask(bot.listen, "/healthz"); status != 200 || body != `{"ok":true,"parts":{"reminders":"ok","store":"ok","telegram":"ok"}}`+"\n" {
		t.Errorf("health: %d %s", status, body)
	}
	backup := filepath.Join(t.TempDir(), "backup.db")
	if _, errs, status := play(t, "", "store", "backup", backup); status != 0 {
		t.Errorf("backup while it runs: %s", errs)
	}
	if _, errs, status := play(t, "", "store", "copy", store, filepath.Join(t.TempDir(), "copy.db")); status != 1 || !strings.Contains(errs, "another process has it open") {
		t.Errorf("a copy while it runs: status %d, %s", status, errs)
	}
	tg.write(4, 42, 42, "/forget")
	tg.until(t, 42, 4)
	tg.write(5, 42, 42, "/forget yes")
	if got := tg.until(t, 42, 5)[4]; !strings.Contains(got, "对话 1 个") || !strings.Contains(got, "提醒 1 个") || !strings.Contains(got, "1 条") {
		t.Errorf("forget: got %q", got)
	}
	if status := bot.ends(t); status != 0 {
		t.Errorf("exit status %d:\n%s", status, bot.log.String())
	}
	if n := counted(t, openBolt(t, store)); n != [3]int{} {
		t.Errorf("after /forget the store keeps %v", n)
	}
	if n := counted(t, openBolt(t, backup)); n != [3]int{1, 1, 1} {
		t.Errorf("the backup keeps %v", n)
	}
	silent(t, bot.log.String())
}

// counted is how much a store keeps: conversations, records, reminders.
func counted(t *testing.T, s adapters.Archive) (n [3]int) {
	t.Helper()
	err := s.Dump(t.Context(), func(i adapters.Item) error {
		switch {
		case i.Ledger != nil:
			n[0]++
		case i.Record != nil:
			n[1]++
		default:
			n[2]++
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return n
}

// silent checks that a log holds nothing that people wrote, and no token.
func silent(t *testing.T, log string) {
	t.Helper()
	for _, secret := range []string{"zebra", "Qwen", exchangeToken, strings.TrimPrefix(exchangeToken, "123456:")} {
		if strings.Contains(log, secret) {
			t.Errorf("the log holds %q:\n%s", secret, log)
		}
	}
}

// With a webhook, Telegram brings updates to the listener, at the path of the
// URL; without the secret nobody does.
func TestServeWebhook(t *testing.T) {
	alone(t)
	tg := newExchange(t)
	t.Setenv("TELEGRAM_TOKEN", exchangeToken)
	t.Setenv("TELEGRAM_API_URL", tg.URL)
	t.Setenv("TELEGRAM_WEBHOOK_URL", "https://bot.example.org/in/telegram/")
	t.Setenv("TELEGRAM_WEBHOOK_SECRET", "choose-a-long-one")
	t.Setenv("STORE_FILE", filepath.Join(t.TempDir(), "bot.db"))
	bot := serveHere(t)
	eventually(t, "ready", func() bool { status, _ := ask(bot.listen, "/readyz"); return status == 200 })
	bring := func(secret string) int {
		tg.write(1, 42, 42, "which card for SDXL images, two days?")
		tg.mu.Lock()
		update, _ := json.Marshal(tg.updates[0])
		tg.mu.Unlock()
		r, _ := http.NewRequest("POST", "http://"+bot.listen+"/in/telegram", bytes.NewReader(update))
		r.Header.Set("X-Telegram-Bot-Api-Secret-Token", secret)
		resp, err := http.DefaultClient.Do(r)
		if err != nil {
			t.Fatal(err)
		}
		resp.Body.Close()
		return resp.StatusCode
	}
	if got := bring("guess"); got != 403 || len(tg.heard(42)) != 0 {
		t.Errorf("a wrong secret: status %d and %q", got, tg.heard(42))
	}
	for range 2 { // brought again, it is known
		if got := bring("choose-a-long-one"); got != 200 || len(tg.heard(42)) != 1 {
			t.Errorf("the right secret: status %d and %d answers, want 200 and one", got, len(tg.heard(42)))
		}
	}
	if status := bot.ends(t); status != 0 {
		t.Errorf("exit status %d:\n%s", status, bot.log.String())
	}
	silent(t, bot.log.String())
}

// With a public key, Discord brings interactions to the listener; what Discord
// did not sign is turned away.
func TestServeInteractions(t *testing.T) {
	alone(t)
	api := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, "[]") }))
	t.Cleanup(api.Close)
	public, private, err := ed25519.GenerateKey(nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Setenv("DISCORD_TOKEN", "MTAwMDAw.G3aXyz.abcdef")
	t.Setenv("DISCORD_PUBLIC_KEY", hex.EncodeToString(public))
	t.Setenv("DISCORD_APPLICATION_ID", "1000000000000000001")
	t.Setenv("DISCORD_API_URL", api.URL)
	t.Setenv("STORE_FILE", filepath.Join(t.TempDir(), "bot.db"))
	bot := serveHere(t)
	eventually(t, "ready", func() bool { status, _ := ask(bot.listen, "/readyz"); return status == 200 })
	ping := func(sign string) (int, string) {
		const body = `{"type":1}`
		stamp := fmt.Sprint(time.Now().Unix())
		r, _ := http.NewRequest("POST", "http://"+bot.listen+interactionsPath, strings.NewReader(body))
		r.Header.Set("X-Signature-Timestamp", stamp)
		r.Header.Set("X-Signature-Ed25519", hex.EncodeToString(ed25519.Sign(private, []byte(stamp+sign))))
		resp, err := http.DefaultClient.Do(r)
		if err != nil {
			t.Fatal(err)
		}
		defer resp.Body.Close()
		answer, _ := io.ReadAll(resp.Body)
		return resp.StatusCode, strings.TrimSpace(string(answer))
	}
	if status, answer := ping(`{"type":1}`); status != 200 || answer != `{"type":1}` {
		t.Errorf("a ping: %d %s", status, answer)
	}
	if status, _ := ping(`something else`); status != 401 {
		t.Errorf("a ping with a bad signature: %d, want 401", status)
	}
	if status := bot.ends(t); status != 0 {
		t.Errorf("exit status %d:\n%s", status, bot.log.String())
	}
}

// A reminder that came due while no bot was there is said at the next start,
// and says that it is late.
func TestServeRings(t *testing.T) {
	alone(t)
	tg := newExchange(t)
	file := filepath.Join(t.TempDir(), "bot.db")
	store := openBolt(t, file)
	key := adapters.Key("telegram", "123456", "42", "", "42")
	late := advisor.Reminder{ID: "1", Key: key, At: time.Now().Add(-time.Hour), Zone: "Asia/Tokyo", Action: "release", Target: "zebra"}
	if err := store.Reminders().Add(t.Context(), late); err != nil {
		t.Fatal(err)
	}
	store.Close()
	t.Setenv("TELEGRAM_TOKEN", exchangeToken)
	t.Setenv("TELEGRAM_API_URL", tg.URL)
	t.Setenv("STORE_FILE", file)
	bot := serveHere(t)
	said := tg.until(t, 42, 1)[0]
	if !strings.Contains(said, "zebra") || !strings.Contains(said, late.At.In(time.FixedZone("", 9*3600)).Format("15:04")) {
		t.Errorf("got %q, want it in the language of the operator, with the time that it was due", said)
	}
	if status := bot.ends(t); status != 0 {
		t.Errorf("exit status %d", status)
	}
	if n := counted(t, openBolt(t, file)); n != [3]int{0, 1, 0} {
		t.Errorf("kept %v, want of a reminder that was said the copy for putting it off alone", n)
	}
	silent(t, bot.log.String())
}

// Killed in the middle of a dialogue, again and again, the bot goes on where it
// was. An answer whose arrival could not be noted comes a second time.
func TestServeKilled(t *testing.T) {
	for name, store := range map[string]func(t *testing.T) string{
		"bolt":  func(t *testing.T) string { return "STORE_FILE=" + filepath.Join(t.TempDir(), "bot.db") },
		"redis": func(t *testing.T) string { return "REDIS_URL=redis://" + miniredis.RunT(t).Addr() },
	} {
		t.Run(name, func(t *testing.T) {
			alone(t)
			tg := newExchange(t)
			env := []string{"TELEGRAM_TOKEN=" + exchangeToken, "TELEGRAM_API_URL=" + tg.URL, store(t)}
			for id, step := range []struct{ says, hears string }{
				{"I want to fine-tune a 7B model", "LoRA or QLoRA?"}, {"LoRA", "How long"}, {"two days", "How large are data"}, {"2 GB", "48 card-hours"}, {"why", "Why this advice"},
			} {
				bot := serveThere(t, env...)
				before := len(tg.heard(42))
				tg.write(int64(id)+1, 42, 42, step.says)
				eventually(t, step.says+" is answered with "+step.hears, func() bool {
					return strings.Contains(strings.ToLower(strings.Join(tg.heard(42)[before:], "\n")), strings.ToLower(step.hears))
				})
				bot.kill(t)
				silent(t, bot.log.String())
			}
			times := map[string]int{}
			for _, text := range tg.heard(42) {
				if times[text]++; times[text] > 2 {
					t.Errorf("said more than twice: %q", text)
				}
			}
		})
	}
}

// there is a bot in a process of its own.
type there struct {
	log lines
	cmd *exec.Cmd
}

func serveThere(t *testing.T, env ...string) *there {
	t.Helper()
	at := freeAddress(t)
	b := &there{cmd: exec.Command(os.Args[0])}
	b.cmd.Env = append(os.Environ(), append(env, "GPUADVISOR_BE_THE_BOT=serve", "LISTEN="+at)...)
	b.cmd.Stderr = &b.log
	if err := b.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { b.cmd.Process.Kill(); b.cmd.Wait() })
	eventually(t, "ready", func() bool { status, _ := ask(at, "/readyz"); return status == 200 || b.cmd.ProcessState != nil })
	return b
}

func (b *there) kill(t *testing.T) {
	t.Helper()
	if err := b.cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	b.cmd.Wait()
}

// What keeps a server from starting is told in a sentence, and no token in it.
func TestServeRefuses(t *testing.T) {
	taken, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer taken.Close()
	tg := newExchange(t)
	for _, tt := range []struct {
		name string
		env  variables
		want string
	}{
		{"a token of the wrong form", variables{"TELEGRAM_TOKEN": "AAEhBOweik6ad9rQXMENQjcrGbqCr4K"}, "@BotFather"},
		{"a Discord token with a space", variables{"DISCORD_TOKEN": "AAEhBOweik6ad9r QXMENQjcrGbqCr4K"}, "discord token"},
		{"an address that is taken", variables{"TELEGRAM_TOKEN": exchangeToken, "LISTEN": taken.Addr().String()}, "address already in use"},
		{"no Redis", variables{"TELEGRAM_TOKEN": exchangeToken, "REDIS_URL": "redis://:AAEhBOweik6ad9r@127.0.0.1:1x"}, "port"},
		{"a folder as store", variables{"TELEGRAM_TOKEN": exchangeToken, "STORE_FILE": t.TempDir()}, "is a folder"},
		{"rules that do not hold", variables{"TELEGRAM_TOKEN": exchangeToken, "RULES_DIR": t.TempDir()}, "problems"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			alone(t)
			t.Setenv("STORE_FILE", filepath.Join(t.TempDir(), "bot.db"))
			t.Setenv("LISTEN", "127.0.0.1:0")
			t.Setenv("TELEGRAM_API_URL", tg.URL)
			for name, value := range tt.env {
				t.Setenv(name, value)
			}
			_, errs, status := play(t, "", "serve")
			if status != 1 || !strings.Contains(errs, tt.want) || strings.Contains(errs, "AAEhBOweik6") {
				t.Errorf("status %d: %s; want 1 and something about %q", status, errs, tt.want)
			}
		})
	}
}

// A token that Telegram does not know ends the only chat, and the bot with it.
func TestServeTokenRefused(t *testing.T) {
	alone(t)
	tg := newExchange(t)
	tg.fail(http.StatusUnauthorized, `{"ok":false,"error_code":401,"description":"Unauthorized"}`)
	t.Setenv("TELEGRAM_TOKEN", exchangeToken)
	t.Setenv("TELEGRAM_API_URL", tg.URL)
	t.Setenv("STORE_FILE", filepath.Join(t.TempDir(), "bot.db"))
	bot := serveHere(t)
	select {
	case status := <-bot.status:
		if log := bot.log.String(); status != 1 || !strings.Contains(log, "@BotFather") {
			t.Errorf("status %d:\n%s", status, log)
		}
	case <-time.After(10 * time.Second):
		t.Fatal("it goes on without any chat")
	}
	silent(t, bot.log.String())
}

// Errors of all kinds, with the token and with what people wrote in them: the
// log has none of it, in any format.
func TestServeLogsNoSecrets(t *testing.T) {
	for _, format := range []string{"text", "json"} {
		alone(t)
		tg := newExchange(t)
		t.Setenv("TELEGRAM_TOKEN", exchangeToken)
		t.Setenv("TELEGRAM_API_URL", tg.URL)
		t.Setenv("STORE_FILE", filepath.Join(t.TempDir(), "bot.db"))
		t.Setenv("LOG_LEVEL", "debug")
		t.Setenv("LOG_FORMAT", format)
		bot := serveHere(t)
		eventually(t, "ready", func() bool { status, _ := ask(bot.listen, "/readyz"); return status == 200 })
		tg.write(1, 42, 42, "project zebra: which card for Qwen2.5-7B?")
		tg.until(t, 42, 1)
		for _, answer := range []struct {
			status int
			body   string
		}{
			{502, "<html>zebra " + exchangeToken + "</html>"},
			{400, `{"ok":false,"error_code":400,"description":"Bad Request: zebra at /bot` + exchangeToken + `/getUpdates"}`},
			{409, `{"ok":false,"error_code":409,"description":"Conflict: ` + exchangeToken + `"}`},
			{200, `{"ok":true,"result":"` + exchangeToken + `"}`},
			{200, `not even JSON ` + exchangeToken},
		} {
			tg.fail(answer.status, answer.body)
			time.Sleep(30 * time.Millisecond)
			tg.CloseClientConnections()
			eventually(t, "a warning about it", func() bool { return strings.Count(bot.log.String(), "again") > 0 })
		}
		if status := bot.ends(t); status != 0 {
			t.Errorf("exit status %d", status)
		}
		log := strings.ReplaceAll(bot.log.String(), "zebra at", "") // Telegram's own words may be shown
		silent(t, strings.ReplaceAll(log, "zebra ", ""))
	}
	w := &lines{}
	c := config{TelegramToken: exchangeToken, RedisURL: "redis://me:p%40ssw0rd@host"}.filled()
	newLog(w, &c).With("with", exchangeToken).Error("said "+exchangeToken, "err", fmt.Errorf("get /bot%s/x", exchangeToken), slog.Group("g", "in", exchangeToken, "password", "p@ssw0rd"), "n", 1)
	silent(t, w.String())
	if strings.Contains(w.String(), "ssw0rd") {
		t.Errorf("the log holds a password: %s", w.String())
	}
}

// Every adapter fails in turn, with its secrets and with what people wrote in
// the errors: the log names each of them, and holds none of that.
func TestServeLogsNoSecretOfAnyAdapter(t *testing.T) {
	const webhookSecret, discordToken, password = "choose-a-long-one", "MTAwMDAw.G3aXyz.abcdef", "p@ss/w0rd"
	alone(t)
	tg := newExchange(t)
	everything := "zebra " + exchangeToken + " " + webhookSecret + " " + discordToken + " " + password + " p%40ss%2Fw0rd"
	var mended atomic.Bool
	dc := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if !mended.Load() {
			w.WriteHeader(http.StatusServiceUnavailable)
			fmt.Fprintf(w, `{"message":%q}`, everything)
			return
		}
		fmt.Fprint(w, "[]")
	}))
	t.Cleanup(dc.Close)
	redis := miniredis.RunT(t)
	redis.RequireUserAuth("me", password)
	public, private, err := ed25519.GenerateKey(nil)
	if err != nil {
		t.Fatal(err)
	}
	for key, value := range map[string]string{
		"TELEGRAM_TOKEN": exchangeToken, "TELEGRAM_API_URL": tg.URL, "TELEGRAM_WEBHOOK_URL": "https://bot.example.org/in", "TELEGRAM_WEBHOOK_SECRET": webhookSecret,
		"DISCORD_TOKEN": discordToken, "DISCORD_API_URL": dc.URL, "DISCORD_PUBLIC_KEY": hex.EncodeToString(public), "DISCORD_APPLICATION_ID": "1000000000000000001",
		"REDIS_URL": "redis://me:p%40ss%2Fw0rd@" + redis.Addr(), "LOG_LEVEL": "debug",
	} {
		t.Setenv(key, value)
	}
	bot := serveHere(t)
	eventually(t, "a complaint about Discord", func() bool { return strings.Contains(bot.log.String(), "discord answered") })
	mended.Store(true)
	eventually(t, "ready", func() bool { status, _ := ask(bot.listen, "/readyz"); return status == 200 })
	n := 0
	post := func(path string, body []byte, header map[string]string) {
		r, _ := http.NewRequest("POST", "http://"+bot.listen+path, bytes.NewReader(body))
		for k, v := range header {
			r.Header.Set(k, v)
		}
		if resp, err := (&http.Client{Timeout: 500 * time.Millisecond}).Do(r); err == nil {
			resp.Body.Close()
		}
	}
	people := func() { // somebody writes on Telegram, somebody on Discord
		n++
		update := fmt.Sprintf(`{"update_id":%d,"message":{"message_id":%d,"date":%d,"text":"/help zebra","chat":{"id":42,"type":"private"},"from":{"id":42}}}`, n, n, time.Now().Unix())
		post("/in", []byte(update), map[string]string{"X-Telegram-Bot-Api-Secret-Token": webhookSecret})
		post("/in", []byte(update), map[string]string{"X-Telegram-Bot-Api-Secret-Token": "not " + webhookSecret})
		body := fmt.Sprintf(`{"id":"%d","application_id":"1000000000000000001","type":2,"token":"aW50ZXJhY3Rpb24tdG9rZW4","channel_id":"3","user":{"id":"7"},"data":{"name":"gpu","options":[{"name":"text","value":"zebra"}]}}`, 1000+n)
		stamp := fmt.Sprint(time.Now().Unix())
		post(interactionsPath, []byte(body), map[string]string{"X-Signature-Timestamp": stamp, "X-Signature-Ed25519": hex.EncodeToString(ed25519.Sign(private, []byte(stamp+body)))})
		post(interactionsPath, []byte(body), map[string]string{"X-Signature-Timestamp": stamp, "X-Signature-Ed25519": "00"})
	}
	people()
	tg.fail(400, `{"ok":false,"error_code":400,"description":"Bad Request: `+everything+`"}`)
	people()
	redis.SetError("ERR " + everything)
	people()
	eventually(t, "complaints about Telegram and Redis", func() bool {
		log := bot.log.String()
		return strings.Contains(log, "send message: bad request") && strings.Contains(log, "look for message")
	})
	bot.ends(t)
	log := strings.ReplaceAll(bot.log.String(), "Bad Request: zebra", "") // Telegram's own words may be shown
	log = strings.ReplaceAll(log, "(code 0): zebra", "")                  // and Discord's,
	log = strings.ReplaceAll(log, "ERR zebra", "")                        // and Redis's
	for _, secret := range []string{"zebra", exchangeToken, webhookSecret, discordToken, password, "p%40ss", "w0rd", "aW50ZXJhY3Rpb24tdG9rZW4"} {
		if at := strings.Index(log, secret); at >= 0 {
			t.Errorf("the log holds %q: …%s", secret, log[max(0, at-300):at])
		}
	}
}

// Who blocks the bot is left alone, and has their reminders back when they speak
// again.
func TestServeBlocked(t *testing.T) {
	alone(t)
	tg, server := newExchange(t), miniredis.RunT(t)
	t.Setenv("TELEGRAM_TOKEN", exchangeToken)
	t.Setenv("TELEGRAM_API_URL", tg.URL)
	t.Setenv("REDIS_URL", "redis://"+server.Addr())
	bot := serveHere(t)
	tg.write(1, 42, 42, "remind me in 3 hours to release the 4090")
	tg.until(t, 42, 1)
	store := openRedis(t, server.Addr())
	count := func() (waiting, dead int) {
		list, err := store.Reminders().List(t.Context(), "person:telegram:123456:42")
		letters, err2 := store.Reminders().Dead(t.Context(), 10)
		if err != nil || err2 != nil {
			t.Fatal(err, err2)
		}
		return len(list), len(letters)
	}
	if waiting, dead := count(); waiting != 1 || dead != 0 {
		t.Fatalf("%d wait, %d are dead; want one that waits", waiting, dead)
	}
	tg.mu.Lock()
	tg.updates = append(tg.updates, map[string]any{"update_id": int64(2), "my_chat_member": map[string]any{
		"chat": map[string]any{"id": 42, "type": "private"}, "from": map[string]any{"id": 42}, "date": 1, "new_chat_member": map[string]any{"status": "kicked"},
	}})
	tg.mu.Unlock()
	eventually(t, "the reminder is laid down", func() bool { waiting, dead := count(); return waiting == 0 && dead == 1 })
	tg.write(3, 42, 42, "/help")
	eventually(t, "the reminder is back", func() bool { waiting, dead := count(); return waiting == 1 && dead == 0 })
	if status := bot.ends(t); status != 0 {
		t.Errorf("exit status %d", status)
	}
}

// standIn is a chat for what the server does with chats.
type standIn struct {
	adapters.Chat
	serve func(ctx context.Context, handle adapters.Handler) error
	ready func() bool
}

func (s standIn) Serve(ctx context.Context, handle adapters.Handler) error {
	return s.serve(ctx, handle)
}
func (s standIn) Ready() bool { return s.ready == nil || s.ready() }

func waits(ctx context.Context, _ adapters.Handler) error { <-ctx.Done(); return nil }

// serverOf is a server of stand-ins over a store.
func serverOf(t *testing.T, store adapters.Store, chats map[string]standIn) (s *server, at string, run func(ctx context.Context) chan error) {
	at = freeAddress(t)
	conf := defaults()
	conf.Listen, conf.StoreFile = address(at), filepath.Join(t.TempDir(), "bot.db")
	h := &house{}
	book, a, err := h.book()
	if err != nil {
		t.Fatal(err)
	}
	s = newServer(&conf, newKnowledge(book, a, "", h.thinker), store, slog.New(slog.DiscardHandler))
	for name, chat := range chats {
		s.chats = append(s.chats, &served{name: name, Chat: chat})
	}
	return s, at, func(ctx context.Context) chan error {
		done := make(chan error, 1)
		go func() { done <- s.run(ctx) }()
		return done
	}
}

// Health is red while the store or a chat is down, and names it.
func TestHealth(t *testing.T) {
	redis := miniredis.RunT(t)
	ready := make(chan bool, 1)
	ready <- true
	is := func() bool { v := <-ready; ready <- v; return v }
	set := func(v bool) { <-ready; ready <- v }
	ended := make(chan error)
	s, at, run := serverOf(t, openRedis(t, redis.Addr()), map[string]standIn{
		"steady": {serve: waits, ready: is},
		"other": {serve: func(ctx context.Context, _ adapters.Handler) error {
			select {
			case err := <-ended:
				return err
			case <-ctx.Done():
				return nil
			}
		}},
	})
	ctx, stop := context.WithCancel(t.Context())
	done := run(ctx)
	page := func(path string) (int, map[string]string) {
		status, body := ask(at, path)
		var h health
		json.Unmarshal([]byte(body), &h)
		if status != 0 && h.OK != (status == 200) {
			t.Errorf("%s: status %d with %s", path, status, body)
		}
		return status, h.Parts
	}
	want := func(what, path string, status int, part, says string) {
		t.Helper()
		eventually(t, what, func() bool {
			got, parts := page(path)
			return got == status && parts[part] == says
		})
	}
	want("all is well", "/healthz", 200, "store", "ok")
	want("all is well", "/readyz", 200, "steady", "ok")
	set(false)
	want("a chat that is cut off is not ready", "/readyz", 503, "steady", "not connected")
	want("it has some time to come back", "/healthz", 200, "steady", "ok")
	for _, c := range s.chats {
		c.state.mu.Lock()
		c.state.from = time.Now().Add(-2 * settleTime)
		c.state.mu.Unlock()
	}
	want("and then it is down", "/healthz", 503, "steady", "not connected")
	set(true)
	want("connected again", "/healthz", 200, "steady", "ok")
	redis.SetError("LOADING Redis is loading the dataset in memory")
	want("the store is down", "/healthz", 503, "store", "not reachable")
	redis.SetError("")
	want("the store is back", "/healthz", 200, "store", "ok")
	ended <- errors.New("token revoked")
	want("one chat ended, the other goes on", "/healthz", 503, "other", "ended")
	want("one chat ended, the other goes on", "/healthz", 503, "steady", "ok")
	stop()
	if err := <-done; err == nil || !strings.Contains(err.Error(), "token revoked") {
		t.Errorf("run: got %v, want what ended a chat", err)
	}
}

// While it stops, a server takes nothing new and finishes what is under way;
// one that cannot is cut off in time.
func TestServerStops(t *testing.T) {
	release := make(chan struct{})
	_, at, run := serverOf(t, memory.Open(time.Now), map[string]standIn{
		"slow": {serve: func(ctx context.Context, _ adapters.Handler) error { <-ctx.Done(); <-release; return nil }},
	})
	ctx, stop := context.WithCancel(t.Context())
	done := run(ctx)
	eventually(t, "it listens", func() bool { status, _ := ask(at, "/healthz"); return status == 200 })
	stop()
	eventually(t, "it says that it stops", func() bool {
		status, body := ask(at, "/readyz")
		return status == 503 && strings.Contains(body, "stopping")
	})
	close(release)
	if err := <-done; err != nil {
		t.Errorf("got %v, want nil", err)
	}
	if status, _ := ask(at, "/healthz"); status != 0 {
		t.Errorf("it still listens: %d", status)
	}
}

// Who may use commands for operators is who the settings say, and no name that
// several people share.
func TestServerOperators(t *testing.T) {
	s, _, _ := serverOf(t, memory.Open(time.Now), nil)
	s.conf.Operators = []operator{{"telegram", "7"}, {"discord", "8"}}
	var got []bool
	s.desk.answer = func(k advisor.Known, m advisor.Message) (advisor.Conversation, advisor.Reply, []advisor.Effect) {
		got = append(got, m.Actor.Operator)
		return k.Conversation, advisor.Reply{Act: "ignore"}, nil
	}
	h := s.handler(&served{name: "telegram"}, &limits{user: 9, room: 9, now: time.Now})
	for i, a := range []advisor.Actor{{ID: "7"}, {ID: "8"}, {ID: "7", Anonymous: true}, {ID: "9", Operator: true}} {
		m := from(mePrivate, fmt.Sprint(i), "hello")
		m.Actor = a
		h(t.Context(), m, nil)
	}
	if want := []bool{true, false, false, false}; fmt.Sprint(got) != fmt.Sprint(want) {
		t.Errorf("operators: got %v, want %v", got, want)
	}
}

// From one machine to many and back: nothing is lost, and a place where bots
// run is left alone.
func TestStoreCopy(t *testing.T) {
	alone(t)
	dir := t.TempDir()
	first, last := filepath.Join(dir, "first.db"), filepath.Join(dir, "last.db")
	store := openBolt(t, first)
	d := deskOver(store)
	hear(d, from(meHere, "1", "remind me"))
	hear(d, from(mePrivate, "2", "zone Europe/Berlin"))
	store.Close()
	server := miniredis.RunT(t)
	url := "redis://" + server.Addr()
	t.Setenv("STORE_FILE", first)
	t.Setenv("REDIS_URL", url)
	out, errs, status := play(t, "", "store", "copy", "STORE_FILE", "REDIS_URL")
	if status != 0 || !strings.Contains(out, "2 conversations, 1 records, 1 reminders") {
		t.Errorf("to Redis: status %d, %s%s", status, out, errs)
	}
	if _, errs, status := play(t, "", "store", "copy", first, url); status != 1 || !strings.Contains(errs, "empty place") {
		t.Errorf("to a place that is not empty: status %d, %s", status, errs)
	}
	if _, errs, status := play(t, "", "store", "copy", filepath.Join(dir, "nowhere.db"), last); status != 1 || !strings.Contains(errs, "no such file") {
		t.Errorf("from nowhere: status %d, %s", status, errs)
	}
	s, _, _ := serverOf(t, openRedis(t, server.Addr()), nil)
	ctx, stop := context.WithCancel(t.Context())
	var shown sync.WaitGroup
	shown.Go(func() { s.present(ctx) })
	eventually(t, "a bot shows that it runs", func() bool { names, _ := runningBots(ctx, s.store); return len(names) == 1 })
	if _, errs, status := play(t, "", "store", "copy", url, last); status != 1 || !strings.Contains(errs, "stop them first") {
		t.Errorf("from under a running bot: status %d, %s", status, errs)
	}
	stop()
	shown.Wait()
	if out, errs, status := play(t, "", "store", "copy", url, last); status != 0 || !strings.Contains(out, "2 conversations") {
		t.Errorf("back: status %d, %s%s", status, out, errs)
	}
	wantSaid(t, "the same message, after the move", hear(deskOver(openBolt(t, last)), from(meHere, "1", "remind me")))
}

// Without a bot, a backup is a copy too; a bad one is refused.
func TestStoreBackup(t *testing.T) {
	alone(t)
	dir := t.TempDir()
	file := filepath.Join(dir, "bot.db")
	t.Setenv("STORE_FILE", file)
	if _, errs, status := play(t, "", "store", "backup", filepath.Join(dir, "b.db")); status != 1 || !strings.Contains(errs, "no such file") {
		t.Errorf("nothing to back up: status %d, %s", status, errs)
	}
	store := openBolt(t, file)
	hear(deskOver(store), from(meHere, "1", "hello"))
	store.Close()
	link := filepath.Join(dir, "link.db")
	if err := os.Symlink(file, link); err != nil {
		t.Fatal(err)
	}
	for _, same := range []string{file, link} {
		if _, errs, status := play(t, "", "store", "backup", same); status != 1 || !strings.Contains(errs, same) {
			t.Errorf("a backup onto the store itself: status %d, %s", status, errs)
		}
	}
	if out, errs, status := play(t, "", "store", "backup", filepath.Join(dir, "b.db")); status != 0 || !strings.Contains(out, "b.db") {
		t.Errorf("status %d, %s%s", status, out, errs)
	}
	if n := counted(t, openBolt(t, filepath.Join(dir, "b.db"))); n[0] != 1 {
		t.Errorf("the backup keeps %v", n)
	}
	if _, errs, status := play(t, "", "store", "backup", filepath.Join(dir, "no folder", "b.db")); status != 1 || strings.Count(errs, "\n") != 1 {
		t.Errorf("nowhere to write: status %d, %s", status, errs)
	}
}

// The settings of whoever sits at the terminal.
func TestSettingsCommand(t *testing.T) {
	english(t)
	file := filepath.Join(t.TempDir(), "me.db")
	if _, errs, status := play(t, "", "settings", "zh"); status != 2 || !strings.Contains(errs, "--store") {
		t.Errorf("without a store: status %d, %s", status, errs)
	}
	out, errs, status := play(t, "", "settings", "--store", file, "--json", "zh", "Europe/Berlin", "USD")
	var got settingsAnswer
	if err := json.Unmarshal([]byte(out), &got); err != nil || status != 0 || got.Lang != "zh" || got.Zone != "Europe/Berlin" || got.Currency != "USD" || got.Reply == "" {
		t.Errorf("status %d, %s%s", status, out, errs)
	}
	if out, errs, status := play(t, "", "settings", "--store", file); status != 0 || !strings.Contains(out, "柏林") && !strings.Contains(out, "Europe/Berlin") {
		t.Errorf("shown: status %d, %s%s", status, out, errs)
	}
	if out, _, _ := play(t, "remind me tomorrow 18:00\n", "chat", "--store", file); !strings.Contains(out, "提醒你") || strings.Contains(out, "别关") {
		t.Errorf("the talk does not know the language, or that reminders are kept:\n%s", out)
	}
	if out, errs, status := play(t, "", "forget", "--store", file); status != 1 || out == "" || !strings.Contains(errs, "--yes") {
		t.Errorf("forget: status %d, %s%s", status, out, errs)
	}
	if out, errs, status := play(t, "", "forget", "--store", file, "--yes"); status != 0 || !strings.Contains(out, "提醒 1 个") {
		t.Errorf("forget: status %d, %s%s", status, out, errs)
	}
	if n := counted(t, openBolt(t, file)); n != [3]int{} {
		t.Errorf("after forget the file keeps %v", n)
	}
}
