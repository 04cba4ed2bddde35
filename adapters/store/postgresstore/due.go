package postgresstore

import (
	"context"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/go-workingmemory/workingmemory/memory/session/driver"
)

// Due implements driver.Store. It takes one round trip and reads an index of the sessions that
// have a due time.
func (s *Store) Due(ctx context.Context, by time.Time, limit int) ([]driver.Key, error) {
	var keys []driver.Key
	err := s.call(ctx, "due", nil, func() error {
		rows, err := s.pool.Query(ctx, s.sql.due, inRange(by), int64(max(limit, 0)))
		if err != nil {
			return err
		}
		keys, err = pgx.CollectRows(rows, scanKey)
		return err
	})
	if err != nil || len(keys) == 0 {
		return nil, err
	}
	return keys, nil
}

func scanKey(row pgx.CollectableRow) (driver.Key, error) {
	var text string
	if err := row.Scan(&text); err != nil {
		return driver.Key{}, err
	}
	key, err := driver.ParseKey(text)
	if err != nil {
		return driver.Key{}, &driver.DamagedError{Part: "key", Err: err}
	}
	return key, nil
}

// inRange limits a time to the range of PostgreSQL, 4714 BC to AD 294276. The result compares
// with stored times in the same way.
func inRange(t time.Time) time.Time {
	first, last := time.Date(-4000, 1, 1, 0, 0, 0, 0, time.UTC), time.Date(200_000, 1, 1, 0, 0, 0, 0, time.UTC)
	switch {
	case t.Before(first):
		return first
	case t.After(last):
		return last
	}
	return t.UTC()
}
