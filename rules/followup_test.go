package rules

import (
	"slices"
	"testing"
	"time"

	"gpuadvisor/advisor"
)

// TestFollowupsAreRead asks every question of followups.yaml in every wording
// after an advice, and wants its answer; before any job only what a word means
// is told, and nothing gets in the way of the first question.
func TestFollowupsAreRead(t *testing.T) {
	book := mustLoad(t)
	a := advisor.New(book).WithZones(time.LoadLocation)
	jobs := map[string]string{"zh": "LoRA 微调 Qwen2.5-7B，数据 20G，跑三天", "en": "LoRA fine-tune Qwen2.5-7B, 20 GB of data, three days"}
	for lang, job := range jobs {
		k, _ := say(a, advisor.Known{Profile: advisor.Profile{Lang: lang}}, job)
		for _, f := range book.Followups {
			for _, text := range map[string][]string{"zh": f.ZH, "en": f.EN}[lang] {
				after, reply := say(a, k, text)
				if !slices.Contains(reply.Because, "followup."+f.ID) && reply.Intent != "checklist" && reply.Intent != "cost" {
					t.Errorf("%q: want the answer of %s, got act %s because %v", text, f.ID, reply.Act, reply.Because)
				}
				if f.Term && len(after.Conversation.Facts.Said()) != len(k.Conversation.Facts.Said()) {
					t.Errorf("%q asks what a word means and changed the job to %v", text, after.Conversation.Facts.Said())
				}
				if _, first := say(a, advisor.Known{Profile: advisor.Profile{Lang: lang}}, text); slices.Contains(first.Because, "followup."+f.ID) != f.Term && first.Intent != "compare" {
					t.Errorf("%q before there is a job: answered %t, want %t", text, !f.Term, f.Term)
				}
			}
		}
	}
}

// TestFollowupsLeaveTheJobAlone says facts beside such a question: the facts
// count.
func TestFollowupsLeaveTheJobAlone(t *testing.T) {
	a := advisor.New(mustLoad(t))
	k, _ := say(a, advisor.Known{Profile: advisor.Profile{Lang: "zh"}}, "LoRA 微调 Qwen2.5-7B，数据 20G，跑三天")
	for _, text := range []string{"太贵了，改成 QLoRA", "下一步呢，改成跑一周", "LoRA 换成全量微调，有什么风险"} {
		if after, reply := say(a, k, text); slices.ContainsFunc(reply.Because, func(s string) bool { return len(s) > 9 && s[:9] == "followup." }) || reply.Act != "answer" {
			t.Errorf("%q: got act %s because %v, facts %v", text, reply.Act, reply.Because, after.Conversation.Facts.State())
		}
	}
}
