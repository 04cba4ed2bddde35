// Package sidebyside times two functions in the same run, for benchmarks that report a
// ratio, which depends little on the load of the machine.
package sidebyside

import (
	"slices"
	"time"
)

// turns is the number of measurements of each function.
const turns = 15

// minTurn is the minimum duration of a measurement, in nanoseconds.
const minTurn = 4e6

// Share returns the time that f takes as a share of the time of base: the median of
// several measurements.
func Share(f, base func()) float64 {
	nf, nb := runs(f), runs(base)
	shares := make([]float64, turns)
	for i := range shares {
		shares[i] = perRun(f, nf) / perRun(base, nb)
	}
	slices.Sort(shares)
	return shares[turns/2]
}

// runs returns the number of runs of f in a measurement.
func runs(f func()) int {
	n := 1
	for perRun(f, n)*float64(n) < minTurn {
		n *= 2
	}
	return n
}

// perRun returns the nanoseconds that f takes, as the mean of n runs.
func perRun(f func(), n int) float64 {
	start := time.Now()
	for range n {
		f()
	}
	return float64(time.Since(start)) / float64(n)
}
