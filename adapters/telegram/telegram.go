// Package telegram is the chat of Telegram: private talks, groups with topics,
// and inline mode in any chat.
//
// To get a token, write /newbot to @BotFather. Leave privacy mode on: the bot
// then sees only what is meant for it. For inline mode send /setinline.
//
// A message comes in by one of two doors, polling (poll.go) or a webhook
// (webhook.go). Both hand updates to the intake (intake.go), which keeps the
// order of each conversation and bounds how much happens at once. read.go
// turns an update into an advisor.Message, with command.go for "/gpu@our_bot",
// button.go for taps and file.go for pasted files. The reply is drawn by
// render.go and leaves through send.go, at the speed that pace.go allows.
// menu.go keeps Telegram's list of commands; inline.go answers what is typed
// after the bot's name in other chats.
//
// Decisions:
//
//   - The library gives types and calls. Its own poller stops for ever at an
//     update that it cannot read and forgets those it has not handled; its
//     webhook says 200 to everything. So the door is ours: an update counts as
//     received only after its turn is committed, and what we cannot read is
//     counted and passed over.
//   - A button carries whose it is and which turn offered it, in 64 bytes,
//     and nothing is kept for it here: it works after a restart, on any
//     replica, and on a message that Telegram does not show us any more.
//   - Telegram has no key against doubles. Where we cannot know whether a
//     message was taken (no answer, a failing server), it is sent again: a
//     repeated line is better than a lost answer.
//   - In groups only commands, replies to us, mentions and buttons count. The
//     rest is people talking to each other.
//   - An edited message is read again if it is the last that the person wrote
//     and its text did change; other edits are none of our business.
//   - Anonymous admins and channels are not a person: Actor.Anonymous.
//   - For replies that only the asker may see there is the private chat, which
//     the person must have opened once.
package telegram

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/go-telegram/bot"
	"github.com/go-telegram/bot/models"

	"gpuadvisor/adapters"
	"gpuadvisor/advisor"
)

// What Telegram allows, https://core.telegram.org/bots/api and
// https://core.telegram.org/bots/faq (rates).
const (
	maxText    = 4096 // of a message, after its HTML is read; we count UTF-16
	maxCaption = 1024 // of a photo, likewise
	maxButtons = 100  // under one message
	maxData    = 64   // bytes that a button carries
	maxAlert   = 200  // of the answer to a tap
)

// name is how keys of this chat begin.
const name = "telegram"

// officialURL is where the Bot API is served.
const officialURL = "https://api.telegram.org"

// Config says how to talk to Telegram.
type Config struct {
	Token     string  // from @BotFather
	URL       string  // of the Bot API; empty: the official one
	Webhook   Webhook // zero: long polling
	Allowed   []int64 // the only chats that are served; empty: all
	Operators []int64 // users who may use operator commands
	Lang      string  // "zh" or "en", for people whose language Telegram does not tell
	Texts     Texts
	Commands  []advisor.Command // the first is how to begin; nil: advisor.Commands()
	Rates     *Rates            // nil: Telegram's
	Log       *slog.Logger      // nil: slog.Default()

	// Moved is told that a group became a supergroup with another id: what is
	// kept under the old room now belongs to the new one. It may be told more
	// than once.
	Moved func(from, to adapters.Owner)

	// Gone is told that a room cannot be reached any more, or can again.
	Gone func(room adapters.Owner, gone bool)
}

// Webhook says where Telegram delivers updates.
type Webhook struct {
	URL    string // https://…, as Telegram reaches it
	Secret string // 1–256 of A-Z a-z 0-9 _ -: proves that a request is Telegram's
}

// Chat is an adapters.Chat.
type Chat struct {
	config  Config
	id      string // of the bot
	log     *slog.Logger
	secrets adapters.Secrets
	web     *web
	api     *bot.Bot
	pace    *pace
	intake  *intake
	me      atomic.Pointer[models.User] // set before the first update is read
	ready   atomic.Bool
	words   atomic.Pointer[Texts]
	renamed chan struct{} // told when the lists of commands say something else
	counts  counts
	last    *recent[advisor.Key, written] // the last message of a conversation, for edits
	albums  *recent[string, struct{}]     // told that we read no pictures
	taps    *recent[twin, tapping]        // the latest, to tell double ones
}

var _ adapters.Chat = (*Chat)(nil)

var tokenForm = regexp.MustCompile(`^(\d+):[A-Za-z0-9_-]+$`)

// New returns the chat of c. It does not reach for the network.
func New(c Config) (*Chat, error) {
	token := tokenForm.FindStringSubmatch(c.Token)
	switch {
	case token == nil:
		return nil, errors.New("telegram token: want digits, a colon and letters, as @BotFather gives it")
	case c.Webhook != Webhook{} && !secretForm.MatchString(c.Webhook.Secret):
		return nil, errors.New("telegram webhook secret: want 1 to 256 of A-Z a-z 0-9 _ -")
	case c.Webhook != Webhook{} && !strings.HasPrefix(c.Webhook.URL, "http"):
		return nil, errors.New("telegram webhook url: want one that starts with https://")
	}
	if err := c.Texts.check(); err != nil {
		return nil, err
	}
	if c.URL == "" {
		c.URL = officialURL
	}
	c.URL = strings.TrimRight(c.URL, "/")
	if len(c.Commands) == 0 {
		c.Commands = advisor.Commands()
	}
	if c.Rates == nil {
		c.Rates = &telegramRates
	}
	if c.Log == nil {
		c.Log = slog.Default()
	}
	chat := &Chat{
		config: c, id: token[1], log: c.Log.With("chat", name),
		secrets: adapters.Secrets{c.Token, strings.TrimPrefix(c.Token, token[1]+":"), c.Webhook.Secret},
		web:     newWeb(c.URL, c.Token),
		pace:    newPace(*c.Rates),
		intake:  newIntake(),
		last:    newRecent[advisor.Key, written](1000),
		albums:  newRecent[string, struct{}](100),
		taps:    newRecent[twin, tapping](1000),
		renamed: make(chan struct{}, 1),
	}
	chat.words.Store(&c.Texts)
	var err error
	chat.api, err = bot.New(c.Token, bot.WithSkipGetMe(), bot.WithServerURL(c.URL), bot.WithHTTPClient(0, chat.web),
		bot.WithErrorsHandler(func(err error) { chat.log.Debug("telegram library", "err", chat.secrets.Error(err)) }))
	if err != nil {
		return nil, fmt.Errorf("telegram client: %w", chat.secrets.Error(err))
	}
	return chat, nil
}

