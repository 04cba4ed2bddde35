// Package service is what a server of sessions and long-term memory does, whatever the protocol
// that brings its calls. It decides, in one place, whether the values of a call make sense,
// which session is meant, what a tenant may see and change, and what an answer holds.
//
//	any protocol ──► Service ──► session.Manager, middleware.Sessions
//	                        └──► longterm.Memory
//
// Every method takes the Tenant that asks. Sessions, memories, tool calls and results are those
// of packages session, longterm, middleware and extractor. Errors are *Error, but for those of a
// context that ended; an Invalid names values by the names that callers know them by, such as
// memory_type.
package service

import (
	"context"
	"errors"
	"log/slog"

	"github.com/go-workingmemory/workingmemory/memory/longterm"
	"github.com/go-workingmemory/workingmemory/memory/session"
	"github.com/go-workingmemory/workingmemory/middleware"
)

// Options configures a Service. The zero value is useful.
type Options struct {
	// Memory is the long-term memory. nil: it is disabled.
	Memory *longterm.Memory
	// Promoter tells which strategies can be used. nil: no strategy is refused.
	Promoter *longterm.Promoter
	// Recording says how tool calls are recorded and blocks rendered. nil means the
	// defaults. Without Decisions in it, the service keeps logs of its own: services that
	// share sessions may share them.
	Recording *middleware.SessionsOptions
	// Logger is told of failures, never of contents. nil means none.
	Logger *slog.Logger
}

// Service works on sessions and long-term memory for tenants. It is safe for concurrent use.
type Service struct {
	sessions *session.Manager
	recorder *middleware.Sessions
	// decisions is Recording.Decisions, or that of logs of the service's own.
	decisions func(session.Key) *middleware.DecisionLog
	opts      Options
}

// New makes a service of a manager, which stays the caller's to close. nil options mean the
// defaults.
func New(sessions *session.Manager, opts *Options) (*Service, error) {
	if sessions == nil {
		return nil, errors.New("service: no session manager")
	}
	s := &Service{sessions: sessions}
	if opts != nil {
		s.opts = *opts
	}
	if s.opts.Logger == nil {
		s.opts.Logger = slog.New(slog.DiscardHandler)
	}
	var recording middleware.SessionsOptions
	if s.opts.Recording != nil {
		recording = *s.opts.Recording
	}
	if recording.Logger == nil {
		recording.Logger = s.opts.Logger
	}
	if recording.Decisions == nil {
		recording.Decisions = middleware.NewSessionLogs(nil).Log
	}
	s.decisions = recording.Decisions
	recorder, err := middleware.NewSessions(sessions, &recording)
	if err != nil {
		return nil, err
	}
	s.recorder = recorder
	return s, nil
}

// Ready returns nil while the service can work: the store of sessions answers, and the
// index of long-term memory if there is one. Errors: Unavailable.
func (s *Service) Ready(ctx context.Context) error {
	if _, err := s.exists(ctx, session.Key{SessionID: "ready"}); err != nil {
		return err
	}
	if s.opts.Memory == nil {
		return nil
	}
	_, err := s.opts.Memory.Get(ctx, longterm.Of("", ""), "ready")
	if err == nil || errors.Is(err, longterm.ErrNotFound) {
		return nil
	}
	return s.fail(ctx, err)
}
