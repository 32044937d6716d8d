package main

import (
	"context"
	"fmt"
	"log/slog"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"gpuadvisor/adapters"
	"gpuadvisor/adapters/discord"
	"gpuadvisor/adapters/memory"
	"gpuadvisor/advisor"
)

// knowing is the advisor with the rules of the program.
func knowing(t testing.TB) *advisor.Advisor {
	_, a, err := (&house{}).book()
	if err != nil {
		t.Fatal(err)
	}
	return a
}

// TestChats: every chat can be made with the words that the rules have, for
// every command that exists, and is asked for by a variable that exists.
func TestChats(t *testing.T) {
	book := knowing(t).Book()
	conf := defaults()
	conf.TelegramToken, conf.DiscordToken = exchangeToken, "MTAwMDAw.G3aXyz.abcdef"
	conf.TelegramWebhookURL, conf.TelegramWebhookSecret = "https://bot.example.org/telegram", "secret"
	conf.DiscordPublicKey = publicKey(strings.Repeat("ab", 32))
	for _, maker := range chats {
		if !slices.Contains(keys(), strings.ToLower(maker.wants)) {
			t.Errorf("%s is switched on by %s, which is no setting", maker.name, maker.wants)
		}
		if empty := defaults(); maker.wanted(&empty) || !maker.wanted(&conf) {
			t.Errorf("%s is not switched on by %s alone", maker.name, maker.wants)
		}
		chat, err := maker.make(&wiring{conf: &conf, book: book, log: slog.New(slog.DiscardHandler)})
		if err != nil {
			t.Errorf("%s: %v", maker.name, err)
			continue
		}
		if chat.name != maker.name || len(chat.paths) != 1 {
			t.Errorf("%s: got name %s and paths %v", maker.name, chat.name, chat.paths)
		}
		if _, tells := chat.Chat.(interface{ Ready() bool }); !tells {
			t.Errorf("%s does not tell whether it is ready", maker.name)
		}
	}
	for _, c := range advisor.Commands() {
		for _, lang := range []string{"zh", "en"} {
			if text := book.Phrases["command."+c.Name][lang]; text == "" || len([]rune(text)) > 100 {
				t.Errorf("rules/words/%s.yaml: command.%s is %q; want a line of at most 100 characters", lang, c.Name, text)
			}
		}
	}
}

// What Discord makes of a filled option is read as that option again, in both
// languages: the words are those of the rules, the options are Discord's.
func TestDiscordOptionsAreRead(t *testing.T) {
	a := knowing(t)
	phrases := a.Book().Phrases
	state := func(text string) map[string]any {
		m := advisor.Message{ID: "1", Key: "k", Text: text, At: time.Now(), Addressed: true}
		c, _, _ := a.Answer(advisor.Known{}, m)
		return c.Facts.State()
	}
	choice := regexp.MustCompile(`^discord\.value\.(\w+)\.(.+)$`)
	for _, key := range discord.Keys(advisor.Commands()) {
		m := choice.FindStringSubmatch(key)
		if m == nil || !slices.Contains([]string{"task", "method", "interruptible", "audience"}, m[1]) {
			continue
		}
		want := map[string]any{"yes": true, "no": false}[m[2]]
		if want == nil {
			want = m[2]
		}
		for _, lang := range []string{"zh", "en"} {
			text := "/gpu " + phrases[key].In(lang)
			if got := state(text)[m[1]]; got != want {
				t.Errorf("%s, %q: %s is read as %v, want %v", lang, text, m[1], got, want)
			}
		}
	}
	for option, tt := range map[string]struct {
		fact, value string
		want        any
	}{
		"params_b":    {"params_b", "7", 7.0},
		"gpus":        {"gpus", "3", "{{3 3} }"},
		"data_gb":     {"data_gb", "20", 20.0},
		"concurrency": {"concurrency", "10", 10.0},
		"context":     {"context_len", "8192", 8192.0},
		"card":        {"gpu_named", "RTX4090-24G", []string{"RTX4090-24G"}},
	} {
		for _, lang := range []string{"zh", "en"} {
			text := "/gpu " + phrases["discord.value.task.inference"].In(lang) + ", " + strings.ReplaceAll(phrases["discord.say."+option].In(lang), "{v}", tt.value)
			if got := state(text)[tt.fact]; fmt.Sprint(got) != fmt.Sprint(tt.want) {
				t.Errorf("%s, %q: %s is read as %v, want %v", lang, text, tt.fact, got, tt.want)
			}
		}
	}
}

func TestSuggestions(t *testing.T) {
	s := newSuggestions(knowing(t).Book())
	for _, tt := range []struct{ option, typed, want string }{
		{"model", "qwen2.5-7", "Qwen2.5-7B"}, {"model", "千问2.5 7", "Qwen2.5-7B"}, {"card", "4090", "RTX4090-24G"}, {"card", "rtx 40", "RTX4090-24G"},
	} {
		got := s.complete(tt.option, tt.typed, "en")
		if !slices.ContainsFunc(got[:min(25, len(got))], func(c advisor.Choice) bool { return c.Ref == tt.want }) {
			t.Errorf("%s %q: got %v, want %s among the first 25", tt.option, tt.typed, got, tt.want)
		}
	}
	if got := s.complete("color", "r", "en"); len(got) != 0 {
		t.Errorf("an option that is not suggested: got %v", got)
	}
	if start := time.Now(); len(s.complete("model", "", "en")) == 0 || time.Since(start) > time.Second {
		t.Error("nothing suggested for nothing typed")
	}
}

