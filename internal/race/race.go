//go:build race

// Package race tells tests whether the race detector is on: it makes programs slower,
// and sync.Pool forget at random.
package race

// Enabled reports whether the race detector is on.
const Enabled = true
