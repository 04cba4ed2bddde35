package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"os"
	"syscall"
	"time"

	"github.com/spf13/cobra"

	"github.com/go-workingmemory/workingmemory/adapters/server/rest"
	"github.com/go-workingmemory/workingmemory/cmd/wmem/internal/backend"
	"github.com/go-workingmemory/workingmemory/cmd/wmem/internal/config"
	"github.com/go-workingmemory/workingmemory/cmd/wmem/internal/engine"
	"github.com/go-workingmemory/workingmemory/cmd/wmem/internal/metrics"
	"github.com/go-workingmemory/workingmemory/cmd/wmem/internal/web"
)

// serveGrace is how long what was begun may take to end, requests first, then what is done in
// the background.
const serveGrace = 15 * time.Second

func newServe() *cobra.Command {
	reader := config.NewReader(config.Places, config.Models, config.Sessions, config.Serving, config.Logging)
	cmd := &cobra.Command{
		Use:   "serve",
		Short: "Serve sessions and long-term memory over HTTP",
		Long: `Serve answers the HTTP API, documented at /docs, and MCP at /mcp, until it is
interrupted: then it finishes the requests that have begun. Interrupted again it
stops at once. Metrics for Prometheus are at /metrics.

Nothing is needed but a place for a file: without a model, summaries are made of
the messages' own words and search is by keywords. What a flag does not say is
taken from the environment, then from the file of --config; the names of the
variables stand in brackets. Secrets have no flags:
` + reader.Secrets() + fileExample,
		Args: noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return serve(cmd, reader) },
	}
	reader.AddFlags(cmd.Flags())
	return cmd
}

// fileExample shows in a help text what --config takes.
const fileExample = `Such a file:
  store: sqlite:/var/lib/wmem/wmem.db
  model: gpt-4o-mini
  base-url: http://localhost:11434/v1
  long-term: on`

// noArgs refuses arguments.
func noArgs(cmd *cobra.Command, args []string) error {
	if len(args) > 0 {
		return usagef("%s takes no arguments", cmd.Name())
	}
	return nil
}

// settingsOf reads the settings of a command that logs, and makes its log.
func settingsOf(cmd *cobra.Command, reader *config.Reader) (*config.Settings, *slog.Logger, error) {
	s, warnings, err := reader.Load(cmd.Flags(), os.Environ())
	if err != nil {
		return nil, nil, usageError{err}
	}
	logger := newLogger(cmd.ErrOrStderr(), s)
	for _, w := range warnings {
		logger.Warn(w)
	}
	if _, ok := os.LookupEnv("REDIS_URL"); ok && s.Store == backend.DefaultStore {
		logger.Warn("REDIS_URL is not read: to keep sessions there, give it as " + config.Env("store"))
	}
	return s, logger, nil
}

func serve(cmd *cobra.Command, reader *config.Reader) (err error) {
	s, logger, err := settingsOf(cmd, reader)
	if err != nil {
		return err
	}
	tls, err := web.TLSFrom(s.TLSCert, s.TLSKey, logger)
	if err != nil {
		return err
	}
	// First what can be wrong with how it was called.
	l, err := listen(cmd.Context(), s)
	if err != nil {
		return err
	}
	defer l.Close() // closed already where the server ran
	counts := metrics.New()
	e, err := engine.Open(cmd.Context(), s, counts.Hooks(), logger)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, closeEngine(cmd.Context(), e, logger)) }()
	handler, err := newHandler(cmd.Context(), s, e, counts, logger)
	if err != nil {
		return err
	}
	scheme := "http"
	if tls != nil {
		scheme = "https"
	}
	fmt.Fprintf(cmd.ErrOrStderr(), "wmem: listening on %s://%s, %s\n", scheme, l.Addr(), uses(s, e))
	server := &web.Server{Handler: handler, RequestTimeout: rest.DefaultTimeout, Grace: serveGrace, TLS: tls, Logger: logger}
	if err := server.Run(cmd.Context(), web.Limit(l, web.DefaultConnections)); err != nil {
		logger.Error("serving ended", "error", err)
		return err
	}
	return nil
}

// listen listens where the settings say. What is wrong with them is an error of usage.
func listen(ctx context.Context, s *config.Settings) (net.Listener, error) {
	l, err := web.Listen(ctx, s.Listen, s.Auth == "token" || s.InsecurePublic)
	switch {
	case err == nil:
		return l, nil
	case errors.Is(err, web.ErrPublic):
		return nil, usagef("listen: %w: give --auth token, or --insecure-public if all of them may read and delete everything", err)
	case errors.Is(err, web.ErrAddress):
		return nil, usagef("listen: %w", err)
	case errors.Is(err, syscall.EADDRINUSE):
		return nil, fmt.Errorf("%w: end what has it, or give another --listen", err)
	}
	return nil, fmt.Errorf("listen: %w", err)
}

// closeEngine gives what is done in the background some time, also when the command was
// interrupted. What is not done by then is no failure: it is taken up later.
func closeEngine(ctx context.Context, e *engine.Engine, logger *slog.Logger) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), serveGrace)
	defer cancel()
	err := e.Close(ctx)
	switch {
	case err == nil:
		return nil
	case errors.Is(err, context.DeadlineExceeded):
		logger.Warn("work in the background was not finished: it is when this runs again", "within", serveGrace, "error", err)
		return nil
	}
	logger.Error("closing failed", "error", err)
	return err
}

// uses tells what a server works with.
func uses(s *config.Settings, e *engine.Engine) string {
	memories := "off"
	if s.LongTerm {
		memories = e.Backend.Memories.String()
	}
	named := func(model string) string {
		if model == "" {
			return "none"
		}
		return printable(model)
	}
	embedder := named(s.EmbeddingModel)
	if !s.LongTerm {
		embedder = named("")
	}
	return fmt.Sprintf("sessions %s, long-term memory %s, model %s, embedder %s, auth %s",
		printable(e.Backend.Store.String()), printable(memories), named(s.Model), embedder, s.Auth)
}
