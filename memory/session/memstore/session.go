package memstore

import (
	"bytes"
	"slices"
	"strings"
	"time"

	"github.com/go-workingmemory/workingmemory/memory/session/driver"
)

// storedSession is a session in a Store. Snapshots share its head and its
// messages: what is in them is never changed, only replaced or appended to.
type storedSession struct {
	key       driver.Key
	head      []byte
	format    int
	revision  uint64
	first     uint64
	tokens    int64
	window    int64
	updatedAt int64 // Unix milliseconds
	expiresAt int64 // Unix milliseconds, 0: never
	dueAt     time.Time
	// Where it is in the shard's heaps, -1: nowhere.
	expirySlot, dueSlot int

	messages []driver.StoredMessage
	// left has the ids of the messages that left last, oldest first: that of first-1
	// is at its end.
	left []string
	// ids has, by the ids of messages and left, the sequence numbers. It is nil while
	// there are so few that looking through them takes no longer.
	ids map[string]uint64
}

// fewIDs is up to how many ids a session has no map of them.
const fewIDs = 32

func (m *storedSession) next() uint64 { return m.first + uint64(len(m.messages)) }

func (m *storedSession) expired(now time.Time) bool {
	return m.expiresAt != 0 && now.UnixMilli() >= m.expiresAt
}

func (m *storedSession) position() driver.Position {
	at := driver.Position{
		Revision: m.revision, First: m.first, Next: m.next(), Tokens: m.tokens, Window: m.window,
		UpdatedAt: time.UnixMilli(m.updatedAt).UTC(), DueAt: m.dueAt,
	}
	if m.expiresAt != 0 {
		at.ExpiresAt = time.UnixMilli(m.expiresAt).UTC()
	}
	return at
}

// snapshot returns a snapshot with the last messages. The capacities keep what its
// owner appends apart from what is appended here.
func (m *storedSession) snapshot(last int) *driver.StoredSession {
	from := 0
	if last >= 0 {
		from = max(0, len(m.messages)-last)
	}
	return &driver.StoredSession{
		Position: m.position(), Format: m.format,
		Head: slices.Clip(m.head), Messages: slices.Clip(m.messages[from:]),
	}
}

// standsAt reports whether a session, nil if there is none, is where a condition
// says.
func (m *storedSession) standsAt(c driver.Condition) bool {
	if m == nil {
		return c.Met(nil)
	}
	return c.Met(new(m.position()))
}

// append adds messages, which are its own from now on, and returns how many were
// not there. Those that left can come back if again is set.
func (m *storedSession) append(messages []driver.StoredMessage, again bool) int {
	if m.ids == nil && len(m.messages)+len(m.left)+len(messages) > fewIDs {
		m.index()
	}
	before := len(m.messages)
	m.messages = slices.Grow(m.messages, len(messages))
	for _, message := range messages {
		if seq, known := m.lookup(message.ID); known && (!again || seq >= m.first) {
			continue
		}
		message.Seq = m.next()
		m.messages = append(m.messages, message)
		m.tokens += message.Tokens
		if m.ids != nil {
			m.ids[message.ID] = message.Seq
		}
	}
	return len(m.messages) - before
}

// lookup returns the sequence number that a message with an id has or had last.
func (m *storedSession) lookup(id string) (seq uint64, known bool) {
	if m.ids != nil {
		seq, known = m.ids[id]
		return seq, known
	}
	for i := range m.messages {
		if m.messages[i].ID == id {
			return m.messages[i].Seq, true
		}
	}
	if i := slices.Index(m.left, id); i >= 0 {
		return m.first - uint64(len(m.left)-i), true
	}
	return 0, false
}

// drop removes the messages before a sequence number. The others move to an array
// of their own, as the old one would keep those that left alive.
func (m *storedSession) drop(before uint64) {
	before = min(before, m.next())
	if before <= m.first {
		return
	}
	gone := m.messages[:before-m.first]
	for i := range gone {
		m.left = append(m.left, gone[i].ID)
		m.tokens -= gone[i].Tokens
	}
	m.messages = slices.Clone(m.messages[len(gone):])
	m.first = before
	if len(m.left) > 2*driver.RememberedIDs {
		m.forget(len(m.left) - driver.RememberedIDs)
	}
}

// forget forgets the n ids that left first.
func (m *storedSession) forget(n int) {
	forgotten := m.left[:n]
	seq := m.first - uint64(len(m.left))
	m.left = slices.Clone(m.left[n:])
	switch {
	case m.ids == nil:
	case n >= len(m.ids)/2:
		m.index() // a map does not give back the memory of what was deleted
	default:
		for _, id := range forgotten {
			if m.ids[id] == seq { // or it came back
				delete(m.ids, id)
			}
			seq++
		}
	}
}

// index makes the map of ids. The last one of those that are there twice counts.
func (m *storedSession) index() {
	m.ids = make(map[string]uint64, len(m.left)+len(m.messages))
	seq := m.first - uint64(len(m.left))
	for _, id := range m.left {
		m.ids[id] = seq
		seq++
	}
	for i := range m.messages {
		m.ids[m.messages[i].ID] = m.messages[i].Seq
	}
}

// copyMessages copies messages with their ids and bodies, so that they keep nothing
// of the caller's alive.
func copyMessages(messages []driver.StoredMessage) []driver.StoredMessage {
	own := make([]driver.StoredMessage, len(messages))
	for i, message := range messages {
		message.ID = strings.Clone(message.ID)
		message.Body = slices.Clip(bytes.Clone(message.Body))
		own[i] = message
	}
	return own
}
