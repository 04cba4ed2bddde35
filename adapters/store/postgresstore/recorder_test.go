package postgresstore_test

import (
	"context"
	"strings"
	"sync"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/stretchr/testify/require"

	"github.com/go-workingmemory/workingmemory/adapters/store/postgresstore"
)

// recorder records the statements that a pool runs.
type recorder struct {
	mu  sync.Mutex
	all []statement
}

type statement struct {
	sql       string
	arguments []any
}

func (r *recorder) add(sql string, arguments []any) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.all = append(r.all, statement{sql, arguments})
}

func (r *recorder) TraceQueryStart(ctx context.Context, _ *pgx.Conn, data pgx.TraceQueryStartData) context.Context {
	r.add(data.SQL, data.Args)
	return ctx
}

func (r *recorder) TraceQueryEnd(context.Context, *pgx.Conn, pgx.TraceQueryEndData) {}

func (r *recorder) TraceBatchStart(ctx context.Context, _ *pgx.Conn, _ pgx.TraceBatchStartData) context.Context {
	return ctx
}

func (r *recorder) TraceBatchQuery(_ context.Context, _ *pgx.Conn, data pgx.TraceBatchQueryData) {
	r.add(data.SQL, data.Args)
}

func (r *recorder) TraceBatchEnd(context.Context, *pgx.Conn, pgx.TraceBatchEndData) {}

// recorded returns the first statement of do that contains text.
func (r *recorder) recorded(t *testing.T, text string, do func()) statement {
	t.Helper()
	r.mu.Lock()
	r.all = nil
	r.mu.Unlock()
	do()
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, s := range r.all {
		if strings.Contains(s.sql, text) {
			return s
		}
	}
	require.Fail(t, "no such statement", text)
	return statement{}
}

// recording returns a store whose statements are recorded, with its pool and schema.
func recording(t *testing.T) (*postgresstore.Store, *recorder, *pgxpool.Pool, string) {
	t.Helper()
	schema := newSchema(t)
	r, pool := recordingPool(t, address(t))
	s, err := postgresstore.New(t.Context(), pool, &postgresstore.Options{Schema: schema, SweepInterval: -1})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, s.Close()) })
	return s, r, pool, schema
}

// recordingPool returns a pool whose statements are recorded.
func recordingPool(t *testing.T, url string) (*recorder, *pgxpool.Pool) {
	t.Helper()
	config, err := pgxpool.ParseConfig(url)
	require.NoError(t, err)
	r := &recorder{}
	config.ConnConfig.Tracer = r
	pool, err := pgxpool.NewWithConfig(t.Context(), config)
	require.NoError(t, err)
	t.Cleanup(pool.Close)
	return r, pool
}
