package discord

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"sync"
	"time"
)

// gateway.go keeps connections to Discord open. Each shard of the bot has one;
// when it breaks it is opened again, resuming the session so that nothing is
// missed, with longer and longer pauses when that does not last. Starting a
// session anew (identifying) is rationed: too many in a day and Discord ends
// all of them and resets the token.
// https://docs.discord.com/developers/events/gateway

// gateway is what all shards share.
type gateway struct {
	d *Discord

	mu         sync.Mutex
	url        string      // where sessions start
	rooms      []*doorway  // as many may identify at once, one shard after the other
	identified []time.Time // in the last 24 hours
}

// How often we identify: at the first number in an hour the operator hears of
// it, and never more often than the second in a day, half of what Discord
// allows.
const (
	identifyAlarm = 50
	identifyMost  = 500
)

// advice is what Discord says before a session is started.
// https://docs.discord.com/developers/events/gateway#get-gateway-bot
type advice struct {
	URL    string `json:"url"`
	Shards int    `json:"shards"`
	Limit  struct {
		Remaining   int   `json:"remaining"`
		ResetAfter  int64 `json:"reset_after"` // milliseconds
		Concurrency int   `json:"max_concurrency"`
	} `json:"session_start_limit"`
}

// hold keeps all shards connected until ctx ends, which is no error, or one is
// refused for good.
func (d *Discord) hold(ctx context.Context) error {
	g := &gateway{d: d}
	said, err := g.ask(ctx)
	if err != nil || ctx.Err() != nil {
		return err
	}
	n := max(said.Shards, 1)
	if d.c.Shards > 0 {
		n = d.c.Shards
	}
	for range max(said.Limit.Concurrency, 1) {
		g.rooms = append(g.rooms, &doorway{free: make(chan struct{}, 1)})
	}
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	ended := make(chan error, n)
	for id := range n {
		go func() { ended <- g.keep(ctx, id, n) }()
	}
	for range n {
		if e := <-ended; e != nil && err == nil {
			err = e
			stop()
		}
	}
	return err
}

// ask gets Discord's advice, until it answers.
func (g *gateway) ask(ctx context.Context) (a advice, err error) {
	for pause := g.d.pace.backOff; ; pause = min(2*pause, g.d.pace.backOffMost) {
		err := g.d.rest.do(ctx, call{method: http.MethodGet, path: "/gateway/bot"}, &a)
		switch {
		case ctx.Err() != nil:
			return a, nil
		case isStatus(err, http.StatusUnauthorized):
			return a, errToken
		case err == nil && a.URL != "":
			g.mu.Lock()
			g.url = a.URL
			g.mu.Unlock()
			return a, nil
		}
		g.d.log.Warn("discord: ask for the gateway", "err", err, "again_in", pause)
		if !sleep(ctx, pause) {
			return a, nil
		}
	}
}

// steady is how long a connection lasts before we take it for a good one.
const steady = 30 * time.Second

// keep holds one shard.
func (g *gateway) keep(ctx context.Context, id, count int) error {
	s := &shard{g: g, id: id, count: count}
	failures := 0
	for ctx.Err() == nil {
		began := time.Now()
		err := g.connect(ctx, s)
		if ctx.Err() != nil {
			return nil
		}
		var final *refusal
		if errors.As(err, &final) {
			return final
		}
		if time.Since(began) > steady {
			failures = 0
		}
		pause := g.pause(failures, err)
		failures++
		g.d.log.Warn("discord gateway: connection ended", "shard", id, "err", err, "resumes", s.session != "", "again_in", pause.Round(time.Millisecond))
		sleep(ctx, pause)
	}
	return nil
}

// pause is how long to wait before opening a connection again.
func (g *gateway) pause(failures int, err error) time.Duration {
	p := g.d.pace
	if errors.Is(err, errSessionRefused) { // Discord wants one to five seconds
		return p.refusedWait + upTo(4*p.refusedWait) + g.pause(failures, nil)
	}
	if failures == 0 {
		return upTo(p.backOff / 4)
	}
	d := min(p.backOff<<min(failures-1, 20), p.backOffMost)
	return d/2 + upTo(d)
}

