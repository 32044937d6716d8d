package discord

import "sync"

// lanes run work of one name in order, one piece at a time, and of different
// names side by side.
type lanes struct {
	perLane int // pieces that may wait in one lane
	inAll   int // pieces that may wait or run at all

	mu    sync.Mutex
	lanes map[string][]func() // waiting, and a lane that has an entry is running
	total int
	busy  sync.WaitGroup
}

func newLanes(perLane, inAll int) *lanes {
	return &lanes{perLane: perLane, inAll: inAll, lanes: map[string][]func(){}}
}

// add queues work, or reports false when there is no room for it.
func (l *lanes) add(name string, work func()) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	waiting, running := l.lanes[name]
	if l.total >= l.inAll || len(waiting) >= l.perLane {
		return false
	}
	l.total++
	if running {
		l.lanes[name] = append(waiting, work)
		return true
	}
	l.lanes[name] = nil
	l.busy.Go(func() { l.run(name, work) })
	return true
}

func (l *lanes) run(name string, work func()) {
	for work != nil {
		work()
		work = l.next(name)
	}
}

// next takes the next piece of a lane, or closes the lane.
func (l *lanes) next(name string) func() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.total--
	waiting := l.lanes[name]
	if len(waiting) == 0 {
		delete(l.lanes, name)
		return nil
	}
	l.lanes[name] = waiting[1:]
	return waiting[0]
}

// wait returns when nothing runs any more.
func (l *lanes) wait() { l.busy.Wait() }
