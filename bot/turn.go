package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"runtime"
	"runtime/debug"
	"slices"
	"strconv"
	"sync"
	"time"

	"gpuadvisor/adapters"
	"gpuadvisor/advisor"
)

// desk takes one message through the house: load, answer, do the effects,
// commit, send, mark sent. Every step may run twice, because effects carry
// ids that derive from the message and the store knows what it has committed;
// so a turn that meets a conflict or a redelivery is simply played again.
//
// What it logs names the message and what went wrong, never what was said.
type desk struct {
	answer     answerFunc
	store      adapters.Conversations
	profiles   *profiles                                          // what people and rooms have set; nil: nothing is kept
	reminders  adapters.Reminders                                 // nil: there are none
	paths      *paths                                             // how reminders arrive; nil: they do
	reports    *reports                                           // nil: nobody reads them
	volatile   bool                                               // reminders end with this process, and the person is told so
	plan       func(advisor.Rental, time.Time) []advisor.Reminder // when to speak of a rental; nil: never
	openOnly   bool                                               // reminders wait for somebody to open the store, likewise
	profile    advisor.Profile                                    // of whoever has set nothing; its language is an order
	lang, zone string                                             // of whom nothing tells them
	draw       func(advisor.Reply) advisor.Reply                  // makes pictures of a reply's charts; nil: they stay words
	slots      chan struct{}                                      // how many turns are played at once; nil: any number
	mute       bool                                               // the chat tells itself what it could not show
	reload     reloadFunc                                         // reads the rules again; nil: nobody can
	log        *slog.Logger
}

// answerFunc is advisor.Answer.
type answerFunc func(advisor.Known, advisor.Message) (advisor.Conversation, advisor.Reply, []advisor.Effect)

// reloadFunc reads the rules again and notes how that went.
type reloadFunc func(context.Context, *advisor.Done)

// replays is how often a turn is played again after a conflict. Each conflict
// means that another turn of the same person has got through.
const replays = 10

// Turn is an adapters.Handler.
func (d *desk) Turn(ctx context.Context, m advisor.Message, respond adapters.Respond) {
	m.Lang, m.Zone = cmp.Or(m.Lang, d.lang), cmp.Or(m.Zone, d.zone)
	p, err := d.play(ctx, m)
	switch {
	case err != nil && ctx.Err() != nil:
		return // we stop: the chat brings it again
	case err != nil:
		d.complain(ctx, m, err)
		if m.Addressed {
			d.send(ctx, m, d.apology(m, err), respond)
		}
	case p.Sent || p.Reply.Act == "ignore":
	case d.send(ctx, m, p.Reply, respond):
		d.settle(ctx, m, p)
	}
}

// complain logs a turn that went wrong, with the stack of a panic.
func (d *desk) complain(ctx context.Context, m advisor.Message, err error) {
	log := d.log
	if p, ok := errors.AsType[*panicked](err); ok {
		log = log.With("stack", p.stack)
	}
	if unreadable(err) {
		log = log.With("conversation", string(m.Key)) // whoever runs this has to find the record
	}
	log.ErrorContext(ctx, "turn", "message", m.ID, "err", err)
}

func (d *desk) send(ctx context.Context, m advisor.Message, r advisor.Reply, respond adapters.Respond) (arrived bool) {
	if d.draw != nil {
		r = d.draw(r)
	}
	err := respond(ctx, r)
	switch {
	case err == nil || d.mute:
	case ctx.Err() != nil: // we stop, and the chat brings the message again
		d.log.WarnContext(ctx, "reply not sent", "message", m.ID, "err", err)
	default:
		d.log.ErrorContext(ctx, "send reply", "message", m.ID, "err", err)
	}
	return err == nil
}

// settle notes that the reply has arrived. Of somebody who wanted to be
// forgotten, nothing stays then.
func (d *desk) settle(ctx context.Context, m advisor.Message, p finished) {
	err := d.store.MarkSent(ctx, m.Key, m.ID)
	if err == nil && p.forgotten {
		err = d.store.Forget(ctx, m.Key)
	}
	if err != nil {
		d.log.ErrorContext(ctx, "mark reply sent", "message", m.ID, "err", err)
	}
}

// finished is a turn that is committed.
type finished struct {
	adapters.Outcome
	forgotten bool
}

