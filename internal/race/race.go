//go:build race

// Package race reports whether the race detector is on, for tests that measure: it slows
// programs down and makes sync.Pool drop values at random.
package race

// Enabled reports whether the race detector is on.
const Enabled = true

// BuildFlags returns the flags for programs that tests build: those of the Makefile, so that
// compiled packages are reused.
func BuildFlags() []string {
	return []string{"-race", "-gcflags=modernc.org/...=-race=false", "-ldflags=-w"}
}
