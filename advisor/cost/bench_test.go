package cost

import (
	"strconv"
	"testing"
)

func BenchmarkFinish(b *testing.B) {
	j := Job{
		Price: Estimate{1_320_000, 2 * One, 2_680_000, CNY}, Cards: Exactly(4), Run: Between(60, 90),
		Setup: Between(0.5, 2), Download: Exactly(1), Debug: Between(1, 5),
		Disk: Disk{GB: Exactly(200), FreeGB: 50, PerGBMonth: Yuan(0.3)}, Net: Net{GB: Exactly(50), PerGB: Yuan(0.8)},
		Success: Between(0.7, 0.95), Kept: Exactly(0.8), Wage: Yuan(80), Human: Exactly(2),
	}
	b.ReportAllocs()
	for b.Loop() {
		if _, err := Finish(j); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkCompare(b *testing.B) {
	ask := Comparison{RunHours: 300, HoursPerDay: 8, Offers: []Offer{
		{ID: "hourly", Per: PerHour, Price: Yuan(1.32)}, {ID: "daily", Per: PerDay, Price: Yuan(28)},
		{ID: "monthly", Per: PerMonth, Price: Yuan(950)}, {ID: "bare_metal", Per: PerMonth, Price: Yuan(900), Setup: 24, Once: Yuan(200), Least: 3},
	}}
	b.ReportAllocs()
	for b.Loop() {
		if _, err := Compare(ask); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkBandOf looks up one card among as many prices as a large import
// has.
func BenchmarkBandOf(b *testing.B) {
	var prices []Price
	for i := range 1000 {
		prices = append(prices, seed("card-"+strconv.Itoa(i%60), 1, 1+float64(i%7)/10, 3, 0, 0))
	}
	b.ReportAllocs()
	for b.Loop() {
		if _, ok := BandOf(prices, Query{Card: "card-7", Currency: CNY}, november); !ok {
			b.Fatal("no band")
		}
	}
}
