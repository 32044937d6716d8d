package main

import (
	"encoding/hex"
	"encoding/json"
	"errors"
	"log/slog"
	"net"
	"net/url"
	"os"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"gpuadvisor/adapters"
	"gpuadvisor/advisor/cost"
	"gpuadvisor/rules"
)

// config.go is what an operator can set. One struct says it all: a field is a
// key of the YAML file and, in capitals, a variable of the environment, which
// wins. A list is a YAML list in the file and a comma list in the environment.
// A key that ends in _file names a file with a secret in it, so that neither
// place holds the secret itself.
//
// Both are read by the walker that reads the rules, so every problem is told
// at once, with what was found and what is wanted. No secret is ever repeated,
// not even a wrong one.

// config is everything that can be set. config.example.yaml explains each key.
type config struct {
	TelegramToken             secret   `yaml:"telegram_token,omitempty"`
	TelegramTokenFile         string   `yaml:"telegram_token_file,omitempty"`
	TelegramAPIURL            webURL   `yaml:"telegram_api_url,omitempty"`
	TelegramWebhookURL        webURL   `yaml:"telegram_webhook_url,omitempty"`
	TelegramWebhookSecret     secret   `yaml:"telegram_webhook_secret,omitempty"`
	TelegramWebhookSecretFile string   `yaml:"telegram_webhook_secret_file,omitempty"`
	TelegramAllowedChats      []roomID `yaml:"telegram_allowed_chats,omitempty"`

	DiscordToken         secret      `yaml:"discord_token,omitempty"`
	DiscordTokenFile     string      `yaml:"discord_token_file,omitempty"`
	DiscordPublicKey     publicKey   `yaml:"discord_public_key,omitempty"`
	DiscordApplicationID snowflake   `yaml:"discord_application_id,omitempty"`
	DiscordAPIURL        webURL      `yaml:"discord_api_url,omitempty"`
	DiscordAllowedGuilds []snowflake `yaml:"discord_allowed_guilds,omitempty"`

	RedisURL     secret `yaml:"redis_url,omitempty"`
	RedisURLFile string `yaml:"redis_url_file,omitempty"`
	StoreFile    string `yaml:"store_file,omitempty"`

	Listen   address `yaml:"listen,omitempty"`
	RulesDir string  `yaml:"rules_dir,omitempty"`

	DefaultLang     string   `yaml:"default_lang,omitempty" rule:"enum=zh|en"`
	DefaultTZ       zoneName `yaml:"default_tz,omitempty"`
	DefaultCurrency string   `yaml:"default_currency,omitempty" rule:"enum=CNY|USD"`

	Operators    []operator   `yaml:"operators,omitempty"`
	ExchangeRate exchangeRate `yaml:"exchange_rate,omitempty"`

	UserPerMinute int `yaml:"user_per_minute,omitempty" rule:"min=1"`
	ChatPerMinute int `yaml:"chat_per_minute,omitempty" rule:"min=1"`

	PprofListen loopback `yaml:"pprof_listen,omitempty"`
	LogLevel    string   `yaml:"log_level,omitempty" rule:"enum=debug|info|warn|error"`
	LogFormat   string   `yaml:"log_format,omitempty" rule:"enum=text|json"`
}

// defaults are the settings of whoever sets nothing. StoreFile is left open:
// where it lies depends on the machine.
func defaults() config {
	return config{
		Listen: "127.0.0.1:8080", DefaultLang: "zh", DefaultTZ: defaultZone, DefaultCurrency: "CNY",
		UserPerMinute: 20, ChatPerMinute: 60, LogLevel: "info", LogFormat: "text",
	}
}

// filled is c with the defaults in place of what is not set.
func (c config) filled() config {
	d := reflect.ValueOf(defaults())
	v := reflect.ValueOf(&c).Elem()
	for i := range v.NumField() {
		if v.Field(i).IsZero() {
			v.Field(i).Set(d.Field(i))
		}
	}
	return c
}

// secret is a text that must not be shown. However it is printed, it is not.
type secret string

func (s *secret) UnmarshalText(b []byte) error {
	if *s = secret(strings.TrimSpace(string(b))); *s == "" {
		return errors.New("some text, or no such key at all")
	}
	return nil
}

