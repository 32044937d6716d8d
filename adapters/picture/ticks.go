package picture

import (
	"math"
	"strconv"
	"strings"
)

// ticks are round numbers from 0 up to most, about n of them.
func ticks(most float64, n int) []float64 {
	step := roundStep(most / float64(n))
	var out []float64
	for i := 0; float64(i)*step <= most*1.0001 && i <= 4*n; i++ {
		out = append(out, float64(i)*step)
	}
	return out
}

// roundStep is the nearest of 1, 2, 2.5 or 5 times a power of ten.
func roundStep(v float64) float64 {
	if v <= 0 || math.IsInf(v, 0) || math.IsNaN(v) {
		return 1
	}
	power := math.Pow(10, math.Floor(math.Log10(v)))
	best := power
	for _, m := range []float64{1, 2, 2.5, 5, 10} {
		if math.Abs(math.Log(m*power/v)) < math.Abs(math.Log(best/v)) {
			best = m * power
		}
	}
	return best
}

// figure writes a number of an axis: at most three digits behind the point,
// thousands apart.
func figure(v float64) string {
	s := strconv.FormatFloat(v, 'f', 3, 64)
	if math.Abs(v) >= 1000 {
		s = strconv.FormatFloat(v, 'f', 0, 64)
	}
	if strings.ContainsRune(s, '.') {
		s = strings.TrimRight(strings.TrimRight(s, "0"), ".")
	}
	whole, rest, point := strings.Cut(s, ".")
	for i := len(whole) - 3; i > 0 && whole[i-1] != '-'; i -= 3 {
		whole = whole[:i] + "," + whole[i:]
	}
	if point {
		return whole + "." + rest
	}
	return whole
}
