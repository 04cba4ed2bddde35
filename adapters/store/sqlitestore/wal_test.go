package sqlitestore

import (
	"context"
	"os"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/go-workingmemory/workingmemory/memory/session"
	"github.com/go-workingmemory/workingmemory/memory/session/driver"
)

// TestLogBesideReaders: continuous reads do not let the log grow without bound.
func TestLogBesideReaders(t *testing.T) {
	t.Parallel()
	store := openStore(t, &Options{ReadConns: 2})
	const most = 64 << 10
	holding(store.writer, func() { store.writer.log.most = most })
	large := message("large")
	large.Body = []byte(`"` + strings.Repeat("x", 20_000) + `"`)
	_, _, err := store.Append(t.Context(), key, driver.Append{Messages: []driver.StoredMessage{large}})
	require.NoError(t, err)
	ctx, cancel := context.WithCancel(t.Context())
	var readers sync.WaitGroup
	for range 2 {
		readers.Go(func() {
			for ctx.Err() == nil {
				_, err := store.Load(ctx, key, -1)
				assert.True(t, err == nil || ctx.Err() != nil, err)
			}
		})
	}
	longest := int64(0)
	for range 12 {
		_, err := store.Write(t.Context(), session.Key{SessionID: "written"}, driver.Write{Head: large.Body})
		require.NoError(t, err)
		require.NoError(t, store.Delete(t.Context(), session.Key{SessionID: "written"}, nil))
		info, err := os.Stat(store.writer.log.path)
		require.NoError(t, err)
		longest = max(longest, info.Size())
	}
	cancel()
	readers.Wait()
	assert.Less(t, longest, int64(4*most))
}
