package telegram

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/go-telegram/bot/models"

	"gpuadvisor/advisor"
)

func TestMenu(t *testing.T) {
	f := newFake(t)
	c := f.config()
	c.Operators = []int64{77}
	c.Commands = []advisor.Command{
		{Name: "gpu", ZH: []string{"选卡"}, EN: []string{"advise", "choose"}},
		{Name: "vram", ZH: []string{"显存"}},
		{Name: "settings", Private: true},
		{Name: "admin", Who: "admin"},
		{Name: "reload", Who: "operator"},
		{Name: "Not-For-Telegram"},
	}
	run := func(want int) (set int) {
		before := len(f.called("setMyCommands"))
		asked := len(f.called("getMyCommands"))
		stop := serve(t, f.chat(c), (&desk{t: t, answer: echo}).handle)
		eventually(t, "all lists are looked at", func() bool {
			return len(f.called("getMyCommands")) >= asked+12 && len(f.called("setMyCommands")) >= before+want
		})
		stop()
		return len(f.called("setMyCommands")) - before
	}
	if n := run(12); n != 12 {
		t.Errorf("set %d lists, want 12: four audiences in two languages and for the rest", n)
	}
	if n := run(0); n != 0 {
		t.Errorf("set %d lists again, though nothing has changed", n)
	}
	c.Commands = append(c.Commands, advisor.Command{Name: "cost", ZH: []string{"算钱"}})
	if n := run(12); n != 12 {
		t.Errorf("set %d lists after a command was added, want 12", n)
	}
	for _, tt := range []struct{ list, names, first, vram string }{
		{`{"type":"all_private_chats"}`, "gpu vram settings cost", "选卡", "显存"},
		{`{"type":"all_private_chats"}zh`, "gpu vram settings cost", "选卡", "显存"},
		{`{"type":"all_private_chats"}en`, "gpu vram settings cost", "advise, choose", "Memory of a task"},
		{`{"type":"all_group_chats"}en`, "gpu vram cost", "advise, choose", "Memory of a task"},
		{`{"type":"all_chat_administrators"}en`, "gpu vram admin cost", "advise, choose", "Memory of a task"},
		{`{"type":"chat","chat_id":77}en`, "gpu vram settings reload cost", "advise, choose", "Memory of a task"},
	} {
		var list []models.BotCommand
		if err := json.Unmarshal([]byte(f.lists[tt.list]), &list); err != nil {
			t.Fatalf("%s: %v; there are %v", tt.list, err, f.lists)
		}
		var names []string
		for _, cmd := range list {
			names = append(names, cmd.Command)
		}
		if got := strings.Join(names, " "); got != tt.names || list[0].Description != tt.first || list[1].Description != tt.vram {
			t.Errorf("%s: got %+v, want %s with %q and %q", tt.list, list, tt.names, tt.first, tt.vram)
		}
	}
}

// What exists has a place in the menu.
func TestMenuOfTheHouse(t *testing.T) {
	chat := offline(t, nil)
	for _, a := range chat.audiences() {
		for _, lang := range []string{"", "zh", "en"} {
			list := chat.menu(a.sees, lang)
			if len(list) < 10 || len(list) > maxCommands {
				t.Errorf("%s, %q: %d commands", a.name, lang, len(list))
			}
			for _, cmd := range list {
				if n := len([]rune(cmd.Description)); n < 1 || n > maxDescription {
					t.Errorf("/%s has a description of %d characters", cmd.Command, n)
				}
			}
		}
	}
}

// Other sentences are in use at once, and the lists that they change are set
// once more: while the chat is served, and no list without need.
func TestMenuLearns(t *testing.T) {
	f := newFake(t)
	c := f.config()
	c.Commands = []advisor.Command{{Name: "gpu", EN: []string{"advise"}}, {Name: "vram"}}
	chat := f.chat(c)
	stop := serve(t, chat, (&desk{t: t, answer: echo}).handle)
	defer stop()
	sets := func() int { return len(f.called("setMyCommands")) }
	eventually(t, "the lists are set", func() bool { return sets() == 9 })

	other := testTexts
	other.SendText = advisor.Text{"zh": "只读文字", "en": "I read text"}
	if err := chat.Say(other); err != nil {
		t.Fatal(err)
	}
	if got := chat.texts().SendText.In("en"); got != "I read text" {
		t.Errorf("says %q", got)
	}
	other.Commands = map[string]advisor.Text{"vram": {"zh": "显存", "en": "Memory that a task takes"}}
	if err := chat.Say(other); err != nil {
		t.Fatal(err)
	}
	eventually(t, "the lists in English are set", func() bool { return sets() == 12 })
	f.mu.Lock()
	list := f.lists[`{"type":"all_private_chats"}en`]
	f.mu.Unlock()
	if !strings.Contains(list, "Memory that a task takes") {
		t.Errorf("got %s", list)
	}
	other.Stale = nil
	if err := chat.Say(other); err == nil || chat.texts().Stale == nil {
		t.Errorf("a sentence is missing: got %v, want why, and the old ones", err)
	}
}
