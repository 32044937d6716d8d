package advisor_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"gpuadvisor/advisor"
	"gpuadvisor/advisor/cost"
)

// The worked examples of the requirements for money, each by the number of its
// row, as a person types it. Further forms of the same are in costs_test.go,
// the bare formulas in advisor/cost.

// worked is one example: what is typed, what must come out.
type worked struct {
	row   string
	texts []string
	value func(*advisor.CostSheet) float64 // nil: only words
	want  float64
	says  []string // parts of the reply
}

// workedRows are the rows that must have an example.
var workedRows = []string{
	"S0-22", "S0-23", "S0-24", "S0-25", "S0-26", "S0-27", "S0-28", "S0-29",
	"S2-46", "S2-47", "S2-48", "S2-49", "S2-50", "S2-51", "S2-52",
	"S4-05", "S4-21", "S4-22", "S4-23", "S4-24", "S4-25", "S4-26", "S4-27", "S4-28", "S4-38",
	"6.1 T4", "6.1 3060", "6.1 3070", "6.1 3090", "6.1 4090", "6.1 A100-40", "6.1 A100-80x8", "6.1 C4", "6.1 C5",
	"6.2 finished", "6.2 image", "6.2 clip", "6.2 kstep", "6.2 mtok", "6.2 throttled", "6.2 set-up",
	"6.3 60s 4h", "6.3 60s 24h", "6.3 300s 4h", "6.3 300s 24h", "6.3 600s 2h", "6.3 notice", "6.3 guess",
}

func likely(s *advisor.CostSheet) float64   { return s.Finished.Total.Likely.Float() }
func breakLow(s *advisor.CostSheet) float64 { return s.Monthly.Low.Hours }
func byHour(s *advisor.CostSheet) float64   { return s.Monthly.ByHour.Low.Float() }
func each(s *advisor.CostSheet) float64     { return s.Unit.Costs[0].Likely.Float() }
func flip(s *advisor.CostSheet) float64     { return s.Compared.Flips[0].Hours }
func best(s *advisor.CostSheet) float64     { return float64(s.Compared.Best) }
func interval(s *advisor.CostSheet) float64 { return s.Spot.Plans[0].Interval * 60 }
func wasted(s *advisor.CostSheet) float64   { return s.Spot.Plans[0].Overhead }
func hourLow(s *advisor.CostSheet) float64  { return s.Rents[0].Per.Low.Float() }

func one(texts ...string) []string { return texts }

