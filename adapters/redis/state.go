package redis

import (
	"context"
	"strings"
	"time"
)

// State is what a Redis tells of itself.
type State struct {
	Version  string
	Policy   string        // maxmemory-policy
	AOF      bool          // it writes an append-only file
	Cluster  bool          // it is a node of a cluster
	Replicas string        // how many the node that was asked has
	Answers  time.Duration // how long a ping takes, the fastest of three
	Skew     time.Duration // its clock ahead of ours
}

// State asks the Redis how it does. The error is adapters.ErrUnavailable and
// such, without a password.
func (s *Store) State(ctx context.Context) (State, error) {
	st := State{Answers: time.Hour}
	info, err := s.client.Info(ctx).Result()
	if err != nil {
		return st, s.explain(ctx, "info", err)
	}
	for line := range strings.Lines(info) {
		switch name, value, _ := strings.Cut(strings.TrimSpace(line), ":"); name {
		case "redis_version":
			st.Version = value
		case "maxmemory_policy":
			st.Policy = value
		case "aof_enabled":
			st.AOF = value == "1"
		case "cluster_enabled":
			st.Cluster = value == "1"
		case "connected_slaves":
			st.Replicas = value
		}
	}
	for range 3 {
		begun := time.Now()
		if err := s.Ping(ctx); err != nil {
			return st, err
		}
		st.Answers = min(st.Answers, time.Since(begun))
	}
	begun := time.Now()
	at, err := s.client.Time(ctx).Result()
	if err != nil {
		return st, s.explain(ctx, "time", err)
	}
	st.Skew = at.Sub(begun.Add(time.Since(begun) / 2))
	return st, nil
}
