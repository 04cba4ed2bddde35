package sqlitestore_test

import (
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/go-workingmemory/workingmemory/adapters/store/sqlitestore"
	"github.com/go-workingmemory/workingmemory/internal/conformance"
	longtermdriver "github.com/go-workingmemory/workingmemory/memory/longterm/driver"
	longtermdrivertest "github.com/go-workingmemory/workingmemory/memory/longterm/driver/drivertest"
	sessiondriver "github.com/go-workingmemory/workingmemory/memory/session/driver"
	sessiondrivertest "github.com/go-workingmemory/workingmemory/memory/session/driver/drivertest"
)

func newClock() *conformance.Clock {
	return conformance.NewClock(time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC))
}

// newPath returns a path for a new file.
func newPath(tb testing.TB) string { return filepath.Join(tb.TempDir(), "sessions.db") }

// open opens a store that is closed at the end of the test.
func open(tb testing.TB, path string, opts *sqlitestore.Options) *sqlitestore.Store {
	tb.Helper()
	store, err := sqlitestore.Open(tb.Context(), path, opts)
	require.NoError(tb, err)
	tb.Cleanup(func() { assert.NoError(tb, store.Close()) })
	return store
}

func TestConforms(t *testing.T) {
	t.Parallel()
	sessiondrivertest.Run(t, func(tb testing.TB) sessiondrivertest.Harness {
		path, clock := newPath(tb), newClock()
		return sessiondrivertest.Harness{
			Open: func(tb testing.TB) sessiondriver.Store {
				return open(tb, path, &sqlitestore.Options{Now: clock.Now})
			},
			Sleep:  clock.Sleep,
			Shared: true,
		}
	})
}

func TestKeepsResults(t *testing.T) {
	t.Parallel()
	sessiondrivertest.RunResults(t, func(tb testing.TB) sessiondrivertest.Harness {
		path, clock := newPath(tb), newClock()
		return sessiondrivertest.Harness{
			Open: func(tb testing.TB) sessiondriver.Store {
				return open(tb, path, &sqlitestore.Options{Now: clock.Now})
			},
			Sleep:  clock.Sleep,
			Shared: true,
		}
	})
}

func TestIndexConforms(t *testing.T) {
	t.Parallel()
	longtermdrivertest.Run(t, func(tb testing.TB) longtermdrivertest.Harness {
		path := newPath(tb)
		openIndex, closeIndex := conformance.Part(
			func(tb testing.TB) *sqlitestore.Store { return open(tb, path, nil) },
			func(store *sqlitestore.Store) longtermdriver.Index { return store.Index() },
		)
		return longtermdrivertest.Harness{Open: openIndex, Close: closeIndex, Shared: true}
	})
}
