package discord

import (
	"context"
	"fmt"
	"log/slog"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"time"

	"gpuadvisor/adapters"
)

// limiter keeps requests below Discord's limits: so many a second in all, so
// many per bucket as the answers' headers say, and far from the number of
// invalid requests that gets an address banned. It never sleeps past a
// context, which is why discordgo's is not used.
//
// Which routes share a bucket is known only after their first answer, so the
// first request of a route goes alone.
type limiter struct {
	now func() time.Time
	log *slog.Logger

	mu      sync.Mutex
	sent    [globalPerSecond]time.Time // the last ones that count globally, a ring
	oldest  int
	blocked time.Time          // nothing goes before that: a global 429
	names   map[string]string  // route → its bucket's name, once known
	buckets map[string]*bucket // by name and what it is about (channel, webhook …)
	invalid invalidCount
}

// bucket is a number of requests per window.
type bucket struct {
	limit, left int // limit 0: not known yet
	flying      int // sent, not answered
	reset       time.Time
	freed       chan struct{} // closed when an answer came; nil when nobody waits
}

// unlimited stands for the limit of a route that Discord sets none for.
const unlimited = 1 << 30

func newLimiter(now func() time.Time, log *slog.Logger) *limiter {
	return &limiter{now: now, log: log, names: map[string]string{}, buckets: map[string]*bucket{}}
}

// pass is the permission to send one request; done must be called with the
// headers of its answer, or nil when none came.
type pass struct {
	l     *limiter
	route string
	b     *bucket
}

// wait returns when a request may be sent. When that would be after giveUp the
// error is a *Wait.
func (l *limiter) wait(ctx context.Context, route string, global bool, giveUp time.Time) (*pass, error) {
	for {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		b, d, freed, err := l.try(route, global)
		if err != nil || d == 0 && freed == nil {
			return &pass{l, route, b}, err
		}
		if d > 0 && l.now().Add(d).After(giveUp) {
			return nil, &adapters.Wait{For: d}
		}
		if !awaitAny(ctx, d, freed) {
			return nil, ctx.Err()
		}
	}
}

// awaitAny waits for the time to pass or the channel to close; zero and nil
// never do.
func awaitAny(ctx context.Context, d time.Duration, freed <-chan struct{}) bool {
	var timer <-chan time.Time
	if d > 0 {
		t := time.NewTimer(d)
		defer t.Stop()
		timer = t.C
	}
	select {
	case <-timer:
	case <-freed:
	case <-ctx.Done():
		return false
	}
	return true
}

// try takes a place in the bucket, or tells how long until there may be one or
// what to wait for.
func (l *limiter) try(route string, global bool) (b *bucket, d time.Duration, freed <-chan struct{}, err error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	now := l.now()
	if l.invalid.recent(now) >= invalidLimit*9/10 {
		return nil, 0, nil, fmt.Errorf("%w: too many invalid requests, pausing before discord bans this address", adapters.ErrUnavailable)
	}
	if d := l.blocked.Sub(now); d > 0 && global {
		return nil, d, nil, nil
	}
	b = l.bucket(route, now)
	if b.limit > 0 && !now.Before(b.reset) {
		b.left = b.limit - b.flying
	}
	switch {
	case b.limit == 0 && b.flying > 0, b.limit > 0 && b.left <= 0 && !now.Before(b.reset):
		if b.freed == nil {
			b.freed = make(chan struct{})
		}
		return nil, 0, b.freed, nil
	case b.limit > 0 && b.left <= 0, b.limit == 0 && now.Before(b.reset):
		return nil, b.reset.Sub(now), nil, nil
	}
	if global {
		if d := l.sent[l.oldest].Add(time.Second).Sub(now); d > 0 {
			return nil, d, nil, nil
		}
		l.sent[l.oldest] = now
		l.oldest = (l.oldest + 1) % len(l.sent)
	}
	b.left--
	b.flying++
	return b, 0, nil, nil
}

// keptBuckets is how many buckets are kept before idle ones are dropped:
// every interaction brings one of its own.
const keptBuckets = 512

func (l *limiter) bucket(route string, now time.Time) *bucket {
	name := l.names[route]
	if name == "" {
		name = route
	}
	b := l.buckets[name]
	if b == nil {
		if len(l.buckets) >= keptBuckets {
			l.sweep(now)
		}
		b = &bucket{}
		l.buckets[name] = b
	}
	return b
}

