package sqlitestore

import (
	"context"
	"log/slog"
	"time"
)

// sweepEvery sweeps at an interval until ctx ends.
func (s *Store) sweepEvery(ctx context.Context, interval time.Duration) {
	ticker := time.NewTicker(interval)
	defer ticker.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-ticker.C:
			if _, err := s.Sweep(ctx); err != nil && ctx.Err() == nil {
				s.opts.Logger.WarnContext(ctx, "sweeping expired sessions failed", slog.Any("error", err))
			}
		}
	}
}
