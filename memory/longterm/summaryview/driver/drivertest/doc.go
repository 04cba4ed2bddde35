// Package drivertest is the conformance suite for implementations of driver.DocumentStore.
//
//	func TestDocuments(t *testing.T) {
//		drivertest.Run(t, func(tb testing.TB) drivertest.Harness {
//			data := newData(tb)
//			return drivertest.Harness{
//				Open:   func(tb testing.TB) driver.DocumentStore { return open(tb, data) },
//				Shared: true,
//			}
//		})
//	}
//
// Each case has a sentence that describes the expected behaviour. It is printed when the case
// fails.
package drivertest
