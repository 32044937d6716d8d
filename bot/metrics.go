package main

import (
	"context"
	"errors"
	"net/http"
	"regexp"
	"strings"
	"sync"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	"github.com/prometheus/client_golang/prometheus/promhttp"

	"gpuadvisor/adapters"
	"gpuadvisor/adapters/discord"
	"gpuadvisor/advisor"
)

// metrics.go counts what the bot does, for Prometheus at /metrics. It stands
// around the ports, so that neither desk nor bell nor any chat knows of it: a
// turn is counted at its handler, a conflict at the store that reports it, a
// send at the chat.
//
// A label has few values, whoever writes: chats and results are ours, an act is
// one of a closed set. No series is ever made for a person, a room or a
// message.

// meters is what a server counts. A nil *meters counts nothing.
type meters struct {
	registry *prometheus.Registry

	turns, sends, fates, failures, limited, reloads *prometheus.CounterVec
	answer, lag                                     prometheus.Histogram
	turn, send                                      *prometheus.HistogramVec
	open                                            prometheus.Gauge
	conflicts                                       prometheus.Counter
	rules                                           *prometheus.GaugeVec

	mu   sync.Mutex
	acts map[string]bool
}

// fast and slow are the edges of the histograms, in seconds: thinking takes
// milliseconds, a chat up to the ten seconds of sendTime.
var (
	fast = []float64{.0005, .001, .0025, .005, .01, .025, .05, .1, .25, .5, 1, 2.5}
	slow = []float64{.005, .01, .025, .05, .1, .25, .5, 1, 2.5, 5, 10}
	late = []float64{.1, .25, .5, 1, 2, 5, 15, 60, 300, 3600, 86400}
)

func newMeters() *meters {
	r := prometheus.NewRegistry()
	counter := func(name, help string, labels ...string) *prometheus.CounterVec {
		c := prometheus.NewCounterVec(prometheus.CounterOpts{Name: "gpuadvisor_" + name, Help: help}, labels)
		r.MustRegister(c)
		return c
	}
	histogram := func(name, help string, edges []float64, labels ...string) *prometheus.HistogramVec {
		h := prometheus.NewHistogramVec(prometheus.HistogramOpts{Name: "gpuadvisor_" + name, Help: help, Buckets: edges}, labels)
		r.MustRegister(h)
		return h
	}
	m := &meters{
		registry: r, acts: map[string]bool{},
		turns:    counter("turns_total", "Turns, by chat and by what they came to: an act of the reply, none without a reply.", "chat", "act"),
		sends:    counter("sends_total", "What was sent, by chat, kind (reply, reminder) and result (ok, wait, gone, unavailable, error).", "chat", "kind", "result"),
		fates:    counter("reminders_total", "Attempts of reminders, by what became of them (delivered, retry, dead).", "fate"),
		failures: counter("store_errors_total", "Calls of the store that went wrong, conflicts and lost claims apart.", "port"),
		limited:  counter("limited_total", "Messages beyond a limit of one minute, answered with a sentence once and then not at all.", "chat"),
		reloads:  counter("reloads_total", "Reloads of the rules (ok, refused).", "result"),
		answer:   histogram("answer_seconds", "Thinking: one call of the advisor.", fast).WithLabelValues().(prometheus.Histogram),
		turn:     histogram("turn_seconds", "From a message to its reply, committed and about to be sent.", slow, "chat"),
		send:     histogram("send_seconds", "Until the chat has taken what was sent.", slow, "chat"),
		lag:      histogram("reminder_lag_seconds", "How late reminders were delivered, by the clock of the store.", late).WithLabelValues().(prometheus.Histogram),
		open:     prometheus.NewGauge(prometheus.GaugeOpts{Name: "gpuadvisor_turns_open", Help: "Messages taken in and not done with: waiting, played or sent just now."}),
		conflicts: prometheus.NewCounter(prometheus.CounterOpts{
			Name: "gpuadvisor_conflicts_total", Help: "Commits that met another turn of the same conversation and were played again."}),
		rules: prometheus.NewGaugeVec(prometheus.GaugeOpts{Name: "gpuadvisor_rules_info", Help: "1 for the rules in use, by their hash."}, []string{"hash"}),
	}
	r.MustRegister(m.open, m.conflicts, m.rules, collectors.NewGoCollector(), collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}))
	for _, result := range []string{"ok", "refused"} {
		m.reloads.WithLabelValues(result)
	}
	for _, fate := range []string{"delivered", "retry", "dead"} {
		m.fates.WithLabelValues(fate)
	}
	for _, port := range []string{"conversations", "reminders"} {
		m.failures.WithLabelValues(port)
	}
	return m
}

