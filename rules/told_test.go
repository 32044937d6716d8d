package rules

import (
	"strings"
	"testing"
	"time"

	"gpuadvisor/advisor"
)

// toldAt is the clock of these tests: a Wednesday afternoon.
var toldAt = time.Date(2026, 12, 2, 15, 30, 0, 0, time.FixedZone("CST", 8*3600))

// heard is what the advisor asks the desk for when it is told something.
func heard(a *advisor.Advisor, known advisor.Known, said string) (advisor.Reply, []advisor.Effect) {
	known.Looked = true
	m := advisor.Message{ID: "1", Text: said, Addressed: true, At: toldAt, Zone: "Asia/Shanghai"}
	_, reply, effects := a.Answer(known, m)
	return reply, effects
}

// TestRentalsAreTold: who tells of a machine that they have wants it noted; who wishes
// for one, asks, or tells of a job does not.
func TestRentalsAreTold(t *testing.T) {
	a := advisor.New(mustLoad(t)).WithZones(time.LoadLocation)
	for said, want := range map[string]string{ // the name and the end, or "" for no rental
		"I rented a 4090 on AutoDL, it ends tomorrow 8pm":                 "RTX4090 2026-12-03 20:00",
		"my instance on RunPod runs out on Friday at noon":                "the machine 2026-12-04 12:00",
		"I have a 3090 rented until Dec 12 18:00":                         "RTX3090 2026-12-12 18:00",
		"we rented two H100s on Lambda, they expire on Monday at 10am":    "2xH100 2026-12-07 10:00",
		"my training box expires tomorrow at 6pm":                         "training box 2026-12-03 18:00",
		"I just rented an A100 from Lambda for 3 days":                    "A100 2026-12-05 15:30",
		"我在AutoDL租了一台4090，明晚8点到期":                                         "RTX4090 2026-12-03 20:00",
		"AutoDL 那台 4090 后天中午到期":                                           "RTX4090 2026-12-04 12:00",
		"机器周五下午六点到期":                                                      "机器 2026-12-04 18:00",
		"手上有台 A100 租到 12 月 10 号晚上八点":                                      "A100 2026-12-10 20:00",
		"我的工作站后天中午要还":                                                     "工作站 2026-12-04 12:00",
		"刚租了一台 H20，租三天":                                                   "H20 2026-12-05 15:30",
		"恒源云的机器昨天关机了":                                                     "机器 2026-12-11 15:30",
		"the H100 that we rented goes back on Dec 10 at noon":             "H100 2026-12-10 12:00",
		"just spun up an A100 on RunPod for 6 hours":                      "A100 2026-12-02 21:30",
		"instance terminates tonight at 11pm":                             "the machine 2026-12-02 23:00",
		"I rented a 4090 on RunPod, it stops tomorrow at 18:00, 0.69 $/h": "RTX4090 2026-12-03 18:00",
		"rented a 4090 on vast until sunday 8pm, 0.4$/h":                  "RTX4090 2026-12-06 20:00",
		"rented two h100 at lambda for 3 days":                            "2xH100 2026-12-05 15:30",
		"got two A100s on Lambda until Friday noon at $1.3/h each":        "2xA100 2026-12-04 12:00",
		"刚租了个4090，autodl上，明天晚上八点到期，1.88一小时":                               "RTX4090 2026-12-03 20:00",
		"租好了，阿里云，A10两张，到12月15号":                                           "2xA10 2026-12-15 09:00",
		"我租了两张A100，租三天":                                                   "2xA100 2026-12-05 15:30",
		"I rented a 4090 for 3 days and it was slow":                      "",
		"上次租了4090三天，太慢了":                                                  "",
		"I shut down my AutoDL instance yesterday":                        "the machine 2026-12-16 15:30",
		"我昨天在恒源云开了台 3090，周日晚上10点到期":                                       "RTX3090 2026-12-06 22:00",
		"有个 RunPod 的 pod 今晚12点自动释放":                                       "机器 2026-12-03 00:00",
		"我想微调 7B，机器明天到期":                                                  "",
		"I want to rent a 4090 until Friday":                              "",
		"I need an A100 on AutoDL, the deadline is tomorrow 8pm":          "",
		"想租一台4090到周五":                                                     "",
		"我的4090什么时候到期？":                                                   "",
		"AutoDL 关机了还收费吗":                                                  "",
		"租了一台4090跑 7B 微调，明天开始":                                            "",
		"4090 到期了怎么续":                                                     "",
		"I rented a 4090, which model fits?":                              "",
		"does my data survive when the rental on RunPod ends tomorrow?":   "",
		"租 4090 到月底多少钱":                                                   "",
		"训练到明天晚上八点":                                                       "",
		"remind me tomorrow 8pm to call the landlord, the contract ends":  "",
	} {
		_, effects := heard(a, advisor.Known{}, said)
		got := ""
		for _, e := range effects {
			if e.Kind == "rental" {
				got = e.Rental.Name + " " + e.Rental.End.In(toldAt.Location()).Format("2006-01-02 15:04")
			}
		}
		if got != want {
			t.Errorf("%s\n got %q\nwant %q", said, got, want)
		}
	}
}

