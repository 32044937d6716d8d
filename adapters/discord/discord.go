// Package discord is the chat on Discord: slash commands, buttons, menus and
// forms in servers and private chats.
//
// To get a token: discord.com/developers/applications → New Application → Bot →
// Reset Token. Nothing privileged is needed, least of all the intent to read
// messages. The README says which boxes to tick.
//
// The way of an interaction: it comes through a door, either the gateway that
// we hold open (gateway.go, shard.go) or Discord's HTTP requests (http.go).
// route.go tells what it means and lines it up with what the same person said
// before (lanes.go). The handler answers with a Reply, which render.go (plain.go,
// rich.go) and components.go draw; answer.go brings it to Discord within three
// seconds, and later ones by edits. What people write (messages.go) takes the
// same line. All calls go through rest.go and wait in limiter.go.
//
// A component carries all it needs in its custom id (ref.go), so that one from
// last month works after a restart. In servers answers are for the asker's eyes
// only, with a button to post them. Commands are made from advisor.Commands
// (commands.go) and options are worded as a person would write them
// (options.go): the advisor reads text, whatever it came as.
//
// We use discordgo for the shapes of messages and for its names of Discord's
// many numbers. We do not use its connection: it hides the code a connection
// was closed with, so that it reconnects for ever with a revoked token; it
// identifies again at once when a session is refused, and identifying too often
// gets a token reset; and it waits without end, holding locks. Nor its calls,
// which wait for limits without looking at the context.
package discord

import (
	"cmp"
	"context"
	"crypto/ed25519"
	"encoding/hex"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"
	"unicode"

	"gpuadvisor/adapters"
	"gpuadvisor/advisor"
)

// Config says which bot this is and how it talks.
type Config struct {
	Token       string            // of the bot
	Texts       Texts             // what the chat says by itself: see Keys
	PublicKey   string            // hex; set: interactions come to ServeHTTP, no gateway
	Application string            // id; asked for when empty
	URL         string            // of Discord's API; "" is the official one
	Guilds      []string          // ids of the servers that are served; none: all
	Shards      int               // of the gateway; 0: as many as Discord advises
	Lang        string            // of whom we know nothing; "" is English
	Commands    []advisor.Command // nil: advisor.Commands()
	Log         *slog.Logger
	Now         func() time.Time

	// Complete suggests values while somebody types an option: "model",
	// "card", or the kind of argument of a command. A Choice's Ref is the
	// value, its Label is shown. It is called often and must be quick.
	Complete func(option, typed, lang string) []advisor.Choice
}

// official is Discord's own API.
const official = "https://discord.com"

// apiPath is the version of the API that we speak.
// https://docs.discord.com/developers/reference#api-versioning
const apiPath = "/api/v10"

// Discord is an adapters.Chat, and an http.Handler for Discord's requests.
type Discord struct {
	c    Config
	log  *slog.Logger
	rest *rest
	key  ed25519.PublicKey // nil: we hold a gateway open
	pace pace

	application atomic.Value // string
	words       atomic.Pointer[Texts]
	renamed     chan struct{} // told when the commands say something else
	mu          sync.Mutex
	open        bool // doors take in what comes
	handle      adapters.Handler
	work        context.Context // of turns

	turns, quick *lanes
	seen         *recent[string, struct{}] // ids of interactions and messages
	presses      *recent[string, pressed]
	channels     *recent[string, channel] // by id
	directs      *recent[string, string]  // private channel by person
	stats        counters
}

var (
	_ adapters.Chat = (*Discord)(nil)
	_ http.Handler  = (*Discord)(nil)
)

// pace is how patient we are; tests are less so.
type pace struct {
	deferAfter    time.Duration // before we show that we are thinking
	tokenLives    time.Duration
	patience      time.Duration // for a limit, where nobody waits for an answer
	backOff       time.Duration // before a gateway is opened again; doubles
	backOffMost   time.Duration
	identifyEvery time.Duration
	refusedWait   time.Duration // up to twice that after a session was refused
	shutdown      time.Duration
}

// How many turns may wait: of one person, and in all.
const (
	turnsEach = 32
	turnsAll  = 4096
)