func (m *meters) handler() http.Handler {
	return promhttp.HandlerFor(m.registry, promhttp.HandlerOpts{})
}

// watch adds what the chats of a server tell of themselves.
func (m *meters) watch(s *server) {
	if m == nil {
		return
	}
	gauge := func(name, help string, labels prometheus.Labels, value func() float64) {
		m.registry.MustRegister(prometheus.NewGaugeFunc(prometheus.GaugeOpts{Name: "gpuadvisor_" + name, Help: help, ConstLabels: labels}, value))
	}
	gauge("turns_played", "Turns that are played just now, of at most gpuadvisor_turns_at_once.", nil, func() float64 { return float64(len(s.desk.slots)) })
	gauge("turns_at_once", "How many turns are played side by side at most.", nil, func() float64 { return float64(cap(s.desk.slots)) })
	for _, c := range s.chats {
		gauge("chat_up", "1 while the chat is connected.", prometheus.Labels{"chat": c.name}, func() float64 {
			if c.check(0) == "" {
				return 1
			}
			return 0
		})
		if d, ok := c.Chat.(interface{ Stats() discord.Stats }); ok {
			m.registry.MustRegister(prometheus.NewCounterFunc(prometheus.CounterOpts{
				Name: "gpuadvisor_discord_identifies_total", Help: "New sessions at Discord's gateway: it allows a thousand a day."},
				func() float64 { return float64(d.Stats().Identifies) }))
			gauge("discord_shards_connected", "Shards that are connected to Discord's gateway.", nil, func() float64 { return float64(d.Stats().Connected) })
		}
	}
}

// uses notes which rules are in use.
func (m *meters) uses(hash string) {
	if m == nil {
		return
	}
	m.rules.Reset()
	m.rules.WithLabelValues(hash).Set(1)
}

// reloaded counts a reload.
func (m *meters) reloaded(ok bool) {
	switch {
	case m == nil:
	case ok:
		m.reloads.WithLabelValues("ok").Inc()
	default:
		m.reloads.WithLabelValues("refused").Inc()
	}
}

// beyond counts a message beyond a limit.
func (m *meters) beyond(k advisor.Key) {
	if m != nil {
		m.limited.WithLabelValues(chatLabel(k)).Inc()
	}
}

// chatLabel is the chat of a conversation: one of ours.
func chatLabel(k advisor.Key) string {
	name, _, _ := strings.Cut(string(k), ":")
	for _, c := range chats {
		if c.name == name {
			return name
		}
	}
	return "other"
}

var actForm = regexp.MustCompile(`^[a-z]+(:[a-z_]+)?$`)

// actsMost is more acts than there are.
const actsMost = 64

// act is a label for an act: as it is, while there are no more of them than the
// advisor can have.
func (m *meters) act(act string) string {
	m.mu.Lock()
	defer m.mu.Unlock()
	if !m.acts[act] && (len(m.acts) >= actsMost || len(act) > 40 || !actForm.MatchString(act)) {
		return "other"
	}
	m.acts[act] = true
	return act
}

// around counts the turns of a handler and what it sends.
func (m *meters) around(next adapters.Handler) adapters.Handler {
	if m == nil {
		return next
	}
	return func(ctx context.Context, msg advisor.Message, respond adapters.Respond) {
		m.open.Inc()
		defer m.open.Dec()
		begun, act, chat := time.Now(), "none", chatLabel(msg.Key)
		next(ctx, msg, func(ctx context.Context, r advisor.Reply) error {
			act = m.act(r.Act)
			m.turn.WithLabelValues(chat).Observe(time.Since(begun).Seconds())
			return m.sent(chat, "reply", func() error { return respond(ctx, r) })
		})
		m.turns.WithLabelValues(chat, act).Inc()
	}
}

