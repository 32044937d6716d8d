package when

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"
)

// moment is a clock, a place and a time to come, all drawn at random.
type moment struct {
	now, at time.Time
	zone    *time.Location
}

func drawMoment(t *rapid.T) moment {
	zone, err := time.LoadLocation(rapid.SampledFrom(someZones).Draw(t, "zone"))
	if err != nil {
		t.Fatal(err)
	}
	now := time.Unix(rapid.Int64Range(1_600_000_000, 2_400_000_000).Draw(t, "now"), 0)
	local := now.In(zone)
	days := rapid.IntRange(1, 360).Draw(t, "days")
	h, m := rapid.IntRange(0, 23).Draw(t, "h"), rapid.IntRange(0, 59).Draw(t, "m")
	return moment{now, Wall(local.Year(), local.Month(), local.Day()+days, h, m, zone), zone}
}

// TestRoundTrip: a time written out in any of these ways is read back as that
// time. Spellings that are ambiguous by nature may ask, never miss.
func TestRoundTrip(t *testing.T) {
	spellings := map[string]func(time.Time) string{
		"iso":        func(t time.Time) string { return t.Format("2006-01-02 15:04") },
		"slashes":    func(t time.Time) string { return t.Format("2006/1/2 15:04") },
		"rfc3339":    func(t time.Time) string { return t.Format(time.RFC3339) },
		"zulu":       func(t time.Time) string { return t.UTC().Format("2006-01-02T15:04:05Z") },
		"han":        func(t time.Time) string { return t.Format("2006年1月2日15时04分") },
		"han words":  func(t time.Time) string { return hanDateOf(t) + partOfDay(t) + hanClockOf(t) },
		"month name": func(t time.Time) string { return t.Format("January 2, 2006 at 3:04pm") },
		"day first":  func(t time.Time) string { return t.Format("2 Jan 2006 15:04") },
		"compact":    func(t time.Time) string { return t.Format("20060102 15:04") },
		"sentence":   func(t time.Time) string { return "提醒我" + t.Format("2006年1月2号 15:04") + "释放那台 4090" },
		"with zone":  func(t time.Time) string { return t.UTC().Format("2006-01-02 15:04 UTC") },
	}
	rapid.Check(t, func(t *rapid.T) {
		m := drawMoment(t)
		local := m.at.In(m.zone)
		if _, second, exists := wall(local.Year(), local.Month(), local.Day(), local.Hour(), local.Minute(), m.zone); !exists || !second.IsZero() {
			return // a time that comes twice, or never, has no spelling of its own
		}
		for name, spell := range spellings {
			text := spell(local)
			if r := Parse(text, m.now, m.zone, time.LoadLocation); r.Err != "" || !r.At.Equal(m.at) {
				t.Fatalf("%s: %q at %s: got %s %s, want %s", name, text, m.now.In(m.zone), r.At.In(m.zone), r.Err, m.at.In(m.zone))
			}
		}
	})
}

const hanNumerals = "零一二三四五六七八九十"

// han writes 0 to 99 as people do: 三十五.
func han(n int) string {
	d := []rune(hanNumerals)
	switch {
	case n <= 10:
		return string(d[n])
	case n < 20:
		return "十" + string(d[n%10])
	case n%10 == 0:
		return string(d[n/10]) + "十"
	}
	return string(d[n/10]) + "十" + string(d[n%10])
}

func hanDateOf(t time.Time) string {
	return fmt.Sprintf("%d年%s月%s号", t.Year(), han(int(t.Month())), han(t.Day()))
}

func partOfDay(t time.Time) string {
	switch h := t.Hour(); {
	case h < 6:
		return "凌晨"
	case h < 12:
		return "上午"
	case h < 13:
		return "中午"
	case h < 18:
		return "下午"
	}
	return "晚上"
}

func hanClockOf(t time.Time) string {
	h, m := t.Hour(), t.Minute()
	if h > 12 {
		h -= 12
	}
	switch {
	case m == 0:
		return han(h) + "点"
	case m == 30:
		return han(h) + "点半"
	case m < 10:
		return han(h) + "点零" + han(m) + "分"
	}
	return han(h) + "点" + han(m) + "分"
}

