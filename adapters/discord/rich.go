package discord

import (
	"strings"

	"github.com/bwmarrin/discordgo"

	"gpuadvisor/advisor"
)

// richly makes messages of embeds.
type richly struct {
	pages []*page
	used  int // characters in the embeds of the last page
}

func (c *richly) room() int { return maxEmbedDescription }

// embed returns an embed that n more characters fit into: the present one when
// wanted agrees, else a new one, on a new page when the page is full.
func (c *richly) embed(n int, wanted func(*discordgo.MessageEmbed) bool) *discordgo.MessageEmbed {
	if len(c.pages) == 0 {
		c.turn()
	}
	p := c.pages[len(c.pages)-1]
	if len(p.Embeds) > 0 && c.used+n <= maxEmbedsTotal {
		if e := p.Embeds[len(p.Embeds)-1]; wanted(e) {
			return e
		}
	}
	if len(p.Embeds) == maxEmbeds || len(p.Embeds) > 0 && c.used+n > maxEmbedsTotal {
		p = c.turn()
	}
	e := &discordgo.MessageEmbed{}
	p.Embeds = append(p.Embeds, e)
	return e
}

func (c *richly) turn() *page {
	p := emptyPage()
	c.pages = append(c.pages, p)
	c.used = 0
	return p
}

func (c *richly) heading(text string) {
	text = strings.TrimSpace(text)
	if length(escape(text)) > maxEmbedTitle {
		for _, piece := range cut(escape(text), c.room()-len("****")) {
			c.lines("**"+strings.TrimSpace(piece)+"**", true)
		}
		return
	}
	if text == "" {
		return
	}
	title := escape(text)
	e := c.embed(length(title), func(*discordgo.MessageEmbed) bool { return false })
	e.Title = title
	c.used += length(title)
}

func (c *richly) lines(text string, apart bool) {
	if strings.TrimSpace(text) == "" {
		return
	}
	between := "\n"
	if apart {
		between = "\n\n"
	}
	e := c.embed(len(between)+length(text), func(e *discordgo.MessageEmbed) bool {
		return len(e.Fields) == 0 && e.Image == nil && length(e.Description)+len(between)+length(text) <= maxEmbedDescription
	})
	if e.Description != "" {
		text = between + text
		e.Description = strings.TrimRight(e.Description, "\n")
	}
	e.Description += text
	c.used += length(text)
}

// shortValue is up to which length values stand side by side.
const shortValue = 24

func (c *richly) fields(pairs []advisor.Pair) {
	inline := len(pairs) > 1
	for _, f := range pairs {
		if width(f.Name) > shortValue || width(f.Value) > shortValue || strings.Contains(f.Value, "\n") {
			inline = false
		}
	}
	for _, f := range pairs {
		name, value := strings.TrimSpace(escape(f.Name)), strings.TrimSpace(escape(f.Value))
		if name == "" && value == "" {
			continue
		}
		if name == "" {
			name = "\u200b" // an empty one is refused
		}
		if value == "" {
			value = "–"
		}
		if length(name) > maxFieldName {
			c.lines(cut(name, c.room())[0], false)
			name = "\u200b"
		}
		for i, piece := range cut(value, maxFieldValue) {
			if i > 0 {
				name = "\u200b"
			}
			if piece = strings.TrimSpace(piece); piece != "" {
				c.field(name, piece, inline)
			}
		}
	}
}

func (c *richly) field(name, value string, inline bool) {
	n := length(name) + length(value)
	e := c.embed(n, func(e *discordgo.MessageEmbed) bool { return len(e.Fields) < maxEmbedFields && e.Image == nil })
	e.Fields = append(e.Fields, &discordgo.MessageEmbedField{Name: name, Value: value, Inline: inline})
	c.used += n
}

func (c *richly) image(name string, data []byte, text string) {
	drawText(c, text)
	e := c.embed(0, func(e *discordgo.MessageEmbed) bool { return e.Image == nil && len(e.Fields) == 0 })
	e.Image = &discordgo.MessageEmbedImage{URL: "attachment://" + c.pages[len(c.pages)-1].attach(name, data, text)}
}

func (c *richly) finish() []*page { return c.pages }
