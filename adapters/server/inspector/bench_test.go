package inspector_test

import (
	"fmt"
	"net/http"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/go-workingmemory/workingmemory/adapters/server/inspector"
	"github.com/go-workingmemory/workingmemory/adapters/store/sqlitestore"
	"github.com/go-workingmemory/workingmemory/memory"
	"github.com/go-workingmemory/workingmemory/memory/session"
	"github.com/go-workingmemory/workingmemory/memory/session/summary"
	"github.com/go-workingmemory/workingmemory/middleware"
)

// BenchmarkPages is the time of each page of a session of 10,000 messages of 200 bytes and 1,000 calls,
// in SQLite with the journal in the store.
func BenchmarkPages(b *testing.B) {
	store, err := sqlitestore.Open(b.Context(), filepath.Join(b.TempDir(), "wmem.db"), nil)
	require.NoError(b, err)
	b.Cleanup(func() { require.NoError(b, store.Close()) })
	manager, err := session.NewManager(store, &session.Options{
		Context: &memory.ContextOptions{Capacity: middleware.BudgetCapacity}, Summaries: summary.Options{Mode: summary.Off},
	})
	require.NoError(b, err)
	recording := &middleware.SessionsOptions{Journal: middleware.NewJournal(&middleware.JournalOptions{Stored: true, MaxBytes: 64 << 20})}
	sessions, err := middleware.NewSessions(manager, recording)
	require.NoError(b, err)
	pages, err := inspector.New(manager, &inspector.Options{Recording: recording})
	require.NoError(b, err)
	for n := range 1000 {
		messages := make([]session.Message, 10)
		for i := range messages {
			messages[i] = session.Message{Role: "user", Content: fmt.Sprintf("message %d about page-%d %0150d", n*10+i, 40_000+n, 1)}
		}
		_, err := manager.Append(b.Context(), conversation, messages, nil)
		require.NoError(b, err)
		_, err = sessions.Record(b.Context(), conversation, middleware.ToolCall{Name: "get_page", Result: fmt.Sprintf(`{"page":{"id":"page-%d","title":"Page %d"}}`, 40_000+n, n)})
		require.NoError(b, err)
	}
	for name, path := range map[string]string{
		"list": "/inspect/", "first": "/inspect/run?" + ofSession("step", "5"), "call": "/inspect/run?" + ofSession("step", "5510"),
		"now": "/inspect/run?" + ofSession(), "why": "/inspect/run?" + ofSession("q", "page-40500"), "why not": "/inspect/run?" + ofSession("q", "page-7"),
	} {
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				status, _ := getRaw(pages, path)
				require.Equal(b, http.StatusOK, status)
			}
		})
	}
}
