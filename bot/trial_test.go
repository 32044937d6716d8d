package main

import (
	"fmt"
	"strings"
	"testing"

	"gpuadvisor/adapters"
	"gpuadvisor/advisor"
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

// What a trial wants reminded of is kept by every store, called off when the
// trial ends before, and refused aloud when there are too many already.
func TestTrialReminders(t *testing.T) {
	book, err := embedded()
	if err != nil {
		t.Fatal(err)
	}
	overEveryStore(t, func(t *testing.T, store adapters.Store) {
		d := deskOver(store)
		d.answer = advisor.New(book).WithZones(loadZone).Answer
		turns := 0
		waiting := func(text string) (said string, due []advisor.Reminder) {
			t.Helper()
			turns++
			said = strings.Join(hear(d, from(mePrivate, fmt.Sprint(turns), text)), "\n")
			due, err := store.Reminders().List(t.Context(), adapters.Person(mePrivate))
			if err != nil {
				t.Fatal(err)
			}
			return said, due
		}
		waiting("/trial")
		if said, due := waiting("/trial remind"); len(due) != 1 || due[0].Action != "trial" || !strings.Contains(said, "the two hours are over") || !strings.Contains(said, "step 1 of 7") {
			t.Errorf("the end: got %v\n%s", due, said)
		}
		waiting("done, 3 minutes")
		if said, due := waiting("cancel"); len(due) != 0 || !strings.Contains(said, "called off") {
			t.Errorf("left before: got %v\n%s", due, said)
		}
		if said, due := waiting("/trial stages"); len(due) != 2 || strings.Count(said, "Noted") != 2 {
			t.Errorf("the looks: got %v\n%s", due, said)
		}
		if said, due := waiting("/ticket"); len(due) != 3 || !strings.Contains(said, "Noted") {
			t.Errorf("the ticket: got %v\n%s", due, said)
		}
		for i := range 22 {
			waiting(fmt.Sprintf("remind me in %d hours to look", i+1))
		}
		waiting("/trial")
		if said, due := waiting("/trial remind"); len(due) != 25 || !strings.Contains(said, "Not kept") {
			t.Errorf("one too many: %d wait\n%s", len(due), said)
		}
	})
}
