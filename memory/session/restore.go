package session

import (
	"context"
	"time"

	"github.com/go-workingmemory/workingmemory/internal/callee"
	"github.com/go-workingmemory/workingmemory/memory/session/driver"
	"github.com/go-workingmemory/workingmemory/memory/session/internal/head"
	"github.com/go-workingmemory/workingmemory/memory/session/internal/promote"
)

// rebuilt returns a session that is not there, of its messages in long-term memory.
// Errors: missing, if there are none, and that of the LongTerm.
func (m *Manager) rebuilt(ctx context.Context, key Key, missing error) (*Session, error) {
	if !m.promotions.Rebuilds() {
		return nil, missing
	}
	messages, _, err := m.promotions.Messages(ctx, key)
	if err != nil {
		return nil, err
	}
	if len(messages) == 0 {
		return nil, missing
	}
	s := m.New(key)
	at := driver.Position{First: 1, Next: uint64(len(messages)) + 1, UpdatedAt: messages[len(messages)-1].CreatedAt}
	for i := range messages {
		at.Tokens += int64(messages[i].Tokens)
	}
	s.Messages, s.LastAccessed, s.from.At = messages, at.UpdatedAt, at
	s.from.Messages = head.Clone(messages)
	return s, nil
}

// restorePatience is how long a write waits for what long-term memory kept of its session.
const restorePatience = 5 * time.Second

// restoreNow restores a session in a write, which does not wait for long.
func (m *Manager) restoreNow(ctx context.Context, key Key, c carried) (promote.Restored, error) {
	ctx, cancel := context.WithTimeout(ctx, restorePatience)
	defer cancel()
	return m.promotions.Restore(ctx, key, c.ttl, c.window)
}

// restoreAppended restores a session that an Append made, of which Append.Head says so.
// Where that fails it is done in the background: the session is due, and still says so.
func (m *Manager) restoreAppended(ctx context.Context, key Key, appended *Appended) {
	done, err := m.restoreNow(ctx, key, carried{})
	if err != nil {
		m.opts.Logger.WarnContext(ctx, "session: it was not looked whether it is to be rebuilt", "session", key.Short(), "error", callee.Loggable(err))
		return
	}
	if done.At.Revision == 0 {
		return
	}
	appended.at = done.At
	if len(done.Messages) == 0 {
		return
	}
	kept := make(map[string]bool, len(done.Messages))
	for i := range done.Messages {
		kept[done.Messages[i].ID] = true
	}
	for i := range appended.Messages {
		appended.Messages[i].Seq = 0 // they moved behind those
		if kept[appended.Messages[i].ID] {
			appended.Added--
		}
	}
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
