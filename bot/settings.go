package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"sync"

	"gpuadvisor/adapters"
	"gpuadvisor/advisor"
)

// kept says whose records a command is about, and where they are.
type kept struct {
	User  string `default:"me" placeholder:"NAME" help:"${user}"`
	Store string `placeholder:"FILE" help:"${store}"`
}

func (k kept) key() advisor.Key { return adapters.Key("terminal", "", "", "", k.User) }

// settingsCommand shows and changes what is remembered of the person at the
// terminal.
type settingsCommand struct {
	kept      `embed:""`
	answering `embed:""`
}

// settingsAnswer is the JSON of settings and forget.
type settingsAnswer struct {
	ID       json.RawMessage `json:"id,omitempty"`
	Lang     string          `json:"lang"`     // "" follows what is written
	Zone     string          `json:"zone"`     // "" not set
	Currency string          `json:"currency"` // "" not set
	Reply    string          `json:"reply"`
}

func (c *settingsCommand) Run(h *house) error {
	c.orElse("") // to show them
	return h.personal("settings", c.kept, c.answering, h.settingsNow)
}

// forgetCommand deletes what is kept of that person.
type forgetCommand struct {
	kept      `embed:""`
	Yes       bool `help:"${yes}"`
	answering `embed:""`
}

func (c *forgetCommand) Run(h *house) error {
	if c.Batch == "" && len(c.Text) == 0 {
		c.Text = []string{""}
		if c.Yes {
			c.Text[0] = "yes"
		}
	}
	if err := h.personal("forget", c.kept, c.answering, h.settingsNow); err != nil {
		return err
	}
	if c.Batch == "" && c.Text[0] == "" {
		return errors.New(h.say("not-forgotten"))
	}
	return nil
}

// afterwards makes the answer of a command that was played: the reply, and what
// the store has now.
type afterwards func(in input, d *desk, m advisor.Message, reply string) (answer, error)

// personal plays a command that is about the person, over their store.
func (h *house) personal(name string, k kept, how answering, then afterwards) error {
	if k.Store == "" {
		return misuse{h.say("no-store")}
	}
	_, a, err := h.book()
	if err != nil {
		return err
	}
	store, err := openFile(k.Store)
	if err != nil {
		return err
	}
	defer store.Close()
	d := h.desk(a, store)
	d.profile.Zone, d.profile.Lang, d.openOnly = h.zone, h.wishedLang, true
	run, n := h.now().UnixNano(), 0
	var one sync.Mutex // a batch answers its lines side by side
	return h.answer(name, how, func(*advisor.Rulebook, *advisor.Advisor) responder {
		return func(in input) (answer, error) {
			if in.Text == nil {
				return answer{}, complain("bad.no-text", "")
			}
			one.Lock()
			defer one.Unlock()
			n++
			m := in.message(fmt.Sprint(name, run, ".", n), k.User, "/"+name+" "+strings.TrimPrefix(*in.Text, "/"+name))
			m.Key, m.Actor = k.key(), advisor.Actor{ID: k.User, Name: k.User}
			m.Lang = h.replyLang(in)
			reply := ""
			d.Turn(h.ctx, m, func(_ context.Context, r advisor.Reply) error {
				r.Choices = nil // to tap, and nothing here can be
				reply = show(r)
				return nil
			})
			return then(in, d, m, reply)
		}
	})
}

// settingsNow is the answer of settings and forget.
func (h *house) settingsNow(in input, d *desk, m advisor.Message, reply string) (answer, error) {
	own, err := d.profiles.get(h.ctx, adapters.Person(m.Key))
	if err != nil {
		return answer{}, err
	}
	return answer{settingsAnswer{in.batchID(), own.Lang, own.Zone, own.Currency, reply}, reply}, nil
}
