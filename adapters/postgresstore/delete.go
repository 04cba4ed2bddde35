package postgresstore

import (
	"context"

	"github.com/go-workingmemory/workingmemory/memory/session"
)

// Delete implements session.Store. The messages go with the session.
func (s *Store) Delete(ctx context.Context, key session.Key, where *session.Condition) error {
	return s.call(ctx, "delete", &key, func() error {
		if where == nil {
			_, err := s.pool.Exec(ctx, s.sql.remove, hashOf(key))
			return err
		}
		tag, err := s.pool.Exec(ctx, s.sql.removeIf, hashOf(key), int64(where.Revision), int64(where.Next))
		if err == nil && tag.RowsAffected() == 0 {
			return session.ErrConflict
		}
		return err
	})
}
