package main

import (
	"strings"
	"testing"
)

// The plan without minutes, a verdict with them; what cannot be read is a bad
// line and the batch goes on.
func TestTrialJSON(t *testing.T) {
	english(t)
	got := batchOf(t, "trial",
		map[string]any{"id": "plan", "text": "", "lang": "en"},
		map[string]any{"id": "unfit", "text": "create 5, connect 12, run 70/55, watch 3, save 10, stop 5, restore 15", "lang": "en"},
		map[string]any{"id": "zh", "text": "创建 3，连接 5，跑 40/5，显存 5，保存 10，停 5"},
		map[string]any{"id": "bad", "text": "it went well"})
	plan := got[0]
	steps := plan["steps"].([]any)
	if plan["verdict"] != nil || plan["minutes"] != nil || len(steps) != 7 || plan["limits"].(map[string]any)["overhead_minutes"] != 60.0 {
		t.Errorf("plan: got %v", plan)
	}
	for _, s := range steps {
		for _, c := range s.(map[string]any)["commands"].([]any) {
			if c := c.(map[string]any); c["run"] == "" || c["why"] == "" || c["proves_not"] == "" {
				t.Errorf("a command without what it does not prove: %v", c)
			}
		}
	}
	if u := got[1]; u["verdict"] != "unfit" || u["minutes"] != 120.0 || u["overhead_minutes"] != 72.0 || u["first_script_minutes"] != 72.0 || len(u["missing"].([]any)) != 0 {
		t.Errorf("unfit: got %v", u)
	}
	if z := got[2]; z["lang"] != "zh" || z["verdict"] != "not-passed" || z["missing"].([]any)[0] != "restore" || !strings.Contains(z["reply"].(string), "未通过") {
		t.Errorf("not passed: got %v", z)
	}
	if got[3]["bad"] == nil {
		t.Errorf("nothing to judge: got %v", got[3])
	}
}
