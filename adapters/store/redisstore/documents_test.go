package redisstore_test

import (
	"testing"
	"time"

	"github.com/redis/go-redis/v9"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/go-workingmemory/workingmemory/adapters/store/redisstore"
	"github.com/go-workingmemory/workingmemory/internal/conformance"
	"github.com/go-workingmemory/workingmemory/memory/longterm/summaryview/driver"
	"github.com/go-workingmemory/workingmemory/memory/longterm/summaryview/driver/drivertest"
)

// documentsHarness returns a harness of stores with one prefix.
func documentsHarness(tb testing.TB, prefix string, open func(tb testing.TB, prefix string) *redisstore.Store) drivertest.Harness {
	openDocuments, closeDocuments := conformance.Part(
		func(tb testing.TB) *redisstore.Store { return open(tb, prefix) },
		func(store *redisstore.Store) driver.DocumentStore { return store.Documents() },
	)
	return drivertest.Harness{Open: openDocuments, Close: closeDocuments, Shared: true}
}

func TestDocuments(t *testing.T) {
	t.Parallel()
	url, client := server(t), newClient(t)
	drivertest.Run(t, func(tb testing.TB) drivertest.Harness {
		return documentsHarness(tb, newPrefix(tb, client), func(tb testing.TB, prefix string) *redisstore.Store { return open(tb, url, prefix) })
	})
}

func put(key, expected, revision string) driver.DocumentChange {
	return driver.DocumentChange{If: expected, Document: driver.Document{Key: key, Revision: revision, Due: at, Value: []byte("\x00 v")}}
}

func remove(key, expected string) driver.DocumentChange {
	return driver.DocumentChange{Do: driver.RemoveDocument, If: expected, Document: driver.Document{Key: key}}
}

// useDocuments calls each method of the store of documents.
func useDocuments(t *testing.T, documents driver.DocumentStore) {
	t.Helper()
	for range 2 {
		require.NoError(t, documents.Write(t.Context(), []driver.DocumentChange{put("a", "", "r")}))
		_, err := documents.Get(t.Context(), "a")
		require.NoError(t, err)
		_, err = documents.List(t.Context(), "a", "", 1)
		require.NoError(t, err)
		_, err = documents.Due(t.Context(), at, 1)
		require.NoError(t, err)
		n, err := documents.Count(t.Context(), "a")
		require.NoError(t, err)
		require.Equal(t, 1, n)
		require.NoError(t, documents.Write(t.Context(), []driver.DocumentChange{remove("a", "r")}))
	}
}

// TestDocumentLayout: names and formats of stored data never change.
func TestDocumentLayout(t *testing.T) {
	t.Parallel()
	store, client, prefix := newStore(t)
	ctx, base := t.Context(), prefix+":{"+prefix+"}:documents"
	bare := driver.DocumentChange{Document: driver.Document{Key: "b", Revision: "r2"}}
	require.NoError(t, store.Documents().Write(ctx, []driver.DocumentChange{put("a", "", "r1"), bare}))
	assert.Equal(t, map[string]string{"a": "r1 1772366400000 \x00 v", "b": "r2  "}, client.HGetAll(ctx, base).Val())
	assert.Equal(t, []string{"a", "b"}, client.ZRange(ctx, base+"-names", 0, -1).Val())
	assert.Equal(t, []redis.Z{{Score: 1772366400000, Member: "a"}}, client.ZRangeWithScores(ctx, base+"-due", 0, -1).Val())
	marks, err := client.Keys(ctx, base+":*").Result()
	require.NoError(t, err)
	require.Len(t, marks, 1)
	assert.InDelta(t, time.Minute, client.PTTL(ctx, marks[0]).Val(), float64(time.Minute/2))
	require.NoError(t, store.Documents().Write(ctx, []driver.DocumentChange{remove("a", "r1"), remove("b", "r2")}))
	assert.Zero(t, client.Exists(ctx, base, base+"-names", base+"-due").Val(), "nothing is left of removed documents")
}

// TestResendDocuments: a write that the client resends takes effect once, whatever other clients do in
// between.
func TestResendDocuments(t *testing.T) {
	t.Parallel()
	ctx, client := t.Context(), newClient(t)
	prefix := newPrefix(t, newClient(t))
	others, documents := storeOn(t, newClient(t), prefix).Documents(), storeOn(t, client, prefix).Documents()
	useDocuments(t, documents) // loads the scripts, so that a call is one command
	var between func()
	client.AddHook(twice(func() { between() }))
	between = func() {
		require.NoError(t, others.Write(ctx, []driver.DocumentChange{remove("a", "r1")}))
	}
	require.NoError(t, documents.Write(ctx, []driver.DocumentChange{put("a", "", "r1")}))
	_, err := others.Get(ctx, "a")
	require.ErrorIs(t, err, driver.ErrNotFound, "a document that was removed comes back")
	require.NoError(t, others.Write(ctx, []driver.DocumentChange{put("a", "", "r2")}))
	between = func() {
		require.NoError(t, others.Write(ctx, []driver.DocumentChange{put("a", "", "r3")}))
	}
	require.NoError(t, documents.Write(ctx, []driver.DocumentChange{remove("a", "r2")}))
	_, err = others.Get(ctx, "a")
	require.NoError(t, err, "another's document is removed")
}

func TestDamagedDocuments(t *testing.T) {
	t.Parallel()
	store, client, prefix := newStore(t)
	ctx, documents := t.Context(), store.Documents()
	require.NoError(t, documents.Write(ctx, []driver.DocumentChange{put("a", "", "r1")}))
	for _, value := range []string{"", "secret", "r1 secret", "r1 secret v"} {
		require.NoError(t, client.HSet(ctx, prefix+":{"+prefix+"}:documents", "a", value).Err())
		_, err := documents.Get(ctx, "a")
		_, listErr := documents.List(ctx, "", "", 1)
		for _, err := range []error{err, listErr} {
			require.ErrorContains(t, err, "cannot be read", "%q", value)
			require.NotContains(t, err.Error(), "secret")
			require.NotErrorIs(t, err, driver.ErrNotFound)
		}
	}
}
