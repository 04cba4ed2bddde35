package session

import (
	"context"
	"errors"

	"github.com/go-workingmemory/workingmemory/internal/callee"
	"github.com/go-workingmemory/workingmemory/internal/contention"
	"github.com/go-workingmemory/workingmemory/memory/session/internal/head"
)

// Update reads a session with all its messages, lets fn change it, and writes it
// if nobody else changed it meanwhile; otherwise it does so again with what is
// there then, up to 100 times. A session that is not there is a new one, whose
// Version is 0. fn may be called several times, and must do nothing but change its
// session; the error it returns ends the update, and nothing is written. Nothing
// is written either where fn changes nothing and opts bring no TTL and no window.
//
// It returns the session as it was written. Errors: those of Load and Save but
// ErrNotFound, and that of fn.
func (m *Manager) Update(ctx context.Context, key Key, fn func(*Session) error, opts *WriteOptions) (*Session, error) {
	return m.update(ctx, key, -1, fn, opts)
}

// UpdateHead is Update without the messages, of any number: the session that fn
// gets has none, and those that it puts there are added at the end, but for those
// whose ids are in the session. Unlike Append it adds a message again that has left
// the session. What others append meanwhile is no conflict.
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

// begin returns a session that is not there as it is to be changed: restored, where
// long-term memory has its messages, else a new one.
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
	case err != nil: // it is done in the background
		m.opts.Logger.WarnContext(ctx, "session: it was not looked whether it is to be rebuilt", "session", key.Short(), "error", callee.Loggable(err))
		s.from.Promotion.Unrestored = true
	case done.At.Revision != 0:
		return m.load(ctx, key, last)
	}
	return s, nil
}
