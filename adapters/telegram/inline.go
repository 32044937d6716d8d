package telegram

import (
	"context"
	"strconv"
	"strings"
	"time"

	"github.com/go-telegram/bot"
	"github.com/go-telegram/bot/models"

	"gpuadvisor/adapters"
	"gpuadvisor/advisor"
)

// inline.go answers "@our_bot vram Qwen2.5-7B" while it is typed in any chat.
// The first word picks the command, by its name or a word for it; without one
// it is the first that has inline mode. Telegram asks again at every pause of
// the typing, so each is a conversation aside that nothing depends on.

// keepInline is how long Telegram may show the same answer to the same person.
const keepInline = 60 // seconds

// inlineKey is the conversation of what somebody types in inline mode.
func (c *Chat) inlineKey(user int64) advisor.Key {
	return adapters.Key(name, c.id, "inline", "", strconv.FormatInt(user, 10))
}

// typed treats an inline query.
func (c *Chat) typed(ctx context.Context, id int64, q *inlineQuery, handle adapters.Handler) {
	order, ok := c.inlineOrder(q.Query)
	answered := false
	answer := func(ctx context.Context, results ...models.InlineQueryResult) error {
		answered = true
		return c.offer(ctx, q, results)
	}
	switch {
	case q.From.ID == 0, !c.allowed(q.From.ID):
		c.counts.ignored.Add(1)
	case !ok:
		if err := answer(ctx, c.usage(q)); err != nil {
			c.log.WarnContext(ctx, "telegram: inline mode", "err", err)
		}
	default:
		m := advisor.Message{
			ID: strconv.FormatInt(id, 10), Key: c.inlineKey(q.From.ID), Actor: advisor.Actor{ID: strconv.FormatInt(q.From.ID, 10), Operator: c.operator(q.From.ID)},
			Kind: advisor.KindText, Text: order, Lang: language(q.From.LanguageCode), At: time.Now(), Addressed: true, Commanded: true,
		}
		handle(ctx, m, func(ctx context.Context, r advisor.Reply) error { return answer(ctx, article(order, r)...) })
	}
	if !answered {
		answer(ctx)
	}
}

// inlineOrder reads what is typed as a command; ok is false while there is
// nothing to answer.
func (c *Chat) inlineOrder(query string) (order string, ok bool) {
	query = strings.TrimSpace(query)
	word, rest, _ := strings.Cut(query, " ")
	word = strings.TrimPrefix(word, "/")
	var first *advisor.Command
	for i := range c.config.Commands {
		cmd := &c.config.Commands[i]
		if !cmd.Inline {
			continue
		}
		if first == nil {
			first = cmd
		}
		if means(cmd, word) {
			return "/" + cmd.Name + " " + strings.TrimSpace(rest), strings.TrimSpace(rest) != ""
		}
	}
	if first == nil || query == "" {
		return "", false
	}
	return "/" + first.Name + " " + query, true
}

func means(cmd *advisor.Command, word string) bool {
	for _, w := range append(append([]string{cmd.Name}, cmd.ZH...), cmd.EN...) {
		if strings.EqualFold(w, word) {
			return true
		}
	}
	return false
}

// usage is what is offered before there is anything to answer.
func (c *Chat) usage(q *inlineQuery) models.InlineQueryResult {
	how := fill(c.say(c.texts().InlineUsage, q.From.LanguageCode), "name", "@"+c.me.Load().Username)
	return result(c.say(c.texts().InlineTitle, q.From.LanguageCode), how, page{html: escape.Replace(how), plain: how})
}

// article offers the first page of a reply, for posting.
func article(order string, r advisor.Reply) []models.InlineQueryResult {
	r.Choices = nil // their buttons would belong to nobody there
	s := draw(r, button{})
	for _, p := range s.photos {
		s.pages = append(s.pages, p.instead...)
	}
	p := first(s.pages)
	if p.plain == "" {
		return nil
	}
	title, rest, _ := strings.Cut(p.plain, "\n")
	if rest == "" {
		title, rest = strings.TrimPrefix(order, "/"), title
	}
	return []models.InlineQueryResult{result(title, rest, p)}
}

// What a list of results has room for, in characters.
const (
	titleRoom       = 60
	descriptionRoom = 120
)

func result(title, description string, p page) models.InlineQueryResult {
	return &models.InlineQueryResultArticle{
		ID: "1", Title: firstRunes(oneLine(title), titleRoom), Description: firstRunes(oneLine(description), descriptionRoom),
		InputMessageContent: models.InputTextMessageContent{MessageText: p.html, ParseMode: models.ParseModeHTML, LinkPreviewOptions: noPreview},
	}
}

// offer answers an inline query, once: a late answer is of no use.
func (c *Chat) offer(ctx context.Context, q *inlineQuery, results []models.InlineQueryResult) error {
	ctx, cancel := context.WithTimeout(ctx, callTime)
	defer cancel()
	_, err := c.api.AnswerInlineQuery(ctx, &bot.AnswerInlineQueryParams{
		InlineQueryID: q.ID, Results: results, IsPersonal: true, CacheTime: keepInline,
	})
	if says(err, oldWords) {
		return nil
	}
	return c.verdict(ctx, "answer inline query", err)
}
