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
