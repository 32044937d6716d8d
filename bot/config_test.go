package main

import (
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"

	"gpuadvisor/rules"
)

// variables are an environment for a test.
type variables map[string]string

func (v variables) get(name string) string { return v[name] }

// told are problems as a person reads them, without the folder.
func told(problems []rules.Problem) (lines []string) {
	for _, p := range problems {
		lines = append(lines, p.String())
	}
	return lines
}

// TestConfigMuseum: each file in testdata/config is a mistake. Its first lines
// say what it deserves to be told, all at once and nothing else.
func TestConfigMuseum(t *testing.T) {
	files, err := filepath.Glob("testdata/config/*.yaml")
	if err != nil || len(files) < 10 {
		t.Fatalf("got %d files, %v", len(files), err)
	}
	for _, file := range files {
		data, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		var want []string
		for line := range strings.Lines(string(data)) {
			if w, ok := strings.CutPrefix(strings.TrimSpace(line), "# want: "); ok {
				want = append(want, w)
			}
		}
		_, problems := readConfig(file, variables{}.get)
		var got []string
		for _, line := range told(problems) {
			got = append(got, strings.TrimPrefix(line, file))
		}
		if !slices.Equal(got, want) {
			t.Errorf("%s:\n got %s\nwant %s", file, strings.Join(got, "\n     "), strings.Join(want, "\n     "))
		}
		for _, secret := range []string{"AAEhBOweik6ad9r", "MTAwMDAw", "choose-a-long-one"} {
			if strings.Contains(strings.Join(got, "\n"), secret) {
				t.Errorf("%s: a complaint repeats a secret:\n%s", file, strings.Join(got, "\n"))
			}
		}
	}
}

// TestConfigExample: the example loads and says what the defaults are; every
// key is in it, and what it suggests loads too.
func TestConfigExample(t *testing.T) {
	const file = "config.example.yaml"
	c, problems := readConfig(file, variables{}.get)
	if len(problems) > 0 {
		t.Fatalf("the example has problems: %v", told(problems))
	}
	if got := c.filled(); !reflect.DeepEqual(c, got) || !reflect.DeepEqual(got, defaults()) {
		t.Errorf("the example sets %+v, want the defaults, all of them", c)
	}
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	suggested := regexp.MustCompile(`(?m)^# ([a-z_]+): (.*)$`)
	whole := suggested.ReplaceAllStringFunc(string(data), func(line string) string {
		if strings.Contains(line, "_file: /run/secrets") {
			return line
		}
		return strings.TrimPrefix(line, "# ")
	})
	for _, key := range keys() {
		if !regexp.MustCompile(`(?m)^(# )?` + key + `: `).Match(data) {
			t.Errorf("the example does not explain %s", key)
		}
		if n := len(regexp.MustCompile(`(?m)^(# )?`+key+`: `).FindAll(data, -1)); n > 1 {
			t.Errorf("the example has %s %d times", key, n)
		}
	}
	all := filepath.Join(t.TempDir(), "all.yaml")
	if err := os.WriteFile(all, []byte(whole), 0o600); err != nil {
		t.Fatal(err)
	}
	c, problems = readConfig(all, variables{}.get)
	if len(problems) > 0 {
		t.Errorf("with everything that the example suggests: %v", told(problems))
	}
	v := reflect.ValueOf(c)
	for i, key := range keys() {
		if v.Field(i).IsZero() && !strings.HasSuffix(key, "_file") {
			t.Errorf("the example suggests nothing for %s", key)
		}
	}
}

// TestConfigEnvironment: every key is a variable, and the variable wins.
func TestConfigEnvironment(t *testing.T) {
	dir := t.TempDir()
	write := func(name, text string) string {
		file := filepath.Join(dir, name)
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		return file
	}
	file := write("config.yaml", "telegram_token: 1:from-file\ndiscord_token_file: "+write("discord", "  from-file\n")+
		"\nlisten: 127.0.0.1:1\noperators: [\"telegram:1\"]\nuser_per_minute: 7\n")
	env := variables{
		"TELEGRAM_TOKEN_FILE": write("telegram", "1:from-variable-file\n"), "LISTEN": "127.0.0.1:2",
		"OPERATORS": " telegram:2, discord:3 ,", "CHAT_PER_MINUTE": "9", "EXCHANGE_RATE": "7.10@2026-11-01",
		"TELEGRAM_ALLOWED_CHATS": "-100,5", "DISCORD_ALLOWED_GUILDS": "2000000000000000001", "STORE_FILE": `a "quoted": file`,
		"REDIS_URL": "redis://user:pass%40word@host/0",
	}
	c, problems := readConfig(file, env.get)
	if len(problems) > 0 {
		t.Fatal(told(problems))
	}
	for _, tt := range []struct {
		what      string
		got, want any
	}{
		{"a secret from a file that a variable names", string(c.TelegramToken), "1:from-variable-file"},
		{"a secret from a file that the file names", string(c.DiscordToken), "from-file"},
		{"a variable over the file", string(c.Listen), "127.0.0.1:2"},
		{"a list", c.Operators, []operator{{"telegram", "2"}, {"discord", "3"}}},
		{"what only the file sets", c.UserPerMinute, 7},
		{"a number", c.ChatPerMinute, 9},
		{"a rate", c.ExchangeRate.String(), "7.1@2026-11-01"},
		{"numbers", c.TelegramAllowedChats, []roomID{-100, 5}},
		{"ids", c.DiscordAllowedGuilds, []snowflake{"2000000000000000001"}},
		{"a text as it is", c.StoreFile, `a "quoted": file`},
		{"operators of one chat", c.operatorsOf("discord"), []string{"3"}},
		{"a default", c.filled().LogLevel, "info"},
	} {
		if !reflect.DeepEqual(tt.got, tt.want) {
			t.Errorf("%s: got %v, want %v", tt.what, tt.got, tt.want)
		}
	}
	for _, form := range []string{"%v", "%+v", "%#v", "%s"} {
		if said := fmt.Sprintf(form, c); strings.Contains(said, "from-") || strings.Contains(said, "pass") {
			t.Errorf("printed as %s, the config shows a secret: %s", form, said)
		}
	}
	hidden := c.secrets().Hide("1:from-variable-file from-file pass@word pass%40word")
	if strings.Contains(hidden, "from-") || strings.Contains(hidden, "word") {
		t.Errorf("not all secrets are hidden: %s", hidden)
	}
}

