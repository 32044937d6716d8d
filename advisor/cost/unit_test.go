package cost

import "testing"

// Decision table 6.2 and S0-26 to S0-28.
func TestPerUnit(t *testing.T) {
	for _, c := range []struct {
		name string
		unit Unit
		work Work
		want string
	}{
		{"6 s per image at 1.5, one in four accepted", UnitImage,
			Work{Price: Fixed(Yuan(1.5)), Seconds: Exactly(6), Yield: Exactly(0.25)}, "0.0100"},
		{"300 s per clip at 2.0, one in four usable", UnitClip,
			Work{Price: Fixed(Yuan(2)), Seconds: Exactly(300), Yield: Exactly(0.25)}, "0.6667"},
		{"four cards at 2.0, 1.2 s per step", UnitKStep,
			Work{Price: Fixed(Yuan(2)), Cards: Exactly(4), Seconds: Exactly(1.2)}, "2.6667"},
		{"the same with a goodput of 90 %", UnitKStep,
			Work{Price: Fixed(Yuan(2)), Cards: Exactly(4), Seconds: Exactly(1.2), Yield: Exactly(0.9)}, "2.9630"},
		{"500 tokens a second on one card at 1.8", UnitMTok,
			Work{Price: Fixed(Yuan(1.8)), PerSecond: Exactly(500)}, "1.0000"},
		{"20 minutes per epoch on two cards at 3.0", UnitEpoch,
			Work{Price: Fixed(Yuan(3)), Cards: Exactly(2), Seconds: Exactly(1200)}, "2.0000"},
		{"90 s per frame at 2.0", UnitFrame,
			Work{Price: Fixed(Yuan(2)), Seconds: Exactly(90)}, "0.0500"},
		{"50 documents a second at 0.9", UnitKDoc,
			Work{Price: Fixed(Yuan(0.9)), PerSecond: Exactly(50)}, "0.0050"},
		{"an hour of sound in six minutes at 1.0", UnitHour,
			Work{Price: Fixed(Yuan(1)), Seconds: Exactly(360)}, "0.1000"},
	} {
		e, err := PerUnit(c.unit, c.work)
		if err != nil || e.Likely.Round(4) != c.want || e.Low != e.High {
			t.Errorf("%s: %v, %v; want %s", c.name, e, err, c.want)
		}
	}
}

func TestPerUnitRange(t *testing.T) {
	e, err := PerUnit(UnitImage, Work{
		Price: Estimate{One, 2 * One, 3 * One, USD}, Seconds: Between(36, 72), Yield: Between(0.5, 1),
	})
	want := Estimate{Dollars(0.01).Amount, Dollars(0.04).Amount, Dollars(0.12).Amount, USD}
	if e != want || err != nil {
		t.Errorf("PerUnit = %v, %v; want %v", e, err, want)
	}
	e, err = PerUnit(UnitMTok, Work{Price: Fixed(Dollars(3.6)), PerSecond: Between(500, 1000)})
	if e.Low != One || e.High != 2*One || err != nil {
		t.Errorf("a faster machine should be cheaper: %v, %v", e, err)
	}
}

func TestPerUnitProblems(t *testing.T) {
	price := Fixed(Yuan(2))
	for _, c := range []struct {
		name string
		work Work
		want Problem
	}{
		{"no speed", Work{Price: price}, Problem{Missing, "seconds"}},
		{"no price", Work{Seconds: Exactly(1)}, Problem{Missing, "price_hour"}},
		{"zero seconds", Work{Price: price, Seconds: Exactly(0)}, Problem{Zero, "seconds"}},
		{"nothing accepted", Work{Price: price, Seconds: Exactly(1), Yield: Exactly(0)}, Problem{Zero, "yield"}},
		{"25 of 100 written as 25", Work{Price: price, Seconds: Exactly(1), Yield: Exactly(25)}, Problem{OutOfRange, "yield"}},
		{"zero tokens", Work{Price: price, PerSecond: Exactly(0)}, Problem{Zero, "per_second"}},
	} {
		if _, err := PerUnit(UnitImage, c.work); err != c.want {
			t.Errorf("%s: %v, want %v", c.name, err, c.want)
		}
	}
	if n := len(Units()); n != 10 {
		t.Errorf("%d units, want the 10 of the task catalogue", n)
	}
}
