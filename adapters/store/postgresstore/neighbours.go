package postgresstore

import (
	"context"
	"fmt"

	"github.com/jackc/pgx/v5"

	"github.com/go-workingmemory/workingmemory/memory/longterm/driver"
)

// neighbours returns the ids of the messages around each record. Each subselect reads one entry
// of the index records_messages.
var neighbours = fmt.Sprintf(`SELECT w.n, p.record_id, f.record_id
	FROM unnest($1::bytea[], $2::bytea[]) WITH ORDINALITY w (owner, record_id, n)
	JOIN {schema}.records r ON r.owner = w.owner AND r.record_id = w.record_id AND r.type = 'message'
	LEFT JOIN LATERAL (%s) p ON true LEFT JOIN LATERAL (%s) f ON true`, messageBeside("<", "DESC"), messageBeside(">", "ASC"))

// messageBeside returns the query for the message before ("<", "DESC") or after (">", "ASC") a
// record r in its session.
func messageBeside(operator, direction string) string {
	return fmt.Sprintf(`SELECT m.record_id FROM {schema}.records m
		WHERE m.type = 'message' AND m.owner = r.owner AND m.session_id = r.session_id
			AND substring(m.session_id, 1, %[3]d) = substring(r.session_id, 1, %[3]d)
			AND (coalesce(m.created_at, '-infinity'), m.record_id) %[1]s (coalesce(r.created_at, '-infinity'), r.record_id)
		ORDER BY m.owner %[2]s, substring(m.session_id, 1, %[3]d) %[2]s, coalesce(m.created_at, '-infinity') %[2]s, m.record_id %[2]s LIMIT 1`,
		operator, direction, indexed)
}

// Neighbours implements driver.Index. It takes one round trip.
func (x *Index) Neighbours(ctx context.Context, keys []driver.RecordKey) ([]driver.Neighbours, error) {
	if len(keys) > driver.MaxChanges {
		return nil, fmt.Errorf("postgresstore: neighbours: %d keys exceed the limit of %d", len(keys), driver.MaxChanges)
	}
	all := make([]driver.Neighbours, len(keys))
	owners, ids := keyColumns(keys)
	err := x.call(ctx, "neighbours", func() error {
		rows, err := x.store.pool.Query(ctx, x.store.sql.neighbours, owners, ids)
		if err != nil {
			return err
		}
		var n int64
		var previous, next []byte
		_, err = pgx.ForEachRow(rows, []any{&n, &previous, &next}, func() error {
			all[n-1] = driver.Neighbours{Previous: string(previous), Next: string(next)}
			return nil
		})
		return err
	})
	if err != nil {
		return nil, err
	}
	return all, nil
}
