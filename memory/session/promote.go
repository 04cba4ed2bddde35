package session

import (
	"context"

	"github.com/go-workingmemory/workingmemory/memory/session/promotion"
)

// Promote promotes a session now, all of it, whether it is due or not. Memories that
// the long-term memory refuses are no error. The error is the outcome's: promotion.ErrBusy if
// another is at it, ErrNoLongTerm, ErrKey, ErrNotFound, *FormatError, *DamagedError,
// ErrUnavailable, ErrClosed, and what the long-term memory failed with, after which it
// is tried again in the background.
func (m *Manager) Promote(ctx context.Context, key Key) (promotion.Outcome, error) {
	err := key.Check()
	if m.promotions == nil {
		err = ErrNoLongTerm
	}
	if err != nil {
		return promotion.Outcome{Err: err}, err
	}
	outcome := m.promotions.Promote(ctx, key, true)
	return outcome, outcome.Err
}
