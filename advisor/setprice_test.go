package advisor_test

import (
	"fmt"
	"strings"
	"testing"

	"gpuadvisor/advisor"
	"gpuadvisor/advisor/cost"
)

// noted plays /price and returns what the desk is to do, and the reply.
func noted(k advisor.Known, actor advisor.Actor, text string) ([]advisor.Effect, advisor.Reply) {
	if k.Profile.Lang == "" {
		k.Profile.Lang = "zh"
	}
	m := advisor.Message{ID: "1", Kind: advisor.KindText, Text: text, At: december, Addressed: true, Actor: actor}
	_, reply, effects := advisor.New(book()).Answer(k, m)
	return effects, reply
}

// TestSetPrice reads the prices that people note.
func TestSetPrice(t *testing.T) {
	ann := advisor.Actor{ID: "7", Name: "Ann"}
	for _, c := range []struct {
		text, card, hour, month, spot string
		currency                      cost.Currency
	}{
		{"/price set 4090 1.9/h", "rtx-4090", "1.9", "0", "0", cost.CNY},
		{"/price set 4090 1.9元/时 包月 950 抢占 1.2", "rtx-4090", "1.9", "950", "1.2", cost.CNY},
		{"/price set h100 $2.3/h monthly $1500", "h100-pcie", "2.3", "1500", "0", cost.USD},
		{"/price 4090 2", "rtx-4090", "2", "0", "0", cost.CNY},
		{"/定价 4090 一小时两块三", "rtx-4090", "2.3", "0", "0", cost.CNY},
		{"/price set 4090 整机 8卡 15.2元/h", "rtx-4090", "1.9", "0", "0", cost.CNY},
		{"/price\nset 4090 1.9/h", "rtx-4090", "1.9", "0", "0", cost.CNY},
	} {
		effects, reply := noted(advisor.Known{}, ann, c.text)
		if len(effects) != 1 || effects[0].Kind != "price" || effects[0].Room || effects[0].All {
			t.Errorf("%s: got %+v: %s", c.text, effects, reply.Plain())
			continue
		}
		p := effects[0].Price
		if got, want := fmt.Sprintln(p.Hour, p.Month, p.Spot, p.Currency), fmt.Sprintln(c.hour, c.month, c.spot, c.currency); got != want || !strings.HasPrefix(p.Card, c.card[:4]) {
			t.Errorf("%s: got %s %s, want %s %s", c.text, p.Card, got, c.card, want)
		}
		if p.By != "Ann" || p.ByID != "7" || !p.At.Equal(december) {
			t.Errorf("%s: by %q (%s) at %s", c.text, p.By, p.ByID, p.At)
		}
	}
	for _, c := range []struct{ text, says string }{
		{"/price set 4090 -3/h", "不能是负数"},
		{"/price set 4090 0元/h", "不能是 0"},
		{"/price set 4090 99999/h", "离谱"},
		{"/price set 4090 2.3-1.9元/h", "写反"},
		{"/price set 4090 $0.4/h 月付 950元", "混在一起"},
		{"/price set 4099 2/h", "是不是 4090"},
		{"/price set a100 80g", "没看到"},
		{"/price", "还没有记过价"},
	} {
		if effects, reply := noted(advisor.Known{}, ann, c.text); len(effects) > 0 || !strings.Contains(reply.Plain(), c.says) {
			t.Errorf("%s: got %+v, %s, want %q", c.text, effects, reply.Plain(), c.says)
		}
	}
}

// TestWhoSetsPrices: admins for their room, operators for everybody.
func TestWhoSetsPrices(t *testing.T) {
	for _, c := range []struct {
		actor  advisor.Actor
		shared bool
		text   string
		want   string // room all own, "" for a refusal
	}{
		{advisor.Actor{ID: "1"}, true, "/price set 4090 2/h", ""},
		{advisor.Actor{ID: "1", Admin: true}, true, "/price set 4090 2/h", "room"},
		{advisor.Actor{ID: "1", Admin: true}, true, "/price remove 4090", "room"},
		{advisor.Actor{ID: "1"}, true, "/price remove 4090", ""},
		{advisor.Actor{ID: "1", Operator: true}, true, "/price set 4090 2/h", "room"},
		{advisor.Actor{ID: "1", Admin: true}, true, "/price set 4090 2/h 所有人", ""},
		{advisor.Actor{ID: "1", Operator: true}, true, "/price set 4090 2/h 所有人", "all"},
		{advisor.Actor{ID: "1", Operator: true}, false, "/price set 4090 2/h everybody", "all"},
		{advisor.Actor{ID: "1"}, false, "/price set 4090 2/h", "own"},
		{advisor.Actor{ID: "1", Anonymous: true}, false, "/price set 4090 2/h", ""},
	} {
		effects, reply := noted(advisor.Known{Group: c.shared}, c.actor, c.text)
		got := ""
		for _, e := range effects {
			got = map[[2]bool]string{{true, false}: "room", {false, true}: "all", {false, false}: "own"}[[2]bool{e.Room, e.All}]
		}
		if got != c.want {
			t.Errorf("%+v %v %s: got %q, want %q: %s", c.actor, c.shared, c.text, got, c.want, reply.Plain())
		}
	}
}

