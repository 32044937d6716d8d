package advisor_test

import (
	"encoding/json"
	"fmt"
	"math"
	"strings"
	"testing"
	"time"

	"gpuadvisor/advisor"
	"gpuadvisor/advisor/cost"
)

// march is a day on which the prices of March 2026 are fresh, december one on
// which everything bundled is stale.
var (
	march    = time.Date(2026, 3, 20, 10, 0, 0, 0, time.UTC)
	december = time.Date(2026, 12, 2, 10, 0, 0, 0, time.UTC)
)

// sumUp plays messages of one person and returns the sheet and the reply of the
// last.
func sumUp(lang string, at time.Time, texts ...string) (*advisor.CostSheet, advisor.Reply) {
	a := advisor.New(book())
	k := advisor.Known{Profile: advisor.Profile{Lang: lang}}
	var reply advisor.Reply
	for i, s := range texts {
		m := advisor.Message{ID: fmt.Sprint(i), Kind: advisor.KindText, Text: s, At: at, Addressed: true}
		k.Conversation, reply, _ = a.Answer(k, m)
	}
	return a.CostSheet(k), reply
}

// near fails unless got is want to a thousandth.
func near(t *testing.T, what string, got, want float64) {
	t.Helper()
	if math.IsNaN(got) || math.Abs(got-want) > 0.001*math.Max(1e-4, math.Abs(want)) {
		t.Errorf("%s: got %v, want %v", what, got, want)
	}
}

func firstRent(t *testing.T, s *advisor.CostSheet) advisor.Rented {
	t.Helper()
	if len(s.Rents) == 0 {
		t.Fatalf("no rent in %+v", s)
	}
	return s.Rents[0]
}

// TestShortForm reads the forms in which people type a sum.
func TestShortForm(t *testing.T) {
	for _, c := range []struct {
		text     string
		card     string
		gpuHours float64
		own      string // the person's price of one card, "" for none
	}{
		{"/cost\n4090 x3 72h", "RTX4090-24G", 216, ""},
		{"/cost 4090 x3 72h", "RTX4090-24G", 216, ""},
		{"/cost 3x4090 3d", "RTX4090-24G", 216, ""},
		{"/cost 4090*3 72小时", "RTX4090-24G", 216, ""},
		{"/cost 三张4090 三天", "RTX4090-24G", 216, ""},
		{"/cost a100 80g 8卡 两周", "A100-80G", 2688, ""},
		{"/cost A100-80G x8 2 weeks", "A100-80G", 2688, ""},
		{"/cost 4090 8h/天 30天 月付4199", "RTX4090-24G", 240, ""},
		{"/cost h100 @ 2.49usd 10h", "H100-80G", 10, "2.49 USD"},
		{"/cost h100 @2.49usd/h 10h", "H100-80G", 10, "2.49 USD"},
		{"/cost h100 $2.49/h 10h", "H100-80G", 10, "2.49 USD"},
		{"/cost 4090 1.9元/时 2张 24h", "RTX4090-24G", 48, "1.9 CNY"},
		{"/cost 4090 1.9/h 2张 24h", "RTX4090-24G", 48, "1.9 CNY"},
		{"/cost 4090 一小时1.9 2张 24h", "RTX4090-24G", 48, "1.9 CNY"},
		{"/cost 4090 每小时两块三 两张 24h", "RTX4090-24G", 48, "2.3 CNY"},
		{"3 张 4090 跑 5 天多少钱？", "RTX4090-24G", 360, ""},
		{"/cost\n4090 x3 72h", "RTX4090-24G", 216, ""},
		{"/cost 5000 H100 10h", "H100-80G", 50000, ""},
		{"/cost 4090 2元/h 30天 每天8小时", "RTX4090-24G", 240, "2 CNY"},
		{"算一下：H800 8卡 2台 30天 每卡每小时15块", "H800-80G", 11520, "15 CNY"},
		{"3x 4090 for 5 days at $0.40/hr each?", "RTX4090-24G", 360, "0.4 USD"},
	} {
		s, reply := sumUp("zh", december, c.text)
		if !strings.HasSuffix(s.Label, c.card) {
			t.Errorf("%s: got card %q, want %q", c.text, s.Label, c.card)
		}
		if s.GPUHours == nil || !s.GPUHours.Single() || s.GPUHours.Lo != c.gpuHours {
			t.Errorf("%s: got %v card-hours, want %v", c.text, s.GPUHours, c.gpuHours)
		}
		own := ""
		for _, r := range s.Rents {
			if r.Own && r.Way == "hour" {
				own = r.Per.Likely.String() + " " + string(r.Per.Currency)
			}
		}
		if own != c.own {
			t.Errorf("%s: got own price %q, want %q", c.text, own, c.own)
		}
		if reply.Act != "answer" || !strings.Contains(reply.Plain(), s.Label) {
			t.Errorf("%s: got %q: %s", c.text, reply.Act, reply.Plain())
		}
	}
}

