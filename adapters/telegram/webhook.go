package telegram

import (
	"context"
	"crypto/sha256"
	"crypto/subtle"
	"errors"
	"io"
	"net/http"
	"regexp"

	"github.com/go-telegram/bot"

	"gpuadvisor/adapters"
)

// webhook.go lets Telegram bring updates. It sends one again until it gets a
// 2xx, so that is said only when the update is dealt with; what no second try
// can cure gets a 200 too.

// secretForm is what setWebhook takes as secret_token.
var secretForm = regexp.MustCompile(`^[A-Za-z0-9_-]{1,256}$`)

// secretHeader carries it.
const secretHeader = "X-Telegram-Bot-Api-Secret-Token"

// largestUpdate is far more than any update takes.
const largestUpdate = 1 << 20 // bytes

// connections is how many updates Telegram may bring at once, 100 at most.
const connections = 100

// listen serves until ctx ends, while Webhook receives.
func (c *Chat) listen(ctx context.Context, handle adapters.Handler) error {
	defer c.intake.open(ctx, handle)()
	err := c.insist(ctx, "set the webhook", func(ctx context.Context) error {
		_, err := c.api.SetWebhook(ctx, &bot.SetWebhookParams{
			URL: c.config.Webhook.URL, SecretToken: c.config.Webhook.Secret,
			AllowedUpdates: wanted, MaxConnections: connections,
		})
		return err
	})
	if err != nil {
		return err
	}
	c.ready.Store(true)
	defer c.ready.Store(false)
	<-ctx.Done() // the webhook stays: other replicas, and our next start, use it
	return nil
}

// Webhook receives updates: mount it at the path of Config.Webhook.URL. It
// answers
//
//	200  dealt with, or not worth another try
//	400  not an update
//	401  no secret
//	403  not our secret
//	405  not a POST
//	413  larger than an update can be
//	503  not serving, or too much to do: bring it again
func (c *Chat) Webhook() http.Handler { return http.HandlerFunc(c.webhook) }

func (c *Chat) webhook(w http.ResponseWriter, r *http.Request) {
	w.WriteHeader(c.receive(w, r))
}

func (c *Chat) receive(w http.ResponseWriter, r *http.Request) (status int) {
	if r.Method != http.MethodPost {
		w.Header().Set("Allow", http.MethodPost)
		return http.StatusMethodNotAllowed
	}
	if status := c.ours(r); status != http.StatusOK {
		return status
	}
	raw, err := io.ReadAll(http.MaxBytesReader(w, r.Body, largestUpdate))
	var tooLarge *http.MaxBytesError
	switch {
	case errors.As(err, &tooLarge):
		return http.StatusRequestEntityTooLarge
	case err != nil:
		return http.StatusBadRequest
	}
	u, ok := c.decode(raw)
	if !ok {
		return http.StatusBadRequest
	}
	t := c.take(u)
	if t == nil {
		return http.StatusServiceUnavailable
	}
	<-t.over // also when Telegram does not wait: what has begun is finished
	if t.undone {
		return http.StatusServiceUnavailable
	}
	return http.StatusOK
}

// ours reports by a status whether the request carries our secret. The time
// that takes does not tell how much of it was right.
func (c *Chat) ours(r *http.Request) (status int) {
	got := r.Header.Get(secretHeader)
	if got == "" || c.config.Webhook.Secret == "" {
		return http.StatusUnauthorized
	}
	a, b := sha256.Sum256([]byte(got)), sha256.Sum256([]byte(c.config.Webhook.Secret))
	if subtle.ConstantTimeCompare(a[:], b[:]) != 1 {
		return http.StatusForbidden
	}
	return http.StatusOK
}
