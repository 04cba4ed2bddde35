package session

import (
	"context"

	"github.com/go-workingmemory/workingmemory/memory/session/promotion"
)

// Promote promotes all of a session now, whether it is due or not. Memories that the
// long-term memory refuses are not an error. The error is that of the outcome:
// promotion.ErrBusy if another worker has the lease, ErrNoLongTerm, ErrKey, ErrNotFound,
// *FormatError, *DamagedError, ErrUnavailable, ErrClosed, and that of the long-term memory,
// after which a worker tries again.
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
