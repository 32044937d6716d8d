package discord

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"path"
	"strings"
	"unicode/utf16"
	"unicode/utf8"

	"gpuadvisor/adapters"
	"gpuadvisor/advisor"
)

// paste.go takes in what is too long to type: a log, the print of nvidia-smi.
// It comes as an option, as an attached file, as a message that somebody
// points at, or through a form when nothing was given.

// paste takes a command that wants one.
func (d *Discord) paste(a *asked, c advisor.Command) {
	typed := strings.TrimPrefix(compose(c, a.in.Data.Options, d.texts(), a.lang), "/"+c.Name)
	said := strings.TrimSpace(typed)
	var files []attachment
	for _, g := range a.in.Data.Options {
		if f, ok := a.in.Data.Resolved.Attachments[g.text()]; ok {
			files = append(files, f)
		}
	}
	if m, ok := a.in.Data.Resolved.Messages[a.in.Data.Target]; ok {
		said, files = m.Content, m.Attachments
	}
	if said == "" && len(files) == 0 {
		d.quickly(a, func(ctx context.Context) { a.open(ctx, a.pasteForm(c)) })
		return
	}
	d.turn(a, func(ctx context.Context) (advisor.Message, bool) {
		m := a.message()
		m.Commanded = true
		if len(files) > 0 {
			a.think(ctx) // the file comes over the network
		}
		text, err := d.read(ctx, files)
		if err != nil && said == "" {
			a.notice(ctx, pasteNotice(err))
			return m, false
		}
		m.Text = "/" + c.Name + " " + strings.TrimSpace(said+"\n"+text)
		return m, true
	})
}

func (a *asked) pasteForm(c advisor.Command) form {
	l := a.look()
	l.stamp = ""
	return form{
		id: l.press(pastes, c.Name), title: l.say("command." + c.Name), label: l.say("command." + c.Name),
		hint: l.say("discord.paste.hint"), long: true,
	}
}

var (
	errLarge   = errors.New("the file is longer than a megabyte")
	errNotText = errors.New("the file is not text")
)

func pasteNotice(err error) string {
	switch {
	case errors.Is(err, errLarge):
		return "discord.paste.large"
	case errors.Is(err, errNotText):
		return "discord.paste.kind"
	}
	return "discord.paste.lost"
}

// attachedText is the text of the files under a message, if there is any.
func (d *Discord) attachedText(ctx context.Context, files []attachment) (string, bool) {
	text, err := d.read(ctx, files)
	return text, err == nil && text != ""
}

// read fetches the first file that holds text.
func (d *Discord) read(ctx context.Context, files []attachment) (text string, err error) {
	for _, f := range files {
		if text, err = d.fetch(ctx, f); err == nil {
			return text, nil
		}
	}
	return "", err
}

func (d *Discord) fetch(ctx context.Context, f attachment) (string, error) {
	switch {
	case f.Size > maxPaste:
		return "", errLarge
	case !maybeText(f):
		return "", errNotText
	}
	u, err := url.Parse(f.URL)
	if err != nil || !d.ours(u) {
		return "", fmt.Errorf("fetch file: not at discord")
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, u.String(), nil)
	if err != nil {
		return "", fmt.Errorf("fetch file: bad address")
	}
	res, err := d.rest.client.Do(req)
	if err != nil {
		return "", fmt.Errorf("fetch file: %w: %w", adapters.ErrUnavailable, d.rest.clean(err))
	}
	defer res.Body.Close()
	if res.StatusCode != http.StatusOK {
		return "", fmt.Errorf("fetch file: %w: status %d", adapters.ErrUnavailable, res.StatusCode)
	}
	b, err := io.ReadAll(io.LimitReader(res.Body, maxPaste+1))
	switch {
	case err != nil:
		return "", fmt.Errorf("fetch file: %w: %w", adapters.ErrUnavailable, d.rest.clean(err))
	case len(b) > maxPaste:
		return "", errLarge
	}
	return decodeText(b)
}

// ours reports whether an address is where Discord keeps files, or where our
// Discord is.
func (d *Discord) ours(u *url.URL) bool {
	host := strings.ToLower(u.Hostname())
	for _, domain := range []string{"discordapp.com", "discordapp.net", "discord.com"} {
		if u.Scheme == "https" && (host == domain || strings.HasSuffix(host, "."+domain)) {
			return true
		}
	}
	base, err := url.Parse(d.rest.base)
	return err == nil && u.Scheme == base.Scheme && u.Host == base.Host
}

// maybeText reports whether a file is worth fetching.
func maybeText(f attachment) bool {
	kind, _, _ := strings.Cut(f.Type, ";")
	switch {
	case strings.HasPrefix(kind, "text/"), kind == "application/json":
		return true
	case strings.HasPrefix(kind, "image/"), strings.HasPrefix(kind, "video/"), strings.HasPrefix(kind, "audio/"):
		return false
	}
	switch strings.ToLower(path.Ext(f.Name)) {
	case "", ".txt", ".log", ".out", ".err", ".csv", ".json", ".yaml", ".yml", ".md":
		return true
	}
	return false
}

// decodeText reads UTF-8, and UTF-16 as a Windows shell writes it.
func decodeText(b []byte) (string, error) {
	for _, order := range []struct {
		mark string
		high int // which byte of a pair is the high one
	}{{"\xff\xfe", 1}, {"\xfe\xff", 0}} {
		if rest, ok := bytes.CutPrefix(b, []byte(order.mark)); ok {
			units := make([]uint16, 0, len(rest)/2)
			for i := 0; i+1 < len(rest); i += 2 {
				units = append(units, uint16(rest[i+order.high])<<8|uint16(rest[i+1-order.high]))
			}
			b = []byte(string(utf16.Decode(units)))
		}
	}
	b = bytes.TrimPrefix(b, []byte("\ufeff"))
	if bytes.IndexByte(b, 0) >= 0 || broken(b) > len(b)/20 {
		return "", errNotText
	}
	return strings.ToValidUTF8(string(b), "\uFFFD"), nil
}

// broken counts the bytes that are no UTF-8.
func broken(b []byte) (n int) {
	for len(b) > 0 {
		r, size := utf8.DecodeRune(b)
		if r == utf8.RuneError && size == 1 {
			n++
		}
		b = b[size:]
	}
	return n
}
