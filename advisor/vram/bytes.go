package vram

import "math"

// Units of memory in bytes. Makers and papers count in GB, drivers in MiB.
const (
	MiB = 1 << 20
	GiB = 1 << 30

	gb      = 1e9
	billion = 1e9
)

// most bounds what we call a number of bytes: larger inputs are nonsense, and
// the bound keeps every sum inside an int64.
const most = 1 << 60

// whole turns computed bytes into a count, whatever came in.
func whole(b float64) int64 {
	switch {
	case !(b > 0): // also NaN
		return 0
	case b >= most:
		return most
	}
	return int64(b)
}

// known returns x when it is a usable positive number, else 0, so that one
// strange input cannot make a whole estimate NaN.
func known(x float64) float64 {
	if !(x > 0) || x > 1e12 {
		return 0
	}
	return x
}

// count is a non-negative whole number as a float, bounded.
func count(n int) float64 {
	return float64(min(max(n, 0), 1<<40))
}

// smoothMax is the peak of two terms whose blocks cannot reuse each other's
// memory completely: a little above the larger one (Euclidean norm).
func smoothMax(a, b float64) float64 { return math.Hypot(a, b) }
