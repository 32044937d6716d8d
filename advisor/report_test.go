package advisor_test

import (
	"encoding/json"
	"fmt"
	"reflect"
	"strings"
	"testing"
	"unicode/utf8"

	"pgregory.net/rapid"

	"gpuadvisor/advisor"
)

// converse plays messages of one person and returns what is known then, with the
// reply and the effects of the last.
func converse(a *advisor.Advisor, texts ...string) (k advisor.Known, r advisor.Reply, effects []advisor.Effect) {
	for i, s := range texts {
		m := advisor.Message{ID: fmt.Sprint(i), Key: "telegram:1:-100777:9:4242", Text: s, At: december, Addressed: true,
			Actor: advisor.Actor{ID: "4242", Name: "Zhang San"}}
		k.Conversation, r, effects = a.Answer(k, m)
	}
	return k, r, effects
}

// A report says what was said, understood and advised, and not by whom.
func TestReport(t *testing.T) {
	a := advisor.New(book())
	k, reply, effects := converse(a,
		"@zhang_san_88 让我问:LoRA 微调 Qwen2.5-7B,数据 20G,跑三天,电话 13812345678,见 https://git.example.com/zhangsan/job?id=7",
		"日志在 /home/zhangsan/run.log,key 是 sk-abcdefghijklmnop1234,邮箱 zhang.san@example.com,机器 203.0.113.77",
		"/report 卡推荐得不对 @zhang_san_88")
	if len(effects) != 1 || effects[0].Kind != "report" || effects[0].ID != "2/report" {
		t.Fatalf("effects are %+v, want one report", effects)
	}
	if got := reply.Plain(); got != "" {
		t.Errorf("before it is stored we say %q", got)
	}
	text := effects[0].Report
	for _, secret := range []string{"zhang", "4242", "100777", "13812345678", "abcdefgh", "job?id", "203.0", "telegram"} {
		if strings.Contains(strings.ToLower(text), secret) {
			t.Errorf("the report holds %q: %s", secret, text)
		}
	}
	var r advisor.Report
	if err := json.Unmarshal([]byte(text), &r); err != nil {
		t.Fatal(err)
	}
	if r.Day != "2026-12-02" || r.Lang != "zh" || !strings.HasPrefix(r.Note, "卡推荐得不对") || r.Facts["model"] != "qwen2.5-7b" || len(r.Turns) != 2 ||
		!strings.Contains(r.Turns[0].Said, "LoRA 微调 Qwen2.5-7B") || r.Turns[0].Reply == "" || !strings.Contains(r.Advice, "24G") || len(r.Turns[1].Because) == 0 {
		t.Errorf("the report is %+v", r)
	}
	for _, done := range []struct {
		is   advisor.Done
		want string
	}{
		{advisor.Done{OK: true}, "90 天"}, {advisor.Done{Code: "unavailable"}, "再试"}, {advisor.Done{Code: "not-running"}, "没有存"},
	} {
		done.is.Effect = effects[0]
		_, said, _ := a.Answer(k, advisor.Message{ID: "d", Kind: advisor.KindDone, Done: done.is, At: december})
		if !strings.Contains(said.Plain(), done.want) {
			t.Errorf("after %+v we say %q, want %q in it", done.is.Code, said.Plain(), done.want)
		}
	}
}

// It is the last choice behind more, why and a diagnosis, works in words, and
// has nothing to say at the beginning.
func TestReportIsOffered(t *testing.T) {
	a := advisor.New(book())
	const job = "LoRA fine-tune of Qwen2.5-7B, 20 GB, three days"
	for _, texts := range [][]string{{job, "/more"}, {job, "/why"}, {"/diagnose\nRuntimeError: CUDA out of memory. Tried to allocate 2.00 GiB"}, {"/diagnose\nNVRM: Xid (PCI:0000:3b:00): 79, GPU has fallen off the bus."}} {
		k, r, _ := converse(a, texts...)
		n := len(r.Choices)
		if n == 0 || r.Choices[n-1].Ref != "/report" {
			t.Errorf("%q: the choices are %v, want /report last", texts, r.Choices)
			continue
		}
		for _, m := range []advisor.Message{{Text: fmt.Sprint(n)}, {Kind: advisor.KindChoice, Choice: "/report"}, {Text: "report this advice"}} {
			m.ID, m.At, m.Addressed = "x", december, true
			if _, _, effects := a.Answer(k, m); len(effects) != 1 || effects[0].Kind != "report" {
				t.Errorf("%q, then %+v: effects are %+v", texts, m, effects)
			}
		}
	}
	if _, r, _ := converse(a, job); len(r.Choices) > 5 {
		t.Errorf("the advice has %d choices", len(r.Choices))
	}
	if _, r, effects := converse(a, "/report"); len(effects) != 0 || r.Plain() == "" {
		t.Errorf("nothing to report: %q, effects %+v", r.Plain(), effects)
	}
	_, r, effects := converse(a, "fine-tune a 7B model", "/report")
	if len(effects) != 1 {
		t.Errorf("in the middle of a dialogue: %q, effects %+v", r.Plain(), effects)
	}
}

// What is kept for a report stays small, and is never changed in place.
func TestReportStaysSmall(t *testing.T) {
	a := advisor.New(book())
	rapid.Check(t, func(t *rapid.T) {
		var k advisor.Known
		for i := range 8 {
			m := advisor.Message{ID: fmt.Sprint(i), Text: rapid.StringN(0, 600, -1).Draw(t, "text"), At: december, Addressed: true}
			before := append([]advisor.Exchange{}, k.Conversation.Lately...)
			c, _, _ := a.Answer(k, m)
			if !reflect.DeepEqual(before, append([]advisor.Exchange{}, k.Conversation.Lately...)) {
				t.Fatal("the old conversation changed")
			}
			k.Conversation = c
		}
		if n := len(k.Conversation.Lately); n > 4 {
			t.Fatalf("%d exchanges are kept", n)
		}
		for _, x := range k.Conversation.Lately {
			if utf8.RuneCountInString(x.Said) > 201 || utf8.RuneCountInString(x.Reply) > 121 || !utf8.ValidString(x.Said+x.Reply) {
				t.Fatalf("kept %+v", x)
			}
		}
	})
}
