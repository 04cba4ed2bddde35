package postgresstore

import (
	"context"
	"errors"
	"fmt"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
)

// vectorColumn says that records.embedding is there: a copy of records.vector in the
// type "vector" of the extension pgvector, which PostgreSQL makes by itself whoever
// writes the record.
type vectorColumn struct{ schema string } // of the type, quoted

// maxVectorDimension is the largest dimension of that type.
const maxVectorDimension = 16_000

// similarity is the cosine of the vectors of records r, which have the same dimension,
// and of a search.
func (q *query) similarity(vector []float32, column *vectorColumn) string {
	place := q.add(vector, "real[]")
	if column == nil || len(vector) > maxVectorDimension {
		return "{schema}.similarity(r.vector, (SELECT " + place + "::float8[]))"
	}
	return fmt.Sprintf("1 - (r.embedding OPERATOR(%[1]s.<=>) (SELECT %[2]s::%[1]s.vector))", column.schema, place)
}

// addEmbedding adds the column. It stays in the table as long as it fits: a search reads
// all of it.
const addEmbedding = `ALTER TABLE {schema}.records ADD IF NOT EXISTS embedding {type}.vector
	GENERATED ALWAYS AS (CASE WHEN dimension BETWEEN 1 AND 16000 THEN vector::{type}.vector END) STORED,
	ALTER embedding SET STORAGE MAIN`

// The schema of the extension and that of the column's type.
const (
	extensionSchema = `SELECT n.nspname FROM pg_catalog.pg_extension e JOIN pg_catalog.pg_namespace n ON n.oid = e.extnamespace
		WHERE e.extname = 'vector'`
	embeddingSchema = `SELECT n.nspname FROM pg_catalog.pg_attribute a
		JOIN pg_catalog.pg_type t ON t.oid = a.atttypid JOIN pg_catalog.pg_namespace n ON n.oid = t.typnamespace
		WHERE a.attrelid = $1::text::regclass AND a.attname = 'embedding' AND NOT a.attisdropped AND t.typname = 'vector'`
)

// prepareIndex finds out what searches need to know of the server.
func (s *Store) prepareIndex(ctx context.Context) error {
	err := s.pool.QueryRow(ctx, `SELECT array_agg(ts_rank('{1,1,1,1}', v::tsvector, 'a'::tsquery) ORDER BY n)
		FROM (SELECT n, 'a:' || (SELECT string_agg(p::text, ',') FROM generate_series(1, n) p) AS v FROM generate_series(1, $1::integer) n) v`,
		maxPositions).Scan(&s.termSteps)
	if err != nil {
		return err
	}
	column, err := s.findEmbedding(ctx)
	if err == nil && column == nil && !s.opts.NoMigrate {
		column, err = s.makeEmbedding(ctx)
	}
	s.vectors.Store(column)
	return err
}

// findEmbedding returns nil if the column is not there.
func (s *Store) findEmbedding(ctx context.Context) (*vectorColumn, error) {
	return vectorSchema(s.pool.QueryRow(ctx, embeddingSchema, s.sql.schema+".records"))
}

func vectorSchema(row pgx.Row) (*vectorColumn, error) {
	var schema string
	switch err := row.Scan(&schema); {
	case errors.Is(err, pgx.ErrNoRows):
		return nil, nil
	case err != nil:
		return nil, err
	}
	return &vectorColumn{schema: quoted(schema)}, nil
}

// makeEmbedding adds the column if the extension is in the database. Where it may not,
// searches do without.
func (s *Store) makeEmbedding(ctx context.Context) (*vectorColumn, error) {
	column, err := vectorSchema(s.pool.QueryRow(ctx, extensionSchema))
	if column == nil || err != nil {
		return nil, err
	}
	err = pgx.BeginFunc(ctx, s.pool, func(tx pgx.Tx) error {
		if _, err := tx.Exec(ctx, `SELECT pg_advisory_xact_lock($1)`, lockOf(s.opts.Schema)); err != nil {
			return err
		}
		_, err := tx.Exec(ctx, inSchema(inType(addEmbedding, column.schema), s.sql.schema))
		return err
	})
	if pg, ok := errors.AsType[*pgconn.PgError](err); ok && !unavailable(pg.Code) {
		s.opts.Logger.WarnContext(ctx, "postgresstore: vectors cannot be kept in the type of pgvector", "error", withoutContents(pg))
		return nil, nil
	}
	return column, err
}

// isUndefined reports whether a table, a column, a type or an operator is not there: what
// belongs to an extension was removed with it.
func isUndefined(err error) bool {
	pg, ok := errors.AsType[*pgconn.PgError](err)
	return ok && (pg.Code == "42703" || pg.Code == "42704" || pg.Code == "42883" || pg.Code == "3F000")
}
