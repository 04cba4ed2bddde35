package sqlitestore_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/go-workingmemory/workingmemory/adapters/store/sqlitestore"
	"github.com/go-workingmemory/workingmemory/internal/conformance"
	"github.com/go-workingmemory/workingmemory/memory/longterm/summaryview/driver"
	"github.com/go-workingmemory/workingmemory/memory/longterm/summaryview/driver/drivertest"
)

func TestDocumentsConform(t *testing.T) {
	t.Parallel()
	drivertest.Run(t, func(tb testing.TB) drivertest.Harness {
		path := newPath(tb)
		openDocuments, closeDocuments := conformance.Part(
			func(tb testing.TB) *sqlitestore.Store {
				return open(tb, path, &sqlitestore.Options{BusyTimeout: time.Minute})
			},
			func(store *sqlitestore.Store) driver.DocumentStore { return store.Documents() },
		)
		return drivertest.Harness{Open: openDocuments, Close: closeDocuments, Shared: true}
	})
}

func TestDamagedDocuments(t *testing.T) {
	t.Parallel()
	path := newPath(t)
	store := open(t, path, nil)
	change := driver.DocumentChange{Document: driver.Document{Key: "a", Revision: "r", Value: []byte("secret")}}
	require.NoError(t, store.Documents().Write(t.Context(), []driver.DocumentChange{change}))
	require.NoError(t, store.Close())
	edit(t, path, append(loose, `UPDATE documents SET due_at = 'secret'`)...)
	documents := open(t, path, nil).Documents()
	_, err := documents.Get(t.Context(), "a")
	require.ErrorIs(t, err, sqlitestore.ErrDamaged)
	assert.NotContains(t, err.Error(), "secret")
	change.Do, change.If = driver.RemoveDocument, "r"
	require.NoError(t, documents.Write(t.Context(), []driver.DocumentChange{change}), "a damaged document can be removed")
}
