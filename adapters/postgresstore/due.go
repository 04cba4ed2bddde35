package postgresstore

import (
	"context"
	"fmt"
	"time"

	"github.com/go-workingmemory/workingmemory/memory/session"
)

// Due implements session.Store.
func (s *Store) Due(ctx context.Context, by time.Time, limit int) ([]session.Key, error) {
	return nil, fmt.Errorf("postgresstore: due: %w", session.ErrClosed)
}
