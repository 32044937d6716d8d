package text

import (
	"strings"
	"unicode/utf8"
)

// A span between two clock times says how long something runs: 9点到18点,
// 9am-6pm, 周一早上九点到周五晚上九点. Only the length is of interest here;
// points in time are another package's.

// instant is a clock time, maybe on a day of the week; -1 is "not said".
type instant struct {
	weekday int
	hour    float64
	half    bool // written with 点, a colon, am or pm: surely a clock
}

// clockSpanAt reads a span that begins at i and returns its hours.
func clockSpanAt(s string, i int) (end int, hours float64, ok bool) {
	c := s[i]
	if !isDigit(c) && c < utf8.RuneSelf && !isLetter(c) || i > 0 && isWord(c) && isWord(s[i-1]) {
		return 0, 0, false
	}
	from, j, ok := instantAt(s, i)
	if !ok {
		return 0, 0, false
	}
	j = spanSep(s, j)
	if j == 0 {
		return 0, 0, false
	}
	to, j, ok := instantAt(s, j)
	if !ok || !from.half && !to.half {
		return 0, 0, false
	}
	if from.hour >= 5 && from.hour < 12 && eveningBefore(s[:i]) {
		from.hour += 12
	}
	return j, between(from, to), true
}

// eveningBefore reports whether a name that ends a text says that what follows is
// in the evening: 每晚10点到早上8点.
func eveningBefore(s string) bool {
	for _, w := range []string{"晚", "晚上", "夜里", "夜间", "傍晚"} {
		if strings.HasSuffix(s, w) {
			return true
		}
	}
	return false
}

// between returns the hours from one instant to the next like the other.
func between(from, to instant) float64 {
	if to.hour < 0 || from.hour < 0 { // 周一到周五: whole days
		if from.weekday < 0 || to.weekday < 0 || from.hour >= 0 || to.hour >= 0 {
			return 0
		}
		return float64((to.weekday-from.weekday+7)%7+1) * 24
	}
	hours := to.hour - from.hour
	if from.weekday >= 0 && to.weekday >= 0 {
		hours += float64((to.weekday-from.weekday+7)%7) * 24
		if hours <= 0 {
			hours += 168
		}
		return hours
	}
	if hours <= 0 {
		hours += 24
	}
	return hours
}

var dayParts = []struct {
	word string
	pm   bool
}{
	{"早上", false}, {"上午", false}, {"清晨", false}, {"凌晨", false}, {"早晨", false}, {"早", false}, {"中午", true}, {"下午", true}, {"傍晚", true}, {"晚上", true}, {"夜里", true}, {"夜间", true}, {"半夜", false}, {"当天", false}, {"次日", false}, {"第二天", false}, {"隔天", false}, {"晚", true},
}

var weekdays = []struct {
	word string
	day  int
}{
	{"周一", 1}, {"周二", 2}, {"周三", 3}, {"周四", 4}, {"周五", 5}, {"周六", 6}, {"周日", 7}, {"周天", 7},
	{"星期一", 1}, {"星期二", 2}, {"星期三", 3}, {"星期四", 4}, {"星期五", 5}, {"星期六", 6}, {"星期日", 7}, {"星期天", 7},
	{"礼拜一", 1}, {"礼拜二", 2}, {"礼拜三", 3}, {"礼拜四", 4}, {"礼拜五", 5}, {"礼拜六", 6}, {"礼拜天", 7}, {"礼拜日", 7},
	{"monday", 1}, {"tuesday", 2}, {"wednesday", 3}, {"thursday", 4}, {"friday", 5}, {"saturday", 6}, {"sunday", 7},
	{"mon", 1}, {"tue", 2}, {"wed", 3}, {"thu", 4}, {"fri", 5}, {"sat", 6}, {"sun", 7},
}

