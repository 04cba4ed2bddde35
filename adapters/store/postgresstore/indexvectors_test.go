package postgresstore_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/go-workingmemory/workingmemory/adapters/store/postgresstore"
	"github.com/go-workingmemory/workingmemory/internal/conformance"
	"github.com/go-workingmemory/workingmemory/memory/longterm"
	"github.com/go-workingmemory/workingmemory/memory/longterm/driver"
	"github.com/go-workingmemory/workingmemory/memory/longterm/driver/drivertest"
)

// likePgvector is a type and an operator with the names of pgvector's.
const likePgvector = `CREATE SCHEMA {schema};
	CREATE DOMAIN {schema}.vector AS real[];
	CREATE FUNCTION {schema}.distance(a real[], b real[]) RETURNS double precision LANGUAGE sql IMMUTABLE AS $$
		SELECT 1 - sum(x::double precision * y) FROM unnest(a, b) u (x, y) $$;
	CREATE OPERATOR {schema}.<=> (LEFTARG = real[], RIGHTARG = real[], FUNCTION = {schema}.distance);`

// vectorOf returns a random vector of length 1.
func vectorOf(random *rand.Rand, dimension int) []float32 {
	vector, sum := make([]float32, dimension), 0.0
	for i := range vector {
		vector[i] = float32(random.NormFloat64())
		sum += float64(vector[i]) * float64(vector[i])
	}
	for i := range vector {
		vector[i] /= float32(math.Sqrt(sum))
	}
	return vector
}

func addVector(t *testing.T, x driver.Index, id string, vector []float32) {
	t.Helper()
	add(t, x, &driver.Entry{Record: longterm.Record{ID: id, Namespace: "n", UserID: "u", Hash: id}, Vector: vector, Model: "m"})
}

func semantic(vector []float32) driver.Search {
	return driver.Search{Scope: longterm.Of("n", "u"), Mode: longterm.ModeSemantic, Vector: vector, Model: "m", Limit: 10}
}

// TestVectorColumn: searches use the column of the type "vector" if it exists. They continue without it
// after the type is dropped.
func TestVectorColumn(t *testing.T) {
	t.Parallel()
	types, schema, pool := newSchema(t), newSchema(t), newPool(t)
	random := rand.New(rand.NewPCG(7, 7))
	before, after := vectorOf(random, 9), vectorOf(random, 9)
	early := open(t, schema) // does not know the column
	addVector(t, early.Index(), "before", before)
	exec(t, pool, types, likePgvector)
	exec(t, pool, schema, `ALTER TABLE {schema}.vectors ADD embedding `+types+`.vector
		GENERATED ALWAYS AS (CASE WHEN cardinality(vector) <= 16000 THEN vector::`+types+`.vector END) STORED`)

	r, pool := recordingPool(t, address(t))
	s, err := postgresstore.New(t.Context(), pool, &postgresstore.Options{Schema: schema, SweepInterval: -1, NoMigrate: true})
	require.NoError(t, err)
	defer s.Close()
	addVector(t, early.Index(), "after", after)
	requireHits := func() {
		page, err := s.Index().Search(t.Context(), semantic(after))
		require.NoError(t, err)
		require.Equal(t, 2, page.Total)
		require.Equal(t, "after", page.Hits[0].Record.ID)
		require.InDelta(t, 1, page.Hits[0].Similarity, 1e-6)
	}
	r.recorded(t, "OPERATOR("+`"`+types+`"`+".<=>)", requireHits)
	r.recorded(t, "w.vector[", func() {
		page, err := s.Index().Search(t.Context(), semantic(make([]float32, 20_000)))
		require.NoError(t, err, "more dimensions than the type supports")
		require.Zero(t, page.Total)
	})
	exec(t, pool, types, `DROP SCHEMA {schema} CASCADE`)
	r.recorded(t, "v.vector[", requireHits)
	addVector(t, early.Index(), "new", before)
}

