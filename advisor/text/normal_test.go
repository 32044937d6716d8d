package text

import (
	"strings"
	"testing"
	"unicode/utf8"

	"pgregory.net/rapid"
)

func TestNormal(t *testing.T) {
	for _, tt := range []struct{ raw, want string }{
		{"微调７Ｂ　ｌｏｒａ", "微调7b lora"},
		{"請問顯存夠嗎？", "请问显存够吗?"},
		{"四零九零", "4090"},
		{"四〇九〇两张", "4090两张"},
		{"A一百", "a100"},
		{"H二十 八卡", "h20 八卡"},
		{"七十B", "70b"},
		{"一点五T", "1.5t"},
		{"十二 GB", "12 gb"},
		{"三天半", "三天半"},
		{"租一张A100", "租一张a100"},
		{"lora三天", "lora三天"},
		{"3O9O 4o9o", "3090 4090"},
		{"A1OO", "a100"},
		{"gpt-4o mode", "gpt-4o mode"},
		{"8×4090", "8x4090"},
		{"①", "1"},
		{"2️⃣", "2"},
		{"“满血”、R1。", `"满血"/r1;`},
		{"a\u200bb", "ab"},
		{"", ""},
	} {
		if got := Normal(tt.raw).Text; got != tt.want {
			t.Errorf("Normal(%q) = %q, want %q", tt.raw, got, tt.want)
		}
	}
}

func TestOriginal(t *testing.T) {
	l := Normal("想用Ａ１００和四零九零")
	i := strings.Index(l.Text, "a100")
	if got := l.Original(i, i+4); got != "Ａ１００" {
		t.Errorf("original of a100 is %q", got)
	}
	i = strings.Index(l.Text, "4090")
	if got := l.Original(i, i+4); got != "四零九零" {
		t.Errorf("original of 4090 is %q", got)
	}
	if got := l.Original(0, len(l.Text)); got != l.Raw {
		t.Errorf("original of all is %q", got)
	}
}

// Whatever comes in, the normal form is valid, is its own normal form, and
// every part of it has an original.
func TestNormalHolds(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		raw := rapid.String().Draw(t, "raw")
		l := Normal(raw)
		if !utf8.ValidString(l.Text) {
			t.Fatalf("%q becomes the invalid %q", raw, l.Text)
		}
		if len(l.at) != len(l.Text)+1 {
			t.Fatalf("%q: %d places for %d bytes", raw, len(l.at), len(l.Text))
		}
		for i := 1; i < len(l.at); i++ {
			if l.at[i] < l.at[i-1] {
				t.Fatalf("%q: places run back at %d", raw, i)
			}
		}
		_ = l.Original(0, len(l.Text))
	})
}
