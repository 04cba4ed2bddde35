package session

import (
	"context"
	"errors"

	"github.com/go-workingmemory/workingmemory/internal/callee"
	"github.com/go-workingmemory/workingmemory/internal/contention"
	"github.com/go-workingmemory/workingmemory/memory/session/internal/head"
)

// Update reads a session with all its messages, calls fn to change it, and writes it if it
// was not changed concurrently. Otherwise it tries again with the new state, up to 100
// times. A session that does not exist is a new one, with Version 0. fn may be called
// several times and must have no other effects; an error from it ends the update without a
// write. Nothing is written either if fn changes nothing and opts give no TTL and no
// window.
//
// It returns the session as written. Errors: those of Load and Save except ErrNotFound,
// and that of fn.
func (m *Manager) Update(ctx context.Context, key Key, fn func(*Session) error, opts *WriteOptions) (*Session, error) {
	return m.update(ctx, key, -1, fn, opts)
}

// UpdateHead is Update without the messages: the session that fn gets has none, and those
// that fn adds are appended, except for those whose ids are in the session. Unlike Append,
// it adds a message again that has left the session. Concurrent appends are no conflict.
func (m *Manager) UpdateHead(ctx context.Context, key Key, fn func(*Session) error, opts *WriteOptions) (*Session, error) {
	return m.update(ctx, key, 0, fn, opts)
}

func (m *Manager) update(ctx context.Context, key Key, last int, fn func(*Session) error, opts *WriteOptions) (*Session, error) {
	if err := key.Check(); err != nil {
		return nil, err
	}
	var s *Session
	err := head.Retry(ctx, func() (err error) {
		s, err = m.load(ctx, key, last)
		if errors.Is(err, ErrNotFound) {
			s, err = m.begin(ctx, key, last, opts)
		}
		if err != nil {
			return err
		}
		if last == 0 {
			s.from.complete, s.from.none = false, true
		}
		if err := fn(s); err != nil {
			return contention.Final(err)
		}
		return m.save(ctx, s, opts)
	})
	if err != nil {
		return nil, err
	}
	return s, nil
}

// begin returns a session that does not exist in the store: restored if long-term memory
// has its messages, else a new one.
func (m *Manager) begin(ctx context.Context, key Key, last int, opts *WriteOptions) (*Session, error) {
	if !m.promotions.Rebuilds() {
		return m.New(key), nil
	}
	carried, err := m.carried(opts)
	if err != nil {
		return nil, err
	}
	s := m.New(key)
	done, err := m.restoreNow(ctx, key, carried)
	switch {
	case ctx.Err() != nil:
		return nil, err
	case err != nil: // a worker restores it
		m.opts.Logger.WarnContext(ctx, "session: checking for a rebuild failed", "session", key.Short(), "error", callee.Loggable(err))
		s.from.Promotion.Unrestored = true
	case done.At.Revision != 0:
		return m.load(ctx, key, last)
	}
	return s, nil
}