// play does the turn until it is committed.
func (d *desk) play(ctx context.Context, m advisor.Message) (finished, error) {
	leave, err := d.enter(ctx)
	if err != nil {
		return finished{}, err
	}
	defer leave()
	var out adapters.Outcome
	var known advisor.Known
	var unknown error
	err = atOnce(
		func() (err error) { out, err = d.store.Committed(ctx, m.Key, m.ID); return err },
		func() error { known, unknown = d.known(ctx, m); return nil },
	)
	if err != nil {
		return finished{}, fmt.Errorf("look for message: %w", err)
	}
	if out.Repeat { // delivered again: its effects are done
		return finished{Outcome: out}, nil
	}
	deeds := map[string]deed{}
	for n := range replays {
		if n > 0 {
			known, unknown = d.known(ctx, m)
		}
		if unknown != nil {
			return finished{}, unknown
		}
		p, err := d.try(ctx, m, known, deeds)
		if !errors.Is(err, adapters.ErrConflict) {
			return p, err
		}
	}
	return finished{}, fmt.Errorf("commit turn: %w %d times", adapters.ErrConflict, replays)
}

// enter waits for a slot.
func (d *desk) enter(ctx context.Context) (leave func(), err error) {
	if d.slots == nil {
		return func() {}, nil
	}
	select {
	case d.slots <- struct{}{}:
		return func() { <-d.slots }, nil
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// deed is what a try has done, and the reminder that it took away.
type deed struct {
	advisor.Done
	took advisor.Reminder
}

// try plays the turn once over what is stored. deeds are what earlier tries
// have done, by the ids of the effects.
func (d *desk) try(ctx context.Context, m advisor.Message, known advisor.Known, deeds map[string]deed) (p finished, err error) {
	turn, effects, err := d.think(ctx, known, m, deeds)
	if err != nil {
		return p, err
	}
	d.undo(ctx, deeds, effects)
	if p.Outcome, err = d.store.Commit(ctx, m.Key, turn); err != nil {
		return p, fmt.Errorf("commit turn: %w", err)
	}
	for _, e := range effects {
		p.forgotten = p.forgotten || e.Kind == "forget" && deeds[e.ID].OK
	}
	return p, nil
}

// known loads what the advisor may look at, all of it at once: to a store that
// is another machine it is the trip that takes time.
func (d *desk) known(ctx context.Context, m advisor.Message) (k advisor.Known, err error) {
	k.Group, k.KeepsPeaks = shared(m.Key), d.keepsPeaks()
	loads := []func() error{func() (err error) { k.Conversation, err = d.conversation(ctx, m.Key); return err }}
	if d.profiles != nil {
		loads = append(loads, d.profiles.loads(ctx, m, &k)...)
	}
	if err := atOnce(loads...); err != nil {
		return k, err
	}
	return d.layered(k), nil
}

// conversation is the one under the key, or else the one that somebody had in
// a room before it moved.
func (d *desk) conversation(ctx context.Context, key advisor.Key) (c advisor.Conversation, err error) {
	if c, err = d.store.Load(ctx, key); err != nil {
		return c, fmt.Errorf("load conversation: %w", err)
	}
	if c.Version == 0 && d.profiles != nil {
		if c, err = d.profiles.before(ctx, d.store, key); err != nil {
			return c, fmt.Errorf("load conversation of the group's old number: %w", err)
		}
	}
	return c, nil
}

// atOnce does all of them at the same time and returns the first error in
// their order.
func atOnce(all ...func() error) error {
	errs := make([]error, len(all))
	var wg sync.WaitGroup
	for i, f := range all[1:] {
		wg.Go(func() { errs[i+1] = f() })
	}
	errs[0] = all[0]()
	wg.Wait()
	return cmp.Or(errs...)
}

// keepsPeaks reports whether measured peaks can be kept: by whom an operator
// reads.
func (d *desk) keepsPeaks() bool { return d.profiles != nil && d.reports != nil }

// layered is k with what holds for the person: what they have set, else what
// their room has, else what the operator has. What the command line orders
// goes before all.
func (d *desk) layered(k advisor.Known) advisor.Known {
	k.Profile = k.Own.Over(k.Room).Over(d.profile)
	k.Profile.Lang = cmp.Or(d.profile.Lang, k.Profile.Lang)
	return k
}

// think asks the advisor, does what it wants done, and tells it how that went,
// so that the reply claims only what has happened.
func (d *desk) think(ctx context.Context, k advisor.Known, m advisor.Message, deeds map[string]deed) (adapters.Turn, []advisor.Effect, error) {
	version := k.Conversation.Version
	var reply advisor.Reply
	var effects []advisor.Effect
	var failed error
	passed := 0
	err := guard(func() {
		c := k.Conversation
		k.Conversation, reply, effects = d.answer(k, m)
		if wantsLook(effects) {
			k.Conversation = c
			if passed, failed = d.look(ctx, m, &k); failed != nil {
				return
			}
			k = before(deeds, k, m)
			k.Conversation, reply, effects = d.answer(k, m)
		}
		for _, e := range effects {
			var done deed
			if done, failed = d.once(ctx, k, m, e, deeds); failed != nil {
				return
			}
			if e.Kind == "settings" && done.OK {
				k = d.after(k, e)
			}
			var more advisor.Reply
			k.Conversation, more, _ = d.answer(k, outcome(m, done.Done))
			reply = join(reply, more)
		}
		if passed > 0 {
			lang := cmp.Or(k.Profile.Lang, k.Conversation.Lang, m.Lang)
			reply = noted(reply, complain("passed-over", strconv.Itoa(passed)).In(lang))
		}
	})
	if err == nil {
		err = failed
	}
	k.Conversation.Version = version
	return adapters.Turn{MessageID: m.ID, Conversation: k.Conversation, Reply: reply}, effects, err
}

// once does an effect, unless an earlier try has done the same one.
func (d *desk) once(ctx context.Context, k advisor.Known, m advisor.Message, e advisor.Effect, deeds map[string]deed) (done deed, err error) {
	done, again := deeds[e.ID]
	if again && done.Effect == e {
		return done, nil
	}
	if done.Done, err = d.do(ctx, k, m, e); err != nil {
		return done, err
	}
	done.took = took(k, done.Done)
	deeds[e.ID] = done
	return done, nil
}

// after is what is known once settings are kept.
func (d *desk) after(k advisor.Known, e advisor.Effect) advisor.Known {
	if e.Room {
		k.Room = e.Profile
	} else {
		k.Own = e.Profile
	}
	return d.layered(k)
}

// outcome is the message that tells the advisor how an effect went.
func outcome(m advisor.Message, done advisor.Done) advisor.Message {
	m.ID += "." + done.Effect.ID
	m.Kind, m.Text, m.Choice = advisor.KindDone, "", ""
	m.Done = done
	return m
}

// do does an effect. The error is a conflict alone, which wants the whole turn
// played again; whatever else goes wrong is told to the advisor in a word.
func (d *desk) do(ctx context.Context, k advisor.Known, m advisor.Message, e advisor.Effect) (advisor.Done, error) {
	done := advisor.Done{Effect: e}
	settled, err := d.effect(ctx, k, m, e, &done)
	switch {
	case settled:
	case err == nil:
		done.OK = true
	case errors.Is(err, adapters.ErrConflict), ctx.Err() != nil:
		return done, err
	case errors.Is(err, adapters.ErrTooMany):
		done.Code = "too-many"
	default:
		d.log.ErrorContext(ctx, "do effect", "message", m.ID, "effect", e.Kind, "err", err)
		done.Code = "unavailable"
	}
	return done, nil
}

// effect does what an effect wants. It is settled when done says already how that
// went.
func (d *desk) effect(ctx context.Context, k advisor.Known, m advisor.Message, e advisor.Effect, done *advisor.Done) (settled bool, err error) {
	switch {
	case e.Kind == "remind" || e.Kind == "move" || e.Kind == "cancel":
		return d.reminder(ctx, k, m, e, done)
	case e.Kind == "rental" && d.profiles != nil && d.reminders != nil:
		err = d.keepRental(ctx, m, k, e, done)
		done.Code = cmp.Or(done.Code, d.while(err))
	case e.Kind == "settings" && d.profiles != nil:
		err = d.profiles.keep(ctx, m, k, e)
	case (e.Kind == "price" || e.Kind == "unprice") && d.profiles != nil:
		done.Code, err = d.profiles.price(ctx, m, e)
	case e.Kind == "peak" && d.keepsPeaks():
		err = d.profiles.peak(ctx, adapters.Person(m.Key), e, m.At)
	case e.Kind == "report" && d.reports != nil:
		err = d.reports.from(ctx, adapters.Person(m.Key), e, m.At)
	case e.Kind == "reload" && d.reload != nil && m.Actor.Operator:
		d.reload(ctx, done)
		return true, nil
	case e.Kind == "forget" && d.profiles != nil:
		done.Deleted, err = d.forget(ctx, m.Key, m.Actor.ID)
	default:
		done.Code = "not-running"
		return true, nil
	}
	return false, err
}

// reminder adds, moves or cancels one.
func (d *desk) reminder(ctx context.Context, k advisor.Known, m advisor.Message, e advisor.Effect, done *advisor.Done) (settled bool, err error) {
	was := true
	switch {
	case e.Kind != "cancel" && !d.paths.open(ctx, e.Reminder.Key, cmp.Or(k.Profile.Lang, m.Lang)):
		done.Code = "unreachable"
		return true, nil
	case d.reminders == nil:
		done.Code = "not-running"
		return true, nil
	case e.Kind == "remind":
		err = d.reminders.Add(ctx, e.Reminder)
		done.Code = d.while(err)
	case e.Kind == "move":
		was, err = d.move(ctx, e)
		done.Code = d.while(err)
	default:
		was, err = d.reminders.Cancel(ctx, e.Reminder.Key, e.Reminder.ID)
	}
	if !was {
		done.Code = "gone"
	}
	return false, err
}

// undo takes back what an earlier try has done and the present one does not
// want: a new reminder goes, one that was moved or cancelled comes back.
func (d *desk) undo(ctx context.Context, deeds map[string]deed, wanted []advisor.Effect) {
	keep := map[string]bool{}
	for _, e := range wanted {
		keep[e.ID] = true
	}
	for id, done := range deeds {
		if keep[id] || !done.OK {
			continue
		}
		var err error
		switch e := done.Effect; {
		case done.took.ID != "":
			_, err = d.move(ctx, advisor.Effect{Reminder: done.took, From: e.Reminder.ID})
		case e.Kind == "remind" || e.Kind == "move":
			_, err = d.reminders.Cancel(ctx, e.Reminder.Key, e.Reminder.ID)
		}
		if err != nil {
			d.log.ErrorContext(ctx, "take back a reminder", "err", err)
		}
	}
}

// forget deletes what is kept of the person, but for the conversation that the
// present turn belongs to: that one ends with the turn.
func (d *desk) forget(ctx context.Context, key advisor.Key, id string) (n advisor.Deleted, err error) {
	who := adapters.Person(key)
	if d.reminders != nil {
		list, err := d.reminders.List(ctx, who)
		if err == nil {
			err = d.reminders.Forget(ctx, who)
		}
		if err != nil {
			return n, fmt.Errorf("forget reminders: %w", err)
		}
		n.Reminders = len(list)
	}
	if err := d.profiles.unsign(ctx, who, id); err != nil {
		return n, fmt.Errorf("forget who noted prices: %w", err)
	}
	if err = d.profiles.forgetPeaks(ctx, who); err != nil {
		return n, err
	}
	if err = d.profiles.forgetRentals(ctx, who); err != nil {
		return n, err
	}
	if n.Records, err = d.profiles.forget(ctx, who); err != nil {
		return n, fmt.Errorf("forget settings: %w", err)
	}
	n.Conversations, err = d.forgetTalks(ctx, who, key)
	return n, err
}

// forgetTalks deletes the conversations of a person, but for one, and tells how
// many there were with it.
func (d *desk) forgetTalks(ctx context.Context, who adapters.Owner, but advisor.Key) (n int, err error) {
	keys, err := d.store.Of(ctx, who)
	if err != nil {
		return n, fmt.Errorf("list conversations: %w", err)
	}
	for _, k := range keys {
		c, err := d.store.Load(ctx, k)
		if err == nil && k != but {
			err = d.store.Forget(ctx, k)
		}
		if err != nil {
			return n, fmt.Errorf("forget conversation: %w", err)
		}
		if c.Version > 0 {
			n++
		}
	}
	return n, nil
}

// join puts the confirmation of an effect into the reply of its turn: above
// the open question, where the reply ends in one.
func join(reply, more advisor.Reply) advisor.Reply {
	reply.Parts = append(reply.Parts[:len(reply.Parts):len(reply.Parts)], more.Parts...)
	if len(more.Choices) > 0 {
		reply.Choices = more.Choices
	}
	reply.Private = reply.Private || more.Private
	reply.Because = append(reply.Because[:len(reply.Because):len(reply.Because)], more.Because...)
	return reply
}

// noted is a reply with a note below what it says, and above what it asks.
func noted(r advisor.Reply, note string) advisor.Reply {
	at := len(r.Parts)
	if at > 0 && r.Parts[at-1].Kind == "question" {
		at--
	}
	r.Parts = slices.Insert(slices.Clone(r.Parts), at, advisor.Part{Kind: "note", Text: note})
	return r
}

// apology is the one sentence for a turn that went wrong.
func (d *desk) apology(m advisor.Message, err error) advisor.Reply {
	lang := m.Lang
	if d.profile.Lang != "" {
		lang = d.profile.Lang
	}
	key := "sorry"
	switch {
	case errors.Is(err, adapters.ErrUnavailable):
		key = "store-down"
	case errors.Is(err, adapters.ErrForeign):
		key = "store-foreign"
	case errors.Is(err, adapters.ErrNewer):
		key = "store-newer"
	}
	return advisor.Reply{Act: "answer", Parts: []advisor.Part{{Kind: "text", Text: words[key].In(lang)}}}
}

// panicked is the error that a panic became. What was said in it stays out,
// unless it came from Go itself: it may quote a person.
type panicked struct{ what, stack string }

func (p *panicked) Error() string { return "recovered from a panic: " + p.what }

// guard runs f and returns its panic as an error: the one recover of the
// house.
func guard(f func()) (err error) {
	defer func() {
		switch p := recover().(type) {
		case nil:
		case runtime.Error:
			err = &panicked{p.Error(), string(debug.Stack())}
		default:
			err = &panicked{fmt.Sprintf("a %T", p), string(debug.Stack())}
		}
	}()
	f()
	return nil
}
