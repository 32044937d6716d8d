package main

import (
	"cmp"
	"encoding/json"
	"fmt"
	"strings"

	"gpuadvisor/advisor"
)

// askCommand is one message to a fresh conversation, or a script of turns.
type askCommand struct {
	answering `embed:""`
}

func (c *askCommand) Run(h *house) error {
	return h.answer("ask", c.answering, func(book *advisor.Rulebook, a *advisor.Advisor) responder {
		return func(in input) (answer, error) { return h.ask(book, a, in) }
	})
}

func (h *house) ask(book *advisor.Rulebook, a *advisor.Advisor, in input) (answer, error) {
	var script struct {
		Turns []scriptTurn `json:"turns"`
	}
	if in.line != nil {
		if err := decode(in.line, &script); err != nil {
			return answer{}, err
		}
	}
	switch {
	case len(script.Turns) > 0:
		return answer{Value: h.askTurns(a, in, script.Turns)}, nil
	case in.Text != nil:
		return h.askText(book, a, in), nil
	default:
		return answer{}, complain("bad.neither", "")
	}
}

// asked is the JSON of one message.
type asked struct {
	ID       json.RawMessage `json:"id,omitempty"`
	Lang     string          `json:"lang"`
	Intent   string          `json:"intent"`
	Act      string          `json:"act"`
	Slots    map[string]any  `json:"slots"`
	Missing  []string        `json:"missing"`
	Question *string         `json:"question"`
	Advice   *advisor.Advice `json:"advice"`
	Cost     *advisor.Cost   `json:"cost"`
	Reminder *whenAnswer     `json:"reminder"`
	Reply    string          `json:"reply"`
	Choices  []string        `json:"choices,omitempty"`
}

// heard is what one message says of a job. A conversation keeps nothing of a
// reminder, a list or a fault, and yet the card in it was said.
func heard(book *advisor.Rulebook, c advisor.Conversation, intent, text string) map[string]any {
	switch state := c.Facts.State(); {
	case len(state) > 0:
		return state
	case intent == "remind" || intent == "checklist" || intent == "diagnose":
		facts := book.Read(text, advisor.Asked{}).Facts
		return facts.State()
	default:
		return state
	}
}

func (h *house) askText(book *advisor.Rulebook, a *advisor.Advisor, in input) answer {
	lang := cmp.Or(in.Lang, h.wishedLang)
	m := in.message("1", "", *in.Text)
	c, reply := converse(a, advisor.Known{Profile: advisor.Profile{Lang: lang, Zone: in.TZ, Currency: h.config.DefaultCurrency}}, m)
	out := asked{
		ID: in.batchID(), Lang: c.Lang, Intent: reply.Intent, Act: reply.Act,
		Slots: heard(book, c, reply.Intent, *in.Text), Missing: orEmpty(a.Missing(c)),
		Advice: a.Advice(advisor.Known{Conversation: c}), Cost: a.Cost(c), Reply: show(reply),
	}
	if slot, ok := strings.CutPrefix(reply.Act, "ask:"); ok {
		out.Question = &slot
	}
	if reply.Intent == "remind" {
		out.Reminder = readTime(in, *in.Text)
	}
	for _, choice := range reply.Choices {
		out.Choices = append(out.Choices, choice.Label)
	}
	return answer{out, out.Reply}
}

// scriptTurn is one line of a script: who says what.
type scriptTurn struct {
	User string `json:"user"`
	Text string `json:"text"`
}

// played is the JSON of a script.
type played struct {
	ID    json.RawMessage            `json:"id,omitempty"`
	Turns []playedTurn               `json:"turns"`
	Final map[string]*advisor.Advice `json:"final"`
}

type playedTurn struct {
	User   string         `json:"user"`
	Intent string         `json:"intent"`
	State  map[string]any `json:"state"`
	Act    string         `json:"act"`
	Reply  string         `json:"reply"`
}

// askTurns plays a script in which several people may talk. Each has a
// conversation of their own, as in a group.
func (h *house) askTurns(a *advisor.Advisor, in input, turns []scriptTurn) played {
	lang := cmp.Or(in.Lang, h.wishedLang)
	people := map[string]advisor.Conversation{}
	out := played{ID: in.batchID(), Final: map[string]*advisor.Advice{}}
	for i, t := range turns {
		m := in.message(fmt.Sprint(i+1), t.User, t.Text)
		m.Addressed = t.User == turns[0].User || people[t.User].Turns > 0 || addresses(t.Text)
		k := advisor.Known{Conversation: people[t.User], Profile: advisor.Profile{Lang: lang, Zone: in.TZ, Currency: h.config.DefaultCurrency}}
		c, reply := converse(a, k, m)
		people[t.User] = c
		out.Turns = append(out.Turns, playedTurn{t.User, reply.Intent, c.Facts.State(), reply.Act, show(reply)})
	}
	for user, c := range people {
		out.Final[user] = a.Advice(advisor.Known{Conversation: c})
	}
	return out
}

// addresses reports whether a line in a group is meant for us: a mention or a
// command.
func addresses(text string) bool {
	text = strings.ToLower(strings.TrimSpace(text))
	return strings.HasPrefix(text, "/") || strings.Contains(text, "@bot") || strings.Contains(text, "@gpuadvisor")
}

// converse answers one message when nobody is there to do an effect: what was
// to be done is reported as not done, so that no reply promises it.
func converse(a *advisor.Advisor, k advisor.Known, m advisor.Message) (advisor.Conversation, advisor.Reply) {
	k.Looked = true // nothing is kept here, so nothing waits
	c, reply, effects := a.Answer(k, m)
	for _, e := range effects {
		k.Conversation = c
		done := advisor.Message{
			ID: m.ID + "." + e.ID, Key: m.Key, Kind: advisor.KindDone, At: m.At, Addressed: true,
			Done: advisor.Done{Effect: e, Code: "not-running"},
		}
		var more advisor.Reply
		c, more, _ = a.Answer(k, done)
		reply = join(reply, more)
	}
	return c, reply
}

func (in input) message(id, user, text string) advisor.Message {
	return advisor.Message{
		ID: id, Key: advisor.Key("ask:" + user), Actor: advisor.Actor{ID: user}, Kind: advisor.KindText,
		Text: text, Lang: in.Lang, Zone: in.TZ, At: in.at, Addressed: true,
	}
}

// batchID is the id to repeat in an answer: none outside a batch.
func (in input) batchID() json.RawMessage {
	if in.line == nil {
		return nil
	}
	return in.id()
}

func orEmpty(s []string) []string {
	if s == nil {
		return []string{}
	}
	return s
}
