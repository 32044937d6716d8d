package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/http/pprof"
	"slices"
	"strings"
	"sync"
	"time"

	"gpuadvisor/adapters"
	"gpuadvisor/adapters/picture"
	"gpuadvisor/adapters/redis"
	"gpuadvisor/advisor"
)

// serveCommand runs every chat that is configured over one store, until the
// process is told to stop.
type serveCommand struct{}

const (
	// turnsAtOnce is how many turns are played side by side, in all chats.
	turnsAtOnce = 128
	// stopTime is how long we may take to stop, in all.
	stopTime = 10 * time.Second
	// workTime of it is for turns that are under way.
	workTime = 8 * time.Second
)

func (c *serveCommand) Run(h *house) error {
	conf := h.config.filled()
	conf.DefaultLang = cmp.Or(h.wishedLang, conf.DefaultLang)
	conf.DefaultCurrency = h.config.DefaultCurrency // unset, the language of each person tells
	conf.DefaultTZ = zoneName(h.zone)
	log := newLog(h.errs, &conf)
	var wanted []chatMaker
	var variables []string
	for _, maker := range chats {
		variables = append(variables, maker.wants)
		if maker.wanted(&conf) {
			wanted = append(wanted, maker)
		}
	}
	if len(wanted) == 0 {
		return misuse{fmt.Sprintf(h.say("no-chat"), strings.Join(variables, " / "))}
	}
	book, a, err := h.book()
	if err != nil {
		return err
	}
	store, err := openStore(h.ctx, &conf)
	if err != nil {
		return conf.secrets().Error(err)
	}
	s := newServer(&conf, newKnowledge(book, a, h.rules, h.thinker), store, log)
	err = s.makeChats(wanted, book)
	if err == nil {
		err = s.run(h.ctx)
	}
	return conf.secrets().Error(errors.Join(err, store.Close()))
}

// newLog is where a server logs. Whatever a library puts into an error, no
// secret gets past it.
func newLog(w io.Writer, c *config) *slog.Logger {
	secrets := c.secrets()
	options := &slog.HandlerOptions{ReplaceAttr: func(_ []string, a slog.Attr) slog.Attr {
		switch a.Value.Kind() {
		case slog.KindString, slog.KindAny:
			if text := a.Value.String(); secrets.Hide(text) != text {
				return slog.String(a.Key, secrets.Hide(text))
			}
		}
		return a
	}}
	var level slog.Level
	level.UnmarshalText([]byte(c.LogLevel)) // the config has checked it
	options.Level = level
	if c.LogFormat == "json" {
		return slog.New(tracing{slog.NewJSONHandler(w, options)})
	}
	return slog.New(tracing{slog.NewTextHandler(w, options)})
}

// server is a running bot.
type server struct {
	conf   *config
	log    *slog.Logger
	store  adapters.Store
	desk   *desk
	bell   *bell
	chats  []*served
	phase  phase
	known  *knowledge
	meters *meters        // nil: nothing is counted
	bound  func(net.Addr) // told where we listen; for tests
}

func newServer(c *config, known *knowledge, store adapters.Store, log *slog.Logger) *server {
	s := &server{conf: c, log: log, store: store, known: known, meters: newMeters(), bound: func(net.Addr) {}}
	s.meters.uses(known.book.Load().Hash)
	news := newNews()
	talks, calls := s.meters.conversations(store.Conversations()), news.of(s.meters.reminders(store.Reminders()))
	kept := &profiles{settings: store.Settings()}
	s.desk = &desk{
		store: talks, profiles: kept, reminders: calls, reload: s.reloaded,
		profile: advisor.Profile{Currency: c.DefaultCurrency}, lang: c.DefaultLang, zone: string(c.DefaultTZ),
		reports: &reports{settings: store.Settings()}, slots: make(chan struct{}, turnsAtOnce), draw: picture.Reply, log: log,
	}
	s.desk.paths = &paths{chat: s.chatOf, log: log}
	s.bell = &bell{
		reminders: calls, news: news, store: talks, profiles: kept,
		chat: s.chatOf, served: func() []string { return names(s.chats) }, word: s.word, lang: c.DefaultLang, log: log,
	}
	return s
}

