package telegram

import (
	"testing"

	"github.com/go-telegram/bot/models"
)

func TestHears(t *testing.T) {
	f := &fake{}
	chat := offline(t, nil)
	me := &models.User{ID: fakeID, Username: fakeName}
	for _, tt := range []struct {
		text string
		want said
	}{
		{"hello", said{text: "hello"}},
		{"/gpu 微调 qwen2.5-7b", said{text: "/gpu 微调 qwen2.5-7b", addressed: true, commanded: true}},
		{"/gpu@Fake_GPU_bot 微调", said{text: "/gpu 微调", addressed: true, commanded: true}},
		{"/GPU@fake_gpu_BOT 微调", said{text: "/gpu 微调", addressed: true, commanded: true}},
		{"/gpu@Fake_GPU_bot", said{text: "/gpu", addressed: true, commanded: true}},
		{"/gpu@other_bot 微调", said{text: "/gpu@other_bot 微调", others: true}},
		{"/unheard_of", said{text: "/unheard_of"}},
		{"/unheard_of@Fake_GPU_bot x", said{text: "/unheard_of x", addressed: true, commanded: true}},
		{"你好 /gpu@Fake_GPU_bot 微调 7B", said{text: "/gpu 你好 微调 7B", addressed: true, commanded: true}},
		{"😀 微调 7B /gpu@Fake_GPU_bot", said{text: "/gpu 😀 微调 7B", addressed: true, commanded: true}},
		{"did you try /help ?", said{text: "did you try /help ?"}},
		{"ask /gpu@other_bot or so", said{text: "ask /gpu@other_bot or so"}},
		{"@Fake_GPU_bot 微调 7B", said{text: "微调 7B", addressed: true}},
		{"微调 7B @fake_gpu_bot 好吗", said{text: "微调 7B 好吗", addressed: true}},
		{"@Fake_GPU_bot", said{addressed: true}},
		{"@Fake_GPU_bot_2 hello", said{text: "@Fake_GPU_bot_2 hello"}},
		{"@somebody hello", said{text: "@somebody hello"}},
		{"/verify@Fake_GPU_bot\n| NVIDIA-SMI |\n| 4090 |", said{text: "/verify \n| NVIDIA-SMI |\n| 4090 |", addressed: true, commanded: true}},
		{"  /why", said{text: "/why", addressed: true, commanded: true}},
	} {
		m := f.written(group, person, tt.text, nil)
		var entities []entity
		found, _ := m["entities"].([]map[string]any)
		for _, e := range found {
			entities = append(entities, entity{Type: models.MessageEntityType(e["type"].(string)), Offset: e["offset"].(int), Length: e["length"].(int)})
		}
		if got := hears(tt.text, entities, me, chat.known); got != tt.want {
			t.Errorf("%q: got %+v, want %+v", tt.text, got, tt.want)
		}
	}
	named := []entity{{Type: models.MessageEntityTypeTextMention, Offset: 0, Length: 3, User: me}}
	if got, want := hears("Bot 7B", named, me, chat.known), (said{text: "7B", addressed: true}); got != want {
		t.Errorf("a mention without a name: got %+v, want %+v", got, want)
	}
	for _, e := range []entity{{Offset: -1, Length: 3}, {Offset: 2, Length: 99}, {Offset: 99, Length: 1}, {Offset: 1 << 62, Length: 1 << 62}, {Offset: 1, Length: -1}} {
		for _, kind := range []models.MessageEntityType{models.MessageEntityTypeBotCommand, models.MessageEntityTypeMention} {
			e.Type = kind
			if got, want := hears("/gpu x", []entity{e}, me, chat.known), (said{text: "/gpu x"}); got != want {
				t.Errorf("entity %+v: got %+v, want %+v", e, got, want)
			}
		}
	}
}

func TestWordedCommands(t *testing.T) {
	chat := offline(t, nil)
	for _, tt := range []struct{ text, want string }{
		{"显存", "/vram"}, {"显存 Qwen2.5-7B LoRA", "/vram Qwen2.5-7B LoRA"}, {"/显存 千问", "/vram 千问"}, {"显卡 4090", "/card 4090"}, {"选卡", "/gpu"}, {"平台", "/platforms"},
		{"显存 不够怎么办", "显存 不够怎么办"}, {"显存不够", "显存不够"}, {"为什么", "为什么"}, {"平台 A", "平台 A"}, {"算钱\n4090 10h", "/cost 4090 10h"}, {"微调 7B", "微调 7B"}, {"", ""}, {"/", "/"},
	} {
		if got := chat.worded(tt.text); got != tt.want {
			t.Errorf("worded(%q) = %q, want %q", tt.text, got, tt.want)
		}
	}
}

func TestDeepLinks(t *testing.T) {
	chat := offline(t, nil)
	for _, tt := range []struct{ text, want string }{
		{"/start", "/start"}, {"/start vram", "/vram"}, {"/start help", "/help"}, {"/start x-1_y", "/start x-1_y"}, {"start vram", "start vram"},
	} {
		if got := chat.started(tt.text); got != tt.want {
			t.Errorf("started(%q) = %q, want %q", tt.text, got, tt.want)
		}
	}
}

func TestLanguage(t *testing.T) {
	for tag, want := range map[string]string{"zh": "zh", "zh-hans": "zh", "zh-Hant": "zh", "ZH-TW": "zh", "en": "en", "en-GB": "en", "de": "", "": "", "zhx": ""} {
		if got := language(tag); got != want {
			t.Errorf("language(%q) = %q, want %q", tag, got, want)
		}
	}
	chat := offline(t, nil)
	for tag, want := range map[string]string{"zh-hans": "请发文字", "en": "send it as text", "de": "send it as text", "": "请发文字"} {
		if got := chat.say(testTexts.SendText, tag); got != want {
			t.Errorf("in %q we say %q, want %q", tag, got, want)
		}
	}
}
