//go:build cgo

package benchmarks

import (
	"fmt"
	"math"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/tmc/langchaingo/memory/sqlite3"

	"github.com/go-workingmemory/workingmemory/adapters/store/sqlitestore"
)

// BenchmarkSQLiteHistories is BenchmarkHistories on a file. Both sides have written
// to the disk what they acknowledge, as they do by default; theirs is SQLite in C,
// ours SQLite in Go. Theirs reads the oldest 1,000 messages by default: here it has
// no limit.
func BenchmarkSQLiteHistories(b *testing.B) {
	for _, messages := range []int{10, 100, 1000, 10_000} {
		b.Run(fmt.Sprintf("messages=%d", messages), func(b *testing.B) {
			dir := b.TempDir()
			store, err := sqlitestore.Open(b.Context(), filepath.Join(dir, "sessions"), nil)
			require.NoError(b, err)
			defer store.Close()
			theirs := sqlite3.NewSqliteChatMessageHistory(
				sqlite3.WithDBAddress(filepath.Join(dir, "history")), sqlite3.WithOverwrite(), sqlite3.WithLimit(math.MaxInt32),
			)
			defer theirs.DB.Close()
			compareTurns(b, messages, newStored(b, store), &history{theirs})
		})
	}
}