// New checks c and makes the chat. It does not connect: see Serve.
func New(c Config) (*Discord, error) {
	if c.Commands == nil {
		c.Commands = advisor.Commands()
	}
	if c.Log == nil {
		c.Log = slog.Default()
	}
	if c.Now == nil {
		c.Now = time.Now
	}
	d := &Discord{
		c: c, log: c.Log, renamed: make(chan struct{}, 1),
		turns: newLanes(turnsEach, turnsAll), quick: newLanes(turnsEach, turnsAll),
		seen: newRecent[string, struct{}](4096), presses: newRecent[string, pressed](4096),
		channels: newRecent[string, channel](1024), directs: newRecent[string, string](1024),
		pace: pace{
			deferAfter: deferAfter, tokenLives: tokenLives, patience: 5 * time.Second, backOff: time.Second, backOffMost: 5 * time.Minute,
			identifyEvery: 5 * time.Second, refusedWait: time.Second, shutdown: shutdownTime,
		},
	}
	base, err := apiURL(c.URL)
	d.rest = &rest{
		base: base, token: c.Token, limits: newLimiter(c.Now, c.Log), log: c.Log, pause: 50 * time.Millisecond,
		client: &http.Client{Timeout: 20 * time.Second, Transport: transport()},
	}
	d.application.Store(c.Application)
	d.words.Store(&c.Texts)
	return d, errors.Join(err, d.check())
}

// check reports everything that is wrong with the configuration at once.
func (d *Discord) check() error {
	var errs []error
	if strings.TrimSpace(d.c.Token) == "" {
		errs = append(errs, errors.New("discord needs a token: developer portal → your application → Bot → Reset Token"))
	} else if strings.ContainsFunc(d.c.Token, func(r rune) bool { return r <= ' ' || r > '~' }) {
		errs = append(errs, errors.New("the discord token holds a space or a character that no token has; give it without \"Bot \" before it"))
	}
	if d.c.PublicKey != "" {
		key, err := hex.DecodeString(d.c.PublicKey)
		if err != nil || len(key) != ed25519.PublicKeySize {
			errs = append(errs, errors.New("the discord public key is not 64 hexadecimal digits: developer portal → General Information → Public Key"))
		} else {
			d.key = key
		}
	}
	if d.c.Application != "" && !snowflake(d.c.Application) {
		errs = append(errs, fmt.Errorf("the discord application id %q is not a number: developer portal → General Information → Application ID", d.c.Application))
	}
	for _, g := range d.c.Guilds {
		if !snowflake(g) {
			errs = append(errs, fmt.Errorf("the discord server %q is not an id: right-click the server → Copy Server ID", g))
		}
	}
	return errors.Join(append(errs, d.c.Texts.missing(d.c.Commands))...)
}

// apiURL is where the API's paths begin.
func apiURL(s string) (string, error) {
	u, err := url.Parse(cmp.Or(s, official))
	if err != nil || u.Scheme != "https" && u.Scheme != "http" || u.Host == "" || u.User != nil {
		return "", errors.New("the discord address is not one such as https://discord.com")
	}
	root := u.Scheme + "://" + u.Host + strings.TrimRight(u.Path, "/")
	if strings.Contains(u.Path, "/api") {
		return root, nil
	}
	return root + apiPath, nil
}

func transport() *http.Transport {
	t := http.DefaultTransport.(*http.Transport).Clone()
	t.MaxIdleConnsPerHost = 64
	return t
}

// Capabilities implements adapters.Chat.
func (d *Discord) Capabilities() adapters.Capabilities {
	return adapters.Capabilities{
		MaxText: maxContent, Unit: adapters.UTF16, MaxChoices: shownChoices, RefBytes: maxShownRef,
		Fields: true, Private: true, Forms: true, Edit: true, Files: true, Later: true,
	}
}