// TestFinishedTask is S0-24: ten hours at two, an hour of set-up, a fifth run
// again.
func TestFinishedTask(t *testing.T) {
	for _, text := range []string{
		"/cost 10h 2.0/h 装环境1h 重跑20%",
		"/cost 2.0元/h, 跑10小时, 1小时装环境, 重跑20%",
		"/cost 2.0/h 10h setup 1h reruns 20%",
		"/cost 2.0/h 10h, 1h setup, 20% reruns",
		"/cost @2 装环境 1h 跑 10h 重跑 20%",
	} {
		s, reply := sumUp("zh", december, text)
		if s.Finished == nil {
			t.Errorf("%s: no finished job: %s", text, reply.Plain())
			continue
		}
		total := s.Finished.Total
		near(t, text+" low", total.Low.Float(), 22)
		near(t, text+" likely", total.Likely.Float(), 26)
		near(t, text+" high", total.High.Float(), 30)
		near(t, text+" card-hours", s.GPUHours.Lo, 10)
		if got := strings.Count(reply.Plain(), "未计入"); got != 4 { // of six parts, two are named
			t.Errorf("%s: %d parts are marked as left out, want 4:\n%s", text, got, reply.Plain())
		}
	}
}

// TestSixParts is S0-23: everything that an hourly price hides has its line.
func TestSixParts(t *testing.T) {
	s, reply := sumUp("zh", december, "/cost h100 x8 10h 20元/h 装环境 1-2h 下载 0.5h 调试 2h 磁盘 500GB 0.36元/GB/月 流量 100GB 0.8元/GB 镜像费 50元 重跑 10-30% 等人 3h 工程师 80元/h")
	if s.Finished == nil {
		t.Fatalf("no finished job: %s", reply.Plain())
	}
	want := map[cost.Part]float64{
		cost.PartRun: 1600, cost.PartSetup: 240, cost.PartDownload: 80, cost.PartDebug: 320, cost.PartTraffic: 80, cost.PartImage: 50,
		cost.PartReruns: 368, cost.PartPeople: 240, // two tenths of 1600 + 240 again
	}
	for _, l := range s.Finished.Lines {
		if !l.Counted {
			t.Errorf("%s is not counted", l.Part)
		}
		if w, ok := want[l.Part]; ok {
			near(t, string(l.Part), l.Cost.Likely.Float(), w)
		}
	}
	if strings.Contains(reply.Plain(), "未计入") {
		t.Errorf("something is marked as left out:\n%s", reply.Plain())
	}
	_, reply = sumUp("en", december, "/cost 4090 1.9/h 10h", "/cost parts")
	if got := strings.Count(reply.Plain(), "not counted"); got != 6 {
		t.Errorf("%d of six parts are marked as left out:\n%s", got, reply.Plain())
	}
}

// TestUnitCosts are S0-26 to S0-28, and the units beside them.
func TestUnitCosts(t *testing.T) {
	for _, c := range []struct {
		text, unit string
		want       float64
	}{
		{"/cost image 1.5/h, 6 s/image, 25% accepted", "image", 0.01},
		{"/cost 1.5/h 6秒/张 合格25%", "image", 0.01},
		{"/cost 1.5/h 每张图 6 秒 四张留一张", "image", 0.01},
		{"/cost 1.5/h 每张图 6 秒 4选1", "image", 0.01},
		{"/cost clip 2.0/h, 300 s/clip, 1 of 4 usable", "clip", 2.0 / 3},
		{"/cost 2.0/h 每段视频 300秒 可用率 25%", "clip", 2.0 / 3},
		{"/cost kstep 4×2.0/h, 1.2 s/step", "kstep", 8. / 3},
		{"/cost 4卡 2.0/h 每步 1.2 秒", "kstep", 8. / 3},
		{"4090 0.5 usd/h, 3s/it", "kstep", 0.5 * 3 * 1000 / 3600},
		{"/cost 2.5/h 100 tok/s", "mtok", 6.944},
		{"/cost 2.5/h 每秒 100 token", "mtok", 6.944},
		{"/cost 1.9/h 15分钟一个epoch", "epoch", 0.475},
		{"/cost 1.5/h 每帧 90 秒", "frame", 0.0375},
		{"/cost 90s/frame 1.5/h", "frame", 0.0375},
		{"出一张sdxl图成本多少，4090 一小时1.9，一张图4秒", "image", 1.9 * 4 / 3600},
		{"cost per image if 4090 is 0.35/hr and I do 900 imgs an hour", "image", 0.35 / 900},
	} {
		s, reply := sumUp("zh", december, c.text)
		if s.Unit == nil || len(s.Unit.Costs) == 0 || s.Unit.Unit != c.unit {
			t.Errorf("%s: got unit %+v, want %s: %s", c.text, s.Unit, c.unit, reply.Plain())
			continue
		}
		near(t, c.text, s.Unit.Costs[0].Likely.Float(), c.want)
	}
	s, _ := sumUp("zh", december, "/cost 画1000张图 每张6秒 合格25% 4090 1.5/h")
	if s.Unit == nil || s.Unit.Hours == nil {
		t.Fatalf("1000 pieces: got %+v", s.Unit)
	}
	near(t, "hours for 1000 accepted images", s.Unit.Hours.Lo, 6.667)
	s, _ = sumUp("zh", december, "/cost 2.0/h 1.2 s/step, 5000 steps")
	if s.Unit == nil || s.Unit.Total == nil {
		t.Fatalf("5000 steps: got %+v", s.Unit)
	}
	near(t, "5000 steps of 1.2 s at 2.0 an hour", s.Unit.Total.Likely.Float(), 5000*1.2/3600*2)
}

