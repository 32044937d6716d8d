package telegram

import (
	"strings"
	"unicode"
	"unicode/utf16"

	"github.com/go-telegram/bot/models"

	"gpuadvisor/advisor"
)

// command.go finds out whether a text is for us, and what it says then.
//
// In a group these are for us: a command with our name anywhere in the text
// ("你好 /gpu@our_bot 微调"), a command that we have at its beginning
// ("/gpu 微调"), our name ("@our_bot 微调 7B"), and replies to us. Another bot's
// commands never are, in a private chat neither.

// said is a text as the advisor reads it.
type said struct {
	text      string
	addressed bool // to us, by itself
	commanded bool // a command of the chat
	others    bool // a command of another bot
}

// hears reads a text with its entities. known tells which commands we have.
func hears(text string, entities []entity, me *models.User, known func(string) bool) said {
	s := said{text: strings.TrimSpace(text)}
	units := utf16.Encode([]rune(text))
	part := func(from, to int) string { return string(utf16.Decode(units[from:to])) }
	for _, e := range entities {
		from, to := e.Offset, e.Offset+e.Length
		if from < 0 || e.Length <= 0 || to > len(units) || to < from {
			continue
		}
		before, it, after := part(0, from), part(from, to), part(to, len(units))
		switch e.Type {
		case models.MessageEntityTypeBotCommand:
			command, name, named := strings.Cut(strings.TrimPrefix(it, "/"), "@")
			first := strings.TrimSpace(before) == ""
			switch {
			case named && !strings.EqualFold(name, me.Username):
				s.others = s.others || first
			case named || first && known(strings.ToLower(command)):
				return order(strings.ToLower(command), before, after)
			}
		case models.MessageEntityTypeMention:
			if strings.EqualFold(it, "@"+me.Username) && !s.addressed {
				s.addressed, s.text = true, without(before, after)
			}
		case models.MessageEntityTypeTextMention:
			if e.User != nil && e.User.ID == me.ID && !s.addressed {
				s.addressed, s.text = true, without(before, after)
			}
		}
	}
	return s
}

// order puts a command in front of what stands around it: people write the
// command last, too.
func order(command, before, after string) said {
	text := "/" + command
	for _, rest := range []string{strings.TrimSpace(before), strings.Trim(after, " \t")} {
		if rest != "" {
			text += " " + rest
		}
	}
	return said{text: strings.TrimSpace(text), addressed: true, commanded: true}
}

func without(before, after string) string {
	return strings.TrimSpace(strings.TrimSpace(before) + " " + strings.TrimSpace(after))
}

// known reports whether we have such a command.
func (c *Chat) known(command string) bool {
	return c.command(command) != nil
}

func (c *Chat) command(name string) *advisor.Command {
	for i := range c.config.Commands {
		if c.config.Commands[i].Name == name {
			return &c.config.Commands[i]
		}
	}
	return nil
}

// firstWord cuts a text after its first word, which a line may hold alone.
func firstWord(text string) (word, rest string) {
	if at := strings.IndexFunc(text, unicode.IsSpace); at >= 0 {
		return text[:at], strings.TrimSpace(text[at:])
	}
	return text, ""
}

// started reads the parameter of a deep link: t.me/our_bot?start=vram means
// /vram.
func (c *Chat) started(text string) string {
	if rest, ok := strings.CutPrefix(text, "/start "); ok {
		if payload := strings.TrimSpace(rest); c.known(payload) {
			return "/" + payload
		}
	}
	return text
}

// worded reads a command that is said in a word instead of written with a
// slash, as the first word of a private message: "显存 Qwen2.5-7B". What
// follows must look like an argument, a name or a number, for "显存 不够怎么办"
// is a question. Commands of the dialogue are the advisor's to hear.
func (c *Chat) worded(text string) string {
	word, rest := firstWord(strings.TrimPrefix(text, "/"))
	if rest != "" && rest[0] >= 0x80 && !strings.HasPrefix(text, "/") {
		return text
	}
	for _, cmd := range c.config.Commands {
		for _, w := range cmd.ZH {
			if w == word && !cmd.Inside && (rest == "" || cmd.Args != "") {
				return strings.TrimSpace("/" + cmd.Name + " " + rest)
			}
		}
	}
	return text
}
