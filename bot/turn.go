package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"runtime/debug"

	"gpuadvisor/adapters"
	"gpuadvisor/advisor"
)

// desk takes one message through the house: load, answer, do the effects,
// commit, send, mark sent. Every step may run twice, because effects carry
// ids that derive from the message and the store knows what it has committed;
// so a turn that meets a conflict or a redelivery is simply played again.
type desk struct {
	answer  func(advisor.Known, advisor.Message) (advisor.Conversation, advisor.Reply, []advisor.Effect)
	store   adapters.Conversations
	profile advisor.Profile // of everybody, until profiles are stored
	alarms  *alarms
	sorry   advisor.Text // said when a turn goes wrong
	log     *slog.Logger
}

// replays is how often a turn is played again after a conflict. Each conflict
// means that another turn of the same person has got through.
const replays = 10

// Turn is an adapters.Handler.
func (d *desk) Turn(ctx context.Context, m advisor.Message, respond adapters.Respond) {
	out, err := d.play(ctx, m)
	if err != nil {
		d.log.Error("turn", "message", m.ID, "err", err)
		out = adapters.Outcome{Reply: d.apology(m)}
	}
	if out.Sent || out.Reply.Act == "ignore" {
		return
	}
	if err := respond(ctx, out.Reply); err != nil {
		d.log.Error("send reply", "message", m.ID, "err", err)
		return
	}
	if err := d.store.MarkSent(ctx, m.Key, m.ID); err != nil {
		d.log.Error("mark reply sent", "message", m.ID, "err", err)
	}
}

// play does the turn until it is committed.
func (d *desk) play(ctx context.Context, m advisor.Message) (adapters.Outcome, error) {
	out, err := d.store.Committed(ctx, m.Key, m.ID)
	if err != nil {
		return out, fmt.Errorf("look for message: %w", err)
	}
	if out.Repeat { // delivered again: its effects are done
		return out, nil
	}
	var done []advisor.Effect
	for range replays {
		conversation, err := d.store.Load(ctx, m.Key)
		if err != nil {
			return adapters.Outcome{}, fmt.Errorf("load conversation: %w", err)
		}
		turn, effects, err := d.think(ctx, advisor.Known{Conversation: conversation, Profile: d.profile}, m)
		if err != nil {
			return adapters.Outcome{}, err
		}
		d.cancel(unwanted(done, effects))
		done = effects
		out, err := d.store.Commit(ctx, m.Key, turn)
		if errors.Is(err, adapters.ErrConflict) {
			continue
		}
		if err != nil {
			return out, fmt.Errorf("commit turn: %w", err)
		}
		return out, nil
	}
	return adapters.Outcome{}, fmt.Errorf("commit turn: %w %d times", adapters.ErrConflict, replays)
}

// think asks the advisor, does what it wants done, and tells it how that went,
// so that the reply claims only what has happened.
func (d *desk) think(ctx context.Context, k advisor.Known, m advisor.Message) (adapters.Turn, []advisor.Effect, error) {
	version := k.Conversation.Version
	var reply advisor.Reply
	var effects []advisor.Effect
	err := guard(func() {
		k.Conversation, reply, effects = d.answer(k, m)
		for _, e := range effects {
			var more advisor.Reply
			k.Conversation, more, _ = d.answer(k, outcome(m, e, d.do(ctx, e)))
			reply = join(reply, more)
		}
	})
	k.Conversation.Version = version
	return adapters.Turn{MessageID: m.ID, Conversation: k.Conversation, Reply: reply}, effects, err
}

// outcome is the message that tells the advisor how an effect went.
func outcome(m advisor.Message, e advisor.Effect, code string) advisor.Message {
	m.ID += "." + e.ID
	m.Kind, m.Text, m.Choice = advisor.KindDone, "", ""
	m.Done = advisor.Done{Effect: e, OK: code == "", Code: code}
	return m
}

// do does an effect and returns "" or a word for what went wrong.
func (d *desk) do(_ context.Context, e advisor.Effect) (code string) {
	switch {
	case e.Kind == "remind" && d.alarms != nil:
		return d.alarms.add(e.Reminder)
	case e.Kind == "cancel" && d.alarms != nil:
		d.alarms.cancel(e.Reminder.ID)
		return ""
	}
	return "not-running"
}

// unwanted are the effects of an earlier try that the final one does not want.
func unwanted(done, wanted []advisor.Effect) []advisor.Effect {
	keep := map[string]bool{}
	for _, e := range wanted {
		keep[e.ID] = true
	}
	var rest []advisor.Effect
	for _, e := range done {
		if !keep[e.ID] {
			rest = append(rest, e)
		}
	}
	return rest
}

func (d *desk) cancel(effects []advisor.Effect) {
	for _, e := range effects {
		if e.Kind == "remind" && d.alarms != nil {
			d.alarms.cancel(e.Reminder.ID)
		}
	}
}

// join puts the confirmation of an effect into the reply of its turn: above
// the open question, where the reply ends in one.
func join(reply, more advisor.Reply) advisor.Reply {
	reply.Parts = append(reply.Parts[:len(reply.Parts):len(reply.Parts)], more.Parts...)
	if len(more.Choices) > 0 {
		reply.Choices = more.Choices
	}
	reply.Because = append(reply.Because[:len(reply.Because):len(reply.Because)], more.Because...)
	return reply
}

func (d *desk) apology(m advisor.Message) advisor.Reply {
	lang := m.Lang
	if d.profile.Lang != "" {
		lang = d.profile.Lang
	}
	return advisor.Reply{Act: "answer", Parts: []advisor.Part{{Kind: "text", Text: d.sorry.In(lang)}}}
}

// guard runs f and returns its panic as an error: the one recover of the
// house. The stack goes to the log and to no person.
func guard(f func()) (err error) {
	defer func() {
		if p := recover(); p != nil {
			slog.Debug("recovered", "panic", p, "stack", string(debug.Stack()))
			err = fmt.Errorf("recovered from a panic: %v", p)
		}
	}()
	f()
	return nil
}
