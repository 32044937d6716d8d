package rules

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// never lists claims that advertisements make and that we never repeat, with
// what is true instead.
var never = []struct{ pattern, truth string }{
	{`(?i)4090[^。.\n]{0,20}(有|带|支持|with|has|uses) ?(NVLink|NVSwitch)`, "the RTX 4090 has no NVLink"},
	{`(?i)3090[^。.\n]{0,12}12 ?GB?版`, "there is no RTX 3090 with 12 GB"},
	{`(?i)4090[^。.\n]{0,30}(只|仅|only)[^。.\n]{0,10}5 ?%`, "FP32 of a 4090 is 2.3 times that of a 3090"},
	{`(?i)70B[^。.\n]{0,12}(全量|全参|full)[^。.\n]{0,20}24 ?G`, "tuning 70B in full takes about 1.1 TB"},
	{`零故障|故障率(为)? ?0|(?i)0 ?% failure|100 ?% (solved|解决)|永不掉线`, "nobody can verify this"},
	{`涉密[^。\n]{0,20}(可以|放心|适合)[^。\n]{0,10}(等保|公有云|大平台)`, "state secrets must not be on rented machines"},
	{`(?i)(idle|空闲)[^。.\n]{0,20}0 ?%[^。.\n]{0,20}(证明|说明|proves)[^。.\n]{0,10}(独占|exclusive)`, "idle at 0 % does not prove that a card is yours alone"},
	{`(?i)(无需|不用|no need to)[^。.\n]{0,12}(迁移|重装|重建|移植|rebuild|port)[^。.\n]{0,20}(国产|昇腾|Ascend|domestic)`, "CUDA code must be ported to domestic cards"},
	{`性价比(最高|之王)|行业第一|首选平台|(?i)best provider is|cheapest provider is`, "we rank no platform"},
}

// TestNeverClaimed looks for such claims in everything that we say: the rules
// themselves and what the bot said in the transcripts.
func TestNeverClaimed(t *testing.T) {
	texts := map[string]string{}
	err := fs.WalkDir(Embedded(), ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || strings.Contains(name, "lexicon") {
			return err
		}
		data, err := fs.ReadFile(Embedded(), name)
		texts[name] = string(data)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	files, err := filepath.Glob("transcripts/*.txt")
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range files {
		data, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		texts[name] = string(data)
	}
	for _, n := range never {
		re := regexp.MustCompile(n.pattern)
		for name, text := range texts {
			if found := re.FindString(text); found != "" {
				t.Errorf("%s claims %q: %s", name, found, n.truth)
			}
		}
	}
}
