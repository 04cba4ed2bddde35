package session

import (
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
	expiring sessionHeap // those that expire, the next one first
	due      sessionHeap // those that are due some time, the earliest first
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
		revision: NewRevision(), first: 1, expirySlot: -1, dueSlot: -1,
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
	case ttl == NoExpiry:
		session.expiresAt = 0
		s.expiring.remove(session)
	case ttl > 0:
		// Rounded up, so that it lives no shorter than was asked for.
		session.expiresAt = now.Add(ttl).Add(time.Millisecond - 1).UnixMilli()
		s.expiring.put(session)
	}
}

// setDue sets when a session is due; the zero time: not at all.
func (s *memoryShard) setDue(session *memorySession, due time.Time) {
	if due.IsZero() {
		session.dueAt = due
		s.due.remove(session)
		return
	}
	session.dueAt = time.UnixMilli(due.UnixMilli()).UTC()
	s.due.put(session)
}

// sweep removes the expired sessions.
func (s *memoryShard) sweep(now time.Time) {
	for s.expiring.Len() > 0 && s.expiring.sessions[0].expired(now) {
		s.remove(s.expiring.sessions[0])
	}
}

func (s *memoryShard) remove(session *memorySession) {
	s.expiring.remove(session)
	s.due.remove(session)
	delete(s.sessions, session.key)
	// A map does not give back the memory of what was deleted.
	if s.most > 32 && len(s.sessions) < s.most/4 {
		shrunk := make(map[Key]*memorySession, len(s.sessions))
		for key, kept := range s.sessions {
			shrunk[key] = kept
		}
		s.sessions, s.most = shrunk, len(shrunk)
		s.expiring.clip()
		s.due.clip()
	}
}

func (s *memoryShard) clear() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.sessions, s.most = map[Key]*memorySession{}, 0
	s.expiring.sessions, s.due.sessions = nil, nil
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
