package telegram

import (
	"errors"
	"fmt"
	"maps"
	"strings"

	"gpuadvisor/advisor"
)

// Texts are the sentences that this chat says by itself, in every language.
// Everything else that it shows comes in a Reply.
type Texts struct {
	Commands    map[string]advisor.Text // one line about each command, by its name; a missing one shows its words
	NotYours    advisor.Text            // to whom taps another's button; {command} is how to start one's own; ≤ 200 characters
	Stale       advisor.Text            // to whom taps a button that we cannot read any more; ≤ 200 characters
	SendText    advisor.Text            // to a photo, a voice message, a sticker
	BadFile     advisor.Text            // to a file that is no text, or over 1 MB
	NoFile      advisor.Text            // to a file that could not be fetched
	Privately   advisor.Text            // in the group: the answer is in the private chat
	OpenPrivate advisor.Text            // in the group: open the private chat first
	OpenButton  advisor.Text            // on the button that opens it
	InlineTitle advisor.Text            // inline mode, before anything is typed: what can be typed
	InlineUsage advisor.Text            // what is posted when that is chosen; {name} is ours
}

func (t *Texts) check() error {
	var problems []error
	for field, text := range map[string]advisor.Text{
		"NotYours": t.NotYours, "Stale": t.Stale, "SendText": t.SendText, "BadFile": t.BadFile, "NoFile": t.NoFile, "Privately": t.Privately,
		"OpenPrivate": t.OpenPrivate, "OpenButton": t.OpenButton, "InlineTitle": t.InlineTitle, "InlineUsage": t.InlineUsage,
	} {
		for _, lang := range languages {
			if strings.TrimSpace(text[lang]) == "" {
				problems = append(problems, fmt.Errorf("telegram text %s: nothing in %s", field, lang))
			}
		}
	}
	return errors.Join(problems...)
}

// texts are the sentences in use.
func (c *Chat) texts() *Texts { return c.words.Load() }

// Say makes the chat say other sentences from now on, in the lists of commands
// too when those change. With any sentence missing the old ones stay.
func (c *Chat) Say(t Texts) error {
	if err := t.check(); err != nil {
		return err
	}
	old := c.words.Swap(&t)
	if !maps.EqualFunc(old.Commands, t.Commands, maps.Equal) {
		select {
		case c.renamed <- struct{}{}:
		default:
		}
	}
	return nil
}

// languages are those we speak.
var languages = []string{"zh", "en"}

// language reads an IETF tag: "zh", "en", or "" when Telegram tells another
// language or none.
func language(tag string) string {
	switch base, _, _ := strings.Cut(strings.ToLower(tag), "-"); base {
	case "zh", "en":
		return base
	}
	return ""
}

// say returns a text in the language of somebody: one that we do not speak is
// answered in English, an unknown one in ours.
func (c *Chat) say(t advisor.Text, tag string) string {
	switch {
	case language(tag) != "":
		return t.In(language(tag))
	case tag == "":
		return t.In(c.config.Lang)
	}
	return t.In("en")
}

func fill(s, name, value string) string { return strings.ReplaceAll(s, "{"+name+"}", value) }
