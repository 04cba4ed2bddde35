package sqlitestore

import (
	"context"
	"database/sql"
	"errors"
	"time"

	"github.com/go-workingmemory/workingmemory/memory/session/driver"
)

const selectDue = `SELECT key FROM sessions WHERE due_at <= ? AND (expires_at IS NULL OR expires_at > ?)
	ORDER BY due_at LIMIT ?`

// Due implements driver.Store.
func (s *Store) Due(ctx context.Context, by time.Time, limit int) ([]driver.Key, error) {
	keys, err := s.reader.due(ctx, by.UnixMilli(), s.now(), limit)
	if errors.Is(err, driver.ErrKey) {
		err = &FileError{Path: s.path, Err: ErrDamaged}
	}
	if err != nil {
		return nil, s.failed(ctx, "listing due sessions", driver.Key{}, err)
	}
	return keys, nil
}

func (r *reader) due(ctx context.Context, by, now int64, limit int) ([]driver.Key, error) {
	rows, err := r.db.QueryContext(ctx, selectDue, by, now, max(limit, 0))
	if err != nil {
		return nil, err
	}
	return scanKeys(rows)
}

// scanKeys scans rows of keys.
func scanKeys(rows *sql.Rows) (keys []driver.Key, err error) {
	err = forEach(rows, func(scan func(...any) error) error {
		var text string
		if err := scan(&text); err != nil {
			return err
		}
		key, err := driver.ParseKey(text)
		keys = append(keys, key)
		return err
	})
	return keys, err
}
