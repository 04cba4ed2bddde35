package sqlitestore

import (
	"cmp"
	"context"
	"database/sql"
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
		if err != nil {
			return err
		}
		blocks := newBlocks(t)
		for key := range once {
			if err := cmp.Or(ctx.Err(), blocks.touch(key, micros(at), version)); err != nil {
				return err
			}
		}
		return blocks.save(version)
	})
	return x.failed(ctx, "touching records", err)
}

// touch notes a use of a record.
func (b *blocks) touch(key driver.RecordKey, at sql.NullInt64, version int64) error {
	b.wrote = true
	var id int64
	var in, accessed sql.NullInt64
	err := b.query(func(scan func(...any) error) error { return scan(number(&id), optional(&in), optional(&accessed)) },
		updateAccess, at, version, key.Namespace, key.UserID, key.ID)
	if err != nil || !in.Valid {
		return err
	}
	block, err := b.block(in.Int64)
	if err != nil {
		return err
	}
	return block.setAccessed(id, accessed)
}

// In SQLite, max is NULL if an argument is NULL.
const updateAccess = `UPDATE records SET accessed_at = coalesce(max(accessed_at, ?1), accessed_at, ?1), accesses = accesses + 1, version = ?2
	WHERE owner = (SELECT id FROM owners WHERE namespace = ?3 AND user_id = ?4) AND key = ?5 RETURNING id, block, accessed_at`
