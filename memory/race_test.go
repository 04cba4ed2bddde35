//go:build race

package memory_test

// The race detector makes sync.Pool forget at random.
const poolsForget = true
