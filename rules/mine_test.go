package rules

import (
	"strings"
	"testing"
	"time"

	"gpuadvisor/advisor"
)

// TestMachinesAreSpokenOf: once a machine is noted, what people say of it in passing is about
// it: what is done, how long before they want to hear of it, what it cost, what they have.
// With none noted the same words are read as ever.
func TestMachinesAreSpokenOf(t *testing.T) {
	a := advisor.New(mustLoad(t)).WithZones(time.LoadLocation)
	end := time.Date(2026, 12, 3, 18, 0, 0, 0, toldAt.Location())
	rented := advisor.Rental{Schema: advisor.RentalSchema, ID: "r1", Name: "RTX4090", Card: "rtx-4090", Cards: 1, Platform: "autodl", How: "hour", End: end.UTC(), Since: toldAt.UTC(), Zone: "Asia/Shanghai"}
	for said, want := range map[string]string{ // the actions done, the leads in minutes, the end, "list", or "" for anything else
		"done saving checkpoints":                 "done save",
		"i saved the checkpoints":                 "done save",
		"finished saving all my weights":          "done save",
		"ok, downloaded all the results":          "done download",
		"i've opened it and it works":             "done open",
		"backed up the model too":                 "done backup",
		"saved and downloaded everything":         "done save download",
		"all five done":                           "done save download open backup",
		"检查点我都存好了":                                "done save",
		"我把权重保存完了":                                "done save",
		"数据已经全部下载下来了":                             "done download",
		"检查点打开过了，没问题":                             "done open",
		"环境备份好了":                                  "done backup",
		"都弄好了":                                    "done save download open backup",
		"五件事都做完了":                                 "done save download open backup",
		"the checkpoints are not saved yet":       "",
		"save the checkpoints":                    "",
		"检查点存好了吗":                                 "",
		"should i save checkpoints":               "",
		"我还没存检查点":                                 "",
		"remind me 3 hours before instead":        "leads 180",
		"please remind me 1 hour before it ends":  "leads 60",
		"make it 30 minutes before":               "leads 30",
		"2 hours and 30 minutes before is enough": "leads 120,30",
		"提前三小时提醒就行":                               "leads 180",
		"改成提前半小时提醒我":                              "leads 30",
		"到期前两小时再提醒":                               "leads 120",
		"remind me 3 hours before the meeting":    "",
		"提前三小时提醒我开会":                              "",
		"what do i have running":                  "list",
		"what am i renting right now?":            "list",
		"which machines do i still have":          "list",
		"am i still renting anything?":            "list",
		"我现在租着什么":                                 "list",
		"我手上还有哪些机器在跑":                             "list",
		"目前租了几台":                                  "list",
		"what did it cost me?":                    "list",
		"what have I spent so far?":               "list",
		"how much has the 4090 cost me":           "list",
		"花了多少钱":                                   "list",
		"到现在一共花了多少":                               "list",
		"when is it due?":                         "list",
		"什么时候到期":                                  "list",
		"what would it cost me for a week":        "",
		"how much will it cost me":                "",
		"how much does it cost":                   "",
		"租一周要花多少钱":                                "",
		"extend it by 2 hours":                    "end 2026-12-03 20:00",
		"再续两个小时":                                  "end 2026-12-03 20:00",
		"再租一天":                                    "end 2026-12-04 18:00",
		"give me 2 more hours":                    "end 2026-12-03 20:00",
		"i need it for 3 more hours":              "end 2026-12-03 21:00",
		"再多用两个小时":                                 "end 2026-12-03 20:00",
		"how much time do i have left":            "list",
		"还能用多久":                                   "list",
		"i need 2 more cards":                     "",
		"actually it's until 8pm tomorrow":        "end 2026-12-03 20:00",
		"sorry, it ends tomorrow at 9pm":          "end 2026-12-03 21:00",
		"不对，是明天晚上九点到期":                            "end 2026-12-03 21:00",
	} {
		got := spokenOf(a, rented, said)
		if got != want {
			t.Errorf("%s\n got %q\nwant %q", said, got, want)
		}
		if _, effects := heard(a, advisor.Known{}, said); strings.HasPrefix(got, "done") && len(effects) > 0 {
			t.Errorf("%s, with no machine noted: %v", said, effects[0].Kind)
		}
	}
}

// TestReleaseIt: whoever says "release it" of the machine that is noted sees what is left to
// do, and is not asked for a machine.
func TestReleaseIt(t *testing.T) {
	a := advisor.New(mustLoad(t)).WithZones(time.LoadLocation)
	end := time.Date(2026, 12, 3, 18, 0, 0, 0, toldAt.Location())
	rented := advisor.Rental{Schema: advisor.RentalSchema, ID: "r1", Name: "RTX4090", Card: "rtx-4090", Cards: 1, Platform: "autodl", How: "hour", End: end.UTC(), Since: toldAt.UTC(), Zone: "Asia/Shanghai"}
	for _, said := range []string{"release it", "release my machine", "Release the machine!", "release it now", "i'm done with it", "shut it down", "用完了", "释放机器", "可以释放了吗", "i want to release it"} {
		reply, _ := heard(a, advisor.Known{Rentals: []advisor.Rental{rented}}, said)
		if !strings.Contains(strings.Join(reply.Because, " "), "release.panel") {
			t.Errorf("%s: got because %v: %s", said, reply.Because, reply.Plain())
		}
	}
}

// spokenOf is what a message makes of the only machine.
func spokenOf(a *advisor.Advisor, rented advisor.Rental, said string) string {
	reply, effects := heard(a, advisor.Known{Rentals: []advisor.Rental{rented}}, said)
	for _, e := range effects {
		switch r := e.Rental; {
		case e.Kind != "rental" || r.ID != rented.ID:
		case r.Done != rented.Done:
			return "done " + r.Done
		case r.Leads != rented.Leads:
			return "leads " + r.Leads
		case r.End != rented.End:
			return "end " + r.End.In(toldAt.Location()).Format("2006-01-02 15:04")
		}
	}
	for _, why := range reply.Because {
		if why == "rentals" {
			return "list"
		}
	}
	return ""
}
