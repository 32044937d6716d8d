package when

import (
	"fmt"
	"strings"
	"testing"
	"time"
)

// TestLengthsFound: each length stands with its words, in order.
func TestLengthsFound(t *testing.T) {
	for said, want := range map[string]string{
		"2h30m":                       "[2h30m]=2h30m0s",
		"两个半小时":                       "[两个半小时]=2h30m0s",
		"an hour and a half":          "[an hour and a half]=1h30m0s",
		"1 day and 2 hours":           "[1 day]=24h0m0s [2 hours]=2h0m0s",
		"提前1天、2小时和15分钟":               "[1天]=24h0m0s [2小时]=2h0m0s [15分钟]=15m0s",
		"停了3天 4090":                   "[3天]=72h0m0s",
		"half an hour":                "[half an hour]=30m0s",
		"twenty-five minutes":         "[twenty-five minutes]=25m0s",
		"a few days, 2 working days":  "",
		"9000 years":                  "[9000 years]=far",
		"保留一个月":                       "[一个月]=720h0m0s",
		"A100 80G, H100, 4090D at 18": "",
		"minus 2 hours":               "",
		"１小时":                         "[１小时]=1h0m0s",
	} {
		var got []string
		for _, l := range Lengths(said) {
			d := l.D.String()
			if l.Far {
				d = "far"
			}
			got = append(got, fmt.Sprintf("[%s]=%s", said[l.Start:l.End], d))
		}
		if s := strings.Join(got, " "); s != want {
			t.Errorf("%q: got %s, want %s", said, s, want)
		}
	}
}

func FuzzLengths(f *testing.F) {
	f.Add("提前1天、2小时和15分钟 1e300 hours 2h30m")
	f.Fuzz(func(t *testing.T, text string) {
		at := 0
		for _, l := range Lengths(text) {
			if l.Start < at || l.End <= l.Start || l.End > len(text) || l.D <= 0 || l.D > maxYears*366*day*2 {
				t.Fatalf("%q: %+v after byte %d", text, l, at)
			}
			at = l.End
		}
	})
}

// TestReclock: a rule at another time of day.
func TestReclock(t *testing.T) {
	for rule, want := range map[string]string{
		"FREQ=WEEKLY;BYDAY=MO;BYHOUR=9;BYMINUTE=0": "FREQ=WEEKLY;BYDAY=MO;BYHOUR=21;BYMINUTE=30",
		"FREQ=MONTHLY;BYMONTHDAY=-1;BYHOUR=9":      "FREQ=MONTHLY;BYMONTHDAY=-1;BYHOUR=21;BYMINUTE=30",
		"FREQ=HOURLY;INTERVAL=3":                   "",
		"nonsense":                                 "",
	} {
		if got := Reclock(rule, 21, 30); got != want {
			t.Errorf("%s: got %q, want %q", rule, got, want)
		}
	}
	if at, ok := Next(Reclock("FREQ=DAILY;BYHOUR=9;BYMINUTE=0", 21, 30), time.Unix(0, 0), time.UTC); !ok || at.Hour() != 21 {
		t.Errorf("the next time is %v %v", at, ok)
	}
}
