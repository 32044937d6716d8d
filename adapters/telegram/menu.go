package telegram

import (
	"context"
	"errors"
	"regexp"
	"slices"
	"strings"

	"github.com/go-telegram/bot"
	"github.com/go-telegram/bot/models"

	"gpuadvisor/advisor"
)

// menu.go keeps the list of commands that Telegram shows, one for each
// audience and language. It is asked for first and set only where it differs:
// setting is what Telegram limits.

// commandForm is what Telegram takes as a command.
var commandForm = regexp.MustCompile(`^[a-z0-9_]{1,32}$`)

// What setMyCommands allows.
const (
	maxCommands    = 100
	maxDescription = 256
)

// audience is who sees a list.
type audience struct {
	name  string
	scope models.BotCommandScope
	sees  func(advisor.Command) bool
}

func (c *Chat) audiences() []audience {
	everybody := func(cmd advisor.Command) bool { return cmd.Who == "" }
	list := []audience{
		{"private chats", &models.BotCommandScopeAllPrivateChats{}, everybody},
		{"groups", &models.BotCommandScopeAllGroupChats{}, func(cmd advisor.Command) bool { return cmd.Who == "" && !cmd.Private }},
		{"admins", &models.BotCommandScopeAllChatAdministrators{}, func(cmd advisor.Command) bool { return cmd.Who == "" && !cmd.Private || cmd.Who == "admin" }},
	}
	for _, id := range c.config.Operators {
		list = append(list, audience{"an operator", &models.BotCommandScopeChat{ChatID: id}, func(cmd advisor.Command) bool { return cmd.Who == "" || cmd.Who == "operator" }})
	}
	return list
}

// keepMenus brings every list up to date now, and whenever what they say is
// another.
func (c *Chat) keepMenus(ctx context.Context) {
	for ctx.Err() == nil {
		c.keepMenu(ctx)
		select {
		case <-c.renamed:
		case <-ctx.Done():
		}
	}
}

// keepMenu brings every list up to date. A list that cannot be set leaves the
// old one, which is no harm; an operator's is refused until they write to us.
func (c *Chat) keepMenu(ctx context.Context) {
	for _, a := range c.audiences() {
		for _, lang := range append([]string{""}, languages...) {
			if ctx.Err() != nil {
				return
			}
			if err := c.keepList(ctx, a, lang); err != nil && ctx.Err() == nil {
				c.log.Warn("telegram: list of commands", "for", a.name, "lang", lang, "err", c.secrets.Error(err))
			}
		}
	}
}

func (c *Chat) keepList(ctx context.Context, a audience, lang string) error {
	want := c.menu(a.sees, lang)
	return c.fewTimes(ctx, func() error {
		ctx, cancel := context.WithTimeout(ctx, callTime)
		defer cancel()
		got, err := c.api.GetMyCommands(ctx, &bot.GetMyCommandsParams{Scope: a.scope, LanguageCode: lang})
		if err != nil || slices.Equal(got, want) {
			return err
		}
		done, err := c.api.SetMyCommands(ctx, &bot.SetMyCommandsParams{Commands: want, Scope: a.scope, LanguageCode: lang})
		if err == nil && !done {
			return errors.New("not set")
		}
		return err
	})
}

// menu is the list that an audience sees in a language; "" is for people of
// all other languages.
func (c *Chat) menu(sees func(advisor.Command) bool, lang string) []models.BotCommand {
	list := []models.BotCommand{}
	for _, cmd := range c.config.Commands {
		if sees(cmd) && commandForm.MatchString(cmd.Name) && len(list) < maxCommands {
			list = append(list, models.BotCommand{Command: cmd.Name, Description: c.describe(cmd, lang)})
		}
	}
	return list
}

// describe says in a line what a command is for.
func (c *Chat) describe(cmd advisor.Command, lang string) string {
	if lang == "" {
		lang = c.config.Lang
	}
	words := cmd.EN
	if lang == "zh" {
		words = cmd.ZH
	}
	for _, s := range []string{c.texts().Commands[cmd.Name].In(lang), strings.Join(words, ", "), cmd.Name} {
		if s = oneLine(s); s != "" {
			return firstRunes(s, maxDescription)
		}
	}
	return cmd.Name
}
