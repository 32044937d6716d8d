package main

import (
	"encoding/json"
	"fmt"
	"io/fs"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/alicebob/miniredis/v2"

	"gpuadvisor/adapters"
	"gpuadvisor/advisor"
	"gpuadvisor/rules"
)

// platforms answers the doctor with the page of a path, 401 for the others.
func platforms(t *testing.T, date time.Time, pages map[string]string) string {
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Date", date.UTC().Format(http.TimeFormat))
		page, ok := pages[strings.ReplaceAll(r.URL.Path, exchangeToken, "TOKEN")]
		if !ok || r.Method != http.MethodGet {
			w.WriteHeader(http.StatusUnauthorized)
			fmt.Fprint(w, `{"description":"Unauthorized `+exchangeToken+`"}`)
			return
		}
		fmt.Fprint(w, page)
	}))
	t.Cleanup(s.Close)
	return s.URL
}

// readOnce gives the doctor rules that were read before.
func readOnce(t *testing.T) {
	readRules = func(fs.FS) (*advisor.Rulebook, rules.Report) {
		book, _ := embedded()
		return book, rules.Report{Certificate: advisor.Certificate{Combinations: 1}}
	}
	t.Cleanup(func() { readRules = rules.CheckedBook })
}

const discordToken = "MTAwMDAw.G3aXyz.abcdef-very-secret"

// visit lets the doctor look, and returns its findings by what they are about.
func visit(t *testing.T) (findings map[string][]finding, status int) {
	t.Helper()
	out, errs, status := play(t, "", "doctor", "--json")
	var all struct {
		OK     bool
		Checks []finding
	}
	if err := json.Unmarshal([]byte(out), &all); err != nil || all.OK != (status == 0) {
		t.Fatalf("status %d, ok %v: %v in %s%s", status, all.OK, err, out, errs)
	}
	plain, _, _ := play(t, "", "doctor", "--lang", "zh")
	for _, secret := range []string{exchangeToken, discordToken, "hush"} {
		if strings.Contains(out+errs+plain, secret) {
			t.Errorf("the doctor shows %q: %s%s%s", secret, out, errs, plain)
		}
	}
	if strings.Contains(plain, "{") || strings.Contains(plain, "doctor.") {
		t.Errorf("words are missing: %s", plain)
	}
	findings = map[string][]finding{}
	for _, f := range all.Checks {
		findings[f.Check] = append(findings[f.Check], f)
		if f.State != well && f.Do == "" || f.Found == "" {
			t.Errorf("%+v: want what was found and what to do", f)
		}
	}
	return findings, status
}

