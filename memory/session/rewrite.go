package session

import (
	"context"
	"fmt"
)

// rewrite writes what fn makes of a head as it is now, with whatever others wrote into
// it meanwhile. fn may be called several times. It returns the head with where the
// session stands then.
func (m *Manager) rewrite(ctx context.Context, key Key, doing string, fn func(head *Session, w *Write) error) (*Session, error) {
	var head *Session
	err := retry(ctx, func() (err error) {
		if head, err = m.load(ctx, key, 0); err != nil {
			return err
		}
		w := Write{If: Condition{Revision: head.from.at.Revision}, Format: Format, Now: m.now()}
		if err := fn(head, &w); err != nil {
			return err
		}
		if w.Head, err = encodeHead(head); err != nil {
			return err
		}
		at, err := m.store.Write(ctx, key, w)
		if err != nil {
			return fmt.Errorf("session: %s: %w", doing, err)
		}
		head.from.at = at
		return nil
	})
	return head, err
}
