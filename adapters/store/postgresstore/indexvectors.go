package postgresstore

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
)

// vectorColumn describes vectors.embedding, a generated copy of vectors.vector in the type
// "vector" of the extension pgvector.
type vectorColumn struct{ schema string } // of the type, quoted

const (
	// maxVectorDimension is the largest dimension of the type.
	maxVectorDimension = 16_000
	// inRow is the largest dimension of a vector that is always stored in its row.
	inRow = 2000
)

// compare returns the FROM clause of the vectors v, and the expression for their cosine with
// vector, which has the same dimension.
func (q *query) compare(vector []float32, column *vectorColumn) (from, cosine string) {
	from = "{schema}.vectors v"
	if column != nil && len(vector) <= maxVectorDimension {
		place := q.add(vector, "real[]")
		return from, fmt.Sprintf("1 - (v.embedding OPERATOR(%[1]s.<=>) (SELECT %[2]s::%[1]s.vector))", column.schema, place)
	}
	table := "v"
	if len(vector) > inRow {
		// Reads the vector once instead of once for each element. It also prevents parallel
		// plans.
		from += " CROSS JOIN LATERAL (SELECT v.vector || '{}'::real[] AS vector OFFSET 0) w"
		table = "w"
	}
	return from, "greatest(-1, least(1, " + q.product(table+".vector", vector) + "))"
}

// product returns the expression for the dot product of a column and a vector. PL/pgSQL
// functions or unnest would take several times as long. It is a sum of sums, since PostgreSQL
// rejects deeply nested expressions.
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
		// In float8, since products of reals may underflow. Each element is an argument of
		// its own: extracting them from an array would dominate the planning time.
		fmt.Fprintf(&b, "%s[%d] * %s", column, i+1, q.add(float64(x), "float8"))
	}
	return b.String() + ")"
}

// addEmbedding adds the column. It is stored in the row if it fits, and the original is moved
// out, because searches read the column.
const addEmbedding = `ALTER TABLE {schema}.vectors ADD IF NOT EXISTS embedding {type}.vector
	GENERATED ALWAYS AS (CASE WHEN cardinality(vector) <= 16000 THEN vector::{type}.vector END) STORED,
	ALTER embedding SET STORAGE MAIN, ALTER vector SET STORAGE EXTERNAL`

// The queries for the schema of the extension and of the type of the column.
const (
	extensionSchema = `SELECT n.nspname FROM pg_catalog.pg_extension e JOIN pg_catalog.pg_namespace n ON n.oid = e.extnamespace
		WHERE e.extname = 'vector'`
	embeddingSchema = `SELECT n.nspname FROM pg_catalog.pg_attribute a
		JOIN pg_catalog.pg_type t ON t.oid = a.atttypid JOIN pg_catalog.pg_namespace n ON n.oid = t.typnamespace
		WHERE a.attrelid = $1::text::regclass AND a.attname = 'embedding' AND NOT a.attisdropped AND t.typname = 'vector'`
)

// prepareIndex reads the steps of ts_rank and finds or adds the column of vectors. It reports
// whether there are stale records.
func (s *Store) prepareIndex(ctx context.Context) (stale bool, err error) {
	err = s.pool.QueryRow(ctx, `SELECT array_agg(ts_rank('{1,1,1,1}', v::tsvector, 'a'::tsquery) ORDER BY n)
		FROM (SELECT n, 'a:' || (SELECT string_agg(p::text, ',') FROM generate_series(1, n) p) AS v FROM generate_series(1, $1::integer) n) v`,
		maxPositions).Scan(&s.termSteps)
	if err != nil {
		return false, err
	}
	column, err := s.findEmbedding(ctx)
	if err == nil && column == nil && !s.opts.NoMigrate {
		column, err = s.makeEmbedding(ctx)
	}
	s.vectors.Store(column)
	if err != nil {
		return false, err
	}
	return s.hasStale(ctx)
}

// findEmbedding returns nil if the column does not exist.
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

// makeEmbedding adds the column if the extension is installed. Without the privilege to do so
// it returns nil, and searches do without the column.
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
		s.opts.Logger.WarnContext(ctx, "postgresstore: adding a column of the pgvector type failed", "error", withoutContents(pg))
		return nil, nil
	}
	return column, err
}

// isUndefined reports whether a table, column, type or operator does not exist, because its
// extension was dropped.
func isUndefined(err error) bool {
	pg, ok := errors.AsType[*pgconn.PgError](err)
	return ok && (pg.Code == "42703" || pg.Code == "42704" || pg.Code == "42883" || pg.Code == "3F000")
}