// TestLengths: however N hours and minutes are said, it is now and that much.
func TestLengths(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		m := drawMoment(t)
		h, min := rapid.IntRange(1, 99).Draw(t, "hours"), rapid.IntRange(1, 59).Draw(t, "minutes")
		hours, both := time.Duration(h)*time.Hour, time.Duration(h)*time.Hour+time.Duration(min)*time.Minute
		for text, want := range map[string]time.Duration{
			fmt.Sprintf("in %d hours", h):                      hours,
			fmt.Sprintf("%d hours from now", h):                hours,
			fmt.Sprintf("%d小时后", h):                            hours,
			fmt.Sprintf("%s个小时以后提醒我", han(h)):                  hours,
			fmt.Sprintf("in %dh%dm", h, min):                   both,
			fmt.Sprintf("in %d hours and %d minutes", h, min):  both,
			fmt.Sprintf("%s个小时%s分钟后", han(h), han(min)):        both,
			fmt.Sprintf("再过%d小时%d分", h, min):                   both,
			fmt.Sprintf("in %d and a half hours", h):           hours + 30*time.Minute,
			fmt.Sprintf("%s个半小时后", han(h)):                     hours + 30*time.Minute,
			fmt.Sprintf("%d.5小时后", h):                          hours + 30*time.Minute,
			fmt.Sprintf("in %d days", h):                       24 * hours,
			fmt.Sprintf("%s天后", han(h)):                        24 * hours,
			fmt.Sprintf("%d天半之后", h):                           24*hours + 12*time.Hour,
			fmt.Sprintf("in %d minutes, stop it", min):         time.Duration(min) * time.Minute,
			fmt.Sprintf("release the A100 in %d minutes", min): time.Duration(min) * time.Minute,
		} {
			r := Parse(text, m.now, m.zone, time.LoadLocation)
			if r.Err != "" || r.Confirm || !r.At.Equal(m.now.Add(want)) {
				t.Fatalf("%q at %s: got %s %s (ask %v), want %s", text, m.now, r.At, r.Err, r.Confirm, m.now.Add(want))
			}
		}
	})
}

// someWords are pieces that people put together in any order.
var someWords = strings.Fields("明天 后天 今晚 周五 下周一 下午 晚上 凌晨 九点 6点半 18:00 9:30 一刻 两小时 后 前 半 提前 每天 每周 每月 15号 12月31日 月底 三天 一个 之前 到期 提醒我 释放 4090 " +
	"tomorrow tonight friday next at 9 6pm noon midnight in 2 hours 30 min before after every day monday Dec 31 12/3 2026-12-31 PST UTC+8 remind me to stop the pod 1 hour half and , 。 - 不是 not 春节 几 -3 25:00")

func drawText(t *rapid.T) string {
	return rapid.OneOf(
		rapid.String(),
		rapid.Map(rapid.SliceOfN(rapid.SampledFrom(someWords), 0, 9), func(w []string) string { return strings.Join(w, " ") }),
		rapid.Map(rapid.SliceOfN(rapid.SampledFrom(someWords), 0, 9), func(w []string) string { return strings.Join(w, "") }),
	).Draw(t, "text")
}

// TestPromises: whatever the text, the result keeps its word.
func TestPromises(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		m := drawMoment(t)
		checkPromises(t, drawText(t), m.now, m.zone)
	})
}

type failer interface{ Fatalf(string, ...any) }

