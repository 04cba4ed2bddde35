package postgresstore_test

import (
	"log/slog"
	"sync"
	"testing"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/go-workingmemory/workingmemory/adapters/store/postgresstore"
)

// fill inserts sessions of two messages. Half of the sessions have expired.
func fill(t *testing.T, pool *pgxpool.Pool, schema string, sessions int) {
	t.Helper()
	exec(t, pool, schema, `WITH made AS (
		INSERT INTO {schema}.sessions (namespace, user_id, session_id, format, head, revision,
			first, next, tokens, context_window, updated_at, expires_at)
		SELECT '', '', i, 1, '{}', 1, 1, 3, 0, 0, now(), now() + (i % 2 * 2 - 1) * interval '1 minute'
		FROM generate_series(1, $1::integer) i RETURNING id)
		INSERT INTO {schema}.messages SELECT id, seq, seq::text::bytea, 0, '{}' FROM made, generate_series(1, 2) seq`, sessions)
}

func TestSweep(t *testing.T) {
	t.Parallel()
	schema, pool := newSchema(t), newPool(t)
	stores := []*postgresstore.Store{open(t, schema), open(t, schema)}
	fill(t, pool, schema, 1000)
	var removed [2]int
	var both sync.WaitGroup
	for i, s := range stores {
		both.Go(func() {
			var err error
			removed[i], err = s.Sweep(t.Context())
			assert.NoError(t, err)
		})
	}
	both.Wait()
	require.Equal(t, 500, removed[0]+removed[1])
	require.Equal(t, 500, number(t, pool, schema, `SELECT count(*) FROM {schema}.sessions`))
	require.Equal(t, 1000, number(t, pool, schema, `SELECT count(*) FROM {schema}.messages`))
}

// TestSweepDoesNotWait: a session that is being written is left to the next sweep.
func TestSweepDoesNotWait(t *testing.T) {
	t.Parallel()
	schema, pool := newSchema(t), newPool(t)
	s := open(t, schema)
	fill(t, pool, schema, 4)
	tx, err := pool.Begin(t.Context())
	require.NoError(t, err)
	_, err = tx.Exec(t.Context(), `SELECT FROM `+schema+`.sessions WHERE session_id = '2' FOR UPDATE`)
	require.NoError(t, err)
	removed, err := s.Sweep(t.Context())
	require.NoError(t, err)
	require.Equal(t, 1, removed)
	require.NoError(t, tx.Rollback(t.Context()))
	removed, err = s.Sweep(t.Context())
	require.NoError(t, err)
	require.Equal(t, 1, removed)
}

func TestSweeper(t *testing.T) {
	t.Parallel()
	schema, pool := newSchema(t), newPool(t)
	open(t, schema)
	fill(t, pool, schema, 20)
	s, err := postgresstore.New(t.Context(), pool, &postgresstore.Options{Schema: schema, SweepInterval: time.Millisecond})
	require.NoError(t, err)
	require.Eventually(t, func() bool {
		return number(t, pool, schema, `SELECT count(*) FROM {schema}.sessions`) == 10
	}, time.Minute, time.Millisecond)
	require.NoError(t, s.Close())
}

// TestSweeperLogsErrors: failed sweeps are logged, and Close waits for the sweeper: the race detector
// would report a later write.
func TestSweeperLogsErrors(t *testing.T) {
	t.Parallel()
	schema, pool := newSchema(t), newPool(t)
	log := lines{first: make(chan struct{})}
	s, err := postgresstore.New(t.Context(), pool, &postgresstore.Options{
		Schema: schema, SweepInterval: time.Millisecond, Logger: slog.New(slog.NewTextHandler(&log, nil)),
	})
	require.NoError(t, err)
	exec(t, pool, schema, `ALTER TABLE {schema}.sessions RENAME TO away`)
	<-log.first
	require.NoError(t, s.Close())
	require.Positive(t, log.n)
}

// lines counts the writes to it.
type lines struct {
	n     int
	first chan struct{} // closed by the first write
}

func (l *lines) Write(p []byte) (int, error) {
	if l.n++; l.n == 1 {
		close(l.first)
	}
	return len(p), nil
}