// TestNoPieceOfWork: a wait, a prompt's length and the word "it" price no piece of work.
func TestNoPieceOfWork(t *testing.T) {
	for _, said := range [][]string{
		{"月租一张A100，首字延迟1秒以内，平均输入3k tokens，多少钱"},
		{"rent an A100 for a month, prompts of 3k tokens, first token within 1 second, how much"},
		{"4090 0.69 usd/h", "make it 30 minutes"},
		{"4090 0.69 usd/h, do it in 30 minutes"},
	} {
		s, reply := sumUp("en", december, said...)
		if s.Unit != nil {
			t.Errorf("%q: a piece of work is priced: %s", said, reply.Plain())
		}
	}
}

// TestWaysOfSaying reads the same sums as people say them.
func TestWaysOfSaying(t *testing.T) {
	for _, c := range []struct{ text, says string }{
		{"包月4090要950，按时1.9，每天用6小时，哪个划算", "按时 342 元，包月 950 元"},
		{"4090 每月 950 元和每小时 1.9 元，哪个便宜", "一个月开满 500 小时"},
		{"两家：甲 1.8/h 要装3小时环境，乙 2.2/h 开箱即用，跑20小时，哪个省钱", "跑到 13.5 小时以上：甲比乙便宜"},
		{"/cost 两张5090 每天10小时 一个月", "600 卡时"},
		{"/cost 3x4090 @1.9 72h，还要下载2小时，调试半天", "490.20 元"},
		{"/cost 4090 2元/h 跑 500 epoch 每个epoch 3分钟", "500 件约要跑 25 小时，共 50 元"},
		{"/cost L40S 2.5/h vs A100 4.9/h 快1.8倍 跑100小时", "L40S-48G 最便宜，比第二名省 22.22 元"},
	} {
		if _, reply := sumUp("zh", december, c.text); !strings.Contains(reply.Plain(), c.says) {
			t.Errorf("%s: %q is missing in\n%s", c.text, c.says, reply.Plain())
		}
	}
	s, reply := sumUp("en", december, "spot h100 60% off, is it worth it?")
	if s.Spot == nil || s.Spot.Spot == nil || strings.Contains(reply.Plain(), "month") && !strings.Contains(reply.Plain(), "months ago") {
		t.Errorf("spot: got %s", reply.Plain())
	}
	s, _ = sumUp("en", december, "how much is 100 images on a 4090 at $0.4/h if each takes 12 seconds")
	if s.Unit == nil || s.Unit.Total == nil {
		t.Fatalf("pieces: got %+v", s.Unit)
	}
	near(t, "100 images", s.Unit.Total.Likely.Float(), 0.1333)
}

// TestEveryProblemIsWorded: each code has its sentence, each part its name.
func TestEveryProblemIsWorded(t *testing.T) {
	for _, code := range cost.Codes() {
		if p := book().Phrases["cost.bad."+string(code)]; p["zh"] == "" || p["en"] == "" {
			t.Errorf("no words for %s", code)
		}
	}
	for _, unit := range []cost.Unit{cost.UnitImage, cost.UnitClip, cost.UnitFrame, cost.UnitKStep, cost.UnitEpoch, cost.UnitMTok, cost.UnitKDoc} {
		if p := book().Phrases["cost.unit."+string(unit)]; p["zh"] == "" || p["en"] == "" {
			t.Errorf("no words for %s", unit)
		}
	}
}

// TestBreakEven are S2-47 to S2-51: the article's own prices, and the same as
// somebody's own.
func TestBreakEven(t *testing.T) {
	for _, c := range []struct {
		text      string
		low, high float64
		verdict   string
	}{
		{"/cost t4 包月划算吗", 1998.5, 889.4, "hourly"},
		{"/cost rtx3060 8g 包月划算吗", 274.5, 781.9, "depends"},
		{"/cost 4090 包月划算吗", 719.7, 1566.8, "depends"},
		{"/cost a100 40g 包月 24h/天 30天", 714.3, 492.5, "depends"},
		{"/cost a100 80g x8 整机 38/h 包月 28000 30天", 736.8, 736.8, "hourly"},
		{"/cost a100 80g x8 整机 120/h 包月 86400 30天", 720, 720, "equal"},
		{"/cost 4090 1.9/h 包月 950 30天", 500, 500, "monthly"},
		{"/cost 4090 8h/天 30天 1.9/h 包月 950", 500, 500, "hourly"},
	} {
		s, reply := sumUp("zh", december, c.text)
		if s.Monthly == nil {
			t.Errorf("%s: no break-even: %s", c.text, reply.Plain())
			continue
		}
		near(t, c.text+" low", s.Monthly.Low.Hours, c.low)
		near(t, c.text+" high", s.Monthly.High.Hours, c.high)
		if c.verdict != "depends" && s.Monthly.Verdict != c.verdict {
			t.Errorf("%s: got verdict %s, want %s", c.text, s.Monthly.Verdict, c.verdict)
		}
	}
	s, reply := sumUp("zh", december, "/cost t4 包月划算吗")
	if !s.Monthly.Low.Never || !strings.Contains(reply.Plain(), "1998.5 小时，超过 744 小时") || !strings.Contains(reply.Plain(), "永远不划算") {
		t.Errorf("T4: got %s", reply.Plain())
	}
	near(t, "T4 for a month by the hour", s.Monthly.ByHour.Low.Float(), 468)

	s, reply = sumUp("zh", december, "4090 包月还是按时，每天 8 h")
	near(t, "4090 eight hours a day by the hour", s.Monthly.ByHour.Low.Float(), 316.8)
	near(t, "and by the month", s.Monthly.ByMonth.Low.Float(), 950)
	if s.Monthly.Verdict != "hourly" || !s.Monthly.Stale || !strings.Contains(reply.Plain(), "过期") {
		t.Errorf("4090: got %s", reply.Plain())
	}

	s, _ = sumUp("zh", december, "/cost a100 40g 包月 24h/天 30天")
	near(t, "A100 40G by the hour", s.Monthly.ByHour.Low.Float(), 3528)
	near(t, "A100 40G by the month", s.Monthly.ByMonth.Low.Float(), 3500)

	s, _ = sumUp("zh", december, "/cost a100 80g x8 整机 38/h 包月 28000 30天")
	near(t, "8×A100 by the hour", s.Monthly.ByHour.Low.Float(), 27360)
	near(t, "8×A100 by the month", s.Monthly.ByMonth.Low.Float(), 28000)
	if s.Monthly.Low.Never || !s.Monthly.Low.NeverIn30 {
		t.Errorf("8×A100: got %+v, want a month that pays only when it has 31 days", s.Monthly.Low)
	}
}

