package telegram

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/go-telegram/bot"
	"github.com/go-telegram/bot/models"

	"gpuadvisor/adapters"
	"gpuadvisor/advisor"
)

// send.go brings replies to people. An answer is tried for as long as trying
// helps, up to untiring; a reminder once, because its caller keeps it and
// knows better when to try again.

// untiring is how long an answer is tried.
const untiring = 5 * time.Minute

// spot is where a reply goes.
type spot struct {
	room    int64
	thread  int    // topic
	user    int64  // who asked: whose the buttons are
	tag     string // IETF tag of their language
	replyTo int    // message of theirs, in groups
	edit    int    // message of ours whose button was tapped
	replace bool   // that one may be replaced
}

func (s spot) lang() string  { return language(s.tag) }
func (s spot) private() bool { return s.room > 0 }

// Send implements adapters.Chat.
func (c *Chat) Send(ctx context.Context, to advisor.Key, r advisor.Reply) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	where, ok := c.place(to)
	if !ok {
		return fmt.Errorf("send to %q: %w", to, adapters.ErrGone)
	}
	return c.deliver(ctx, &mail{spot: where, late: true}, r)
}

// respond answers a message that came from where.
func (c *Chat) respond(where spot) adapters.Respond {
	return func(ctx context.Context, r advisor.Reply) error {
		if r.Private && !where.private() {
			return c.whisper(ctx, where, r)
		}
		return c.deliver(ctx, &mail{spot: where}, r)
	}
}

// whisper answers in the private chat of the asker, and says so in the group.
func (c *Chat) whisper(ctx context.Context, where spot, r advisor.Reply) error {
	err := adapters.ErrGone
	if where.user > 0 {
		err = c.deliver(ctx, &mail{spot: spot{room: where.user, user: where.user, tag: where.tag}}, r)
	}
	said := c.texts().Privately
	var open any
	switch {
	case errors.Is(err, adapters.ErrGone): // they have not opened it, or blocked us
		said = c.texts().OpenPrivate
		open = &keyboard{[][]key{{{Text: c.say(c.texts().OpenButton, where.tag), URL: "https://t.me/" + c.me.Load().Username + "?start=help"}}}}
	case err != nil:
		return err
	}
	where.edit = 0
	p := page{plain: c.say(said, where.tag)}
	p.html = escape.Replace(p.plain)
	return c.post(ctx, &mail{spot: where}, p, open)
}

// mail is a reply on its way.
type mail struct {
	spot
	late    bool      // a reminder: answers go first
	ticket  uint64    // its place in the queue
	until   time.Time // when we stop trying; set by the first try
	started bool      // a part of it has arrived
}

// deliver sends all of a reply.
func (c *Chat) deliver(ctx context.Context, m *mail, r advisor.Reply) error {
	m.ticket = c.pace.draw()
	s := draw(r, button{replace: strings.HasPrefix(r.Act, "ask:"), asker: m.user, turn: r.Turn, thread: m.thread})
	for i := range s.photos {
		if err := c.sendPhoto(ctx, m, &s.photos[i]); err != nil {
			return err
		}
	}
	for i, p := range s.pages {
		last := i == len(s.pages)-1
		var under any
		if last {
			under = c.under(m, r, s.keys)
		}
		if i == 0 && (m.replace || r.Edit) && len(s.photos) == 0 {
			if done, err := c.edit(ctx, m, p, under); err != nil {
				return err
			} else if done {
				continue
			}
		}
		if err := c.post(ctx, m, p, under); err != nil {
			return err
		}
	}
	return nil
}

// forceReply asks the client of the person whom we answer to reply to us: in
// a group we would not see their answer otherwise.
var forceReply = &models.ForceReply{ForceReply: true, Selective: true}

// under is what stands under the last page.
func (c *Chat) under(m *mail, r advisor.Reply, k *keyboard) any {
	switch {
	case k != nil:
		return k
	case !m.private() && strings.HasPrefix(r.Act, "ask:") && m.replyTo != 0:
		return forceReply
	}
	return nil
}

// sendPhoto sends a picture, or its words where Telegram does not take it.
func (c *Chat) sendPhoto(ctx context.Context, m *mail, p *photo) error {
	err := c.try(ctx, m, "send photo", func(ctx context.Context, plain bool) error {
		params := &bot.SendPhotoParams{
			ChatID: m.room, MessageThreadID: m.thread, Caption: p.caption.html, ParseMode: models.ParseModeHTML, ReplyParameters: m.reply(),
			Photo: &models.InputFileUpload{Filename: "picture", Data: bytes.NewReader(p.image)},
		}
		if plain {
			params.Caption, params.ParseMode = p.caption.plain, ""
		}
		_, err := c.api.SendPhoto(ctx, params)
		return err
	})
	if !errors.Is(err, bot.ErrorBadRequest) {
		return err
	}
	for _, page := range p.instead {
		if err := c.post(ctx, m, page, nil); err != nil {
			return err
		}
	}
	return nil
}

