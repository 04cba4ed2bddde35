package sqlitestore_test

import (
	"database/sql"
	"errors"
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

// edit runs statements on a file, like another program.
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

// number returns the number that a query selects.
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

func TestOpenErrors(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		path string
		opts sqlitestore.Options
		want string
	}{
		{"", sqlitestore.Options{}, "empty path"},
		{":memory:", sqlitestore.Options{}, "memstore.New"},
		{"file:sessions.db", sqlitestore.Options{}, "URI"},
		{filepath.Join(t.TempDir(), "a\x00"), sqlitestore.Options{}, "NUL"},
		{newPath(t), sqlitestore.Options{BusyTimeout: -1}, "BusyTimeout"},
		{newPath(t), sqlitestore.Options{ReadConns: -1}, "ReadConns"},
		{filepath.Join(t.TempDir(), "missing", "sessions.db"), sqlitestore.Options{}, "unavailable"},
		{t.TempDir(), sqlitestore.Options{}, "unavailable"},
	} {
		_, err := sqlitestore.Open(t.Context(), c.path, &c.opts)
		require.ErrorContains(t, err, c.want)
		assert.Equal(t, c.want == "unavailable", errors.Is(err, session.ErrUnavailable), err)
		assert.NoFileExists(t, c.path)
	}
}

// TestPaths: special characters in a path have no meaning.
func TestPaths(t *testing.T) {
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

// TestRelativePath: a relative path survives a change of the working directory.
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

// TestPermissions: only its owner can read a new file. The permissions of an existing one stay.
func TestPermissions(t *testing.T) {
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
	assert.Len(t, entries, 3, "no other files")
	shared := newPath(t)
	require.NoError(t, os.WriteFile(shared, nil, 0o600))
	require.NoError(t, os.Chmod(shared, 0o664))
	open(t, shared, nil)
	info, err := os.Stat(shared)
	require.NoError(t, err)
	assert.Equal(t, os.FileMode(0o664), info.Mode().Perm())
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
	assert.Equal(t, 9, number(t, path, "PRAGMA user_version"))
}

// TestRejectedFiles: a file that cannot be used is not changed.
func TestRejectedFiles(t *testing.T) {
	t.Parallel()
	ours := func(tb testing.TB, path string, statements ...string) {
		store, err := sqlitestore.Open(tb.Context(), path, nil)
		require.NoError(tb, err)
		require.NoError(tb, store.Close())
		edit(tb, path, statements...)
	}
	for name, c := range map[string]struct {
		make func(tb testing.TB, path string)
		want error
	}{
		"later schema": {func(tb testing.TB, path string) {
			ours(tb, path, "PRAGMA user_version = 99", "CREATE TABLE later (id)")
		}, nil},
		"foreign tables":         {func(tb testing.TB, path string) { edit(tb, path, "CREATE TABLE theirs (id)") }, sqlitestore.ErrForeign},
		"foreign application id": {func(tb testing.TB, path string) { ours(tb, path, "PRAGMA application_id = 7") }, sqlitestore.ErrForeign},
		"foreign version":        {func(tb testing.TB, path string) { edit(tb, path, "PRAGMA user_version = 1") }, sqlitestore.ErrForeign},
		"not a database": {func(tb testing.TB, path string) {
			require.NoError(tb, os.WriteFile(path, []byte(strings.Repeat("not a database\n", 500)), 0o600))
		}, sqlitestore.ErrDamaged},
		"damaged schema": {func(tb testing.TB, path string) { ours(tb, path); corrupt(tb, path, 100, 4096) }, sqlitestore.ErrDamaged},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			path := newPath(t)
			c.make(t, path)
			before, err := os.ReadFile(path)
			require.NoError(t, err)
			_, err = sqlitestore.Open(t.Context(), path, nil)
			if c.want != nil {
				require.ErrorIs(t, err, c.want)
			} else {
				var schema *sqlitestore.SchemaError
				require.ErrorAs(t, err, &schema)
				assert.Equal(t, sqlitestore.SchemaError{Path: path, Version: 99, Known: 9}, *schema)
			}
			assert.ErrorContains(t, err, path)
			after, err := os.ReadFile(path)
			require.NoError(t, err)
			assert.Equal(t, before, after, "the file was changed")
			assert.NoFileExists(t, path+"-wal")
		})
	}
}

// corrupt overwrites bytes of a file.
func corrupt(tb testing.TB, path string, from, to int) {
	tb.Helper()
	content, err := os.ReadFile(path)
	require.NoError(tb, err)
	for i := from; i < min(to, len(content)); i++ {
		content[i] = 0xa5
	}
	require.NoError(tb, os.WriteFile(path, content, 0o600))
}

// rawDB opens the file like another program.
func rawDB(tb testing.TB, path string) *sql.DB {
	tb.Helper()
	db, err := sql.Open("sqlite", path)
	require.NoError(tb, err)
	db.SetMaxOpenConns(1)
	tb.Cleanup(func() { assert.NoError(tb, db.Close()) })
	return db
}
