package text

import (
	"strings"
	"unicode/utf8"
)

// A day of the calendar is no length: the 12月 of 12月3号 are not twelve months.
// Two of them say how long something runs, both ends counted, as 周一到周五 does.

// date is a day of a month; month 0 is "not said".
type date struct{ month, day int }

var monthDays = [...]int{0, 31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31}

var monthNames = []string{"january", "february", "march", "april", "may", "june", "july", "august", "september", "october", "november", "december"}

// datesAt reads a date that begins at i, or a span of two. A date alone is one
// of the Things.
func datesAt(s string, i int) (Quantity, bool) {
	if i > 0 && isWord(s[i]) && isWord(s[i-1]) {
		return Quantity{}, false
	}
	from, end, ok := dateAt(s, i)
	if !ok {
		return Quantity{}, false
	}
	q := Quantity{Start: i, End: end, Lo: 1, Hi: 1, Unit: Things}
	sep := dateSep(s, end)
	if sep == 0 {
		return q, from.month > 0
	}
	if strings.HasPrefix(s[sep:], "the ") && sep+4 < len(s) {
		sep += 4
	}
	to, last, ok := dateAt(s, sep)
	if !ok {
		to, last, ok = dayAt(s, sep, from)
	}
	days := float64(daysBetween(from, to) + 1)
	if !ok || days > 300 { // the second lies before the first
		return q, from.month > 0
	}
	return Quantity{Start: i, End: last, Lo: days * 24, Hi: days * 24, Unit: Hours}, true
}

// dateSep returns the end of what joins the ends of a span of dates, or 0.
func dateSep(s string, i int) int {
	for _, w := range []string{"开始", "起", "租", "跑", "用"} { // 从12月3号跑到20号
		if strings.HasPrefix(s[i:], w) {
			i += len(w)
			break
		}
	}
	for _, w := range []string{"and ", "&"} {
		if j := skipBlank(s, i); strings.HasPrefix(s[j:], w) {
			return 0
		}
	}
	return spanSep(s, i)
}

// dateAt reads 12月3号, Dec 3rd, "3 Dec", and 3号 without its month.
func dateAt(s string, i int) (d date, end int, ok bool) {
	if i < len(s) && isLetter(s[i]) {
		return monthFirst(s, i)
	}
	n, end := smallAt(s, i)
	if n == 0 {
		return date{}, i, false
	}
	if rest, found := strings.CutPrefix(s[end:], "月"); found && n <= 12 {
		day, dayEnd := smallAt(s, len(s)-len(rest))
		if day == 0 || day > 31 {
			return date{}, i, false
		}
		if dayEnd, ok = dayMark(s, dayEnd); !ok {
			return date{}, i, false
		}
		return date{n, day}, dayEnd, true
	}
	if markEnd, marked := dayMark(s, end); marked && n <= 31 {
		return date{0, n}, markEnd, strings.HasPrefix(s[end:], "号")
	}
	if !isDigit(s[i]) || n > 31 {
		return date{}, i, false
	}
	month, monthEnd := monthNamed(s, skipBlank(s, ordinal(s, end)))
	if month == 0 {
		return date{}, i, false
	}
	return date{month, n}, monthEnd, true
}

// monthFirst reads "Dec 3" and "December 3rd".
func monthFirst(s string, i int) (d date, end int, ok bool) {
	month, end := monthNamed(s, i)
	if month == 0 {
		return date{}, i, false
	}
	j := skipBlank(s, end)
	if j == end || j == len(s) || !isDigit(s[j]) {
		return date{}, i, false
	}
	day, dayEnd := smallAt(s, j)
	if dayEnd = ordinal(s, dayEnd); day == 0 || day > 31 || dayEnd < len(s) && isWord(s[dayEnd]) {
		return date{}, i, false
	}
	return date{month, day}, dayEnd, true
}

// dayAt reads the end of a span whose month was said with its beginning: "Dec 3
// to 20", 12月3号到20.
func dayAt(s string, i int, from date) (d date, end int, ok bool) {
	if from.month == 0 || !isDigit(s[i]) {
		return date{}, i, false
	}
	day, end := smallAt(s, i)
	if end = ordinal(s, end); day <= from.day || day > 31 || end < len(s) && s[end] != ' ' && s[end] != ',' && s[end] != ';' && s[end] != ')' {
		return date{}, i, false
	}
	if _, _, unit := unitAt(s, skipBlank(s, end)); unit {
		return date{}, i, false
	}
	return date{from.month, day}, end, true
}

// smallAt reads a whole number below a hundred; 0 when there is none.
func smallAt(s string, i int) (n, end int) {
	if i >= len(s) {
		return 0, i
	}
	end = i
	if isDigit(s[i]) {
		for end < len(s) && isDigit(s[end]) && end-i < 3 {
			n, end = n*10+int(s[end]-'0'), end+1
		}
	} else {
		for end < len(s) {
			r, size := utf8.DecodeRuneInString(s[end:])
			if _, digit := numeralDigits[r]; !digit && r != '十' || r == '两' || r == '俩' || r == '仨' {
				break
			}
			end += size
		}
		if end > i {
			n = int(numeral(s[i:end]).lo)
		}
	}
	if n > 99 || n < 0 {
		return 0, i
	}
	return n, end
}

// dayMark returns the end of 号 or 日 at i where it names a day, not a thing with
// a number: 3号机.
func dayMark(s string, i int) (end int, ok bool) {
	for _, mark := range []string{"号", "日"} {
		if rest, found := strings.CutPrefix(s[i:], mark); found {
			for _, thing := range []string{"机", "卡", "楼", "线", "店", "人", "员工", "元", "语", "本"} {
				if strings.HasPrefix(rest, thing) {
					return i, false
				}
			}
			return len(s) - len(rest), true
		}
	}
	return i, false
}

// monthNamed reads the English name of a month, whole or its first letters.
func monthNamed(s string, i int) (month, end int) {
	w := wordAt(s, i)
	for m, name := range monthNames {
		if w != "" && (w == name || w == name[:3] || w == "sept" && m == 8) {
			end = i + len(w)
			if end < len(s) && s[end] == '.' {
				end++
			}
			return m + 1, end
		}
	}
	return 0, i
}

// ordinal skips the letters of 3rd and 20th.
func ordinal(s string, i int) int {
	for _, w := range []string{"st", "nd", "rd", "th"} {
		if strings.HasPrefix(s[i:], w) && (i+2 == len(s) || !isWord(s[i+2])) {
			return i + 2
		}
	}
	return i
}

// daysBetween counts the days from one date to the next like the other.
func daysBetween(from, to date) int {
	switch {
	case to.month == 0 && from.month == 0:
		return (to.day - from.day + 30) % 30
	case to.month == 0:
		if to.month = from.month; to.day < from.day {
			to.month = from.month%12 + 1
		}
	case from.month == 0:
		if from.month = to.month; from.day > to.day {
			from.month = (to.month+10)%12 + 1
		}
	}
	return (dayOfYear(to) - dayOfYear(from) + 365) % 365
}

func dayOfYear(d date) int {
	n := d.day
	for m := 1; m < d.month; m++ {
		n += monthDays[m]
	}
	return n
}
