package postgresstore_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"testing"

	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/stretchr/testify/require"

	"github.com/go-workingmemory/workingmemory/adapters/store/postgresstore"
	"github.com/go-workingmemory/workingmemory/memory/longterm"
	"github.com/go-workingmemory/workingmemory/memory/longterm/driver"
	"github.com/go-workingmemory/workingmemory/memory/longterm/memindex"
)

// likePgvector is a type and an operator with the names of pgvector's.
const likePgvector = `CREATE SCHEMA {schema};
	CREATE DOMAIN {schema}.vector AS real[];
	CREATE FUNCTION {schema}.distance(a real[], b real[]) RETURNS double precision LANGUAGE sql IMMUTABLE AS $$
		SELECT 1 - sum(x::double precision * y) FROM unnest(a, b) u (x, y) $$;
	CREATE OPERATOR {schema}.<=> (LEFTARG = real[], RIGHTARG = real[], FUNCTION = {schema}.distance);`

// TestVectorsInAColumnOfTheirOwn: where records have a column of the type "vector",
// searches compare what is in it, by the type's operator, and find the same. When the type
// is dropped, and the column with it, they go on without.
func TestVectorsInAColumnOfTheirOwn(t *testing.T) {
	t.Parallel()
	types, schema, pool := newSchema(t), newSchema(t), newPool(t)
	g := generator{rand.New(rand.NewPCG(7, 7))}
	early := open(t, schema) // knows nothing of the column
	before := g.entry(1000)
	before.Vector, before.Model = g.vector(9), "model0"
	add(t, early.Index(), before)
	exec(t, pool, types, likePgvector)
	exec(t, pool, schema, `ALTER TABLE {schema}.vectors ADD embedding `+types+`.vector
		GENERATED ALWAYS AS (CASE WHEN cardinality(vector) <= 16000 THEN vector::`+types+`.vector END) STORED`)

	r, pool := recordingPool(t, address(t))
	s, err := postgresstore.New(t.Context(), pool, &postgresstore.Options{Schema: schema, SweepInterval: -1, NoMigrate: true})
	require.NoError(t, err)
	defer s.Close()
	after := g.entry(1001)
	after.Record.Namespace, after.Record.UserID = before.Record.Namespace, before.Record.UserID
	after.Vector, after.Model = g.vector(9), "model0"
	add(t, early.Index(), after)
	search := driver.Search{
		Scope: longterm.Of(before.Record.Namespace, before.Record.UserID), Mode: longterm.ModeSemantic,
		Vector: after.Vector, Model: "model0", Limit: 10,
	}
	finds := func() {
		page, err := s.Index().Search(t.Context(), search)
		require.NoError(t, err)
		require.Equal(t, 2, page.Total)
		require.Equal(t, after.Record.ID, page.Hits[0].Record.ID)
		require.InDelta(t, 1, page.Hits[0].Similarity, 1e-6)
	}
	r.recorded(t, "OPERATOR("+`"`+types+`"`+".<=>)", finds)
	search.Vector = make([]float32, 20_000)
	r.recorded(t, "w.vector[", func() {
		page, err := s.Index().Search(t.Context(), search)
		require.NoError(t, err, "of more dimensions than the type has")
		require.Zero(t, page.Total)
	})
	search.Vector = after.Vector
	exec(t, pool, types, `DROP SCHEMA {schema} CASCADE`)
	r.recorded(t, "v.vector[", finds)
	require.NoError(t, early.Index().Write(t.Context(), []driver.RecordChange{{Key: driver.RecordKey{ID: "new"}, Entry: &driver.Entry{Record: longterm.Record{ID: "new"}}}}))
}

// TestSearchesLikeTheIndexInTheProcessWithVectors: by the type's operator too.
func TestSearchesLikeTheIndexInTheProcessWithVectors(t *testing.T) {
	t.Parallel()
	types, schema, pool := newSchema(t), newSchema(t), newPool(t)
	open(t, schema)
	exec(t, pool, types, likePgvector)
	exec(t, pool, schema, `ALTER TABLE {schema}.vectors ADD embedding `+types+`.vector
		GENERATED ALWAYS AS (CASE WHEN cardinality(vector) <= 16000 THEN vector::`+types+`.vector END) STORED`)
	searchesLike(t, open(t, schema).Index(), generator{rand.New(rand.NewPCG(8, 8))})
}