var noPreview = &models.LinkPreviewOptions{IsDisabled: bot.True()}

// post sends a page as a new message.
func (c *Chat) post(ctx context.Context, m *mail, p page, under any) error {
	return c.try(ctx, m, "send message", func(ctx context.Context, plain bool) error {
		params := &bot.SendMessageParams{
			ChatID: m.room, MessageThreadID: m.thread, Text: p.html, ParseMode: models.ParseModeHTML,
			LinkPreviewOptions: noPreview, ReplyParameters: m.reply(), ReplyMarkup: under,
		}
		if plain {
			params.Text, params.ParseMode = p.plain, ""
		}
		_, err := c.api.SendMessage(ctx, params)
		return err
	})
}

// reply quotes the message that we answer, unless we have begun to.
func (m *mail) reply() *models.ReplyParameters {
	if m.replyTo == 0 || m.started {
		return nil
	}
	return &models.ReplyParameters{MessageID: m.replyTo, AllowSendingWithoutReply: true}
}

// edit puts a page in the place of the message under which the button was
// tapped. done is false when there is none, when it cannot be changed any more,
// or cannot take what is to stand under it.
func (c *Chat) edit(ctx context.Context, m *mail, p page, under any) (done bool, err error) {
	if m.edit == 0 || under == any(forceReply) {
		return false, nil
	}
	err = c.try(ctx, m, "edit message", func(ctx context.Context, plain bool) error {
		params := &bot.EditMessageTextParams{
			ChatID: m.room, MessageID: m.edit, Text: p.html, ParseMode: models.ParseModeHTML,
			LinkPreviewOptions: noPreview, ReplyMarkup: under,
		}
		if plain {
			params.Text, params.ParseMode = p.plain, ""
		}
		_, err := c.api.EditMessageText(ctx, params)
		if says(err, sameWords) {
			return nil
		}
		return err
	})
	if says(err, lostWords) {
		m.edit = 0
		return false, nil
	}
	return err == nil, err
}

// try makes a call at the pace that Telegram allows, until it succeeds or
// trying again makes no sense.
func (c *Chat) try(ctx context.Context, m *mail, what string, call func(ctx context.Context, plain bool) error) error {
	if m.until.IsZero() {
		m.until = time.Now().Add(untiring)
	}
	plain := false
	for failed := 0; ; {
		if err := c.pace.take(ctx, m.room, m.ticket, m.late && !m.started); err != nil {
			return fmt.Errorf("%s: %w", what, err)
		}
		err := c.once(ctx, plain, call)
		verdict := c.verdict(ctx, what, err)
		switch {
		case verdict == nil:
			c.counts.sent.Add(1)
			m.started = true
			return nil
		case c.redirected(m, err):
		case says(err, entityWords) && !plain: // ours is wrong: the words are better than nothing
			c.log.ErrorContext(ctx, "telegram: markup refused", "err", verdict)
			plain = true
		case c.wait(ctx, m, err, verdict, failed):
			failed++
		default:
			if errors.Is(verdict, adapters.ErrGone) {
				c.gone(m.room, true)
			}
			c.counts.failed.Add(1)
			return verdict
		}
	}
}

// redirected follows a group that became a supergroup, and leaves a topic that
// is gone.
func (c *Chat) redirected(m *mail, err error) bool {
	var moved *bot.MigrateError
	switch {
	case errors.As(err, &moved) && int64(moved.MigrateToChatID) != m.room:
		c.moved(m.room, int64(moved.MigrateToChatID))
		m.room = int64(moved.MigrateToChatID)
	case says(err, topicWords) && m.thread != 0:
		m.thread = 0
	default:
		return false
	}
	return true
}

// wait waits before another try, where one may help and there is time for it.
func (c *Chat) wait(ctx context.Context, m *mail, err, verdict error, failed int) bool {
	pause := asked(err)
	if pause > 0 {
		c.counts.waits.Add(1)
		c.pace.hold(m.room, pause) // for everybody who writes there
	} else if pause = c.patience(nil, failed); !errors.Is(verdict, adapters.ErrUnavailable) {
		return false
	}
	if m.late && !m.started || time.Now().Add(pause).After(m.until) {
		return false
	}
	if asked(err) == 0 {
		sleep(ctx, pause)
	}
	return true
}

func (c *Chat) once(ctx context.Context, plain bool, call func(context.Context, bool) error) error {
	ctx, cancel := context.WithTimeout(ctx, callTime)
	defer cancel()
	return call(ctx, plain)
}
