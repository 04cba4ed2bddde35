package postgresstore

import (
	"context"
	"fmt"

	"github.com/go-workingmemory/workingmemory/memory/session/driver"
)

// Delete implements driver.Store.
func (s *Store) Delete(ctx context.Context, key driver.Key, where *driver.Condition) error {
	text, arguments := s.sql.remove, []any{hashOf(key)}
	if where != nil {
		text, arguments = s.sql.removeIf, append(arguments, int64(where.Revision), int64(where.Next))
	}
	return s.call(ctx, "delete", &key, func() error {
		tag, err := s.pool.Exec(ctx, text, arguments...)
		switch {
		case err != nil && tag.RowsAffected() > 0:
			return fmt.Errorf("%w: %w", errAnswered, err)
		case err == nil && where != nil && tag.RowsAffected() == 0:
			return driver.ErrConflict
		}
		return err
	})
}
