package postgresstore

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/go-workingmemory/workingmemory/memory/session/driver"
)

// chunkBytes is the size of all chunks of a result but the last.
const chunkBytes = 256 << 10

const (
	putResult = `SELECT {schema}.put_result($1, $2, $3, $4, $5, $6, $7, $8, $9)`

	selectResults = `SELECT r.result_id, r.size, r.meta, r.created_at
		FROM {schema}.sessions s JOIN {schema}.results r ON r.session_id = s.id
		WHERE s.key_hash = $1 AND r.kind = $2 AND ` + live + ` ORDER BY r.id`

	// selectChunks returns the parts of chunks within $4 bytes from the offset $3. There is at
	// least one row if there is the result.
	selectChunks = `SELECT r.size, coalesce(substring(c.content FROM ($3::bigint - c.n * $5::bigint + 1)::integer FOR $4::integer), '')
		FROM {schema}.sessions s JOIN {schema}.results r ON r.session_id = s.id AND r.kind = $6 AND r.result_id = $2
		LEFT JOIN {schema}.chunks c ON c.result_id = r.id AND c.n BETWEEN $3::bigint / $5::bigint AND ($3::bigint + $4::integer - 1) / $5::bigint
		WHERE s.key_hash = $1 AND ` + live + ` ORDER BY c.n`
)

// PutResult implements driver.ResultStore. It takes one round trip.
func (s *Store) PutResult(ctx context.Context, key driver.Key, r driver.StoredResult, limit int64) error {
	if err := r.Check(limit); err != nil {
		return err
	}
	return s.call(ctx, "put result", &key, func() error {
		var found bool
		err := s.pool.QueryRow(ctx, s.sql.putResult, hashOf(key), int16(r.Kind), []byte(r.ID), append([]byte{}, r.Meta...),
			r.CreatedAt.UTC().Truncate(time.Millisecond), append([]byte{}, r.Content...),
			int32(chunkBytes), int64(driver.MaxResults), limit).Scan(&found)
		switch {
		case err != nil && found:
			return fmt.Errorf("%w: %w", errAnswered, err)
		case err == nil && !found:
			return driver.ErrNotFound
		}
		return err
	})
}

// Results implements driver.ResultStore. It takes one round trip.
func (s *Store) Results(ctx context.Context, key driver.Key, kind driver.ResultKind) (infos []driver.ResultInfo, err error) {
	err = s.call(ctx, "list results", &key, func() error {
		rows, err := s.pool.Query(ctx, s.sql.results, hashOf(key), int16(kind))
		if err != nil {
			return err
		}
		ask := driver.ReserveParts(ctx, s)
		infos, err = pgx.CollectRows(rows, func(row pgx.CollectableRow) (r driver.ResultInfo, err error) {
			var id []byte
			if err = row.Scan(&id, &r.Size, &r.Meta, &r.CreatedAt); err == nil {
				r.Kind, r.ID, r.CreatedAt = kind, string(id), r.CreatedAt.UTC()
				err = ask(2 * int64(len(r.ID)+len(r.Meta)))
			}
			return r, err
		})
		return err
	})
	if err != nil {
		return nil, err
	}
	return infos, nil
}

// ReadResult implements driver.ResultStore. It takes one round trip.
func (s *Store) ReadResult(ctx context.Context, key driver.Key, kind driver.ResultKind, id string, p []byte, offset int64) (n int, err error) {
	if offset < 0 {
		return 0, driver.ErrOffset
	}
	// No result has more.
	from, most := min(offset, driver.MaxResultBytes), min(len(p), driver.MaxResultBytes)
	var size int64
	err = s.call(ctx, "read result", &key, func() error {
		if reserve := driver.ReserveFrom(ctx); reserve != nil {
			if err := reserve(s, 2*int64(len(p))); err != nil {
				return err
			}
		}
		rows, err := s.pool.Query(ctx, s.sql.chunks, hashOf(key), []byte(id), from, int32(most), int64(chunkBytes), int16(kind))
		if err != nil {
			return err
		}
		var part []byte
		n = 0
		tag, err := pgx.ForEachRow(rows, []any{&size, &part}, func() error {
			n += copy(p[n:], part)
			return nil
		})
		want, _ := driver.ResultRange(p, offset, size)
		switch {
		case err == nil && tag.RowsAffected() == 0:
			return driver.ErrNotFound
		case err == nil && n != want:
			return &driver.DamagedError{Key: key, Part: "results", Err: errors.New("missing content")}
		}
		return err
	})
	if err != nil {
		return 0, err
	}
	_, end := driver.ResultRange(p, offset, size)
	return n, end
}
