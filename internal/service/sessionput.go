package service

import (
	"context"
	"time"

	"github.com/go-workingmemory/workingmemory/memory"
	"github.com/go-workingmemory/workingmemory/memory/session"
)

// SessionWrite is the new content of a session.
type SessionWrite struct {
	Messages []session.Message
	// Cleared has, by the index of a message, those of the fields name, reasoning, tool_call_id
	// and tool_calls that the caller set to nothing. A caller that leaves a field out may not
	// know it.
	Cleared  map[int][]string
	Memories []session.Record
	// Unpinned has the indexes of memories that the caller set to not pinned.
	Unpinned map[int]bool
	// Context, Data and Strategy are as in session.Session.
	Context  string
	Data     map[string]any
	Strategy *session.StrategyConfig
	// Tokens becomes session.Session.ReportedTokens.
	Tokens int64
	// CreatedAt is the creation time of the session. If zero, it is kept, or now.
	CreatedAt time.Time
	// Entities are newest first. If nil, they are kept.
	Entities *[]memory.Entity
}

// PutSession creates or replaces a session and returns it, after a summary if one was due.
// Errors: Bad, Invalid, Forbidden, Stale, Conflict, TooLarge, Internal for a damaged session,
// Unavailable. After any of them but the last, the session has not changed.
//
// Clients read a session, change it and send it back, without the fields that their types do
// not have: see replacement for what is kept. Memories with another owner than the session are
// put into long-term memory first, and stay there if the write fails: see foreignMemories.
func (s *Service) PutSession(ctx context.Context, t Tenant, v WriteView, given *SessionWrite) (*Session, error) {
	if err := v.check(func(c *checks) { c.session(given, s.sessions.Now()) }); err != nil {
		return nil, err
	}
	key, err := writeKey(t, v.Ref)
	if err != nil {
		return nil, err
	}
	r, err := s.replacement(t, &v, given)
	if err != nil {
		return nil, err
	}
	written, err := s.sessions.Update(ctx, key, func(found *session.Session) error {
		if err := v.checkVersion(found); err != nil {
			return err
		}
		if err := r.apply(found); err != nil {
			return err
		}
		return s.persistForeign(ctx, t, r, found)
	}, v.options())
	if err != nil {
		return nil, s.reportError(ctx, err)
	}
	return s.withUsage(written, v.Model, v.Window), nil
}

// options returns the options of a write, whose TTL was checked.
func (v *WriteView) options() *session.WriteOptions {
	opts := windowOptions(v.Model, v.Window)
	if v.TTLSeconds != nil {
		opts.TTL = time.Duration(*v.TTLSeconds) * time.Second
	}
	return opts
}
