package postgresstore

import (
	"context"
	"errors"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgtype"

	"github.com/go-workingmemory/workingmemory/memory/longterm/driver"
)

const (
	// reindexSize is the number of records that one transaction indexes again.
	reindexSize = 100
	// The times before the next attempt after a failure: each is twice the one before.
	shortestReindexWait, longestReindexWait = 100 * time.Millisecond, time.Minute
)

// The statements that index stale records again. Several processes take different records. The
// counts of owners are locked before anything is changed, in ascending order like those of
// removeRecords, so that writers and this do not deadlock.
const (
	hasStale  = `SELECT EXISTS (SELECT FROM {schema}.records WHERE stale)`
	lockStale = `SELECT ` + recordColumns + `, r.id, r.length, r.model, v.vector
		FROM {schema}.records r LEFT JOIN {schema}.vectors v ON v.record = r.id WHERE r.stale
		ORDER BY r.owner LIMIT $1 FOR NO KEY UPDATE OF r SKIP LOCKED`
	lockCounts   = `SELECT FROM {schema}.owners WHERE owner = ANY ($1::bytea[]) ORDER BY owner FOR NO KEY UPDATE`
	updateCounts = `UPDATE {schema}.owners o SET terms = o.terms + w.terms
		FROM (SELECT owner, sum(terms) AS terms FROM unnest($1::bytea[], $2::bigint[]) u (owner, terms) GROUP BY owner) w WHERE o.owner = w.owner`
	updateStale = `WITH u AS (SELECT * FROM unnest($1::bigint[], $2::text[], $3::integer[], $4::uuid[], $5::bit varying[]) u (id, terms, length, space, code)),
		w AS (UPDATE {schema}.records r SET terms = u.terms::tsvector, length = u.length, stale = false,
			strategy = CASE WHEN r.strategy = '' THEN 'discrete' ELSE r.strategy END
			FROM u WHERE r.id = u.id RETURNING r.id, r.type, r.created_at, r.last_accessed, u.space, u.code)
		` + insertCodes
)

// reindex indexes all stale records again. It returns when there are none or ctx ends.
func (s *Store) reindex(ctx context.Context) {
	wait := shortestReindexWait
	for {
		n, err := s.reindexSome(ctx)
		stale := true
		if n == 0 && err == nil {
			// Other processes may have locked the rest, and may fail.
			stale, err = s.hasStale(ctx)
		}
		switch {
		case ctx.Err() != nil || !stale:
			return
		case err != nil:
			s.opts.Logger.WarnContext(ctx, "postgresstore: indexing records again failed", "error", wrap(ctx, err))
		case n > 0:
			wait = shortestReindexWait
			continue
		}
		select {
		case <-ctx.Done():
			return
		case <-time.After(wait):
			wait = min(2*wait, longestReindexWait)
		}
	}
}

// hasStale reports whether there are stale records. A role that may not read records has none.
func (s *Store) hasStale(ctx context.Context) (stale bool, err error) {
	err = s.pool.QueryRow(ctx, s.sql.hasStale).Scan(&stale)
	if pg, ok := errors.AsType[*pgconn.PgError](err); ok && pg.Code == "42501" {
		return false, nil
	}
	return stale, err
}

// staleRecords are the columns of stale records and of their new index.
type staleRecords struct {
	owners [][]byte
	added  []int64 // terms
	ids    []int64
	terms  []string
	length []int32
	spaces []pgtype.UUID
	codes  []pgtype.Bits
}

// reindexSome indexes up to reindexSize stale records again that no other transaction has
// locked, and returns their number.
func (s *Store) reindexSome(ctx context.Context) (int, error) {
	var stale staleRecords
	// Regardless of the default level, a statement after a lock must see what others did while
	// they held it.
	err := pgx.BeginTxFunc(ctx, s.pool, pgx.TxOptions{IsoLevel: pgx.ReadCommitted}, func(tx pgx.Tx) error {
		rows, err := tx.Query(ctx, s.sql.lockStale, int64(reindexSize))
		if err != nil {
			return err
		}
		if err := stale.scan(rows); err != nil || len(stale.ids) == 0 {
			return err
		}
		batch := &pgx.Batch{}
		batch.Queue(s.sql.lockCounts, stale.owners)
		batch.Queue(s.sql.updateStale, stale.ids, stale.terms, stale.length, stale.spaces, stale.codes)
		batch.Queue(s.sql.updateCounts, stale.owners, stale.added)
		return tx.SendBatch(ctx, batch).Close()
	})
	if err != nil {
		return 0, err
	}
	return len(stale.ids), nil
}

func (t *staleRecords) scan(rows pgx.Rows) error {
	var c recordScan
	var id int64
	var length int32
	var vector []float32
	_, err := pgx.ForEachRow(rows, append(c.into(), &id, &length, &c.model, &vector), func() error {
		c.metadata = nil // has no terms
		r, err := c.record()
		terms := driver.RecordTerms(&r)
		owner := ownerOf(r.Namespace, r.UserID)
		t.owners, t.added = append(t.owners, owner), append(t.added, int64(len(terms))-int64(length))
		t.ids, t.terms, t.length = append(t.ids, id), append(t.terms, vectorOfTerms(terms)), append(t.length, int32(len(terms)))
		t.spaces, t.codes = append(t.spaces, spaceOf(owner, string(c.model), len(vector))), append(t.codes, codeOf(vector))
		return err
	})
	return err
}
