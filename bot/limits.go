package main

import (
	"context"
	"sync"
	"time"

	"gpuadvisor/adapters"
	"gpuadvisor/advisor"
)

// limits bounds how many messages a minute are answered: of one person, and in
// one room. The first beyond it gets a friendly sentence, the rest of that
// minute silence. What somebody types in inline mode comes at every pause of
// their fingers: it counts apart, and beyond its own limit is not answered.
// Each process counts by itself.
type limits struct {
	user, room int
	now        func() time.Time
	beyond     func(advisor.Key) // told of each message beyond a limit; may be nil

	mu     sync.Mutex
	minute int64
	counts map[adapters.Owner]int
}

// admission is what becomes of a message.
type admission string

const (
	welcome  admission = ""
	userFull admission = "too-fast.user" // the first one too many of a person: the key of what to say
	roomFull admission = "too-fast.room" // … in a room
	unheard  admission = "unheard"
)

// take counts a message.
func (l *limits) take(k advisor.Key) admission {
	l.mu.Lock()
	defer l.mu.Unlock()
	if minute := l.now().Unix() / 60; minute != l.minute {
		l.minute, l.counts = minute, map[adapters.Owner]int{}
	}
	who, where := adapters.Person(k), adapters.Room(k)
	if aside(k) {
		if l.counts[where+adapters.Owner(k)]++; l.counts[where+adapters.Owner(k)] > perMessage*l.user {
			return unheard
		}
		return welcome
	}
	l.counts[who]++
	switch n := l.counts[who]; {
	case n == l.user+1:
		return userFull
	case n > l.user:
		return unheard
	case !shared(k):
		return welcome
	}
	l.counts[where]++
	switch n := l.counts[where]; {
	case n == l.room+1:
		return roomFull
	case n > l.room:
		return unheard
	}
	return welcome
}

// perMessage is how often inline mode may ask while one message is typed.
const perMessage = 10

// before puts the limits in front of a handler.
func (l *limits) before(next adapters.Handler, lang string) adapters.Handler {
	return func(ctx context.Context, m advisor.Message, respond adapters.Respond) {
		v := l.take(m.Key)
		if v != welcome && l.beyond != nil {
			l.beyond(m.Key)
		}
		switch v {
		case welcome:
			next(ctx, m, respond)
		case unheard:
		default:
			if m.Lang == "" {
				m.Lang = lang
			}
			if m.Addressed {
				respond(ctx, advisor.Reply{Act: "answer", Parts: []advisor.Part{{Kind: "text", Text: words[string(v)].In(m.Lang)}}})
			}
		}
	}
}
