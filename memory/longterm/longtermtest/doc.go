// Package longtermtest has the tests that each longterm.Index must pass.
package longtermtest
