// Package sidebyside times two functions in the same run, for benchmarks that
// report a ratio: what else a machine does then matters little.
package sidebyside

import (
	"slices"
	"time"
)

// turns is how often each of the two has its turn.
const turns = 15

// leastTurn is how long a turn takes at least, in nanoseconds.
const leastTurn = 4e6

// Share is the time f takes as a share of the time that base takes: the median
// of several turns.
func Share(f, base func()) float64 {
	nf, nb := runs(f), runs(base)
	shares := make([]float64, turns)
	for i := range shares {
		shares[i] = perRun(f, nf) / perRun(base, nb)
	}
	slices.Sort(shares)
	return shares[turns/2]
}

// runs is how many runs of f make a turn.
func runs(f func()) int {
	n := 1
	for perRun(f, n)*float64(n) < leastTurn {
		n *= 2
	}
	return n
}

// perRun is how many nanoseconds f takes, as the mean of n runs.
func perRun(f func(), n int) float64 {
	start := time.Now()
	for range n {
		f()
	}
	return float64(time.Since(start)) / float64(n)
}