// makeChats makes all chats, or tells everything that is wrong with them.
func (s *server) makeChats(makers []chatMaker, book *advisor.Rulebook) error {
	w := &wiring{conf: s.conf, book: book, log: s.log, moved: s.moved, gone: s.gone}
	var wrong []error
	for _, maker := range makers {
		chat, err := maker.make(w)
		if err != nil {
			wrong = append(wrong, err)
			continue
		}
		s.chats = append(s.chats, chat)
	}
	s.meters.watch(s)
	return errors.Join(wrong...)
}

// chatOf is the chat that a conversation takes place in, nil when it is not
// served here.
func (s *server) chatOf(k advisor.Key) adapters.Chat {
	name := chatName(k)
	for _, c := range s.chats {
		if c.name == name {
			return s.meters.chat(c.Chat)
		}
	}
	return nil
}

func (s *server) moved(from, to adapters.Owner) {
	ctx, cancel := context.WithTimeout(context.Background(), sendTime)
	defer cancel()
	if err := s.desk.profiles.moved(ctx, from, to); err != nil {
		s.log.Error("follow a group", "from", from, "to", to, "err", err)
	}
}

// gone is told that a room cannot be reached any more, or can again.
func (s *server) gone(room adapters.Owner, gone bool) {
	ctx, cancel := context.WithTimeout(context.Background(), sendTime)
	defer cancel()
	if gone {
		s.bell.gone(ctx, room)
		return
	}
	s.bell.rooms.forget(room)
	s.bell.back(ctx, room)
}

// handler is what a chat hands its messages to.
func (s *server) handler(c *served, l *limits) adapters.Handler {
	operators := s.conf.operatorsOf(c.name)
	return l.before(s.meters.around(func(ctx context.Context, m advisor.Message, respond adapters.Respond) {
		m.Actor.Operator = !m.Actor.Anonymous && slices.Contains(operators, m.Actor.ID)
		d := *s.desk
		s.think(&d)
		begun := time.Now()
		ctx = traced(ctx, m)
		d.Turn(ctx, m, respond)
		s.bell.back(ctx, adapters.Room(m.Key))
		s.log.DebugContext(ctx, "turn done", "chat", c.name, "message", m.ID, "took", time.Since(begun).Round(time.Microsecond))
	}), s.conf.DefaultLang)
}

// think gives a desk for one turn the rules that are in use now, so that a turn
// has one set of them.
func (s *server) think(d *desk) {
	a := s.known.now.Load()
	if d.answer == nil {
		d.answer = s.meters.thinking(a.Answer)
	}
	if d.plan == nil {
		d.plan = a.Plan
	}
}

// run serves until ctx ends, or until no chat is left.
func (s *server) run(ctx context.Context) error {
	work, cancel := context.WithCancel(ctx)
	defer cancel()
	closers, err := s.listen(work)
	if err != nil {
		return err
	}
	s.warn(work)
	done := s.start(work)
	s.log.Info("serving", "chats", names(s.chats), "listen", s.conf.Listen)
	select {
	case <-work.Done():
	case err = <-done:
		done = nil
	}
	s.phase.stop()
	begun := time.Now()
	cancel()
	if done != nil {
		s.log.Info("stopping")
		select {
		case err = <-done:
		case <-time.After(workTime):
			err = fmt.Errorf("stopped after %s with messages under way: they come again", workTime)
		}
	}
	left, stop := context.WithTimeout(context.Background(), stopTime-min(time.Since(begun), stopTime-time.Second))
	defer stop()
	for _, c := range closers {
		err = errors.Join(err, c(left))
	}
	s.log.Info("stopped", "after", time.Since(begun).Round(time.Millisecond))
	return err
}

