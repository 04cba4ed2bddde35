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
// Each case is a subtest with a harness of its own. Cases run in parallel, so the
// data of two harnesses must not touch each other: a key prefix or a schema for
// each. What a case is about is printed when it fails.
//
// Stores of type io.Closer are closed by one case too: a second Close must do no
// harm. Cases that draw at random take the flags of pgregory.net/rapid, -rapid.checks
// and others.
//
// # Where several processes share the data
//
// RunWriters and RunCrashes start the program of the test again, as child
// processes: many that write one session at once, and some that are killed while
// they write. They need a TestMain.
//
//	func open(address string) (driver.Store, func() error, error) { … }
//
//	func TestMain(m *testing.M) { Main(m, open) }
//
//	func TestWriters(t *testing.T) { RunWriters(t, newDatabase(t), open) }
//	func TestCrashes(t *testing.T) { RunCrashes(t, newDatabase(t), open, 200) }
//
// # Where there is a server
//
// RunFaults puts a Proxy in front of it that fails as networks do. RunOutage kills,
// stops and hangs a server of the test's own: package drivertest/servers starts
// Redis and PostgreSQL.
//
// Benchmark measures a store.
//
// # What finds faults
//
// The suite knows a store by its methods only: how it reports what is damaged, and
// that it removes what has expired, is for its own tests. That it finds what is wrong is
// tested too, on stores with one fault each.
package drivertest
