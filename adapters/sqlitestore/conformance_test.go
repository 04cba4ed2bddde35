package sqlitestore_test

import (
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/go-workingmemory/workingmemory/adapters/sqlitestore"
	"github.com/go-workingmemory/workingmemory/internal/conformance"
	"github.com/go-workingmemory/workingmemory/memory/longterm"
	"github.com/go-workingmemory/workingmemory/memory/longterm/longtermtest"
	"github.com/go-workingmemory/workingmemory/memory/session"
	"github.com/go-workingmemory/workingmemory/memory/session/sessiontest"
)

func newClock() *conformance.Clock {
	return conformance.NewClock(time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC))
}

// newPath is where a file may be made.
func newPath(tb testing.TB) string { return filepath.Join(tb.TempDir(), "sessions.db") }

// open opens a store that is closed when the test ends.
func open(tb testing.TB, path string, opts *sqlitestore.Options) *sqlitestore.Store {
	tb.Helper()
	store, err := sqlitestore.Open(tb.Context(), path, opts)
	require.NoError(tb, err)
	tb.Cleanup(func() { assert.NoError(tb, store.Close()) })
	return store
}

func TestConforms(t *testing.T) {
	t.Parallel()
	sessiontest.Run(t, func(tb testing.TB) sessiontest.Harness {
		path, clock := newPath(tb), newClock()
		return sessiontest.Harness{
			Open: func(tb testing.TB) session.Store {
				return open(tb, path, &sqlitestore.Options{Now: clock.Now})
			},
			Sleep:  clock.Sleep,
			Shared: true,
		}
	})
}

func TestIndexConforms(t *testing.T) {
	t.Parallel()
	longtermtest.Run(t, func(tb testing.TB) longtermtest.Harness {
		path := newPath(tb)
		openIndex, closeIndex := conformance.Part(
			func(tb testing.TB) *sqlitestore.Store { return open(tb, path, nil) },
			func(store *sqlitestore.Store) longterm.Index { return store.Index() },
		)
		return longtermtest.Harness{Open: openIndex, Close: closeIndex, Shared: true}
	})
}
