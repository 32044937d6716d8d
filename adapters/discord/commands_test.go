package discord

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/bwmarrin/discordgo"

	"gpuadvisor/adapters"
	"gpuadvisor/advisor"
)

// TestCommandsFit: Discord takes every command of the house.
func TestCommandsFit(t *testing.T) {
	list := commandList(commands(), words(commands()))
	kinds := map[discordgo.ApplicationCommandType]int{}
	for _, c := range list {
		kinds[c.Type]++
		size := map[string]int{}
		names := map[string]bool{}
		measure := func(name, about string, names, abouts map[discordgo.Locale]string) {
			size[""] += length(name + about)
			for _, l := range []discordgo.Locale{"zh-CN", "zh-TW", "en-US", "en-GB"} {
				if names[l] == "" || c.Type == discordgo.ChatApplicationCommand && about != "" && abouts[l] == "" {
					t.Errorf("%s: nothing for %s", name, l)
				}
				size[string(l)] += length(names[l] + abouts[l])
			}
			if names["zh-CN"] != names["zh-TW"] || length(about) > maxCommandText {
				t.Errorf("%s: %q and %q, %q", name, names["zh-CN"], names["zh-TW"], about)
			}
		}
		measure(c.Name, c.Description, *c.NameLocalizations, deref(c.DescriptionLocalizations))
		if c.Type == discordgo.ChatApplicationCommand && (!commandName.MatchString(c.Name) || c.Name != strings.ToLower(c.Name) || c.Description == "") {
			t.Errorf("bad command %q %q", c.Name, c.Description)
		}
		if len(c.Options) > maxOptions {
			t.Errorf("%s has %d options, Discord takes %d", c.Name, len(c.Options), maxOptions)
		}
		for _, o := range c.Options {
			if names[o.Name] || !commandName.MatchString(o.Name) || len(o.Choices) > maxChoices || o.Autocomplete && len(o.Choices) > 0 || o.Required {
				t.Errorf("%s: bad option %+v", c.Name, o)
			}
			names[o.Name] = true
			measure(o.Name, o.Description, o.NameLocalizations, o.DescriptionLocalizations)
			for _, v := range o.Choices {
				measure(v.Name, "", v.NameLocalizations, nil)
			}
		}
		for l, n := range size {
			if n > 8000 {
				t.Errorf("%s takes %d characters in %q, Discord 8000", c.Name, n, l)
			}
		}
	}
	pastes := 0
	for _, c := range commands() {
		if c.Args == "paste" {
			pastes++
		}
	}
	if kinds[discordgo.ChatApplicationCommand] != len(commands()) || kinds[discordgo.MessageApplicationCommand] != pastes {
		t.Errorf("got %v of %d commands, %d with a paste", kinds, len(commands()), pastes)
	}
}

func TestCommandPlaces(t *testing.T) {
	got := map[string]string{}
	for _, c := range commandList(commands(), words(commands())) {
		permission := "all"
		if c.DefaultMemberPermissions != nil {
			permission = fmt.Sprint(*c.DefaultMemberPermissions)
		}
		got[c.Name] = fmt.Sprint(*c.Contexts, *c.IntegrationTypes, " ", permission)
	}
	for name, want := range map[string]string{
		"gpu":     "[0 1 2] [0 1] all", // server, bot's private chat, others' private chats; both kinds of install
		"Examine": "[0 1 2] [0 1] all",
		"decree":  "[0] [0] 32", // servers only, who may manage them
		"operate": "[0 1] [0 1] 0",
	} {
		if got[name] != want {
			t.Errorf("%s: got %s, want %s", name, got[name], want)
		}
	}
	raw, _ := json.Marshal(slash(advisor.Command{Name: "operate", Who: "operator"}, nil))
	if !strings.Contains(string(raw), `"default_member_permissions":"0"`) {
		t.Errorf("for operators only: %s", raw)
	}
}

func TestSpelling(t *testing.T) {
	for _, tt := range []struct {
		words []string
		want  string
	}{
		{[]string{"选卡"}, "选卡"}, {nil, "gpu"}, {[]string{"两个 词", "上一步"}, "上一步"}, {[]string{"Big"}, "gpu"}, {[]string{strings.Repeat("长", 33)}, "gpu"},
	} {
		if got := spelling(tt.words, "gpu"); got != tt.want {
			t.Errorf("spelling(%q) = %q, want %q", tt.words, got, tt.want)
		}
	}
}

func TestOneNameEach(t *testing.T) {
	texts := words(advisor.Commands())
	texts["discord.option.gpus.name"] = advisor.Text{"zh": "卡", "en": "cards"}
	texts["discord.option.card.name"] = advisor.Text{"zh": "卡", "en": "gpus"}
	for _, o := range slash(advisor.Command{Name: "gpu"}, texts).Options {
		switch o.Name {
		case "gpus":
			if got := o.NameLocalizations["zh-CN"] + " " + o.NameLocalizations["en-US"]; got != "卡 cards" {
				t.Errorf("gpus is called %q", got)
			}
		case "card":
			if got := o.NameLocalizations["zh-CN"] + " " + o.NameLocalizations["en-US"]; got != "card card" {
				t.Errorf("card is called %q, though those names are taken", got)
			}
		}
	}
}

