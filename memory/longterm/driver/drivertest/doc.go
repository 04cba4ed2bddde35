// Package drivertest has the tests that every driver.Index must pass.
//
// An implementation needs one test:
//
//	func TestIndex(t *testing.T) {
//		Run(t, func(tb testing.TB) Harness {
//			schema := newSchema(tb) // dropped by tb.Cleanup
//			return Harness{
//				Shared: true,
//				Open: func(tb testing.TB) driver.Index {
//					x, err := myindex.Open(schema)
//					require.NoError(tb, err)
//					tb.Cleanup(func() { x.Close() })
//					return x
//				},
//			}
//		})
//	}
//
// Each case is a subtest with a harness of its own. Cases run in parallel, so the data of two
// harnesses must not overlap. A case that fails prints what it requires.
//
// Searches are compared with a model that looks at every record and applies the formulas of
// package longterm: all modes, filters, orders and pages must agree. Scores may differ by 1e-5.
// Cases that draw random input accept the flags of pgregory.net/rapid, such as
// -rapid.checks.
// pgregory.net/rapid, -rapid.checks and others.
//
// RunPromotions kills processes that promote sessions of a store to the index. It needs a
// TestMain:
//
//	func open(address string) (driver.Store, driver.Index, func() error, error) { … }
//
//	func TestMain(m *testing.M) {
//		PromotionsChild(open)
//		os.Exit(m.Run()) // or drivertest.Main
//	}
//
//	func TestPromotions(t *testing.T) { RunPromotions(t, newDatabase(t), open, 200) }
//
// The suite itself is tested with indexes that have one fault each.
//
// Benchmark measures an index. Embedder computes vectors without a model.
package drivertest
