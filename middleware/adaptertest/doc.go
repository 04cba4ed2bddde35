// Package adaptertest has the tests that each adapter to an agent framework must pass.
//
// The author of an adapter writes one test, with agents of the framework whose model is a
// script:
//
//	func TestAdapter(t *testing.T) {
//		adaptertest.Run(t, adaptertest.Harness{
//			Streams: true,
//			New: func(tb testing.TB, s adaptertest.Setup) adaptertest.Agent {
//				return newAgent(tb, s) // the adapter under test is attached to it
//			},
//		})
//	}
//
// The fake model of the harness passes each request to Setup.Model, in the form of a Request,
// and gives the framework what it returns. The tools of the harness call Setup.Tools.
//
// The suite sees an adapter only through the requests that reach the model and the calls that
// reach the recorder. What else a framework has (placements, interrupts, middleware of its own)
// is left to the adapter's own tests.
package adaptertest
