package sqlitestore_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/go-workingmemory/workingmemory/adapters/store/sqlitestore"
	"github.com/go-workingmemory/workingmemory/internal/conformance/child"
	"github.com/go-workingmemory/workingmemory/internal/soak"
	"github.com/go-workingmemory/workingmemory/memory/handle"
	"github.com/go-workingmemory/workingmemory/memory/session"
	"github.com/go-workingmemory/workingmemory/middleware"
)

const crashVariable = "WORKINGMEMORY_HANDLETEST_JOB"

var crashKey = session.Key{SessionID: "s-1"}

// crashJob is the job of a process: to show pages of its own to a model until it is killed.
type crashJob struct {
	Path  string
	First int // the number of its first page
}

// open returns sessions with handles in a SQLite file.
func (j crashJob) open(ctx context.Context) (*middleware.Sessions, func() error, error) {
	store, err := sqlitestore.Open(ctx, j.Path, nil)
	if err != nil {
		return nil, nil, err
	}
	manager, err := session.NewManager(store, nil)
	if err != nil {
		return nil, nil, errors.Join(err, store.Close())
	}
	sessions, err := middleware.NewSessions(manager, &middleware.SessionsOptions{Handles: new(handle.Options)})
	return sessions, store.Close, err
}

// do records results with a new page and the one before it, and says which handles it showed.
func (j crashJob) do(begin func() error) error {
	ctx := context.Background()
	sessions, closeStore, err := j.open(ctx)
	if err != nil {
		return err
	}
	defer func() { _ = closeStore() }()
	if err := begin(); err != nil {
		return err
	}
	rec := sessions.Recorder(crashKey)
	for n := j.First; ; n++ {
		pages := []map[string]string{{"id": crashID(n), "title": crashID(n)[:8]}, {"id": crashID(max(j.First, n-1)), "title": "Before"}}
		result, err := json.Marshal(map[string]any{"pages": pages})
		if err != nil {
			return err
		}
		shown, err := middleware.RecordCalls(rec)(func(context.Context, middleware.ToolCall) (any, error) {
			return string(result), nil
		})(ctx, middleware.ToolCall{Name: "list_pages"})
		if err != nil {
			return err
		}
		var seen struct{ Pages []struct{ ID string } }
		if err := json.Unmarshal([]byte(shown.(string)), &seen); err != nil {
			return err
		}
		for i, page := range seen.Pages {
			if handle.Is(page.ID) {
				child.Say(page.ID, pages[i]["id"])
			}
		}
	}
}

// Processes that are killed and started again give out no handle twice, and show none that is not
// stored.
func TestKilledProcessesGiveOutHandles(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "sessions.db")
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	lives := soak.Times(3, 30)
	var group sync.WaitGroup
	var mu sync.Mutex
	meant := make(map[string]string)
	for p := range 3 {
		random := rand.New(rand.NewPCG(seed, uint64(p)))
		group.Go(func() {
			for life := range lives {
				lines, err := live(t.Context(), crashJob{Path: path, First: (p*lives + life) * 1_000_000}, random.IntN(16))
				assert.NoError(t, err)
				mu.Lock()
				for _, line := range lines {
					h, id, _ := strings.Cut(line, " ")
					if before, ok := meant[h]; ok {
						assert.Equal(t, before, id, "%s means two ids", h)
					}
					meant[h] = id
				}
				mu.Unlock()
			}
		})
	}
	group.Wait()
	sessions, closeStore, err := crashJob{Path: path}.open(t.Context())
	require.NoError(t, err)
	defer func() { assert.NoError(t, closeStore()) }()
	for h, id := range meant {
		got, err := sessions.DecodeArguments(t.Context(), crashKey, h)
		require.NoError(t, err, "%s was shown", h)
		require.Equal(t, id, got)
	}
	t.Logf("%d handles", len(meant))
}

// live starts a process, kills it once it has written a number of lines, and returns all its lines.
func live(ctx context.Context, job crashJob, last int) (lines []string, err error) {
	process, err := child.Start(ctx, crashVariable, job)
	if err != nil {
		return nil, err
	}
	defer func() { process.Kill(); _ = process.Reap() }()
	if err := process.Begin(); err != nil {
		return nil, err
	}
	for {
		if len(lines) == last {
			process.Kill()
		}
		line, err := process.Hear()
		if errors.Is(err, io.EOF) && len(lines) >= last {
			return lines, process.Buried()
		}
		if err != nil {
			return lines, fmt.Errorf("after %d lines: %w", len(lines), process.End())
		}
		lines = append(lines, line)
	}
}

// crashID returns the id of a page.
func crashID(n int) string { return fmt.Sprintf("%08x-e29b-41d4-a716-446655440000", 0x10000000+n) }
