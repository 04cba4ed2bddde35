package rest

import "sync/atomic"

// budget is memory that many share. Nobody waits for it: who waited would hold what he has,
// and all might wait for each other.
type budget struct {
	max   int64
	taken atomic.Int64
}

// take takes n bytes, if they are there.
func (b *budget) take(n int64) bool {
	for {
		taken := b.taken.Load()
		if taken+n > b.max {
			return false
		}
		if b.taken.CompareAndSwap(taken, taken+n) {
			return true
		}
	}
}

// give returns n bytes.
func (b *budget) give(n int64) { b.taken.Add(-n) }
