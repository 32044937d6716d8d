package discord

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"math/rand/v2"
	"mime/multipart"
	"net/http"
	"net/textproto"
	"net/url"
	"strconv"
	"time"

	"github.com/bwmarrin/discordgo"

	"gpuadvisor/adapters"
)

// rest calls Discord. It waits for limits, tries again what may be tried
// again, and gives up when its context or its patience ends. Its errors carry
// no URL, because Discord's URLs carry tokens.
type rest struct {
	base   string // scheme, host and /api/v10
	token  string
	client *http.Client
	limits *limiter
	log    *slog.Logger
	pause  time.Duration // before the first repeat of what failed
}

// call is one request.
type call struct {
	method, path string
	body         any    // JSON, nil for none
	files        []file // sent beside the body
	route        string // what Discord limits together; the path when empty
	answer       bool   // of an interaction: its token stands in the path and the global limit does not count it
	patience     time.Duration
}

// file goes along with a message.
type file struct {
	name string
	data []byte
}

// apiError is Discord's refusal.
type apiError struct {
	Status  int    `json:"-"`
	Code    int    `json:"code"`
	Message string `json:"message"`
}

func (e *apiError) Error() string {
	return fmt.Sprintf("discord answered %d (code %d): %.200s", e.Status, e.Code, cmp.Or(e.Message, http.StatusText(e.Status)))
}

// Is tells what a caller may do about it: see adapters.Chat.
func (e *apiError) Is(target error) bool {
	switch target {
	case adapters.ErrUnavailable:
		return e.Status >= 500 || e.Status == http.StatusUnauthorized && !e.tokenExpired()
	case adapters.ErrGone:
		return e.closed()
	}
	return false
}

// Codes that discordgo has no name for.
// https://docs.discord.com/developers/topics/opcodes-and-status-codes#json
const (
	codeTooManyFollowUps = 40094
	codeNoMutualServers  = 50278
)

// closed reports whether the room or the person cannot be reached at all.
func (e *apiError) closed() bool {
	switch e.Code {
	case discordgo.ErrCodeUnknownChannel, discordgo.ErrCodeUnknownGuild, discordgo.ErrCodeUnknownUser,
		discordgo.ErrCodeMissingAccess, discordgo.ErrCodeMissingPermissions, discordgo.ErrCodeCannotSendMessagesToThisUser,
		discordgo.ErrCodePerformedOperationOnArchivedThread, discordgo.ErrCodeThreadIsLocked, codeNoMutualServers:
		return true
	}
	return e.Code == 0 && (e.Status == http.StatusForbidden || e.Status == http.StatusNotFound)
}

// tokenExpired reports whether an interaction can be answered no more, or not
// yet: the first answer came too late, or the token has outlived its time.
func (e *apiError) tokenExpired() bool {
	switch e.Code {
	case discordgo.ErrCodeUnknownInteraction, discordgo.ErrCodeUnknownWebhook, discordgo.ErrCodeInvalidWebhookTokenProvided, codeTooManyFollowUps:
		return true
	}
	return false
}

// refused finds Discord's refusal in an error.
func refused(err error) (e *apiError, ok bool) {
	ok = errors.As(err, &e)
	return e, ok
}

func isCode(err error, code int) bool {
	e, ok := refused(err)
	return ok && e.Code == code
}

// repeats is how often a request that met a failing server is sent again.
const repeats = 3

// do sends c and decodes the answer into out, which may be nil.
func (r *rest) do(ctx context.Context, c call, out any) error {
	content, contentType, err := c.encode()
	if err != nil {
		return fmt.Errorf("encode request: %w", err)
	}
	giveUp := time.Now().Add(cmp.Or(c.patience, 15*time.Second))
	if d, ok := ctx.Deadline(); ok && d.Before(giveUp) {
		giveUp = d
	}
	for failed := 0; ; {
		pass, err := r.limits.wait(ctx, c.bucket(), !c.answer, giveUp)
		if err != nil {
			return err
		}
		answer, err := r.send(ctx, c, content, contentType)
		if err != nil {
			pass.done(nil, 0)
			if ctx.Err() != nil {
				return fmt.Errorf("%w: %w", adapters.ErrUnavailable, ctx.Err())
			}
			err = fmt.Errorf("%w: %w", adapters.ErrUnavailable, r.clean(err))
		} else {
			pass.done(answer.header, answer.status)
			if answer.status == http.StatusTooManyRequests {
				d, everywhere := answer.patience()
				r.limits.hold(c.bucket(), d, everywhere)
				continue
			}
			err = answer.read(out)
		}
		if err == nil || !errors.Is(err, adapters.ErrUnavailable) || isStatus(err, http.StatusUnauthorized) {
			return err
		}
		failed++
		pause := r.pause << failed
		pause += upTo(pause)
		if failed > repeats || time.Now().Add(pause).After(giveUp) || !sleep(ctx, pause) {
			return err
		}
	}
}

