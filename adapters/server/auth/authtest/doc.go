// Package authtest has the tests that each auth.Store must pass.
//
//	func TestTokens(t *testing.T) {
//		authtest.Run(t, func(tb testing.TB) authtest.Harness {
//			data := newData(tb)
//			return authtest.Harness{
//				Open:   func(tb testing.TB) auth.Store { return open(tb, data) },
//				Shared: true,
//			}
//		})
//	}
//
// Each case has a sentence that says what is expected, which is printed when it fails.
package authtest
