package naming

import "sync"

// memo caches values computed from texts, up to a limit. It is safe for concurrent
// use.
type memo[V any] struct {
	mu    sync.RWMutex
	known map[string]V
}

func (m *memo[V]) get(text string) (v V, ok bool) {
	m.mu.RLock()
	defer m.mu.RUnlock()
	v, ok = m.known[text]
	return v, ok
}

// put stores a value if there is room for it.
func (m *memo[V]) put(text string, v V, limit int) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.known == nil {
		m.known = map[string]V{}
	}
	if len(m.known) < limit {
		m.known[text] = v
	}
}
