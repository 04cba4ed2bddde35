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

// serveGrace limits how long requests may take to finish at the end, and then the work in the
// background.
const serveGrace = 15 * time.Second

func newServe() *cobra.Command {
	reader := config.NewReader(config.Places, config.Models, config.Sessions, config.Serving, config.Tools, config.Logging)
	cmd := &cobra.Command{
		Use:   "serve",
		Short: "Serve sessions and long-term memory over HTTP",
		Long: `Serve answers the HTTP API, documented at /docs, and MCP at /mcp, until it is
interrupted; then it finishes pending requests. A second interrupt stops it at
once. Metrics for Prometheus are at /metrics.

It needs only a file to store data in. Without a model, summaries are excerpts of
the messages and search is by keywords. Settings without a flag are read from the
environment, then from the file of --config; the names of the variables are in
brackets. Secrets have no flags:
` + reader.Secrets() + fileExample,
		Args: noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return serve(cmd, reader) },
	}
	reader.AddFlags(cmd.Flags())
	return cmd
}

// fileExample shows the format of --config in a help text.
const fileExample = `An example of a file:
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

// loadSettings reads the settings of a command and makes its logger.
func loadSettings(cmd *cobra.Command, reader *config.Reader) (*config.Settings, *slog.Logger, error) {
	s, warnings, err := reader.Load(cmd.Flags(), os.Environ())
	if err != nil {
		return nil, nil, usageError{err}
	}
	logger := newLogger(cmd.ErrOrStderr(), s)
	for _, w := range warnings {
		logger.Warn(w)
	}
	if _, ok := os.LookupEnv("REDIS_URL"); ok && s.Store == backend.DefaultStore {
		logger.Warn("REDIS_URL is ignored: to store sessions in Redis, set " + config.Env("store"))
	}
	return s, logger, nil
}

func serve(cmd *cobra.Command, reader *config.Reader) (err error) {
	s, logger, err := loadSettings(cmd, reader)
	if err != nil {
		return err
	}
	tls, err := web.TLSFrom(s.TLSCert, s.TLSKey, logger)
	if err != nil {
		return err
	}
	// Listen first: a wrong address is a mistake in the settings.
	l, err := listen(cmd.Context(), s)
	if err != nil {
		return err
	}
	defer l.Close() // the server has closed it if it ran
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
	fmt.Fprintf(cmd.ErrOrStderr(), "wmem: listening on %s://%s, %s\n", scheme, l.Addr(), describeSetup(s, e))
	logDurability(cmd.Context(), e, logger)
	e.StartWork(cmd.Context())
	server := &web.Server{Handler: handler, RequestTimeout: rest.DefaultTimeout, Grace: serveGrace, TLS: tls, Logger: logger}
	if err := server.Run(cmd.Context(), web.Limit(l, web.DefaultConnections)); err != nil {
		logger.Error("server stopped", "error", err)
		return err
	}
	return nil
}

// listen listens on the address of the settings. A mistake in it is a usage error.
func listen(ctx context.Context, s *config.Settings) (net.Listener, error) {
	l, err := web.Listen(ctx, s.Listen, s.Auth == "token" || s.InsecurePublic)
	switch {
	case err == nil:
		return l, nil
	case errors.Is(err, web.ErrPublic):
		return nil, usagef("listen: %w: use --auth token, or --insecure-public to let anyone who reaches it read and delete everything", err)
	case errors.Is(err, web.ErrAddress):
		return nil, usagef("listen: %w", err)
	case errors.Is(err, syscall.EADDRINUSE):
		return nil, fmt.Errorf("%w: stop the process that uses it, or choose another --listen", err)
	}
	return nil, fmt.Errorf("listen: %w", err)
}

// closeEngine waits up to serveGrace for work in the background, even if the command was
// interrupted. Unfinished work is not an error: the next run resumes it.
func closeEngine(ctx context.Context, e *engine.Engine, logger *slog.Logger) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), serveGrace)
	defer cancel()
	err := e.Close(ctx)
	switch {
	case err == nil:
		return nil
	case errors.Is(err, context.DeadlineExceeded):
		logger.Warn("work in the background is unfinished: the next run resumes it", "within", serveGrace, "error", err)
		return nil
	}
	logger.Error("closing the stores failed", "error", err)
	return err
}

// describeSetup lists the stores and models of a server.
func describeSetup(s *config.Settings, e *engine.Engine) string {
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