// Capabilities implements adapters.Chat.
func (c *Chat) Capabilities() adapters.Capabilities {
	return adapters.Capabilities{
		MaxText: maxText, Unit: adapters.UTF16, MaxChoices: maxButtons, RefBytes: longestRef,
		Private: true, Edit: true, Files: true, Later: true,
	}
}

// ErrToken means that Telegram does not know the token, or not any more.
var ErrToken = errors.New("telegram refuses the token: ask @BotFather for a new one")

// Serve implements adapters.Chat. It returns ErrToken when the token is
// refused; every other trouble it waits out.
func (c *Chat) Serve(ctx context.Context, handle adapters.Handler) error {
	if err := c.learnName(ctx); err != nil {
		return err
	}
	if ctx.Err() != nil {
		return nil
	}
	var menu sync.WaitGroup
	serving, over := context.WithCancel(ctx)
	menu.Go(func() { c.keepMenus(serving) })
	defer menu.Wait()
	defer over()
	if c.config.Webhook != (Webhook{}) {
		return c.listen(ctx, handle)
	}
	return c.poll(ctx, handle)
}

// Ready reports whether messages can come in: Telegram lets us ask for them, or
// has taken our webhook.
func (c *Chat) Ready() bool { return c.ready.Load() }

// learnName asks who we are until Telegram answers or ctx ends: without our
// name we cannot tell our commands from another bot's.
func (c *Chat) learnName(ctx context.Context) error {
	return c.insist(ctx, "ask for our name", func(ctx context.Context) error {
		me, err := c.api.GetMe(ctx)
		if err == nil {
			c.me.Store(me)
			c.log.Info("telegram: talking as @" + me.Username)
		}
		return err
	})
}

// insist makes a call again until it succeeds, ctx ends (nil) or the token is
// refused.
func (c *Chat) insist(ctx context.Context, what string, call func(context.Context) error) error {
	for try := 0; ctx.Err() == nil; try++ {
		limited, cancel := context.WithTimeout(ctx, callTime)
		err := call(limited)
		cancel()
		switch {
		case err == nil:
			return nil
		case refused(err):
			return ErrToken
		case ctx.Err() == nil:
			wait := c.patience(err, try)
			c.log.Warn("telegram: "+what, "err", c.secrets.Error(err), "again", wait)
			sleep(ctx, wait)
		}
	}
	return nil
}

// key spells the conversation of a user in a room.
func (c *Chat) key(room int64, thread int, user int64) advisor.Key {
	return adapters.Key(name, c.id, strconv.FormatInt(room, 10), threadName(thread), strconv.FormatInt(user, 10))
}

func threadName(thread int) string {
	if thread == 0 {
		return ""
	}
	return strconv.Itoa(thread)
}

// room is the owner of what is kept for a whole room.
func (c *Chat) room(id int64) adapters.Owner { return adapters.Room(c.key(id, 0, 0)) }

// place reads a key that key spelled.
func (c *Chat) place(k advisor.Key) (spot, bool) {
	p := strings.Split(string(k), ":")
	if len(p) != 5 || p[0] != name || p[1] != c.id {
		return spot{}, false
	}
	room, err := strconv.ParseInt(p[2], 10, 64)
	user, _ := strconv.ParseInt(p[4], 10, 64)
	thread, _ := strconv.Atoi(p[3])
	return spot{room: room, thread: thread, user: user}, err == nil && room != 0
}

func (c *Chat) allowed(room int64) bool {
	for _, id := range c.config.Allowed {
		if id == room {
			return true
		}
	}
	return len(c.config.Allowed) == 0
}

// counts is what the chat has seen so far.
type counts struct {
	updates, poison, ignored, sent, waits, failed atomic.Int64
}

// Counts returns what the chat has seen so far, by name: updates received,
// poison (updates that could not be read), ignored (not for us), sent
// (messages and edits), waits (times that Telegram asked for patience), failed
// (messages given up).
func (c *Chat) Counts() map[string]int64 {
	return map[string]int64{
		"updates": c.counts.updates.Load(), "poison": c.counts.poison.Load(), "ignored": c.counts.ignored.Load(),
		"sent": c.counts.sent.Load(), "waits": c.counts.waits.Load(), "failed": c.counts.failed.Load(),
	}
}

// sleep waits for d, or until ctx ends.
func sleep(ctx context.Context, d time.Duration) {
	select {
	case <-time.After(d):
	case <-ctx.Done():
	}
}
