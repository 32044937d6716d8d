package when

import (
	"math"
	"strconv"
)

// number is a number as written. upto is not v for one of two: 两三 is 2 to 3.
type number struct {
	v, upto float64
	width   int  // digits written with 0-9; 0 for number words
	zero    bool // begins with a written 0
}

const huge = 1e12 // numbers saturate here: still far beyond any date

// digits reads a run of 0-9 starting at i, or one with an exponent.
func digits(r []rune, i int) (number, int) {
	if n, j, ok := scientific(r, i); ok {
		return n, j
	}
	j, v := i, 0.0
	for ; j < len(r) && isDigit(r[j]); j++ {
		v = math.Min(v*10+float64(r[j]-'0'), huge)
	}
	return number{v: v, upto: v, width: j - i, zero: r[i] == '0'}, j
}

// scientific reads 1e3 and 2.5e4. Nobody writes an hour so: its width is 0.
func scientific(r []rune, i int) (n number, next int, ok bool) {
	figures := func(j int) int {
		for j < len(r) && isDigit(r[j]) {
			j++
		}
		return j
	}
	j := figures(i)
	if j+1 < len(r) && r[j] == '.' && isDigit(r[j+1]) {
		j = figures(j + 1)
	}
	if j == len(r) || r[j] != 'e' {
		return n, i, false
	}
	j++
	if j < len(r) && (r[j] == '+' || r[j] == '-') {
		j++
	}
	end := figures(j)
	if end == j || end < len(r) && isLetter(r[end]) {
		return n, i, false
	}
	v, _ := strconv.ParseFloat(string(r[i:end]), 64) // out of range it is infinite
	v = math.Min(v, huge)
	return number{v: v, upto: v}, end, true
}

var hanDigits = map[rune]float64{'零': 0, '〇': 0, '一': 1, '二': 2, '两': 2, '三': 3, '四': 4, '五': 5, '六': 6, '七': 7, '八': 8, '九': 9}
var hanTens = map[rune]float64{'十': 10, '百': 100, '千': 1000, '万': 10000, '廿': 20, '卅': 30}

func isHanNumeral(c rune) bool {
	_, digit := hanDigits[c]
	_, ten := hanTens[c]
	return digit || ten
}

// hanNumber reads a run of Chinese numerals starting at i: 三十五, 一百零二, the
// digit by digit 二〇二六, and the pairs 两三, 三五 that mean "one of them".
func hanNumber(r []rune, i int) (number, int) {
	j := i
	tens := false
	for ; j < len(r) && isHanNumeral(r[j]); j++ {
		_, ten := hanTens[r[j]]
		tens = tens || ten
	}
	run := r[i:j]
	if tens {
		v := hanSum(run)
		return number{v: v, upto: v}, j
	}
	v := 0.0
	for _, c := range run {
		v = math.Min(v*10+hanDigits[c], huge)
	}
	n := number{v: v, upto: v, zero: hanDigits[run[0]] == 0}
	if len(run) == 2 && !n.zero && hanDigits[run[1]] > hanDigits[run[0]] {
		n.v, n.upto = hanDigits[run[0]], hanDigits[run[1]]
	}
	return n, j
}

// hanSum adds up a numeral written with 十 百 千 万.
func hanSum(run []rune) float64 {
	sum, digit := 0.0, -1.0
	for _, c := range run {
		if d, ok := hanDigits[c]; ok {
			digit = d
			continue
		}
		ten := hanTens[c]
		switch {
		case c == '万':
			sum = (sum + math.Max(digit, 0)) * ten
		case c == '廿' || c == '卅':
			sum += ten
		case digit < 0:
			sum += ten
		default:
			sum += digit * ten
		}
		digit = -1
		sum = math.Min(sum, huge)
	}
	return sum + math.Max(digit, 0)
}

// positional gives the value that a pair such as 三五 has when read digit by
// digit, as minutes are: 九点三五.
func (n number) positional() float64 {
	if n.upto != n.v {
		return n.v*10 + n.upto
	}
	return n.v
}
