package discord

import (
	"context"
	"crypto/ed25519"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"sync"
	"time"

	"github.com/bwmarrin/discordgo"

	"gpuadvisor/adapters"
)

// http.go is the door for interactions that Discord posts to us, instead of
// sending them through a gateway that we hold open.
// https://docs.discord.com/developers/interactions/overview#setting-up-an-endpoint

// ServeHTTP takes interactions when the Config has a public key. Discord also
// sends wrong signatures on purpose and drops an endpoint that accepts them.
func (d *Discord) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	switch {
	case d.key == nil:
		http.NotFound(w, r)
		return
	case r.Method != http.MethodPost:
		w.Header().Set("Allow", http.MethodPost)
		http.Error(w, "POST only", http.StatusMethodNotAllowed)
		return
	}
	body, status := d.signed(w, r)
	if status != 0 {
		d.stats.refused.Add(1)
		http.Error(w, http.StatusText(status), status)
		return
	}
	in, err := readInteraction(body)
	switch {
	case err != nil:
		d.stats.refused.Add(1)
		http.Error(w, "this is not an interaction", http.StatusBadRequest)
	case in.Type == discordgo.InteractionPing:
		write(w, response{Type: discordgo.InteractionResponsePong})
	case !d.serving():
		http.Error(w, "not serving", http.StatusServiceUnavailable)
	case d.app() != "" && in.App != d.app():
		http.Error(w, "another application's interaction", http.StatusBadRequest)
	default:
		d.wait(w, r, in)
	}
}

// signed returns the body if the request carries Discord's signature over it,
// made within maxSkew of now; otherwise the status to answer with.
func (d *Discord) signed(w http.ResponseWriter, r *http.Request) (body []byte, status int) {
	signature, err := hex.DecodeString(r.Header.Get("X-Signature-Ed25519"))
	stamp := r.Header.Get("X-Signature-Timestamp")
	if err != nil || len(signature) != ed25519.SignatureSize || !d.timely(stamp) {
		return nil, http.StatusUnauthorized
	}
	body, err = io.ReadAll(http.MaxBytesReader(w, r.Body, maxBody))
	var large *http.MaxBytesError
	switch {
	case errors.As(err, &large):
		return nil, http.StatusRequestEntityTooLarge
	case err != nil:
		return nil, http.StatusBadRequest
	case !ed25519.Verify(d.key, append([]byte(stamp), body...), signature):
		return nil, http.StatusUnauthorized
	}
	return body, 0
}

// timely reports whether a request was signed about now: an old one may be a
// copy of somebody else's.
func (d *Discord) timely(stamp string) bool {
	n, err := strconv.ParseInt(stamp, 10, 64)
	if err != nil || len(stamp) > 12 {
		return false
	}
	age := d.c.Now().Sub(time.Unix(n, 0))
	return -maxSkew <= age && age <= maxSkew
}

func write(w http.ResponseWriter, r response) error {
	w.Header().Set("Content-Type", "application/json")
	return json.NewEncoder(w).Encode(r)
}

// wait answers the request with the first answer of the interaction.
func (d *Discord) wait(w http.ResponseWriter, r *http.Request, in *interaction) {
	door := &reception{answers: make(chan spoken), gone: make(chan struct{}), byCall: callback{d, in}}
	defer door.close()
	if !d.interaction(in, door) {
		http.Error(w, "delivered before", http.StatusConflict)
		return
	}
	timer := time.NewTimer(firstAnswer)
	defer timer.Stop()
	select {
	case s := <-door.answers:
		if s.byCall {
			w.WriteHeader(http.StatusAccepted)
			s.taken <- nil
			return
		}
		s.taken <- write(w, s.response)
	case <-timer.C:
		http.Error(w, "no answer in time", http.StatusServiceUnavailable)
	case <-r.Context().Done():
	}
}

// reception is the door of an interaction that came over HTTP.
type reception struct {
	answers chan spoken
	gone    chan struct{} // closed when the request is over
	once    sync.Once
	byCall  callback
}

// spoken is an answer on its way into the response.
type spoken struct {
	response response
	byCall   bool // it has files, and goes by a call of its own: the request is only acknowledged
	taken    chan error
}

func (door *reception) close() { door.once.Do(func() { close(door.gone) }) }

func (door *reception) first(ctx context.Context, r response, files []file) error {
	s := spoken{r, len(files) > 0, make(chan error, 1)}
	select {
	case door.answers <- s:
	case <-door.gone:
		return &apiError{Status: http.StatusNotFound, Code: discordgo.ErrCodeUnknownInteraction, Message: "the request is over"}
	case <-ctx.Done():
		return fmt.Errorf("%w: %w", adapters.ErrUnavailable, ctx.Err())
	}
	if err := <-s.taken; err != nil {
		return &apiError{Status: http.StatusNotFound, Code: discordgo.ErrCodeUnknownInteraction, Message: "the request was broken off"}
	}
	if s.byCall {
		return door.byCall.first(ctx, r, files)
	}
	return nil
}
