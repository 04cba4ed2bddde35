package service

import (
	"context"
	"time"

	"github.com/go-workingmemory/workingmemory/memory"
	"github.com/go-workingmemory/workingmemory/memory/session"
)

// SessionWrite is what a session is replaced by.
type SessionWrite struct {
	Messages []session.Message
	// Cleared are, by the index of a message, those of its fields name, reasoning, tool_call_id
	// and tool_calls that the caller gave with nothing in them. A caller that leaves one out may
	// not know of it.
	Cleared  map[int][]string
	Memories []session.Record
	// Unpinned are the indexes of memories that the caller gave as not pinned.
	Unpinned map[int]bool
	// Context, Data and Strategy are as in session.Session.
	Context  string
	Data     map[string]any
	Strategy *session.StrategyConfig
	// CreatedAt is when the session was made; zero: as it was, or now.
	CreatedAt time.Time
	// Entities are newest first; nil: as they were.
	Entities *[]memory.Entity
}

// PutSession replaces a session, or makes it, and returns it as it is then, after a summary
// that it was due for. Errors: Bad, Invalid, Forbidden, Stale, Conflict, TooLarge, Internal for one that
// is damaged, Unavailable; with any of them but the last nothing was changed.
//
// Clients send back what they were answered, without what their types do not know, to add
// something to it: see replacement for what therefore stays. Memories of other owners than
// the session go into long-term memory first: see others. A write that then fails has not
// changed the session; they stay.
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
		return s.persistOthers(ctx, t, r, found)
	}, v.options())
	if err != nil {
		return nil, s.fail(ctx, err)
	}
	return s.withUsage(written, v.Model, v.Window), nil
}

// options returns what a write brings beside what it writes. The TTL was checked.
func (v *WriteView) options() *session.WriteOptions {
	opts := windowOptions(v.Model, v.Window)
	if v.TTLSeconds != nil {
		opts.TTL = time.Duration(*v.TTLSeconds) * time.Second
	}
	return opts
}
