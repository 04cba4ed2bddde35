package postgresstore_test

import (
	"slices"
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

// TestListLongKeys: keys with a common prefix longer than the indexed one are distinct and sorted.
func TestListLongKeys(t *testing.T) {
	t.Parallel()
	s := open(t, newSchema(t))
	long := strings.Repeat("k", 10<<10)
	var keys []session.Key
	for _, end := range []string{"", "-", "a", "b", "/"} {
		keys = append(keys,
			session.Key{Namespace: long + end, UserID: "u", SessionID: "s"},
			session.Key{Namespace: "n", UserID: long + end, SessionID: "s"},
			session.Key{Namespace: "n", UserID: "u", SessionID: long + end},
		)
	}
	slices.SortFunc(keys, func(a, b session.Key) int { return strings.Compare(a.String(), b.String()) })
	for _, key := range keys {
		_, _, err := s.Append(t.Context(), key, appendOf("a"))
		require.NoError(t, err)
	}
	list := func(f session.ListOptions) []session.Key {
		f.Limit = -1
		page, err := s.List(t.Context(), f)
		require.NoError(t, err)
		require.Equal(t, len(page.Keys), page.Total)
		return page.Keys
	}
	require.Equal(t, keys, list(session.ListOptions{}))
	for _, end := range []string{"", "-", "a", "b", "/"} {
		require.Equal(t, []session.Key{{Namespace: long + end, UserID: "u", SessionID: "s"}}, list(session.ListOptions{Namespace: new(long + end)}))
		require.Equal(t, []session.Key{{Namespace: "n", UserID: long + end, SessionID: "s"}}, list(session.ListOptions{UserID: new(long + end)}))
		require.Equal(t, []session.Key{{Namespace: "n", UserID: long + end, SessionID: "s"}}, list(session.ListOptions{Namespace: new("n"), UserID: new(long + end)}))
		require.Equal(t, []session.Key{{Namespace: "n", UserID: "u", SessionID: long + end}}, list(session.ListOptions{SessionID: new(long + end)}))
	}
	require.Empty(t, list(session.ListOptions{Namespace: new(long + "c")}))
	require.Len(t, list(session.ListOptions{Namespace: new("n")}), 10)
}
