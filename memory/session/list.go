package session

import (
	"context"
	"fmt"
)

// List returns a page of the keys of the sessions that match o, in the bytewise order of
// Key.String, and the number of all that match. Errors: ErrUnavailable, ErrClosed.
func (m *Manager) List(ctx context.Context, o ListOptions) (Listing, error) {
	if o.Limit == 0 {
		o.Limit = DefaultListLimit
	}
	page, err := m.store.List(ctx, o)
	if err != nil {
		return Listing{}, fmt.Errorf("session: listing: %w", err)
	}
	return page, nil
}

// Find returns the key of the session with a session id, in a namespace and of a user if
// these are not nil. If several sessions match, it returns the one whose namespace or user
// is empty where the argument is nil. Errors: ErrNotFound, also if none of several is that
// one; ErrUnavailable, ErrClosed.
func (m *Manager) Find(ctx context.Context, sessionID string, namespace, userID *string) (Key, error) {
	page, err := m.List(ctx, ListOptions{SessionID: &sessionID, Namespace: namespace, UserID: userID, Limit: -1})
	if err != nil {
		return Key{}, err
	}
	exact := Key{SessionID: sessionID}
	if namespace != nil {
		exact.Namespace = *namespace
	}
	if userID != nil {
		exact.UserID = *userID
	}
	for _, key := range page.Keys {
		if key == exact || len(page.Keys) == 1 {
			return key, nil
		}
	}
	if len(page.Keys) > 1 {
		return Key{}, fmt.Errorf("session: finding: %w: %d sessions have this id", ErrNotFound, len(page.Keys))
	}
	return Key{}, fmt.Errorf("session: finding: %w", ErrNotFound)
}
