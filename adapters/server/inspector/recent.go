package inspector

import (
	"slices"
	"sync"
)

// recent keeps the values that were used last. Values are made one at a time.
type recent[K comparable, V any] struct {
	limit int

	mu     sync.Mutex
	keys   []K // the least recently used first
	values []V
}

func (r *recent[K, V]) get(key K, create func() (V, error)) (V, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if i := slices.Index(r.keys, key); i >= 0 {
		value := r.values[i]
		r.keys, r.values = append(slices.Delete(r.keys, i, i+1), key), append(slices.Delete(r.values, i, i+1), value)
		return value, nil
	}
	value, err := create()
	if err != nil {
		return value, err
	}
	if len(r.keys) >= r.limit {
		r.keys, r.values = slices.Delete(r.keys, 0, 1), slices.Delete(r.values, 0, 1)
	}
	r.keys, r.values = append(r.keys, key), append(r.values, value)
	return value, nil
}
