package session

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/go-workingmemory/workingmemory/memory/session/driver"
)

// Delete removes a session, damaged or not, and its messages from long-term memory;
// what was promoted of it as memories stays there. A promotion that is on its way may
// bring some of the messages back, and removes them when it ends. It is no error if
// there is no such session. Errors: ErrKey, ErrUnavailable, ErrClosed, and that of
// Options.LongTerm, with which the session is deleted, and may be rebuilt.
func (m *Manager) Delete(ctx context.Context, key Key) error {
	return m.remove(ctx, key, nil)
}

// DeleteVersion removes a session that has a version still. Version 0 is that of one
// that would be rebuilt: if it is still not there, its messages leave long-term memory.
// Errors as of Delete, and ErrConflict if it has another version or, for others than 0,
// is not there.
func (m *Manager) DeleteVersion(ctx context.Context, key Key, version uint64) error {
	if err := key.Check(); err != nil {
		return err
	}
	r, err := m.store.Load(ctx, key, 0)
	switch {
	case errors.Is(err, ErrNotFound) && version == 0 && m.promotions.Rebuilds():
		return m.promotions.DeleteMessages(ctx, key, time.Time{})
	case errors.Is(err, ErrNotFound):
		return fmt.Errorf("session: deleting: %w", ErrConflict)
	case err != nil:
		return fmt.Errorf("session: deleting: %w", err)
	case r.Version() != version:
		return fmt.Errorf("session: deleting: %w", ErrConflict)
	}
	return m.remove(ctx, key, &driver.Condition{Revision: r.Revision, Next: r.Next})
}

func (m *Manager) remove(ctx context.Context, key Key, where *driver.Condition) error {
	if err := key.Check(); err != nil {
		return err
	}
	if err := m.store.Delete(ctx, key, where); err != nil {
		return fmt.Errorf("session: deleting: %w", err)
	}
	return m.promotions.DeleteMessages(ctx, key, time.Time{})
}
