package sqlitestore

import (
	"os"
	"path/filepath"
	"runtime"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestCreate: a file appears with its permissions, and an existing one is not changed.
func TestCreate(t *testing.T) {
	t.Parallel()
	if runtime.GOOS == "windows" {
		t.Skip("Windows has no such permissions")
	}
	file, err := newFile(filepath.Join(t.TempDir(), "a*b.db"), Options{})
	require.NoError(t, err)
	file.create()
	info, err := os.Stat(file.path)
	require.NoError(t, err)
	assert.Equal(t, os.FileMode(0o600), info.Mode().Perm())
	require.NoError(t, os.WriteFile(file.path, []byte("content"), 0o600))
	file.create()
	content, err := os.ReadFile(file.path)
	require.NoError(t, err)
	assert.Equal(t, "content", string(content))
	entries, err := os.ReadDir(filepath.Dir(file.path))
	require.NoError(t, err)
	assert.Len(t, entries, 1)
}

// TestLinkToNothing: the target of a link is created, with the log beside it.
func TestLinkToNothing(t *testing.T) {
	t.Parallel()
	if runtime.GOOS == "windows" {
		t.Skip("links need a privilege on Windows")
	}
	target, link := filepath.Join(t.TempDir(), "target.db"), filepath.Join(t.TempDir(), "link.db")
	require.NoError(t, os.Symlink(target, link))
	store, err := Open(t.Context(), link, nil)
	require.NoError(t, err)
	info, err := os.Stat(target)
	require.NoError(t, err)
	assert.Equal(t, os.FileMode(0o600), info.Mode().Perm())
	assert.FileExists(t, target+"-wal")
	assert.Equal(t, target+"-wal", store.writer.log.path)
	require.NoError(t, store.Close())
}