// TestVectorsOfManyDimensions: vectors in and outside their rows, with products too small for a real.
func TestVectorsOfManyDimensions(t *testing.T) {
	t.Parallel()
	x, random := open(t, newSchema(t)).Index(), rand.New(rand.NewPCG(11, 11))
	for _, dimension := range []int{2, 100, 101, 2000, 2001, 20_000} {
		stored, asked := vectorOf(random, dimension), vectorOf(random, dimension)
		stored[0] *= 1e-30
		asked[0] *= 1e-30
		cosine := 0.0
		for i := range asked {
			cosine += float64(stored[i]) * float64(asked[i])
		}
		addVector(t, x, fmt.Sprint(dimension), stored)
		page, err := x.Search(t.Context(), semantic(asked))
		require.NoError(t, err, dimension)
		require.Len(t, page.Hits, 1)
		require.InDelta(t, cosine, page.Hits[0].Similarity, 1e-5)
	}
}

// TestPgvector runs the suite on a server that has the extension.
func TestPgvector(t *testing.T) {
	t.Parallel()
	url := os.Getenv("WORKINGMEMORY_TEST_PGVECTOR")
	if url == "" {
		t.Skip("WORKINGMEMORY_TEST_PGVECTOR is not set: it is the URL of a PostgreSQL server with pgvector to test on")
	}
	drivertest.Run(t, func(tb testing.TB) drivertest.Harness {
		schema := newSchemaAt(tb, url)
		openIndex, closeIndex := conformance.Part(
			func(tb testing.TB) *postgresstore.Store { return openOn(tb, url, schema) },
			func(store *postgresstore.Store) driver.Index { return store.Index() },
		)
		return drivertest.Harness{Open: openIndex, Close: closeIndex, Shared: true}
	})
	r, pool := recordingPool(t, url)
	schema := newSchemaAt(t, url)
	exec(t, pool, schema, `CREATE EXTENSION IF NOT EXISTS vector`)
	vector := vectorOf(rand.New(rand.NewPCG(9, 9)), 9)
	for range 2 { // the second store adds the column again, for the existing vector
		s, err := postgresstore.New(t.Context(), pool, &postgresstore.Options{Schema: schema, SweepInterval: -1})
		require.NoError(t, err)
		defer s.Close()
		if number(t, pool, schema, `SELECT count(*) FROM {schema}.vectors`) == 0 {
			addVector(t, s.Index(), "a", vector)
		}
		require.Equal(t, 1, number(t, pool, schema, `SELECT count(*) FROM {schema}.vectors WHERE embedding IS NOT NULL`))
		r.recorded(t, ".<=>)", func() {
			page, err := s.Index().Search(t.Context(), semantic(vector))
			require.NoError(t, err)
			require.Equal(t, 1, page.Total)
		})
		exec(t, pool, schema, `ALTER TABLE {schema}.vectors DROP embedding`)
		_, err = s.Index().Search(t.Context(), semantic(vector))
		require.NoError(t, err)
	}
}

func add(t *testing.T, x driver.Index, e *driver.Entry) {
	t.Helper()
	require.NoError(t, x.Write(t.Context(), []driver.RecordChange{{Key: driver.KeyOf(&e.Record), Entry: e}}))
}

// TestRemovedRecordsLeaveNothing: no row of a removed record or of an owner without records stays.
func TestRemovedRecordsLeaveNothing(t *testing.T) {
	t.Parallel()
	schema, pool := newSchema(t), newPool(t)
	x := open(t, schema).Index()
	addVector(t, x, "a", []float32{1})
	addVector(t, x, "b", []float32{1})
	remove := func(id string) {
		key := driver.RecordKey{Namespace: "n", UserID: "u", ID: id}
		found, err := x.Lookup(t.Context(), driver.Lookup{Keys: []driver.RecordKey{key}})
		require.NoError(t, err)
		require.Len(t, found, 1)
		require.NoError(t, x.Write(t.Context(), []driver.RecordChange{{Key: key, If: found[0].Version}}))
	}
	rows := `SELECT (SELECT count(*) FROM {schema}.owners) + (SELECT count(*) FROM {schema}.vectors) + (SELECT count(*) FROM {schema}.codes) +
		(SELECT count(*) FROM {schema}.records)`
	remove("a")
	require.Equal(t, 4, number(t, pool, schema, rows))
	remove("b")
	require.Zero(t, number(t, pool, schema, rows))
}
