package bolt

import (
	"context"
	"time"
)

// OpenAt opens a file by a clock of the test's, without sweeping and without
// waiting for the disk.
func OpenAt(path string, now func() time.Time) (*Store, error) {
	s, err := open(path, now)
	if err == nil {
		s.db.NoSync = true
	}
	return s, err
}

// Sweep looks at all records once.
func (s *Store) Sweep(ctx context.Context) error {
	for _, b := range []struct {
		name []byte
		dead func([]byte) bool
	}{{conversationsBucket, s.deadConversation}, {settingsBucket, s.deadRecord}} {
		for from, first := []byte(nil), true; first || from != nil; first = false {
			var err error
			if from, err = s.sweep(ctx, b.name, from, b.dead); err != nil {
				return err
			}
		}
	}
	for range 3 {
		if err := s.sweepDead(ctx); err != nil {
			return err
		}
	}
	return nil
}
