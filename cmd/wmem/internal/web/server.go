package web

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"time"
)

// Limits outside of handlers.
const (
	headerTimeout  = 10 * time.Second
	idleTimeout    = 2 * time.Minute
	maxHeaderBytes = 64 << 10
	// answerTime is added to the time of a request, for the client to read the answer.
	answerTime = 30 * time.Second
)

// Server serves a handler on a listener.
type Server struct {
	// Handler must be safe for concurrent use.
	Handler http.Handler
	// RequestTimeout is the handler's own limit on a request.
	RequestTimeout time.Duration
	// Grace limits how long requests may take to finish when the server stops.
	Grace time.Duration
	// TLS configures HTTPS. If nil, the server speaks plain HTTP.
	TLS *tls.Config
	// Logger receives failures of connections. It must not be nil.
	Logger *slog.Logger
}

// Run serves until ctx ends. Then it accepts no more connections, and waits up to Grace for
// pending requests; it returns an error if they do not finish in time. It closes the listener.
func (s *Server) Run(ctx context.Context, l net.Listener) error {
	server := &http.Server{
		Handler: s.Handler, TLSConfig: s.TLS,
		ReadHeaderTimeout: headerTimeout, IdleTimeout: idleTimeout, MaxHeaderBytes: maxHeaderBytes,
		WriteTimeout: s.RequestTimeout + answerTime,
		ErrorLog:     slog.NewLogLogger(s.Logger.Handler(), slog.LevelDebug),
	}
	served := make(chan error, 1)
	go func() {
		if s.TLS != nil {
			served <- server.ServeTLS(l, "", "")
			return
		}
		served <- server.Serve(l)
	}()
	select {
	case err := <-served:
		return errors.Join(err, server.Close())
	case <-ctx.Done():
	}
	s.Logger.Info("web: stopping after pending requests", "within", s.Grace)
	stopping, cancel := context.WithTimeout(context.WithoutCancel(ctx), s.Grace)
	defer cancel()
	err := server.Shutdown(stopping)
	if err != nil {
		err = errors.Join(fmt.Errorf("requests did not finish within %s: %w", s.Grace, err), server.Close())
	}
	<-served
	return err
}
