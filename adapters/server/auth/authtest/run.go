package authtest

import (
	"context"
	"fmt"
	"io"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/go-workingmemory/workingmemory/adapters/server/auth"
	"github.com/go-workingmemory/workingmemory/internal/conformance"
)

// Harness opens stores on the data of one test, which is empty at first.
type Harness struct {
	// Open returns a new handle on the test's data, as another process would have. It closes
	// the handle with tb.Cleanup.
	Open func(tb testing.TB) auth.TokenStore
	// Shared reports whether handles see each other's writes. If false, Open may return the
	// same store each time.
	Shared bool
	// Close closes a store returned by Open. It may be called twice. If a store of sessions
	// made the TokenStore, Close closes that. If nil, the TokenStore must be an io.Closer.
	Close func(auth.TokenStore) error
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
	return slices.Concat(keepingCases(), refusedCases(), listCases(), endingCases(), concurrencyCases())
}

// env is the environment of a case.
type env struct {
	testing.TB
	ctx     context.Context
	harness Harness
	store   auth.TokenStore
}

// newEnv returns a function that makes the environment of a case.
func newEnv(open func(tb testing.TB) Harness) func(testing.TB) *env {
	return func(tb testing.TB) *env {
		h := open(tb)
		return &env{TB: tb, ctx: tb.Context(), harness: h, store: h.Open(tb)}
	}
}

// created is when the tokens of the cases are created.
var created = time.Date(2026, 3, 4, 5, 6, 7, 891_000_000, time.UTC)

// token returns a token whose fields depend on n.
func token(n int) auth.Token {
	t := auth.Token{
		ID: fmt.Sprintf("%020x", n), Description: fmt.Sprint("number ", n), CreatedAt: created,
		Tenant: auth.Tenant{Namespace: fmt.Sprint("namespace ", n), UserID: fmt.Sprint("user ", n)},
	}
	for i := range t.Hash {
		t.Hash[i] = byte(n + 7*i + 1)
	}
	return t
}

// add adds a token, which must succeed.
func (e *env) add(t auth.Token) auth.Token {
	e.Helper()
	require.NoError(e, e.store.Add(e.ctx, t))
	return t
}

// has requires that List and Get return exactly these tokens, in this order.
func (e *env) has(store auth.TokenStore, want ...auth.Token) {
	e.Helper()
	all, err := store.List(e.ctx)
	require.NoError(e, err)
	require.Len(e, all, len(want))
	for i, w := range want {
		requireSame(e, w, all[i])
		got, err := store.Get(e.ctx, w.ID)
		require.NoError(e, err)
		requireSame(e, w, got)
	}
}

// requireSame compares tokens field by field, so that a failure names the field.
func requireSame(e *env, want, got auth.Token) {
	e.Helper()
	require.Equal(e, want.ID, got.ID)
	require.Equal(e, want.Description, got.Description)
	require.Equal(e, want.Tenant, got.Tenant)
	require.Equal(e, want.CreatedAt, got.CreatedAt)
	require.Equal(e, want.ExpiresAt, got.ExpiresAt)
	require.Equal(e, want.Hash[:], got.Hash[:])
}

func (e *env) close(store auth.TokenStore) error {
	if e.harness.Close != nil {
		return e.harness.Close(store)
	}
	closer, ok := store.(io.Closer)
	require.True(e, ok, "the store is not an io.Closer, and the harness has no Close")
	return closer.Close()
}

// calls returns a call of each method.
func calls(store auth.TokenStore, t auth.Token) map[string]func(ctx context.Context) error {
	return map[string]func(ctx context.Context) error{
		"Add":    func(ctx context.Context) error { return store.Add(ctx, t) },
		"Get":    func(ctx context.Context) error { _, err := store.Get(ctx, t.ID); return err },
		"List":   func(ctx context.Context) error { _, err := store.List(ctx); return err },
		"Remove": func(ctx context.Context) error { return store.Remove(ctx, t.ID) },
	}
}
