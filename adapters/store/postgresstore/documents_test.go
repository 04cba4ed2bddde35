package postgresstore_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/go-workingmemory/workingmemory/adapters/store/postgresstore"
	"github.com/go-workingmemory/workingmemory/internal/conformance"
	"github.com/go-workingmemory/workingmemory/memory/longterm/summaryview/driver"
	"github.com/go-workingmemory/workingmemory/memory/longterm/summaryview/driver/drivertest"
)

func TestDocuments(t *testing.T) {
	t.Parallel()
	drivertest.Run(t, func(tb testing.TB) drivertest.Harness {
		schema := newSchema(tb)
		openDocuments, closeDocuments := conformance.Part(
			func(tb testing.TB) *postgresstore.Store { return open(tb, schema) },
			func(store *postgresstore.Store) driver.DocumentStore { return store.Documents() },
		)
		return drivertest.Harness{Open: openDocuments, Close: closeDocuments, Shared: true}
	})
}

// useDocuments calls each method of the store of documents.
func useDocuments(t *testing.T, documents driver.DocumentStore) {
	t.Helper()
	d, other := driver.Document{Key: "a", Revision: "r1", Value: []byte("\x00\xff")}, driver.Document{Key: "b", Revision: "'r", Due: time.Unix(1, 0)}
	require.NoError(t, documents.Write(t.Context(), []driver.DocumentChange{{Document: d}, {Document: other}}))
	got, err := documents.Get(t.Context(), "a")
	require.NoError(t, err)
	require.Equal(t, d, got)
	page, err := documents.List(t.Context(), "a", "", 10)
	require.NoError(t, err)
	require.Len(t, page, 1)
	n, err := documents.Count(t.Context(), "a")
	require.NoError(t, err)
	require.Equal(t, 1, n)
	require.NoError(t, documents.Write(t.Context(), []driver.DocumentChange{
		{Do: driver.RequireDocument, If: "'r", Document: driver.Document{Key: "b"}}, {Do: driver.RemoveDocument, If: "r1", Document: driver.Document{Key: "a"}},
	}))
	page, err = documents.Due(t.Context(), time.Unix(1, 0), 10)
	require.NoError(t, err)
	require.Len(t, page, 1)
	replaced := driver.DocumentChange{If: "'r", Document: driver.Document{Key: "b", Revision: "r2"}}
	require.NoError(t, documents.Write(t.Context(), []driver.DocumentChange{replaced}))
}
