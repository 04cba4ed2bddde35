// Package authtest is the conformance suite for implementations of auth.TokenStore.
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
// Each case has a sentence that describes the expected behaviour. It is printed when the case
// fails.
package authtest
