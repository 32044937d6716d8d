package advisor_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"gpuadvisor/advisor"
)

// TestEditedConversations feeds conversations that no advisor ever wrote: as
// edited by hand, or by a newer version. Every message still has a reply, and
// no number runs away.
func TestEditedConversations(t *testing.T) {
	a := advisor.New(book()).WithZones(time.LoadLocation)
	said := func(v string) string { return `{"v":` + v + `,"from":"said"}` }
	slots := map[string][]string{}
	for _, name := range advisor.SlotNames() {
		slots[name] = []string{`1e308`, `-1e308`, `0`, `-5`, `1e-300`, `"nonsense"`, `true`, `[]`, `[5,1]`, `[-1e308,1e308]`, `{}`, `null`,
			`{"amount":1e308,"currency":"XXX","per":"century"}`, `{"amount":-3,"currency":"","per":""}`, `{"w":-1,"h":1000000000}`, `[{"card":"no-such","as":"","n":-4}]`, `[{"card":"rtx-4090","as":"RTX4090","gb":1e308,"n":2000000000}]`}
	}
	messages := []string{"", "1", "7", "why", "back", "more", "what if QLoRA", "why not 4090", "how much?", "peak 21.3", "don't know", "/edit method", "remind me in 2 hours", "3 days", "can I use spot?"}
	for name, values := range slots {
		for _, v := range values {
			for _, task := range []string{"finetune", "inference"} {
				text := `{"schema":1,"lang":"en","asked":"duration_hours","options":["x","duration_hours=h2","/nowhere"],"settled":["?"],"past":[{"facts":{}}],` +
					`"facts":{"task":` + said(`"`+task+`"`) + `,"params_b":` + said(`7`) + `,"` + name + `":` + said(v) + `}}`
				var c advisor.Conversation
				if json.Unmarshal([]byte(text), &c) != nil {
					continue // the store refuses it
				}
				for i, m := range messages {
					_, reply, _ := a.Answer(advisor.Known{Conversation: c}, advisor.Message{ID: fmt.Sprint(i), Key: "k", Text: m, At: december, Addressed: true})
					got := reply.Plain()
					if got == "" && reply.Act != "ignore" {
						t.Fatalf("%s=%s, %q: no reply", name, v, m)
					}
					for _, bad := range []string{strings.Repeat("0", 18), "NaN", "+Inf", "-Inf", "%!", "<nil>"} {
						if strings.Contains(got, bad) {
							t.Errorf("%s=%s, %q: %q in\n%s", name, v, m, bad, got)
						}
					}
				}
				a.Advice(advisor.Known{Conversation: c})
				a.Cost(c)
			}
		}
	}
	for _, text := range []string{`{"asked":"no-such-slot"}`, `{"lang":"xx"}`, `{"intent":"no-such"}`, `{"shown":"x","answered":true,"turns":-5,"reasked":99}`, `{"cost":{}}`, `{"flow":{"kind":"no-such"}}`, `{"flow":{"kind":"checklist","id":"no-such","at":-3}}`} {
		var c advisor.Conversation
		if json.Unmarshal([]byte(text), &c) != nil {
			continue
		}
		for i, m := range messages {
			if _, reply, _ := a.Answer(advisor.Known{Conversation: c}, advisor.Message{ID: fmt.Sprint(i), Text: m, At: december, Addressed: true}); reply.Plain() == "" {
				t.Errorf("%s, %q: no reply", text, m)
			}
		}
	}
}
