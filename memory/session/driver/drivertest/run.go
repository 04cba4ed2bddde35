package drivertest

import (
	"context"
	"slices"
	"testing"
	"time"

	"github.com/go-workingmemory/workingmemory/internal/conformance"
	"github.com/go-workingmemory/workingmemory/memory/session/driver"
)

// Harness gives the suite stores on the data of one test, which are empty in the
// beginning.
type Harness struct {
	// Open returns a store on this test's data. Each call gives another handle, as
	// another process would have. Open closes it with tb.Cleanup.
	Open func(tb testing.TB) driver.Store
	// Sleep lets d pass on the clock by which the store expires sessions. nil: that
	// is the real clock, and the suite waits by asking the store again and again.
	Sleep func(d time.Duration)
	// Shared says that handles see each other's writes. If it is false, Open may
	// return one store always.
	Shared bool
}

// Run tests a store, each case in a subtest with a harness of its own. The subtests
// are parallel: what the caller has to undo at the end belongs in t.Cleanup.
func Run(t *testing.T, open func(tb testing.TB) Harness) {
	t.Helper()
	conformance.Run(t, allCases(), newEnv(open))
}

// testCase is a thing that each store must do.
type testCase = conformance.Case[*env]

// env is what a case works with.
type env struct {
	testing.TB
	ctx     context.Context
	harness Harness
	store   driver.Store
}

// newEnv returns what makes the env of a case.
func newEnv(open func(tb testing.TB) Harness) func(testing.TB) *env {
	return func(tb testing.TB) *env {
		h := open(tb)
		return &env{TB: tb, ctx: tb.Context(), harness: h, store: h.Open(tb)}
	}
}

func allCases() []testCase {
	return slices.Concat(
		appendCases(), writeCases(), deleteCases(), idCases(), bodyCases(), formatCases(),
		ttlCases(), expiryCases(), keyCases(), listCases(), dueCases(), contextCases(), concurrencyCases(), wholeCases(), modelCases(),
	)
}