func BenchmarkSuggestions(b *testing.B) {
	s := newSuggestions(knowing(b).Book())
	for b.Loop() {
		s.complete("model", "7b", "en")
	}
}

// TestSettingsDialogue: what people say about their settings, and what they
// hear, in both languages.
func TestSettingsDialogue(t *testing.T) {
	d := deskOver(memory.Open(time.Now))
	d.answer, d.profile, d.lang, d.zone = knowing(t).Answer, advisor.Profile{}, "zh", "Asia/Shanghai"
	n := 0
	var last advisor.Reply
	say := func(key advisor.Key, admin bool, text string) string {
		n++
		m := from(key, fmt.Sprint(n), text)
		m.Lang, m.Actor = "", advisor.Actor{ID: "me", Admin: admin}
		if ref, tapped := strings.CutPrefix(text, "tap "); tapped {
			m.Kind, m.Text, m.Choice = advisor.KindChoice, "", ref
		}
		var parts []string
		d.Turn(t.Context(), m, func(_ context.Context, r advisor.Reply) error {
			last = r
			for _, p := range r.Parts {
				parts = append(parts, p.Text)
				for _, pair := range p.Pairs {
					parts = append(parts, pair.Name+"="+pair.Value)
				}
			}
			return nil
		})
		return strings.Join(parts, "\n")
	}
	for _, step := range []struct {
		key   advisor.Key
		admin bool
		says  string
		hears []string
	}{
		{mePrivate, false, "设置", []string{"你的设置", "时区=Asia/Shanghai（不是你设的）"}},
		{mePrivate, false, "/settings 英文 东京 美元", []string{"Noted", "Language=English", "Time zone=Asia/Tokyo", "Currency=USD"}},
		{mePrivate, false, "/settings berlin", []string{"Time zone=Europe/Berlin"}},
		{mePrivate, false, "/settings europe/paris", []string{"Time zone=Europe/Paris"}},
		{mePrivate, false, "/settings UTC+8", []string{"Time zone=Etc/GMT-8"}},
		{mePrivate, false, "/settings Mars/Base", []string{"“Mars/Base” is none of the settings", "Time zone=Etc/GMT-8"}},
		{mePrivate, false, "/settings Local", []string{"none of the settings"}},
		{mePrivate, false, "tap /settings zone", []string{"Which time zone"}},
		{mePrivate, false, "tap /settings Asia/Singapore", []string{"Time zone=Asia/Singapore"}},
		{mePrivate, false, "想微调 7B 模型", []string{"LoRA"}},
		{mePrivate, false, "tap /settings zh", []string{"记下了", "语言=中文"}},
		{mePrivate, false, "tap /settings auto", []string{"语言=你用什么语言写就用什么语言答"}},
		{meHere, false, "/group en", []string{"只有管理员能改"}},
		{meHere, true, "/group en Asia/Tokyo", []string{"Noted", "Settings of this group", "Language=English"}},
		{youHere, false, "/settings", []string{"Your settings", "Language=English (not set by you)", "Time zone=Asia/Tokyo (not set by you)"}},
		{meHere, false, "/settings", []string{"Time zone=Asia/Singapore"}},
		{mePrivate, false, "/forget", []string{"忘记我", "删了找不回来"}},
		{mePrivate, false, "tap /forget no", []string{"什么都没删"}},
		{mePrivate, false, "forget me", []string{"忘记我"}},
		{mePrivate, false, "tap /forget yes", []string{"2", "1"}},
		{mePrivate, false, "/settings", []string{"Asia/Shanghai"}},
	} {
		got := say(step.key, step.admin, step.says)
		for _, want := range step.hears {
			if !strings.Contains(got, want) {
				t.Errorf("%s: got %q, want %q in it", step.says, got, want)
			}
		}
		private := !strings.HasPrefix(step.says, "/group") && !strings.HasPrefix(step.says, "想")
		if last.Private != private {
			t.Errorf("%s: private is %v, want %v", step.says, last.Private, private)
		}
		for _, c := range last.Choices {
			if len(c.Ref) > 40 || c.Label == "" || strings.Contains(c.Label, "settings.") || strings.Contains(c.Label, "zone.") {
				t.Errorf("%s: offers %+v", step.says, c)
			}
		}
	}
	if n := adapters.MaxReminders; n != 25 { // said in rules/words
		t.Errorf("one may have %d reminders; remind.lost.too-many says 25", n)
	}
}

// An identity that several people share has no settings and is not forgotten.
func TestSettingsOfNobody(t *testing.T) {
	a := knowing(t)
	for _, text := range []string{"/settings en", "/forget", "/forget yes"} {
		m := from(meHere, "1", text)
		m.Actor.Anonymous = true
		if _, reply, effects := a.Answer(advisor.Known{}, m); len(effects) > 0 || len(reply.Choices) > 0 {
			t.Errorf("%s by nobody in particular: got %v and %v", text, effects, reply.Choices)
		}
	}
}
