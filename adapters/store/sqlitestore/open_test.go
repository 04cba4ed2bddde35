package sqlitestore_test

import (
	"database/sql"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/go-workingmemory/workingmemory/adapters/store/sqlitestore"
	"github.com/go-workingmemory/workingmemory/memory/session"
	"github.com/go-workingmemory/workingmemory/memory/session/driver"
)

var key = session.Key{Namespace: "shop", UserID: "ann", SessionID: "1"}

// edit changes a file by hand, as another program would.
func edit(tb testing.TB, path string, statements ...string) {
	tb.Helper()
	db, err := sql.Open("sqlite", path)
	require.NoError(tb, err)
	db.SetMaxOpenConns(1) // a PRAGMA is for one connection
	for _, statement := range statements {
		_, err := db.ExecContext(tb.Context(), statement)
		require.NoError(tb, err, statement)
	}
	require.NoError(tb, db.Close())
}

// number returns what a query for a number gives.
func number(tb testing.TB, path, query string) int {
	tb.Helper()
	db, err := sql.Open("sqlite", path)
	require.NoError(tb, err)
	var n int
	require.NoError(tb, db.QueryRowContext(tb.Context(), query).Scan(&n))
	require.NoError(tb, db.Close())
	return n
}

// add appends n messages to a session.
func add(tb testing.TB, store driver.Store, key session.Key, start, n int) driver.Position {
	tb.Helper()
	at, added, err := store.Append(tb.Context(), key, driver.Append{
		Messages: chat(start, n), Head: []byte(`{"h":1}`), Now: time.UnixMilli(1),
	})
	require.NoError(tb, err)
	require.Equal(tb, n, added)
	return at
}

func TestOpenRefusesWhatIsNoPath(t *testing.T) {
	t.Parallel()
	for path, text := range map[string]string{
		"":                                  "no path",
		":memory:":                          "memstore.New",
		"file:sessions.db":                  "not a URI",
		filepath.Join(t.TempDir(), "a\x00"): "NUL",
	} {
		_, err := sqlitestore.Open(t.Context(), path, nil)
		assert.ErrorContains(t, err, text)
	}
}

func TestOpenRefusesOptions(t *testing.T) {
	t.Parallel()
	for name, opts := range map[string]sqlitestore.Options{
		"BusyTimeout": {BusyTimeout: -1},
		"ReadConns":   {ReadConns: -1},
	} {
		path := newPath(t)
		_, err := sqlitestore.Open(t.Context(), path, &opts)
		require.ErrorContains(t, err, name)
		assert.NoFileExists(t, path)
	}
}

func TestOpenWithoutDirectory(t *testing.T) {
	t.Parallel()
	_, err := sqlitestore.Open(t.Context(), filepath.Join(t.TempDir(), "missing", "sessions.db"), nil)
	require.ErrorIs(t, err, session.ErrUnavailable)
	_, err = sqlitestore.Open(t.Context(), t.TempDir(), nil)
	require.ErrorIs(t, err, session.ErrUnavailable)
}

// A path is one of the file system, with whatever is in it, and stays the same when
// the working directory changes.
func TestPathsOfAllKinds(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"a b.db", "a?mode=memory", "a#b%20c%", "a;b&c=d", "ä✓", "'\"`", "-"} {
		path := filepath.Join(t.TempDir(), name)
		store := open(t, path, nil)
		add(t, store, key, 0, 1)
		assert.FileExists(t, path, name)
		again := open(t, path, nil)
		record, err := again.Load(t.Context(), key, -1)
		require.NoError(t, err, name)
		assert.Len(t, record.Messages, 1)
	}
}

func TestRelativePath(t *testing.T) {
	dir := t.TempDir()
	t.Chdir(dir)
	store := open(t, "sessions.db", nil)
	t.Chdir(t.TempDir())
	add(t, store, key, 0, 1)
	_, err := store.Load(t.Context(), key, -1)
	require.NoError(t, err)
	assert.FileExists(t, filepath.Join(dir, "sessions.db"))
}

// What agents are told is nobody else's business.
func TestNewFilesAreTheOwners(t *testing.T) {
	t.Parallel()
	if runtime.GOOS == "windows" {
		t.Skip("Windows has no such permissions")
	}
	path := newPath(t)
	store := open(t, path, nil)
	add(t, store, key, 0, 1)
	for _, name := range []string{path, path + "-wal", path + "-shm"} {
		info, err := os.Stat(name)
		require.NoError(t, err)
		assert.Equal(t, os.FileMode(0o600), info.Mode().Perm(), name)
	}
	entries, err := os.ReadDir(filepath.Dir(path))
	require.NoError(t, err)
	assert.Len(t, entries, 3, "nothing else is made")
	shared := newPath(t)
	require.NoError(t, os.WriteFile(shared, nil, 0o600))
	require.NoError(t, os.Chmod(shared, 0o664))
	open(t, shared, nil)
	info, err := os.Stat(shared)
	require.NoError(t, err)
	assert.Equal(t, os.FileMode(0o664), info.Mode().Perm(), "the permissions of a file that was there are its owner's choice")
}

