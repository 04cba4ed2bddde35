package postgresstore

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
)

// vectorColumn says that vectors.embedding is there: a copy of vectors.vector in the
// type "vector" of the extension pgvector, which PostgreSQL makes by itself whoever
// writes the record.
type vectorColumn struct{ schema string } // of the type, quoted

const (
	// maxVectorDimension is the largest dimension of that type.
	maxVectorDimension = 16_000
	// inRow is up to which dimension a vector is surely in its row.
	inRow = 2000
)

// compare returns a table of the vectors of records r, which have the same dimension, and
// their cosine with that of a search.
func (q *query) compare(vector []float32, column *vectorColumn) (join, cosine string) {
	join = "JOIN {schema}.vectors v ON v.record = r.id"
	if column != nil && len(vector) <= maxVectorDimension {
		place := q.add(vector, "real[]")
		return join, fmt.Sprintf("1 - (v.embedding OPERATOR(%[1]s.<=>) (SELECT %[2]s::%[1]s.vector))", column.schema, place)
	}
	table := "v"
	if len(vector) > inRow {
		// Read once, not for each of its numbers. (This keeps PostgreSQL from using
		// several processes.)
		join += " CROSS JOIN LATERAL (SELECT v.vector || '{}'::real[] AS vector OFFSET 0) w"
		table = "w"
	}
	return join, "greatest(-1, least(1, " + q.product(table+".vector", vector) + "))"
}

// product multiplies a column with a vector, number by number, without a function of
// PL/pgSQL or a row for each number, which take several times as long. It is a sum of
// sums: expressions that are nested very deeply are refused.
func (q *query) product(column string, vector []float32) string {
	var b strings.Builder
	for i, x := range vector {
		switch {
		case i == 0:
			b.WriteString("(")
		case i%100 == 0:
			b.WriteString(") + (")
		default:
			b.WriteString(" + ")
		}
		// In float8, as products of real could be too small for one. Each number is an
		// argument: to take them out of an array would be most of the work of planning.
		fmt.Fprintf(&b, "%s[%d] * %s", column, i+1, q.add(float64(x), "float8"))
	}
	return b.String() + ")"
}

// addEmbedding adds the column. It stays in the table as long as it fits, and what it is a
// copy of leaves: a search reads all of it.
const addEmbedding = `ALTER TABLE {schema}.vectors ADD IF NOT EXISTS embedding {type}.vector
	GENERATED ALWAYS AS (CASE WHEN cardinality(vector) <= 16000 THEN vector::{type}.vector END) STORED,
	ALTER embedding SET STORAGE MAIN, ALTER vector SET STORAGE EXTERNAL`

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
	return vectorSchema(s.pool.QueryRow(ctx, embeddingSchema, s.sql.schema+".vectors"))
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
