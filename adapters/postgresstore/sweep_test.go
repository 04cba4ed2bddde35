package postgresstore_test

import (
	"fmt"
	"log/slog"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/go-workingmemory/workingmemory/adapters/postgresstore"
	"github.com/go-workingmemory/workingmemory/memory/session"
)

// fill makes sessions, every second of which has expired.
func fill(t *testing.T, s *postgresstore.Store, sessions int) {
	t.Helper()
	for i := range sessions {
		a := appendOf("a", "b")
		if i%2 == 0 {
			a.TTL = time.Millisecond
		}
		_, _, err := s.Append(t.Context(), session.Key{SessionID: fmt.Sprint(i)}, a)
		require.NoError(t, err)
	}
	require.Eventually(t, func() bool {
		page, err := s.List(t.Context(), session.Filter{})
		return err == nil && page.Total == sessions/2
	}, 10*time.Second, time.Millisecond)
}

func TestSweep(t *testing.T) {
	t.Parallel()
	schema, pool := newSchema(t), newPool(t)
	stores := []*postgresstore.Store{open(t, schema), open(t, schema)}
	fill(t, stores[0], 500)
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
	require.Equal(t, 250, removed[0]+removed[1])
	require.Equal(t, 250, number(t, pool, schema, `SELECT count(*) FROM {schema}.sessions`))
	require.Equal(t, 500, number(t, pool, schema, `SELECT count(*) FROM {schema}.messages`))
}

// TestSweepWaitsForNobody: a session that is being written is left to the next sweep.
func TestSweepWaitsForNobody(t *testing.T) {
	t.Parallel()
	schema, pool := newSchema(t), newPool(t)
	s := open(t, schema)
	fill(t, s, 4)
	tx, err := pool.Begin(t.Context())
	require.NoError(t, err)
	_, err = tx.Exec(t.Context(), `SELECT FROM `+schema+`.sessions WHERE session_id = '0' FOR UPDATE`)
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
	fill(t, open(t, schema), 20)
	s, err := postgresstore.New(t.Context(), pool, &postgresstore.Options{Schema: schema, SweepInterval: time.Millisecond})
	require.NoError(t, err)
	require.Eventually(t, func() bool {
		return number(t, pool, schema, `SELECT count(*) FROM {schema}.sessions`) == 10
	}, 10*time.Second, time.Millisecond)
	require.NoError(t, s.Close())
}

// TestSweeperReports: what the sweeper cannot do is logged, and Close waits for it:
// the race detector would see a line that is written later.
func TestSweeperReports(t *testing.T) {
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

// lines counts what is written to it.
type lines struct {
	n     int
	first chan struct{}
}

func (l *lines) Write(p []byte) (int, error) {
	if l.n++; l.n == 1 {
		close(l.first)
	}
	return len(p), nil
}
