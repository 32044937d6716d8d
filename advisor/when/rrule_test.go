package when

import (
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"
)

func TestNext(t *testing.T) {
	for _, c := range []struct{ rule, zone, after, want string }{
		{"FREQ=DAILY;BYHOUR=9;BYMINUTE=0", "America/New_York", "2026-03-07 09:00", "2026-03-08 09:00, 2026-03-09 09:00"},                        // nine stays nine across the change
		{"FREQ=DAILY;BYHOUR=2;BYMINUTE=30", "America/New_York", "2026-03-07 02:30", "2026-03-08 03:30, 2026-03-09 02:30"},                       // moved by the gap, once
		{"FREQ=DAILY;BYHOUR=1;BYMINUTE=30", "America/New_York", "2026-10-31 01:30", "2026-11-01 01:30, 2026-11-02 01:30"},                       // not twice in the overlap
		{"FREQ=DAILY;BYHOUR=0;BYMINUTE=30", "Africa/Cairo", "2026-04-23 00:30", "2026-04-24 01:30, 2026-04-25 00:30"},                           // a gap at midnight
		{"FREQ=DAILY;INTERVAL=2;BYHOUR=9;BYMINUTE=0", "Asia/Shanghai", "2026-12-02 09:00", "2026-12-04 09:00, 2026-12-06 09:00"},                //
		{"FREQ=DAILY;BYHOUR=8,20;BYMINUTE=0", "Asia/Shanghai", "2026-12-02 08:00", "2026-12-02 20:00, 2026-12-03 08:00"},                        //
		{"FREQ=WEEKLY;BYDAY=MO,WE,FR;BYHOUR=9;BYMINUTE=0", "Asia/Shanghai", "2026-12-02 09:00", "2026-12-04 09:00, 2026-12-07 09:00"},           //
		{"FREQ=WEEKLY;INTERVAL=2;BYDAY=MO,FR;BYHOUR=9;BYMINUTE=0", "Asia/Shanghai", "2026-12-04 09:00", "2026-12-14 09:00, 2026-12-18 09:00"},   //
		{"FREQ=WEEKLY;BYDAY=SU;BYHOUR=9;BYMINUTE=0;WKST=MO", "Asia/Shanghai", "2026-12-06 09:00", "2026-12-13 09:00, 2026-12-20 09:00"},         //
		{"FREQ=MONTHLY;BYMONTHDAY=31;BYHOUR=9;BYMINUTE=0", "Asia/Shanghai", "2027-01-31 09:00", "2027-02-28 09:00, 2027-03-31 09:00"},           // clamps, and comes back
		{"FREQ=MONTHLY;BYMONTHDAY=-1;BYHOUR=9;BYMINUTE=0", "Asia/Shanghai", "2028-01-31 09:00", "2028-02-29 09:00, 2028-03-31 09:00"},           //
		{"FREQ=MONTHLY;INTERVAL=3;BYMONTHDAY=1;BYHOUR=9;BYMINUTE=0", "Asia/Shanghai", "2026-12-01 09:00", "2027-03-01 09:00, 2027-06-01 09:00"}, //
		{"FREQ=MONTHLY;BYDAY=1MO;BYHOUR=9;BYMINUTE=0", "Asia/Shanghai", "2026-12-07 09:00", "2027-01-04 09:00, 2027-02-01 09:00"},               //
		{"FREQ=MONTHLY;BYDAY=-1FR;BYHOUR=9;BYMINUTE=0", "Asia/Shanghai", "2026-12-02 09:00", "2026-12-25 09:00, 2027-01-29 09:00"},              //
		{"FREQ=MONTHLY;BYDAY=5MO;BYHOUR=9;BYMINUTE=0", "Asia/Shanghai", "2026-12-02 09:00", "2027-03-29 09:00, 2027-05-31 09:00"},               //
		{"FREQ=YEARLY;BYMONTH=2;BYMONTHDAY=29;BYHOUR=9;BYMINUTE=0", "Asia/Shanghai", "2026-12-02 09:00", "2027-02-28 09:00, 2028-02-29 09:00"},  //
		{"FREQ=HOURLY;INTERVAL=6", "America/New_York", "2026-03-08 00:00", "2026-03-08 07:00, 2026-03-08 13:00"},                                // hours by the clock of the world
		{"FREQ=MINUTELY;INTERVAL=30", "Asia/Shanghai", "2026-12-02 09:10", "2026-12-02 09:40, 2026-12-02 10:10"},                                //
		{"FREQ=DAILY", "Asia/Shanghai", "2026-12-02 09:10", "2026-12-03 09:10, 2026-12-04 09:10"},                                               // the rest comes from the time it follows
		{"RRULE:FREQ=WEEKLY", "Asia/Shanghai", "2026-12-02 09:10", "2026-12-09 09:10, 2026-12-16 09:10"},                                        //
	} {
		zone := load(t, c.zone)
		at, err := time.ParseInLocation("2006-01-02 15:04", c.after, zone)
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for range 2 {
			next, ok := Next(c.rule, at, zone)
			if !ok {
				got = append(got, "none")
				break
			}
			at = next
			got = append(got, at.In(zone).Format("2006-01-02 15:04"))
		}
		if g := strings.Join(got, ", "); g != c.want {
			t.Errorf("%s after %s in %s:\n got %s\nwant %s", c.rule, c.after, c.zone, g, c.want)
		}
	}
}

