package main

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"log/slog"

	"gpuadvisor/advisor"
)

// trace.go puts one id on everything that is logged for one message, in the
// desk, in the chat and in whatever they call: the context carries it, and the
// log takes it from there. The id is a digest, so that a message that comes
// again, to whatever replica, has the same, and nobody reads from it who wrote.

type requestKey struct{}

// traced is ctx for the turn of m.
func traced(ctx context.Context, m advisor.Message) context.Context {
	sum := sha256.Sum256([]byte(string(m.Key) + "\n" + m.ID))
	return context.WithValue(ctx, requestKey{}, hex.EncodeToString(sum[:5]))
}

// tracing is a log that names the request.
type tracing struct{ slog.Handler }

func (t tracing) Handle(ctx context.Context, r slog.Record) error {
	if id, ok := ctx.Value(requestKey{}).(string); ok {
		r.AddAttrs(slog.String("request", id))
	}
	return t.Handler.Handle(ctx, r)
}

func (t tracing) WithAttrs(a []slog.Attr) slog.Handler { return tracing{t.Handler.WithAttrs(a)} }
func (t tracing) WithGroup(name string) slog.Handler   { return tracing{t.Handler.WithGroup(name)} }
