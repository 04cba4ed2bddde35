package session

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/go-workingmemory/workingmemory/memory/session/driver"
)

// Delete removes a session, damaged or not, and its messages from long-term memory.
// Promoted memories stay there. A promotion that is running may put some of the messages
// back, and removes them when it ends. Deleting a session that does not exist is not an
// error. Errors: ErrKey, ErrUnavailable, ErrClosed, and that of Options.LongTerm; with the
// last, the session is deleted but may be rebuilt.
func (m *Manager) Delete(ctx context.Context, key Key) error {
	return m.remove(ctx, key, nil)
}

// DeleteVersion removes a session if it still has a version. Version 0 is that of an
// expired session that Load rebuilds: if it still does not exist, its messages are removed
// from long-term memory. Errors: those of Delete, and ErrConflict if the session has another
// version or, for a version other than 0, does not exist.
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
