package sqlitestore

import (
	"cmp"
	"context"
	"time"

	"github.com/go-workingmemory/workingmemory/memory/longterm/driver"
)

// Touch implements driver.Index.
func (x *Index) Touch(ctx context.Context, keys []driver.RecordKey, at time.Time) error {
	if len(keys) > driver.MaxChanges {
		return tooMany("touching records", len(keys))
	}
	once := make(map[driver.RecordKey]bool, len(keys))
	for _, key := range keys {
		once[key] = true
	}
	err := x.store.writer.do(ctx, func(t *tx) error {
		version, err := t.nextVersion()
		for key := range once {
			if err = cmp.Or(err, ctx.Err()); err != nil {
				break
			}
			_, err = t.exec(updateAccess, micros(at), version, key.Namespace, key.UserID, key.ID)
		}
		return err
	})
	return x.failed(ctx, "touching records", err)
}

// In SQLite, max is NULL if an argument is NULL.
const updateAccess = `UPDATE records SET accessed_at = coalesce(max(accessed_at, ?1), accessed_at, ?1), accesses = accesses + 1, version = ?2
	WHERE owner = (SELECT id FROM owners WHERE namespace = ?3 AND user_id = ?4) AND key = ?5`
