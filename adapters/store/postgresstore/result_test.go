package postgresstore_test

import (
	"bytes"
	"crypto/rand"
	"io"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/go-workingmemory/workingmemory/adapters/store/postgresstore"
	"github.com/go-workingmemory/workingmemory/memory/session"
	"github.com/go-workingmemory/workingmemory/memory/session/driver"
)

// chunk is the size of a chunk of a result.
const chunk = 256 << 10

// resultOf returns a result in which each byte is the number of its chunk.
func resultOf(id string, size int) driver.StoredResult {
	r := driver.StoredResult{ResultInfo: driver.ResultInfo{ID: id, Meta: []byte("{}"), CreatedAt: time.Now()}}
	for i := range size {
		r.Content = append(r.Content, byte(i/chunk))
	}
	return r
}

// made creates a session with results of 5 and of 1 chunks.
func made(t *testing.T, s *postgresstore.Store, key session.Key) {
	t.Helper()
	_, _, err := s.Append(t.Context(), key, appendOf("a"))
	require.NoError(t, err)
	require.NoError(t, s.PutResult(t.Context(), key, resultOf("1", 4*chunk+1), 16<<20))
	require.NoError(t, s.PutResult(t.Context(), key, resultOf("2", 1), 16<<20))
}

// useResults calls all methods of a driver.ResultStore.
func useResults(t *testing.T, s *postgresstore.Store) {
	key := session.Key{SessionID: "with results"}
	made(t, s, key)
	infos, err := s.Results(t.Context(), key, driver.ToolResult)
	require.NoError(t, err)
	require.Len(t, infos, 2)
	p := make([]byte, chunk)
	n, err := s.ReadResult(t.Context(), key, driver.ToolResult, "1", p, 4*chunk)
	require.Equal(t, io.EOF, err)
	require.Equal(t, []byte{4}, p[:n])
	require.NoError(t, s.PutResult(t.Context(), key, resultOf("3", 1), 1)) // removes the others
}

// TestResultsLeaveNothing: however a session ends, no row of its results stays.
func TestResultsLeaveNothing(t *testing.T) {
	t.Parallel()
	schema, pool := newSchema(t), newPool(t)
	s := open(t, schema)
	chunks := func() int { return number(t, pool, schema, `SELECT count(*) FROM {schema}.chunks`) }
	for _, id := range []string{"deleted", "made again", "swept", "bounded"} {
		made(t, s, session.Key{SessionID: id})
	}
	require.Equal(t, 4*6, chunks())
	require.NoError(t, s.PutResult(t.Context(), session.Key{SessionID: "bounded"}, resultOf("3", chunk), chunk))
	require.Equal(t, 3*6+1, chunks())
	require.NoError(t, s.Delete(t.Context(), session.Key{SessionID: "deleted"}, nil))
	require.Equal(t, 2*6+1, chunks())
	exec(t, pool, schema, `UPDATE {schema}.sessions SET expires_at = now() - interval '1 hour'`)
	_, _, err := s.Append(t.Context(), session.Key{SessionID: "made again"}, appendOf("a"))
	require.NoError(t, err)
	require.Equal(t, 6+1, chunks())
	n, err := s.Sweep(t.Context())
	require.NoError(t, err)
	require.Equal(t, 2, n)
	require.Zero(t, chunks())
	require.Zero(t, number(t, pool, schema, `SELECT count(*) FROM {schema}.results`))
}

// TestDamagedResults: damage is reported, but only by reads of damaged parts.
func TestDamagedResults(t *testing.T) {
	t.Parallel()
	for name, sql := range map[string]string{
		"no chunk":          `DELETE FROM {schema}.chunks WHERE n = 1`,
		"short chunk":       `UPDATE {schema}.chunks SET content = 'secret' WHERE n = 1`,
		"number of a chunk": `UPDATE {schema}.chunks SET n = 9 WHERE n = 1`,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			schema, pool := newSchema(t), newPool(t)
			s := open(t, schema)
			made(t, s, key)
			exec(t, pool, schema, sql)
			p := make([]byte, chunk)
			for _, offset := range []int64{0, 2 * chunk} {
				n, err := s.ReadResult(t.Context(), key, driver.ToolResult, "1", p, offset)
				require.NoError(t, err, "only what is read matters")
				assert.Equal(t, bytes.Repeat([]byte{byte(offset / chunk)}, chunk), p[:n])
			}
			_, err := s.ReadResult(t.Context(), key, driver.ToolResult, "1", p, chunk)
			requireDamaged(t, err, "results")
			assert.NotContains(t, err.Error(), "secret")
			require.NoError(t, s.Delete(t.Context(), key, nil))
			require.Zero(t, number(t, pool, schema, `SELECT count(*) FROM {schema}.chunks`))
		})
	}
}

// TestPutResultWaits: a result that is put while its session is deleted is not found afterwards, and
// one whose session is written is put behind the write.
func TestPutResultWaits(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		sql  string
		want error
	}{
		"written": {`UPDATE {schema}.sessions SET revision = revision + 1`, nil},
		"deleted": {`DELETE FROM {schema}.sessions`, session.ErrNotFound},
		"expired": {`UPDATE {schema}.sessions SET expires_at = now()`, session.ErrNotFound},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			schema, pool := newSchema(t), newPool(t)
			s := open(t, schema)
			made(t, s, key)
			tx, err := pool.Begin(t.Context())
			require.NoError(t, err)
			_, err = tx.Exec(t.Context(), inTestSchema(c.sql, schema))
			require.NoError(t, err)
			var putting sync.WaitGroup
			putting.Go(func() { assert.ErrorIs(t, s.PutResult(t.Context(), key, resultOf("3", 1), 16<<20), c.want) })
			require.Eventually(t, func() bool {
				return number(t, pool, schema, `SELECT count(*) FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND query LIKE '%{schema}%put_result%'`) == 1
			}, time.Minute, time.Millisecond)
			require.NoError(t, tx.Commit(t.Context()))
			putting.Wait()
		})
	}
}

// TestCostOfAPart: the cost of reading a part does not grow with the result or with the others.
func TestCostOfAPart(t *testing.T) {
	t.Parallel()
	s, r, pool, schema := recording(t)
	measure := func(key session.Key, results, chunks int) int {
		_, _, err := s.Append(t.Context(), key, appendOf("a"))
		require.NoError(t, err)
		content := make([]byte, chunks*chunk)
		_, _ = rand.Read(content) // cannot be compressed
		for i := range results {
			id := string(rune('b' + i))
			require.NoError(t, s.PutResult(t.Context(), key, driver.StoredResult{ResultInfo: driver.ResultInfo{ID: id}, Content: content}, 64<<20))
		}
		exec(t, pool, schema, `ANALYZE {schema}.sessions, {schema}.results, {schema}.chunks`)
		return blocks(t, pool, r.recorded(t, "substring", func() {
			p := make([]byte, 100)
			_, err := s.ReadResult(t.Context(), key, driver.ToolResult, "b", p, int64(chunks-1)*chunk+5)
			require.NoError(t, err)
		}))
	}
	small := measure(session.Key{SessionID: "small"}, 1, 1)
	large := measure(session.Key{SessionID: "large"}, 5, 20)
	assert.LessOrEqual(t, large, small+small/2+20, "%d blocks for one chunk", small)
}
