package rules

import (
	"math"
	"strconv"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"gpuadvisor/advisor"
)

func TestScore(t *testing.T) {
	a := advisor.New(mustLoad(t))
	type want struct {
		scores  string // fit stability value support, "?" for nothing known
		product float64
		verdict string
	}
	for _, tt := range []struct {
		said string
		want []want
	}{
		{"0.9 0.8 0.7 0.9", []want{{"0.9 0.8 0.7 0.9", 0.45, "rent"}}},
		{"1,1,1,0.3", []want{{"1 1 1 0.3", 0.3, "reject"}}},
		{"1 0.8 1 0.6", []want{{"1 0.8 1 0.6", 0.48, "rent"}}},
		{"0.8 0.8 0.8 0.8", []want{{"0.8 0.8 0.8 0.8", 0.41, "rent"}}},
		{"fit 90%, stability 0.8", []want{{"0.9 0.8 ? ?", 0, "incomplete"}}},
		{"适配 0.9 稳定 0.5", []want{{"0.9 0.5 ? ?", 0, "reject"}}},
		{"A: 1 1 1 1\nB: 0.9 0.9 0.9 0.9", []want{{"1 1 1 1", 1, "rent"}, {"0.9 0.9 0.9 0.9", 0.66, "rent"}}},
		{"占用 80%, 波动 1%, 掉线 0, 贵 10%, SLA 99.95, 有赔偿, 首响 30 分钟", []want{{"1 1 1 1", 1, "rent"}}},
		{"used 81%, cv 2.5%, one thing, drops 1, above 25%", []want{{"0.8 0.8 0.8 ?", 0, "incomplete"}}},
		{"used 97, 2 drops, above 60", []want{{"0.6 0.6 0.6 ?", 0, "incomplete"}}},
		{"used 101%", []want{{"0 ? ? ?", 0, "reject"}}},
		{"cv 6%", []want{{"? 0.4 ? ?", 0, "reject"}}},
		{"3 drops", []want{{"? 0.4 ? ?", 0, "reject"}}},
		{"cv 1%, shared yes", []want{{"? 0 ? ?", 0, "reject"}}},
		{"波动 1%，没有超售", []want{{"? 1 ? ?", 0, "incomplete"}}},
		{"above 5%, no price sheet", []want{{"? ? 0 ?", 0, "reject"}}},
		{"sla 99.95, reply 20 min", []want{{"? ? ? 0.8", 0, "incomplete"}}},    // no compensation said
		{"reply 45 min, boundary yes", []want{{"? ? ? 0.6", 0, "incomplete"}}}, // the floor
		{"reply 45 min", []want{{"? ? ? 0.4", 0, "reject"}}},                   //
		{"reply 20 min, sla 99.95, compensation yes, certificates no", []want{{"? ? ? 0", 0, "reject"}}},
		{"首响 1 小时, 边界 有", []want{{"? ? ? 0.6", 0, "incomplete"}}},
		{"客服说 波动 1%, 实测波动 6%", []want{{"? 0.4 ? ?", 0, "reject"}}},
		{"they claim cv 1%", nil},
		{"which platform is best?", nil},
		{"", nil},
	} {
		s := a.Score(tt.said, advisor.Message{Lang: "en", At: walkDay})
		if len(s.Candidates) != len(tt.want) {
			t.Errorf("%q: got %d candidates, want %d", tt.said, len(s.Candidates), len(tt.want))
			continue
		}
		for i, w := range tt.want {
			c := s.Candidates[i]
			if got := shownScores(c); got != w.scores || math.Abs(c.Product-w.product) > 0.005 || c.Verdict != w.verdict {
				t.Errorf("%q: got %s, product %.3f, %s; want %s, %.2f, %s", tt.said, got, c.Product, c.Verdict, w.scores, w.product, w.verdict)
			}
		}
	}
}

func shownScores(c advisor.Candidate) string {
	var out []string
	for _, id := range []string{"fit", "stability", "value", "support"} {
		v, ok := c.Scores[id]
		if !ok {
			out = append(out, "?")
			continue
		}
		out = append(out, strconv.FormatFloat(math.Round(v*100)/100, 'f', -1, 64))
	}
	return strings.Join(out, " ")
}

// Side by side the dearer job is measured against the cheapest, five are too
// many, and the words repeat names as they were written.
func TestScoreSideBySide(t *testing.T) {
	a := advisor.New(mustLoad(t))
	s := a.Score("Alpha: total cost 120; Beta: total cost 100; 丙: total cost 170; D: 1 1 1 1; E: 1 1 1 1", advisor.Message{Lang: "en", At: walkDay})
	if len(s.Candidates) != 4 || s.Best != 3 || s.Candidates[0].Name != "Alpha" || s.Candidates[2].Name != "丙" {
		t.Fatalf("got %+v", s)
	}
	for i, want := range []float64{0.8, 1, 0.5} {
		if got := s.Candidates[i].Scores["value"]; got != want {
			t.Errorf("%s: value %g, want %g", s.Candidates[i].Name, got, want)
		}
	}
	if said := s.Reply.Plain(); !strings.Contains(said, "0.41") || !strings.Contains(said, "only the first 4") {
		t.Errorf("got %s", said)
	}
}

