package memstore

import (
	"container/heap"
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/go-workingmemory/workingmemory/memory/session/driver"
)

// Due implements driver.Store. It may miss sessions that are written concurrently.
func (s *Store) Due(ctx context.Context, by time.Time, limit int) ([]driver.Key, error) {
	if err := s.open(ctx); err != nil {
		return nil, fmt.Errorf("session: due: %w", err)
	}
	first := firstDue{by: by, limit: limit}
	now := s.now()
	for i := range s.shards {
		if limit > 0 {
			s.shards[i].collectDue(&first, now)
		}
	}
	if s.closed.Load() {
		return nil, fmt.Errorf("session: due: %w", driver.ErrClosed)
	}
	return first.keys(), nil
}

// collectDue adds the sessions of the shard that are among the first that are due. As a
// heap is ordered from the top, it visits only what it adds, and up to two more for each.
func (s *shard) collectDue(first *firstDue, now time.Time) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.sweep(now)
	s.due.walk(0, func(session *storedSession) bool {
		return first.add(dueKey{at: session.dueAt, key: session.key})
	})
}

// walk visits the session in a slot and, if visit returns true, those below it.
func (h *sessionHeap) walk(slot int, visit func(*storedSession) bool) {
	if slot < len(h.sessions) && visit(h.sessions[slot]) {
		h.walk(2*slot+1, visit)
		h.walk(2*slot+2, visit)
	}
}

// firstDue collects the sessions that are due first. It is a heap with the latest of them at
// the top.
type firstDue struct {
	by    time.Time
	limit int
	found []dueKey
}

type dueKey struct {
	at  time.Time
	key driver.Key
}

// add adds a session if it is among the first that are due, and reports whether it is.
func (f *firstDue) add(d dueKey) bool {
	switch {
	case d.at.After(f.by):
		return false
	case len(f.found) < f.limit:
		heap.Push(f, d)
		return true
	case !d.at.Before(f.found[0].at):
		return false
	}
	f.found[0] = d
	heap.Fix(f, 0)
	return true
}

// keys returns the keys, the earliest first.
func (f *firstDue) keys() []driver.Key {
	slices.SortFunc(f.found, func(a, b dueKey) int { return a.at.Compare(b.at) })
	keys := make([]driver.Key, len(f.found))
	for i := range f.found {
		keys[i] = f.found[i].key
	}
	return keys
}

// Len implements heap.Interface.
func (f *firstDue) Len() int { return len(f.found) }

// Less implements heap.Interface.
func (f *firstDue) Less(i, j int) bool { return f.found[i].at.After(f.found[j].at) }

// Swap implements heap.Interface.
func (f *firstDue) Swap(i, j int) { f.found[i], f.found[j] = f.found[j], f.found[i] }

// Push implements heap.Interface.
func (f *firstDue) Push(x any) { f.found = append(f.found, x.(dueKey)) }

// Pop implements heap.Interface.
func (f *firstDue) Pop() any {
	last := len(f.found) - 1
	d := f.found[last]
	f.found = f.found[:last]
	return d
}