// start starts the chats and the reminders. done tells when all have ended:
// nil after ctx, else why the last chat gave up.
func (s *server) start(ctx context.Context) (done chan error) {
	l := &limits{beyond: s.meters.beyond, user: s.conf.UserPerMinute, room: s.conf.ChatPerMinute, now: time.Now}
	rest, cancel := context.WithCancel(ctx)
	var beside, serving sync.WaitGroup
	beside.Go(func() { s.bell.ring(rest) })
	hung := hangup()
	beside.Go(func() { s.reloadAt(rest, hung) })
	if _, ok := s.store.(*redis.Store); ok {
		beside.Go(func() { s.present(rest) })
	}
	for _, c := range s.chats {
		serving.Go(func() {
			err := c.Serve(ctx, s.handler(c, l))
			if err == nil && ctx.Err() == nil {
				err = errors.New("it ended by itself")
			}
			if err != nil {
				s.log.Error("a chat has ended", "chat", c.name, "err", err)
			}
			c.state.end(err)
		})
	}
	done = make(chan error, 1)
	go func() {
		serving.Wait()
		cancel()
		beside.Wait()
		var wrong []error
		for _, c := range s.chats {
			if err := c.state.ended(); err != nil {
				wrong = append(wrong, fmt.Errorf("%s: %w", c.name, err))
			}
		}
		done <- errors.Join(wrong...)
	}()
	return done
}

func names(chats []*served) []string {
	var list []string
	for _, c := range chats {
		list = append(list, c.name)
	}
	return list
}

// warn tells what about the store could lose data.
func (s *server) warn(ctx context.Context) {
	if r, ok := s.store.(interface {
		Warnings(context.Context) []string
	}); ok {
		for _, w := range r.Warnings(ctx) {
			s.log.Warn(w)
		}
	}
}

// closer ends a listener within the time that is left.
type closer func(context.Context) error

// listen opens the listeners. Chats are not asked yet whether they want what
// comes in; they say so themselves until they serve.
func (s *server) listen(ctx context.Context) (closers []closer, err error) {
	defer func() {
		if err != nil {
			for _, c := range closers {
				c(ctx)
			}
		}
	}()
	mux := http.NewServeMux()
	mux.HandleFunc("GET /healthz", s.healthz)
	mux.HandleFunc("GET /readyz", s.readyz)
	if s.meters != nil {
		mux.Handle("GET /metrics", s.meters.handler())
	}
	for _, c := range s.chats {
		for path, h := range c.paths {
			mux.Handle(path, h)
		}
	}
	c, err := s.open(string(s.conf.Listen), mux, s.bound)
	if err != nil {
		return closers, err
	}
	closers = append(closers, c)
	if s.conf.PprofListen != "" {
		if c, err = s.open(string(s.conf.PprofListen), profiling(), func(net.Addr) {}); err != nil {
			return closers, err
		}
		closers = append(closers, c)
	}
	if c, err := s.offerBackup(); err != nil {
		s.log.Warn("no backup while running", "err", err)
	} else if c != nil {
		closers = append(closers, c)
	}
	return closers, nil
}

// open listens at an address.
func (s *server) open(at string, h http.Handler, bound func(net.Addr)) (closer, error) {
	l, err := net.Listen("tcp", at)
	if err != nil {
		return nil, fmt.Errorf("listen: %w", err)
	}
	bound(l.Addr())
	hs := &http.Server{
		Handler: h, ReadHeaderTimeout: 5 * time.Second, ReadTimeout: 20 * time.Second, IdleTimeout: 2 * time.Minute, MaxHeaderBytes: 64 << 10,
		ErrorLog: slog.NewLogLogger(s.log.Handler(), slog.LevelDebug),
	}
	go hs.Serve(l)
	return func(ctx context.Context) error {
		if err := hs.Shutdown(ctx); err != nil {
			return errors.Join(fmt.Errorf("close the listener: %w", err), hs.Close())
		}
		return nil
	}, nil
}

// ownPaths are what we serve ourselves.
func ownPaths() []string { return []string{"/healthz", "/readyz", "/metrics"} }

// profiling serves profiles of the running program.
func profiling() http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("/debug/pprof/", pprof.Index)
	mux.HandleFunc("/debug/pprof/cmdline", pprof.Cmdline)
	mux.HandleFunc("/debug/pprof/profile", pprof.Profile)
	mux.HandleFunc("/debug/pprof/symbol", pprof.Symbol)
	mux.HandleFunc("/debug/pprof/trace", pprof.Trace)
	return mux
}