// instantAt reads [weekday] [part of day] hour [minutes] [am|pm].
func instantAt(s string, i int) (at instant, end int, ok bool) {
	at.weekday, at.hour = -1, -1
	for _, w := range weekdays {
		if strings.HasPrefix(s[i:], w.word) && !(isLetter(w.word[0]) && i+len(w.word) < len(s) && isLetter(s[i+len(w.word)])) {
			at.weekday = w.day
			i = skipBlank(s, i+len(w.word))
			break
		}
	}
	if w, hour := namedHour(s, i); w > 0 {
		at.hour, at.half = hour, true
		return at, i + w, true
	}
	pm, part := false, false
	for range 2 { // 第二天早上
		for _, p := range dayParts {
			if strings.HasPrefix(s[i:], p.word) {
				pm, part = p.pm, true
				i = skipBlank(s, i+len(p.word))
				break
			}
		}
	}
	j, hour, clock := hourAt(s, i)
	if !clock && at.weekday < 0 && !part && hour < 0 {
		return at, i, false
	}
	if hour < 0 { // a weekday alone
		return instant{at.weekday, -1, true}, i, at.weekday >= 0
	}
	switch k := skipBlank(s, j); {
	case strings.HasPrefix(s[k:], "pm") && hour < 12:
		hour, clock, j = hour+12, true, k+2
	case strings.HasPrefix(s[k:], "am"), strings.HasPrefix(s[k:], "pm"):
		clock, j = true, k+2
	case pm && hour < 12:
		hour += 12
	}
	if hour > 24 {
		return at, i, false
	}
	at.hour, at.half = hour, clock
	return at, j, true
}

// namedHour returns the length of a word that is an hour by itself, and the
// hour: noon, 中午, midnight. With a figure behind it 中午 is only the part of the
// day.
func namedHour(s string, i int) (length int, hour float64) {
	for _, w := range []struct {
		word string
		hour float64
	}{{"noon", 12}, {"midday", 12}, {"midnight", 24}, {"中午", 12}, {"正午", 12}, {"午夜", 24}} {
		if !strings.HasPrefix(s[i:], w.word) {
			continue
		}
		end := i + len(w.word)
		if isLetter(w.word[0]) && end < len(s) && isWord(s[end]) {
			continue
		}
		if _, h, clock := hourAt(s, end); h >= 0 && (clock || isDigit(s[end])) {
			continue
		}
		return len(w.word), w.hour
	}
	return 0, 0
}

// hourAt reads 9点, 九点半, 9:30, 18时 or a bare 9; -1 when there is none.
func hourAt(s string, i int) (end int, hour float64, clock bool) {
	if i >= len(s) {
		return i, -1, false
	}
	var n number
	switch {
	case isDigit(s[i]):
		j := i
		for j < len(s) && isDigit(s[j]) {
			j++
		}
		if j-i > 2 {
			return i, -1, false
		}
		n = digitsAt(s[:j], i)
	case s[i] >= utf8.RuneSelf:
		j := i
		for j < len(s) { // up to 点, which numeralEnd could take for a decimal point
			r, size := utf8.DecodeRuneInString(s[j:])
			if r != '十' && r != '两' && (numeralDigits[r] == 0 || r == '俩' || r == '仨') {
				break
			}
			j += size
		}
		if j > i {
			n = numeral(s[i:j])
			n.end = j
		}
	}
	if !n.ok || n.lo != n.hi || n.lo > 24 {
		return i, -1, false
	}
	return minutesAt(s, n.end, n.lo)
}

func minutesAt(s string, i int, hour float64) (end int, at float64, clock bool) {
	switch {
	case strings.HasPrefix(s[i:], "点钟"):
		return i + len("点钟"), hour, true
	case strings.HasPrefix(s[i:], "点半"):
		return i + len("点半"), hour + 0.5, true
	case strings.HasPrefix(s[i:], "点"):
		return i + len("点"), hour, true
	case strings.HasPrefix(s[i:], "时"):
		return i + len("时"), hour, true
	case i+2 < len(s) && s[i] == ':' && isDigit(s[i+1]) && isDigit(s[i+2]):
		return i + 3, hour + (float64(s[i+1]-'0')*10+float64(s[i+2]-'0'))/60, true
	}
	return i, hour, false
}

// spanSep returns the end of what joins the ends of a span, or 0.
func spanSep(s string, i int) int {
	i = skipBlank(s, i)
	for _, w := range []string{"-", "~", "到", "至", "开到", "跑到", "用到", "一直到", "直到", "to ", "'til ", "til ", "till ", "until ", "through ", "thru "} {
		if strings.HasPrefix(s[i:], w) {
			if end := skipBlank(s, i+len(w)); end < len(s) {
				return end
			}
		}
	}
	return 0
}
