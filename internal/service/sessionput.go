package service

import (
	"context"
	"time"

	"github.com/go-workingmemory/workingmemory/adapters/server/wire"
	"github.com/go-workingmemory/workingmemory/memory/session"
)

// PutSession replaces a session by a body, or makes it, and returns it as it is then, after
// a summary that it was due for, with what its client should be warned of. The id is that of
// the Ref. Errors: Bad, Invalid, Forbidden, Stale, Conflict, TooLarge, Internal for one that
// is damaged, Unavailable; with any of them but the last nothing was changed.
//
// Clients send back what they were answered, without what their types do not know, to add
// something to it: see replacement for what therefore stays. Memories of other owners than
// the session go into long-term memory first: see others. A write that then fails has not
// changed the session; they stay.
func (s *Service) PutSession(ctx context.Context, t Tenant, v WriteView, body *wire.SessionBody) (*wire.Session, []string, error) {
	if err := invalidIf(body.Check(s.sessions.Now())); err != nil {
		return nil, nil, err
	}
	key, err := writeKey(t, v.Ref, body.Namespace, body.UserID)
	if err != nil {
		return nil, nil, err
	}
	opts, err := v.options(body.TTLSeconds)
	if err != nil {
		return nil, nil, err
	}
	r, err := s.replacement(t, &v, body)
	if err != nil {
		return nil, nil, err
	}
	written, err := s.sessions.Update(ctx, key, func(found *session.Session) error {
		if err := v.check(found); err != nil {
			return err
		}
		if err := r.apply(found); err != nil {
			return err
		}
		return s.persistOthers(ctx, t, r, found)
	}, opts)
	if err != nil {
		return nil, nil, s.fail(ctx, err)
	}
	return s.answer(written, v.Model, v.Window, v.Minimal), warnings(body.Messages), nil
}

// options are what a write brings beside what it writes. The body's TTL, which was checked,
// comes before the query's. Errors: Invalid.
func (v *WriteView) options(body *wire.Int) (*session.WriteOptions, error) {
	opts := windowOptions(v.Model, v.Window)
	switch {
	case body != nil:
		opts.TTL = time.Duration(*body) * time.Second
	case v.TTLSeconds != nil:
		opts.TTL = time.Duration(*v.TTLSeconds) * time.Second
		return opts, invalidIf(wire.Within(*v.TTLSeconds, 1, wire.MaxTTLSeconds, "query", "ttl_seconds"))
	}
	return opts, nil
}

// warnings are what a client that sent messages should know.
func warnings(messages []wire.Message) []string {
	for i := range messages {
		if messages[i].CreatedAt == nil {
			return []string{"messages[].created_at will become required in the next major version. Please provide timestamps for all messages."}
		}
	}
	return nil
}
