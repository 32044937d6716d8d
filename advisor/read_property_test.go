package advisor_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"unicode/utf8"

	"gpuadvisor/advisor"
	"pgregory.net/rapid"
)

// A request is a few clauses that each say one thing, in any order. Numbers are
// marked {n} so that they can be written in other ways.
type request []string

var (
	jobsZH   = []string{"微调{7}B", "用LoRA微调{13}B", "部署{32}B推理", "训练resnet50", "sdxl出图", "blender渲染", "预训练{1}B", "whisper转写", "全量微调qwen2.5-7b", "gromacs仿真"}
	restZH   = [][]string{{"{2}张4090", "{8}卡A100", "单卡3090", "{4}张A100 80G"}, {"跑{3}天", "大概{2}周", "{12}小时", "{5}到{7}天"}, {"数据{20}G", "数据集{300}GB"}, {"预算{500}块", "预算{2}万元"}, {"不能中断", "断了没关系"}}
	jobsEN   = []string{"fine-tune a 7B with LoRA", "serve a 32B at int4", "train yolov8m", "generate images with SDXL", "pretrain a 1B model", "render with Blender", "full fine-tuning of llama 3 8b"}
	restEN   = [][]string{{"on 2x 4090", "on 8 A100s", "on a single card"}, {"for 3 days", "about 2 weeks", "5 to 7 days"}, {"20 GB of data", "dataset is 300GB"}, {"budget $500", "budget 200 usd"}, {"can be interrupted", "no interruptions"}}
	politeZH = []string{"请问", "麻烦问一下，", "大佬们好，", "求助，", "你好，"}
	thanksZH = []string{"，谢谢", "，多谢啦", "，感谢", "，麻烦了"}
)

func drawRequest(t *rapid.T, jobs []string, rest [][]string) request {
	r := request{rapid.SampledFrom(jobs).Draw(t, "job")}
	for i, choices := range rest {
		if rapid.Bool().Draw(t, fmt.Sprint("has", i)) {
			r = append(r, rapid.SampledFrom(choices).Draw(t, fmt.Sprint("rest", i)))
		}
	}
	return r
}

func (r request) text(sep string) string {
	return strings.NewReplacer("{", "", "}", "").Replace(strings.Join(r, sep))
}

// slots are the facts of a text, as the contract prints them.
func slots(t *rapid.T, text string) string {
	r := book().Read(text, advisor.Asked{})
	state, err := json.Marshal(r.Facts.State())
	if err != nil {
		t.Fatal(err)
	}
	return string(state)
}

func sameSlots(t *rapid.T, a, b string) {
	if x, y := slots(t, a), slots(t, b); x != y {
		t.Fatalf("not the same is read:\n%s\n  %s\n%s\n  %s", a, x, b, y)
	}
}

func TestDigitsOrNumerals(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		r := drawRequest(t, jobsZH, restZH)
		numerals := strings.NewReplacer("{1}", "一", "{2}", "两", "{3}", "三", "{4}", "四", "{5}", "五", "{7}", "七", "{8}", "八",
			"{12}", "十二", "{13}", "十三", "{20}", "二十", "{32}", "三十二", "{300}", "三百", "{500}", "五百").Replace(strings.Join(r, "，"))
		sameSlots(t, r.text("，"), numerals)
	})
}

// TestOtherUnits says the same amounts in another unit.
func TestOtherUnits(t *testing.T) {
	zh := []string{"跑{3}天", "跑72小时", "大概{2}周", "大概14天", "{12}小时", "半天", "{5}到{7}天", "120到168小时", "数据{20}G", "数据0.02T", "数据集{300}GB", "数据集0.3TB", "预算{500}块", "预算500元", "预算{2}万元", "预算20000块"}
	en := []string{"for 3 days", "for 72 hours", "about 2 weeks", "about 14 days", "5 to 7 days", "120 to 168 hours", "20 GB of data", "0.02 TB of data", "dataset is 300GB", "dataset is 0.3 terabytes", "budget $500", "budget 500 dollars", "budget 200 usd", "budget $0.2k"}
	rapid.Check(t, func(t *rapid.T) {
		for _, of := range []struct {
			jobs  []string
			rest  [][]string
			sep   string
			pairs []string
		}{{jobsZH, restZH, "，", zh}, {jobsEN, restEN, ", ", en}} {
			r := drawRequest(t, of.jobs, of.rest)
			sameSlots(t, r.text(of.sep), request(strings.Split(strings.NewReplacer(of.pairs...).Replace(strings.Join(r, of.sep)), of.sep)).text(of.sep))
		}
	})
}

