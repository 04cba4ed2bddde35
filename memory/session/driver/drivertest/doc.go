// Package drivertest has the tests that each driver.Store must pass.
//
// The author of a store writes one test:
//
//	func TestStore(t *testing.T) {
//		Run(t, func(tb testing.TB) Harness {
//			schema := newSchema(tb) // dropped by tb.Cleanup
//			return Harness{
//				Shared: true,
//				Open: func(tb testing.TB) driver.Store {
//					s, err := mystore.Open(schema)
//					require.NoError(tb, err)
//					tb.Cleanup(func() { s.Close() })
//					return s
//				},
//			}
//		})
//	}
//
// A store that also keeps results of tools has a second test, which calls RunResults in the same
// way.
//
// Each case is a subtest with a harness of its own. Cases run in parallel, so that harnesses
// must not share data: use a key prefix or a schema for each. A case that fails prints what it
// expects.
//
// If a store is an io.Closer, one case closes it, twice. Random cases take the flags of
// pgregory.net/rapid, such as -rapid.checks.
//
// # Stores shared by processes
//
// RunWriters and RunCrashes start the test binary again, as child processes: many that write
// one session at once, and some that are killed while they write. They need a TestMain.
//
//	func open(address string) (driver.Store, func() error, error) { … }
//
//	func TestMain(m *testing.M) { Main(m, open) }
//
//	func TestWriters(t *testing.T) { RunWriters(t, newDatabase(t), open) }
//	func TestCrashes(t *testing.T) { RunCrashes(t, newDatabase(t), open, 200) }
//
// # Stores with a server
//
// RunFaults puts a Proxy in front of the server that fails as networks do. RunOutage kills,
// stops and pauses a server of the test: package internal/conformance/servers starts Redis and
// PostgreSQL.
//
// Benchmark measures a store.
//
// # Limits
//
// The suite uses a store only through its methods: how it detects damage, and whether it
// removes expired sessions, is left to its own tests. The suite itself is tested on stores
// with one fault each.
package drivertest
