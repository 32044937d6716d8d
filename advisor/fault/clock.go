package fault

import (
	"regexp"
	"strconv"
	"strings"
)

// stamp is when a line was written, as far as the line says. Two kinds of clock
// occur in logs, and only stamps of one kind compare: wall time, and seconds
// since the machine started (dmesg without -T).
type stamp struct {
	known  bool
	uptime bool
	year   int // 0 when the format has none
	sec    int // since the start of the year (months of 31 days), or of the machine
	text   string
}

var (
	clockISO    = regexp.MustCompile(`\b(20\d\d)[-/](\d\d)[-/](\d\d)[T _-](\d\d):(\d\d):(\d\d)`)
	clockDmesg  = regexp.MustCompile(`\[?[A-Z][a-z]{2} ([A-Z][a-z]{2}) {1,2}(\d{1,2}) (\d\d):(\d\d):(\d\d)(?: [A-Z]{3,4})? (20\d\d)`)
	clockSyslog = regexp.MustCompile(`\b([A-Z][a-z]{2}) {1,2}(\d{1,2}) (\d\d):(\d\d):(\d\d)\b`)
	clockGlog   = regexp.MustCompile(`\b[IWEF](\d{1,2})(\d\d) (\d\d):(\d\d):(\d\d)`)
	clockVLLM   = regexp.MustCompile(`\b(\d\d)-(\d\d) (\d\d):(\d\d):(\d\d)\b`)
	clockUptime = regexp.MustCompile(`^\W{0,3}\[ *(\d{1,9})\.\d{3,6}\]`)
)

// months in the order of the calendar, for syslog and dmesg -T.
const months = "JanFebMarAprMayJunJulAugSepOctNovDec"

// stampOf finds the time in a line. The formats are tried from the most to the
// least telling.
func stampOf(s string) stamp {
	if len(s) > 400 {
		s = s[:400]
	}
	if m := clockISO.FindStringSubmatch(s); m != nil {
		return wall(m[0], number(m[1]), number(m[2]), m[3], m[4], m[5], m[6])
	}
	if m := clockDmesg.FindStringSubmatch(s); m != nil {
		return wall(m[0], number(m[6]), month(m[1]), m[2], m[3], m[4], m[5])
	}
	if m := clockSyslog.FindStringSubmatch(s); m != nil && month(m[1]) > 0 {
		return wall(m[0], 0, month(m[1]), m[2], m[3], m[4], m[5])
	}
	if m := clockGlog.FindStringSubmatch(s); m != nil {
		return wall(m[0], 0, number(m[1]), m[2], m[3], m[4], m[5])
	}
	if m := clockVLLM.FindStringSubmatch(s); m != nil {
		return wall(m[0], 0, number(m[1]), m[2], m[3], m[4], m[5])
	}
	if m := clockUptime.FindStringSubmatch(s); m != nil {
		return stamp{known: true, uptime: true, sec: number(m[1]), text: m[0]}
	}
	return stamp{}
}

func wall(text string, year, month int, day, h, m, s string) stamp {
	sec := ((month*31+number(day))*24+number(h))*3600 + number(m)*60 + number(s)
	return stamp{known: true, year: year, sec: sec, text: strings.Trim(text, "[] ")}
}

func month(name string) int {
	i := strings.Index(months, name)
	if i < 0 || i%3 != 0 {
		return 0
	}
	return i/3 + 1
}

func number(s string) int {
	n, _ := strconv.Atoi(s) // digits only, by the expressions that found them
	return n
}

// before returns by how many seconds a is earlier than b, and whether the two
// compare at all.
func (a stamp) before(b stamp) (seconds int, ok bool) {
	if !a.known || !b.known || a.uptime != b.uptime {
		return 0, false
	}
	if a.year != 0 && b.year != 0 && a.year != b.year {
		return (b.year-a.year)*366*86400 + b.sec - a.sec, true
	}
	return b.sec - a.sec, true
}
