//go:build !race

package race

// Enabled reports whether the race detector is on.
const Enabled = false

// BuildFlags returns the flags for programs that tests build.
func BuildFlags() []string { return []string{"-ldflags=-w"} }
