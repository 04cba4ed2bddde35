package rest

import "sync"

// smallBytes is the maximum size of requests for which a quarter of a budget is reserved.
const smallBytes = 256 << 10

// budget bounds the memory of all requests in flight. A request that does not fit is refused at
// once: if it waited, it would keep holding its own buffer, and all requests might wait for each
// other.
type budget struct {
	max   int64
	mu    sync.Mutex
	taken int64
}

// room returns the limit of all requests that applies to one of size bytes.
func (b *budget) room(size int64) int64 {
	if size > smallBytes {
		return b.max - b.max/4
	}
	return b.max
}

// loan is the part of a budget that one request uses. It is not safe for concurrent use.
type loan struct {
	from *budget
	size int64
}

// resize sets the loan to size bytes and reports whether they fit the budget.
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
