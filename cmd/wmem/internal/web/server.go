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

// Limits of what is outside of handlers.
const (
	headerTimeout  = 10 * time.Second
	idleTimeout    = 2 * time.Minute
	maxHeaderBytes = 64 << 10
	// beyondRequest is how much longer than a request an answer may take to be read.
	beyondRequest = 30 * time.Second
)

// Server serves a handler on a listener.
type Server struct {
	// Handler must be safe for concurrent use.
	Handler http.Handler
	// RequestTimeout is how long the handler lets a request take.
	RequestTimeout time.Duration
	// Grace is how long requests may go on when the server stops.
	Grace time.Duration
	// TLS is nil for plain HTTP.
	TLS *tls.Config
	// Logger is told of connections that failed. It must not be nil.
	Logger *slog.Logger
}

// Run serves until the context ends. Then nothing new is accepted, and requests that have
// begun are finished, if they are within Grace: an error says that they were not. It closes
// the listener.
func (s *Server) Run(ctx context.Context, l net.Listener) error {
	server := &http.Server{
		Handler: s.Handler, TLSConfig: s.TLS,
		ReadHeaderTimeout: headerTimeout, IdleTimeout: idleTimeout, MaxHeaderBytes: maxHeaderBytes,
		WriteTimeout: s.RequestTimeout + beyondRequest,
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
	s.Logger.Info("web: stopping when the requests that have begun are done", "within", s.Grace)
	stopping, cancel := context.WithTimeout(context.WithoutCancel(ctx), s.Grace)
	defer cancel()
	err := server.Shutdown(stopping)
	if err != nil {
		err = errors.Join(fmt.Errorf("requests were not finished within %s: %w", s.Grace, err), server.Close())
	}
	<-served
	return err
}
