package postgresstore_test

import (
	"fmt"
	"net/url"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/go-workingmemory/workingmemory/adapters/store/postgresstore"
	"github.com/go-workingmemory/workingmemory/internal/soak"
	"github.com/go-workingmemory/workingmemory/memory/session"
	"github.com/go-workingmemory/workingmemory/memory/session/driver"
)

// withParameter returns the address of the server with another parameter.
func withParameter(t *testing.T, name, value string) string {
	t.Helper()
	u, err := url.Parse(address(t))
	require.NoError(t, err)
	query := u.Query()
	query.Set(name, value)
	u.RawQuery = strings.ReplaceAll(query.Encode(), "+", "%20") // as libpq has it
	return u.String()
}

// TestExpiredSessionIsReplacedOnce: concurrent appends to an expired session create one new session.
func TestExpiredSessionIsReplacedOnce(t *testing.T) {
	t.Parallel()
	schema, pool := newSchema(t), newPool(t)
	stores := []*postgresstore.Store{open(t, schema), open(t, schema)}
	for round := range soak.Times(3, 10) {
		a := appendOf("old", "older")
		a.TTL = time.Millisecond
		old, _, err := stores[0].Append(t.Context(), key, a)
		require.NoError(t, err)
		require.Eventually(t, func() bool {
			return number(t, pool, schema, `SELECT count(*) FROM {schema}.sessions WHERE expires_at > now()`) == 0
		}, time.Minute, time.Millisecond)
		var all sync.WaitGroup
		for i := range 8 {
			all.Go(func() {
				_, added, err := stores[i%2].Append(t.Context(), key, appendOf(fmt.Sprint("new", i), "old"))
				assert.NoError(t, err)
				assert.Positive(t, added)
			})
		}
		all.Wait()
		r, err := stores[0].Load(t.Context(), key, -1)
		require.NoError(t, err)
		require.Len(t, r.Messages, 9, "round %d", round)
		require.NotEqual(t, old.Revision, r.Revision)
		require.Equal(t, uint64(1), r.First)
		require.Zero(t, r.ExpiresAt)
		require.Equal(t, 9, number(t, pool, schema, `SELECT count(*) FROM {schema}.messages`))
		require.NoError(t, stores[0].Delete(t.Context(), key, nil))
	}
}

// TestIsolationLevels: with any default level, concurrent appends succeed and none is lost.
func TestIsolationLevels(t *testing.T) {
	t.Parallel()
	for _, level := range []string{"repeatable read", "serializable"} {
		t.Run(level, func(t *testing.T) {
			t.Parallel()
			s := openOn(t, withParameter(t, "default_transaction_isolation", level), newSchema(t))
			const writers, each = 4, 15
			var all sync.WaitGroup
			for w := range writers {
				all.Go(func() {
					for i := range each {
						_, added, err := s.Append(t.Context(), key, appendOf(fmt.Sprintf("%d-%d", w, i)))
						assert.NoError(t, err)
						assert.Equal(t, 1, added)
					}
				})
			}
			all.Wait()
			r, err := s.Load(t.Context(), key, -1)
			require.NoError(t, err)
			require.Len(t, r.Messages, writers*each)
		})
	}
}

// TestSettings: the store works in all modes in which pgx sends statements, prepared or not, and with
// any settings of its connections.
func TestSettings(t *testing.T) {
	t.Parallel()
	for value, name := range map[string]string{
		"cache_statement": "default_query_exec_mode", "cache_describe": "default_query_exec_mode", "describe_exec": "default_query_exec_mode",
		"exec": "default_query_exec_mode", "simple_protocol": "default_query_exec_mode",
		"Asia/Kathmandu": "timezone", "German": "datestyle", "serializable": "default_transaction_isolation",
	} {
		t.Run(value, func(t *testing.T) {
			t.Parallel()
			s := openOn(t, withParameter(t, name, value), newSchema(t))
			useAll(t, s)
			useIndex(t, s.Index())
			useTokens(t, s.Tokens())
			useDocuments(t, s.Documents())
		})
	}
}

// useAll calls every method of the store with texts that have a meaning in SQL.
func useAll(t *testing.T, s *postgresstore.Store) {
	odd := session.Key{Namespace: "a'b", UserID: "\\x\x00{}", SessionID: "$1 \xff?"}
	a := appendOf("\x00'\"\\{},", "b", "NULL", "")
	a.Messages = a.Messages[:3]
	a.Messages[1].Body = []byte(`{"x":"\u0000 \\ ' \" $1 {} é 😀"}`)
	a.TTL, a.Window, a.Head = time.Hour, 77, []byte("\x00\xff'\\")
	at, added, err := s.Append(t.Context(), odd, a)
	require.NoError(t, err)
	require.Equal(t, 3, added)
	at, err = s.Write(t.Context(), odd, driver.Write{
		If: driver.Condition{Revision: at.Revision, Next: at.Next}, Head: nil, DropBefore: 2,
		Messages: messages("\x00'\"\\{},", "b"), Format: 2, TTL: session.NoExpiry, Now: time.Now(),
	})
	require.NoError(t, err)
	r, err := s.Load(t.Context(), odd, -1)
	require.NoError(t, err)
	require.Equal(t, at, r.Position)
	require.Equal(t, 2, r.Format)
	require.Empty(t, r.Head)
	require.Equal(t, []string{"b", "NULL", "\x00'\"\\{},"}, []string{r.Messages[0].ID, r.Messages[1].ID, r.Messages[2].ID})
	require.Equal(t, string(a.Messages[1].Body), string(r.Messages[0].Body))
	require.Zero(t, r.ExpiresAt)
	require.Equal(t, int64(77), r.Window)
	page, err := s.List(t.Context(), session.ListOptions{Namespace: &odd.Namespace, UserID: &odd.UserID, SessionID: &odd.SessionID, Limit: 1})
	require.NoError(t, err)
	require.Equal(t, session.Listing{Keys: []session.Key{odd}, Total: 1}, page)
	_, err = s.Sweep(t.Context())
	require.NoError(t, err)
	require.ErrorIs(t, s.Delete(t.Context(), odd, &driver.Condition{Revision: 1}), session.ErrConflict)
	require.NoError(t, s.Delete(t.Context(), odd, &driver.Condition{Revision: at.Revision, Next: at.Next}))
	_, err = s.Load(t.Context(), odd, 1)
	require.ErrorIs(t, err, session.ErrNotFound)
}