var workedExamples = []worked{
	{"S0-22", one("A 1.0/h B 1.3/h 哪个便宜"), nil, 0, one("装环境", "任务跑多久")},
	{"S0-23", one("/cost 4090 2元/h 10h", "/cost parts"), likely, 20, one("装环境", "下载", "磁盘、流量、镜像", "调试", "失败重跑", "等人", "未计入")},
	{"S0-24", one("/cost 10h 2.0/h 装环境1h 重跑20%"), likely, 26, one("22 元", "30 元")},
	{"S0-25", one("/cost 1.00+2 h vs 1.30"), flip, 6.667, one("6.7 小时以上")},
	{"S0-26", one("/cost image 1.5/h, 6 s/image, 25% accepted"), each, 0.01, one("0.01 元")},
	{"S0-27", one("/cost clip 2.0/h, 300 s/clip, 1 of 4 usable"), each, 0.6667, one("0.667 元")},
	{"S0-28", one("/cost kstep 4×2.0/h, 1.2 s/step"), each, 2.6667, one("2.67 元")},
	{"S0-29", one("/cost A 1.0/h B 1.3/h 跑10小时"), best, 0, one("只比单价")},
	{"S2-46", one("/cost 4090 10h"), hourLow, 1.32, one("2026-03", "约 9 个月前", "seed article 002", "自述价", "以平台实时页面为准")},
	{"S2-47", one("/cost breakeven t4"), breakLow, 1998.5, one("超过 744 小时", "永远不划算")},
	{"S2-48", one("4090 包月还是按时，每天 8 h"), byHour, 316.8, one("316.80", "950", "按时便宜", "过期")},
	{"S2-49", one("/cost a100 40g 包月 24h/天 30天"), byHour, 3528, one("3528", "3500")},
	{"S2-50", one("/cost a100 80g x8 整机 38/h 包月 28000 30天"), byHour, 27360, one("27360", "按时便宜")},
	{"S2-51", one("/cost 4090 1.32/h 包月950 优惠25-60%"), func(s *advisor.CostSheet) float64 { return s.Monthly.Discounts[0].Hours }, 539.77, one("712.5 元", "380 元", "540 小时", "288 小时")},
	{"S2-52", one("/cost 4090 1.32/h 包月950 教育优惠65%"), func(s *advisor.CostSheet) float64 { return s.Monthly.Discounts[0].Month.Amount.Float() }, 332.5, one("优惠 65% 后")},
	{"S4-05", one("/cost A 10/h 成功率70% | B 12/h 成功率98%, 跑 10 小时"), best, 1, one("B 最便宜")},
	{"S4-21", one("/checklist fees", "是", "是", "是", "是", "是"), nil, 0, one("费用清单", "另外收费吗")},
	{"S4-22", one("/checklist fees"), nil, 0, one("免费磁盘几 GB", "关机后还收吗")},
	{"S4-23", one("/cost 4090 1.9/h 10h 流量 500GB"), nil, 0, one("流量 500 GB 还没算进去", "每 GB 多少钱")},
	{"S4-24", one("/cost 4090 2元/h 10h 镜像费 50元"), likely, 70, one("50")},
	{"S4-25", one("/checklist fees", "是", "是", "是"), nil, 0, one("只卖给我一个人？怎么验")},
	{"S4-26", one("/checklist fees", "是", "是", "是", "是", "是", "是", "是"), nil, 0, one("书面、带日期的价目表")},
	{"S4-27", one("/cost compare 按时 1.9/h | 包周 200 | 包月 950, 30天"), best, 2, one("包月最便宜")},
	{"S4-28", one("微调 70B LoRA 跑三周 4张 A100 数据 50G"), nil, 0, one("先按小时试，稳了再看周租或月租")},
	{"S4-38", one("/cost 4090 2.0/h 只跑出70%"), func(s *advisor.CostSheet) float64 { return s.Effective.Effective.Amount.Float() }, 2.857, one("2.86", "×1.43")},

	{"6.1 T4", one("/cost t4 包月 24h/天 30天"), byHour, 468, one("1998.5")},
	{"6.1 3060", one("/cost rtx3060 8g 包月划算吗"), breakLow, 274.5, one("9.15 小时", "781.9", "按低价", "按高价")},
	{"6.1 3070", one("/cost 3070 10h"), hourLow, 1.58, nil},
	{"6.1 3090", one("/cost 3090 10h"), hourLow, 1.25, nil},
	{"6.1 4090", one("/cost 4090 包月划算吗"), breakLow, 719.7, one("23.99 小时", "1566.8")},
	{"6.1 A100-40", one("/cost a100 40g 包月划算吗"), breakLow, 714.3, one("492.5")},
	{"6.1 A100-80x8", one("/cost a100 80g x8 整机 38/h 包月 28000 31天 24h/天"), func(s *advisor.CostSheet) float64 {
		return s.Monthly.ByHour.Low.Float() - s.Monthly.ByMonth.Low.Float()
	}, 272, one("736.8")},
	{"6.1 C4", one("/prices a100 40g"), nil, 0, one("没用上：8 卡机器", "对不上")},
	{"6.1 C5", one("/prices 4090"), nil, 0, one("没用上：8 卡机器", "900–10800 元", "对不上")},

	{"6.2 finished", one("/cost 2.0元/h, 跑10小时, 1小时装环境, 重跑20%"), likely, 26, nil},
	{"6.2 image", one("/cost 1.5/h 6秒/张 合格25%"), each, 0.01, nil},
	{"6.2 clip", one("/cost 2.0/h 每段视频 300秒 可用率 25%"), each, 0.6667, nil},
	{"6.2 kstep", one("/cost 4卡 2.0/h 每步 1.2 秒"), each, 2.6667, nil},
	{"6.2 mtok", one("/cost 2.5/h 100 tok/s"), each, 6.944, nil},
	{"6.2 throttled", one("/cost 4090 10元/h 只跑出70%"), func(s *advisor.CostSheet) float64 { return s.Effective.Factor }, 1.4286, one("×1.43")},
	{"6.2 set-up", one("/cost A 1.0/h 装环境 2h; B 1.3/h; 跑 5 小时"), best, 1, one("B 最便宜", "6.7 小时")},

	{"6.3 60s 4h", one("/cost h100 抢占 1.2usd 按需 2.5usd 存一次60秒 平均4小时断一次"), interval, 21.2, one("9.1")},
	{"6.3 60s 24h", one("/cost h100 抢占 1.2usd 按需 2.5usd 存一次60秒 平均24小时断一次"), interval, 53.0, one("3.7")},
	{"6.3 300s 4h", one("/cost h100 抢占 1.2usd 按需 2.5usd 存一次300秒 平均4小时断一次"), wasted, 0.205, one("20.5")},
	{"6.3 300s 24h", one("/cost h100 抢占 1.2usd 按需 2.5usd 存一次300秒 平均24小时断一次"), wasted, 0.0833, one("8.3")},
	{"6.3 600s 2h", one("/cost h100 抢占 1.2usd 按需 2.5usd 存一次600秒 平均2小时断一次"), wasted, 0.412, one("别用可抢占的机器")},
	{"6.3 notice", one("/cost h100 抢占 1.2usd 按需 2.5usd 存一次300秒 平均4小时断一次 提前通知 2分钟"), interval, 45.7, one("别指望临走再存")},
	{"6.3 guess", one("/cost h100 抢占 1.2usd 按需 2.5usd"), func(s *advisor.CostSheet) float64 { return s.Spot.Plans[1].Between }, 24, one("猜")},
}

