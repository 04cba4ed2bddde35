package memstore

import (
	"bytes"
	"slices"
	"strings"
	"time"

	"github.com/go-workingmemory/workingmemory/memory/session/driver"
)

// storedSession is a session in a Store. Snapshots share its head and its messages, which
// are replaced or appended to, never changed.
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
	// The slots in the heaps of the shard, -1 if the session is in none.
	expirySlot, dueSlot int

	messages []driver.StoredMessage
	// left has the ids of the messages that left last, oldest first. The last one is that of
	// first-1.
	left []string
	// ids maps the ids of messages and left to sequence numbers. It is nil while there are
	// so few that a scan is as fast.
	ids map[string]uint64
	// results are the results of each kind, oldest first. Their contents are never changed.
	results [driver.ResultKinds][]driver.StoredResult
}

// fewIDs is the number of ids up to which a session has no map of them.
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

// snapshot returns a snapshot with the last messages. Their capacity is limited, so that
// appending to it does not change the session.
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

// standsAt reports whether a session meets a condition. m is nil if there is no session.
func (m *storedSession) standsAt(c driver.Condition) bool {
	if m == nil {
		return c.Met(nil)
	}
	return c.Met(new(m.position()))
}

// append adds messages, which it takes over, and returns the number of those added. With
// again, messages that left can come back.
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

// lookup returns the last sequence number of a message with an id.
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

// drop removes the messages before a sequence number. It copies the others to a new array,
// so that the old one can be freed.
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

// forget removes the n oldest ids from left.
func (m *storedSession) forget(n int) {
	forgotten := m.left[:n]
	seq := m.first - uint64(len(m.left))
	m.left = slices.Clone(m.left[n:])
	switch {
	case m.ids == nil:
	case n >= len(m.ids)/2:
		m.index() // a map does not release the memory of deleted keys
	default:
		for _, id := range forgotten {
			if m.ids[id] == seq { // else the message came back
				delete(m.ids, id)
			}
			seq++
		}
	}
}

// index builds the map of ids. Of two equal ids, the last counts.
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

// copyMessages returns a deep copy of messages.
func copyMessages(messages []driver.StoredMessage) []driver.StoredMessage {
	own := make([]driver.StoredMessage, len(messages))
	for i, message := range messages {
		message.ID = strings.Clone(message.ID)
		message.Body = slices.Clip(bytes.Clone(message.Body))
		own[i] = message
	}
	return own
}
