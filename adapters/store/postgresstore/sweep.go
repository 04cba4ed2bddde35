package postgresstore

import (
	"context"
	"time"
)

// sweepSize is the number of sessions that one transaction removes.
const sweepSize = 100

// Sweep removes the expired sessions and returns their number. Several processes can sweep at
// once: each skips the sessions that others are removing or writing. A writer waits no longer
// than the removal of 100 sessions takes.
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

// sweepOften sweeps at Options.SweepInterval until ctx ends.
func (s *Store) sweepOften(ctx context.Context) {
	ticker := time.NewTicker(s.opts.SweepInterval)
	defer ticker.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-ticker.C:
			if _, err := s.Sweep(ctx); err != nil && ctx.Err() == nil {
				s.opts.Logger.WarnContext(ctx, "postgresstore: removing expired sessions failed", "error", err)
			}
		}
	}
}
