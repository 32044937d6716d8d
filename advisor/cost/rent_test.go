package cost

import (
	"math"
	"testing"
)

func TestCardHoursAndRent(t *testing.T) {
	p4090 := seed("rtx-4090", 1, 1.32, 2.68, 0, 0).Hour()
	for _, c := range []struct {
		name         string
		cards, hours Span
		price        Estimate
		cardHours    Span
		want         string // low likely high
	}{
		{"three 4090 for five days", Exactly(3), Exactly(120), p4090, Exactly(360), "475.20 720.00 964.80"},
		{"a month of one A100 40 GB", Exactly(1), Exactly(720), seed("a", 1, 4.9, 19.9, 0, 0).Hour(), Exactly(720), "3528.00 8928.00 14328.00"},
		{"the user's own price", Exactly(2), Exactly(108), Fixed(Yuan(2.3)), Exactly(216), "496.80 496.80 496.80"},
		{"two to four cards, three to five days", Between(2, 4), Between(72, 120), Fixed(Dollars(2)), Three(144, 288, 480), "288.00 576.00 960.00"},
		{"half an hour", Exactly(1), Exactly(0.5), Fixed(Dollars(2.49)), Exactly(0.5), "1.25 1.25 1.25"},
	} {
		n, err := CardHours(c.cards, c.hours)
		if err != nil || n != c.cardHours {
			t.Errorf("%s: %v card-hours, %v; want %v", c.name, n, err, c.cardHours)
		}
		e, err := Rent(c.price, n)
		if got := e.Low.Round(2) + " " + e.Likely.Round(2) + " " + e.High.Round(2); got != c.want || err != nil || e.Currency != c.price.Currency {
			t.Errorf("%s: %s %s, %v; want %s", c.name, got, e.Currency, err, c.want)
		}
	}
}

func TestRentProblems(t *testing.T) {
	one := Exactly(1)
	for _, c := range []struct {
		name         string
		cards, hours Span
		want         Problem
	}{
		{"no hours", one, Span{}, Problem{Missing, "hours"}},
		{"negative hours", one, Exactly(-3), Problem{Negative, "hours"}},
		{"zero hours", one, Exactly(0), Problem{Zero, "hours"}},
		{"a century", one, Exactly(876_600), Problem{Absurd, "hours"}},
		{"reversed", one, Between(5, 3), Problem{Reversed, "hours"}},
		{"likely outside", one, Three(1, 9, 3), Problem{Reversed, "hours"}},
		{"NaN", one, Exactly(math.NaN()), Problem{NotANumber, "hours"}},
		{"endless", one, Exactly(math.Inf(1)), Problem{NotANumber, "hours"}},
		{"no cards", Span{}, one, Problem{Missing, "cards"}},
		{"zero cards", Exactly(0), one, Problem{Zero, "cards"}},
		{"half a card", Exactly(0.5), one, Problem{Absurd, "cards"}},
		{"a billion cards", Exactly(1e9), one, Problem{Absurd, "cards"}},
	} {
		if _, err := CardHours(c.cards, c.hours); err != c.want {
			t.Errorf("%s: %v, want %v", c.name, err, c.want)
		}
	}
	for _, c := range []struct {
		name  string
		price Estimate
		want  Problem
	}{
		{"no price", Estimate{}, Problem{Missing, "price_hour"}},
		{"free", Estimate{Currency: CNY}, Problem{Zero, "price_hour"}},
		{"negative", Fixed(Yuan(-1)), Problem{Negative, "price_hour"}},
		{"a fen", Fixed(Yuan(0.01)), Problem{Absurd, "price_hour"}},
		{"a fortune", Fixed(Yuan(100_000)), Problem{Absurd, "price_hour"}},
		{"pounds", Fixed(Money{One, "GBP"}), Problem{UnknownCurrency, "price_hour"}},
		{"reversed", Estimate{2 * One, 2 * One, One, CNY}, Problem{Reversed, "price_hour"}},
	} {
		if _, err := Rent(c.price, one); err != c.want {
			t.Errorf("%s: %v, want %v", c.name, err, c.want)
		}
	}
}

// "300 元能跑什么", "$200, how many H100 hours".
func TestHoursFor(t *testing.T) {
	got, err := HoursFor(Dollars(200), Estimate{2 * One, 2_500_000, 4 * One, USD})
	if want := Three(50, 80, 100); got != want || err != nil {
		t.Errorf("$200: %v, %v; want %v", got, err, want)
	}
	got, err = HoursFor(Yuan(300), seed("rtx-4090", 1, 1.32, 2.68, 0, 0).Hour())
	if err != nil {
		t.Fatal(err)
	}
	near(t, "few", got.Low, 111.9, 0.05)
	near(t, "likely", got.Likely, 150, 1e-9)
	near(t, "many", got.High, 227.3, 0.05)
	if _, err := HoursFor(Dollars(1), Fixed(Yuan(1))); err != (Problem{MixedCurrency, "budget"}) {
		t.Errorf("dollars for yuan: %v", err)
	}
	if _, err := HoursFor(Yuan(-5), Fixed(Yuan(1))); err != (Problem{Negative, "budget"}) {
		t.Errorf("minus five: %v", err)
	}
}

