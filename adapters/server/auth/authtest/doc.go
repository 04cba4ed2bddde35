// Package authtest has the tests that each auth.TokenStore must pass.
//
//	func TestTokens(t *testing.T) {
//		authtest.Run(t, func(tb testing.TB) authtest.Harness {
//			data := newData(tb)
//			return authtest.Harness{
//				Open:   func(tb testing.TB) auth.TokenStore { return open(tb, data) },
//				Shared: true,
//			}
//		})
//	}
//
// Each case has a sentence that says what is expected, which is printed when it fails.
package authtest
