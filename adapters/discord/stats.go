package discord

import "sync/atomic"

// counters count what an operator may want to see.
type counters struct {
	interactions, messages, deferred, late, dropped, refused atomic.Int64
	identifies, resumes, connected                           atomic.Int64
}

// Stats is what has happened since the start.
type Stats struct {
	Interactions, Messages int64 // taken in
	Deferred               int64 // answered with "thinking" first
	Late                   int64 // answered elsewhere, because the interaction had expired
	Dropped                int64 // not taken in: too many at once
	Refused                int64 // HTTP requests without a good signature or body
	Identifies, Resumes    int64 // of the gateway
	Connected              int64 // shards now
	InvalidRequests        int   // in the last ten minutes, see invalidLimit
}

// Stats returns the counters.
func (d *Discord) Stats() Stats {
	s := &d.stats
	return Stats{
		Interactions: s.interactions.Load(), Messages: s.messages.Load(), Deferred: s.deferred.Load(), Late: s.late.Load(),
		Dropped: s.dropped.Load(), Refused: s.refused.Load(), Identifies: s.identifies.Load(), Resumes: s.resumes.Load(),
		Connected: s.connected.Load(), InvalidRequests: d.rest.limits.invalidRequests(),
	}
}

// Ready reports whether messages can come in.
func (d *Discord) Ready() bool {
	return d.serving() && (d.key != nil || d.stats.connected.Load() > 0)
}