func TestManyOpenOneFileAtOnce(t *testing.T) {
	t.Parallel()
	path := newPath(t)
	var wg sync.WaitGroup
	stores := make([]*sqlitestore.Store, 8)
	for i := range stores {
		wg.Go(func() {
			var err error
			stores[i], err = sqlitestore.Open(t.Context(), path, &sqlitestore.Options{BusyTimeout: time.Minute})
			assert.NoError(t, err)
		})
	}
	wg.Wait()
	require.False(t, t.Failed())
	for i, store := range stores {
		add(t, store, key, i, 1)
	}
	record, err := stores[0].Load(t.Context(), key, -1)
	require.NoError(t, err)
	assert.Len(t, record.Messages, len(stores))
	for _, store := range stores {
		require.NoError(t, store.Close())
	}
	assert.Equal(t, 4, number(t, path, "PRAGMA user_version"))
}

// A file that is not to be used stays as it is, to the byte.
func TestFilesThatAreRefused(t *testing.T) {
	t.Parallel()
	ours := func(tb testing.TB, path string) {
		store, err := sqlitestore.Open(tb.Context(), path, nil)
		require.NoError(tb, err)
		require.NoError(tb, store.Close())
	}
	cases := map[string]struct {
		make  func(tb testing.TB, path string)
		check func(tb testing.TB, path string, err error)
	}{
		"later schema": {
			make: func(tb testing.TB, path string) {
				ours(tb, path)
				edit(tb, path, "PRAGMA user_version = 99", "CREATE TABLE later (id)")
			},
			check: func(tb testing.TB, path string, err error) {
				var refused *sqlitestore.SchemaError
				require.ErrorAs(tb, err, &refused)
				assert.Equal(tb, sqlitestore.SchemaError{Path: path, Version: 99, Known: 4}, *refused)
			},
		},
		"tables of another": {
			make: func(tb testing.TB, path string) { edit(tb, path, "CREATE TABLE theirs (id)") },
			check: func(tb testing.TB, path string, err error) {
				require.ErrorIs(tb, err, sqlitestore.ErrForeign)
			},
		},
		"id of another": {
			make: func(tb testing.TB, path string) { ours(tb, path); edit(tb, path, "PRAGMA application_id = 7") },
			check: func(tb testing.TB, path string, err error) {
				require.ErrorIs(tb, err, sqlitestore.ErrForeign)
			},
		},
		"version of another": {
			make: func(tb testing.TB, path string) { edit(tb, path, "PRAGMA user_version = 1") },
			check: func(tb testing.TB, path string, err error) {
				require.ErrorIs(tb, err, sqlitestore.ErrForeign)
			},
		},
		"no database": {
			make: func(tb testing.TB, path string) {
				require.NoError(tb, os.WriteFile(path, []byte(strings.Repeat("not a database\n", 500)), 0o600))
			},
			check: func(tb testing.TB, path string, err error) {
				require.ErrorIs(tb, err, sqlitestore.ErrDamaged)
			},
		},
		"damaged schema": {
			make: func(tb testing.TB, path string) {
				ours(tb, path)
				trash(tb, path, 100, 4096)
			},
			check: func(tb testing.TB, path string, err error) {
				require.ErrorIs(tb, err, sqlitestore.ErrDamaged)
			},
		},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			path := newPath(t)
			c.make(t, path)
			before, err := os.ReadFile(path)
			require.NoError(t, err)
			_, err = sqlitestore.Open(t.Context(), path, nil)
			require.Error(t, err)
			c.check(t, path, err)
			assert.ErrorContains(t, err, path)
			after, err := os.ReadFile(path)
			require.NoError(t, err)
			assert.Equal(t, before, after, "the file was changed")
			assert.NoFileExists(t, path+"-wal")
		})
	}
}

// trash overwrites bytes of a file.
func trash(tb testing.TB, path string, from, to int) {
	tb.Helper()
	content, err := os.ReadFile(path)
	require.NoError(tb, err)
	for i := from; i < min(to, len(content)); i++ {
		content[i] = 0xa5
	}
	require.NoError(tb, os.WriteFile(path, content, 0o600))
}

func TestOpenGivesUp(t *testing.T) {
	t.Parallel()
	path := newPath(t)
	db, err := sql.Open("sqlite", path)
	require.NoError(t, err)
	db.SetMaxOpenConns(1)
	_, err = db.ExecContext(t.Context(), "BEGIN EXCLUSIVE")
	require.NoError(t, err)
	_, err = sqlitestore.Open(t.Context(), path, &sqlitestore.Options{BusyTimeout: 20 * time.Millisecond})
	require.ErrorIs(t, err, session.ErrUnavailable)
	_, err = db.ExecContext(t.Context(), "ROLLBACK")
	require.NoError(t, err)
	require.NoError(t, db.Close())
	open(t, path, nil)
}

// rawDB is the file as another program has it open.
func rawDB(tb testing.TB, path string) *sql.DB {
	tb.Helper()
	db, err := sql.Open("sqlite", path)
	require.NoError(tb, err)
	db.SetMaxOpenConns(1)
	tb.Cleanup(func() { assert.NoError(tb, db.Close()) })
	return db
}
