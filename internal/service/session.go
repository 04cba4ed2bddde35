package service

import (
	"context"
	"math"
	"slices"

	"github.com/go-workingmemory/workingmemory/adapters/server/wire"
	"github.com/go-workingmemory/workingmemory/memory/session"
)

// View says how a session is read.
type View struct {
	// Model and Window say for which context window, in tokens; without them it is any.
	// Window comes before Model. 0 or less: not given.
	Model  string
	Window int64
	// Recent is how many messages are answered, the last ones by their time. 0 or less:
	// all.
	Recent int64
}

// WriteView says how a session is written.
type WriteView struct {
	Ref
	// Model and Window are as in View. They count for summaries, also of later writes that
	// say nothing of them.
	Model  string
	Window int64
	// TTLSeconds is used where the body has none. nil: a running expiry stays.
	TTLSeconds *int64
	// IfMatch and IfNoneMatch are the headers of these names, "" where there is none.
	IfMatch, IfNoneMatch string
	// Minimal leaves messages, memories, data and entities out of the answer.
	Minimal bool
}

// ListSessions returns the ids of a tenant's sessions, in a defined order, of a namespace
// and user where these are not nil. limit is 1 to wire.MaxPage, offset at least 0. Errors:
// Invalid, Unavailable.
func (s *Service) ListSessions(ctx context.Context, t Tenant, namespace, userID *string, limit, offset int) (*wire.SessionList, error) {
	if err := invalidIf(slices.Concat(
		wire.Within(int64(limit), 1, wire.MaxPage, "query", "limit"),
		wire.Within(int64(offset), 0, math.MaxInt64, "query", "offset"),
	)); err != nil {
		return nil, err
	}
	list := &wire.SessionList{Sessions: []string{}}
	ns, user, mine := narrowed(t, namespace, userID)
	if !mine {
		return list, nil
	}
	page, err := s.sessions.List(ctx, session.Filter{Namespace: ns, UserID: user, Limit: limit, Offset: offset})
	if err != nil {
		return nil, s.fail(ctx, err)
	}
	for _, key := range page.Keys {
		list.Sessions = append(list.Sessions, key.SessionID)
	}
	list.Total = page.Total
	return list, nil
}

// GetSession returns a session, with those of its messages that a View asks for: the last
// ones that fit its window, but one at least. Nothing is written. Errors: NotFound,
// Internal for one that is damaged, Unavailable.
func (s *Service) GetSession(ctx context.Context, t Tenant, ref Ref, v View) (*wire.Session, error) {
	found, err := s.read(ctx, t, ref, v)
	if err != nil {
		return nil, err
	}
	return s.answer(found, v.Model, v.Window, false), nil
}

// read is GetSession, before the wire.
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
// none. With ifMatch, an If-Match header, it removes one that matches alone. Errors:
// NotFound if several are meant, Stale, Unavailable.
func (s *Service) DeleteSession(ctx context.Context, t Tenant, ref Ref, ifMatch string) error {
	if _, _, _, ok := ref.of(t); !ok {
		if ifMatch != "" {
			return stale(ref)
		}
		return nil
	}
	key, err := s.key(ctx, t, ref)
	if err != nil {
		return err
	}
	if ifMatch == "" {
		return s.fail(ctx, s.sessions.Delete(ctx, key))
	}
	return s.deleteMatching(ctx, ref, key, parseTags(ifMatch))
}

func (s *Service) deleteMatching(ctx context.Context, ref Ref, key session.Key, tags tags) error {
	found, err := s.sessions.Load(ctx, key, &session.LoadOptions{Last: -1})
	switch {
	case err != nil:
		if err = s.fail(ctx, err); of(NotFound, err) {
			return stale(ref)
		}
		return err
	case !tags.match(found.Version()):
		return stale(ref)
	case tags.any: // also what others make of it meanwhile
		return s.fail(ctx, s.sessions.Delete(ctx, key))
	}
	if err = s.fail(ctx, s.sessions.DeleteVersion(ctx, key, found.Version())); of(Conflict, err) {
		return stale(ref)
	}
	return err
}

// windowOptions says which window a request names.
func windowOptions(model string, window int64) *session.WriteOptions {
	const largest = 1 << 40 // of no model; more would overflow
	return &session.WriteOptions{Model: model, Window: int(min(max(window, 0), largest))}
}