// TestTermDiscounts is S2-51.
func TestTermDiscounts(t *testing.T) {
	for _, c := range []struct {
		text         string
		month, hours []float64
		said         bool
	}{
		{"/cost 4090 1.32/h 包月950 优惠25%", []float64{712.5}, []float64{540}, true},
		{"/cost 4090 1.32/h 包月950 优惠25-60%", []float64{712.5, 380}, []float64{540, 288}, true},
		{"/cost 4090 1.32/h 包月950 半年", []float64{712.5, 380}, []float64{540, 288}, false},
		{"/cost 4090 1.32/h 包月950 30天", nil, nil, false},
	} {
		s, reply := sumUp("zh", december, c.text)
		if s.Monthly == nil || len(s.Monthly.Discounts) != len(c.month) {
			t.Errorf("%s: got %+v: %s", c.text, s.Monthly, reply.Plain())
			continue
		}
		for i, d := range s.Monthly.Discounts {
			near(t, c.text, d.Month.Amount.Float(), c.month[i])
			near(t, c.text, math.Round(d.Hours), c.hours[i])
			if d.Said != c.said {
				t.Errorf("%s: said %v", c.text, d.Said)
			}
		}
	}
	s, _ := sumUp("zh", december, "/cost 4090 1.32/h 包月950 半年")
	if s.Monthly.Months != 6 {
		t.Errorf("half a year: got %d months", s.Monthly.Months)
	}
}

// TestDiscountOnTheHour: where no month is compared, a discount is off the price.
func TestDiscountOnTheHour(t *testing.T) {
	for _, c := range []struct {
		text              string
		share, low, total float64
	}{
		{"/cost 4090 1.9/h 10h 9折", 0.1, 17.1, 17.1},
		{"/cost 4090 1.9/h 10h 打85折", 0.15, 16.15, 16.15},
		{"/cost 4090 1.9/h 打八折 10h", 0.2, 15.2, 15.2},
		{"/cost h100 $2/h 100h 20% off", 0.2, 160, 160},
		{"/cost 4090 2元/h 10h 优惠25-60%", 0.25, 8, 15},
	} {
		s, reply := sumUp("zh", december, c.text)
		r := firstRent(t, s)
		if r.Off == nil {
			t.Errorf("%s: no discount: %s", c.text, reply.Plain())
			continue
		}
		near(t, c.text+" share", r.Off.Lo, c.share)
		near(t, c.text+" low", r.Cost.Low.Float(), c.low)
		near(t, c.text+" high", r.Cost.High.Float(), c.total)
		if c.total > 0 && !strings.Contains(reply.Plain(), "优惠") {
			t.Errorf("%s: the discount is not said: %s", c.text, reply.Plain())
		}
	}
}

// TestYear sets a yearly price against the hours of the year.
func TestYear(t *testing.T) {
	for _, text := range []string{"/cost 4090 年付 9000 1.9/h", "/cost 4090 包年 9000元 按时1.9元/h", "/cost 4090 yearly 9000cny 1.9cny/h", "/cost 4090 9000元/年 1.9元/h", "/cost 4090 一年 9000 1.9/h"} {
		s, reply := sumUp("zh", december, text)
		m := s.Monthly
		if s.Card != "rtx-4090" || m == nil || m.Period != "year" {
			t.Errorf("%s: got %+v: %s", text, m, reply.Plain())
			continue
		}
		near(t, text, m.Low.Hours, 9000/1.9)
		near(t, text+" per day", m.Low.PerDay, 9000/1.9/365)
		if m.Low.Never || m.Verdict != "monthly" || m.Months != 1 || m.ByMonth.Likely != 9000*cost.One || !strings.Contains(reply.Plain(), "包年便宜") {
			t.Errorf("%s: got %+v: %s", text, m, reply.Plain())
		}
	}
	s, reply := sumUp("en", december, "/cost 4090 yearly $4000 $0.4/h")
	if s.Monthly == nil || !s.Monthly.Low.Never || !strings.Contains(reply.Plain(), "the year never pays") {
		t.Errorf("never: got %s", reply.Plain())
	}
	s, _ = sumUp("zh", december, "/cost compare 按时 1.9/h | 包月 950 | 包年 9000, 一年")
	if s.Compared == nil || len(s.Compared.Rows) != 3 || s.Compared.Best != 2 {
		t.Fatalf("three terms: got %+v", s.Compared)
	}
	near(t, "twelve months, not thirteen", s.Compared.Rows[1].Cost.Amount.Float(), 12*950)
}

