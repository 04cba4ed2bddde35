package rest

import "sync"

// smallBytes is what requests have at most that a quarter of a budget is kept for.
const smallBytes = 256 << 10

// budget bounds the memory of all requests in flight. A request for which there is no room is
// refused at once: one that waits would hold what it has, and all might wait for each other.
type budget struct {
	max   int64
	mu    sync.Mutex
	taken int64
}

// room returns how much all requests may have when one of them has size.
func (b *budget) room(size int64) int64 {
	if size > smallBytes {
		return b.max - b.max/4
	}
	return b.max
}

// loan is what one request has of a budget. It is for one goroutine.
type loan struct {
	from *budget
	size int64
}

// resize makes the loan one of size bytes, if there is room.
func (l *loan) resize(size int64) bool {
	b := l.from
	b.mu.Lock()
	defer b.mu.Unlock()
	taken := b.taken - l.size + size
	if size > l.size && taken > b.room(size) {
		return false
	}
	b.taken, l.size = taken, size
	return true
}
