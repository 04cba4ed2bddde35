package session

import (
	"context"
)

// Branch creates a session that starts as a copy of another one. Its messages keep their
// ids, and it expires when the other session would, unless opts give a TTL. Errors:
// ErrConflict if the session exists, and those of Load and Save.
func (m *Manager) Branch(ctx context.Context, from, to Key, opts *WriteOptions) (*Session, error) {
	if err := to.Check(); err != nil {
		return nil, err
	}
	branch, err := m.Load(ctx, from, nil)
	if err != nil {
		return nil, err
	}
	carried, err := m.carried(opts)
	if err != nil {
		return nil, err
	}
	now := m.Now()
	if expires := branch.ExpiresAt(); !expires.IsZero() && (opts == nil || opts.TTL == 0) {
		carried.ttl = max(expires.Sub(now), 1)
	}
	if carried.window == 0 {
		carried.window = branch.from.At.Window
	}
	branch.Key, branch.CreatedAt, branch.LastAccessed = to, now, now
	branch.from = origin{complete: true}
	if err := m.save(ctx, branch, &WriteOptions{TTL: carried.ttl, Window: int(carried.window)}); err != nil {
		return nil, err
	}
	return branch, nil
}
