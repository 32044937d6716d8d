package text

import (
	"fmt"
	"strings"
	"testing"
)

func testLexicon() *Lexicon {
	x := NewLexicon("intent")
	for _, name := range []string{"A100", "A10", "T4", "4090", "4090D", "RTX 4090", "A100 80G", "Qwen2.5-7B", "qwen", "Llama-3-8B", "FLUX.1-dev", "微调", "全量微调", "不能断", "能断", "INT4", "L4"} {
		x.Add(name, Sense{"name", name})
	}
	x.Add("A100 多少钱", Sense{"intent", "cost"})
	return x
}

func found(hits []Hit, s string) string {
	var out []string
	for _, h := range hits {
		var senses []string
		for _, x := range h.Senses {
			senses = append(senses, x.ID)
		}
		out = append(out, fmt.Sprintf("%s=%s", s[h.Start:h.End], strings.Join(senses, "+")))
	}
	return strings.Join(out, ", ")
}

func TestFind(t *testing.T) {
	x := testLexicon()
	for _, tt := range []struct{ text, want string }{
		{"租A100还是A10", "a100=A100, a10=A10"},
		{"A1000 不是 A100", "a100=A100"},
		{"INT4 不是 T4", "int4=INT4, t4=T4"},
		{"8xA100", "a100=A100"},
		{"8A100 和 A100x8", "a100=A100, a100=A100"},
		{"two 4090s", "4090=4090"},
		{"4090D", "4090d=4090D"},
		{"rtx-4090", "rtx-4090=RTX 4090"},
		{"A100-80G", "a100-80g=A100 80G"},
		{"A100（80G）", "a100(80g=A100 80G"},
		{"qwen 2.5-7b", "qwen 2.5-7b=Qwen2.5-7B"},
		{"QWEN2.5_7B-Instruct", "qwen2.5_7b=Qwen2.5-7B"},
		{"llama3 8b", "llama3 8b=Llama-3-8B"},
		{"llama 38b", ""},
		{"flux.1 dev", "flux.1 dev=FLUX.1-dev"},
		{"flux1-dev", "flux1-dev=FLUX.1-dev"},
		{"全量微调", "全量微调=全量微调"},
		{"这个不能断", "不能断=不能断"},
		{"a 100 GB dataset", ""}, // no A100
		{"a 10 hour run", ""},
		{"A100多少钱", "a100=A100+cost"}, // a phrase does not hide the name in it
		{"", ""},
	} {
		s := Normal(tt.text).Text
		if got := found(x.Find(s), s); got != tt.want {
			t.Errorf("%s\n got %s\nwant %s", tt.text, got, tt.want)
		}
	}
}

func TestSenses(t *testing.T) {
	x := testLexicon()
	if got := x.Senses("qwen2.5 7B"); len(got) != 1 || got[0].ID != "Qwen2.5-7B" {
		t.Errorf("Senses(qwen2.5 7B) = %v", got)
	}
	if got := x.Senses("A100 多少钱"); len(got) != 1 || got[0].ID != "cost" {
		t.Errorf("Senses(A100 多少钱) = %v", got)
	}
	if got := x.Senses("qwen2"); got != nil {
		t.Errorf("Senses(qwen2) = %v, want none", got)
	}
}

func TestKey(t *testing.T) {
	for _, tt := range []struct{ name, want string }{
		{"Llama 3 8B", "llama3-8b"},
		{"Llama-3-8B", "llama3-8b"},
		{"Llama 38B", "llama38b"},
		{"FLUX.1 [dev]", "flux1dev"},
		{"Qwen2.5-7B", "qwen2.5-7b"},
		{"千问 2.5", "千问2.5"},
		{" - ", ""},
	} {
		if got := Key(tt.name); got != tt.want {
			t.Errorf("Key(%q) = %q, want %q", tt.name, got, tt.want)
		}
	}
}

// FuzzFind: no text breaks the search for names and quantities, and what is
// found lies in the text, in order.
func FuzzFind(f *testing.F) {
	for _, s := range []string{"8xA100 三天半", "1e309", "9点到", "周一到", "$", "¥¥¥5", "半半半", "点点点", "十百千万亿", "1.2.3.4", "1,2,3,4", "x8x8x8", "\xff", "一点", "5-", "a a a a", "2h3m4h5m", "两块", "1w5w5"} {
		f.Add(s)
	}
	x := testLexicon()
	f.Fuzz(func(t *testing.T, raw string) {
		l := Normal(raw)
		end := 0
		hits := x.Find(l.Text)
		for _, h := range hits {
			if h.Start < end || h.End <= h.Start || h.End > len(l.Text) {
				t.Fatalf("%q: hit %d–%d behind %d", raw, h.Start, h.End, end)
			}
			end = h.End
			_ = l.Original(h.Start, h.End)
		}
		end = 0
		for _, q := range Quantities(l.Text, hits) {
			if q.Start < end || q.End <= q.Start || q.End > len(l.Text) || q.Lo != q.Lo || q.Hi != q.Hi {
				t.Fatalf("%q: quantity %+v behind %d", raw, q, end)
			}
			end = q.End
		}
	})
}