// Serve implements adapters.Chat. Besides the end of ctx it returns when
// Discord refuses the token, the intents or the shards: trying again would be
// useless, and too many tries get a token reset.
func (d *Discord) Serve(ctx context.Context, handle adapters.Handler) error {
	if err := d.findApplication(ctx); err != nil || ctx.Err() != nil {
		return err
	}
	work, stop := context.WithCancel(context.WithoutCancel(ctx))
	d.setWork(work, handle)
	defer d.leave(stop)
	ctx, over := context.WithCancel(ctx)
	defer over()
	d.quick.busy.Go(func() { d.keepCommands(ctx) })
	if d.key != nil {
		<-ctx.Done()
		return nil
	}
	return d.hold(ctx)
}

func (d *Discord) setWork(ctx context.Context, handle adapters.Handler) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.work, d.handle, d.open = ctx, handle, true
}

// leave lets turns that are under way end, but not for ever.
func (d *Discord) leave(stop context.CancelFunc) {
	defer stop()
	d.mu.Lock()
	d.open = false
	d.mu.Unlock()
	late := time.AfterFunc(d.pace.shutdown, stop)
	defer late.Stop()
	d.turns.wait()
	d.quick.wait()
}

// serving reports whether messages are taken in.
func (d *Discord) serving() bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.open
}

// working is the context of turns.
func (d *Discord) working() context.Context {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.work == nil {
		return context.Background()
	}
	return d.work
}

// hand calls the handler.
func (d *Discord) hand(ctx context.Context, m advisor.Message, respond adapters.Respond) {
	d.mu.Lock()
	handle := d.handle
	d.mu.Unlock()
	if handle != nil && ctx.Err() == nil {
		handle(ctx, m, respond)
	}
}

// app is the id of our application, "" while it is not known.
func (d *Discord) app() string { return d.application.Load().(string) }

// lang is the language to speak when wanted is not known.
func (d *Discord) lang(wanted string) string { return cmp.Or(wanted, d.c.Lang, "en") }

// langOf is the language of a reply, for what we add to it; unless when it has
// no words to tell by.
func langOf(r advisor.Reply, unless string) string {
	words := false
	for _, p := range r.Parts {
		for _, s := range append([]string{p.Text}, cells(p)...) {
			if strings.ContainsFunc(s, func(c rune) bool { return unicode.Is(unicode.Han, c) }) {
				return "zh"
			}
			words = words || strings.ContainsFunc(s, unicode.IsLower)
		}
	}
	if words {
		return "en"
	}
	return unless
}

// cells are the texts of fields and tables.
func cells(p advisor.Part) (out []string) {
	for _, f := range p.Pairs {
		out = append(out, f.Name, f.Value)
	}
	return append(out, slices.Concat(p.Rows...)...)
}

// findApplication asks whose token it is, until Discord answers.
func (d *Discord) findApplication(ctx context.Context) error {
	for pause := d.pace.backOff; d.app() == ""; pause = min(2*pause, d.pace.backOffMost) {
		var me struct {
			ID string `json:"id"`
		}
		err := d.rest.do(ctx, call{method: http.MethodGet, path: "/applications/@me"}, &me)
		switch {
		case ctx.Err() != nil:
			return nil
		case isStatus(err, http.StatusUnauthorized):
			return errToken
		case err == nil && snowflake(me.ID):
			d.application.Store(me.ID)
			return nil
		}
		d.log.Warn("discord: ask for our application", "err", err, "again_in", pause)
		if !sleep(ctx, pause) {
			return nil
		}
	}
	return nil
}

var errToken = errors.New("discord refuses the token: it was reset, or belongs to no bot; make a new one in the developer portal → your application → Bot")

// keepCommands registers the commands now, and whenever they say something
// else.
func (d *Discord) keepCommands(ctx context.Context) {
	for ctx.Err() == nil {
		d.offerCommands(ctx)
		select {
		case <-d.renamed:
		case <-ctx.Done():
		}
	}
}

// offerCommands registers the commands, however long that takes: those of the
// last start work meanwhile.
func (d *Discord) offerCommands(ctx context.Context) {
	for pause := d.pace.backOff; ; pause = min(2*pause, d.pace.backOffMost) {
		err := d.syncCommands(ctx)
		if err == nil || ctx.Err() != nil {
			return
		}
		d.log.Error("discord: offer commands", "err", err, "again_in", pause)
		if !sleep(ctx, pause) {
			return
		}
	}
}