// sent counts one sending.
func (m *meters) sent(chat, kind string, send func() error) error {
	begun := time.Now()
	err := send()
	m.send.WithLabelValues(chat).Observe(time.Since(begun).Seconds())
	result := "error"
	switch wait := new(adapters.Wait); {
	case err == nil:
		result = "ok"
	case errors.As(err, &wait):
		result = "wait"
	case errors.Is(err, adapters.ErrGone):
		result = "gone"
	case errors.Is(err, adapters.ErrUnavailable):
		result = "unavailable"
	}
	m.sends.WithLabelValues(chat, kind, result).Inc()
	return err
}

// failed counts a call of the store that went wrong.
func (m *meters) failed(port string, err error) {
	switch {
	case err == nil, errors.Is(err, context.Canceled), errors.Is(err, adapters.ErrLost), errors.Is(err, adapters.ErrTooMany):
	case errors.Is(err, adapters.ErrConflict):
		m.conflicts.Inc()
	default:
		m.failures.WithLabelValues(port).Inc()
	}
}

// speaking is a chat whose reminders are counted.
type speaking struct {
	adapters.Chat
	m *meters
}

func (c speaking) Send(ctx context.Context, to advisor.Key, r advisor.Reply) error {
	return c.m.sent(chatLabel(to), "reminder", func() error { return c.Chat.Send(ctx, to, r) })
}

func (m *meters) chat(c adapters.Chat) adapters.Chat {
	if m == nil {
		return c
	}
	return speaking{c, m}
}

// talks counts what happens at a store of conversations.
type talks struct {
	adapters.Conversations
	m *meters
}

func (m *meters) conversations(c adapters.Conversations) adapters.Conversations {
	if m == nil {
		return c
	}
	return talks{c, m}
}

func (t talks) Load(ctx context.Context, k advisor.Key) (advisor.Conversation, error) {
	c, err := t.Conversations.Load(ctx, k)
	t.m.failed("conversations", err)
	return c, err
}

func (t talks) Commit(ctx context.Context, k advisor.Key, turn adapters.Turn) (adapters.Outcome, error) {
	out, err := t.Conversations.Commit(ctx, k, turn)
	t.m.failed("conversations", err)
	return out, err
}

func (t talks) Committed(ctx context.Context, k advisor.Key, id string) (adapters.Outcome, error) {
	out, err := t.Conversations.Committed(ctx, k, id)
	t.m.failed("conversations", err)
	return out, err
}

func (t talks) MarkSent(ctx context.Context, k advisor.Key, id string) error {
	err := t.Conversations.MarkSent(ctx, k, id)
	t.m.failed("conversations", err)
	return err
}

// calls counts what happens at a store of reminders.
type calls struct {
	adapters.Reminders
	m *meters
}

func (m *meters) reminders(r adapters.Reminders) adapters.Reminders {
	if m == nil {
		return r
	}
	return calls{r, m}
}

func (c calls) Add(ctx context.Context, r advisor.Reminder) error {
	err := c.Reminders.Add(ctx, r)
	c.m.failed("reminders", err)
	return err
}

func (c calls) Claim(ctx context.Context, n int, lease time.Duration) ([]adapters.Due, time.Duration, error) {
	due, next, err := c.Reminders.Claim(ctx, n, lease)
	c.m.failed("reminders", err)
	return due, next, err
}

func (c calls) Begin(ctx context.Context, d adapters.Due, atLeast time.Duration) error {
	err := c.Reminders.Begin(ctx, d, atLeast)
	c.m.failed("reminders", err)
	return err
}

func (c calls) Finish(ctx context.Context, d adapters.Due, f adapters.Fate) error {
	err := c.Reminders.Finish(ctx, d, f)
	c.m.failed("reminders", err)
	switch {
	case err != nil:
	case f.Dead != "":
		c.m.fates.WithLabelValues("dead").Inc()
	case f.Retry > 0:
		c.m.fates.WithLabelValues("retry").Inc()
	default:
		c.m.fates.WithLabelValues("delivered").Inc()
		c.m.lag.Observe(d.Late.Seconds())
	}
	return err
}

// thinking counts how long the advisor thinks.
func (m *meters) thinking(answer answerFunc) answerFunc {
	if m == nil {
		return answer
	}
	return func(k advisor.Known, msg advisor.Message) (advisor.Conversation, advisor.Reply, []advisor.Effect) {
		begun := time.Now()
		defer func() { m.answer.Observe(time.Since(begun).Seconds()) }()
		return answer(k, msg)
	}
}
