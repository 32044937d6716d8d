package cost

import (
	"math"
	"math/rand/v2"
	"testing"
)

// The worked examples of decision table 6.2 and of the seeds.
func TestFinish(t *testing.T) {
	hourly := Fixed(Yuan(2))
	for _, c := range []struct {
		name string
		job  Job
		want string // likely
	}{
		{"10 h, 1 h set-up, 20 % reruns (S0-24)",
			Job{Price: hourly, Run: Exactly(10), Setup: Exactly(1), Success: Exactly(SuccessOf(0.2))}, "26.00"},
		{"10 per hour, 7 of 10 succeed (S4-05)",
			Job{Price: Fixed(Yuan(10)), Run: Exactly(1), Success: Exactly(0.7)}, "14.29"},
		{"12 per hour, 98 of 100 succeed: the dearer one wins (S4-05)",
			Job{Price: Fixed(Yuan(12)), Run: Exactly(1), Success: Exactly(0.98)}, "12.24"},
		{"checkpoints save half of a failed attempt",
			Job{Price: hourly, Run: Exactly(10), Success: Exactly(0.5), Kept: Exactly(0.5)}, "30.00"},
		{"checkpoints save everything",
			Job{Price: hourly, Run: Exactly(10), Success: Exactly(0.5), Kept: Exactly(1)}, "20.00"},
		{"the card delivers 70 % (S4-38)",
			Job{Price: hourly, Run: Exactly(7), Delivered: Exactly(0.7)}, "20.00"},
		{"four cards",
			Job{Price: hourly, Cards: Exactly(4), Run: Exactly(10), Setup: Exactly(0.5)}, "84.00"},
		{"500 GB out, 100 free (S4-23)",
			Job{Price: hourly, Run: Exactly(1), Net: Net{GB: Exactly(500), FreeGB: 100, PerGB: Yuan(0.8)}}, "322.00"},
		{"250 GB of disk for a month, 50 free (S4-22)",
			Job{Price: hourly, Run: Exactly(1), Disk: Disk{GB: Exactly(250), FreeGB: 50, PerGBMonth: Yuan(0.3), Hours: Exactly(720)}}, "62.00"},
		{"an image once (S4-24)",
			Job{Price: hourly, Run: Exactly(1), Image: Yuan(19.9)}, "21.90"},
		{"everything",
			Job{
				Price: hourly, Cards: Exactly(2), Run: Exactly(100),
				Setup: Exactly(2), Download: Exactly(1), Debug: Exactly(7),
				Disk: Disk{GB: Exactly(360), PerGBMonth: Yuan(1), Hours: Exactly(144)}, Net: Net{GB: Exactly(10), PerGB: Yuan(0.5)},
				Image: Yuan(5), Success: Exactly(0.8), Kept: Exactly(0.6), Wage: Yuan(100), Human: Exactly(3),
			},
			// once 40+5, disk 72, traffic 5, attempt 400+300, tries 0.6+0.4/0.8 = 1.1
			"892.00"},
	} {
		f, err := Finish(c.job)
		if err != nil || f.Total.Likely.Round(2) != c.want {
			t.Errorf("%s: %s, %v; want %s", c.name, f.Total.Likely.Round(2), err, c.want)
		}
		if f.Total.Low != f.Total.High {
			t.Errorf("%s: exact inputs give the range %v", c.name, f.Total)
		}
	}
}

// S0-22: "A 1.0/h, B 1.3/h, which is cheaper?" depends on what else they take.
func TestFinishDependsOnSetup(t *testing.T) {
	total := func(price, setup, run float64) Amount {
		f, err := Finish(Job{Price: Fixed(Yuan(price)), Setup: Exactly(setup), Run: Exactly(run)})
		if err != nil {
			t.Fatal(err)
		}
		return f.Total.Likely
	}
	if a, b := total(1, 2, 5), total(1.3, 0, 5); a <= b {
		t.Errorf("5 h: %v with set-up, %v without; the ready image should win", a, b)
	}
	if a, b := total(1, 2, 8), total(1.3, 0, 8); a >= b {
		t.Errorf("8 h: %v with set-up, %v without; the cheaper hour should win", a, b)
	}
}

// S0-23: every part is a line; what was not given is left out and says so.
func TestFinishLines(t *testing.T) {
	f, err := Finish(Job{Price: Fixed(Yuan(2)), Run: Exactly(10), Setup: Exactly(0), Download: Exactly(1)})
	if err != nil {
		t.Fatal(err)
	}
	counted := map[Part]bool{PartRun: true, PartSetup: true, PartDownload: true}
	for i, part := range Parts() {
		l := f.Lines[i]
		if l.Part != part || l.Counted != counted[part] || l.Cost.Currency != CNY {
			t.Errorf("line %d is %+v, want part %s, counted %v, in CNY", i, l, part, counted[part])
		}
		if !l.Counted && l.Cost.High != 0 {
			t.Errorf("%s is not counted and costs %v", part, l.Cost.High)
		}
	}
	if len(f.Lines) != len(Parts()) {
		t.Errorf("%d lines, want %d", len(f.Lines), len(Parts()))
	}
	near(t, "card-hours", f.CardHours.Likely, 11, 1e-12)
}

