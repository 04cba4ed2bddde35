package main

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"strings"

	"github.com/go-workingmemory/workingmemory/adapters/server/rest"
	"github.com/go-workingmemory/workingmemory/cmd/wmem/internal/config"
)

// newLogger returns the logger of a server. It removes the key of the models' endpoint from
// errors and texts.
func newLogger(w io.Writer, s *config.Settings) *slog.Logger {
	opts := &slog.HandlerOptions{Level: s.LogLevel, ReplaceAttr: redact(s.APIKey)}
	if s.LogFormat == "json" {
		return slog.New(withRequest{slog.NewJSONHandler(w, opts)})
	}
	return slog.New(withRequest{slog.NewTextHandler(w, opts)})
}

// withRequest adds the request's id to the records that a request causes.
type withRequest struct{ slog.Handler }

// Handle implements slog.Handler.
func (h withRequest) Handle(ctx context.Context, r slog.Record) error {
	if id := rest.RequestID(ctx); id != "" {
		r.AddAttrs(slog.String("request_id", id))
	}
	return h.Handler.Handle(ctx, r)
}

// WithAttrs implements slog.Handler.
func (h withRequest) WithAttrs(attrs []slog.Attr) slog.Handler {
	return withRequest{h.Handler.WithAttrs(attrs)}
}

// WithGroup implements slog.Handler.
func (h withRequest) WithGroup(name string) slog.Handler {
	return withRequest{h.Handler.WithGroup(name)}
}

// redact returns a ReplaceAttr that removes a secret from texts and errors.
func redact(secret string) func([]string, slog.Attr) slog.Attr {
	if secret == "" {
		return nil
	}
	return func(_ []string, a slog.Attr) slog.Attr {
		text := ""
		switch v := a.Value.Any().(type) {
		case string:
			text = v
		case error:
			text = v.Error()
		case fmt.Stringer:
			text = v.String()
		}
		if strings.Contains(text, secret) {
			a.Value = slog.StringValue(strings.ReplaceAll(text, secret, "xxxxx"))
		}
		return a
	}
}
