package main

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"sync"

	"gpuadvisor/adapters"
	"gpuadvisor/advisor"
)

// profiles are what people and rooms have set, as records of the store.
type profiles struct {
	settings adapters.Settings
	all      forAll
	passed   sync.Map // what was logged of records that cannot be read
}

// The names of the records.
const (
	profileRecord = "profile" // advisor.Profile as JSON, of a person or a room
	formerRecord  = "was"     // of a room: the Owner that it was before it moved
	laterRecord   = "is"      // of a room that moved: the Owner that it is now
)

// stored is a profile with the version of its record.
type stored struct {
	advisor.Profile
	version int64
}

func (p *profiles) get(ctx context.Context, of adapters.Owner) (s stored, err error) {
	r, err := p.settings.Get(ctx, of, profileRecord)
	if err != nil {
		return s, fmt.Errorf("load settings: %w", err)
	}
	s.version = r.Version
	if r.Version > 0 {
		if err := json.Unmarshal(r.Data, &s.Profile); err != nil {
			return s, fmt.Errorf("load settings: a profile is %w", adapters.ErrForeign)
		}
	}
	return s, nil
}

// loads look up what the writer of a message has set, what their room has, and
// the prices that are noted there. Each fills in something else of k.
func (p *profiles) loads(ctx context.Context, m advisor.Message, k *advisor.Known) []func() error {
	group, anonymous := k.Group, m.Actor.Anonymous
	all := []func() error{func() (err error) { k.AllPrices, err = p.notedForAll(ctx); return err }}
	if group || !anonymous {
		all = append(all, func() (err error) { k.Prices, _, err = p.noted(ctx, pricesOwner(m.Key)); return err })
	}
	if group {
		all = append(all, func() (err error) { k.Room, err = p.profile(ctx, adapters.Room(m.Key)); return err })
	}
	if !anonymous {
		all = append(all, func() (err error) { k.Own, err = p.profile(ctx, adapters.Person(m.Key)); return err })
	}
	return all
}

func (p *profiles) profile(ctx context.Context, of adapters.Owner) (advisor.Profile, error) {
	s, err := p.get(ctx, of)
	return s.Profile, err
}

// keep stores a profile. It is a conflict when the one that the turn saw has
// changed since.
func (p *profiles) keep(ctx context.Context, m advisor.Message, k advisor.Known, e advisor.Effect) error {
	of, seen := adapters.Person(m.Key), k.Own
	if e.Room {
		of, seen = adapters.Room(m.Key), k.Room
	}
	now, err := p.get(ctx, of)
	if err != nil {
		return err
	}
	if now.Profile == e.Profile {
		return nil // an earlier try of this turn got through
	}
	if now.Profile != seen {
		return adapters.ErrConflict
	}
	var data []byte
	if e.Profile != (advisor.Profile{}) {
		if data, err = json.Marshal(e.Profile); err != nil {
			return fmt.Errorf("encode settings: %w", err)
		}
	}
	_, err = p.settings.Put(ctx, of, profileRecord, adapters.Record{Version: now.version, Data: data, By: e.ID})
	return err
}

// forget deletes all records of a person and tells how many there were.
func (p *profiles) forget(ctx context.Context, who adapters.Owner) (int, error) {
	all, err := p.settings.List(ctx, who)
	if err == nil {
		err = p.settings.Forget(ctx, who)
	}
	return len(all), err
}

// moved notes that a room has another name now. What was set for it goes
// along; conversations stay where they are and are found by before.
func (p *profiles) moved(ctx context.Context, from, to adapters.Owner) error {
	was, err := p.settings.Get(ctx, to, formerRecord)
	if err != nil || string(was.Data) == string(from) {
		return err
	}
	all, err := p.settings.List(ctx, from)
	if err != nil {
		return fmt.Errorf("list what a room has set: %w", err)
	}
	for name := range all {
		if name == formerRecord || name == laterRecord {
			continue
		}
		if err := p.along(ctx, from, to, name); err != nil {
			return err
		}
	}
	if err := p.signAll(ctx, to); err != nil {
		return err
	}
	if _, err := p.settings.Put(ctx, from, laterRecord, adapters.Record{Version: all[laterRecord].Version, Data: []byte(to)}); err != nil {
		return fmt.Errorf("note the new name of a room: %w", err)
	}
	// Last, for it says that the rest is done.
	_, err = p.settings.Put(ctx, to, formerRecord, adapters.Record{Version: was.Version, Data: []byte(from)})
	if err != nil {
		return fmt.Errorf("note the old name of a room: %w", err)
	}
	return nil
}

// along takes a record of a room to its new name, unless there is one.
func (p *profiles) along(ctx context.Context, from, to adapters.Owner, name string) error {
	old, err := p.settings.Get(ctx, from, name)
	if err != nil || old.Version == 0 {
		return err
	}
	if now, err := p.settings.Get(ctx, to, name); err != nil || now.Version > 0 {
		return err
	}
	_, err = p.settings.Put(ctx, to, name, adapters.Record{Data: old.Data, Until: old.Until})
	return err
}

// before is the conversation that somebody had in a room before it moved, as
// the first version of the one under the key.
func (p *profiles) before(ctx context.Context, store adapters.Conversations, key advisor.Key) (c advisor.Conversation, err error) {
	if !shared(key) {
		return c, nil
	}
	was, err := p.settings.Get(ctx, adapters.Room(key), formerRecord)
	if err != nil || was.Version == 0 {
		return c, err
	}
	c, err = store.Load(ctx, adapters.InRoom(key, adapters.Owner(was.Data)))
	c.Version = 0
	return c, err
}

// shared reports whether others may be in the room of a conversation. A chat
// spells a private one as the user, or with an @ before it, or leaves it out.
func shared(k advisor.Key) bool {
	p := strings.Split(string(k), ":")
	return len(p) == 5 && p[2] != "" && p[2] != p[4] && !aside(k) && !strings.HasPrefix(p[2], "@")
}

// aside reports whether a conversation is what somebody types in inline mode,
// in no room at all.
func aside(k advisor.Key) bool {
	p := strings.Split(string(k), ":")
	return len(p) == 5 && p[2] == "inline"
}