// Ranges: low takes every favourable end, high every unfavourable one.
func TestFinishRange(t *testing.T) {
	f, err := Finish(Job{
		Price: Estimate{One, 2 * One, 3 * One, CNY}, Run: Between(10, 20), Setup: Between(1, 2),
		Success: Between(0.5, 1), Kept: Between(0, 0.5),
	})
	if err != nil {
		t.Fatal(err)
	}
	want := Estimate{
		Yuan(1 + 10).Amount,         // success 1: one attempt
		Yuan(2 * (1.5 + 15)).Amount, // + reruns: 0.25 + 0.75/0.75 − 1 = 0.25
		Yuan(3 * (2 + 40)).Amount,   // success 0.5, nothing kept: two attempts
		CNY,
	}
	want.Likely += Yuan(2 * 15 * 0.25).Amount
	if f.Total != want {
		t.Errorf("total %v, want %v", f.Total, want)
	}
	if f.Attempts != Three(1, 1.25, 2) {
		t.Errorf("attempts %v, want 1, 1.25, 2", f.Attempts)
	}
}

func TestFinishProblems(t *testing.T) {
	good := Job{Price: Fixed(Yuan(2)), Run: Exactly(10)}
	for _, c := range []struct {
		name  string
		spoil func(*Job)
		want  Problem
	}{
		{"no price", func(j *Job) { j.Price = Estimate{} }, Problem{Missing, "price_hour"}},
		{"no run", func(j *Job) { j.Run = Span{} }, Problem{Missing, "hours"}},
		{"negative set-up", func(j *Job) { j.Setup = Exactly(-1) }, Problem{Negative, "setup"}},
		{"success of zero", func(j *Job) { j.Success = Exactly(0) }, Problem{Zero, "success"}},
		{"success of 98", func(j *Job) { j.Success = Exactly(98) }, Problem{OutOfRange, "success"}},
		{"kept more than all", func(j *Job) { j.Kept = Exactly(1.1) }, Problem{OutOfRange, "kept"}},
		{"reversed success", func(j *Job) { j.Success = Between(0.9, 0.5) }, Problem{Reversed, "success"}},
		{"dollars for the wage", func(j *Job) { j.Wage, j.Human = Dollars(10), Exactly(1) }, Problem{MixedCurrency, "wage"}},
		{"dollars for the disk", func(j *Job) { j.Disk = Disk{GB: Exactly(1), PerGBMonth: Dollars(1)} }, Problem{MixedCurrency, "disk_rate"}},
		{"dollars for the image", func(j *Job) { j.Image = Dollars(1) }, Problem{MixedCurrency, "image"}},
		{"negative wage", func(j *Job) { j.Wage = Yuan(-1) }, Problem{Negative, "wage"}},
		{"a NaN among the data", func(j *Job) { j.Net.GB = Exactly(math.NaN()) }, Problem{NotANumber, "traffic_gb"}},
		{"too much money", func(j *Job) {
			j.Price, j.Cards, j.Run = Fixed(Yuan(1000)), Exactly(MaxCards), Exactly(MaxHours)
		}, Problem{Code: Overflow}},
	} {
		j := good
		c.spoil(&j)
		f, err := Finish(j)
		if err != c.want {
			t.Errorf("%s: %v, want %v", c.name, err, c.want)
		}
		if f.Lines != nil || f.Total.Given() {
			t.Errorf("%s: a problem and a result %v", c.name, f)
		}
	}
}

// The closed form against a simulation: attempts until one succeeds, each
// failed one losing what was not kept.
func TestFinishMonteCarlo(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 11))
	for _, c := range []struct{ success, kept float64 }{{0.98, 0}, {0.7, 0}, {0.7, 0.5}, {0.4, 0.9}, {0.25, 0.2}} {
		const price, setup, run, n = 2.0, 1.0, 10.0, 200_000
		sum := 0.0
		for range n {
			hours := setup + run
			for rng.Float64() >= c.success {
				hours += run * (1 - c.kept)
			}
			sum += price * hours
		}
		f, err := Finish(Job{
			Price: Fixed(Yuan(price)), Setup: Exactly(setup), Run: Exactly(run),
			Success: Exactly(c.success), Kept: Exactly(c.kept),
		})
		if err != nil {
			t.Fatal(err)
		}
		simulated := sum / n
		near(t, "expected cost", f.Total.Likely.Float(), simulated, 0.01*simulated)
	}
}
