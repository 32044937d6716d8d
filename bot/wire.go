package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"sync/atomic"

	"gpuadvisor/adapters"
	"gpuadvisor/adapters/bolt"
	"gpuadvisor/adapters/discord"
	"gpuadvisor/adapters/redis"
	"gpuadvisor/adapters/telegram"
	"gpuadvisor/advisor"
)

// wire.go is the one list of chats and stores. One more chat is one more line
// in chats, a function that makes it, and its settings in config.go.

// chatMaker makes one chat out of the settings.
type chatMaker struct {
	name   string // how its keys begin
	wants  string // the variable that switches it on
	wanted func(*config) bool
	make   func(*wiring) (*served, error)
}

var chats = []chatMaker{
	{"telegram", "TELEGRAM_TOKEN", func(c *config) bool { return c.TelegramToken != "" }, makeTelegram},
	{"discord", "DISCORD_TOKEN", func(c *config) bool { return c.DiscordToken != "" }, makeDiscord},
}

// wiring is what a chat is made of.
type wiring struct {
	conf  *config
	book  *advisor.Rulebook
	log   *slog.Logger
	moved func(from, to adapters.Owner)        // a room has another name now
	gone  func(room adapters.Owner, gone bool) // a room cannot be reached any more, or can again
}

// served is a chat that runs.
type served struct {
	name string
	adapters.Chat
	paths map[string]http.Handler       // what it wants served over HTTP
	learn func(*advisor.Rulebook) error // takes the words of other rules
	state state
}

// interactionsPath is where Discord brings interactions.
const interactionsPath = "/discord/interactions"

func makeTelegram(w *wiring) (*served, error) {
	c := telegram.Config{
		Token: string(w.conf.TelegramToken), URL: string(w.conf.TelegramAPIURL),
		Webhook: telegram.Webhook{URL: string(w.conf.TelegramWebhookURL), Secret: string(w.conf.TelegramWebhookSecret)},
		Lang:    w.conf.DefaultLang, Texts: telegramTexts(w.book), Log: w.log, Moved: w.moved, Gone: w.gone,
	}
	for _, id := range w.conf.TelegramAllowedChats {
		c.Allowed = append(c.Allowed, int64(id))
	}
	for _, id := range w.conf.operatorsOf("telegram") {
		n, err := strconv.ParseInt(id, 10, 64)
		if err != nil {
			return nil, fmt.Errorf("operator telegram:%s: %w", id, err)
		}
		c.Operators = append(c.Operators, n)
	}
	chat, err := telegram.New(c)
	if err != nil {
		return nil, err
	}
	s := &served{name: "telegram", Chat: chat, learn: func(b *advisor.Rulebook) error { return chat.Say(telegramTexts(b)) }}
	if w.conf.TelegramWebhookURL != "" {
		s.paths = map[string]http.Handler{w.conf.TelegramWebhookURL.path(): chat.Webhook()}
	}
	return s, nil
}

// telegramTexts are the sentences of that chat, out of the rules.
func telegramTexts(b *advisor.Rulebook) telegram.Texts {
	say := func(key string) advisor.Text { return b.Phrases["telegram."+key] }
	t := telegram.Texts{
		Commands: map[string]advisor.Text{},
		NotYours: say("not-yours"), Stale: say("stale"), SendText: say("send-text"), BadFile: say("bad-file"), NoFile: say("no-file"),
		Privately: say("privately"), OpenPrivate: say("open-private"), OpenButton: say("open-button"),
		InlineTitle: say("inline.title"), InlineUsage: say("inline.usage"),
	}
	for _, c := range advisor.Commands() {
		t.Commands[c.Name] = b.Phrases["command."+c.Name]
	}
	return t
}

func makeDiscord(w *wiring) (*served, error) {
	var suggest atomic.Pointer[suggestions]
	suggest.Store(newSuggestions(w.book))
	c := discord.Config{
		Token: string(w.conf.DiscordToken), Texts: discord.Texts(w.book.Phrases), PublicKey: string(w.conf.DiscordPublicKey),
		Application: string(w.conf.DiscordApplicationID), URL: string(w.conf.DiscordAPIURL),
		Lang: w.conf.DefaultLang, Log: w.log, Complete: func(option, typed, lang string) []advisor.Choice { return suggest.Load().complete(option, typed, lang) },
	}
	for _, id := range w.conf.DiscordAllowedGuilds {
		c.Guilds = append(c.Guilds, string(id))
	}
	chat, err := discord.New(c)
	if err != nil {
		return nil, err
	}
	s := &served{name: "discord", Chat: chat, learn: func(b *advisor.Rulebook) error {
		suggest.Store(newSuggestions(b))
		return chat.Say(discord.Texts(b.Phrases))
	}}
	if w.conf.DiscordPublicKey != "" {
		s.paths = map[string]http.Handler{interactionsPath: chat}
	}
	return s, nil
}

// openStore opens the store of the settings.
func openStore(ctx context.Context, c *config) (adapters.Store, error) {
	if c.RedisURL != "" {
		return openPlace(ctx, string(c.RedisURL))
	}
	file, err := c.storeFile()
	if err != nil {
		return nil, err
	}
	return openFile(file)
}

// openPlace opens a store by what its name looks like: a Redis by its URL, or
// a file.
func openPlace(ctx context.Context, name string) (adapters.Store, error) {
	if !isRedis(name) {
		return openFile(name)
	}
	s, err := redis.Open(ctx, name)
	if err != nil {
		return nil, err
	}
	return s, nil
}

func openFile(name string) (adapters.Store, error) {
	s, err := bolt.Open(name)
	if err != nil {
		return nil, err
	}
	return s, nil
}

func isRedis(name string) bool {
	return strings.HasPrefix(name, "redis://") || strings.HasPrefix(name, "rediss://")
}

// storeFile is the file that is the store when there is no Redis.
func (c *config) storeFile() (string, error) {
	if c.StoreFile != "" {
		return c.StoreFile, nil
	}
	dir, err := stateDir()
	if err != nil {
		return "", fmt.Errorf("set STORE_FILE: %w", err)
	}
	return filepath.Join(dir, "gpuadvisor", "gpuadvisor.db"), nil
}

// stateDir is where programs keep what they would miss, as each system has it
// (https://specifications.freedesktop.org/basedir-spec on Linux).
func stateDir() (string, error) {
	switch runtime.GOOS {
	case "windows":
		return cmp.Or(os.Getenv("LocalAppData"), os.TempDir()), nil
	case "darwin", "ios":
		return os.UserConfigDir()
	}
	if dir := os.Getenv("XDG_STATE_HOME"); filepath.IsAbs(dir) {
		return dir, nil
	}
	home, err := os.UserHomeDir()
	if err != nil {
		return "", errors.New("the user has no home folder")
	}
	return filepath.Join(home, ".local", "state"), nil
}
