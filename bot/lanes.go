package main

import (
	"context"
	"strings"
	"sync"
	"time"

	"gpuadvisor/advisor"
)

// lanes keep the chats apart in which reminders are sent: one that hangs
// delays no other. Their zero value is ready.
type lanes struct {
	sync.WaitGroup
	mu    sync.Mutex
	lanes map[string]*lane
	left  chan struct{} // told when somebody leaves
}

type lane struct {
	in    int           // who is inside
	took  time.Duration // to send one, of late
	slots chan struct{} // those of them who are sending
}

// How many may be in a lane: as many as it sends within a third of the lease.
// Of a lane that has sent nothing yet, the worst is expected.
const (
	fewPlaces  = 2 * senders
	manyPlaces = 16 * senders
)

func (in *lane) places() int {
	n := senders * lease / 3 / max(in.took, time.Millisecond)
	return int(min(max(n, fewPlaces), manyPlaces))
}

// enter runs f in a lane, or returns false when the lane is full.
func (l *lanes) enter(name string, f func(*lane)) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.open()
	in := l.lane(name)
	if in.in >= in.places() {
		return false
	}
	in.in++
	l.Go(func() {
		f(in)
		l.leave(in)
	})
	return true
}

// send runs f when it is the turn of whoever is in a lane.
func (l *lanes) send(in *lane, f func()) {
	in.slots <- struct{}{}
	start := time.Now()
	f()
	<-in.slots
	l.mu.Lock()
	defer l.mu.Unlock()
	in.took += (time.Since(start) - in.took) / 8
}

// quick tells whether those in a lane are sent at once.
func (l *lanes) quick(in *lane) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return in.places() == manyPlaces
}

func (l *lanes) leave(in *lane) {
	l.mu.Lock()
	defer l.mu.Unlock()
	in.in--
	select {
	case l.left <- struct{}{}:
	default:
	}
}

func (l *lanes) open() {
	if l.lanes == nil {
		l.lanes, l.left = map[string]*lane{}, make(chan struct{}, 1)
	}
}

func (l *lanes) lane(name string) *lane {
	if l.lanes[name] == nil {
		l.lanes[name] = &lane{slots: make(chan struct{}, senders), took: sendTime}
	}
	return l.lanes[name]
}

// expect makes lanes for chats of which nothing came due yet.
func (l *lanes) expect(names []string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.open()
	for _, name := range names {
		l.lane(name)
	}
}

// free waits until half of some lane is free, and returns how much of it is.
// It cannot know whose the next reminders are.
func (l *lanes) free(ctx context.Context) int {
	for {
		n, enough := l.room()
		if enough || ctx.Err() != nil {
			return n
		}
		select {
		case <-l.left:
		case <-ctx.Done():
		}
	}
}

// room is how much of the emptiest lane is free, and whether that is half.
func (l *lanes) room() (n int, enough bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.open()
	if len(l.lanes) == 0 {
		return fewPlaces, true
	}
	for _, in := range l.lanes {
		if free := in.places() - in.in; free > n {
			n, enough = free, 2*free >= in.places()
		}
	}
	return n, enough
}

// wait waits until all lanes are empty.
func (l *lanes) wait() { l.Wait() }

// chatName is the chat of a conversation.
func chatName(k advisor.Key) string {
	name, _, _ := strings.Cut(string(k), ":")
	return name
}
