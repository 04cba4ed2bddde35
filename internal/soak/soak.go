// Package soak tells the long tests how much work to do.
//
// Tests that kill processes, race them or feed them random input find more the longer they run.
// An ordinary run uses a reduced count that finishes in seconds; "make soak" sets the variable
// WORKINGMEMORY_TEST_SOAK to 1 and uses the full one.
package soak

import "os"

// Enabled reports whether this is a soak run.
func Enabled() bool { return os.Getenv("WORKINGMEMORY_TEST_SOAK") == "1" }

// Times returns full in a soak run, else reduced.
func Times(reduced, full int) int {
	if Enabled() {
		return full
	}
	return reduced
}
