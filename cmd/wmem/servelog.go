package main

import (
	"fmt"
	"io"
	"log/slog"
	"strings"

	"github.com/go-workingmemory/workingmemory/cmd/wmem/internal/config"
)

// newLogger makes the log of a server. The key of the models' endpoint never gets into it,
// whatever somebody's error says.
func newLogger(w io.Writer, s *config.Settings) *slog.Logger {
	opts := &slog.HandlerOptions{Level: s.LogLevel, ReplaceAttr: without(s.APIKey)}
	if s.LogFormat == "json" {
		return slog.New(slog.NewJSONHandler(w, opts))
	}
	return slog.New(slog.NewTextHandler(w, opts))
}

// without returns a ReplaceAttr that takes a secret out of texts and errors.
func without(secret string) func([]string, slog.Attr) slog.Attr {
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
