//go:build race

// Package race reports whether the race detector is on, for tests that measure: it slows
// programs down and makes sync.Pool drop values at random.
package race

// Enabled reports whether the race detector is on.
const Enabled = true