func checkPromises(t failer, text string, now time.Time, zone *time.Location) {
	r := Parse(text, now, zone, time.LoadLocation)
	switch r.Err {
	case "":
		if !r.At.After(now) || r.At.After(now.AddDate(1, 0, 2)) {
			t.Fatalf("%q at %s: got %s", text, now, r.At)
		}
		if len(r.Spans) == 0 {
			t.Fatalf("%q: a time, but read from nothing", text)
		}
	case Past, InvalidDate, InvalidTime, InvalidDuration, NoTime, TooFar:
		if !r.At.IsZero() || r.RRule != "" || r.Confirm || r.Alt != nil {
			t.Fatalf("%q: %s, and yet %+v", text, r.Err, r)
		}
	default:
		t.Fatalf("%q: code %q", text, r.Err)
	}
	if len(r.Alt) > 0 && !r.Confirm || r.Zone == nil || r.Lead < 0 {
		t.Fatalf("%q: %+v", text, r)
	}
	for _, a := range r.Alt {
		if !a.After(now) || a.Equal(r.At) {
			t.Fatalf("%q: alternative %s beside %s at %s", text, a, r.At, now)
		}
	}
	if r.RRule != "" {
		if next, ok := Next(r.RRule, r.At.Add(r.Lead), r.Zone); !ok || !next.After(r.At) {
			t.Fatalf("%q: %s after %s has no next time", text, r.RRule, r.At)
		}
	}
	end := 0
	for _, s := range r.Spans {
		if s[0] < end || s[1] <= s[0] || s[1] > len(text) {
			t.Fatalf("%q: spans %v", text, r.Spans)
		}
		end = s[1]
	}
}

// TestFullWidth: full width and half width are the same text.
func TestFullWidth(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		m := drawMoment(t)
		text := strings.Join(rapid.SliceOfN(rapid.SampledFrom(someWords), 0, 7).Draw(t, "words"), " ")
		wide := strings.Map(func(c rune) rune {
			if c > ' ' && c < 0x7F {
				return c + 0xFEE0
			}
			return c
		}, text)
		read := func(text string) string {
			r := Parse(text, m.now, m.zone, time.LoadLocation)
			r.Target = "" // kept as said
			return describe(r, m.zone)
		}
		if a, b := read(text), read(wide); a != b {
			t.Fatalf("%q: %s\n%q: %s", text, a, wide, b)
		}
	})
}

func FuzzParse(f *testing.F) {
	for _, s := range []string{"", "明天下午6点释放 4090", "in 2h30m", "every Monday 9am", "2月30日", "\xff\xfe", "每周一三五九点", "９：３０", "½", "-", "2026-12-31T23:59:00+08:00", "UTC+99:99"} {
		f.Add(s, int64(1_796_197_800), uint8(1))
	}
	f.Fuzz(func(t *testing.T, text string, now int64, zone uint8) {
		at := time.Unix(now%(1<<36), 0) // years 0 to 4000 or so
		checkPromises(t, text, at, load(t, someZones[int(zone)%len(someZones)]))
	})
}

func FuzzNext(f *testing.F) {
	f.Add("FREQ=DAILY;BYHOUR=9;BYMINUTE=0", int64(1_796_197_800))
	f.Add("FREQ=MONTHLY;INTERVAL=3;BYDAY=-1FR", int64(0))
	f.Fuzz(func(t *testing.T, rule string, after int64) {
		at := time.Unix(after%(1<<36), 0)
		if next, ok := Next(rule, at, time.UTC); ok && !next.After(at) {
			t.Fatalf("%q after %s: %s", rule, at, next)
		}
	})
}

func BenchmarkParse(b *testing.B) {
	zone := load(b, "Asia/Shanghai")
	now := time.Date(2026, 12, 2, 15, 30, 0, 0, zone)
	for name, text := range map[string]string{
		"zh":    "对了，三天后到期，提前两小时提醒我备份那台 4090",
		"en":    "set a reminder 1 hour before my rental ends tomorrow at noon",
		"none":  "想微调一个 7B 模型，数据 300GB，租什么卡比较合适？预算 500 元以内，跑三天左右",
		"long":  strings.Repeat("想微调一个 7B 模型，数据 300GB，租什么卡比较合适？", 370),
		"times": strings.Repeat("明天下午6点，in 2h30m，", 500),
		"marks": strings.Repeat("in 的 ~ - 9点 ", 1000),
	} {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				Parse(text, now, zone, nil)
			}
		})
	}
}
