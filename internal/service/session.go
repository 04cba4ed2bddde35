package service

import (
	"context"
	"math"

	"github.com/go-workingmemory/workingmemory/memory/session"
)

// View says how a session is read.
type View struct {
	// Model and Window say for which context window, in tokens; without them it is any.
	// Window comes before Model. 0 or less: not given.
	Model  string
	Window int64
	// Recent is how many messages are returned, the last ones by their time. 0 or less: all.
	Recent int64
}

// WriteView says how a session is written.
type WriteView struct {
	// Ref names the session. Parts that are nil are the tenant's.
	Ref
	// Model and Window are as in View. They count for summaries, also of later writes that
	// say nothing of them.
	Model  string
	Window int64
	// TTLSeconds is how long the session lives from now, 1 to MaxTTLSeconds. nil: a running
	// expiry stays.
	TTLSeconds *int64
	// If and IfNot are conditions: the session is there in one of the versions If, and is not
	// there in one of the versions IfNot. nil: no condition.
	If, IfNot *Versions
	// Minimal may leave out the messages of the session that is returned.
	Minimal bool
}

// Session is a session as it was read or written.
type Session struct {
	*session.Session
	// Usage is how full the window is that was named; nil if none was.
	Usage *session.Usage
}

// ListSessions returns the keys of a tenant's sessions, in a defined order, of a namespace
// and user where these are not nil. limit is 1 to MaxPage, offset at least 0. Errors:
// Invalid, Unavailable.
func (s *Service) ListSessions(ctx context.Context, t Tenant, namespace, userID *string, limit, offset int) (session.Listing, error) {
	var c checks
	checkRange(&c, new(int64(limit)), 1, MaxPage, "limit")
	checkRange(&c, new(int64(offset)), 0, math.MaxInt64, "offset")
	if err := c.invalid(); err != nil {
		return session.Listing{}, err
	}
	ns, user, mine := narrowed(t, namespace, userID)
	if !mine {
		return session.Listing{}, nil
	}
	page, err := s.sessions.List(ctx, session.ListOptions{Namespace: ns, UserID: user, Limit: limit, Offset: offset})
	return page, s.fail(ctx, err)
}

// GetSession returns a session, with those of its messages that a View asks for: the last
// ones that fit its window, but one at least. Nothing is written. Errors: NotFound,
// Internal for one that is damaged, Unavailable.
func (s *Service) GetSession(ctx context.Context, t Tenant, ref Ref, v View) (*Session, error) {
	found, err := s.read(ctx, t, ref, v)
	if err != nil {
		return nil, err
	}
	return s.withUsage(found, v.Model, v.Window), nil
}

// withUsage adds the usage of a window that a caller names.
func (s *Service) withUsage(found *session.Session, model string, window int64) *Session {
	answer := &Session{Session: found}
	if usage, ok := s.sessions.Usage(found.Tokens(), windowOptions(model, window)); ok {
		answer.Usage = &usage
	}
	return answer
}

// read is GetSession without the usage.
func (s *Service) read(ctx context.Context, t Tenant, ref Ref, v View) (*session.Session, error) {
	opts := &session.LoadOptions{Tokens: s.sessions.Window(windowOptions(v.Model, v.Window))}
	if v.Recent <= 0 {
		return s.load(ctx, t, ref, opts)
	}
	found, err := s.load(ctx, t, ref, nil) // the last ones by time may stand anywhere
	if err != nil {
		return nil, err
	}
	found.Messages = fitting(recent(found.Messages, v.Recent), opts.Tokens)
	return found, nil
}

// load reads the session that a request is about. Errors: as of GetSession.
func (s *Service) load(ctx context.Context, t Tenant, ref Ref, opts *session.LoadOptions) (*session.Session, error) {
	key, err := s.key(ctx, t, ref)
	if err != nil {
		return nil, err
	}
	found, err := s.sessions.Load(ctx, key, opts)
	if err != nil {
		return nil, without(ref, s.fail(ctx, err))
	}
	return found, nil
}

// DeleteSession removes the session that a request is about, and is content if there is
// none. With versions it removes the session only in one of these. Errors: NotFound if several
// are meant, Stale, Unavailable.
func (s *Service) DeleteSession(ctx context.Context, t Tenant, ref Ref, versions *Versions) error {
	if _, _, _, ok := ref.resolve(t); !ok {
		if versions != nil {
			return stale(ref)
		}
		return nil
	}
	key, err := s.key(ctx, t, ref)
	if err != nil {
		return err
	}
	if versions == nil {
		return s.fail(ctx, s.sessions.Delete(ctx, key))
	}
	return s.deleteMatching(ctx, ref, key, versions)
}

func (s *Service) deleteMatching(ctx context.Context, ref Ref, key session.Key, versions *Versions) error {
	found, err := s.sessions.Load(ctx, key, &session.LoadOptions{Last: -1})
	switch {
	case err != nil:
		if err = s.fail(ctx, err); isKind(NotFound, err) {
			return stale(ref)
		}
		return err
	case !versions.has(found.Version()):
		return stale(ref)
	case versions.Any: // whatever others write now
		return s.fail(ctx, s.sessions.Delete(ctx, key))
	}
	if err = s.fail(ctx, s.sessions.DeleteVersion(ctx, key, found.Version())); isKind(Conflict, err) {
		return stale(ref)
	}
	return err
}

// windowOptions says which window a request names.
func windowOptions(model string, window int64) *session.WriteOptions {
	const largest = 1 << 40 // of no model; more would overflow
	return &session.WriteOptions{Model: model, Window: int(min(max(window, 0), largest))}
}
