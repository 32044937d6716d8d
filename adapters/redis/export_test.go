package redis

import "time"

// SetClock makes the store go by a clock of the test's instead of the
// server's. How long keys live is still up to the server.
func (s *Store) SetClock(now func() time.Time) { s.clock = now }

// SetPatience says how long a Redis that does not answer is asked again.
func (s *Store) SetPatience(d time.Duration) { s.patience = d }
