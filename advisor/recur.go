package advisor

import (
	"fmt"
	"strconv"
	"strings"
	"time"
)

// again says a recurring rule in words: 每周一、周三 09:00, "every 2 weeks on
// Monday at 09:00"; nobody is shown a rule as machines write it. What the rule
// leaves open is as in the occurrence at.
func (b *Rulebook) again(lang, rrule string, zone *time.Location, at time.Time) string {
	if rrule == "" {
		return ""
	}
	r := ruleParts(rrule)
	local := at.In(zone)
	n, _ := strconv.Atoi(r["INTERVAL"])
	key, pairs := "again."+strings.ToLower(r["FREQ"]), []any{"n", n}
	switch r["FREQ"] {
	case "MINUTELY", "HOURLY":
	case "WEEKLY":
		key, pairs = b.againWeekly(lang, r, local, pairs)
	case "MONTHLY":
		key, pairs = b.againMonthly(lang, r, local, pairs)
	case "YEARLY":
		month, day := int(local.Month()), local.Day()
		if m, err := strconv.Atoi(r["BYMONTH"]); err == nil {
			month = m
			day, _ = strconv.Atoi(r["BYMONTHDAY"])
		}
		name := b.say(lang, "again.month."+strconv.Itoa(month))
		pairs = append(pairs, "month", name, "day", day)
		if day < 0 {
			key += ".last"
		}
	case "DAILY":
	default:
		return b.say(lang, "again.other")
	}
	if n > 1 {
		key += ".n"
	}
	if !b.has(key) {
		return b.say(lang, "again.other")
	}
	said := b.say(lang, key, pairs...)
	if r["FREQ"] != "MINUTELY" && r["FREQ"] != "HOURLY" {
		said = b.say(lang, "again.at", "when", said, "time", b.list(lang, clockTimes(r, local)))
	}
	return said
}

func (b *Rulebook) againWeekly(lang string, r map[string]string, local time.Time, pairs []any) (string, []any) {
	days := r["BYDAY"]
	switch days {
	case "":
		days = strings.ToUpper(local.Weekday().String()[:2])
	case "MO,TU,WE,TH,FR":
		return "again.workdays", pairs
	case "SA,SU", "SU,SA":
		return "again.weekends", pairs
	}
	var names []string
	for d := range strings.SplitSeq(days, ",") {
		names = append(names, b.say(lang, "again.day."+d))
	}
	return "again.weekly", append(pairs, "days", b.list(lang, names))
}

func (b *Rulebook) againMonthly(lang string, r map[string]string, local time.Time, pairs []any) (string, []any) {
	if day := r["BYDAY"]; len(day) >= 2 {
		name := b.say(lang, "again.day."+day[len(day)-2:])
		switch nth := day[:len(day)-2]; {
		case strings.HasPrefix(nth, "-"):
			return "again.monthly.lastday", append(pairs, "day", name)
		case nth == "" || strings.Contains(day, ","):
			return "again.other", pairs
		default:
			return "again.monthly.nth", append(pairs, "day", name, "nth", b.say(lang, "again.nth."+nth))
		}
	}
	day := local.Day()
	if n, err := strconv.Atoi(r["BYMONTHDAY"]); err == nil {
		day = n
	}
	if day < 0 {
		return "again.monthly.last", pairs
	}
	return "again.monthly", append(pairs, "day", day)
}

// clockTimes are the times of day of a rule.
func clockTimes(r map[string]string, local time.Time) []string {
	hours, minutes := r["BYHOUR"], r["BYMINUTE"]
	if hours == "" {
		hours = strconv.Itoa(local.Hour())
	}
	if minutes == "" {
		minutes = strconv.Itoa(local.Minute())
	}
	var out []string
	for h := range strings.SplitSeq(hours, ",") {
		for m := range strings.SplitSeq(minutes, ",") {
			hour, _ := strconv.Atoi(h)
			minute, _ := strconv.Atoi(m)
			out = append(out, fmt.Sprintf("%02d:%02d", hour, minute))
		}
	}
	return out
}

func ruleParts(rrule string) map[string]string {
	out := map[string]string{}
	for part := range strings.SplitSeq(strings.TrimPrefix(rrule, "RRULE:"), ";") {
		key, value, _ := strings.Cut(part, "=")
		out[key] = value
	}
	return out
}

// Recurring says a recurring rule in words, for whoever shows one outside of any
// conversation.
func (b *Rulebook) Recurring(lang, rrule string, zone *time.Location, at time.Time) string {
	return b.again(lang, rrule, zone, at)
}
