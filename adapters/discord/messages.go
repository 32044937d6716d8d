package discord

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"

	"github.com/bwmarrin/discordgo"

	"gpuadvisor/adapters"
	"gpuadvisor/advisor"
)

// messages.go hears what people write and speaks without being pressed: in a
// channel, or by direct message.
//
// Discord shows us what is written to us and no more: private chats, and in a
// server the messages that mention us, which includes replies to ours. We do
// not ask for the right to read the rest.

// written takes a message that somebody wrote.
func (d *Discord) written(m *message) {
	if m.Author.Bot || m.Webhook != "" || m.Author.ID == d.app() || !snowflake(m.ID) || !snowflake(m.Room) || !snowflake(m.Author.ID) {
		return
	}
	if !d.allowed(m.Guild) || m.Guild != "" && !d.mentioned(m) || !d.seen.add(m.ID, struct{}{}) {
		return
	}
	said := strings.TrimSpace(d.unmention(m.Content))
	if said == "" && len(m.Attachments) == 0 && m.Guild == "" {
		return // a sticker, a picture
	}
	d.stats.messages.Add(1)
	ctx, at := d.working(), d.c.Now()
	queued := d.turns.add(lane(m.Room, m.Author.ID), func() {
		to := d.place(ctx, m)
		out := advisor.Message{
			ID: m.ID, Key: to.key(), Actor: actor(m.Author), Kind: advisor.KindText, Text: said, At: at, Addressed: true,
			Commanded: strings.HasPrefix(said, "/"),
		}
		if m.Member != nil {
			out.Actor.Admin = permits(m.Member.Permissions, discordgo.PermissionManageGuild)
		}
		if text, ok := d.attachedText(ctx, m.Attachments); ok {
			out.Text = strings.TrimSpace(said + "\n" + text)
		}
		d.hand(ctx, out, func(ctx context.Context, r advisor.Reply) error { return d.replyTo(ctx, m, to, r) })
	})
	if !queued {
		d.stats.dropped.Add(1)
	}
}

func (d *Discord) mentioned(m *message) bool {
	for _, u := range m.Mentions {
		if u.ID == d.app() {
			return true
		}
	}
	return false
}

// unmention takes our own name out of a text.
func (d *Discord) unmention(text string) string {
	return strings.NewReplacer("<@"+d.app()+">", " ", "<@!"+d.app()+">", " ").Replace(text)
}

// place is the conversation that a message belongs to. Only Discord knows
// whether its channel is a thread of another.
func (d *Discord) place(ctx context.Context, m *message) address {
	a := address{app: d.app(), room: m.Room, user: m.Author.ID, private: m.Guild == ""}
	if a.private {
		return a
	}
	c, known := d.channels.get(m.Room)
	if !known {
		if err := d.rest.do(ctx, call{method: http.MethodGet, path: "/channels/" + m.Room, patience: firstAnswer}, &c); err != nil {
			d.log.DebugContext(ctx, "discord: look at channel", "err", err)
			return a
		}
		d.channels.put(m.Room, c)
	}
	if c.thread() && snowflake(c.Parent) {
		a.room, a.thread = c.Parent, m.Room
	}
	return a
}

// replyTo answers a message in its channel, where others read along; what is
// for the asker alone goes by direct message.
func (d *Discord) replyTo(ctx context.Context, m *message, to address, r advisor.Reply) error {
	l := look{texts: d.texts(), lang: langOf(r, d.lang("")), owner: to.user, stamp: stamp(m.ID), embeds: true}
	pages := l.pages(r)
	if len(pages) == 0 {
		return nil
	}
	mention := ""
	if !to.private {
		mention = m.ID
	}
	if !r.Private || to.private {
		return d.say(ctx, to, false, pages, l.bare(r), m.ID, mention)
	}
	err := d.say(ctx, to, true, pages, l.bare(r), m.ID, "")
	notice := "discord.dm.sent"
	if errors.Is(err, adapters.ErrGone) {
		notice = "discord.dm.closed"
	} else if err != nil {
		return err
	}
	p := emptyPage()
	p.Content = escape(l.say(notice))
	return d.post(ctx, to.channel(), []*page{p}, m.ID+"notice", mention)
}

// say delivers, and says it in plain words when Discord refuses the form.
func (d *Discord) say(ctx context.Context, to address, private bool, pages, bare []*page, name, replyTo string) error {
	err := d.deliver(ctx, to, private, pages, name, replyTo)
	if isCode(err, discordgo.ErrCodeInvalidFormBody) {
		d.log.ErrorContext(ctx, "discord refused a message, sending it as plain text", "err", err)
		err = d.deliver(ctx, to, private, bare, name+"bare", "")
	}
	return err
}

