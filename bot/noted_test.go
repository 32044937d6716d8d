package main

import (
	"context"
	"encoding/json"
	"strings"
	"testing"
	"time"

	"gpuadvisor/adapters"
	"gpuadvisor/advisor"
	"gpuadvisor/advisor/cost"
	"gpuadvisor/rules"
)

// TestNotedPrices: prices of a room hold for all who are in it, at every bot
// over the same store, until somebody takes them away; those of an operator
// hold for everybody.
func TestNotedPrices(t *testing.T) {
	book, err := rules.Load()
	if err != nil {
		t.Fatal(err)
	}
	overEveryStore(t, func(t *testing.T, store adapters.Store) {
		one, two := deskOver(store), deskOver(store)
		for _, d := range []*desk{one, two} {
			d.answer, d.profile = advisor.New(book).Answer, advisor.Profile{Lang: "en"}
		}
		n := 0
		say := func(d *desk, room, user, text string, is advisor.Actor) string {
			n++
			m := from(adapters.Key("telegram", "1", room, "", user), "n"+string(rune('a'+n)), text)
			m.Actor = is
			m.Actor.ID, m.Actor.Name, m.At = user, "Ann", time.Date(2026, 12, 2, 10, 0, 0, 0, time.UTC)
			var all string
			d.Turn(context.Background(), m, func(_ context.Context, r advisor.Reply) error { all = r.Plain(); return nil })
			return all
		}
		admin, nobody, operator := advisor.Actor{Admin: true}, advisor.Actor{}, advisor.Actor{Operator: true}
		for _, c := range []struct {
			d                *desk
			room, user, text string
			is               advisor.Actor
			want             string
		}{
			{one, "-5", "7", "/price set 4090 $0.31/h", nobody, "Only admins"},
			{one, "-5", "7", "/price set 4090 $0.31/h", admin, "Noted: RTX4090-24G $0.31"},
			{two, "-5", "8", "/cost 4090 10h", nobody, "$3.10"},
			{two, "-6", "8", "/cost 4090 10h", nobody, "$5.40"},
			{two, "-5", "8", "/price", nobody, "Ann · 2026-12-02"},
			{two, "8", "8", "/price set 4090 $0.2/h", nobody, "for you alone"},
			{one, "8", "8", "/cost 4090 10h", nobody, "$2"},
			{one, "-5", "8", "/cost 4090 10h", nobody, "$3.10"},
			{one, "9", "9", "/price set h100 $1.5/h everybody", operator, "everybody who uses this bot"},
			{one, "-6", "8", "/cost h100 10h", nobody, "$15"},
			{one, "7", "7", "/forget yes", nobody, "Deleted"},
			{two, "-5", "8", "/cost 4090 10h", nobody, "noted here by somebody"},
			{two, "-5", "8", "/price remove 4090", admin, "is gone"},
			{two, "-5", "8", "/price remove 4090", admin, "No price of RTX4090-24G was noted"},
			{one, "-5", "8", "/cost 4090 10h", nobody, "$5.40"},
		} {
			if got := say(c.d, c.room, c.user, c.text, c.is); !strings.Contains(got, c.want) {
				t.Errorf("%s in %s: got\n%s\nwant %q", c.text, c.room, got, c.want)
			}
		}
		if left, err := store.Settings().List(context.Background(), "person:telegram:1:7"); err != nil || len(left) > 0 {
			t.Errorf("of somebody forgotten stays %v, %v", left, err)
		}
	})
}

// TestNotedTwice: an order that is delivered again, or meets another, is done
// once and loses nothing; there is an end to what is noted; a room that moves
// takes its prices along.
func TestNotedTwice(t *testing.T) {
	ctx := context.Background()
	overEveryStore(t, func(t *testing.T, store adapters.Store) {
		p := &profiles{settings: store.Settings()}
		m := from(adapters.Key("telegram", "1", "-5", "", "7"), "1", "")
		m.Actor = advisor.Actor{ID: "7", Name: "Ann"}
		e := advisor.Effect{ID: "1/price", Kind: "price", Room: true, Price: advisor.SetPrice{Card: "a", Currency: cost.CNY, Hour: cost.One, By: "Ann", ByID: "7"}}
		for range 2 {
			if _, err := p.price(ctx, m, e); err != nil {
				t.Fatal(err)
			}
		}
		if list, version, err := p.noted(ctx, adapters.Room(m.Key)); err != nil || len(list) != 1 || version != 1 {
			t.Errorf("got %v version %d: %v", list, version, err)
		}
		var many []advisor.SetPrice
		for i := range mostPrices {
			many = append(many, advisor.SetPrice{Card: string(rune('b' + i)), Currency: cost.CNY, Hour: cost.One})
		}
		data, _ := json.Marshal(many)
		full := adapters.Key("telegram", "1", "-6", "", "7")
		if _, err := store.Settings().Put(ctx, adapters.Room(full), pricesRecord, adapters.Record{Data: data}); err != nil {
			t.Fatal(err)
		}
		m.Key, e.ID = full, "2/price"
		if _, err := p.price(ctx, m, e); err != adapters.ErrTooMany {
			t.Errorf("one too many: %v", err)
		}
		if err := p.moved(ctx, "room:telegram:1:-5", "room:telegram:1:-100"); err != nil {
			t.Fatal(err)
		}
		if list, _, err := p.noted(ctx, "room:telegram:1:-100"); err != nil || len(list) != 1 {
			t.Errorf("after moving: %v, %v", list, err)
		}
		if err := p.unsign(ctx, "person:telegram:1:7", "7"); err != nil {
			t.Fatal(err)
		}
		for _, room := range []adapters.Owner{"room:telegram:1:-5", "room:telegram:1:-100"} {
			if list, _, err := p.noted(ctx, room); err != nil || len(list) != 1 || list[0].By+list[0].ByID != "" {
				t.Errorf("%s, when who noted it is forgotten: %+v, %v", room, list, err)
			}
		}
	})
}
