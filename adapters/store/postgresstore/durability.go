package postgresstore

import (
	"context"

	"github.com/go-workingmemory/workingmemory/memory/session/driver"
)

var (
	_ driver.DurabilityReporter = (*Store)(nil)
	_ driver.DurabilityReporter = (*Index)(nil)
)

// Durability implements driver.DurabilityReporter, by the settings fsync and synchronous_commit
// of the store's connections.
func (s *Store) Durability(ctx context.Context) (driver.Durability, error) {
	var sync, commit string
	err := s.call(ctx, "durability", nil, func() error {
		return s.pool.QueryRow(ctx, `SELECT current_setting('fsync'), current_setting('synchronous_commit')`).Scan(&sync, &commit)
	})
	if err != nil {
		return driver.Durability{}, err
	}
	d := driver.Durability{Level: driver.DurabilitySynced, Settings: "fsync=" + sync + " synchronous_commit=" + commit}
	if sync == "off" || commit == "off" {
		d.Level = driver.DurabilityDelayed
	}
	return d, nil
}

// Durability implements driver.DurabilityReporter: see Store.Durability.
func (x *Index) Durability(ctx context.Context) (driver.Durability, error) {
	return x.store.Durability(ctx)
}
