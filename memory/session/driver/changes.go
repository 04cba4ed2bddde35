package driver

import "time"

// Append holds the arguments of Store.Append.
type Append struct {
	Messages []StoredMessage
	// Head is the head of a session that is created.
	Head []byte
	// Format is the format of the messages and the head. A session in a later format is
	// not changed.
	Format int
	// TTL is the time to live from now, at least 1 ms in full milliseconds. 0 keeps a
	// running expiry, NoExpiry removes it.
	TTL time.Duration
	// Window, unless it is 0, becomes Position.Window.
	Window int64
	// Now becomes Position.UpdatedAt.
	Now time.Time
	// Due, unless it is zero, becomes Position.DueAt if that is zero, truncated to the
	// millisecond.
	Due time.Time
}

// Condition is the position that a session must have.
type Condition struct {
	// Revision is the required revision. 0 requires that the session does not exist.
	Revision uint64
	// Next is the required Position.Next. 0 allows messages to have been appended.
	Next uint64
}

// Met reports whether a session at a position meets the condition. at is nil if there is no
// session.
func (c Condition) Met(at *Position) bool {
	if at == nil || c.Revision == 0 {
		return at == nil && c.Revision == 0
	}
	return at.Revision == c.Revision && (c.Next == 0 || at.Next == c.Next)
}

// Write holds the arguments of Store.Write.
type Write struct {
	If Condition
	// Head replaces the head.
	Head []byte
	// DropBefore is a sequence number: messages with lower numbers are removed. A number
	// above Position.Next counts as Position.Next.
	DropBefore uint64
	// Messages are added then, as in Append, but even if their ids are remembered from
	// messages that left.
	Messages []StoredMessage
	// Format, TTL, Window and Now are as in Append.
	Format int
	TTL    time.Duration
	Window int64
	Now    time.Time
	// Due, if not nil, becomes Position.DueAt, truncated to the millisecond; the zero time
	// too.
	Due *time.Time
}
