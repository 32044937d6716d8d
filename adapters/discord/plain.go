package discord

import (
	"strings"

	"gpuadvisor/advisor"
)

// plainly makes messages of content alone.
type plainly struct {
	pages []*page
}

func (c *plainly) room() int { return maxContent }

func (c *plainly) page() *page {
	if len(c.pages) == 0 {
		c.pages = append(c.pages, emptyPage())
	}
	return c.pages[len(c.pages)-1]
}

func (c *plainly) lines(text string, apart bool) {
	if strings.TrimSpace(text) == "" {
		return
	}
	p := c.page()
	between := "\n"
	if apart {
		between = "\n\n"
	}
	switch {
	case p.Content == "":
		p.Content = text
	case length(p.Content)+len(between)+length(text) <= maxContent:
		p.Content = strings.TrimRight(p.Content, "\n") + between + text
	default:
		c.pages = append(c.pages, emptyPage())
		c.lines(text, false)
	}
}

func (c *plainly) heading(text string) {
	for _, piece := range cut(escape(text), maxContent-len("****")) {
		c.lines("**"+strings.TrimSpace(piece)+"**", true)
	}
}

func (c *plainly) fields(pairs []advisor.Pair) {
	for _, f := range pairs {
		name, value := escape(strings.TrimSpace(f.Name)), escape(strings.TrimSpace(f.Value))
		if text := "**" + name + "** " + value; name != "" && length(text) <= maxContent {
			c.lines(text, false)
			continue
		}
		for _, piece := range cut(strings.TrimSpace(name+" "+value), maxContent) {
			c.lines(piece, false)
		}
	}
}

func (c *plainly) image(name string, data []byte, text string) {
	drawText(c, text)
	c.page().attach(name, data, text)
}

func (c *plainly) finish() []*page { return c.pages }
