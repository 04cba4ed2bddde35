package memstore

import (
	"slices"
	"sync"
	"time"

	"github.com/go-workingmemory/workingmemory/memory/session/driver"
)

// otherSweep is the number of writes after which a shard sweeps another shard, too.
const otherSweep = 16

// shard is a part of the sessions of a Store, with a lock of its own.
type shard struct {
	mu       sync.RWMutex
	sessions map[driver.Key]*storedSession
	// most is the maximum number of sessions since the map was made.
	most     int
	expiring sessionHeap // the sessions that expire, the next one first
	due      sessionHeap // the sessions with a due time, the earliest first
	writes   int
	// The padding keeps shards out of the same cache line.
	_ [56]byte
}

// find returns a session that has not expired, or nil.
func (s *shard) find(key driver.Key, now time.Time) *storedSession {
	found := s.sessions[key]
	if found == nil || found.expired(now) {
		return nil
	}
	return found
}

// create adds a session. The key must not exist.
func (s *shard) create(key driver.Key, head []byte, format int) *storedSession {
	made := &storedSession{
		key: key, head: slices.Clone(head), format: format,
		revision: driver.NewRevision(), first: 1, expirySlot: -1, dueSlot: -1,
	}
	s.sessions[key] = made
	s.most = max(s.most, len(s.sessions))
	return made
}

// touch sets the fields that every write sets.
func (s *shard) touch(session *storedSession, now, updated time.Time, ttl time.Duration, window int64) {
	session.updatedAt = updated.UnixMilli()
	if window != 0 {
		session.window = window
	}
	switch {
	case ttl == driver.NoExpiry:
		session.expiresAt = 0
		s.expiring.remove(session)
	case ttl > 0:
		// Rounded up, so that the session does not expire early.
		session.expiresAt = now.Add(ttl).Add(time.Millisecond - 1).UnixMilli()
		s.expiring.put(session)
	}
}

// setDue sets when a session is due. The zero time means never.
func (s *shard) setDue(session *storedSession, due time.Time) {
	if due.IsZero() {
		session.dueAt = due
		s.due.remove(session)
		return
	}
	session.dueAt = time.UnixMilli(due.UnixMilli()).UTC()
	s.due.put(session)
}

// sweep removes expired sessions.
func (s *shard) sweep(now time.Time) {
	for s.expiring.Len() > 0 && s.expiring.sessions[0].expired(now) {
		s.remove(s.expiring.sessions[0])
	}
}

func (s *shard) remove(session *storedSession) {
	s.expiring.remove(session)
	s.due.remove(session)
	delete(s.sessions, session.key)
	// A map does not release the memory of deleted keys.
	if s.most > 32 && len(s.sessions) < s.most/4 {
		shrunk := make(map[driver.Key]*storedSession, len(s.sessions))
		for key, kept := range s.sessions {
			shrunk[key] = kept
		}
		s.sessions, s.most = shrunk, len(shrunk)
		s.expiring.clip()
		s.due.clip()
	}
}

func (s *shard) clear() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.sessions, s.most = map[driver.Key]*storedSession{}, 0
	s.expiring.sessions, s.due.sessions = nil, nil
}