// TestCommandsAreRegisteredOnce: a start with the same commands registers
// nothing, one with others does.
func TestCommandsAreRegisteredOnce(t *testing.T) {
	f := newFake(t)
	start := func(list []advisor.Command) {
		d := quick(t, f, Config{Commands: list, Texts: words(list)})
		d.application.Store(fakeApp)
		if err := d.syncCommands(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	puts := func() int { return f.count("PUT", "/commands$") }
	start(commands())
	start(commands())
	if n := puts(); n != 1 {
		t.Errorf("two starts registered %d times, want once", n)
	}
	list := slices.Clone(commands())
	slices.Reverse(list)
	start(list)
	if n := puts(); n != 1 {
		t.Errorf("the same in another order was registered again")
	}
	list[0].ZH = []string{"别的"}
	start(list)
	if n := puts(); n != 2 {
		t.Errorf("another name was not registered")
	}
	f.fail("PUT", "/commands$", 500, "{}", 4)
	d := quick(t, f, Config{})
	d.application.Store(fakeApp)
	d.rest.pause = 0
	d.offerCommands(t.Context()) // does not give up
	if n := puts(); n < 4 {
		t.Errorf("a failing server was asked %d times", n)
	}
}

func TestCompose(t *testing.T) {
	texts := words(commands())
	gpu, _ := commandNamed(commands(), "gpu")
	number, _ := commandNamed(commands(), "peak")
	card, _ := commandNamed(commands(), "CARD")
	none := advisor.Command{Name: "help"}
	for _, tt := range []struct {
		c       advisor.Command
		options string
		want    string
	}{
		{gpu, `[]`, "/gpu"},
		{gpu, `[{"name":"text","value":" two days "},{"name":"gpus","value":2},{"name":"task","value":"finetune"},{"name":"model","value":"Qwen2.5-7B"}]`,
			"/gpu value.task.finetune, Qwen2.5-7B, gpus is 2, two days"},
		{gpu, `[{"name":"interruptible","value":false},{"name":"data_gb","value":1e3},{"name":"precision","value":"bf16"},{"name":"params_b","value":0.5}]`,
			"/gpu params_b is 0.5, bf16, data_gb is 1000, value.interruptible.no"},
		{gpu, `[{"name":"task","value":"something else"},{"name":"nonsense","value":"x"},{"name":"budget","value":null}]`, "/gpu something else"},
		{number, `[{"name":"number","value":21.5}]`, "/peak 21.5"},
		{card, `[{"name":"card","value":"4090"}]`, "/card 4090"},
		{none, `[{"name":"text","value":"x"}]`, "/help"},
	} {
		var options []given
		if err := json.Unmarshal([]byte(tt.options), &options); err != nil {
			t.Fatal(err)
		}
		if got := compose(tt.c, options, texts, "en"); got != tt.want {
			t.Errorf("%s: got %q, want %q", tt.options, got, tt.want)
		}
	}
	options := []given{{Name: "gpus", Value: []byte("2")}, {Name: "interruptible", Value: []byte("true")}}
	if got, want := compose(gpu, options, texts, "zh"), "/gpu gpus 是 2，中 value.interruptible.yes"; got != want {
		t.Errorf("in Chinese: got %q, want %q", got, want)
	}
}

func TestMissingWords(t *testing.T) {
	texts := words(commands())
	delete(texts, "discord.share")
	texts["command.gpu"] = advisor.Text{"en": "only English"}
	_, err := New(Config{Token: "t", Texts: texts, Commands: commands()})
	if err == nil || !strings.Contains(err.Error(), "discord.share") || !strings.Contains(err.Error(), "command.gpu") || !strings.Contains(err.Error(), "2 keys") {
		t.Errorf("got %v, want both keys named", err)
	}
}

func BenchmarkCompose(b *testing.B) {
	texts := words(commands())
	gpu, _ := commandNamed(commands(), "gpu")
	options := []given{{Name: "gpus", Value: []byte("2")}, {Name: "interruptible", Value: []byte("true")}, {Name: "model", Value: []byte(`"qwen"`)}}
	for b.Loop() {
		compose(gpu, options, texts, "zh")
	}
}

// TestCommandsLearn: other words are in use at once, and registered once more
// where they change what is offered.
func TestCommandsLearn(t *testing.T) {
	f := newFake(t)
	d := quick(t, f, Config{})
	served(t, d, func(context.Context, advisor.Message, adapters.Respond) {})
	puts := func() int { return f.count("PUT", "/commands$") }
	await := func(n int) {
		t.Helper()
		for end := time.Now().Add(5 * time.Second); puts() < n; time.Sleep(time.Millisecond) {
			if time.Now().After(end) {
				t.Fatalf("registered %d times, want %d", puts(), n)
			}
		}
	}
	await(1)
	say := func(key, text string) {
		t.Helper()
		other := words(commands())
		other[key] = advisor.Text{"zh": text, "en": text}
		if err := d.Say(other); err != nil {
			t.Fatal(err)
		}
	}
	say("discord.busy", "One at a time")
	if got := d.texts()["discord.busy"].In("en"); got != "One at a time" || len(d.renamed) > 0 {
		t.Errorf("says %q, registers again: %v", got, len(d.renamed) > 0)
	}
	say("command.vram", "Memory that a task takes")
	await(2)
	say("discord.option.model", "Which model it is")
	await(3)
	if err := d.Say(Texts{}); err == nil || len(d.texts()) == 0 {
		t.Errorf("without any words: got %v, want why, and the old words", err)
	}
	time.Sleep(20 * time.Millisecond)
	if n := puts(); n != 3 {
		t.Errorf("registered %d times, want 3", n)
	}
}
