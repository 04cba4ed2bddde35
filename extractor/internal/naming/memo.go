package naming

import (
	"sync"
	"sync/atomic"
)

// memo caches values computed from texts, up to a limit. It is safe for concurrent
// use.
type memo[V any] struct {
	known sync.Map // string → V
	size  atomic.Int64
}

func (m *memo[V]) get(text string) (v V, ok bool) {
	known, ok := m.known.Load(text)
	if ok {
		v = known.(V)
	}
	return v, ok
}

// put stores a value if there is room for it.
func (m *memo[V]) put(text string, v V, limit int64) {
	if m.size.Load() >= limit {
		return
	}
	if _, loaded := m.known.LoadOrStore(text, v); !loaded {
		m.size.Add(1)
	}
}
