package service

import (
	"context"
	"slices"

	"github.com/go-workingmemory/workingmemory/memory/session"
	"github.com/go-workingmemory/workingmemory/middleware"
	"github.com/go-workingmemory/workingmemory/prompt"
)

// Timeline is a session with all of its messages, and the calls in its journal.
type Timeline struct {
	Overview
	// Calls are oldest first. Without a journal there are none.
	Calls []middleware.JournalCall
}

// Timeline returns the timeline of a session. Errors: as GetSession.
func (s *Service) Timeline(ctx context.Context, t Tenant, ref Ref) (*Timeline, error) {
	found, err := s.load(ctx, t, ref, nil)
	if err != nil {
		return nil, err
	}
	calls, err := s.journal(ctx, found)
	if err != nil {
		return nil, err
	}
	return &Timeline{Overview: Overview{found, *s.usageOf(found, View{})}, Calls: calls}, nil
}

// Overview is a session without messages.
type Overview struct {
	*session.Session
	Usage ContextUsage
}

// Overview returns a session without messages. Errors: as GetSession.
func (s *Service) Overview(ctx context.Context, t Tenant, ref Ref) (*Overview, error) {
	found, err := s.load(ctx, t, ref, &session.LoadOptions{Last: -1})
	if err != nil {
		return nil, err
	}
	return &Overview{Session: found, Usage: *s.usageOf(found, View{})}, nil
}

// FindSessions returns the keys of the first MaxPage sessions of a tenant with a session id.
// Errors: Unavailable.
func (s *Service) FindSessions(ctx context.Context, t Tenant, sessionID string) ([]session.Key, error) {
	ns, user, _, ok := Ref{SessionID: sessionID}.resolve(t)
	if !ok {
		return nil, nil
	}
	page, err := s.sessions.List(ctx, session.ListOptions{SessionID: &sessionID, Namespace: ns, UserID: user, Limit: MaxPage})
	return page.Keys, s.reportError(ctx, err)
}

// JournalEntry returns the texts of a call of a timeline, and the entities after it. Errors:
// NotFound if the entry was dropped, Internal for a damaged one, Unavailable.
func (s *Service) JournalEntry(ctx context.Context, found *Timeline, call *middleware.JournalCall) (*middleware.JournalEntry, error) {
	entry, err := s.recorders.issuing().JournalEntry(ctx, found.Key, call)
	return entry, s.reportError(ctx, err)
}

// BlockOptions returns the options of the blocks of the service.
func (s *Service) BlockOptions() prompt.Options {
	if s.opts.Recording == nil {
		return prompt.Options{}
	}
	return s.opts.Recording.Block
}

func (s *Service) hasJournal() bool {
	return s.opts.Recording != nil && s.opts.Recording.Journal != nil
}

// forgetJournal drops the journal of a deleted session from this process.
func (s *Service) forgetJournal(key session.Key) {
	if s.hasJournal() {
		s.opts.Recording.Journal.Forget(key)
	}
}

// journal returns the calls in the journal of a session, without those of an earlier session with
// the same key.
func (s *Service) journal(ctx context.Context, found *session.Session) ([]middleware.JournalCall, error) {
	calls, err := s.recorders.issuing().Journal(ctx, found.Key)
	if err != nil {
		return nil, s.reportError(ctx, err)
	}
	return slices.DeleteFunc(calls, func(c middleware.JournalCall) bool { return c.Time.Before(found.CreatedAt) }), nil
}
