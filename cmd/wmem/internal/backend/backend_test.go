package backend_test

import (
	"bytes"
	"context"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/go-workingmemory/workingmemory/adapters/server/auth"
	"github.com/go-workingmemory/workingmemory/cmd/wmem/internal/backend"
	"github.com/go-workingmemory/workingmemory/memory/longterm"
	"github.com/go-workingmemory/workingmemory/memory/longterm/driver"
	"github.com/go-workingmemory/workingmemory/memory/session"
)

func TestPlaces(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct{ store, index, wantStore, wantIndex, fails string }{
		{wantStore: "sqlite:wmem.db", wantIndex: "sqlite:wmem.db"},
		{store: "memory:", wantStore: "memory:", wantIndex: "memory:"},
		{store: "redis://h", wantStore: "redis://h", wantIndex: "sqlite:wmem.db"},
		{store: "redis://h", index: "postgres://h/db", wantStore: "redis://h", wantIndex: "postgres://h/db"},
		{store: "redis://h", index: "redis://h", fails: "index: bad store: long-term memory cannot be stored in Redis"},
		{store: "x", fails: "store: bad store"},
		{index: "x", fails: "index: bad store"},
	} {
		store, index, err := backend.Config{Store: tc.store, Index: tc.index}.Places()
		if tc.fails != "" {
			require.ErrorIs(t, err, backend.ErrURL)
			assert.Contains(t, err.Error(), tc.fails)
			continue
		}
		require.NoError(t, err)
		assert.Equal(t, tc.wantStore, store.String())
		assert.Equal(t, tc.wantIndex, index.String())
	}
}

// places returns the places that can be opened on this machine.
func places(t *testing.T) map[string]backend.Config {
	dir := t.TempDir()
	all := map[string]backend.Config{
		"memory":     {Store: "memory:"},
		"sqlite":     {Store: "sqlite:" + filepath.Join(dir, "one.db")},
		"two files":  {Store: "sqlite:" + filepath.Join(dir, "two.db"), Index: "sqlite:" + filepath.Join(dir, "three.db")},
		"memory too": {Store: "sqlite:" + filepath.Join(dir, "four.db"), Index: "memory:"},
	}
	if url := os.Getenv("WORKINGMEMORY_TEST_REDIS"); url != "" {
		all["redis"] = backend.Config{Store: url, Index: "sqlite:" + filepath.Join(dir, "five.db")}
	}
	if url := os.Getenv("WORKINGMEMORY_TEST_POSTGRES"); url != "" {
		all["postgres"] = backend.Config{Store: url}
	}
	return all
}

func TestOpen(t *testing.T) {
	t.Parallel()
	for name, config := range places(t) {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			ctx := t.Context()
			b, err := backend.Open(ctx, config)
			require.NoError(t, err)
			require.NoError(t, b.Ping(ctx))
			key := session.Key{Namespace: "backend-test", SessionID: t.Name()}
			_, err = b.Sessions.Load(ctx, key, -1)
			require.ErrorIs(t, err, session.ErrNotFound)
			page, err := b.Index.Search(ctx, driver.Search{Scope: longterm.Of("backend-test", t.Name()), Limit: 1})
			require.NoError(t, err)
			assert.Zero(t, page.Total)
			_, err = b.Tokens.Get(ctx, "no-such-token")
			require.ErrorIs(t, err, auth.ErrNotFound)
			require.NoError(t, b.Close())
			require.ErrorIs(t, b.Ping(ctx), session.ErrClosed)
		})
	}
}

// Errors contain no password, whether the URL is malformed or the server does not answer.
func TestErrorsHaveNoSecrets(t *testing.T) {
	t.Parallel()
	for _, url := range []string{
		"redis://u:hunter2%zz@127.0.0.1:1/0", "redis://u:hunter2@127.0.0.1:1/x", "redis://:hunter2@127.0.0.1:1/0",
		"redis://u:hunter2@127.0.0.1:1/0?hunter2=1", "redis://u:hunter2@127.0.0.1:1/0?dial_timeout=hunter2",
		"postgres://u:hunter2%zz@127.0.0.1:1/db", "postgres://u:hunter2@127.0.0.1:1/db",
		"postgres://u:hunter2@127.0.0.1:1/db?sslmode=bad", "postgres://u@127.0.0.1:1/db?password=hunter2",
		"postgres://u:%68unter2@127.0.0.1:1/db?sslmode=disable&connect_timeout=1",
	} {
		t.Run(url, func(t *testing.T) {
			t.Parallel()
			ctx, cancel := context.WithTimeout(t.Context(), 5*time.Second)
			defer cancel()
			var log bytes.Buffer
			_, err := backend.Open(ctx, backend.Config{Store: url, Index: "memory:", Logger: slog.New(slog.NewTextHandler(&log, nil))})
			require.Error(t, err)
			assert.NotContains(t, err.Error(), "unter2")
			assert.NotContains(t, err.Error(), "ter2@")
			assert.Contains(t, err.Error(), "127.0.0.1:1")
			assert.Empty(t, log.String())
		})
	}
}

// The error has the system's reason, unless the file exists but is not a database.
func TestUnusableFiles(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	text := filepath.Join(dir, "text.db")
	require.NoError(t, os.WriteFile(text, []byte(strings.Repeat("no database\n", 1000)), 0o600))
	cases := map[string]string{
		filepath.Join(dir, "no", "wmem.db"): "(14): stat " + filepath.Join(dir, "no") + ": ",
		dir:                                 "(14): open " + dir + ": ",
		text:                                "(26)",
	}
	if runtime.GOOS == "linux" {
		cases["/proc/wmem.db"] = "(14): cannot create files in /proc?"
	}
	for file, want := range cases {
		_, err := backend.Open(t.Context(), backend.Config{Store: "sqlite:" + file, Index: "memory:"})
		require.ErrorContains(t, err, want)
		if file == text {
			assert.Regexp(t, `\(26\)$`, err.Error())
			continue
		}
		require.ErrorIs(t, err, session.ErrUnavailable)
		assert.NoFileExists(t, file)
	}
}

// If the second place fails, the first one is closed.
func TestOpenCloses(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "wmem.db")
	_, err := backend.Open(t.Context(), backend.Config{Store: "sqlite:" + file, Index: "sqlite:" + filepath.Join(file, "no", "such.db")})
	require.Error(t, err)
	_, err = os.Stat(file + "-wal")
	require.ErrorIs(t, err, fs.ErrNotExist, "SQLite removes the log when the file is closed")
}
