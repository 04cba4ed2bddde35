package postgresstore_test

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/go-workingmemory/workingmemory/memory/session"
	"github.com/go-workingmemory/workingmemory/memory/session/driver"
	"github.com/go-workingmemory/workingmemory/memory/session/driver/drivertest"
)

func harness(tb testing.TB) drivertest.Harness {
	schema := newSchema(tb)
	return drivertest.Harness{
		Shared: true,
		Open:   func(tb testing.TB) driver.Store { return open(tb, schema) },
	}
}

func TestStore(t *testing.T) {
	t.Parallel()
	drivertest.Run(t, harness)
}

func TestStoreKeepsResults(t *testing.T) {
	t.Parallel()
	drivertest.RunResults(t, harness)
}

// TestRememberedIDs: the ids of the last 1,000 dropped messages are kept, without bodies.
func TestRememberedIDs(t *testing.T) {
	t.Parallel()
	schema, pool := newSchema(t), newPool(t)
	s := open(t, schema)
	at, _, err := s.Append(t.Context(), key, appendOf(numbered(1, 1500)...))
	require.NoError(t, err)
	for _, c := range []struct{ drop, rows, bodies int }{{101, 1500, 1400}, {1401, 1100, 100}, {9999, 1000, 0}} {
		at, err = s.Write(t.Context(), key, driver.Write{
			If: driver.Condition{Revision: at.Revision}, DropBefore: uint64(c.drop), Format: 1, Now: time.Now(),
		})
		require.NoError(t, err)
		require.Equal(t, c.rows, number(t, pool, schema, `SELECT count(*) FROM {schema}.messages`))
		require.Equal(t, c.bodies, number(t, pool, schema, `SELECT count(body) FROM {schema}.messages`))
		require.Equal(t, c.bodies, at.Len())
	}
}

// TestListLongKeys: filters tell apart parts of keys with a common prefix longer than the indexed one.
func TestListLongKeys(t *testing.T) {
	t.Parallel()
	s := open(t, newSchema(t))
	keys := make([]session.Key, 2)
	for i, end := range []string{"a", "b"} {
		long := strings.Repeat("k", 5<<10) + end
		keys[i] = session.Key{Namespace: long, UserID: long, SessionID: long}
		_, _, err := s.Append(t.Context(), keys[i], appendOf("a"))
		require.NoError(t, err)
	}
	for _, key := range keys {
		for _, filter := range []session.ListOptions{
			{Namespace: &key.Namespace}, {UserID: &key.UserID}, {SessionID: &key.SessionID}, {Namespace: &key.Namespace, UserID: &key.UserID},
		} {
			filter.Limit = 10
			page, err := s.List(t.Context(), filter)
			require.NoError(t, err)
			require.Equal(t, session.Listing{Keys: []session.Key{key}, Total: 1}, page)
		}
	}
}