// TestNoMarks puts blanks where the commas were, as people type and speech is
// written down.
func TestNoMarks(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		zh, en := drawRequest(t, jobsZH, restZH), drawRequest(t, jobsEN, restEN)
		sameSlots(t, zh.text("，"), zh.text(" "))
		sameSlots(t, en.text(", "), en.text(" "))
	})
}

// TestMistyped lets one finger slip in a word that matters.
func TestMistyped(t *testing.T) {
	words := []string{"tune", "LoRA", "serve", "train", "generate", "images", "pretrain", "render", "Blender", "tuning", "llama", "days", "weeks", "data", "dataset", "budget", "interrupted", "interruptions"}
	rapid.Check(t, func(t *rapid.T) {
		en := drawRequest(t, jobsEN, restEN).text(", ")
		word := rapid.SampledFrom(words).Draw(t, "word")
		i := rapid.IntRange(1, len(word)-2).Draw(t, "at")
		doubled := word[:i+1] + word[i:]
		swapped := word[:i] + word[i+1:i+2] + word[i:i+1] + word[i+2:]
		sameSlots(t, en, strings.Replace(en, word, rapid.SampledFrom([]string{doubled, swapped}).Draw(t, "slip"), 1))
	})
}

func TestFullWidth(t *testing.T) {
	wide := func(s string) string {
		return strings.Map(func(r rune) rune {
			switch {
			case r == ' ':
				return '　'
			case r > ' ' && r < utf8.RuneSelf:
				return r + 0xFEE0
			}
			return r
		}, s)
	}
	rapid.Check(t, func(t *rapid.T) {
		zh, en := drawRequest(t, jobsZH, restZH).text("，"), drawRequest(t, jobsEN, restEN).text(", ")
		sameSlots(t, zh, wide(zh))
		sameSlots(t, en, wide(en))
	})
}

func TestSwappedClauses(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		zh, en := drawRequest(t, jobsZH, restZH), drawRequest(t, jobsEN, restEN)
		sameSlots(t, zh.text("，"), request(rapid.Permutation(zh).Draw(t, "zh")).text("，"))
		sameSlots(t, en.text(", "), request(rapid.Permutation(en).Draw(t, "en")).text(", "))
	})
}

func TestTraditional(t *testing.T) {
	traditional := strings.NewReplacer("微调", "微調", "训练", "訓練", "预训练", "預訓練", "出图", "出圖", "转写", "轉寫", "张", "張", "卡", "卡", "单", "單", "数据", "數據",
		"预算", "預算", "块", "塊", "万", "萬", "断", "斷", "没关系", "沒關係", "周", "週", "时", "時", "个", "個", "两", "兩", "仿真", "模擬仿真", "渲染", "渲染", "部署", "部署")
	rapid.Check(t, func(t *rapid.T) {
		zh := drawRequest(t, jobsZH, restZH).text("，")
		sameSlots(t, zh, traditional.Replace(zh))
	})
}

func TestLetterCase(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		for _, s := range []string{drawRequest(t, jobsZH, restZH).text("，"), drawRequest(t, jobsEN, restEN).text(", ")} {
			sameSlots(t, s, strings.ToLower(s))
			sameSlots(t, s, strings.ToUpper(s))
		}
	})
}

func TestPoliteness(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		zh, en := drawRequest(t, jobsZH, restZH).text("，"), drawRequest(t, jobsEN, restEN).text(", ")
		sameSlots(t, zh, rapid.SampledFrom(politeZH).Draw(t, "please")+zh+rapid.SampledFrom(thanksZH).Draw(t, "thanks"))
		sameSlots(t, en, "Hi, could you please help? I want to "+en+", thanks a lot!")
	})
}

// FuzzRead: any text and any open question have a reading, and reading twice
// gives the same.
func FuzzRead(f *testing.F) {
	for _, s := range []string{"", "三天半", "2", "不是7B是14B", "/why not A100 80G", "从周一早上九点到周五晚上九点", "@bot 7B", "一一一一一", "1e999B", "８×４０９０", "\xff\xfe4090", strings.Repeat("不", 400), "。。。", "0x0", "99999999999999999999张4090"} {
		f.Add(s, "duration_hours")
		f.Add(s, "")
	}
	known := book().Read("lora微调qwen2.5-7b 3天 A100", advisor.Asked{}).Facts
	f.Fuzz(func(t *testing.T, text, slot string) {
		for _, asked := range []advisor.Asked{{}, {Slot: slot, Facts: &known, Options: options(slot)}} {
			a, err := json.Marshal(book().Read(text, asked))
			if err != nil {
				t.Fatalf("%q: %v", text, err)
			}
			if b, _ := json.Marshal(book().Read(text, asked)); string(a) != string(b) {
				t.Fatalf("%q is read differently the second time:\n%s\n%s", text, a, b)
			}
		}
	})
}
