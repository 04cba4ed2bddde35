// Package drivertest has the tests that each driver.Index must pass.
//
// The author of an index writes one test:
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
// Each case is a subtest with a harness of its own. Cases run in parallel, so the
// data of two harnesses must not touch each other. What a case is about is printed
// when it fails.
//
// What a search finds is compared with a model that looks at every record and counts
// by the formulas of package longterm: all modes, filters, orders and pages must agree with it.
// Scores may differ by 1e-5. Cases that draw at random take the flags of
// pgregory.net/rapid, -rapid.checks and others.
//
// RunPromotions kills processes that promote sessions of a store to the index. It needs
// a TestMain.
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
// That the suite finds faults is tested too, on indexes with one fault each.
//
// Benchmark measures an index. Embedder makes vectors without a model.
package drivertest