// TestBudgetInASum says whether the run fits into what there is to spend.
func TestBudgetInASum(t *testing.T) {
	for _, c := range []struct {
		text, verdict, says string
		left                float64
	}{
		{"/cost 4090 1.9/h 10h 预算 100元", "fits", "还剩 81 元", 81},
		{"/cost 4090 1.9/h 100h 预算 100", "short", "还差 90 元，大约只能跑 52.6 小时", -90},
		{"/cost 4090 100h 预算 200元", "depends", "拿到低价才够", 0},
		{"/cost H100 $2/h x2 100h budget $200", "short", "还差 200 美元，大约只能跑 50 小时", -200},
		{"/cost 4090 2元/h 30天 每天8小时 预算每月 400元", "short", "还差 80 元", -80},
		{"/cost 4090 2元/h 10天 预算 50元/天", "fits", "还剩 20 元", 20},
		{"/cost 4090 2.0元/h 10h 装环境1h 重跑20% 预算 25元", "depends", "", -1},
		{"/cost 4090 10h 预算 $100", "fits", "还剩 94.60 美元", 94.6},
	} {
		s, reply := sumUp("zh", december, c.text)
		if s.Budget == nil || s.Budget.Verdict != c.verdict || !strings.Contains(reply.Plain(), c.says) {
			t.Errorf("%s: got %+v: %s", c.text, s.Budget, reply.Plain())
			continue
		}
		near(t, c.text, s.Budget.Left.Amount.Float()+1000, c.left+1000)
	}
}

// TestOffers are S0-22, S0-25 and S4-05.
func TestOffers(t *testing.T) {
	_, reply := sumUp("zh", december, "A 1.0/h B 1.3/h 哪个便宜")
	if reply.Act != "ask:duration_hours" || !strings.Contains(reply.Plain(), "装环境") || !strings.Contains(reply.Plain(), "只比单价") {
		t.Errorf("two hourly prices: got %q: %s", reply.Act, reply.Plain())
	}
	for _, texts := range [][]string{
		{"/cost 1.00+2 h vs 1.30"},
		{"/cost A 1.0/h 装环境 2h B 1.3/h"},
		{"/cost A 1.0/h B 1.3/h 哪个便宜", "A 装环境要 2 小时"},
		{"/cost compare A 1.0/h setup 2h; B 1.3/h"},
	} {
		s, reply := sumUp("zh", december, texts...)
		if s.Compared == nil || len(s.Compared.Flips) == 0 {
			t.Errorf("%q: got %s", texts, reply.Plain())
			continue
		}
		f := s.Compared.Flips[0]
		near(t, fmt.Sprint(texts), f.Hours, 6.667)
		if f.From != 1 || f.To != 0 {
			t.Errorf("%q: got %+v, want the second to be cheaper until then", texts, f)
		}
	}
	s, reply := sumUp("zh", december, "/cost A 1.0/h 装环境 2h; B 1.3/h; 跑 5 小时")
	if s.Compared == nil || s.Compared.Best != 1 || !strings.Contains(reply.Plain(), "B 最便宜") {
		t.Errorf("five hours: got %s", reply.Plain())
	}
	s, _ = sumUp("zh", december, "/cost A 10/h 成功率70% | B 12/h 成功率98%, 跑 10 小时")
	if s.Compared == nil || s.Compared.Best != 1 {
		t.Errorf("failures: got %+v, want the dearer one to win", s.Compared)
	}
	s, reply = sumUp("zh", december, "/cost compare 按时 1.9/h | 包月 950 | 裸金属 | 集群 1200/月 一次性 300元, 30天")
	if s.Compared == nil || len(s.Compared.Rows) != 4 || !s.Compared.Rows[2].Missing || s.Compared.Best != 1 || !strings.Contains(reply.Plain(), "没有报价") {
		t.Errorf("four offers: got %s", reply.Plain())
	} else {
		near(t, "cluster with migration", s.Compared.Rows[3].Cost.Amount.Float(), 1500)
	}
	_, reply = sumUp("zh", december, "/cost compare A 1/h | B 2/h | C 3/h | D 4/h | E 5/h, 10小时")
	if reply.Act != "clarify" || !strings.Contains(reply.Plain(), "四个方案") {
		t.Errorf("five offers: got %s", reply.Plain())
	}
}

