package when

import (
	"bytes"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
	_ "time/tzdata"
)

var update = flag.Bool("update", false, "rewrite what follows => in testdata/*.txt")

// TestTables reads testdata/*.txt. A line is what somebody types, =>, and what
// they get; "now:" sets the clock for the lines below it. To add a case, write
// the left side, run "go test ./advisor/when -update" and judge the diff.
//
//	明天六点 => Thu 2026-12-03 06:00 ? Thu 2026-12-03 18:00     asked, with the other reading
//	2月30日   => invalid_date
func TestTables(t *testing.T) {
	files, err := filepath.Glob("testdata/*.txt")
	if err != nil || len(files) == 0 {
		t.Fatalf("no tables: %v", err)
	}
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".txt"), func(t *testing.T) { table(t, file) })
	}
}

func table(t *testing.T, file string) {
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	var now time.Time
	zone := time.UTC
	for n, line := range strings.Split(strings.TrimSuffix(string(data), "\n"), "\n") {
		text, want, isCase := strings.Cut(line, "=>")
		if spec, ok := strings.CutPrefix(line, "now:"); ok {
			now, zone = clockOf(t, strings.TrimSpace(spec))
		}
		if !isCase {
			fmt.Fprintln(&out, line)
			continue
		}
		text, want = strings.TrimSpace(text), strings.TrimSpace(want)
		got := describe(Parse(text, now, zone, time.LoadLocation), zone)
		if got != want && !*update {
			t.Errorf("%s:%d %s\n got %s\nwant %s", file, n+1, text, got, want)
		}
		fmt.Fprintf(&out, "%s => %s\n", text, got)
	}
	if *update {
		if err := os.WriteFile(file, out.Bytes(), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

// clockOf reads "2026-12-02 15:30 Asia/Shanghai".
func clockOf(t *testing.T, spec string) (time.Time, *time.Location) {
	t.Helper()
	f := strings.Fields(spec)
	zone := load(t, f[len(f)-1])
	now, err := time.ParseInLocation("2006-01-02 15:04", f[0]+" "+f[1], zone)
	if err != nil {
		t.Fatal(err)
	}
	return now, zone
}

func load(t testing.TB, name string) *time.Location {
	t.Helper()
	zone, err := time.LoadLocation(name)
	if err != nil {
		t.Fatal(err)
	}
	return zone
}

const layout = "Mon 2006-01-02 15:04"

// describe writes a result on one line, in the person's zone.
func describe(r Result, zone *time.Location) string {
	var b strings.Builder
	if b.WriteString(string(r.Err)); r.Err == "" {
		b.WriteString(r.At.In(zone).Format(layout))
		if r.At.Second() != 0 {
			b.WriteString(r.At.Format(":05"))
		}
	}
	if r.Confirm {
		b.WriteString(" ?")
	}
	for i, a := range r.Alt {
		b.WriteString([]string{" ", ", "}[min(i, 1)] + a.In(zone).Format(layout))
	}
	for _, f := range []struct{ name, value string }{{"rule", r.RRule}, {"do", r.Action}, {"on", r.Target}} {
		if f.value != "" {
			b.WriteString(" " + f.name + " " + f.value)
		}
	}
	if r.Lead != 0 {
		b.WriteString(" lead " + r.Lead.String())
	}
	if r.Zone != zone {
		b.WriteString(" in " + r.Zone.String())
	}
	return b.String()
}

// TestFirstTable holds the 25 expressions that were used to judge libraries:
// none of them read more than eight.
func TestFirstTable(t *testing.T) {
	zone := load(t, "Asia/Shanghai")
	now := time.Date(2026, 3, 11, 10, 0, 0, 0, zone)
	for _, c := range []struct{ text, want string }{
		{"明天 18:00", "03-12 18:00"},
		{"明天下午6点", "03-12 18:00"},
		{"半小时后", "03-11 10:30"},
		{"2小时后", "03-11 12:00"},
		{"两个小时后", "03-11 12:00"},
		{"3天后", "03-14 10:00"},
		{"周五", "03-13 09:00"},
		{"周五晚上九点半", "03-13 21:30"},
		{"后天早上8点", "03-13 08:00"},
		{"下周一上午10点", "03-16 10:00"},
		{"今晚8点", "03-11 20:00"},
		{"本周日中午12点", "03-15 12:00"},
		{"一个半小时后", "03-11 11:30"},
		{"明早七点", "03-12 07:00"},
		{"大后天晚上10点", "03-14 22:00"},
		{"2026年3月20日18时30分", "03-20 18:30"},
		{"3月20日18:00", "03-20 18:00"},
		{"next Fri noon", "03-20 12:00"},
		{"tonight at 8", "03-11 20:00"},
		{"2026-03-20 18:00", "03-20 18:00"},
		{"in 2h30m", "03-11 12:30"},
		{"March 20 6pm", "03-20 18:00"},
		{"tomorrow at 6pm", "03-12 18:00"},
		{"in 3 hours", "03-11 13:00"},
		{"friday 9:30pm", "03-13 21:30"},
	} {
		r := Parse(c.text, now, zone, time.LoadLocation)
		if got := r.At.In(zone).Format("01-02 15:04"); r.Err != "" || got != c.want {
			t.Errorf("%s: got %s %s, want %s", c.text, got, r.Err, c.want)
		}
	}
}

// TestSpans: the caller learns which bytes were read as time, so that the rest
// can be read as something else.
func TestSpans(t *testing.T) {
	zone := load(t, "Asia/Shanghai")
	now := time.Date(2026, 12, 2, 15, 30, 0, 0, zone)
	for _, c := range []struct{ text, want string }{
		{"提醒我明天下午６點释放 4090", "明天下午６點"},
		{"三天后到期，提前两小时喊我备份", "三天后|提前两小时"},
		{"1 hour before my rental ends tomorrow at noon", "1 hour before|tomorrow at noon"},
		{"明天9点训练3小时", "明天9点"},
		{"remind me on friday, 6 pm PST, to stop it", "friday, 6 pm PST"},
		{"训练 7B 模型 3 天", "3 天"},
		{"hello", ""},
	} {
		var got []string
		for _, s := range Parse(c.text, now, zone, time.LoadLocation).Spans {
			got = append(got, c.text[s[0]:s[1]])
		}
		if g := strings.Join(got, "|"); g != c.want {
			t.Errorf("%s: got %q, want %q", c.text, g, c.want)
		}
	}
}

// TestNoZones: without a way to load zones only fixed offsets are known, and the
// answer is still right in winter.
func TestNoZones(t *testing.T) {
	now := time.Date(2026, 12, 2, 8, 0, 0, 0, time.UTC)
	for _, c := range []struct{ text, want string }{
		{"18:00", "Wed 2026-12-02 18:00"},
		{"tomorrow 9am PST", "Thu 2026-12-03 17:00"},
		{"明天早上9点北京时间", "Thu 2026-12-03 01:00"},
		{"tomorrow 9am Asia/Tokyo", "Thu 2026-12-03 09:00 ?"},
	} {
		r := Parse(c.text, now, nil, nil)
		got := r.At.Format(layout)
		if r.Confirm {
			got += " ?"
		}
		if got != c.want {
			t.Errorf("%s: got %s %s, want %s", c.text, got, r.Err, c.want)
		}
	}
}

// TestNeverEarly: a reminder kept by whole seconds must not fire before its time.
func TestNeverEarly(t *testing.T) {
	now := time.Date(2026, 12, 2, 8, 0, 0, 1, time.UTC)
	r := Parse("in 1 minute", now, time.UTC, nil)
	if want := time.Date(2026, 12, 2, 8, 1, 1, 0, time.UTC); !r.At.Equal(want) {
		t.Errorf("got %s, want %s", r.At, want)
	}
}

// TestWordsOnce: a spelling that stands twice with the same meaning is a slip,
// and a word in capitals or full width would never match.
func TestWordsOnce(t *testing.T) {
	seen := map[string]class{}
	for _, w := range rows {
		for _, s := range strings.Split(w.zh+"|"+w.en, "|") {
			if f := fold(s); string(f.r) != s {
				t.Errorf("%q is not in the folded spelling %q", s, string(f.r))
			}
			if seen[s] == w.class && s != "" && w.class != clRepeat {
				t.Errorf("%q stands twice", s)
			}
			seen[s] = w.class
		}
	}
}
