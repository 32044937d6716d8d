package telegram

import (
	"context"
	"strconv"
	"strings"
	"time"

	"github.com/go-telegram/bot"

	"gpuadvisor/adapters"
	"gpuadvisor/advisor"
)

// tap.go treats a tap on a button. Telegram's client shows that it is waiting
// until the tap is answered, so every tap is, and at once; what the tap leads
// to comes as a message.

// tapped treats a tap.
func (c *Chat) tapped(ctx context.Context, id int64, p *press, handle adapters.Handler) {
	b, ok := readButton(p.Data)
	switch {
	case p.Message == nil || p.From.ID == 0 || !ok:
		c.counts.ignored.Add(1)
		c.notice(ctx, p, c.say(c.texts().Stale, p.From.LanguageCode))
	case !c.allowed(p.Message.Chat.ID):
		c.counts.ignored.Add(1)
		c.notice(ctx, p, "")
	case !c.mayTap(ctx, b, p):
		c.counts.ignored.Add(1)
		c.notice(ctx, p, fill(c.say(c.texts().NotYours, p.From.LanguageCode), "command", "/"+c.config.Commands[0].Name+"@"+c.me.Load().Username))
	case c.twice(id, p):
		c.counts.ignored.Add(1)
		c.notice(ctx, p, "")
	default:
		answered := make(chan struct{})
		go func() { defer close(answered); c.notice(ctx, p, "") }()
		handle(ctx, c.choice(id, p, b), c.respond(spotUnder(p, b)))
		<-answered
	}
}

// mayTap reports whether the button is for this person. What an anonymous
// admin was asked, every admin may answer: a tap does not come in the name of
// the group. Of a channel's buttons we cannot tell whose they are.
func (c *Chat) mayTap(ctx context.Context, b button, p *press) bool {
	switch room := p.Message.Chat.ID; {
	case b.asker == room && room < 0:
		return c.isAdmin(ctx, room, p.From.ID)
	case b.asker < 0:
		return true
	}
	return b.asker == p.From.ID
}

// twin is a button of a message, and tapping is when it was tapped last, by
// which update.
type (
	twin struct {
		room    int64
		message int
		data    string
	}
	tapping struct {
		update int64
		at     time.Time
	}
)

// twiceWithin is how soon after a tap another on the same button is the same
// tap: a finger that trembles, a client that tries again.
const twiceWithin = 1500 * time.Millisecond

// twice reports whether this tap only repeats the one before. An update that
// Telegram delivers again is no repeat: its first try was not dealt with.
func (c *Chat) twice(id int64, p *press) bool {
	now := time.Now()
	before, had := c.taps.put(twin{p.Message.Chat.ID, p.Message.ID, p.Data}, tapping{id, now})
	return had && before.update != id && now.Sub(before.at) < twiceWithin
}

// choice is the message that a tap means.
func (c *Chat) choice(id int64, p *press, b button) advisor.Message {
	actor := advisor.Actor{ID: strconv.FormatInt(b.asker, 10), Anonymous: b.asker < 0, Admin: b.asker == p.Message.Chat.ID && b.asker < 0}
	if !actor.Anonymous {
		actor.Name = strings.TrimSpace(p.From.FirstName + " " + p.From.LastName)
		actor.Operator = c.operator(p.From.ID)
	}
	return advisor.Message{
		ID: strconv.FormatInt(id, 10), Key: c.key(p.Message.Chat.ID, b.thread, b.asker), Actor: actor,
		Kind: advisor.KindChoice, Choice: b.ref, Turn: b.turn, Lang: language(p.From.LanguageCode), At: time.Now(), Addressed: true,
	}
}

// spotUnder is where the answer to a tap goes: into the message, or below it.
func spotUnder(p *press, b button) spot {
	s := spot{room: p.Message.Chat.ID, thread: b.thread, user: b.asker, tag: p.From.LanguageCode, edit: p.Message.ID, replace: b.replace}
	if !s.private() {
		s.replyTo = p.Message.ID
	}
	return s
}

// notice answers a tap; a text shows in a box that only the person sees. A tap
// that was answered before, or long ago, is no matter.
func (c *Chat) notice(ctx context.Context, p *press, text string) {
	params := &bot.AnswerCallbackQueryParams{CallbackQueryID: p.ID, Text: firstRunes(text, maxAlert), ShowAlert: text != ""}
	err := c.fewTimes(ctx, func() error {
		ctx, cancel := context.WithTimeout(ctx, callTime)
		defer cancel()
		_, err := c.api.AnswerCallbackQuery(ctx, params)
		return err
	})
	if err != nil && !says(err, oldWords) {
		c.log.WarnContext(ctx, "telegram: answer a tap", "err", c.secrets.Error(err))
	}
}

func firstRunes(s string, n int) string {
	if pieces := adapters.Split(s, n, adapters.UTF16); len(pieces) > 1 {
		return pieces[0]
	}
	return s
}
