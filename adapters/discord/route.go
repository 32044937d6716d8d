package discord

import (
	"context"
	"encoding/json"
	"strings"
	"time"

	"github.com/bwmarrin/discordgo"

	"gpuadvisor/advisor"
)

// route.go tells what an interaction means: a turn for the handler, or one of
// the things that this chat settles by itself.

// interaction takes one that came in through a door. It does not wait: what
// takes time is queued. It reports false for one that was delivered before, as
// happens after a resume.
func (d *Discord) interaction(in *interaction, door door) bool {
	if !d.seen.add(in.ID, struct{}{}) {
		return false
	}
	defer d.stats.interactions.Add(1)
	a := d.asked(in, door)
	switch {
	case in.Type == discordgo.InteractionApplicationCommandAutocomplete:
		d.quickly(a, func(ctx context.Context) { a.complete(ctx) })
	case !d.allowed(in.Guild):
		d.quickly(a, func(ctx context.Context) { a.notice(ctx, "discord.not-here") })
	case in.Type == discordgo.InteractionApplicationCommand:
		d.command(a)
	case in.Type == discordgo.InteractionMessageComponent:
		d.component(a)
	default:
		d.submitted(a)
	}
	return true
}

// allowed reports whether we serve a server; private chats are always served.
func (d *Discord) allowed(guild string) bool {
	if guild == "" || len(d.c.Guilds) == 0 {
		return true
	}
	for _, g := range d.c.Guilds {
		if g == guild {
			return true
		}
	}
	return false
}

// quickly does what needs no turn, beside whatever else the person has going.
func (d *Discord) quickly(a *asked, do func(ctx context.Context)) {
	ctx := d.working()
	if !d.quick.add(a.in.who().ID, func() { do(ctx) }) {
		d.stats.dropped.Add(1)
	}
}

// turn queues a message for the handler, after whatever the person said
// before. make may take its time, and may find that there is nothing to hand
// over.
func (d *Discord) turn(a *asked, make func(ctx context.Context) (advisor.Message, bool)) {
	ctx := d.working()
	a.startClock(ctx)
	queued := d.turns.add(lane(a.in.Room, a.in.who().ID), func() {
		defer a.finish(ctx)
		if m, ok := make(ctx); ok {
			d.hand(ctx, m, a.respond)
		}
	})
	if !queued {
		a.stop()
		a.ended()
		d.stats.dropped.Add(1)
		d.quickly(a, func(ctx context.Context) { a.notice(ctx, "discord.busy") })
	}
}

// lane is the line that a person's messages in one channel stand in.
func lane(room, user string) string { return room + ":" + user }

// message is what every interaction has in common.
func (a *asked) message() advisor.Message {
	return advisor.Message{
		ID: a.in.ID, Key: a.in.address().key(), Actor: a.in.actor(), Kind: advisor.KindText,
		Lang: lang(a.in.Locale), At: a.at, Addressed: true,
	}
}

func (a *asked) saying(text string) func(context.Context) (advisor.Message, bool) {
	return func(context.Context) (advisor.Message, bool) {
		m := a.message()
		m.Text = text
		m.Commanded = strings.HasPrefix(text, "/")
		return m, true
	}
}

func (a *asked) choosing(ref string) func(context.Context) (advisor.Message, bool) {
	return func(context.Context) (advisor.Message, bool) {
		m := a.message()
		m.Kind, m.Choice = advisor.KindChoice, ref
		return m, true
	}
}

// command takes a slash command or a context menu.
func (d *Discord) command(a *asked) {
	c, ok := commandNamed(d.c.Commands, a.in.Data.Name)
	if !ok {
		d.quickly(a, func(ctx context.Context) { a.notice(ctx, "discord.outdated", a.startButton()) })
		return
	}
	if c.Private {
		a.hidden = a.in.Guild != "" || a.hidden
	}
	if c.Args != "paste" {
		d.turn(a, a.saying(compose(c, a.in.Data.Options, d.texts(), a.lang)))
		return
	}
	d.paste(a, c)
}

// complete suggests values for the option that is being typed.
func (a *asked) complete(ctx context.Context) {
	type choice struct {
		Name  string `json:"name"`
		Value string `json:"value"`
	}
	choices := []choice{}
	for _, g := range a.in.Data.Options {
		if !g.Focused || a.d.c.Complete == nil {
			continue
		}
		for _, c := range a.d.c.Complete(g.Name, g.text(), a.lang) {
			if c.Ref != "" && length(c.Ref) <= maxChoiceValue && len(choices) < maxChoices {
				choices = append(choices, choice{label(c.Label, maxChoiceName), c.Ref})
			}
		}
	}
	r := response{discordgo.InteractionApplicationCommandAutocompleteResult, struct {
		Choices []choice `json:"choices"`
	}{choices}}
	if err := a.first(ctx, r, nil); err != nil {
		a.d.log.DebugContext(ctx, "discord: autocomplete", "err", err)
	}
}

// component takes a button or a menu.
func (d *Discord) component(a *asked) {
	p, ok := readPress(a.in.Data.CustomID)
	if !ok || a.in.Message == nil {
		d.quickly(a, func(ctx context.Context) { a.notice(ctx, "discord.outdated", a.startButton()) })
		return
	}
	if p.owner != "" && p.owner != a.in.who().ID {
		d.quickly(a, func(ctx context.Context) { a.notice(ctx, "discord.not-yours", a.startButton()) })
		return
	}
	switch p.does {
	case shares:
		d.quickly(a, func(ctx context.Context) { a.share(ctx) })
	case types:
		d.quickly(a, func(ctx context.Context) { a.open(ctx, a.answerForm(p)) })
	case starts:
		d.turn(a, a.saying("/"+p.ref))
	case menu, list:
		if len(a.in.Data.Values) == 0 {
			d.quickly(a, func(ctx context.Context) { a.quietly(ctx) })
			return
		}
		p.ref = a.in.Data.Values[0]
		d.choice(a, p)
	default:
		d.choice(a, p)
	}
}

