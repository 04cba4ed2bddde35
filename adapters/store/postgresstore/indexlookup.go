package postgresstore

import (
	"context"

	"github.com/jackc/pgx/v5"

	"github.com/go-workingmemory/workingmemory/memory/longterm/driver"
	sessiondriver "github.com/go-workingmemory/workingmemory/memory/session/driver"
)

// lookup returns each entry once, whether found by key, by hash or by both.
const lookup = `SELECT ` + recordColumns + `, r.model, v.vector, r.origin
	FROM {schema}.records r LEFT JOIN {schema}.vectors v ON v.record = r.id WHERE r.id = ANY (ARRAY(
	SELECT k.id FROM unnest($1::bytea[], $2::bytea[]) w (owner, record_id) JOIN {schema}.records k USING (owner, record_id)
	UNION SELECT id FROM {schema}.records WHERE owner = $3 AND hash = ANY ($4::bytea[])))`

// Lookup implements driver.Index. It takes one round trip.
func (x *Index) Lookup(ctx context.Context, l driver.Lookup) ([]driver.Entry, error) {
	var entries []driver.Entry
	owners, ids := keyColumns(l.Keys)
	err := x.call(ctx, "look up records", func() error {
		rows, err := x.store.pool.Query(ctx, x.store.sql.lookup, owners, ids, ownerOf(l.Namespace, l.UserID), allBytes(l.Hashes))
		if err != nil {
			return err
		}
		reserve := sessiondriver.ReserveParts(ctx, x)
		entries, err = pgx.CollectRows(rows, func(row pgx.CollectableRow) (driver.Entry, error) { return scanEntry(row, reserve) })
		return err
	})
	if err != nil {
		return nil, err
	}
	return entries, nil
}

// keyColumns returns the owners and the ids of keys.
func keyColumns(keys []driver.RecordKey) (owners, ids [][]byte) {
	owners, ids = make([][]byte, len(keys)), make([][]byte, len(keys))
	for i, key := range keys {
		owners[i], ids[i] = ownerOf(key.Namespace, key.UserID), []byte(key.ID)
	}
	return owners, ids
}
