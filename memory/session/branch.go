package session

import (
	"context"
	"errors"

	"github.com/go-workingmemory/workingmemory/memory/handle"
)

// Branch creates a session that starts as a copy of another one. Its messages keep their
// ids, and it expires when the other session would, unless opts give a TTL. It knows the handles
// of the other session, and gives out others than that one and its other branches, for which the
// other session is written if it has handles. If the store keeps results, they are copied too; if
// that fails, the new session is removed. Errors: ErrConflict if the session exists, and those of
// Load, Save, UpdateHead and PutResult.
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
	if branch.Handles, err = m.branchHandles(ctx, branch); err != nil {
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
	if err := m.copyResults(ctx, from, to); err != nil {
		return nil, errors.Join(err, m.undoBranch(ctx, branch))
	}
	return branch, nil
}

// branchHandles returns the handles of a branch of a session, which it writes if it has any: it
// counts its branches.
func (m *Manager) branchHandles(ctx context.Context, from *Session) (branch *handle.Table, err error) {
	if from.Handles.IsEmpty() {
		return from.Handles, nil
	}
	_, err = m.UpdateHead(ctx, from.Key, func(s *Session) error {
		branch = s.Handles.Branch()
		return nil
	}, nil)
	return branch, err
}