// TestSpot is decision table 6.3.
func TestSpot(t *testing.T) {
	for _, c := range []struct {
		text                            string
		young, daly, overhead, needsOff float64 // minutes, minutes, share
		limit                           bool
	}{
		{"/cost h100 spot 1.2usd 按需 2.5usd 存一次60秒 平均4小时断一次", 21.9, 21.2, 0.091, 0, false},
		{"/cost h100 spot 1.2usd 按需 2.5usd 存一次60秒 平均24小时断一次", 53.7, 53.0, 0.037, 0, false},
		{"/cost h100 spot $1.2/h on demand $2.5/h checkpoint 300s interrupted every 4h", 49.0, 45.7, 0.205, 0, false},
		{"/cost h100 spot $1.2/h on demand $2.5/h checkpoint 300s interrupted every 24h", 120.0, 116.7, 0.083, 0, false},
		{"/cost h100 spot $1.2/h on demand $2.5/h checkpoint 600s interrupted every 2h", 49.0, 42.5, 0.412, 0, true},
	} {
		s, reply := sumUp("en", december, c.text)
		if s.Spot == nil || len(s.Spot.Plans) != 1 {
			t.Errorf("%s: got %+v: %s", c.text, s.Spot, reply.Plain())
			continue
		}
		k := s.Spot.Plans[0]
		round := func(v float64) float64 { return math.Round(v*10) / 10 }
		near(t, c.text+" Young", round(k.Young*60), c.young)
		near(t, c.text+" Daly", round(k.Interval*60), c.daly)
		near(t, c.text+" overhead", math.Round(k.Overhead*1000)/1000, c.overhead)
		if k.AtLimit != c.limit || k.Wins == nil || *k.Wins == c.limit {
			t.Errorf("%s: got limit %v wins %v", c.text, k.AtLimit, k.Wins)
		}
	}
	s, reply := sumUp("en", december, "8x H100 for one week spot vs on demand total")
	if s.Spot == nil || len(s.Spot.Plans) != 2 || s.Spot.Spot != nil || s.GPUHours.Lo != 1344 || !strings.Contains(reply.Plain(), "guess") {
		t.Errorf("no spot price: got %s", reply.Plain())
	}
	s, _ = sumUp("zh", december, "/cost 4090 按需 2元/h 抢占便宜 60%")
	if s.Spot == nil || s.Spot.Spot == nil {
		t.Fatalf("spot discount: got %+v", s.Spot)
	}
	near(t, "spot at 60 % off", s.Spot.Spot.Amount.Float(), 0.8)
}

// TestSmallSums are S4-38, the upload of decision table 8, balances, idle
// machines and stopped disks.
func TestSmallSums(t *testing.T) {
	s, reply := sumUp("zh", december, "/cost 4090 2.0/h 只跑出70%")
	if s.Effective == nil {
		t.Fatalf("effective: %s", reply.Plain())
	}
	near(t, "effective price", s.Effective.Effective.Amount.Float(), 2.857)
	near(t, "factor", s.Effective.Factor, 1.4286)
	if !strings.Contains(reply.Plain(), "2.86") || !strings.Contains(reply.Plain(), "×1.43") {
		t.Errorf("effective: %s", reply.Plain())
	}

	for _, text := range []string{"/cost 上传 100GB 20Mbps 跑 10h", "/cost upload 100GB at 20 Mbps, run 10h", "/cost 4090 1.9/h 10h 100GB 上行 20Mbps"} {
		s, reply = sumUp("zh", december, text)
		if s.Upload == nil {
			t.Errorf("%s: %s", text, reply.Plain())
			continue
		}
		near(t, text, s.Upload.FullRate, 11.11)
		near(t, text, s.Upload.Hours, 13.89)
		if s.Upload.Transfer != cost.TransferDominates {
			t.Errorf("%s: got %q", text, s.Upload.Transfer)
		}
	}

	s, reply = sumUp("zh", december, "/cost 4090 x2 2.5/h 余额 100 元")
	if s.Runway == nil {
		t.Fatalf("runway: %s", reply.Plain())
	}
	near(t, "runway", s.Runway.Hours.Lo, 20)
	near(t, "burn", s.Runway.Burn.Amount.Float(), 5)

	s, _ = sumUp("zh", december, "/cost 4090 1.9/h 忘关 8小时")
	if s.Idle == nil {
		t.Fatal("idle: nothing")
	}
	near(t, "idle", s.Idle.Likely.Float(), 15.2)

	s, _ = sumUp("zh", december, "/cost 关机 10天 磁盘 100GB 0.2usd/GB/月")
	if s.Stopped == nil {
		t.Fatal("stopped disk: nothing")
	}
	near(t, "stopped disk", s.Stopped.Amount.Float(), 6.667)
}

// TestSumGoesOn adds to a sum in further messages, and begins another.
func TestSumGoesOn(t *testing.T) {
	s, _ := sumUp("zh", december, "/cost 4090 2元/h 10h", "装环境 1 小时", "重跑 20%")
	if s.Finished == nil || s.Finished.Total.Likely != 26*cost.One {
		t.Errorf("three messages: got %+v", s.Finished)
	}
	s, _ = sumUp("zh", december, "/cost 4090 2元/h 10h 装环境 1h", "/cost a100 40g x2 5h")
	if s.Finished != nil || s.GPUHours.Lo != 10 || s.Rents[0].Own {
		t.Errorf("a new sum: got %+v, finished %v", s.Rents, s.Finished)
	}
	s, reply := sumUp("zh", december, "4090 多少钱", "3 天")
	if s.GPUHours == nil || s.GPUHours.Lo != 72 || reply.Act != "answer" {
		t.Errorf("an answer to our question: got %s", reply.Plain())
	}
	for _, said := range []string{"actually it is until 8pm", "my 2 colleagues said that it was far too expensive"} {
		if s, _ := sumUp("en", december, "4090 0.69 usd/h 10h", said); s != nil && s.GPUHours != nil && s.GPUHours.Lo != 10 {
			t.Errorf("%s: got %v card-hours, want 10", said, s.GPUHours.Lo)
		}
	}
	if s, _ := sumUp("en", december, "4090 0.69 usd/h 10h", "what about 4?"); s.GPUHours == nil || s.GPUHours.Lo != 40 {
		t.Errorf("another count: got %+v", s.GPUHours)
	}
	first, _ := sumUp("zh", december, "/cost 4090 2元/h 10h")
	if first.Finished != nil {
		t.Errorf("a stored conversation changed: %+v", first.Finished)
	}
}

