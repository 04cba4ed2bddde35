package main

import (
	"database/sql"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/go-workingmemory/workingmemory/adapters/store/sqlitestore"
)

// An error at the start is one line that names the cause, without passwords.
func TestStartErrors(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	taken, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	t.Cleanup(func() { _ = taken.Close() })
	damaged := filepath.Join(dir, "damaged.db")
	require.NoError(t, os.WriteFile(damaged, []byte(strings.Repeat("no database\n", 1000)), 0o600))

	for name, tc := range map[string]struct {
		args []string
		code int
		want string
	}{
		"port in use":       {[]string{"--listen", taken.Addr().String()}, exitFailure, taken.Addr().String() + ": bind: address already in use: stop the process that uses it, or choose another --listen"},
		"no port":           {[]string{"--listen", "localhost"}, exitUsage, `listen: "localhost": missing port in address: must be a host and a port, such as 127.0.0.1:8000`},
		"no name of a host": {[]string{"--listen", "host.invalid:80"}, exitFailure, "listen: lookup host.invalid"},
		"damaged":           {[]string{"--store", "sqlite:" + damaged}, exitFailure, damaged + ": damaged, or not a database: file is not a database (26)"},
		"later schema":      {[]string{"--store", "sqlite:" + laterSchema(t)}, exitFailure, "schema has version 999, only versions up to"},
		"no Redis":          {[]string{"--store", "redis://u:hunter2@127.0.0.1:1/0"}, exitFailure, "redis://127.0.0.1:1/0: "},
		"no PostgreSQL":     {[]string{"--store", "postgres://u:hunter2@127.0.0.1:1/db"}, exitFailure, "connection refused"},
		"an argument":       {[]string{"x"}, exitUsage, "serve takes no arguments"},
		"tokens in memory":  {[]string{"--store", "memory:", "--auth", "token"}, exitUsage, "--auth token needs a persistent --store"},
		"no recipes":        {[]string{"--recipes", "servestart_test.go"}, exitUsage, "must be a folder with .yaml files"},
		"wrong recipes":     {[]string{"--recipes", "testdata/badrecipes"}, exitUsage, "oven.yaml: extractor: rule 0 (\"oven\"): error parsing regexp"},
		"empty recipes":     {[]string{"--recipes", dir}, exitUsage, "no file whose name ends in .yaml"},
		"no certificate":    {[]string{"--tls-cert", "no-such-file", "--tls-key", "no-such-file"}, exitFailure, "TLS: open no-such-file"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			args := append([]string{"serve", "--listen", "127.0.0.1:0", "--encoding", "estimate"}, tc.args...)
			code, stdout, stderr := 0, "", ""
			if name == "no Redis" { // the Redis client of a process logs to standard error, unless main disables that
				child, errs := startChild(t, args...)
				_ = child.Wait()
				code, stderr = child.ProcessState.ExitCode(), errs.String()
			} else {
				code, stdout, stderr = wmem(t, "", args...)
			}
			assert.Equal(t, tc.code, code)
			assert.Empty(t, stdout)
			line, rest, _ := strings.Cut(stderr, "\n")
			assert.True(t, strings.HasPrefix(line, "wmem: "), line)
			assert.Contains(t, line, tc.want)
			if tc.code == exitUsage {
				assert.Equal(t, "See 'wmem serve --help'.\n", rest)
			} else {
				assert.Empty(t, rest)
			}
			assert.NotContains(t, line, "hunter2")
		})
	}
}

// laterSchema creates a file with the schema of a later version.
func laterSchema(t *testing.T) string {
	t.Helper()
	file := filepath.Join(t.TempDir(), "later.db")
	store, err := sqlitestore.Open(t.Context(), file, nil)
	require.NoError(t, err)
	require.NoError(t, store.Close())
	db, err := sql.Open("sqlite", file)
	require.NoError(t, err)
	_, err = db.ExecContext(t.Context(), "PRAGMA user_version = 999")
	require.NoError(t, err)
	require.NoError(t, db.Close())
	return file
}
