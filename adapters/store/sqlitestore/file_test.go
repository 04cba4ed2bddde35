package sqlitestore

import (
	"os"
	"path/filepath"
	"runtime"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

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