// TestBadNumbers: one sentence each, and never a number that is none.
func TestBadNumbers(t *testing.T) {
	for _, c := range []struct {
		text string
		code cost.Code
		says string
	}{
		{"/cost 4090 -2元/h 10h", cost.Negative, "不能是负数"},
		{"/cost 4090 装环境 -1h 2元/h 10h", cost.Negative, "装环境的时间不能是负数"},
		{"/cost 4090 0元/h 10h", cost.Zero, "不能是 0"},
		{"/cost 4090 x3 0h", cost.Zero, "时长不能是 0"},
		{"/cost 4090 x0 10h", cost.Zero, "卡数不能是 0"},
		{"/cost 4090 99999元/h 10h", cost.Absurd, "离谱"},
		{"/cost 4090 0.0001元/h 10h", cost.Absurd, "离谱"},
		{"/cost 4090 x 999999 10h", cost.Absurd, "卡数离谱"},
		{"/cost 4090 100年 1.9/h", cost.Absurd, "时长离谱"},
		{"/cost 4090 2.3-1.9元/h 10h", cost.Reversed, "写反"},
		{"/cost 4090 10-5h 2元/h", cost.Reversed, "写反"},
		{"/cost 4090 1e30 小时", cost.Overflow, "数字太大"},
		{"/cost 4090 99999999999999999999小时", cost.Overflow, "数字太大"},
		{"/cost 4090 1.9元/h 月付 100美元", cost.MixedCurrency, "混在一起"},
		{"/cost A 1.9元/h B $0.3/h, 10小时", cost.MixedCurrency, "混在一起"},
		{"/cost 4090 成功率 150% 1.9/h 10h", cost.OutOfRange, "0 到 100%"},
		{"/cost 4090 成功率 0% 1.9/h 10h", "", "不能是 0"},
		{"/cost 4090 $-5/hour 10h", cost.Negative, "不能是负数"},
		{"/cost 4090 负2元/h 10h", cost.Negative, "不能是负数"},
		{"/cost 4090 10h at minus $2/h", cost.Negative, "不能是负数"},
		{"/cost 4090 -10h 2元/h", cost.Negative, "时长不能是负数"},
		{"/cost -3 张 4090 10h", cost.Negative, "卡数不能是负数"},
		{"/cost 4090 x-3 10h", cost.Negative, "卡数不能是负数"},
		{"/cost 4090 10h 预算 -100元", cost.Negative, "预算不能是负数"},
		{"/cost 5000000 H100 10h", cost.Absurd, "卡数离谱"},
		{"/cost 200000张4090 10h", cost.Absurd, "卡数离谱"},
		{"/cost 4090 1.9元/h 每天 30 小时 30天", cost.Absurd, "每天的小时数离谱"},
		{"/cost 4090 1.9元/h 24.5h/天 3天", cost.Absurd, "每天的小时数离谱"},
		{"/cost 4090 1.9元/h 0.000001h", cost.Absurd, "时长离谱"},
		{"/cost 4090 3-1天 2元/h", cost.Reversed, "写反"},
		{"/cost 4090 1.9元/h NaN 小时", cost.NotANumber, "读不出数字"},
		{"/cost 4090 ∞小时 1.9元/h", cost.NotANumber, "读不出数字"},
		{"/cost 4090 1.9元/h 10h 预算 $5", cost.MixedCurrency, "混在一起"},
		{"/cost 4090 1.9/h 10h 打0折", cost.OutOfRange, "0 到 100%"},
		{"/cost 4090 1.9/h 包月 950 优惠 100%", cost.OutOfRange, "0 到 100%"},
		{"/cost 4090 1.9/h 只跑出 300%", cost.OutOfRange, "0 到 100%"},
	} {
		_, reply := sumUp("zh", december, c.text)
		plain := reply.Plain()
		if reply.Act != "clarify" || !strings.Contains(plain, c.says) || strings.Contains(plain, "\n") {
			t.Errorf("%s: got %q %q, want one sentence with %q", c.text, reply.Act, plain, c.says)
		}
		_, reply = sumUp("en", december, c.text)
		if reply.Act != "clarify" || strings.ContainsAny(reply.Plain(), "{}") {
			t.Errorf("%s in English: got %q %q", c.text, reply.Act, reply.Plain())
		}
	}
}