// deliver posts pages in the channel of a conversation or, when they are for
// one person or the channel is closed to us, by direct message. The same name
// makes a repeat the same message.
func (d *Discord) deliver(ctx context.Context, to address, private bool, pages []*page, name, replyTo string) error {
	if !private || to.private {
		err := d.post(ctx, to.channel(), pages, name, replyTo)
		if err == nil || !errors.Is(err, adapters.ErrGone) || isCode(err, discordgo.ErrCodeCannotSendMessagesToThisUser) {
			return err
		}
	}
	dm, err := d.direct(ctx, to.user)
	if err != nil {
		return err
	}
	return d.post(ctx, dm, pages, name, "")
}

// direct opens the private chat with a person. Opening it again is no harm,
// but opening many is.
func (d *Discord) direct(ctx context.Context, user string) (string, error) {
	if id, ok := d.directs.get(user); ok {
		return id, nil
	}
	var c channel
	err := d.rest.do(ctx, call{
		method: http.MethodPost, path: "/users/@me/channels", patience: d.pace.patience,
		body: struct {
			Recipient string `json:"recipient_id"`
		}{user},
	}, &c)
	if err != nil {
		return "", fmt.Errorf("open direct message: %w", err)
	}
	if !snowflake(c.ID) {
		return "", fmt.Errorf("open direct message: %w", adapters.ErrUnavailable)
	}
	d.directs.put(user, c.ID)
	return c.ID, nil
}

// post sends pages to a channel, each once: a nonce that Discord enforces
// makes a repeat within some minutes the message that is there already.
// https://docs.discord.com/developers/resources/message#create-message
func (d *Discord) post(ctx context.Context, room string, pages []*page, name, replyTo string) error {
	for i, p := range pages {
		p.Flags, p.Nonce, p.Enforce = 0, digest(fmt.Sprint(name, ".", i)), true
		p.Reference = nil
		if replyTo != "" && i == 0 {
			p.Reference = &discordgo.MessageReference{MessageID: replyTo, FailIfNotExists: new(bool)}
		}
		path := "/channels/" + room + "/messages"
		if err := d.rest.do(ctx, call{method: http.MethodPost, path: path, body: p, files: p.files, patience: d.pace.patience}, nil); err != nil {
			return fmt.Errorf("send message: %w", err)
		}
	}
	return nil
}

// Send implements adapters.Chat. It speaks in the channel of the conversation,
// mentioning the person, if we are a member there and the reply is not for
// them alone; otherwise by direct message. A Reply with the same Once, or
// without one the same Reply, sent again within some minutes is shown once.
func (d *Discord) Send(ctx context.Context, key advisor.Key, r advisor.Reply) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	to, ok := readAddress(key)
	if app := d.app(); !ok || app != "" && app != to.app {
		return fmt.Errorf("send to %q: %w", key, adapters.ErrGone)
	}
	name := string(key) + r.Once
	if r.Once == "" {
		name = fmt.Sprintf("%s %+v %+v", key, r.Parts, r.Choices)
	}
	l := look{texts: d.texts(), lang: langOf(r, d.lang("")), owner: to.user, stamp: stamp(name), embeds: true}
	pages, bare := l.pages(r), l.bare(r)
	if len(pages) == 0 {
		return nil
	}
	if !to.private && !r.Private {
		ring(pages[0], to.user)
		ring(bare[0], to.user)
	}
	return d.say(ctx, to, r.Private, pages, bare, name, "")
}

// ring puts the person's name before a message, and lets it reach them and
// nobody else.
func ring(p *page, user string) {
	if with := "<@" + user + "> " + p.Content; length(with) <= maxContent {
		p.Content = with
	}
	p.Mentions = &discordgo.MessageAllowedMentions{Parse: []discordgo.AllowedMentionType{}, Users: []string{user}}
}

// Reach tells beforehand which way Send would take. Where that is a direct
// message, hello is sent to find out whether the person takes any: nothing
// else tells. ErrGone means that neither way is open.
func (d *Discord) Reach(ctx context.Context, key advisor.Key, hello advisor.Reply) (direct bool, err error) {
	to, ok := readAddress(key)
	if !ok {
		return false, fmt.Errorf("reach %q: %w", key, adapters.ErrGone)
	}
	if !to.private && !hello.Private {
		err := d.rest.do(ctx, call{method: http.MethodGet, path: "/channels/" + to.channel(), patience: d.pace.patience}, nil)
		if err == nil || !errors.Is(err, adapters.ErrGone) {
			return false, err
		}
	}
	hello.Private = true
	return true, d.Send(ctx, key, hello)
}