func isStatus(err error, status int) bool {
	e, ok := refused(err)
	return ok && e.Status == status
}

func (c call) bucket() string { return c.method + " " + cmp.Or(c.route, c.path) }

// encode makes the body once, so that it can be sent again.
func (c call) encode() (content []byte, contentType string, err error) {
	if c.body == nil {
		return nil, "", nil
	}
	payload, err := json.Marshal(c.body)
	if err != nil || len(c.files) == 0 {
		return payload, "application/json", err
	}
	var b bytes.Buffer
	w := multipart.NewWriter(&b)
	part, err := w.CreatePart(textproto.MIMEHeader{
		"Content-Disposition": {`form-data; name="payload_json"`}, "Content-Type": {"application/json"}})
	if err != nil {
		return nil, "", err
	}
	part.Write(payload)
	for i, f := range c.files {
		part, err := w.CreateFormFile(fmt.Sprintf("files[%d]", i), f.name)
		if err != nil {
			return nil, "", err
		}
		part.Write(f.data)
	}
	if err := w.Close(); err != nil { // writes the end, so it comes before the bytes are taken
		return nil, "", err
	}
	return b.Bytes(), w.FormDataContentType(), nil
}

// answer is what came back.
type answer struct {
	status int
	header http.Header
	body   []byte
}

// maxAnswer is how much of an answer is read.
const maxAnswer = 8 << 20 // bytes

func (r *rest) send(ctx context.Context, c call, content []byte, contentType string) (*answer, error) {
	req, err := http.NewRequestWithContext(ctx, c.method, r.base+c.path, bytes.NewReader(content))
	if err != nil {
		return nil, err
	}
	// https://docs.discord.com/developers/reference#user-agent
	req.Header.Set("User-Agent", "DiscordBot (https://github.com/bwmarrin/discordgo, "+discordgo.VERSION+") gpuadvisor")
	if !c.answer {
		req.Header.Set("Authorization", "Bot "+r.token)
	}
	if contentType != "" {
		req.Header.Set("Content-Type", contentType)
	}
	res, err := r.client.Do(req)
	if err != nil {
		return nil, err
	}
	defer res.Body.Close()
	body, err := io.ReadAll(io.LimitReader(res.Body, maxAnswer))
	if err != nil {
		return nil, err
	}
	return &answer{res.StatusCode, res.Header, body}, nil
}

// read decodes an answer, or the refusal that it is.
func (a *answer) read(out any) error {
	if a.status >= 300 {
		e := &apiError{}
		json.Unmarshal(a.body, e) // an HTML page leaves it empty
		e.Status = a.status
		return e
	}
	if out == nil || len(a.body) == 0 {
		return nil
	}
	if err := json.Unmarshal(a.body, out); err != nil {
		return fmt.Errorf("%w: read discord's answer: %w", adapters.ErrUnavailable, err)
	}
	return nil
}

// patience is how long a 429 asks us to wait.
func (a *answer) patience() (d time.Duration, everywhere bool) {
	var said struct {
		After  float64 `json:"retry_after"` // seconds
		Global bool    `json:"global"`
	}
	json.Unmarshal(a.body, &said)
	if said.After <= 0 {
		said.After, _ = strconv.ParseFloat(a.header.Get("Retry-After"), 64)
	}
	if said.After <= 0 || said.After > 24*3600 {
		said.After = 1
	}
	return seconds(said.After), said.Global || a.header.Get("X-RateLimit-Global") != ""
}

func seconds(s float64) time.Duration { return time.Duration(s * float64(time.Second)) }

// clean takes the URL out of an error, and the token should it be anywhere.
func (r *rest) clean(err error) error {
	var u *url.Error
	if errors.As(err, &u) {
		err = u.Err
	}
	return adapters.Secrets{r.token}.Error(err)
}

// upTo is a random time, so that not everybody comes back at once.
func upTo(d time.Duration) time.Duration { return rand.N(max(d, 1)) }

// sleep waits, and reports whether the context still runs.
func sleep(ctx context.Context, d time.Duration) bool {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
		return true
	case <-ctx.Done():
		return false
	}
}