// TestUnknownCard offers the nearest name.
func TestUnknownCard(t *testing.T) {
	for _, c := range []struct{ text, near string }{
		{"/cost 4099 x3 72h", "4090"},
		{"/cost 4909 72h", "4090"},
		{"/cost rtx4900 x3 72h", "4090"},
		{"/cost a10000 72h", "A100"},
		{"/cost h10 72h", "H"},
		{"/cost gtx9999xyz 72h", ""},
	} {
		s, reply := sumUp("zh", december, c.text)
		if s.Card != "" || reply.Act != "clarify" || !strings.Contains(reply.Plain(), "不认识") || !strings.Contains(strings.ToUpper(reply.Plain()), c.near) {
			t.Errorf("%s: got card %q, %q", c.text, s.Card, reply.Plain())
		}
	}
}

// TestOwnPriceWins: what we know of a card says nothing once the person has a
// price.
func TestOwnPriceWins(t *testing.T) {
	s, reply := sumUp("zh", december, "/cost 4090 1.9元/h 10h")
	if len(s.Rents) != 1 || !s.Rents[0].Own || s.Rents[0].Cost.Likely != 19*cost.One || strings.Contains(reply.Plain(), "seed") {
		t.Errorf("got %+v: %s", s.Rents, reply.Plain())
	}
}

// TestCurrencies: yuan and dollars stay side by side until a dated rate is set.
func TestCurrencies(t *testing.T) {
	s, _ := sumUp("zh", december, "/cost 4090 10h")
	seen := map[cost.Currency]bool{}
	for _, r := range s.Rents {
		seen[r.Per.Currency] = true
	}
	if !seen[cost.CNY] || !seen[cost.USD] || s.Rate != "" {
		t.Errorf("without a rate: got %+v", s.Rents)
	}
	rate, err := cost.ParseRate("7.10@2026-11-01")
	if err != nil {
		t.Fatal(err)
	}
	a := advisor.New(book()).WithRate(rate)
	k := advisor.Known{Profile: advisor.Profile{Lang: "zh"}}
	m := advisor.Message{ID: "1", Kind: advisor.KindText, Text: "/cost 4090 10h", At: december, Addressed: true}
	var reply advisor.Reply
	k.Conversation, reply, _ = a.Answer(k, m)
	for _, r := range a.CostSheet(k).Rents {
		if r.Per.Currency != cost.CNY {
			t.Errorf("with a rate: got %+v", r)
		}
	}
	if !strings.Contains(reply.Plain(), "按 7.1（2026-11-01）折算") {
		t.Errorf("the rate is not said: %s", reply.Plain())
	}
}

// TestPricesCarryTheirDate is S2-46 and S4-59.
func TestPricesCarryTheirDate(t *testing.T) {
	_, reply := sumUp("zh", december, "/cost 4090 10h")
	for _, want := range []string{"2026-03", "约 9 个月前", "seed article 002", "已过期", "以平台实时页面为准"} {
		if !strings.Contains(reply.Plain(), want) {
			t.Errorf("%q is missing: %s", want, reply.Plain())
		}
	}
	s, reply := sumUp("zh", march, "/cost 4090 10h")
	if r := firstRent(t, s); r.Stale || r.AgeDays != 19 || strings.Contains(reply.Plain(), "旧价） 1.32") {
		t.Errorf("in March: got %+v: %s", r, reply.Plain())
	}
}

// FuzzCost: whatever is typed, the sheet is valid JSON without NaN.
func FuzzCost(f *testing.F) {
	for _, s := range []string{
		"4090 x3 72h", "a100 80g 8卡 两周", "4090 8h/天 30天 月付4199", "h100 @ 2.49usd 10h", "A 1.0/h B 1.3/h", "1.00+2h vs 1.30",
		"h100 spot 1.2usd 按需 2.5usd 存一次60秒 平均4小时断一次", "重跑 200% 10h 2/h", "0.0000001元/h 1e9h", "成功率 0.001% 1h 1/h", "|||", "A B C D",
	} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		s, reply := sumUp("zh", december, "/cost "+text)
		if _, err := json.Marshal(s); err != nil {
			t.Errorf("%q: %v", text, err)
		}
		_, priced := noted(advisor.Known{}, advisor.Actor{ID: "1"}, "/price set "+text)
		for _, plain := range []string{reply.Plain(), priced.Plain()} {
			if strings.Contains(plain, "NaN") || strings.Contains(plain, "Inf") {
				t.Errorf("%q: got %q", text, plain)
			}
		}
		if reply.Plain() == "" {
			t.Errorf("%q: no answer", text)
		}
	})
}

// BenchmarkCost is reading and working out one sum, words included: at most a
// millisecond.
func BenchmarkCost(b *testing.B) {
	a := advisor.New(book())
	for _, text := range []string{"/cost 4090 x3 72h", "/cost 4090 8h/天 30天 月付4199", "/cost h100 x8 10h 20元/h 装环境 1-2h 下载 0.5h 调试 2h 重跑 10-30%", "/cost A 1.0/h 装环境 2h; B 1.3/h; 跑 5 小时"} {
		m := advisor.Message{ID: "1", Kind: advisor.KindText, Text: text, At: december, Addressed: true}
		b.Run(text, func(b *testing.B) {
			for b.Loop() {
				a.Answer(advisor.Known{Profile: advisor.Profile{Lang: "zh"}}, m)
			}
		})
	}
}
