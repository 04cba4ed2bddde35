// Package service is what a server does, whatever the wire: HTTP (adapters/server/rest) and MCP
// (adapters/server/mcpserver) are thin layers on it. It decides, in one place, whether a request is as
// it should be, which session it means, what a tenant may see and change, and what an answer
// holds. A body is checked before all else; the places that an Invalid names are those of the
// HTTP API.
//
//	adapters/server/rest ──┐
//	                ├──► Service ──► session.Manager, middleware.Sessions
//	adapters/server/mcpserver ┘       └───► longterm.Memory
//
// Every method takes the Tenant that asks. Requests and answers are those of package wire;
// errors are *Error, but for those of a context that ended.
package service

import (
	"context"
	"errors"
	"log/slog"

	"github.com/go-workingmemory/workingmemory/adapters/server/auth"
	"github.com/go-workingmemory/workingmemory/memory/longterm"
	"github.com/go-workingmemory/workingmemory/memory/session"
	"github.com/go-workingmemory/workingmemory/middleware"
)

// Tenant is whose sessions and memories a caller may read and write.
type Tenant = auth.Tenant

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
		recording.Decisions = middleware.NewDecisionLogs(nil).Of
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
