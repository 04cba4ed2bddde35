package main

import (
	"time"

	"github.com/go-workingmemory/workingmemory/memory/session/driver"
)

// storedSession is a session as it is in its file.
type storedSession struct {
	entry
	content
}

func newSession(key driver.Key, head []byte, format int) *storedSession {
	return &storedSession{
		entry: entry{
			Key: key.String(), key: key,
			Position: driver.Position{Revision: driver.NewRevision(), First: 1, Next: 1},
		},
		content: content{Format: format, Head: head},
	}
}

// expired reports whether a session has expired, which hides it from every method.
func (e *entry) expired() bool { return !e.ExpiresAt.IsZero() && !time.Now().Before(e.ExpiresAt) }

// meets reports whether a session meets a condition. nil is a session that does not exist.
func (s *storedSession) meets(c driver.Condition) bool {
	if s == nil {
		return c.Met(nil)
	}
	return c.Met(&s.Position)
}

// add adds the messages whose ids are neither in the session nor among others, and
// returns their number.
func (s *storedSession) add(messages []driver.StoredMessage, others []string) (added int) {
	known := make(map[string]bool, len(s.Messages)+len(others))
	for _, m := range s.Messages {
		known[m.ID] = true
	}
	for _, id := range others {
		known[id] = true
	}
	for _, m := range messages {
		if known[m.ID] {
			continue
		}
		known[m.ID] = true
		m.Seq = s.Next
		s.Messages = append(s.Messages, m)
		s.Next++
		s.Tokens += m.Tokens
		added++
	}
	return added
}

// drop removes the messages before a sequence number, and remembers their ids.
func (s *storedSession) drop(before uint64) {
	for len(s.Messages) > 0 && s.First < before {
		gone := s.Messages[0]
		s.Messages = s.Messages[1:]
		s.First++
		s.Tokens -= gone.Tokens
		s.Left = append(s.Left, gone.ID)
	}
	s.Left = s.Left[max(0, len(s.Left)-driver.RememberedIDs):]
}

// touch sets what every write sets.
func (s *storedSession) touch(updated time.Time, ttl time.Duration, window int64) {
	s.UpdatedAt = millis(updated)
	if window != 0 {
		s.Window = window
	}
	switch {
	case ttl == driver.NoExpiry:
		s.ExpiresAt = time.Time{}
	case ttl > 0: // rounded up, so that no session lives shorter than it should
		s.ExpiresAt = millis(time.Now().Add(ttl).Add(time.Millisecond - 1))
	}
}

// millis returns a time with the resolution that a store keeps.
func millis(t time.Time) time.Time { return t.UTC().Truncate(time.Millisecond) }

// keys returns the keys of entries, nil for none.
func keys(entries []entry) []driver.Key {
	var all []driver.Key
	for _, e := range entries {
		all = append(all, e.key)
	}
	return all
}