// TestRentalsAreExtended: more time moves the end of the machine that is known.
func TestRentalsAreExtended(t *testing.T) {
	a := advisor.New(mustLoad(t)).WithZones(time.LoadLocation)
	end := time.Date(2026, 12, 3, 18, 0, 0, 0, toldAt.Location())
	rented := advisor.Rental{Schema: advisor.RentalSchema, ID: "r1", Name: "RTX4090", Card: "rtx-4090", Cards: 1, Platform: "autodl", How: "hour", End: end.UTC(), Since: toldAt.UTC(), Zone: "Asia/Shanghai"}
	for said, want := range map[string]string{
		"续租到周五晚上八点":                          "2026-12-04 20:00",
		"我续租了一个星期":                           "2026-12-10 18:00",
		"续费了两天":                              "2026-12-05 18:00",
		"4090 延长到后天 18:00":                   "2026-12-04 18:00",
		"I extended it to Friday 6pm":        "2026-12-04 18:00",
		"renewed for a week":                 "2026-12-10 18:00",
		"extended the 4090 by 12 hours":      "2026-12-04 06:00",
		"I got it extended till Monday noon": "2026-12-07 12:00",
		"add another day":                    "2026-12-04 18:00",
		"机器延期一天":                             "2026-12-04 18:00",
		"改到后天下午六点释放":                         "2026-12-04 18:00",
		"it now ends Friday at noon":         "2026-12-04 12:00",
		"moved the release to Friday 6pm":    "2026-12-04 18:00",
		"续租划算吗":                              "",
		"续租两天多少钱":                            "",
		"周五续租":                               "", // a plan
		"提醒我明天续租到周五":                         "",
		"should I extend it to Friday?":      "",
		"extended the H100 by 2 days":        "", // another machine
	} {
		_, effects := heard(a, advisor.Known{Rentals: []advisor.Rental{rented}}, said)
		got := ""
		for _, e := range effects {
			if e.Kind == "rental" && e.Rental.ID == "r1" {
				got = e.Rental.End.In(toldAt.Location()).Format("2006-01-02 15:04")
			}
		}
		if got != want {
			t.Errorf("%s\n got %q\nwant %q", said, got, want)
		}
	}
}

// TestRemindersAreNamed: an order means the reminder that its words fit; a text that fits
// none is read as anything else.
func TestRemindersAreNamed(t *testing.T) {
	a := advisor.New(mustLoad(t)).WithZones(time.LoadLocation)
	at := func(s string) time.Time {
		day, _ := time.ParseInLocation("2006-01-02 15:04", s, toldAt.Location())
		return day.UTC()
	}
	waiting := []advisor.Reminder{
		{ID: "a", At: at("2026-12-03 08:00"), Zone: "Asia/Shanghai", Target: "交房租 rent"},
		{ID: "b", At: at("2026-12-04 10:00"), Zone: "Asia/Shanghai", Action: "release", Target: "zebra"},
		{ID: "c", At: at("2026-12-07 09:00"), Zone: "Asia/Shanghai", Target: "周会 meeting", RRule: "FREQ=WEEKLY;BYDAY=MO;BYHOUR=9;BYMINUTE=0"},
	}
	for said, want := range map[string]string{
		"取消第一个":                                       "cancel a",
		"取消最后一个":                                      "cancel c",
		"删掉第2个":                                       "cancel b",
		"取消 zebra 那个":                                 "cancel b",
		"取消交房租的提醒":                                    "cancel a",
		"把 10 点那个改到 11 点":                             "move b 2026-12-04 11:00",
		"把周会的提醒改到十点半":                                 "move c 2026-12-07 10:30 FREQ=WEEKLY;BYDAY=MO;BYHOUR=10;BYMINUTE=30",
		"把第二个推迟一小时":                                   "move b 2026-12-04 11:00",
		"明天那个提醒改到后天早上8点":                              "move a 2026-12-04 08:00",
		"取消所有提醒":                                      "cancel a cancel b cancel c",
		"cancel the last one":                         "cancel c",
		"cancel the first reminder":                   "cancel a",
		"delete the zebra one":                        "cancel b",
		"please cancel the rent reminder":             "cancel a",
		"move the zebra reminder to 9pm":              "move b 2026-12-04 21:00",
		"move the release one to Saturday 9am":        "move b 2026-12-05 09:00",
		"push the rent reminder back by 2 hours":      "move a 2026-12-03 10:00",
		"snooze the second one for 30 minutes":        "move b 2026-12-04 10:30",
		"change the 8am one to 7":                     "move a 2026-12-03 07:00",
		"把 zebra 的提醒提前一小时":                            "move b 2026-12-04 09:00",
		"取消 2 和 3":                                    "cancel b cancel c",
		"别再提醒我交房租了":                                   "cancel a",
		"bring the zebra reminder forward by an hour": "move b 2026-12-04 09:00",
		"make the rent reminder 9am":                  "move a 2026-12-03 09:00",
		"stop reminding me about the meeting":         "cancel c",
		"cancel tomorrow's reminder":                  "cancel a",
		"change it to 14B":                            "",
		"改成 QLoRA":                                    "",
		"取消订单":                                        "",
		"move the model to 9pm":                       "",
		"set the batch to 8":                          "",
		"delete the dataset":                          "",
		"提醒我明天下午3点把会议改到新会议室":                          "remind 2026-12-03 15:00",
	} {
		_, effects := heard(a, advisor.Known{Reminders: waiting, Conversation: advisor.Conversation{Listed: []string{"a", "b", "c"}}}, said)
		var got []string
		for _, e := range effects {
			when := e.Reminder.At.In(toldAt.Location()).Format("2006-01-02 15:04")
			switch e.Kind {
			case "cancel":
				got = append(got, "cancel "+e.Reminder.ID)
			case "move":
				got = append(got, strings.TrimSpace("move "+e.From+" "+when+" "+e.Reminder.RRule))
			case "remind":
				got = append(got, "remind "+when)
			}
		}
		if s := strings.Join(got, " "); s != want {
			t.Errorf("%s\n got %q\nwant %q", said, s, want)
		}
	}
}