// A figure that cannot be is left out, aloud; the others stand.
func TestScoreLeavesAbsurdFiguresOut(t *testing.T) {
	a := advisor.New(mustLoad(t))
	for _, said := range []string{"sla 120, cv 1%", "cv 1%, drops -3", "cv 1%, drops 1e99", "cv 1%, reply 99999 小时", "cv 1%, fit 7", "cv 1%, 显存占用 -5%", "cv 1%, total cost -10"} {
		s := a.Score(said, advisor.Message{Lang: "en", At: walkDay})
		if len(s.Absurd) != 1 || len(s.Candidates) != 1 || s.Candidates[0].Scores["stability"] != 1 || !strings.Contains(s.Reply.Plain(), s.Absurd[0]) {
			t.Errorf("%q: left out %q of %+v", said, s.Absurd, s.Candidates)
		}
	}
	if s := a.Score("sla 120", advisor.Message{Lang: "zh", At: walkDay}); len(s.Candidates) != 0 || !strings.Contains(s.Reply.Plain(), "sla 120") {
		t.Errorf("nothing else: got %+v", s.Reply.Plain())
	}
}

// In the dialogue an input stays open until its answer can be one.
func TestScoreDialogueWaitsForAnAnswer(t *testing.T) {
	a := advisor.New(mustLoad(t))
	k, _ := say(a, advisor.Known{}, "/score Some Cloud")
	for _, no := range []string{"1e99", "-3", "hello", "why", "2000%"} {
		var r advisor.Reply
		if k, r = say(a, k, no); len(k.Conversation.Flow.Ticks) != 0 || !strings.Contains(r.Plain(), "1000 %") || !strings.Contains(r.Plain(), "1 of 10") {
			t.Errorf("%q: %d answers, got\n%s", no, len(k.Conversation.Flow.Ticks), r.Plain())
		}
	}
	if k, _ = say(a, k, "85 %"); len(k.Conversation.Flow.Ticks) != 1 {
		t.Errorf("85 %%: %d answers, want 1", len(k.Conversation.Flow.Ticks))
	}
}

// A score never leaves 0 to 1, and a better figure never earns less.
func TestScoreProperties(t *testing.T) {
	book := mustLoad(t)
	a := advisor.New(book)
	rapid.Check(t, func(t *rapid.T) {
		d := rapid.SampledFrom(book.Scoring.Dimensions).Draw(t, "dimension")
		in := rapid.SampledFrom(d.Inputs).Draw(t, "input")
		if in.Kind != "number" || d.Combine != "min" {
			return
		}
		first, last := in.Anchors[0].At, in.Anchors[len(in.Anchors)-1].At
		better := first + rapid.Float64Range(-0.5, 1.5).Draw(t, "better")*(last-first)
		worse := better + rapid.Float64Range(0, 1).Draw(t, "worse")*(last-first)
		score := func(v float64) float64 {
			said := in.Names[len(in.Names)-1] + " " + strconv.FormatFloat(v, 'f', 2, 64)
			s := a.Score(said, advisor.Message{Lang: "en", At: walkDay})
			if len(s.Candidates) != 1 {
				t.Fatalf("%q: got %d candidates", said, len(s.Candidates))
			}
			return s.Candidates[0].Scores[d.ID]
		}
		if better < 0 || worse < 0 {
			return
		}
		x, y := score(better), score(worse)
		if x < y || x > 1 || y < 0 {
			t.Fatalf("%s: %g earns %g and %g earns %g", in.ID, better, x, worse, y)
		}
	})
}

// The fit of a candidate comes from the job of the conversation.
func TestScoreKnowsTheJob(t *testing.T) {
	a := advisor.New(mustLoad(t))
	k, _ := say(a, advisor.Known{}, "LoRA on Qwen2.5-7B, 2 GB, two days")
	_, r := say(a, k, "/score RTX 4090 host: cv 1%, above 0%, sla 99.95, compensation yes, reply 10 min; T4 host: cv 1%, above 0%, sla 99.95, compensation yes, reply 10 min")
	said := r.Plain()
	if !strings.Contains(said, "can be rented  do not rent") {
		t.Errorf("a 7B LoRA fits a 4090 and not a T4, got\n%s", said)
	}
}

func FuzzScore(f *testing.F) {
	for _, s := range []string{"0.9 0.8 0.7 0.9", "A: cv 2%; B:", "sla sla sla 99", "－1 ％", "not no none", "1e999 drops", strings.Repeat("cv ", 2000)} {
		f.Add(s)
	}
	a := advisor.New(mustLoad(f))
	f.Fuzz(func(t *testing.T, s string) {
		for _, c := range a.Score(s, advisor.Message{Lang: "zh", At: walkDay}).Candidates {
			for id, v := range c.Scores {
				if !(v >= 0 && v <= 1) {
					t.Errorf("%q: %s scores %g", s, id, v)
				}
			}
		}
	})
}
