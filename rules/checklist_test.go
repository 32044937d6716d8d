package rules

import (
	"strings"
	"testing"

	"gpuadvisor/advisor"
)

// Every list can be gone through with every answer: it ends after as many
// items as it has, counts them, and asks what is unknown.
func TestChecklistsToTheEnd(t *testing.T) {
	book := mustLoad(t)
	a := advisor.New(book)
	for _, l := range book.Checklists {
		for _, answer := range []string{"yes", "no", "unknown", "不知道", "15 days"} {
			k, r := say(a, advisor.Known{}, "/checklist "+l.ID)
			steps := 0
			for ; k.Conversation.Flow.Kind != "" && steps <= len(l.Items); steps++ {
				if !strings.Contains(r.Plain(), l.Items[steps].Ask.In(k.Conversation.Lang)) {
					t.Errorf("%s, item %d: got %s", l.ID, steps+1, r.Plain())
				}
				k, r = say(a, k, answer)
			}
			stopped := !strings.Contains(strings.Join(r.Because, " "), "checklist.result")
			if k.Conversation.Flow.Kind != "" || stopped && answer != "yes" && answer != "15 days" || !stopped && steps != len(l.Items) {
				t.Errorf("%s with %q: %d steps of %d, then %v", l.ID, answer, steps, len(l.Items), r.Because)
			}
		}
	}
}

// Lists are found by id, title, name, part of a name, in either language.
func TestChecklistNames(t *testing.T) {
	book := mustLoad(t)
	for said, want := range map[string]string{
		"disk": "disk", "磁盘六问": "disk", "磁盘": "disk", "Six disk questions": "disk", "SLA": "sla", "售后": "support",
		"before releasing": "before-releasing", "安全": "security", "换机": "swap", "nothing of the kind": "", "": "",
	} {
		got := ""
		if l := book.ChecklistNamed(said); l != nil {
			got = l.ID
		}
		if got != want {
			t.Errorf("%q: got %q, want %q", said, got, want)
		}
	}
	a := advisor.New(book)
	for said, want := range map[string]string{
		"what should I check before releasing the instance?": "before-releasing", "怎么验卡 是不是真的a100 80g": "first-login",
		"第一次租卡，给我个避坑清单": "before-renting", "translate me a checklist": "before-renting",
	} {
		if _, r := say(a, advisor.Known{}, said); !strings.Contains(strings.Join(r.Because, " ")+" ", "checklist."+want+" ") {
			t.Errorf("%q: got %v, want the list %s", said, r.Because, want)
		}
	}
}

// The good answer is not always yes, and one wrong answer can end it all.
func TestChecklistGates(t *testing.T) {
	book := mustLoad(t)
	a := advisor.New(book)
	ticks := func(answers string) []advisor.Tick {
		var out []advisor.Tick
		for _, s := range strings.Fields(answers) {
			out = append(out, a.Tick(s))
		}
		return out
	}
	for _, tt := range []struct{ list, answers, says string }{
		{"security", "yes no yes yes yes yes", "6 of 6"},
		{"security", "yes yes", "do not rent"},
		{"security", "yes unknown yes yes yes yes", "5 of 6"},
		{"trial", "yes yes yes yes yes yes no", "Not passed"},
		{"trial", "yes yes yes yes yes yes", "Not passed"},
		{"trial", "yes yes yes yes yes yes yes", "All of it passed"},
		{"fees", "yes yes no yes no no yes yes", "8 of 8"},
		{"six-dimensions", "unknown unknown unknown unknown unknown unknown", "0 of 6"},
	} {
		got := a.Ticked(book.ChecklistNamed(tt.list), ticks(tt.answers), "en").Plain()
		if !strings.Contains(got, tt.says) {
			t.Errorf("%s, %s: got %s, want %q", tt.list, tt.answers, got, tt.says)
		}
	}
}

// A message about something else is answered and the item stays; the advice
// waits behind a list and comes back.
func TestFlowsLeaveTheDialogueAlone(t *testing.T) {
	a := advisor.New(mustLoad(t))
	k, _ := say(a, advisor.Known{}, "LoRA 微调 Qwen2.5-7B")
	asked := k.Conversation.Asked
	k, _ = say(a, k, "/checklist disk")
	k, r := say(a, k, "3 张 4090 跑 5 天多少钱")
	if k.Conversation.Flow.Kind != "checklist" || !strings.Contains(r.Plain(), "360") || !strings.Contains(r.Plain(), "第 1 / 6 条") {
		t.Errorf("a side question: got %+v, %s", k.Conversation.Flow, r.Plain())
	}
	k, r = say(a, k, "取消")
	if k.Conversation.Flow.Kind != "" || k.Conversation.Asked == "" || !k.Conversation.Facts.Model.Known() {
		t.Errorf("after cancel: got %+v", k.Conversation)
	}
	if asked == "" || !strings.HasPrefix(k.Conversation.Asked, asked) && len(r.Choices) == 0 {
		t.Errorf("the open question %q did not come back: %s", asked, r.Plain())
	}
}
