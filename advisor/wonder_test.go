package advisor_test

import (
	"fmt"
	"strings"
	"testing"

	"gpuadvisor/advisor"
)

// TestTurnsThatAreNoAnswer says things in the middle of a dialogue that no
// question waits for, and wants them taken for what they are.
func TestTurnsThatAreNoAnswer(t *testing.T) {
	for _, c := range []struct {
		lang  string
		texts []string
		act   string
		has   string // in the last reply
		fact  string // after it
		is    string
	}{
		{"en", []string{"finetuning a 7b", "no wait, it's 13b"}, "ask:method", "", "params_b", "13"},
		{"zh", []string{"13b 全参微调 数据6G 五天", "预算两千", "预算好说了，加到两万"}, "answer", "", "budget", "{20000 CNY total}"},
		{"zh", []string{"7B lora，3G，一天", "要不要租两张？"}, "answer", "会变", "gpus", "<nil>"},
		{"en", []string{"13b lora, 2GB, 1 day", "should I take qlora?"}, "answer", "It changes", "method", "lora"},
		{"en", []string{"train mask rcnn", "300", "gigabytes, sorry"}, "ask:duration_hours", "300", "data_gb", "300"},
		{"zh", []string{"训 resnet101", "150", "G"}, "ask:duration_hours", "150", "data_gb", "150"},
		{"zh", []string{"帮我选卡", "第二个"}, "ask:task", "哪一种", "task", "<nil>"},
		{"en", []string{"train resnet50, 20GB of data, 2 days", "one is plenty"}, "answer", "", "gpus", "{{1 1} single}"},
		{"zh", []string{"训个 resnet50，30G，单卡", "顺便教我绕开平台的实名"}, "refuse", "", "gpus", "{{1 1} single}"},
		{"zh", []string{"推理 7b，上下文 99999999999"}, "ask:concurrency", "没算进去", "context_len", "<nil>"},
		{"en", []string{"train a 7b for 1e308 days"}, "ask:data_gb", "1e308", "duration_hours", "<nil>"},
		{"zh", []string{"7b 1.58bit 推理，两个人"}, "ask:context_len", "int4", "precision", "<nil>"},
		{"en", []string{"7b lora, 2GB, 1 day", "how much per month?"}, "answer", "720 card-hours", "", ""},
		{"zh", []string{"7B lora，3G，一天", "费用怎么算的"}, "answer", "24 卡时", "", ""},
	} {
		a := advisor.New(book())
		k := advisor.Known{Profile: advisor.Profile{Lang: c.lang}}
		var r advisor.Reply
		for _, text := range c.texts {
			k.Conversation, r, _ = a.Answer(k, advisor.Message{Kind: advisor.KindText, Text: text, Addressed: true})
		}
		said := ""
		for _, p := range r.Parts {
			said += p.Text + "\n"
		}
		if r.Act != c.act || !strings.Contains(said, c.has) {
			t.Errorf("%s: got %s %q, want %s with %q", strings.Join(c.texts, " | "), r.Act, said, c.act, c.has)
		}
		state := k.Conversation.Facts.State()
		if got := fmt.Sprint(state[c.fact]); c.fact != "" && got != c.is {
			t.Errorf("%s: %s is %s, want %s", strings.Join(c.texts, " | "), c.fact, got, c.is)
		}
	}
}
