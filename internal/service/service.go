// Package service implements a server of sessions and long-term memory independently of the
// protocol. It is the one place that validates the values of a call, resolves the session it
// means, enforces what a tenant may see and change, and decides what an answer holds.
//
//	any protocol ──► Service ──► session.Manager, middleware.Sessions
//	                        └──► longterm.Memory
//
// Every method takes the Tenant of the caller. Sessions, memories, tool calls and results have
// the types of packages session, longterm, middleware and extractor. Errors are *Error, except
// for those of a context. An Invalid uses the names of values that callers know, such as
// memory_type.
package service

import (
	"context"
	"errors"
	"log/slog"

	"github.com/go-workingmemory/workingmemory/extractor"
	"github.com/go-workingmemory/workingmemory/memory/longterm"
	"github.com/go-workingmemory/workingmemory/memory/longterm/summaryview"
	"github.com/go-workingmemory/workingmemory/memory/session"
	"github.com/go-workingmemory/workingmemory/middleware"
)

// Options configures a Service. The zero value is useful.
type Options struct {
	// Memory is the long-term memory. If nil, it is disabled.
	Memory *longterm.Memory
	// Promoter checks the strategies of sessions. If nil, every strategy is accepted.
	Promoter *longterm.Promoter
	// Views are the summary views of Memory. If nil, they are disabled.
	Views *summaryview.Views
	// Recording configures the recording of tool calls and the rendering of blocks. If nil, the
	// defaults apply. If its Extractor is nil, the service limits how many extractions run at
	// once (see extractor.Throttle), and if its Decisions and its Journal are nil, it keeps decision
	// logs of its own; set them to share them between services. Its Handles and Results are the defaults of
	// Rewriting.
	Recording *middleware.SessionsOptions
	// Owner returns the owner of an extraction for the service's own limit: see
	// extractor.ThrottleOptions. If nil, all have one owner.
	Owner func(ctx context.Context) string
	// Logger receives failures, never contents. If nil, nothing is logged.
	Logger *slog.Logger
}

// Service works on sessions and long-term memory for tenants. It is safe for concurrent use.
type Service struct {
	sessions  *session.Manager
	recorders recorders
	// decisions is Recording.Decisions, or returns the service's own logs.
	decisions func(session.Key) *middleware.DecisionLog
	opts      Options
}

// New returns a service on a manager, which the caller closes. If opts is nil, the defaults
// apply.
func New(sessions *session.Manager, opts *Options) (_ *Service, err error) {
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
	if recording.Extractor == nil {
		recording.Extractor = extractor.Throttle(extractor.Default(middleware.LimitsFor(recording.Block)), &extractor.ThrottleOptions{Owner: s.opts.Owner})
	}
	if recording.Logger == nil {
		recording.Logger = s.opts.Logger
	}
	if recording.Decisions == nil && recording.Journal == nil {
		recording.Decisions = middleware.NewSessionLogs(nil).Log
	}
	s.decisions = recording.Decisions
	if s.recorders, err = newRecorders(sessions, recording); err != nil {
		return nil, err
	}
	return s, nil
}

// Durability has the levels of driver.Durability of the store of sessions, and of the index of
// long-term memory, which is empty if that is disabled.
type Durability struct {
	Sessions, Memories string
}

// Durability returns the durability of acknowledged writes. It is unknown for a store that does
// not report it or does not answer.
func (s *Service) Durability(ctx context.Context) Durability {
	sessions, _ := s.sessions.Durability(ctx) // unknown with an error
	d := Durability{Sessions: string(sessions.Level)}
	if s.opts.Memory != nil {
		memories, _ := s.opts.Memory.Durability(ctx)
		d.Memories = string(memories.Level)
	}
	return d
}

// Ready returns nil if the store of sessions answers, and the index of long-term memory if
// there is one. Errors: Unavailable.
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
	return s.reportError(ctx, err)
}
