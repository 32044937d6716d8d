package telegram

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"strings"
	"time"

	"github.com/go-telegram/bot"

	"gpuadvisor/adapters"
)

// web.go is the wire: one HTTP client for the library and for the calls that
// it lacks, and what the errors of Telegram mean to us.

// callTime is how long one call may take. It is long, because a message whose
// answer we did not wait for may be sent twice.
const callTime = 30 * time.Second

// largestAnswer is more than a hundred updates take.
const largestAnswer = 64 << 20 // bytes

// web makes the calls.
type web struct {
	base   string // of the Bot API
	token  string
	client *http.Client
}

func newWeb(base, token string) *web {
	transport := http.DefaultTransport.(*http.Transport).Clone()
	transport.MaxIdleConnsPerHost = atOnce // one host is all that we talk to
	return &web{base: base, token: token, client: &http.Client{Transport: transport}}
}

// Do implements bot.HttpClient. The request is made repeatable, so that a
// connection that the server has closed meanwhile is replaced unseen; an
// answer that is not the Bot API's own, such as a proxy's HTML, is an error.
func (w *web) Do(req *http.Request) (*http.Response, error) {
	if req.Body != nil {
		body, err := io.ReadAll(req.Body)
		if err != nil {
			return nil, fmt.Errorf("read request: %w", err)
		}
		req.ContentLength = int64(len(body))
		req.GetBody = func() (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(body)), nil }
		req.Body, _ = req.GetBody()
	}
	resp, err := w.client.Do(req)
	if err != nil {
		return nil, err
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(io.LimitReader(resp.Body, largestAnswer))
	switch {
	case err != nil:
		return nil, fmt.Errorf("read answer: %w", err)
	case resp.StatusCode >= 500:
		return nil, fmt.Errorf("%w: status %d", adapters.ErrUnavailable, resp.StatusCode)
	case !json.Valid(body):
		return nil, fmt.Errorf("%w: status %d without an answer of the Bot API", adapters.ErrUnavailable, resp.StatusCode)
	}
	resp.Body = io.NopCloser(bytes.NewReader(body))
	return resp, nil
}

// getUpdates asks for updates from offset on, and waits for the first for as
// long as wait. Each is left undecoded.
func (w *web) getUpdates(ctx context.Context, offset int64, limit int, wait time.Duration) ([]json.RawMessage, error) {
	ask, err := json.Marshal(map[string]any{
		"offset": offset, "limit": limit, "timeout": int(wait.Seconds()), "allowed_updates": wanted,
	})
	if err != nil {
		return nil, err
	}
	ctx, cancel := context.WithTimeout(ctx, wait+callTime/2)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, w.base+"/bot"+w.token+"/getUpdates", bytes.NewReader(ask))
	if err != nil {
		return nil, err
	}
	req.Header.Set("Content-Type", "application/json")
	resp, err := w.Do(req)
	if err != nil {
		return nil, err
	}
	var answer struct {
		OK          bool              `json:"ok"`
		Result      []json.RawMessage `json:"result"`
		Code        int               `json:"error_code"`
		Description string            `json:"description"`
		Parameters  struct {
			RetryAfter int `json:"retry_after"`
		} `json:"parameters"`
	}
	if err := json.NewDecoder(resp.Body).Decode(&answer); err != nil {
		return nil, fmt.Errorf("%w: read updates: %v", adapters.ErrUnavailable, err)
	}
	if answer.OK {
		return answer.Result, nil
	}
	switch answer.Code {
	case http.StatusTooManyRequests:
		return nil, &bot.TooManyRequestsError{Message: answer.Description, RetryAfter: answer.Parameters.RetryAfter}
	case http.StatusUnauthorized:
		return nil, fmt.Errorf("%w, %s", bot.ErrorUnauthorized, answer.Description)
	case http.StatusNotFound:
		return nil, fmt.Errorf("%w, %s", bot.ErrorNotFound, answer.Description)
	case http.StatusConflict:
		return nil, fmt.Errorf("%w, %s", bot.ErrorConflict, answer.Description)
	}
	return nil, fmt.Errorf("getUpdates: %d %s", answer.Code, answer.Description)
}

