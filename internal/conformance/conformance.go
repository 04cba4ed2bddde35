// Package conformance runs suites of cases that every implementation of an interface
// passes, and tests those suites: Run is for the implementations, Verify for the suite.
package conformance

import "testing"

// Case is one thing that every implementation does. E is the environment that a case runs
// in, with an implementation on data of its own.
type Case[E any] struct {
	Name  string
	About string // a sentence that describes what is expected, printed on failure
	Run   func(env E)
}

// Run tests an implementation, each case in a parallel subtest with an environment of its
// own, which open makes.
func Run[E any](t *testing.T, cases []Case[E], open func(tb testing.TB) E) {
	t.Helper()
	for _, c := range cases {
		t.Run(c.Name, func(t *testing.T) {
			t.Parallel()
			c.check(t, open)
		})
	}
}

func (c Case[E]) check(tb testing.TB, open func(tb testing.TB) E) {
	tb.Helper()
	tb.Cleanup(func() {
		if tb.Failed() {
			tb.Logf("%s: %s", c.Name, c.About)
		}
	})
	c.Run(open(tb))
}
