package adapters_test

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"testing"
	"time"

	"gpuadvisor/adapters"
)

func TestHide(t *testing.T) {
	secrets := adapters.Secrets{"123:AbC/d", "", "hunter2"}
	for _, tt := range []struct{ text, want string }{
		{"nothing here", "nothing here"},
		{"Post https://api.example/bot123:AbC/d/getMe: refused", "Post https://api.example/bot***/getMe: refused"},
		{"bot123%3AAbC%2Fd and bot123:AbC%2Fd", "bot*** and bot***"},
		{"redis://:hunter2@host", "redis://:***@host"},
	} {
		if got := secrets.Hide(tt.text); got != tt.want {
			t.Errorf("Hide(%q) = %q, want %q", tt.text, got, tt.want)
		}
	}
}

func TestErrorWithoutSecrets(t *testing.T) {
	secrets := adapters.Secrets{"TOKEN"}
	if secrets.Error(nil) != nil {
		t.Error("no error became one")
	}
	plain := errors.New("plain")
	if got := secrets.Error(plain); got != plain {
		t.Errorf("got %v, want the error itself", got)
	}
	inner := &url.Error{Op: "Post", URL: "https://x/botTOKEN/y", Err: context.DeadlineExceeded}
	err := secrets.Error(fmt.Errorf("send: %w: %w: %w", inner, adapters.ErrUnavailable, &adapters.Wait{For: time.Second}))
	for _, text := range []string{err.Error(), fmt.Sprintf("%v %+v %#v %s %q", err, err, err, err, err)} {
		if secrets.Hide(text) != text {
			t.Errorf("the secret shows in %q", text)
		}
	}
	if !errors.Is(err, adapters.ErrUnavailable) || !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("errors.Is does not find what is inside %v", err)
	}
	var wait *adapters.Wait
	if !errors.As(err, &wait) || wait.For != time.Second {
		t.Errorf("errors.As finds %v, want the wait of one second", wait)
	}
	var leak *url.Error
	if errors.As(err, &leak) || errors.Unwrap(err) != nil {
		t.Error("the original error, with its secret, can be reached")
	}
}