func (secret) String() string               { return "***" }
func (secret) GoString() string             { return "***" }
func (secret) LogValue() slog.Value         { return slog.StringValue("***") }
func (secret) MarshalText() ([]byte, error) { return []byte("***"), nil }

// webURL is an address that begins with http.
type webURL string

func (u *webURL) UnmarshalText(b []byte) error {
	parsed, err := url.Parse(string(b))
	if err != nil || parsed.Scheme != "http" && parsed.Scheme != "https" || parsed.Host == "" {
		return errors.New("a URL such as https://example.org/path")
	}
	*u = webURL(strings.TrimRight(string(b), "/"))
	return nil
}

// path is where on its host the URL leads.
func (u webURL) path() string {
	parsed, err := url.Parse(string(u))
	if err != nil || parsed.Path == "" {
		return "/"
	}
	return parsed.Path
}

// address is where a server listens.
type address string

func (a *address) UnmarshalText(b []byte) error {
	_, port, err := net.SplitHostPort(string(b))
	if n, bad := strconv.ParseUint(port, 10, 16); err != nil || bad != nil || n > 65535 {
		return errors.New("a host and a port, such as 127.0.0.1:8080")
	}
	*a = address(b)
	return nil
}

// loopback is an address that other machines cannot reach.
type loopback string

func (l *loopback) UnmarshalText(b []byte) error {
	var a address
	host, _, _ := net.SplitHostPort(string(b))
	ip := net.ParseIP(host)
	if a.UnmarshalText(b) != nil || host != "localhost" && (ip == nil || !ip.IsLoopback()) {
		return errors.New("an address of this machine alone, such as 127.0.0.1:6060")
	}
	*l = loopback(b)
	return nil
}

// zoneName is a time zone by its IANA name.
type zoneName string

func (z *zoneName) UnmarshalText(b []byte) error {
	if _, err := loadZone(string(b)); err != nil || len(b) == 0 {
		return errors.New("an IANA time zone such as Asia/Shanghai")
	}
	*z = zoneName(b)
	return nil
}

// roomID is a chat of Telegram: groups have negative numbers.
type roomID int64

func (r *roomID) UnmarshalText(b []byte) error {
	n, err := strconv.ParseInt(string(b), 10, 64)
	if err != nil || n == 0 {
		return errors.New("the number of a Telegram chat, such as -1001234567890")
	}
	*r = roomID(n)
	return nil
}

// snowflake is an id of Discord.
type snowflake string

var snowflakeForm = regexp.MustCompile(`^[0-9]{15,20}$`)

func (s *snowflake) UnmarshalText(b []byte) error {
	if !snowflakeForm.Match(b) {
		return errors.New("an id of Discord, 15 to 20 digits")
	}
	*s = snowflake(b)
	return nil
}

// publicKey is the key that Discord signs interactions with.
type publicKey string

func (k *publicKey) UnmarshalText(b []byte) error {
	if raw, err := hex.DecodeString(string(b)); err != nil || len(raw) != 32 {
		return errors.New("the public key of the application, 64 hexadecimal digits")
	}
	*k = publicKey(b)
	return nil
}

// operator is somebody who may use the commands for operators.
type operator struct{ chat, id string }

func (o *operator) UnmarshalText(b []byte) error {
	chat, id, _ := strings.Cut(string(b), ":")
	if _, err := strconv.ParseUint(id, 10, 64); err != nil || !slices.ContainsFunc(chats, func(c chatMaker) bool { return c.name == chat }) {
		return errors.New("a chat and the number of a user in it, such as telegram:12345")
	}
	*o = operator{chat, id}
	return nil
}

// exchangeRate is a rate with its day.
type exchangeRate struct{ *cost.Rate }

func (e *exchangeRate) UnmarshalText(b []byte) error {
	rate, err := cost.ParseRate(string(b))
	if err != nil {
		return errors.New("CNY for one USD and the day of that rate, such as 7.10@2026-11-01")
	}
	e.Rate = &rate
	return nil
}

// operatorsOf are the operators of one chat.
func (c *config) operatorsOf(chat string) (ids []string) {
	for _, o := range c.Operators {
		if o.chat == chat {
			ids = append(ids, o.id)
		}
	}
	return ids
}

