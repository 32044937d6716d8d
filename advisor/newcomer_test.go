package advisor_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"gpuadvisor/advisor"
)

// talk plays one person's messages and returns every reply as plain text.
func talk(lang string, texts ...string) []advisor.Reply {
	a := advisor.New(book()).WithZones(time.LoadLocation)
	k := advisor.Known{Profile: advisor.Profile{Lang: lang}}
	var out []advisor.Reply
	for i, s := range texts {
		var r advisor.Reply
		k.Conversation, r, _ = a.Answer(k, advisor.Message{ID: fmt.Sprint(i), Key: "k", Kind: advisor.KindText, Text: s, At: december, Addressed: true})
		out = append(out, r)
	}
	return out
}

// TestRepliesHoldTogether plays what newcomers said, and looks at the last
// reply for what it must say and for what would contradict it.
func TestRepliesHoldTogether(t *testing.T) {
	for _, test := range []struct {
		name, lang string
		says       []string
		want, not  []string
	}{
		{"a card with more memory than is wanted is not too small", "en",
			[]string{"Hi, I need to pretrain a 1.3B model on 30B tokens, H100s or A100s?"},
			[]string{"A100-80G"}, []string{"too small"}},
		{"a card that is left out for its pace is not said to be too small", "en",
			[]string{"pretrain a 1.3B model, 100 GB of data, 1 week", "don't know"},
			[]string{"would hold it", "usual for such a job"}, []string{"Not A6000-48G: not enough memory", "does not fit on one card", "GiB, the 80 GB class"}},
		{"two equal figures do not explain a refusal", "en",
			[]string{"QLoRA fine-tune Llama 3 8B, 5 GB of data, 2 days", "why not a 3060 12GB"},
			nil, []string{"about 12 GiB wanted, 12 GiB usable"}},
		{"a measured peak is said as it was measured", "zh",
			[]string{"2张4090 QLoRA 微调 Qwen2.5-14B 序列4096 数据10G 三天", "峰值 19.7"},
			[]string{"实测峰值 19.7，"}, []string{"18.3", "19.2 GiB"}},
		{"a peak belongs to the boards that were advised", "en",
			[]string{"serve Llama 3.1 70B int4 to 20 people with 16k context, always on", "peak 70"},
			[]string{"2xA100-80G", "70"}, []string{"RTX", "your peak 35"}},
		{"a card holds what was measured on it, only just", "en",
			[]string{"LoRA fine-tune Qwen2.5-7B on a 4090, 20 GB, two days", "peak 21.9"},
			[]string{"RTX4090-24G (tight", "Less than 10 %"}, []string{"Not RTX4090"}},
		{"also when asked about that card", "en",
			[]string{"LoRA fine-tune Qwen2.5-7B on a 4090, 20 GB, two days", "peak 21.9", "why not a 4090"},
			[]string{"RTX4090-24G works"}, nil},
		{"a card that was named and never measured holds no more than it can", "en",
			[]string{"LoRA fine-tune Llama 70B on a 4090, 20 GB, two days", "why not a 4090"},
			[]string{"RTX4090-24G is too small"}, []string{"is enough", "works"}},
		{"the same in Chinese, by command", "zh",
			[]string{"LoRA 微调 70B，4090，数据 20G，两天", "/why not 4090"},
			[]string{"RTX4090-24G 不够"}, []string{"就够"}},
		{"and not more than it has", "en",
			[]string{"LoRA fine-tune Qwen2.5-7B on a 4090, 20 GB, two days", "peak 25"},
			[]string{"Not RTX4090"}, []string{"RTX4090-24G (tight"}},
		{"a peak measured with adapters says nothing of a full fine-tune", "zh",
			[]string{"QLoRA 微调 Qwen2.5-14B 序列4096 数据200G 三天 单卡", "峰值 19.7"},
			nil, []string{"如果改成全量微调 → 2xRTX3090-24G", "如果改成全量微调 → RTX"}},
		{"a changed method drops the measurement and says so", "zh",
			[]string{"QLoRA 微调 Qwen2.5-14B 序列4096 数据200G 三天 单卡", "峰值 19.7", "改成全量微调"},
			[]string{"19.7 GiB 不再适用", "把握中"}, []string{"你实测"}},
		{"a new count replaces the one said with a card", "en",
			[]string{"serve Llama 3.1 70B int4 to 20 people with 16k context, always on", "what about 2x A6000", "make it 8 cards"},
			[]string{"8xA6000-48G"}, []string{"4xA6000-48G", "2xA6000"}},
		{"what if 8 cards is about 8 cards", "en",
			[]string{"serve Llama 3.1 70B int4 to 20 people with 16k context, always on", "what about 2x A6000"},
			nil, []string{"8 cards → 4x", "4 cards → 2x", "8 cards → 2x"}},

		{"a card that holds the job only together with another is told how many it takes", "en",
			[]string{"H100 vs H200 for serving llama 70b fp8"},
			[]string{"H100-80G is too small (about 82.3 GiB wanted on each card, 79.6", "it takes 2xH100-80G", "H200-141G is enough"}, []string{"41.7 GiB wanted, 79.6", "class is enough"}},
		{"the same of two cards that are both too small alone", "zh",
			[]string{"5090 还是 4090 跑 32B int8"},
			[]string{"RTX5090-32G 不够", "要 2xRTX5090-32G"}, []string{"需要约 20.3 GiB，它可用约 31.8"}},

		{"the count said with each card is the count that is judged", "zh",
			[]string{"两张 3090 还是一张 4090 跑 32B int8"},
			[]string{"2xRTX3090-24G 可以", "RTX4090-24G 不够", "要 2xRTX4090-24G"}, nil},

		{"what no card holds has its demand said all the same", "zh",
			[]string{"llama 4 scout 4bit 推理 10M 上下文 单用户 长期在线"},
			[]string{"就算分到 8 张卡上，每张也要约", "没有一张好租的卡装得下"}, []string{"约 0 GiB", "0 GB 档"}},

		{"clips have pixels and frames, not tokens", "zh",
			[]string{"wan2.1 14b lora 微调，50个视频，数据20G，两天"},
			[]string{"832x480 像素", "81 帧"}, []string{"序列长"}},

		{"a way of paying is answered, not a list of places", "en",
			[]string{"LoRA fine-tune Qwen2.5-7B, 20 GB of data, three days", "can I use spot?"},
			[]string{"Spot is cheap", "Your job:", "it may be interrupted → interruptible instances"}, []string{"The platform owns the hosts"}},
		{"the same in Chinese, in the middle of a question", "zh",
			[]string{"LoRA 微调 Qwen2.5-7B，跑三天", "包月呢"},
			[]string{"盈亏点", "你这个任务：", "一共多大"}, []string{"合同对象"}},
		{"without a job a way of paying is asked for one", "zh",
			[]string{"可以按天租吗"},
			[]string{"要用 GPU 做什么"}, []string{"合同对象"}},
		{"what has nothing to do with us is no wish", "zh",
			[]string{"帮我写个爬虫抢显卡"},
			[]string{"这个我帮不上"}, []string{"先告诉我一件事"}},
		{"a wish without a job is asked for one", "en",
			[]string{"i want to do something with AI for my school project"},
			[]string{"What will the GPU do?"}, []string{"I cannot help"}},
		{"the same in a long letter that asks for help", "en",
			[]string{"Hi there! I am a biology student and my supervisor told me to get a GPU in the cloud because my laptop is way too slow. I have no idea what I need, can you help?"},
			[]string{"What will the GPU do?"}, []string{"At any time"}},
		{"the same in Chinese", "zh",
			[]string{"毕业设计要用显卡，电脑带不动，完全不懂，能帮帮我吗"},
			[]string{"要用 GPU 做什么"}, []string{"我只管租 GPU"}},
		{"a word that is asked for does not settle the open question", "en",
			[]string{"LoRA fine-tune Qwen2.5-7B", "what does container mean"},
			[]string{"starts in seconds from a ready image", "How long does one run last?"}, []string{"Fine."}},
		{"what is not known need not be what was asked", "en",
			[]string{"I have 5 GB of pictures for a GPU job", "no idea how long"},
			[]string{"can stay open", "What will the GPU do?"}, []string{"the usual settings"}},
		{"why this card is about the card, not about the question", "zh",
			[]string{"LoRA 微调 Qwen2.5-7B", "为什么是这个卡"},
			[]string{"RTX4090-24G", "GiB", "连续跑多久"}, nil},
		{"a free notebook instead is talked about", "en",
			[]string{"LoRA fine-tune Qwen2.5-7B", "why not just use colab"},
			[]string{"free notebook", "How long does one run last?"}, []string{"Which card?"}},
		{"thanks leave the question open", "en",
			[]string{"LoRA fine-tune Qwen2.5-7B", "thank you!!"},
			[]string{"You are welcome", "How long does one run last?"}, nil},
		{"yes to a price promises no step that does not come", "en",
			[]string{"2x 4090 for 5 days, how much?", "yes"},
			nil, []string{"this is the next step:"}},
		{"four figures alone are a score", "en",
			[]string{"0.9 0.8 0.7 0.9"},
			[]string{"0.45"}, []string{"I cannot help"}},
		{"after a question about places a changed answer is about the job", "en",
			[]string{"LoRA fine-tune Qwen2.5-7B, 20 GB of data, three days", "where should I rent it?", "actually make it QLoRA"},
			[]string{"QLoRA · Qwen2.5-7B"}, []string{"The platform owns the hosts"}},
		{"what was said beside the question is read back", "zh",
			[]string{"LoRA 微调 Qwen2.5-7B", "预算 100 元"},
			[]string{"记下了：预算 100 元", "连续跑多久"}, nil},
		{"more leads back to the question", "zh",
			[]string{"LoRA 微调 Qwen2.5-7B", "更多"},
			[]string{"连续跑多久"}, nil},
		{"what if leads back to the question", "en",
			[]string{"LoRA fine-tune Qwen2.5-7B", "what if QLoRA"},
			[]string{"How long does one run last?"}, nil},
		{"a what-if that is not understood does not deny the advice", "en",
			[]string{"LoRA fine-tune Qwen2.5-7B, 20 GB of data, three days", "what if the moon is full"},
			nil, []string{"There has to be an advice first"}},
		{"a default is the one that the arithmetic takes", "zh",
			[]string{"Qwen2.5-14B 推理，并发 1，上下文 8k", "不知道"},
			[]string{"先这样假设：精度 fp16。"}, []string{"仿真"}},
		{"the reasons are sentences", "en",
			[]string{"LoRA fine-tune Qwen2.5-7B, 20 GB of data, three days", "why"},
			[]string{"• Nobody said how many cards, so the count is what the job needs. What"}, []string{"needs What"}},
		{"what always runs has a price per month, and a budget to compare with", "zh",
			[]string{"部署 Qwen2.5-7B 推理，并发 1，上下文 4k，7x24 长期在线，预算每月 500 元"},
			[]string{"按一个月开机 720 小时算：720 卡时", "超出预算 500 元/月"}, []string{"算不出总价"}},
		{"a card without bf16 says what to do", "en",
			[]string{"QLoRA fine-tune Llama 3 8B, 5 GB of data, 2 days"},
			[]string{"T4-16G (comfortable; the smallest class that holds it; no bf16 in hardware, use fp16)"}, nil},
		{"a reminder names its zone without a riddle", "en",
			[]string{"remind me tomorrow 9am to check loss"},
			[]string{"09:00 (UTC+8)"}, []string{"CST"}},
		{"a long wait is days", "zh",
			[]string{"12月20号还卡，提醒我"},
			[]string{"17.5 天后"}, []string{"小时后"}},
		{"advice for a kind of renter says what its lines are", "zh",
			[]string{"我是学生，LoRA 微调 Qwen2.5-7B，数据 20G，三天", "更多"},
			[]string{"你这类用户看重：", "问平台："}, nil},

		{"a card asked about in the middle is judged", "zh",
			[]string{"comfyui 跑 flux 出图", "4090够不够"},
			[]string{"RTX4090-24G 可以", "连续跑多久"}, nil},
		{"each named card is judged once, and none that was not meant", "en",
			[]string{"Hi, I need to pretrain a 1.3B model on 30B tokens, H100s or A100s?"},
			[]string{"A100-80G works", "H100-80G works"}, []string{"H100-94G"}},
		{"going back passes over questions aside", "zh",
			[]string{"LoRA 微调 Qwen2.5-7B，数据 20G", "三天", "哪个平台好", "返回"},
			[]string{"回到上一步", "连续跑多久"}, []string{"3 天"}},
		{"after a question about money another model is about the job", "en",
			[]string{"LoRA fine-tune Qwen2.5-7B, 20 GB of data, three days", "what does it cost?", "actually make it a 14B"},
			[]string{"Advice", "14B"}, []string{"Paid"}},
		{"after a question about money a length is about the money", "en",
			[]string{"LoRA fine-tune Qwen2.5-7B, 20 GB of data, three days", "what does it cost?", "and for 5 days?"},
			[]string{"120 card-hours", "Paid"}, []string{"Advice"}},
		{"who does not know a model can pick one", "en",
			[]string{"I want to run a language model", "inference"},
			[]string{"About 7B", "About 70B"}, []string{"SDXL"}},
		{"one person with a very large model hears of other ways", "zh",
			[]string{"我是学生，想自己部署 deepseek-r1 推理，并发 1，上下文 8k，fp8，跑一天"},
			[]string{"8xH20-96G", "蒸馏版"}, nil},

		{"a card above the class is not called the smallest that holds it", "en",
			[]string{"inference with Qwen2.5-7B int4, 4k context, just me, 2 hours"},
			[]string{"the 8 GB class", "T4-16G (comfortable; the smallest that most places rent)"}, nil},
		{"a card for its pace is not called the smallest that holds it", "zh",
			[]string{"预训练 1.3B 模型，数据 100GB，一周", "不知道"},
			[]string{"同类任务一般用 80 GB 档"}, []string{"A100-80G（宽裕，装得下的最小一档"}},
		{"memory looked up for too few cards says how many it takes", "zh",
			[]string{"/vram Qwen2.5-72B 全量微调 8卡"},
			[]string{"16xH200-141G", "要 16 张"}, nil},

		{"a ruled-out card is read back as ruled out", "zh",
			[]string{"LoRA 微调 Qwen2.5-7B，数据 20G，跑三天", "不要4090"},
			[]string{"不要 RTX4090"}, []string{"提到  ·", "提到 ·"}},
		{"the same rule is not read back twice", "en",
			[]string{"patient records, LoRA on a 7B model, 20 GB, 3 days"},
			[]string{"regulated data"}, []string{"regulated data · regulated data"}},
		{"state secrets stop at once", "zh",
			[]string{"涉密项目，要租8张A100，等保三级有证"},
			[]string{"不要租"}, []string{"A100", "你要用 GPU 做什么"}},
		{"what is not understood after an advice does not start over", "en",
			[]string{"LoRA fine-tune Qwen2.5-7B, 20 GB of data, three days", "give me the second one"},
			[]string{"the advice above still stands"}, []string{"I help people decide"}},
		{"anything goes after an advice changes nothing and says so", "zh",
			[]string{"LoRA 微调 Qwen2.5-7B，数据 20G，跑三天", "都行"},
			[]string{"建议就是上面那份"}, []string{"直接说你要用 GPU 做什么"}},
	} {
		t.Run(test.name, func(t *testing.T) {
			replies := talk(test.lang, test.says...)
			check(t, replies[len(replies)-1].Plain(), test.want, test.not)
		})
	}
}

func check(t *testing.T, got string, want, not []string) {
	t.Helper()
	for _, w := range want {
		if !strings.Contains(got, w) {
			t.Errorf("want %q in:\n%s", w, got)
		}
	}
	for _, n := range not {
		if strings.Contains(got, n) {
			t.Errorf("do not want %q in:\n%s", n, got)
		}
	}
}
