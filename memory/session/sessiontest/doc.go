// Package sessiontest has the tests that each session.Store must pass.
//
// The author of a store writes one test:
//
//	func TestStore(t *testing.T) {
//		sessiontest.Run(t, func(tb testing.TB) sessiontest.Harness {
//			schema := newSchema(tb) // dropped by tb.Cleanup
//			return sessiontest.Harness{
//				Shared: true,
//				Open: func(tb testing.TB) session.Store {
//					s, err := mystore.Open(schema)
//					require.NoError(tb, err)
//					tb.Cleanup(func() { s.Close() })
//					return s
//				},
//			}
//		})
//	}
//
// Each case is a subtest with a harness of its own. Cases run in parallel, so the
// data of two harnesses must not touch each other: a key prefix or a schema for
// each. What a case is about is printed when it fails.
//
// The suite knows a store by its methods only. That it finds what is wrong is
// tested too, on stores with one fault each.
package sessiontest
