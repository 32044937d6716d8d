//go:build slow && unix

package redis_test

import (
	"context"
	"fmt"
	"os/exec"
	"strings"
	"sync"
	"testing"
	"time"

	goredis "github.com/redis/go-redis/v9"

	"gpuadvisor/adapters"
	"gpuadvisor/adapters/adaptertest"
	"gpuadvisor/adapters/redis"
	"gpuadvisor/advisor"
)

// With -tags slow: a Sentinel and a Cluster that lose a primary, in some
// minutes, and a Redis that is stopped for ten seconds.

func init() { stopFor = 10 * time.Second }

// keeper adds reminders all the time, each until the store says that it is
// kept.
type keeper struct {
	sync.WaitGroup
	kept int
}

func (k *keeper) start(t *testing.T, s *redis.Store, stop chan bool) {
	k.Go(func() {
		for {
			select {
			case <-stop:
				return
			case <-time.After(5 * time.Millisecond):
			}
			r := advisor.Reminder{ID: "1", Key: k.key(k.kept), At: time.Now().Add(time.Hour)}
			if err := s.Reminders().Add(context.Background(), r); err == nil {
				k.kept++
			} else {
				t.Logf("reminder %d: %v; again", k.kept, err)
			}
		}
	})
}

func (k *keeper) key(n int) advisor.Key {
	return adapters.Key("chat", "bot", "room", "", fmt.Sprint("keeper ", n))
}

func (k *keeper) check(t *testing.T, s *redis.Store) {
	t.Helper()
	for n := range k.kept {
		list, err := s.Reminders().List(t.Context(), adapters.Person(k.key(n)))
		if err != nil || len(list) != 1 {
			t.Errorf("reminder %d of %d is kept %d times, %v", n, k.kept, len(list), err)
		}
	}
}

// losePrimary lets a crowd talk while its primary dies. A turn that was
// acknowledged may be lost with it, if the replica did not have it yet; none
// is taken twice; and every reminder that was acknowledged is there.
func losePrimary(t *testing.T, s *redis.Store, primary *adaptertest.Server) {
	c := &crowd{t: t, store: s, people: 50, turns: 600}
	var talking sync.WaitGroup
	talking.Go(c.talk)
	k, stop := &keeper{}, make(chan bool)
	k.start(t, s, stop)
	c.when(5_000)
	primary.Kill()
	talking.Wait()
	close(stop)
	k.Wait()
	lost := 0
	for who := range c.people {
		got, err := s.Conversations().Load(t.Context(), c.key(who))
		if err != nil {
			t.Fatalf("Load: %v", err)
		}
		if got.Turns > c.turns || int64(got.Turns) != got.Version {
			t.Errorf("person %d has %d turns at version %d after %d", who, got.Turns, got.Version, c.turns)
		}
		lost += c.turns - got.Turns
	}
	k.check(t, s)
	t.Logf("%s; %d turns were lost with the primary, of %d reminders none", c.story(), lost, k.kept)
	if lost > 500 { // replication that lags by milliseconds, not one that is off
		t.Errorf("%d turns were lost", lost)
	}
}

func TestSentinel(t *testing.T) {
	primary := adaptertest.Redis(t, "--repl-diskless-sync-delay", "0")
	if primary == nil {
		return
	}
	for range 2 {
		adaptertest.Redis(t, "--replicaof", "127.0.0.1 "+primary.Port)
	}
	raw := goredis.NewClient(&goredis.Options{Addr: primary.Addr})
	defer raw.Close()
	for strings.Count(raw.Info(t.Context(), "replication").Val(), "state=online") < 2 {
		time.Sleep(10 * time.Millisecond)
	}
	var addrs []string
	for range 3 {
		addrs = append(addrs, adaptertest.Sentinel(t, "main", primary).Addr)
	}
	knows(t, addrs)
	losePrimary(t, open(t, "redis://"+strings.Join(addrs, ",")+"?master=main"), primary)
}

// knows waits until the Sentinels have found the replicas and each other.
func knows(t *testing.T, addrs []string) {
	t.Helper()
	for _, a := range addrs {
		c := goredis.NewSentinelClient(&goredis.Options{Addr: a})
		for end := time.Now().Add(30 * time.Second); ; time.Sleep(100 * time.Millisecond) {
			m, err := c.Master(t.Context(), "main").Result()
			if err == nil && m["num-slaves"] == "2" && m["num-other-sentinels"] == "2" {
				break
			}
			if time.Now().After(end) {
				t.Fatalf("Sentinel %s knows %v, %v", a, m, err)
			}
		}
		c.Close()
	}
}