func (l *limiter) sweep(now time.Time) {
	for name, b := range l.buckets {
		if b.flying == 0 && !now.Before(b.reset) {
			delete(l.buckets, name)
		}
	}
	for route, name := range l.names {
		if l.buckets[name] == nil {
			delete(l.names, route)
		}
	}
}

// done gives back what was not answered, and takes over what the headers say.
func (p *pass) done(h http.Header, status int) {
	l := p.l
	l.mu.Lock()
	defer l.mu.Unlock()
	now := l.now()
	p.b.flying--
	if p.b.freed != nil {
		close(p.b.freed)
		p.b.freed = nil
	}
	if h == nil {
		return
	}
	l.countInvalid(h, status, now)
	limit, err1 := strconv.Atoi(h.Get("X-RateLimit-Limit"))
	left, err2 := strconv.Atoi(h.Get("X-RateLimit-Remaining"))
	after, err3 := strconv.ParseFloat(h.Get("X-RateLimit-Reset-After"), 64)
	if err1 != nil || err2 != nil || err3 != nil || limit <= 0 {
		if p.b.limit == 0 && status < 400 {
			p.b.limit = unlimited
		}
		return
	}
	b := l.rename(p, h.Get("X-RateLimit-Bucket"))
	reset := now.Add(seconds(after))
	if b.limit == 0 || b.limit == unlimited || reset.After(b.reset.Add(50*time.Millisecond)) {
		b.left = left - b.flying // the others may not have been counted yet
	} else {
		b.left = min(b.left, left)
	}
	b.limit, b.reset = limit, reset
}

// rename moves a route to the bucket that Discord calls so, shared with the
// other routes of that name about the same channel or webhook.
func (l *limiter) rename(p *pass, name string) *bucket {
	if name == "" {
		return p.b
	}
	name += " " + major(p.route)
	if l.names[p.route] == name {
		return p.b
	}
	l.names[p.route] = name
	if shared := l.buckets[name]; shared != nil {
		return shared
	}
	delete(l.buckets, p.route)
	l.buckets[name] = p.b
	return p.b
}

// hold stops a route, or everything, for as long as a 429 asks.
func (l *limiter) hold(route string, d time.Duration, everywhere bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	now := l.now()
	if everywhere {
		l.blocked = now.Add(d)
		return
	}
	b := l.bucket(route, now)
	b.left = 0
	if until := now.Add(d); until.After(b.reset) {
		b.reset = until
	}
}

// countInvalid counts what Discord counts against an address: refusals that
// are our own doing.
func (l *limiter) countInvalid(h http.Header, status int, now time.Time) {
	switch status {
	case http.StatusUnauthorized, http.StatusForbidden:
	case http.StatusTooManyRequests:
		if h.Get("X-RateLimit-Scope") == "shared" {
			return
		}
	default:
		return
	}
	if n := l.invalid.add(now); n >= invalidAlarm && n%invalidAlarm == 0 {
		l.log.Error("discord refuses many requests and bans an address at 10000", "in_10_minutes", n)
	}
}

// invalidAlarm is after how many refusals in a window the operator hears of it.
const invalidAlarm = invalidLimit / 20

// invalidRequests is how many refusals count against us now.
func (l *limiter) invalidRequests() int {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.invalid.recent(l.now())
}

// invalidCount counts events of the last invalidWindow, by the minute.
type invalidCount struct {
	minute int64 // of the newest slot
	slots  [invalidWindow / time.Minute]int
}

func (c *invalidCount) add(now time.Time) int {
	c.turn(now)
	c.slots[c.minute%int64(len(c.slots))]++
	return c.sum()
}

func (c *invalidCount) recent(now time.Time) int {
	c.turn(now)
	return c.sum()
}

func (c *invalidCount) turn(now time.Time) {
	minute := now.Unix() / 60
	if minute-c.minute > int64(len(c.slots)) {
		*c = invalidCount{minute: minute}
	}
	for c.minute < minute {
		c.minute++
		c.slots[c.minute%int64(len(c.slots))] = 0
	}
}

func (c *invalidCount) sum() (n int) {
	for _, s := range c.slots {
		n += s
	}
	return n
}

// major is what a route is about, as far as Discord keeps separate buckets for
// it: a channel, or a webhook with its token.
func major(route string) string {
	_, path, _ := strings.Cut(route, " ")
	p := strings.Split(strings.TrimPrefix(path, "/"), "/")
	switch {
	case p[0] == "channels" && len(p) > 1:
		return p[1]
	case p[0] == "webhooks" && len(p) > 2:
		return p[1] + "/" + p[2]
	}
	return ""
}
