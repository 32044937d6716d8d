package telegram

import (
	"bytes"
	"context"
	"errors"
	"strings"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/go-telegram/bot"

	"gpuadvisor/adapters"
	"gpuadvisor/advisor"
)

// file.go reads a text file as if it had been pasted: a log, the print of
// nvidia-smi. Pictures, voice and stickers we cannot read, and say so.

// largestFile is how much of a file is worth reading.
const largestFile = 1 << 20 // bytes

var errNoText = errors.New("no text file of at most 1 MB")

// paste returns the text of the file in a message. If there is none, the
// person has been told, and ok is false.
func (c *Chat) paste(ctx context.Context, where spot, m *message) (text string, ok bool) {
	text, err := c.fetch(ctx, m.Document)
	switch {
	case err == nil:
		return text, true
	case errors.Is(err, errNoText):
		c.tell(ctx, where, c.texts().BadFile)
	default:
		c.log.WarnContext(ctx, "telegram: file", "err", c.secrets.Error(err))
		c.tell(ctx, where, c.texts().NoFile)
	}
	return "", false
}

// cannotRead asks for text instead, once for an album of pictures.
func (c *Chat) cannotRead(ctx context.Context, where spot, m *message) {
	if !c.toldOf(m) {
		c.tell(ctx, where, c.texts().SendText)
	}
}

// withoutPicture answers the words under a picture, and says above the answer
// that the picture was not looked at.
func (c *Chat) withoutPicture(where spot, m *message) adapters.Respond {
	c.toldOf(m) // as the answer is about to
	note := advisor.Part{Kind: "note", Text: c.say(c.texts().SendText, where.tag)}
	return func(ctx context.Context, r advisor.Reply) error {
		r.Parts = append([]advisor.Part{note}, r.Parts...)
		return c.respond(where)(ctx, r)
	}
}

// toldOf reports whether the album of a picture was told of before, and takes
// it that it is now.
func (c *Chat) toldOf(m *message) (told bool) {
	if m.Album != "" {
		_, told = c.albums.put(m.Album, struct{}{})
	}
	return told
}

// tell says a sentence of our own.
func (c *Chat) tell(ctx context.Context, where spot, text advisor.Text) {
	part := advisor.Part{Kind: "text", Text: c.say(text, where.tag)}
	if err := c.respond(where)(ctx, advisor.Reply{Act: "answer", Parts: []advisor.Part{part}}); err != nil {
		c.log.WarnContext(ctx, "telegram: tell", "err", err)
	}
}

// fetch returns the text of a document, or errNoText.
func (c *Chat) fetch(ctx context.Context, d *document) (string, error) {
	if d.Size > largestFile {
		return "", errNoText
	}
	ctx, cancel := context.WithTimeout(ctx, callTime)
	defer cancel()
	var raw []byte
	err := c.fewTimes(ctx, func() error {
		f, err := c.api.GetFile(ctx, &bot.GetFileParams{FileID: d.FileID})
		if err != nil {
			return err
		}
		raw, err = c.web.download(ctx, f.FilePath, largestFile)
		return err
	})
	if err != nil {
		return "", err
	}
	text, ok := plain(raw)
	if !ok || len(raw) > largestFile {
		return "", errNoText
	}
	return text, nil
}

// fewTimes makes a call up to three times, while its errors are temporary.
func (c *Chat) fewTimes(ctx context.Context, call func() error) (err error) {
	for try := range 3 {
		if err = call(); err == nil || ctx.Err() != nil || errors.Is(c.verdict(ctx, "", err), adapters.ErrGone) || errors.Is(err, bot.ErrorBadRequest) {
			return err
		}
		sleep(ctx, c.patience(err, try))
	}
	return err
}

// plain reads bytes as text: UTF-8, or UTF-16 with a byte order mark, as
// Windows shells write it. Anything with zero bytes, or mostly not UTF-8, is no
// text.
func plain(raw []byte) (string, bool) {
	switch {
	case bytes.HasPrefix(raw, []byte{0xFF, 0xFE}):
		raw = fromUTF16(raw[2:], func(b []byte) uint16 { return uint16(b[0]) | uint16(b[1])<<8 })
	case bytes.HasPrefix(raw, []byte{0xFE, 0xFF}):
		raw = fromUTF16(raw[2:], func(b []byte) uint16 { return uint16(b[0])<<8 | uint16(b[1]) })
	}
	raw = bytes.TrimPrefix(raw, []byte("\ufeff"))
	if bytes.IndexByte(raw, 0) >= 0 || bytes.HasPrefix(raw, []byte("%PDF-")) {
		return "", false
	}
	if broken := brokenBytes(raw); broken*10 > len(raw) {
		return "", false
	}
	return strings.TrimSpace(strings.ToValidUTF8(string(raw), "\uFFFD")), len(bytes.TrimSpace(raw)) > 0
}

func fromUTF16(raw []byte, unit func([]byte) uint16) []byte {
	units := make([]uint16, len(raw)/2)
	for i := range units {
		units[i] = unit(raw[2*i:])
	}
	return []byte(string(utf16.Decode(units)))
}

func brokenBytes(raw []byte) (n int) {
	for len(raw) > 0 {
		r, size := utf8.DecodeRune(raw)
		if r == utf8.RuneError && size == 1 {
			n++
		}
		raw = raw[size:]
	}
	return n
}
