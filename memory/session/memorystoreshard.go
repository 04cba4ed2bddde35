package session

import (
	"container/heap"
	"slices"
	"sync"
	"time"
)

// otherSweep is after how many writes a shard looks for expired sessions in another
// shard too.
const otherSweep = 16

// memoryShard is a part of the sessions of a MemoryStore with a lock of its own.
type memoryShard struct {
	mu       sync.RWMutex
	sessions map[Key]*memorySession
	// most is the largest number of sessions since the map was made.
	most     int
	expiring expiryHeap
	writes   int
	// Shards that lie in one cache line would slow each other down.
	_ [56]byte
}

// find returns a session that has not expired, nil if there is none.
func (s *memoryShard) find(key Key, now time.Time) *memorySession {
	found := s.sessions[key]
	if found == nil || found.expired(now) {
		return nil
	}
	return found
}

// create adds a session. Its key is not there.
func (s *memoryShard) create(key Key, head []byte, format int) *memorySession {
	made := &memorySession{
		key: key, head: slices.Clone(head), format: format,
		revision: NewRevision(), first: 1, slot: -1,
	}
	s.sessions[key] = made
	s.most = max(s.most, len(s.sessions))
	return made
}

// touch sets what every write sets.
func (s *memoryShard) touch(session *memorySession, now, updated time.Time, ttl time.Duration, window int64) {
	session.updatedAt = updated.UnixMilli()
	if window != 0 {
		session.window = window
	}
	switch {
	case ttl == NoExpiry && session.slot >= 0:
		heap.Remove(&s.expiring, session.slot)
		session.expiresAt = 0
	case ttl > 0:
		// Rounded up, so that it lives no shorter than was asked for.
		session.expiresAt = now.Add(ttl).Add(time.Millisecond - 1).UnixMilli()
		if session.slot >= 0 {
			heap.Fix(&s.expiring, session.slot)
		} else {
			heap.Push(&s.expiring, session)
		}
	}
}

// sweep removes the expired sessions.
func (s *memoryShard) sweep(now time.Time) {
	for len(s.expiring) > 0 && s.expiring[0].expired(now) {
		s.remove(s.expiring[0])
	}
}

func (s *memoryShard) remove(session *memorySession) {
	if session.slot >= 0 {
		heap.Remove(&s.expiring, session.slot)
	}
	delete(s.sessions, session.key)
	// A map does not give back the memory of what was deleted.
	if s.most > 32 && len(s.sessions) < s.most/4 {
		shrunk := make(map[Key]*memorySession, len(s.sessions))
		for key, kept := range s.sessions {
			shrunk[key] = kept
		}
		s.sessions, s.most = shrunk, len(shrunk)
		s.expiring = slices.Clip(slices.Clone(s.expiring))
	}
}

func (s *memoryShard) clear() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.sessions, s.most, s.expiring = map[Key]*memorySession{}, 0, nil
}

// list appends the keys that pass a filter.
func (s *memoryShard) list(keys []Key, f Filter, now time.Time) []Key {
	passes := func(want *string, part string) bool { return want == nil || *want == part }
	s.mu.RLock()
	defer s.mu.RUnlock()
	for key, found := range s.sessions {
		if !found.expired(now) && passes(f.Namespace, key.Namespace) &&
			passes(f.UserID, key.UserID) && passes(f.SessionID, key.SessionID) {
			keys = append(keys, key)
		}
	}
	return keys
}

// expiryHeap has the sessions that expire, the next one first. Each knows its slot,
// so that it can be moved when it is written again.
type expiryHeap []*memorySession

// Len implements heap.Interface.
func (h expiryHeap) Len() int { return len(h) }

// Less implements heap.Interface.
func (h expiryHeap) Less(i, j int) bool { return h[i].expiresAt < h[j].expiresAt }

// Swap implements heap.Interface.
func (h expiryHeap) Swap(i, j int) {
	h[i], h[j] = h[j], h[i]
	h[i].slot, h[j].slot = i, j
}

// Push implements heap.Interface.
func (h *expiryHeap) Push(x any) {
	session := x.(*memorySession)
	session.slot = len(*h)
	*h = append(*h, session)
}

// Pop implements heap.Interface.
func (h *expiryHeap) Pop() any {
	last := len(*h) - 1
	session := (*h)[last]
	(*h)[last] = nil
	*h = (*h)[:last]
	session.slot = -1
	return session
}