// secrets are the texts that must not show anywhere.
func (c *config) secrets() (list adapters.Secrets) {
	for _, p := range c.pairs() {
		if *p.value != "" {
			list = append(list, string(*p.value))
		}
	}
	for _, address := range []string{string(c.RedisURL), string(c.TelegramAPIURL), string(c.DiscordAPIURL)} {
		if u, err := url.Parse(address); err == nil && u.User != nil {
			if password, ok := u.User.Password(); ok {
				list = append(list, password)
			}
		}
	}
	return list
}

// pair is a secret and the file that may hold it instead.
type pair struct {
	key   string
	value *secret
	file  *string
}

func (c *config) pairs() []pair {
	return []pair{
		{"telegram_token", &c.TelegramToken, &c.TelegramTokenFile},
		{"telegram_webhook_secret", &c.TelegramWebhookSecret, &c.TelegramWebhookSecretFile},
		{"discord_token", &c.DiscordToken, &c.DiscordTokenFile},
		{"redis_url", &c.RedisURL, &c.RedisURLFile},
	}
}

// readConfig reads the file, unless its name is empty, then the environment,
// then the files with secrets. The problems are all there are.
func readConfig(file string, env func(string) string) (config, []rules.Problem) {
	var c config
	var problems []rules.Problem
	if file != "" {
		data, err := os.ReadFile(file)
		if err != nil {
			problems = append(problems, rules.Problem{File: file, Found: plainError(err), Want: "a readable YAML file"})
		} else {
			problems = append(problems, rules.Decode(file, data, &c)...)
		}
		problems = append(problems, c.both(file)...)
	}
	for _, p := range c.pairs() {
		if env(variable(p.key)) != "" || env(variable(p.key)+"_FILE") != "" {
			*p.value, *p.file = "", ""
		}
	}
	if data := document(env); len(data) > 0 {
		found := rules.Decode(environment, data, &c)
		for i := range found {
			found[i].Line, found[i].Field = 0, variable(found[i].Field)
		}
		problems = append(append(problems, found...), c.both(environment)...)
	}
	problems = append(problems, c.open()...)
	problems = append(problems, c.check()...)
	return c, discreet(problems)
}

// environment stands where a problem names its file.
const environment = "environment"

// variable is the name in the environment of a key, or of an entry of its
// list.
func variable(key string) string {
	name, _, _ := strings.Cut(key, "[")
	return strings.ToUpper(name)
}

// keys are all keys, in the order of the struct.
func keys() (names []string) {
	t := reflect.TypeFor[config]()
	for i := range t.NumField() {
		name, _, _ := strings.Cut(t.Field(i).Tag.Get("yaml"), ",")
		names = append(names, name)
	}
	return names
}

// document is what the environment sets, written the way the file is.
func document(env func(string) string) []byte {
	var b strings.Builder
	t := reflect.TypeFor[config]()
	for i, key := range keys() {
		value := env(variable(key))
		if value == "" {
			continue
		}
		b.WriteString(key + ": ")
		switch kind := t.Field(i).Type.Kind(); {
		case kind == reflect.Slice:
			var all []string
			for part := range strings.SplitSeq(value, ",") {
				if part = strings.TrimSpace(part); part != "" {
					all = append(all, part)
				}
			}
			b.WriteString(quoted(all))
		case kind == reflect.Int && plainNumber.MatchString(value):
			b.WriteString(value)
		default:
			b.WriteString(quoted(value))
		}
		b.WriteString("\n")
	}
	return []byte(b.String())
}

var plainNumber = regexp.MustCompile(`^-?[0-9]+$`)

// quoted writes texts as JSON, which YAML reads as they are.
func quoted(v any) string {
	b, err := json.Marshal(v)
	if err != nil {
		return `""`
	}
	return string(b)
}

// both reports secrets that one place gives twice.
func (c *config) both(where string) (problems []rules.Problem) {
	for _, p := range c.pairs() {
		if *p.value == "" || *p.file == "" {
			continue
		}
		key, file := p.key, p.key+"_file"
		if where == environment {
			key, file = variable(key), variable(file)
		}
		problems = append(problems, rules.Problem{File: where, Field: key, Found: key + " and " + file, Want: "one of the two"})
	}
	return problems
}