// TestVectorsOfManyDimensions: those that stay in their rows and those that leave them,
// with numbers whose products are too small for a real.
func TestVectorsOfManyDimensions(t *testing.T) {
	t.Parallel()
	x, model := open(t, newSchema(t)).Index(), memindex.New(nil)
	defer model.Close()
	g := generator{rand.New(rand.NewPCG(11, 11))}
	for n, dimension := range []int{2, 99, 100, 101, 256, 1536, 2000, 2001, 4096, 20_000} {
		for range 2 {
			e := g.entry(n)
			e.Record.Namespace, e.Record.UserID, e.Record.ID, e.Record.Hash = "n", "u", fmt.Sprint(g.Uint64()), fmt.Sprint(g.Uint64())
			e.Vector, e.Model = g.vector(dimension), "m"
			e.Vector[0] *= 1e-30
			add(t, x, e)
			add(t, model, e)
		}
		s := driver.Search{Scope: longterm.Of("n", "u"), Mode: longterm.ModeSemantic, Vector: g.vector(dimension), Model: "m", Limit: 10}
		s.Vector[0] *= 1e-30
		want, err := model.Search(t.Context(), s)
		require.NoError(t, err)
		got, err := x.Search(t.Context(), s)
		require.NoError(t, err, dimension)
		require.Len(t, got.Hits, 2)
		for i := range want.Hits {
			require.Equal(t, want.Hits[i].Record, got.Hits[i].Record, dimension)
			require.InDelta(t, want.Hits[i].Similarity, got.Hits[i].Similarity, 1e-5)
		}
	}
}

// TestPgvector runs on a server that has the extension.
func TestPgvector(t *testing.T) {
	t.Parallel()
	url := os.Getenv("WORKINGMEMORY_TEST_PGVECTOR")
	if url == "" {
		t.Skip("WORKINGMEMORY_TEST_PGVECTOR is not set: it is the URL of a PostgreSQL server with pgvector to test on")
	}
	r, pool := recordingPool(t, url)
	schema := schemaOn(t, url)
	exec(t, pool, schema, `CREATE EXTENSION IF NOT EXISTS vector`)
	s, err := postgresstore.New(t.Context(), pool, &postgresstore.Options{Schema: schema, SweepInterval: -1})
	require.NoError(t, err)
	defer s.Close()
	r.recorded(t, ".<=>)", func() {
		searchesLike(t, s.Index(), generator{rand.New(rand.NewPCG(9, 9))})
	})
	vectors := number(t, pool, schema, `SELECT count(*) FROM {schema}.vectors WHERE embedding IS NOT NULL`)
	require.Positive(t, vectors)

	exec(t, pool, schema, `ALTER TABLE {schema}.vectors DROP embedding`)
	_, err = s.Index().Search(t.Context(), driver.Search{Scope: longterm.Everyone(), Mode: longterm.ModeSemantic, Vector: []float32{1}, Model: "m"})
	require.NoError(t, err)
	again, err := postgresstore.New(t.Context(), pool, &postgresstore.Options{Schema: schema, SweepInterval: -1})
	require.NoError(t, err)
	defer again.Close()
	require.Equal(t, vectors, number(t, pool, schema, `SELECT count(*) FROM {schema}.vectors WHERE embedding IS NOT NULL`),
		"of records that were there before the column")
}

func add(t *testing.T, x driver.Index, e *driver.Entry) {
	t.Helper()
	require.NoError(t, x.Write(t.Context(), []driver.RecordChange{{Key: driver.KeyOf(&e.Record), Entry: e}}))
}

// schemaOn is newSchema on another server.
func schemaOn(t *testing.T, url string) string {
	t.Helper()
	schema := fmt.Sprint("wm_test_", rand.Uint64())
	t.Cleanup(func() {
		pool, err := pgxpool.New(context.Background(), url)
		require.NoError(t, err)
		defer pool.Close()
		_, err = pool.Exec(context.Background(), "DROP SCHEMA IF EXISTS "+schema+" CASCADE")
		require.NoError(t, err)
	})
	return schema
}
