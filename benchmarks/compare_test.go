package benchmarks

import (
	"testing"
	"time"
)

// contender is one of those that are compared.
type contender struct {
	name string
	// run does n operations.
	run func(n int)
}

// turn is how many operations each contender does at a time.
const turn = 512

// compare times ours beside the others, and reports theirs and how many times
// as long they take.
func compare(b *testing.B, ours func(n int), others ...contender) {
	contenders := append([]contender{{"", ours}}, others...)
	took := make([]time.Duration, len(contenders))
	for done := 0; done < b.N; done += turn {
		n := min(turn, b.N-done)
		for i, c := range contenders {
			start := time.Now()
			c.run(n)
			took[i] += time.Since(start)
		}
	}
	b.ReportMetric(perOperation(took[0], b.N), "ns/op")
	for i, c := range contenders[1:] {
		b.ReportMetric(perOperation(took[i+1], b.N), c.name+"-ns/op")
		b.ReportMetric(float64(took[i+1])/float64(took[0]), "x-"+c.name)
	}
}

func perOperation(took time.Duration, n int) float64 {
	return float64(took.Nanoseconds()) / float64(n)
}

// cycle calls do n times with 0, 1, … below length, going on where the call
// before ended.
func cycle(length int, do func(i int)) func(n int) {
	next := 0
	return func(n int) {
		for range n {
			do(next)
			if next++; next == length {
				next = 0
			}
		}
	}
}
