package discord

import (
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/bwmarrin/discordgo"

	"gpuadvisor/advisor"
)

// render.go turns a reply into messages. A reply of plain words is a plain
// message; one with headings, fields or tables becomes embeds, which are wider
// and hold more. Where embeds are not allowed, or refused, the same is said in
// plain words: nothing of a reply is ever lost.

// page is one message, ready to be sent. Its slices are never nil, because an
// edit with null would keep what was there.
type page struct {
	Content     string                            `json:"content"`
	Embeds      []*discordgo.MessageEmbed         `json:"embeds"`
	Components  []discordgo.MessageComponent      `json:"components"`
	Mentions    *discordgo.MessageAllowedMentions `json:"allowed_mentions"`
	Flags       discordgo.MessageFlags            `json:"flags,omitempty"`
	Attachments []attached                        `json:"attachments"`
	Nonce       string                            `json:"nonce,omitempty"`
	Enforce     bool                              `json:"enforce_nonce,omitempty"`
	Reference   *discordgo.MessageReference       `json:"message_reference,omitempty"`
	files       []file
}

// attached describes a file of a page.
type attached struct {
	ID          string `json:"id"` // its place among the files; a string, as all ids are
	Name        string `json:"filename"`
	Description string `json:"description,omitempty"` // for those who cannot see it
}

// look says how to draw a reply.
type look struct {
	texts  Texts
	lang   string
	owner  string // who may use its components
	stamp  string // see press
	embeds bool   // may be shown
	shares bool   // offer to post it for everybody
}

// noMentions lets no name in a text ring anybody's phone.
func noMentions() *discordgo.MessageAllowedMentions {
	return &discordgo.MessageAllowedMentions{Parse: []discordgo.AllowedMentionType{}}
}

func emptyPage() *page {
	return &page{
		Embeds: []*discordgo.MessageEmbed{}, Components: []discordgo.MessageComponent{},
		Mentions: noMentions(), Attachments: []attached{},
	}
}

// pages draws a reply. There is at least one page unless the reply is empty.
// The components stand under the last one, where the reader ends up.
func (l look) pages(r advisor.Reply) []*page {
	var c composer
	parts := r.Parts
	rows, left := l.rows(r)
	if left != "" {
		parts = append(parts[:len(parts):len(parts)], advisor.Part{Kind: "text", Text: left})
	}
	if l.embeds && isRich(parts) {
		c = &richly{}
	} else {
		c = &plainly{}
	}
	for _, p := range parts {
		draw(c, p)
	}
	pages := c.finish()
	if len(rows) > 0 {
		if len(pages) == 0 {
			pages = append(pages, emptyPage())
		}
		pages[len(pages)-1].Components = rows
	}
	return pages
}

// bare draws a reply with nothing but words, the choices numbered.
func (l look) bare(r advisor.Reply) []*page {
	c := &plainly{}
	for _, p := range r.Parts {
		p.Image = nil
		draw(c, p)
	}
	for i, choice := range r.Choices {
		drawText(c, fmt.Sprintf("%d. %s", i+1, choice.Label))
	}
	if len(c.pages) == 0 {
		return []*page{emptyPage()}
	}
	return c.pages
}

// isRich reports whether a reply wants embeds: by its kind, or because it is
// too long for one plain message.
func isRich(parts []advisor.Part) bool {
	n := 0
	for _, p := range parts {
		switch p.Kind {
		case "heading", "fields", "table", "image":
			return true
		}
		n += length(escape(p.Text)) + len("```\n\n```\n")
	}
	return n > maxContent
}

// composer puts parts into messages.
type composer interface {
	heading(text string)
	lines(text string, apart bool) // markdown, at most room() long; apart: a paragraph of its own
	fields(pairs []advisor.Pair)
	image(name string, data []byte, text string)
	room() int // for one piece of text
	finish() []*page
}

func draw(c composer, p advisor.Part) {
	said := p.Text
	switch p.Kind {
	case "heading":
		c.heading(said)
		return
	case "image":
		if kind := http.DetectContentType(p.Image); kind == "image/png" || kind == "image/jpeg" {
			c.image(strings.Replace(kind, "image/", "picture.", 1), p.Image, said)
			return
		}
	case "code":
		for _, piece := range fence(said, c.room()) {
			c.lines(piece, false)
		}
		return
	case "note":
		for line := range strings.SplitSeq(strings.TrimSpace(said), "\n") {
			for _, piece := range cut(escape(line), c.room()-len("-# ")) {
				c.lines("-# "+piece, false)
			}
		}
		return
	case "question":
		for _, piece := range cut(escape(strings.TrimSpace(said)), c.room()-len("****")) {
			c.lines("**"+strings.TrimSpace(piece)+"**", true)
		}
		return
	case "table":
		drawTable(c, p)
		return
	case "fields":
		drawText(c, said)
		c.fields(p.Pairs)
		return
	}
	drawText(c, said)
	if !p.At.IsZero() {
		c.lines(instant(p.At), false)
	}
}

func drawText(c composer, text string) {
	for _, piece := range cut(escape(text), c.room()) {
		c.lines(piece, false)
	}
}

// widestTable is how many columns of a code block a phone shows.
const widestTable = 56

func drawTable(c composer, p advisor.Part) {
	drawText(c, p.Text)
	if table, wide := columns(p.Rows); wide <= widestTable {
		for _, piece := range fence(table, c.room()) {
			c.lines(piece, false)
		}
		return
	}
	for i, row := range p.Rows {
		if i == 0 && len(p.Rows) > 1 {
			continue
		}
		var cells []string
		for j, cell := range row {
			if j > 0 && j < len(p.Rows[0]) && i > 0 {
				cell = p.Rows[0][j] + ": " + cell
			}
			cells = append(cells, cell)
		}
		drawText(c, "• "+strings.Join(cells, " · "))
	}
}

// columns aligns a table, and tells how wide it is.
func columns(rows [][]string) (table string, wide int) {
	var widths []int
	for _, row := range rows {
		for i, cell := range row {
			if i == len(widths) {
				widths = append(widths, 0)
			}
			widths[i] = max(widths[i], width(oneLine(cell)))
		}
	}
	for _, w := range widths {
		wide += w + 2
	}
	var lines []string
	for _, row := range rows {
		var b strings.Builder
		for i, cell := range row {
			cell = oneLine(cell)
			b.WriteString(cell)
			if i < len(row)-1 {
				b.WriteString(strings.Repeat(" ", widths[i]-width(cell)+2))
			}
		}
		lines = append(lines, strings.TrimRight(b.String(), " "))
	}
	return strings.Join(lines, "\n"), wide
}

func oneLine(s string) string { return strings.Join(strings.Fields(tame(s)), " ") }

// instant shows a time in each reader's own zone, and how far away it is.
func instant(t time.Time) string { return fmt.Sprintf("<t:%d:f> (<t:%[1]d:R>)", t.Unix()) }

// maxAltText is how long the description of a file may be.
const maxAltText = 1024

// attach adds a file and returns the name that it goes by.
func (p *page) attach(name string, data []byte, text string) string {
	n := len(p.files)
	name = fmt.Sprintf("%d-%s", n+1, name)
	p.files = append(p.files, file{name, data})
	p.Attachments = append(p.Attachments, attached{strconv.Itoa(n), name, short(text, maxAltText)})
	return name
}
