package service

import (
	"context"
	"math"

	"github.com/go-workingmemory/workingmemory/memory/session"
)

// View describes how to read a session.
type View struct {
	// Model or Window, in tokens, sets the context window that the messages must fit. Window
	// takes precedence; 0 or less means unset. If neither is set, all messages fit.
	Model  string
	Window int64
	// Recent is the maximum number of messages, the last ones by time. 0 or less means all.
	Recent int64
}

// WriteView describes how to write a session.
type WriteView struct {
	// Ref names the session. Nil parts are the tenant's.
	Ref
	// Model and Window are as in View. They apply to summaries, also of later writes that set
	// neither.
	Model  string
	Window int64
	// TTLSeconds is the lifetime of the session from now, 1 to MaxTTLSeconds. If nil, an
	// existing expiry is kept.
	TTLSeconds *int64
	// If requires that the session exists in one of the versions, IfNot that it does not. If
	// nil, there is no condition.
	If, IfNot *Versions
	// Minimal allows the returned session to have no messages.
	Minimal bool
}

// Session is a session that was read or written.
type Session struct {
	*session.Session
	// Usage is that of the window that the call named, or nil if it named none.
	Usage *session.Usage
}

// ListSessions returns the keys of a tenant's sessions in a defined order, restricted to
// namespace and userID if they are not nil. limit is 1 to MaxPage, offset at least 0. Errors:
// Invalid, Unavailable.
func (s *Service) ListSessions(ctx context.Context, t Tenant, namespace, userID *string, limit, offset int) (session.Listing, error) {
	var c checks
	checkRange(&c, new(int64(limit)), 1, MaxPage, "limit")
	checkRange(&c, new(int64(offset)), 0, math.MaxInt64, "offset")
	if err := c.invalid(); err != nil {
		return session.Listing{}, err
	}
	ns, user, allowed := narrowed(t, namespace, userID)
	if !allowed {
		return session.Listing{}, nil
	}
	page, err := s.sessions.List(ctx, session.ListOptions{Namespace: ns, UserID: user, Limit: limit, Offset: offset})
	return page, s.reportError(ctx, err)
}

// GetSession returns a session with the last messages that fit the view, at least one. It
// writes nothing. Errors: NotFound, Internal for a damaged session, Unavailable.
func (s *Service) GetSession(ctx context.Context, t Tenant, ref Ref, v View) (*Session, error) {
	found, err := s.read(ctx, t, ref, v)
	if err != nil {
		return nil, err
	}
	return s.withUsage(found, v.Model, v.Window), nil
}

// withUsage adds the usage of the window that a call names.
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
	found, err := s.load(ctx, t, ref, nil) // the last messages by time may be anywhere
	if err != nil {
		return nil, err
	}
	found.Messages = lastWithin(lastByTime(found.Messages, v.Recent), opts.Tokens)
	return found, nil
}

// load reads the session that a request means. Errors: as GetSession.
func (s *Service) load(ctx context.Context, t Tenant, ref Ref, opts *session.LoadOptions) (*session.Session, error) {
	key, err := s.key(ctx, t, ref)
	if err != nil {
		return nil, err
	}
	found, err := s.sessions.Load(ctx, key, opts)
	if err != nil {
		return nil, withSession(ref, s.reportError(ctx, err))
	}
	return found, nil
}

// DeleteSession deletes the session that a request means. A session that does not exist is no
// error. If versions is not nil, the session must exist in one of them. Errors: NotFound if
// the request means several sessions, Stale, Unavailable.
func (s *Service) DeleteSession(ctx context.Context, t Tenant, ref Ref, versions *Versions) error {
	if _, _, _, ok := ref.resolve(t); !ok {
		if versions != nil {
			return staleError(ref)
		}
		return nil
	}
	key, err := s.key(ctx, t, ref)
	if err != nil {
		return err
	}
	if versions == nil {
		err = s.reportError(ctx, s.sessions.Delete(ctx, key))
	} else {
		err = s.deleteMatching(ctx, ref, key, versions)
	}
	if err == nil {
		s.forgetJournal(key)
	}
	return err
}

func (s *Service) deleteMatching(ctx context.Context, ref Ref, key session.Key, versions *Versions) error {
	found, err := s.sessions.Load(ctx, key, &session.LoadOptions{Last: -1})
	switch {
	case err != nil:
		if err = s.reportError(ctx, err); isKind(NotFound, err) {
			return staleError(ref)
		}
		return err
	case !versions.has(found.Version()):
		return staleError(ref)
	case versions.Any: // concurrent writes do not matter
		return s.reportError(ctx, s.sessions.Delete(ctx, key))
	}
	if err = s.reportError(ctx, s.sessions.DeleteVersion(ctx, key, found.Version())); isKind(Conflict, err) {
		return staleError(ref)
	}
	return err
}

// windowOptions returns the options of the window that a request names.
func windowOptions(model string, window int64) *session.WriteOptions {
	const largest = 1 << 40 // beyond any model; larger windows would overflow
	return &session.WriteOptions{Model: model, Window: int(min(max(window, 0), largest))}
}