// pressed is what we remember of a press, for as long as we remember anything.
type pressed struct {
	ref  string
	at   time.Time
	over bool // a reply has taken the place of the question
	busy bool // the turn has not ended
}

// twice is how soon after the first a second press is taken for a slip.
const twice = 2 * time.Second

// choice hands over a choice, unless it is a second click: the same one again
// is passed over, another one on a question that is answered gets a word.
func (d *Discord) choice(a *asked, p press) {
	a.over = p.does == answers || p.does == menu
	id := a.in.Message.ID + p.stamp
	if before, ok := d.presses.get(id); ok {
		slip := before.ref == p.ref && (before.busy || before.over || a.at.Sub(before.at) < twice)
		switch {
		case slip:
			d.quickly(a, func(ctx context.Context) { a.quietly(ctx) })
			return
		case a.over && (before.busy || before.over):
			d.quickly(a, func(ctx context.Context) { a.notice(ctx, "discord.answered") })
			return
		}
	}
	d.presses.put(id, pressed{ref: p.ref, at: a.at, busy: true})
	a.ended = func() { d.presses.put(id, pressed{ref: p.ref, at: a.at, over: a.moved}) }
	d.turn(a, a.choosing(p.ref))
}

// quietly takes note of a press that changes nothing.
func (a *asked) quietly(ctx context.Context) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if err := a.silence(ctx); err != nil {
		a.d.log.WarnContext(ctx, "discord: acknowledge", "interaction", a.in.ID, "err", err)
	}
}

// answerForm asks to type the answer to a question.
func (a *asked) answerForm(p press) form {
	l := a.look()
	f := form{id: p.String(), title: l.say("discord.type.title"), label: l.say("discord.type"), hint: l.say("discord.type.hint")}
	for _, o := range facts {
		if o.name == p.ref || o.fact == p.ref {
			f.label = l.say("discord.option." + o.name)
		}
	}
	return f
}

// startButton starts a dialogue of the presser's own.
func (a *asked) startButton() discordgo.MessageComponent {
	l := a.look()
	l.owner = ""
	return l.extra(starts, "gpu", "discord.start")
}

// submitted takes what was typed into a form of ours.
func (d *Discord) submitted(a *asked) {
	p, ok := readPress(a.in.Data.CustomID)
	if !ok || p.owner != a.in.who().ID {
		d.quickly(a, func(ctx context.Context) { a.notice(ctx, "discord.outdated", a.startButton()) })
		return
	}
	text := typedText(a.in.Data.Components)
	switch p.does {
	case types:
		a.over = a.in.Message != nil
		d.turn(a, a.saying(text))
	case pastes:
		d.turn(a, a.saying("/"+p.ref+" "+text))
	default:
		d.quickly(a, func(ctx context.Context) { a.notice(ctx, "discord.outdated", a.startButton()) })
	}
}

// typedText finds the one text in a form: in a row, as we send it, or under a
// label, as Discord may come to send it.
func typedText(raw json.RawMessage) string {
	type field struct {
		Value string `json:"value"`
	}
	var rows []struct {
		Components []field `json:"components"`
		Component  field   `json:"component"`
	}
	json.Unmarshal(raw, &rows)
	for _, r := range rows {
		for _, f := range append(r.Components, r.Component) {
			if f.Value != "" {
				return f.Value
			}
		}
	}
	return ""
}

// share posts the answer under which it was pressed for everybody to see. The
// answer comes with the press, so there is nothing to remember.
func (a *asked) share(ctx context.Context) {
	if !a.d.presses.add(a.in.Message.ID+"shared", pressed{}) {
		a.quietly(ctx)
		return
	}
	p := emptyPage()
	p.Content = strings.ReplaceAll(a.d.texts()["discord.shared"].In(a.lang), "{name}", escape(a.in.actor().Name))
	if both := p.Content + "\n" + a.in.Message.Content; length(both) <= maxContent {
		p.Content = strings.TrimSpace(both)
	} else {
		p.Content = a.in.Message.Content
	}
	p.Embeds = sharedEmbeds(a.in.Message.Embeds)
	p.Components = append(p.Components, discordgo.ActionsRow{Components: []discordgo.MessageComponent{a.startButton()}})
	a.mu.Lock()
	defer a.mu.Unlock()
	if err := a.show(ctx, []*page{p}, false, false); err != nil {
		a.d.presses.drop(a.in.Message.ID + "shared")
		a.d.log.WarnContext(ctx, "discord: post publicly", "interaction", a.in.ID, "err", err)
	}
}

// sharedEmbeds takes over what we put into embeds, not what Discord added.
func sharedEmbeds(raw json.RawMessage) []*discordgo.MessageEmbed {
	var all []struct {
		Title       string                         `json:"title"`
		Description string                         `json:"description"`
		Fields      []*discordgo.MessageEmbedField `json:"fields"`
	}
	json.Unmarshal(raw, &all)
	out := []*discordgo.MessageEmbed{}
	for _, e := range all {
		if e.Title != "" || e.Description != "" || len(e.Fields) > 0 {
			out = append(out, &discordgo.MessageEmbed{Title: e.Title, Description: e.Description, Fields: e.Fields})
		}
	}
	return out[:min(len(out), maxEmbeds)]
}
