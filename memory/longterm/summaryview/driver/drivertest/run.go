package drivertest

import (
	"context"
	"fmt"
	"io"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/go-workingmemory/workingmemory/internal/conformance"
	"github.com/go-workingmemory/workingmemory/memory/longterm/summaryview/driver"
)

// Harness opens stores on the data of one test, which is empty at first.
type Harness struct {
	// Open returns a new handle on the test's data, as another process would have. It closes
	// the handle with tb.Cleanup.
	Open func(tb testing.TB) driver.DocumentStore
	// Shared reports whether handles see each other's writes. If false, Open may return the
	// same store each time.
	Shared bool
	// Close closes a store returned by Open. It may be called twice. If a store of sessions
	// made the DocumentStore, Close closes that. If nil, the DocumentStore must be an io.Closer.
	Close func(driver.DocumentStore) error
}

// Run tests a store, running each case in a subtest with its own harness. The subtests are
// parallel, so clean up with t.Cleanup rather than defer.
func Run(t *testing.T, open func(tb testing.TB) Harness) {
	t.Helper()
	conformance.Run(t, allCases(), newEnv(open))
}

// testCase is one requirement.
type testCase = conformance.Case[*env]

func allCases() []testCase {
	return slices.Concat(keepingCases(), conflictCases(), pageCases(), endingCases(), concurrencyCases())
}

// env is the environment of a case.
type env struct {
	testing.TB
	ctx     context.Context
	harness Harness
	store   driver.DocumentStore
}

// newEnv returns a function that makes the environment of a case.
func newEnv(open func(tb testing.TB) Harness) func(testing.TB) *env {
	return func(tb testing.TB) *env {
		h := open(tb)
		return &env{TB: tb, ctx: tb.Context(), harness: h, store: h.Open(tb)}
	}
}

// noon is when the documents of the cases are due.
var noon = time.Date(2026, 3, 4, 12, 0, 0, 789_000_000, time.UTC)

// document returns a document with a key, whose contents depend on n.
func document(key string, n int) driver.Document {
	return driver.Document{Key: key, Revision: fmt.Sprint("r", n), Due: noon.Add(time.Duration(n) * time.Second), Value: fmt.Append(nil, "value ", n)}
}

func put(d driver.Document, revision string) driver.DocumentChange {
	return driver.DocumentChange{Do: driver.PutDocument, If: revision, Document: d}
}

func remove(key, revision string) driver.DocumentChange {
	return driver.DocumentChange{Do: driver.RemoveDocument, If: revision, Document: driver.Document{Key: key}}
}

func requires(key, revision string) driver.DocumentChange {
	return driver.DocumentChange{Do: driver.RequireDocument, If: revision, Document: driver.Document{Key: key}}
}

// write applies changes, which must succeed.
func (e *env) write(changes ...driver.DocumentChange) {
	e.Helper()
	require.NoError(e, e.store.Write(e.ctx, changes))
}

// conflicts requires that changes conflict.
func (e *env) conflicts(changes ...driver.DocumentChange) {
	e.Helper()
	require.ErrorIs(e, e.store.Write(e.ctx, changes), driver.ErrConflict)
}

// add stores new documents.
func (e *env) add(documents ...driver.Document) {
	e.Helper()
	for _, d := range documents {
		e.write(put(d, ""))
	}
}

// has requires that the store has exactly these documents, in this order.
func (e *env) has(want ...driver.Document) {
	e.Helper()
	all, err := e.store.List(e.ctx, "", "", driver.MaxDocuments)
	require.NoError(e, err)
	require.Equal(e, want, all)
	n, err := e.store.Count(e.ctx, "")
	require.NoError(e, err)
	require.Equal(e, len(want), n)
	for _, w := range want {
		got, err := e.store.Get(e.ctx, w.Key)
		require.NoError(e, err)
		require.Equal(e, w, got)
	}
}

func (e *env) close(store driver.DocumentStore) error {
	if e.harness.Close != nil {
		return e.harness.Close(store)
	}
	closer, ok := store.(io.Closer)
	require.True(e, ok, "the store is not an io.Closer, and the harness has no Close")
	return closer.Close()
}

// calls returns a call of each method.
func calls(store driver.DocumentStore) map[string]func(ctx context.Context) error {
	return map[string]func(ctx context.Context) error{
		"Get":   func(ctx context.Context) error { _, err := store.Get(ctx, "a"); return err },
		"List":  func(ctx context.Context) error { _, err := store.List(ctx, "", "", 1); return err },
		"Count": func(ctx context.Context) error { _, err := store.Count(ctx, ""); return err },
		"Due":   func(ctx context.Context) error { _, err := store.Due(ctx, noon, 1); return err },
		"Write": func(ctx context.Context) error {
			return store.Write(ctx, []driver.DocumentChange{put(document("b", 1), "")})
		},
	}
}
