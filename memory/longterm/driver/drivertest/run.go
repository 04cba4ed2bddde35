package drivertest

import (
	"context"
	"slices"
	"testing"

	"github.com/go-workingmemory/workingmemory/internal/conformance"
	"github.com/go-workingmemory/workingmemory/memory/longterm/driver"
)

// Harness gives the suite indexes on the data of one test, which are empty in the
// beginning.
type Harness struct {
	// Open returns an index on this test's data. Each call gives another handle, as
	// another process would have. Open closes it with tb.Cleanup.
	Open func(tb testing.TB) driver.Index
	// Shared says that handles see each other's writes. If it is false, Open may
	// return one index always.
	Shared bool
	// Approximate says that of a hybrid search, and of one with Recency, a page may miss
	// records that are neither near nor among the best by words, so that such pages need
	// not fit together.
	Approximate bool
	// Close closes what Open has returned; it may be called again. nil: it is an
	// io.Closer. Where a store makes its index, Close closes the store.
	Close func(driver.Index) error
}

// Run tests an index, each case in a subtest with a harness of its own. The subtests
// are parallel: what the caller has to undo at the end belongs in t.Cleanup.
func Run(t *testing.T, open func(tb testing.TB) Harness) {
	t.Helper()
	conformance.Run(t, allCases(), newEnv(open))
}

// testCase is a thing that each index must do.
type testCase = conformance.Case[*env]

// env is what a case works with.
type env struct {
	testing.TB
	ctx     context.Context
	harness Harness
	index   driver.Index
}

// newEnv returns what makes the env of a case.
func newEnv(open func(tb testing.TB) Harness) func(testing.TB) *env {
	return func(tb testing.TB) *env {
		h := open(tb)
		return &env{TB: tb, ctx: tb.Context(), harness: h, index: h.Open(tb)}
	}
}

func allCases() []testCase {
	return slices.Concat(
		lookupCases(), writeCases(), hashCases(), touchCases(), contentCases(), keyCases(), filterCases(), listCases(),
		keywordCases(), semanticCases(), hybridCases(), pageCases(), refusedCases(), contextCases(),
		isolationCases(), concurrencyCases(), modelCases(),
	)
}