func TestDoctor(t *testing.T) {
	readOnce(t)
	const key = "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef"
	tgMe, tgHook := "/botTOKEN/getMe", "/botTOKEN/getWebhookInfo"
	dcMe, dcApp, dcGate, dcGuilds := "/api/v10/users/@me", "/api/v10/applications/@me", "/api/v10/gateway/bot", "/api/v10/users/@me/guilds"
	sound := map[string]string{
		tgMe:     `{"ok":true,"result":{"username":"our_bot","can_join_groups":true}}`,
		tgHook:   `{"ok":true,"result":{"url":"","pending_update_count":3}}`,
		dcMe:     `{"id":"1","username":"advisor"}`,
		dcApp:    `{"verify_key":"` + key + `","interactions_endpoint_url":null}`,
		dcGate:   `{"shards":1,"session_start_limit":{"total":1000,"remaining":990}}`,
		dcGuilds: `[{"permissions":"52224"},{"permissions":"8"}]`,
	}
	hour := fmt.Sprint(time.Now().Add(-time.Minute).Unix())
	for _, tt := range []struct {
		name  string
		pages map[string]string // that differ
		env   map[string]string
		late  time.Duration
		check string
		state verdict
		do    string
	}{
		{name: "all is well", check: "telegram token", state: well},
		{name: "no webhook, as it should be", check: "telegram webhook", state: well},
		{name: "rights", check: "discord rights", state: well},
		{name: "the gateway", check: "discord interactions", state: well},
		{name: "a wrong token", pages: map[string]string{tgMe: ""}, check: "telegram token", state: problem, do: "copy it once more"},
		{name: "a wrong token of Discord's", pages: map[string]string{dcMe: ""}, check: "discord token", state: problem, do: "copy it once more"},
		{name: "no groups", pages: map[string]string{tgMe: `{"result":{"username":"our_bot"}}`}, check: "telegram groups", state: warning, do: "/setjoingroups"},
		{name: "somebody's webhook", pages: map[string]string{tgHook: `{"result":{"url":"https://elsewhere.example/x"}}`}, check: "telegram webhook", state: warning, do: "serve removes it"},
		{name: "a webhook that fails", pages: map[string]string{tgHook: `{"result":{"url":"https://bot.example.org/tg","last_error_message":"wrong certificate","last_error_date":` + hour + `}}`},
			env: map[string]string{"TELEGRAM_WEBHOOK_URL": "https://bot.example.org/tg", "TELEGRAM_WEBHOOK_SECRET": "hush-hush"}, check: "telegram webhook", state: problem, do: "certificate"},
		{name: "many wait", pages: map[string]string{tgHook: `{"result":{"pending_update_count":5000}}`}, check: "telegram webhook", state: warning, do: "keep up"},
		{name: "a clock that is late", late: time.Minute, check: "clock", state: problem, do: "NTP"},
		{name: "a clock that is a little late", late: 10 * time.Second, check: "clock", state: warning, do: "NTP"},
		{name: "another key", env: map[string]string{"DISCORD_PUBLIC_KEY": strings.Repeat("a", 64)}, check: "discord interactions", state: problem, do: "General Information"},
		{name: "no endpoint", env: map[string]string{"DISCORD_PUBLIC_KEY": key}, check: "discord interactions", state: problem, do: interactionsPath},
		{name: "an endpoint of somebody's", pages: map[string]string{dcApp: `{"interactions_endpoint_url":"https://x.example"}`}, check: "discord interactions", state: problem, do: "empty it"},
		{name: "few sessions", pages: map[string]string{dcGate: `{"session_start_limit":{"total":1000,"remaining":4}}`}, check: "discord sessions", state: warning, do: "again and again"},
		{name: "rights are missing", pages: map[string]string{dcGuilds: `[{"permissions":"1024"}]`}, check: "discord rights", state: warning, do: "send messages"},
		{name: "half a webhook", env: map[string]string{"TELEGRAM_WEBHOOK_SECRET": "hush"}, check: "config", state: problem, do: "correct"},
		{name: "no rules", env: map[string]string{"RULES_DIR": "nowhere"}, check: "rules", state: problem, do: "RULES_DIR"},
		{name: "no Redis", env: map[string]string{"REDIS_URL": "redis://:hush@127.0.0.1:1"}, check: "redis", state: problem, do: "REDIS_URL"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			alone(t)
			pages := map[string]string{}
			for path, page := range sound {
				if other, differs := tt.pages[path]; differs {
					page = other
				}
				if page != "" {
					pages[path] = page
				}
			}
			url := platforms(t, time.Now().Add(tt.late), pages)
			for name, v := range map[string]string{"TELEGRAM_TOKEN": exchangeToken, "TELEGRAM_API_URL": url, "DISCORD_TOKEN": discordToken, "DISCORD_API_URL": url, "STORE_FILE": filepath.Join(t.TempDir(), "bot.db")} {
				t.Setenv(name, v)
			}
			for name, v := range tt.env {
				t.Setenv(name, v)
			}
			findings, status := visit(t)
			found := findings[tt.check]
			if len(found) == 0 || found[0].State != tt.state || !strings.Contains(found[0].Do, tt.do) {
				t.Errorf("%s: got %+v, want %s and %q", tt.check, found, tt.state, tt.do)
			}
			bad := false
			for _, list := range findings {
				for _, f := range list {
					bad = bad || f.State == problem
				}
			}
			if bad != (status == 1) {
				t.Errorf("status %d with findings %+v", status, findings)
			}
		})
	}
}

// A Redis is judged by what it tells, and dead letters are counted.
func TestDoctorOfRedis(t *testing.T) {
	readOnce(t)
	alone(t)
	findings, status := visit(t)
	if f := findings["config"]; status != 1 || len(f) != 1 || !strings.Contains(f[0].Do, "TELEGRAM_TOKEN") {
		t.Errorf("no chat: status %d, %+v", status, f)
	}
	server := miniredis.RunT(t)
	t.Setenv("REDIS_URL", "redis://"+server.Addr())
	store, err := openPlace(t.Context(), "redis://"+server.Addr())
	if err != nil {
		t.Fatal(err)
	}
	key := adapters.Key("telegram", "1", "2", "", "2")
	if err := store.Reminders().Add(t.Context(), advisor.Reminder{ID: "1", Key: key, At: time.Now().Add(-time.Hour), Zone: "UTC"}); err != nil {
		t.Fatal(err)
	}
	due, _, err := store.Reminders().Claim(t.Context(), 1, time.Minute)
	if err != nil || len(due) != 1 {
		t.Fatalf("claimed %d: %v", len(due), err)
	}
	if err := store.Reminders().Finish(t.Context(), due[0], adapters.Fate{Dead: "gone"}); err != nil {
		t.Fatal(err)
	}
	store.Close()
	findings, _ = visit(t)
	if f := findings["dead letters"]; len(f) != 1 || f[0].State != warning || !strings.HasPrefix(f[0].Found, "1 ") {
		t.Errorf("dead letters: got %+v", f)
	}
}

// Every sentence of the doctor's is in the words of the rules, and none is there
// that nobody says.
func TestDoctorWords(t *testing.T) {
	book := knowing(t).Book()
	said := map[string]bool{"doctor.yes": true, "doctor.no": true}
	source := read(t, "bot/doctor.go")
	for _, m := range regexp.MustCompile(`d\.say\("([a-z.]+)"[,)]`).FindAllStringSubmatch(source, -1) {
		said["doctor."+m[1]] = true
	}
	for _, v := range []verdict{well, warning, problem} {
		said["doctor.state."+string(v)] = true
	}
	for key := range said {
		if book.Phrases[key] == nil {
			t.Errorf("no words for %s", key)
		}
	}
	for key := range book.Phrases {
		if strings.HasPrefix(key, "doctor.") && !strings.HasPrefix(key, "doctor.check.") && !said[key] {
			t.Errorf("nobody says %s", key)
		}
	}
}
