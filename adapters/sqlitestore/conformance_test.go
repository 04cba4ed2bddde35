package sqlitestore_test

import (
	"path/filepath"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/go-workingmemory/workingmemory/adapters/sqlitestore"
	"github.com/go-workingmemory/workingmemory/memory/longterm"
	"github.com/go-workingmemory/workingmemory/memory/longterm/longtermtest"
	"github.com/go-workingmemory/workingmemory/memory/session"
	"github.com/go-workingmemory/workingmemory/memory/session/sessiontest"
)

// clock is a clock that goes on when it is told to.
type clock struct {
	mu  sync.Mutex
	now time.Time
}

func newClock() *clock { return &clock{now: time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)} }

func (c *clock) Now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.now
}

func (c *clock) Sleep(d time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.now = c.now.Add(d)
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
		var stores sync.Map // of indexes
		return longtermtest.Harness{
			Open: func(tb testing.TB) longterm.Index {
				store := open(tb, path, nil)
				index := store.Index()
				stores.Store(index, store)
				return index
			},
			Shared: true,
			Close: func(index longterm.Index) error {
				store, _ := stores.Load(index)
				return store.(*sqlitestore.Store).Close()
			},
		}
	})
}