// open reads the files that hold secrets.
func (c *config) open() (problems []rules.Problem) {
	for _, p := range c.pairs() {
		if *p.file == "" || *p.value != "" {
			continue
		}
		data, err := os.ReadFile(*p.file)
		switch {
		case err != nil:
			problems = append(problems, rules.Problem{File: *p.file, Field: p.key + "_file", Found: plainError(err), Want: "a readable file with the secret in it"})
		case p.value.UnmarshalText(data) != nil:
			problems = append(problems, rules.Problem{File: *p.file, Field: p.key + "_file", Found: "an empty file", Want: "a file with the secret in it"})
		}
	}
	return problems
}

// plainError is an error of the file system without the path, which whoever
// reads it has just seen.
func plainError(err error) string {
	var p *os.PathError
	if errors.As(err, &p) {
		return p.Err.Error()
	}
	return err.Error()
}

// together stands where a problem names its file, when it is in no one place.
const together = "settings"

// check reports settings that do not go together.
func (c *config) check() (problems []rules.Problem) {
	wrong := func(field, found, want string) {
		problems = append(problems, rules.Problem{File: together, Field: field, Found: found, Want: want})
	}
	if c.TelegramWebhookURL != "" && c.TelegramWebhookSecret == "" {
		wrong("telegram_webhook_secret", "nothing", "a secret of A-Z a-z 0-9 _ -, because telegram_webhook_url is set")
	}
	if c.TelegramWebhookURL == "" && c.TelegramWebhookSecret != "" {
		wrong("telegram_webhook_url", "nothing", "the URL by which Telegram reaches this bot, because telegram_webhook_secret is set")
	}
	if c.TelegramWebhookURL != "" && slices.Contains(append(ownPaths(), interactionsPath, "/"), c.TelegramWebhookURL.path()) {
		wrong("telegram_webhook_url", "the path "+c.TelegramWebhookURL.path(), "a path of its own, such as /telegram")
	}
	if u := string(c.RedisURL); u != "" && !strings.HasPrefix(u, "redis://") && !strings.HasPrefix(u, "rediss://") {
		wrong("redis_url", "something else", "a URL that begins with redis:// or rediss://")
	}
	return problems
}

// discreet takes out of problems what may be a secret: what the YAML reader
// repeats of a line or a key that makes no sense to it, and what looks like a
// token in a place that wants something else.
func discreet(problems []rules.Problem) []rules.Problem {
	var c config
	for i := range problems {
		p := &problems[i]
		ours := slices.ContainsFunc(c.pairs(), func(s pair) bool { return strings.EqualFold(p.Field, s.key) })
		switch {
		case p.Field == "":
			p.Found = inQuotes.ReplaceAllString(p.Found, "…")
		case ours:
			p.Found = marked.ReplaceAllString(p.Found, "$1 …")
		}
		p.Found, p.Field = likeToken.ReplaceAllString(p.Found, "…"), likeToken.ReplaceAllString(p.Field, "…")
	}
	return problems
}

var (
	inQuotes  = regexp.MustCompile("['\"`].*['\"`]")
	marked    = regexp.MustCompile(`^(alias|anchor|tag) .*`)
	likeToken = regexp.MustCompile(`[A-Za-z0-9_.:-]{30,}`)
)

// heeded are the problems that keep a command from running: all of the file
// that was named, and those of the environment that concern the command.
// Whoever asks a question is not stopped by half a webhook.
func heeded(problems []rules.Problem, command string) (heeded []rules.Problem) {
	for _, p := range problems {
		alone := p.File == environment || p.File == together
		everybody := slices.Contains([]string{"RULES_DIR", "DEFAULT_TZ", "DEFAULT_CURRENCY", "EXCHANGE_RATE"}, p.Field)
		if !alone || everybody || strings.HasPrefix(command, "serve") || strings.HasPrefix(command, "store") || strings.HasPrefix(command, "reports") || strings.HasPrefix(command, "peaks") {
			heeded = append(heeded, p)
		}
	}
	return heeded
}

// misconfigured is the error of settings that do not hold: all that is wrong.
type misconfigured []rules.Problem

func (m misconfigured) Error() string { return rules.Problems(m).Error() }
