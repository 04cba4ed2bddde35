package drivertest

import (
	"context"
	"slices"
	"testing"
	"time"

	"github.com/go-workingmemory/workingmemory/internal/conformance"
	"github.com/go-workingmemory/workingmemory/memory/session/driver"
)

// Harness opens stores on the data of one test, which is empty at first.
type Harness struct {
	// Open returns a store on the data of this test. Each call returns another handle, as
	// another process would have. Open closes it with tb.Cleanup.
	Open func(tb testing.TB) driver.Store
	// Sleep advances the clock by which the store expires sessions. If nil, that is the real
	// clock, and the suite polls the store.
	Sleep func(d time.Duration)
	// Shared reports whether handles see each other's writes. If it is false, Open may
	// always return the same store.
	Shared bool
}

// Run tests a store, each case in a parallel subtest with a harness of its own. The caller
// cleans up with t.Cleanup.
func Run(t *testing.T, open func(tb testing.TB) Harness) {
	t.Helper()
	conformance.Run(t, allCases(), newEnv(open))
}

// testCase is a requirement on each store.
type testCase = conformance.Case[*env]

// env is the environment of a case.
type env struct {
	testing.TB
	ctx     context.Context
	harness Harness
	store   driver.Store
}

// newEnv returns a function that opens the environment of a case.
func newEnv(open func(tb testing.TB) Harness) func(testing.TB) *env {
	return func(tb testing.TB) *env {
		h := open(tb)
		return &env{TB: tb, ctx: tb.Context(), harness: h, store: h.Open(tb)}
	}
}

func allCases() []testCase {
	return slices.Concat(
		appendCases(), writeCases(), deleteCases(), idCases(), bodyCases(), formatCases(),
		ttlCases(), expiryCases(), keyCases(), listCases(), dueCases(), reserveCases(), contextCases(), concurrencyCases(), wholeCases(), modelCases(),
	)
}