// connect opens a connection for a shard and serves it until it ends. A new
// session waits for its turn.
func (g *gateway) connect(ctx context.Context, s *shard) error {
	if s.session != "" {
		g.d.stats.resumes.Add(1)
		return s.serve(ctx, s.resumeURL, func() {})
	}
	room := g.rooms[s.id%len(g.rooms)]
	if err := room.enter(ctx); err != nil {
		return err
	}
	sent := sync.OnceFunc(room.leave)
	defer sent()
	if err := g.permit(ctx); err != nil {
		return err
	}
	if err := room.pause(ctx, g.d.pace.identifyEvery); err != nil {
		return err
	}
	return s.serve(ctx, g.address(), func() {
		g.count()
		room.last = time.Now()
		sent()
	})
}

func (g *gateway) address() string {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.url
}

// permit waits until one more session may be started today.
func (g *gateway) permit(ctx context.Context) error {
	for {
		wait := g.ownLimit()
		if wait == 0 {
			said, err := g.ask(ctx)
			if err != nil {
				return &refusal{4004, err}
			}
			if said.Limit.Remaining > 0 || said.Limit.ResetAfter <= 0 {
				return ctx.Err()
			}
			wait = time.Duration(said.Limit.ResetAfter) * time.Millisecond
		}
		g.d.log.Error("discord gateway: no more sessions may be started today", "wait", wait)
		if !sleep(ctx, wait) {
			return ctx.Err()
		}
	}
}

// ownLimit is how long until we allow ourselves another session.
func (g *gateway) ownLimit() time.Duration {
	g.mu.Lock()
	defer g.mu.Unlock()
	now := time.Now()
	for len(g.identified) > 0 && now.Sub(g.identified[0]) > 24*time.Hour {
		g.identified = g.identified[1:]
	}
	if len(g.identified) < identifyMost {
		return 0
	}
	return max(24*time.Hour-now.Sub(g.identified[0]), time.Second)
}

// count notes a session that was started.
func (g *gateway) count() {
	g.d.stats.identifies.Add(1)
	g.mu.Lock()
	defer g.mu.Unlock()
	now := time.Now()
	g.identified = append(g.identified, now)
	hour := 0
	for _, t := range g.identified {
		if now.Sub(t) < time.Hour {
			hour++
		}
	}
	if hour >= identifyAlarm && hour%10 == 0 {
		g.d.log.Error("discord gateway: sessions are started again and again; at 1000 a day discord resets the token", "last_hour", hour, "last_day", len(g.identified))
	}
}

// doorway lets shards identify one after the other.
// https://docs.discord.com/developers/events/gateway#sharding-max-concurrency
type doorway struct {
	free chan struct{} // holds a token while somebody is inside
	last time.Time     // somebody identified; only who is inside looks
}

func (r *doorway) enter(ctx context.Context) error {
	select {
	case r.free <- struct{}{}:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

func (r *doorway) leave() { <-r.free }

// pause waits until every has passed since the last one.
func (r *doorway) pause(ctx context.Context, every time.Duration) error {
	if d := time.Until(r.last.Add(every)); d > 0 && !sleep(ctx, d) {
		return ctx.Err()
	}
	return nil
}

// refusal is an end that no new try cures.
type refusal struct {
	code int
	err  error
}

func (r *refusal) Error() string {
	return fmt.Sprintf("discord closed the gateway for good (code %d): %v", r.code, r.err)
}

func (r *refusal) Unwrap() error { return r.err }

// final are the codes of a connection that must not be tried again, in words
// for the operator.
// https://docs.discord.com/developers/topics/opcodes-and-status-codes#gateway-gateway-close-event-codes
var final = map[int]error{
	4004: errToken,
	4010: errors.New("there is no such shard: the number of shards is wrong"),
	4011: errors.New("the bot is in so many servers that it needs more shards: set none, Discord will tell how many"),
	4012: errors.New("this version of the gateway is not offered any more: a newer gpuadvisor is needed"),
	4013: errors.New("the intents are not valid: a newer gpuadvisor is needed"),
	4014: errors.New("an intent is not allowed for this bot: developer portal → your application → Bot → Privileged Gateway Intents"),
}
