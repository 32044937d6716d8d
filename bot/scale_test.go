//go:build scale

package main

import (
	"flag"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"gpuadvisor/adapters/redis"
	"gpuadvisor/advisor"
)

// scale_test.go puts a whole installation under load and breaks it: a Redis
// Cluster, three replicas behind one address, people on Telegram and Discord.
// In mid-load one replica is killed, then a Redis primary and, while turns wait
// for Redis, a second replica. It prints what became of every message, and
// fails if one was lost or answered twice.
//
//	go test -tags scale ./bot -run TestScale -v -count=1
//
// It takes less than three minutes and needs redis-server; Linux, for CPU time
// and memory. measured_test.go beside it prints the other figures.

var (
	scaleFor  = flag.Duration("for", time.Minute, "how long the load lasts")
	scaleRate = flag.Int("rate", 100, "turns a second, a fifth of them on Telegram, but 25 at most")
)

func TestScale(t *testing.T) {
	alone(t)
	bin := buildProgram(t)
	nodes := newCluster(t)
	replicas := make([]*replica, 3)
	door := newDoor(t, replicas)
	tg, dc := newTgLoad(t, door.server.URL), newDcLoad(t, door.server.URL)
	for i := range replicas {
		replicas[i] = newReplica(t, bin, append(tg.settings(), append(dc.settings(), "REDIS_URL="+clusterURL(nodes))...)...)
	}
	for _, r := range replicas {
		eventually(t, "ready", r.ready)
	}
	for _, r := range replicas {
		r.look()
		r.began = r.cpu
	}
	begun := time.Now()
	stop := watch(replicas)
	done := load(tg, dc, *scaleRate, *scaleFor)
	kill := func(what, at string, how func()) {
		how()
		t.Logf("%5.1f s     kill -9 of %s %s", time.Since(begun).Seconds(), what, at)
	}
	time.Sleep(*scaleFor / 3)
	kill("replica", replicas[0].listen, replicas[0].kill)
	time.Sleep(*scaleFor / 3)
	victim := primaryOf(nodes)
	kill("redis primary", victim.at(), func() { victim.cmd.Process.Kill() })
	time.Sleep(time.Second) // now turns wait for Redis
	kill("replica", replicas[1].listen, replicas[1].kill)
	done()
	stop()
	took := time.Since(begun)
	time.Sleep(3 * time.Second) // an answer too many may be on its way
	report(t, tg, dc, replicas, took)
	t.Logf("forgotten   %d turns that were answered and that Redis lost with the primary", forgotten(t, clusterURL(nodes), &tg.tally, &dc.tally))
	if tg.lost+dc.lost+tg.doubled+dc.doubled > 0 {
		t.Error("want none lost and none doubled")
	}
}

func (l *tgLoad) settings() []string {
	return []string{"TELEGRAM_TOKEN=" + scaleToken, "TELEGRAM_API_URL=" + l.server.URL,
		"TELEGRAM_WEBHOOK_URL=https://bot.example.org/telegram", "TELEGRAM_WEBHOOK_SECRET=" + scaleSecret}
}

func (l *dcLoad) settings() []string {
	return []string{"DISCORD_TOKEN=LOAD.TOKEN.secret", "DISCORD_API_URL=" + l.server.URL, "DISCORD_PUBLIC_KEY=" + l.public}
}

// load lets people write at a rate, and returns what waits for all answers.
// Nobody writes before they were answered, and nobody more than 15 times a
// minute.
func load(tg *tgLoad, dc *dcLoad, rate int, last time.Duration) (wait func()) {
	var crowd sync.WaitGroup
	start := func(perSecond int, say func(person int64, text string)) {
		each, people := time.Second/time.Duration(perSecond), 4*perSecond
		turn := make([]int, people)
		busy := make([]sync.Mutex, people)
		crowd.Go(func() {
			tick := time.NewTicker(each)
			defer tick.Stop()
			for i := range int(last / each) {
				<-tick.C
				who := i % people
				if !busy[who].TryLock() {
					continue
				}
				text := lines4[turn[who]%len(lines4)]
				turn[who]++
				crowd.Go(func() {
					defer busy[who].Unlock()
					say(int64(1000+who), text)
				})
			}
		})
	}
	calls := min(rate/5, 25) // below the 30 that Telegram takes
	start(calls, tg.say)
	start(rate-calls, dc.say)
	return crowd.Wait
}

// watch looks at the replicas once a second.
func watch(replicas []*replica) (stop func()) {
	end := make(chan struct{})
	var done sync.WaitGroup
	done.Go(func() {
		for {
			select {
			case <-end:
				return
			case <-time.After(time.Second):
			}
			for _, r := range replicas {
				r.look()
			}
		}
	})
	return func() { close(end); done.Wait() }
}

// primaryOf is a primary of the cluster.
func primaryOf(nodes []*redisNode) *redisNode {
	for _, n := range nodes {
		if strings.HasPrefix(redisSays(n, "ROLE"), "master") {
			return n
		}
	}
	return nodes[0]
}

func report(t *testing.T, tg *tgLoad, dc *dcLoad, replicas []*replica, took time.Duration) {
	t.Helper()
	turns := len(tg.took) + len(dc.took)
	var cpu time.Duration
	var memory []string
	for _, r := range replicas {
		cpu += r.cpu - r.began
		memory = append(memory, fmt.Sprint(r.most>>20))
	}
	t.Logf("messages    Telegram %d (brought again %d times, 429 %d times), Discord %d", tg.sent, tg.repeated, tg.slowed, dc.sent)
	t.Logf("lost        %d", tg.lost+dc.lost)
	t.Logf("doubled     %d", tg.doubled+dc.doubled)
	t.Logf("failed      %d Discord interactions that a dying replica held; Discord does not repeat them, people do", dc.refused)
	t.Logf("again       %d answered with \"please send it again\"", tg.again+dc.again)
	t.Logf("p50 / p99   Telegram %s / %s, Discord %s / %s", tg.quantile(.5), tg.quantile(.99), dc.quantile(.5), dc.quantile(.99))
	t.Logf("turns/s     %.1f (%d in %s)", float64(turns)/took.Seconds(), turns, took.Round(time.Second))
	t.Logf("CPU / turn  %.2f ms of the replicas", cpu.Seconds()*1000/float64(max(turns, 1)))
	t.Logf("resident    %s MB, the most of each replica", strings.Join(memory, ", "))
}

// forgotten counts the answered messages that the store does not know.
func forgotten(t *testing.T, url string, tallies ...*tally) (n int) {
	t.Helper()
	store, err := redis.Open(t.Context(), url)
	if err != nil {
		t.Fatal(err)
	}
	defer store.Close()
	for _, s := range tallies {
		for _, h := range s.answered {
			out, err := store.Conversations().Committed(t.Context(), advisor.Key(h.key), h.id)
			if err != nil {
				t.Fatal(err)
			}
			if !out.Repeat {
				n++
			}
		}
	}
	return n
}
