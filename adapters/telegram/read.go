package telegram

import (
	"context"
	"hash/maphash"
	"strconv"
	"strings"
	"time"

	"github.com/go-telegram/bot"
	"github.com/go-telegram/bot/models"

	"gpuadvisor/adapters"
	"gpuadvisor/advisor"
)

// read.go turns what was written into an advisor.Message, or finds that it is
// not for us.

// written is the last message of a conversation, to tell an edit that changes
// it from one that does not.
type written struct {
	id   int
	text uint64 // hash
}

var seed = maphash.MakeSeed()

func (m *message) written() written {
	return written{m.ID, maphash.String(seed, m.Text+m.Caption)}
}

// hear treats a message.
func (c *Chat) hear(ctx context.Context, id int64, m *message, handle adapters.Handler) {
	switch {
	case m.MovedTo != 0:
		c.moved(m.Chat.ID, m.MovedTo)
		return
	case m.MovedFrom != 0:
		c.moved(m.MovedFrom, m.Chat.ID)
		return
	case !c.forUs(m):
		c.counts.ignored.Add(1)
		return
	}
	c.last.put(c.keyOf(m), m.written())
	c.pass(ctx, id, m, handle)
}

// hearAgain treats an edited message: as a new one, if it is the last of its
// conversation and says something else now.
func (c *Chat) hearAgain(ctx context.Context, id int64, m *message, handle adapters.Handler) {
	now := m.written()
	before, had := c.last.get(c.keyOf(m))
	if !had || before.id != now.id || before.text == now.text || !m.hasText() || !c.forUs(m) {
		c.counts.ignored.Add(1)
		return
	}
	c.last.put(c.keyOf(m), now)
	c.pass(ctx, id, m, handle)
}

// forUs reports whether a person wrote the message in a chat that we serve.
func (c *Chat) forUs(m *message) bool {
	bot := m.From != nil && m.From.IsBot && !m.anonymous()
	ours := m.ViaBot != nil && m.ViaBot.ID == c.me.Load().ID // what inline mode posted
	return m.writer() != 0 && m.Chat.ID != 0 && !bot && !ours && !m.AutoForward && m.Chat.Type != models.ChatTypeChannel && c.allowed(m.Chat.ID)
}

func (c *Chat) keyOf(m *message) advisor.Key {
	return c.key(m.Chat.ID, m.thread(), m.writer())
}

// pass hands a message to the desk, if it is addressed to us.
func (c *Chat) pass(ctx context.Context, id int64, m *message, handle adapters.Handler) {
	text, entities := m.Text, m.Entities
	if text == "" {
		text, entities = m.Caption, m.CaptionEnts
	}
	s := hears(text, entities, c.me.Load(), c.known)
	toUs := m.ReplyTo != nil && m.ReplyTo.From != nil && m.ReplyTo.From.ID == c.me.Load().ID
	if s.others || !m.private() && !s.addressed && !toUs {
		c.counts.ignored.Add(1)
		return
	}
	where := c.spotOf(m)
	respond := c.respond(where)
	switch {
	case m.unread() && s.text == "":
		c.cannotRead(ctx, where, m)
		return
	case m.unread():
		respond = c.withoutPicture(where, m)
	case m.Document != nil:
		paste, ok := c.paste(ctx, where, m)
		if !ok {
			return
		}
		s.text = strings.TrimSpace(s.text + " \n" + paste) // a command ends at the space
	}
	if s.text == "" && m.private() && !m.hasText() {
		c.counts.ignored.Add(1) // somebody joined, a title changed: nobody speaks
		return
	}
	if m.private() && !s.commanded {
		s.text = c.worded(s.text)
	}
	out := advisor.Message{
		ID: strconv.FormatInt(id, 10), Key: c.keyOf(m), Actor: c.actor(ctx, m, s), Kind: advisor.KindText,
		Text: c.started(s.text), Lang: where.lang(), At: time.Unix(max(m.Date, m.EditDate), 0),
		Addressed: true, Commanded: s.commanded,
	}
	handle(ctx, out, respond)
}

func (m *message) hasText() bool { return m.Text != "" || m.Caption != "" }

// spotOf is where the answer to a message goes.
func (c *Chat) spotOf(m *message) spot {
	to := spot{room: m.Chat.ID, thread: m.thread(), user: m.writer()}
	if m.From != nil {
		to.tag = m.From.LanguageCode
	}
	if !m.private() {
		to.replyTo = m.ID
	}
	return to
}

// actor is who wrote the message.
func (c *Chat) actor(ctx context.Context, m *message, s said) advisor.Actor {
	a := advisor.Actor{ID: strconv.FormatInt(m.writer(), 10), Anonymous: m.anonymous()}
	switch {
	case m.SenderChat != nil:
		a.Name = m.SenderChat.Title
		a.Admin = m.SenderChat.ID == m.Chat.ID // only admins may hide behind the group
	default:
		a.Name = strings.TrimSpace(m.From.FirstName + " " + m.From.LastName)
		a.Operator = c.operator(m.From.ID)
		a.Admin = c.needsAdmin(s.text) && !m.private() && c.isAdmin(ctx, m.Chat.ID, m.From.ID)
	}
	return a
}

func (c *Chat) operator(user int64) bool {
	for _, id := range c.config.Operators {
		if id == user {
			return true
		}
	}
	return false
}

// needsAdmin reports whether the text is a command for admins: only then it is
// worth asking Telegram who is one.
func (c *Chat) needsAdmin(text string) bool {
	word, _, _ := strings.Cut(text, " ")
	name, slash := strings.CutPrefix(word, "/")
	cmd := c.command(name)
	return slash && cmd != nil && cmd.Who == "admin"
}

func (c *Chat) isAdmin(ctx context.Context, room, user int64) bool {
	ctx, cancel := context.WithTimeout(ctx, callTime)
	defer cancel()
	member, err := c.api.GetChatMember(ctx, &bot.GetChatMemberParams{ChatID: room, UserID: user})
	return err == nil && (member.Type == models.ChatMemberTypeOwner || member.Type == models.ChatMemberTypeAdministrator)
}

// moved follows a group to its new id.
func (c *Chat) moved(from, to int64) {
	c.log.Info("telegram: a group became a supergroup", "from", from, "to", to)
	if c.config.Moved != nil {
		c.config.Moved(c.room(from), c.room(to))
	}
}

// joined notes that we were let in or thrown out, blocked or unblocked.
func (c *Chat) joined(m *memberChange) {
	gone := m.New.Status == "left" || m.New.Status == "kicked" || m.New.Status == "restricted" && !m.New.IsMember
	c.gone(m.Chat.ID, gone)
}

func (c *Chat) gone(room int64, gone bool) {
	c.log.Info("telegram: room", "room", room, "gone", gone)
	if c.config.Gone != nil {
		c.config.Gone(c.room(room), gone)
	}
}
