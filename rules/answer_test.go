package rules

import (
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"gpuadvisor/advisor"
)

func say(a *advisor.Advisor, k advisor.Known, text string) (advisor.Known, advisor.Reply) {
	c, r, _ := a.Answer(k, advisor.Message{ID: "m", Key: "k", Kind: advisor.KindText, Text: text, At: walkDay, Addressed: true})
	k.Conversation = c
	return k, r
}

// TestAnswerIsPure plays the same message twice and wants the same twice.
func TestAnswerIsPure(t *testing.T) {
	a := advisor.New(mustLoad(t))
	m := advisor.Message{ID: "1", Key: "k", Kind: advisor.KindText, Text: "LoRA 微调 Qwen2.5-7B，数据 20G，三天", At: walkDay, Addressed: true}
	c1, r1, e1 := a.Answer(advisor.Known{}, m)
	c2, r2, e2 := a.Answer(advisor.Known{}, m)
	if !reflect.DeepEqual(c1, c2) || !reflect.DeepEqual(r1, r2) || !reflect.DeepEqual(e1, e2) {
		t.Errorf("the same message got two different answers:\n%+v\n%+v", r1, r2)
	}
}

// TestOrderOfAnswering gives the same facts in every order; the advice must not
// depend on it.
func TestOrderOfAnswering(t *testing.T) {
	a := advisor.New(mustLoad(t))
	parts := []string{"LoRA 微调 Qwen2.5-7B", "数据 20G", "连续跑三天", "单卡"}
	want := ""
	for _, order := range permutations(len(parts)) {
		var k advisor.Known
		for _, i := range order {
			k, _ = say(a, k, parts[i])
		}
		advice := a.Advice(k)
		if advice == nil {
			t.Fatalf("order %v: no advice", order)
		}
		got := fmt.Sprint(advice.Cards, advice.Platform, advice.Delivery, advice.Billing, advice.Need)
		if want == "" {
			want = got
		}
		if got != want {
			t.Errorf("order %v: got %s, want %s", order, got, want)
		}
	}
}

// TestLateTap taps a button of a question that is over: nothing changes, and the
// open question comes back.
func TestLateTap(t *testing.T) {
	a := advisor.New(mustLoad(t))
	k, first := say(a, advisor.Known{}, "LoRA 微调 Qwen2.5-7B")
	k, _ = say(a, k, "三天")
	before := k.Conversation.Facts
	c, r, _ := a.Answer(k, advisor.Message{ID: "late", Key: "k", Kind: advisor.KindChoice, Choice: "/dontknow", Turn: first.Turn, At: walkDay, Addressed: true})
	if !reflect.DeepEqual(c.Facts, before) || len(c.Settled) > 0 {
		t.Errorf("a late tap changed the conversation: settled %q", c.Settled)
	}
	if r.Act != "ask:data_gb" {
		t.Errorf("got act %q, want the open question ask:data_gb", r.Act)
	}
}

func permutations(n int) [][]int {
	if n == 0 {
		return [][]int{{}}
	}
	var out [][]int
	for _, p := range permutations(n - 1) {
		for i := 0; i <= len(p); i++ {
			q := append(append(append([]int{}, p[:i]...), n-1), p[i:]...)
			out = append(out, q)
		}
	}
	return out
}

// TestMonotone asks for ever more and wants never less: a bigger model, a longer
// context, more people, a fuller method, a larger batch.
func TestMonotone(t *testing.T) {
	book := mustLoad(t)
	a := advisor.New(book)
	rapid.Check(t, func(t *rapid.T) {
		f := someFacts(t)
		more := f
		switch rapid.SampledFrom([]string{"size", "context", "people", "method", "batch"}).Draw(t, "more of") {
		case "size":
			more.ParamsB = advisor.Say(f.ParamsB.Value * rapid.Float64Range(1.1, 4).Draw(t, "times"))
		case "context":
			more.ContextLen = advisor.Say(f.ContextLen.Value * float64(rapid.IntRange(2, 8).Draw(t, "times")))
		case "people":
			more.Concurrency = advisor.Say(f.Concurrency.Value * float64(rapid.IntRange(2, 8).Draw(t, "times")))
		case "method":
			more.Method = advisor.Say("full")
		case "batch":
			f.Batch = advisor.Say(float64(rapid.IntRange(1, 8).Draw(t, "batch")))
			more.Batch = advisor.Say(f.Batch.Value * float64(rapid.IntRange(2, 8).Draw(t, "times")))
		}
		before, after := sizeOf(a, f), sizeOf(a, more)
		if after.gib <= before.gib && after.cards <= before.cards && after != before {
			t.Fatalf("asked for more, got less: %+v, then %+v", before, after)
		}
	})
}

// TestStricterIsNeverLooser raises what the data is subject to: the platform gets
// no looser, and never a marketplace.
func TestStricterIsNeverLooser(t *testing.T) {
	a := advisor.New(mustLoad(t))
	loose := map[string]int{"none": 0, "domestic_pool": 1, "dedicated_cluster": 1, "bare_metal": 1, "public_cloud": 1, "vertical_gpu_cloud": 2, "community_marketplace": 3}
	rapid.Check(t, func(t *rapid.T) {
		f := someFacts(t)
		f.DurationHours = advisor.Say(advisor.One(float64(rapid.IntRange(1, 2000).Draw(t, "hours"))))
		before := -1
		for i, kind := range []string{"none", "regulated"} {
			f.ComplianceKind, f.Compliance = advisor.Say(kind), advisor.Say(kind != "none")
			advice := a.Advice(advisor.Known{Conversation: advisor.Conversation{Facts: f, Lang: "en", At: walkDay}})
			if advice == nil || len(advice.Platform) == 0 {
				t.Fatalf("%s: no advice", kind)
			}
			now := loose[advice.Platform[0]]
			if i > 0 && now > before {
				t.Fatalf("%s is looser than what is less strict: %v", kind, advice.Platform)
			}
			if kind != "none" && slices.Contains(advice.Platform, "community_marketplace") {
				t.Fatalf("%s data on a marketplace: %v", kind, advice.Platform)
			}
			before = now
		}
	})
}