// S4-38: 2.00 at 70 % is 2.86, ×1.43.
func TestEffective(t *testing.T) {
	got, err := Effective(Yuan(2), 0.7)
	if err != nil || got.Amount.Round(2) != "2.86" {
		t.Errorf("2.00 at 70 %% = %v, %v; want 2.86", got.Amount, err)
	}
	got, _ = Effective(Yuan(1), 0.7)
	if got.Amount.Round(2) != "1.43" {
		t.Errorf("factor %v, want 1.43", got.Amount)
	}
	for share, code := range map[float64]Code{0: Zero, -1: Negative, 1.2: OutOfRange, 70: OutOfRange, math.NaN(): NotANumber} {
		if _, err := Effective(Yuan(2), share); codeOf(err) != code {
			t.Errorf("delivered %g: %v, want %q", share, err, code)
		}
	}
}

func TestIdleAndStoppedDisk(t *testing.T) {
	if got, err := Idle(Yuan(2.3), 2, 12); got != Yuan(55.2) || err != nil {
		t.Errorf("two cards asleep for a night: %v, %v; want 55.20", got, err)
	}
	if got, err := StoppedDisk(100, Dollars(0.2), 30); got != Dollars(20) || err != nil {
		t.Errorf("100 GB for a month: %v, %v; want 20", got, err)
	}
	if got, err := StoppedDisk(50, Dollars(0.2), 3); got != Dollars(1) || err != nil {
		t.Errorf("50 GB for three days: %v, %v; want 1", got, err)
	}
	if _, err := StoppedDisk(-1, Dollars(0.2), 3); err != (Problem{Negative, "disk_gb"}) {
		t.Errorf("minus one GB: %v", err)
	}
	if _, err := StoppedDisk(1, Money{One, "EUR"}, 3); err != (Problem{UnknownCurrency, "disk_rate"}) {
		t.Errorf("euro: %v", err)
	}
}

func TestRunway(t *testing.T) {
	burn, err := Burn(Yuan(2), 4, 720, Yuan(1))
	if err != nil || burn != Yuan(9) {
		t.Fatalf("Burn = %v, %v; want 8 for the cards and 1 for the disk", burn, err)
	}
	if got, err := Runway(Yuan(450), burn); got != 50 || err != nil {
		t.Errorf("Runway = %v, %v; want 50", got, err)
	}
	if got, err := Runway(Yuan(0), burn); got != 0 || err != nil {
		t.Errorf("empty balance: %v, %v; want 0", got, err)
	}
	for _, c := range []struct {
		name          string
		balance, burn Money
		want          Problem
	}{
		{"nothing burns", Yuan(1), Money{}, Problem{Zero, "burn"}},
		{"debt", Yuan(-1), Yuan(1), Problem{Negative, "balance"}},
		{"two currencies", Dollars(1), Yuan(1), Problem{MixedCurrency, "balance"}},
	} {
		if _, err := Runway(c.balance, c.burn); err != c.want {
			t.Errorf("%s: %v, want %v", c.name, err, c.want)
		}
	}
}

// The lines of decision table 8.
func TestUploadHours(t *testing.T) {
	for _, c := range []struct {
		gb, mbps, efficiency, want, eps float64
	}{
		{100, 20, 1, 11.1, 0.05}, {100, 100, 1, 2.2, 0.05}, {100, 1000, 1, 0.22, 0.005},
		{1000, 20, 1, 111, 0.5}, {1000, 100, 1, 22.2, 0.05}, {1000, 1000, 1, 2.2, 0.05},
		{10000, 20, 1, 1111, 0.5}, {10000, 100, 1, 222, 0.5}, {10000, 1000, 1, 22, 0.5},
		{300, 20, Efficiency, 41.7, 0.05},
	} {
		got, err := UploadHours(c.gb, c.mbps, c.efficiency)
		if err != nil {
			t.Errorf("%+v: %v", c, err)
		}
		near(t, "upload hours", got, c.want, c.eps)
	}
	for _, c := range []struct {
		gb, mbps, efficiency float64
		want                 Problem
	}{
		{-1, 100, 1, Problem{Negative, "data_gb"}},
		{1e12, 100, 1, Problem{Absurd, "data_gb"}},
		{1, 0, 1, Problem{Zero, "upload_mbps"}},
		{1, 100, 1.1, Problem{OutOfRange, "efficiency"}},
	} {
		if _, err := UploadHours(c.gb, c.mbps, c.efficiency); err != c.want {
			t.Errorf("%+v: %v", c, err)
		}
	}
}

func TestTransferOf(t *testing.T) {
	for _, c := range []struct {
		upload, run float64
		want        Transfer
	}{{41.7, 12, TransferDominates}, {2, 2, TransferFine}, {0, 1, TransferFine}} {
		if got := TransferOf(c.upload, c.run); got != c.want {
			t.Errorf("TransferOf(%v, %v) = %s, want %s", c.upload, c.run, got, c.want)
		}
	}
}

func TestDiskGB(t *testing.T) {
	if got, err := DiskGB(100, 20, 40, 2); got != 260 || err != nil {
		t.Errorf("DiskGB = %v, %v; want 260", got, err)
	}
	if _, err := DiskGB(1, 1, 1, -1); err != (Problem{Negative, "kept"}) {
		t.Errorf("minus one checkpoint: %v", err)
	}
}
