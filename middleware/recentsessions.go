package middleware

import (
	"container/list"
	"sync"

	"github.com/go-workingmemory/workingmemory/memory/session"
)

// recentSessions holds a value for each of the sessions that were used last. It is safe for
// concurrent use.
type recentSessions[V any] struct {
	limit   int
	dropped func(session.Key) // receives each session that leaves; may be nil

	mu     sync.Mutex
	values map[session.Key]*list.Element // of order
	order  list.List                     // of sessionValue[V], most recently used first
}

type sessionValue[V any] struct {
	key   session.Key
	value V
}

func newRecentSessions[V any](limit int) *recentSessions[V] {
	return &recentSessions[V]{limit: limit, values: make(map[session.Key]*list.Element)}
}

// get returns the value of a session, which is that of create for a new one. A new
// value replaces the least recently used one if there are too many.
func (r *recentSessions[V]) get(key session.Key, create func() V) V {
	r.mu.Lock()
	defer r.mu.Unlock()
	if found, ok := r.values[key]; ok {
		r.order.MoveToFront(found)
		return found.Value.(sessionValue[V]).value
	}
	if r.order.Len() >= r.limit {
		r.drop(r.order.Back())
	}
	value := create()
	r.values[key] = r.order.PushFront(sessionValue[V]{key, value})
	return value
}

// remove drops a session, if it is there.
func (r *recentSessions[V]) remove(key session.Key) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if found, ok := r.values[key]; ok {
		r.drop(found)
	}
}

func (r *recentSessions[V]) drop(e *list.Element) {
	key := r.order.Remove(e).(sessionValue[V]).key
	delete(r.values, key)
	if r.dropped != nil {
		r.dropped(key)
	}
}