// TestNextRefuses: what we would read wrongly we do not read at all.
func TestNextRefuses(t *testing.T) {
	for _, rule := range []string{
		"", "FREQ", "FREQ=SECONDLY", "BYHOUR=9", "FREQ=DAILY;COUNT=3", "FREQ=DAILY;UNTIL=20270101", "FREQ=MONTHLY;BYSETPOS=1;BYDAY=MO",
		"FREQ=DAILY;INTERVAL=0", "FREQ=DAILY;INTERVAL=-1", "FREQ=DAILY;INTERVAL=99999", "FREQ=DAILY;BYHOUR=24", "FREQ=DAILY;BYMINUTE=60", "FREQ=DAILY;BYHOUR=",
		"FREQ=WEEKLY;BYDAY=1MO", "FREQ=WEEKLY;BYDAY=XX", "FREQ=WEEKLY;BYDAY=", "FREQ=MONTHLY;BYMONTHDAY=0", "FREQ=MONTHLY;BYMONTHDAY=32", "FREQ=MONTHLY;BYDAY=0MO",
		"FREQ=YEARLY;BYMONTH=2", "FREQ=YEARLY;BYDAY=MO", "FREQ=HOURLY;BYHOUR=9", "FREQ=DAILY;FREQ=WEEKLY", "FREQ=DAILY;BYDAY=MO", "FREQ=DAILY;WKST=SU",
	} {
		if got, ok := Next(rule, time.Unix(0, 0), time.UTC); ok {
			t.Errorf("%q: got %s, want none", rule, got)
		}
	}
}

// TestNextProperty: every rule that Parse writes has a next time, after the last
// one and at the same wall time unless the clock has a gap there.
func TestNextProperty(t *testing.T) {
	texts := []string{
		"每天9:00", "every day at 2:30am", "每周一三五 18:00", "every other friday 6pm", "每月31号 9:00", "每月底", "first monday of every month at 1:30am",
		"every 2 hours", "每年2月29日", "每三个月的15号 9:00", "weekdays at 9am", "每两天 0:30",
	}
	rapid.Check(t, func(t *rapid.T) {
		zone, err := time.LoadLocation(rapid.SampledFrom(someZones).Draw(t, "zone"))
		if err != nil {
			t.Fatal(err)
		}
		now := time.Unix(rapid.Int64Range(1_700_000_000, 2_500_000_000).Draw(t, "now"), 0)
		text := rapid.SampledFrom(texts).Draw(t, "text")
		r := Parse(text, now, zone, time.LoadLocation)
		if r.RRule == "" || r.Err != "" {
			t.Fatalf("%s at %s: no rule, %s", text, now, r.Err)
		}
		at := r.At
		for range 5 {
			next, ok := Next(r.RRule, at, r.Zone)
			if !ok || !next.After(at) {
				t.Fatalf("%s: after %s got %s, %v", r.RRule, at, next, ok)
			}
			at = next
		}
	})
}