// Problems of the environment name the variable.
func TestConfigEnvironmentMistakes(t *testing.T) {
	_, problems := readConfig("", variables{"LISTEN": "here", "OPERATORS": "me", "TELEGRAM_TOKEN": "1:a", "TELEGRAM_TOKEN_FILE": "/x", "LOG_LEVEL": "loud", "USER_PER_MINUTE": "few"}.get)
	want := []string{
		`environment: LISTEN: found "here", want a host and a port, such as 127.0.0.1:8080`,
		`environment: OPERATORS: found "me", want a chat and the number of a user in it, such as telegram:12345`,
		`environment: USER_PER_MINUTE: found "few", want a whole number such as 24`,
		`environment: LOG_LEVEL: found "loud", want one of debug, info, warn, error`,
		`environment: TELEGRAM_TOKEN: found TELEGRAM_TOKEN and TELEGRAM_TOKEN_FILE, want one of the two`,
	}
	if got := told(problems); !slices.Equal(got, want) {
		t.Errorf("got %s\nwant %s", strings.Join(got, "\n    "), strings.Join(want, "\n     "))
	}
	if c, _ := readConfig("", variables{}.get); !reflect.DeepEqual(c, config{}) {
		t.Errorf("with nothing set: got %+v, want nothing, so that other commands know", c)
	}
	_, problems = readConfig("/nowhere/config.yaml", variables{}.get)
	if got := told(problems); len(got) != 1 || !strings.Contains(got[0], "no such file") {
		t.Errorf("a file that is not there: got %v", got)
	}
}

// What concerns a server alone stops no question.
func TestHeededProblems(t *testing.T) {
	english(t)
	t.Setenv("LISTEN", "here")
	if _, errs, status := play(t, "", "ask", "7B LoRA"); status != 0 {
		t.Errorf("ask with a bad LISTEN: status %d, %s", status, errs)
	}
	if _, errs, status := play(t, "", "serve"); status != 2 || !strings.Contains(errs, "LISTEN") {
		t.Errorf("serve with a bad LISTEN: status %d, %s", status, errs)
	}
	const worst = "testdata/config/everything-wrong.yaml"
	if _, errs, status := play(t, "", "--config", worst, "ask", "7B LoRA"); status != 2 || strings.Count(errs, "\n") != 19 {
		t.Errorf("ask with a file full of mistakes: status %d, want each on a line of its own:\n%s", status, errs)
	}
	t.Setenv("EXCHANGE_RATE", "seven")
	if _, errs, status := play(t, "", "ask", "7B LoRA"); status != 2 || !strings.Contains(errs, "EXCHANGE_RATE") || strings.Contains(errs, "LISTEN") {
		t.Errorf("ask with a bad rate: status %d, %s", status, errs)
	}
}

// FuzzConfig: whatever is in the file, it is read without a panic, and no
// complaint repeats what looks like a token.
func FuzzConfig(f *testing.F) {
	const token = "123456789:AAEhBOweik6ad9r_QXMENQjcrGbqCr4K-bc"
	for _, s := range []string{"telegram_token: " + token, token, "a: &" + token + " b", "? " + token, "- " + token, "listen: {" + token + ": 1}", "*" + token, "'" + token, "telegram_token: !" + token + " x"} {
		f.Add([]byte(s))
	}
	file := filepath.Join(f.TempDir(), "config.yaml")
	f.Fuzz(func(t *testing.T, data []byte) {
		if err := os.WriteFile(file, data, 0o600); err != nil {
			t.Fatal(err)
		}
		_, problems := readConfig(file, variables{}.get)
		if said := strings.Join(told(problems), "\n"); strings.Contains(said, token) {
			t.Errorf("%q: %s", data, said)
		}
	})
}