// download fetches a file that getFile named, at most limit bytes of it.
func (w *web) download(ctx context.Context, path string, limit int64) ([]byte, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, w.base+"/file/bot"+w.token+"/"+path, nil)
	if err != nil {
		return nil, err
	}
	resp, err := w.client.Do(req)
	if err != nil {
		return nil, err
	}
	defer resp.Body.Close()
	if resp.StatusCode != http.StatusOK {
		return nil, fmt.Errorf("file: status %d", resp.StatusCode)
	}
	return io.ReadAll(io.LimitReader(resp.Body, limit+1))
}

// refused reports whether Telegram does not know our token: 401, or 404 for one
// that cannot even be read.
func refused(err error) bool {
	return errors.Is(err, bot.ErrorUnauthorized) || errors.Is(err, bot.ErrorNotFound)
}

// asked returns how long Telegram asks us to wait, or 0.
func asked(err error) time.Duration {
	var wait *bot.TooManyRequestsError // errors.Is does not find it, and it may be wrapped
	if errors.As(err, &wait) {
		return time.Duration(max(1, wait.RetryAfter)) * time.Second
	}
	return 0
}

// patience is how long to wait before trying again.
func (c *Chat) patience(err error, try int) time.Duration {
	if wait := asked(err); wait > 0 {
		c.counts.waits.Add(1)
		return wait
	}
	const first, most = 500 * time.Millisecond, 30 * time.Second
	wait := min(first<<min(try, 10), most)
	return wait/2 + rand.N(wait/2) // replicas must not come back in step
}

// The words of a 400 that tell what is the matter; Telegram gives no codes.
var (
	goneWords = []string{"chat not found", "user not found", "peer_id_invalid", "have no rights to send", "not enough rights to send",
		"chat_write_forbidden", "need administrator rights", "user is deactivated", "bot was kicked", "chat_restricted"}
	sameWords   = []string{"message is not modified"}
	lostWords   = []string{"message to edit not found", "message can't be edited", "message_id_invalid", "message identifier is not specified"}
	topicWords  = []string{"message thread not found", "topic_deleted", "topic_closed"}
	entityWords = []string{"can't parse entities"}
	oldWords    = []string{"query is too old", "query id is invalid", "query_id_invalid"}
)

// says reports whether err is a 400 with one of these words.
func says(err error, words []string) bool {
	if !errors.Is(err, bot.ErrorBadRequest) {
		return false
	}
	text := strings.ToLower(err.Error())
	for _, w := range words {
		if strings.Contains(text, w) {
			return true
		}
	}
	return false
}

// accepted reports whether the call succeeded although the library could not
// read the message that Telegram returned, for a kind of content that it does
// not know. Sending again would double it.
func accepted(err error) bool {
	return err == nil || strings.Contains(err.Error(), "decode response result")
}

// verdict turns an error of a call into one of adapters.Chat, without secrets.
func (c *Chat) verdict(ctx context.Context, what string, err error) error {
	wrap := func(kind error) error { return c.secrets.Error(fmt.Errorf("%s: %w: %v", what, kind, err)) }
	switch {
	case accepted(err):
		return nil
	case asked(err) > 0:
		return fmt.Errorf("%s: %w", what, &adapters.Wait{For: asked(err)})
	case errors.Is(ctx.Err(), context.Canceled): // by the caller
		return wrap(ctx.Err())
	case errors.Is(err, bot.ErrorForbidden), says(err, goneWords):
		return wrap(adapters.ErrGone)
	case errors.Is(err, bot.ErrorBadRequest), refused(err), errors.Is(err, bot.ErrorConflict):
		return c.secrets.Error(fmt.Errorf("%s: %w", what, err))
	}
	return wrap(adapters.ErrUnavailable)
}
