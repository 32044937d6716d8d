package main

import (
	"sync"
	"time"

	"gpuadvisor/advisor"
)

// alarms keeps reminders in this process while it runs. It is what a terminal
// needs; it forgets everything when the program ends, and says so.
type alarms struct {
	ring func(advisor.Reminder) // called in its own goroutine
	now  func() time.Time

	mu   sync.Mutex
	kept map[string]*time.Timer // by reminder id
}

// mostReminders is how many one person may have waiting.
const mostReminders = 25

func newAlarms(now func() time.Time, ring func(advisor.Reminder)) *alarms {
	return &alarms{ring: ring, now: now, kept: map[string]*time.Timer{}}
}

// add keeps a reminder; one with the same id is kept once. It returns "" or
// the word for why not.
func (a *alarms) add(r advisor.Reminder) (code string) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if _, ok := a.kept[r.ID]; ok {
		return ""
	}
	if len(a.kept) >= mostReminders {
		return "too-many"
	}
	r.At = r.At.Round(0) // compare calendars: a sleeping laptop stops the other clock
	a.wait(r)
	return ""
}

// recheck is how often the calendar is compared while waiting.
const recheck = 20 * time.Second

func (a *alarms) wait(r advisor.Reminder) {
	left := r.At.Sub(a.now().Round(0))
	a.kept[r.ID] = time.AfterFunc(min(max(left, 0), recheck), func() { a.wake(r) })
}

func (a *alarms) wake(r advisor.Reminder) {
	a.mu.Lock()
	defer a.mu.Unlock()
	switch {
	case a.kept[r.ID] == nil: // cancelled meanwhile
	case a.now().Before(r.At):
		a.wait(r)
	default:
		delete(a.kept, r.ID)
		go a.ring(r)
	}
}

func (a *alarms) cancel(id string) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if t := a.kept[id]; t != nil {
		t.Stop()
		delete(a.kept, id)
	}
}

// stop drops everything that is waiting and returns how many there were.
func (a *alarms) stop() int {
	a.mu.Lock()
	defer a.mu.Unlock()
	n := len(a.kept)
	for _, t := range a.kept {
		t.Stop()
	}
	clear(a.kept)
	return n
}
