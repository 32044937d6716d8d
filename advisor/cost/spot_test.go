package cost

import (
	"math"
	"math/rand/v2"
	"testing"
	"time"

	"pgregory.net/rapid"
)

// Every row of decision table 6.3.
func TestCheckpointInterval(t *testing.T) {
	for _, c := range []struct {
		write, between time.Duration
		young, daly    float64 // minutes
		overhead       float64 // per cent
		atLimit        bool
	}{
		{60 * time.Second, 4 * time.Hour, 21.9, 21.2, 9.1, false},
		{60 * time.Second, 24 * time.Hour, 53.7, 53.0, 3.7, false},
		{300 * time.Second, 4 * time.Hour, 49.0, 45.7, 20.5, false},
		{300 * time.Second, 24 * time.Hour, 120.0, 116.7, 8.3, false},
		{600 * time.Second, 2 * time.Hour, 49.0, 42.5, 41.2, true},
	} {
		p, err := PlanSpot(Interrupted{OnDemand: Yuan(2), Spot: Yuan(1), Write: c.write, Between: c.between})
		if err != nil {
			t.Fatal(err)
		}
		name := c.write.String() + " every " + c.between.String()
		near(t, name+": Young", p.Young.Minutes(), c.young, 0.05)
		near(t, name+": Daly", p.Interval.Minutes(), c.daly, 0.05)
		near(t, name+": overhead", 100*p.Overhead, c.overhead, 0.05)
		if p.AtLimit != c.atLimit || p.Wins == c.atLimit {
			t.Errorf("%s: at limit %v, wins %v; want %v, %v", name, p.AtLimit, p.Wins, c.atLimit, !c.atLimit)
		}
		if p.Young != Young(c.write, c.between) || p.Interval != Daly(c.write, c.between) {
			t.Errorf("%s: the plan differs from Young and Daly", name)
		}
	}
	// Checkpoints that take longer than twice the time between interruptions.
	if got := Daly(3*time.Hour, time.Hour); got != time.Hour {
		t.Errorf("Daly beyond its range = %v, want M", got)
	}
}

// Interruptible machines lose when the discount is smaller than the overhead.
func TestSpotWins(t *testing.T) {
	for _, c := range []struct {
		name     string
		onDemand float64
		spot     float64
		restart  time.Duration
		wins     bool
	}{
		{"half the price", 2, 1, 0, true},
		{"5 % off against 9 % overhead", 2, 1.9, 0, false},
		{"15 % off against 9 % overhead", 2, 1.7, 0, true},
		{"15 % off, but half an hour to restart", 2, 1.7, 30 * time.Minute, false},
		{"dearer", 2, 2.5, 0, false},
	} {
		p, err := PlanSpot(Interrupted{
			OnDemand: Yuan(c.onDemand), Spot: Yuan(c.spot), Restart: c.restart,
			Write: time.Minute, Between: GuessMarketplace,
		})
		if err != nil || p.Wins != c.wins {
			t.Errorf("%s: wins %v at %v per hour (overhead %.3f, %.3f), %v; want %v", c.name, p.Wins, p.PerHour.Amount, p.Overhead, p.Exact, err, c.wins)
		}
		if off := 1 - c.spot/c.onDemand; p.Wins != (off > p.NeedsOff) {
			t.Errorf("%s: %.3f off, needs %.3f, wins %v", c.name, off, p.NeedsOff, p.Wins)
		}
	}
}

// With two minutes of notice, a checkpoint of five cannot be relied on.
func TestSpotFinalSave(t *testing.T) {
	for _, c := range []struct {
		write, notice time.Duration
		want          bool
	}{
		{time.Minute, 2 * time.Minute, true},
		{5 * time.Minute, 2 * time.Minute, false},
		{time.Minute, 0, false},
	} {
		p, err := PlanSpot(Interrupted{OnDemand: Yuan(2), Spot: Yuan(1), Write: c.write, Between: GuessCloud, Notice: c.notice})
		if err != nil || p.FinalSave != c.want {
			t.Errorf("%v to write, %v notice: %v, %v; want %v", c.write, c.notice, p.FinalSave, err, c.want)
		}
	}
}

func TestSpotProblems(t *testing.T) {
	good := Interrupted{OnDemand: Yuan(2), Spot: Yuan(1), Write: time.Minute, Between: time.Hour}
	for _, c := range []struct {
		name  string
		spoil func(*Interrupted)
		want  Problem
	}{
		{"no price on demand", func(in *Interrupted) { in.OnDemand = Money{} }, Problem{Missing, "price_hour"}},
		{"free spot", func(in *Interrupted) { in.Spot = Money{0, CNY} }, Problem{Zero, "price_spot"}},
		{"two currencies", func(in *Interrupted) { in.Spot = Dollars(1) }, Problem{MixedCurrency, "price_spot"}},
		{"no checkpoint time", func(in *Interrupted) { in.Write = 0 }, Problem{Zero, "checkpoint"}},
		{"interrupted every second", func(in *Interrupted) { in.Between = time.Second }, Problem{Absurd, "interruption"}},
		{"negative restart", func(in *Interrupted) { in.Restart = -1 }, Problem{Negative, "restart"}},
	} {
		in := good
		c.spoil(&in)
		if _, err := PlanSpot(in); err != c.want {
			t.Errorf("%s: %v, want %v", c.name, err, c.want)
		}
	}
}

// The exact overhead against a simulation of random interruptions, and the
// first-order one close to it while both are small.
func TestSpotMonteCarlo(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 5))
	for _, c := range []struct{ d, m, r float64 }{
		{60, 4 * 3600, 0}, {60, 24 * 3600, 300}, {300, 4 * 3600, 120}, {600, 2 * 3600, 0},
	} {
		work := daly(c.d, c.m)
		const segments = 100_000
		wall := 0.0
		for range segments {
			wall += segment(rng, work+c.d, c.m, c.r)
		}
		simulated := wall/(segments*work) - 1
		got := exact(c.d, c.m, c.r, work)
		near(t, "exact overhead", got, simulated, 0.02*simulated+0.002)
		if first := firstOrder(c.d, c.m, c.r, work); first > got || first < 0.08*got && got < 0.1 {
			t.Errorf("first order %.4f against exact %.4f", first, got)
		}
	}
}

// segment is how long one stretch of work with its checkpoint takes when
// interruptions come at random and each costs a restart that may itself be
// interrupted.
func segment(rng *rand.Rand, need, mean, restart float64) float64 {
	wall := 0.0
	for {
		next := rng.ExpFloat64() * mean
		if next >= need {
			return wall + need
		}
		wall += next
		for {
			next = rng.ExpFloat64() * mean
			if next >= restart {
				wall += restart
				break
			}
			wall += next
		}
	}
}

// Daly's interval lies near the best one: no other interval is better by more
// than two per cent, where interruptions are rarer than 20 checkpoints.
func TestDalyIsNearTheBest(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		d := rapid.Float64Range(1, 600).Draw(t, "d")
		m := d * rapid.Float64Range(20, 10_000).Draw(t, "m/d")
		tau := daly(d, m)
		other := tau * rapid.Float64Range(0.1, 10).Draw(t, "other")
		best, got := 1+exact(d, m, 0, other), 1+exact(d, m, 0, tau)
		if got > best*1.02 {
			t.Fatalf("δ %v M %v: τ %v costs %v, %v costs %v", d, m, tau, got, other, best)
		}
		if p := firstOrder(d, m, 0, tau); !(p > 0) || math.IsInf(p, 0) {
			t.Fatalf("overhead %v", p)
		}
	})
}
