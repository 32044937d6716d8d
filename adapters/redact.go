package adapters

import (
	"errors"
	"net/url"
	"strings"
)

// Secrets are texts that must not show in a log or an error: tokens, passwords.
// Platforms put them into URLs, and Go puts URLs into errors.
type Secrets []string

// masked stands where a secret was.
const masked = "***"

// Hide returns text with every secret masked, also where it is escaped for a
// URL.
func (s Secrets) Hide(text string) string {
	for _, secret := range s {
		if secret == "" {
			continue
		}
		for _, form := range []string{secret, url.QueryEscape(secret), url.PathEscape(secret)} {
			text = strings.ReplaceAll(text, form, masked)
		}
	}
	return text
}

// Error returns err itself when its text holds no secret. Otherwise it returns
// an error with the text masked, from which the original cannot be reached:
// errors.Is answers as before, and errors.As finds a *Wait, nothing else.
func (s Secrets) Error(err error) error {
	if err == nil {
		return nil
	}
	text := err.Error()
	if hidden := s.Hide(text); hidden != text {
		return &redacted{text: hidden, err: err}
	}
	return err
}

type redacted struct {
	text string
	err  error // never handed out
}

func (r *redacted) Error() string { return r.text }

func (r *redacted) Is(target error) bool { return errors.Is(r.err, target) }

func (r *redacted) As(target any) bool {
	wait, ok := target.(**Wait)
	return ok && errors.As(r.err, wait)
}

// GoString keeps %#v from printing what err holds.
func (r *redacted) GoString() string { return r.text }