// TestWorkedExamples: each row comes to its value, in words too.
func TestWorkedExamples(t *testing.T) {
	for _, w := range workedExamples {
		s, reply := sumUp("zh", december, w.texts...)
		plain := reply.Plain()
		if w.value != nil {
			got := func() (v float64) {
				defer func() {
					if recover() != nil {
						t.Errorf("%s: %q comes to nothing:\n%s", w.row, w.texts, plain)
						v = w.want
					}
				}()
				return w.value(s)
			}()
			if d := got - w.want; d > 0.003*max(1, w.want) || d < -0.003*max(1, w.want) {
				t.Errorf("%s: %q: got %v, want %v", w.row, w.texts, got, w.want)
			}
		}
		for _, part := range w.says {
			if !strings.Contains(plain, part) {
				t.Errorf("%s: %q: %q is missing in\n%s", w.row, w.texts, part, plain)
			}
		}
	}
}

// TestWorkedRows: no row is without an example, and no example without a row.
func TestWorkedRows(t *testing.T) {
	for _, row := range workedRows {
		if !slices.ContainsFunc(workedExamples, func(w worked) bool { return w.row == row }) {
			t.Errorf("%s has no example", row)
		}
	}
	for _, w := range workedExamples {
		if !slices.Contains(workedRows, w.row) {
			t.Errorf("%s is no row", w.row)
		}
	}
}

// TestDominated: the 8 GB card of the article costs more than its 24 GB cards,
// so that no advice on these prices, while they are fresh, begins with it.
func TestDominated(t *testing.T) {
	a := advisor.New(book())
	low := func(card string) cost.Amount {
		for _, s := range a.PricesOf(card, march) {
			for _, b := range s.Bands {
				if b.Currency == cost.CNY && b.Hour.Given() {
					return b.Hour.Low
				}
			}
		}
		return 0
	}
	if small, big := low("rtx-3070"), low("rtx-3090"); small <= big || big == 0 {
		t.Errorf("3070 costs %v, 3090 %v", small, big)
	}
	for _, at := range []time.Time{march, december} {
		k := advisor.Known{Profile: advisor.Profile{Lang: "zh"}}
		m := advisor.Message{ID: "1", Kind: advisor.KindText, Text: "训练一个小的图像分类模型 单卡 10 小时 数据 5GB", At: at, Addressed: true}
		k.Conversation, _, _ = a.Answer(k, m)
		if advice := a.Advice(k); advice != nil && len(advice.Cards) > 0 && advice.Cards[0].GPU == "rtx-3070" {
			t.Errorf("at %s the dominated card is advised first", at)
		}
	}
}
