package main

import (
	"cmp"
	"fmt"
	"math"
	"math/rand/v2"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"
)

// plan_test.go works out the tables of bot/deploy/SCALE.md: arrivals at random
// from a fixed seed, and a platform that takes so many messages a second.
//
//	go test ./bot -run TestPlan -v         prints them
//	go test ./bot -run TestPlan -update    writes them into the page

const (
	telegramPerSecond = 30  // core.telegram.org/bots/faq
	discordPerSecond  = 50  // docs.discord.com/developers/topics/rate-limits
	turnsPerProcess   = 200 // what we promise for one, TestMeasured
)

// arrivals are the moments, in seconds, at which a Poisson process of so many
// a second strikes within a time.
func arrivals(seed uint64, perSecond, within float64) []float64 {
	r := rand.New(rand.NewPCG(seed, 10))
	var at []float64
	for t := r.ExpFloat64() / perSecond; t < within; t += r.ExpFloat64() / perSecond {
		at = append(at, t)
	}
	return at
}

// sends puts answers and reminders, both in the order of their times, through
// a platform that takes one message each 1/perSecond. Answers go first. It
// returns how long each waited, in seconds.
func sends(perSecond float64, answers, reminders []float64) (answered, reminded []float64) {
	slot := 1 / perSecond
	for now := 0.0; len(answers)+len(reminders) > 0; now += slot {
		next := math.Inf(1)
		for _, queue := range [][]float64{answers, reminders} {
			if len(queue) > 0 {
				next = min(next, queue[0])
			}
		}
		now = max(now, next)
		if len(answers) > 0 && answers[0] <= now {
			answered = append(answered, now-answers[0])
			answers = answers[1:]
		} else {
			reminded = append(reminded, now-reminders[0])
			reminders = reminders[1:]
		}
	}
	return answered, reminded
}

// quantileOf is a quantile of waits.
func quantileOf(waits []float64, q float64) float64 {
	if len(waits) == 0 {
		return 0
	}
	sorted := slices.Sorted(slices.Values(waits))
	return sorted[min(len(sorted)-1, int(q*float64(len(sorted))))]
}

// spoken is a time for people.
func spoken(seconds float64) string {
	switch d := time.Duration(seconds * float64(time.Second)); {
	case d < time.Second:
		return fmt.Sprintf("%d ms", d.Milliseconds())
	case d < 2*time.Minute:
		return fmt.Sprintf("%.0f s", seconds)
	default:
		return fmt.Sprintf("%.0f min", seconds/60)
	}
}

// planAnswers is an hour of answers at different rates.
func planAnswers() string {
	rows := "| answers a second | of what is allowed | p50 | p99 | longest |\n|---|---|---|---|---|\n"
	for _, rate := range []float64{10, 15, 21, 25, 28, 29.5, 33} {
		waits, _ := sends(telegramPerSecond, arrivals(1, rate, 3600), nil)
		rows += fmt.Sprintf("| %g | %.0f %% | %s | %s | %s |\n", rate, 100*rate/telegramPerSecond,
			spoken(quantileOf(waits, .5)), spoken(quantileOf(waits, .99)), spoken(slices.Max(waits)))
	}
	return rows
}

// planReminders is a burst of them among answers.
func planReminders() string {
	rows := "| chat | due at once | answers a second | p50 | p99 | last | an answer waits, p99 |\n|---|---|---|---|---|---|---|\n"
	for _, c := range []struct {
		chat    string
		limit   float64
		answers float64
	}{{"Telegram", telegramPerSecond, 10}, {"Telegram", telegramPerSecond, 21}, {"Discord", discordPerSecond, 0}} {
		for _, n := range []int{1000, 10000, 100000} {
			burst := slices.Repeat([]float64{60}, n)
			var answers []float64
			if c.answers > 0 {
				answers = arrivals(2, c.answers, 4*3600)
			}
			answered, late := sends(c.limit, answers, burst)
			wait := "–"
			if c.answers > 0 {
				wait = spoken(quantileOf(answered, .99))
			}
			rows += fmt.Sprintf("| %s | %d | %g | %s | %s | %s | %s |\n", c.chat, n, c.answers,
				spoken(quantileOf(late, .5)), spoken(quantileOf(late, .99)), spoken(slices.Max(late)), wait)
		}
	}
	return rows
}

// planMillion is what a million groups take.
func planMillion() string {
	const groups, half = 1e6, 5e5
	rows := "| questions a group and day | turns a second in the busiest hour | Telegram bots | an answer waits, p99 | reminders in one minute, on each chat | " +
		"the last is late on Telegram | processes | Redis |\n|---|---|---|---|---|---|---|---|\n"
	for _, daily := range []float64{0.2, 1, 5} {
		busiest := groups * daily * .12 / 3600
		telegram := busiest / 2
		bots := math.Ceil(telegram / (.7 * telegramPerSecond))
		burst := half / 50 * .6 / 12
		answered, late := sends(telegramPerSecond, arrivals(3, telegram/bots, 3600), slices.Repeat([]float64{600}, int(burst/bots)))
		processes := max(3, math.Ceil(busiest/turnsPerProcess)+1)
		// Who asks once a week or more often has a conversation all the time.
		conversations := groups * min(1, daily*7)
		redis := (conversations*1600 + groups/50*350) / 1e9
		rows += fmt.Sprintf("| %g | %.0f | %.0f | %s | %.0f | %s | %.0f | %.1f GB |\n",
			daily, busiest, bots, spoken(quantileOf(answered, .99)), burst, spoken(slices.Max(late)), processes, redis)
	}
	return rows
}

// TestPlan holds the page to the simulation.
func TestPlan(t *testing.T) {
	page := read(t, "bot/deploy/SCALE.md")
	got := page
	for _, part := range []struct {
		name string
		rows string
	}{{"answers", planAnswers()}, {"reminders", planReminders()}, {"million", planMillion()}} {
		t.Logf("%s\n%s", part.name, part.rows)
		between := regexp.MustCompile(`(?s)(<!-- plan: ` + part.name + ` -->\n).*?(<!-- /plan -->)`)
		if !between.MatchString(got) {
			t.Errorf("the page has no place for %s", part.name)
		}
		got = between.ReplaceAllStringFunc(got, func(old string) string {
			m := between.FindStringSubmatch(old)
			return m[1] + "\n" + part.rows + "\n" + m[2]
		})
	}
	rewrite(t, "bot/deploy/SCALE.md", page, got)
}

// TestSends: what waits and what goes first.
func TestSends(t *testing.T) {
	answered, reminded := sends(2, []float64{0, 0, 1.1}, []float64{0, 0})
	if want := []float64{0, .5, .4}; !nearly(answered, want) {
		t.Errorf("answers waited %v, want %v", answered, want)
	}
	if want := []float64{1, 2}; !nearly(reminded, want) {
		t.Errorf("reminders waited %v, want %v", reminded, want)
	}
	if got := len(arrivals(1, 10, 1000)); cmp.Compare(math.Abs(float64(got)-10000), 400) > 0 {
		t.Errorf("%d arrivals at 10 a second within 1000 s", got)
	}
	if a, b := arrivals(5, 3, 60), arrivals(5, 3, 60); !slices.Equal(a, b) {
		t.Error("the same seed gives other arrivals")
	}
	if got := strings.Join([]string{spoken(.0123), spoken(12.3), spoken(600)}, " "); got != "12 ms 12 s 10 min" {
		t.Error(got)
	}
}

func nearly(a, b []float64) bool {
	return slices.EqualFunc(a, b, func(x, y float64) bool { return math.Abs(x-y) < 1e-9 })
}
