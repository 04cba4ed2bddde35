package driver

import "time"

// Append is what Store.Append adds.
type Append struct {
	Messages []StoredMessage
	// Head is the head of the session if it is not there yet.
	Head []byte
	// Format is that of the messages and the head. A session of a later format is
	// not changed.
	Format int
	// TTL is how long the session lives from now, in full milliseconds at least 1;
	// 0 leaves a running expiry as it is; NoExpiry takes it away.
	TTL time.Duration
	// Window becomes Position.Window, unless it is 0.
	Window int64
	// Now becomes Position.UpdatedAt.
	Now time.Time
	// Due becomes Position.DueAt, down to the millisecond, where that is zero. The zero
	// time leaves it as it is.
	Due time.Time
}

// Condition says where a session must stand.
type Condition struct {
	// Revision is the one it must have; 0: there must be no session.
	Revision uint64
	// Next is what Position.Next must be; 0: messages may have been appended.
	Next uint64
}

// Met reports whether a session at a position, nil if there is none, meets the
// condition.
func (c Condition) Met(at *Position) bool {
	if at == nil || c.Revision == 0 {
		return at == nil && c.Revision == 0
	}
	return at.Revision == c.Revision && (c.Next == 0 || at.Next == c.Next)
}

// Write is what Store.Write changes.
type Write struct {
	If Condition
	// Head replaces the head.
	Head []byte
	// DropBefore is a sequence number: messages with a lower one leave. Numbers
	// beyond Position.Next count as that.
	DropBefore uint64
	// Messages are added then, as in Append, but also if their ids are remembered
	// of messages that left.
	Messages []StoredMessage
	// Format, TTL, Window and Now are as in Append.
	Format int
	TTL    time.Duration
	Window int64
	Now    time.Time
	// Due becomes Position.DueAt, down to the millisecond, the zero time too; nil
	// leaves it as it is.
	Due *time.Time
}
