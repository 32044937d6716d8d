package main

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"gpuadvisor/adapters"
	"gpuadvisor/advisor"
)

// noted.go keeps the prices that people note with /price: of a room, of a person
// in a private chat, of everybody. Each is a record of the store, so that all
// bots that share it see them.

const (
	pricesRecord = "prices" // []advisor.SetPrice as JSON
	signedRecord = "signed" // of a person: the []adapters.Owner whose prices carry their name

	// everybody is whose the operators' prices are; no person and no room is
	// called that.
	everybody adapters.Owner = "everybody"

	mostPrices  = 50
	keepForAll  = 15 * time.Second // until another bot's change of them is seen
	saysNothing = "nothing"        // code of an order that found nothing to take away
)

// forAll remembers the prices of everybody for a moment: they are looked up for
// every message.
type forAll struct {
	sync.Mutex
	list    []advisor.SetPrice
	read    time.Time
	changed int // how often we have changed them
}

func (p *profiles) noted(ctx context.Context, of adapters.Owner) (list []advisor.SetPrice, version int64, err error) {
	r, err := p.settings.Get(ctx, of, pricesRecord)
	if err != nil {
		return nil, 0, fmt.Errorf("load prices: %w", err)
	}
	if r.Version > 0 {
		if err := json.Unmarshal(r.Data, &list); err != nil {
			return nil, 0, fmt.Errorf("load prices: they are %w", adapters.ErrForeign)
		}
	}
	return list, r.Version, nil
}

// notedForAll are the operators' prices, as of a moment ago.
func (p *profiles) notedForAll(ctx context.Context) ([]advisor.SetPrice, error) {
	p.all.Lock()
	list, read, changed := p.all.list, p.all.read, p.all.changed
	p.all.Unlock()
	if time.Since(read) < keepForAll {
		return list, nil
	}
	list, _, err := p.noted(ctx, everybody) // nobody waits for another's look
	if err != nil {
		return nil, err
	}
	p.all.Lock()
	defer p.all.Unlock()
	if p.all.changed == changed {
		p.all.list, p.all.read = list, time.Now()
	}
	return list, nil
}

// pricesOwner is whose prices hold in a conversation: the room's, or in a
// private one the person's. People in inline mode are in no room, and see
// their own.
func pricesOwner(key advisor.Key) adapters.Owner {
	if shared(key) {
		return adapters.Room(key)
	}
	return adapters.Person(key)
}

// price does an order to note a price, or to take one away. The code says when
// there was nothing to take.
func (p *profiles) price(ctx context.Context, m advisor.Message, e advisor.Effect) (code string, err error) {
	of := pricesOwner(m.Key)
	if e.All {
		of = everybody
	}
	list, version, err := p.noted(ctx, of)
	if err != nil {
		return "", err
	}
	if e.Kind == "unprice" {
		var some bool
		if list, some = advisor.Unnote(list, e.Price.Card); !some {
			return saysNothing, nil
		}
	} else if list = advisor.Note(list, e.Price); len(list) > mostPrices {
		return "", adapters.ErrTooMany
	}
	if err := p.putPrices(ctx, of, list, version, e.ID); err != nil {
		return "", err
	}
	if e.Kind == "price" && of != adapters.Person(m.Key) && !m.Actor.Anonymous {
		return "", p.sign(ctx, adapters.Person(m.Key), of)
	}
	return "", nil
}

func (p *profiles) putPrices(ctx context.Context, of adapters.Owner, list []advisor.SetPrice, version int64, by string) error {
	var data []byte
	if len(list) > 0 {
		var err error
		if data, err = json.Marshal(list); err != nil {
			return fmt.Errorf("encode prices: %w", err)
		}
	}
	_, err := p.settings.Put(ctx, of, pricesRecord, adapters.Record{Version: version, Data: data, By: by})
	if of == everybody {
		p.all.Lock()
		p.all.read = time.Time{}
		p.all.changed++
		p.all.Unlock()
	}
	return err
}

// sign notes with a person where their name stands on prices, so that it can be
// taken off when they want to be forgotten.
func (p *profiles) sign(ctx context.Context, who, of adapters.Owner) error {
	places, version, err := p.signed(ctx, who)
	if err != nil || slices.Contains(places, of) {
		return err
	}
	data, err := json.Marshal(append(places, of))
	if err != nil {
		return err
	}
	_, err = p.settings.Put(ctx, who, signedRecord, adapters.Record{Version: version, Data: data})
	return err
}

// signAll notes a room with everybody whose name stands on its prices: they
// came along when the room got another name.
func (p *profiles) signAll(ctx context.Context, room adapters.Owner) error {
	list, _, err := p.noted(ctx, room)
	if err != nil {
		return err
	}
	parts := strings.Split(string(room), ":")
	for _, price := range list {
		if price.ByID == "" || len(parts) != 4 {
			continue
		}
		if err := p.sign(ctx, adapters.Person(adapters.Key(parts[1], parts[2], "", "", price.ByID)), room); err != nil {
			return err
		}
	}
	return nil
}

func (p *profiles) signed(ctx context.Context, who adapters.Owner) (places []adapters.Owner, version int64, err error) {
	r, err := p.settings.Get(ctx, who, signedRecord)
	if err != nil || r.Version == 0 {
		return nil, 0, err
	}
	if err := json.Unmarshal(r.Data, &places); err != nil {
		return nil, 0, fmt.Errorf("load signatures: they are %w", adapters.ErrForeign)
	}
	return places, r.Version, nil
}

// unsign takes a person's name off the prices that they noted for others.
func (p *profiles) unsign(ctx context.Context, who adapters.Owner, id string) error {
	places, version, err := p.signed(ctx, who)
	if err != nil || version == 0 {
		return err
	}
	for _, of := range places {
		list, seen, err := p.noted(ctx, of)
		if err != nil {
			return err
		}
		for i := range list {
			if list[i].ByID == id {
				list[i].By, list[i].ByID = "", ""
			}
		}
		if seen > 0 {
			if err := p.putPrices(ctx, of, list, seen, ""); err != nil {
				return err
			}
		}
	}
	_, err = p.settings.Put(ctx, who, signedRecord, adapters.Record{Version: version})
	return err
}
