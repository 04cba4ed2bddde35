//go:build !race

package memory_test

const poolsForget = false
