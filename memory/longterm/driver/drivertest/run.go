package drivertest

import (
	"context"
	"slices"
	"testing"

	"github.com/go-workingmemory/workingmemory/internal/conformance"
	"github.com/go-workingmemory/workingmemory/memory/longterm/driver"
)

// Harness provides indexes on the data of one test, which is empty at first.
type Harness struct {
	// Open returns an index on the data of the test. Each call returns another handle, as
	// another process would have. Open closes it with tb.Cleanup.
	Open func(tb testing.TB) driver.Index
	// Shared is true if handles see each other's writes. If it is false, Open may always
	// return the same index.
	Shared bool
	// Approximate is true if pages of a hybrid search, or of one with Recency, may miss
	// records that are neither near nor among the best by words, and totals among thousands of
	// vectors are estimates. The suite does not require that such pages fit together.
	Approximate bool
	// Close closes an index that Open returned; it may be called again. If nil, the index is
	// an io.Closer. If the index belongs to a store, Close closes the store.
	Close func(driver.Index) error
}

// Run tests an index. Each case is a parallel subtest with a harness of its own, so the caller
// must clean up in t.Cleanup.
func Run(t *testing.T, open func(tb testing.TB) Harness) {
	t.Helper()
	conformance.Run(t, allCases(), newEnv(open))
}

// testCase is a requirement of every index.
type testCase = conformance.Case[*env]

// env is the environment of a case.
type env struct {
	testing.TB
	ctx     context.Context
	harness Harness
	index   driver.Index
}

// newEnv returns a function that makes the env of a case.
func newEnv(open func(tb testing.TB) Harness) func(testing.TB) *env {
	return func(tb testing.TB) *env {
		h := open(tb)
		return &env{TB: tb, ctx: tb.Context(), harness: h, index: h.Open(tb)}
	}
}

func allCases() []testCase {
	return slices.Concat(
		lookupCases(), writeCases(), hashCases(), touchCases(), contentCases(), keyCases(), filterCases(), listCases(),
		keywordCases(), semanticCases(), nearCases(), hybridCases(), pageCases(), refusedCases(), reserveCases(), contextCases(),
		isolationCases(), concurrencyCases(), modelCases(),
	)
}