// TestSetPricesHold: what is noted goes before what we know, here before
// everywhere, in sums, in /prices and in an advice, with who and when.
func TestSetPricesHold(t *testing.T) {
	k := advisor.Known{
		Group:     true,
		Prices:    []advisor.SetPrice{{Card: "rtx-4090", Currency: cost.CNY, Hour: 2 * cost.One, Month: 900 * cost.One, By: "Ann", At: december}},
		AllPrices: []advisor.SetPrice{{Card: "rtx-4090", Currency: cost.CNY, Hour: 3 * cost.One, By: "Bob", At: december}, {Card: "h100-sxm", Currency: cost.CNY, Hour: 15 * cost.One, At: december}},
	}
	for text, want := range map[string][]string{
		"/cost 4090 10h":            {"20 元", "Ann 2026-12-02（今天）在这里记下的价"},
		"/cost 4090 10h 1元/h":       {"10 元"},
		"/cost 4090 8h/天 30天 包月划算吗": {"450 小时", "按时 480 元，包月 900 元"},
		"/cost h100 10h":            {"150 元", "有人 2026-12-02"},
		"/prices 4090":              {"这里记的价", "Ann", "950"},
		"/price":                    {"2 元/卡时", "Ann · 2026-12-02", "15 元/卡时"},
		"微调 7B LoRA 数据 5G 跑 10 小时 单卡": {"约 20 元", "2026-12-02"},
	} {
		_, reply := noted(k, advisor.Actor{ID: "1"}, text)
		for _, w := range want {
			if !strings.Contains(reply.Plain(), w) {
				t.Errorf("%s: %q is missing in\n%s", text, w, reply.Plain())
			}
		}
		if strings.Contains(reply.Plain(), "Bob") && text != "/price" {
			t.Errorf("%s: the price of everybody goes before that of the room:\n%s", text, reply.Plain())
		}
	}
	old := k
	old.Prices = []advisor.SetPrice{{Card: "rtx-4090", Currency: cost.CNY, Hour: 2 * cost.One, By: "Ann", At: march}}
	if _, reply := noted(old, advisor.Actor{}, "/cost 4090 10h"); !strings.Contains(reply.Plain(), "过期") {
		t.Errorf("an old note: %s", reply.Plain())
	}
}

// TestNote takes over what is new of a price, and leaves the list that it was
// given.
func TestNote(t *testing.T) {
	list := advisor.Note(nil, advisor.SetPrice{Card: "a", Currency: cost.CNY, Hour: 1, By: "Ann"})
	more := advisor.Note(list, advisor.SetPrice{Card: "a", Currency: cost.CNY, Month: 5, By: "Bob"})
	if len(more) != 1 || more[0].Hour != 1 || more[0].Month != 5 || more[0].By != "Bob" || list[0].Month != 0 {
		t.Errorf("got %+v of %+v", more, list)
	}
	if two := advisor.Note(more, advisor.SetPrice{Card: "a", Currency: cost.USD, Hour: 1}); len(two) != 2 {
		t.Errorf("got %+v", two)
	}
	if gone, some := advisor.Unnote(more, "a"); len(gone) != 0 || !some {
		t.Errorf("got %+v %v", gone, some)
	}
	if _, some := advisor.Unnote(more, "b"); some {
		t.Error("something is gone that was not there")
	}
}

// TestPreferredCurrency: an English advice has its price in dollars where some
// are known and no older than a year, and one label has one price.
func TestPreferredCurrency(t *testing.T) {
	for lang, want := range map[string]string{"zh": "元（报价日期", "en": "$5.4"} {
		text := map[string]string{"zh": "微调 7B LoRA 数据 5G 跑 10 小时 单卡", "en": "LoRA of a 7B model, 5 GB of data, 10 hours, one card"}[lang]
		_, reply := noted(advisor.Known{Profile: advisor.Profile{Lang: lang}}, advisor.Actor{}, text)
		if !strings.Contains(reply.Plain(), want) {
			t.Errorf("%s: %q is missing in\n%s", lang, want, reply.Plain())
		}
	}
	a := advisor.New(book())
	for _, s := range a.PricesOf("h100 80g", december) {
		if s.Label == "H100-80G" && len(s.Bands) < 2 {
			t.Errorf("got %+v", s)
		}
	}
	pcie, sxm := a.PricesOf("h100-pcie", december), a.PricesOf("h100-sxm", december)
	if len(pcie) != 1 || len(sxm) != 1 || fmt.Sprint(pcie[0].Bands) != fmt.Sprint(sxm[0].Bands) {
		t.Errorf("two boards of one label have two prices:\n%+v\n%+v", pcie, sxm)
	}
}
