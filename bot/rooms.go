package main

import (
	"context"
	"sync"
	"time"

	"gpuadvisor/adapters"
	"gpuadvisor/advisor"
)

// rooms.go lets the reminders of a room rest that cannot be reached any more,
// because the person blocked us or the group threw us out, and wakes them when
// it can be reached again.

// gone is the reason of the dead letters of a room that is gone.
const gone = "gone"

// rooms remembers in which rooms somebody spoke of late: nothing rests there.
type rooms struct {
	mu    sync.Mutex
	alive map[adapters.Owner]time.Time
}

// After rememberRoom we look again whether a room's reminders rest: another
// process may have laid them down. Of more than manyRooms we remember none.
const (
	rememberRoom = 10 * time.Minute
	manyRooms    = 10_000
)

// speaks notes that somebody spoke in a room, and tells whether that is new.
func (r *rooms) speaks(room adapters.Owner, now time.Time) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	if at, ok := r.alive[room]; ok && now.Sub(at) < rememberRoom {
		return false
	}
	if r.alive == nil || len(r.alive) >= manyRooms {
		r.alive = map[adapters.Owner]time.Time{}
	}
	r.alive[room] = now
	return true
}

func (r *rooms) forget(room adapters.Owner) {
	r.mu.Lock()
	defer r.mu.Unlock()
	delete(r.alive, room)
}

// gone lays down what waits in a room.
func (b *bell) gone(ctx context.Context, room adapters.Owner) {
	b.rooms.forget(room)
	n, err := b.reminders.Bury(ctx, room, gone)
	if err != nil {
		b.log.Error("bury the reminders of a room that is gone", "err", err)
	}
	if n > 0 {
		b.log.Info("a room is gone", "reminders", n)
	}
}

// back wakes what rests in a room: recurring ones go on, and of the others
// those that were due within giveUp.
func (b *bell) back(ctx context.Context, room adapters.Owner) {
	now := time.Now()
	if !b.rooms.speaks(room, now) {
		return
	}
	n, err := b.reminders.Revive(ctx, room, gone, func(r advisor.Reminder) time.Time {
		switch {
		case r.RRule != "" && r.At.Before(now):
			return following(r, now)
		case now.Sub(r.At) > giveUp:
			return time.Time{}
		}
		return r.At
	})
	if err != nil {
		b.rooms.forget(room)
		b.log.Error("revive the reminders of a room that is back", "err", err)
	}
	if n > 0 {
		b.log.Info("a room is back", "reminders", n)
	}
}