func someFacts(t *rapid.T) advisor.Facts {
	var f advisor.Facts
	f.Task = advisor.Say(rapid.SampledFrom([]string{"inference", "finetune"}).Draw(t, "task"))
	f.ParamsB = advisor.Say(rapid.Float64Range(0.5, 120).Draw(t, "billions"))
	f.ContextLen = advisor.Say(float64(rapid.IntRange(512, 16384).Draw(t, "context")))
	f.Concurrency = advisor.Say(float64(rapid.IntRange(1, 64).Draw(t, "people")))
	if f.Task.Value == "finetune" {
		f.Method = advisor.Say(rapid.SampledFrom([]string{"qlora", "lora", "full"}).Draw(t, "method"))
	} else {
		f.Precision = advisor.Say(rapid.SampledFrom([]string{"fp16", "int8", "int4"}).Draw(t, "precision"))
	}
	return f
}

// size is what the first choice comes to.
type size struct {
	gib   float64 // class of one card
	cards int
}

// sizeOf is the size of the first choice; a job that nothing holds is larger
// than everything.
func sizeOf(a *advisor.Advisor, f advisor.Facts) size {
	advice := a.Advice(advisor.Known{Conversation: advisor.Conversation{Facts: f, Lang: "en", At: walkDay}})
	if advice == nil || len(advice.Cards) == 0 {
		return size{1e9, 1e9}
	}
	return size{advice.ClassGiB, advice.Cards[0].Count}
}

// TestChangesAreTrue applies each printed counterfactual and wants a different
// advice.
func TestChangesAreTrue(t *testing.T) {
	a := advisor.New(mustLoad(t))
	rapid.Check(t, func(t *rapid.T) {
		f := someFacts(t)
		f.DurationHours = advisor.Say(advisor.One(rapid.SampledFrom([]float64{2, 12, 72, 400, 2000}).Draw(t, "hours")))
		k := advisor.Known{Conversation: advisor.Conversation{Facts: f, Lang: "en", At: walkDay}}
		advice := a.Advice(k)
		for _, c := range advice.Changes {
			slot, value, _ := strings.Cut(c.If, "=")
			changed, ok := applied(f, slot, value)
			if !ok {
				continue
			}
			k.Conversation.Facts = changed
			if other := a.Advice(k); sameAdvice(advice, other) {
				t.Fatalf("%s was said to change the advice to %s, and does not", c.If, c.Then)
			}
		}
	})
}

func applied(f advisor.Facts, slot, value string) (advisor.Facts, bool) {
	switch slot {
	case "method":
		f.Method = advisor.Say(value)
	case "precision":
		f.Precision = advisor.Say(value)
	case "interruptible":
		f.Interruptible = advisor.Say(value == "yes")
	case "integration":
		f.Integration = advisor.Say(value == "yes")
	case "compliance_kind":
		f.ComplianceKind, f.Compliance = advisor.Say(value), advisor.Say(true)
	default:
		return f, false
	}
	return f, true
}

func sameAdvice(x, y *advisor.Advice) bool {
	return fmt.Sprint(x.Cards, x.Platform, x.Delivery, x.Billing, x.ClassGiB) == fmt.Sprint(y.Cards, y.Platform, y.Delivery, y.Billing, y.ClassGiB)
}

// FuzzAnswer feeds anything: no panic, and a reply unless the message is for
// others.
func FuzzAnswer(f *testing.F) {
	for _, s := range []string{"", "4090", "LoRA 微调 Qwen2.5-7B，数据 20G，三天", "为什么不用 A100", "what if full", "/peak 21.3", "😀", "3 张 4090 跑 5 天多少钱", "提醒我明天 18:00 释放", "上一步", "Xid 79"} {
		f.Add(s, "lora")
	}
	a := advisor.New(mustLoad(f)).WithZones(time.LoadLocation)
	f.Fuzz(func(t *testing.T, first, second string) {
		var k advisor.Known
		for _, text := range []string{first, second, first} {
			var r advisor.Reply
			if k, r = say(a, k, text); r.Act != "ignore" && r.Plain() == "" {
				t.Errorf("%q got no reply", text)
			}
		}
	})
}

// BenchmarkAnswer is one message of about sixty characters, answered with a
// whole advice and its counterfactuals.
func BenchmarkAnswer(b *testing.B) {
	a := advisor.New(mustLoad(b))
	b.ReportAllocs()
	for b.Loop() {
		say(a, advisor.Known{}, "想用 LoRA 微调 Qwen2.5-7B，数据 50G，单卡连续跑三天，断了可以续，学生一个，用什么卡？")
	}
}

// BenchmarkAnswerShort is a message so short that it might be about a machine
// that is noted, and is not.
func BenchmarkAnswerShort(b *testing.B) {
	a := advisor.New(mustLoad(b))
	b.ReportAllocs()
	for b.Loop() {
		say(a, advisor.Known{}, "three days")
	}
}

// BenchmarkAnswerLong is a message of ten thousand characters.
func BenchmarkAnswerLong(b *testing.B) {
	a := advisor.New(mustLoad(b))
	text := strings.Repeat("想用 LoRA 微调 Qwen2.5-7B，数据 50G，三天。", 400)[:]
	b.ReportAllocs()
	for b.Loop() {
		say(a, advisor.Known{}, text)
	}
}
