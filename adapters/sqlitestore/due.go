package sqlitestore

import (
	"context"
	"fmt"
	"time"

	"github.com/go-workingmemory/workingmemory/memory/session"
)

// Due implements session.Store.
func (s *Store) Due(ctx context.Context, by time.Time, limit int) ([]session.Key, error) {
	return nil, fmt.Errorf("sqlitestore: due: %w", session.ErrClosed)
}
