package postgresstore

import (
	"context"
	"time"
)

// sweepSize is how many sessions are removed in one transaction.
const sweepSize = 100

// Sweep removes the sessions that have expired, and returns how many it removed.
// Several processes can sweep at once: they leave each other's sessions alone, and
// those that are being written. It keeps no writer waiting for longer than it takes
// to remove 100 sessions.
func (s *Store) Sweep(ctx context.Context) (int, error) {
	var removed int
	err := s.call(ctx, "sweep", nil, func() error {
		for {
			tag, err := s.pool.Exec(ctx, s.sql.sweep, int64(sweepSize))
			removed += int(tag.RowsAffected())
			if err != nil || tag.RowsAffected() < sweepSize {
				return err
			}
		}
	})
	return removed, err
}

// sweepOften sweeps until the context ends.
func (s *Store) sweepOften(ctx context.Context) {
	ticker := time.NewTicker(s.opts.SweepInterval)
	defer ticker.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-ticker.C:
			if _, err := s.Sweep(ctx); err != nil && ctx.Err() == nil {
				s.opts.Logger.WarnContext(ctx, "postgresstore: sessions that expired could not be removed", "error", err)
			}
		}
	}
}
