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

// Harness gives the suite stores on the data of one test, which are empty in the
// beginning.
type Harness struct {
	// Open returns a store on this test's data. Each call gives another handle, as
	// another process would have. Open closes it with tb.Cleanup.
	Open func(tb testing.TB) auth.TokenStore
	// Shared says that handles see each other's writes. If it is false, Open may return
	// one store always.
	Shared bool
	// Close closes what Open has returned; it may be called again. nil: it is an
	// io.Closer. Where a store of sessions makes it, Close closes that.
	Close func(auth.TokenStore) error
}

// Run tests a store, each case in a subtest with a harness of its own. The subtests are
// parallel: what the caller has to undo at the end belongs in t.Cleanup.
func Run(t *testing.T, open func(tb testing.TB) Harness) {
	t.Helper()
	conformance.Run(t, allCases(), newEnv(open))
}

// testCase is a thing that each store must do.
type testCase = conformance.Case[*env]

func allCases() []testCase {
	return slices.Concat(keepingCases(), refusedCases(), listCases(), endingCases(), concurrencyCases())
}

// env is what a case works with.
type env struct {
	testing.TB
	ctx     context.Context
	harness Harness
	store   auth.TokenStore
}

// newEnv returns what makes the env of a case.
func newEnv(open func(tb testing.TB) Harness) func(testing.TB) *env {
	return func(tb testing.TB) *env {
		h := open(tb)
		return &env{TB: tb, ctx: tb.Context(), harness: h, store: h.Open(tb)}
	}
}

// created is when the tokens of the cases were made.
var created = time.Date(2026, 3, 4, 5, 6, 7, 891_000_000, time.UTC)

// token is a token whose fields follow from a number.
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

// add adds a token.
func (e *env) add(t auth.Token) auth.Token {
	e.Helper()
	require.NoError(e, e.store.Add(e.ctx, t))
	return t
}

// has requires that a store has exactly these tokens, in this order, whichever way they
// are asked for.
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

// requireSame compares tokens, and says what differs.
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
	require.True(e, ok, "the store is no io.Closer, and the harness has no Close")
	return closer.Close()
}

// calls are a call of each method.
func calls(store auth.TokenStore, t auth.Token) map[string]func(ctx context.Context) error {
	return map[string]func(ctx context.Context) error{
		"Add":    func(ctx context.Context) error { return store.Add(ctx, t) },
		"Get":    func(ctx context.Context) error { _, err := store.Get(ctx, t.ID); return err },
		"List":   func(ctx context.Context) error { _, err := store.List(ctx); return err },
		"Remove": func(ctx context.Context) error { return store.Remove(ctx, t.ID) },
	}
}