// cluster starts three primaries with a replica each.
func cluster(t *testing.T) (nodes []*adaptertest.Server, url string) {
	var addrs []string
	for range 6 {
		s := adaptertest.Redis(t, "--cluster-enabled", "yes", "--cluster-node-timeout", "2000", "--repl-diskless-sync-delay", "0")
		if s == nil {
			return nil, ""
		}
		nodes, addrs = append(nodes, s), append(addrs, s.Addr)
	}
	args := append(append([]string{"--cluster", "create"}, addrs...), "--cluster-replicas", "1", "--cluster-yes")
	if out, err := exec.Command("redis-cli", args...).CombinedOutput(); err != nil {
		t.Fatalf("make a cluster: %v\n%s", err, out)
	}
	for _, a := range addrs {
		c := goredis.NewClient(&goredis.Options{Addr: a})
		for end := time.Now().Add(30 * time.Second); ; time.Sleep(100 * time.Millisecond) {
			info := c.ClusterInfo(t.Context()).Val()
			if strings.Contains(info, "cluster_state:ok") && strings.Contains(info, "cluster_known_nodes:6") {
				break
			}
			if time.Now().After(end) {
				t.Fatalf("node %s: %s", a, info)
			}
		}
		c.Close()
	}
	return nodes, "redis://" + strings.Join(addrs, ",")
}

func TestCluster(t *testing.T) {
	nodes, url := cluster(t)
	if nodes == nil {
		return
	}
	place := func(t *testing.T) adaptertest.Place {
		s := open(t, url)
		all := redis.Client(s).(*goredis.ClusterClient)
		if err := all.ForEachMaster(t.Context(), func(ctx context.Context, c *goredis.Client) error {
			return c.FlushAll(ctx).Err()
		}); err != nil {
			t.Fatal(err)
		}
		now := time.Date(2026, 12, 1, 9, 0, 0, 0, time.UTC)
		s.SetClock(func() time.Time { return now })
		return adaptertest.Place{Store: s, Now: func() time.Time { return now }, Pass: func(d time.Duration) { now = now.Add(d) }}
	}
	t.Run("conversations", func(t *testing.T) {
		adaptertest.TestConversations(t, func(t *testing.T) adapters.Conversations { return place(t).Store.Conversations() })
	})
	t.Run("settings", func(t *testing.T) {
		adaptertest.TestSettings(t, func(t *testing.T) adapters.Settings { return place(t).Store.Settings() })
	})
	t.Run("reminders", func(t *testing.T) { adaptertest.TestReminders(t, place) })
	t.Run("one address", func(t *testing.T) {
		s := open(t, nodes[0].URL()+"?cluster=true")
		for n := range 50 {
			key := adapters.Key("chat", "bot", "room", "", fmt.Sprint(n))
			if _, err := s.Conversations().Commit(t.Context(), key, adapters.Turn{MessageID: "1"}); err != nil {
				t.Errorf("Commit: %v", err)
			}
		}
	})
	t.Run("copy", func(t *testing.T) {
		c := &crowd{t: t, store: open(t, adaptertest.Redis(t).URL()), people: 100, turns: 3}
		c.talk()
		for n := range 100 {
			if _, err := c.store.Settings().Put(t.Context(), adapters.Person(c.key(n)), "profile", adapters.Record{Data: []byte("x")}); err != nil {
				t.Fatal(err)
			}
			if err := c.store.Reminders().Add(t.Context(), advisor.Reminder{ID: "1", Key: c.key(n), At: time.Now()}); err != nil {
				t.Fatal(err)
			}
		}
		to := place(t).Store.(*redis.Store)
		counts, err := adapters.Copy(t.Context(), c.store, to)
		if want := (adapters.Counts{Conversations: 100, Records: 100, Reminders: 100}); err != nil || counts != want {
			t.Errorf("Copy to a cluster = %v, %v; want %v", counts, err, want)
		}
		c.store = to
		c.check()
	})
	t.Run("lose a primary", func(t *testing.T) { losePrimary(t, open(t, url), primaryOf(t, nodes)) })
}

// primaryOf is one of the nodes that is a primary with a replica.
func primaryOf(t *testing.T, nodes []*adaptertest.Server) *adaptertest.Server {
	for _, n := range nodes {
		c := goredis.NewClient(&goredis.Options{Addr: n.Addr})
		info := c.Info(t.Context(), "replication").Val()
		c.Close()
		if strings.Contains(info, "role:master") && strings.Contains(info, "state=online") {
			return n
		}
	}
	t.Fatal("no primary has a replica")
	return nil
}
