package cost

import (
	"slices"
	"time"
)

// Query picks prices: one card in one currency, on demand or interruptible,
// from one kind of platform or from all.
type Query struct {
	Card     string
	Currency Currency
	Kind     string // platform id; "" is all kinds
	Spot     bool
}

// Band is what the believable prices of a card come to, per card. Low and high
// are the ends of all rows, likely is the median of all their ends.
type Band struct {
	Query
	Hour      Estimate // one card for one hour; zero when none is quoted
	Month     Estimate // one card for one month; zero when none is quoted
	Oldest    Date     // of the rows used
	Age       Age      // of Oldest
	Sources   []string // of the rows used, sorted
	Claimants []string // who says so, sorted; empty when price lists say it
	Providers []string // places, sorted
	Origin    Origin   // of the rows used
	Rows      int      // how many
}

// Stale reports that the band is shown, marked, and ranks nothing.
func (b Band) Stale() bool { return !b.Age.Ranks() }

// BreakEvens is Price.BreakEvens over the band.
func (b Band) BreakEvens() (low, high BreakEven, ok bool) { return breakEvens(b.Hour, b.Month) }

// BandOf makes the band of a query as of now. ok is false when no usable price
// fits.
//
// Rows of the origin nearest to the user are used alone: imported beats
// bundled. Of these, rows that are fresh or ageing push out stale ones, and
// where all are stale the newest push out those that are AgeingDays older, so
// that one old row does not spoil the rest. Claims of one seller, inconsistent
// and undated rows never count.
func BandOf(prices []Price, q Query, now time.Time) (Band, bool) {
	rows := nearest(prices, q, now)
	if len(rows) == 0 {
		return Band{}, false
	}
	b := Band{Query: q, Oldest: rows[0].AsOf, Origin: rows[0].Origin, Rows: len(rows)}
	for _, p := range rows {
		if p.AsOf.Before(b.Oldest) {
			b.Oldest = p.AsOf
		}
		b.Sources = insert(b.Sources, p.Source)
		b.Providers = insert(b.Providers, p.Provider)
		if p.Claimant != "" {
			b.Claimants = insert(b.Claimants, p.Claimant)
		}
	}
	b.Age = AgeOf(b.Oldest, now)
	b.Hour = ends(rows, Price.Hour)
	b.Month = ends(rows, Price.Month)
	return b, true
}

// Bands makes a band for every kind of platform, currency and way of renting
// that has usable prices of the card, in a fixed order.
func Bands(prices []Price, card string, now time.Time) []Band {
	var queries []Query
	for _, p := range prices {
		q := Query{p.Card, p.Currency, p.Kind, p.Spot}
		if p.Card == card && p.Usable() && !slices.Contains(queries, q) {
			queries = append(queries, q)
		}
	}
	slices.SortFunc(queries, compareQueries)
	var bands []Band
	for _, q := range queries {
		var same []Price
		for _, p := range prices {
			if p.Kind == q.Kind {
				same = append(same, p)
			}
		}
		if b, ok := BandOf(same, q, now); ok {
			bands = append(bands, b)
		}
	}
	return bands
}

func compareQueries(a, b Query) int {
	rank := func(q Query) string {
		spot := "0"
		if q.Spot {
			spot = "1"
		}
		return string(q.Currency) + "\x00" + spot + q.Kind
	}
	switch x, y := rank(a), rank(b); {
	case x < y:
		return -1
	case x > y:
		return 1
	}
	return 0
}

// nearest returns the rows that a band is made of.
func nearest(prices []Price, q Query, now time.Time) []Price {
	var rows []Price
	origin, newest := -1, 0 // days old
	for _, p := range prices {
		if !q.fits(p) || !p.Usable() || AgeOf(p.AsOf, now) == None {
			continue
		}
		near, days := p.Origin.nearness(), p.AsOf.DaysAt(now)
		if near > origin {
			rows, origin, newest = nil, near, days
		}
		if near == origin {
			rows = append(rows, p)
			newest = min(newest, days)
		}
	}
	oldest := AgeingDays
	if newest > AgeingDays {
		oldest = newest + AgeingDays
	}
	return slices.DeleteFunc(rows, func(p Price) bool { return p.AsOf.DaysAt(now) > oldest })
}

func (q Query) fits(p Price) bool {
	return p.Card == q.Card && p.Currency == q.Currency && p.Spot == q.Spot && (q.Kind == "" || q.Kind == p.Kind)
}

// ends is the lowest, the median and the highest end of the rows.
func ends(rows []Price, of func(Price) Estimate) Estimate {
	var all []Amount
	currency := Currency("")
	for _, p := range rows {
		if e := of(p); e.Given() {
			all = append(all, e.Low, e.High)
			currency = e.Currency
		}
	}
	if len(all) == 0 {
		return Estimate{}
	}
	slices.Sort(all)
	n := len(all) // even
	return Estimate{all[0], middle(all[n/2-1], all[n/2]), all[n-1], currency}
}

func insert(sorted []string, s string) []string {
	i, found := slices.BinarySearch(sorted, s)
	if found {
		return sorted
	}
	return slices.Insert(sorted, i, s)
}

// OutlierFactor is how far a price may lie from the median of its card before
// an importer should ask: placeholder and mistyped prices in public catalogues
// were off by more.
const OutlierFactor = 5
