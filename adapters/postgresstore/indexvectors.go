package postgresstore

import (
	"context"
	"fmt"
	"slices"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
)

// vectorColumn says that records.embedding is there, a copy of records.vector in the
// type "vector" of an extension.
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

var _ = context.Background
var _ = slices.Contains[[]int]
var _ pgx.Row
var _ pgconn.PgError

// prepareIndex finds out what searches need to know of the server.
func (s *Store) prepareIndex(ctx context.Context) error {
	return s.pool.QueryRow(ctx, `SELECT array_agg(ts_rank('{1,1,1,1}', v::tsvector, 'a'::tsquery) ORDER BY n)
		FROM (SELECT n, 'a:' || (SELECT string_agg(p::text, ',') FROM generate_series(1, n) p) AS v FROM generate_series(1, $1::integer) n) v`,
		maxPositions).Scan(&s.termSteps)
}
