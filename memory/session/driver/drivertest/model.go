package drivertest

import (
	"errors"
	"slices"
	"time"

	"github.com/go-workingmemory/workingmemory/memory/session/driver"
)

// model is a Store for one caller, as simple as possible. It takes two unpredictable values
// from the store under test: the revision of a new session, and its expiry.
type model struct {
	sessions map[driver.Key]*modelSession
	passed   time.Duration // on the clock
}

type modelSession struct {
	driver.StoredSession
	ids   map[string]bool // maps the ids of all messages to whether they are still there
	until time.Duration   // the time of expiry in model.passed; 0 means never
}

// errLater represents a *session.FormatError.
var errLater = errors.New("later format")

// find returns the session of a key, nil if it does not exist or has expired.
func (m *model) find(key driver.Key) *modelSession {
	s := m.sessions[key]
	if s == nil || s.until != 0 && s.until <= m.passed {
		return nil
	}
	return s
}

// append models Store.Append. p is the result of the store.
func (m *model) append(key driver.Key, a driver.Append, p driver.Position) (at driver.Position, added int, errs []error) {
	s := m.find(key)
	if s != nil && s.Format > a.Format {
		return driver.Position{}, 0, []error{errLater}
	}
	if s == nil {
		s = m.create(key, p.Revision, a.Format, a.Head)
	}
	added = s.add(a.Messages, false)
	if s.DueAt.IsZero() {
		s.DueAt = millis(a.Due)
	}
	m.touch(s, a.TTL, a.Window, a.Now, p)
	return s.Position, added, nil
}

// write models Store.Write. p is the result of the store.
func (m *model) write(key driver.Key, w driver.Write, p driver.Position) (at driver.Position, errs []error) {
	s := m.find(key)
	if s != nil && s.Format > w.Format {
		errs = append(errs, errLater)
	}
	if !s.standsAt(w.If) {
		errs = append(errs, driver.ErrConflict)
	}
	if errs != nil {
		return driver.Position{}, errs
	}
	if s == nil {
		s = m.create(key, p.Revision, w.Format, w.Head)
	} else {
		s.Revision++
		s.Head, s.Format = w.Head, w.Format
	}
	s.drop(w.DropBefore)
	s.add(w.Messages, true)
	if w.Due != nil {
		s.DueAt = millis(*w.Due)
	}
	m.touch(s, w.TTL, w.Window, w.Now, p)
	return s.Position, nil
}

// delete models Store.Delete.
func (m *model) delete(key driver.Key, where *driver.Condition) []error {
	s := m.find(key)
	if where != nil && (s == nil || !s.standsAt(*where)) {
		return []error{driver.ErrConflict}
	}
	delete(m.sessions, key)
	return nil
}

// list models Store.List.
func (m *model) list(f driver.ListOptions) driver.Listing {
	var keys []driver.Key
	for key := range m.sessions {
		if m.find(key) != nil && pass(f.Namespace, key.Namespace) && pass(f.UserID, key.UserID) && pass(f.SessionID, key.SessionID) {
			keys = append(keys, key)
		}
	}
	page := driver.Listing{Total: len(keys)}
	if keys = sorted(keys); f.Limit >= 0 {
		keys = keys[:min(len(keys), f.Offset+f.Limit)]
	}
	page.Keys = keys[min(len(keys), f.Offset):]
	return page
}

// due models Store.Due. Sessions that are due at the same time have no order.
func (m *model) due(by time.Time, limit int) []time.Time {
	var times []time.Time
	for key := range m.sessions {
		if s := m.find(key); s != nil && !s.DueAt.IsZero() && !s.DueAt.After(by) {
			times = append(times, s.DueAt)
		}
	}
	slices.SortFunc(times, time.Time.Compare)
	return times[:min(limit, len(times))]
}

func (m *model) create(key driver.Key, revision uint64, format int, head []byte) *modelSession {
	s := &modelSession{ids: map[string]bool{}}
	s.Revision, s.First, s.Next = revision, 1, 1
	s.Format, s.Head = format, head
	m.sessions[key] = s
	return s
}

func (m *model) touch(s *modelSession, ttl time.Duration, window int64, now time.Time, p driver.Position) {
	s.UpdatedAt = now.Truncate(time.Millisecond)
	if window != 0 {
		s.Window = window
	}
	if ttl > 0 {
		s.until, s.ExpiresAt = m.passed+ttl, p.ExpiresAt
	} else if ttl == driver.NoExpiry {
		s.until, s.ExpiresAt = 0, time.Time{}
	}
}

func (s *modelSession) standsAt(c driver.Condition) bool {
	if s == nil || c.Revision == 0 {
		return s == nil && c.Revision == 0
	}
	return s.Revision == c.Revision && (c.Next == 0 || s.Next == c.Next)
}

func (s *modelSession) add(all []driver.StoredMessage, again bool) (added int) {
	for _, m := range all {
		if there, known := s.ids[m.ID]; there || known && !again {
			continue
		}
		s.ids[m.ID] = true
		m.Seq = s.Next
		s.Messages = append(s.Messages, m)
		s.Next++
		s.Tokens += m.Tokens
		added++
	}
	return added
}

func (s *modelSession) drop(before uint64) {
	for len(s.Messages) > 0 && s.Messages[0].Seq < before {
		s.ids[s.Messages[0].ID] = false
		s.Tokens -= s.Messages[0].Tokens
		s.Messages = s.Messages[1:]
		s.First++
	}
}
