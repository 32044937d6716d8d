package main

import (
	"fmt"
	"strings"
	"testing"
)

// sumsOnTelegram is the short form, with the command on a line of its own, and
// inline mode; what grows with the hours comes as a picture too.
func sumsOnTelegram(t *testing.T, tg *emulator) {
	all := tg.say(63, 63, "/cost\n4090 x3 72h", 1)
	if got := all[0].Text; !strings.Contains(got, "216 卡时") || !strings.Contains(got, "3xRTX4090-24G") {
		t.Errorf("the short form: %s", got)
	}
	all = tg.say(63, 63, "/cost 4090 8h/天 30天 1.9元/h 包月 950", len(all)+2)
	var photo bool
	for _, m := range all {
		if len(m.Photo) > 0 {
			photo = true
			if m.Photo[0].Size > 60<<10 || !strings.Contains(m.Caption, "平衡点 500 小时") {
				t.Errorf("a picture of %d bytes: %s", m.Photo[0].Size, m.Caption)
			}
		}
	}
	if !photo {
		t.Errorf("no picture in %+v", all)
	}
	for query, want := range map[string]string{"cost 4090 2元/h 10h": "20 元", "算钱 4090 2元/h 10h": "20 元", "prices 4090": "RTX4090-24G"} {
		tg.ctl("inline", map[string]any{"query": query, "user_id": 63}, nil)
		eventually(t, "an inline answer to "+query, func() bool {
			var log []struct {
				Method string         `json:"method"`
				Params map[string]any `json:"params"`
			}
			tg.ctl("log", nil, &log)
			for _, l := range log {
				if l.Method == "answerInlineQuery" && strings.Contains(fmt.Sprint(l.Params), want) {
					return true
				}
			}
			return false
		})
	}
}

// pricesOfAGroup are noted by its admins alone, and hold for all who are in it.
func pricesOfAGroup(t *testing.T, tg *emulator) {
	const room = -1000000000088
	all := tg.say(room, 62, "/price@emul_bot set 4090 1.7元/h", 1)
	if got := all[0].Text; !strings.Contains(got, "记下了") && !strings.Contains(got, "只有管理员") {
		t.Errorf("noting a price: %s", got)
	}
}

// sumsOnDiscord takes typed options, suggests cards while they are typed, and
// attaches the picture.
func sumsOnDiscord(t *testing.T, dc *emulator) {
	const user = "5000000000000000044"
	eventually(t, "the commands are there", func() bool {
		var have struct{ Global []any }
		dc.ctl("commands", nil, &have)
		return len(have.Global) > 10
	})
	for _, name := range []string{"cost", "prices"} {
		var done struct {
			Type     int `json:"response_type"`
			Response struct {
				Data struct {
					Choices []struct{ Name, Value string }
				}
			}
		}
		dc.ctl("autocomplete", map[string]any{"name": name, "focused": "card", "options": map[string]any{"card": "409"}}, &done)
		if list := done.Response.Data.Choices; done.Type != 8 || len(list) == 0 || !strings.Contains(list[0].Value, "4090") {
			t.Errorf("%s suggests %+v", name, done)
		}
	}
	sum := dc.act("command", map[string]any{"name": "cost", "options": map[string]any{"card": "RTX4090-24G", "gpus": 3, "duration": "72h"}, "locale": "en-US", "user_id": user})
	if got := sum.Message.words(); !strings.Contains(got, "216 card-hours") || !strings.Contains(got, "3xRTX4090-24G") {
		t.Errorf("typed options: %s", got)
	}
	sum = dc.act("command", map[string]any{"name": "cost", "options": map[string]any{"card": "RTX4090-24G", "duration": "30 days", "hours_per_day": 8, "price_hour": "$0.4", "budget": "$150", "text": "monthly $250"}, "locale": "en-US", "user_id": user})
	if got := sum.Message.words(); !strings.Contains(got, "625 hours powered on") || !strings.Contains(got, "enough") {
		t.Errorf("more options: %s", got)
	}
	prices := dc.act("command", map[string]any{"name": "prices", "options": map[string]any{"card": "H100-80G"}, "locale": "en-US", "user_id": user})
	if got := prices.Message.words(); !strings.Contains(got, "The live page decides") {
		t.Errorf("prices: %s", got)
	}
	for what, m := range map[string]posting{"the sum": sum.Message, "the prices": prices.Message} {
		if len(m.Attachments) != 1 || m.Attachments[0].Size > 60<<10 || !strings.HasSuffix(m.Attachments[0].Filename, ".png") {
			t.Errorf("the picture of %s: %+v", what, m.Attachments)
		}
	}
}
